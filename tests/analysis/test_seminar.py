"""Rehearsals as rows: by hand, day by day, compared on the same seeds; what the desk did; what the paper states."""

import asyncio
import dataclasses
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from support.analysis import claims
from support.analysis.claims import CLOSE, NO, UNTESTED, YES
from support.analysis.seminar import (
    compare_sets,
    days_of,
    interactions,
    mail_rows,
    possible,
    reading_audit,
    runs_of,
    timeline,
)
from support.play import FormatError
from support.seminar.records import (
    CONFIRMATION,
    FOLLOW_UP,
    INVITATION,
    ORGANISER,
    REPLY,
    Edit,
    Flag,
    Mail,
    Organizing,
    OrganizingDay,
    Understood,
)
from support.seminar.views import AGAIN, EDIT, REMOVE, Draft, Review

FIRST, SECOND = SLOTS = ("2027-09-15", "2027-10-13")
START = pd.Timestamp("2027-08-13")  # a Friday


def out(number, day, to, kind=INVITATION):
    return Mail(number, day, kind, ORGANISER, to, "subject", "body")


def back(number, day, who, *meant):
    return Mail(number, day, REPLY, who, ORGANISER, "subject", "body", meant)


def a_day(number, held=((), ()), **what):
    date = (START + pd.Timedelta(days=number - 1)).date().isoformat()
    return OrganizingDay(
        number, date, assignment=tuple(zip(SLOTS, held, strict=True)), **what
    )


def rehearsal(*days, people=("Ana", "Ben", "Cem"), **kinds):
    seats = dict.fromkeys(people, "rule-based") | {"organizer": "rule-based"} | kinds
    return Organizing(
        {"id": "two", "seats": 1},
        tuple({"name": name} for name in people),
        seats,
        (),
        days,
    )


def eventful(**kinds):
    """Ana gets a date, gives it back and gets the other; Ben answers the second mail; Cem never does."""
    invited = tuple(out(k, 1, name) for k, name in enumerate(("Ana", "Ben", "Cem")))
    read, gone = (
        Understood(3, "Ana", (FIRST,), (SECOND,)),
        Understood(7, "Ana", cancelled=(FIRST,)),
    )
    misread = Understood(6, "Ben", (SECOND,), never_offered=("x",))
    flags = (Flag(6, "Ben", "May he?", "yes"), Flag(6, "Ben", "And?"))
    edits = (
        Edit("mail", "Ben", "Dear Ben, yes", "Hi Ben, yes"),
        Edit("action", "Cem", "remind Cem", ""),
    )
    return rehearsal(
        a_day(1, sent=invited, replies=2, tokens=50),
        a_day(2, (("Ana",), ()), received=(back(3, 2, "Ana", FIRST, SECOND),), understood=(read,),
              sent=(out(4, 2, "Ana", CONFIRMATION), out(5, 2, "Ben", FOLLOW_UP))),
        a_day(3, (("Ana",), ("Ben",)), received=(back(6, 3, "Ben", FIRST),), understood=(misread,), flags=flags),
        a_day(4, ((), ("Ben",)), received=(back(7, 4, "Ana"),), understood=(gone,), tokens=7,
              violations=("one_each: a", "weekend: b"), edits=edits),
        a_day(5, (("Ana",), ("Ben",)), format_errors=(FormatError("organizer", "act", "no"),)),
        a_day(6, (("Ana",), ("Ben",)), sent=(out(8, 6, "Cem", FOLLOW_UP),)),
        **kinds,
    )  # fmt: skip


def test_a_rehearsal_is_one_row_with_its_settings_seats_and_outcomes():
    (row,) = runs_of([({"policies": "seed", "repetition": 3}, eventful())]).to_dict(
        "records"
    )
    expected = {
        "policies": "seed",
        "repetition": 3,
        "scenario": "two",
        "organizer": "rule-based",
        "detector": "none",
    }
    expected |= {
        "filled": 2,
        "share_filled": 1,
        "speakers": 2,
        "days": 6,
        "days_until_filled": 5,
        "mails": 6,
    }
    expected |= {
        "follow_ups": 2,
        "answers": 3,
        "flags": 2,
        "decided": 1,
        "violations": 2,
        "cancellations": 1,
    }
    expected |= {
        "mails_per_person": 2,
        "format_errors": 1,
        "replies": 2,
        "tokens": 57,
        "edits": 2,
    }
    assert expected.items() <= row.items()
    record = eventful()
    rows = runs_of(
        [({}, dataclasses.replace(record, days=record.days[:4])), ({}, rehearsal())]
    )
    assert rows["days_until_filled"].isna().all(), "never full, or not in the end"
    assert rows["share_filled"][0] == 0.5 and np.isnan(rows["share_filled"][1])


