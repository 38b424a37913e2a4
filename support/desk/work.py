"""The seminar that the desk works on: opened, played, left and taken up again; what its file holds; how it stands."""

from __future__ import annotations

import asyncio
import json
import weakref
from collections.abc import Callable, Iterable
from contextlib import closing, suppress
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from support.desk.form import ANSWER, DeskForm
from support.desk.markup import count
from support.desk.views import Step, seats_of
from support.errors import FateUnknown, FileInUse
from support.labs.base import words
from support.runs.study import Store
from support.seats import Question
from support.seminar.artefacts import Artefacts
from support.seminar.data import in_words
from support.seminar.organizing import carried
from support.seminar.records import (
    ACTION,
    MAIL,
    ORGANISER,
    PLAN,
    Action,
    Flag,
    OrganizingDay,
)
from support.seminar.reviewing import FLAG
from support.seminar.rules import policies_of
from support.seminar.views import DayPlan, Desk, Draft, Review
from support.seminars import journal
from support.seminars.journal import Entry
from support.seminars.remembering import FINISHED, KINDS, USER, from_text
from support.seminars.seminar import POLICIES, TEMPLATES, Entries, Seminar, Templates
from support.seminars.setup import DRY_RUN, LIVE, REHEARSAL, SeminarSetup

if TYPE_CHECKING:
    from support.models.model import ChatModel

SWEEP = "seminars"  # under which name the records of seminars that are over lie in the store
PATIENCE, BETWEEN = (
    3.0,
    0.25,
)  # seconds that a page which is loaded again waits for the kernel before it to end
AFTER: dict[str | None, str] = {  # a step of the journal
    None: "fetches the mail", "progress": "selects the policies that apply", "select": "plans the day",
    "plan": "works out what to do", "act": "writes mails", "draft": "sends mails", "answer": "closes the day",
    **dict.fromkeys(("collect", "read", "check", "decide"), "reads what came in"),
    **dict.fromkeys(("review", "describe"), "goes on with the day"),
}  # fmt: skip
TODAY = {
    REHEARSAL: "The next day begins when you press the button.",
    DRY_RUN: "The next day begins when you press the button; put replies into the folder before (see Mail).",
}
Parts = list[tuple[str, str]]

_here: weakref.WeakSet[Work] = weakref.WeakSet()


