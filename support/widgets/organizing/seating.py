"""Everybody at one rehearsal of the lab, seated and watched, and its days."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from support.labs.base import HUMAN
from support.seats import HumanSeat, Spoken
from support.seminar.artefacts import Artefacts, load_past
from support.seminar.data import Scenario
from support.seminar.organizing import organize
from support.seminar.seats import REVIEWER
from support.seminar.speakers import SPEAKER, seat_speakers
from support.seminar.study import seat_desk
from support.widgets.organizing.watching import Days, Expected, Watched

if TYPE_CHECKING:
    from support.models.model import ChatModel


@dataclass(frozen=True)
class Seated:
    """Who takes part.

    Attributes
    ----------
    people : mapping of name to Expected
    own : mapping of name to HumanSeat
        Those of them who are persons.
    organizer : Watched
    detector : Detector
    reviewer : Reviewer
    """

    people: Mapping[str, Expected]
    own: Mapping[str, HumanSeat]
    organizer: Watched
    detector: Any
    reviewer: Any

    @property
    def roles(self) -> dict[str, Any]:
        """Everybody by their role, for a record."""
        desk = {"organizer": self.organizer, "detector": self.detector, "reviewer": self.reviewer}
        return {**self.people, **desk}

    def days(
        self,
        programme: Scenario,
        artefacts: Artefacts,
        delegation: Mapping[str, str],
        until: int,
        tell: Callable[[int], None],
    ) -> Days:
        """The days of the rehearsal; the number of each is told before it is played."""
        run = organize(
            programme, self.people, self.organizer, self.detector, self.reviewer,
            artefacts=artefacts, past=load_past(), delegation=delegation, until=until,
        )  # fmt: skip
        return Days(run, tell)


def seat_all(
    programme: Scenario,
    kinds: Mapping[str, str],
    desk: Mapping[str, str],
    seed: int,
    model: ChatModel | str | None = None,
) -> Seated:
    """Seat everybody as `support.seminar.study.seminar` does with a generator of that seed.

    Parameters
    ----------
    kinds : mapping of name to kind
        Of the people; "human" is a person.
    desk : mapping
        The kinds of "organizer", "detector" and "reviewer".
    """
    who, drawn = np.random.default_rng(seed).spawn(2)
    own = {name: SPEAKER.person(name) for name, kind in kinds.items() if kind == HUMAN}
    people = seat_speakers(programme, {**kinds, **own}, who, Spoken(model))
    person = REVIEWER.person() if desk["reviewer"] == HUMAN else desk["reviewer"]
    roles = seat_desk(desk["organizer"], desk["detector"], person, drawn, Spoken(model))
    watched = {name: Expected(seat) for name, seat in people.items()}
    return Seated(watched, own, Watched(roles["organizer"]), roles["detector"], roles["reviewer"])
