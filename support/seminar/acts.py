"""Who takes part, as tables: what is asked of the organiser, the detector, the reader,
the person at the desk, the speakers and whoever answers about the mails.

A model and a person are asked the same; prompts ask what appendix C of 002 asks of the
paper's models, in our words. What a form can hold, the form holds; a text that is too
long is cut, and a policy that there is not is left out, since nobody would gain by
losing the rest.

    organizer   progress(desk) -> str · select(desk) -> ids of policies
                plan(desk) -> DayPlan · act(desk) -> Actions
                draft(desk, action) -> Draft · describe(desk, edit) -> str
                close(desk) -> str · generalise(desk, hook) -> str, a policy or ""
    detector    check(mail, desk) -> a question, "" where it has no words; None is clear
    reader      read(desk, mail) -> Says
    reviewer    review(desk, what, items) -> Review · decide(desk, flag) -> Flag
                read(desk, mail) -> Says | None
    speaker     answer(letter) -> Response
    answerer    answer(question, desk) -> Told; a model, or a person
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from typing import Annotated, Any

import numpy as np
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    Field,
    WithJsonSchema,
    with_config,
)
from typing_extensions import TypedDict

from support.play import counted
from support.seats import (
    Act,
    HumanSeat,
    Repeated,
    Role,
    Seats,
    Spoken,
    by_name,
    cut,
    form,
    many,
    one_of,
    text,
)
from support.seminar import words
from support.seminar.data import Persona, Scenario, in_words
from support.seminar.desk import Desk
from support.seminar.organizer import RuleBasedOrganizer
from support.seminar.records import (
    ACTION,
    ACTIONS,
    ASKS,
    MAIL,
    PLAN,
    REPLY,
    STATED,
    WAIT,
    Action,
    DayPlan,
    Draft,
    Mail,
    Review,
    Says,
)
from support.seminar.review import BODY, Automatic, checked_review
from support.seminar.speakers import KINDS, Letter, Response, RuleBasedSpeaker
from support.spelling import NOTHING as EMPTY
from support.spelling import or_none

# Characters of a tight model's texts, and mails of the log that it is shown; others have
# four times as many.
LINE = 160
SENTENCE = 240
PARAGRAPH = 600
LETTER = 1500
REPORT = 2000
LOG = 12

# ---- what prompts say ------------------------------------------------------------------


def view(*names: str, **more: Any) -> Callable[..., dict[str, Any]]:
    """The facts of a prompt: what a seat is given, by name, and more."""

    def facts(seat: Any, *given: Any) -> dict[str, Any]:
        told = dict(zip(names, given, strict=True))
        return {
            "show": words.Shows(told.get("desk"), seat.shown),
            **told,
            **more,
        }

    return facts


# ---- the parts of forms ----------------------------------------------------------------

ISO = "^20[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$"
Day = Annotated[date, WithJsonSchema({"type": "string", "pattern": ISO})]


BLANK = BeforeValidator(
    lambda given: "" if str(given).strip().casefold() in EMPTY else given
)
"""Null, or its name, stands for an empty text."""


def short(seat: Any, most: int) -> Any:
    """A text on one line, cut off where it is too long; `LINE` is that for everybody."""
    most = most if most == LINE else seat.shown.characters(most)

    def fitting(given: Any) -> Any:
        if not isinstance(given, str):
            return given
        flat = " ".join(given.split())
        return flat if len(flat) <= most else cut(flat, most - len(" […]"))

    return Annotated[text(most, 0), BeforeValidator(fitting), BLANK]


def one_day(slots: Sequence[date]) -> Any:
    """One of some dates."""
    known = one_of("date", [str(slot) for slot in slots])
    return Annotated[known, AfterValidator(date.fromisoformat)]


def keyed(name: str, parts: Mapping[str, Any]) -> Any:
    """A form with a part under each key, a name or a date, and no other key."""
    made: Any = TypedDict(name, dict(parts), total=False)  # type: ignore[misc]
    return with_config(extra="forbid")(made)


def asked(
    prompt: str,
    names: str,
    fields: Callable[..., dict[str, Any]],
    made: Callable[..., Any],
    room: int | Callable[..., int],
    **more: Any,
) -> Act:
    """What is asked with a template of ours: the names of what a seat is given, the
    fields of the reply (a number stands for a text of so many characters), and what is
    made of it."""

    def shape(seat: Any, *view: Any) -> type[BaseModel]:
        parts = fields(seat, *view)
        for name, kind in parts.items():
            parts[name] = short(seat, kind) if isinstance(kind, int) else kind
        return form("Reply", **parts)

    facts = view(*names.split())
    return Act(f"organizing/{prompt}", shape, facts, made, room, **more)


def one_text(
    prompt: str,
    names: str,
    field: str,
    most: int,
    **more: Any,
) -> Act:
    """An act whose reply is one text."""
    made = lambda seat, reply, *view: getattr(reply, field)
    return asked(prompt, names, lambda *view: {field: most}, made, most + 20, **more)


# ---- what a reply says, date by date ---------------------------------------------------

SAID = "can", "perhaps", "cannot", "gives back"


def says_fields(
    seat: Any,
    offered: Iterable[date],
    held: Sequence[date],
    known: Says,
) -> dict[str, Any]:
    """One answer for each date, so that none can be possible and impossible; only a date
    that is theirs can be given back. What is `known` stands there before."""
    there = dict[date, str]()
    dates = {}
    for said in SAID:
        there |= dict.fromkeys(getattr(known, said.replace(" ", "_")), said)
    for slot in sorted({*offered, *held}):
        answers = ("not said", *(SAID if slot in held else SAID[:-1]))
        begun: Any = {"default": there.get(slot, "not said")}
        title = Field(title=in_words(slot), json_schema_extra=begun)
        dates[str(slot)] = Annotated[one_of("answer", answers), title]
    return {
        "dates": keyed("DatesReply", dates),
        "declines": (bool, known.declines),
        "not_before": (or_none(Day), known.not_before),
        "asks": (short(seat, SENTENCE), known.asks),
    }


def says(reply: Any) -> Says:
    """What such a form says; a date of which it says nothing is not said."""
    told: dict[str, Any] = {}
    for said in SAID:
        days = [day for day, answer in reply.dates.items() if answer == said]
        told[said.replace(" ", "_")] = tuple(map(date.fromisoformat, sorted(days)))
    return Says(
        **told,
        declines=reply.declines,
        not_before=reply.not_before,
        asks=reply.asks,
    )


def read_fields(seat: Any, desk: Desk, mail: Mail) -> dict[str, Any]:
    """The dates that they were offered; for a person all, and what is known already."""
    offered = desk.offered(mail.sender)
    known = Says()
    if isinstance(seat, HumanSeat):
        offered = tuple(desk.books.holders)
        known = mail.says or known
    return says_fields(seat, offered, desk.books.held(mail.sender), known)


READ = asked(
    "reading",
    "desk mail",
    read_fields,
    lambda seat, reply, *view: says(reply),
    room=lambda seat, desk, mail: 300 + 25 * len(desk.books.holders),
)

# ---- the organiser ---------------------------------------------------------------------

STEPS: Mapping[str, Sequence[str]] = {
    "plan": ("select", "plan", "act"),
    "mails": ("draft",),
    "summaries": ("progress", "describe", "close", "generalise"),
}
"""What another model may do apart, as the paper has o3 beside GPT-4o."""


def numbers(seat: Any, desk: Desk) -> type[BaseModel]:
    """The numbers of policies, as they are listed."""
    known = range(1, len(desk.policies) + 1)
    some = many(one_of("policy", known), len(known))
    return form("SelectionReply", policies=some)


def ids(seat: Any, reply: Any, desk: Desk) -> tuple[str, ...]:
    """The ids of the policies that a reply numbers; a number of none is told as such."""
    known = dict(enumerate(desk.policies.ids, start=1))
    return tuple(known.get(n, f"no policy {n}") for n in sorted({*reply.policies}))


SELECT = Act(
    "organizing/selection",
    numbers,
    view("desk", listed=True, quotes=True),
    ids,
    room=78,
    unasked=lambda seat, desk: None if len(desk.policies) else (),
)
"""Which policies does the situation call for?"""


def action_fields(seat: Any, desk: Desk) -> dict[str, Any]:
    """Actions, each with what the record has; of one that cannot be carried out the day
    says why, and does the rest."""
    known = desk.policies.ids
    slots = list(desk.books.holders)
    schema = WithJsonSchema({"type": "string", "enum": ["", *known]})
    policy = BeforeValidator(lambda given: given if given in known else "")
    listed = [name for name in desk.books.contacts if name not in desk.books.removed]
    days, _ = many(one_day(slots), len(slots))
    one = form(
        "Action",
        person=one_of("person", listed),
        kind=one_of("kind", ACTIONS),
        goal=(short(seat, LINE), ""),
        policy=(Annotated[str, policy, schema], ""),
        slots=(Annotated[days, AfterValidator(tuple)], ()),
        asks=(Annotated[one_of("asks", ["", *ASKS]), BLANK], ""),
    )
    return {"actions": many(one, len(listed))}


ORGANIZES = {
    "progress": one_text("progress", "desk", "summary", REPORT),
    "select": SELECT,
    "plan": asked(
        "plan",
        "desk",
        lambda *view: {"plan": PARAGRAPH, "reason": PARAGRAPH},
        lambda seat, reply, *view: DayPlan(reply.plan, reply.reason),
        room=2 * PARAGRAPH + 40,
    ),
    "act": asked(
        "actions",
        "desk",
        action_fields,
        lambda seat, reply, *view: tuple(Action(**dict(a)) for a in reply.actions),
        room=lambda seat, desk: 60 + 250 * len(desk.books.contacts),
    ),
    "draft": asked(
        "mail",
        "desk action",
        lambda seat, *view: {
            "subject": LINE,
            "body": text(min(BODY, seat.shown.characters(LETTER))),
        },
        lambda seat, reply, desk, action: Draft(
            action.person, reply.subject, reply.body
        ),
        room=LINE + LETTER + 40,
    ),
    "describe": one_text("change", "desk edit", "sentence", SENTENCE),
    "close": one_text("closing", "desk", "summary", PARAGRAPH),
    "generalise": one_text(
        "policy",
        "desk hook",
        "policy",
        SENTENCE,
        unasked=lambda seat, desk, hook: None if hook.answer.strip() else "",
    ),
}
ORGANIZER = Role(
    "organizer",
    acts=ORGANIZES,
    kinds={"rule-based": lambda me, rng, own: RuleBasedOrganizer(rng)},
)


class Divided:
    """An organiser whose steps are done by several participants."""

    def __init__(self, seats: Mapping[str, Any]) -> None:
        self.seats = seats
        self.kind = "; ".join(f"{step}: {seat.kind}" for step, seat in seats.items())

    def __getattr__(self, name: str) -> Any:
        if name in ("replies", "tokens"):
            return counted(self.seats.values(), name)
        for step, acts in STEPS.items():
            if name in acts:
                return getattr(self.seats[step], name)
        raise AttributeError(name)


def seat_organizer(
    kind: Any,
    rng: np.random.Generator,
    spoken: Spoken | None = None,
) -> Any:
    """The organiser of a kind, or of a kind for each of `STEPS`."""
    if not isinstance(kind, Mapping):
        return ORGANIZER.seat(kind, rng, None, spoken)
    kinds = by_name("step", kind, list(STEPS))
    seats = {
        step: ORGANIZER.seat(one, deepcopy(rng), None, spoken)
        for step, one in kinds.items()
    }
    return Divided(seats)


# ---- the detector ----------------------------------------------------------------------


class StatedDetector:
    """Flags what a reply says that somebody has to decide about, and a reply that nobody
    could read, which it cannot judge."""

    kind = "stated"

    async def check(self, mail: Mail, desk: Desk) -> str | None:
        """A question that quotes what is asked."""
        if mail.says is None:
            return f"Nobody could read the mail of {mail.sender}. What now?"
        asks = mail.says.asks
        return f"{mail.sender} asks: “{asks}” What shall I answer?" if asks else None


class NoDetector:
    """A floor: lets every reply pass."""

    kind = "none"

    async def check(self, mail: Mail, desk: Desk) -> str | None:
        """Clear."""
        return None


VERDICTS = "clear", "flag"
VERDICT: Any = one_of("verdict", VERDICTS)
CHECK = Act(
    "organizing/detection",
    lambda seat, *view: form(
        "VerdictReply", verdict=VERDICT, question=short(seat, SENTENCE)
    ),
    view("mail", "desk"),
    lambda seat, reply, *view: reply.question if reply.verdict == "flag" else None,
    room=100,
)
"""Is a reply covered by the policies, or has somebody to decide? Its examples are of the
kinds of the paper's, in our words; a flag is one, however long its question."""
DETECTOR = Role(
    "detector",
    acts={"check": CHECK},
    kinds={
        "stated": lambda me, rng, own: StatedDetector(),
        "none": lambda me, rng, own: NoDetector(),
    },
    speaker=Repeated,
)