class Work:
    """At most one open seminar, and the task that plays its day; every error ends up in `error`, as words.

    `taken` is the name of a seminar that another window has open; `unsure` whether a day broke off for mails whose fate
    is unknown; `to_the_end` whether one day is played after the other. `changed` has to be quick.
    """

    def __init__(
        self,
        path: Path,
        model: ChatModel | str | None,
        today: Callable[[], date],
        changed: Callable[[], None],
        form: DeskForm,
    ) -> None:
        self.path, self.model, self.today, self.changed, self.form = (
            path,
            model,
            today,
            changed,
            form,
        )
        self.seminar: Seminar | None = None
        self.taken = self.error = ""
        self.unsure = self.to_the_end = False
        self.task: asyncio.Task[None] | None = None
        self._opening = asyncio.Lock()
        _here.add(self)

    @property
    def latest(self) -> str:
        """The seminar that was worked on last, or the newest one where nobody has worked on any."""
        with closing(Store(self.path)) as store:
            rows = store.select(
                "SELECT seminar FROM journal ORDER BY rowid DESC LIMIT 1"
            )
        return str(rows[0][0]) if rows else journal.names(self.path)[-1]

    @property
    def playing(self) -> bool:
        """Whether a day is being played, or waits for somebody."""
        return self.task is not None and not self.task.done()

    async def open(
        self, name: str, *, take_over: bool = False, patience: float = 0.0
    ) -> None:
        """Open a seminar in the place of the one at hand; of several that are asked for at once the last one.

        A day that was begun waits for somebody to go on with it. A seminar that is open elsewhere is `taken`.
        """
        async with self._opening:
            self.error, self.taken, self.unsure = "", "", False
            await self.close()
            for other in [work for work in _here if work is not self]:
                await other.yield_to(self.path, name)
            try:
                self.seminar = await self._opened(name, take_over, patience)
                self.form.begin(live=self.seminar.setup.mode == LIVE)
            except FileInUse as error:
                self.taken, self.error = name, str(error)
            except (
                Exception
            ) as error:  # whatever it is has to be shown: nobody else sees it
                self.error = words(error)
        self.changed()

    async def _opened(self, name: str, take_over: bool, patience: float) -> Seminar:
        """The seminar, brought to where it was left; a kernel that is about to end keeps it for a moment."""
        told: dict[str, Any] = {
            "model": self.model,
            "today": self.today,
            "changed": self.changed,
        }
        while True:
            try:
                seminar = Seminar(self.path, name, take_over=take_over, **told)
                break
            except FileInUse:
                if patience <= 0:
                    raise
            patience -= BETWEEN
            await asyncio.sleep(BETWEEN)
        try:
            await seminar.open()
        except BaseException:
            seminar.close()
            raise
        return seminar

    async def yield_to(self, path: Path, name: str) -> None:
        """Give a seminar up for another desk of this very kernel, such as that of a cell that ran again."""
        if (
            self.seminar is not None
            and self.path.resolve() == path.resolve()
            and self.seminar.name == name
        ):
            await self.close()
            self.taken, self.error = (
                name,
                "You went on with this seminar in a newer desk of this notebook.",
            )
            self.changed()

    async def close(self) -> None:
        """Leave the seminar; all that was said is kept, and a day that broke off is taken up again where it was."""
        task, self.task = self.task, None
        if task is not None and not task.done():
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
        if self.seminar is not None:
            seminar, self.seminar = self.seminar, None
            seminar.close()
        self.form.rest()

    def play(self, *, to_the_end: bool = False) -> None:
        """Play the running day or the next one, or all that are left, in the background."""
        self.to_the_end = to_the_end
        if not self.playing and self.seminar is not None:
            self.error, self.unsure = "", False
            self.task = asyncio.ensure_future(self._play(self.seminar))

    async def _play(self, seminar: Seminar) -> None:
        try:
            while True:
                await self._day(seminar)
                if seminar.over:
                    keep(seminar)
                if seminar.over or not self.to_the_end:
                    return
        except FileInUse as error:  # another window took the seminar over: nothing can be done here any more
            self.taken, self.error, self.seminar = seminar.name, str(error), None
            seminar.close()
        except (
            Exception
        ) as error:  # nobody awaits this task: what went wrong has to be shown
            self.unsure, self.error = isinstance(error, FateUnknown), words(error)
            await self._again(seminar)
        finally:
            self.to_the_end = False
            self.form.rest()
            asyncio.get_running_loop().call_soon(self.changed)  # when this task is done

    async def _day(self, seminar: Seminar) -> None:
        """One day, with its questions taken to whom they are for."""
        await seminar.open()
        listening = asyncio.ensure_future(self._listen(seminar.questions))
        self.changed()
        try:
            await seminar.play()
        finally:
            listening.cancel()

    async def _listen(self, questions: asyncio.Queue[Question]) -> None:
        while True:
            self.form.ask(await questions.get())
            self.changed()

    async def _again(self, seminar: Seminar) -> None:
        """Bring a seminar whose day broke off to where it was left, so that it can be worked on."""
        try:
            await seminar.open()
        except Exception as error:
            self.error = f"{self.error} {words(error)}".strip()

    async def freshen(self) -> None:
        """Bring the seminar to where it was left, after something was decided about its mails."""
        if self.seminar is None or self.playing:
            return
        if self.unsure and not self.seminar.uncertain:
            self.unsure, self.error = False, ""
        await self._again(self.seminar)
        self.changed()


# ---- what the file holds --------------------------------------------------------------------------------------------


def copied(path: Path, name: str) -> SeminarSetup:
    """The setup of a seminar, with what it leaves by now; nobody who works on it is disturbed."""
    with closing(Store(path)) as store:
        [(setup,)] = store.select("SELECT setup FROM seminars WHERE name = ?", (name,))
        query = "SELECT step, answer FROM journal WHERE seminar = ? AND role IN (?, 'day') ORDER BY number"
        rows = store.select(query, (name, USER))
    begun = SeminarSetup.from_json(setup)
    made = carried(
        begun.artefacts,
        [from_text(OrganizingDay, said) for step, said in rows if step == FINISHED],
    )
    return replace(begun, artefacts=_changed(made, rows))


