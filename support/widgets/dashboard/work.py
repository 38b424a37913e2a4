"""The seminar that the dashboard works on: opened, played, left and taken up again. No widgets are in here."""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import Callable
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from support.errors import ConveneError, FateUnknown, FileInUse
from support.seats import Question
from support.seminars import journal
from support.seminars.seminar import Seminar
from support.seminars.setup import LIVE, SeminarSetup
from support.widgets.dashboard import filed

if TYPE_CHECKING:
    from support.models.model import ChatModel

PATIENCE, BETWEEN = 3.0, 0.25
"""Seconds: a page that is loaded again waits so long for the kernel of the page before it to end."""

_here: weakref.WeakSet[Work] = weakref.WeakSet()


class Form(Protocol):
    """What takes the questions to the person at the desk."""

    def begin(self, *, live: bool) -> None:
        """Make ready for another seminar."""

    def ask(self, question: Question) -> None:
        """Show a question."""

    def rest(self) -> None:
        """Nothing is asked any more."""


class Work:
    """At most one open seminar, and the task that plays its day; every error ends up in `error`, as words.

    Parameters
    ----------
    path : path
        The study's file.
    model : ChatModel or str, optional
    today : callable
        The calendar.
    changed : callable
        Called when something is to be shown; it has to be quick.
    form : Form

    Attributes
    ----------
    seminar : Seminar, optional
    taken : str
        The name of a seminar that another window has open.
    error : str
        What went wrong, and what to do.
    unsure : bool
        Whether it went wrong for mails whose fate is unknown.
    to_the_end : bool
        Whether one day is played after the other.
    """

    def __init__(
        self,
        path: Path,
        model: ChatModel | str | None,
        today: Callable[[], date],
        changed: Callable[[], None],
        form: Form,
    ) -> None:
        self.path, self.model, self.today = path, model, today
        self.changed, self.form = changed, form
        self.seminar: Seminar | None = None
        self.taken = self.error = ""
        self.unsure = self.to_the_end = False
        self.task: asyncio.Task[None] | None = None
        self._opening = asyncio.Lock()
        _here.add(self)

    @property
    def names(self) -> list[str]:
        """The seminars in the file, oldest first."""
        return journal.names(self.path)

    @property
    def latest(self) -> str:
        """The seminar that was worked on last; "" for none."""
        return filed.latest(self.path)

    @property
    def kept(self) -> bool:
        """Whether the record of the seminar lies in the store."""
        return self.seminar is not None and filed.kept(self.seminar)

    @property
    def playing(self) -> bool:
        """Whether a day is being played, or waits for somebody."""
        return self.task is not None and not self.task.done()

    def begin(self, name: str, setup: SeminarSetup) -> None:
        """Put a new seminar into the file; `open` opens it.

        Raises
        ------
        InvalidInput
            When its name is taken, or cannot be one.
        """
        journal.begin(self.path, name, setup.to_json())

    async def open(self, name: str, *, take_over: bool = False, patience: float = 0.0) -> None:
        """Open a seminar in the place of the one at hand; a day that was begun waits for somebody to go on with it.

        What goes amiss is in `error` then; a seminar that is open elsewhere is `taken`. Of several that are asked for
        at once the last one is open in the end.
        """
        async with self._opening:
            await self._open(name, take_over, patience)
        self.changed()

    async def _open(self, name: str, take_over: bool, patience: float) -> None:
        self.error, self.taken, self.unsure = "", "", False
        await self.close()
        for other in [work for work in _here if work is not self]:
            await other.yield_to(self.path, name)
        try:
            seminar = self.seminar = await self._opened(name, take_over, patience)
            self.form.begin(live=seminar.setup.mode == LIVE)
        except FileInUse as error:
            self.taken, self.error = name, str(error)
        except Exception as error:  # whatever it is has to be shown: nobody else sees it
            self.error = words(error)

    async def _opened(self, name: str, take_over: bool, patience: float) -> Seminar:
        """The seminar, brought to where it was left."""
        seminar = await self._claimed(name, take_over, patience)
        try:
            await seminar.open()
        except BaseException:
            seminar.close()
            raise
        return seminar

    async def _claimed(self, name: str, take_over: bool, patience: float) -> Seminar:
        """A kernel that is about to end keeps its seminar for a moment: wait for that."""
        told: dict[str, Any] = {"model": self.model, "today": self.today, "changed": self.changed}
        while True:
            try:
                return Seminar(self.path, name, take_over=take_over, **told)
            except FileInUse:
                if patience <= 0:
                    raise
            patience -= BETWEEN
            await asyncio.sleep(BETWEEN)

    async def yield_to(self, path: Path, name: str) -> None:
        """Give a seminar up for another dashboard of this very kernel, such as that of a cell that ran again."""
        if self.seminar is not None and self.path.resolve() == path.resolve() and self.seminar.name == name:
            await self.close()
            self.taken, self.error = name, "You went on with this seminar in a newer dashboard of this notebook."
            self.changed()

    async def close(self) -> None:
        """Leave the seminar; all that was said is kept."""
        await self.stop()
        if self.seminar is not None:
            seminar, self.seminar = self.seminar, None
            seminar.close()
        self.form.rest()

    async def stop(self) -> None:
        """Break the day off; it is taken up again where it was."""
        task, self.task = self.task, None
        if task is not None and not task.done():
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

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
                    filed.keep(seminar)
                if seminar.over or not self.to_the_end:
                    return
        except FileInUse as error:
            self._lose(seminar, error)
        except Exception as error:  # nobody awaits this task: what went wrong has to be shown
            self.unsure, self.error = isinstance(error, FateUnknown), words(error)
            await self._again(seminar)
        finally:
            self.to_the_end = False
            self.form.rest()
            asyncio.get_running_loop().call_soon(self.changed)  # when this task is done

    def _lose(self, seminar: Seminar, error: FileInUse) -> None:
        """Another window took the seminar over: nothing can be done here any more."""
        self.taken, self.error, self.seminar = seminar.name, str(error), None
        seminar.close()

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

    async def _day(self, seminar: Seminar) -> None:
        """One day, with its questions taken to the person at the desk."""
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


def words(error: BaseException) -> str:
    """What went wrong, in words; an error that is none of ours with its kind."""
    return str(error) if isinstance(error, ConveneError) else f"{type(error).__name__}: {error}"