# ---- the reader, and the person at the desk --------------------------------------------

READER = Role(
    "reader",
    acts={"read": READ},
    kinds={STATED: lambda me, rng, own: None},
    speaker=Repeated,
)
"""There is none where replies state what they say."""


def review_fields(
    seat: Any,
    desk: Desk,
    what: str,
    items: Sequence[Any],
) -> dict[str, Any]:
    """The items as they are to be, and a wish by which all are made again."""
    kind: Any = {
        PLAN: DayPlan,
        ACTION: Action,
        MAIL: Draft,
    }[what]
    wish = short(seat, SENTENCE), ""
    return {"items": (list[kind], list(items)), "wish": wish}


def reviewed(
    seat: Any,
    reply: Any,
    desk: Desk,
    what: str,
    items: Sequence[Any],
) -> Review:
    """The review that a reply stands for."""
    return checked_review(desk, what, items, Review(tuple(reply.items), reply.wish))


REVIEWER = Role(
    "reviewer",
    acts={
        "review": asked(
            "review",
            "desk what items",
            review_fields,
            reviewed,
            room=lambda seat, desk, what, items: 2 * LETTER * (1 + len(items)),
        ),
        "decide": asked(
            "decision",
            "desk flag",
            lambda seat, *view: {
                "answer": PARAGRAPH,
                "words": (Annotated[text(seat.shown.characters(LETTER), 0), BLANK], ""),
                "grants": (or_none(bool), None),
            },
            lambda seat, reply, desk, flag: replace(
                flag,
                answer=reply.answer or " ".join(reply.words.split()),
                words=reply.words.strip(),
                grants=reply.grants,
            ),
            room=PARAGRAPH + LETTER,
        ),
        "read": READ,
    },
    kinds={"automatic": lambda me, rng, own: Automatic()},
    speaker=Repeated,
)

