"""The audit: every rule has a day that breaks it, and the same day without the breach."""

from dataclasses import replace
from datetime import date, timedelta

import pytest

from support.seminar import rules
from support.seminar.audit import BROKEN, named_in, violations
from support.seminar.ledger import Contact, State
from support.seminar.records import Action, Mail
from support.seminar.rules import Policy, PolicySet, load_policies, read_policy

MONDAY = date(2027, 8, 16)
ONE, TWO = date(2027, 9, 15), date(2027, 10, 13)
ALL = load_policies("all")
CALM = Contact("Cy", "postdoc", mails=(MONDAY - timedelta(days=9),), answered=(MONDAY - timedelta(days=6),))


def people(**known):
    contacts = {name: Contact(name, role) for name, role in (("Ana", "professor"), ("Bo", "phd student"))}
    contacts["Cy"] = CALM
    return {name: replace(contact, **known.get(name, {})) for name, contact in contacts.items()}


def state(today=MONDAY, holds=None, seats=1, **known):
    return State(today, {ONE: (), TWO: (), **(holds or {})}, people(**known), seats)


def broken(before, *actions, of=None, **more):
    """The ids of the policies that are broken, of those asked for."""
    policies = ALL if of is None else PolicySet(tuple(ALL[name] for name in of))
    return [line.split(":")[0] for line in violations(before, actions, policies, **more)]


def give(name, slot=ONE):
    return Action("confirmation", name, slot=slot.isoformat())


def mail(kind, to, day=1, body="", slots=(), sender="organiser"):
    return Mail(day, day, kind, sender, to, "s", body, tuple(s.isoformat() for s in slots))


ASKED = {"mails": (MONDAY - timedelta(days=7),)}
FIRM = {**ASKED, "answered": (MONDAY - timedelta(days=3),), "available": (ONE, TWO)}
MORE = {
    **FIRM,
    "mails": (MONDAY - timedelta(days=7), MONDAY - timedelta(days=5)),
    "answered": (MONDAY - timedelta(days=6),),
}


def test_every_rule_is_audited():
    assert set(BROKEN) == {rules.read_policy(p.text).kind for p in ALL} | {rules.STUDENTS_FIRST}


def test_a_quiet_day_breaks_nothing():
    assert broken(state(Ana=FIRM, Bo=FIRM)) == []
    assert broken(state(Ana=FIRM, Bo=FIRM), Action("wait", "Ana"), Action("wait", "Bo")) == []


def test_nothing_is_sent_on_a_weekend():
    sunday = MONDAY - timedelta(days=1)
    assert broken(state(sunday, Ana=FIRM), Action("clarification", "Ana"), of=["weekend"]) == ["weekend"]
    assert broken(state(Ana=FIRM), Action("clarification", "Ana"), of=["weekend"]) == []
    assert broken(state(sunday, Ana=FIRM), Action("wait", "Ana"), of=["weekend"]) == []


@pytest.mark.parametrize(("days", "found"), [(1, ["follow_up"]), (2, []), (3, [])])
def test_a_mail_is_left_alone_for_two_working_days(days, found):
    wednesday = MONDAY + timedelta(days=2)
    before = state(wednesday, Ana={"mails": (wednesday - timedelta(days={1: 1, 2: 2, 3: 5}[days]),)})
    assert broken(before, Action("follow_up", "Ana"), of=["follow_up"]) == found


def test_a_weekend_does_not_count_as_waiting_and_a_confirmation_may_come_at_once():
    before = state(Ana={**FIRM, "answered": (), "mails": (MONDAY - timedelta(days=3),)})
    assert broken(before, Action("follow_up", "Ana"), of=["follow_up"]) == ["follow_up"]
    assert broken(before, give("Ana"), of=["follow_up"]) == []
    told = state(Ana={**FIRM, "mails": (MONDAY - timedelta(days=1),), "confirmed": (ONE,)}, holds={ONE: ("Ana",)})
    assert broken(told, Action("clarification", "Ana"), of=["follow_up"]) == []


def test_who_never_answered_three_mails_is_not_written_to():
    silent = {"mails": tuple(MONDAY - timedelta(days=k) for k in (20, 15, 10))}
    assert broken(state(Ana=silent), Action("follow_up", "Ana")) == ["give_up"]
    assert broken(state(Ana={**silent, "answered": (MONDAY - timedelta(days=18),)}), Action("follow_up", "Ana")) == []
    assert broken(state(Ana=silent), Action("wait", "Ana")) == []


def test_who_declined_is_thanked_once_and_no_more():
    gone = {**FIRM, "available": (), "declined": True}
    assert broken(state(Ana=gone), Action("thanks", "Ana")) == []
    assert broken(state(Ana={**gone, "thanked": True}), Action("thanks", "Ana")) == ["declined"]
    assert broken(state(Ana=gone), Action("clarification", "Ana")) == ["declined"]


