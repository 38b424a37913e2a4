"""Cases are a seeded sample of u1.test."""

import pytest

from support.errors import InvalidInput
from support.roundtable.movielens import draw_cases


def test_cases_are_different_ratings_of_u1_test(real):
    cases = draw_cases()
    hidden = set(real.test[["user", "item", "rating"]].itertuples(index=False, name=None))
    assert len(set(cases)) == 100 and all((case.user, case.item, case.rating) in hidden for case in cases)


def test_fewer_cases_are_the_beginning_of_more(real):
    assert draw_cases(50) == draw_cases(100)[:50] == draw_cases()[:50]


def test_another_seed_draws_others(real):
    assert draw_cases(20, seed=1) == draw_cases(20, seed=1) != draw_cases(20, seed=2)


def test_all_of_u1_test_can_be_drawn(real):
    assert len({(case.user, case.item) for case in draw_cases(20_000)}) == 20_000


@pytest.mark.parametrize("n", [0, -1, 20_001, 2.0, True, "10"])
def test_a_number_of_cases_that_cannot_be_drawn_is_refused(real, n):
    with pytest.raises(InvalidInput, match=r"n: .* expected a whole number of cases from 1 to 20000"):
        draw_cases(n)
