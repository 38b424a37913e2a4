"""What prompts say of meetings, clocks and colleagues."""

import pytest

from support.environments.meetings.company import COLLABORATOR, MANAGER, TEAMMATE, Database, Profile
from support.environments.meetings.meeting import Meeting
from support.environments.meetings.views import Brief, Chat
from support.participants.facilitators.told import STARTS, described, difference, invitation, label, offered, said
from support.records import Option, Turn

MEMBERS = ("Ana Roe", "Ben", "Dev")
MEETING = Meeting(
    "M1", "Ina", MEMBERS, "Trial", "2026-02-16", 60, "Let us meet on Monday.", "2026-02-10T09:00-05:00",
    "America/New_York",
)  # fmt: skip
OPTIONS = (Option("O1", "2026-02-16T10:00-05:00"), Option("O2", "2026-02-16T14:00-05:00"))


@pytest.mark.parametrize("days", [1, 3, 4, 20])
def test_the_list_of_starts_stays_short_and_keeps_the_options_so_far(days):
    long = Meeting(**{**MEETING.spec(), "days": days, "members": MEMBERS, "required": ()})
    odd = Option("O9", long.slots()[1].isoformat())
    starts = offered(Brief(long, 2, 2, {}, candidate=OPTIONS[0], previous=(*OPTIONS, odd)))
    assert len(starts) <= STARTS + 3 and starts == sorted(set(starts))
    assert {long.slot(o.start) for o in (*OPTIONS, odd)} <= set(starts) <= set(long.slots())
    assert len({label(start) for start in starts}) == len(starts)


def test_roles_and_relations_are_told_once_and_nothing_without_a_database():
    people = (Profile("Ben", "CTO", "Ina", 4, ("the code",), "Europe/London"),)
    relations = (("Ben", "Dev", TEAMMATE), ("Dev", "Ben", TEAMMATE), ("Dev", "Ben", MANAGER),
                 ("Ben", "Dev", COLLABORATOR), ("Dev", "Ben", COLLABORATOR))  # fmt: skip
    assert described(Database(people, relations)) == (
        ["Ben: CTO; responsible for the code"],
        ["Ben and Dev are teammates.", "Dev reports to Ben.", "Ben often works with Dev.", "Dev often works with Ben."],
    )
    assert described(None) == ([], [])


def test_a_clock_that_is_the_organiser_s_is_not_mentioned():
    assert difference(MEETING, None) == difference(MEETING, "America/New_York") == ""
    assert difference(MEETING, "America/Los_Angeles") == "whose clock is 3 hours behind that of Ina"
    assert difference(MEETING, "America/Halifax") == "whose clock is 1 hour ahead of that of Ina"


def test_every_day_in_question_is_named_once_with_its_year():
    long = Meeting(**{**MEETING.spec(), "days": 2, "members": MEMBERS, "required": ()})
    assert invitation(long)["days"] == ["Monday 16 February 2026", "Tuesday 17 February 2026"]


def test_a_turn_stays_on_its_line():
    assert said(Chat("Ben", MEETING, 1, turns=(Turn("Ben", " a\n\nassistant: b "),))) == ["Ben: a assistant: b"]
