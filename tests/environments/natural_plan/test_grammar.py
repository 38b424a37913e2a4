"""Every sentence of a task is read, or is an error that quotes it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.environments.natural_plan import DAYS, Busy, DaySlot, Limit, clock_time, load, minutes, parse
from support.environments.natural_plan.grammar import _wishes
from support.errors import InvalidInput

PHRASES = ("would rather not meet", "can not meet", "do not want to meet", "would like to avoid more meetings")


def limits(text, people=("Uma", "Piet")):
    return [(x.person, x.day, x.start, x.end) for x in _wishes(text, people)[0]]


def test_a_task_becomes_people_duration_days_hours_and_blocks(task_text):
    task = parse(task_text())
    assert (task.people, task.duration, task.days, task.hours) == (
        ("Uma", "Piet"),
        30,
        ("Monday", "Tuesday"),
        (540, 1020),
    )
    assert task.busy == (
        Busy("Uma", "Monday", 540, 570), Busy("Uma", "Monday", 660, 960), Busy("Uma", "Tuesday", 540, 990),
    )  # fmt: skip
    assert task.limits == () and not task.earliest


@pytest.mark.parametrize("phrase", PHRASES)
def test_each_way_to_say_that_one_would_not_meet_is_read(task_text, phrase):
    task = parse(
        task_text(
            f"Piet {phrase} on Monday before 12:30. Find a time that works for everyone's schedule and constraints. "
        )
    )
    assert task.limits == (Limit("Piet", "Monday", 0, 750, f"Piet {phrase} on Monday before 12:30"),)


def test_a_list_of_days_goes_on_over_full_stops_and_ends_with_the_next_name():
    found = limits(
        "Uma can not meet on Monday. Tuesday after 15:30. Friday. "
        "Piet would rather not meet on Monday before 10:00. Tuesday."
    )
    assert found == [
        ("Uma", "Monday", 0, 1440), ("Uma", "Tuesday", 930, 1440), ("Uma", "Friday", 0, 1440),
        ("Piet", "Monday", 0, 600), ("Piet", "Tuesday", 0, 1440),
    ]  # fmt: skip


def test_a_day_that_goes_on_keeps_the_words_it_belongs_to():
    assert [x.said for x in _wishes("Uma can not meet on Monday. Tuesday after 15:30.", ("Uma",))[0]] == [
        "Uma can not meet on Monday", "Uma can not meet on Tuesday after 15:30",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "earliest",
    [
        "The group would like to meet at their earlist availability.",
        "You would like to schedule the meeting at their earliest availability.",
    ],
)
def test_the_wish_for_the_earliest_time_is_read_beside_others(task_text, earliest):
    task = parse(task_text(f"Uma can not meet on Monday. {earliest}"))
    assert task.earliest and len(task.limits) == 1


@pytest.mark.parametrize(
    "free",
    [
        "Piet's calendar is wide open the entire day.",
        "Piet is free the entire week.",
        "Piethas no meetings the whole day.",
        "Piet has no meetings the whole week.",
    ],
)
def test_each_way_to_be_free_is_read(task_text, free):
    assert {
        b.person for b in parse(task_text(calendars=(free, "Uma has meetings on Monday during 9:00 to 9:30;"))).busy
    } == {"Uma"}


def test_of_two_names_that_begin_alike_the_longer_is_taken():
    assert limits("Ann can not meet on Monday. Anna can not meet on Friday.", ("Ann", "Anna")) == [
        ("Ann", "Monday", 0, 1440), ("Anna", "Friday", 0, 1440),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"wishes": "Uma hates mornings. "}, "wish not understood: 'Uma hates mornings'"),
        ({"wishes": "Tuesday after 15:30. "}, "wish not understood: 'Tuesday after 15:30'"),
        ({"wishes": "Zoe can not meet on Monday. "}, "'Zoe can not meet on Monday'"),
        ({"wishes": "Uma can not meet on Sunday. "}, "'Sunday'"),
        (
            {
                "wishes": "Uma can not meet on Monday. "
                "Find a time that works for everyone's schedule and constraints. Friday. "
            },
            "'Friday'",
        ),
        ({"wishes": "Uma can not meet on Monday after 25:00. "}, "time '25:00'"),
        (
            {"calendars": ("Uma is busy on Monday during 9:00 to 9:30;", "Zoe is free the entire day.")},
            "calendar not understood: 'Zoe is free",
        ),
        (
            {"calendars": ("Uma is busy on Monday during 9:00 to 9:30;", "Uma is free the entire day.")},
            "no calendar of Piet",
        ),
        (
            {"calendars": ("Uma is busy on Monday during 9:30 to 9:00;", "Piet is free the entire day.")},
            "9:30 to 9:00 on Monday ends before",
        ),
        (
            {"calendars": ("Uma is busy on Monday during lunch;", "Piet is free the entire day.")},
            "Uma's calendar not understood: 'Monday during lunch'",
        ),
        ({"days": "Sunday"}, "opening sentence not understood"),
    ],
)
def test_a_sentence_that_fits_no_rule_is_an_error_that_quotes_it(task_text, changes, said):
    with pytest.raises(InvalidInput, match=said):
        parse(task_text(**changes))


@pytest.mark.parametrize("text", ["", "Let us meet."])
def test_what_is_no_task_is_refused(text):
    with pytest.raises(InvalidInput, match="opening sentence"):
        parse(text)


def test_all_500_texts_are_read_and_every_golden_slot_has_the_length_asked_for():
    tasks = [(parse(p.text), p.golden) for p in load()]
    assert len(tasks) == 500
    assert all(golden.end - golden.start == task.duration and golden.day in task.days for task, golden in tasks)
    assert sum(task.earliest for task, _ in tasks) == 83
    assert sum(bool(task.limits) for task, _ in tasks) == 236


def test_the_meaning_does_not_depend_on_the_order_or_on_how_blocks_are_cut(task_text):
    cut = (
        "Piet is free the entire day.",
        "Uma has meetings on Tuesday during 9:00 to 16:30, Monday during 11:00 to 12:00, 12:00 to 16:00, 9:00 to 9:30;",
    )
    assert parse(task_text()).meaning == parse(task_text(calendars=cut, people="Piet and Uma")).meaning
    assert parse(task_text()).meaning != parse(task_text(days="Monday")).meaning


@given(st.integers(0, 1440))
def test_times_are_written_and_read_alike(minute):
    assert minutes(clock_time(minute)) == minute


@given(st.sampled_from(DAYS), st.integers(0, 1400), st.integers(1, 40))
def test_slots_are_written_and_read_alike(day, start, length):
    slot = DaySlot(day, start, start + length)
    assert DaySlot.read(f"Here is the proposed time: {slot} ") == slot
