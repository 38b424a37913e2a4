"""Whether a slot fulfils a wish, by hand."""

from datetime import datetime

import pytest

from support.meetings.preferences import (
    Busy,
    Choice,
    Deadline,
    Feature,
    Flexible,
    Gap,
    Hours,
    Limit,
    Notice,
    Venue,
    Weekdays,
    Window,
    Words,
    situation,
    understood,
)
from support.meetings.records import ASSISTANT, Turn, noted

SENT = datetime.fromisoformat("2026-03-07T10:00-05:00")
MONDAY = "2026-03-09T10:00-04:00"  # New York has changed its clock, Berlin has not
HERE = situation(MONDAY, 60, SENT, "America/New_York")  # 10:00 to 11:00
THERE = situation(MONDAY, 60, SENT, "Europe/Berlin")  # 15:00 to 16:00
NIGHT = situation("2026-03-09T23:30-04:00", 60, SENT, "America/New_York")
PLACE = Venue(slot="Inn", features=("a garden",), price=20, walk=5)
LUNCH = Busy(start="2026-03-09T11:15-04:00", end="2026-03-09T12:00-04:00")


@pytest.mark.parametrize(
    ("wish", "slot", "held"),
    [
        (Window(start="10:00", end="11:00"), HERE, True),
        (Window(start="10:00", end="11:00"), THERE, False),
        (Window(start="10:30", end="12:00", avoid=True), HERE, False),
        (Window(start="11:00", end="12:00", avoid=True), HERE, True),
        (Window(start="08:00", end="09:00", weekdays=("Friday",)), HERE, True),
        (Window(start="00:00", end="24:00"), NIGHT, False),
        (Weekdays(weekdays=("Monday",), avoid=True), HERE, False),
        (Notice(hours=47), HERE, True),  # a night of 23 hours lies between
        (Notice(hours=48), HERE, False),
        (Deadline(weekday="Monday", time="10:59"), HERE, False),
        (Deadline(weekday="Monday"), NIGHT, False),
        (Choice(slot=MONDAY), THERE, True),
        (Hours(start="09:00", end="10:30"), HERE, False),
        (LUNCH, HERE, True),
        (Feature(feature="a garden", avoid=True), PLACE, False),
        (Limit(of="price", most=20), PLACE, True),
        (Limit(of="walk", most=4), PLACE, False),
    ],
)
def test_a_slot_fulfils_a_wish_on_the_members_own_clock(wish, slot, held):
    assert wish.fulfilled(slot) is held


def test_a_gap_is_judged_by_the_events_that_are_known():
    gap = Gap(minutes=30)
    assert gap.fulfilled(HERE)
    assert not gap.fulfilled(HERE, [LUNCH])
    assert Gap(minutes=15).fulfilled(HERE, [LUNCH])


def test_words_count_by_what_they_say_and_without_it_not_at_all():
    window = Window(start="09:00", end="12:00")
    said = (Words(text="Early.", says=(window,)), window, Words(text="As you like."))
    assert understood(said) == (window,)


def test_a_note_is_the_wish_as_it_was_said_last():
    early = Window(start="09:00", end="12:00")
    first = Turn("Ana", "…", (early, Notice(hours=24), Choice(slot="x")))
    later = Turn("Ana", "…", (early.model_copy(update={"priority": 3}),), agrees="O1")
    told = Turn(ASSISTANT, "…", (Flexible(),))
    notes = noted(noted((), (told, first), {}), (later,), {"O1": "y"})
    assert notes == (
        early.model_copy(update={"priority": 3}),
        Notice(hours=24),
        Choice(slot="y"),
    )
