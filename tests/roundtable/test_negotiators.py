"""Rule-based negotiators do what their docstrings say, believe what they heard, and perform the acts they record."""

import asyncio
from dataclasses import replace
from string import Formatter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.choice import RULES, check_ballot
from support.english import wordings
from support.roundtable.economy import Background, exchange_economy
from support.roundtable.negotiators import (
    KINDS,
    Boulware,
    Conceder,
    Linear,
    Truthful,
    ZeroIntelligence,
    beliefs,
    compose,
)
from support.roundtable.records import Ballot, Candidate, Decision, Message, Round, View
from support.roundtable.seats import seat_all
from support.roundtable.table import play

ECONOMY = exchange_economy()
ABC = ECONOMY.agents
ALL = ((100.0,) * 3, (0.0,) * 3, (0.0,) * 3)
NONE = ((0.0,) * 3, (50.0,) * 3, (50.0,) * 3)
BEST = ((80.0, 10.0, 10.0), (10.0, 80.0, 10.0), (10.0, 10.0, 80.0))
GREEDY = ((90.0, 90.0, 90.0), (5.0, 5.0, 5.0), (5.0, 5.0, 5.0))


def said(sender, *weights):
    return Message(sender, ("Ana",), "…", claim=tuple(zip("ABC", weights, strict=True)))


CLAIMS = tuple(
    said(agent, *weights) for agent, weights in zip(ABC, ECONOMY.weights, strict=True)
)


def agent(kind, noise=0.0, seed=0, economy=ECONOMY):
    return kind(economy.background("Ana"), np.random.default_rng(seed), noise)


def view(
    number=1,
    form="vote",
    values=(),
    standing=None,
    messages=CLAIMS,
    latest=(),
    rounds=10,
    before=(),
):
    listed = tuple(
        Candidate(f"P{i}", value, ("Ben",)) for i, value in enumerate(values, start=1)
    )
    decision = standing and Decision("P1", standing, 1)
    history = (
        (Round(1, before, (), (), (), None, (), "", decision),)
        if standing or before
        else ()
    )
    return View(
        "Ana",
        ABC,
        "any",
        form,
        "",
        number,
        rounds,
        history,
        messages,
        (),
        listed,
        latest,
    )


def vote(who, seen):
    return asyncio.run(who.vote(seen)).choice


def propose(who, seen):
    return asyncio.run(who.propose(seen))


# ---- all kinds -------------------------------------------------------------------------------------------------------


@given(
    st.sampled_from(sorted(KINDS)),
    st.sampled_from(list(RULES)),
    st.lists(
        st.sampled_from([BEST, ALL, NONE, GREEDY, ECONOMY.even_split]), unique=True
    ),
    st.floats(0, 1),
    st.integers(0, 99),
)
def test_property_a_proposal_is_an_allocation_and_a_ballot_has_the_form_of_its_rule(
    kind, rule, values, noise, seed
):
    seen = replace(
        view(number=5, form=RULES[rule].form, values=values, standing=BEST), rule=rule
    )
    who = agent(KINDS[kind], noise=noise, seed=seed)
    made, choice = propose(who, seen), vote(who, seen)
    assert ECONOMY.validate(made.value) == made.value
    assert np.asarray(made.value).sum(axis=0).tolist() == [100.0] * 3
    checked = check_ballot(
        rule, Ballot("Ana", choice).plain, [c.id for c in seen.candidates]
    )
    assert (checked is None) == (choice is None) and (values or choice is None)


def test_a_plan_that_has_not_changed_is_not_proposed_again():
    who = agent(Truthful, noise=0.1)
    made = [
        propose(who, view(number=1)),
        propose(who, view(number=2)),
        propose(who, view(number=3, messages=())),
    ]
    assert [proposal is None for proposal in made] == [False, True, False]


# ---- zero intelligence -----------------------------------------------------------------------------------------------


@settings(max_examples=30)
@given(st.integers(0, 999), st.sampled_from(["sum_to_one", "printed"]))
def test_property_zero_intelligence_never_proposes_a_loss(seed, exponents):
    who = agent(
        ZeroIntelligence,
        noise=0.5,
        seed=seed,
        economy=exchange_economy(exponents=exponents),
    )
    stood = (
        (25.0, 30.0, 30.0),
        (45.0, 40.0, 30.0),
        (30.0, 30.0, 40.0),
    )  # half of all draws are no loss
    assert (
        who.share(propose(who, view(standing=stood)).value) >= who.share(stood) - 1e-9
    )


