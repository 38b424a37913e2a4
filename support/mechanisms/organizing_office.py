"""What one run of organising carries from day to day: the books, the mails, what was asked, decided and changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from support.environments.seminar.artefacts import Artefacts, Template
from support.environments.seminar.ledger import Ledger
from support.environments.seminar.scenario import Scenario
from support.environments.seminar.state import State
from support.environments.seminar.views import Desk, Draft
from support.mechanisms.organizing_slips import Slips
from support.records import Action, Edit, Hook, Mail
from support.records.organizing import FOLLOW_UP, INVITATION, ORGANISER


class Office:
    """The desk and everything on it.

    Attributes
    ----------
    number : int
        Of the day, from 1.
    mails : list of Mail
        As the desk shows them: nothing tells which dates the writer of a reply meant.
    hooks, edits : list
        Those of earlier runs first.
    answers : tuple of Hook
        What was decided today about flags.
    flagged : set of str
        Whose replies of today were flagged.
    """

    def __init__(self, scenario: Scenario, artefacts: Artefacts, past: Sequence[Template], slips: Slips) -> None:
        self.scenario, self.artefacts, self.past, self.slips = scenario, artefacts, tuple(past), slips
        self._shown = replace(scenario, people=tuple(person.introduced for person in scenario.people))
        self.policies = artefacts.policies
        self.ledger = Ledger(scenario)
        self.number, self.mails = 0, list[Mail]()
        self.hooks, self.edits = list(artefacts.hooks), list(artefacts.learnt)
        self.answers, self.flagged = tuple[Hook, ...](), set[str]()

    def open(self, number: int) -> None:
        """Begin a day."""
        self.number, self.answers, self.flagged = number, (), set()

    @property
    def state(self) -> State:
        """The books as they stand."""
        return self.ledger.state(self.scenario.start + timedelta(days=self.number - 1))

    def desk(self) -> Desk:
        """What the organiser sees now; of how people behave nothing is on it."""
        return Desk(
            self._shown,
            self.state,
            self.number,
            tuple(self.mails),
            self.policies,
            self.artefacts.templates,
            self.past,
            tuple(self.hooks),
            tuple(self.edits),
            self.answers,
        )

    def arrive(self, mail: Mail) -> Mail:
        """Put a reply on the desk, numbered, without the dates that its writer meant; return the whole of it."""
        mail = replace(mail, id=len(self.mails) + 1, day=self.number)
        self.mails.append(replace(mail, slots=()))
        return mail

    def letter(self, action: Action, draft: Draft) -> Mail:
        """A mail as it would go out next: about all open dates to come, or the one of its action."""
        state, offers = self.state, action.kind in (INVITATION, FOLLOW_UP)
        free = [slot.isoformat() for slot in state.open if slot > state.today]
        slots = free if offers else [action.slot] if action.slot else []
        head = len(self.mails) + 1, self.number, action.kind, ORGANISER, action.person
        return Mail(*head, draft.subject, draft.body, tuple(slots))

    def enter(self, mail: Mail, action: Action) -> Mail:
        """Enter a mail that went out; a confirmation gives its date away."""
        self.ledger.sent(mail, action)
        self.mails.append(mail)
        return mail

    def take_off(self, name: str) -> None:
        """Leave somebody alone from now on; dates that they had are free again."""
        self.ledger.withdraw(name)

    def remember(self, edit: Edit | None) -> None:
        """Keep what the person at the desk changed."""
        self.edits += [edit] if edit else []
