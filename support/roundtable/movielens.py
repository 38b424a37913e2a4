"""The rating task of RoundTable: three agents, each with one table, predict the rating that one user gave to one film
(section 4.2, appendix C.4, Tables 3 to 5). The hidden truth is for analysis alone.
"""

from __future__ import annotations

import reprlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from numbers import Real
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import numpy as np
import pandas as pd
from pydantic import Field

from support.errors import InvalidInput, InvalidProposal
from support.prompts import render
from support.roundtable.knowledge import Priors, priors, recommendations, similarities
from support.roundtable.ratings import FILM, PAIR, USER, MovieLens100k, load, rated

if TYPE_CHECKING:
    from support.seats import Shown

LOWEST = 1.0
HIGHEST = 5.0
SEED = 20250101
"""Seed of the project's own cases; the paper gives none, so that its 100 examples are not known."""

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
AGENTS = tuple(ABOUT)

PERSON = [*USER, "state"]
COLUMNS = {
    "BasicInfo": ["movie_id", *FILM, "user_id", *PERSON],
    "MovieHistory": [
        "user_id",
        "user_pref_similarity",
        "personal_average_score",
        *PERSON,
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
"""The columns of each agent's table, as the paper names them."""


class RaterBackground(NamedTuple):
    """What one agent knows: its own table, and what anybody knows of ratings at large.

    `table` has the columns `COLUMNS[me]`, and no rows where u1.base knows nothing; it is shared between backgrounds:
    treat it as frozen. `consultation` is the recommender's expected rating and its error, in stars.
    """

    me: str
    table: pd.DataFrame
    priors: Priors
    consultation: tuple[float, ...] = ()


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
    name: str = "movielens"

    agents = AGENTS
    shape = "a number"
    reply = Annotated[float, Field(ge=LOWEST, le=HIGHEST)]
    form_name = "RatingReply"
    claim_names = ("estimate", "error")
    claim_words = (
        "estimate: the rating that your own data suggest, in stars; error: how many "
        "stars it is likely to be off"
    )

    mixture = ("weighing", "stubborn")

    @property
    def kinds(self) -> Mapping[str, type]:
        """Rule-based raters by name."""
        from support.roundtable.raters import KINDS

        return KINDS

    def __post_init__(self) -> None:
        if self.consult is not None and self.consult not in AGENTS:
            raise InvalidInput(
                f"consult: {self.consult!r} given; expected None or one of {', '.join(AGENTS)}"
            )

    def background(self, agent: str) -> RaterBackground:
        """What `agent` is told: its own table, and aggregates; never the rating. InvalidInput beyond u1.test."""
        data = load()
        asked = (self.user, self.item)
        if not data.test[PAIR].eq([*asked]).all(axis=1).any():
            raise InvalidInput(
                f"user, item: no rating of film {self.item!r} by user {self.user!r} is in u1.test; "
                "predict one of those, as draw_cases gives"
            )
        consults = agent == self.consult
        told: Any = recommendations(data).loc[asked] if consults else ()
        own = table(data, agent, *asked)
        return RaterBackground(agent, own, priors(data), tuple(told))

    # ---- what a decision is

    def validate(self, proposal: Any) -> float:
        """A proposal as stars, rounded to one decimal so that like proposals are one candidate; or InvalidProposal."""
        number = isinstance(proposal, Real)
        if not number or not LOWEST <= proposal <= HIGHEST:
            given = f"rating: {reprlib.repr(proposal)} given"
            raise InvalidProposal(f"{given}; expected a number of stars from 1 to 5")
        return round(float(proposal), 1)

    def describe(self, value: float) -> str:
        """A proposal in words, such as "3.6 stars"."""
        return f"{value:.1f} stars"

    def spec(self) -> dict[str, Any]:
        """What `from_spec` needs to build this task again, as plain data; `rating` is for analysis alone."""
        return {"name": self.name, **asdict(self)}

    # ---- what a model is told

    def task(self) -> str:
        """Which film, and who has which data."""
        title = self.background("BasicInfo").table.at[0, "movie_title"]
        return render("roundtable/movielens/task", title=title, schemas=ABOUT.items())

    def goal(self, me: str, shown: Shown) -> str:
        """The own table, as many of its rows as are shown, and the recommender's word for who may ask it."""
        known = self.background(me)
        told = known.table.itertuples(index=False)
        rows = [" | ".join(map(str, row)) for row in told]
        return render(
            "roundtable/movielens/goal",
            columns=" | ".join(COLUMNS[me]),
            rows=rows[: shown.rows(rows)],
            total=len(rows),
            about=ABOUT[me],
            consultation=known.consultation,
        )

    def form(self) -> str:
        """What a prediction looks like."""
        return render("roundtable/movielens/proposal_form")


def draw_cases(n: int = 100, seed: int = SEED) -> tuple[MovieLens, ...]:
    """Draw `n` different ratings of u1.test, each as likely as any other.

    Fewer cases of the same seed are the beginning of more: ``draw_cases(50) == draw_cases(100)[:50]``.
    """
    test = load().test
    places = np.random.default_rng(seed).permutation(len(test))[:n]
    drawn = test.iloc[places][[*PAIR, "rating"]].to_numpy().tolist()
    return tuple(MovieLens(user, item, float(rating)) for user, item, rating in drawn)


def from_spec(spec: Mapping[str, Any]) -> MovieLens:
    """The task whose `spec()` a transcript holds."""
    return MovieLens(**spec)


# ---- the tables, of ratings of `data.base` only ----------------------------------------------------------------------


@lru_cache(maxsize=1024)
def table(
    data: MovieLens100k,
    agent: str,
    user: int,
    item: int,
) -> pd.DataFrame:
    """The table of one agent for one user and film, with `COLUMNS[agent]`.

    One row on the film and the user (Table 3); what else the user rated (Table 4), by the number of the film; who else
    rated the film (Table 5), the raters most like the user first, equals by their number.
    """
    if agent == "BasicInfo":
        row = (item, *data.items.loc[item], user, *data.users.loc[user, PERSON])
        return pd.DataFrame([row], columns=COLUMNS[agent])
    rows = rated(data)
    if agent == "UserHistory":
        rows = rows[rows["user_id"] == user]
    else:
        rows = rows[rows["movie_id"] == item]
        alike = rows["user_id"].map(similarities(data)[user])
        order = np.argsort(-alike, kind="stable")
        rows = rows.assign(user_pref_similarity=alike.round(2)).iloc[order]
    return rows[COLUMNS[agent]].reset_index(drop=True)
