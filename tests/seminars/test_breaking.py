"""Where the sending of a mail breaks off decides what is known of it; the outbox loses none and doubles none."""

import asyncio

import numpy as np
import pytest
from attacks.breaking import (
    ANSWERED,
    AT_MOST_ONCE,
    BEFORE,
    CLAIMED,
    HALF,
    KEPT,
    ORDERS,
    POINTS,
    PREPARED,
    RECORD_AFTER,
    RECORD_BEFORE,
    TAKEN,
    break_off,
    break_offs,
)

OURS = {
    BEFORE: ("nothing", "sent", 1), PREPARED: ("prepared", "sent", 1), CLAIMED: ("sending", "uncertain", 0),
    HALF: ("sending", "uncertain", 0), TAKEN: ("sending", "uncertain", 1), ANSWERED: ("sending", "uncertain", 1),
    KEPT: ("sent", "sent", 1),
}  # fmt: skip


@pytest.mark.parametrize("point", POINTS)
def test_the_outbox_sends_once_or_lists_the_mail_for_a_person(point, tmp_path):
    fate = asyncio.run(break_off(tmp_path / "study.sqlite", point))
    assert (fate.left, fate.status, fate.copies) == OURS[point]


@pytest.mark.parametrize(
    ("order", "point", "outcome"),
    [
        (RECORD_AFTER, HALF, "arrived once"), (RECORD_AFTER, TAKEN, "arrived twice"),
        (RECORD_AFTER, ANSWERED, "arrived twice"), (RECORD_AFTER, KEPT, "arrived once"),
        (RECORD_BEFORE, PREPARED, "arrived once"), (RECORD_BEFORE, CLAIMED, "lost, though noted as sent"),
        (RECORD_BEFORE, HALF, "lost, though noted as sent"), (RECORD_BEFORE, TAKEN, "arrived once"),
    ],
)  # fmt: skip
def test_the_simple_orders_double_or_lose_what_breaks_off_in_between(order, point, outcome, tmp_path):
    fate = asyncio.run(break_off(tmp_path / "study.sqlite", point, order))
    assert fate.outcome == outcome


def test_all_orders_break_off_at_the_same_points_and_the_same_seed_draws_the_same(tmp_path):
    frames = [asyncio.run(break_offs(tmp_path / f"{k}.sqlite", 15, np.random.default_rng(2))) for k in range(2)]
    assert frames[0].equals(frames[1])
    points = [list(frames[0].loc[frames[0]["order"] == order, "point"]) for order in ORDERS]
    assert points[0] == points[1] == points[2] and len(points[0]) == 15 and len(set(points[0])) > 3
    ours = frames[0][frames[0]["order"] == AT_MOST_ONCE]
    assert not ours["outcome"].isin(["arrived twice", "lost, though noted as sent"]).any()
