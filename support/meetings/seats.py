"""Who sits where: members, interviewer, reader, coordinator and evaluator.

Models do what appendix B of Papachristou, Yang and Hsu (2023) asks of the paper's model,
with prompts of our own; people read the same texts and reply in the same forms. Wishes
and reasons are data in every form: nobody can drop the candidate, name a stranger, or
give a reason that no member stated. What a seat knows (`own`) is the scenario: a member
that with its own secrets, who leads the public one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial
from itertools import chain
from typing import Annotated, Any, Union

from pydantic import AfterValidator, BeforeValidator, Field, create_model

from support.english import wordings
from support.forms import LINE
from support.meetings.coordination import Brief, Chat
from support.meetings.facilitators import (
    RuleBasedCoordinator,
    RuleBasedEvaluator,
    RuleBasedInterviewer,
)
from support.meetings.members import MIXED, STYLES, RuleBasedMember
from support.meetings.preferences import KINDS, short
from support.meetings.records import ASSISTANT, Option, Scores, Turn, owned
from support.meetings.scenario import Scenario
from support.meetings.scores import HIGHEST
from support.meetings.wording import say
from support.prompts import listed
from support.seats import HUMAN, Act, Repeated, Role, form, many, one_of, text
from support.spelling import or_none

RULES = "rule-based"
LOOKING = ("satisficing", "exhaustive", "random")

# What a tight model is given; others have more.
OPENING = 700  # characters of a turn that tells the options
WISH, WISHES = 120, 8  # characters of a wish in words, and how many wishes
STATED = WISH * WISHES  # tokens for these as data
STARTS = 30  # starts to choose from; of more, every second, third, … is offered


# ---- wishes in forms -------------------------------------------------------------------


QUARTERS = tuple(f"{m // 60:02}:{m % 60:02}" for m in range(0, 1441, 15))
TIMES = ("start", "end", "time")
"""What a person picks where a model writes a time; none of them stands there at first,
or a wish for some days would be one for all of their hours."""


def wish_form(seat: Any, member: str) -> Any:
    """A wish of one of the kinds that can be stated, with what is in question here."""
    scenario = seat.own
    forms = []
    own = {
        "slot": one_of("slot", tuple(labels(scenario, member))),
        "feature": one_of("feature", features(scenario)),
        "text": text(seat.limits.text(WISH)),
    }
    if seat.kind == HUMAN:
        own |= dict.fromkeys(TIMES, one_of("time", QUARTERS))
    for kind in kinds(scenario):
        parts: dict[str, Any] = {}
        for name, part in KINDS[kind].model_fields.items():
            if name in own:
                parts[name] = own[name], ... if name in TIMES else part.default
        name = f"{kind.title()}Reply"
        forms.append(create_model(name, __base__=KINDS[kind], **parts))
    either: Any = Annotated[Union[*forms], Field(discriminator="kind")]
    meant = AfterValidator(partial(wish_of, scenario, member))
    return Annotated[either, BeforeValidator(_filled), meant]


def _filled(given: Any) -> Any:
    """A wish without what was left empty, or is of other kinds; its kind as it is spelt."""
    if not isinstance(given, Mapping):
        return given
    kind = str(given.get("kind")).casefold()
    parts = KINDS[kind].model_fields if kind in KINDS else given
    kept = {
        name: given[name] for name in parts if given.get(name) not in ("", [], None)
    }
    return {**kept, "kind": kind}


def wish_of(scenario: Scenario, member: str, reply: Any) -> Any:
    """The wish that a form holds."""
    given = dict(reply)
    if reply.kind == "choice":
        given["slot"] = labels(scenario, member)[reply.slot]
    return KINDS[reply.kind](**given)


def labels(scenario: Scenario, member: str) -> dict[str, str]:
    """The slots by their short names, on a member's clock."""
    return {at.label: slot for slot, at in scenario.views[member].items()}


def features(scenario: Scenario) -> tuple[str, ...]:
    """What the venues in question have."""
    all_of_them = chain(*(venue.features for venue in scenario.meeting.venues))
    return tuple(sorted({*all_of_them}))


def kinds(scenario: Scenario) -> Any:
    """The kinds of wishes that can be stated, and what each may say."""
    return wordings("members")["places" if scenario.meeting.venues else "times"]


