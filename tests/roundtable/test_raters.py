"""Rule-based raters: what they read from a table, make of what they hear, propose, vote and say."""

import asyncio
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.choice import RULES, check_ballot
from support.roundtable.evidence import TASTE, Estimate, pool, read
from support.roundtable.movielens import AGENTS
from support.roundtable.raters import KINDS, LENIENT, STRICT, compose, facts, stated
from support.roundtable.records import Candidate, Decision, Message, Round, View
from support.roundtable.seats import seat_all
from support.roundtable.table import play

# ---- evidence --------------------------------------------------------------------------------------------------------


@given(
    st.lists(
        st.builds(Estimate, st.floats(1, 5), st.floats(0.05, 2)), min_size=1, max_size=4
    )
)
def test_property_a_pooled_estimate_lies_among_its_parts_and_is_surer_than_each(parts):
    value, error = pool(parts)
    assert (
        min(p.value for p in parts) - 1e-9
        <= value
        <= max(p.value for p in parts) + 1e-9
    )
    assert error <= min(p.error for p in parts) + 1e-12


def test_the_film_s_history_is_read_as_deviations_from_each_rater_s_own_mean_by_likeness(
    table,
):
    def deviation(*film):
        return read(table(film=film).background("MovieHistory")).deviation.value

    assert (
        deviation(*[(4, 4.0, 1)] * 50) == pytest.approx(0, abs=0.05)
        and deviation(*[(4, 3.0, 1)] * 50) > 0.8
    )
    assert deviation(*[(5, 3.0, 0.95)] * 10, *[(1, 3.0, 0.3)] * 10) > 0.5
    assert -0.3 < deviation((5, 4.0, 1)) < deviation(*[(5, 4.0, 1)] * 100) < 1


def test_what_a_history_is_not_told_it_cannot_know(table):
    film = read(table().background("MovieHistory"))
    alone, told = (
        film.estimate({}),
        film.estimate({"user mean": 2.5, "user error": 0.1}),
    )
    assert told.value == pytest.approx(alone.value - 1.0) and told.error < alone.error
    user = read(
        table(user=[(5, ("War",))] * 20 + [(2, ("Comedy",))] * 20).background(
            "UserHistory"
        )
    )
    alone, told = (
        user.estimate({}),
        user.estimate({"film deviation": -0.5, "film error": 0.1}),
    )
    assert (
        user.estimate({"genre:Comedy": 1.0}).value + 0.3
        < alone.value
        < user.estimate({"genre:War": 1.0}).value
    )
    assert told.value == pytest.approx(alone.value - 0.5) and told.error < alone.error


def test_basic_info_tells_the_genres_and_an_empty_table_what_is_known_of_any(table):
    basic = read(table(genres=("War", "Drama")).background("BasicInfo"))
    assert basic.facts == {"genre:War": 1.0, "genre:Drama": 1.0}
    assert basic.estimate({}) == Estimate(3.5, pytest.approx(np.hypot(0.6, TASTE)))
    film, user = (
        read(table(film=(), user=()).background(agent))
        for agent in ("MovieHistory", "UserHistory")
    )
    assert (film.estimate({}).value, user.estimate({}).value) == (
        pytest.approx(3.2),
        3.5,
    )
    for evidence in (film, user):
        assert evidence.estimate({}).error == pytest.approx(
            np.sqrt(0.4**2 + 0.5**2 + TASTE**2)
        )


# ---- opinions --------------------------------------------------------------------------------------------------------


def rater(environment, kind="weighing", seed=0):
    return KINDS[kind](
        environment.background("MovieHistory"), np.random.default_rng(seed), 0.0
    )


def view(rule="majority", number=1, standing=None, before=(), **known):
    decision = standing and Decision("P1", standing, 1)
    known = {
        "history": (Round(1, before, (), (), (), None, (), "", decision),)
        if number > 1
        else ()
    } | known
    return View("MovieHistory", AGENTS, rule, RULES[rule].form, "", number, 10, **known)


def said(sender, **claim):
    return Message(sender, (), "…", (), tuple(claim.items()))


def played(environment, kinds, rule="majority", rounds=6, seed=0, **options):
    people = seat_all(environment, kinds, np.random.default_rng(seed), **options)
    return asyncio.run(play(environment, people, rule, rounds=rounds))


@pytest.mark.parametrize(
    ("kind", "share"), [("weighing", 1.0), ("averaging", 0.5), ("stubborn", 0.25)]
)
def test_an_opinion_goes_its_share_of_the_way_once_a_round(table, kind, share):
    agent = rater(table(), kind)
    heard = view(messages=(said("BasicInfo", estimate=1.5, error=0.3),))
    start, goal = agent.opinion, agent.target(heard)
    agent.reconsider(heard)
    agent.reconsider(heard)
    assert (
        agent.opinion == pytest.approx(start + share * (goal - start))
        and agent.before == start
    )


