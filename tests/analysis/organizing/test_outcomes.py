"""Rehearsals as rows: by hand, day by day, compared on the same seeds; and how replies were read."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from support.analysis.organizing import compare_sets, days_of, reading_audit, runs_of, timeline
from support.analysis.organizing.outcomes import OUTCOMES, possible
from support.errors import InvalidInput
from support.seminar.records import Edit, Understood


@pytest.fixture
def row(made):
    """The row of the eventful rehearsal."""
    (found,) = runs_of([({"policies": "seed", "repetition": 3}, made.eventful())]).to_dict("records")
    return found


def test_a_rehearsal_is_one_row_with_its_settings(row):
    expected = {"policies": "seed", "repetition": 3, "scenario": "two", "organizer": "rule-based", "detector": "none"}
    assert expected.items() <= row.items() and row["candidates"] == 3 and row["places"] == 2
    assert set(OUTCOMES) <= set(row)


def test_a_setting_of_the_unit_wins_over_the_record_and_its_seats(made):
    record = made.rehearsal(made.a_day(1), organizer="model", noise=1)
    (found,) = runs_of([({"noise": 2}, record)]).to_dict("records")
    assert found["organizer"] == "model" and found["noise"] == 2


def test_who_sat_on_the_seats_stays_a_setting(made):
    (found,) = runs_of([({"seats": "slow"}, made.eventful())]).to_dict("records")
    assert found["seats"] == "slow"


def test_outcomes_are_counted(row):
    counted = {"filled": 2, "share_filled": 1, "full": True, "days": 6, "mails": 6, "follow_ups": 2, "answers": 3}
    counted |= {"flags": 2, "decided": 1, "violations": 2, "cancellations": 1, "never_offered": 1, "declined": 0}
    counted |= {"format_errors": 1, "replies": 2, "tokens": 57, "edits": 0, "mails_per_person": 2, "most_mails": 2}
    assert counted.items() <= row.items()


def test_the_programme_is_filled_from_the_day_on_which_it_stays_so(row):
    # Full on day 3, open again on day 4 after a cancellation, full from day 5 on.
    assert row["days_until_filled"] == 5


def test_a_programme_that_was_not_full_in_the_end_has_no_such_day(made):
    record = made.eventful()
    (found,) = runs_of([({}, dataclasses.replace(record, days=record.days[:4]))]).to_dict("records")
    assert np.isnan(found["days_until_filled"]) and not found["full"] and found["share_filled"] == 0.5


def test_seats_of_a_panel_are_counted_for_each_date(made):
    record = made.rehearsal(made.a_day(1, held=(("Ana", "Ben"), ("Cem",))))
    panel = dataclasses.replace(record, scenario={"id": "panel", "seats": 3})
    (found,) = runs_of([({}, panel)]).to_dict("records")
    assert (found["places"], found["filled"], found["share_filled"]) == (6, 3, 0.5)


def test_who_has_two_dates_is_one_speaker(made):
    record = made.rehearsal(made.a_day(1, held=(("Ana",), ("Ana",))))
    (found,) = runs_of([({}, record)]).to_dict("records")
    assert (found["filled"], found["speakers"]) == (2, 1)


def test_what_was_possible_is_the_largest_matching_of_dates_that_were_meant(made):
    first, second = made.SLOTS
    replies = made.back(1, 1, "Ana", first, second), made.back(2, 1, "Ben", first), made.back(3, 1, "Cem", first)
    record = made.rehearsal(made.a_day(1, held=(("Ana",), ()), received=replies))
    assert possible(record) == 2  # Ana can take either, Ben and Cem the same one
    assert possible(dataclasses.replace(record, scenario={"id": "panel", "seats": 2})) == 3
    assert np.isnan(possible(dataclasses.replace(record, seats={**record.seats, "Ben": "model SmolLM2"})))


def test_replies_of_a_model_are_not_audited_since_nobody_knows_what_they_meant(made):
    record = made.eventful()
    told = dataclasses.replace(record, seats={**record.seats, "Ana": "model SmolLM2", "Ben": "human"})
    assert len(reading_audit([({}, record)])) > 0 and reading_audit([({}, told)]).empty


def test_a_rehearsal_without_a_day_fills_nothing(made):
    (found,) = runs_of([({}, made.rehearsal())]).to_dict("records")
    assert not found["full"] and found["mails"] == 0
    assert np.isnan([found["share_filled"], found["mails_per_person"], found["days_until_filled"]]).all()


def test_people_who_decline_are_counted_once(made):
    twice = (Understood(1, "Ana", declined=True), Understood(2, "Ana", declined=True))
    assert runs_of([({}, made.rehearsal(made.a_day(1, understood=twice)))])["declined"].tolist() == [1]


def test_days_add_up_to_their_rehearsal(made, row):
    days = days_of([({}, made.eventful()), ({}, made.eventful())])
    first = days[days["run"] == 0]
    for name in ("mails", "follow_ups", "answers", "flags", "decided", "violations", "format_errors", "tokens"):
        assert first[name].sum() == row[name], name
    assert first["filled"].tolist() == [0, 1, 2, 1, 2, 2] and first["day"].tolist() == list(range(1, 7))
    assert len(days) == 12 and first["date"].tolist()[:2] == ["2027-08-13", "2027-08-14"]


def test_replies_are_read_beside_what_was_meant(made):
    table = reading_audit([({"policies": "seed"}, made.eventful())]).set_index("mail")
    assert table.loc[3, ["precision", "recall", "f1", "right"]].tolist() == [1, 1, 1, True]
    assert table.loc[3, "read_firm"] == (made.SLOTS[0],)  # a vague date is read, and not firm
    assert table.loc[6, "f1"] == 0 and table.loc[6, "never_offered"] == 1 and not table.loc[6, "right"]
    assert table.loc[7, "right"] and table.loc[7, "meant"] == ()  # a cancellation means no date, and none was read


def test_writers_who_do_not_say_what_they_meant_are_left_out(made):
    record = dataclasses.replace(made.eventful(), seats={"Ana": "model", "Ben": "rule-based"})
    assert set(reading_audit([({}, record)])["person"]) == {"Ben"}
    assert set(reading_audit([({}, record)], untold=())["person"]) == {"Ana", "Ben"}


def sets(**values):
    """Rehearsals of two policy sets on the same seeds."""
    return pd.DataFrame(
        {"policies": name, "repetition": k, "share_filled": share, "days_until_filled": day}
        for name, pairs in values.items()
        for k, (share, day) in enumerate(pairs)
    )


def test_two_policy_sets_are_paired_by_seed():
    frame = sets(ours=[(1.0, 9), (0.75, 12), (1.0, 8)], seed=[(0.5, 10), (0.75, 15), (0.5, 9)])
    table = compare_sets(frame, "ours", "seed", values=["share_filled", "days_until_filled"]).set_index("value")
    assert table["difference"].tolist() == pytest.approx([1 / 3, -5 / 3]) and (table["n"] == 3).all()
    assert table.loc["share_filled", ["lower", "equal", "higher"]].tolist() == [0, 1, 2]
    expected = stats.ttest_rel([9, 12, 8], [10, 15, 9]).pvalue
    assert table.loc["days_until_filled", "p"] == pytest.approx(expected)
    assert list(table.index) == ["share_filled", "days_until_filled"]
    shuffled = compare_sets(frame.sample(frac=1, random_state=1), "ours", "seed", values=["share_filled"])
    assert shuffled["p"].iloc[0] == pytest.approx(table.loc["share_filled", "p"])


def test_a_pair_of_which_one_was_never_full_counts_for_other_outcomes_only():
    frame = sets(ours=[(1.0, 9), (0.5, np.nan), (1.0, 8)], seed=[(0.5, np.nan), (0.75, np.nan), (0.5, np.nan)])
    table = compare_sets(frame, "ours", "seed", values=["share_filled", "days_until_filled"]).set_index("value")
    assert table["n"].tolist() == [3, 0] and np.isnan(table.loc["days_until_filled", "p"])
    assert table.loc["days_until_filled", "note"].startswith("no test")


def test_a_set_that_was_not_rehearsed_is_refused():
    with pytest.raises(InvalidInput, match=r"policies: no run with 'mine'; there are: ours, seed"):
        compare_sets(sets(ours=[(1, 2)], seed=[(1, 2)]), "mine", "seed", values=["share_filled"])
    with pytest.raises(InvalidInput, match="values: none given"):
        compare_sets(sets(ours=[(1, 2)], seed=[(1, 2)]), "ours", "seed", values=[])
    with pytest.raises(InvalidInput, match="a: a list given; expected a set's name"):
        compare_sets(sets(ours=[(1, 2)], seed=[(1, 2)]), [{"id": "x", "text": "y"}], "seed", values=["share_filled"])


def test_a_rehearsal_is_told_in_events(made):
    events = timeline(made.eventful())
    assert events.attrs == {"people": ["Ana", "Ben", "Cem"], "days": 6}
    dates = events[events["slot"] != ""][["day", "person", "event", "slot"]].to_numpy().tolist()
    first, second = made.SLOTS
    assert dates == [
        [2, "Ana", "date given", first],
        [3, "Ben", "date given", second],
        [4, "Ana", "date taken back", first],
        [5, "Ana", "date given", first],
    ]
    assert events["event"].value_counts()[["invitation", "follow_up", "reply", "flag"]].tolist() == [3, 2, 3, 2]
    assert list(timeline(made.rehearsal()).columns) == ["day", "date", "person", "event", "slot"]


def test_mails_are_shared_among_those_who_were_written_to(made):
    record = made.rehearsal(made.a_day(1, sent=made.eventful().days[0].sent[:1]), people=("Ana", "Ben"))
    assert runs_of([({}, record)])["mails_per_person"].tolist() == [1]


def test_a_day_tells_what_came_in_was_selected_pending_and_changed(made):
    heard = made.eventful().days[1].received
    told = {"received": heard, "selected": ("begin",), "pending": (("Ben", 2), ("Cem", 1))}
    record = made.rehearsal(made.a_day(1, **told, edits=(Edit("mail", "Ben", "a", "b"),)))
    row = days_of([({}, record)]).iloc[0]
    assert (row["answers"], row["selected"], row["pending"], row["edits"]) == (1, ("begin",), 2, 1)
    # Nobody read the reply, and a reading of a mail that is not there has nothing to be held against.
    lost = dataclasses.replace(record.days[0], received=(), understood=made.eventful().days[1].understood)
    assert reading_audit([({}, record)]).empty and reading_audit([({}, made.rehearsal(lost))]).empty


def test_the_interval_of_a_difference_has_the_level_that_was_asked_for():
    frame = sets(ours=[(1.0, 9), (0.75, 12), (1.0, 8)], seed=[(0.5, 10), (0.75, 15), (0.5, 9)])
    wide, narrow = (compare_sets(frame, "ours", "seed", values=["share_filled"], level=k).iloc[0] for k in (0.95, 0.5))
    ratio = stats.t.ppf(0.975, 2) / stats.t.ppf(0.75, 2)
    assert (wide["high"] - wide["low"]) / (narrow["high"] - narrow["low"]) == pytest.approx(ratio)
