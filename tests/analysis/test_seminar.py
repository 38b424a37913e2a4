"""Rehearsals as rows: by hand, day by day, compared on the same seeds; what was done at
the desk."""

import asyncio
from dataclasses import replace
from datetime import date, timedelta

import numpy as np
import pandas as pd
import pytest
from scipy import stats

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
    Review,
    Says,
)
from support.seminar.review import Automatic
from support.seminar.study import seminar

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
        "reviewer": "none", "policies": "seed", "repetition": 3, "filled": 2,
        "share_filled": 1, "speakers": 2, "days_until_filled": 5, "days": 6, "mails": 6,
        "mails_per_person": 2, "follow_ups": 2, "answers": 3, "cancellations": 1,
        "flags": 2, "decided": 1, "violations": 2, "edits": 2, "format_errors": 1,
        "replies": 2, "tokens": 57,
    }  # fmt: skip


def test_who_never_filled_the_programme_has_no_day_on_which_it_was_full(eventful):
    short = replace(eventful, days=eventful.days[:2])
    row = analysis.runs_of([({}, short)]).iloc[0]
    assert np.isnan(row["days_until_filled"]) and row["share_filled"] == 0.5


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


def test_sets_are_compared_on_the_same_seeds_with_holm_over_the_outcomes():
    rng = np.random.default_rng(1)
    rows = [
        {"policies": name, "repetition": k, "a": rng.normal(shift), "b": rng.normal()}
        for name, shift in (("seed", 0), ("all", 1))
        for k in range(9)
    ]
    frame = pd.DataFrame(rows)
    table = analysis.compare_sets(frame, "all", "seed", ["a", "b"]).set_index("value")
    wide = frame.pivot(index="repetition", columns="policies")
    found = [stats.ttest_rel(wide[v]["all"], wide[v]["seed"]).pvalue for v in "ab"]
    assert table["p"].tolist() == pytest.approx(found)
    assert table["p_adjusted"].min() == pytest.approx(min(2 * min(found), 1))
    assert table["n"].tolist() == [9, 9]


def test_what_was_done_at_the_desk_is_a_log_with_the_words_that_changed(eventful):
    log = analysis.interactions("s", eventful.days)
    assert log[["day", "event", "what", "about", "size"]].to_numpy().tolist() == [
        [3, "answer", "flag", BEN, 1],
        [3, "open question", "flag", BEN, 0],
        [4, "edit", "mail", BEN, 1],
        [4, "rejection", "action", CEM, 2],
        [4, "regeneration", "plan", "", 1],
    ]
    assert set(log["session"]) == {"s"}


def test_a_person_at_the_desk_leaves_a_log_of_what_they_did():
    class Strict(Automatic):
        async def review(self, desk, what, items):
            if what == "plan" and not desk.plan.text:
                return Review(tuple(items))
            return Review(tuple(items)[:1])

    asked = {"reviewer": Strict(), "delegation": "always ask", "until": 1}
    played = asyncio.run(seminar(np.random.default_rng(1), "four", **asked))
    log = analysis.interactions(1, played.days)
    assert set(log["event"]) == {"rejection"} and len(played.days[0].sent) == 1
    assert log["what"].tolist() == ["action"] * 3
