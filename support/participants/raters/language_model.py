"""What a language model is told when it predicts a rating (RoundTable, section 4.2 and appendix C.4)."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Annotated, Any

from support.models.profiles import TIGHT
from support.participants.raters.evidence import HIGHEST, LOWEST
from support.prompts import render

if TYPE_CHECKING:
    from pydantic import BaseModel

    from support.environments.movielens import MovieLens
    from support.participants.asking import Shown


class RatingMatter:
    """The rating task as a language model is told it: no table but its own; see `matter.Matter`."""

    shape = "a number"
    extra_tokens = 0

    def __init__(self, environment: MovieLens) -> None:
        self.environment, self.agents, self.describe = environment, environment.agents, environment.describe

    def task(self) -> str:
        """Which film, and who has which data."""
        from support.environments.movielens.backgrounds import ABOUT

        title = self.environment.background(self.agents[0]).title
        return render(
            "roundtable/movielens/task", title=title, schemas=[(agent, ABOUT[agent]) for agent in self.agents]
        )

    def goal(self, me: str, shown: Shown) -> str:
        """The own table, as many of its rows as are shown, and the recommender's word for who may ask it."""
        b = self.environment.background(me)
        rows = [[_cell(value) for value in row] for row in b.table.itertuples(index=False)]
        kept = rows[: shown.rows([" | ".join(row) for row in rows])]
        facts = {"columns": list(b.table.columns), "rows": kept, "total": len(rows), "about": b.about}
        advice = {"consultation": b.consultation, "error": b.consultation_error}
        return render("roundtable/movielens/goal", **facts, **advice)

    def form(self) -> str:
        """A number as an example."""
        return render("roundtable/movielens/proposal_form")

    def schema(self, most: int) -> type[BaseModel]:
        """See `rating_schema`."""
        return rating_schema(most)

    def proposed(self, reply: Any) -> float | None:
        """Stars, or None."""
        return None if reply.proposal is None else self.environment.validate(reply.proposal)


def _cell(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple | list) else str(value)


@cache
def rating_schema(most: int = TIGHT.reason) -> type[BaseModel]:
    """Schema of a proposed rating from 1 to 5, or null."""
    from pydantic import Field, create_model

    number: Any = Annotated[float, Field(ge=LOWEST, le=HIGHEST)] | None
    return create_model("RatingReply", reason=(str, Field(max_length=most)), proposal=(number, ...))
