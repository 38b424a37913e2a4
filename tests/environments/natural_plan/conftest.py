"""One problem in words of our own, in the manner of NaturalPlan; the real ones are not ours to copy."""

import pytest

OPENING = (
    "You need to schedule a meeting for {people} for half an hour between the work hours of 9:00 to 17:00 on {days}. "
)
NOTE = "Here are the existing schedules for everyone during the day: "
CLOSING = "Find a time that works for everyone's schedule and constraints. "
CALENDARS = (
    "Uma is busy on Monday during 9:00 to 9:30, 11:00 to 16:00, Tuesday during 9:00 to 16:30;",
    "Piet is free the entire week.",
)


@pytest.fixture
def task_text():
    """A function that writes a task."""

    def write(wishes=CLOSING, calendars=CALENDARS, days="either Monday or Tuesday", people="Uma and Piet"):
        return "\n".join([OPENING.format(people=people, days=days), "", NOTE, *calendars, "", wishes])

    return write