def explained(scenario: Scenario, member: str) -> str:
    """What the form of a wish may say, a line for each kind."""
    slot = next(iter(labels(scenario, member)))
    has = ", ".join(features(scenario))
    said = kinds(scenario).items()
    lines = [f"- {kind}: {what.format(slot=slot, features=has)}" for kind, what in said]
    return "\n".join([*lines, say("form", "priority")])


# ---- what prompts say ------------------------------------------------------------------


def noted(
    scenario: Scenario,
    notes: Sequence[tuple[str, Any]],
    members: Iterable[str],
) -> str:
    """Numbered notes by owner, each on the owner's clock, with what it is."""
    told = dict.fromkeys(members, "")
    for number, (member, wish) in enumerate(notes, start=1):
        marks = {
            "binds": wish.binds and not scenario.printed,
            "no wish": wish.condition,
            "supports": wish.supports and not scenario.printed,
        }
        found = [mark for mark, holds in marks.items() if holds]
        tail = f" ({', '.join(found)})" if found else ""
        told[member] += f"\n[{number}] {scenario.words(member, wish)}{tail}"
    unknown = "\n(unknown: nothing was said)"
    return "\n".join(f"{name}:{said or unknown}" for name, said in told.items())


def clocks(scenario: Scenario, slot: str) -> str:
    """A slot by its short name on the organiser's clock, and what it is on others'."""
    if scenario.meeting.venues:
        return scenario.views[scenario.members[0]][slot].shown
    start = datetime.fromisoformat(slot)
    others = dict[str, list[str]]()
    for member, views in scenario.views.items():
        there = views[slot].start
        if there.utcoffset() != start.utcoffset():
            others.setdefault(f"{there:%a %H:%M}", []).append(member)
    told = [f"{time} for {listed(names)}" for time, names in others.items()]
    return f"{short(start)} ({'; '.join(told)})" if told else short(start)


