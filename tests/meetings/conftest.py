"""A company of three that a test may spoil, scenarios made by hand, a problem of NaturalPlan in words of our own."""

import pytest

from support.meetings.data import Company, Meeting, Private, Profile, load_company, load_private
from support.meetings.preferences import Flexible
from support.meetings.scenario import Scenario

EMPLOYEE = '[[employee]]\nname = "{}"\nrole = "Nurse"\nmanager = "{}"\nlevel = 2\nresponsibilities = ["Care"]\n'
EMPLOYEE += 'zone = "America/New_York"\nhours = ["09:00", "17:00"]\n'
PRIVATE = '[[private]]\nname = "{}"\ntext = "Before noon."\nparaphrases = ["In the morning.", "Until twelve."]\n'
PRIVATE += 'preferences = [{{ kind = "window", end = "12:00" }}]\n'
MEETING = '[[meeting]]\nid = "m1"\norganiser = "Ann"\nmembers = ["Bob", "Cai"]\nsubject = "Beds"\ndate = "2026-02-16"\n'
MEETING += (
    'duration = 30\nsent = "2026-02-13T10:00-05:00"\nzone = "America/New_York"\ninvitation = "Beds, on Monday?"\n'
)
CALENDAR = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//test//EN\r\nEND:VCALENDAR\r\n"
NAMES = ("Ann", "Bob", "Cai")
NEW_YORK = "America/New_York"


@pytest.fixture
def folder(tmp_path):
    """A company of three in the form of data/inputs/meetings."""
    managers = {"Ann": "", "Bob": "Ann", "Cai": "Ann"}
    (tmp_path / "employees.toml").write_text("".join(EMPLOYEE.format(n, managers[n]) for n in NAMES))
    (tmp_path / "preferences.toml").write_text("".join(PRIVATE.format(n) for n in NAMES))
    (tmp_path / "meetings.toml").write_text(MEETING)
    (tmp_path / "calendars").mkdir()
    for name in NAMES:
        (tmp_path / "calendars" / f"{name.lower()}.ics").write_bytes(CALENDAR.encode())
    return tmp_path


@pytest.fixture(scope="session")
def authored():
    """The company of data/inputs/meetings."""
    return load_company()


@pytest.fixture(scope="session")
def private():
    """What its employees prefer."""
    return load_private()


@pytest.fixture(scope="session")
def invite():
    """Build a meeting on Monday 16 February 2026; anything may be given differently."""

    def build(members=("Ana", "Ben"), **more):
        given = {"id": "m1", "organiser": "Olu", "subject": "Budget", "date": "2026-02-16", "duration": 60}
        given |= {"invitation": "Let us meet on Monday.", "sent": "2026-02-12T09:00-05:00", "zone": NEW_YORK} | more
        return Meeting(members=tuple(members), **given)

    return build


@pytest.fixture(scope="session")
def small(invite):
    """Build a scenario: members' wishes, zones and calendars by name, and other fields of the meeting."""

    def build(wishes, zones=None, busy=None, **more):
        made = invite(tuple(wishes), **more)
        zones = dict.fromkeys((made.organiser, *wishes), NEW_YORK) | (zones or {})
        people = [Profile(n, "Analyst", 3, ("beans",), z, ("08:00", "18:00"), made.organiser) for n, z in zones.items()]
        kept = {n: Private((f"{n}'s text.", "b", "c"), tuple(w) or (Flexible(),)) for n, w in wishes.items()}
        return Scenario(Company(tuple(people), (made,)), made, kept, {n: (busy or {}).get(n) for n in wishes})

    return build


@pytest.fixture(scope="session")
def task_text():
    """A function that writes a task in the manner of NaturalPlan; the real ones are not ours to copy."""

    def write(
        wishes="Find a time that works for everyone's schedule and constraints. ",
        calendars=(
            "Uma is busy on Monday during 9:00 to 9:30, 11:00 to 16:00, Tuesday during 9:00 to 16:30;",
            "Piet is free the entire week.",
        ),
        days="either Monday or Tuesday",
        people="Uma and Piet",
    ):
        opening = f"You need to schedule a meeting for {people} for half an hour between the work hours of 9:00 to "
        note = "Here are the existing schedules for everyone during the day: "
        return "\n".join([f"{opening}17:00 on {days}. ", "", note, *calendars, "", wishes])

    return write
