"""Who sits where: members, interviewer, reader, coordinator and evaluator.

Models do what appendix B of Papachristou, Yang and Hsu (2023) asks of the paper's model,
with prompts of our own; people read the same texts and reply in the same forms. Wishes
and reasons are data in every form: nobody can drop the candidate, name a stranger, or
give a reason that no member stated.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, replace
from datetime import datetime
from functools import partial, reduce
from operator import or_
from typing import Annotated, Any, Literal, get_type_hints
from zoneinfo import ZoneInfo

from pydantic import BeforeValidator, Field

from support.forms import LINE
from support.meetings.coordination import Brief, Chat
from support.meetings.data import Profile
from support.meetings.facilitators import (
    RuleBasedCoordinator,
    RuleBasedEvaluator,
    RuleBasedInterviewer,
)
from support.meetings.members import MIXED, STYLES, RuleBasedMember
from support.meetings.preferences import KINDS, WEEKDAYS, Hours, preference
from support.meetings.records import ASSISTANT, Option, Scores, Turn
from support.meetings.scenario import Scenario
from support.meetings.scores import HIGHEST
from support.meetings.wording import (
    bounds,
    explained,
    features,
    kinds,
    labels,
    moment,
    offered,
    short,
    shown,
    venues_of,
    worded,
)
from support.prompts import listed
from support.seats import HUMAN, Act, Repeated, Role, form, many, one_of, text
from support.spelling import or_none

RULES = "rule-based"

# What a tight model is given; others have more.
OPENING = 700  # characters of a turn that tells the options
WISH, WISHES = 120, 8  # characters of a wish in words, and how many wishes
STATED = 2 * WISH * WISHES  # tokens for these as data, with the fields left empty
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
PICKED = {
    "start": one_of("time", QUARTERS),
    "end": one_of("time", QUARTERS),
    "time": one_of("time", QUARTERS),
    "weekday": one_of("weekday", WEEKDAYS),
    "weekdays": Annotated[
        tuple[one_of("weekday", WEEKDAYS), ...],  # type: ignore[misc]
        Field(max_length=7),
    ],
}
"""What a person picks where a model writes a text."""


def wish_form(seat: Any, member: str) -> Any:
    """One flat form for a wish of any kind; what its kind does not have is left out. A
    person picks the kind first, and sees what it has."""
    scenario = seat.own.scenario
    parts: dict[str, Any] = {}
    for kind in kinds(scenario):
        hints = get_type_hints(KINDS[kind], include_extras=True)
        parts |= {field.name: hints[field.name] for field in fields(KINDS[kind])}
    if seat.kind == HUMAN:
        parts |= PICKED
    parts["slot"] = one_of("slot", tuple(labels(scenario, member)))
    parts["text"] = text(seat.limits.text(WISH))
    if places := features(scenario):
        parts["feature"] = one_of("feature", places)
    check = partial(wish_of, scenario, member)
    if seat.kind == HUMAN:
        forms = tuple(_of_kind(kind, parts, check) for kind in kinds(scenario))
        return Annotated[reduce(or_, forms), Field(discriminator="kind")]
    optional = {name: (of | None, None) for name, of in parts.items() if name != "says"}
    kind = one_of("kind", kinds(scenario))
    made: Any = form("WishReply", check, **{**optional, "kind": kind})
    return Annotated[made, BeforeValidator(_own_fields)]


def _own_fields(given: Any) -> Any:
    """What the kind of a wish has; models fill in the other fields, too."""
    kind = str(given.get("kind")).casefold() if isinstance(given, Mapping) else ""
    if kind not in KINDS:
        return given
    names = [field.name for field in fields(KINDS[kind])]
    there = {name: given[name] for name in names if name in given}
    kept = {name: value for name, value in there.items() if value not in ("", [], None)}
    return {**kept, "kind": kind}


def _of_kind(kind: str, parts: Mapping[str, Any], check: Any) -> Any:
    """The form of a wish of one kind, for a person."""
    made: dict[str, Any] = {"kind": Literal[kind]}
    for field in fields(KINDS[kind]):
        if field.name not in ("kind", "says"):
            first = ... if field.default is MISSING else field.default
            made[field.name] = parts[field.name], first
    return form(f"{kind.title()}Reply", check, **made)


def wish_of(scenario: Scenario, member: str, reply: Any) -> Any:
    """The wish that a form holds; ValueError where its kind needs something else."""
    names = [field.name for field in fields(KINDS[reply.kind])]
    said = {name: getattr(reply, name, None) for name in names}
    given = {name: value for name, value in said.items() if value is not None}
    if "slot" in given:
        given["slot"] = labels(scenario, member)[given["slot"]]
    return preference(given)


# ---- what prompts say ------------------------------------------------------------------


def letter(scenario: Scenario, member: str = "") -> dict[str, Any]:
    """The invitation and when it went out, on a member's clock, or the organiser's."""
    meeting = scenario.meeting
    told = {
        "organiser": meeting.organiser,
        "invitation": meeting.invitation,
        "sent": "",
    }
    if not venues_of(scenario):
        here = ZoneInfo(scenario.zones.get(member, meeting.zone))
        sent = datetime.fromisoformat(meeting.sent)
        told["sent"] = moment(sent.astimezone(here))
    if member:
        told |= {"member": member, "bounds": bounds(scenario, member)}
    return told


def lines(items: Iterable[str]) -> str:
    """A list, as prompts show it."""
    return "\n".join(f"- {item}" for item in items)


def spoken(*talks: Sequence[Turn]) -> str:
    """Talks, a turn on each line, under the number of their round."""
    said = []
    for number, talk in enumerate(talks, start=1):
        said += [f"[round {number}]"] if len(talks) > 1 and talk else []
        said += [f"{turn.speaker}: {' '.join(turn.text.split())}" for turn in talk]
    return "\n".join(said)


def numbered(brief: Brief) -> list[tuple[str, Any]]:
    """All notes with their owners; a reason is the number of a note, from 1."""
    return [(member, w) for member, wishes in brief.notes.items() for w in wishes]


def _hours(brief: Brief) -> list[tuple[str, Any]]:
    """The hours of profiles, where they may be used, of those who told others."""
    found = []
    for profile in brief.scenario.database.profiles:
        start, end = profile.hours
        hours, told = Hours(start=start, end=end), brief.notes[profile.name]
        if "hours" in brief.database and told and hours not in told:
            found.append((profile.name, hours))
    return found


def _ties(scenario: Scenario) -> list[tuple[str, str, str]]:
    """Who works with whom, each pair once."""
    found: dict[Any, tuple[str, str, str]] = {}
    for a, b, relation in scenario.database.relations:
        found.setdefault((frozenset((a, b)), relation), (a, b, relation))
    return list(found.values())


def noted(
    scenario: Scenario,
    owned: Sequence[tuple[str, Any]],
    members: Iterable[str],
) -> str:
    """Numbered notes by owner, each on the owner's clock, with what it is."""
    said: dict[str, list[str]] = {member: [] for member in members}
    for number, (member, wish) in enumerate(owned, start=1):
        marks = ["binds"] if wish.binds and not scenario.printed else []
        marks += ["no wish"] if wish.condition else []
        supports = wish.supports and wish.kind != "words"
        marks += ["supports"] if supports and not scenario.printed else []
        tail = f" ({', '.join(marks)})" if marks else ""
        words = worded(wish, scenario.zones[member])
        said[member].append(f"[{number}] {words}{tail}")
    unknown = ["(unknown: nothing was said)"]
    told = [
        line for name, of in said.items() for line in (f"{name}:", *(of or unknown))
    ]
    return "\n".join(told)