# ---- speakers --------------------------------------------------------------------------


@dataclass(frozen=True)
class Invited:
    """What somebody knows of themselves and nobody else does; `mood` is which dates suit."""

    persona: Persona
    scenario: Scenario
    mood: Mapping[date, str]


def reply_form(seat: Any, letter: Letter) -> type[BaseModel]:
    """Who writes has something to say, and states it; a person need not."""

    def fitting(reply: Any) -> None:
        stated = reply.says is not None or isinstance(seat, HumanSeat)
        if reply.action == REPLY and not (reply.body.strip() and stated):
            raise ValueError(
                f'a reply without a body or "says" given; expected both, or {WAIT}'
            )

    own = form("SaysReply", **says_fields(seat, letter.offered, letter.given, Says()))
    return form(
        "SpeakerReply",
        fitting,
        action=one_of("action", (REPLY, WAIT)),
        until=(or_none(int), None),
        subject=(short(seat, LINE), ""),
        body=(Annotated[text(seat.shown.characters(words.SHOWN), 0), BLANK], ""),
        says=(or_none(own), None),
    )


def response(seat: Any, reply: Any, letter: Letter) -> Response:
    """What somebody does about a mail; they look again tomorrow at the earliest."""
    until = None if reply.until is None else max(reply.until, letter.day + 1)
    if reply.action == WAIT:
        return Response(until=until)
    stated = says(reply.says) if reply.says else None
    subject = reply.subject or f"Re: {letter.latest.subject}"
    return Response(subject, reply.body.strip(), until, stated)


