"""What a language model is told of the matter under discussion, and the form of its proposals."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Protocol

import numpy as np

from support.environments.exchange_economy import ExchangeEconomy
from support.models.profiles import TIGHT
from support.participants.negotiators.rule_based import largest_remainder
from support.prompts import render

if TYPE_CHECKING:
    from pydantic import BaseModel

    from support.participants.asking import Shown


class Matter(Protocol):
    """What a language model is told of the matter under discussion, and the form of its proposals.

    `agents` names who sits there, `shape` says in two words what a proposal is ("a table"), `extra_tokens` is the
    room that a reply needs beyond `TOKENS`.
    """

    agents: tuple[str, ...]
    shape: str
    extra_tokens: int

    def task(self) -> str:
        """The matter, as everybody is told it."""

    def goal(self, me: str, shown: Shown) -> str:
        """What only `me` is told: what it wants and what it knows, as far as it is shown."""

    def form(self) -> str:
        """A proposal as an example, and what makes one valid."""

    def schema(self, most: int) -> type[BaseModel]:
        """Schema of a reply with a private `reason`, so long at most, and a `proposal`, or null in its place."""

    def proposed(self, reply: Any) -> Any:
        """The proposal of a reply of `schema`, in the environment's frozen form; None for none."""

    def describe(self, value: Any) -> str:
        """A proposal in one line of text."""


class EconomyMatter:
    """The exchange economy as a language model is told it: no exponents but its own."""

    shape = "a table"

    def __init__(self, economy: ExchangeEconomy) -> None:
        self.economy, self.agents, self.describe = economy, economy.agents, economy.describe
        self.extra_tokens = 10 * max(len(economy.agents) * len(economy.goods) - 9, 0)

    def task(self) -> str:
        """Who shares out which goods."""
        return render("roundtable/exchange_economy/task", **self._facts("agents", "goods", "endowment"))

    def goal(self, me: str, shown: Shown) -> str:
        """The own utility function."""
        weights = zip(self.economy.goods, self.economy.background(me).weights, strict=True)
        return render("roundtable/exchange_economy/goal", weights=list(weights))

    def form(self) -> str:
        """A table with numbers in it: shares that nobody would ask for, turned from good to good."""
        agents, goods = self.agents, self.economy.goods
        parts = largest_remainder(np.arange(1.0, len(agents) + 1) / (len(agents) * (len(agents) + 1) / 2) * 100, 100)
        table = {a: [int(parts[(i + k) % len(agents)]) for k in range(len(goods))] for i, a in enumerate(agents)}
        total = " + ".join(str(row[0]) for row in table.values())
        facts = self._facts("goods", "endowment")
        return render(
            "roundtable/exchange_economy/proposal_form", **facts, example=json.dumps(table), sum_example=total
        )

    def schema(self, most: int) -> type[BaseModel]:
        """See `proposal_schema`."""
        return proposal_schema(self.economy, most)

    def proposed(self, reply: Any) -> Any:
        """An allocation, or None."""
        return reply.proposal and self.economy.validate(reply.proposal.model_dump())

    def _facts(self, *names: str) -> dict[str, Any]:
        return {name: getattr(self.economy, name) for name in names}


@cache
def proposal_schema(economy: ExchangeEconomy, most: int = TIGHT.reason) -> type[BaseModel]:
    """Schema of a proposal: per agent the amounts in the order of the goods, as the economy accepts them, or null."""
    from pydantic import Field, create_model, model_validator

    amount = Annotated[float, Field(ge=0, le=economy.endowment)]
    row = Annotated[list[amount], Field(min_length=len(economy.goods), max_length=len(economy.goods))]
    table = create_model("Amounts", **dict.fromkeys(economy.agents, (row, ...)))  # type: ignore[call-overload]

    def shares_out_everything(self: Any) -> Any:
        if self.proposal is not None:
            economy.validate(self.proposal.model_dump())
        return self

    validators: dict[str, Any] = {"shares_out_everything": model_validator(mode="after")(shares_out_everything)}
    return create_model(
        "ProposalReply",
        reason=(str, Field(max_length=most)),
        proposal=(table | None, ...),
        __validators__=validators,
    )
