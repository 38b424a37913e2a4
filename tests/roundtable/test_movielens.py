"""MovieLens-100k as it comes, what is known of it at large, and tables that hold no rating of u1.test."""

import json
import shutil
from dataclasses import fields, replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support import downloads
from support.errors import DamagedFile, InvalidInput, InvalidProposal
from support.roundtable import knowledge, movielens
from support.roundtable.knowledge import priors, recommendations, similarities
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
from support.roundtable.ratings import GENRES, read, state_of
from support.solvers.recommender import fit_factorisation

TASK = MovieLens(1, 6, 5.0)

# ---- the data --------------------------------------------------------------------------------------------------------


@pytest.fixture
def copied(real, tmp_path):
    """A private copy of the wheel's files, to be damaged."""
    folder = downloads.movielens_100k()
    if not (folder / "ml-100k.inter").is_file():
        pytest.skip("this machine has the original archive, not the wheel's files")
    return shutil.copytree(folder, tmp_path / "copy")


def test_the_original_archive_with_its_split_gives_the_same_data_with_days_in_its_dates(
    real, copied, tmp_path
):
    def film(item, title, year, genres):
        dated = (f"{title} ({year})", f"07-Feb-{year}") if year else (title, "")
        return "|".join(
            [
                str(item),
                *dated,
                "",
                "address",
                *(str(int(name in genres)) for name in GENRES),
            ]
        )

    lines = {
        "u.user": [
            "|".join(map(str, row))
            for row in real.users.drop(columns="state").itertuples(name=None)
        ],
        "u.item": [film(*row) for row in real.items.itertuples(name=None)],
        "u1.base": [
            "\t".join(map(str, row))
            for row in real.base.itertuples(index=False, name=None)
        ],
        "u1.test": [
            "\t".join(map(str, row))
            for row in real.test.itertuples(index=False, name=None)
        ],
    }
    for name, text in lines.items():
        (tmp_path / name).write_text(
            "\n".join(text) + "\n", encoding="latin-1", errors="replace"
        )
    again = read(tmp_path)
    assert (
        again.base.equals(real.base)
        and again.test.equals(real.test)
        and again.users.equals(real.users)
    )
    assert again.items["release"].tolist() == [
        f"{year}0207" if year else "" for year in real.items["release"]
    ]
    assert again.items["genres"].tolist() == real.items["genres"].tolist()
    assert not again.items["title"].str.contains(r"\(\d{4}\)$").any()


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        ("ml-100k.inter", b"\t3\t", b"\t4\t", "do not give the original u.data"),
        (
            "ml-100k.inter",
            b"\t3\t",
            b"\tthree\t",
            "do not have the form of MovieLens-100k",
        ),
        (
            "ml-100k.user",
            b"\n1\t",
            b"\n2\t",
            "list of users in .* has 943 rows; expected the numbers 1 to 943",
        ),
        ("ml-100k.item", b"\n1\t", b"\nx\t", "do not have the form of MovieLens-100k"),
    ],
)
def test_changed_files_are_refused_and_left_as_they_are(copied, name, old, new, said):
    changed = (copied / name).read_bytes().replace(old, new, 1)
    (copied / name).write_bytes(changed)
    with pytest.raises(DamagedFile, match=said):
        read(copied)
    assert (copied / name).read_bytes() == changed


def test_a_zip_code_has_one_state_or_none():
    known = {
        "10003": "NY",
        "55414": "MN",
        "02139": "MA",
        "20009": "DC",
        "06390": "CT",
        "73301": "TX",
        "88510": "TX",
    }
    known |= {
        "00501": "NY",
        "00601": "PR",
        "09012": "AE",
        "00000": "",
        "T8H1N": "",
        "1000": "",
    }
    assert {code: state_of(code) for code in known} == known
    assert (
        len(
            {state_of(f"{k:03d}01") for k in range(1000)}
            - {"", "PR", "VI", "GU", "AE", "AA", "AP"}
        )
        == 51
    )


