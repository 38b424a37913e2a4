"""Each agent has one table, with the paper's columns, and no rating of u1.test reaches any of them."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from support.roundtable.knowledge import similarities
from support.roundtable.movielens import (
    ABOUT,
    AGENTS,
    COLUMNS,
    basic_info,
    draw_cases,
    leaks,
    movie_history,
    table,
    user_history,
)

PAPER = {
    "BasicInfo": "movie_id movie_title release_date genre user_id age gender occupation state",
    "UserHistory": "movie_id movie_title genre release_date rating rated_date",
    "MovieHistory": "user_id user_pref_similarity personal_average_score age gender occupation state rated_date rating",
}


def cases_of(data):
    return list(zip(data.test["user"].tolist(), data.test["item"].tolist(), strict=True))


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("pair", [(1, 1), (41, 1), (1, 31), (41, 31), (999, 999)], ids=str)
def test_tables_have_the_columns_of_the_paper_also_for_the_unseen(toy, agent, pair):
    rows = table(toy, agent, *pair)
    assert list(rows.columns) == PAPER[agent].split() == list(COLUMNS[agent])
    assert rows.dtypes.equals(table(toy, agent, 1, 1).dtypes)
    assert all(column in ABOUT[agent] for column in COLUMNS[agent])


def test_basic_information_is_one_row_on_the_user_and_the_film(toy):
    (row,) = basic_info(toy, 3, 7).to_dict("records")
    assert (row["user_id"], row["movie_id"], row["movie_title"], row["state"]) == (3, 7, "Film 7", "NY")
    assert row["age"] == toy.users.at[3, "age"] and row["genre"] == toy.items.at[7, "genres"]
    assert len(basic_info(toy, 41, 31)) == 1  # nobody rated, but the lists know them


def test_the_histories_are_the_rows_of_the_base(toy):
    user, item = cases_of(toy)[0]
    mine = toy.base[toy.base["user"] == user]
    history = user_history(toy, user, item)
    assert (
        history["movie_id"].tolist() == mine["item"].tolist() and history["rating"].tolist() == mine["rating"].tolist()
    )
    theirs = toy.base[toy.base["item"] == item].set_index("user")["rating"]
    assert (
        movie_history(toy, user, item).set_index("user_id")["rating"].sort_index().equals(theirs.rename_axis("user_id"))
    )


def test_raters_come_by_likeness_with_their_own_means(toy):
    user, item = cases_of(toy)[0]
    raters = movie_history(toy, user, item)
    assert raters["user_pref_similarity"].is_monotonic_decreasing and raters["user_pref_similarity"].between(0, 1).all()
    means = toy.base.groupby("user")["rating"].mean().round(2)
    assert raters["personal_average_score"].tolist() == means[raters["user_id"]].tolist()
    likeness = similarities(toy).of(user, raters["user_id"].to_numpy())
    assert raters["user_pref_similarity"].tolist() == likeness.round(2).tolist()
    assert (np.diff(likeness) <= 0).all()  # before rounding too


def test_dates_are_days_in_utc(toy):
    row = toy.base.iloc[0]
    (shown,) = user_history(toy, row["user"], 0).query("movie_id == @row['item']")["rated_date"]
    assert shown == pd.Timestamp(row["timestamp"], unit="s", tz="UTC").strftime("%Y%m%d")


def test_whoever_is_unseen_has_no_history(toy):
    assert user_history(toy, 41, 1).empty and movie_history(toy, 1, 31).empty
    unlike = movie_history(toy, 41, 1)
    assert len(unlike) and (unlike["user_pref_similarity"] == 0).all()


def test_no_test_rating_reaches_an_agent(toy, real):
    assert not [leak for pair in cases_of(toy) for leak in leaks(toy, *pair)]
    assert not [leak for case in draw_cases() for leak in leaks(real, case.user, case.item)]


def test_a_planted_test_rating_is_found(toy):
    planted = toy.test.iloc[[5]]
    spoiled = replace(toy, base=pd.concat([toy.base, planted], ignore_index=True))
    user, item = planted[["user", "item"]].iloc[0]
    found = [f"{agent} sees user {user}'s rating of film {item}, which is in u1.test" for agent in AGENTS[1:]]
    assert leaks(spoiled, user, item) == found  # the rating to predict itself
    of_the_user = next(film for other, film in cases_of(toy) if other == user and film != item)
    of_the_film = next(other for other, film in cases_of(toy) if film == item and other != user)
    assert leaks(spoiled, user, of_the_user) == found[1:] and leaks(spoiled, of_the_film, item) == found[:1]


def test_no_table_depends_on_any_test_rating(toy):
    other = replace(toy, test=toy.test.assign(rating=6 - toy.test["rating"]))
    for pair in cases_of(toy)[:20]:
        for agent in AGENTS:
            pd.testing.assert_frame_equal(table(toy, agent, *pair), table(other, agent, *pair))


def test_a_table_depends_on_the_base(toy):
    """The other side of the test above: it would notice."""
    other = replace(toy, base=toy.base.assign(rating=6 - toy.base["rating"]))
    user, item = cases_of(toy)[0]
    for agent in AGENTS[1:]:
        assert not np.array_equal(table(toy, agent, user, item)["rating"], table(other, agent, user, item)["rating"])
