"""The post: who reads a mail when, and when what they write is on the desk; and what goes amiss on a day.

In a rehearsal everybody reads in the evening of the day on which a mail was sent, and may answer then or on a later
evening; an answer is on the desk the next morning. In the books it stands under the day before, so that a mail of that
morning is one without an answer. Weekends are days too. Mail that goes through a mailbox is in `mailing`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from typing import Any, NamedTuple

from support.errors import InvalidInput, NotSent
from support.mail.letters import shown_text
from support.play import AMISS as UNFIT
from support.play import FormatError
from support.seminar.data import Scenario
from support.seminar.ledger import State
from support.seminar.records import ORGANISER, Mail
from support.seminar.views import LATER, RESPONSES, Draft, Letter, Response

AMISS = (*UNFIT, NotSent)

SUBJECT, BODY = (
    200,
    5000,
)  # the longest subject and the longest mail, in characters; every mail stands in later prompts


class Asked(NamedTuple):
    """Something asked of a role: who, in which step, the call, and what stands for it if it goes amiss."""

    agent: str
    phase: str
    made: Awaitable[Any]
    instead: Any = None


class Slips:
    """The slips of one day. Errors of programs are raised; those of replies are kept here."""

    def __init__(self) -> None:
        self.errors: list[FormatError] = []

    def note(self, agent: str, phase: str, detail: str) -> None:
        """Keep one."""
        self.errors.append(FormatError(agent, phase, detail))

    async def ask(
        self, agent: str, phase: str, made: Awaitable[Any], instead: Any = None
    ) -> Any:
        """The result of a call, or what stands for it."""
        try:
            return await made
        except AMISS as error:
            self.note(agent, phase, str(error))
            return instead

    async def together(self, asked: Sequence[Asked]) -> list[Any]:
        """The results of calls that do not wait for each other; results and slips in the order of asking."""
        found = await asyncio.gather(
            *(one.made for one in asked), return_exceptions=True
        )
        for one, result in zip(asked, found, strict=True):
            if isinstance(result, AMISS):
                self.note(one.agent, one.phase, str(result))
            elif isinstance(result, BaseException):
                raise result
        return [
            one.instead if isinstance(r, AMISS) else r
            for one, r in zip(asked, found, strict=True)
        ]


def checked_letter(what: str, subject: str, body: str) -> Draft:
    """Subject and body in their bounds, without blanks around and without characters that no screen shows."""
    subject, body = (
        " ".join(shown_text(" ".join(subject.split())).split()),
        shown_text(body).strip(),
    )
    if not body:
        raise InvalidInput(f"{what}: an empty body given; expected some text")
    for field, text, most in (("subject", subject, SUBJECT), ("body", body, BODY)):
        if len(text) > most:
            raise InvalidInput(
                f"{what}: a {field} of {len(text)} characters given; expected at most {most}"
            )
    return Draft(subject, body)


class Written(NamedTuple):
    """A reply that lies in the box until the morning, with a `warning` for the person at the desk; or, `bounced`, the
    word of a mail server that our mail `answers` came back undelivered.
    """

    person: str
    response: Response
    answers: int
    warning: str = ""
    bounced: bool = False


class DirectPost:
    """Hands mails to simulated people, and their replies back the next morning.

    Another post has the same methods (`mailing.MailPost`); where it is `exact`, a person approves every mail as it goes
    out. `send` raises NotSent where a mail certainly did not go, FateUnknown, which stops the day, where nobody knows.
    """

    exact = False

    def __init__(
        self, scenario: Scenario, seats: Mapping[str, Any], slips: Slips
    ) -> None:
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
        return bool(self.box) or any(
            day < last for days in self.again.values() for day in days
        )

    async def evening(self, day: int, mails: Sequence[Mail], state: State) -> None:
        """Everybody who got mail today, or said that they would look again today, reads and may write."""
        got = {mail.to for mail in mails if mail.day == day}
        readers = [
            name for name in self.seats if name in got or day in self.again[name]
        ]
        letters = [self._letter(name, day, mails, state) for name in readers]
        asked = [
            Asked(letter.person, "answer", self._answer(letter), Response(LATER))
            for letter in letters
        ]
        for letter, response in zip(
            letters, await self.slips.together(asked), strict=True
        ):
            self._keep(letter, response)

    def _letter(
        self, name: str, day: int, mails: Sequence[Mail], state: State
    ) -> Letter:
        thread = tuple(mail for mail in mails if name in (mail.sender, mail.to))
        offered = sorted(
            {slot for mail in thread if mail.sender == ORGANISER for slot in mail.slots}
        )
        on = self.scenario.start + timedelta(days=day - 1)
        dates = tuple(date.fromisoformat(slot) for slot in offered)
        return Letter(
            name, self.scenario.organiser, day, on, thread, dates, state.dates_of(name)
        )

    async def _answer(self, letter: Letter) -> Response:
        """What somebody does; nothing of it is kept before it was checked."""
        response = await self.seats[letter.person].answer(letter)
        if response.kind not in RESPONSES:
            raise InvalidInput(
                f"response: {response.kind!r} given; expected one of {', '.join(RESPONSES)}"
            )
        if response.until is not None and response.until <= letter.day:
            raise InvalidInput(
                f"response: until = {response.until!r} given on day {letter.day}; expected a later day"
            )
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
            self.box.append(
                Written(letter.person, response, latest.id if latest else 0)
            )
