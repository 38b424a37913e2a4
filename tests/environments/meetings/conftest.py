"""The authored company, and a tiny one of three people that a test may spoil."""

import pytest

from support.environments.meetings.company import Company, Profile
from support.environments.meetings.meeting import Meeting
from support.environments.meetings.scenario import load_company, load_private

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


@pytest.fixture
def spoil(folder):
    """Replace a text in one of the company's files; the text has to be there."""

    def replace(file, old, new):
        path = folder / file
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new, 1))
        return folder

    return replace


@pytest.fixture(scope="session")
def authored():
    """The company of data/inputs/meetings."""
    return load_company()


@pytest.fixture(scope="session")
def private():
    """What its employees prefer."""
    return load_private()


@pytest.fixture(scope="session")
def person():
    """Build a profile from a name and a manager."""

    def build(name, manager=None, **more):
        given = {"role": "Nurse", "level": 2, "responsibilities": ("Care",), "zone": "America/New_York"} | more
        return Profile(name=name, manager=manager, **given)

    return build


@pytest.fixture(scope="session")
def invite():
    """Build a meeting on Monday 16 February 2026; anything may be given differently."""

    def build(organiser="Ann", members=("Bob", "Cai"), **more):
        given = {"id": "m1", "subject": "Beds", "date": "2026-02-16", "duration": 30, "invitation": "Beds?"}
        given |= {"sent": "2026-02-13T10:00-05:00", "zone": "America/New_York"}
        return Meeting(organiser=organiser, members=tuple(members), **(given | more))

    return build


@pytest.fixture(scope="session")
def firm(person):
    """Build a company from {name: manager} and meetings."""

    def build(managers, meetings=()):
        return Company(tuple(person(n, m) for n, m in managers.items()), tuple(meetings))

    return build
