"""The post: who reads a mail when, and when what they write is on the desk.

In a rehearsal everybody reads in the evening of the day on which a mail was sent, and may answer at once or on a later
evening; an answer is on the desk the next morning. In the books it stands under the day before, on which it was
written, so that a mail of that morning is one without an answer. Weekends are days too: only the organiser may keep
them free. Mail that goes through a mailbox is in `organizing_mail`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from typing import Any, NamedTuple, Protocol

from support.environments.seminar.scenario import Scenario
from support.environments.seminar.state import State
from support.environments.seminar.views import LATER, RESPONSES, Letter, Response
from support.errors import InvalidInput
from support.mechanisms.organizing_slips import Asked, Slips, checked_letter
from support.participants.speakers.protocol import Speaker
from support.records.organizing import ORGANISER, Mail


class Written(NamedTuple):
    """A reply that lies in the box until the morning; `warning` is what the person at the desk is asked about it."""

    person: str
    response: Response
    answers: int
    warning: str = ""


class Post(Protocol):
    """What carries mails to people, and replies back.

    Attributes
    ----------
    seats : mapping of name to whoever answers
        For the kinds in a record, and what models spent.
    exact : bool
        Whether a person has to approve every mail as it goes out, whatever is delegated.
    """

    @property
    def seats(self) -> Mapping[str, Any]:
        """Everybody on the list."""

    @property
    def exact(self) -> bool:
        """Whether every mail is shown before it goes."""

    async def collect(self, day: int) -> list[Written]:
        """What came in until this morning."""

    async def send(self, mail: Mail) -> None:
        """Carry a mail away, before it is entered into the books.

        Raises
        ------
        NotSent
            When it is certain that it did not go: the books know nothing of it then.
        FateUnknown
            When that is not certain: the day stops.
        """

    async def evening(self, day: int, mails: Sequence[Mail], state: State) -> None:
        """The day's mails are read."""

    def awaited(self, last: int) -> bool:
        """Whether mail is still under way, or promised for before that last day."""


class DirectPost:
    """Hands mails to simulated people, and their replies back the next morning.

    Parameters
    ----------
    seats : mapping of name to Speaker
    slips : Slips
        A response that does not fit is noted, and is silence.
    """

    exact = False

    def __init__(self, scenario: Scenario, seats: Mapping[str, Speaker], slips: Slips) -> None:
        self.scenario, self.seats, self.slips = scenario, seats, slips
        self.again: dict[str, set[int]] = {name: set() for name in seats}
        self.box: list[Written] = []

    async def collect(self, day: int) -> list[Written]:
        """Empty the box."""
        found, self.box = self.box, []
        return found

    async def send(self, mail: Mail) -> None:
        """Nothing is in the way."""

    def awaited(self, last: int) -> bool:
        """Whether a reply lies in the box, or somebody looks again on an evening before that last day."""
        return bool(self.box) or any(day < last for days in self.again.values() for day in days)

    async def evening(self, day: int, mails: Sequence[Mail], state: State) -> None:
        """Everybody who got mail today, or said that they would look again today, reads and may write."""
        got = {mail.to for mail in mails if mail.day == day}
        readers = [name for name in self.seats if name in got or day in self.again[name]]
        letters = [self._letter(name, day, mails, state) for name in readers]
        asked = [Asked(letter.person, "answer", self._answer(letter), Response(LATER)) for letter in letters]
        for letter, response in zip(letters, await self.slips.together(asked), strict=True):
            self._keep(letter, response)

    def _letter(self, name: str, day: int, mails: Sequence[Mail], state: State) -> Letter:
        thread = tuple(mail for mail in mails if name in (mail.sender, mail.to))
        offered = sorted({slot for mail in thread if mail.sender == ORGANISER for slot in mail.slots})
        on = self.scenario.start + timedelta(days=day - 1)
        dates = tuple(date.fromisoformat(slot) for slot in offered)
        return Letter(name, self.scenario.organiser, day, on, thread, dates, state.dates_of(name))

    async def _answer(self, letter: Letter) -> Response:
        """What somebody does; nothing of it is kept before it was checked."""
        response = await self.seats[letter.person].answer(letter)
        if response.kind not in RESPONSES:
            raise InvalidInput(f"response: {response.kind!r} given; expected one of {', '.join(RESPONSES)}")
        if response.until is not None and response.until <= letter.day:
            raise InvalidInput(f"response: until = {response.until!r} given on day {letter.day}; expected a later day")
        if response.kind == LATER:
            return response
        draft = checked_letter("response", response.subject, response.body)
        return replace(response, subject=draft.subject, body=draft.body)

    def _keep(self, letter: Letter, response: Response) -> None:
        """A reply makes earlier plans void; either kind may name a day on which they look again."""
        days = self.again[letter.person]
        days -= {day for day in days if day <= letter.day or response.kind != LATER}
        days |= {response.until} if response.until is not None else set()
        if response.kind != LATER:
            latest = letter.latest
            self.box.append(Written(letter.person, response, latest.id if latest else 0))
