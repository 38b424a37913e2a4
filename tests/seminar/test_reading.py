"""Replies about dates: what the patterns read, clause by clause."""

import time
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.seminar.reading import Reading, read_reply

SEP, OCT, NOV, DEC = SLOTS = tuple(date(2027, m, d) for m, d in ((9, 15), (10, 13), (11, 10), (12, 8)))
TODAY = date(2027, 8, 16)


def read(text):
    return read_reply(text, SLOTS, TODAY)


@pytest.mark.parametrize(
    ("text", "firm", "vague", "cannot"),
    [
        ("I can do 13 October.", (OCT,), (), ()),
        ("October 13th and the 10th of November work.", (OCT, NOV), (), ()),
        ("Oct 13 is good, Nov 10 too.", (OCT, NOV), (), ()),
        ("2027-10-13 works.", (OCT,), (), ()),
        ("The 13th works, the 8th perhaps.", (OCT,), (DEC,), ()),
        ("October 13 works, but December 8 doesn't work.", (OCT,), (), (DEC,)),
        ("I might manage 15 September.", (), (SEP,), ()),
        ("Any of these dates is fine.", SLOTS, (), ()),
        ("All of them except the 13th of October.", (SEP, NOV, DEC), (), (OCT,)),
        ("None of these works.", (), (), SLOTS),
        ("15 September is fine. I can't do the others.", (SEP,), (), (OCT, NOV, DEC)),
        ("Tentatively the 10th of November.", (), (NOV,), ()),
        ("See you soon!", (), (), ()),
    ],
)
def test_moods_go_to_the_dates_of_their_clause(text, firm, vague, cannot):
    assert (read(text).available, read(text).vague, read(text).unavailable) == (firm, vague, cannot)


@pytest.mark.parametrize(
    ("text", "firm", "vague", "cannot"),
    [
        ("Oct. 13 is good.", (OCT,), (), ()),
        ("15 September, 13 October and 10 November don't work.", (), (), (SEP, OCT, NOV)),
        ("I can do October 13, whichever helps you more.", (OCT,), (), ()),
        ("Wed 13 Oct for sure, Wed 8 Dec perhaps.", (OCT,), (DEC,), ()),
        ("8 December is not ruled out.", (), (DEC,), ()),
        ("I'm not quite sure about 8 December.", (), (DEC,), ()),
        ("I can no longer come on 13 October.", (), (), (OCT,)),
        ("I must decline: courses on every one of these dates.", (), (), ()),
        ("I am fully committed on all of them. Another year, perhaps.", (), (), SLOTS),
        ("All of your dates would suit me.", SLOTS, (), ()),
        ("Put me down for 8 Dec. 15 Sep and 13 Oct are impossible.", (DEC,), (), (SEP, OCT)),
        ("I am free on the 8th Dec. and on Oct. 13, not more.", (OCT, DEC), (), ()),
        ("I can do 15 Sep and 8 Dec. I'm afraid I can't make 13 Oct.", (SEP, DEC), (), (OCT,)),
        ("I've gone through my teaching, and I can offer you 10 Nov. On 13 Oct I teach.", (NOV,), (), (OCT,)),
        ("I'm free on 8 December. There's an interview on 15 September.", (DEC,), (), (SEP,)),
        ("8 December would depend on an interview.", (), (DEC,), ()),
        ("With pleasure on the 8th. Not the 13th of October.", (DEC,), (), (OCT,)),
        ("8 Dec: maybe, the timetable isn't out.", (), (DEC,), ()),
        ("I must take back my promise for 13 October, teaching was moved onto it.", (), (), (OCT,)),
    ],
)
def test_moods_that_people_word_otherwise(text, firm, vague, cannot):
    assert (read(text).available, read(text).vague, read(text).unavailable) == (firm, vague, cannot)


def test_a_date_that_was_never_offered_is_noted_and_never_available():
    got = read("I'd come on 22 October, or on 13 October.")
    assert got.never_offered == (date(2027, 10, 22),) and got.available == (OCT,)
    assert read("On 3 March.").never_offered == (date(2028, 3, 3),)
    assert read("On 31 November.") == Reading()


@pytest.mark.parametrize("text", ["I have to decline.", "I must say no.", "I'll pass this time, I must pass."])
def test_a_refusal_is_one_while_no_date_is_named(text):
    assert read(text).declined and not read(f"{text} October 13 works.").declined


def test_a_cancellation_is_noticed():
    assert read("I have to cancel 13 October.").cancelled and not read("13 October works.").cancelled


@pytest.mark.parametrize(
    ("text", "until"),
    [
        ("I'll get back to you in a week.", date(2027, 8, 23)),
        ("Let me check my calendar, you'll have an answer in three days.", date(2027, 8, 19)),
        ("I will let you know next week.", date(2027, 8, 23)),
        ("I need time, ask me again in 2 weeks.", date(2027, 8, 30)),
        ("13 October works, I'll let you know in a week about the title.", None),
        ("In two weeks I fly to Rome.", None),
    ],
)
def test_who_needs_time_says_until_when(text, until):
    assert read(text).wait_until == until


@pytest.mark.parametrize(
    ("text", "until"),
    [
        ("I'll let you know in 99999999999 days.", date(2028, 8, 16)),
        ("I'll let you know in 9999999 months.", date(2028, 8, 16)),
        ("I will let you know within ten working days.", date(2027, 8, 30)),
    ],
)
def test_a_wait_is_at_most_a_year_and_working_days_leave_weekends_out(text, until):
    assert read(text).wait_until == until


@pytest.mark.parametrize(
    ("text", "firm", "strange"),
    [
        ("15 September 2027 works.", (SEP,), ()),
        ("15 September 2028 works.", (), (date(2028, 9, 15),)),
        ("2028-09-15 works, 2027-10-13 too.", (OCT,), (date(2028, 9, 15),)),
        ("13 October and 10 November 2028 work.", (OCT,), (date(2028, 11, 10),)),
        ("15 September 2026 worked.", (), ()),
        ("29 February works.", (), (date(2028, 2, 29),)),
    ],
)
def test_a_date_of_another_year_is_another_date(text, firm, strange):
    assert (read(text).available, read(text).never_offered) == (firm, strange)


@pytest.mark.parametrize(
    "text", ["The 15th of October works.", "October the 15th works.", "The 15th and 16th of October."]
)
def test_a_number_beside_a_month_is_no_number_of_another_month(text):
    assert read(text).available == () and date(2027, 10, 15) in read(text).never_offered
    assert read("The 15th works.").available == (SEP,)


def test_a_mail_of_numbers_is_read_in_a_moment():
    begun = time.process_time()
    read("1, " * 1600 + " " * 200)
    assert time.process_time() - begun < 10


@given(st.text(max_size=200))
def test_any_text_is_read_and_no_date_is_in_two_moods(text):
    got = read(text)
    named = [*got.available, *got.vague, *got.unavailable]
    assert len(named) == len(set(named)) and set(named) <= set(SLOTS)
    assert not set(got.never_offered) & set(SLOTS)


@given(st.lists(st.sampled_from(SLOTS), min_size=1, unique=True))
def test_dates_in_a_row_are_all_found(days):
    assert read("I can do " + " and ".join(f"{d.day} {d:%B}" for d in days) + ".").available == tuple(sorted(days))
