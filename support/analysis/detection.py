"""Which policies apply, and what should be asked about: selectors and detectors put to
the test (002, section 4), on suites of the project's own (`data/inputs/seminar/TESTS.md`).

Whoever is tested sees what a role sees, and never the truth, which is set beside the
answer afterwards. Two tidy frames hold the answers, a row each: selections (technique,
run, item, selected, applies: ids of policies, the second the truth; problem) and verdicts
(technique, run, item, case, flag: the truth, flagged, right; problem). Runs that repeat
the same items differ by a model's temperature alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import pandas as pd
from pydantic import Field

from support.errors import MalformedReply
from support.seats import TEMPERATURE as DETECTING
from support.seats import Act, Repeated, Spoken, form, many
from support.seminar.acts import CHECK, DETECTOR, SELECT, VERDICT, view
from support.seminar.books import Books, Contact
from support.seminar.data import ORGANISER, Persona, passed, rows, scenario
from support.seminar.desk import Desk
from support.seminar.policies import PolicySet
from support.seminar.records import REPLY, Mail

if TYPE_CHECKING:
    from support.models.model import ChatModel

RUNS = 3
"""Of every condition in the paper."""
CONTEXTS = SPEAKER, SLOT, BOTH, SUMMARY = "speaker", "slot", "both", "summary"
SELECTING = 1.0
"""The temperature of section 4.1.1."""
NUMBERS, LARGEST = 12, 99
"""Of policies that nobody listed: how many, and up to which."""
SHOTS = ZERO, FEW, POLICIES = "zero", "few", "few with policies"
"""Settings of section 4.2: without examples, with five, and with the policies too."""

# ---- the suites ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class JudgedReply:
    """A reply, and whether the organiser has to decide about it; of one `case` all stay
    on one side of a split. `voice` is who speaks, or, of test replies, the topic."""

    id: str
    text: str
    flag: bool
    case: str
    voice: str = ""


@dataclass(frozen=True)
class JudgedState:
    """A morning's books, an assistant's report on them, and the policies that apply."""

    id: str
    books: Books
    summary: str
    applies: tuple[str, ...]
    why: str


def edge_cases() -> list[JudgedReply]:
    """100 replies: 20 cases in five voices each."""
    found = []
    for case in rows("edge_cases.toml", "case"):
        for voice, text in case["voices"].items():
            name = f"{case['id']}, {voice}"
            found.append(JudgedReply(name, text, case["flag"], case["id"], voice))
    return found


def held_out_replies() -> list[JudgedReply]:
    """60 replies by another author."""
    found = rows("test_replies.toml", "reply")
    return [
        JudgedReply(e["id"], e["text"], e["flag"], e["id"], e["topic"]) for e in found
    ]


def held_out_states() -> list[JudgedState]:
    """30 states by another author."""
    return [
        JudgedState(e["id"], _books(e), e["summary"], tuple(e["applies"]), e["why"])
        for e in rows("test_states.toml", "state")
    ]


def _books(entry: Any) -> Books:
    """Work began long before: of a state some dates may be over."""
    people = [
        Persona(s["name"], s["name"], f"{k}@example.org", s["role"])
        for k, s in enumerate(entry["speakers"])
    ]
    slots = tuple(date.fromisoformat(s["date"]) for s in entry["slots"])
    begun: Any = {
        "start": date(2026, 1, 5),
        "deadline": slots[-1],
        "slots": slots,
    }
    books = Books(replace(scenario("four"), people=tuple(people), **begun))
    books.today = date.fromisoformat(entry["today"])
    for given in entry["speakers"]:
        contact = books.contacts[given["name"]]
        for what in ("mails", "answered"):
            getattr(contact, what).extend(map(date.fromisoformat, given[what]))
        contact.can = {*map(date.fromisoformat, given["available"])}
        contact.perhaps = {*map(date.fromisoformat, given["vague"])}
    for slot, given in zip(slots, entry["slots"], strict=True):
        if given["speaker"]:
            books.enter("given", given["speaker"], slot)
    return books


def one_voice(replies: Sequence[JudgedReply]) -> list[JudgedReply]:
    """One reply of each case, its voices in turn: a subset that holds every case.

    >>> [reply.voice for reply in one_voice(edge_cases())[:3]]
    ['renowned', 'junior', 'finishing']
    """
    by_case: dict[str, list[JudgedReply]] = {}
    for reply in replies:
        by_case.setdefault(reply.case, []).append(reply)
    return [voices[k % len(voices)] for k, voices in enumerate(by_case.values())]


# ---- selections ------------------------------------------------------------------------


def contexts(state: JudgedState) -> dict[str, str]:
    """What is told in the four contexts: who is pending, which dates are open, both, or a
    report in prose."""
    books = state.books
    pending = [f"- {c.name}: {_reached(books, c)}" for c in books.waiting]
    speaker = "\n".join(["Speakers pending:", *(pending or ["- none"])])
    told = []
    for what, free in (("filled", False), ("open", True)):
        dates = [str(slot) for slot in books.holders if (slot in books.free) is free]
        told.append(f"Dates {what}: {', '.join(dates) or 'none'}")
    slot = "\n".join(told)
    both = f"{slot}\n{speaker}"
    return {
        SPEAKER: speaker,
        SLOT: slot,
        BOTH: both,
        SUMMARY: state.summary,
    }


def _reached(books: Books, contact: Contact) -> str:
    if not contact.mails:
        return "not written to yet"
    count = len(contact.mails)
    last = contact.mails[-1]
    times = {1: "once", 2: "twice"}.get(count, f"{count} times")
    days = passed(last, books.today)
    ago = f"{days} working day{'' if days == 1 else 's'} ago"
    said = f"written to {times}, last on {last} ({ago})"
    if not contact.answered:
        return f"{said}, has never answered"
    said = f"{said}, last answered on {contact.answered[-1]}"
    return f"{said}, {contact.unanswered} unanswered" if contact.unanswered else said


def technique(context: str, listed: bool) -> str:
    """The context's name where it is put as in the paper's prompts, which list the
    policies under *summary* alone, and with what is changed elsewhere.

    >>> technique("slot", False), technique("slot", True), technique("summary", False)
    ('slot', 'slot, listed', 'summary, not listed')
    """
    if listed == (context == SUMMARY):
        return context
    return f"{context}, listed" if listed else f"{context}, not listed"


def selecting(listed: bool, quotes: bool) -> Act:
    """The organiser's own question, as section 4.1 asks it in other contexts too, of
    which the paper's prompts show no list (`listed`); a context that quotes nobody needs
    no marks."""

    def numbers(seat: Any, desk: Desk) -> Any:
        some: Any = Annotated[int, Field(ge=1, le=LARGEST)]
        return form("SelectionReply", policies=many(some, NUMBERS))

    shape = SELECT.form if listed else numbers
    return replace(SELECT, form=shape, facts=view("desk", listed=listed, quotes=quotes))


async def model_selections(
    model: ChatModel | str,
    states: Sequence[JudgedState],
    policies: PolicySet,
    listed: bool,
    temperature: float = SELECTING,
) -> pd.DataFrame:
    """What a model selects in each state under each context, in each of `RUNS`, shown
    the list of policies or not.

    An answer that did not fit its form counts as none selected, and `problem` says why.
    """

    async def one(context: str, run: int, state: JudgedState) -> dict[str, Any]:
        """What is selected in one state."""
        act = selecting(listed, quotes=context == SUMMARY)
        spoken = Spoken(temperature=temperature, repetition=run - 1)
        seat = Repeated(model, {"select": act}, spoken=spoken)
        desk = Desk(state.books, policies, progress=contexts(state)[context])
        found = ()
        problem = ""
        try:
            found = await seat.select(desk)
        except MalformedReply as error:
            problem = str(error)
        named = {
            "technique": technique(context, listed),
            "listed": listed,
            "run": run,
        }
        given = {
            "item": state.id,
            "selected": found,
            "applies": state.applies,
        }
        return {
            **named,
            **given,
            "problem": problem,
        }

    asked = [
        one(context, run, state)
        for context in CONTEXTS
        for run in range(1, RUNS + 1)
        for state in states
    ]
    return pd.DataFrame(await asyncio.gather(*asked))


# ---- verdicts --------------------------------------------------------------------------


AT_ONCE = replace(
    CHECK,
    prompt="organizing/detection_zero",
    form=lambda seat, mail, desk: form("VerdictReply", verdict=VERDICT),
    facts=lambda seat, mail, desk: view("mail")(seat, mail),
    made=lambda seat, reply, mail, desk: "" if reply.verdict == "flag" else None,
)
"""The detector's question without examples."""


