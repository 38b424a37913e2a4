"""Who sits at the round table: a model, a person, a rule. Each is asked three things a round, and given a `View`:

- `message`: a `Message` to some of the others, or None;
- `propose`: a `Proposal`, whose value is whatever the environment's `validate` takes, or None to let the latest stand;
- `vote`: a `Ballot` in the form that `view.form` names: the id of a candidate ("vote"), ids from best to worst
  ("ranking"), or (id, number) pairs ("ratings", "points"); choice None abstains.

A class of your own with a text `kind` and these coroutines takes a seat, too: it is called with an agent's name and its
random stream, and with the environment (`table.Environment`) if it takes `own`. The rule-based kinds know exchange
economies only, or the rating task.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial
from typing import Any, Literal

import numpy as np
from pydantic import BaseModel, Field, create_model, model_validator

from support.choice import RULES, check_ballot
from support.errors import InvalidInput
from support.roundtable import negotiators
from support.roundtable.records import Ballot, Message, Proposal, View
from support.roundtable.table import Environment, check_environment
from support.seats import (
    Act,
    Ask,
    ModelSeat,
    Role,
    Seats,
    Spoken,
    called,
    check_number,
    form,
    text,
)

# ---- a language model ------------------------------------------------------------------------------------------------


def _briefing(seat: ModelSeat, view: View) -> dict[str, Any]:
    """What the model is told before each question: who it is, the task, the rules, its goal, the record."""
    last, decided = view.history[-1] if view.history else None, view.decision
    standing = (
        decided
        and f"{decided.candidate}, accepted in round {decided.round}: {seat.own.describe(decided.value)}"
    )
    rounds = [(r.number, r.messages) for r in view.history] + [
        (view.round, view.messages)
    ]
    return {
        "me": seat.me,
        "others": _others(view),
        "task": seat.own.task(),
        "goal": seat.own.goal(seat.me, seat.shown),
        "rounds": view.rounds,
        "rule": view.rule,
        "explanation": view.explanation,
        "history": bool(view.history),
        "last_round": last.number if last else 0,
        "candidates": _listed(seat, last.candidates) if last else [],
        "ballots": [f"{b.agent}: {b.text}" for b in last.ballots] if last else [],
        "result": last.why if last else "",
        "standing": standing or "",
        "messages": [
            f"Round {n}, {m.sender} to {', '.join(m.recipients)}: {m.text}"
            for n, said in rounds
            for m in said
        ],
    }


def _listed(seat: ModelSeat, candidates: Any) -> list[str]:
    from_whom = [", ".join(c.proposers) or "the standing decision" for c in candidates]
    return [
        f"{c.id} (from {who}): {seat.own.describe(c.value)}"
        for c, who in zip(candidates, from_whom, strict=True)
    ]


def _others(view: View) -> list[str]:
    return [agent for agent in view.agents if agent != view.me]


@cache
def message_form(names: tuple[str, ...], most: int) -> type[BaseModel]:
    """{"target", "message"}: to some of the others, of so many characters."""
    target = (list[Literal[names]], Field(min_length=1, max_length=len(names)))  # type: ignore[valid-type]
    return form("MessageReply", target=target, message=text(most))


@cache
def ballot_form(kind: str, ids: tuple[str, ...], most: int) -> type[BaseModel]:
    """{"reason", kind}: a ballot of a kind ("vote", "ratings", "ranking", "points"), or null to abstain."""
    one: Any = Literal[ids]
    limits = {
        "ratings": (int, Field(ge=1, le=5)),
        "points": (int, Field(ge=0, le=len(ids))),
    }
    if kind in limits:
        each: dict[str, Any] = dict.fromkeys(ids, limits[kind])
        field: Any = form(kind.title(), **each) | None
    else:
        field = (
            one | None
            if kind == "vote"
            else (list[one] | None, Field(max_length=len(ids)))
        )

    def complete(reply: Any) -> None:
        value = getattr(reply, kind)
        if kind == "ranking" and value is not None and sorted(value) != sorted(ids):
            raise ValueError(
                f"ranking: {value} given; list each of {list(ids)} exactly once"
            )
        if (
            kind == "points"
            and value is not None
            and (total := sum(value.model_dump().values())) != len(ids)
        ):
            raise ValueError(
                f"points: they sum to {total}; they have to sum to exactly {len(ids)}"
            )

    return form("BallotReply", complete, reason=text(most, 0), **{kind: field})


def _plain(value: Any) -> Any:
    return value.model_dump() if hasattr(value, "model_dump") else value


def _frozen(choice: Any) -> Any:
    """A choice as a record holds it: pairs for numbers, a tuple for a ranking."""
    if isinstance(choice, dict):
        return tuple(choice.items())
    return tuple(choice) if isinstance(choice, list) else choice


def _proposal_form(seat: ModelSeat, view: View) -> type[BaseModel]:
    """The environment's form with its `validate` behind it: a model is asked again for what either refuses."""

    def valid(reply: Any) -> Any:
        if reply.proposal is not None:
            seat.own.validate(_plain(reply.proposal))
        return reply

    known = vars(seat)
    if "proposal_form" not in known:  # 2 ms, at each proposal
        schema: Any = seat.own.schema(seat.limits.reason)
        validators: Any = {"valid": model_validator(mode="after")(valid)}
        known["proposal_form"] = create_model(
            schema.__name__, __base__=schema, __validators__=validators
        )
    return known["proposal_form"]


