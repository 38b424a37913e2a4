"""Who sits at the round table: a model, a person, a rule. Each is asked in the phases of the mechanism, given a `View`:

- `message`: a `Message` to some of the others, or None;
- `propose`: a `Proposal`, whose value is whatever the environment's `validate` takes, or None to let the latest stand;
- `vote`: a `Ballot` in the form that `view.form` names: the id of a candidate ("vote"), ids from best to worst
  ("ranking"), or (id, number) pairs ("ratings", "points"); choice None abstains;
- `choose`: a value of the type `view.phase.reply`, or None.

A class of your own with a text `kind` and the coroutines that its table asks for takes a seat, too: it is called with an
agent's name and its random stream, and with the environment (`table.Environment`) if it takes `own`. The rule-based
kinds know exchange economies only, or the rating task.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, partial
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import (
    BaseModel,
    BeforeValidator,
    Field,
    create_model,
    field_validator,
    model_validator,
)

from support.choice import RULES, Rule, check_ballot
from support.errors import InvalidInput
from support.roundtable import negotiators
from support.roundtable.records import Ballot, Chosen, Message, Proposal, View
from support.roundtable.table import STARTED, Environment, check_environment
from support.seats import (
    Act,
    Ask,
    ModelSeat,
    Role,
    Seats,
    Spoken,
    by_name,
    called,
    check_number,
    form,
)

# ---- the forms of replies --------------------------------------------------------------------------------------------

EVERYBODY = {"all", "everybody", "everyone", "others", "all others", "everyone else"}
NOTHING = {"", "none", "null", "abstain", "abstained"}


def or_nothing(given: Any) -> Any:
    """What is given, or None where a word says that there is nothing."""
    words = given.strip().lower() if isinstance(given, str) else None
    return None if words in NOTHING else given


@cache
def message_form(
    names: tuple[str, ...], most: int | None, claims: tuple[str, ...] = ()
) -> type[BaseModel]:
    """To some of the others, of so many characters; what it states in numbers, where somebody reads numbers alone."""

    def people(value: Any) -> Any:
        given = [value] if isinstance(value, str) else value or []
        if EVERYBODY & {str(one).lower() for one in given}:
            return list(names)
        spelt = {name.lower(): name for name in names}
        return [spelt.get(str(one).lower(), one) for one in given]

    one: Any = Literal[names]
    target = Annotated[list[one], BeforeValidator(people), Field(max_length=len(names))]
    text = Annotated[str, Field(max_length=most)] | None
    if not claims:
        return form("MessageReply", target=target, message=text)
    stated: dict[str, Any] = dict.fromkeys(claims, (float | None, None))
    claim = (form("Claim", **stated) | None, None)
    return form("MessageReply", target=target, message=text, claim=claim)


def reason(most: int, tight: bool) -> Any:
    """Private thoughts, or none: what is too long is cut; a tight model is told where."""
    shorter = BeforeValidator(
        lambda given: given[:most] if isinstance(given, str) else given or ""
    )
    return Annotated[str, shorter, Field(max_length=most if tight else None)], ""


@cache
def ballot_form(
    kind: str, ids: tuple[str, ...], most: int, tight: bool = True
) -> type[BaseModel]:
    """A ballot of a kind ("vote", "ratings", "ranking", "points"), or null to abstain; a last place goes without saying."""
    one: Any = Literal[ids]

    def whole(ranking: Any) -> Any:
        missing = (
            [name for name in ids if name not in ranking]
            if isinstance(ranking, list)
            else []
        )
        return (
            [*ranking, *missing]
            if len(missing) == 1 and len(ranking) == len(ids) - 1
            else ranking
        )

    number = {"ratings": Field(ge=1, le=5), "points": Field(0, ge=0, le=len(ids))}
    fields: dict[str, Any] = {
        "vote": one,
        "ranking": Annotated[
            list[one], BeforeValidator(whole), Field(max_length=len(ids))
        ],
    }
    if kind in number:
        each: dict[str, Any] = dict.fromkeys(ids, (int, number[kind]))
        fields[kind] = form(kind.title(), **each)

    def complete(reply: Any) -> None:
        check_ballot(of_form(kind), _plain(getattr(reply, kind)), ids)

    return form(
        "BallotReply",
        complete,
        reason=reason(most, tight),
        **{kind: Annotated[fields[kind] | None, BeforeValidator(_spelt)]},
    )


def _spelt(given: Any) -> Any:
    """A ballot with the ids in capitals, as they are listed."""
    if isinstance(given, dict):
        return {str(id).upper(): number for id, number in given.items()}
    if isinstance(given, list):
        return [str(id).upper() for id in given]
    choice = or_nothing(given)
    return choice.upper() if isinstance(choice, str) else choice


def of_form(kind: str) -> Rule:
    """A rule with ballots of a kind."""
    return next(rule for rule in RULES.values() if rule.form == kind)


def _proposal_form(seat: ModelSeat, view: View) -> type[BaseModel]:
    """The environment's form with its `validate` behind it: a model is asked again for what either refuses."""

    def valid(reply: Any) -> Any:
        if reply.proposal is not None:
            seat.own.validate(_plain(reply.proposal))
        return reply

    kept = vars(seat)
    if "proposal_form" not in kept:  # 2 ms, at each proposal
        thoughts = reason(seat.limits.reason, seat.limits.tight)
        validators: Any = {"valid": model_validator(mode="after")(valid)}
        if hasattr(seat.own, "schema"):
            base = seat.own.schema(seat.limits.reason)
            nothing = field_validator("proposal", mode="before")(or_nothing)
            validators["nothing"] = nothing
        else:
            base = form(
                "ProposalReply", reason=thoughts, proposal=seat.own.reply | None
            )
        kept["proposal_form"] = create_model(
            base.__name__, __base__=base, __validators__=validators, reason=thoughts
        )
    return kept["proposal_form"]


