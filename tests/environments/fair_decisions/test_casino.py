"""CaSiNo's negotiations as fair decisions: the corpus's own points come out again."""

import gzip
import json

import numpy as np
import pandas as pd
import pytest

from support.environments.fair_decisions.casino import FILES, Negotiation, Party, deals, envy, negotiations
from support.environments.fair_decisions.measures import divergence
from support.errors import DamagedFile, MissingData

FIRST, SECOND = "mturk_agent_1", "mturk_agent_2"


def person(high, medium, low, points, satisfaction="Slightly satisfied"):
    return {
        "value2issue": {"High": high, "Medium": medium, "Low": low},
        "outcomes": {"points_scored": points, "satisfaction": satisfaction},
    }


def offer(who, food, water, firewood):
    mine = {"Food": str(food), "Water": str(water), "Firewood": str(firewood)}
    theirs = {good: str(3 - int(n)) for good, n in mine.items()}
    return {"text": "Submit-Deal", "id": who, "task_data": {"issue2youget": mine, "issue2theyget": theirs}}


def said(who, text):
    return {"text": text, "id": who, "task_data": {}}


def dialogue(number=1, closing=None):
    """The second party keeps one food, no water and all firewood: 6 + 20 points are left to the first."""
    return {
        "dialogue_id": number,
        "participant_info": {
            SECOND: person("Firewood", "Food", "Water", 19, "Extremely satisfied"),
            FIRST: person("Water", "Food", "Firewood", 23, "Undecided"),
        },
        "chat_logs": [said(FIRST, "Hello"), *(closing or [offer(SECOND, 1, 0, 3), said(FIRST, "Accept-Deal")])],
    }


@pytest.fixture
def written(tmp_path):
    """A function that writes both files, the first with these dialogues."""

    def write(*rows):
        for file, content in zip(FILES.values(), (list(rows), []), strict=True):
            (tmp_path / file).write_bytes(gzip.compress(json.dumps(content).encode()))
        return tmp_path

    return write


def test_a_deal_is_read_from_the_first_partys_side_whoever_submitted_it(written):
    (one,) = negotiations(written(dialogue()))
    assert one.deal == (2, 3, 0) and one.closed_by == 1
    assert [party.values for party in one.parties] == [(4, 5, 3), (4, 3, 5)]
    assert one.points == (23, 19) and one.agrees
    assert [party.level for party in one.parties] == [3, 5]


def test_points_that_the_corpus_counts_differently_are_reported(written):
    row = dialogue()
    row["participant_info"][FIRST]["outcomes"]["points_scored"] = 22
    (one,) = negotiations(written(row))
    assert not one.agrees and deals([one]).agrees.tolist() == [False]


def test_who_walks_away_leaves_no_deal(written):
    row = dialogue(closing=[offer(SECOND, 3, 3, 3), said(FIRST, "Walk-Away")])
    (one,) = negotiations(written(row))
    assert one.deal is None and one.closed_by == 0 and one.points == (5, 5)
    frame = deals([one])
    assert frame.plan[0] is None and frame[["divergence", "welfare", "envy_a", "envy_b"]].isna().all(axis=None)


def test_the_problem_gives_what_the_first_does_not_take_to_the_second(written):
    (one,) = negotiations(written(dialogue()))
    first, second = one.problem.gains
    assert first.tolist() == [[0, 4, 8, 12], [0, 5, 10, 15], [0, 3, 6, 9]]
    assert second.tolist() == [[12, 8, 4, 0], [9, 6, 3, 0], [15, 10, 5, 0]]
    assert one.problem.words(one.deal).startswith("Food: 2 to the first and 1 to the second")


@pytest.mark.parametrize("deal", [(0, 0, 0), (3, 3, 3), (1, 2, 0), (2, 3, 0)])
def test_envy_is_what_the_others_bundle_would_be_worth_to_me_above_my_own(deal):
    parties = (Party((4, 5, 3), 0, "Undecided"), Party((4, 3, 5), 0, "Undecided"))
    problem = Negotiation(1, "valid", parties, deal, 0).problem
    mine = np.array(deal)
    own, others = (mine, 3 - mine), (3 - mine, mine)
    expected = [int(np.dot(parties[i].values, others[i] - own[i])) for i in (0, 1)]
    assert envy(problem, deal).tolist() == expected


