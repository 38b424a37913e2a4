"""What is known on a day, and which policies apply then, read literally."""

from datetime import date

import pytest

from support.seminar.audit import applies
from support.seminar.ledger import Contact, State, rivals, silent
from support.seminar.rules import PolicySet, load_policies

ALL = load_policies("all")
MON, TUE, WED, THU, FRI, SAT = (date(2027, 8, k) for k in range(16, 22))
ONE, TWO = date(2027, 9, 15), date(2027, 10, 13)


def state(*contacts, today=THU, slots=None, seats=1):
    return State(today, slots or {ONE: (), TWO: ()}, {c.name: c for c in contacts}, seats)


def person(name="Ana", role="professor", **known):
    return Contact(name, role, **known)


def test_unanswered_mails_are_those_since_the_last_reply_and_a_reply_of_the_day_answers_its_mail():
    assert person(mails=(MON, TUE)).unanswered == 2
    assert person(mails=(MON, TUE), answered=(MON,)).unanswered == 1
    assert person(mails=(MON,), answered=(MON,)).unanswered == 0


def test_silence_is_counted_in_working_days_from_the_last_mail():
    known = state(person(mails=(MON, FRI)), today=date(2027, 8, 23))
    assert known.days_silent("Ana") == 1
    assert state(person(mails=(MON,), answered=(TUE,))).days_silent("Ana") is None
    assert state(person()).days_silent("Ana") is None


def test_open_dates_have_a_free_seat_and_those_who_wait_have_none():
    known = state(person(), person("Bo", declined=True), person("Cleo"), slots={ONE: ("Cleo",), TWO: ()}, seats=2)
    assert known.open == (ONE, TWO) and known.dates_of("Cleo") == (ONE,)
    assert [c.name for c in known.waiting()] == ["Ana"]


def test_silent_are_only_those_who_never_answered():
    assert silent(person(mails=(MON, TUE, WED)), 3) and not silent(person(mails=(MON, TUE)), 3)
    assert not silent(person(mails=(MON, TUE, WED), answered=(MON,)), 3)


def test_rivals_want_one_open_date():
    ana, bo = person(available=(ONE,)), person("Bo", "phd student", vague=(ONE,), available=(TWO,))
    assert rivals(state(ana, bo), "professor", "phd student") == [(ONE, "Ana", "Bo")]
    assert rivals(state(ana, bo, slots={ONE: ("Cy",), TWO: ()}), "professor", "phd student") == []


CASES = {
    "begin": (state(person(), person("Bo")), state(person(mails=(MON,)))),
    "follow_up": (state(person(mails=(MON,))), state(person(mails=(MON,), answered=(TUE,)))),
    "give_up": (state(person(mails=(MON, TUE, WED))), state(person(mails=(MON, TUE)))),
    "ask_more": (
        state(person(mails=(MON,), answered=(TUE,), available=(ONE,))),
        state(person(mails=(MON, WED), answered=(TUE,), available=(ONE,))),
    ),
    "vague": (
        state(person(mails=(MON,), answered=(TUE,), vague=(ONE,))),
        state(person(mails=(MON,), answered=(TUE,), vague=(ONE,)), slots={ONE: ("Ana",)}),
    ),
    "faculty_first": (
        state(person(available=(ONE,)), person("Bo", "phd student", available=(ONE,))),
        state(person(available=(ONE,)), person("Bo", "postdoc", available=(TWO,))),
    ),
    "weekend": (state(person(), today=SAT), state(person())),
    "declined": (state(person(declined=True)), state(person(declined=True, thanked=True))),
    "confirm": (
        state(person(), slots={ONE: ("Ana",)}),
        state(person(confirmed=(ONE,)), slots={ONE: ("Ana",)}),
    ),
    "cancelled": (
        state(person(cancelled=(ONE,)), person("Bo", available=(ONE,))),
        state(person(cancelled=(ONE,)), person("Bo", available=(TWO,))),
    ),
    "one_each": (
        state(person(available=(ONE, TWO)), person("Bo", available=(TWO,)), slots={ONE: ("Ana",), TWO: ()}),
        state(person(available=(ONE,)), person("Bo", available=(TWO,)), slots={ONE: ("Ana",), TWO: ()}),
    ),
    "urgent": (
        state(person(available=(ONE,)), today=date(2027, 9, 8)),
        state(person(available=(ONE,)), today=date(2027, 9, 7)),
    ),
}


@pytest.mark.parametrize("policy", sorted(CASES))
def test_a_policy_applies_where_it_tells_something_and_not_elsewhere(policy):
    yes, no = CASES[policy]
    assert policy in applies(yes, ALL) and policy not in applies(no, ALL)


def test_every_policy_has_a_case():
    assert set(CASES) == {policy.id for policy in ALL}


def test_who_was_given_up_is_not_to_be_followed_up():
    known = state(person(mails=(MON, TUE, WED)))
    assert "follow_up" not in applies(known, ALL) and "follow_up" in applies(known, ALL.drop("give_up"))


def test_a_sentence_that_is_no_rule_never_applies():
    assert applies(state(person()), PolicySet().add("Be kind.")) == ()
