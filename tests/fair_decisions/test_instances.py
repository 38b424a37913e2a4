"""The generators keep to their kinds, distributions and seeds; the skins have names enough, no two alike."""

import re
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from support.fair_decisions import instances
from support.fair_decisions.instances import DRAWS, HIGHEST, instance, named
from support.fair_decisions.problem import PREFERENCES, FairDecisions

SKINS = ("meals", "offsite", "flat")
UNLIKELY = 0.001


def drawn(kind, *shape, seed):
    return DRAWS[kind][1](np.random.default_rng(seed), shape)


@given(st.integers(1, 8), st.integers(1, 8), st.integers(1, 4), st.integers(0, 2**32))
def test_property_every_kind_keeps_its_rule(n, m, p, seed):
    scores, rankings, counts = (drawn(kind, p, n, m, seed=seed) for kind in PREFERENCES)
    assert (
        (scores.sum(axis=2) == 100).all()
        and scores.min() >= 0
        and scores.shape == (p, n, m)
    )
    assert (np.sort(rankings, axis=2) == np.arange(1, m + 1)).all()
    assert counts.min() >= 0 and counts.max() <= HIGHEST


def test_all_ways_to_share_the_points_are_equally_likely(monkeypatch):
    """Four points over three options: (4, 0, 0), (3, 1, 0), … are 15 ways."""
    monkeypatch.setattr(instances, "POINTS", 4)
    found = np.unique(
        drawn("scores", 1, 6000, 3, seed=11)[0] @ np.array([100, 10, 1]),
        return_counts=True,
    )[1]
    assert len(found) == 15 and chisquare(found, np.full(15, 400)).pvalue > UNLIKELY


def test_seeds_keep_their_instances_and_every_setting_has_its_own():
    """Runs are compared across versions by seed: a change of this test orphans every stored run."""
    assert instance("scores", 1, 3, 0, 2025).gains.ravel().tolist() == [
        19,
        55,
        26,
        4,
        77,
        19,
        44,
        35,
        21,
    ]
    assert instance("rankings", 1, 4, 0, 2025).gains.ravel().tolist() == [
        4,
        2,
        1,
        3,
        4,
        1,
        2,
        3,
        4,
        2,
        3,
        1,
    ]
    assert instance("counts", 1, 3, 0, 2025).gains.ravel().tolist() == [
        6,
        8,
        1,
        9,
        15,
        10,
        1,
        8,
        20,
    ]
    assert (
        len({instance("scores", 3, 3, i, 2025).gains.tobytes() for i in range(30)})
        == 30
    )
    small, large = (instance("scores", n, 3, 0, 7).gains for n in (4, 5))
    assert not np.array_equal(small, large[:, :4])


# ---- skins -----------------------------------------------------------------------------------------------------------


def gains(n, m):
    return FairDecisions(np.arange(3 * n * m).reshape(3, n, m), ("Ana", "Ben", "Cleo"))


@pytest.mark.parametrize("skin", SKINS)
def test_no_name_is_part_of_another_and_none_looks_like_a_score(skin):
    dressed = named(gains(35, 30), skin)  # before anything is numbered
    assert not any("(" in option for options in dressed.options for option in options)
    assert not [(a, b) for a, b in permutations(dressed.decisions, 2) if a in b]
    assert not [name for name in dressed.decisions if re.search("[,:;]", name)]
    for options in dressed.options[:7]:
        assert not [
            (a, b) for a, b in permutations(options, 2) if a.lower() in b.lower()
        ]
        assert not [name for name in options if re.search(r"[,:;\d]", name)]
