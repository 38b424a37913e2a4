"""The rating task of RoundTable: three agents, each with one table, predict the rating that one user gave to one film
(section 4.2, appendix C.4, Tables 3 to 5). The hidden truth is for analysis alone.
"""

from __future__ import annotations

import reprlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import pandas as pd
from pydantic import BaseModel, Field

from support.errors import InvalidInput, InvalidProposal
from support.prompts import render
from support.roundtable.knowledge import Priors, priors, recommendations, similarities
from support.roundtable.ratings import MovieLens100k, load
from support.seats import form, text

if TYPE_CHECKING:
    from support.seats import Shown

LOWEST, HIGHEST = 1.0, 5.0
EXPECTED = "expected a number of stars from 1 to 5, such as 3.5"
NEAR = "those of films most like this one by genre, of these the latest"
SEED = 20250101
"""Seed of the project's own cases; the paper gives none, so that its 100 examples are not known."""

AGENTS = ("BasicInfo", "MovieHistory", "UserHistory")
ABOUT: Mapping[str, str] = {
    "BasicInfo": (
        "one row on the film and the user in question: movie_id, movie_title, release_date (YYYYMMDD, or the year "
        "alone), genre (one or several), user_id, age (in years), gender (F or M), occupation, and state (of the "
        "United States; empty for other addresses)"
    ),
    "MovieHistory": (
        "one row for each other person who rated the film: user_id, user_pref_similarity (how alike that person's "
        "preferences are to the user's, from 0 to 1; the most alike first), personal_average_score (the mean of that "
        "person's ratings, in stars), age, gender, occupation, state, rated_date (YYYYMMDD), and rating (1 to 5 stars)"
    ),
    "UserHistory": (
        "one row for each other film that the user rated: movie_id, movie_title, genre, release_date (YYYYMMDD, or "
        "the year alone), rating (1 to 5 stars), and rated_date (YYYYMMDD)"
    ),
}
"""What each agent's table holds, in words that may be told to everybody (C.4)."""

