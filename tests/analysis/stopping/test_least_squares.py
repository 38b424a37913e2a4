"""The regression of C.7 gives what statsmodels gives with a pseudo-inverse."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.analysis.stopping import least_squares
from support.analysis.stopping.least_squares import fast_ols, ols_from_sums
from support.errors import InvalidInput


def reference(X, y):
    import statsmodels.api as sm

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return sm.OLS(y, X).fit(method="pinv")


def deficient(seed, rows, columns, copies):
    """Indicator columns, a constant, copies and sums of columns: fewer independent columns than columns."""
    rng = np.random.default_rng(seed)
    X = (rng.random((rows, columns)) < 0.4).astype(float)
    more = [X[:, rng.integers(columns)] for _ in range(copies)] + [X[:, 0] + X[:, -1]]
    return np.column_stack([np.ones(rows), X, *more]), rng.normal(size=rows)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.integers(12, 60), st.integers(1, 25), st.integers(0, 4))
def test_property_fitted_values_are_those_of_the_pseudo_inverse_also_when_rank_deficient(seed, rows, columns, copies):
    X, y = deficient(seed, rows, columns, copies)
    fit = fast_ols(X, y)
    assert fit.rank == np.linalg.matrix_rank(X)
    assert np.allclose(fit.fittedvalues, X @ np.linalg.pinv(X, rcond=1e-10) @ y, atol=1e-8, rtol=0)
    assert np.allclose(fit.params, np.linalg.pinv(X, rcond=1e-10) @ y, atol=1e-8)


@pytest.mark.parametrize("seed", range(3))
def test_coefficients_errors_and_p_values_are_those_of_statsmodels(seed):
    X, y = deficient(seed, 200, 30, 3)
    ours, theirs = fast_ols(X, y), reference(X, y)
    assert ours.rank == theirs.model.rank < X.shape[1]
    for name in ("params", "bse", "pvalues", "fittedvalues"):
        assert np.allclose(getattr(ours, name), getattr(theirs, name), atol=1e-8, rtol=0), name


def test_columns_that_always_occur_together_share_their_coefficient_evenly():
    x = np.array([0.0, 1, 0, 1, 1])
    fit = fast_ols(np.column_stack([np.ones(5), x, x]), 2 + 3 * x)
    assert np.allclose(fit.params[1:], 1.5)
    assert fit.rank == 2


def test_sums_over_rows_are_enough():
    X, y = deficient(4, 80, 12, 2)
    y = y - y.mean()
    whole, summed = fast_ols(X, y), ols_from_sums(X.T @ X, X.T @ y, float(y @ y), len(y))
    assert np.allclose(whole.pvalues, summed.pvalues, atol=1e-10)
    assert summed.fittedvalues is None


def test_where_the_short_cut_loses_digits_singular_values_take_its_place(monkeypatch):
    t = np.linspace(0, 1, 40)
    X, y = np.vander(t, 11), np.sin(9 * t)
    called = []
    exact = least_squares._by_singular_values
    monkeypatch.setattr(least_squares, "_by_singular_values", lambda X, y: called.append(1) or exact(X, y))
    assert np.allclose(fast_ols(X, y).fittedvalues, X @ np.linalg.pinv(X) @ y, atol=1e-8)
    assert called


def test_as_many_columns_as_rows_leave_no_p_value():
    assert np.isnan(fast_ols(np.eye(3), np.array([1.0, 2, 3])).pvalues).all()


@pytest.mark.parametrize(
    ("X", "y", "said"),
    [
        (np.ones((3, 2)), np.ones(4), r"shapes \(3, 2\) and \(4,\)"),
        (np.ones((3, 2)), np.array([1.0, np.nan, 2]), "not finite; leave out"),
        (np.zeros((3, 2)), np.ones(3), "every number is zero"),
        (np.ones((0, 2)), np.ones(0), "expected"),
    ],
)
def test_a_regression_that_makes_no_sense_is_refused(X, y, said):
    with pytest.raises(InvalidInput, match=said):
        fast_ols(X, y)
