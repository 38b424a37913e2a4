"""Policies followed to the letter: which apply in a state, and which a day's actions break."""

from dataclasses import replace
from datetime import date, timedelta

import pytest

from support.seminar import rules
from support.seminar.audit import applies, named_in, violations
from support.seminar.ledger import Contact, State, rivals
from support.seminar.records import Action, Mail
from support.seminar.rules import Policy, PolicySet, load_policies, read_policy

ALL = load_policies("all")


MON, TUE, WED, THU, FRI, SAT = (date(2027, 8, k) for k in range(16, 22))


ONE, TWO = date(2027, 9, 15), date(2027, 10, 13)


def morning(*contacts, today=THU, slots=None, seats=1):
    return State(today, slots or {ONE: (), TWO: ()}, {c.name: c for c in contacts}, seats)


def person(name="Ana", role="professor", **known):
    return Contact(name, role, **known)


def test_rivals_want_one_open_date():
    ana, bo = person(available=(ONE,)), person("Bo", "phd student", vague=(ONE,), available=(TWO,))
    assert rivals(morning(ana, bo), "professor", "phd student") == [(ONE, "Ana", "Bo")]
    assert rivals(morning(ana, bo, slots={ONE: ("Cy",), TWO: ()}), "professor", "phd student") == []


CASES = {
    "begin": (morning(person(), person("Bo")), morning(person(mails=(MON,)))),
    "follow_up": (morning(person(mails=(MON,))), morning(person(mails=(MON,), answered=(TUE,)))),
    "give_up": (morning(person(mails=(MON, TUE, WED))), morning(person(mails=(MON, TUE)))),
    "ask_more": (
        morning(person(mails=(MON,), answered=(TUE,), available=(ONE,))),
        morning(person(mails=(MON, WED), answered=(TUE,), available=(ONE,))),
    ),
    "vague": (
        morning(person(mails=(MON,), answered=(TUE,), vague=(ONE,))),
        morning(person(mails=(MON,), answered=(TUE,), vague=(ONE,)), slots={ONE: ("Ana",)}),
    ),
    "faculty_first": (
        morning(person(available=(ONE,)), person("Bo", "phd student", available=(ONE,))),
        morning(person(available=(ONE,)), person("Bo", "postdoc", available=(TWO,))),
    ),
    "weekend": (morning(person(), today=SAT), morning(person())),
    "declined": (morning(person(declined=True)), morning(person(declined=True, thanked=True))),
    "confirm": (
        morning(person(), slots={ONE: ("Ana",)}),
        morning(person(confirmed=(ONE,)), slots={ONE: ("Ana",)}),
    ),
    "cancelled": (
        morning(person(cancelled=(ONE,)), person("Bo", available=(ONE,))),
        morning(person(cancelled=(ONE,)), person("Bo", available=(TWO,))),
    ),
    "one_each": (
        morning(person(available=(ONE, TWO)), person("Bo", available=(TWO,)), slots={ONE: ("Ana",), TWO: ()}),
        morning(person(available=(ONE,)), person("Bo", available=(TWO,)), slots={ONE: ("Ana",), TWO: ()}),
    ),
    "urgent": (
        morning(person(available=(ONE,)), today=date(2027, 9, 8)),
        morning(person(available=(ONE,)), today=date(2027, 9, 7)),
    ),
}


@pytest.mark.parametrize("policy", sorted(CASES))
def test_a_policy_applies_where_it_tells_something_and_not_elsewhere(policy):
    yes, no = CASES[policy]
    assert policy in applies(yes, ALL) and policy not in applies(no, ALL)


def test_who_was_given_up_is_not_to_be_followed_up():
    known = morning(person(mails=(MON, TUE, WED)))
    assert "follow_up" not in applies(known, ALL) and "follow_up" in applies(known, ALL.drop("give_up"))


MONDAY = date(2027, 8, 16)
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
