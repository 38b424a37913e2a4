"""Who sits at the round table: a model, a person, a rule. Each is asked in the phases of the mechanism, given a `View`:

- `message`: a `Message` to some of the others, or None;
- `propose`: a `Proposal`, whose value is whatever the environment's `validate` takes, or None to let the latest stand;
- `vote`: a `Ballot` in the form that `view.form` names: the id of a candidate ("vote"), ids from best to worst
  ("ranking"), or (id, number) pairs ("ratings", "points"); choice None abstains;
- `choose`: a value of the type `view.phase.reply`, or None.

A model and a person answer in the same forms: {"target": ["Ben"], "message": "hello"}, {"proposal": …}, {"vote": "P1"}.
Who answers for a person in a script: `support.seats.people`.

A class of your own with a text `kind` and the coroutines that its table asks for takes a seat, too: it is called with an
agent's name and its random stream, and with the environment (`table.Environment`) if it takes `own`. The rule-based
kinds know exchange economies only, or the rating task.
"""

from __future__ import annotations

from functools import cache, lru_cache, partial
from typing import Annotated, Any, Literal

from numpy.random import Generator
from pydantic import BaseModel, BeforeValidator, Field

from support.choice import RULES, check_ballot
from support.errors import InvalidInput
from support.models.profiles import Limits
from support.play import check_number
from support.roundtable import negotiators
from support.roundtable.records import Ballot, Chosen, Message, Proposal
from support.roundtable.table import STARTED, Environment, check_environment
from support.seats import (
    HUMAN,
    Act,
    Role,
    Seat,
    Seats,
    Spoken,
    by_name,
    called,
    form,
)

# ---- the forms of replies --------------------------------------------------------------------------------------------

Names = tuple[str, ...]
EVERYBODY = {"all", "everybody", "everyone", "others", "all others", "everyone else"}
NOTHING = {"", "none", "null", "abstain", "abstained"}
BY_FORM = {rule.form: rule for rule in RULES.values()}
"""A rule for each kind of ballot: "vote", "ratings", "ranking", "points"."""


def or_nothing(given: Any) -> Any:
    """What is given, or None where a word says that there is nothing."""
    return None if str(given).strip().lower() in NOTHING else given


def reason(limits: Limits) -> Any:
    """Private thoughts, or none: what is too long is cut; a tight model is told where."""
    most = limits.reason
    shorter = BeforeValidator(
        lambda given: given[:most] if isinstance(given, str) else given or ""
    )
    bound = Field(max_length=most if limits.tight else None)
    return Annotated[str, shorter, bound], ""


@cache
def message_form(
    names: Names,
    claims: Names,
    limits: Limits,
    named: bool = False,
) -> type[BaseModel]:
    """To some of the others, by default to all unless they are to be `named`; what it states in numbers, where somebody
    reads numbers alone."""
    spelt = {name.lower(): name for name in names}

    def people(value: Any) -> Any:
        given = value if isinstance(value, list | tuple) else [value]
        words = [str(one).lower() for one in given if one is not None]
        if EVERYBODY & set(words):
            return list(names)
        return [spelt.get(word, word) for word in words]

    one: Any = Literal[names]
    many = Field(max_length=len(names))
    text = Field(max_length=limits.message if limits.tight else None)
    fields: Any = {
        "target": Annotated[
            list[one],
            BeforeValidator(people),
            many,
        ],
        "message": Annotated[str, text] | None,
    }
    if named:
        fields["target"] = fields["target"], list(names)
    if claims:
        numbers: Any = dict.fromkeys(claims, (float | None, None))
        fields["claim"] = (form("Claim", **numbers) | None, None)

    def addressed(reply: Any) -> None:
        if named and reply.message and not reply.target:
            raise ValueError(f"target: nobody given; expected some of {list(names)}")

    return form("MessageReply", addressed, **fields)


@lru_cache
def proposal_form(seat: Seat) -> type[BaseModel]:
    """The type that the environment gives, with its `validate` behind it: a model is asked again for what either refuses."""
    own = seat.own
    kind = own.reply
    if seat.kind == HUMAN:
        kind = getattr(own, "by_name", kind)

    def valid(reply: Any) -> None:
        if reply.proposal is not None:
            own.validate(reply.model_dump()["proposal"])

    return form(
        getattr(own, "form_name", "ProposalReply"),
        valid,
        reason=reason(seat.limits),
        proposal=Annotated[kind | None, BeforeValidator(or_nothing)],
    )


