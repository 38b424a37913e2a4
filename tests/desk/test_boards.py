"""Views of a seminar: what each cell says, and that no text becomes markup."""

import asyncio
from dataclasses import replace
from datetime import date

import numpy as np
import pytest
from at_desk import Page

from support.desk import boards
from support.seminar.books import Books
from support.seminar.data import scenario
from support.seminar.desk import Desk
from support.seminar.policies import load_policies
from support.seminar.records import CONFIRMATION, Mail, Says
from support.seminar.study import seminar

FOUR = scenario("four")
NAME, FIRST, SECOND = FOUR.people[0].name, *FOUR.slots[:2]


def books(*events):
    made = Books(FOUR.introduced)
    for event in events:
        made.enter(*event)
    return made


def said(**says):
    return "received", 1, NAME, Says(**says), date(2027, 8, 17)


GIVEN = ("given", NAME, FIRST)
TOLD = Mail(2, 3, CONFIRMATION, "organiser", NAME, slots=(FIRST,))
CELLS = [
    ((), "unknown"),
    ((said(can=(SECOND,)),), "unnamed"),
    ((said(can=(FIRST,)),), "can"),
    ((said(perhaps=(FIRST,)),), "perhaps"),
    ((said(cannot=(FIRST,)),), "cannot"),
    ((said(declines=True),), "cannot"),
    ((said(can=(FIRST,)), GIVEN), "given"),
    ((said(can=(FIRST,)), GIVEN, ("sent", TOLD, date(2027, 8, 18))), "confirmed"),
    ((said(can=(FIRST,)), GIVEN, said(gives_back=(FIRST,))), "back"),
    ((said(can=(FIRST,)), ("given", FOUR.people[1].name, FIRST)), "spare"),
    ((said(can=(FIRST, SECOND)), ("given", NAME, SECOND)), "spare"),
]


@pytest.mark.parametrize(("events", "kind"), CELLS)
def test_each_cell_says_how_somebody_stands_to_a_date(events, kind):
    made = books(*events)
    assert boards.cell(made, made.contacts[NAME], FIRST) == kind


HOSTILE = [
    "<script>alert(1)</script>",
    '" onload="x',
    "'><img src=x>",
    "{{ 7*7 }}",
    "\u202eabc",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_of_a_mail_or_a_day_becomes_markup(text):
    days = asyncio.run(seminar(np.random.default_rng(1))).days[:4]
    desk = Desk(books(), load_policies("seed"))

    def page(words):
        changed = []
        for day in days:
            mails = [replace(m, subject=words, body=words) for m in day.received]
            flags = [replace(f, question=words, answer=words) for f in day.flags]
            told = {"received": tuple(mails), "flags": tuple(flags), "summary": words}
            changed.append(replace(day, **told))
        desk.mails = [mail for day in changed for mail in day.received]
        views = boards.days(changed), boards.board(desk), boards.mails(desk.mails)
        return "".join(views)

    assert any(day.flags for day in days) and any(day.received for day in days)
    assert Page(page(text)).found == Page(page("plain")).found
    assert "\u202e" not in page(text)


def test_a_date_is_marked_until_it_is_taken_and_a_policy_names_whom_it_asks_for():
    desk = Desk(books(), load_policies("seed"), selected=("begin", "vague"))
    assert boards.months(desk).count('title="open"') == len(FOUR.slots)
    desk.books = books(said(can=(FIRST,)), GIVEN)
    assert boards.months(desk).count('title="taken"') == 1
    shown = boards.policies(desk)
    assert shown.index("begin") < shown.index("4 others") < shown.index("follow_up")
