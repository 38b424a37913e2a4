"""The generators keep to their kinds, to their distributions and to their seeds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.environments.fair_decisions import generate
from support.environments.fair_decisions.generate import INSTANCES, KINDS, counts, instance, rankings, scores
from support.environments.fair_decisions.views import PREFERENCES
from support.errors import InvalidInput

sizes = st.tuples(st.integers(1, 8), st.integers(1, 8), st.integers(1, 4))
seeds = st.integers(0, 2**32)
UNLIKELY = 0.001


def chi_square(found, expected):
    """The p of counts under expected counts."""
    from scipy.stats import chisquare

    return chisquare(found, expected).pvalue


@given(size=sizes, seed=seeds)
def test_property_the_options_of_a_decision_share_100_points(size, seed):
    n, m, p = size
    gains = scores(np.random.default_rng(seed), n, m, p).gains
    assert gains.shape == (p, n, m)
    assert (gains.sum(axis=2) == 100).all() and (gains >= 0).all()


@given(size=sizes, seed=seeds)
def test_property_a_ranking_holds_every_rank_once(size, seed):
    n, m, p = size
    gains = rankings(np.random.default_rng(seed), n, m, p).gains
    assert (np.sort(gains, axis=2) == np.arange(1, m + 1)).all() and gains.shape == (p, n, m)


@given(size=sizes, seed=seeds, highest=st.integers(0, 9))
def test_property_counts_lie_from_0_to_the_highest(size, seed, highest):
    gains = counts(np.random.default_rng(seed), *size, highest=highest).gains
    assert gains.min() >= 0 and gains.max() <= highest


def test_all_ways_to_share_the_points_are_equally_likely(monkeypatch):
    """Four points over three options: (4, 0, 0), (3, 1, 0), … are 15 ways."""
    monkeypatch.setattr(generate, "POINTS", 4)
    gains = scores(np.random.default_rng(11), 6000, 3, 1).gains[0]
    found = np.unique(gains @ np.array([100, 10, 1]), return_counts=True)[1]
    assert len(found) == 15 and chi_square(found, np.full(15, 400)) > UNLIKELY


def test_every_option_gets_k_points_in_as_many_ways_as_there_are():
    """Of 5,151 ways to share 100 points over three options, 101 - k give k to the first, and so for the others."""
    gains = scores(np.random.default_rng(12), 10_000, 3, 1).gains[0]
    tens = range(0, 101, 10)
    expected = np.add.reduceat((101 - np.arange(101)) / 5151 * 10_000, tens)
    for option in range(3):
        found = np.add.reduceat(np.bincount(gains[:, option], minlength=101), tens)
        assert chi_square(found, expected) > UNLIKELY


def test_lopsided_gains_such_as_the_papers_80_10_10_occur():
    gains = scores(np.random.default_rng(13), 5000, 3, 1).gains[0]
    assert (gains.max(axis=1) >= 80).mean() == pytest.approx(3 * 231 / 5151, abs=0.02)  # 231 ways to share the other 20
    assert {80, 90, 100} <= set(gains.max(axis=1).tolist())


def test_all_rankings_are_equally_likely():
    gains = rankings(np.random.default_rng(14), 6000, 3, 1).gains[0]
    found = np.unique(gains @ np.array([100, 10, 1]), return_counts=True)[1]
    assert len(found) == 6 and chi_square(found, np.full(6, 1000)) > UNLIKELY


def test_all_counts_are_equally_likely():
    found = np.bincount(counts(np.random.default_rng(15), 7000, 3, 1).gains.ravel(), minlength=21)
    assert len(found) == 21 and chi_square(found, np.full(21, 1000)) > UNLIKELY


def test_every_kind_of_preference_has_a_generator():
    assert set(KINDS) == set(PREFERENCES)
    assert len({code for code, _ in KINDS.values()}) == len(KINDS)


@pytest.mark.parametrize("kind", PREFERENCES)
def test_an_instance_is_the_same_again_and_another_for_another_setting(kind):
    setting = {"preferences": kind, "decisions": 5, "options": 3, "number": 4, "seed": 7}
    once = instance(**setting).gains
    assert np.array_equal(once, instance(**setting).gains)
    for change in ({"number": 5}, {"seed": 8}):
        assert not np.array_equal(once, instance(**setting | change).gains)


def test_no_instance_is_the_beginning_of_a_larger_one():
    small, large = (instance("scores", n, 3, 0, 7).gains for n in (4, 5))
    assert not np.array_equal(small, large[:, :4])


def test_the_30_instances_of_a_setting_differ():
    assert len({instance("scores", 3, 3, i, 2025).gains.tobytes() for i in range(INSTANCES)}) == INSTANCES == 30


def test_seeds_keep_their_instances():
    """Runs are compared across versions by seed: a change of this test orphans every stored run."""
    assert instance("scores", 1, 3, 0, 2025).gains.ravel().tolist() == [19, 55, 26, 4, 77, 19, 44, 35, 21]
    assert instance("rankings", 1, 4, 0, 2025).gains.ravel().tolist() == [4, 2, 1, 3, 4, 1, 2, 3, 4, 2, 3, 1]
    assert instance("counts", 1, 3, 0, 2025).gains.ravel().tolist() == [6, 8, 1, 9, 15, 10, 1, 8, 20]


def test_the_skin_changes_names_and_nothing_else():
    meals, flat = (instance("scores", 3, 3, 0, 1, skin=skin) for skin in ("meals", "flat"))
    assert np.array_equal(meals.gains, flat.gains) and meals.decisions != flat.decisions


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"preferences": "moods"}, "preferences: 'moods' given; expected one of scores, rankings, counts"),
        ({"decisions": 0}, "decisions: 0 given; expected a whole number of 1 or more"),
        ({"options": 0}, "options: 0 given; expected a whole number of 1 or more"),
        ({"options": True}, "options: True given; expected a whole number of 1 or more"),
        ({"participants": 0}, "participants: 0 given; expected a whole number of 1 or more"),
        ({"number": -1}, "number: -1 given; expected a whole number of 0 or more"),
        ({"number": 1.5}, "number: 1.5 given; expected a whole number of 0 or more"),
        ({"seed": -3}, "seed: -3 given; expected a whole number of 0 or more"),
        ({"skin": "hats"}, "skin: 'hats' given; expected one of meals, offsite, flat"),
    ],
)
def test_a_setting_that_does_not_fit_is_refused(change, message):
    setting = {"preferences": "scores", "decisions": 3, "options": 3, "number": 0, "seed": 1}
    with pytest.raises(InvalidInput, match=message):
        instance(**setting | change)


def test_a_highest_count_below_zero_is_refused():
    with pytest.raises(InvalidInput, match="highest: -1 given; expected a whole number of 0 or more"):
        counts(np.random.default_rng(1), 1, 1, highest=-1)
