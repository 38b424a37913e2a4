"""The rating task of RoundTable: three agents, each with one table, predict the rating that one user gave to one film
(section 4.2, appendix C.4, Tables 3 to 5). The hidden truth is for analysis alone.
"""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from numbers import Real
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import pandas as pd
from pydantic import Field

from support.errors import InvalidInput, InvalidProposal
from support.prompts import render
from support.roundtable.knowledge import Priors, priors, recommendations, similarities
from support.roundtable.ratings import MovieLens100k, load

if TYPE_CHECKING:
    from support.seats import Shown

LOWEST = 1.0
HIGHEST = 5.0
SEED = 20250101
"""Seed of the project's own cases; the paper gives none, so that its 100 examples are not known."""

AGENTS = ("BasicInfo", "MovieHistory", "UserHistory")
ABOUT: Mapping[str, str] = {
    "BasicInfo": (
        "one row on the film and the user in question: movie_id, movie_title, release_date (the year), "
        "genre (one or several), user_id, age (in years), gender (F or M), occupation, and state (of the "
        "United States; empty for other addresses)"
    ),
    "MovieHistory": (
        "one row for each other person who rated the film: user_id, user_pref_similarity (how alike that person's "
        "preferences are to the user's, from 0 to 1; the most alike first), personal_average_score (the mean of that "
        "person's ratings, in stars), age, gender, occupation, state, rated_date (YYYYMMDD), and rating (1 to 5 stars)"
    ),
    "UserHistory": (
        "one row for each other film that the user rated: movie_id, movie_title, genre, release_date (the year), "
        "rating (1 to 5 stars), and rated_date (YYYYMMDD)"
    ),
}
"""What each agent's table holds, in words that may be told to everybody (C.4)."""

NAMES = {
    "user": "user_id",
    "item": "movie_id",
    "title": "movie_title",
    "release": "release_date",
    "genres": "genre",
}
USER = ["age", "gender", "occupation", "state"]
FILM = [*NAMES.values()][1:]
COLUMNS: Mapping[str, list[str]] = {
    "BasicInfo": [*FILM, "user_id", *USER],
    "MovieHistory": [
        "user_id",
        "user_pref_similarity",
        "personal_average_score",
        *USER,
        "rated_date",
        "rating",
    ],
    "UserHistory": [
        "movie_id",
        "movie_title",
        "genre",
        "release_date",
        "rating",
        "rated_date",
    ],
}
"""The columns of each agent's table, as the paper names them; genre holds a tuple of names."""


@dataclass(frozen=True, order=True)
class Case:
    """One rating to predict: who, which film, and the hidden truth (stars from 1 to 5)."""

    user: int
    item: int
    rating: float


def draw_cases(n: int = 100, seed: int = SEED) -> tuple[Case, ...]:
    """Draw `n` different ratings of u1.test, each as likely as any other.

    Fewer cases of the same seed are the beginning of more: ``draw_cases(50) == draw_cases(100)[:50]``.
    """
    test = load().test
    if n not in range(1, len(test) + 1):
        raise InvalidInput(
            f"n: {n!r} given; expected a whole number of cases from 1 to {len(test)}"
        )
    places = np.random.default_rng(seed).permutation(len(test))[:n]
    drawn = test.iloc[places][["user", "item", "rating"]].to_numpy().tolist()
    return tuple(Case(user, item, float(rating)) for user, item, rating in drawn)


@dataclass(frozen=True, eq=False)
class RaterBackground:
    """What one agent knows: its own table, and what anybody knows of ratings at large.

    `title` is the film's, which the task tells everybody. `table` has the columns `COLUMNS[me]`, and no rows where
    u1.base knows nothing; it is shared between backgrounds: treat it as frozen.
    `consultation` is the recommender's expected rating and its error, in stars.
    """

    me: str
    title: str
    table: pd.DataFrame = field(repr=False)
    priors: Priors = field(repr=False)
    consultation: tuple[float, float] | None = None