def test_what_was_possible_is_the_largest_matching_of_dates_that_were_meant():
    replies = (
        back(1, 1, "Ana", FIRST, SECOND),
        back(2, 1, "Ben", FIRST),
        back(3, 1, "Cem", FIRST),
    )
    record = rehearsal(a_day(1, (("Ana",), ("Ana",)), received=replies))
    assert possible(record) == 2  # Ana can take either, Ben and Cem the same one
    assert (
        possible(dataclasses.replace(record, scenario={"id": "panel", "seats": 2})) == 3
    )
    assert runs_of([({}, record)])[["filled", "speakers"]].to_numpy().tolist() == [
        [2, 1]
    ]


@pytest.mark.parametrize("kind", ["model:chat", "human"])
def test_replies_that_do_not_say_what_they_meant_are_not_audited(kind):
    record = eventful(Ana=kind)
    assert set(reading_audit([({}, record)])["person"]) == {"Ben"} and np.isnan(
        possible(record)
    )


def test_replies_are_read_beside_what_was_meant():
    table = reading_audit([({"policies": "seed"}, eventful())]).set_index("mail")
    assert table.loc[3, "right"] and table.loc[3, "read"] == (
        FIRST,
        SECOND,
    )  # a vague date is read
    assert not table.loc[6, "right"]
    assert (
        table.loc[7, "right"] and table.loc[7, "meant"] == ()
    )  # a cancellation means no date, and none was read


def sets(**values):
    return pd.DataFrame(
        {
            "policies": name,
            "repetition": k,
            "share_filled": share,
            "days_until_filled": day,
        }
        for name, pairs in values.items()
        for k, (share, day) in enumerate(pairs)
    )


def test_two_sets_are_paired_by_seed_and_a_pair_that_was_never_full_counts_for_other_outcomes_only():
    frame = sets(
        ours=[(1.0, 9), (0.75, 12), (1.0, 8), (1.0, 7)],
        seed=[(0.5, 10), (0.75, 15), (0.5, 9), (0, np.nan)],
    )
    frame = frame.sample(frac=1, random_state=1)
    table = compare_sets(
        frame, "ours", "seed", values=["share_filled", "days_until_filled"]
    ).set_index("value")
    assert table["difference"].tolist() == pytest.approx([0.5, -5 / 3]) and table[
        "n"
    ].tolist() == [4, 3]
    assert table.loc["days_until_filled", "p"] == pytest.approx(
        stats.ttest_rel([9, 12, 8], [10, 15, 9]).pvalue
    )
    assert (table["p_adjusted"] >= table["p"]).all()


def test_a_rehearsal_is_told_in_events():
    events = timeline(eventful())
    assert events.attrs == {"people": ["Ana", "Ben", "Cem"], "days": 6}
    assert events[events["slot"] != ""][
        ["day", "person", "event", "slot"]
    ].to_numpy().tolist() == [
        [2, "Ana", "date given", FIRST],
        [3, "Ben", "date given", SECOND],
        [4, "Ana", "date taken back", FIRST],
        [5, "Ana", "date given", FIRST],
    ]
    assert events["event"].value_counts()[
        ["invitation", "follow_up", "reply", "flag"]
    ].tolist() == [3, 2, 3, 2]


# -- the desk --------------------------------------------------------------------------------------------------------


def test_what_the_desk_did_is_read_from_a_record():
    told = interactions("second", eventful(reviewer="human"))
    assert told[["day", "event", "about", "size"]].to_numpy().tolist() == [
        [3, "answer", "Ben", 1],
        [3, "open question", "Ben", 0],
        [4, "edit", "Ben", 1],
        [4, "rejection", "Cem", 2],
    ]
    assert set(told["session"]) == {"second"} and set(told["who"]) == {"human"}


