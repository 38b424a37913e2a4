"""Common knowledge is aggregates of u1.base, and predicts better than the mean of all."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from support.roundtable.knowledge import Priors, crossed, film_features, priors, user_features
from support.roundtable.movielens import basic_info


def test_means_are_those_of_the_base(toy):
    known = priors(toy)
    films = toy.items["genres"].to_dict()
    drama = [r for r, item in zip(toy.base["rating"], toy.base["item"], strict=True) if "Crime" in films[item]]
    assert known.mean == pytest.approx(toy.base["rating"].mean()) and known.sd == pytest.approx(
        toy.base["rating"].std()
    )
    assert known.genre_means["Crime"] == pytest.approx(np.mean(drama))


def test_the_estimate_is_the_mean_and_the_offsets_of_the_features():
    offsets = {"gender:F": 0.2, "genre:Drama": 0.3, "gender:F×genre:Drama": -0.1, "age:25": 0.05, "gender:M": 9.0}
    known = Priors(3.5, 1.1, 0.4, 0.5, 0.9, {}, offsets, 0.6, 3.3)
    row = {"age": 29, "gender": "F", "occupation": "artist", "release_date": "1995", "genre": ("Drama",)}
    assert known.demographic_estimate(row) == (pytest.approx(3.95), 0.6)
    assert known.demographic_estimate(pd.DataFrame([row])) == known.demographic_estimate(pd.Series(row))


def test_an_empty_table_gives_the_mean_with_all_of_the_uncertainty(toy):
    known = priors(toy)
    estimate, error = known.demographic_estimate(basic_info(toy, 999, 999))
    assert estimate == known.mean and error == pytest.approx(np.hypot(known.user_sd, known.film_sd))


def test_features_of_users_and_films():
    assert [user_features(age, "M", "x")[1] for age in (7, 17, 18, 24, 25, 56, 73)] == [
        f"age:{low}" for low in (0, 0, 18, 18, 25, 56, 56)
    ]
    assert film_features("1939", ("War",)) == film_features("19390101", ("War",)) == ["decade:1930", "genre:War"]
    assert film_features("", ()) == []
    assert crossed(["gender:F", "age:25"], ["decade:1930", "genre:War"]) == ["gender:F×genre:War"]


def test_no_test_rating_is_in_the_knowledge(toy):
    other = replace(toy, test=toy.test.assign(rating=6 - toy.test["rating"]))
    assert vars(priors(other)) == vars(priors(toy))


def test_demographics_predict_real_ratings_better_than_the_mean_of_all(real):
    known = priors(real)
    rows = real.test.sample(2000, random_state=0).join(real.users, on="user").join(real.items, on="item")
    rows = rows.rename(columns={"release": "release_date", "genres": "genre"})
    errors = np.array([known.demographic_estimate(row)[0] for row in rows.to_dict("records")]) - rows["rating"]
    assert np.abs(errors).mean() < np.abs(known.mean - rows["rating"]).mean() - 0.03
    assert 0.3 < known.user_sd < 0.5 < known.film_sd < 0.7 < known.noise_sd < 1 < known.sd
    assert known.demographic_error < np.hypot(known.user_sd, known.film_sd)  # it explains something
