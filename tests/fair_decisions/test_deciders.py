"""Rule-based participants: true totals, comparisons and levels, and words that say no
more."""

import asyncio

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from support.fair_decisions.deciders import LEVELS, Own, RuleBasedDecider, satisfaction
from support.fair_decisions.problem import PREFERENCES, FairDecisions, table_of
from support.fair_decisions.records import Feedback

GAINS = np.array([[80, 10, 10], [50, 30, 20], [25, 30, 45]])
BEST, MIDDLE, WORST = (0, 0, 2), (0, 1, 1), (1, 2, 0)


def judged(*plans, feedback, gains=GAINS, preferences="scores"):
    table = table_of(FairDecisions([gains]), preferences)
    who = RuleBasedDecider("Ana", np.random.default_rng(0), Own(table, gains))
    return asyncio.run(who.judge(plans, feedback))


def test_a_score_is_the_true_total_and_a_comparison_the_larger_one():
    assert judged(MIDDLE, feedback="score") == Feedback("Ana", score=140)
    for plans, prefers in ((BEST, WORST), 0), ((WORST, BEST), 1), ((BEST, BEST), None):
        answer = Feedback("Ana", prefers=prefers, alike=prefers is None)
        assert judged(*plans, feedback="comparison") == answer


def test_words_state_a_level_of_each_decision_and_say_it_in_a_sentence():
    answer = judged(MIDDLE, feedback="words")
    assert answer.levels == ((0.9, 0.5, 0.5),) and answer.prefers is None
    assert answer.text == (
        "I love what is planned for Meal 1. "
        "I can live with what is planned for Meal 2 and Meal 3."
    )


def test_two_plans_are_compared_where_they_differ():
    answer = judged(BEST, MIDDLE, feedback="comparison in words")
    assert (answer.prefers, answer.alike) == (0, False)
    assert answer.levels == ((None, 0.7, 0.7), (None, 0.5, 0.5))
    assert answer.text.startswith("I prefer the first plan. I like what the first plan")
    assert "Meal 1" not in answer.text


shapes = st.tuples(st.integers(1, 5), st.integers(1, 6))
numbers = st.integers(0, 100)
drawn = shapes.flatmap(lambda shape: arrays(int, shape, elements=numbers))


@given(drawn, st.sampled_from(PREFERENCES))
def test_a_larger_gain_never_satisfies_less_and_equal_gains_satisfy_alike(gains, kind):
    if kind == "rankings":
        gains = gains.argsort(axis=1) + 1
    felt = satisfaction(gains, kind)
    assert ((felt >= 0) & (felt <= 1)).all()
    for row, own in zip(gains, felt, strict=True):
        order = np.argsort(row, kind="stable")
        assert (np.diff(own[order]) >= -1e-12).all()
        equal = np.diff(row[order]) == 0
        assert (own[order][1:] == own[order][:-1])[equal].all()


def test_satisfaction_by_hand():
    assert satisfaction(np.full((1, 4), 25), "scores") == pytest.approx(0.5)
    assert satisfaction(np.array([[100, 0, 0]]), "scores").tolist() == [[1, 0, 0]]
    ranked = satisfaction(np.array([[4, 1, 2, 3]]), "rankings")
    assert ranked == pytest.approx(np.array([[3, 0, 1, 2]]) / 3)


@given(st.lists(st.permutations(range(1, 5)), min_size=1, max_size=9), st.data())
def test_levels_are_those_that_are_said_and_leave_no_decision_out(ranked, data):
    gains, n = np.array(ranked), len(ranked)
    plan = tuple(data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)))
    answer = judged(plan, feedback="words", gains=gains, preferences="rankings")
    felt = gains[range(n), plan]
    [levels] = answer.levels
    assert np.greater_equal.outer(levels, levels)[np.greater.outer(felt, felt)].all()
    said = answer.text.split(". ")
    for j, level in enumerate(levels):
        [word] = [word for word, number in LEVELS.items() if number == level]
        [sentence] = [
            sentence for sentence in said if sentence.startswith(f"I {word} w")
        ]
        assert f"Meal {j + 1}" in sentence


def test_a_text_that_tells_points_or_the_total_is_noticed():
    own = Own(table_of(FairDecisions([GAINS]), "scores"), GAINS)
    assert own.disclosed("Meal 1 gives me 80 points.", [MIDDLE])
    assert own.disclosed("I have 140.", [MIDDLE])
    for text in ("Two of the three suit me.", "Meal 1 and 2 are 100 % fine."):
        assert not own.disclosed(text, [MIDDLE])
