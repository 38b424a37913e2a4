"""Rule-based raters: what they read from a table, make of what they hear, propose, vote and say."""

from asyncio import run

import numpy as np
import pytest

from support.roundtable.evidence import Estimate, pool, read
from support.roundtable.movielens import AGENTS
from support.roundtable.raters import KINDS, stated
from support.roundtable.records import (
    Candidate,
    Decision,
    Message,
    Round,
    View,
)


def test_a_history_is_a_shrunken_mean_of_so_many_ratings(table):
    """Nine ratings with a noise of 0.9 weigh 9 / 0.81 = 11.11, the prior of a user
    1 / 0.4^2 = 6.25, that of a film 1 / 0.5^2 = 4: the user's mean is
    (11.11 * 2 + 6.25 * 3.5) / 17.36 = 2.54, its error 17.36 ** -0.5 = 0.24, and the
    film's deviation 11.11 * 0.5 / 15.11 = 25 / 68."""
    rated = table(film=[(5, 4.5, 1)] * 9, user=[(2, "War")] * 9)
    user = read(rated.background("UserHistory")).facts
    assert user == pytest.approx({"user mean": 2.54, "user mean error": 0.24})
    film = read(rated.background("MovieHistory")).facts
    assert film["film deviation"] == pytest.approx(25 / 68)


def rater(environment, kind="weighing"):
    background = environment.background("MovieHistory")
    return KINDS[kind](background, np.random.default_rng(0), noise=0.0)


def view(number=2, form="vote", standing=None, before=(), **known):
    """What MovieHistory sees."""
    decision = standing and Decision("P1", standing, 1)
    past = Round(1, before, (), (), (), None, (), "", decision)
    return View(AGENTS[1], AGENTS, "any", form, "", number, 10, (past,), **known)


def said(**claim):
    return Message("UserHistory", (), "", claim=tuple(claim.items()))


@pytest.mark.parametrize(
    ("kind", "share", "times"),
    [
        ("weighing", 1.0, 1),
        ("stubborn", 0.25, 4),
    ],
)
def test_an_opinion_goes_its_share_of_the_way_to_the_pool(table, kind, share, times):
    agent = rater(table(), kind)
    own = agent.own_estimate({})
    agent.plan(view(messages=(said(estimate=1.5, error=0.3),)))
    goal = pool([own] * times + [Estimate(1.5, 0.3)])
    way = goal.value - own.value
    assert agent.opinion == pytest.approx(own.value + share * way)
    assert agent.before == own.value


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ({"estimate": 3.0, "error": 0.4}, (3.0, 0.4)),
        ({"estimate": 3.0, "error": 1e-300}, (3.0, 0.7)),
        ({"estimate": 70.0}, (2.0, 0.7)),
    ],
)
def test_the_latest_claim_of_each_other_counts_or_else_the_proposal(claim, expected):
    latest = (("UserHistory", 2.0), ("MovieHistory", 3.0))
    talk = {"before": (said(estimate=1.0),), "messages": (said(**claim),)}
    heard = stated(view(latest=latest, **talk), 0.7)
    assert heard == {"UserHistory": expected}


@pytest.mark.parametrize(
    ("number", "form", "values", "ballot"),
    [
        # One vote: to the nearest to the middle within a tolerance that widens.
        (10, "vote", [3.0, 3.5], "P2"),
        (1, "vote", [3.4, 4.5], "abstained"),
        # Marks: by closeness to the opinion.
        (1, "ratings", [4.0, 3.1, 1.0], "P1: 2, P2: 5, P3: 1"),
    ],
)
def test_a_ballot_follows_from_the_opinion(table, number, form, values, ballot):
    voter = rater(table())
    voter.opinion = 3.0
    named = enumerate(values, 1)
    listed = tuple(Candidate(f"P{i}", value, ()) for i, value in named)
    known = {"candidates": listed, "latest": (("UserHistory", 3.5),)}
    assert run(voter.vote(view(number, form, **known))).text == ballot


AGAINST = {"latest": (("BasicInfo", 1.0), ("MovieHistory", 4.0))}


@pytest.mark.parametrize(
    ("before", "seen", "acts"),
    [
        (4.0, {}, "propose"),
        (4.0, AGAINST, "evaluate decline defend"),
        (4.3, AGAINST, "evaluate decline compromise"),
        (4.0, {"latest": (("BasicInfo", 4.0),)}, "evaluate accept"),
    ],
)
def test_the_acts_follow_from_what_is_on_the_table(table, before, seen, acts):
    speaker = rater(table())
    speaker.opinion, speaker.before = 4.0, before
    decides = speaker.rng.bit_generator.state
    message = run(speaker.message(view(**seen)))
    assert " ".join(message.acts).startswith(acts)
    assert speaker.rng.bit_generator.state == decides  # words have their own stream
