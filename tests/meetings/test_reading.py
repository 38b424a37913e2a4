"""The reader on sentences of our own, none of them from the synthetic company."""

from collections import Counter
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.meetings.data import load_private
from support.meetings.preferences import (
    WEEKDAYS,
    At,
    Deadline,
    Flexible,
    Focus,
    Gap,
    Notice,
    Weekdays,
    Window,
)
from support.meetings.reading import read, recovered, restate

TABLE = [
    ("I prefer to meet between 9 and noon.", [Window(2, "09:00", "12:00")]),
    ("Nothing before ten, please.", [Window(2, "00:00", "10:00", True)]),
    ("She never accepts meetings after 5 p.m.", [Window(3, "17:00", "24:00", True)]),
    ("It must end no later than 16:00.", [Window(3, "00:00", "16:00")]),
    ("Mornings, from 9 to 11, are ideal.", [Window(2, "09:00", "11:00")]),
    ("No meetings over lunch.", [Window(2, "12:00", "13:00", True)]),
    ("Early mornings or late afternoons, please.", [Window(2, "10:00", "15:00", True)]),
    (
        "I would rather meet in the morning than in the afternoon.",
        [Window(2, "08:00", "12:00")],
    ),
    (
        "Mornings are best, not afternoons.",
        [Window(2, "08:00", "12:00"), Window(2, "12:00", "18:00", True)],
    ),
    ("Never on Fridays.", [Weekdays(3, ("Friday",), True)]),
    (
        "Tuesday to Thursday suits us.",
        [Weekdays(2, ("Tuesday", "Wednesday", "Thursday"))],
    ),
    ("Any day except Mondays.", [Weekdays(2, ("Monday",), True)]),
    (
        "Not before Wednesday, please.",
        [Weekdays(2, ("Wednesday", "Thursday", "Friday"))],
    ),
    ("On Mondays, only after 11.", [Window(3, "11:00", "24:00", False, ("Monday",))]),
    # what belongs together
    (
        "From 8 to 9 he walks the dog, and would rather not meet then.",
        [Window(2, "08:00", "09:00", True)],
    ),
    (
        "It must start no earlier than nine and be over by four.",
        [Window(3, "09:00", "16:00")],
    ),
    (
        "From one to three she repairs clocks, and does so in silence.",
        [Focus(2, "13:00", "15:00")],
    ),
    ("She wants meetings announced at least a day in advance.", [Notice(2, 24)]),
    ("Never with less than half a day of notice.", [Notice(3, 12)]),
    (
        "There should be 48 hours between the invitation and the meeting, ideally.",
        [Notice(1, 48)],
    ),
    ("No back-to-back meetings.", [Gap(2, 15)]),
    ("She is happy with back-to-back calls.", []),
    (
        "He keeps Tuesday mornings free for coding.",
        [Focus(2, "08:00", "12:00", True, ("Tuesday",))],
    ),
    ("He keeps his mornings open for meetings.", [Window(2, "08:00", "12:00")]),
    (
        "She meets in the morning and uses the rest of the day for drawing.",
        [Window(2, "08:00", "12:00"), Focus(2, "12:00", "18:00")],
    ),
    ("It has to be done by Wednesday noon.", [Deadline(3, "Wednesday", "12:00")]),
    (
        "I would like it behind me by Tuesday at 4 pm.",
        [Deadline(2, "Tuesday", "16:00")],
    ),
    ("Agrees to Monday 16 February at 10:00", [At(2, "10:00", "2026-02-16")]),
    ("10 am does not work.", []),
    ("Any time is fine.", [Flexible(2)]),
    ("Above all, no meetings on Mondays.", [Weekdays(3, ("Monday",), True)]),
    # what is wanted is not refused with what follows it
    (
        "9 to 11 but not on Friday",
        [Window(2, "09:00", "11:00"), Weekdays(2, ("Friday",), True)],
    ),
    ("I'd rather meet in the morning & not late", [Window(2, "08:00", "12:00")]),
    (
        "On Mondays, not before ten please",
        [Window(2, "00:00", "10:00", True, ("Monday",))],
    ),
    # small talk
    ("Good morning! How are you today?", []),
    ("He works with three colleagues on the sensor.", []),
    ("The report has 12 pages and 2 figures.", []),
]


@pytest.mark.parametrize(("sentence", "said"), TABLE, ids=[s for s, _ in TABLE])
def test_a_sentence_is_read_as_what_it_says(sentence, said):
    assert list(read(sentence, year=2026)) == said


PRIORITY = st.sampled_from([1, 2, 3])
DAYS = st.lists(st.sampled_from(WEEKDAYS), unique=True, max_size=5).map(tuple)
MINUTES = st.integers(0, 24 * 60)
SPANS = st.tuples(MINUTES, MINUTES).filter(lambda s: s[0] < s[1])


def hhmm(minutes: int) -> str:
    return f"{minutes // 60:02d}:{minutes % 60:02d}"


HOURS = SPANS.map(lambda span: tuple(map(hhmm, span)))
DATES = st.none() | st.dates(date(2000, 1, 1), date(2099, 12, 31)).map(date.isoformat)
PREFERENCES = st.one_of(
    st.builds(
        lambda p, hours, avoid, days: Window(p, *hours, avoid, days),
        PRIORITY,
        HOURS,
        st.booleans(),
        DAYS,
    ),
    st.builds(
        lambda p, hours, days: Focus(p, *hours, True, days), PRIORITY, HOURS, DAYS
    ),
    st.builds(Weekdays, PRIORITY, DAYS.filter(len), st.booleans()),
    st.builds(Notice, PRIORITY, st.integers(1, 500)),
    st.builds(Gap, PRIORITY, st.integers(1, 180)),
    st.builds(Deadline, PRIORITY, st.sampled_from(WEEKDAYS), MINUTES.map(hhmm)),
    st.builds(At, PRIORITY, MINUTES.map(hhmm), DATES),
    st.builds(Flexible, PRIORITY),
)


@given(st.lists(PREFERENCES, unique=True, max_size=4))
def test_property_what_is_restated_is_read_back_exactly_and_in_order(wishes):
    assert read(". ".join(map(restate, wishes)) + ".") == tuple(wishes)


def test_the_measure_tells_kind_meaning_and_priority_apart_and_says_that_most_of_the_company_is_understood():
    true = [Window(2, "10:00", "24:00"), Focus(2, "13:00", "15:00"), Notice(3, 24)]
    found = [
        Window(2, "00:00", "10:00", True),
        Window(2, "13:00", "15:00", True),
        Notice(2, 24),
        Flexible(2),
    ]
    assert recovered(found, true) == {
        "found": 4,
        "true": 3,
        "kind": 2,
        "meaning": 3,
        "exact": 2,
    }
    for version, least in ((0, 0.95), (1, 0.9), (2, 0.8)):
        counts = sum(
            (
                recovered(read(p.texts[version]), p.preferences)
                for p in load_private().values()
            ),
            Counter(),
        )
        assert (
            counts["meaning"] >= least * counts["true"]
            and counts["meaning"] >= 0.9 * counts["found"]
        )