def _rule_based(
    kind: str,
    me: str,
    rng: np.random.Generator,
    own: Invited,
) -> Any:
    label = kind if kind == "rule-based" else f"rule-based {kind}"
    return RuleBasedSpeaker(KINDS[kind](own.persona), own.scenario, rng, label)


SPEAKER = Role(
    "speaker",
    acts={
        "answer": Act(
            "organizing/speaker_turn",
            reply_form,
            view("letter"),
            response,
            room=lambda seat, letter: (
                LINE + words.SHOWN + 300 + 25 * len(letter.offered)
            ),
            briefing="organizing/speaker",
            told=lambda seat, letter: view("letter", "own")(seat, letter, seat.own),
        )
    },
    kinds={kind: partial(_rule_based, kind) for kind in KINDS},
    mixture=tuple(KINDS),
)


def seat_speakers(
    scenario: Scenario,
    kinds: Seats,
    rng: np.random.Generator,
    spoken: Spoken | None = None,
) -> dict[str, Any]:
    """A participant for each of a scenario's people; the dates that suit a model or a
    person are drawn as a rule-based one's are, from the same stream."""
    known = {}
    streams = deepcopy(rng).spawn(len(scenario.people))
    for persona, stream in zip(scenario.people, streams, strict=True):
        me = persona.simulated
        mood = RuleBasedSpeaker(me, scenario, stream, "").mood
        known[me.name] = Invited(me, scenario, mood)
    return SPEAKER.fill(list(known), kinds, rng, known.__getitem__, spoken)


