"""CaSiNo's negotiations as fair decisions: the corpus's own points come out again."""

import gzip
import json

import numpy as np
import pytest

from support.errors import DamagedFile, MissingData
from support.fair_decisions.casino import FILES, PARTIES, deals
from support.fair_decisions.problem import FairDecisions

FIRST, SECOND = PARTIES


def person(high, medium, low, points, satisfaction):
    worth = {"High": high, "Medium": medium, "Low": low}
    return {
        "value2issue": worth,
        "outcomes": {"points_scored": points, "satisfaction": satisfaction},
    }


def said(who, text, mine=(), theirs=()):
    """A remark, or an offer: how many packages of food, water and firewood each would get."""
    shares = (
        dict(zip(("Food", "Water", "Firewood"), each, strict=False))
        for each in (mine, theirs)
    )
    return {
        "text": text,
        "id": who,
        "task_data": dict(zip(("issue2youget", "issue2theyget"), shares, strict=True)),
    }


def written(folder, *closings):
    """Both files; the first has a dialogue for each of the closings. `SECOND` wants firewood most, `FIRST` water."""
    people = {
        SECOND: person("Firewood", "Food", "Water", 19, "Extremely satisfied"),
        FIRST: person("Water", "Food", "Firewood", 23, "Undecided"),
    }
    rows = [
        {
            "dialogue_id": number,
            "participant_info": people,
            "chat_logs": [said(FIRST, "Hello"), *closing],
        }
        for number, closing in enumerate(closings)
    ]
    for file, content in zip(FILES, (rows, []), strict=True):
        (folder / file).write_bytes(gzip.compress(json.dumps(content).encode()))
    return folder


SUBMIT, ACCEPT = "Submit-Deal", "Accept-Deal"
DEAL = [
    said(SECOND, SUBMIT, "103", "230"),
    said(FIRST, ACCEPT),
]  # 2 food and 3 water are left to the first


def test_a_deal_is_read_from_the_first_partys_side_and_who_walks_away_leaves_none(
    tmp_path,
):
    one, other = deals(
        written(tmp_path, DEAL, [DEAL[0], said(FIRST, "Walk-Away")])
    ).itertuples()
    assert one.plan == (2, 3, 0) and other.plan is None
    assert (one.points_a, one.points_b) == (23, 19)
    assert [row[1] for row in one.gains[0]] == [4, 5, 3] and one.gains[1][2] == (
        15,
        10,
        5,
        0,
    )


def test_what_is_not_the_corpus_is_named(tmp_path):
    own, bye = (
        [said(FIRST, SUBMIT, "111", "222"), said(FIRST, ACCEPT)],
        [said(FIRST, "Bye"), said(SECOND, ACCEPT)],
    )
    for closing in (own, bye):
        with pytest.raises(
            DamagedFile,
            match=r"valid\.json\.gz: expected gzipped JSON as CaSiNo",
        ):
            deals(written(tmp_path, DEAL, closing))
    for content in (b"hello", gzip.compress(b"3", mtime=0)):
        (tmp_path / FILES[0]).write_bytes(content)
        with pytest.raises(DamagedFile, match=r"casino_valid\.json\.gz"):
            deals(tmp_path)
    with pytest.raises(MissingData, match="CaSiNo"):
        deals(tmp_path / "nowhere")


def test_all_recorded_points_come_out_again(have):
    frame = have(deals)
    assert (
        len(frame) == 130
        and frame.dialogue.is_unique
        and frame.dialogue[frame.plan.isna()].tolist() == [19]
    )
    for row in frame[frame.plan.notna()].itertuples():
        assert FairDecisions(np.array(row.gains)).totals(row.plan).tolist() == [
            row.points_a,
            row.points_b,
        ]
    assert (frame.loc[frame.plan.isna(), ["points_a", "points_b"]] == 5).all(
        axis=None
    )  # as the corpus has it
