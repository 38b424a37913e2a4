"""Rule-based negotiators do what their docstrings say, believe what they heard, and perform the acts they record."""

from asyncio import run

import numpy as np
import pytest

from support.roundtable.economy import exchange_economy
from support.roundtable.negotiators import KINDS, beliefs
from support.roundtable.records import (
    Candidate,
    Decision,
    Message,
    Round,
    View,
)
from support.roundtable.rule_based import ASIDES
from support.roundtable.seats import seat_all
from support.roundtable.table import play

ECONOMY = exchange_economy()
ABC = ECONOMY.agents
EVEN = ECONOMY.even_split


def split(text):
    """An allocation, agent by agent."""
    return tuple(tuple(map(float, row.split())) for row in text.split("|"))


ALL = split("100 100 100|0 0 0|0 0 0")
NONE = split("0 0 0|50 50 50|50 50 50")
BEST = split("80 10 10|10 80 10|10 10 80")
GREEDY = split("90 90 90|5 5 5|5 5 5")


def said(text):
    """A message whose claim gives the first goods these exponents."""
    sender, *exponents = text.split()
    claim = zip("ABC", map(float, exponents), strict=False)
    return Message(sender, (), "", claim=tuple(claim))


CLAIMS = tuple(map(said, ("Ana .8 .1 .1", "Ben .1 .8 .1", "Cleo .1 .1 .8")))


def agent(kind, noise=0.0, seed=0):
    rng = np.random.default_rng(seed)
    return KINDS[kind](ECONOMY.background("Ana"), rng, noise)


def view(
    number=1,
    form="vote",
    values=(),
    standing=None,
    before=(),
    now=CLAIMS,
    latest=(),
):
    """What Ana sees; what stands was proposed by all."""
    named = enumerate(values, 1)
    listed = tuple(Candidate(f"P{i}", value, ("Ben",)) for i, value in named)
    decision = standing and Decision("P1", standing, 1)
    accepted = (Candidate("P1", standing, ABC),)
    past = Round(1, before, (), accepted, (), None, (), "", decision)
    known = (past,), now, (), listed, latest
    return View("Ana", ABC, "any", form, "", number, 10, *known)


def test_truthful_agents_reach_the_maximum_and_propose_no_plan_again():
    people = seat_all(ECONOMY, "truthful", np.random.default_rng(0), noise=0.0)
    first, second = run(play(ECONOMY, people, "unanimous", rounds=2)).rounds
    assert first.decision.value == BEST and len(first.proposals) == 3
    assert not second.proposals


def test_zero_intelligence_is_random_and_never_at_a_loss():
    stood = split("25 30 30|45 40 30|30 30 40")  # half of all draws are no loss
    ranked = set()
    for seed in range(50):
        who = agent("zero-intelligence", 0.5, seed)
        made = run(who.propose(view(standing=stood))).value
        assert who.share(made) >= who.share(stood) - 1e-9
        seen = view(form="ranking", values=[NONE, BEST, ALL], standing=BEST)
        ranked.add(run(who.vote(seen)).text)
    assert ranked == {"P2, P3, P1", "P3, P2, P1"}


CONCEDING = {"boulware": 0.2, "linear": 1.0, "conceder": 5.0}


@pytest.mark.parametrize("kind", CONCEDING)
def test_aspirations_are_those_of_faratin_and_plans_meet_them(kind):
    """1 - (1 - reservation) * t ** (1 / beta), with the even split as reservation; the others are treated alike."""
    who = agent(kind)
    for t in range(10):
        seen = view(t + 1)
        plan = who.plan(seen)
        faratin = 1 - (2 / 3) * (t / 9) ** (1 / CONCEDING[kind])
        assert who.aspiration(seen) == pytest.approx(faratin)
        assert faratin - 0.01 <= who.share(plan) <= faratin + 0.02  # in whole units
    _, ben, cleo = ECONOMY.utilities(plan)
    assert ben == pytest.approx(cleo, rel=0.02)


@pytest.mark.parametrize(
    ("kind", "number", "form", "values", "expected"),
    [
        # One vote: to the acceptable one that is kindest to the worst-off, or to none.
        ("linear", 10, "vote", [GREEDY, BEST, NONE], "P2"),
        ("boulware", 2, "vote", [BEST, ALL], "P2"),
        ("boulware", 2, "vote", [BEST], "abstained"),
        ("truthful", 1, "vote", [BEST, GREEDY, NONE], "P2"),
        ("zero-intelligence", 1, "ranking", [NONE], "abstained"),
        # Scored ballots state the own utilities.
        ("linear", 10, "ranking", [NONE, BEST, ALL], "P3, P2, P1"),
        ("linear", 10, "points", [NONE, BEST, ALL], "P1: 0, P2: 1, P3: 2"),
        ("linear", 10, "ratings", [NONE, BEST, ALL], "P1: 1, P2: 5, P3: 5"),
    ],
)
def test_a_ballot_follows_from_the_own_utilities(kind, number, form, values, expected):
    seen = view(number, form, values, EVEN)
    assert run(agent(kind).vote(seen)).text == expected


# ---- what it hears, and says ---------------------------------------------------------

SKEWED = (("Ben", split("10 10 10|60 30 10|30 60 80")),)
ASKED = [0.6, 0.3, 0.1]


@pytest.mark.parametrize(
    ("claims", "of_ben"),
    [
        (["Ben .05 .05 .8"], [0.05, 0.05, 0.8]),  # not scaled up
        (["Ben 80 10 10", "Ben"], [0.8, 0.1, 0.1]),
        (["Ben .8 .1 .1", "Ben .1 .8"], [0.1, 0.8, 0.1]),
        # What is no claim of all goods is none:
        (["Ana 0 0 1"], ASKED),
        (["Ben .1 .5 inf"], ASKED),
    ],
)
def test_a_claim_counts_more_than_a_proposal(claims, of_ben):
    *before, now = map(said, ["Cleo", *claims])
    seen = view(3, before=tuple(before), now=(now,), latest=SKEWED)
    own, bens, cleos = beliefs(seen, ECONOMY.background("Ana"))
    assert own.tolist() == [0.8, 0.1, 0.1]
    assert bens == pytest.approx(of_ben, abs=1e-4)
    assert cleos == pytest.approx(1 / 3)


BAD = split("0 10 10|10 80 10|90 10 80")
GOOD = split("100 90 90|0 10 10|0 0 0")


@pytest.mark.parametrize(
    ("number", "standing", "latest", "acts", "to"),
    [
        (1, None, {}, "inform request", "Ben Cleo"),
        (2, None, {"Cleo": BAD}, "evaluate decline propose", "Cleo"),
        (2, None, {"Cleo": BAD, "Ben": GOOD}, "evaluate accept", "Ben"),
        (2, None, {"Ana": GOOD, "Ben": BAD}, "evaluate decline compromise", "Ben"),
        (2, ALL, {}, "evaluate accept", "Ben Cleo"),
    ],
)
def test_acts_claim_and_recipients_follow_from_what_is_on_the_table(
    number, standing, latest, acts, to
):
    seen = view(number, standing=standing, now=(), latest=tuple(latest.items()))
    message = run(agent("linear").message(seen))
    assert message.recipients == tuple(to.split())
    assert {*acts.split()} <= {*message.acts} <= {*acts.split(), *ASIDES}
    assert message.claim == (CLAIMS[0].claim if number == 1 else ())
