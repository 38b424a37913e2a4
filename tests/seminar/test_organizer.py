"""The rule-based organiser: what it reads, reports, plans, writes, learns and says of the day."""

import asyncio
from datetime import date

import numpy as np
import pytest

from support.seminar.data import in_words
from support.seminar.organizer import RuleBasedOrganizer
from support.seminar.records import Action, Edit, Hook, Mail
from support.seminar.views import DayPlan

SEP, OCT, NOV, DEC = (date(2027, 9, 15), date(2027, 10, 13), date(2027, 11, 10), date(2027, 12, 8))
MON, TUE = date(2027, 8, 16), date(2027, 8, 17)
OFFER = Mail(1, 1, "invitation", "organiser", "Ana Ray", "", "", ("2027-09-15", "2027-10-13"))


def ask(method, *given):
    return asyncio.run(getattr(RuleBasedOrganizer(), method)(*given))


def read(desk, body):
    return ask("read", desk, Mail(9, 2, "reply", "Ana Ray", "organiser", "Re:", body))


def test_only_dates_that_stood_in_a_mail_to_them_count_as_offered(make_desk):
    said = read(make_desk(today=TUE, mails=(OFFER,)), "15 September and 10 November are fine.")
    assert (said.available, said.never_offered) == (("2027-09-15",), ("2027-11-10",))
    assert (said.mail, said.person, said.note) == (9, "Ana Ray", "15 September and 10 November are fine.")


@pytest.mark.parametrize(
    ("body", "available", "unavailable"),
    [
        ("Yes, that is certain.", ("2027-09-15",), ()),
        ("No, I am sorry.", (), ("2027-09-15",)),
        ("Perhaps, yes.", (), ()),
    ],
)
def test_yes_or_no_to_a_question_about_one_date_is_about_that_date(make_desk, body, available, unavailable):
    asked = Mail(2, 2, "clarification", "organiser", "Ana Ray", "", f"Is {in_words(SEP)} certain?")
    said = read(make_desk(today=TUE, mails=(OFFER, asked)), body)
    assert (said.available, said.unavailable) == (available, unavailable)


@pytest.mark.parametrize(
    ("body", "back"),
    [
        ("I have to cancel.", ("2027-09-15",)),
        ("I must cancel. 13 October would be fine instead.", ("2027-09-15",)),
        ("15 September is fine.", ()),
    ],
)
def test_a_cancellation_gives_back_the_date_that_they_have(make_desk, body, back):
    said = read(make_desk(today=TUE, given={SEP: ("Ana Ray",)}, mails=(OFFER,)), body)
    assert said.cancelled == back and not set(back) & {*said.available, *said.vague}
    assert read(make_desk(today=TUE, mails=(OFFER,)), body).cancelled == ()


def test_an_answer_that_reaches_nobody_is_reported(make_desk):
    assert "goes to nobody: Yes." in ask("progress", make_desk(answers=(Hook("x", "May one?", "Yes."),)))


def test_the_plan_names_everybody_and_the_actions_follow_what_is_left_of_it(make_desk, policies, work):
    people = {"Ana Ray": "postdoc", "Bo Lund": "postdoc", "Ana Ray Lee": "postdoc"}
    desk = make_desk(policies("begin"), people=people)
    plan, actions = work(desk)
    assert plan.text == "Invite Ana Ray, Bo Lund, Ana Ray Lee." and "'begin' asks for 3 invitations" in plan.reason
    assert len(actions) == 3 and len(plan.reason.split()) <= 40
    edited = DayPlan("Invite Bo Lund and Ana Ray Lee only.", "")  # a name inside another is not taken for it
    assert [a.person for a in ask("act", desk, edited, ())] == ["Bo Lund", "Ana Ray Lee"]


def test_a_confirmation_names_its_date_and_passes_on_what_was_decided(make_desk):
    desk = make_desk(answers=(Hook("", "May Ana Ray speak by video?", "Video is fine."),))
    draft = ask("draft", desk, Action("confirmation", "Ana Ray", slot="2027-09-15"))
    assert in_words(SEP) in draft.subject and in_words(SEP) in draft.body and "Video is fine." in draft.body


def edit(about, before, after):
    text = "Subject\n\n{}\n\nA word.\n\n{}\nNoor Halvard"
    return Edit("mail", about, text.format(*before), text.format(*after))


def test_a_replaced_greeting_is_used_for_people_of_the_same_role_and_the_latest_closing_for_everybody(make_desk):
    edits = (
        edit("Bo Lund", ("Dear Bo Lund,", "With best wishes,"), ("Hi Bo!", "Yours,")),
        edit("Bo Lund", ("Dear Bo Lund,", "With best wishes,"), ("Dear Bo Lund,", "Warmly,")),
    )
    ana, di = (
        ask("draft", make_desk(edits=edits), Action("thanks", n)).body.split("\n") for n in ("Ana Ray", "Di Ray")
    )
    assert di[0] == "Hi Di!" and ana[0] == "Dear Professor Ana Ray,"
    assert di[-2:] == ana[-2:] == ["Warmly,", "Noor Halvard"]


def test_ties_are_broken_by_the_order_of_the_list_or_by_a_draw_that_its_seed_repeats(make_desk, work, policies):
    firm = {"mails": (MON,), "answered": (MON,), "available": (SEP,)}
    desk = make_desk(
        policies("begin"), TUE, known=dict.fromkeys(("Bo Lund", "Di Ray", "Cy Moor", "Ana Ray"), firm), slots=(SEP,)
    )

    def winner(rng=None):
        return next(a.person for a in work(desk, RuleBasedOrganizer(rng))[1] if a.kind == "confirmation")

    drawn = [winner(np.random.default_rng(seed)) for seed in range(20)]
    assert winner() == "Ana Ray" and len(set(drawn)) == 4
    assert drawn == [winner(np.random.default_rng(seed)) for seed in range(20)]