# ---- what is known at large ------------------------------------------------------------------------------------------


def test_demographics_predict_real_ratings_better_than_the_mean_of_all(real):
    known = priors(real)
    rows = (
        real.test.sample(1000, random_state=0)
        .join(real.users, on="user")
        .join(real.items, on="item")
    )
    rows = rows.rename(columns={"release": "release_date", "genres": "genre"})
    errors = (
        np.array(
            [known.demographic_estimate(row)[0] for row in rows.to_dict("records")]
        )
        - rows["rating"]
    )
    assert np.abs(errors).mean() < np.abs(known.mean - rows["rating"]).mean() - 0.03
    assert (
        0.3 < known.user_sd < 0.5 < known.film_sd < 0.7 < known.noise_sd < 1 < known.sd
    )


def test_users_of_one_taste_are_more_alike_and_an_unseen_one_is_like_nobody(toy):
    cosines = similarities(toy).to_numpy()
    same, others = (
        np.arange(1, 41)[:, None] % 2 == np.arange(1, 41) % 2,
        ~np.eye(40, dtype=bool),
    )
    assert cosines[same & others].mean() > cosines[~same].mean() + 0.15
    assert np.allclose(cosines, cosines.T) and np.allclose(np.diag(cosines), 1)
    assert cosines.min() >= 0 and cosines.max() <= 1
    assert similarities(replace(toy)).equals(
        similarities(toy)
    )  # another object: computed anew


# ---- the tables ------------------------------------------------------------------------------------------------------


def test_the_recommender_is_fitted_once_on_the_base_alone_and_then_read(
    toy, tmp_path, monkeypatch
):
    fits = []
    monkeypatch.setenv(downloads.VARIABLE, str(tmp_path))
    monkeypatch.setattr(
        knowledge,
        "fit_factorisation",
        lambda base: fits.append(1) or fit_factorisation(base, rank=2, iterations=20),
    )
    first = recommendations(replace(toy))
    assert (
        recommendations(replace(toy, test=toy.test.assign(rating=1))) == first
        and len(fits) == 1
    )
    assert (
        recommendations(
            replace(toy, base=toy.base.assign(rating=6 - toy.base["rating"]))
        )
        != first
    )


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("film", [1, 31])  # of the last one there is no rating
def test_tables_have_their_columns_also_where_nothing_is_known(toy, agent, film):
    rows = table(toy, agent, 1, film)
    assert tuple(rows.columns) == COLUMNS[agent] and rows.dtypes.equals(
        table(toy, agent, 1, 1).dtypes
    )
    assert all(column in ABOUT[agent] for column in rows.columns)


def cases_of(data):
    return list(
        zip(data.test["user"].tolist(), data.test["item"].tolist(), strict=True)
    )


def test_the_histories_are_the_rows_of_the_base_and_raters_come_by_likeness(toy):
    user, item = cases_of(toy)[0]
    mine, films = (
        toy.base[toy.base["user"] == user],
        table(toy, "UserHistory", user, item),
    )
    assert (
        films[["movie_id", "rating"]].to_numpy().tolist()
        == mine[["item", "rating"]].to_numpy().tolist()
    )
    assert (
        films["rated_date"].tolist()
        == pd.to_datetime(mine["timestamp"], unit="s").dt.strftime("%Y%m%d").tolist()
    )
    raters = table(toy, "MovieHistory", user, item)
    theirs = toy.base[toy.base["item"] == item].set_index("user")["rating"]
    assert (
        raters.set_index("user_id")["rating"]
        .sort_index()
        .equals(theirs.rename_axis("user_id"))
    )
    likeness = similarities(toy).loc[user, raters["user_id"]].to_numpy()
    assert (np.diff(likeness) <= 0).all() and raters[
        "user_pref_similarity"
    ].tolist() == likeness.round(2).tolist()
    means = toy.base.groupby("user")["rating"].mean().round(2)
    assert (
        raters["personal_average_score"].tolist() == means[raters["user_id"]].tolist()
    )


