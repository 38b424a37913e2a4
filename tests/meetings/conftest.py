"""A company of three that a test may spoil, and scenarios made by hand."""

import pytest

from support.meetings.data import Company, Meeting, Private, Profile
from support.meetings.preferences import Flexible
from support.meetings.scenario import Scenario

EMPLOYEE = """[[employee]]
name = "{}"
role = "Nurse"
manager = "{}"
level = 2
responsibilities = ["Care"]
zone = "America/New_York"
"""
PRIVATE = """[[private]]
name = "{}"
text = "Before noon."
paraphrases = ["In the morning.", "Until twelve."]
preferences = [{{ kind = "window", end = "12:00" }}]
"""
MEETING = """[[meeting]]
id = "m1"
organiser = "Ann"
members = ["Bob", "Cai"]
subject = "Beds"
date = "2026-02-16"
duration = 30
sent = "2026-02-13T10:00-05:00"
zone = "America/New_York"
invitation = "Beds, on Monday?"
"""
CALENDAR = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//test//EN\r\nEND:VCALENDAR\r\n"
MANAGERS = {"Ann": "", "Bob": "Ann", "Cai": "Ann"}
NEW_YORK = "America/New_York"


@pytest.fixture
def folder(tmp_path):
    """A company of three in the form of data/inputs/meetings."""
    (tmp_path / "employees.toml").write_text(
        "".join(EMPLOYEE.format(*pair) for pair in MANAGERS.items())
    )
    (tmp_path / "preferences.toml").write_text("".join(map(PRIVATE.format, MANAGERS)))
    (tmp_path / "meetings.toml").write_text(MEETING)
    (tmp_path / "calendars").mkdir()
    for name in MANAGERS:
        (tmp_path / "calendars" / f"{name.lower()}.ics").write_bytes(CALENDAR.encode())
    return tmp_path


@pytest.fixture(scope="session")
def invite():
    """Build a meeting on Monday 16 February 2026; anything may be given differently."""

    def build(members=("Ana", "Ben"), **more):
        given = {
            "id": "m1",
            "organiser": "Olu",
            "subject": "Budget",
            "date": "2026-02-16",
            "duration": 60,
        }
        given |= {
            "invitation": "Let us meet on Monday.",
            "sent": "2026-02-12T09:00-05:00",
            "zone": NEW_YORK,
        } | more
        return Meeting(members=tuple(members), **given)

    return build


@pytest.fixture(scope="session")
def small(invite):
    """Build a scenario: members' wishes, zones and calendars by name, and other fields of the meeting."""

    def build(wishes, zones=None, busy=None, **more):
        made = invite(tuple(wishes), **more)
        zones = dict.fromkeys((made.organiser, *wishes), NEW_YORK) | (zones or {})
        people = [
            Profile(n, "Analyst", 3, ("beans",), z, ("08:00", "18:00"), made.organiser)
            for n, z in zones.items()
        ]
        kept = {
            n: Private((f"{n}'s text.", "b", "c"), tuple(w) or (Flexible(),))
            for n, w in wishes.items()
        }
        return Scenario(
            Company(tuple(people), (made,)),
            made,
            kept,
            {n: (busy or {}).get(n) for n in wishes},
        )

    return build
