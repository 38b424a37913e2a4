"""The metrics of RoundTable on transcripts whose numbers can be worked out by hand."""

import asyncio
from math import isnan, nan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.analysis.metrics import (
    METRICS,
    curves_of,
    even_split,
    run_metrics,
    runs_of,
    total_utility,
)
from support.roundtable.economy import ExchangeEconomy, exchange_economy
from support.roundtable.records import Decision, Proposal, Round, Transcript
from support.roundtable.seats import seat_all
from support.roundtable.table import play
from support.runs.study import Unit

# Two agents, two goods, each wants one good only: utility is the amount of the favourite, U_max is 200.
ECONOMY = ExchangeEconomy(((1.0, 0.0), (0.0, 1.0)))
WORST = ((0.0, 100.0), (100.0, 0.0))  # 0 + 0
LOW = ((40.0, 80.0), (60.0, 20.0))  # 40 + 20: 30 %
HALF = ((50.0, 50.0), (50.0, 50.0))  # 50 + 50: 50 %
SKEW = ((100.0, 80.0), (0.0, 20.0))  # 100 + 20: 60 %
BEST = ((100.0, 0.0), (0.0, 100.0))  # 100 + 100: 100 %
HELPFUL = ((0.0, 0.0), (100.0, 100.0))  # 0 + 100


def transcript(*standing, proposals=None, economy=ECONOMY):
    """A discussion given by what stood after each round (None: nothing yet) and {round: {agent: value}}."""
    proposals, rounds, since = proposals or {}, [], None
    for number, value in enumerate(standing, start=1):
        if value is not None and (since is None or since.value != value):
            since = Decision(f"P{number}", value, number)
        made = tuple(Proposal(a, v) for a, v in proposals.get(number, {}).items())
        rounds.append(Round(number, (), made, (), (), None, (), "", since))
    return Transcript(
        economy.spec(), "majority", dict.fromkeys(economy.agents, "stub"), tuple(rounds)
    )


def unit(repetition=0, settings='{"rule": "a"}'):
    return Unit("s", settings, repetition)


NEVER = transcript(*[None] * 10)
ONCE = transcript(*[None] * 3, *[HALF] * 7)
RISING = transcript(None, LOW, LOW, HALF, HALF, SKEW, BEST, BEST, BEST, SKEW)


def test_the_total_is_a_share_of_the_maximum_and_zero_before_the_first_decision():
    assert total_utility(RISING) == pytest.approx(
        [0, 30, 30, 50, 50, 60, 100, 100, 100, 60]
    )
    assert (
        len(total_utility(transcript(None, HALF))) == 2
        and len(total_utility(RISING, 3)) == 3
    )


UNDECIDED = dict.fromkeys(
    ("utility@3", "utility@5", "utility@10", "auc@3", "auc@5", "auc@10"), 0.0
)


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        (
            RISING,
            {
                "utility@3": 30,
                "utility@5": 50,
                "utility@10": 60,
                "min_max": 20,
                "rigidity": 50,
            },
        ),
        (
            RISING,
            {"auc@3": 60 / 3, "auc@5": 160 / 5, "auc@10": 580 / 10},
        ),  # divided once
        (NEVER, UNDECIDED | {"min_max": nan, "rationality": 0, "rigidity": 100}),
        (
            transcript(None, HALF),
            {"utility@3": 50, "utility@10": 50, "auc@3": 100 / 3, "auc@10": 450 / 10},
        ),
        (transcript(*[HALF] * 10, BEST, BEST), {"utility@10": 50, "auc@10": 50}),
        (transcript(BEST, LOW), {"min_max": 50}),
        (transcript(HELPFUL), {"min_max": 0}),
        (transcript(WORST, WORST), {"min_max": nan, "rigidity": 100}),
        (transcript(HALF, BEST), {"rigidity": 0}),
        (
            transcript(LOW, ((20.0, 60.0), (80.0, 40.0))),
            {"rigidity": 50},
        ),  # another decision of the same total
        (ONCE, {"rigidity": 90}),
    ],
)
def test_metrics_by_hand(record, expected):
    found = run_metrics(record)
    assert {name: found[name] for name in expected} == pytest.approx(
        expected, nan_ok=True
    )


EVERYBODY = {r: {"Ana": HALF, "Ben": HALF} for r in range(1, 11)}
LATER = {1: {"Ana": HALF}, 2: {"Ana": SKEW}, 3: {"Ana": BEST, "Ben": HALF}}


@pytest.mark.parametrize(
    ("standing", "proposals", "expected"),
    [
        (
            [None] * 10,
            {1: {"Ana": HALF, "Ben": WORST}, 2: {"Ben": LOW}},
            2 / 20,
        ),  # whatever brings something
        # HALF is accepted in round 1: it does not yet stand when that round proposes. Ana 50 > 0 and 100 > 50 in
        # rounds 1 and 2; in round 3 Ana's 100 is no more than 100, Ben's 50 more than 20.
        ([HALF, *[SKEW] * 9], LATER, 3 / 20),
        ([None] * 10, EVERYBODY, 1),
        (
            [None] * 10,
            {1: EVERYBODY[1]},
            0.1,
        ),  # over all chances, so that silence lowers it
        (
            [None, HALF],
            {1: {"Ana": HALF}},
            0.25,
        ),  # the chances of the rounds that were played
    ],
)
def test_a_proposal_is_rational_when_it_beats_what_stood_for_its_proposer(
    standing, proposals, expected
):
    assert run_metrics(transcript(*standing, proposals=proposals))[
        "rationality"
    ] == pytest.approx(100 * expected)


def test_frames_hold_settings_metrics_and_the_share_undecided(store):
    settings = '{"rule": "a", "seats": ["x", "y"]}'
    for repetition, record in enumerate([NEVER, ONCE, RISING, transcript(BEST)]):
        store.add(unit(repetition, settings), record)
    runs, curves = runs_of(store.records("s")), curves_of(store.records("s"))
    assert list(runs.columns) == ["rule", "seats", "repetition", *METRICS]
    assert runs["seats"].tolist() == ['["x", "y"]'] * 4 and len(curves) == 40
    assert curves.groupby("round")["undecided"].mean().tolist() == [
        0.75,
        0.5,
        0.5,
        *[0.25] * 7,
    ]


def test_an_even_split_is_a_yardstick_where_an_environment_has_one():
    assert even_split(ECONOMY) == pytest.approx(50)
    assert even_split(object()) is None


@settings(max_examples=20)
@given(
    st.sampled_from(["majority", "rated", "unanimous"]),
    st.sampled_from(["zero-intelligence", "mixed"]),
    st.sampled_from(["sum_to_one", "printed"]),
    st.integers(1, 4),
)
def test_property_every_metric_lies_between_0_and_100(rule, seats, exponents, rounds):
    economy = exchange_economy(exponents=exponents)
    record = asyncio.run(
        play(
            economy,
            seat_all(economy, seats, np.random.default_rng(rounds)),
            rule,
            rounds=rounds,
        )
    )
    found = run_metrics(record)
    assert set(found) == set(METRICS)
    for name in METRICS:
        assert isnan(found[name]) == (name == "min_max" and record.outcome is None)
        assert isnan(found[name]) or -1e-9 <= found[name] <= 100 + 1e-6