def _changed(made: Artefacts, rows: Iterable[Any]) -> Artefacts:
    for step, said in rows:
        if step == POLICIES:
            made = replace(
                made, policies=policies_of(from_text(Entries, said), "journal")
            )
        elif step == TEMPLATES:
            made = replace(
                made, templates={one.kind: one for one in from_text(Templates, said)}
            )
    return made


def kept(seminar: Seminar) -> bool:
    """Whether the record of a seminar lies in the store."""
    settings = json.dumps(_settings(seminar), sort_keys=True)
    with closing(Store(seminar.path)) as store:
        return any(unit.text == settings for unit in store.units(SWEEP))


def keep(seminar: Seminar) -> None:
    """Put the record of a seminar that is over into the store, once."""
    if not kept(seminar):
        with closing(Store(seminar.path)) as store:
            store.save(SWEEP, seminar.record, _settings(seminar))


def _settings(seminar: Seminar) -> dict[str, Any]:
    """What a record in the store is found by."""
    setup = seminar.setup
    told = {
        "organizer": setup.organizer,
        "detector": setup.detector,
        "seed": setup.seed,
    }
    return {
        "name": seminar.name,
        "mode": setup.mode,
        "days": len(seminar.finished),
        **told,
    }


# ---- the running day, out of the journal ----------------------------------------------------------------------------


def running_day(
    entries: Iterable[Entry], desk: Desk, day: int, question: Question | None = None
) -> tuple[OrganizingDay, list[Step]]:
    """What is known of a day that is not over, and what was shown and decided; `question` waits for a decision."""
    today = [
        entry for entry in entries if entry.day == day and entry.answer is not None
    ]
    steps = [_decided(entry) for entry in today if entry.role == "reviewer"]
    steps += (
        [_step(question.phase, question.view.item, question.view.about)]
        if question
        else []
    )
    came = tuple(
        mail for mail in desk.mails if mail.day == day and mail.sender != ORGANISER
    )
    reports = [
        entry.answer
        for entry in today
        if (entry.role, entry.step) == ("organizer", "progress")
    ]
    progress = from_text(str, reports[-1] or "") if reports else ""
    known = OrganizingDay(
        day,
        desk.today.isoformat(),
        came,
        progress=progress,
        selected=chosen(today, day),
    )
    return known, steps


def chosen(entries: Iterable[Entry], day: int) -> tuple[str, ...]:
    """The policies that the organiser selected on a day; none before it did."""
    found = [
        e.answer
        for e in entries
        if (e.day, e.role, e.step) == (day, "organizer", "select") and e.answer
    ]
    return from_text(tuple[str, ...], found[-1]) if found else ()


def _decided(entry: Entry) -> Step:
    """A line of the journal as a step."""
    if entry.step == "decide":
        flag: Flag = from_text(Flag, entry.asked)
        return _step(
            FLAG,
            flag,
            flag.person,
            "answer",
            from_text(str, entry.answer or "") or "(left open)",
        )
    what, _, about = entry.about.partition(" ")
    review: Review = from_text(Review, entry.answer or "")
    after = _in_words(review.edited) if review.edited is not None else ""
    return _step(
        what,
        from_text(KINDS[what], entry.asked),
        about,
        review.decision,
        after,
        review.wish,
    )


def _step(
    what: str,
    item: Any,
    about: str,
    decision: str = "",
    after: str = "",
    wish: str = "",
) -> Step:
    return Step(
        what if what in (PLAN, ACTION, MAIL) else FLAG,
        about,
        decision,
        _in_words(item),
        after,
        wish,
    )


