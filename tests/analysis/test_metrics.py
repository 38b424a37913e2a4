"""The metrics of RoundTable on transcripts whose numbers can be worked out by hand."""

from dataclasses import replace
from math import nan

import pytest

from support.analysis.metrics import (
    run_metrics,
)
from support.roundtable.economy import ExchangeEconomy
from support.roundtable.mechanism import MECHANISMS, Mechanism, Propose, Vote
from support.roundtable.records import Decision, Proposal, Round, Transcript

# Two agents, two goods, each wants one good only: U_max is 200.
ECONOMY = ExchangeEconomy(((1.0, 0.0), (0.0, 1.0)))


def worth(ana, ben):
    """The allocation that is worth so much to Ana and to Ben."""
    return ((ana, 100.0 - ben), (100.0 - ana, ben))


NOTHING = worth(0.0, 0.0)
LOW = worth(40.0, 20.0)
HALF = worth(50.0, 50.0)
SKEW = worth(100.0, 20.0)
BEST = worth(100.0, 100.0)


def transcript(*standing, proposals=None):
    """What stood after each round (None: nothing yet), and {round: {agent: value}}."""
    rounds, since = [], None
    for number, value in enumerate(standing, start=1):
        if value and not (since and since.value == value):
            since = Decision(f"P{number}", value, number)
        own = (proposals or {}).get(number, {})
        made = tuple(Proposal(*one) for one in own.items())
        rounds.append(Round(number, (), made, (), (), None, (), "", since))
    seats = dict.fromkeys(ECONOMY.agents, "stub")
    return Transcript(ECONOMY.spec(), "majority", seats, tuple(rounds))


NEVER = transcript(*[None] * 10)
RISING = transcript(None, LOW, LOW, HALF, HALF, SKEW, BEST, BEST, BEST, SKEW)


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        (RISING, {"utility@3": 30, "utility@5": 50, "utility@10": 60}),
        (RISING, {"auc@3": 60 / 3, "auc@5": 160 / 5, "auc@10": 580 / 10}),
        (RISING, {"min_max": 20, "rigidity": 50}),
        (NEVER, {"utility@10": 0, "auc@10": 0, "min_max": nan, "rigidity": 100}),
        (transcript(None, HALF), {"utility@10": 50, "auc@10": 450 / 10}),
        (transcript(*[HALF] * 10, BEST, BEST), {"utility@10": 50, "auc@10": 50}),
        (transcript(NOTHING), {"min_max": nan, "rigidity": 100}),
        # another decision of the same total
        (transcript(LOW, worth(20.0, 40.0)), {"rigidity": 50}),
    ],
)
def test_metrics_by_hand(record, expected):
    found = run_metrics(record)
    assert found | expected == pytest.approx(found, nan_ok=True)


@pytest.mark.parametrize(
    ("standing", "proposals", "expected"),
    [
        # whatever brings something
        ([None] * 10, {1: {"Ana": HALF, "Ben": NOTHING}, 2: {"Ben": LOW}}, 2 / 20),
        # HALF does not stand yet when round 1 proposes: Ana 50 > 0, then 100 > 50. In
        # round 3 her 100 is no more than 100, Ben's 50 more than 20.
        (
            [HALF, *[SKEW] * 9],
            {1: {"Ana": HALF}, 2: {"Ana": SKEW}, 3: {"Ana": BEST, "Ben": HALF}},
            3 / 20,
        ),
        # the chances of the rounds that were played
        ([None, HALF], {1: {"Ana": HALF}}, 1 / 4),
    ],
)
def test_a_proposal_is_rational_when_it_beats_what_stood_for_its_proposer(
    standing, proposals, expected
):
    found = run_metrics(transcript(*standing, proposals=proposals))
    assert found["rationality"] == pytest.approx(100 * expected)


def test_rounds_that_were_not_played_are_worth_nothing_known_where_no_decision_lasts(
    monkeypatch,
):
    fleeting = Mechanism("fleeting", (Propose(), Vote()), lasting=False)
    monkeypatch.setitem(MECHANISMS, fleeting.name, fleeting)
    stages = [[1, fleeting.name, "majority"]]
    record = replace(transcript(HALF, BEST, HALF), settings={"stages": stages})
    expected = {"utility@3": 50, "utility@5": nan, "utility@10": nan, "auc@10": nan}
    found = run_metrics(record)
    assert found | expected == pytest.approx(found, nan_ok=True)