async def verdicts(
    name: str,
    detector: Any,
    replies: Sequence[JudgedReply],
    policies: PolicySet,
    run: int = 1,
) -> pd.DataFrame:
    """What a detector, anything with `async check(mail, desk)`, says of each reply, given
    as a mail that states nothing as data; `name` it.

    An answer that did not fit its form counts as clear: nobody would have been asked;
    `problem` says why.
    """
    seated = DETECTOR.seat(detector, np.random.default_rng(0))
    programme = scenario("four")
    desk = Desk(Books(programme), policies)
    who = programme.people[0].name

    async def one(reply: JudgedReply) -> tuple[bool, str]:
        """Whether a reply is flagged, and what was amiss."""
        mail = Mail(1, 1, REPLY, who, ORGANISER, body=reply.text)
        try:
            said = await seated.check(mail, desk)
        except MalformedReply as error:
            return False, str(error)
        return said is not None, ""

    found = await asyncio.gather(*map(one, replies))
    frame = judged(name, [flag for flag, _ in found], replies, run)
    return frame.assign(problem=[problem for _, problem in found])


async def model_verdicts(
    model: ChatModel | str,
    replies: Sequence[JudgedReply],
    policies: PolicySet,
    shots: str,
    temperature: float = DETECTING,
) -> pd.DataFrame:
    """A language model's `verdicts` in one of the paper's settings (`SHOTS`), in each of
    `RUNS`; the setting names it."""
    asked = []
    known = policies if shots == POLICIES else PolicySet()
    act = AT_ONCE if shots == ZERO else CHECK
    for run in range(1, RUNS + 1):
        spoken = Spoken(temperature=temperature, repetition=run - 1)
        seat = Repeated(model, {"check": act}, spoken=spoken)
        asked.append(verdicts(shots, seat, replies, known, run))
    return pd.concat(await asyncio.gather(*asked), ignore_index=True)


def judged(
    name: str,
    flagged: Sequence[bool],
    replies: Sequence[JudgedReply],
    run: int = 1,
) -> pd.DataFrame:
    """Verdicts that are there already, such as those of a cross-validation, as
    `verdicts` gives them."""
    frame = pd.DataFrame([asdict(reply) for reply in replies]).drop(columns="text")
    said = np.asarray(flagged, bool)
    told: Any = {"flagged": said, "right": (frame["flag"] == said).astype(float)}
    frame = frame.rename(columns={"id": "item"})
    return frame.assign(
        technique=name,
        run=run,
        problem="",
        **told,
    )
