"""A person as a participant: the seat waits, and an answer that does not fit can be given again."""

import asyncio

import numpy as np
import pytest

from support.errors import InvalidInput
from support.participants.deciders.human import HumanDecider
from support.records import Feedback

GAINS = np.array([[80, 10, 10], [50, 30, 20], [25, 30, 45]])
PLANS = ((0, 0, 0), (1, 1, 1))


@pytest.fixture
def asked(sit):
    """What the seat says when it is given these answers in turn, and what the refused ones said."""

    def ask(feedback, *answers):
        async def wait():
            seat, refused = HumanDecider("Ana", sit(), GAINS), []
            plans = PLANS if feedback == "comparison" else PLANS[:1]
            acting = asyncio.create_task(seat.judge(plans, feedback))
            question = await asyncio.wait_for(seat.questions.get(), 5)
            assert (question.phase, question.view.plans, question.view.me) == (feedback, plans, "Ana")
            assert question.view.gains.tolist() == GAINS.tolist() and question.view.round == 1
            for answer in answers:
                assert not acting.done()
                try:
                    question.answer(answer)
                except InvalidInput as error:
                    refused.append(str(error))
            return await asyncio.wait_for(acting, 5), refused

        return asyncio.run(wait())

    return ask


def test_a_person_is_asked_for_a_score_words_or_a_choice(asked):
    assert asked("score", 120) == (Feedback("Ana", score=120), [])
    assert asked("words", " Meal 1 is\nlovely. ") == (Feedback("Ana", text="Meal 1 is lovely."), [])
    for choice in (0, 1, None):
        assert asked("comparison", choice) == (Feedback("Ana", prefers=choice, alike=choice is None), [])


@pytest.mark.parametrize(
    ("feedback", "wrong", "right", "refusal"),
    [
        ("score", 176, 175, "176 given; expected a whole number from 0 to 175"),
        ("score", True, 0, "True given"),
        ("score", "80", 80, "'80' given"),
        ("words", "80 points", "fine", "the number '80' given"),
        ("words", " ", "fine", "expected words"),
        ("comparison", 2, 1, "2 given; expected 0 or 1"),
        ("comparison", True, 1, "True given"),
    ],
)
def test_an_answer_that_does_not_fit_is_refused_and_the_question_stays_open(asked, feedback, wrong, right, refusal):
    answer, (said,) = asked(feedback, wrong, right)
    assert right in (answer.score, answer.text, answer.prefers) and refusal in said


def test_a_question_is_answered_once(asked):
    answer, (said,) = asked("score", 10, 20)
    assert answer.score == 10 and "round 1 was answered already" in said


def test_the_record_says_that_a_person_sat_there(sit):
    assert HumanDecider("Ana", sit(), GAINS).kind == "human"
