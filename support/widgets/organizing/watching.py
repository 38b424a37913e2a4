"""What a lab has to see of a rehearsal while it runs: the desk, who may still write, and whether it is over."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable
from typing import Any

from support.errors import InvalidInput
from support.seminar.ledger import settled
from support.seminar.records import OrganizingDay
from support.seminar.views import LATER, Desk, Letter, Response


class Watched:
    """An organiser, with the newest desk, the report of the morning and the policies that it selected.

    Attributes
    ----------
    desk : Desk, optional
        Of the newest morning or evening.
    report : str
    selected : tuple of str
    """

    def __init__(self, organizer: Any) -> None:
        self.organizer, self.kind = organizer, organizer.kind
        self.desk: Desk | None = None
        self.report, self.selected = "", tuple[str, ...]()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.organizer, name)

    async def progress(self, desk: Desk) -> str:
        """The organiser's, kept."""
        self.desk, self.report, self.selected = desk, "", ()
        self.report = await self.organizer.progress(desk)
        return self.report

    async def select(self, desk: Desk, progress: str) -> tuple[str, ...]:
        """The organiser's, kept."""
        self.selected = tuple(await self.organizer.select(desk, progress))
        return self.selected

    async def close(self, desk: Desk) -> str:
        """The organiser's; the desk is that of the evening."""
        self.desk = desk
        return await self.organizer.close(desk)


class Expected:
    """Somebody on the list, and until when mail from them is to be expected; `seminar.post` says how."""

    def __init__(self, speaker: Any) -> None:
        self.speaker, self.kind = speaker, speaker.kind
        self._wrote, self._again = 0, set[int]()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.speaker, name)

    async def answer(self, letter: Letter) -> Response:
        """The speaker's, kept: a reply makes earlier plans void."""
        response = await self.speaker.answer(letter)
        if response.kind != LATER:
            self._wrote, self._again = letter.day, set()
        self._again |= {response.until} if response.until is not None else set()
        return response

    def writes(self, day: int, last: int) -> bool:
        """Whether, in the evening of a day, a reply is under way, or they look again before the last one."""
        return self._wrote == day or any(day < again < last for again in self._again)


def over(desk: Desk, people: Iterable[Expected], day: int, last: int) -> bool:
    """Whether a rehearsal ends with this day: the last one, or all is settled and no reply under way."""
    return day >= last or (settled(desk.state) and not any(person.writes(day, last) for person in people))


class Days:
    """The days of a rehearsal; before each, its number is told.

    Raises
    ------
    InvalidInput
        When a day is asked for after one that broke off.
    """

    def __init__(self, days: AsyncIterator[OrganizingDay], tell: Callable[[int], None]) -> None:
        self._days, self._tell, self._number = days, tell, 0

    def __aiter__(self) -> Days:
        return self

    async def __anext__(self) -> OrganizingDay:
        self._tell(self._number + 1)
        try:
            day = await anext(self._days)
        except StopAsyncIteration:
            raise InvalidInput(
                "rehearsal: another day was asked for, but this one broke off before; press Begin anew"
            ) from None
        self._number = day.number
        return day
