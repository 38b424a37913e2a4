"""Rule-based participants: true totals, comparisons and levels, and words that say no
more."""

import asyncio

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.fair_decisions.deciders import LEVELS, Own, RuleBasedDecider, satisfaction
from support.fair_decisions.problem import FairDecisions, table_of
from support.fair_decisions.records import Feedback

GAINS = np.array([[80, 10, 10], [50, 30, 20], [25, 30, 45]])
BEST, MIDDLE, WORST = (0, 0, 2), (0, 1, 1), (1, 2, 0)


def judged(plans, feedback, gains=GAINS, preferences="scores"):
    own = Own(table_of(FairDecisions([gains]), preferences), gains)
    who = RuleBasedDecider("Ana", np.random.default_rng(0), own)
    return asyncio.run(who.judge(plans, feedback))


IN_WORDS = (
    "I prefer the first plan. I like what the first plan has for Meal 2 and Meal 3. "
)
IN_WORDS += "I can live with what the second plan has for Meal 2 and Meal 3."


@pytest.mark.parametrize(
    ("plans", "feedback", "answer"),
    [
        ([MIDDLE], "score", {"score": 140}),
        ([WORST, BEST], "comparison", {"prefers": 1}),
        ([BEST, BEST], "comparison", {"alike": True}),
        (
            [BEST, MIDDLE],
            "comparison in words",
            {
                "prefers": 0,
                "levels": ((None, 0.7, 0.7), (None, 0.5, 0.5)),
                "text": IN_WORDS,
            },
        ),
    ],
)
def test_it_answers_truly_and_of_two_plans_where_they_differ(plans, feedback, answer):
    assert judged(plans, feedback) == Feedback("Ana", **answer)


def test_an_equal_share_is_half_satisfaction_and_a_rank_the_share_that_it_beats():
    assert satisfaction(np.array([[100, 0, 0]]), "scores").tolist() == [[1, 0, 0]]
    assert satisfaction(np.full((1, 4), 25), "scores") == pytest.approx(0.5)
    assert satisfaction(np.array([[3, 1, 2]]), "rankings").tolist() == [[1, 0, 0.5]]


menus = st.lists(st.permutations(range(1, 6)), min_size=1, max_size=9)


@given(menus, st.sampled_from([("scores", 6), ("rankings", 1)]), st.integers(0, 4))
def test_more_is_never_liked_less_and_every_decision_is_spoken_of(menu, kind, k):
    preferences, unit = kind
    gains = np.array(menu) * unit
    answer = judged([(k,) * len(menu)], "words", gains, preferences)
    [levels] = answer.levels
    assert [levels[j] for j in gains[:, k].argsort()] == sorted(levels)
    assert {*levels} <= {*LEVELS.values()}
    assert all(f"Meal {j + 1}" in answer.text for j in range(len(menu)))
