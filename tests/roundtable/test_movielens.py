"""MovieLens-100k as it comes, what is known of it at large, and tables that hold no rating of u1.test."""

import hashlib
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.roundtable.knowledge import priors, similarities
from support.roundtable.movielens import (
    AGENTS,
    MovieLens,
    draw_cases,
    table,
)
from support.roundtable.ratings import PAIR

TASK = MovieLens(1, 6, 5.0)
SUMS = {
    "base": "ce253ec86c448b44fb3ba9a30d12dcfc2e9210cbde71efada3730c22e9ac212a",
    "test": "18c6014a4b2c7324f250a63f8904a7b16b2b19f911129e346141507b0cbac950",
}

# ---- the data, and what is known at large ----------------------------------------------------------------------------


@pytest.mark.parametrize("part", SUMS)
def test_the_split_is_the_official_one(real, part):
    lines = getattr(real, part).to_csv(sep="\t", header=False, index=False)
    assert hashlib.sha256(lines.encode()).hexdigest() == SUMS[part]


# ---- the tables ------------------------------------------------------------------------------------------------------


def test_the_histories_are_the_rows_of_the_base_and_raters_come_by_likeness(toy):
    user, item = toy.test.loc[0, PAIR]
    films = table(toy, "UserHistory", user, item).set_index("movie_id")
    mine = toy.base.query("user == @user").set_index("item")
    assert [*films["rating"].items()] == [*mine["rating"].items()]
    raters = table(toy, "MovieHistory", user, item).set_index("user_id")
    theirs = toy.base.query("item == @item").set_index("user")
    assert raters["rating"].to_dict() == theirs["rating"].to_dict()
    likeness = similarities(toy).loc[user, raters.index]
    assert likeness.is_monotonic_decreasing
    assert raters["user_pref_similarity"].equals(likeness.round(2))


def test_no_test_rating_reaches_an_agent(toy):
    flipped = replace(toy, test=toy.test.assign(rating=6 - toy.test["rating"]))
    learnt, other = (priors(data).regression[-1] for data in (toy, flipped))
    assert np.array_equal(learnt.coef_, other.coef_)
    for user, item in toy.test[PAIR].to_numpy()[:20]:
        for agent in AGENTS:
            seen = table(toy, agent, user, item)
            assert seen.equals(table(flipped, agent, user, item))


# ---- the task --------------------------------------------------------------------------------------------------------


def test_cases_are_different_ratings_of_u1_test_and_fewer_are_the_beginning_of_more(
    real,
):
    cases = draw_cases()
    drawn = {(case.user, case.item, case.rating) for case in cases}
    rows = real.test[[*PAIR, "rating"]].to_numpy()
    assert len(drawn & {*map(tuple, rows.tolist())}) == 100
    assert draw_cases(50) == cases[:50] != draw_cases(50, seed=1)


@given(st.floats(1, 5))
def test_property_a_rating_is_rounded_to_a_decimal_and_stays_one(stars):
    rounded = TASK.validate(np.float64(stars))
    assert abs(rounded - stars) <= 0.05 + 1e-9
    assert TASK.validate(rounded) == rounded == round(rounded, 1)


def test_the_truth_is_in_no_background(real):
    (case,) = draw_cases(1)
    for agent in AGENTS:
        known = case.background(agent)
        assert replace(case, rating=9.0).background(agent) == known
