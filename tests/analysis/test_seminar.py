"""Rehearsals as rows, by hand: outcomes, events, what was done at the desk."""

from dataclasses import replace
from datetime import date, timedelta

import pytest

from support.analysis import seminar as analysis
from support.play import FormatError
from support.seminar.data import ORGANISER, scenario
from support.seminar.records import (
    CONFIRMATION,
    FOLLOW_UP,
    INVITATION,
    REPLY,
    Day,
    Edit,
    Flag,
    Mail,
    Organizing,
    Reading,
    Says,
)

START = date(2027, 8, 16)
FOUR = scenario("four")
FIRST, SECOND = FOUR.slots[:2]
ANA, BEN, CEM = [person.name for person in FOUR.people[:3]]
TWO = replace(FOUR, slots=(FIRST, SECOND), people=FOUR.people[:3])


def out(number, day, to, kind=INVITATION):
    return Mail(number, day, kind, ORGANISER, to)


def back(number, day, who):
    return Mail(number, day, REPLY, who, ORGANISER)


def a_day(number, held=((), ()), **what):
    assignment = tuple(zip(TWO.slots, held, strict=True))
    return Day(number, START + timedelta(number - 1), assignment=assignment, **what)


@pytest.fixture(scope="module")
def eventful():
    """Ana gets a date, gives it back and gets the other; Ben answers the second mail; Cem
    never does."""
    invited = tuple(out(k, 1, name) for k, name in enumerate((ANA, BEN, CEM)))
    flags = Flag(6, BEN, "May he?", "yes"), Flag(6, BEN, "And?")
    edits = (
        Edit("mail", BEN, "Dear Ben, yes", "Hi Ben, yes"),
        Edit("action", CEM, "remind Cem", ""),
        Edit("plan", "", "a b", "a", "shorter", wish=True),
    )
    gave = Reading(7, ANA, Says(gives_back=(FIRST,)), "stated")
    wrong = (FormatError("organizer", "act", "no"),)
    days = (
        a_day(1, sent=invited, replies=2, tokens=50),
        a_day(
            2,
            ((ANA,), ()),
            received=(back(3, 2, ANA),),
            sent=(out(4, 2, ANA, CONFIRMATION), out(5, 2, BEN, FOLLOW_UP)),
        ),
        a_day(3, ((ANA,), (BEN,)), received=(back(6, 3, BEN),), flags=flags),
        a_day(
            4,
            ((), (BEN,)),
            received=(back(7, 4, ANA),),
            readings=(gave,),
            edits=edits,
            violations=("one_each: a", "weekend: b"),
            tokens=7,
        ),
        a_day(5, ((ANA,), (BEN,)), format_errors=wrong),
        a_day(6, ((ANA,), (BEN,)), sent=(out(8, 6, CEM, FOLLOW_UP),)),
    )
    return Organizing(TWO, {"organizer": "rule-based"}, (), days)


def test_a_rehearsal_is_one_row_with_its_settings_seats_and_outcomes(eventful):
    (row,) = analysis.runs_of(
        [({"policies": "seed", "repetition": 3}, eventful)]
    ).to_dict("records")
    assert row == {
        "scenario": "four", "organizer": "rule-based", "detector": "none",
        "reviewer": "none", "policies": "seed", "repetition": 3, "share_filled": 1,
        "speakers": 2, "days": 6, "mails": 6, "flags": 2, "violations": 2, "edits": 3,
        "format_errors": 1, "replies": 2, "tokens": 57,
    }  # fmt: skip


def test_events_are_in_order_and_a_date_is_given_and_taken_back(eventful):
    table = analysis.timeline(eventful)
    ana = table[table["person"] == ANA][["day", "event", "slot"]].to_numpy().tolist()
    assert ana == [
        [1, INVITATION, None],
        [2, REPLY, None],
        [2, CONFIRMATION, None],
        [2, "date given", FIRST],
        [4, REPLY, None],
        [4, "date taken back", FIRST],
        [5, "date given", FIRST],
    ]
    assert table.attrs == {"people": [ANA, BEN, CEM], "days": 6}


def test_what_was_done_at_the_desk_is_a_log(eventful):
    log = analysis.interactions("s", eventful.days)
    assert log[["day", "event", "what", "about"]].to_numpy().tolist() == [
        [3, "answer", "flag", BEN],
        [3, "open question", "flag", BEN],
        [4, "edit", "mail", BEN],
        [4, "rejection", "action", CEM],
        [4, "regeneration", "plan", ""],
    ]
    assert set(log["session"]) == {"s"}
