"""Who sits where: members, interviewer, reader, coordinator and evaluator.

Models do what appendix B of Papachristou, Yang and Hsu (2023) asks of the paper's model,
with prompts of our own; people read the same texts and reply in the same forms. Wishes
and reasons are data in every form: nobody can drop the candidate, name a stranger, or
give a reason that no member stated.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, replace
from datetime import datetime, timedelta
from functools import partial, reduce
from operator import or_
from typing import Annotated, Any, Literal, get_type_hints
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, BeforeValidator, Field

from support.forms import LINE
from support.meetings.coordination import Brief, Chat
from support.meetings.data import Profile, iso
from support.meetings.facilitators import (
    RuleBasedCoordinator,
    RuleBasedEvaluator,
    RuleBasedInterviewer,
)
from support.meetings.members import MIXED, STYLES, RuleBasedMember
from support.meetings.preferences import (
    KINDS,
    Preference,
    Time,
    minutes,
    moment,
    preference,
    short,
)
from support.meetings.records import ASSISTANT, Option, Scores, Turn, owned
from support.meetings.scenario import Scenario
from support.meetings.scores import HIGHEST
from support.meetings.wording import (
    bounds,
    day_of,
    explained,
    features,
    kinds,
    labels,
    offered,
    worded,
)
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


@dataclass(frozen=True)
class Persona:
    """What one member knows: the own part of the scenario, and whom one works with.

    `states`: the member states its wishes as data beside its words.
    """

    scenario: Scenario
    profile: Profile
    teammates: tuple[str, ...]
    collaborators: tuple[str, ...]
    states: bool = False


@dataclass(frozen=True)
class Led:
    """What facilitators know: the public scenario, and how they are set."""

    scenario: Scenario
    lowest: int = 0
    curt: bool = False


# ---- wishes in forms -------------------------------------------------------------------


QUARTERS = tuple(f"{m // 60:02}:{m % 60:02}" for m in range(0, 1441, 15))
"""What a person picks where a model writes a time."""


@dataclass(frozen=True, kw_only=True)
class Event(Preference):
    """Another event (`Busy`) as it is stated: on one of the days in question."""

    day: str
    start: Time
    end: Time


STATABLE = {**KINDS, "busy": Event}


def wish_form(seat: Any, member: str) -> Any:
    """A wish of one of the kinds that can be stated, by what its kind has."""
    scenario, forms = seat.own.scenario, []
    time = one_of("time", QUARTERS) if seat.kind == HUMAN else Time
    slots = tuple(labels(scenario, member))
    own = {
        "day": one_of("day", tuple(dict.fromkeys(map(day_of, slots)))),
        "slot": one_of("slot", slots),
        "feature": one_of("feature", features(scenario)),
        "text": text(seat.limits.text(WISH)),
    }
    for kind in kinds(scenario):
        made: dict[str, Any] = {"kind": Literal[kind]}
        hints = get_type_hints(STATABLE[kind], include_extras=True) | own
        for field in fields(STATABLE[kind]):
            of = time if hints[field.name] == Time else hints[field.name]
            first = ... if field.default is MISSING else field.default
            if field.name not in ("kind", "says"):
                made[field.name] = of, first
        forms.append(form(f"{kind.title()}Reply", **made))
    either: Any = Annotated[reduce(or_, forms), Field(discriminator="kind")]
    meant = AfterValidator(partial(wish_of, scenario, member))
    return Annotated[either, BeforeValidator(_filled), meant]


def _filled(given: Any) -> Any:
    """A wish without what was left empty, its kind as it is spelt."""
    if not isinstance(given, Mapping):
        return given
    kept = {name: value for name, value in given.items() if value not in ("", [], None)}
    return {**kept, "kind": str(given.get("kind")).casefold()}


def wish_of(scenario: Scenario, member: str, reply: Any) -> Any:
    """The wish that a form holds; ValueError where its kind needs something else."""
    given = reply.model_dump()
    if reply.kind == "choice":
        given["slot"] = labels(scenario, member)[reply.slot]
    if reply.kind == "busy":
        day, views = given.pop("day"), scenario.views[member].values()
        first = next(at.start for at in views if day_of(at.label) == day)
        midnight = first.replace(hour=0, minute=0)
        for end in ("start", "end"):
            given[end] = iso(midnight + timedelta(minutes=minutes(given[end])))
    return preference(given)


# ---- what prompts say ------------------------------------------------------------------


def sent(scenario: Scenario, member: str = "") -> str:
    """When the invitation went out, on a member's clock, or the organiser's."""
    meeting = scenario.meeting
    if not meeting.timed:
        return ""
    here = ZoneInfo(scenario.zones.get(member, meeting.zone))
    return moment(datetime.fromisoformat(meeting.sent).astimezone(here))


def presented(seat: Any, chat: Chat) -> list[str]:
    """The options as the member of a talk is told them."""
    scenario = seat.own.scenario
    return [offered(scenario, option, chat.member) for option in chat.options]


def noted(
    scenario: Scenario, notes: Sequence[tuple[str, Any]], members: Iterable[str]
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
        words = worded(wish, scenario.zones[member])
        told[member] += f"\n[{number}] {words}{tail}"
    unknown = "\n(unknown: nothing was said)"
    return "\n".join(f"{name}:{said or unknown}" for name, said in told.items())


def clocks(scenario: Scenario, slot: str) -> str:
    """A slot by its short name on the organiser's clock, and what it is on others'."""
    if not scenario.meeting.timed:
        return scenario.views[scenario.members[0]][slot].shown
    start, others = datetime.fromisoformat(slot), dict[str, list[str]]()
    for member, views in scenario.views.items():
        there = views[slot].start
        if there.utcoffset() != start.utcoffset():
            others.setdefault(f"{there:%a %H:%M}", []).append(member)
    told = [f"{time} for {listed(names)}" for time, names in others.items()]
    return f"{short(start)} ({'; '.join(told)})" if told else short(start)


def choices(seat: Any, brief: Brief) -> dict[str, str]:
    """The slots to choose from by their short names; of many each second, third, …"""
    scenario = brief.scenario
    step = -(-len(scenario.slots) // seat.shown.most(STARTS))
    some = scenario.slots[::step]
    seat.shown.left(len(some), len(scenario.slots), "slots")
    others = [slot for slot in some if slot not in brief.kept]
    return {clocks(scenario, slot).partition(" (")[0]: slot for slot in others}


# ---- members ---------------------------------------------------------------------------


def _persona(seat: Any, chat: Chat) -> dict[str, Any]:
    """The persona (appendix B.4), with the own calendar, hours and wishes."""
    scenario, me = seat.own.scenario, seat.me
    zone = scenario.zones[me]
    return {
        "seat": seat,
        "sent": sent(scenario, me),
        "bounds": bounds(scenario, me),
        "away": [worded(wish, zone) for wish in scenario.away[me]],
    }


def _answer_form(seat: Any, chat: Chat) -> Any:
    parts: dict[str, Any] = {"text": text(seat.limits.message)}
    if ids := tuple(option.id for option in chat.options):
        parts["agrees"] = or_none(one_of("option", ids)), None
    if seat.own.states:
        parts["wishes"] = many(wish_form(seat, seat.me), WISHES, 0)
    return form("AnswerReply", **parts, done=bool)


def _answer(seat: Any, reply: Any, chat: Chat) -> Turn:
    wishes = tuple(getattr(reply, "wishes", ()))
    agrees = getattr(reply, "agrees", None)
    return Turn(seat.me, reply.text.strip(), wishes, agrees, reply.done)


def _talking(seat: Any, chat: Chat) -> dict[str, Any]:
    stated = explained(seat.own.scenario, seat.me) if seat.own.states else ""
    return {"seat": seat, "chat": chat, "kinds": stated}


MEMBER = Role(
    "member",
    acts={
        "answer": Act(
            "coordination/member_turn",
            _answer_form,
            _talking,
            _answer,
            lambda seat, chat: 400 + STATED * seat.own.states,
            "coordination/member",
            _persona,
        )
    },
    kinds={style: partial(RuleBasedMember, style=style) for style in STYLES},
    mixture=MIXED,
)


# ---- facilitators ----------------------------------------------------------------------


def _interviewing(seat: Any, chat: Chat) -> dict[str, Any]:
    scenario, member = seat.own.scenario, chat.member
    return {
        "seat": seat,
        "chat": chat,
        "sent": sent(scenario, member),
        "bounds": bounds(scenario, member),
        "options": presented(seat, chat),
    }


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
            _interviewing,
        )
    },
    kinds={RULES: lambda me, rng, own: RuleBasedInterviewer(own.scenario)},
    speaker=Repeated,
)


READER = Role(
    "reader",
    acts={
        "read": Act(
            "coordination/reading",
            lambda seat, chat: form(
                "ReadReply", wishes=many(wish_form(seat, chat.member), WISHES, 0)
            ),
            lambda seat, chat: {
                "chat": chat,
                "options": presented(seat, chat),
                "kinds": explained(seat.own.scenario, chat.member),
                "timed": seat.own.scenario.meeting.timed,
            },
            lambda seat, reply, chat: tuple(reply.wishes),
            60 + STATED,
        ),
        "overhear": Act(
            "coordination/overhearing",
            lambda seat, member, said, wishes: form(
                "OverhearReply", revealed=_numbers(len(wishes))
            ),
            lambda seat, member, said, wishes: {
                "member": member,
                "said": said,
                "timed": seat.own.scenario.meeting.timed,
                "wishes": noted(
                    seat.own.scenario, wishes, dict.fromkeys(name for name, _ in wishes)
                ),
            },
            lambda seat, reply, member, said, wishes: [
                wishes[number - 1] for number in dict.fromkeys(reply.revealed)
            ],
        ),
    },
    speaker=Repeated,
)


def _numbers(most: int) -> Any:
    """Some of the numbers of so many wishes, which may stand in brackets."""

    def bare(value: Any) -> Any:
        return value.strip("[]") if isinstance(value, str) else value

    number = Annotated[int, Field(ge=1, le=max(most, 1)), BeforeValidator(bare)]
    return many(number, most, 0)


def _options_form(seat: Any, brief: Brief) -> Any:
    """One to K options; or whom the candidate suits, and K - 1 others at most."""
    claims: dict[str, Any] = {
        "members": many(one_of("member", brief.scenario.members), len(brief.notes), 0),
        "reasons": _numbers(len(owned(brief.notes))),
    }
    known: Any = one_of("slot", tuple(choices(seat, brief)))
    slot = Annotated[known, BeforeValidator(_unbracketed)]
    option, kept = form("OptionReply", slot=slot, **claims), len(brief.kept)
    parts: dict[str, Any] = {"options": many(option, brief.k - kept, 1 - kept)}
    if brief.candidate:
        parts = {"candidate": form("CandidateReply", **claims), **parts}
    return form("OptionsReply", **parts)


def _unbracketed(slot: Any) -> Any:
    """A slot without what the prompt says of it in brackets."""
    return slot.partition(" (")[0] if isinstance(slot, str) else slot


def _briefed(seat: Any, brief: Brief) -> dict[str, Any]:
    scenario = brief.scenario
    return {
        "brief": brief,
        "sent": sent(scenario),
        "notes": noted(scenario, owned(brief.notes), brief.notes),
        "slots": [clocks(scenario, slot) for slot in choices(seat, brief).values()],
        "candidate": [clocks(scenario, slot) for slot in brief.kept],
    }


def _suggestions(seat: Any, reply: Any, brief: Brief) -> list[Option]:
    """For whom an option works, and why, is the coordinator's claim."""
    slots, known = choices(seat, brief), owned(brief.notes)
    claims = [(slots[option.slot], option) for option in reply.options]
    if brief.candidate:
        claims.insert(0, (brief.candidate.slot, reply.candidate))
    found = []
    for slot, claim in claims:
        reasons: dict[str, tuple[Any, ...]] = {}
        for number in dict.fromkeys(claim.reasons):
            member, wish = known[number - 1]
            reasons[member] = (*reasons.get(member, ()), wish)
        members = tuple(name for name in brief.notes if name in claim.members)
        found.append(Option("", slot, members, reasons))
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
    value = or_none(Annotated[int, Field(ge=seat.own.lowest, le=HIGHEST)])
    parts: dict[str, Any] = {"reason": text(seat.limits.text(WISH)), "score": value}
    if seat.kind == HUMAN:
        parts = {"score": value, "reason": (text(LINE, 0), "")}
    judged = form("Judged", **parts)
    known = [member for member, wishes in brief.notes.items() if wishes]
    row: Any = {f"m{k}": (judged, Field(alias=name)) for k, name in enumerate(known)}
    rows: Any = dict.fromkeys([option.id for option in options], form("Row", **row))
    return form("ScoresReply", **rows)