def test_zero_intelligence_votes_at_random_for_what_is_no_loss_and_ranks_a_loss_last():
    def cast(form):
        seen = view(form=form, values=[NONE, BEST, ALL], standing=BEST)
        return [vote(agent(ZeroIntelligence, seed=seed), seen) for seed in range(60)]

    assert set(cast("vote")) == {"P2", "P3"} and 15 < cast("vote").count("P2") < 45
    assert set(cast("ranking")) == {("P2", "P3", "P1"), ("P3", "P2", "P1")}


# ---- concession ------------------------------------------------------------------------------------------------------


def test_aspirations_are_those_of_faratin_and_others():
    """1 - (1 - reservation) * t ** (1 / beta), with the even split as reservation."""
    for kind, beta in ((Boulware, 0.2), (Linear, 1.0), (Conceder, 5.0)):
        path = [agent(kind).aspiration(view(number=r)) for r in range(1, 11)]
        assert path == pytest.approx(
            [1 - (2 / 3) * (t / 9) ** (1 / beta) for t in range(10)]
        )
        assert agent(kind).aspiration(view(rounds=1)) == 1.0


@pytest.mark.parametrize("kind", [Boulware, Linear, Conceder])
def test_a_plan_meets_the_aspiration_is_efficient_and_treats_the_others_alike(kind):
    theta = np.asarray(ECONOMY.weights)
    for number in range(1, 11):
        who, seen = agent(kind), view(number=number)
        plan = who.plan(seen)
        assert (
            who.aspiration(seen) - 1e-6
            <= who.share(plan)
            <= who.aspiration(seen) + 0.02
        )
        rates = (theta / np.maximum(plan, 1e-12))[plan.min(axis=1) > 1e-3]
        assert rates / rates[:, :1] == pytest.approx(
            np.broadcast_to(rates[0] / rates[0, 0], rates.shape)
        )
        assert ECONOMY.utilities(plan)[1] == pytest.approx(ECONOMY.utilities(plan)[2])


def test_one_vote_goes_to_the_acceptable_candidate_that_is_kindest_to_the_worst_off_or_to_none():
    assert vote(agent(Linear), view(number=10, values=[GREEDY, BEST, NONE])) == "P2"
    assert (
        vote(agent(Boulware), view(number=2, values=[BEST, ECONOMY.even_split])) is None
    )
    assert vote(agent(Boulware), view(number=2, values=[BEST, ALL])) == "P2"


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("ranking", ("P3", "P2", "P1")),
        ("points", (("P1", 0), ("P2", 1), ("P3", 2))),
        ("ratings", (("P1", 1), ("P2", 5), ("P3", 5))),
    ],
)
def test_scored_ballots_state_the_own_utilities(form, expected):
    assert (
        vote(agent(Linear), view(number=10, form=form, values=[NONE, BEST, ALL]))
        == expected
    )


# ---- truthful --------------------------------------------------------------------------------------------------------


def test_truthful_agents_reach_the_maximum_when_all_plan_alike_and_vote_for_what_they_like_best():
    people = seat_all(ECONOMY, "truthful", np.random.default_rng(0), noise=0.0)
    record = asyncio.run(play(ECONOMY, people, "unanimous", rounds=1))
    assert (
        record.outcome.value == BEST and record.rounds[0].candidates[0].proposers == ABC
    )
    assert vote(agent(Truthful), view(values=[BEST, GREEDY, NONE])) == "P2"


# ---- beliefs ---------------------------------------------------------------------------------------------------------

SKEWED = ((10.0, 10.0, 10.0), (60.0, 30.0, 10.0), (30.0, 60.0, 80.0))
KNOWN = Background("Ana", ABC, ("A", "B", "C"), (0.8, 0.15, 0.05))


@pytest.mark.parametrize(
    ("before", "now", "latest", "of_ben"),
    [
        ((), (), (), [1 / 3] * 3),
        ((), (), (("Ben", SKEWED),), [0.6, 0.3, 0.1]),
        ((said("Ben", 0.1, 0.1, 0.8),), (), (("Ben", SKEWED),), [0.1, 0.1, 0.8]),
        ((), (said("Ben", 0.05, 0.05, 0.8),), (), [0.05, 0.05, 0.8]),  # not scaled up
        (
            (said("Ben", 0.8, 0.1, 0.1),),
            (said("Ben", 0.1, 0.8, 0.1),),
            (),
            [0.1, 0.8, 0.1],
        ),
        (
            (said("Ben", 0.8, 0.1, 0.1),),
            (Message("Ben", (), "B!"),),
            (),
            [0.8, 0.1, 0.1],
        ),
        ((said("Ben", 0, 0, 0),), (), (), [1 / 3] * 3),
        ((said("Ana", 0.0, 0.0, 1.0),), (), (), [1 / 3] * 3),
    ],
)
def test_a_claim_counts_more_than_a_proposal_and_the_own_exponents_are_known(
    before, now, latest, of_ben
):
    seen = view(3, before=before, messages=now, latest=latest)
    assert beliefs(seen, KNOWN)[:2] == pytest.approx(
        np.array([[0.8, 0.15, 0.05], of_ben]), abs=1e-4
    )


