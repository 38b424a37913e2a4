"""The environment checks ratings, hides the truth, and is built again from plain data."""

import json
from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.errors import InvalidInput, InvalidProposal
from support.roundtable import movielens as environment
from support.roundtable.movielens import (
    AGENTS,
    COLUMNS,
    Case,
    MovieLens,
    RaterBackground,
    draw_cases,
    from_spec,
    movielens,
)

TASK = MovieLens(1, 6, 5.0)


@given(st.floats(1, 5))
def test_property_a_rating_is_rounded_to_a_decimal_and_stays_one(stars):
    rounded = TASK.validate(stars)
    assert abs(rounded - stars) <= 0.05 + 1e-9 and 1 <= rounded <= 5
    assert TASK.validate(rounded) == rounded == round(rounded, 1)
    assert TASK.describe(rounded) == f"{rounded:.1f} stars"


def test_like_ratings_are_one_candidate():
    assert len({TASK.validate(stars) for stars in (4, 4.0, 4.04, 3.96, np.int64(4), np.float32(4))}) == 1
    assert type(TASK.validate(np.float32(3.5))) is float


@pytest.mark.parametrize(
    "proposal",
    [True, "4", "four", None, float("nan"), float("inf"), 0, 0.99, 5.01, -3, [4], {"rating": 4}, 4j, 10**400],
)
def test_what_is_no_rating_is_refused_with_the_way_out(proposal):
    with pytest.raises(InvalidProposal, match=r"rating: .* given; expected a number of stars from 1 to 5, such as 3.5"):
        TASK.validate(proposal)


@pytest.mark.parametrize("consult", [None, *AGENTS])
def test_a_task_is_built_again_from_its_plain_data(consult, monkeypatch):
    monkeypatch.setattr(environment, "load", lambda: pytest.fail("the data were read"))
    built = movielens(Case(1, 6, 5.0), consult)
    assert from_spec(json.loads(json.dumps(built.spec()))) == built
    assert built.spec()["name"] == "movielens"


@pytest.mark.parametrize(
    ("change", "field"), [({"rating": 6}, "rating"), ({"rating": "4"}, "rating"), ({"consult": "Nobody"}, "consult")]
)
def test_a_task_that_makes_no_sense_is_refused(change, field):
    with pytest.raises(InvalidInput, match=f"{field}: "):
        MovieLens(**{"user": 1, "item": 6, "rating": 5.0, **change})


def test_each_agent_has_its_own_table_and_everybody_the_title(real):
    case = draw_cases(1)[0]
    backgrounds = {agent: movielens(case).background(agent) for agent in AGENTS}
    assert all(tuple(known.table.columns) == COLUMNS[agent] for agent, known in backgrounds.items())
    assert {known.title for known in backgrounds.values()} == {real.items.at[case.item, "title"]}
    assert all(known.me == agent and known.agents == AGENTS for agent, known in backgrounds.items())


def test_the_truth_is_in_no_background(real):
    case = draw_cases(1)[0]
    other = Case(case.user, case.item, 6 - case.rating if case.rating != 3 else 1)
    for agent in AGENTS:
        known, otherwise = movielens(case).background(agent), movielens(other).background(agent)
        assert all(getattr(known, f.name) is getattr(otherwise, f.name) for f in fields(RaterBackground))


def test_only_the_agent_that_may_consult_is_told_what_the_recommender_says(real, monkeypatch):
    monkeypatch.setattr(environment, "advice", lambda data, user, item: (3.25, 0.5))
    case = draw_cases(2, seed=77)[1]
    built = movielens(case, consult="UserHistory")
    told = {agent: built.background(agent) for agent in AGENTS}
    environment._background.cache_clear()  # what was said here is not to stay
    assert [told[a].consultation for a in AGENTS] == [None, None, 3.25]
    assert [told[a].consultation_error for a in AGENTS] == [None, None, 0.5]


def test_unknown_agents_users_and_films_are_refused(real):
    with pytest.raises(InvalidInput, match="agent: 'Ana' given; expected one of BasicInfo"):
        TASK.background("Ana")
    with pytest.raises(InvalidInput, match="users 1 to 943 and films 1 to 1682"):
        MovieLens(944, 1, 3.0).background("BasicInfo")


def test_a_rating_that_agents_are_shown_cannot_be_predicted(real):
    row = real.base.iloc[0]
    with pytest.raises(InvalidInput, match=r"is in u1\.base, which agents are shown"):
        MovieLens(int(row["user"]), int(row["item"]), 3.0).background("UserHistory")


def test_a_film_that_only_u1_test_has_leaves_an_empty_history(real):
    unseen = real.test[~real.test["item"].isin(real.base["item"])].iloc[0]
    built = MovieLens(int(unseen["user"]), int(unseen["item"]), 3.0)
    assert built.background("MovieHistory").table.empty
    assert len(built.background("BasicInfo").table) == 1 and len(built.background("UserHistory").table)
