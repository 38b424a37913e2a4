"""Replies about dates: what the patterns read, clause by clause, and of replies by authors who never saw them."""

import json
import time
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.seminar.reading import Reading, agrees, read_reply, settled

SEP, OCT, NOV, DEC = SLOTS = tuple(
    date(2027, m, d) for m, d in ((9, 15), (10, 13), (11, 10), (12, 8))
)
REPLIES = json.loads(
    Path(__file__).with_name("replies.json").read_text(encoding="utf-8")
)


def read(text):
    return read_reply(text, SLOTS, date(2027, 8, 16))


@pytest.mark.parametrize(
    ("text", "firm", "vague", "cannot"),
    [
        ("October 13th and the 10th of November work.", (OCT, NOV), (), ()),
        ("October 13 works, but December 8 doesn't work.", (OCT,), (), (DEC,)),
        (
            "15 September, 13 October and 10 November don't work.",
            (),
            (),
            (SEP, OCT, NOV),
        ),
        ("Any of these dates is fine.", SLOTS, (), ()),
        ("All of them except the 13th of October.", (SEP, NOV, DEC), (), (OCT,)),
        ("None of these works.", (), (), SLOTS),
        ("15 September is fine. I can't do the others.", (SEP,), (), (OCT, NOV, DEC)),
        ("I must decline: courses on every one of these dates.", (), (), ()),
        (
            "Put me down for 8 Dec. 15 Sep and 13 Oct are impossible.",
            (DEC,),
            (),
            (SEP, OCT),
        ),
        (
            "I've gone through my teaching, and I can offer you 10 Nov. On 13 Oct I teach.",
            (NOV,),
            (),
            (OCT,),
        ),
        (
            "I must take back my promise for 13 October, teaching was moved onto it.",
            (),
            (),
            (OCT,),
        ),
        ("See you soon!", (), (), ()),
    ],
)
def test_moods_go_to_the_dates_of_their_clause(text, firm, vague, cannot):
    assert (read(text).available, read(text).vague, read(text).unavailable) == (
        firm,
        vague,
        cannot,
    )


PLAIN = [
    "October 13 would be great!",
    "Wednesday, 13 October 2027 at 14:00 works for me.",
    "The second one is fine.",
    "13/10 works, 13.10. is good.",
    "13. Oktober passt mir gut.",
    "13 October: can't wait!",
    "Thank you for the invitation! I'd love to come. 13 October it is.",
]

NOT_PLAIN = [
    "On 13 October I have to be at the dentist's.",
    "13 October works. But only if you pay the train.",
    "13 October? I'm in Rome.",
    "13 October works for me, but I have to check with my boss.",
    "Thanks for your mail of 13 October.",
    "13 October works for me. Actually no, I misread my diary.",
    "13 October ❌",
    "Sorry, 13 October.",
    "Could I do it over Zoom? If so, any of the four.",
    "> 13 October\nno",
]


@pytest.mark.parametrize(
    ("text", "firm"), [(t, (OCT,)) for t in PLAIN] + [(t, ()) for t in NOT_PLAIN]
)
def test_a_date_is_firm_only_where_its_sentence_is_wholly_understood_as_a_yes(
    text, firm
):
    got = read(f"Dear Noor,\n\n{text}\n\nBest wishes,\nAna")
    assert got.available == firm and not (firm and got.unclear)


@given(st.sampled_from([text for text in PLAIN if ". " not in text]), st.data())
def test_one_strange_word_in_a_plain_yes_makes_it_a_question(text, data):
    words = text.split()
    at = data.draw(st.integers(0, len(words) - 1))
    strange = data.draw(
        st.sampled_from(
            ["hardly", "never", "unless", "hypothetically", "zur", "Brno", "80%", "not"]
        )
    )
    assert read(" ".join([*words[:at], strange, *words[at:]])).available == ()


@pytest.mark.parametrize(
    ("text", "firm"),
    [
        ("Possible:\n- 13 October\nNot possible:\n- 10 November", ()),
        ("15 Sept: no\n13 Oct: yes\n10 Nov: maybe\n8 Dec: works for me", (OCT, DEC)),
        (
            "13 October is good.\n\n-----Original Message-----\nThe dates are\n15 September\n10 November",
            (OCT,),
        ),
        (
            "13 October is good.\n\nBest,\nAna\n\nWe meet on\n15 September\n10 November\n",
            (OCT,),
        ),
        ("> 15 September\nno\n> 13 October\nyes", ()),
        ("10 November is out. The others are fine.", (SEP, OCT, DEC)),
        ("The dentist has me on one of the Wednesdays. The rest is fine.", ()),
        ("All three work.", ()),
        ("All four work.", SLOTS),
    ],
)
def test_a_date_of_a_list_is_firm_only_where_the_whole_list_is_understood(text, firm):
    assert read(text).available == firm


