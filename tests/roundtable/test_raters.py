"""Rule-based raters: what they read from a table, make of what they hear, propose, vote and say."""

import asyncio

import numpy as np
import pytest

from support.choice import RULES, check_ballot
from support.roundtable.evidence import Estimate, expected, pool, read
from support.roundtable.movielens import AGENTS
from support.roundtable.raters import KINDS, stated
from support.roundtable.records import Candidate, Decision, Message, Round, View
from support.roundtable.rule_based import claims
from support.roundtable.seats import seat_all
from support.roundtable.table import play


def test_a_history_is_a_shrunken_mean_of_so_many_ratings(table):
    """Nine ratings with a noise of 0.9 weigh 9 / 0.81, the prior 1 / 0.4^2 or 1 / 0.5^2."""
    rated = table(film=[(5, 4.5, 1)] * 9, user=[(2, "War")] * 9)
    user = read(rated.background("UserHistory")).facts
    weight = 9 / 0.81 + 1 / 0.4**2
    mean = (2 * 9 / 0.81 + 3.5 / 0.4**2) / weight
    assert user == pytest.approx({"user mean": mean, "user mean error": weight**-0.5})
    film = read(rated.background("MovieHistory")).facts["film deviation"]
    assert film == pytest.approx(0.5 * 9 / 0.81 / (9 / 0.81 + 1 / 0.5**2))
    unlike = [(4, 4.0, 0.9)] * 40 + [(1, 5.0, 0.1)] * 60
    film = read(table(film=unlike).background("MovieHistory")).facts
    assert film["film deviation"] == 0  # only the forty most alike count


def test_what_a_table_does_not_say_has_to_be_heard(table):
    known = table().background("UserHistory").priors
    nothing = expected(known, {})
    assert nothing == (3.5, pytest.approx(np.sqrt(0.4**2 + 0.5**2 + 0.2**2)))
    for agent in ("MovieHistory", "UserHistory"):
        empty = table(film=(), user=()).background(agent)
        assert expected(known, read(empty).facts) == nothing
    user = {"user mean": 2.5, "user mean error": 0.1}
    film = {"film deviation": -0.5, "film deviation error": 0.1}
    assert expected(known, user | film) == (2.0, pytest.approx(0.06**0.5))


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


def speak(agent, seen):
    return asyncio.run(agent.message(seen))


@pytest.mark.parametrize(
    ("kind", "share", "times"), [("weighing", 1.0, 1), ("stubborn", 0.25, 4)]
)
def test_an_opinion_goes_its_share_of_the_way_to_the_pool(table, kind, share, times):
    agent = rater(table(), kind)
    heard = view(messages=(said("BasicInfo", estimate=1.5, error=0.3),))
    start, own = agent.opinion, agent.own_estimate({})
    goal = pool([own] * times + [Estimate(1.5, 0.3)]).value
    agent.plan(heard)
    assert agent.opinion == pytest.approx(start + share * (goal - start))
    assert agent.before == start


def test_who_may_consult_pools_the_recommender_s_word_with_its_own(table):
    asks = rater(table(consult="MovieHistory")).own_estimate({})
    alone = rater(table()).own_estimate({})
    assert asks == pool([alone, Estimate(4.9, 0.1)])


NAN = float("nan")


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ([{"estimate": 2.0}, {"estimate": 3.0, "error": 0.4}], (3.0, 0.4)),
        ([{"estimate": 3.0, "error": -1.0}], (3.0, 0.7)),
        ([{"estimate": 3.0, "error": 1e-300}], (3.0, 0.7)),
        ([{"estimate": NAN, "error": 0.1}], (2.0, 0.7)),
        ([{"estimate": 70.0}], (2.0, 0.7)),
    ],
)
def test_the_latest_claim_of_each_other_counts_or_else_the_proposal(told, expected):
    *before, now = [said("UserHistory", **claim) for claim in told]
    latest = (("UserHistory", 2.0), ("MovieHistory", 3.0))
    seen = view(number=2, latest=latest, before=tuple(before), messages=(now,))
    assert stated(seen, 0.7) == {"UserHistory": expected}


