"""The language-model negotiator: prompts of our own in the order that the paper gives (appendix A.2)."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from support.environments.exchange_economy import ExchangeEconomy
from support.models.profiles import TIGHT
from support.participants.asking import Asker, words
from support.participants.negotiators.matter import EconomyMatter, Matter
from support.prompts import render
from support.records import Ballot, Message, Proposal, Round, View

if TYPE_CHECKING:
    from pydantic import BaseModel

    from support.models.model import ChatModel

TOKENS = {"message": 120, "propose": 200, "vote": 120}  # enough for three agents; more agents get more


class LanguageModel(Asker):
    """A seat taken by a language model. Its reasons stay private; its replies are counted in `replies`.

    Parameters
    ----------
    matter : Matter or ExchangeEconomy
        Describes the task; the model is told no private knowledge but its own.
    me : str
        The agent it speaks for.
    model : ChatModel or str
    **settings
        See `Asker`; the temperature is 0 in the paper.
    """

    def __init__(
        self,
        matter: Matter | ExchangeEconomy,
        me: str,
        model: ChatModel | str,
        **settings: Any,
    ) -> None:
        super().__init__(model, **settings)
        self.matter: Matter = EconomyMatter(matter) if isinstance(matter, ExchangeEconomy) else matter
        self.me = me

    async def message(self, view: View) -> Message | None:
        """Ask for a message and its recipients."""
        others, most = _others(view), self.limits.message
        told = {"others": others, "words": words(self.limits, most)}
        prompt = render("roundtable/message", me=self.me, round=view.round, **told)
        reply = await self._ask(view, prompt, message_schema(others, most), "message")
        return Message(self.me, tuple(reply.target), reply.message)

    async def propose(self, view: View) -> Proposal | None:
        """Ask for a proposal; one that is not valid goes back to the model with the reason."""
        latest = dict(view.latest).get(self.me)
        described = self.matter.describe(latest) if latest else ""
        facts = {"latest": described, "form": self.matter.form(), "shape": self.matter.shape}
        prompt = render("roundtable/proposal", me=self.me, round=view.round, words=self._words, **facts)
        reply = await self._ask(view, prompt, self.matter.schema(self.limits.reason), "propose")
        return Proposal(self.me, self.matter.proposed(reply), reply.reason)

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
            words=self._words,
        )
        reply = await self._ask(view, prompt, ballot_schema(view.form, ids, self.limits.reason), "vote")
        return Ballot(self.me, reply.choice(), reply.reason)

    async def _ask(self, view: View, prompt: str, schema: type[BaseModel], phase: str) -> Any:
        return await self.ask_model(schema, TOKENS[phase] + self.matter.extra_tokens, prompt, self.briefing(view))

    @property
    def _words(self) -> int:
        return words(self.limits, self.limits.reason)

    def briefing(self, view: View) -> str:
        """What the model is told before each question: who it is, the task, the rules, its goal, the record."""
        last: Round | None = view.history[-1] if view.history else None
        return render(
            "roundtable/initialization",
            me=self.me,
            others=_others(view),
            task=self.matter.task(),
            goal=self.matter.goal(self.me, self.shown),
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

    def _candidate(self, candidate: Any) -> str:
        who = ", ".join(candidate.proposers) or "the standing decision"
        return f"{candidate.id} (from {who}): {self.matter.describe(candidate.value)}"

    def _standing(self, view: View) -> str:
        d = view.decision
        return f"{d.candidate}, accepted in round {d.round}: {self.matter.describe(d.value)}" if d else ""


def _others(view: View) -> list[str]:
    return [agent for agent in view.agents if agent != view.me]


def _said(view: View) -> list[str]:
    rounds = [(r.number, r.messages) for r in view.history] + [(view.round, view.messages)]
    return [f"Round {n}, {m.sender} to {', '.join(m.recipients)}: {m.text}" for n, said in rounds for m in said]


def message_schema(others: list[str], most: int = TIGHT.message) -> type[BaseModel]:
    """Schema of a message to some of `others`, of so many characters at most."""
    return _message_schema(tuple(others), most)


@cache
def _message_schema(others: tuple[str, ...], most: int) -> type[BaseModel]:
    from pydantic import Field, create_model

    names = Literal[others]  # type: ignore[valid-type]
    return create_model(
        "MessageReply",
        target=(list[names], Field(min_length=1, max_length=len(others))),
        message=(str, Field(min_length=1, max_length=most)),
    )


@cache
def ballot_schema(form: str, ids: tuple[str, ...], most: int = TIGHT.reason) -> type[BaseModel]:
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
        "reason": (str, Field(max_length=most)),
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