def _in_words(item: DayPlan | Action | Draft | Flag) -> str:
    """A plan, an action, a mail or a question as a text.

    >>> _in_words(Action("follow_up", "Ana Ray", "get an answer"))
    'follow-up to Ana Ray: get an answer'
    """
    if isinstance(item, DayPlan):
        return f"{item.text}\n{item.reason}".strip()
    if isinstance(item, Draft):
        return f"{item.subject}\n\n{item.body}"
    if isinstance(item, Flag):
        return item.question
    slot, goal = (
        f", {item.slot}" if item.slot else "",
        f": {item.goal}" if item.goal else "",
    )
    return f"{item.kind.replace('_', '-')} to {item.person}{slot}{goal}"


# ---- how it stands, in words ----------------------------------------------------------------------------------------


def status(work: Work, question: Question | None, why: str) -> Parts:
    """How it stands, in parts: plain text, bold, or an alert; `why` is why there is no day to play."""
    seminar = work.seminar
    if work.error:
        return [("alert", work.error), ("", _way_out(work))]
    if seminar is None:
        return [("", "No seminar is open: begin one on the page"), ("b", "Setup")]
    if work.playing:
        return [("b", f"Day {seminar.day}:"), *_doing(seminar, question)]
    if seminar.closed is not None:
        return [
            ("b", "The seminar is closed."),
            ("", seminar.closed),
            ("", _result(seminar)),
        ]
    if seminar.over:
        return [
            ("b", "The seminar is over."),
            ("", f"{_result(seminar)} Its record lies in {work.path.name}."),
        ]
    if why:
        return _later(seminar) or [("alert", why)]
    if seminar.running:
        begun = "was begun and is not finished. Press the button to go on where it was."
        return [("b", f"Day {seminar.day}"), ("", begun)]
    if seminar.day:
        return [
            ("b", f"Day {seminar.day} is over."),
            ("", f"{_result(seminar)} {_when(seminar)}"),
        ]
    return [("b", "Ready."), ("", _when(seminar))]


def _doing(seminar: Seminar, question: Question | None) -> Parts:
    if question is not None and question.phase == ANSWER:
        return [
            ("", "waits for"),
            ("b", "your mail"),
            ("", f"as {question.view.person}, in the form below the chat."),
        ]
    if question is not None:
        about = question.view.about
        to = f" {'to' if question.phase == MAIL else 'about'} {about}" if about else ""
        what = "a question" if question.phase == FLAG else f"the {question.phase}"
        return [
            ("", "waits for"),
            ("b", "your decision"),
            ("", f"on {what}{to}, in the form below the chat."),
        ]
    today = [
        entry
        for entry in seminar.entries
        if entry.day == seminar.day and entry.role != "user"
    ]
    return [
        (
            "",
            f"the organiser {AFTER.get(today[-1].step if today else None, 'is at work')} …",
        )
    ]


def _result(seminar: Seminar) -> str:
    mails = len(seminar.finished[-1].sent) if seminar.finished else 0
    seats = seats_of(seminar.desk.state)
    full = seats.filled == seats.total and not seminar.over
    more = (
        " Every date is filled; further days are for those who cancel." if full else ""
    )
    return f"{seats.words}; {count(mails, 'mail')} went out on the last day.{more}"


def _when(seminar: Seminar) -> str:
    if seminar.setup.mode != LIVE:
        return TODAY[seminar.setup.mode]
    today = seminar.setup.scenario.start + timedelta(days=seminar.next_day - 1)
    return f"Today is {in_words(today)}: begin the day when you have time for what it asks."


def _later(seminar: Seminar) -> Parts:
    """When a live seminar goes on; nothing where something else is the matter."""
    start = seminar.setup.scenario.start
    number = (seminar.today() - start).days + 1
    if number < 1:
        first = f"The first day of work is {in_words(start)}: begin it then. You may close the page."
        return [("b", "Ready."), ("", first)]
    if number == seminar.day:
        over = f"{_result(seminar)} The next day can be begun tomorrow. You may close the page."
        return [("b", f"Day {number} is over."), ("", over)]
    return []


def _way_out(work: Work) -> str:
    if work.taken:
        return (
            ". If you work here instead, the other window can change nothing any more."
        )
    if work.unsure:
        return "Say on the page Mail whether they arrived, then go on."
    return (
        "Nothing is lost. Put right what is said there, then go on."
        if work.seminar
        else ""
    )