# ---- talk ------------------------------------------------------------------------------------------------------------

ACTS = {
    "inform",
    "request",
    "confirm",
    "summarize",
    "evaluate",
    "propose",
    "compromise",
    "defend",
    "accept",
    "decline",
}
SLOTS = {
    "negotiators": {
        "me",
        "other",
        "favourite",
        "weight",
        "mine",
        "offer",
        "standing",
        "share",
    },
    "raters": {
        "me",
        "other",
        "source",
        "own",
        "error",
        "mine",
        "offer",
        "gap",
        "standing",
    },
}
BAD_FOR_ANA = ((0.0, 10.0, 10.0), (10.0, 80.0, 10.0), (90.0, 10.0, 80.0))
AS_ASKED_NOW = ((95.0, 85.0, 85.0), (5.0, 15.0, 0.0), (0.0, 0.0, 15.0))
GOOD_FOR_ANA = ((100.0, 90.0, 90.0), (0.0, 10.0, 10.0), (0.0, 0.0, 0.0))


def test_every_act_of_the_paper_but_others_has_wordings_with_known_slots_and_none_is_held_out_and_said():
    tables = {
        (who, held): wordings(f"roundtable/{who}", held)
        for who in SLOTS
        for held in (False, True)
    }
    for (who, held_out), table in tables.items():
        assert set(table) == ACTS and min(map(len, table.values())) >= (
            3 if held_out else 5
        )
        texts = [text for act in table.values() for text in act]
        assert {
            slot for text in texts for _, slot, *_ in Formatter().parse(text) if slot
        } <= SLOTS[who]
    sentences = [
        text for table in tables.values() for texts in table.values() for text in texts
    ]
    assert len(set(sentences)) == len(sentences)


def test_the_first_message_states_the_exponents_in_words_and_as_a_claim():
    message = compose(agent(Linear), view(messages=()))
    assert (message.acts, message.recipients) == (
        ("inform", "request"),
        ("Ben", "Cleo"),
    )
    assert (
        message.claim == tuple(zip("ABC", ECONOMY.weights[0], strict=True))
        and "good A" in message.text
    )


@pytest.mark.parametrize(
    ("seen", "acts"),
    [
        ({}, {"propose"}),
        ({"latest": (("Ben", BAD_FOR_ANA),)}, {"evaluate", "decline", "propose"}),
        (
            {"latest": (("Ana", GOOD_FOR_ANA), ("Ben", BAD_FOR_ANA))},
            {"evaluate", "decline", "compromise"},
        ),
        ({"latest": (("Ben", GOOD_FOR_ANA),)}, {"evaluate", "accept"}),
        (
            {"latest": (("Ana", ECONOMY.even_split),)},
            {"propose"},
        ),  # it asks for more than before
        ({"standing": ALL}, {"evaluate", "accept"}),
        (
            {"standing": BAD_FOR_ANA, "latest": (("Ana", BAD_FOR_ANA),)},
            {"evaluate", "decline", "propose"},
        ),
        (
            {"standing": BAD_FOR_ANA, "latest": (("Ana", AS_ASKED_NOW),)},
            {"evaluate", "decline", "defend"},
        ),
    ],
)
def test_the_acts_follow_from_what_is_on_the_table(seen, acts, performs):
    for seed in range(5):
        message = compose(agent(Linear, seed=seed), view(2, messages=(), **seen))
        assert set(message.acts) - {"confirm", "request", "summarize"} == acts
        assert performs("negotiators", message.text, message.acts)


def test_a_refusal_goes_to_the_agent_whose_offer_it_is():
    assert compose(
        agent(Linear), view(2, latest=(("Cleo", BAD_FOR_ANA),))
    ).recipients == ("Cleo",)
    assert compose(agent(Linear), view(2, standing=BAD_FOR_ANA)).recipients == (
        "Ben",
        "Cleo",
    )
