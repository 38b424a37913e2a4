"""Rule-based negotiators do what their docstrings say, believe what they heard, and perform the acts they record."""

from asyncio import run
from string import Formatter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.choice import RULES, check_ballot
from support.english import wordings
from support.roundtable.economy import Background, exchange_economy
from support.roundtable.negotiators import KINDS, beliefs
from support.roundtable.records import (
    Ballot,
    Candidate,
    Decision,
    Message,
    Round,
    View,
)
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


def said(sender, *weights):
    return Message(sender, ("Ana",), "…", claim=tuple(zip("ABC", weights, strict=True)))


CLAIMS = tuple(map(said, ABC, *zip(*ECONOMY.weights, strict=True)))


def agent(kind, noise=0.0, seed=0, exponents="sum_to_one"):
    economy = exchange_economy(exponents=exponents)
    rng = np.random.default_rng(seed)
    return KINDS[kind](economy.background("Ana"), rng, noise)


def view(number=1, form="vote", values=(), standing=None, before=(), **known):
    named = enumerate(values, start=1)
    listed = tuple(Candidate(f"P{i}", value, ("Ben",)) for i, value in named)
    decision = standing and Decision("P1", standing, 1)
    past = (Round(1, before, (), (), (), None, (), "", decision),)
    history = past if standing or before else ()
    known = {"messages": CLAIMS, "candidates": listed, "rounds": 10} | known
    return View("Ana", ABC, "any", form, "", number, history=history, **known)


def vote(who, seen):
    return run(who.vote(seen)).choice


@given(
    st.sampled_from(sorted(KINDS)),
    st.sampled_from(list(RULES)),
    st.lists(st.sampled_from([BEST, ALL, NONE, GREEDY, EVEN]), unique=True),
    st.floats(0, 1),
    st.integers(0, 99),
)
def test_property_a_proposal_is_an_allocation_and_a_ballot_has_the_form_of_its_rule(
    kind, rule, values, noise, seed
):
    seen = view(number=5, form=RULES[rule].form, values=values, standing=BEST)
    who = agent(kind, noise, seed)
    made = run(who.propose(seen)).value
    choice = vote(who, seen)
    assert ECONOMY.validate(made) == made
    assert np.sum(made, axis=0).tolist() == [100.0] * 3
    ids = [candidate.id for candidate in seen.candidates]
    check_ballot(rule, Ballot("Ana", choice).plain, ids)
    assert values or choice is None


def test_a_plan_that_has_not_changed_is_not_proposed_again():
    who = agent("truthful", noise=0.1)
    seen = [view(number=1), view(number=2), view(number=3, messages=())]
    assert [run(who.propose(one)) is None for one in seen] == [
        False,
        True,
        False,
    ]


# ---- how the kinds differ --------------------------------------------------------------------------------------------


@settings(max_examples=30)
@given(st.integers(0, 999), st.sampled_from(["sum_to_one", "printed"]))
def test_property_zero_intelligence_never_proposes_a_loss(seed, exponents):
    who = agent("zero-intelligence", 0.5, seed, exponents)
    # Half of all draws are no loss against this one.
    stood = split("25 30 30|45 40 30|30 30 40")
    made = run(who.propose(view(standing=stood))).value
    assert who.share(made) >= who.share(stood) - 1e-9


def test_zero_intelligence_votes_at_random_for_what_is_no_loss_and_ranks_a_loss_last():
    def cast(form):
        seen = view(form=form, values=[NONE, BEST, ALL], standing=BEST)
        kind = "zero-intelligence"
        return {vote(agent(kind, seed=seed), seen) for seed in range(30)}

    assert cast("vote") == {"P2", "P3"}
    assert cast("ranking") == {("P2", "P3", "P1"), ("P3", "P2", "P1")}


CONCEDING = {"boulware": 0.2, "linear": 1.0, "conceder": 5.0}


@pytest.mark.parametrize("kind", CONCEDING)
def test_aspirations_are_those_of_faratin_and_plans_meet_them(kind):
    """1 - (1 - reservation) * t ** (1 / beta), with the even split as reservation; the others are treated alike."""
    for t in range(10):
        who = agent(kind)
        seen = view(number=t + 1)
        aspiration = who.aspiration(seen)
        plan = who.plan(seen)
        share = who.share(plan)
        faratin = 1 - (2 / 3) * (t / 9) ** (1 / CONCEDING[kind])
        assert aspiration == pytest.approx(faratin)
        assert aspiration - 0.01 <= share <= aspiration + 0.02  # in whole units
    _, ben, cleo = ECONOMY.utilities(plan)
    assert ben == pytest.approx(cleo, rel=0.02)


def test_one_vote_goes_to_the_acceptable_candidate_kindest_to_the_worst_off_or_to_none():
    late = {"number": 10}
    early = {"number": 2}
    assert vote(agent("linear"), view(values=[GREEDY, BEST, NONE], **late)) == "P2"
    assert vote(agent("boulware"), view(values=[BEST, EVEN], **early)) is None
    assert vote(agent("boulware"), view(values=[BEST, ALL], **early)) == "P2"


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("ranking", ("P3", "P2", "P1")),
        ("points", (("P1", 0), ("P2", 1), ("P3", 2))),
        ("ratings", (("P1", 1), ("P2", 5), ("P3", 5))),
    ],
)
def test_scored_ballots_state_the_own_utilities(form, expected):
    seen = view(number=10, form=form, values=[NONE, BEST, ALL])
    assert vote(agent("linear"), seen) == expected


