"""Every wording says what the structure holds."""

from dataclasses import replace

import numpy as np
import pytest

from support.english import wordings
from support.environments.meetings.preferences import (
    WEEKDAYS,
    Deadline,
    Flexible,
    Focus,
    Gap,
    Notice,
    Weekdays,
    Window,
)
from support.participants.members.wordings import Voice, act

TOLD = wordings("participants/members/wordings")
ALL = [
    Window(start="09:30", end="12:00"),
    Window(end="12:00", avoid=True),
    Window(start="16:00"),
    Window(start="10:00", end="11:00", weekdays=("Tuesday",)),
    Window(avoid=True, weekdays=("Friday",)),
    Focus(2, "14:00", "16:00", weekdays=("Monday", "Thursday")),
    Weekdays(2, ("Tuesday",)),
    Weekdays(2, ("Tuesday", "Friday"), avoid=True),
    Notice(2, 3),
    Gap(2, 10),
    Deadline(2, "Wednesday", "12:00"),
    Deadline(2, "Wednesday"),
    Flexible(2),
]


@pytest.mark.parametrize("wanted", ALL, ids=str)
@pytest.mark.parametrize("priority", [1, 2, 3])
def test_a_sentence_says_the_hours_the_weekdays_and_the_lengths(wanted, priority):
    wanted = replace(wanted, priority=priority)
    for seed in range(12):
        voice = Voice(np.random.default_rng(seed), twelve=bool(seed % 2))
        for text in (voice.full(wanted), voice.short(wanted)):
            assert text[0].isupper() or text[0].isdigit()
            assert "{" not in text and text.endswith((".", "?"))
            for name in getattr(wanted, "weekdays", ()):
                assert name in text
            for field in ("start", "end", "time"):
                bound = getattr(wanted, field, "00:00")
                if bound not in ("00:00", "24:00"):
                    hour = voice.time(bound).removesuffix(" am").removesuffix(" pm")
                    assert hour in text, (bound, text)


def test_every_kind_has_wordings_for_each_priority_and_they_differ():
    for wanted in ALL:
        sets = [set(TOLD[f"{act(wanted)} {priority}"]) for priority in (1, 2, 3)]
        assert all(sets) and not (sets[0] & sets[1] or sets[1] & sets[2] or sets[0] & sets[2])
        assert TOLD[f"short {act(wanted)}"]


def test_small_talk_says_nothing_of_hours_or_weekdays():
    for text in (*TOLD["greeting"], *TOLD["aside"], *TOLD["farewell"]):
        assert not any(sign.isdigit() for sign in text)
        assert not any(day in text for day in WEEKDAYS)
