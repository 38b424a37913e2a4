"""A run with everybody seated from a setup, whose answers stand in a journal."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import replace

import numpy as np

from support.models.profiles import is_model
from support.seats import HUMAN, Question, Spoken, people
from support.seminar.acts import ROLES, seat_roles, seat_speakers
from support.seminar.data import Persona
from support.seminar.day import AMISS, Run
from support.seminar.speakers import Response
from support.seminars.journal import (
    ANSWER,
    COLLECT,
    Entry,
    Journal,
    Remembered,
)
from support.seminars.post import ApprovingReviewer, MailPost
from support.seminars.setup import LIVE, REHEARSAL


class SeatedRun(Run):
    """A run in which all that anybody says is kept first; questions to persons wait in
    `questions`. `scenario` has everybody with all that drives who is simulated."""

    def __init__(
        self,
        mail: MailPost,
        journal: Journal,
        spoken: Spoken,
        questions: asyncio.Queue[Question],
    ) -> None:
        self.mail, self.setup, self.scenario = mail, mail.setup, mail.setup.scenario
        self._journal = journal
        self._spoken = spoken
        self._questions = questions
        setup = self.setup
        _, drawn = np.random.default_rng(setup.seed).spawn(2)
        kinds = {role: getattr(setup, role) for role in ROLES}
        with people(questions):
            roles = seat_roles(kinds, drawn, spoken)
        if setup.mode == LIVE:
            roles["reviewer"] = ApprovingReviewer(roles["reviewer"], mail.outbox)
        for role, who in roles.items():
            roles[role] = Remembered(who, role, journal)
        post = Remembered(mail, "post", journal)
        begun = setup.artefacts, setup.past, setup.delegation
        super().__init__(setup.scenario, post, roles, *begun)
        mail.desk = self.desk
        for name, seat in self._played().items():
            mail.seats[name] = seat

    def _played(self) -> dict[str, Remembered]:
        """Whoever is played here: all in a rehearsal, persons at the desk in a dry run,
        nobody where mail is real. Their draws go by their places on the list."""
        kinds = self.setup.people
        mode = self.setup.mode
        found = dict[str, Remembered]()
        if mode == LIVE:
            return found
        if not isinstance(kinds, str):
            names = self.scenario.by_name
            kinds = {name: kinds.get(name, "rule-based") for name in names}
        who, _ = np.random.default_rng(self.setup.seed).spawn(2)
        with people(self._questions):
            seated = seat_speakers(self.scenario, kinds, who, self._spoken)
        for name, seat in seated.items():
            person = seat.kind == HUMAN
            again = not (person or is_model(seat.kind))
            if person or mode == REHEARSAL:
                found[name] = Remembered(seat, name, self._journal, again)
        return found

    def admit(self, persona: Persona) -> None:
        """Seat somebody who joins; mail may go to them."""
        joined = (*self.scenario.people, persona)
        self.scenario = replace(self.scenario, people=joined)
        outbox = self.mail.outbox
        played = self._played()
        allowed = outbox.clearance.allowed | {persona.email}
        outbox.clearance = replace(outbox.clearance, allowed=allowed)
        if persona.name in played:
            self.mail.seats[persona.name] = played[persona.name]

    async def recall(self, line: Entry) -> None:
        """Have everybody be what they were after a line of a finished day."""
        if line.step == COLLECT:
            self.mail.box.clear()
        seats = {**self.mail.seats, **self.roles}
        if line.role not in seats:
            return
        who = seats[line.role]
        who.recall(line)
        if line.step == ANSWER:
            (day,) = [day for day in self.desk.before if day.number == line.day]
            given = tuple(s for s, names in day.assignment if line.role in names)
            letter = self.mail.letter(self.desk, line.role, line.day, given)
            if who.again:
                with suppress(*AMISS):  # what goes amiss did so before
                    await who.role.answer(letter)
            said = Response() if line.error else line.value(Response)
            self.mail.keep(letter, said)
