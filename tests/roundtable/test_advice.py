"""What the recommender says depends on u1.base alone, is kept, and is better than effects of user and film."""

from dataclasses import replace

import numpy as np
import pytest

from support import downloads
from support.roundtable import knowledge as advice
from support.solvers.rating_baselines import fit_effects
from support.solvers.recommender import fit_factorisation


@pytest.fixture
def quick(tmp_path, monkeypatch):
    """An empty cache and a short fit, counted."""
    fits = []

    def fit(base):
        fits.append(base)
        return fit_factorisation(base, rank=2, iterations=20)

    monkeypatch.setenv(downloads.VARIABLE, str(tmp_path))
    monkeypatch.setattr(advice, "fit_factorisation", fit)
    return fits


def test_the_fit_is_made_once_and_then_read(toy, quick):
    first = advice.recommendations(replace(toy))
    again = advice.recommendations(replace(toy))  # another object, as in another process
    assert len(quick) == 1 and first.equals(again)


def test_other_test_ratings_change_nothing_and_other_base_ratings_do(toy, quick):
    first = advice.recommendations(replace(toy))
    assert advice.recommendations(replace(toy, test=toy.test.assign(rating=1))).equals(first) and len(quick) == 1
    assert not advice.recommendations(replace(toy, base=toy.base.assign(rating=6 - toy.base["rating"]))).equals(first)
    assert len(quick) == 2


def test_a_pair_of_the_test_is_looked_up_and_any_other_predicted(toy, quick):
    data = replace(toy)
    table = advice.recommendations(data)
    user, item = table.index[3]
    assert advice.advice(data, user, item) == tuple(table.iloc[3])
    prediction, error = advice.advice(data, 41, 31)
    assert 1 <= prediction <= 5 and error > 0


def test_on_real_ratings_it_beats_effects_of_user_and_film(real):
    """Mean absolute error on u1.test, in stars; the fit takes seconds on a machine that never made it."""
    truth = real.test["rating"].to_numpy()
    said = advice.recommendations(real)
    effects = fit_effects(real.base).predict(real.test["user"], real.test["item"])
    ours, plain = (float(np.abs(values - truth).mean()) for values in (said["prediction"].to_numpy(), effects))
    assert ours < 0.71 < plain - 0.04