def choices(seat: Any, brief: Brief) -> dict[str, str]:
    """The candidate, then the slots to choose from, by what is said of them; of many
    each second, third, …
    """
    slots = brief.scenario.slots
    some = slots[:: -(-len(slots) // seat.shown.most(STARTS))]
    seat.shown.left(len(some), len(slots), "slots")
    return {clocks(brief.scenario, slot): slot for slot in (*brief.kept, *some)}


# ---- members ---------------------------------------------------------------------------


def _both(seat: Any, chat: Chat) -> dict[str, Any]:
    return {"seat": seat, "chat": chat}


def _answer_form(seat: Any, chat: Chat) -> Any:
    parts: dict[str, Any] = {"text": text(seat.limits.message)}
    if ids := tuple(option.id for option in chat.options):
        parts["agrees"] = or_none(one_of("option", ids)), None
    if chat.states:
        parts["wishes"] = many(wish_form(seat, seat.me), WISHES, 0)
    return form("AnswerReply", **parts, done=bool)


def _answer(seat: Any, reply: Any, chat: Chat) -> Turn:
    said = {
        "wishes": (),
        "agrees": None,
        **dict(reply),
    }
    said |= {"text": reply.text.strip(), "wishes": tuple(said["wishes"])}
    return Turn(seat.me, **said)


MEMBER = Role(
    "member",
    acts={
        "answer": Act(
            "coordination/member_turn",
            _answer_form,
            lambda seat, chat: {
                "seat": seat,
                "chat": chat,
                "kinds": explained(seat.own, seat.me),
            },
            _answer,
            lambda seat, chat: 400 + STATED * chat.states,
            "coordination/member",
            _both,
        )
    },
    kinds={style: partial(RuleBasedMember, kind=style) for style in STYLES},
    mixture=MIXED,
)


# ---- facilitators ----------------------------------------------------------------------


INTERVIEWER = Role(
    "interviewer",
    acts={
        "remark": Act(
            "coordination/interview_turn",
            lambda seat, chat: form("TextReply", text=text(seat.limits.text(OPENING))),
            lambda seat, chat: {"chat": chat},
            lambda seat, reply, chat: Turn(ASSISTANT, reply.text.strip()),
            OPENING + 40,
            "coordination/interview",
            _both,
        )
    },
    kinds={RULES: lambda me, rng, own: RuleBasedInterviewer()},
    speaker=Repeated,
)


def _read_form(seat: Any, chat: Chat) -> Any:
    return form("ReadReply", wishes=many(wish_form(seat, chat.member), WISHES, 0))


READER = Role(
    "reader",
    acts={
        "read": Act(
            "coordination/reading",
            _read_form,
            lambda seat, chat: {
                "chat": chat,
                "kinds": explained(seat.own, chat.member),
            },
            lambda seat, reply, chat: tuple(reply.wishes),
            60 + STATED,
        )
    },
    speaker=Repeated,
)


def _options_form(seat: Any, brief: Brief) -> Any:
    """One to K options; the candidate stays, whatever is given."""
    most = len(owned(brief.notes))
    names = [short.partition(" (")[0] for short in choices(seat, brief)]
    number: Any = Annotated[int, Field(ge=1, le=max(most, 1))]
    slot: Any = one_of("slot", tuple(names))
    option = form(
        "OptionReply",
        slot=Annotated[slot, BARE],
        members=many(one_of("member", brief.scenario.members), len(brief.notes), 0),
        reasons=many(Annotated[number, BARE], most, 0),
    )
    return form("OptionsReply", options=many(option, brief.k, 1))


def _bare(given: Any) -> Any:
    """A slot without what the prompt says of it in brackets, a number without its own."""
    return given.partition(" (")[0].strip("[]") if isinstance(given, str) else given


BARE = BeforeValidator(_bare)


def _briefed(seat: Any, brief: Brief) -> dict[str, Any]:
    scenario = brief.scenario
    return {
        "brief": brief,
        "notes": noted(scenario, owned(brief.notes), brief.notes),
        "slots": [*choices(seat, brief)],
    }


def _suggestions(seat: Any, reply: Any, brief: Brief) -> list[Option]:
    """For whom an option works, and why, is the coordinator's claim."""
    slots = {_bare(name): slot for name, slot in choices(seat, brief).items()}
    found = []
    known = owned(brief.notes)
    for claim in reply.options:
        reasons: dict[str, tuple[Any, ...]] = {}
        for number in dict.fromkeys(claim.reasons):
            member, wish = known[number - 1]
            reasons[member] = (*reasons.get(member, ()), wish)
        members = tuple(name for name in brief.notes if name in claim.members)
        found.append(Option("", slots[claim.slot], members, reasons))
    return found


COORDINATOR = Role(
    "coordinator",
    acts={
        "propose": Act(
            "coordination/coordination", _options_form, _briefed, _suggestions, 600
        )
    },
    kinds={kind: partial(RuleBasedCoordinator, kind=kind) for kind in LOOKING},
    speaker=Repeated,
)


def _scores_form(seat: Any, brief: Brief, options: Sequence[Option]) -> Any:
    """By option and member a score, or null; of whom nothing is noted is not asked."""
    value = or_none(Annotated[int, Field(ge=0, le=HIGHEST)])
    parts: dict[str, Any] = {"reason": text(seat.limits.text(WISH)), "score": value}
    if seat.kind == HUMAN:
        parts = {"score": value, "reason": (text(LINE, 0), "")}
    judged = form("Judged", **parts)
    known = [member for member, wishes in brief.notes.items() if wishes]
    row = form("Row", **dict.fromkeys(known, judged))
    ids = [option.id for option in options]
    return form("ScoresReply", **dict.fromkeys(ids, row))


def _judging(seat: Any, brief: Brief, options: Sequence[Option]) -> dict[str, Any]:
    scenario = brief.scenario
    return {
        "seat": seat,
        "brief": brief,
        "options": [f"{o.id}: {clocks(scenario, o.slot)}" for o in options],
        "notes": noted(scenario, owned(brief.notes), brief.notes),
    }


def _scores(
    seat: Any,
    reply: Any,
    brief: Brief,
    options: Sequence[Option],
) -> Scores:
    made: dict[str, dict[str, int | None]] = {}
    for option, row in reply.model_dump().items():
        given = {name: judged["score"] for name, judged in row.items()}
        made[option] = dict.fromkeys(brief.notes) | given
    return made


EVALUATOR = Role(
    "evaluator",
    acts={
        "score": Act(
            "coordination/evaluation",
            _scores_form,
            _judging,
            _scores,
            lambda seat, brief, options: 40 + 60 * len(options) * len(brief.notes),
        )
    },
    kinds={RULES: lambda me, rng, own: RuleBasedEvaluator()},
    speaker=Repeated,
)