def test_kinds_differ_in_whom_they_believe(table):
    sure, unsure = (
        view(messages=(said("BasicInfo", estimate=1.5, error=e),)) for e in (0.5, 2.0)
    )
    targets = {kind: rater(table(), kind).target(sure) for kind in KINDS}
    averaging, modest, proud = (
        rater(table(), kind) for kind in ("averaging", "weighing", "overconfident")
    )
    assert targets["weighing"] < modest.target(unsure)
    assert (
        averaging.target(sure)
        == averaging.target(unsure)
        == pytest.approx((averaging.opinion + 1.5) / 2)
    )
    assert (
        targets["weighing"]
        < targets["stubborn"]
        == pytest.approx(targets["overconfident"])
    )
    assert proud.own_estimate({}).error == pytest.approx(
        modest.own_estimate({}).error / 2
    )


def test_the_latest_claim_of_each_other_agent_counts_and_of_who_makes_none_the_proposal():
    before = (said("BasicInfo", estimate=2.0, error=0.5, **{"genre:War": 1.0}),)
    now = (
        said("BasicInfo", estimate=3.0, error=0.4),
        said("MovieHistory", estimate=1.0, error=0.1, x=1.0),
    )
    seen = view(
        number=2,
        before=before,
        messages=now,
        latest=(("UserHistory", 2.0), ("MovieHistory", 3.0)),
    )
    assert stated(seen, 0.7) == {
        "BasicInfo": Estimate(3.0, 0.4),
        "UserHistory": Estimate(2.0, 0.7),
    }
    assert facts(replace(seen, messages=())) == {"genre:War": 1.0} and facts(seen) == {}


# ---- proposals and votes ---------------------------------------------------------------------------------------------


def test_an_opinion_is_proposed_in_tenths_and_again_only_when_it_has_changed(table):
    agent = rater(table())
    first = asyncio.run(agent.propose(view()))
    assert (
        first.value == round(agent.opinion, 1)
        and asyncio.run(agent.propose(view(number=2))) is None
    )
    moved = asyncio.run(
        agent.propose(
            view(number=3, messages=(said("BasicInfo", estimate=1.0, error=0.1),))
        )
    )
    assert moved.value < first.value


@pytest.mark.parametrize("kind", sorted(KINDS))
@pytest.mark.parametrize("rule", ["majority", "rated", "ranked", "cumulative"])
def test_every_kind_plays_under_every_rule_with_valid_records(table, kind, rule):
    record = played(table(), kind, rule, rounds=4)
    assert not [e for r in record.rounds for e in r.format_errors]
    for r in record.rounds:
        assert all(1 <= p.value <= 5 for p in r.proposals)
        for ballot in r.ballots:
            check_ballot(rule, ballot.plain, [c.id for c in r.candidates])


def choice(agent, rule, *values, **known):
    listed = tuple(Candidate(f"P{i}", value, ()) for i, value in enumerate(values, 1))
    return asyncio.run(agent.vote(view(rule, candidates=listed, **known))).choice


def test_ballots_go_by_closeness_to_the_opinion(table):
    agent = rater(table())
    agent.opinion = 3.0
    assert choice(agent, "ranked", 4.0, 3.1, 1.0) == ("P2", "P1", "P3")
    assert choice(agent, "rated", 4.0, 3.1, 1.0) == (("P1", 2), ("P2", 5), ("P3", 1))
    points = dict(choice(agent, "cumulative", 4.0, 3.1, 1.0))
    assert points["P2"] > points["P1"] > points["P3"] - 1 and sum(points.values()) == 3


def test_a_single_vote_is_for_the_middle_within_a_tolerance_that_widens(table):
    agent = rater(table())
    agent.opinion = 3.0
    early, late = (
        {
            "number": n,
            "latest": (("BasicInfo", 3.5), ("MovieHistory", 3.0), ("UserHistory", 3.5)),
        }
        for n in (1, 10)
    )
    assert (agent.tolerance(view(number=1)), agent.tolerance(view(number=10))) == (
        STRICT,
        pytest.approx(LENIENT),
    )
    assert (
        choice(agent, "majority", 3.0, 3.5, **early),
        choice(agent, "majority", 3.0, 3.5, **late),
    ) == ("P1", "P2")
    assert (
        choice(agent, "majority", 3.4, 4.5, **early)
        is choice(agent, "majority", 1.0, 4.5, **late)
        is None
    )


def test_the_random_kind_tells_nothing_and_reads_nothing(table):
    record, other = (
        played(environment, "random", rounds=8)
        for environment in (
            table(),
            table(film=[(1, 4.0, 1)] * 50, user=[(1, ())] * 50),
        )
    )
    assert not any(m.claim for r in record.rounds for m in r.messages)
    assert [p.value for r in record.rounds for p in r.proposals] == [
        p.value for r in other.rounds for p in r.proposals
    ]


