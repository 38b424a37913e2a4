"""A few of the cases that `python tests/oracles.py` counts by the hundreds: ours beside independent algorithms."""

import oracles


def test_t_tests_corrections_equivalence_and_effects_are_those_of_scipy_and_statsmodels():
    assert oracles.inference(40) == 0
