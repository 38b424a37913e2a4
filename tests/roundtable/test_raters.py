"""Rule-based raters do what their docstrings say."""

import asyncio
from dataclasses import replace

import numpy as np
import pytest

from support.choice import RULES, check_ballot
from support.roundtable.evidence import Estimate
from support.roundtable.movielens import AGENTS
from support.roundtable.raters import KINDS, LENIENT, STRICT, facts, marks, stated
from support.roundtable.records import Candidate, Message, Round, View
from support.roundtable.seats import seat_all
from support.roundtable.table import as_choice, play


def rater(environment, kind="weighing", agent="MovieHistory", noise=0.0, seed=0):
    return KINDS[kind](environment.background(agent), np.random.default_rng(seed), noise)


def view(rule="plurality", me="MovieHistory", number=1, rounds=10, **known):
    return View(me, AGENTS, rule, RULES[rule].form, "", number, rounds, **known)


def said(sender, **claim):
    return Message(sender, ("MovieHistory",), "…", (), tuple(claim.items()))


def candidates(*values):
    return tuple(Candidate(f"P{i}", value, ()) for i, value in enumerate(values, 1))


def played(environment, seats, rule="majority", rounds=6, seed=0, **options):
    rng = np.random.default_rng(seed)
    return asyncio.run(play(environment, seat_all(environment, seats, rng, **options), rule, rounds=rounds))


# -- opinions -------------------------------------------------------------------------------------------------------


def test_an_opinion_starts_from_the_own_table_alone(table):
    liked, panned = (table(film=[(stars, 3.5, 0.9)] * 60) for stars in (5, 2))
    for kind in set(KINDS) - {"random"}:
        assert rater(liked, kind).opinion > 4.5 and rater(panned, kind).opinion < 2.6


def test_talk_matters_facts_change_what_the_own_table_says(table):
    agent = rater(table())
    before = agent.opinion
    heard = view(messages=(said("UserHistory", **{"user mean": 2.0, "user error": 0.1}),))
    agent.reconsider(heard)
    assert agent.opinion == pytest.approx(before - 1.5)


@pytest.mark.parametrize(("kind", "share"), [("weighing", 1.0), ("averaging", 0.5), ("stubborn", 0.25)])
def test_an_opinion_goes_its_share_of_the_way_once_a_round(table, kind, share):
    agent = rater(table(), kind)
    heard = view(messages=(said("BasicInfo", estimate=1.5, error=0.3),))
    start, goal = agent.opinion, agent.target(heard)
    agent.reconsider(heard)
    agent.reconsider(heard)
    assert agent.opinion == pytest.approx(start + share * (goal - start))
    assert agent.before == start


def test_the_surer_of_two_is_believed_more_but_not_by_who_averages(table):
    sure, unsure = (view(messages=(said("BasicInfo", estimate=1.5, error=e),)) for e in (0.2, 2.0))
    weighing, averaging = rater(table()), rater(table(), "averaging")
    assert weighing.target(sure) < weighing.target(unsure)
    assert averaging.target(sure) == averaging.target(unsure) == pytest.approx((averaging.opinion + 1.5) / 2)


def test_the_stubborn_and_the_overconfident_count_their_own_table_more(table):
    heard = view(messages=(said("BasicInfo", estimate=1.5, error=0.5),))
    targets = {kind: rater(table(), kind).target(heard) for kind in ("weighing", "stubborn", "overconfident")}
    assert targets["weighing"] < targets["stubborn"] == pytest.approx(targets["overconfident"])


def test_the_overconfident_state_half_their_error(table):
    modest, proud = (rater(table(), kind).own_estimate({}) for kind in ("weighing", "overconfident"))
    assert proud.error == pytest.approx(modest.error / 2) and proud.value == modest.value


def test_who_may_consult_the_recommender_is_drawn_to_its_word(table):
    without, with_it = rater(table()), rater(table(consult="MovieHistory"))
    assert without.opinion < with_it.opinion <= 4.9
    assert with_it.own_estimate({}).error < 0.1


def test_opinions_of_a_table_converge(table):
    environment = table()
    people = seat_all(environment, "averaging", np.random.default_rng(0), noise=0.0)
    first = [p.opinion for p in people.values()]
    asyncio.run(play(environment, people, "majority", rounds=10))
    assert np.ptp([p.opinion for p in people.values()]) < 0.1 * np.ptp(first)


# -- hearing --------------------------------------------------------------------------------------------------------


def test_the_latest_claim_of_each_other_agent_counts():
    old = Round(1, (said("BasicInfo", estimate=2.0, error=0.5, **{"genre:War": 1.0}),), (), (), (), None, (), "", None)
    seen = view(number=2, history=(old,), messages=(said("BasicInfo", estimate=3.0, error=0.4),))
    assert stated(seen, 1.0) == {"BasicInfo": Estimate(3.0, 0.4)}
    assert facts(replace(seen, messages=())) == {"genre:War": 1.0}


