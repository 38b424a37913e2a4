"""Rule-based raters: what they read from a table, make of what they hear, propose, vote and say."""

import asyncio
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.choice import RULES, check_ballot
from support.roundtable.evidence import TASTE, Estimate, pool, read
from support.roundtable.movielens import AGENTS
from support.roundtable.raters import KINDS, facts, stated
from support.roundtable.records import (
    Candidate,
    Decision,
    Message,
    Round,
    View,
)
from support.roundtable.seats import seat_all
from support.roundtable.table import play

# ---- evidence --------------------------------------------------------------------------------------------------------

ESTIMATES = st.builds(Estimate, st.floats(1, 5), st.floats(0.05, 2))


@given(st.lists(ESTIMATES, min_size=1, max_size=4))
def test_property_a_pooled_estimate_lies_among_its_parts_and_is_surer_than_each(
    parts,
):
    value, error = pool(parts)
    values, errors = zip(*parts, strict=True)
    assert min(values) - 1e-9 <= value <= max(values) + 1e-9
    assert error <= min(errors) + 1e-12


def test_a_film_s_history_is_read_as_deviations_from_each_rater_s_own_mean(
    table,
):
    def deviation(*film):
        history = read(table(film=film).background("MovieHistory"))
        return history.facts["film deviation"]

    assert abs(deviation(*[(4, 4.0, 1)] * 50)) < 0.05
    assert deviation(*[(4, 3.0, 1)] * 50) > 0.8
    assert deviation(*[(5, 3.0, 0.95)] * 10, *[(1, 3.0, 0.3)] * 10) > 0.5
    assert deviation((5, 4.0, 1)) < deviation(*[(5, 4.0, 1)] * 100) < 1  # shrunk


def test_what_a_history_is_not_told_it_cannot_know(table):
    film = read(table().background("MovieHistory")).estimate
    alone = film({})
    told = film({"user mean": 2.5, "user error": 0.1})
    assert told.value == pytest.approx(alone.value - 1.0) and told.error < alone.error
    seen = [(5, ("War",))] * 20 + [(2, ("Comedy",))] * 20
    user = read(table(user=seen).background("UserHistory")).estimate
    alone = user({})
    told = user({"film deviation": -0.5, "film error": 0.1})
    assert told.value == pytest.approx(alone.value - 0.5) and told.error < alone.error
    comedy = user({"genre:Comedy": 1.0})
    war = user({"genre:War": 1.0})
    assert comedy.value + 0.3 < alone.value < war.value


def test_basic_info_tells_the_genres_and_an_empty_table_what_is_known_of_any(
    table,
):
    basic = read(table(genres=("War", "Drama")).background("BasicInfo"))
    assert basic.facts == {"genre:War": 1.0, "genre:Drama": 1.0}
    assert basic.estimate({}) == Estimate(3.5, pytest.approx(np.hypot(0.6, TASTE)))
    unsure = pytest.approx(np.sqrt(0.4**2 + 0.5**2 + TASTE**2))
    for agent, mean in (("MovieHistory", 3.2), ("UserHistory", 3.5)):
        nothing = read(table(film=(), user=()).background(agent)).estimate({})
        assert nothing == (pytest.approx(mean), unsure)


# ---- opinions --------------------------------------------------------------------------------------------------------


def rater(environment, kind="weighing", seed=0, opinion=None):
    rng = np.random.default_rng(seed)
    made = KINDS[kind](environment.background("MovieHistory"), rng, 0.0)
    if opinion is not None:
        made.opinion = made.before = opinion
    return made


def view(rule="majority", number=1, standing=None, before=(), **known):
    decision = standing and Decision("P1", standing, 1)
    past = (Round(1, before, (), (), (), None, (), "", decision),)
    history = past if number > 1 else ()
    form = RULES[rule].form
    return View(AGENTS[1], AGENTS, rule, form, "", number, 10, history, **known)


def said(sender, **claim):
    return Message(sender, (), "…", (), tuple(claim.items()))


SURE = (said("BasicInfo", estimate=1.5, error=0.3),)


def speak(agent, seen):
    return asyncio.run(agent.message(seen))


@pytest.mark.parametrize(("kind", "share"), [("weighing", 1.0), ("stubborn", 0.25)])
def test_an_opinion_goes_its_share_of_the_way_once_a_round(table, kind, share):
    agent = rater(table(), kind)
    heard = view(messages=SURE)
    start = agent.opinion
    goal = agent.target(heard)
    agent.reconsider(heard)
    agent.reconsider(heard)
    assert agent.opinion == pytest.approx(start + share * (goal - start))
    assert agent.before == start


NAN = float("nan")
INF = float("inf")


@pytest.mark.parametrize(
    ("claims", "expected"),
    [
        ([{"estimate": 3.0, "error": 0.4}], (3.0, 0.4)),
        (
            [
                {"estimate": 2.0, "error": 0.5},
                {"estimate": 3.0, "error": 0.4},
            ],
            (3.0, 0.4),
        ),
        ([{"estimate": 3.0, "error": -1.0}], (3.0, 0.7)),
        ([{"estimate": 3.0, "error": 1e-300}], (3.0, 0.01)),
        ([{"A": 0.8}], (2.0, 0.7)),
        ([{"estimate": NAN, "error": INF}], (2.0, 0.7)),
        ([{"estimate": 70.0, "error": 0.1}], (2.0, 0.7)),
    ],
)
def test_the_latest_claim_of_each_other_counts_or_else_the_proposal(
    table, claims, expected
):
    *before, now = [said("UserHistory", **claim) for claim in claims]
    own = said("MovieHistory", estimate=1.0, error=0.1, x=1.0)
    latest = (("UserHistory", 2.0), ("MovieHistory", 3.0))
    messages = {"before": tuple(before), "messages": (own, now)}
    seen = view(number=2, latest=latest, **messages)
    assert stated(seen, 0.7) == {"UserHistory": expected} and "x" not in facts(seen)
    assert 1 <= rater(table()).target(seen) <= 5


