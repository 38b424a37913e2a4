"""CaSiNo's negotiations as fair decisions: the corpus's own points come out again."""

import gzip
import json

import numpy as np
import pytest

from support.errors import DamagedFile, MissingData
from support.fair_decisions.casino import FILES, deals
from support.fair_decisions.problem import FairDecisions

FIRST, SECOND = "mturk_agent_1", "mturk_agent_2"


def person(high, medium, low, points, satisfaction="Slightly satisfied"):
    worth = {"High": high, "Medium": medium, "Low": low}
    return {"value2issue": worth, "outcomes": {"points_scored": points, "satisfaction": satisfaction}}


def offer(who, food, water, firewood):
    mine = {"Food": str(food), "Water": str(water), "Firewood": str(firewood)}
    theirs = {good: str(3 - int(n)) for good, n in mine.items()}
    return {"text": "Submit-Deal", "id": who, "task_data": {"issue2youget": mine, "issue2theyget": theirs}}


def said(who, text):
    return {"text": text, "id": who, "task_data": {}}


def dialogue(number=1, closing=None):
    """The second party keeps one food, no water and all firewood: 6 + 20 points are left to the first."""
    people = {
        SECOND: person("Firewood", "Food", "Water", 19, "Extremely satisfied"),
        FIRST: person("Water", "Food", "Firewood", 23, "Undecided"),
    }
    chat = [said(FIRST, "Hello"), *(closing or [offer(SECOND, 1, 0, 3), said(FIRST, "Accept-Deal")])]
    return {"dialogue_id": number, "participant_info": people, "chat_logs": chat}


@pytest.fixture
def written(tmp_path):
    """A function that writes both files, the first with these dialogues."""

    def write(*rows):
        for file, content in zip(FILES, (list(rows), []), strict=True):
            (tmp_path / file).write_bytes(gzip.compress(json.dumps(content).encode()))
        return tmp_path

    return write


def test_a_deal_is_read_from_the_first_partys_side_whoever_submitted_it(written):
    (one,) = deals(written(dialogue())).itertuples()
    assert one.plan == (2, 3, 0)
    assert (one.points_a, one.points_b, one.satisfaction_a, one.satisfaction_b) == (23, 19, 3, 5)
    assert [row[1] for row in one.gains[0]] == [4, 5, 3] and one.gains[1][2] == (15, 10, 5, 0)


def test_who_walks_away_leaves_no_deal(written):
    frame = deals(written(dialogue(closing=[offer(SECOND, 3, 3, 3), said(FIRST, "Walk-Away")])))
    assert frame.plan[0] is None


SHARED = offer(FIRST, 1, 1, 1)
SHARED["task_data"]["issue2theyget"]["Water"] = "3"


@pytest.mark.parametrize(
    "closing",
    [
        [offer(FIRST, 1, 1, 1), said(FIRST, "Accept-Deal")],
        [said(FIRST, "Bye"), said(SECOND, "Accept-Deal")],
        [SHARED, said(SECOND, "Accept-Deal")],
    ],
)
def test_a_dialogue_that_does_not_end_as_one_should_is_named(written, closing):
    with pytest.raises(DamagedFile, match=r"valid\.json\.gz, dialogue 2: expected gzipped JSON as CaSiNo writes it"):
        deals(written(dialogue(), dialogue(2, closing)))


@pytest.mark.parametrize("content", [b"hello", gzip.compress(b"3", mtime=0)])
def test_a_file_that_is_not_the_corpus_is_named(tmp_path, content):
    (tmp_path / FILES[0]).write_bytes(content)
    with pytest.raises(DamagedFile, match=r"casino_valid\.json\.gz"):
        deals(tmp_path)
    with pytest.raises(MissingData, match="CaSiNo"):
        deals(tmp_path / "nowhere")


def test_all_recorded_points_come_out_again(have):
    frame = have(deals)
    assert len(frame) == 130 and frame.dialogue.is_unique and frame.dialogue[frame.plan.isna()].tolist() == [19]
    assert frame[["satisfaction_a", "satisfaction_b"]].isin(range(1, 6)).all(axis=None)
    for row in frame[frame.plan.notna()].itertuples():
        assert FairDecisions(np.array(row.gains)).totals(row.plan).tolist() == [row.points_a, row.points_b]
    assert (frame.loc[frame.plan.isna(), ["points_a", "points_b"]] == 5).all(axis=None)  # as the corpus has it