def test_truthful_agents_reach_the_maximum_and_vote_for_what_they_like_best():
    people = seat_all(ECONOMY, "truthful", np.random.default_rng(0), noise=0.0)
    record = run(play(ECONOMY, people, "unanimous", rounds=1))
    assert record.outcome.value == BEST
    assert vote(agent("truthful"), view(values=[BEST, GREEDY, NONE])) == "P2"


# ---- beliefs ---------------------------------------------------------------------------------------------------------

SKEWED = (("Ben", split("10 10 10|60 30 10|30 60 80")),)
KNOWN = Background("Ana", ABC, ("A", "B", "C"), (0.8, 0.15, 0.05))
THIRDS = [1 / 3] * 3
NAN = float("nan")
INF = float("inf")


@pytest.mark.parametrize(
    ("claims", "latest", "of_ben"),
    [
        ([], (), THIRDS),
        ([], SKEWED, [0.6, 0.3, 0.1]),
        ([said("Ben", 0.1, 0.1, 0.8)], SKEWED, [0.1, 0.1, 0.8]),
        (
            [said("Ben", 0.05, 0.05, 0.8)],
            (),
            [0.05, 0.05, 0.8],
        ),  # not scaled up
        (
            [said("Ben", 0.8, 0.1, 0.1), said("Ben", 0.1, 0.8, 0.1)],
            (),
            [0.1, 0.8, 0.1],
        ),
        (
            [said("Ben", 80, 10, 10), Message("Ben", (), "B!")],
            (),
            [0.8, 0.1, 0.1],
        ),
        ([said("Ben", -5, 1, 1)], (), [0, 0.5, 0.5]),
        # What is no claim of all goods is none:
        ([said("Ben", 0, 0, 0)], (), THIRDS),
        (
            [said("Ana", 0.0, 0.0, 1.0), said("Zoe", 0.0, 0.0, 1.0)],
            (),
            THIRDS,
        ),
        ([said("Ben", NAN, 0.5, INF)], SKEWED, [0.6, 0.3, 0.1]),
        (
            [Message("Ben", (), "", claim=(("A", 0.9),))],
            SKEWED,
            [0.6, 0.3, 0.1],
        ),
    ],
)
def test_a_claim_counts_more_than_a_proposal_whoever_makes_it(claims, latest, of_ben):
    *before, now = [Message("Cleo", (), ""), *claims]
    seen = view(3, before=tuple(before), messages=(now,), latest=latest)
    expected = np.array([[0.8, 0.15, 0.05], of_ben])
    assert beliefs(seen, KNOWN)[:2] == pytest.approx(expected, abs=1e-4)


# ---- talk ------------------------------------------------------------------------------------------------------------

SLOTS = {
    "negotiators": "me other favourite weight mine offer standing share",
    "raters": "me other source own error mine offer gap standing",
}
BAD = split("0 10 10|10 80 10|90 10 80")
GOOD = split("100 90 90|0 10 10|0 0 0")
AS_ASKED = split("95 85 85|5 15 0|0 0 15")


@pytest.mark.parametrize("who", SLOTS)
def test_each_of_ten_acts_has_wordings_with_known_slots(who):
    kept = wordings(f"roundtable/{who}")
    assert len(kept) == 10
    texts = [text for texts in kept.values() for text in texts]
    assert len(set(texts)) == len(texts)
    parsed = [part for text in texts for part in Formatter().parse(text)]
    assert {slot for _, slot, *_ in parsed if slot} <= set(SLOTS[who].split())


def test_the_first_message_states_the_exponents_in_words_and_as_a_claim():
    message = run(agent("linear").message(view(messages=())))
    assert message.acts == ("inform", "request")
    assert message.recipients == ("Ben", "Cleo")
    assert message.claim == CLAIMS[0].claim and "good A" in message.text


@pytest.mark.parametrize(
    ("standing", "latest", "acts", "to"),
    [
        (None, {}, "propose", "Ben Cleo"),
        (None, {"Cleo": BAD}, "evaluate decline propose", "Cleo"),
        (
            None,
            {"Ana": GOOD, "Ben": BAD},
            "evaluate decline compromise",
            "Ben",
        ),
        (None, {"Ben": GOOD}, "evaluate accept", "Ben"),
        (
            None,
            {"Ana": EVEN},
            "propose",
            "Ben Cleo",
        ),  # it asks for more than before
        (ALL, {}, "evaluate accept", "Ben Cleo"),
        (BAD, {"Ana": BAD}, "evaluate decline propose", "Ben Cleo"),
        (BAD, {"Ana": AS_ASKED}, "evaluate decline defend", "Ben Cleo"),
    ],
)
def test_acts_and_recipients_follow_from_what_is_on_the_table(
    standing, latest, acts, to, performs
):
    offers = tuple(latest.items())
    seen = view(2, messages=(), standing=standing, latest=offers)
    for seed in range(5):
        message = run(agent("linear", seed=seed).message(seen))
        assert message.recipients == tuple(to.split())
        asides = {"confirm", "request", "summarize"}
        assert set(message.acts) - asides == set(acts.split())
        assert performs("negotiators", message.text, message.acts)
