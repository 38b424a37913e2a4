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


@pytest.mark.parametrize(
    ("plans", "feedback", "answer"),
    [
        ([MIDDLE], "score", {"score": 140}),
        ([BEST, WORST], "comparison", {"prefers": 0}),
        ([WORST, BEST], "comparison", {"prefers": 1}),
        ([BEST, BEST], "comparison", {"alike": True}),
        (
            [MIDDLE],
            "words",
            {
                "levels": ((0.9, 0.5, 0.5),),
                "text": "I love what is planned for Meal 1. "
                "I can live with what is planned for Meal 2 and Meal 3.",
            },
        ),
        (
            [BEST, MIDDLE],
            "comparison in words",
            {
                "prefers": 0,
                "levels": ((None, 0.7, 0.7), (None, 0.5, 0.5)),
                "text": "I prefer the first plan. "
                "I like what the first plan has for Meal 2 and Meal 3. "
                "I can live with what the second plan has for Meal 2 and Meal 3.",
            },
        ),
    ],
)
def test_it_answers_truly_and_of_two_plans_where_they_differ(plans, feedback, answer):
    assert judged(plans, feedback) == Feedback("Ana", **answer)


def test_satisfaction_by_hand():
    assert satisfaction(np.full((1, 4), 25), "scores") == pytest.approx(0.5)
    assert satisfaction(np.array([[100, 0, 0]]), "scores").tolist() == [[1, 0, 0]]
    ranked = satisfaction(np.array([[4, 1, 2, 3]]), "rankings")
    assert ranked == pytest.approx(np.array([[3, 0, 1, 2]]) / 3)


menus = st.lists(st.permutations(range(1, 6)), min_size=1, max_size=9)


@given(menus, st.sampled_from(["scores", "rankings"]), st.integers(0, 4))
def test_more_is_never_liked_less_and_every_decision_is_spoken_of(menu, kind, k):
    gains = np.array(menu) * (1 if kind == "rankings" else 6)
    answer = judged([(k,) * len(menu)], "words", gains, kind)
    [levels] = answer.levels
    by_gain = [level for _, level in sorted(zip(gains[:, k], levels, strict=True))]
    assert by_gain == sorted(levels) and {*levels} <= {*LEVELS.values()}
    for j in range(len(menu)):
        assert f"Meal {j + 1}" in answer.text
