"""CaSiNo's negotiations as fair decisions: the corpus's own points come out again."""

import numpy as np

from support.fair_decisions.casino import GOODS, PARTIES, deal, deals
from support.fair_decisions.problem import FairDecisions


def person(points, *goods):
    worth = dict(zip(("High", "Medium", "Low"), goods, strict=True))
    return {"value2issue": worth, "outcomes": {"points_scored": points}}


FIRST, SECOND = PARTIES
PEOPLE = {
    SECOND: person(19, "Firewood", "Food", "Water"),
    FIRST: person(23, "Water", "Food", "Firewood"),
}
SHARES = [dict(zip(GOODS, packages, strict=True)) for packages in ("103", "230")]
OFFER = dict(zip(("issue2youget", "issue2theyget"), SHARES, strict=True))
OFFERED = {"text": "Submit-Deal", "id": SECOND, "task_data": OFFER}


def test_a_deal_is_read_from_the_first_partys_side_and_who_walks_away_leaves_none():
    read = []
    for text in ("Accept-Deal", "Walk-Away"):
        chat = [OFFERED, {"text": text, "id": FIRST}]
        told = {"dialogue_id": 1, "participant_info": PEOPLE, "chat_logs": chat}
        read.append(deal(told))
    assert [one["plan"] for one in read] == [(2, 3, 0), None]
    one, other = read[0]["gains"]
    assert one == ((0, 4, 8, 12), (0, 5, 10, 15), (0, 3, 6, 9))
    assert other[2] == (15, 10, 5, 0)


def test_all_recorded_points_come_out_again(have):
    frame = have(deals).set_index("dialogue")
    agreed = frame[frame.plan.notna()]
    assert len(frame) == 130 and frame.index.difference(agreed.index).tolist() == [19]
    for row in agreed.itertuples():
        totals = FairDecisions(np.array(row.gains)).totals(row.plan)
        assert totals.tolist() == [row.points_a, row.points_b]