def _plain(value: Any) -> Any:
    return value.model_dump() if hasattr(value, "model_dump") else value


def _frozen(choice: Any) -> Any:
    """A choice as a record holds it: pairs for numbers, a tuple for a ranking."""
    if isinstance(choice, dict):
        return tuple(choice.items())
    return tuple(choice) if isinstance(choice, list) else choice


# ---- a language model ------------------------------------------------------------------------------------------------


def _message_form(seat: ModelSeat, view: View) -> type[BaseModel]:
    most = seat.limits.message if seat.limits.tight else None
    return message_form(view.others, most, view.claims)


def _written(seat: ModelSeat, reply: Any, view: View) -> Message | None:
    claim = _plain(getattr(reply, "claim", None)) or {}
    numbers = tuple((name, x) for name, x in claim.items() if x is not None)
    return Message(seat.me, tuple(reply.target), reply.message or "", claim=numbers)


def _proposed(seat: ModelSeat, reply: Any, view: View) -> Proposal:
    value = _plain(reply.proposal)
    return Proposal(
        seat.me, None if value is None else seat.own.validate(value), reply.reason
    )


def _ballot_form(seat: ModelSeat, view: View) -> type[BaseModel]:
    return ballot_form(view.form, _ids(view), seat.limits.reason, seat.limits.tight)


def _voted(seat: ModelSeat, reply: Any, view: View) -> Ballot:
    return Ballot(seat.me, _frozen(_plain(getattr(reply, view.form))), reply.reason)


def _choice_form(seat: ModelSeat, view: View) -> type[BaseModel]:
    thoughts = reason(seat.limits.reason, seat.limits.tight)
    return form("ChoiceReply", reason=thoughts, choice=view.phase.reply | None)


def _chosen(seat: ModelSeat, reply: Any, view: View) -> Chosen | None:
    value = _plain(reply.choice)
    return None if value is None else Chosen(seat.me, value, reply.reason)


def _ids(view: View) -> tuple[str, ...]:
    return tuple(candidate.id for candidate in view.candidates)


def _nothing_to_vote_on(seat: Any, view: View) -> Ballot | None:
    return None if view.candidates else Ballot(seat.me, None)


def _facts(seat: ModelSeat, view: View) -> dict[str, Any]:
    """What a template may use: the seat (`me`, `own`, `limits`, `shown`) and its view."""
    return {"seat": seat, "view": view}