def test_envy_proper_is_not_the_difference_of_totals():
    """Unequal totals without envy: both have what they like best."""
    parties = (Party((5, 4, 3), 0, "Undecided"), Party((3, 4, 5), 0, "Undecided"))
    problem = Negotiation(1, "valid", parties, (3, 2, 0), 0).problem
    assert (envy(problem, (3, 2, 0)) < 0).all() and divergence(problem.totals((3, 2, 0))) > 0


@pytest.mark.parametrize(
    "closing",
    [
        [offer(FIRST, 1, 1, 1), said(FIRST, "Accept-Deal")],
        [said(FIRST, "Bye"), said(SECOND, "Accept-Deal")],
        [offer(FIRST, 1, 1, 1), said(SECOND, "Reject-Deal")],
        [{**offer(FIRST, 1, 1, 1), "task_data": {}}, said(SECOND, "Accept-Deal")],
        [said("somebody", "Walk-Away")],
    ],
)
def test_a_dialogue_that_does_not_end_as_one_should_is_named(written, closing):
    with pytest.raises(
        DamagedFile, match=r"casino_valid\.json\.gz, dialogue 2: expected participant_info and chat_logs"
    ):
        negotiations(written(dialogue(), dialogue(2, closing)))


def test_a_deal_that_shares_out_too_much_is_named(written):
    closing = [offer(FIRST, 1, 1, 1), said(SECOND, "Accept-Deal")]
    closing[0]["task_data"]["issue2theyget"]["Water"] = "3"
    with pytest.raises(DamagedFile, match="does not share out 3 of every good"):
        negotiations(written(dialogue(1, closing)))


@pytest.mark.parametrize("change", [{"satisfaction": "Fine"}, {"points_scored": None}])
def test_an_outcome_in_other_words_is_named(written, change):
    row = dialogue()
    row["participant_info"][SECOND]["outcomes"] |= change
    with pytest.raises(DamagedFile, match="dialogue 1"):
        negotiations(written(row))


@pytest.mark.parametrize(
    "content",
    [b"hello", gzip.compress(b"{"), gzip.compress(b"3"), gzip.compress(b"[]")[:-4]],
    ids=["no gzip", "no json", "no list", "cut short"],
)
def test_a_file_that_is_not_the_corpus_is_named_and_left(tmp_path, content):
    path = tmp_path / FILES["valid"]
    path.write_bytes(content)
    with pytest.raises(DamagedFile, match=r"casino_valid\.json\.gz"):
        negotiations(tmp_path)
    assert path.read_bytes() == content


def test_a_folder_without_the_corpus_says_where_it_comes_from(tmp_path):
    with pytest.raises(MissingData, match="CaSiNo"):
        negotiations(tmp_path)


def test_all_recorded_points_come_out_again(have):
    real = have(negotiations)
    assert len(real) == len({one.dialogue for one in real}) == 130
    assert [one.dialogue for one in real if not one.agrees] == []
    assert [one.dialogue for one in real if one.deal is None] == [19]


def test_the_frame_holds_one_row_for_each_negotiation(have):
    frame = have(deals)
    assert frame.shape[0] == 130 and frame.split.value_counts().to_dict() == {"valid": 30, "test": 100}
    assert frame[["satisfaction_a", "satisfaction_b"]].isin(range(1, 6)).all(axis=None)
    reached = frame[frame.plan.notna()]
    assert (reached.divergence == (reached.points_a - reached.points_b).abs()).all()
    assert (reached.welfare == reached.points_a + reached.points_b).all()
    assert (reached.envy_a == 36 - 2 * reached.points_a).all()  # 9 packages are worth 36 to everybody
    assert (reached.envy_b == 36 - 2 * reached.points_b).all()
    assert isinstance(frame, pd.DataFrame) and np.shape(frame.gains[0]) == (2, 3, 4)
