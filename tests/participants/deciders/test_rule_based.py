"""Rule-based participants: true scores, comparisons, words of their own; and noise, where it is wanted."""

import asyncio

import numpy as np
import pytest

from support.errors import InvalidInput
from support.participants.deciders.rule_based import STYLES, RuleBasedDecider
from support.records import Feedback

GAINS = np.array([[80, 10, 10], [50, 30, 20], [25, 30, 45]])
BEST, MIDDLE, WORST = (0, 0, 2), (0, 1, 1), (1, 2, 0)


@pytest.fixture
def decider(sit):
    def seat(style="plain", noise=0.0, seed=0, gains=GAINS, preferences="scores"):
        table = sit(*np.shape(gains), preferences)
        return RuleBasedDecider("Ana", table, gains, np.random.default_rng(seed), style, noise)

    return seat


def judged(who, *plans, feedback="words"):
    return asyncio.run(who.judge(plans, feedback))


@pytest.mark.parametrize("style", STYLES)
def test_a_score_is_the_true_total_in_every_style_and_noise(decider, style):
    who = decider(style, noise=2.0)
    assert judged(who, MIDDLE, feedback="score") == Feedback("Ana", score=140)
    assert who.kind == f"rule-based {style}"


def test_it_prefers_the_plan_with_the_larger_total_and_none_on_a_tie(decider):
    who = decider()
    for plans, prefers in [((BEST, WORST), 0), ((WORST, BEST), 1), ((BEST, BEST), None)]:
        assert judged(who, *plans, feedback="comparison") == Feedback("Ana", prefers=prefers, alike=prefers is None)
    assert judged(decider(noise=1.0), (0, 1, 1), (0, 1, 1), feedback="comparison") == Feedback("Ana", alike=True)
    flat = decider(noise=1.0, gains=np.full((2, 2), 50))
    assert judged(flat, (0, 1), (1, 1), feedback="comparison").prefers is None


@pytest.mark.parametrize("noise", [0.25, 1.0])
def test_a_noisy_comparison_errs_with_a_logistic_chance_in_the_difference(decider, noise):
    who, draws = decider(noise=noise), 1000
    difference, unit = 175 - 140, (70 + 30 + 20) / 3
    chance = 1 / (1 + np.exp(difference / (noise * unit)))
    wrong = sum(judged(who, BEST, MIDDLE, feedback="comparison").prefers == 1 for _ in range(draws)) / draws
    assert wrong == pytest.approx(chance, abs=4 * np.sqrt(chance * (1 - chance) / draws))


def test_words_tell_how_each_option_stands_among_those_of_its_decision(decider, understood):
    heard, _ = understood(judged(decider(), BEST).text, "plain")
    assert heard == {0: 4, 1: 3, 2: 3}
    assert understood(judged(decider(), WORST).text, "plain")[0] == {0: 1, 1: 1, 2: 2}
    ranks = np.array([[3, 1, 2], [1, 2, 3], [2, 3, 1]])
    told = judged(decider(gains=ranks, preferences="rankings"), (0, 0, 0)).text
    assert understood(told, "plain")[0] == {0: 4, 1: 0, 2: 2}


@pytest.mark.parametrize("style", [style for style in STYLES if style != "vague"])
@pytest.mark.parametrize("preferences", ["scores", "rankings", "counts"])
def test_raising_an_options_gain_never_makes_its_words_worse(decider, understood, style, preferences):
    before = -1
    for gain in range(0, 101, 5):
        other = np.array([[gain, 40, 20], [30, 30, 40]])
        level = understood(judged(decider(style, gains=other, preferences=preferences), (0, 0)).text, style)[0][0]
        assert level >= before
        before = level
    assert before == {"terse": 3, "understated": 3}.get(style, 4) or preferences == "scores"


def test_without_noise_every_seed_means_the_same_and_with_noise_it_does_not(decider, understood):
    def levels(noise):
        return {str(understood(judged(decider(noise=noise, seed=s), MIDDLE).text, "plain")) for s in range(30)}

    assert len(levels(0.0)) == 1
    assert len(levels(0.3)) > 5


def test_the_same_seed_says_the_same_and_goes_on_to_other_words(decider):
    def said(seed):
        who = decider(noise=0.2, seed=seed)
        return [judged(who, MIDDLE).text for _ in range(5)]

    assert said(1) == said(1) != said(2)
    assert len(set(said(1))) > 1


def test_what_it_cannot_be_is_refused(decider):
    with pytest.raises(InvalidInput, match="style: 'loud' given for Ana; expected one of plain, terse"):
        decider("loud")
    with pytest.raises(InvalidInput, match="noise: -1"):
        decider(noise=-1)
    with pytest.raises(InvalidInput, match="'complete' given"):
        judged(decider(), BEST, feedback="complete")