def _scores(seat: Any, reply: Any, brief: Brief, options: Sequence[Option]) -> Scores:
    made: dict[str, dict[str, int | None]] = {}
    for option, row in reply.model_dump(by_alias=True).items():
        given = {name: judged["score"] for name, judged in row.items()}
        made[option] = dict.fromkeys(brief.notes) | given
    return made


EVALUATOR = Role(
    "evaluator",
    acts={
        "score": Act(
            "coordination/evaluation",
            _scores_form,
            lambda seat, brief, options: {
                "seat": seat,
                "brief": brief,
                "sent": sent(brief.scenario),
                "options": [
                    f"{o.id}: {clocks(brief.scenario, o.slot)}" for o in options
                ],
                "notes": noted(brief.scenario, owned(brief.known), brief.notes),
            },
            _scores,
            lambda seat, brief, options: 40 + 60 * len(options) * len(brief.notes),
        )
    },
    kinds={RULES: lambda me, rng, own: RuleBasedEvaluator(own.lowest)},
    speaker=Repeated,
)


# ---- readers of other things -----------------------------------------------------------

PARAPHRASER = Role(
    "paraphraser",
    acts={
        "rephrase": Act(
            "coordination/paraphrase",
            lambda seat, told: form(
                "ParaphraseReply", sentences=many(text(400), len(told), len(told))
            ),
            lambda seat, told: {"sentences": [words.text for words in told]},
            lambda seat, reply, told: tuple(
                replace(words, text=said.removeprefix(f"{number}. "))
                for number, (words, said) in enumerate(
                    zip(told, reply.sentences, strict=True), start=1
                )
            ),
            800,
        )
    },
    speaker=Repeated,
)
"""`rephrase(words)`: the same wishes in other words (Table 2)."""