def test_what_is_asked_about_is_quoted_as_it_was_written():
    got = read(
        "Hi Noor,\n\nOn the thirteenth of October I have to be at the dentist’s. 10/11 is fine."
    )
    assert got.unclear == (
        "On the thirteenth of October I have to be at the dentist’s.",
    ) and got.available == (NOV,)
    assert (
        read("hey, sure! whichever you find better.").unclear
        and not read("See you soon!").unclear
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Yes, that still works for me. Thanks!", True),
        ("Yes, if the train runs.", False),
        ("It works. Or wait, no.", False),
        ("Thanks for asking!", False),
    ],
)
def test_a_yes_to_the_only_date_that_was_asked_about(text, said):
    assert agrees(text) is said


@pytest.mark.parametrize(
    ("answer", "firm", "cannot"),
    [
        ("yes", (OCT, NOV), ()),
        ("None", (), ()),
        ("The 10th of November; 13 October is impossible.", (NOV,), (OCT,)),
    ],
)
def test_an_answer_settles_which_dates_an_unclear_sentence_gives(answer, firm, cannot):
    got = settled(
        answer, ("13 October or even 10 November, hurray!",), SLOTS, date(2027, 8, 16)
    )
    assert (got.available, got.unavailable) == (firm, cannot)
    assert (
        settled(
            "Ask her what she means.",
            ("13 October, hurray!",),
            SLOTS,
            date(2027, 8, 16),
        )
        is None
    )


@pytest.mark.parametrize(
    ("text", "firm", "strange"),
    [
        ("I'd come on 22 October, or on 13 October.", (OCT,), (date(2027, 10, 22),)),
        ("2028-09-15 works, 2027-10-13 too.", (OCT,), (date(2028, 9, 15),)),
        ("13 October and 10 November 2028 work.", (OCT,), (date(2028, 11, 10),)),
        ("15 September 2026 worked.", (), ()),
        ("29 February works.", (), (date(2028, 2, 29),)),
        ("October the 15th works.", (), (date(2027, 10, 15),)),
        ("The 15th and 16th of October.", (), (date(2027, 10, 15), date(2027, 10, 16))),
    ],
)
def test_a_date_off_the_programme_is_noted_and_never_available(text, firm, strange):
    assert (read(text).available, read(text).never_offered) == (firm, strange)
    assert read("On 31 November.") == Reading() and read(
        "The 15th works."
    ).available == (SEP,)


def test_refusals_and_cancellations_are_noticed_and_a_date_makes_a_refusal_none():
    assert (
        read("I have to decline.").declined
        and not read("I have to decline. October 13 works.").declined
    )
    assert (
        read("I have to cancel 13 October.").cancelled
        and not read("13 October works.").cancelled
    )


@pytest.mark.parametrize(
    ("text", "until"),
    [
        ("I'll get back to you in a week.", date(2027, 8, 23)),
        ("I will let you know within ten working days.", date(2027, 8, 30)),
        ("I'll let you know in 99999999999 days.", date(2028, 8, 16)),
        ("13 October works. I'll let you know in a week about the title.", None),
    ],
)
def test_who_needs_time_says_until_when_and_a_wait_is_at_most_a_year(text, until):
    assert read(text).wait_until == until


def test_a_mail_of_numbers_is_read_in_a_moment():
    begun = time.process_time()
    read("1, " * 1600 + " " * 200)
    assert time.process_time() - begun < 10


@given(st.text(max_size=200), st.lists(st.sampled_from(SLOTS), min_size=1, unique=True))
def test_any_text_is_read_no_date_is_in_two_moods_and_dates_in_a_row_are_all_found(
    text, days
):
    got = read(text)
    said = [*got.available, *got.vague, *got.unavailable]
    assert (
        len(said) == len(set(said))
        and set(said) <= set(SLOTS)
        and not set(got.never_offered) & set(SLOTS)
    )
    assert read(
        "I can do " + " and ".join(f"{d.day} {d:%B}" for d in days) + "."
    ).available == tuple(sorted(days))


@pytest.mark.parametrize(
    ("part", "least", "questions"),
    [("development", 33, 38), ("test", 23, 36), ("fresh", 8, 42)],
)
def test_of_replies_by_others_no_date_is_firm_that_nobody_gave(part, least, questions):
    """Its words were chosen on the first 60; the second were measured now and then; the third were written after it.

    Issue 19 asks for 2 % of invented dates at most: here 0 of 33, 0 of 23, 0 of 8. Questions are the price.
    """
    found = [
        read_reply(reply["body"], SLOTS, date(2027, 8, 16)) for reply in REPLIES[part]
    ]
    given = [
        {date.fromisoformat(day) for day in reply["firm"]} & {*SLOTS}
        for reply in REPLIES[part]
    ]
    firm = [set(reading.available) for reading in found]
    assert not any(one - said for one, said in zip(firm, given, strict=True))
    assert sum(len(one & said) for one, said in zip(firm, given, strict=True)) >= least
    assert sum(bool(reading.unclear) for reading in found) <= questions
