"""MovieLens-100k as it comes, what is known of it at large, and tables that hold no rating of u1.test."""

import hashlib
import json
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.errors import InvalidInput, InvalidProposal
from support.roundtable import knowledge
from support.roundtable.knowledge import priors, recommendations, similarities
from support.roundtable.movielens import (
    ABOUT,
    AGENTS,
    COLUMNS,
    MovieLens,
    draw_cases,
    from_spec,
    table,
)
from support.roundtable.ratings import rated, state_of
from support.solvers.recommender import fit_factorisation

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


def test_a_zip_code_has_one_state_or_none():
    codes = "10003 02139 20009 06390 88510 00601 09012 00000 T8H1N 1000"
    states = ["NY", "MA", "DC", "CT", "TX", "PR", "AE", "", "", ""]
    assert [state_of(code) for code in codes.split()] == states


def test_demographics_predict_real_ratings_better_than_the_mean_of_all(real):
    known = priors(real)
    some = real.test.sample(1000, random_state=0)
    rows = some.join(real.users, on="user").join(real.items, on="item")
    made = known.regression.predict(rows.to_dict("records"))
    plain = np.abs(known.mean - rows["rating"]).mean()
    assert np.abs(made - rows["rating"]).mean() < plain - 0.03
    assert 0.3 < known.user_sd < known.regression_error < 0.6 < known.noise_sd < 1


def test_users_of_one_taste_are_more_alike_and_an_unseen_one_is_like_nobody(
    toy,
):
    cosines = similarities(toy).to_numpy()
    of_taste = np.arange(1, 41) % 2
    same = of_taste[:, None] == of_taste
    others = ~np.eye(40, dtype=bool)
    assert cosines[same & others].mean() > cosines[~same].mean() + 0.15
    assert np.allclose(cosines, cosines.T) and np.allclose(np.diag(cosines), 1)
    assert cosines.min() >= 0 and cosines.max() <= 1 + 1e-9


def test_the_recommender_learns_from_the_base_alone(toy, monkeypatch):
    fit = partial(fit_factorisation, rank=2, iterations=20)
    monkeypatch.setattr(knowledge, "fit_factorisation", fit)
    hidden = replace(toy, test=toy.test.assign(rating=1))
    assert recommendations(hidden).equals(recommendations(toy))


# ---- the tables ------------------------------------------------------------------------------------------------------


def cases_of(data):
    return list(data.test[["user", "item"]].itertuples(index=False, name=None))


@pytest.mark.parametrize("agent", AGENTS)
def test_tables_have_their_columns_also_where_nothing_is_known(toy, agent):
    some = table(toy, agent, 1, 1)
    none = table(toy, agent, 1, 31)
    assert some.columns.tolist() == COLUMNS[agent]
    assert none.dtypes.equals(some.dtypes)
    assert all(column in ABOUT[agent] for column in some.columns)


def test_the_histories_are_the_rows_of_the_base_and_raters_come_by_likeness(
    toy,
):
    user, item = cases_of(toy)[0]
    mine, rates = toy.base[toy.base["user"] == user], toy.base[toy.base["item"] == item]
    films = table(toy, "UserHistory", user, item)
    assert films["movie_id"].tolist() == mine["item"].tolist()
    assert films["rating"].tolist() == mine["rating"].tolist()
    raters = table(toy, "MovieHistory", user, item).set_index("user_id")
    theirs = rates.set_index("user")["rating"]
    assert raters["rating"].to_dict() == theirs.to_dict()
    likeness = similarities(toy).loc[user].loc[raters.index]
    assert likeness.is_monotonic_decreasing
    assert raters["user_pref_similarity"].tolist() == likeness.round(2).tolist()


def test_no_test_rating_reaches_an_agent(toy):
    flipped = replace(toy, test=toy.test.assign(rating=6 - toy.test["rating"]))
    rows = rated(toy).to_dict("records")[:50]
    made = [priors(data).regression.predict(rows) for data in (toy, flipped)]
    assert np.array_equal(*made)
    for user, item in cases_of(toy)[:20]:
        assert item not in set(table(toy, "UserHistory", user, item)["movie_id"])
        assert user not in set(table(toy, "MovieHistory", user, item)["user_id"])
        for agent in AGENTS:
            seen = table(toy, agent, user, item)
            assert seen.equals(table(flipped, agent, user, item))


# ---- the task --------------------------------------------------------------------------------------------------------


def test_cases_are_different_ratings_of_u1_test_and_fewer_are_the_beginning_of_more(
    real,
):
    cases = draw_cases()
    columns = ["user", "item", "rating"]
    hidden = set(map(tuple, real.test[columns].to_numpy().tolist()))
    assert len({(one.user, one.item, one.rating) for one in cases} & hidden) == 100
    assert draw_cases(50) == cases[:50] != draw_cases(50, seed=1)


@given(st.floats(1, 5))
def test_property_a_rating_is_rounded_to_a_decimal_and_stays_one(stars):
    rounded = TASK.validate(np.float64(stars))
    assert abs(rounded - stars) <= 0.05 + 1e-9 and 1 <= rounded <= 5
    assert TASK.validate(rounded) == rounded == round(rounded, 1)


def test_a_task_is_built_again_from_its_plain_data():
    built = replace(TASK, consult="UserHistory")
    assert from_spec(json.loads(json.dumps(built.spec()))) == built


def test_the_truth_is_in_no_background(real):
    (case,) = draw_cases(1)
    for agent in AGENTS:
        known = case.background(agent)
        other = replace(case, rating=9.0).background(agent)
        assert known.table is other.table and known.priors is other.priors


@pytest.mark.parametrize("proposal", ["4", None, float("nan"), 5.01])
def test_what_is_no_rating_is_refused(proposal):
    with pytest.raises(InvalidProposal, match="expected a number of stars from 1 to 5"):
        TASK.validate(proposal)


def test_what_makes_no_sense_is_refused(real):
    with pytest.raises(InvalidInput, match="consult: 'Nobody' given; expected"):
        replace(TASK, consult="Nobody")
    with pytest.raises(InvalidInput, match="by user 944 is in"):
        replace(TASK, user=944).background("BasicInfo")