def _act(prompt: str, make: Any, made: Any, room: int = 120, **more: Any) -> Act:
    extra = lambda seat, view: room + getattr(seat.own, "extra_tokens", 0)
    briefing: Any = {"briefing": "roundtable/initialization", "told": _facts}
    return Act(f"roundtable/{prompt}", make, _facts, made, extra, **briefing, **more)


ACTS = {
    "message": _act("message", _message_form, _written),
    "propose": _act("proposal", _proposal_form, _proposed, room=200),
    "vote": _act("ballot", _ballot_form, _voted, unasked=_nothing_to_vote_on),
    "choose": _act("choice", _choice_form, _chosen),
}


# ---- a person --------------------------------------------------------------------------------------------------------


def _checked_message(seat: Any, answer: Any, view: View) -> Message | None:
    """Answer: (recipients, text), a claim in numbers behind them where one may be made, or None."""
    if answer is None or not answer[1].strip():
        return None
    recipients, text, *claim = answer
    if not recipients or any(r not in view.others for r in recipients):
        raise InvalidInput(
            f"recipients: {list(recipients)!r} given; expected one or more of {list(view.others)}"
        )
    numbers = tuple(claim[0].items()) if claim and claim[0] else ()
    return Message(seat.me, tuple(recipients), text.strip(), claim=numbers)


def _checked_choice(seat: Any, choice: Any, view: View) -> Ballot:
    """Answer: a choice in the form of the rule, or None."""
    check_ballot(of_form(view.form), choice, list(_ids(view)), seat.me)
    return Ballot(seat.me, _frozen(choice))


ASKS = {
    "message": Ask(_checked_message),
    "propose": Ask(
        lambda seat, value, view: (
            None if value is None else Proposal(seat.me, seat.own.validate(value))
        )
    ),
    "vote": Ask(_checked_choice, unasked=_nothing_to_vote_on),
    "choose": Ask(lambda seat, value, view: view.phase.take(None, seat.me, value)),
}


# ---- who sits where --------------------------------------------------------------------------------------------------


def _role(kinds: dict[str, Any], mixture: Sequence[str], noise: float) -> Role:
    check_number("noise", noise)
    made = {kind: partial(_made, cls, noise) for kind, cls in kinds.items()}
    return Role(
        "agent", ACTS, ASKS, made, mixture, asked=()
    )  # the table asks for what its mechanism needs


def _made(
    cls: Any, noise: float, me: str, rng: np.random.Generator, own: Environment
) -> Any:
    fields = getattr(cls, "__dataclass_fields__", {})
    if "background" not in fields:  # a class of the user's own, registered
        return called(cls, me, rng, own)
    needed = fields["background"].type
    background = getattr(own, "background", lambda me: None)(me)
    if type(background).__name__ != needed:
        lacks = f"{type(own).__name__} has no `background` of the type {needed}, from which that kind knows its task"
        ways = "seat a model, a person ('human'), or a class of your own"
        raise InvalidInput(f"seats: {cls.kind!r} given for {me}, but {lacks}; {ways}")
    return cls(background, rng, noise)


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
    check_environment(environment, ("agents", "validate", "spec"))
    films = environment.spec()["name"] == "movielens"
    role = rater(noise) if films else negotiator(noise)
    kinds, start = by_name("agent", seats, environment.agents), STARTED.get()
    kinds |= start.seats if start else {}
    kinds, spoken = _as_kinds(kinds, noise), spoken or Spoken(**settings)
    seated = role.fill(
        environment.agents, kinds, rng, lambda agent: environment, spoken
    )
    if any(isinstance(one, ModelSeat) for one in seated.values()):
        check_environment(environment, ("describe", "task", "goal"))
    return seated


def _as_kinds(seats: Seats, noise: float) -> Seats:
    """The same seats; a subclass of a rule-based kind is called as those are, with what its agent knows."""
    if isinstance(seats, Mapping):
        return {name: _as_kinds(kind, noise) for name, kind in seats.items()}
    if isinstance(seats, list | tuple):
        return [_as_kinds(kind, noise) for kind in seats]
    known = getattr(seats, "__dataclass_fields__", ())
    if isinstance(seats, type) and "background" in known:
        return partial(_made, seats, noise)
    return seats