def test_a_journal_holds_what_was_approved_and_made_again_as_well(tmp_path):
    from support.seminar.artefacts import Artefacts, load_past, load_templates
    from support.seminar.checkpoints import ALWAYS
    from support.seminar.data import scenario
    from support.seminar.rules import load_policies
    from support.seminars.answering import approves, play_day
    from support.seminars.journal import begin
    from support.seminars.seminar import Seminar
    from support.seminars.setup import SeminarSetup

    path, wishes = tmp_path / "s.sqlite", []

    def answer(question):
        if question.phase != "mail" or len(wishes) > 2:
            return approves(question)
        wishes.append(question.view.item)
        changed = Draft(
            question.view.item.subject, "Hello!\n\n" + question.view.item.body
        )
        return [
            Review(AGAIN, wish="shorter"),
            Review(EDIT, edited=changed),
            Review(REMOVE),
        ][len(wishes) - 1]

    async def day():
        with Seminar(path, "one") as seminar:
            return await play_day(seminar, answer), interactions(
                "one", seminar.journal.entries()
            )

    setup = SeminarSetup(scenario("four"), Artefacts(load_policies("seed"), load_templates()), load_past(), seed=1,
                         delegation=ALWAYS)  # fmt: skip
    begin(path, "one", setup.to_json())
    record, told = asyncio.run(day())
    mails = told[told["what"] == "mail"]
    assert mails["event"].tolist()[:3] == ["regeneration", "edit", "rejection"]
    assert (
        set(mails["event"][3:]) == {"approval"}
        and (mails.loc[mails["event"] == "approval", "size"] == 0).all()
    )
    assert mails["size"].tolist()[1] == 1 and len(record.edits) == 2
    assert mails["before"].iloc[0] == f"{wishes[0].subject}\n{wishes[0].body}"


# -- what the paper states -------------------------------------------------------------------------------------------

PAPER = {
    "F1": {"speaker": 0.27, "slot": 0.11, "both": 0.27, "summary": 0.70},
    "accuracy": {"zero": 0.79, "few": 0.88, "few with policies": 0.93},
}


def verdicts(notebook, results):
    checked = claims.check("002", notebook, results.assign(participant="p"))
    return checked.set_index("statement")


def paired(se=0.01, **changed):
    rows = []
    for column, values in PAPER.items():
        means = values | {name: v for name, v in changed.items() if name in values}
        for a, b in permutations(means, 2):
            rows.append((f"{a} - {b}", column, means[a] - means[b], se, 30))
    return pd.DataFrame(rows, columns=["row", "column", "value", "se", "n"])


def test_the_paper_s_own_numbers_agree_with_it_and_what_no_run_tells_has_a_reason():
    assert (verdicts("41", paired())["verdict"] == YES).all()
    people = verdicts("40", paired())
    assert (people["verdict"] == UNTESTED).all()
    assert (people["evidence"] != "").all()


def test_results_that_go_another_way_break_what_names_them():
    alone = "both no better than speaker and slot alone: F1"
    slot = verdicts("41", paired(slot=0.9))["verdict"]
    assert slot["summary > every other context: F1"] == NO
    assert verdicts("41", paired(both=0.5))["verdict"][alone] == NO
    assert verdicts("41", paired(se=0.2))["verdict"][alone] == CLOSE


def days(*mails, waits=((), ()), run=0):
    dates = pd.date_range("2027-08-13", periods=len(mails)).strftime("%Y-%m-%d")
    late = [*waits, *[()] * len(mails)][: len(mails)]
    return pd.DataFrame({"run": run, "date": dates, "mails": mails, "waits": late})


def test_mails_on_weekends_and_waits_are_read_from_days():
    rested = "D3: weekends without mails"  # the first day is a Friday
    waited = "D3: longer waits before follow-ups"

    def tested(*parts):
        rows = mail_rows(pd.concat(parts), np.random.default_rng(1))
        results = pd.concat([paired(), rows])
        return verdicts("40", results)["verdict"].loc[[rested, waited]].tolist()

    assert tested(days(3, 0, 0, 2))[0] == YES
    assert tested(days(3, 0, 1, 2))[0] == NO
    assert tested(days(3)) == [UNTESTED, UNTESTED]
    for wait, verdict in ((4, YES), (1, NO)):
        late = [((wait, wait + run % 2), (wait,)) for run in range(5)]
        runs = [days(3, 0, 0, waits=w, run=run) for run, w in enumerate(late)]
        assert tested(*runs)[1] == verdict
    alike = [run.assign(waits=[(4,)] * 3) for run in runs]
    assert tested(*alike)[1] == CLOSE


def test_follow_ups_wait_for_working_days():
    waits = days_of([({}, eventful())])["waits"].tolist()
    assert waits == [
        (),
        (1,),
        (),
        (),
        (),
        (3,),
    ]  # Friday to Saturday, Friday to Wednesday
