"""The exchange economy of RoundTable: K agents share out K goods (section 4.1, appendices C.2 and C.3).

Agent i's utility is Cobb-Douglas, u_i = prod_k a_k ** theta_ik, over its amounts a_k of the goods. The group's hidden
goal is the total of the utilities, of which each agent knows only its own part.
"""

from __future__ import annotations

import reprlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Annotated, Any

import numpy as np
from pydantic import BaseModel, BeforeValidator, Field

from support.errors import InvalidInput, InvalidProposal
from support.prompts import render
from support.seats import Shown, form
from support.solvers.welfare import (
    cobb_douglas,
    utilitarian_allocation,
)

AGENTS = (
    "Ana",
    "Ben",
    "Cleo",
    "Dev",
    "Eli",
    "Fay",
    "Gus",
    "Hana",
)
GOODS = tuple("ABCDEFGH")
PREFERENCES = ("asymmetric", "symmetric", "uniform")
EXPONENTS = ("sum_to_one", "printed")
ECONOMIES = 2024  # the seed of drawn economies
ENDOWMENT = 100.0
TOLERANCE = 0.001  # share of its endowment by which a good's column may miss it: thirds written as 33.3 pass

Allocation = tuple[tuple[float, ...], ...]
"""Amounts by agent (rows) and good (columns); frozen, so that identical proposals are equal."""


@dataclass(frozen=True)
class Background:
    """What one agent knows of the economy: its own exponents theta, `weights` of shape (goods,), and no other's."""

    me: str
    agents: tuple[str, ...]
    goods: tuple[str, ...]
    weights: tuple[float, ...]
    endowment: float = ENDOWMENT

    @property
    def index(self) -> int:
        """The agent's row in an allocation."""
        return self.agents.index(self.me)

    def share(self, amounts: Sequence[float]) -> float:
        """Own utility of one row of amounts as a share of having everything."""
        own = cobb_douglas(np.asarray(amounts, float), np.asarray(self.weights))
        return float(own) / self.endowment ** sum(self.weights)