def clocks(scenario: Scenario, slot: str) -> str:
    """A slot by its short name on the organiser's clock, and what it is on others'."""
    if places := venues_of(scenario):
        return next(shown(place) for place in places if place.slot == slot)
    start, others = datetime.fromisoformat(slot), dict[str, list[str]]()
    for member, views in scenario.views.items():
        there = views[slot].start
        if there.utcoffset() != start.utcoffset():
            others.setdefault(f"{there:%a %H:%M}", []).append(member)
    told = [f"{time} for {listed(names)}" for time, names in others.items()]
    return f"{short(start)} ({'; '.join(told)})" if told else short(start)


def choices(seat: Any, brief: Brief) -> dict[str, str]:
    """The slots to choose from by their short names; of many each second, third, …"""
    slots = brief.scenario.slots
    step = -(-len(slots) // seat.shown.most(STARTS))
    seat.shown.left(len(slots[::step]), len(slots), "slots")
    names = {slot: clocks(brief.scenario, slot).partition(" (")[0] for slot in slots}
    return {names[slot]: slot for slot in slots[::step] if slot not in brief.kept}


# ---- members ---------------------------------------------------------------------------


def _persona(seat: Any, chat: Chat) -> dict[str, Any]:
    """The persona (appendix B.4), with the own calendar, hours and wishes."""
    own, scenario, me = seat.own, seat.own.scenario, seat.me
    zone = scenario.zones[me]
    return {
        **letter(scenario, me),
        "own": own,
        "away": lines(worded(wish, zone) for wish in scenario.away[me]),
        "words": seat.words(seat.limits.message),
    }


def _answer_form(seat: Any, chat: Chat) -> Any:
    parts: dict[str, Any] = {"text": text(seat.limits.message)}
    if ids := tuple(option.id for option in chat.options):
        parts["agrees"] = or_none(one_of("option", ids)), None
    if seat.own.states:
        parts["wishes"] = many(wish_form(seat, seat.me), WISHES, 0)
    return form("AnswerReply", **parts, done=bool)


def _answer(seat: Any, reply: Any, chat: Chat) -> Turn:
    said = getattr(reply, "wishes", ())
    wishes = tuple(wish_of(seat.own.scenario, seat.me, one) for one in said)
    agrees = getattr(reply, "agrees", None)
    return Turn(
        seat.me,
        reply.text.strip(),
        wishes,
        agrees,
        reply.done,
    )


def _talking(seat: Any, chat: Chat) -> dict[str, Any]:
    return {
        "me": seat.me,
        "said": spoken(*chat.earlier, chat.turns),
        "ids": [option.id for option in chat.options],
        "kinds": explained(seat.own.scenario, seat.me) if seat.own.states else "",
    }


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
        **letter(scenario, member),
        "options": lines(offered(scenario, o, member) for o in chat.options),
        "best": chat.candidate or "",
        "reasons": any(option.reasons for option in chat.options),
        "curt": seat.own.curt,
        "words": seat.words(seat.limits.message),
    }


