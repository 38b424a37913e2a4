"""A change of mind turns one preference and leaves the rest."""

import numpy as np
import pytest

from support.environments.meetings.preferences import Focus, Gap, Notice, Weekdays, Window, contradictions
from support.participants.members.change import changed, mirrored


def test_what_cannot_be_mirrored_changes_its_weight():
    turned, place = changed((Notice(3, 24),), np.random.default_rng(0))
    assert (turned, place) == ((Notice(1, 24),), 0)
    assert changed((Gap(2, 15),), np.random.default_rng(0))[0] == (Gap(3, 15),)


def test_a_mirror_that_contradicts_the_rest_is_not_taken():
    mind = (Window(start="09:00", end="12:00"), Window(start="09:00", end="17:00"), Focus(2, "14:00", "17:00"))
    for seed in range(10):
        assert not contradictions(changed(mind, np.random.default_rng(seed))[0])


@pytest.mark.parametrize(
    "before",
    [
        Window(start="09:00", end="12:00"),
        Window(end="12:00"),
        Focus(2, "15:30", "18:00"),
        Weekdays(2, ("Monday", "Friday")),
    ],
)
def test_mirroring_twice_gives_the_preference_back(before):
    assert mirrored(mirrored(before)) == before
    assert mirrored(Window(end="12:00")) == Window(start="14:00")
