"""A stored discussion goes on from a round under another rule, mechanism, seat or stop: what would have been?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from support.roundtable.mechanism import stages_of
from support.roundtable.records import Transcript, environment_of
from support.roundtable.seats import seat_all
from support.roundtable.start import Start, starting
from support.roundtable.table import play
from support.seats import Spoken


async def fork(
    transcript: Transcript,
    at: int,
    *,
    rng: np.random.Generator,
    after: str = "",
    again: int | None = None,
    without: tuple[str, ...] = (),
    silent: tuple[str, ...] = (),
    seats: Mapping[str, Any] | None = None,
    noise: float = 0.05,
    spoken: Spoken | None = None,
    **changed: Any,
) -> Transcript:
    """Go on before round `at`, or within it `after` a phase ("Messages"); nothing changed, nothing changes.

    `rng` is the stream of the stored discussion: its rule-based seats are asked again, silently, and a fork where one
    of them drifts from the record is refused. Models read the record and are asked from `at` on. `seats` are newcomers
    by name; `after`, `again`, `without` and `silent` are those of `start.Start`; `changed` is what `play` takes: rule,
    mechanism, tie_break, rounds, stop. What is not given is as it was stored.

    A rule that is given here is a *surprise*: nobody knew of it before `at`. A discussion that is played with
    `rule={1: "unanimous", 4: "ranked"}` is another treatment: there it is *announced* in round 1.
    """
    known = transcript.made.get("settings", {})  # of a stored one, as they were given
    environment = environment_of(transcript)
    stages = stages_of(transcript)
    how = {
        "rule": {stage.first: stage.rule for stage in stages},
        "mechanism": {stage.first: stage.mechanism for stage in stages},
        "rounds": known.get("rounds", len(transcript.rounds)),
        "tie_break": transcript.settings.get("tie_break", "defer"),
    }
    with starting(Start(transcript, at, after, again, without, silent, seats or {})):
        kinds = known.get("seats", transcript.seats)
        people = seat_all(environment, kinds, rng, noise=noise, spoken=spoken)
        return await play(environment, people, rng=rng, **how | changed)