@dataclass(frozen=True)
class MovieLens:
    """One rating to predict: user, film, and the hidden truth, which only analysis may read.

    `consult` names the agent that is told what the recommender says; None for nobody.

    >>> task = MovieLens(user=1, item=6, rating=5.0)
    >>> task.validate(3.649), task.describe(3.6)
    (3.6, '3.6 stars')
    """

    user: int
    item: int
    rating: float
    consult: str | None = None

    agents = AGENTS
    shape = "a number"
    reply = Annotated[float, Field(ge=LOWEST, le=HIGHEST)]
    form_name = "RatingReply"
    claim_names = ("estimate", "error")
    claim_words = (
        "estimate: the rating that your own data suggest, in stars; error: how many "
        "stars it is likely to be off"
    )

    def __post_init__(self) -> None:
        if self.consult is not None and self.consult not in AGENTS:
            raise InvalidInput(
                f"consult: {self.consult!r} given; expected None or one of {', '.join(AGENTS)}"
            )

    def background(self, agent: str) -> RaterBackground:
        """What `agent` is told: its own table, and aggregates; never the rating. InvalidInput beyond u1.test."""
        return _background(self.user, self.item, agent, agent == self.consult)

    # ---- what a decision is

    def validate(self, proposal: Any) -> float:
        """A proposal as stars, rounded to one decimal so that like proposals are one candidate; or InvalidProposal."""
        number = isinstance(proposal, Real) and not isinstance(proposal, bool)
        if not number or not LOWEST <= proposal <= HIGHEST:
            given = f"rating: {reprlib.repr(proposal)} given"
            raise InvalidProposal(f"{given}; expected a number of stars from 1 to 5")
        return round(float(proposal), 1)

    def describe(self, value: float) -> str:
        """A proposal in words, such as "3.6 stars"."""
        return f"{value:.1f} stars"

    def spec(self) -> dict[str, Any]:
        """What `from_spec` needs to build this task again, as plain data; `rating` is for analysis alone."""
        return {"name": "movielens", **asdict(self)}

    # ---- what a model is told

    def task(self) -> str:
        """Which film, and who has which data."""
        title = self.background(AGENTS[0]).title
        return render("roundtable/movielens/task", title=title, schemas=ABOUT.items())

    def goal(self, me: str, shown: Shown) -> str:
        """The own table, as many of its rows as are shown, and the recommender's word for who may ask it."""
        known = self.background(me)
        rows = [_line(row) for row in known.table.itertuples(index=False)]
        return render(
            "roundtable/movielens/goal",
            columns=_line(known.table.columns),
            rows=rows[: shown.rows(rows)],
            total=len(rows),
            about=ABOUT[me],
            consultation=known.consultation,
        )

    def form(self) -> str:
        """What a prediction looks like."""
        return render("roundtable/movielens/proposal_form")


def movielens(case: Case, consult: str | None = None) -> MovieLens:
    """The task of one case; `consult` names the agent that is told what the recommender says."""
    return MovieLens(case.user, case.item, case.rating, consult)


def from_spec(spec: Mapping[str, Any]) -> MovieLens:
    """The task whose `spec()` a transcript holds."""
    settings = {key: value for key, value in spec.items() if key != "name"}
    return MovieLens(**settings)


def _line(row: Iterable[Any]) -> str:
    cells = [", ".join(x) if isinstance(x, tuple) else str(x) for x in row]
    return " | ".join(cells)


# ---- the tables, of ratings of `data.base` only ----------------------------------------------------------------------


@lru_cache(maxsize=1024)
def _background(user: int, item: int, agent: str, consults: bool) -> RaterBackground:
    data = load()
    if (user, item) not in _tested(data):
        raise InvalidInput(
            f"user, item: no rating of film {item!r} by user {user!r} is in u1.test; "
            "predict one of those, as draw_cases gives"
        )
    return RaterBackground(
        agent,
        str(data.items.at[item, "title"]),
        table(data, agent, user, item),
        priors(data),
        recommendations(data)[user, item] if consults else None,
    )


def table(data: MovieLens100k, agent: str, user: int, item: int) -> pd.DataFrame:
    """The table of one agent for one user and film, with `COLUMNS[agent]`.

    One row on the film and the user (Table 3); what else the user rated (Table 4), by the number of the film; who else
    rated the film (Table 5), the raters most like the user first, equals by their number.
    """
    if agent == "BasicInfo":
        row = (item, *data.items.loc[item], user, *data.users.loc[user, USER])
        return pd.DataFrame([row], columns=COLUMNS[agent])
    rated = _rated(data)
    if agent == "UserHistory":
        rows = rated[rated["user_id"] == user]
    else:
        rows = rated[rated["movie_id"] == item]
        likeness = similarities(data).loc[user].loc[rows["user_id"]].to_numpy()
        order = np.argsort(-likeness, kind="stable")
        alike = {"user_pref_similarity": likeness[order].round(2)}
        rows = rows.iloc[order].assign(**alike)
    return rows[COLUMNS[agent]].reset_index(drop=True)


def leaks(data: MovieLens100k, user: int, item: int) -> list[str]:
    """Every rating of u1.test that an agent would see, in words; an empty list when the split is kept."""
    raters = table(data, "MovieHistory", user, item)["user_id"]
    films = table(data, "UserHistory", user, item)["movie_id"]
    seen = [("MovieHistory", rater, item) for rater in raters]
    seen += [("UserHistory", user, film) for film in films]
    return [
        f"{agent} sees user {who}'s rating of film {what}, which is in u1.test"
        for agent, who, what in seen
        if (who, what) in _tested(data)
    ]


@lru_cache(maxsize=4)
def _rated(data: MovieLens100k) -> pd.DataFrame:
    """All ratings of u1.base, by user and film, with what the tables say of them."""
    base = data.base.join(data.users[USER], on="user").join(data.items, on="item")
    days = pd.to_datetime(base["timestamp"], unit="s")
    base["rated_date"] = days.dt.strftime("%Y%m%d")
    means = base.groupby("user")["rating"].transform("mean")
    base["personal_average_score"] = means.round(2)
    return base.rename(columns=NAMES)


@lru_cache(maxsize=4)
def _tested(data: MovieLens100k) -> frozenset[tuple[int, int]]:
    pairs = data.test[["user", "item"]].itertuples(index=False, name=None)
    return frozenset(pairs)
