"""Where two policies, or two people, meet: what comes first, and who is left alone."""

from dataclasses import replace
from datetime import date

import pytest

from support.seminar.data import in_words
from support.seminar.records import Edit, Hook, Mail

SEP, OCT, NOV, DEC = (date(2027, 9, 15), date(2027, 10, 13), date(2027, 11, 10), date(2027, 12, 8))
MON, TUE, WED, THU, FRI = (date(2027, 8, day) for day in range(16, 21))
LATE = date(2027, 9, 10)
ANA, BO, CY, DI = "Ana Ray", "Bo Lund", "Cy Moor", "Di Ray"
NO = {"mails": (MON,), "answered": (MON,), "declined": True}
ASKED = {"mails": (MON,)}


def said(*available, vague=(), mails=(MON,), answered=(MON,), **more):
    return {"mails": mails, "answered": answered, "available": available, "vague": tuple(vague), **more}


def reply(name, body, day=2, number=5):
    return Mail(number, day, "reply", name, "organiser", "", body)


def test_nobody_is_asked_to_confirm_while_a_mail_to_them_is_fresh(make_desk, policies, done):
    fresh = said(vague=[SEP], mails=(MON, date(2027, 9, 9)))
    assert not done(make_desk(policies("begin", "vague"), LATE, known={ANA: fresh, BO: NO, CY: NO, DI: NO}))


def test_an_urgent_date_that_was_given_back_goes_to_one_person(make_desk, policies, done):
    people = {BO: "phd student", ANA: "professor", CY: "postdoc", DI: "postdoc"}
    known = {BO: said(SEP), ANA: said(SEP), CY: said(cancelled=(SEP,)), DI: {"mails": (date(2027, 9, 8),)}}
    rules = policies("begin", "faculty_first", "cancelled", "urgent")
    desk = make_desk(rules, date(2027, 9, 9), known=known, people=people, deadline=date(2027, 10, 1))
    assert [name for name, (kind, *_) in done(desk).items() if kind == "confirmation"] == [BO]


def test_a_date_that_was_given_back_does_not_go_to_somebody_who_is_asked_for_further_ones_first(
    make_desk, policies, done
):
    known = {ANA: said(cancelled=(SEP,)), BO: said(SEP), CY: ASKED, DI: ASKED}
    acted = done(make_desk(policies("begin", "ask_more", "cancelled"), TUE, known=known))
    assert acted == {BO: ("clarification", None, "ask_more")}


@pytest.mark.parametrize(("body", "writes"), [("None of the dates is possible.", False), ("I'll look.", True)])
def test_who_answered_without_a_date_is_asked_again_unless_they_can_do_none(make_desk, policies, done, body, writes):
    desk = make_desk(policies("begin"), WED, known={ANA: said(), BO: NO, CY: NO, DI: NO}, mails=(reply(ANA, body),))
    assert done(desk) == ({ANA: ("follow_up", None, "")} if writes else {})


def test_an_answer_that_could_not_be_told_on_its_day_is_told_later_and_once(make_desk, policies, done):
    hook = Hook(f"{ANA}: video", "Video?", "Yes,\nonce.", 2, ANA)
    rest = {BO: ASKED, CY: ASKED, DI: ASKED}
    mail = Mail(7, 2, "clarification", "organiser", ANA, "", "Yes, once.")
    removed = Edit("action", ANA, f"clarification to {ANA}: Yes, once.", "")
    for more, told in (
        ({}, True),
        ({"mails": (mail,)}, False),
        ({"edits": (removed,)}, False),
        ({"edits": (replace(removed, about=BO),)}, True),
        ({"known": {ANA: said(wait_until=FRI)}}, False),
        ({"hooks": (replace(hook, day=0),)}, False),
        ({"hooks": (replace(hook, answer=""),)}, False),
    ):
        given = {"hooks": (hook,), **more, "known": {ANA: ASKED, **rest, **more.get("known", {})}}
        acted = done(make_desk(policies("begin"), WED, **given))
        assert (acted.get(ANA) == ("clarification", None, "")) == told


def test_a_date_that_was_given_back_is_offered_to_those_whose_dates_are_taken(make_desk, policies, done):
    known = {ANA: said(cancelled=(OCT,)), BO: said(SEP), CY: said(SEP), DI: NO}
    invited = Mail(1, 1, "invitation", "organiser", BO, "", "")
    held = {"given": {SEP: (CY,), NOV: ("x",), DEC: ("y",)}, "known": known}
    acted = done(make_desk(policies("begin"), TUE, mails=(invited, reply(ANA, "I have to cancel.")), **held))
    assert acted[BO] == ("clarification", None, "")
    assert BO not in done(make_desk(policies("begin"), TUE, mails=(invited,), **held))


@pytest.mark.parametrize(("writer", "told"), [(ANA, [ANA]), (CY, [])])
def test_of_two_whom_a_question_names_the_one_who_wrote_is_told(make_desk, policies, done, writer, told):
    hook = Hook("", f"May {ANA} bring {BO}?", "Yes.")
    known = {ANA: said(SEP), BO: ASKED, CY: said(OCT), DI: ASKED}
    acted = done(make_desk(policies("begin"), TUE, known=known, answers=(hook,), mails=(reply(writer, "Hm."),)))
    assert list(acted) == told


def test_a_question_about_a_date_counts_by_its_words_too_and_for_that_date_alone(make_desk, policies, done):
    asked = Mail(1, 2, "clarification", "organiser", ANA, "", f"Can you confirm {in_words(SEP)} or {in_words(OCT)}?")
    known = {ANA: said(vague=[SEP], mails=(MON, TUE), answered=(MON, TUE)), BO: NO, CY: NO, DI: NO}
    acted = done(make_desk(policies("begin", "vague"), WED, known=known, mails=(asked,)))
    assert acted == {ANA: ("clarification", "2027-09-15", "vague")}
