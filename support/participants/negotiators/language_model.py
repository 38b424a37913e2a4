"""The language-model negotiator: prompts of our own in the order that the paper gives (appendix A.2)."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np

from support.environments.exchange_economy import ExchangeEconomy
from support.participants.negotiators.rule_based import largest_remainder
from support.prompts import render
from support.records import Ballot, Message, Proposal, Round, View

if TYPE_CHECKING:
    from pydantic import BaseModel

    from support.llm import ChatModel

REASON = 160  # characters of private reasoning; a schema without bounds lets small models run on
TEXT = 240  # characters of a message
TOKENS = {"message": 120, "propose": 200, "vote": 120}  # enough for three agents; more agents get more


class LanguageModel:
    """A seat taken by a language model. Its reasons stay private; its replies are counted in `replies`.

    Parameters
    ----------
    economy : ExchangeEconomy
        Describes the task; the model is told no exponents but its own.
    me : str
        The agent it speaks for.
    model : ChatModel
        From `support.llm.connect`.
    temperature : float
        0 in the paper.
    repetition : int
        Tells repeated discussions apart in the cache.
    """

    def __init__(
        self,
        economy: ExchangeEconomy,
        me: str,
        model: ChatModel,
        *,
        temperature: float = 0.0,
        seed: int | None = 0,
        repetition: int = 0,
    ) -> None:
        self.economy, self.me, self.model = economy, me, model
        self.settings: dict[str, Any] = {"temperature": temperature, "seed": seed, "repetition": repetition}
        self.kind = f"model {model.model}"
        self.replies = 0

    async def message(self, view: View) -> Message | None:
        """Ask for a message and its recipients."""
        prompt = render("roundtable/message", me=self.me, round=view.round, others=_others(view))
        reply = await self._ask(view, prompt, message_schema(_others(view)), "message")
        return Message(self.me, tuple(reply.target), reply.message)

    async def propose(self, view: View) -> Proposal | None:
        """Ask for a proposal; one that is no allocation goes back to the model with the reason."""
        latest = dict(view.latest).get(self.me)
        form = render(
            "roundtable/exchange_economy/proposal_form", **self._facts("goods", "endowment"), **self._example()
        )
        described = self.economy.describe(latest) if latest else ""
        prompt = render("roundtable/proposal", me=self.me, round=view.round, latest=described, form=form)
        reply = await self._ask(view, prompt, proposal_schema(self.economy), "propose")
        return Proposal(self.me, reply.proposal and self.economy.validate(reply.proposal.model_dump()), reply.reason)

    async def vote(self, view: View) -> Ballot:
        """Ask for a ballot of the rule's form; one that breaks the form goes back with the reason."""
        if not view.candidates:
            return Ballot(self.me, None)
        ids = tuple(c.id for c in view.candidates)
        prompt = render(
            "roundtable/ballot",
            me=self.me,
            round=view.round,
            candidates=[self._candidate(c) for c in view.candidates],
            ids=ids,
            rule=view.rule,
            explanation=view.explanation,
            form=view.form,
        )
        reply = await self._ask(view, prompt, ballot_schema(view.form, ids), "vote")
        return Ballot(self.me, reply.choice(), reply.reason)

    async def _ask(self, view: View, prompt: str, schema: type[BaseModel], phase: str) -> Any:
        self.replies += 1
        messages = [{"role": "system", "content": self.briefing(view)}, {"role": "user", "content": prompt}]
        room = TOKENS[phase] + 10 * max(len(self.economy.agents) * len(self.economy.goods) - 9, 0)
        reply = await self.model.reply(messages, schema=schema, max_tokens=room, **self.settings)
        return reply.value

    def briefing(self, view: View) -> str:
        """What the model is told before each question: who it is, the task, the rules, its goal, the record."""
        last: Round | None = view.history[-1] if view.history else None
        weights = dict(zip(self.economy.goods, self.economy.background(self.me).weights, strict=True))
        return render(
            "roundtable/initialization",
            me=self.me,
            others=_others(view),
            task=render("roundtable/exchange_economy/task", **self._facts("agents", "goods", "endowment")),
            goal=render("roundtable/exchange_economy/goal", weights=list(weights.items())),
            rounds=view.rounds,
            rule=view.rule,
            explanation=view.explanation,
            history=bool(view.history),
            last_round=last.number if last else 0,
            candidates=[self._candidate(c) for c in last.candidates] if last else [],
            ballots=[f"{b.agent}: {b.text}" for b in last.ballots] if last else [],
            result=last.why if last else "",
            standing=self._standing(view),
            messages=_said(view),
        )

    def _example(self) -> dict[str, str]:
        """The form of a proposal with numbers in it: shares that nobody would ask for, turned from good to good."""
        agents, goods = self.economy.agents, self.economy.goods
        parts = largest_remainder(np.arange(1.0, len(agents) + 1) / (len(agents) * (len(agents) + 1) / 2) * 100, 100)
        table = {a: [int(parts[(i + k) % len(agents)]) for k in range(len(goods))] for i, a in enumerate(agents)}
        return {"example": json.dumps(table), "sum_example": " + ".join(str(row[0]) for row in table.values())}

    def _facts(self, *names: str) -> dict[str, Any]:
        return {name: getattr(self.economy, name) for name in names}

    def _candidate(self, candidate: Any) -> str:
        who = ", ".join(candidate.proposers) or "the standing decision"
        return f"{candidate.id} (from {who}): {self.economy.describe(candidate.value)}"

    def _standing(self, view: View) -> str:
        d = view.decision
        return f"{d.candidate}, accepted in round {d.round}: {self.economy.describe(d.value)}" if d else ""


