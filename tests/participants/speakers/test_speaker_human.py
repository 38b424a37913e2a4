"""A person as a speaker: the seat waits, and an answer that does not fit can be given again."""

import asyncio
from datetime import date

import pytest

from support.errors import InvalidInput
from support.seminar.records import INVITATION, ORGANISER, Mail
from support.seminar.speaker_seats import MOST, HumanSpeaker
from support.seminar.views import ANSWER, ASK, LATER, Letter, Response

MAIL = Mail(1, 3, INVITATION, ORGANISER, "Ana Ray", "Come and speak", "Dear Ana, ...")
LETTER = Letter("Ana Ray", "Noor", 3, date(2027, 8, 18), (MAIL,), (date(2027, 9, 15),))


def asked(*answers):
    """What the seat does when it is given these answers in turn, and what the refused ones said."""

    async def sit():
        seat, refused = HumanSpeaker("Ana Ray"), []
        acting = asyncio.create_task(seat.answer(LETTER))
        question = await asyncio.wait_for(seat.questions.get(), 5)
        assert question.view is LETTER
        for answer in answers:
            try:
                question.answer(answer)
            except InvalidInput as error:
                refused.append(str(error))
        return await asyncio.wait_for(acting, 5), refused

    return asyncio.run(sit())


def test_words_are_sent_as_a_reply_to_the_mail():
    assert asked("  The 15th,\ngladly. ") == (Response(ANSWER, "Re: Come and speak", "The 15th,\ngladly."), [])


def test_a_day_is_when_to_ask_again_and_nothing_is_silence():
    assert asked(5) == (Response(LATER, until=5), []) and asked(None) == (Response(LATER), [])


def test_a_whole_response_passes_as_it_is():
    whole = Response(ASK, "Trains", "Who pays?", until=9)
    assert asked(whole) == (whole, [])


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("  \n", "expected words, or None"),
        ("x" * (MOST + 1), f"{MOST + 1} characters given; expected at most {MOST}"),
        (3, "day 3 given; expected a day after today, which is day 3"),
        (True, "True given; expected words"),
        (Response("shout", "", "Hello"), "expected words, a day, a Response"),
        (Response(ANSWER, "Re", " "), "expected words, or None"),
        (Response(LATER, until=1), "day 1 given; expected a day after"),
    ],
)
def test_what_does_not_fit_is_refused_and_the_question_stays_open(wrong, said):
    response, (refusal,) = asked(wrong, "Yes.")
    assert response.body == "Yes." and said in refusal


def test_a_mail_is_answered_once():
    response, (refusal,) = asked("Yes.", "No.")
    assert response.body == "Yes." and "the mail of day 3 was answered already" in refusal


def test_the_record_says_that_a_person_sat_there():
    assert HumanSpeaker("Ana").kind == "human"
