"""CaSiNo's negotiations as fair decisions: the corpus's own points come out again."""

import numpy as np

from support.fair_decisions.casino import GOODS, PARTIES, deal, deals
from support.fair_decisions.problem import FairDecisions

FIRST, SECOND = PARTIES


def said(who, text, mine="000"):
    """A remark, or an offer: how many packages of each good it keeps."""
    mine = dict(zip(GOODS, mine, strict=True))
    theirs = {good: 3 - int(count) for good, count in mine.items()}
    offer = {"issue2youget": mine, "issue2theyget": theirs}
    return {"text": text, "id": who, "task_data": offer}


def person(points, *goods):
    worth = dict(zip(("High", "Medium", "Low"), goods, strict=True))
    return {"value2issue": worth, "outcomes": {"points_scored": points}}


PEOPLE = {
    SECOND: person(19, "Firewood", "Food", "Water"),
    FIRST: person(23, "Water", "Food", "Firewood"),
}


OFFER = said(SECOND, "Submit-Deal", "103")
DEAL = [OFFER, said(FIRST, "Accept-Deal")]
AWAY = [OFFER, said(FIRST, "Walk-Away")]


def test_a_deal_is_read_from_the_first_partys_side_and_who_walks_away_leaves_none():
    one, other = [
        deal({"dialogue_id": 1, "participant_info": PEOPLE, "chat_logs": chat})
        for chat in (DEAL, AWAY)
    ]
    assert one["plan"] == (2, 3, 0) and other["plan"] is None
    assert (one["points_a"], one["points_b"]) == (23, 19)
    assert one["gains"][0] == ((0, 4, 8, 12), (0, 5, 10, 15), (0, 3, 6, 9))
    assert one["gains"][1][2] == (15, 10, 5, 0)


def test_all_recorded_points_come_out_again(have):
    frame = have(deals).set_index("dialogue")
    agreed = frame[frame.plan.notna()]
    assert len(frame) == 130 and frame.index.difference(agreed.index).tolist() == [19]
    for row in agreed.itertuples():
        totals = FairDecisions(np.array(row.gains)).totals(row.plan)
        assert totals.tolist() == [row.points_a, row.points_b]