# ---- everybody -------------------------------------------------------------------------

ROLES = "organizer", "detector", "reader", "reviewer"


def seat_roles(
    kinds: Mapping[str, Any],
    rng: np.random.Generator,
    spoken: Spoken | None = None,
) -> dict[str, Any]:
    """Everybody of `ROLES` by a kind for each; there is no reader where replies state
    what they say."""
    found = {"organizer": seat_organizer(kinds["organizer"], rng, spoken)}
    for role in (DETECTOR, READER, REVIEWER):
        alone = np.random.default_rng(0)
        found[role.name] = role.seat(kinds[role.name], alone, None, spoken)
    return {role: who for role, who in found.items() if who is not None}


# ---- who answers questions about the mails ---------------------------------------------

NAMED = 10  # mails that a tight model names


@dataclass(frozen=True, slots=True)
class Told:
    """An answer, and the ids of the mails that it rests on."""

    text: str
    mails: tuple[int, ...] = ()


NOTHING = Told("Without mails, or without a question, there is nothing to answer.")


def answer_fields(seat: Any, question: str, desk: Desk) -> dict[str, Any]:
    """The mails that an answer rests on are among those that are shown."""
    ids = [mail.id for mail in desk.mails[-seat.shown.most(LOG) :]]
    named = many(one_of("mail", ids), seat.shown.most(NAMED))
    return {"answer": PARAGRAPH, "mails": named}


ANSWERER = Role(
    "answerer",
    acts={
        "answer": asked(
            "question",
            "question desk",
            answer_fields,
            lambda seat, reply, *view: Told(
                reply.answer, tuple(dict.fromkeys(reply.mails))
            ),
            room=250,
            unasked=lambda seat, question, desk: (
                None if question.strip() and desk.mails else NOTHING
            ),
        )
    },
)