def _asked(
    seat: ModelSeat, view: View, characters: int, **facts: Any
) -> dict[str, Any]:
    return {
        "me": seat.me,
        "round": view.round,
        "words": seat.words(characters),
        **facts,
    }


def _proposing(seat: ModelSeat, view: View) -> dict[str, Any]:
    latest = dict(view.latest).get(seat.me)
    said = "" if latest is None else seat.own.describe(latest)
    return _asked(
        seat,
        view,
        seat.limits.reason,
        latest=said,
        form=seat.own.form(),
        shape=seat.own.shape,
    )


def _proposed(seat: ModelSeat, reply: Any, view: View) -> Proposal:
    value = _plain(reply.proposal)
    return Proposal(
        seat.me, None if value is None else seat.own.validate(value), reply.reason
    )


def _voting(seat: ModelSeat, view: View) -> dict[str, Any]:
    facts = {
        "candidates": _listed(seat, view.candidates),
        "ids": _ids(view),
        "form": view.form,
    }
    return _asked(
        seat,
        view,
        seat.limits.reason,
        rule=view.rule,
        explanation=view.explanation,
        **facts,
    )


def _ids(view: View) -> tuple[str, ...]:
    return tuple(candidate.id for candidate in view.candidates)


def _nothing_to_vote_on(seat: Any, view: View) -> Ballot | None:
    return None if view.candidates else Ballot(seat.me, None)


def _room(tokens: int) -> Any:
    return lambda seat, view: tokens + getattr(seat.own, "extra_tokens", 0)


_BRIEFED: dict[str, Any] = {"briefing": "roundtable/initialization", "told": _briefing}

ACTS = {
    "message": Act(
        "roundtable/message",
        lambda seat, view: message_form(tuple(_others(view)), seat.limits.message),
        lambda seat, view: _asked(
            seat, view, seat.limits.message, others=_others(view)
        ),
        lambda seat, reply, view: Message(seat.me, tuple(reply.target), reply.message),
        room=_room(120),
        **_BRIEFED,
    ),
    "propose": Act(
        "roundtable/proposal",
        _proposal_form,
        _proposing,
        _proposed,
        room=_room(200),
        **_BRIEFED,
    ),
    "vote": Act(
        "roundtable/ballot",
        lambda seat, view: ballot_form(view.form, _ids(view), seat.limits.reason),
        _voting,
        lambda seat, reply, view: Ballot(
            seat.me, _frozen(_plain(getattr(reply, view.form))), reply.reason
        ),
        room=_room(120),
        unasked=_nothing_to_vote_on,
        **_BRIEFED,
    ),
}


# ---- a person --------------------------------------------------------------------------------------------------------


