"""What is expected of gains before anybody spoke agrees with how instances are drawn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.environments.fair_decisions import generate
from support.environments.fair_decisions.views import Table
from support.errors import InvalidInput
from support.participants.estimators.priors import prior_for, prior_of

KINDS = st.sampled_from(["scores", "rankings", "counts"])


@pytest.mark.parametrize(("kind", "m"), [("scores", 2), ("scores", 3), ("scores", 8), ("rankings", 5), ("counts", 4)])
def test_mean_and_covariance_are_those_of_the_generator(kind, m):
    rng = np.random.default_rng(0)
    drawn = getattr(generate, kind)(rng, 20000, m, 1).gains[0]
    prior = prior_of(kind, m, generate.HIGHEST)
    scale = np.sqrt(prior.variance)
    assert np.allclose(drawn.mean(axis=0), prior.mean, atol=0.04 * scale)
    assert np.allclose(np.cov(drawn.T), prior.covariance, atol=0.04 * scale**2)


@given(KINDS, st.integers(2, 12), st.integers(1, 40))
def test_the_marginal_has_the_prior_s_mean_and_variance(kind, m, highest):
    prior = prior_of(kind, m, highest)
    mean = prior.chances @ prior.values
    assert prior.chances.sum() == pytest.approx(1)
    assert mean == pytest.approx(prior.mean[0])
    assert prior.chances @ (prior.values - mean) ** 2 == pytest.approx(prior.variance)


@given(st.sampled_from(["scores", "rankings"]), st.integers(1, 12))
def test_gains_with_a_constant_sum_have_no_variance_in_it(kind, m):
    prior = prior_of(kind, m, 100)
    assert np.allclose(prior.covariance.sum(axis=0), 0)
    assert np.linalg.eigvalsh(prior.covariance).min() > -1e-9


@given(KINDS, st.integers(1, 12), st.lists(st.floats(0, 1), min_size=2, max_size=6))
def test_a_higher_level_is_never_worth_less(kind, m, levels):
    prior = prior_of(kind, m, 20)
    for values in (prior.quantile(np.sort(levels)), prior.total(np.sort(levels), 7)):
        assert (np.diff(values) >= 0).all()
    assert prior.values[0] <= prior.quantile(0.0) <= prior.quantile(1.0) <= prior.values[-1]


def test_a_total_in_the_middle_is_the_expected_one():
    assert float(prior_of("scores", 3, 100).total(0.5, 6)) == pytest.approx(200)


@pytest.mark.parametrize(("kind", "highest", "said"), [("moods", 3, "'moods' given"), ("counts", -1, "-1 given")])
def test_what_is_no_kind_of_preference_is_refused(kind, highest, said):
    with pytest.raises(InvalidInput, match=said):
        prior_for(Table(("A",), ("D",), (("x", "y"),), kind, highest))
