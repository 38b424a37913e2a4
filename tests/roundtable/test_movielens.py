"""MovieLens-100k as it comes, what is known of it at large, and tables that hold no rating of u1.test."""

import hashlib
import json
from dataclasses import fields, replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support import downloads
from support.errors import InvalidInput, InvalidProposal
from support.roundtable import knowledge, movielens
from support.roundtable.knowledge import (
    priors,
    recommendations,
    similarities,
)
from support.roundtable.movielens import (
    ABOUT,
    AGENTS,
    COLUMNS,
    Case,
    MovieLens,
    RaterBackground,
    draw_cases,
    leaks,
    table,
)
from support.roundtable.ratings import state_of
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
    known = {
        "10003": "NY",
        "02139": "MA",
        "20009": "DC",
        "06390": "CT",
        "88510": "TX",
    }
    known |= {
        "00601": "PR",
        "09012": "AE",
        "00000": "",
        "T8H1N": "",
        "1000": "",
    }
    assert {code: state_of(code) for code in known} == known


def test_demographics_predict_real_ratings_better_than_the_mean_of_all(
    real,
):
    known = priors(real)
    some = real.test.sample(1000, random_state=0)
    rows = some.join(real.users, on="user").join(real.items, on="item")
    rows = rows.rename(columns={"release": "release_date", "genres": "genre"})
    made = [known.demographic_estimate(row)[0] for _, row in rows.iterrows()]
    plain = np.abs(known.mean - rows["rating"]).mean()
    assert np.abs(made - rows["rating"]).mean() < plain - 0.03
    assert 0.3 < known.user_sd < 0.5 < known.film_sd < 0.7 < known.noise_sd < 1


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


def test_the_recommender_is_fitted_once_on_the_base_alone_and_then_read(
    toy, tmp_path, monkeypatch
):
    fits = []

    def fitted(base):
        fits.append(len(base))
        return fit_factorisation(base, rank=2, iterations=20)

    monkeypatch.setenv(downloads.VARIABLE, str(tmp_path))
    monkeypatch.setattr(knowledge, "fit_factorisation", fitted)
    first = recommendations(replace(toy))
    turned = 6 - toy.base["rating"]
    hidden = replace(toy, test=toy.test.assign(rating=1))
    assert recommendations(hidden) == first and len(fits) == 1
    assert recommendations(replace(toy, base=toy.base.assign(rating=turned))) != first


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
    films = table(toy, "UserHistory", user, item)
    mine = toy.base[toy.base["user"] == user]
    assert films["movie_id"].tolist() == mine["item"].tolist()
    assert films["rating"].tolist() == mine["rating"].tolist()
    raters = table(toy, "MovieHistory", user, item).set_index("user_id")
    theirs = toy.base[toy.base["item"] == item].set_index("user")["rating"]
    assert raters["rating"].to_dict() == theirs.to_dict()
    likeness = similarities(toy).loc[user].loc[raters.index]
    assert likeness.is_monotonic_decreasing
    assert raters["user_pref_similarity"].tolist() == likeness.round(2).tolist()
    means = toy.base.groupby("user")["rating"].mean().round(2).loc[raters.index]
    assert raters["personal_average_score"].tolist() == means.tolist()


def test_no_test_rating_reaches_an_agent(toy, real):
    assert not [leak for pair in cases_of(toy) for leak in leaks(toy, *pair)]
    cases = draw_cases(20)
    assert not [leak for one in cases for leak in leaks(real, one.user, one.item)]
    flipped = replace(toy, test=toy.test.assign(rating=6 - toy.test["rating"]))
    assert vars(priors(flipped)) == vars(priors(toy))
    for pair in cases_of(toy)[:20]:
        for agent in AGENTS:
            assert table(toy, agent, *pair).equals(table(flipped, agent, *pair))


def test_a_planted_test_rating_is_found(toy):
    planted = toy.test.iloc[[5]]
    (user, item) = cases_of(toy)[5]
    spoiled = replace(toy, base=pd.concat([toy.base, planted], ignore_index=True))
    of_film, of_user = leaks(spoiled, user, item)
    leak = f"sees user {user}'s rating of film {item}, which is in u1.test"
    assert (of_film, of_user) == (
        f"MovieHistory {leak}",
        f"UserHistory {leak}",
    )
    assert leaks(spoiled, user, 31) == [of_user]
    assert leaks(spoiled, user % 40 + 1, item) == [of_film]


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


def test_a_task_is_built_again_from_its_plain_data(monkeypatch):
    monkeypatch.setattr(movielens, "load", lambda: pytest.fail("the data were read"))
    built = movielens.movielens(Case(1, 6, 5.0), "UserHistory")
    assert movielens.from_spec(json.loads(json.dumps(built.spec()))) == built


def test_the_truth_is_in_no_background(real):
    (case,) = draw_cases(1)
    tasks = [movielens.movielens(replace(case, rating=x)) for x in (1.0, 5.0)]
    for agent in AGENTS:
        known, otherwise = (task.background(agent) for task in tasks)
        for part in fields(RaterBackground):
            assert getattr(known, part.name) is getattr(otherwise, part.name)


@pytest.mark.parametrize("proposal", [True, "4", None, float("nan"), 5.01])
def test_what_is_no_rating_is_refused(proposal):
    with pytest.raises(InvalidProposal, match="expected a number of stars from 1 to 5"):
        TASK.validate(proposal)


def test_what_makes_no_sense_is_refused(real):
    for bad, why in (
        (
            lambda: MovieLens(1, 6, 5.0, "Nobody"),
            "consult: 'Nobody' given; expected",
        ),
        (
            lambda: draw_cases(20_001),
            "a whole number of cases from 1 to 20000",
        ),
        (
            lambda: MovieLens(944, 1, 3.0).background("BasicInfo"),
            "by user 944 is in",
        ),
    ):
        with pytest.raises(InvalidInput, match=why):
            bad()