def _checked_message(seat: Any, said: Any, view: View) -> Message | None:
    """Answer: (recipients, text) or None."""
    if said is None or not said[1].strip():
        return None
    recipients = tuple(said[0])
    if not recipients or any(r not in _others(view) for r in recipients):
        raise InvalidInput(
            f"recipients: {list(recipients)!r} given; expected one or more of {_others(view)}"
        )
    return Message(seat.me, recipients, said[1].strip())


def _checked_choice(seat: Any, choice: Any, view: View) -> Ballot:
    """Answer: a choice in the form of the rule, or None."""
    of_this_form = next(rule for rule in RULES.values() if rule.form == view.form)
    check_ballot(of_this_form, choice, list(_ids(view)), seat.me)
    return Ballot(seat.me, _frozen(choice))


ASKS = {
    "message": Ask(_checked_message),
    "propose": Ask(
        lambda seat, value, view: (
            None if value is None else Proposal(seat.me, seat.own.validate(value))
        )
    ),
    "vote": Ask(_checked_choice, unasked=_nothing_to_vote_on),
}


# ---- who sits where --------------------------------------------------------------------------------------------------


def _role(kinds: dict[str, Any], mixture: tuple[str, ...], noise: float) -> Role:
    check_number("noise", noise)
    made = {kind: partial(_made, cls, noise) for kind, cls in kinds.items()}
    return Role("agent", ACTS, ASKS, made, mixture)


def _made(
    cls: Any, noise: float, me: str, rng: np.random.Generator, own: Environment
) -> Any:
    if "background" not in getattr(
        cls, "__dataclass_fields__", ()
    ):  # a class of the user's own, registered
        return called(cls, me, rng, own)
    known, needed = (
        getattr(own, "background", lambda me: None)(me),
        cls.__dataclass_fields__["background"].type,
    )
    if type(known).__name__ != needed:
        lacks = f"{type(own).__name__} has no `background` of the type {needed}, from which that kind knows its task"
        ways = "seat a model, a person ('human'), or a class of your own"
        raise InvalidInput(f"seats: {cls.kind!r} given for {me}, but {lacks}; {ways}")
    return cls(known, rng, noise)


def negotiator(noise: float = 0.05) -> Role:
    """The role at a table about an exchange economy; "mixed" is one of boulware, linear and conceder, drawn."""
    return _role(negotiators.KINDS, ("boulware", "linear", "conceder"), noise)


def rater(noise: float = 0.05) -> Role:
    """The role at a table that predicts a rating; "mixed" is one of weighing and stubborn, drawn."""
    from support.roundtable import raters

    return _role(raters.KINDS, ("weighing", "stubborn"), noise)


def seat_all(
    environment: Environment,
    seats: Seats,
    rng: np.random.Generator,
    *,
    noise: float = 0.05,
    spoken: Spoken | None = None,
    **settings: Any,
) -> dict[str, Any]:
    """Seat one participant for each agent of an environment; the settings are those of `Spoken`.

    `noise` is that of rule-based kinds, see `negotiators.RuleBased` and `raters.RuleBasedRater`.
    """
    check_environment(environment)
    role = (
        rater(noise) if environment.spec()["name"] == "movielens" else negotiator(noise)
    )
    kinds, spoken = _as_kinds(seats, noise), spoken or Spoken(**settings)
    seated = role.fill(
        environment.agents, kinds, rng, lambda agent: environment, spoken
    )
    if any(isinstance(one, ModelSeat) for one in seated.values()):
        check_environment(
            environment, ("describe", "task", "goal", "form", "schema", "shape")
        )
    return seated


def _as_kinds(seats: Seats, noise: float) -> Seats:
    """The same seats; a subclass of a rule-based kind is called as those are, with what its agent knows."""
    if isinstance(seats, Mapping):
        return {name: _as_kinds(kind, noise) for name, kind in seats.items()}
    if isinstance(seats, list | tuple):
        return [_as_kinds(kind, noise) for kind in seats]
    if not isinstance(seats, type) or "background" not in getattr(
        seats, "__dataclass_fields__", ()
    ):
        return seats
    return partial(_made, seats, noise)
