"""SPRITE: the samples that print as a mean and a spread, all of them and some of them."""

from itertools import combinations_with_replacement

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.analysis.surveys.sprite import enumerate_samples, interval_spread, printed_spread, spread_of, sprite
from support.errors import InvalidInput

ANSWERS = st.lists(st.integers(1, 5), min_size=2, max_size=45)


def cell(answers, divisor="n-1"):
    sd = np.std(answers, ddof=1 if divisor == "n-1" else 0)
    return round(float(np.mean(answers)), 2), printed_spread(round(float(sd), 2), divisor=divisor), len(answers)


def rows(recs):
    return {tuple(row) for row in recs.counts.tolist()}


@settings(deadline=None)
@given(ANSWERS, st.sampled_from(["n-1", "n"]))
def test_property_the_sample_that_was_summarised_is_among_them_and_all_fit(answers, divisor):
    mean, target, n = cell(answers, divisor)
    recs = enumerate_samples(mean, target, n)
    assert tuple(np.bincount(answers, minlength=6)[1:]) in rows(recs)
    assert len(rows(recs)) == len(recs) and recs.complete and recs.n == n
    for sample in recs:
        assert abs(sample.mean() - mean) <= 0.005 + 1e-9
        assert abs(np.std(sample, ddof=1 if divisor == "n-1" else 0) - target.sd) <= 0.005 + 1e-8


@settings(deadline=None, max_examples=25)
@given(ANSWERS, st.integers(0, 2**32 - 1))
def test_property_what_the_random_search_finds_is_among_all_samples(answers, seed):
    found = sprite(*cell(answers), np.random.default_rng(seed), samples=5)
    assert rows(found) <= rows(enumerate_samples(*cell(answers)))
    assert 1 <= len(found) <= 5 and not found.complete


@pytest.mark.parametrize(("low", "high"), [(1, 5), (0, 1), (1, 2), (3, 3), (1, 3), (-3, 3)])
def test_all_samples_are_those_that_brute_force_finds(low, high):
    every = list(combinations_with_replacement(range(low, high + 1), 6))
    answers = every[len(every) // 2]
    mean, target, n = cell(answers)
    fit = {
        tuple(np.bincount(np.array(s) - low, minlength=high - low + 1))
        for s in every
        if abs(np.mean(s) - mean) <= 0.005 + 1e-9 and abs(np.std(s, ddof=1) - target.sd) <= 0.005 + 1e-9
    }
    assert rows(enumerate_samples(mean, target, n, low=low, high=high)) == fit


def test_the_search_finds_most_samples_when_it_may_look_long():
    every = enumerate_samples("3.64", interval_spread(0.59, 11, divisor="n"), 11)
    found = sprite("3.64", interval_spread(0.59, 11, divisor="n"), 11, np.random.default_rng(1), samples=len(every))
    assert rows(found) == rows(every) and len(every) == 4


def test_the_search_is_the_same_for_the_same_seed():
    a, b = (sprite("3.51", printed_spread("1.12"), 41, np.random.default_rng(5), 20) for _ in range(2))
    assert a.counts.tolist() == b.counts.tolist()


def test_every_cell_of_table_3_can_be_reconstructed_in_a_few_ways(made):
    counts = [len(samples) for samples in made.values()]
    assert len(counts) == 18 and min(counts) == 2 and max(counts) == 13


def test_frames_say_that_nobody_gave_these_answers():
    recs = enumerate_samples("4.09", interval_spread(0.53, 11, divisor="n"), 11, label="confidence, A")
    frame = recs.frame()
    assert (frame["source"] == "reconstructed").all() and (frame["label"] == "confidence, A").all()
    assert frame.groupby("sample")["count"].sum().eq(11).all()
    assert frame["answer"].unique().tolist() == [1, 2, 3, 4, 5]


def test_a_mean_a_spread_and_a_size_that_cannot_go_together_are_told_apart():
    with pytest.raises(InvalidInput, match=r"mean 3.91 cannot come from 14 whole answers.*GRIM"):
        enumerate_samples("3.91", printed_spread("1.00"), 14)
    with pytest.raises(
        InvalidInput, match=r"cannot go together on 1..5: the nearest possible sds are 1\.1208, 1\.1428"
    ):
        enumerate_samples("3.51", printed_spread("1.13"), 41)
    with pytest.raises(InvalidInput, match="cannot go together"):
        sprite("3.00", printed_spread("2.50"), 10, np.random.default_rng(1))


def test_moments_that_no_answers_have_are_refused_too():
    # Three deviations a, b, -a - b with squares that add up to 10 need a² + ab + b² = 5, which no whole numbers solve.
    with pytest.raises(InvalidInput, match=r"no 3 whole answers on 1..7 with mean 4.00"):
        enumerate_samples("4.00", printed_spread("2.24"), 3, low=1, high=7)


def test_what_is_too_large_to_enumerate_points_to_the_search():
    with pytest.raises(InvalidInput, match="use sprite"):
        enumerate_samples("5.00", printed_spread("2.01"), 100, low=0, high=10)
    assert len(sprite("5.00", printed_spread("2.01"), 100, np.random.default_rng(1), 3, low=0, high=10)) == 3


def test_the_spread_of_counts():
    assert spread_of([0, 1, 0, 1, 0], divisor="n") == 1
    assert np.isnan(spread_of([0, 1, 0, 0, 0]))
    with pytest.raises(InvalidInput, match="samples is 0"):
        sprite("3.00", printed_spread("1.00"), 3, np.random.default_rng(1), samples=0)