def test_a_professor_without_a_date_comes_before_a_student():
    before = state(Ana=MORE, Bo=MORE)
    assert broken(before, give("Bo"), of=["faculty_first"]) == ["faculty_first"]
    assert broken(before, give("Bo"), give("Ana", TWO), of=["faculty_first"]) == []
    assert broken(before, give("Ana"), of=["faculty_first"]) == []
    assert broken(state(Ana=MORE, Bo=MORE, seats=2), give("Bo"), of=["faculty_first"]) == []
    assert broken(state(Ana=MORE, Bo=MORE, holds={TWO: ("Ana",)}), give("Bo"), of=["faculty_first"]) == []


def test_a_date_that_is_near_goes_to_anybody_and_does_not_stay_free():
    near = ONE - timedelta(days=7)
    before = state(near, Ana=MORE, Bo=MORE)
    assert broken(before, give("Bo"), of=["faculty_first", "urgent"]) == []
    assert broken(before, of=["urgent"]) == ["urgent"]
    assert broken(state(near - timedelta(days=1), Ana=MORE), of=["urgent"]) == []
    assert broken(before, give("Bo"), give("Ana", TWO), of=["urgent"]) == []
    assert broken(state(ONE - timedelta(days=1), Ana=MORE), of=["urgent"]) == ["urgent"]
    assert broken(state(ONE, Ana=MORE), of=["urgent"]) == []  # on the day itself nobody can be given it any more


def test_students_come_first_where_a_policy_says_so():
    policies = PolicySet((Policy("young", "A student comes before a professor."),))
    before = state(Ana=MORE, Bo=MORE)
    assert read_policy(policies["young"].text).kind == rules.STUDENTS_FIRST
    assert violations(before, [give("Bo")], policies) == ()
    (line,) = violations(before, [give("Ana")], policies)
    assert line == "young: Ana got Wednesday, 15 September 2027, which Bo had named too, a phd student without a date"


def test_nobody_gets_a_second_date_while_somebody_who_could_take_it_has_none():
    before = state(Ana=MORE, Bo=MORE, holds={TWO: ("Ana",)})
    assert broken(before, give("Ana"), of=["one_each"]) == ["one_each"]
    assert broken(state(Ana=MORE, holds={TWO: ("Ana",)}), give("Ana"), of=["one_each"]) == []
    back = state(Ana=MORE, Bo=MORE, Cy={"cancelled": (ONE,)}, holds={TWO: ("Ana",)})
    assert broken(back, give("Ana"), of=["cancelled"]) == ["cancelled"]
    assert broken(back, give("Bo"), of=["cancelled"]) == []


def test_few_dates_are_not_given_away_before_others_were_asked_for():
    few = {**FIRM, "available": (ONE,)}
    assert broken(state(Ana=few), give("Ana")) == ["ask_more"]
    assert broken(state(Ana={**MORE, "available": (ONE,)}), give("Ana")) == []
    assert broken(state(Ana=FIRM), give("Ana")) == []  # both dates of the programme: there is no other one


def test_a_vague_date_is_given_only_after_a_question_about_it():
    before = state(Ana={**MORE, "available": (), "vague": (ONE,)})
    about = mail("clarification", "Ana", slots=(ONE,))
    assert broken(before, give("Ana"), of=["vague"]) == ["vague"]
    assert broken(before, give("Ana"), of=["vague"], mails=[about]) == []
    assert broken(before, give("Ana"), of=["vague"], mails=[replace(about, to="Bo")]) == ["vague"]
    assert broken(before, give("Ana"), of=["vague"], mails=[mail("clarification", "Ana", slots=(TWO,))]) == ["vague"]
    assert broken(before, give("Ana"), of=["vague"], mails=[mail("clarification", "Ana", body="15 September?")]) == []


def test_a_date_that_was_given_is_confirmed():
    before = state(Ana=MORE)
    silently = state(Ana=MORE, holds={ONE: ("Ana",)})
    assert broken(before, of=["confirm"], after=silently) == ["confirm"]
    assert broken(before, give("Ana"), of=["confirm"]) == []


def test_at_the_beginning_everybody_is_asked_about_all_dates():
    fresh = State(MONDAY, {ONE: (), TWO: ()}, {n: Contact(n, "professor") for n in ("Ana", "Bo")})
    asks = [Action("invitation", "Ana"), Action("invitation", "Bo")]
    full, half = "15 September and 13 October", "only 15 September"
    assert broken(fresh, *asks, mails=[mail("invitation", n, body=full) for n in ("Ana", "Bo")]) == []
    assert violations(fresh, asks[:1], ALL, mails=[mail("invitation", "Ana", body=half)]) == (
        "begin: Bo was not asked at the beginning",
        "begin: Ana was not asked about Wednesday, 13 October 2027",
    )
    assert broken(replace(fresh, today=MONDAY - timedelta(days=1)), of=["begin", "weekend"]) == []


def test_policies_that_are_no_rules_are_not_audited():
    assert violations(state(), [give("Ana")], PolicySet((Policy("kind", "Be kind."),))) == ()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Wednesday, 15 September 2027", {(9, 15)}),
        ("Sept. 3rd, 4th and the 5th", {(9, 3), (9, 4), (9, 5)}),
        ("the 3rd, or 4th of May; 2027-12-08", {(5, 3), (5, 4), (12, 8)}),
        ("we may come at 16:00", set()),
    ],
)
def test_dates_are_found_however_they_are_written(text, found):
    assert named_in(text) == found