@cache
def ballot_form(kind: str, ids: Names, limits: Limits) -> type[BaseModel]:
    """A ballot of a kind, or null to abstain; ids in any case, and a last place goes without saying."""
    one: Any = Literal[ids]
    most = len(ids)

    def tidy(given: Any) -> Any:
        if isinstance(given, dict):
            return {id.upper(): number for id, number in given.items()}
        if not isinstance(given, list):
            return or_nothing(str(given).upper())
        ranked = [str(id).upper() for id in given]
        missing = set(ids) - set(ranked)
        last = len(missing) == 1 and len(ranked) < most
        return [*ranked, *missing] if last else ranked

    rating = Field(ge=1, le=5) if kind == "ratings" else Field(0, ge=0, le=most)
    each: Any = dict.fromkeys(ids, (int, rating))
    names = {
        "vote": one,
        "ranking": Annotated[list[one], Field(max_length=most)],
    }
    choice = names.get(kind) or form(kind.title(), **each)
    choice = Annotated[choice | None, BeforeValidator(tidy)]
    complete = lambda reply: check_ballot(BY_FORM[kind], reply.model_dump()[kind], ids)
    return form("BallotReply", complete, reason=reason(limits), **{kind: choice})


# ---- what is done ----------------------------------------------------------------------------------------------------


def _message(
    me: str,
    to: Any,
    text: str | None,
    claim: Any = None,
) -> Message:
    numbers = (claim or {}).items()
    stated = tuple((name, x) for name, x in numbers if x is not None)
    return Message(me, tuple(to), text or "", claim=stated)


_proposal = lambda me, reason, value: Proposal(me, value, reason)
_choice = lambda me, reason, value: None if value is None else Chosen(me, value, reason)


def _ballot(me: str, reason: str, choice: Any) -> Ballot:
    if isinstance(choice, dict):
        choice = choice.items()
    named = isinstance(choice, str | None)
    return Ballot(me, choice if named else tuple(choice), reason)


def _act(
    prompt: str,
    make: Any,
    record: Any,
    room: int = 120,
) -> Act:
    """What is asked: the fields of its reply, in their order, make the record.

    A template may use the seat (`me`, `own`, `limits`, `shown`) and its view.
    """
    made = lambda seat, reply, view: record(seat.me, *reply.model_dump().values())
    extra = lambda seat, view: room + getattr(seat.own, "extra_tokens", 0)
    facts = lambda seat, view: {"seat": seat, "view": view}
    return Act(
        f"roundtable/{prompt}",
        make,
        facts,
        made,
        extra,
        "roundtable/initialization",
        facts,
    )


ACTS = {
    "message": _act(
        "message",
        lambda seat, view: message_form(
            view.others, view.claims, seat.limits, seat.kind == HUMAN
        ),
        _message,
    ),
    "propose": _act(
        "proposal",
        lambda seat, view: proposal_form(seat),
        _proposal,
        room=200,
    ),
    "vote": _act(
        "ballot",
        lambda seat, view: ballot_form(
            view.form,
            tuple(candidate.id for candidate in view.candidates),
            seat.limits,
        ),
        _ballot,
    ),
    "choose": _act(
        "choice",
        lambda seat, view: form(
            "ChoiceReply",
            reason=reason(seat.limits),
            choice=view.phase.reply | None,
        ),
        _choice,
    ),
}


# ---- who sits where --------------------------------------------------------------------------------------------------


def seat_all(
    environment: Environment,
    seats: Seats,
    rng: Generator,
    *,
    noise: float = 0.05,
    spoken: Spoken | None = None,
    **settings: Any,
) -> dict[str, Any]:
    """Seat one participant for each agent of an environment; the settings are those of `Spoken`.

    `noise` is that of rule-based kinds, see `negotiators.RuleBased` and `raters.RuleBasedRater`. "mixed" is one of
    boulware, linear and conceder, drawn; where a rating is predicted, one of weighing and stubborn.
    """
    check_environment(environment, ("agents", "validate", "spec"))
    check_number("noise", noise)
    known = getattr(environment, "kinds", negotiators.KINDS)
    made = {kind: partial(_made, cls, noise) for kind, cls in known.items()}
    mixture = getattr(environment, "mixture", negotiators.MIXTURE)
    role = Role("agent", ACTS, made, mixture, asked=())  # the table checks what it asks
    kinds = by_name("agent", seats, environment.agents)
    start = STARTED.get()
    kinds |= start.seats if start else {}
    for agent, kind in kinds.items():
        if isinstance(kind, type):
            kinds[agent] = partial(_made, kind, noise)
    spoken = spoken or Spoken(**settings)
    own = lambda agent: environment
    seated = role.fill(environment.agents, kinds, rng, own, spoken)
    if any(isinstance(one, Seat) for one in seated.values()):
        check_environment(environment, ("describe", "task", "goal"))
    return seated


def _made(
    cls: Any,
    noise: float,
    me: str,
    rng: Generator,
    own: Any,
) -> Any:
    """A seat of a class: a rule-based one of ours, or made from it, knows what its agent knows of the environment."""
    if "background" not in getattr(cls, "__dataclass_fields__", {}):
        return called(cls, me, rng, own)
    if not hasattr(own, "background"):
        raise InvalidInput(
            f"seats: {cls.kind!r} given for {me}, but {type(own).__name__} has no "
            "`background`, from which that kind knows its task; seat a model, a person "
            "('human'), or a class of your own"
        )
    return cls(own.background(me), rng, noise)
