"""Who sits at the desk: nobody, a script, or a person."""

import asyncio
from datetime import date

import pytest

from support.errors import InvalidInput
from support.seminar.data import Persona, Scenario
from support.seminar.ledger import Contact, State
from support.seminar.records import Action, Flag
from support.seminar.reviewing import Automatic
from support.seminar.seats import REVIEWER
from support.seminar.views import DayPlan, Desk, Draft, Review

MONDAY, SLOT = date(2027, 8, 16), date(2027, 9, 15)
ANA = Persona("ana", "Ana Ray", "ana@example.org", "professor")
PROGRAMME = Scenario("x", "", "", "Noor Halvard", "", "", MONDAY, date(2027, 9, 13), (SLOT,), (ANA,))
DESK = Desk(PROGRAMME, State(MONDAY, {SLOT: ()}, {"Ana Ray": Contact("Ana Ray", "professor")}), 1)
PLAN, ACTION, DRAFT = DayPlan("Invite Ana.", "why"), Action("invitation", "Ana Ray"), Draft("Hello", "Dear Ana")
FLAG = Flag(3, "Ana Ray", "May Ana speak by Video?")
APPROVED = Review("approve")


def reviewed(reviewer, what="plan", item=PLAN, about=""):
    return asyncio.run(reviewer.review(DESK, what, item, about))


def decided(reviewer, flag=FLAG):
    return asyncio.run(reviewer.decide(DESK, flag))


def test_answers_that_were_given_beforehand_are_found_by_their_topic():
    given = Automatic({"money": "No.", "video": "Fine."})
    assert decided(given) == "Fine." and decided(given, Flag(1, "Ana Ray", "What about a dog?")) == ""


def asked(step, *answers):
    """What a person's seat gives back when these answers are given in turn, and what the refused ones said."""

    async def sit():
        seat, refused = REVIEWER.person(), []
        acting = asyncio.create_task(step(seat))
        question = await asyncio.wait_for(seat.questions.get(), 5)
        for answer in answers:
            assert not acting.done()
            try:
                question.answer(answer)
            except InvalidInput as error:
                refused.append(str(error))
        return question, await asyncio.wait_for(acting, 5), refused

    return asyncio.run(sit())


@pytest.mark.parametrize(
    ("what", "item", "edited"),
    [
        ("plan", PLAN, DayPlan("Invite nobody.", "")),
        ("action", ACTION, Action("confirmation", "Ana Ray", slot="2027-09-15")),
        ("mail", DRAFT, Draft("Hi", "Hi Ana")),
    ],
)
@pytest.mark.parametrize("decision", ["approve", "edit", "again", "remove"])
def test_a_person_is_shown_each_thing_and_says_what_to_do_with_it(what, item, edited, decision):
    review = Review(decision, edited if decision == "edit" else None, "shorter" if decision == "again" else "")
    question, given, refused = asked(lambda seat: seat.review(DESK, what, item, "Ana Ray"), review)
    assert (given, refused) == (review, [])
    assert (question.phase, question.view.item, question.view.about, question.view.round) == (what, item, "Ana Ray", 1)


@pytest.mark.parametrize(
    ("what", "item", "wrong", "refusal"),
    [
        ("plan", PLAN, "approve", "expected a Review"),
        ("plan", PLAN, Review("burn"), "one of approve, edit, again, remove"),
        ("plan", PLAN, Review("edit"), "expected the edited plan"),
        ("plan", PLAN, Review("approve", edited=PLAN), "expected the edited plan"),
        ("plan", PLAN, Review("edit", edited=DRAFT), "a Draft given"),
        ("plan", PLAN, Review("edit", edited=DayPlan(" ", "")), "plan: 0 characters"),
        ("plan", PLAN, Review("again", wish="x" * 5000), "wish: 5000 characters"),
        ("mail", DRAFT, Review("edit", edited=Draft("Hi", "")), "body: 0 characters"),
        ("action", ACTION, Review("edit", edited=Action("phone", "Ana Ray")), "'phone' given"),
        ("action", ACTION, Review("edit", edited=Action("thanks", "Bo")), "expected 'Ana Ray'"),
        ("action", ACTION, Review("edit", edited=Action("thanks", "Ana Ray", slot="2027-09-16")), "2027-09-16"),
        ("action", ACTION, Review("edit", edited=Action("confirmation", "Ana Ray")), "for a confirmation"),
    ],
)
def test_a_review_that_does_not_fit_is_refused_and_the_question_stays_open(what, item, wrong, refusal):
    _, given, (said,) = asked(lambda seat: seat.review(DESK, what, item), wrong, APPROVED)
    assert given == APPROVED and refusal in said


def test_a_person_decides_about_a_flag_in_words_or_leaves_it_open():
    question, answer, refused = asked(lambda seat: seat.decide(DESK, FLAG), 3, " Video is fine. ")
    assert (answer, question.phase, question.view.item) == ("Video is fine.", "flag", FLAG)
    assert "answer: 3 given" in refused[0]
    assert asked(lambda seat: seat.decide(DESK, FLAG), "")[1] == ""
