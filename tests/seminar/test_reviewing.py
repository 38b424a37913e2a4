"""Who sits at the desk: nobody, a script, or a person."""

import asyncio
from datetime import date

import pytest

from support.seminar.data import Persona, Scenario
from support.seminar.ledger import Contact, State
from support.seminar.records import Action, Flag
from support.seminar.reviewing import Automatic
from support.seminar.seats import REVIEWER
from support.seminar.views import DayPlan, Desk, Draft, Review

MONDAY, SLOT = date(2027, 8, 16), date(2027, 9, 15)
ANA = Persona("ana", "Ana Ray", "ana@example.org", "professor")
PROGRAMME = Scenario(
    "x", "", "", "Noor Halvard", "", "", MONDAY, date(2027, 9, 13), (SLOT,), (ANA,)
)
DESK = Desk(
    PROGRAMME,
    State(MONDAY, {SLOT: ()}, {"Ana Ray": Contact("Ana Ray", "professor")}),
    1,
)
PLAN, ACTION, DRAFT = (
    DayPlan("Invite Ana.", "why"),
    Action("invitation", "Ana Ray"),
    Draft("Hello", "Dear Ana"),
)
FLAG = Flag(3, "Ana Ray", "May Ana speak by Video?")
APPROVED = Review("approve")


def test_answers_that_were_given_beforehand_are_found_by_their_topic():
    given, dog = (
        Automatic({"money": "No.", "video": "Fine."}),
        Flag(1, "Ana Ray", "What about a dog?"),
    )
    assert [asyncio.run(given.decide(DESK, flag)) for flag in (FLAG, dog)] == [
        "Fine.",
        "",
    ]


@pytest.fixture
def asked(sitting):
    """A function from a step and answers to what comes of them; see `sitting`."""
    return lambda step, *answers: sitting(REVIEWER.person(), step, *answers)


@pytest.mark.parametrize(
    ("what", "item", "edited"),
    [
        ("plan", PLAN, DayPlan("Invite nobody.", "")),
        ("action", ACTION, Action("confirmation", "Ana Ray", slot="2027-09-15")),
        ("mail", DRAFT, Draft("Hi", "Hi Ana")),
    ],
)
def test_a_person_is_shown_each_thing_and_says_what_to_do_with_it(
    asked, what, item, edited
):
    for review in (
        APPROVED,
        Review("edit", edited),
        Review("again", wish="shorter"),
        Review("remove"),
    ):
        question, given, refused = asked(
            lambda seat: seat.review(DESK, what, item, "Ana Ray"), review
        )
        assert (given, refused) == (review, [])
        seen = (
            question.phase,
            question.view.item,
            question.view.about,
            question.view.round,
        )
        assert seen == (what, item, "Ana Ray", 1)


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
        (
            "action",
            ACTION,
            Review("edit", edited=Action("phone", "Ana Ray")),
            "'phone' given",
        ),
        (
            "action",
            ACTION,
            Review("edit", edited=Action("thanks", "Bo")),
            "expected 'Ana Ray'",
        ),
        (
            "action",
            ACTION,
            Review("edit", edited=Action("thanks", "Ana Ray", slot="2027-09-16")),
            "2027-09-16",
        ),
        (
            "action",
            ACTION,
            Review("edit", edited=Action("confirmation", "Ana Ray")),
            "for a confirmation",
        ),
    ],
)
def test_a_review_that_does_not_fit_is_refused_and_the_question_stays_open(
    asked, what, item, wrong, refusal
):
    _, given, (said,) = asked(
        lambda seat: seat.review(DESK, what, item), wrong, APPROVED
    )
    assert given == APPROVED and refusal in said


def test_a_person_decides_about_a_flag_in_words_or_leaves_it_open(asked):
    question, answer, refused = asked(
        lambda seat: seat.decide(DESK, FLAG), 3, " Video is fine. "
    )
    assert (answer, question.phase, question.view.item) == (
        "Video is fine.",
        "flag",
        FLAG,
    )
    assert "answer: 3 given" in refused[0]
    assert asked(lambda seat: seat.decide(DESK, FLAG), "")[1] == ""
