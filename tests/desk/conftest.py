"""A small seminar by hand, and one played by rule-based people; pages as what a parser reads in them."""

import asyncio
from collections import namedtuple
from datetime import date, timedelta
from html.parser import HTMLParser

import numpy as np
import pytest
from browser import button, chromium, screenshot, served, voila, window  # noqa: F401 (fixtures)

from support.seminar.data import Persona, Scenario, scenario
from support.seminar.ledger import Contact, State
from support.seminar.organizing import desk_of
from support.seminar.records import ORGANISER, Mail
from support.seminar.study import seminar
from support.seminar.views import Desk

VOID = ("br",)
Element = namedtuple("Element", "tag attributes")


class Reader(HTMLParser):
    """Elements, words and the tables' cells of a page; it insists that every element is closed where it belongs."""

    def __init__(self, page):
        super().__init__()
        self.elements, self.open, self.words = [], [], []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.elements.append(Element(tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, words):
        if "style" not in self.open:
            self.words.append(words)

    @property
    def said(self):
        """What is said, piece by piece."""
        return [" ".join(words.split()) for words in self.words if words.strip()]

    @property
    def text(self):
        return " ".join("".join(self.words).split())

    @property
    def skeleton(self):
        return [(one.tag, tuple(one.attributes), one.attributes.get("class")) for one in self.elements]


@pytest.fixture(scope="session")
def read():
    return Reader


@pytest.fixture(scope="session")
def days():
    """Days after the start, which is Monday, 6 September 2027."""
    return lambda *numbers: tuple(date(2027, 9, 5) + timedelta(number) for number in numbers)


SLOTS = (date(2027, 9, 22), date(2027, 10, 6), date(2027, 10, 20))


@pytest.fixture(scope="session")
def make_desk(days):
    """A function from contacts (name and fields), who has which of three dates, mails and seats to a desk."""

    def make(contacts, given=None, mails=(), day=8, seats=1, slots=SLOTS):
        people = tuple(Persona(name.lower(), name, f"{name.lower()}@example.org", "professor") for name in contacts)
        programme = Scenario(
            "made", "A seminar", "fill it", "Noor", "Room 1", "16:00", date(2027, 9, 6), date(2027, 9, 20),
            tuple(slots), people, seats,
        )  # fmt: skip
        holders = dict.fromkeys(slots, ()) | (given or {})
        known = {name: Contact(name, "professor", **fields) for name, fields in contacts.items()}
        state = State(days(day)[0], holders, known, seats)
        return Desk(programme, state, day, tuple(mails))

    return make


@pytest.fixture(scope="session")
def mail():
    """A function from number, day, kind and person to a mail."""

    def make(number, day, kind, person):
        sender, to = (person, ORGANISER) if kind == "reply" else (ORGANISER, person)
        return Mail(number, day, kind, sender, to, f"about {number}", f"Dear all,\n\nwords {number}")

    return make


@pytest.fixture(scope="session")
def played():
    """A function from a scenario's name and a last day to the days, and the desk, of a rule-based run."""

    def play(name, until):
        run = asyncio.run(seminar(np.random.default_rng(2), scenario=name, until=until)).days
        return run, desk_of(scenario(name), run)

    return play
