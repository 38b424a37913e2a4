"""CaSiNo's negotiations as fair decisions: the corpus's own points come out again."""

import numpy as np

from support.casino import deals
from support.fair_decisions.problem import FairDecisions


def test_all_recorded_points_come_out_again_and_who_walks_away_has_no_plan(have):
    frame = have(deals).set_index("dialogue")
    agreed = frame[frame.plan.notna()]
    assert len(frame) == 130 and frame.index.difference(agreed.index).tolist() == [19]
    for row in agreed.itertuples():
        totals = FairDecisions(np.array(row.gains)).totals(row.plan)
        assert totals.tolist() == [row.points_a, row.points_b]
