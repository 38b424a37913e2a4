"""Users of like tastes are more alike."""

from dataclasses import replace

import numpy as np

from support.roundtable.knowledge import similarities


def test_users_of_one_taste_are_more_alike_than_users_of_two(toy):
    cosines = similarities(toy).cosines
    same = np.arange(1, 41)[:, None] % 2 == np.arange(1, 41) % 2
    others = ~np.eye(40, dtype=bool)
    assert cosines[same & others].mean() > cosines[~same].mean() + 0.15


def test_likeness_is_symmetric_between_0_and_1_and_1_with_oneself(toy):
    cosines = similarities(toy).cosines
    assert np.allclose(cosines, cosines.T) and cosines.min() >= 0 and cosines.max() <= 1
    assert np.allclose(np.diag(cosines), 1)


def test_the_factorisation_repeats_itself(toy):
    again = similarities(replace(toy))  # another object: computed anew
    assert again is not similarities(toy)
    assert again.cosines.tobytes() == similarities(toy).cosines.tobytes()


def test_an_unseen_user_is_like_nobody(toy):
    assert similarities(toy).of(41, np.array([1, 2])).tolist() == [0, 0]
    assert similarities(toy).of(1, np.array([41, 1])).round(6).tolist() == [0, 1]
