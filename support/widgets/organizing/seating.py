"""Everybody at one rehearsal of the lab, seated and watched, and its days."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from support.environments.seminar.artefacts import Artefacts, load_past
from support.environments.seminar.scenario import Scenario
from support.mechanisms.organizing import organize
from support.participants.detectors.protocol import Detector
from support.participants.detectors.seating import seat_detector
from support.participants.organizers.protocol import Organizer
from support.participants.organizers.seating import seat_organizer
from support.participants.reviewers.protocol import Reviewer
from support.participants.reviewers.seating import seat_reviewer
from support.participants.speakers.human import HumanSpeaker
from support.participants.speakers.protocol import Speaker
from support.participants.speakers.seating import seat_speakers
from support.widgets.organizing.watching import Days, Expected, Watched
from support.widgets.play import HUMAN

if TYPE_CHECKING:
    from support.models.model import ChatModel


@dataclass(frozen=True)
class Seated:
    """Who takes part.

    Attributes
    ----------
    people : mapping of name to Expected
    own : mapping of name to HumanSpeaker
        Those of them who are persons.
    organizer : Watched
    detector : Detector
    reviewer : Reviewer
    """

    people: Mapping[str, Expected]
    own: Mapping[str, HumanSpeaker]
    organizer: Watched
    detector: Detector
    reviewer: Reviewer

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
    """Seat everybody as `support.studies.seminar` does with a generator of that seed.

    Parameters
    ----------
    kinds : mapping of name to kind
        Of the people; "human" is a person.
    desk : mapping
        The kinds of "organizer", "detector" and "reviewer".
    """
    who, drawn = np.random.default_rng(seed).spawn(2)
    own = {name: HumanSpeaker(name) for name, kind in kinds.items() if kind == HUMAN}
    seats: dict[str, str | Speaker] = {**kinds, **own}
    people = seat_speakers(programme, seats, who, model=model)
    leads: Organizer = seat_organizer(desk["organizer"], model=model, rng=drawn)
    detector = seat_detector(desk["detector"], model=model, temperature=0.0)
    watched = {name: Expected(seat) for name, seat in people.items()}
    return Seated(watched, own, Watched(leads), detector, seat_reviewer(desk["reviewer"]))