# ---- talk ------------------------------------------------------------------------------------------------------------


def test_the_first_message_states_the_own_evidence_and_later_ones_the_news_of_it(table):
    speaker = rater(table())
    first, own = compose(speaker, view()), speaker.own_estimate({})
    assert first.acts == ("inform", "request") and first.claim[:2] == (
        ("estimate", own.value),
        ("error", own.error),
    )
    assert (
        f"{own.value:.1f} stars" in first.text
        and "40 ratings of this film" in first.text
    )
    told = said("UserHistory", **{"user mean": 2.0, "user error": 0.1})
    second = compose(speaker, view(number=2, before=(first, told)))
    assert "inform" in second.acts and dict(second.claim)["estimate"] < own.value - 1
    assert "inform" not in compose(rater(table()), view(number=2, before=(first,))).acts


@pytest.mark.parametrize(
    ("moved", "seen", "acts"),
    [
        (0.0, {}, {"propose"}),
        (
            0.0,
            {"latest": (("BasicInfo", 1.0), ("MovieHistory", 4.0))},
            {"evaluate", "decline", "defend"},
        ),
        (
            -0.3,
            {"latest": (("BasicInfo", 1.0), ("MovieHistory", 4.0))},
            {"evaluate", "decline", "compromise"},
        ),
        (
            0.3,
            {"latest": (("BasicInfo", 1.0), ("MovieHistory", 4.0))},
            {"evaluate", "decline", "propose"},
        ),
        (0.0, {"latest": (("BasicInfo", 4.0),)}, {"evaluate", "accept"}),
        (0.0, {"standing": 4.0}, {"evaluate", "accept"}),
        (
            0.0,
            {"standing": 2.0, "latest": (("MovieHistory", 4.0),)},
            {"evaluate", "decline", "defend"},
        ),
    ],
)
def test_the_acts_follow_from_what_is_on_the_table(table, moved, seen, acts, performs):
    for seed in range(5):
        speaker = rater(table(), seed=seed)
        speaker.opinion, speaker.before = 4.0, 4.0 - moved
        message = compose(speaker, view(number=2, **seen))
        assert set(message.acts) - {"confirm", "request", "summarize"} == acts
        assert performs("raters", message.text, message.acts)


def test_who_has_accepted_what_stands_does_not_judge_it_again_until_it_changes(table):
    def seen(*standing):
        """The rounds before, each with what stood after it; the speaker accepted in the second."""
        accepted = (Message("MovieHistory", (), "…", ("accept",)),)
        decided = [Decision("P", value, n) for n, value in enumerate(standing, 1)]
        rounds = [
            Round(
                d.round, accepted if d.round == 2 else (), (), (), (), None, (), "", d
            )
            for d in decided
        ]
        return view(number=len(rounds) + 1, history=tuple(rounds))

    speaker = rater(table())
    speaker.opinion = speaker.before = 4.0
    for calm in (seen(4.0, 4.0), seen(4.0, 4.0, 4.0, 4.0)):
        for _ in range(10):
            acts = compose(speaker, calm).acts
            assert len(acts) == 1 and acts[0] in {"confirm", "request", "summarize"}
    for changed in (
        seen(4.0),
        seen(3.9, 4.0),
        seen(4.0, 4.0, 4.1),
    ):  # of the second, it accepted another one
        assert "accept" in compose(speaker, changed).acts
    speaker.opinion = 2.0
    assert "decline" in compose(speaker, seen(4.0, 4.0)).acts


def test_speaking_draws_nothing_from_the_stream_of_decisions_and_refuses_in_private(
    table,
):
    speaker = rater(table())
    before = speaker.rng.bit_generator.state
    words = {
        compose(speaker, view(number=2, latest=(("BasicInfo", 1.0),))).text
        for _ in range(10)
    }
    assert len(words) > 1 and speaker.rng.bit_generator.state == before
    assert compose(
        speaker, view(number=2, latest=(("UserHistory", 1.0),))
    ).recipients == ("UserHistory",)
    assert compose(speaker, view(number=2, standing=1.0)).recipients == (
        "BasicInfo",
        "UserHistory",
    )


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_in_a_discussion_every_message_performs_its_acts_and_quotes_no_row(
    table, kind, performs
):
    messages = [m for r in played(table(), kind).rounds for m in r.messages]
    assert len(messages) == 18
    for message in messages:
        assert performs("raters", message.text, message.acts), message
        assert bool(message.claim) == (kind != "random")
        assert not re.search(r"Film \d|artist|NY|Comedy|Drama|1990|1998", message.text)