def choice(agent, rule, *values, **known):
    named = enumerate(values, start=1)
    listed = tuple(Candidate(f"P{i}", value, ()) for i, value in named)
    return asyncio.run(agent.vote(view(rule, candidates=listed, **known))).choice


def test_marks_go_by_closeness_to_the_opinion(table):
    marks = choice(rater(table(), opinion=3.0), "rated", 4.0, 3.1, 1.0)
    assert marks == (("P1", 2), ("P2", 5), ("P3", 1))


@pytest.mark.parametrize(
    ("number", "values", "vote"),
    [(10, (3.0, 3.5), "P2"), (1, (3.4, 4.5), None)],
)
def test_a_single_vote_is_for_the_middle_within_a_tolerance_that_widens(
    table, number, values, vote
):
    voter = rater(table(), opinion=3.0)
    latest = tuple(zip(AGENTS, (3.5, 3.0, 3.5), strict=True))
    assert choice(voter, "majority", *values, number=number, latest=latest) == vote


def test_a_message_states_the_own_evidence_and_later_the_news_of_it(table):
    speaker = rater(table())
    first = speak(speaker, view())
    assert dict(first.claim)["estimate"] == speaker.own_estimate({}).value
    told = said("UserHistory", **{"user mean": 2.0, "user mean error": 0.1})
    heard = view(number=2, before=(first, told))
    second = speak(speaker, heard)
    news = speaker.own_estimate(claims(heard)).value
    assert "inform" in second.acts and dict(second.claim)["estimate"] == news
    assert "inform" not in speak(speaker, view(number=2, before=(first,))).acts


APART = (("BasicInfo", 1.0), ("MovieHistory", 4.0))


@pytest.mark.parametrize(
    ("moved", "seen", "acts"),
    [
        (0.0, {}, "propose"),
        (0.0, {"latest": APART}, "evaluate decline defend"),
        (-0.3, {"latest": APART}, "evaluate decline compromise"),
        (0.0, {"latest": (("BasicInfo", 4.0),)}, "evaluate accept"),
        (0.0, {"standing": 2.0}, "evaluate decline propose"),
    ],
)
def test_the_acts_follow_from_what_is_on_the_table(table, moved, seen, acts, performs):
    speaker = rater(table(), opinion=4.0)
    speaker.before = 4.0 - moved
    decides = speaker.rng.bit_generator.state
    message = speak(speaker, view(number=2, **seen))
    assert [*message.acts][: len(acts.split())] == acts.split()
    assert performs("raters", message.text, message.acts)
    assert speaker.rng.bit_generator.state == decides  # words have their own stream


def test_who_has_accepted_an_offer_does_not_judge_it_again_until_it_changes(table):
    speaker = rater(table(), opinion=4.0)
    judged = []
    for standing in (4.0, 4.0, 3.9, 3.9, 2.0, 4.0):
        acts = speak(speaker, view(number=2, standing=standing)).acts
        judged += [act for act in acts if act in ("accept", "decline")] or [None]
    assert judged == ["accept", None, "accept", None, "decline", "accept"]


@pytest.mark.parametrize("rule", ["majority", "rated", "ranked", "cumulative"])
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_plays_under_every_rule_and_performs_its_acts(
    table, kind, rule, performs
):
    people = seat_all(table(), kind, np.random.default_rng(0))
    record = asyncio.run(play(table(), people, rule, rounds=4))
    for one in record.rounds:
        assert not one.format_errors and all(1 <= p.value <= 5 for p in one.proposals)
        for ballot in one.ballots:
            check_ballot(rule, ballot.plain, [c.id for c in one.candidates])
        for message in one.messages:
            assert performs("raters", message.text, message.acts)
            assert bool(message.claim) == (kind != "random")  # which tells nothing
