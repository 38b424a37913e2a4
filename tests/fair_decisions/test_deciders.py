"""Rule-based participants: true scores, comparisons, and words that tell what is felt, without a number."""

import asyncio
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from support.errors import InvalidInput
from support.fair_decisions.deciders import (
    MOST,
    STYLES,
    Own,
    RuleBasedDecider,
    checked_words,
    satisfaction,
    tell,
    together,
    vocabularies,
)
from support.fair_decisions.problem import PREFERENCES, Table
from support.fair_decisions.reader import compared
from support.fair_decisions.records import Feedback

GAINS = np.array([[80, 10, 10], [50, 30, 20], [25, 30, 45]])
BEST, MIDDLE, WORST = (0, 0, 2), (0, 1, 1), (1, 2, 0)
SEEDS = st.integers(0, 2**32 - 1)


@pytest.fixture(scope="session")
def decider(sit):
    def seat(style="plain", noise=0.0, gains=GAINS):
        return RuleBasedDecider(
            "Ana",
            np.random.default_rng(0),
            Own(sit(*np.shape(gains)), gains, noise),
            style,
        )

    return seat


def judged(who, *plans, feedback):
    return asyncio.run(who.judge(plans, feedback))


def test_a_score_is_the_true_total_and_a_comparison_the_larger_one(decider):
    assert judged(decider(noise=2.0), MIDDLE, feedback="score") == Feedback(
        "Ana", score=140
    )
    for plans, prefers in [
        ((BEST, WORST), 0),
        ((WORST, BEST), 1),
        ((BEST, BEST), None),
    ]:
        answer = judged(decider(), *plans, feedback="comparison")
        assert answer == Feedback("Ana", prefers=prefers, alike=prefers is None)
    flat = decider(noise=1.0, gains=np.full((2, 2), 50))
    assert judged(flat, (0, 1), (1, 1), feedback="comparison") == Feedback(
        "Ana", alike=True
    )


@pytest.mark.parametrize("noise", [0.25, 1.0])
def test_a_noisy_comparison_errs_with_a_logistic_chance_in_the_difference(
    decider, noise
):
    who, draws = decider(noise=noise), 1000
    difference, unit = 175 - 140, (70 + 30 + 20) / 3
    chance = 1 / (1 + np.exp(difference / (noise * unit)))

    async def often():
        return [await who.judge((BEST, MIDDLE), "comparison") for _ in range(draws)]

    wrong = sum(answer.prefers for answer in asyncio.run(often())) / draws
    assert wrong == pytest.approx(
        chance, abs=4 * np.sqrt(chance * (1 - chance) / draws)
    )


@pytest.mark.parametrize("style", STYLES)
@given(seed=SEEDS, n=st.integers(1, 12))
@example(
    seed=209527, n=2
)  # the less bad of two bad plans, which it would "much rather avoid"
@example(seed=692, n=9)
@settings(max_examples=20)
def test_two_plans_are_compared_in_forty_words_and_the_better_one_is_heard(
    decider, sit, style, seed, n
):
    rng, table = np.random.default_rng(seed), sit(n)
    gains, (one, other) = (
        rng.integers(0, 60, (n, 3)),
        rng.integers(3, size=(2, n)).tolist(),
    )
    who = decider(style, gains=gains)
    text = judged(who, tuple(one), tuple(other), feedback="comparison in words").text
    assert checked_words(text, table) == text
    first, second, _ = compared(text, tuple(one), tuple(other), table)
    assert np.sign(second - first) == np.sign(
        np.subtract(*who.own.totals([other, one]))
    )


# ---- how satisfied ---------------------------------------------------------------------------------------------------


@given(
    st.tuples(st.integers(1, 5), st.integers(1, 6)).flatmap(
        lambda s: arrays(int, s, elements=st.integers(0, 100))
    ),
    st.sampled_from(PREFERENCES),
)
def test_a_larger_gain_never_satisfies_less_and_equal_gains_satisfy_alike(
    gains, preferences
):
    felt = satisfaction(gains, preferences)
    assert ((felt >= 0) & (felt <= 1)).all()
    for row, own in zip(gains, felt, strict=True):
        order = np.argsort(row, kind="stable")
        assert (np.diff(own[order]) >= -1e-12).all()
        assert (own[order][1:] == own[order][:-1])[np.diff(row[order]) == 0].all()