def test_no_test_rating_reaches_an_agent(toy, real):
    assert not [leak for pair in cases_of(toy) for leak in leaks(toy, *pair)]
    assert not [
        leak for case in draw_cases(20) for leak in leaks(real, case.user, case.item)
    ]
    flipped = replace(toy, test=toy.test.assign(rating=6 - toy.test["rating"]))
    assert vars(priors(flipped)) == vars(priors(toy))
    for pair in cases_of(toy)[:20]:
        for agent in AGENTS:
            pd.testing.assert_frame_equal(
                table(toy, agent, *pair), table(flipped, agent, *pair)
            )


def test_a_planted_test_rating_is_found(toy):
    planted = toy.test.iloc[[5]]
    spoiled = replace(toy, base=pd.concat([toy.base, planted], ignore_index=True))
    user, item = planted[["user", "item"]].iloc[0]
    found = [
        f"{agent} sees user {user}'s rating of film {item}, which is in u1.test"
        for agent in AGENTS[1:]
    ]
    assert leaks(spoiled, user, item) == found  # the rating to predict itself
    of_the_user = next(
        film for other, film in cases_of(toy) if other == user and film != item
    )
    of_the_film = next(
        other for other, film in cases_of(toy) if film == item and other != user
    )
    assert (
        leaks(spoiled, user, of_the_user) == found[1:]
        and leaks(spoiled, of_the_film, item) == found[:1]
    )


# ---- the task --------------------------------------------------------------------------------------------------------


def test_cases_are_different_ratings_of_u1_test_and_fewer_are_the_beginning_of_more(
    real,
):
    cases, hidden = (
        draw_cases(),
        set(real.test[["user", "item", "rating"]].itertuples(index=False, name=None)),
    )
    assert len(set(cases)) == 100 and all(
        (case.user, case.item, case.rating) in hidden for case in cases
    )
    assert draw_cases(50) == cases[:50] != draw_cases(50, seed=1)


@given(st.floats(1, 5))
def test_property_a_rating_is_rounded_to_a_decimal_and_stays_one(stars):
    rounded = TASK.validate(stars)
    assert (
        abs(rounded - stars) <= 0.05 + 1e-9
        and 1 <= rounded <= 5
        and TASK.validate(np.float32(3.5)) == 3.5
    )
    assert TASK.validate(rounded) == rounded == round(rounded, 1)


def test_a_task_is_built_again_from_its_plain_data(monkeypatch):
    monkeypatch.setattr(movielens, "load", lambda: pytest.fail("the data were read"))
    built = movielens.movielens(Case(1, 6, 5.0), "UserHistory")
    assert movielens.from_spec(json.loads(json.dumps(built.spec()))) == built


def test_the_truth_is_in_no_background(real):
    case = draw_cases(1)[0]
    other = Case(case.user, case.item, 6 - case.rating if case.rating != 3 else 1)
    for agent in AGENTS:
        known, otherwise = (
            movielens.movielens(c).background(agent) for c in (case, other)
        )
        assert all(
            getattr(known, f.name) is getattr(otherwise, f.name)
            for f in fields(RaterBackground)
        )


@pytest.mark.parametrize("proposal", [True, "4", None, float("nan"), 5.01])
def test_what_is_no_rating_is_refused_with_the_way_out(proposal):
    with pytest.raises(
        InvalidProposal,
        match=r"rating: .* given; expected a number of stars from 1 to 5, such as 3.5",
    ):
        TASK.validate(proposal)


def test_what_makes_no_sense_is_refused(real):
    with pytest.raises(
        InvalidInput, match="consult: 'Nobody' given; expected None or one of BasicInfo"
    ):
        MovieLens(1, 6, 5.0, "Nobody")
    with pytest.raises(
        InvalidInput, match=r"n: .* expected a whole number of cases from 1 to 20000"
    ):
        draw_cases(20_001)
    with pytest.raises(InvalidInput, match="no rating of film 1 by user 944 is in u1"):
        MovieLens(944, 1, 3.0).background("BasicInfo")