def test_nobody_hears_the_own_words(table):
    own = view(messages=(said("MovieHistory", estimate=1.0, error=0.1, **{"user mean": 1.0}),))
    assert not stated(own, 1.0) and not facts(own)


def test_of_who_claims_nothing_the_proposal_is_taken(table):
    seen = view(latest=(("BasicInfo", 2.0), ("MovieHistory", 3.0)))
    assert stated(seen, 0.7) == {"BasicInfo": Estimate(2.0, 0.7)}


# -- proposals and votes ----------------------------------------------------------------------------------------------


def test_an_opinion_is_proposed_in_tenths_and_again_only_when_it_has_changed(table):
    agent = rater(table())
    first = asyncio.run(agent.propose(view()))
    assert first.value == round(agent.opinion, 1)
    assert asyncio.run(agent.propose(view(number=2))) is None
    moved = asyncio.run(agent.propose(view(number=3, messages=(said("BasicInfo", estimate=1.0, error=0.1),))))
    assert moved.value < first.value


def test_the_hand_trembles_by_the_noise_and_stays_on_the_scale(table):
    def proposed(noise):
        agents = [rater(table(), noise=noise, seed=seed) for seed in range(60)]
        return [asyncio.run(agent.propose(view())).value for agent in agents]

    assert len(set(proposed(0.0))) == 1
    assert np.std(proposed(0.3)) == pytest.approx(0.3, rel=0.4)
    assert 1 <= min(proposed(9)) < 2 and max(proposed(9)) == 5


@pytest.mark.parametrize("kind", sorted(KINDS))
@pytest.mark.parametrize("rule", list(RULES))
def test_every_kind_plays_under_every_rule_with_valid_records(table, kind, rule):
    record = played(table(), kind, rule, rounds=4)
    assert not [e for r in record.rounds for e in r.format_errors]
    for r in record.rounds:
        assert all(1 <= p.value <= 5 for p in r.proposals)
        for ballot in r.ballots:
            check_ballot(rule, as_choice(ballot), [c.id for c in r.candidates])


def choice(agent, rule, *values, **known):
    return asyncio.run(agent.vote(view(rule, candidates=candidates(*values), **known))).choice


def test_ballots_go_by_closeness_to_the_opinion(table):
    agent = rater(table())
    agent.opinion = 3.0
    assert choice(agent, "ranked", 4.0, 3.1, 1.0) == ("P2", "P1", "P3")
    assert choice(agent, "rated", 4.0, 3.1, 1.0) == (("P1", 2), ("P2", 5), ("P3", 1))
    points = dict(choice(agent, "cumulative", 4.0, 3.1, 1.0))
    assert points["P2"] > points["P1"] > points["P3"] - 1 and sum(points.values()) == 3


def test_marks_fall_with_distance():
    assert marks(np.array([0.0, 0.1, 0.2, 0.4, 0.5, 1.0, 4.0])) == [5, 5, 4, 4, 3, 2, 1]


def test_a_single_vote_is_for_the_middle_within_a_tolerance_that_widens(table):
    agent = rater(table())
    agent.opinion = 3.0
    latest = (("BasicInfo", 3.5), ("MovieHistory", 3.0), ("UserHistory", 3.5))
    early, late = ({"number": n, "latest": latest} for n in (1, 10))
    assert (agent.tolerance(view(number=1)), agent.tolerance(view(number=10))) == (STRICT, pytest.approx(LENIENT))
    assert choice(agent, "majority", 3.0, 3.5, **early) == "P1"
    assert choice(agent, "majority", 3.0, 3.5, **late) == "P2"
    assert choice(agent, "majority", 3.4, 4.5, **early) is None
    assert choice(agent, "majority", 1.0, 4.5, **late) is None


def test_with_nothing_to_vote_on_everybody_abstains(table):
    for kind in KINDS:
        assert asyncio.run(rater(table(), kind).vote(view())).choice is None


def test_the_random_kind_tells_nothing_and_reads_nothing(table):
    record = played(table(), "random", rounds=8)
    assert not any(m.claim for r in record.rounds for m in r.messages)
    other = played(table(film=[(1, 4.0, 1)] * 50, user=[(1, ())] * 50), "random", rounds=8)
    assert [p.value for r in record.rounds for p in r.proposals] == [p.value for r in other.rounds for p in r.proposals]


def test_the_same_stream_gives_the_same_discussion(table):
    assert played(table(), "mixed", seed=3).rounds == played(table(), "mixed", seed=3).rounds
    assert played(table(), "mixed", seed=3, noise=0.3).rounds != played(table(), "mixed", seed=4, noise=0.3).rounds