def test_satisfaction_by_hand():
    assert satisfaction(np.full((1, 7), 10), "scores") == pytest.approx(0.5)
    assert satisfaction(np.array([[100, 0, 0]]), "scores").tolist() == [[1.0, 0.0, 0.0]]
    assert satisfaction(np.array([[4, 1, 2, 3]]), "rankings") == pytest.approx(
        np.array([[3, 0, 1, 2]]) / 3
    )
    assert satisfaction(np.array([[9, 9, 0]]), "rankings").tolist() == [
        [0.75, 0.75, 0.0]
    ]
    assert satisfaction(np.array([[10, 20, 15], [3, 3, 3]]), "counts").tolist() == [
        [0, 1, 0.5],
        [0.5] * 3,
    ]
    assert all(
        satisfaction(np.array([[100], [0]]), kind).tolist() == [[0.5], [0.5]]
        for kind in PREFERENCES
    )


# ---- what is told is what is felt ------------------------------------------------------------------------------------


def marked(vocabulary):
    """The same with the number of its level before each wording."""
    levels = tuple(
        tuple(f"<{k}>{said}" for said in level)
        for k, level in enumerate(vocabulary.levels)
    )
    return replace(vocabulary, levels=levels)


@pytest.mark.parametrize("style", STYLES)
@given(
    felt=st.lists(st.floats(0, 1), min_size=1, max_size=35).map(np.array), seed=SEEDS
)
@settings(max_examples=30)
def test_a_text_is_short_and_tells_nothing_better_as_worse(sit, style, felt, seed):
    names, vocabulary = (
        [f"Meal {i + 1}" for i in range(len(felt))],
        vocabularies()[style],
    )
    text = tell(names, felt, marked(vocabulary), np.random.default_rng(seed))
    assert checked_words(re.sub("<.>", "", text), sit(n=len(felt), m=1))
    known, rest, (_, *parts) = {}, None, re.split("<(.)>", text)
    for level, clause in zip(map(int, parts[::2]), parts[1::2], strict=True):
        numbers = re.findall(r"\d+", clause)
        known.update({int(number) - 1: level for number in numbers})
        rest = rest if numbers else level
    levels = [known.get(i, rest) for i in range(len(felt))]
    assert None not in levels  # nothing is left out
    assert np.greater_equal.outer(levels, levels)[np.greater.outer(felt, felt)].all()
    assert known == {i: vocabulary.level(felt[i]) for i in known}


# ---- words without numbers -------------------------------------------------------------------------------------------


FOUND = {
    "Meal 1: 45": "45", "Meal 13 is fine": "13", "Meals 1, 4 and 50 are fine": "50", "Meal 1, 4 points": "4",
    "I give it 7.5": "7.5", "80% happy": "80%", "a solid Ten": "Ten", "twenty-five points": "twenty",
    "ninety percent": "ninety", "a hundred times": "hundred", "about ½ good": "½", "٤٢": "٤٢",
}  # fmt: skip


@pytest.mark.parametrize(("text", "number"), FOUND.items())
def test_a_number_is_found_in_digits_and_in_words_and_named(sit, text, number):
    with pytest.raises(
        InvalidInput,
        match=f"the number '{number}' given; expected words that tell no number",
    ):
        checked_words(text, sit(n=12))


def test_names_may_hold_numbers_but_lend_none_to_others_and_words_that_only_look_like_numbers_are_free(
    sit,
):
    for text in (
        "I like Meal 1 and meal 12.",
        "Meals 1, 4 and 12 are fine, Meals 2 or 3 less so.",
        "Option 2 for Meal 3 is great; this one I love.",
        "The tenth time I say it: often, someone, weight, canine.",
    ):
        assert checked_words(f" {text}\n", sit(n=12)) == text
    table = Table(
        ("Ana",),
        ("Seven Hills", "Room (2)", "dinner"),
        (("at 8", "at 9"),) * 3,
        "scores",
        100,
    )
    assert (
        checked_words("Seven Hills at 8, and Room (2)!", table)
        and together(table.decisions) is None
    )
    for text in ("seven rooms", "at 10"):
        with pytest.raises(InvalidInput, match=r"number '(seven|10)' given"):
            checked_words(text, table)


@pytest.mark.parametrize("text", [" \n ", "so " * 41, "m" * (MOST + 1)])
def test_nothing_and_too_much_are_refused(sit, text):
    with pytest.raises(InvalidInput, match="text: "):
        checked_words(text, sit())