@dataclass(frozen=True)
class ExchangeEconomy:
    """An economy given by its exponents, shape (agents, goods); the paper's are made by `exchange_economy`.

    >>> economy = ExchangeEconomy(weights=((0.5, 0.5), (0.5, 0.5)))
    >>> economy.utilities([[50, 50], [50, 50]])
    array([50., 50.])
    """

    weights: tuple[tuple[float, ...], ...]
    endowment: float = ENDOWMENT
    preferences: str = "custom"
    exponents: str = "sum_to_one"

    shape = "a table"
    claim_words = "your exponent of each good"

    def __post_init__(self) -> None:
        """Take any table of numbers, also a frame, and refuse what is none."""
        try:
            table = np.array(self.weights, float)
        except (TypeError, ValueError):  # words, or rows of several lengths
            table = np.empty(0)
        fits = table.ndim == 2 and table.size and max(table.shape) <= len(AGENTS)
        if not fits or not (table >= 0).all():
            given = reprlib.repr(self.weights)
            wanted = "a row of exponents of 0 or more for each of up to 8 agents"
            raise InvalidInput(
                f"weights: {given} given; expected {wanted}, equally long, none missing"
            )
        object.__setattr__(self, "weights", tuple(map(tuple, table.tolist())))

    @property
    def agents(self) -> tuple[str, ...]:
        """Names of the rows of an allocation."""
        return AGENTS[: len(self.weights)]

    @property
    def goods(self) -> tuple[str, ...]:
        """Names of the columns of an allocation."""
        return GOODS[: len(self.weights[0])]

    claim_names = goods

    def background(self, agent: str) -> Background:
        """What `agent` knows."""
        weights = self.weights[self.agents.index(agent)]
        return Background(
            agent,
            self.agents,
            self.goods,
            weights,
            self.endowment,
        )

    # ---- what a decision is, and what it is worth

    def utilities(self, allocation: Any) -> np.ndarray:
        """Utilities, shape (..., agents), of allocations, shape (..., agents, goods)."""
        return cobb_douglas(
            np.asarray(allocation, float),
            np.asarray(self.weights),
        )

    @cached_property
    def maximum(self) -> float:
        """The largest total utility that an allocation can reach, U_max of the paper."""
        return float(self.utilities(self.best_allocation).sum())

    @cached_property
    def best_allocation(self) -> np.ndarray:
        """An allocation of the largest total utility, shape (agents, goods)."""
        return utilitarian_allocation(self.weights, self.endowment)

    @property
    def even_split(self) -> Allocation:
        """Every good shared out equally."""
        share = self.endowment / len(self.agents)
        return ((share,) * len(self.goods),) * len(self.agents)

    def validate(self, proposal: Any) -> Allocation:
        """A proposal as an `Allocation`, or InvalidProposal; by name or in order.

        A good's amounts may miss its endowment by at most `TOLERANCE` of it; they are
        then scaled to meet it.
        """
        try:
            rows = _in_order(proposal, self.agents)
            given = np.array(
                [_in_order(row, self.goods) for row in rows],
                float,
            )
            if given.shape != np.shape(self.weights) or not (given >= 0).all():
                raise ValueError
        except (TypeError, ValueError, OverflowError):
            raise InvalidProposal(
                f"proposal: {reprlib.repr(proposal)} given; expected an amount, 0 or "
                f"more, of each of {', '.join(self.goods)} for each of "
                f"{', '.join(self.agents)}"
            ) from None
        amounts = np.abs(np.round(given, 6))  # -0.0 is 0
        totals = amounts.sum(axis=0)
        off = np.abs(totals - self.endowment)
        if off.max() > TOLERANCE * self.endowment + 1e-9:
            worst = off.argmax()
            raise InvalidProposal(
                f"good {self.goods[worst]}: the agents' amounts sum to "
                f"{totals[worst]:g}; share out exactly {self.endowment:g} of every good"
            )
        exact = off < 5e-6  # what rounding can have moved: twice is as once
        scaled = amounts * np.where(exact, 1.0, self.endowment / totals)
        return tuple(tuple(row) for row in scaled.round(6).tolist())

    def describe(self, allocation: Allocation) -> str:
        """An allocation in one line of text, as participants read it."""
        parts = []
        for agent, row in zip(self.agents, allocation, strict=True):
            amounts = map("{:g} of {}".format, row, self.goods)
            parts.append(f"{agent} gets {', '.join(amounts)}")
        return "; ".join(parts)

    def spec(self) -> dict[str, Any]:
        """What `from_spec` needs to build this economy again, as plain data."""
        return {
            "name": "exchange_economy",
            **asdict(self),
            "weights": list(map(list, self.weights)),
        }

    # ---- what a model is told

    def task(self) -> str:
        """Who shares out which goods."""
        return self._told("task")

    def goal(self, me: str, shown: Shown) -> str:
        """The own utility function, and nobody else's."""
        weights = zip(self.goods, self.background(me).weights, strict=True)
        return render("roundtable/exchange_economy/goal", weights=weights)

    def form(self) -> str:
        """A table without numbers, and what makes one valid."""
        return self._told("proposal_form")

    def _told(self, name: str) -> str:
        return render(
            f"roundtable/exchange_economy/{name}",
            agents=self.agents,
            goods=self.goods,
            endowment=self.endowment,
        )

    @property
    def reply(self) -> type[BaseModel]:
        """The type of a proposal: per agent the amounts, in the order of the goods or by name."""
        in_order = BeforeValidator(lambda row: _in_order(row, self.goods))
        amount: Any = self._amount
        n = len(self.goods)
        length = Field(min_length=n, max_length=n)
        row: Any = Annotated[list[amount], length, in_order]
        return form("Amounts", **dict.fromkeys(self.agents, row))

    @property
    def by_name(self) -> type[BaseModel]:
        """The same as a person fills it in: per agent and good."""
        named = form("Row", **dict.fromkeys(self.goods, self._amount))
        return form("Amounts", **dict.fromkeys(self.agents, named))

    @property
    def _amount(self) -> Any:
        return Annotated[float, Field(ge=0, le=self.endowment)]

    @property
    def extra_tokens(self) -> int:
        """Room that a model's reply needs beyond that for three agents and goods."""
        return 10 * max(np.size(self.weights) - 9, 0)