def _others(view: View) -> list[str]:
    return [agent for agent in view.agents if agent != view.me]


def _said(view: View) -> list[str]:
    rounds = [(r.number, r.messages) for r in view.history] + [(view.round, view.messages)]
    return [f"Round {n}, {m.sender} to {', '.join(m.recipients)}: {m.text}" for n, said in rounds for m in said]


def message_schema(others: list[str]) -> type[BaseModel]:
    """Schema of a message to some of `others`."""
    return _message_schema(tuple(others))


@cache
def _message_schema(others: tuple[str, ...]) -> type[BaseModel]:
    from pydantic import Field, create_model

    names = Literal[others]  # type: ignore[valid-type]
    return create_model(
        "MessageReply",
        target=(list[names], Field(min_length=1, max_length=len(others))),
        message=(str, Field(min_length=1, max_length=TEXT)),
    )


@cache
def proposal_schema(economy: ExchangeEconomy) -> type[BaseModel]:
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
        reason=(str, Field(max_length=REASON)),
        proposal=(table | None, ...),
        __validators__=validators,
    )


@cache
def ballot_schema(form: str, ids: tuple[str, ...]) -> type[BaseModel]:
    """Schema of a ballot of a form ("vote", "ratings", "ranking", "points") over candidates; null abstains."""
    from pydantic import BaseModel, Field, create_model

    one = Literal[ids]  # type: ignore[valid-type]
    per_candidate: Any = {
        "ratings": (int, Field(ge=1, le=5)),
        "points": (int, Field(ge=0, le=len(ids))),
    }.get(form)
    if form == "vote":
        kind: Any = one | None
    elif form == "ranking":
        kind = list[one] | None
    else:
        kind = create_model(form.title(), **dict.fromkeys(ids, per_candidate)) | None

    class BallotReply(BaseModel):
        """A ballot with the private reason before it."""

        def choice(self) -> Any:
            """The ballot as a record holds it."""
            value = getattr(self, form)
            if isinstance(value, BaseModel):
                return tuple(value.model_dump().items())
            return tuple(value) if isinstance(value, list) else value

    fields: dict[str, Any] = {
        "reason": (str, Field(max_length=REASON)),
        form: (kind, Field(max_length=len(ids)) if form == "ranking" else ...),
    }
    return create_model("BallotReply", __base__=BallotReply, __validators__=_ballot_check(form, ids), **fields)


def _ballot_check(form: str, ids: tuple[str, ...]) -> dict[str, Any]:
    """What a JSON schema cannot say: every candidate ranked once, points that sum to the number of candidates."""
    from pydantic import model_validator

    def complete(self: Any) -> Any:
        value = getattr(self, form)
        if form == "ranking" and value is not None and sorted(value) != sorted(ids):
            raise ValueError(f"ranking: {value} given; list each of {list(ids)} exactly once")
        if form == "points" and value is not None and (total := sum(value.model_dump().values())) != len(ids):
            raise ValueError(f"points: they sum to {total}; they have to sum to exactly {len(ids)}")
        return self

    return {"complete": model_validator(mode="after")(complete)}
