"""Replies about dates: what the patterns read, clause by clause."""

import time
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.seminar.reading import Reading, agrees, read_reply, settled

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


PLAIN = [
    "October 13 would be great!",
    "Please put me down for 13 October.",
    "I'm free on the 13th.",
    "My first choice is 13 October.",
    "Of the dates that you propose, 13 October suits me best.",
    "I have checked my calendar and 13 October is good.",
    "Wednesday, 13 October 2027 at 14:00 works for me.",
    "The October date works for me.",
    "The second one is fine.",
    "13/10 works, 13.10. is good.",
    "13. Oktober passt mir gut.",
    "Le 13 octobre me convient parfaitement.",
    "13 October: can't wait!",
    "13 October is no problem at all.",
    "I have nothing on 13 October.",
    "13 October, with pleasure.",
    "13 October, if that still suits you.",
    "The thirteenth of October would be lovely.",
    "I accept your kind invitation for the 13th of October.",
    "Thank you for the invitation! I'd love to come. 13 October it is.",
]

NOT_PLAIN = [
    "On 13 October I have to be at the dentist's.",
    "13 October is a problem.",
    "Can we make it 13 October instead of the 15th?",
    "I have to withdraw from 13 October because my father is ill.",
    "I am out of the office until 13 October.",
    "13 October -",
    "13 October: x",
    "On 13 October I come back from Rome.",
    "I have a talk on 13 October.",
    "I was free on 13 October.",
    "I would have come on 13 October.",
    "I'll be there on 13 October for another meeting.",
    "13 October works if you pay the train.",
    "13 October works. But only if you pay the train.",
    "13 October would be great. Sadly I'll be in Rome.",
    "13 October? I'm in Rome.",
    "My colleague is free on 13 October.",
    "I can do 13 October at 16:00.",
    "I could do 13 October only by video.",
    "13 October works for me, but I have to check with my boss.",
    "13 October should work.",
    "13 October would be fine if I had no exam.",
    "Don't put me down for 13 October.",
    "13 October is my birthday.",
    "I am free from 13 October.",
    "Before 13 October I cannot say anything.",
    "13 October would be my last choice.",
    "In principle 13 October.",
    "13 October works for my student.",
    "Thanks for your mail of 13 October.",
    "13 October works for me. Actually no, I misread my diary.",
    "I am free on 13 October. I will only come if there is childcare.",
    "Please forget what I said about 13 October.",
    "13 October ❌",
    "~~13 October~~",
    "Am 13. Oktober bin ich leider in Rom.",
    "Le 13 octobre ne me convient pas.",
    "Sorry, 13 October.",
    "Could I do it over Zoom? If so, any of the four.",
    "All of them are difficult.",
    "I can't do any of them except perhaps 13 October.",
    "I can do 13 October as a reserve.",
    "> 13 October\nno",
]


@pytest.mark.parametrize("text", PLAIN)
def test_a_plain_yes_is_firm_and_nothing_is_asked_about_it(text):
    got = read(f"Dear Noor,\n\n{text}\n\nBest wishes,\nAna")
    assert (got.available, got.unclear) == ((OCT,), ())


@pytest.mark.parametrize("text", NOT_PLAIN)
def test_a_sentence_that_is_not_wholly_understood_gives_no_date(text):
    assert read(f"Dear Noor,\n\n{text}\n\nBest wishes,\nAna").available == ()


LISTS = [
    ("Possible:\n- 13 October\nNot possible:\n- 10 November", ()),
    ("15 Sept: no\n13 Oct: yes\n10 Nov: maybe\n8 Dec: works for me", (OCT, DEC)),
    ("13 October is good.\n\n-----Original Message-----\nThe dates are\n15 September\n10 November", (OCT,)),
    ("13 October is good.\n\nBest,\nAna\n\nWe meet on\n15 September\n10 November\n", (OCT,)),
    ("> 15 September\nno\n> 13 October\nyes", ()),
    ("I can do 13 October.\n\nSee you in November!", (OCT,)),
    ("10 November is out. The others are fine.", (SEP, OCT, DEC)),
    ("I cannot come on the thirteenth of October. The rest is fine.", (SEP, NOV, DEC)),
    ("The dentist has me on one of the Wednesdays. The rest is fine.", ()),
    ("13 October or 10 November. But let me ask my boss first.", ()),
]


@pytest.mark.parametrize(("text", "firm"), LISTS)
def test_a_date_of_a_list_is_firm_only_where_the_whole_list_is_understood(text, firm):
    assert read(text).available == firm


@given(st.sampled_from([text for text in PLAIN if ". " not in text]), st.data())
def test_one_strange_word_in_a_plain_yes_makes_it_a_question(text, data):
    words = text.split()
    at = data.draw(st.integers(0, len(words) - 1))
    strange = data.draw(st.sampled_from(["hardly", "never", "unless", "hypothetically", "zur", "Brno", "80%", "not"]))
    assert read(" ".join([*words[:at], strange, *words[at:]])).available == ()


def test_what_is_asked_about_is_quoted_as_it_was_written():
    got = read("Hi Noor,\n\nOn the thirteenth of October I have to be at the dentist’s. 10/11 is fine.")
    assert got.unclear == ("On the thirteenth of October I have to be at the dentist’s.",) and got.available == (NOV,)


def test_all_after_some_were_named_means_perhaps_those_only():
    assert read("I can do 13 October or 10 November. Any of them is fine.").available == (OCT, NOV)
    assert read("All three work.").available == () and read("All four work.").available == SLOTS


def test_a_reply_in_which_nothing_was_understood_about_dates_is_asked_about():
    assert read("hey, sure! whichever you find better.").unclear and not read("See you soon!").unclear


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Yes.", True),
        ("Yes, that still works for me. Thanks!", True),
        ("I confirm.", True),
        ("Yes, if the train runs.", False),
        ("Is it certain?", False),
        ("It works. Or wait, no.", False),
        ("Thanks for asking!", False),
    ],
)
def test_a_yes_to_the_only_date_that_was_asked_about(text, said):
    assert agrees(text) is said


@pytest.mark.parametrize(
    ("answer", "firm", "cannot"),
    [
        ("13 October", (OCT,), ()),
        ("yes", (OCT, NOV), ()),
        ("All.", (OCT, NOV), ()),
        ("None", (), ()),
        ("The 10th of November; 13 October is impossible.", (NOV,), (OCT,)),
    ],
)
def test_an_answer_settles_which_dates_an_unclear_sentence_gives(answer, firm, cannot):
    got = settled(answer, ("13 October or even 10 November, hurray!",), SLOTS, TODAY)
    assert (got.available, got.unavailable) == (firm, cannot)


def test_an_answer_without_a_date_settles_nothing():
    assert settled("", ("13 October, hurray!",), SLOTS, TODAY) is None
    assert settled("Ask her what she means.", ("13 October, hurray!",), SLOTS, TODAY) is None


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
        ("13 October works. I'll let you know in a week about the title.", None),
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
