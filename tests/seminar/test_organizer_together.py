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


def test_further_dates_are_asked_for_even_if_every_seat_could_be_taken(make_desk, policies, done):
    known = {ANA: said(SEP), BO: said(OCT), CY: NO, DI: NO}
    acted = done(make_desk(policies("begin", "ask_more"), TUE, known=known, slots=(SEP, OCT)))
    assert acted == dict.fromkeys((ANA, BO), ("clarification", None, "ask_more"))


def test_nobody_is_asked_to_confirm_while_a_mail_to_them_is_fresh(make_desk, policies, done):
    fresh = said(vague=[SEP], mails=(MON, date(2027, 9, 9)))
    assert not done(make_desk(policies("begin", "vague"), LATE, known={ANA: fresh, BO: NO, CY: NO, DI: NO}))


def test_an_urgent_date_that_was_given_back_goes_to_one_person(make_desk, policies, done):
    people = {BO: "phd student", ANA: "professor", CY: "postdoc", DI: "postdoc"}
    known = {BO: said(SEP), ANA: said(SEP), CY: said(cancelled=(SEP,)), DI: {"mails": (date(2027, 9, 8),)}}
    rules = policies("begin", "faculty_first", "cancelled", "urgent")
    desk = make_desk(rules, date(2027, 9, 9), known=known, people=people, deadline=date(2027, 10, 1))
    assert [name for name, (kind, *_) in done(desk).items() if kind == "confirmation"] == [BO]


def test_no_second_date_while_somebody_without_one_may_take_it(make_desk, policies, done):
    known = {ANA: said(SEP, OCT), BO: said(vague=[OCT], mails=(MON, TUE), answered=(MON, TUE)), CY: NO, DI: NO}
    acted = done(make_desk(policies("begin", "vague", "one_each"), LATE, known=known, given={SEP: (ANA,)}))
    assert acted == {BO: ("clarification", "2027-10-13", "vague")}


def test_a_date_that_was_given_back_does_not_go_to_somebody_who_is_asked_for_further_ones_first(
    make_desk, policies, done
):
    known = {ANA: said(cancelled=(SEP,)), BO: said(SEP), CY: ASKED, DI: ASKED}
    acted = done(make_desk(policies("begin", "ask_more", "cancelled"), TUE, known=known))
    assert acted == {BO: ("clarification", None, "ask_more")}


def test_the_limit_of_mails_holds_for_follow_ups_to_those_who_answered_once_too(make_desk, policies, done):
    known = {ANA: said(SEP, OCT, NOV, mails=(MON, TUE, WED)), BO: {"mails": (THU,)}, CY: NO, DI: NO}
    assert not done(make_desk(policies("begin", "follow_up", "give_up"), FRI, known=known))
    assert done(make_desk(policies("begin", "follow_up"), FRI, known=known)) == {ANA: ("follow_up", None, "follow_up")}


@pytest.mark.parametrize(("body", "writes"), [("None of the dates is possible.", False), ("I'll look.", True)])
def test_who_answered_without_a_date_is_asked_again_unless_they_can_do_none(make_desk, policies, done, body, writes):
    desk = make_desk(policies("begin"), WED, known={ANA: said(), BO: NO, CY: NO, DI: NO}, mails=(reply(ANA, body),))
    assert done(desk) == ({ANA: ("follow_up", None, "")} if writes else {})


def test_the_policy_on_roles_is_named_only_where_roles_decided(make_desk, policies, done):
    known = {BO: said(SEP), CY: said(SEP), ANA: NO, DI: NO}
    acted = done(make_desk(policies("begin", "faculty_first"), TUE, known=known))
    assert acted == {BO: ("confirmation", "2027-09-15", ""), CY: ("clarification", None, "")}


def test_without_begin_those_who_come_first_are_invited_first(make_desk, policies, done):
    people = {BO: "phd student", ANA: "professor"}
    assert list(done(make_desk(policies("faculty_first"), people=people, slots=(SEP,)))) == [ANA]


def test_an_answer_waits_for_the_day_that_its_receiver_named(make_desk, policies, done):
    hook, known = Hook("", f"May {ANA} speak by video?", "Yes."), {BO: ASKED, CY: ASKED, DI: ASKED}
    for until, told in ((FRI, False), (TUE, True)):
        desk = make_desk(policies("begin"), TUE, known=known | {ANA: said(wait_until=until)}, answers=(hook,))
        assert (ANA in done(desk)) == told


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


def test_nobody_waits_for_an_answer_that_comes_after_the_deadline(make_desk, policies, done):
    for until, given in ((date(2027, 10, 1), True), (date(2027, 9, 1), False)):
        known = {ANA: said(wait_until=until), BO: said(SEP, OCT, NOV), CY: NO, DI: NO}
        assert (BO in done(make_desk(policies("begin"), TUE, known=known))) == given


def test_dates_wait_for_the_answer_to_a_fresh_question(make_desk, policies, done):
    known = {ANA: said(SEP, OCT, NOV), BO: said(OCT, NOV, DEC, mails=(MON, TUE)), CY: NO, DI: NO}
    assert not done(make_desk(policies("begin"), WED, known=known))
    assert set(done(make_desk(policies("begin"), THU, known=known))) == {ANA, BO}


def test_nobody_is_waited_for_when_every_seat_is_taken_without_them(make_desk, policies, done):
    four = dict.fromkeys((ANA, BO, CY, DI), "postdoc")
    known = {name: said(SEP, OCT, NOV, DEC) for name in four} | {"Ed Fox": ASKED}
    acted = done(make_desk(policies("begin"), TUE, known=known, people=four | {"Ed Fox": "postdoc"}))
    assert {name: kind for name, (kind, _, _) in acted.items()} == dict.fromkeys(four, "confirmation")
    known[DI] = ASKED
    assert not done(make_desk(policies("begin"), TUE, known=known, people=four | {"Ed Fox": "postdoc"}))


def test_nobody_gets_back_the_date_that_they_gave_back(make_desk, policies, done):
    known = {ANA: said(SEP, cancelled=(SEP,)), BO: NO, CY: NO, DI: NO}
    assert not done(make_desk(policies("begin", "cancelled"), LATE, known=known))


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