USER = ["age", "gender", "occupation", "state"]
COLUMNS: Mapping[str, tuple[str, ...]] = {
    "BasicInfo": ("movie_id", "movie_title", "release_date", "genre", "user_id", *USER),
    "MovieHistory": (
        "user_id",
        "user_pref_similarity",
        "personal_average_score",
        *USER,
        "rated_date",
        "rating",
    ),
    "UserHistory": (
        "movie_id",
        "movie_title",
        "genre",
        "release_date",
        "rating",
        "rated_date",
    ),
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
    if isinstance(n, bool) or not isinstance(n, int) or not 1 <= n <= len(test):
        raise InvalidInput(
            f"n: {n!r} given; expected a whole number of cases from 1 to {len(test)}"
        )
    drawn = test.iloc[np.random.default_rng(seed).permutation(len(test))[:n]]
    columns = (drawn[name].tolist() for name in ("user", "item", "rating"))
    return tuple(
        Case(int(user), int(item), float(rating))
        for user, item, rating in zip(*columns, strict=True)
    )


@dataclass(frozen=True, eq=False)
class RaterBackground:
    """What one agent knows: its own table, and what anybody knows of ratings at large.

    `title` is the film's, which the task tells everybody. `table` has the columns `COLUMNS[me]`, and no rows where
    u1.base knows nothing; it is shared between backgrounds: treat it as frozen. `about` says in words what it holds.
    `consultation` is the recommender's expected rating, in stars, with the error of `recommendations`.
    """

    me: str
    agents: tuple[str, ...]
    title: str
    table: pd.DataFrame = field(repr=False)
    about: str
    priors: Priors = field(repr=False)
    consultation: float | None = None
    consultation_error: float | None = None


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

    agents, shape, extra_tokens = AGENTS, "a number", 0

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
        if (stars := _stars(proposal)) is None:
            raise InvalidProposal(f"rating: {reprlib.repr(proposal)} given; {EXPECTED}")
        return round(stars, 1)

    def describe(self, value: float) -> str:
        """A proposal in words, such as "3.6 stars"."""
        return f"{value:.1f} stars"

    def spec(self) -> dict[str, Any]:
        """What `from_spec` needs to build this task again, as plain data; `rating` is for analysis alone."""
        return {"name": "movielens", **asdict(self)}

    # ---- what a model is told

    def task(self) -> str:
        """Which film, and who has which data."""
        schemas = [(agent, ABOUT[agent]) for agent in self.agents]
        return render(
            "roundtable/movielens/task",
            title=self.background(self.agents[0]).title,
            schemas=schemas,
        )

    def goal(self, me: str, shown: Shown) -> str:
        """The own table, as many of its rows as are shown, and the recommender's word for who may ask it."""
        b = self.background(me)
        rows = [
            [_cell(value) for value in row] for row in b.table.itertuples(index=False)
        ]
        most, chosen = shown.rows([" | ".join(row) for row in rows]), ""
        kept = rows[:most]
        if (
            most < len(rows) and me == "UserHistory" and not shown.limits.tight
        ):  # a tight model's replies are recorded
            kept, chosen = [rows[k] for k in sorted(self._near(b.table)[:most])], NEAR
        facts = {
            "columns": list(b.table.columns),
            "rows": kept,
            "total": len(rows),
            "about": b.about,
            "chosen": chosen,
        }
        advice = {"consultation": b.consultation, "error": b.consultation_error}
        return render("roundtable/movielens/goal", **facts, **advice)

    def _near(self, films: pd.DataFrame) -> list[int]:
        """Rows of a user's films by what they tell of this one: shared genres first, of these the latest rating.

        A film's raters need no such order: the most alike come first.
        """
        genres = {
            genre
            for row in self.background("BasicInfo").table["genre"]
            for genre in row
        }
        rated = zip(films["genre"], films["rated_date"].astype(int), strict=True)
        tells = [(-len(genres.intersection(theirs)), -day) for theirs, day in rated]
        return sorted(range(len(tells)), key=tells.__getitem__)

    def form(self) -> str:
        """A number as an example."""
        return render("roundtable/movielens/proposal_form")

    def schema(self, most: int) -> type[BaseModel]:
        """A private reason of so many characters, and a rating from 1 to 5, or null."""
        number: Any = Annotated[float, Field(ge=LOWEST, le=HIGHEST)] | None
        return form("RatingReply", reason=text(most, 0), proposal=number)


def movielens(case: Case, consult: str | None = None) -> MovieLens:
    """The task of one case; `consult` names the agent that is told what the recommender says."""
    return MovieLens(case.user, case.item, case.rating, consult)


def from_spec(spec: Mapping[str, Any]) -> MovieLens:
    """The task whose `spec()` a transcript holds."""
    return MovieLens(
        int(spec["user"]), int(spec["item"]), float(spec["rating"]), spec.get("consult")
    )


def _stars(value: Any) -> float | None:
    """A number within the scale, or None."""
    number = isinstance(
        value, (int, float, np.integer, np.floating)
    ) and not isinstance(value, bool)
    return (
        float(value) if number and LOWEST <= value <= HIGHEST else None
    )  # NaN compares as False


def _cell(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple | list) else str(value)


# ---- the tables, of ratings of `data.base` only ----------------------------------------------------------------------


@lru_cache(maxsize=1024)
def _background(user: int, item: int, agent: str, consults: bool) -> RaterBackground:
    data = load()
    if (user, item) not in _tested(data):
        told = "whose ratings alone nobody is shown; predict one of those, as draw_cases gives"
        raise InvalidInput(
            f"user, item: no rating of film {item!r} by user {user!r} is in u1.test, {told}"
        )
    says = recommendations(data)[user, item] if consults else (None, None)
    title = str(data.items.at[item, "title"])
    return RaterBackground(
        agent,
        AGENTS,
        title,
        table(data, agent, user, item),
        ABOUT[agent],
        priors(data),
        *says,
    )


def table(data: MovieLens100k, agent: str, user: int, item: int) -> pd.DataFrame:
    """The table of one agent for one user and film, with `COLUMNS[agent]`.

    One row on the film and the user (Table 3); what else the user rated (Table 4), by the number of the film; who else
    rated the film (Table 5), the raters most like the user first, equals by their number.
    """
    if agent == "BasicInfo":
        film = (data.items.at[item, name] for name in ("title", "release", "genres"))
        who = (data.users.at[user, name] for name in USER)
        return pd.DataFrame([(item, *film, user, *who)], columns=[*COLUMNS[agent]])
    by_film, by_user = _histories(data)
    if agent == "UserHistory":
        return by_user[user]
    raters = by_film.get(item, next(iter(by_film.values())).iloc[:0])
    likeness = similarities(data).loc[user].loc[raters["user_id"]].to_numpy()
    order = np.argsort(-likeness, kind="stable")
    ranked = raters.take(order).reset_index(drop=True)
    ranked.insert(1, "user_pref_similarity", likeness[order].round(2))
    return ranked


def leaks(data: MovieLens100k, user: int, item: int) -> list[str]:
    """Every rating of u1.test that an agent would see, in words; an empty list when the split is kept."""
    raters, films = (
        table(data, "MovieHistory", user, item),
        table(data, "UserHistory", user, item),
    )
    seen = [("MovieHistory", rater, item) for rater in raters["user_id"].tolist()]
    seen += [("UserHistory", user, film) for film in films["movie_id"].tolist()]
    leaked = [(agent, a, b) for agent, a, b in seen if (a, b) in _tested(data)]
    return [
        f"{agent} sees user {a}'s rating of film {b}, which is in u1.test"
        for agent, a, b in leaked
    ]


@lru_cache(maxsize=4)
def _histories(
    data: MovieLens100k,
) -> tuple[dict[int, pd.DataFrame], dict[int, pd.DataFrame]]:
    """Rows of u1.base by film, and by user, with the columns of the tables (likeness left out)."""
    base = data.base.join(data.users[USER], on="user").join(data.items, on="item")
    base["rated_date"] = pd.to_datetime(base["timestamp"], unit="s").dt.strftime(
        "%Y%m%d"
    )
    base["personal_average_score"] = (
        base.groupby("user")["rating"].transform("mean").round(2)
    )
    names = {
        "item": "movie_id",
        "title": "movie_title",
        "release": "release_date",
        "genres": "genre",
    }
    wide = base.rename(columns={**names, "user": "user_id"})
    raters = [
        name for name in COLUMNS["MovieHistory"] if name != "user_pref_similarity"
    ]
    return _groups(wide, "movie_id", "user_id", raters), _groups(
        wide, "user_id", "movie_id", [*COLUMNS["UserHistory"]]
    )


def _groups(
    rows: pd.DataFrame, by: str, order: str, columns: list[str]
) -> dict[int, pd.DataFrame]:
    groups = rows.sort_values([by, order]).groupby(by)[columns]
    return {int(str(key)): group.reset_index(drop=True) for key, group in groups}


@lru_cache(maxsize=4)
def _tested(data: MovieLens100k) -> frozenset[tuple[int, int]]:
    return frozenset(
        zip(data.test["user"].tolist(), data.test["item"].tolist(), strict=True)
    )