INTERVIEWER = Role(
    "interviewer",
    acts={
        "remark": Act(
            "coordination/interview_turn",
            lambda seat, chat: form("TextReply", text=text(seat.limits.text(OPENING))),
            lambda seat, chat: {
                "member": chat.member,
                "said": spoken(*chat.earlier, chat.turns),
            },
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
                "member": chat.member,
                "options": lines(
                    offered(seat.own.scenario, option, chat.member)
                    for option in chat.options
                ),
                "said": spoken(chat.turns),
                "kinds": explained(seat.own.scenario, chat.member),
                "timed": not venues_of(seat.own.scenario),
            },
            lambda seat, reply, chat: tuple(
                wish_of(seat.own.scenario, chat.member, one) for one in reply.wishes
            ),
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
                "timed": not venues_of(seat.own.scenario),
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
        "reasons": _numbers(len(numbered(brief))),
    }
    known: Any = one_of("slot", tuple(choices(seat, brief)))
    slot = Annotated[known, BeforeValidator(_unbracketed)]
    option = form("OptionReply", slot=slot, **claims)
    if not brief.candidate:
        return form("OptionsReply", _apart, options=many(option, brief.k, 1))
    kept = form("CandidateReply", **claims)
    others = many(option, brief.k - 1, 0)
    return form(
        "RevisionReply",
        _apart,
        candidate=kept,
        options=others,
    )


def _unbracketed(slot: Any) -> Any:
    """A slot without what the prompt says of it in brackets."""
    return slot.partition(" (")[0] if isinstance(slot, str) else slot


def _apart(reply: Any) -> None:
    """What a JSON schema cannot say: no two options are the same."""
    slots = [option.slot for option in reply.options]
    if twice := {slot for slot in slots if slots.count(slot) > 1}:
        raise ValueError(f"options: {min(twice)!r} given twice; expected each once")


def _briefed(seat: Any, brief: Brief) -> dict[str, Any]:
    scenario, used = brief.scenario, brief.database
    return {
        **letter(scenario),
        "notes": noted(scenario, numbered(brief), scenario.members),
        "printed": scenario.printed,
        "required": scenario.meeting.required,
        "people": scenario.database.profiles if used else (),
        "hours": "hours" in used,
        "relations": _ties(scenario) if "ties" in used else (),
        "slots": lines(clocks(scenario, s) for s in choices(seat, brief).values()),
        "candidate": clocks(scenario, brief.candidate.slot) if brief.candidate else "",
        "satisfied": brief.satisfied,
        "least": max(brief.least, 1),
        "k": brief.k - len(brief.kept),
        "names": scenario.members,
    }


def _suggestions(seat: Any, reply: Any, brief: Brief) -> list[Option]:
    """For whom an option works, and why, is the coordinator's claim."""
    slots, known = choices(seat, brief), numbered(brief)
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
        found.append(
            Option(
                "",
                slot,
                members,
                reasons,
            )
        )
    return found


COORDINATOR = Role(
    "coordinator",
    acts={
        "propose": Act(
            "coordination/coordination", _options_form, _briefed, _suggestions, 600
        )
    },
    kinds={
        kind: lambda me, rng, own, kind=kind: RuleBasedCoordinator(kind, rng)
        for kind in ("satisficing", "exhaustive", "random")
    },
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


def _scores(
    seat: Any,
    reply: Any,
    brief: Brief,
    options: Sequence[Option],
) -> Scores:
    made: dict[str, dict[str, int | None]] = {}
    for option, row in reply.model_dump(by_alias=True).items():
        made[option] = dict.fromkeys(brief.notes)
        made[option] |= {name: judged["score"] for name, judged in row.items()}
    return made


EVALUATOR = Role(
    "evaluator",
    acts={
        "score": Act(
            "coordination/evaluation",
            _scores_form,
            lambda seat, brief, options: {
                **letter(brief.scenario),
                "options": lines(
                    f"{o.id}: {clocks(brief.scenario, o.slot)}" for o in options
                ),
                "notes": noted(
                    brief.scenario,
                    [*numbered(brief), *_hours(brief)],
                    brief.scenario.members,
                ),
                "lowest": seat.own.lowest,
                "printed": brief.scenario.printed,
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