# ---- proposals and votes ---------------------------------------------------------------------------------------------


def choice(agent, rule, *values, **known):
    named = enumerate(values, start=1)
    listed = tuple(Candidate(f"P{i}", value, ()) for i, value in named)
    return asyncio.run(agent.vote(view(rule, candidates=listed, **known))).choice


def test_ballots_go_by_closeness_to_the_opinion(table):
    agent = rater(table(), opinion=3.0)
    values = (4.0, 3.1, 1.0)
    assert choice(agent, "ranked", *values) == ("P2", "P1", "P3")
    assert choice(agent, "rated", *values) == (
        ("P1", 2),
        ("P2", 5),
        ("P3", 1),
    )
    assert choice(agent, "cumulative", *values) == (
        ("P1", 1),
        ("P2", 2),
        ("P3", 0),
    )


@pytest.mark.parametrize(
    ("number", "values", "vote"),
    [
        (1, (3.0, 3.5), "P1"),
        (10, (3.0, 3.5), "P2"),
        (1, (3.4, 4.5), None),
        (10, (1.0, 4.5), None),
    ],
)
def test_a_single_vote_is_for_the_middle_within_a_tolerance_that_widens(
    table, number, values, vote
):
    latest = (
        ("BasicInfo", 3.5),
        ("MovieHistory", 3.0),
        ("UserHistory", 3.5),
    )
    known = {"number": number, "latest": latest}
    assert choice(rater(table(), opinion=3.0), "majority", *values, **known) == vote


# ---- talk ------------------------------------------------------------------------------------------------------------


def test_the_first_message_states_the_own_evidence_and_later_ones_the_news_of_it(
    table,
):
    speaker = rater(table())
    first = speak(speaker, view())
    own = speaker.own_estimate({})
    assert first.claim[:2] == (
        ("estimate", own.value),
        ("error", own.error),
    )
    assert f"{own.value:.1f} stars" in first.text
    told = said("UserHistory", **{"user mean": 2.0, "user error": 0.1})
    second = speak(speaker, view(number=2, before=(first, told)))
    assert "inform" in second.acts and dict(second.claim)["estimate"] < own.value - 1
    assert "inform" not in speak(speaker, view(number=2, before=(first,))).acts


APART = (("BasicInfo", 1.0), ("MovieHistory", 4.0))


@pytest.mark.parametrize(
    ("moved", "seen", "acts"),
    [
        (0.0, {}, "propose"),
        (0.0, {"latest": APART}, "evaluate decline defend"),
        (-0.3, {"latest": APART}, "evaluate decline compromise"),
        (0.3, {"latest": APART}, "evaluate decline propose"),
        (0.0, {"latest": (("BasicInfo", 4.0),)}, "evaluate accept"),
        (0.0, {"standing": 4.0}, "evaluate accept"),
        (
            0.0,
            {"standing": 2.0, "latest": APART[1:]},
            "evaluate decline defend",
        ),
    ],
)
def test_the_acts_follow_from_what_is_on_the_table(table, moved, seen, acts, performs):
    asides = {"confirm", "request", "summarize"}
    for seed in range(5):
        speaker = rater(table(), seed=seed, opinion=4.0)
        speaker.before = 4.0 - moved
        message = speak(speaker, view(number=2, **seen))
        assert set(message.acts) - asides == set(acts.split())
        assert performs("raters", message.text, message.acts)


def test_who_has_accepted_what_stands_does_not_judge_it_again_until_it_changes(
    table,
):
    speaker = rater(table(), opinion=4.0)
    judged = []
    for number, standing in enumerate((4.0, 4.0, 4.0, 3.9, 3.9, 4.0), start=2):
        acts = speak(speaker, view(number=number, standing=standing)).acts
        judged.append("accept" in acts)
    assert judged == [True, False, False, True, False, True]
    speaker.opinion = 2.0
    assert "decline" in speak(speaker, view(number=8, standing=4.0)).acts


def test_speaking_draws_nothing_from_the_stream_of_decisions_and_refuses_in_private(
    table,
):
    speaker = rater(table())
    offered = view(number=2, latest=(("BasicInfo", 1.0),))
    before = speaker.rng.bit_generator.state
    messages = [speak(speaker, offered) for _ in range(10)]
    assert len({message.text for message in messages}) > 1
    assert {message.recipients for message in messages} == {("BasicInfo",)}
    assert speaker.rng.bit_generator.state == before


@pytest.mark.parametrize("rule", ["majority", "rated", "ranked", "cumulative"])
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_plays_under_every_rule_performs_its_acts_and_quotes_no_row(
    table, kind, rule, performs
):
    rng = np.random.default_rng(0)
    environment = table()
    people = seat_all(environment, kind, rng)
    record = asyncio.run(play(environment, people, rule, rounds=4))
    row = re.compile(r"Film \d|artist|NY|Comedy|Drama|1990|1998")
    for one in record.rounds:
        assert not one.format_errors and all(1 <= p.value <= 5 for p in one.proposals)
        for ballot in one.ballots:
            check_ballot(rule, ballot.plain, [c.id for c in one.candidates])
        for message in one.messages:
            assert performs("raters", message.text, message.acts)
            assert bool(message.claim) == (kind != "random")  # which tells nothing
            assert not row.search(message.text)