def exchange_economy(
    preferences: str = "asymmetric",
    agents: int = 3,
    exponents: str = "sum_to_one",
    drawn: int | None = None,
) -> ExchangeEconomy:
    """An economy of the paper, with as many goods as agents, K, from 2 to 8.

    `preferences`: each agent has a favourite good of its own ("asymmetric", exponent 0.8), all share one ("symmetric"),
    nobody has one ("uniform"). `exponents`: the paper asks for exponents that sum to one and prints (1 - 0.8) / K for
    the others, which sums to less; "sum_to_one" shares the remainder over the K - 1 other goods, "printed" does not.

    `drawn` is the number of an economy of that kind whose exponents are drawn: a
    favourite's evenly from 0.7 to 0.9, and what the others sum to is shared out at
    random; "uniform" ones lie within a fifth of 1 / K. "symmetric" agents are alike.
    """
    for setting, value, allowed in (
        ("preferences", preferences, PREFERENCES),
        ("exponents", exponents, EXPONENTS),
        ("agents", agents, range(2, len(AGENTS) + 1)),
    ):
        if value not in allowed:
            choices = ", ".join(map(str, allowed))
            raise InvalidInput(f"{setting}: {value!r} given; expected one of {choices}")
    if drawn is not None:
        rows = _drawn(preferences, agents, exponents, drawn)
    elif preferences == "uniform":
        rows = np.full((agents, agents), 1 / agents)
    else:
        others = agents if exponents == "printed" else agents - 1
        rows = np.full((agents, agents), 0.2 / others)
        rows[:, 0] = 0.8
    if preferences == "symmetric":
        rows[:] = rows[0]
    if preferences == "asymmetric":
        rows = np.stack([np.roll(row, place) for place, row in enumerate(rows)])
    weights = tuple(map(tuple, rows.tolist()))
    return ExchangeEconomy(weights, preferences=preferences, exponents=exponents)


def _drawn(
    preferences: str,
    agents: int,
    exponents: str,
    number: int,
) -> np.ndarray:
    """Exponents of shape (agents, goods), the favourite first, from a stream that nothing
    else draws from; of three decimals, as they are told."""
    rng = np.random.default_rng([ECONOMIES, number])
    favourite = rng.uniform(0.7, 0.9, (agents, 1))
    others = (1 - favourite) * rng.dirichlet([5] * (agents - 1), agents)
    if exponents == "printed":
        others *= (agents - 1) / agents
    rows = np.hstack([favourite, others])
    if preferences == "uniform":
        rows = rng.uniform(0.8, 1.2, (agents, agents))
        rows /= rows.sum(axis=1, keepdims=True)
    rounded = rows.round(3)
    rounded[:, 0] = rows.sum(axis=1) - rounded[:, 1:].sum(axis=1)
    return rounded.round(3)


def from_spec(spec: Mapping[str, Any]) -> ExchangeEconomy:
    """The economy whose `spec()` a transcript holds."""
    weights = tuple(map(tuple, spec["weights"]))
    return ExchangeEconomy(
        weights,
        spec["endowment"],
        spec["preferences"],
        spec["exponents"],
    )


def _in_order(values: Any, names: Sequence[str]) -> Any:
    """What stands for each of some names: in a mapping, 0 where it has none, or in order."""
    if isinstance(values, Mapping) and set(values) <= set(names):
        return [values.get(name, 0) for name in names]
    return values


def whole_units(amounts: np.ndarray, endowment: float) -> Allocation:
    """An allocation in whole units that still meets the endowment (largest remainders, good by good)."""
    whole = largest_remainder(amounts, round(endowment))
    return tuple(map(tuple, whole.tolist()))


def largest_remainder(quota: np.ndarray, total: int) -> np.ndarray:
    """Whole numbers near `quota` whose columns sum to `total` (Hamilton's method); ties go to the first."""
    whole = np.floor(quota + 1e-9)
    order = (whole - quota).argsort(axis=0, kind="stable")
    place = order.argsort(axis=0, kind="stable")
    return whole + (place < total - whole.sum(axis=0))
