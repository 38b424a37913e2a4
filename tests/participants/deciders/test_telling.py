"""What is told is what is felt: in any style, in forty words at most, without a number."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.participants.deciders.numberless import WORDS, number_in
from support.participants.deciders.rule_based import STYLES
from support.participants.deciders.telling import tell
from support.participants.deciders.vocabulary import vocabularies

QUANTITY = re.compile(
    r"\d|%|\b(zero|one|two|three|four|five|six|seven|eight|nine|ten|first|second|third|half|quarter|once|twice|both|"
    r"single|double|pair|couple|dozen|hundred|percent)\b",
    re.IGNORECASE,
)
FELT = st.lists(st.floats(0, 1), min_size=1, max_size=35).map(np.array)
SEEDS = st.integers(0, 2**32 - 1)


def told(felt, style, seed=0, names=None):
    names = names or [f"Meal {i + 1}" for i in range(len(felt))]
    return tell(names, np.array(felt), vocabularies()[style], np.random.default_rng(seed))


def test_every_style_has_a_vocabulary_with_a_wording_at_one_level_only():
    assert list(vocabularies()) == list(STYLES)
    for style, vocabulary in vocabularies().items():
        wordings = [wording for level in vocabulary.levels for wording in level]
        assert len(set(wordings)) == len(wordings), style
        assert len(vocabulary.cuts) == len(vocabulary.levels) - 1
        assert list(vocabulary.cuts) == sorted(set(vocabulary.cuts))


def test_no_vocabulary_holds_a_number_word():
    for vocabulary in vocabularies().values():
        parts = [*vocabulary.openings, vocabulary.contrast, *(w for level in vocabulary.levels for w in level)]
        assert not [part for part in parts if QUANTITY.search(part)]


@pytest.mark.parametrize("style", STYLES)
@given(felt=FELT, seed=SEEDS)
@settings(max_examples=60, deadline=None)
def test_a_text_has_forty_words_at_most_and_no_number_for_any_count_of_decisions(sit, style, felt, seed):
    text = told(felt, style, seed)
    assert 0 < len(text.split()) <= WORDS
    table = sit(n=len(felt), m=1)
    assert number_in(text, table) is None
    assert not QUANTITY.search(re.sub(r"Meals? \d+(, \d+)*( and \d+)?", "", text))


@pytest.mark.parametrize("style", STYLES)
@given(felt=FELT, seed=SEEDS)
@settings(max_examples=60, deadline=None)
def test_a_better_option_is_never_told_worse(understood, style, felt, seed):
    known, rest = understood(told(felt, style, seed), style)
    levels = [known.get(i, rest) for i in range(len(felt))]
    assert None not in levels  # nothing is left out
    better, above = np.greater.outer(felt, felt), np.greater_equal.outer(levels, levels)
    assert above[better].all()
    assert {i: level for i, level in known.items() if level != vocabularies()[style].level(felt[i])} == {}


@pytest.mark.parametrize("style", [style for style in STYLES if style not in ("vague", "polite")])
def test_ten_decisions_are_all_named_and_told_alike_by_any_seed(understood, style):
    felt = np.random.default_rng(3).random(10)
    heard = [understood(told(felt, style, seed), style) for seed in range(20)]
    named = [known for known, rest in heard if rest is None]
    assert len(named) > 10 and named[0] == {i: int(vocabularies()[style].level(felt)[i]) for i in range(10)}
    assert all(known == named[0] for known in named)


def test_what_cannot_be_named_is_the_middle_and_is_told_by_its_mean(understood):
    felt = np.array([0.5] * 30 + [0.95, 0.05])
    for seed in range(10):
        known, rest = understood(told(felt, "plain", seed), "plain")
        assert (known[30], known[31], rest) == (4, 0, 2)


def test_the_vague_name_three_decisions_at_most(understood):
    for n in range(1, 12):
        known, rest = understood(told(np.linspace(0, 1, n), "vague", n), "vague")
        assert len(known) == min(n, 3) and (rest is None) == (n <= 3)


def test_names_too_long_for_the_limit_are_left_out(understood):
    names = [" ".join(["very"] * 45 + [f"long {letter}"]) for letter in "ab"]
    text = told([0.95, 0.95], "plain", names=names)
    assert "long" not in text and understood(text, "plain") == ({}, 4)


@pytest.mark.parametrize("style", STYLES)
def test_the_shortest_text_always_fits(style):
    names = ["word " * 50 + letter for letter in "abc"]
    for level in np.linspace(0, 1, 6):
        for seed in range(5):
            assert len(told([level] * 3, style, seed, names).split()) <= WORDS


def test_verbs_agree_and_sentences_begin_with_a_capital():
    texts = [told(felt, style, seed) for style in STYLES for seed in range(20) for felt in ([0.9] * 6, [0.1, 0.9])]
    for text in texts:
        assert not re.search(r"Meals? [\d, ]+and (Meal )?\d+ (is|does|lets|seems|leaves|works|suits|sounds)\b", text)
        assert not re.search(r"(?<!and )(?<!, )Meal \d+ (are|do|let|seem|leave|work|suit|sound)\b", text)
        assert re.fullmatch(r"[A-Z].*[.!]", text) and not re.search(r"[.!] [a-z]", text)


def test_seeds_vary_the_words_and_repeat_them():
    felt = [0.1, 0.5, 0.9]
    for style in STYLES:
        assert told(felt, style, 1) == told(felt, style, 1)
        assert len({told(felt, style, seed) for seed in range(20)}) > 4
