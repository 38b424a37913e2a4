"""Policies followed to the letter: which apply in a state, and which a day's actions break."""

from datetime import date, timedelta

import pytest

from support.seminar.audit import applies, violations
from support.seminar.ledger import Contact, State, evening
from support.seminar.records import Action, Mail
from support.seminar.rules import Policy, PolicySet, load_policies

ALL = load_policies("all")
MON, TUE, WED, THU, SAT = (date(2027, 8, k) for k in (16, 17, 18, 19, 21))
ONE, TWO = date(2027, 9, 15), date(2027, 10, 13)
NEAR = ONE - timedelta(days=7)
ROLES = {"Ana": "professor", "Bo": "phd student"}
ASKED = {"mails": (MON,)}
SILENT = {"mails": (MON, TUE, WED)}
FEW = {"mails": (MON,), "answered": (TUE,), "available": (ONE,)}
MORE = {"mails": (MON, WED), "answered": (TUE, WED), "available": (ONE, TWO)}
PERHAPS = {"mails": (MON, WED), "answered": (TUE, WED), "vague": (ONE,)}
GONE = {**ASKED, "answered": (TUE,), "declined": True}


def state(today=THU, seats=1, slots=(), **known):
    """A day, who has a date, and what is known of people; of Cy that a mail was answered."""
    contacts = {
        name: Contact(name, ROLES.get(name, "postdoc"), **said)
        for name, said in known.items()
    }
    return State(today, {ONE: (), TWO: (), **dict(slots)}, contacts, seats)


@pytest.mark.parametrize(
    ("policy", "yes", "no"),
    [
        ("begin", state(Ana={}, Bo={}), state(Ana=ASKED)),
        ("follow_up", state(Ana=ASKED), state(Ana=FEW)),
        (
            "follow_up",
            state(Ana=ASKED),
            state(Ana=SILENT),
        ),  # who was given up is not to be followed up
        ("give_up", state(Ana=SILENT), state(Ana=ASKED)),
        ("ask_more", state(Ana=FEW), state(Ana={**MORE, "available": (ONE,)})),
        ("vague", state(Ana=PERHAPS), state(Ana=PERHAPS, slots={ONE: ("Ana",)})),
        ("faculty_first", state(Ana=FEW, Bo=PERHAPS), state(Ana=FEW, Cy=FEW)),
        (
            "faculty_first",
            state(Ana=FEW, Bo=FEW),
            state(Ana=FEW, Bo=FEW, Cy={}, slots={ONE: ("Cy",)}),
        ),
        ("weekend", state(SAT), state()),
        ("declined", state(Ana=GONE), state(Ana={**GONE, "thanked": True})),
        (
            "confirm",
            state(Ana={}, slots={ONE: ("Ana",)}),
            state(Ana={"confirmed": (ONE,)}, slots={ONE: ("Ana",)}),
        ),
        (
            "cancelled",
            state(Ana={"cancelled": (ONE,)}, Bo=FEW),
            state(Ana={"cancelled": (TWO,)}, Bo=FEW),
        ),
        (
            "one_each",
            state(Ana=MORE, Bo=FEW, slots={TWO: ("Ana",)}),
            state(Ana=FEW, Bo=MORE, slots={ONE: ("Ana",)}),
        ),
        ("urgent", state(NEAR, Ana=FEW), state(NEAR - timedelta(days=1), Ana=FEW)),
    ],
)
def test_a_policy_applies_where_it_tells_something_and_not_elsewhere(policy, yes, no):
    assert policy in applies(yes, ALL) and policy not in applies(no, ALL)


def broken(of, before, actions, mails=(), after=None):
    """The ids of the policies that are broken, of those asked for."""
    policies = PolicySet(tuple(ALL[name] for name in of.split()))
    found = violations(
        before, actions, policies, after or evening(before, actions), mails
    )
    return [line.split(":")[0] for line in found]


def give(name, slot=ONE):
    return Action("confirmation", name, slot=slot.isoformat())


def ask(kind="follow_up", name="Ana"):
    return Action(kind, name)


def mail(to, kind="clarification", body="", slots=()):
    return Mail(
        1, 1, kind, "organiser", to, "s", body, tuple(s.isoformat() for s in slots)
    )


BOTH = state(Ana=MORE, Bo=MORE)


@pytest.mark.parametrize(
    ("policy", "before", "actions", "found"),
    [
        ("weekend", state(SAT, Ana=FEW), [ask()], True),
        ("weekend", state(SAT, Ana=FEW), [ask("wait")], False),
        ("follow_up", state(Ana={"mails": (WED,)}), [ask()], True),
        ("follow_up", state(Ana={"mails": (TUE,)}), [ask()], False),
        (
            "follow_up",
            state(Ana={"mails": (date(2027, 8, 20),)}, today=date(2027, 8, 23)),
            [ask()],
            True,
        ),  # a weekend
        (
            "follow_up",
            state(Ana={**MORE, "answered": (TUE,)}),
            [give("Ana")],
            False,
        ),  # needs no answer
        (
            "follow_up",
            state(Ana={**MORE, "answered": (TUE,)}, slots={ONE: ("Ana",)}),
            [ask("clarification")],
            False,
        ),
        ("give_up", state(Ana=SILENT), [ask()], True),
        ("give_up", state(Ana={**SILENT, "answered": (MON,)}), [ask()], False),
        ("declined", state(Ana=GONE), [ask("thanks")], False),
        ("declined", state(Ana={**GONE, "thanked": True}), [ask("thanks")], True),
        ("declined", state(Ana=GONE), [ask("clarification")], True),
        ("faculty_first", BOTH, [give("Bo")], True),
        ("faculty_first", BOTH, [give("Bo"), give("Ana", TWO)], False),
        ("faculty_first", state(Ana=MORE, Bo=MORE, seats=2), [give("Bo")], False),
        (
            "faculty_first",
            state(Ana=MORE, Bo=MORE, slots={TWO: ("Ana",)}),
            [give("Bo")],
            False,
        ),
        ("faculty_first urgent", state(NEAR, Ana=MORE, Bo=MORE), [give("Bo")], False),
        ("urgent", state(NEAR, Ana=MORE, Bo=MORE), [], True),
        ("urgent", state(NEAR - timedelta(days=1), Ana=MORE), [], False),
        (
            "urgent",
            state(ONE, Ana=MORE),
            [],
            False,
        ),  # on the day itself nobody can be given it any more
        (
            "one_each",
            state(Ana=MORE, Bo=MORE, slots={TWO: ("Ana",)}),
            [give("Ana")],
            True,
        ),
        ("one_each", state(Ana=MORE, slots={TWO: ("Ana",)}), [give("Ana")], False),
        (
            "cancelled",
            state(Ana=MORE, Bo=MORE, Cy={"cancelled": (ONE,)}, slots={TWO: ("Ana",)}),
            [give("Ana")],
            True,
        ),
        (
            "cancelled",
            state(Ana=MORE, Bo=MORE, Cy={"cancelled": (ONE,)}, slots={TWO: ("Ana",)}),
            [give("Bo")],
            False,
        ),
        ("ask_more", state(Ana=FEW), [give("Ana")], True),
        (
            "ask_more",
            state(Ana={**FEW, "available": (ONE, TWO)}),
            [give("Ana")],
            False,
        ),  # there is no other date
        ("vague", state(Ana=PERHAPS), [give("Ana")], True),
        ("confirm", BOTH, [give("Ana")], False),
    ],
)
def test_a_days_actions_break_a_policy_or_not(policy, before, actions, found):
    assert broken(policy, before, actions) == ([policy] if found else [])


def test_a_date_that_was_given_is_confirmed():
    assert broken(
        "confirm", BOTH, [], after=state(Ana=MORE, slots={ONE: ("Ana",)})
    ) == ["confirm"]


@pytest.mark.parametrize(
    ("question", "found"),
    [
        (mail("Ana", slots=(ONE,)), False),
        (mail("Ana", body="15 September?"), False),
        (mail("Bo", slots=(ONE,)), True),
        (mail("Ana", slots=(TWO,)), True),
    ],
)
def test_a_vague_date_is_given_only_after_a_question_about_it(question, found):
    assert broken("vague", state(Ana=PERHAPS), [give("Ana")], [question]) == (
        ["vague"] if found else []
    )


def test_at_the_beginning_everybody_is_asked_about_all_dates():
    fresh, asks = (
        state(Ana={}, Bo={}),
        [ask("invitation", name) for name in ("Ana", "Bo")],
    )
    full = [
        mail(name, "invitation", "15 September and 13 October")
        for name in ("Ana", "Bo")
    ]
    assert (
        broken("begin", fresh, asks, full)
        == []
        == broken("begin weekend", state(SAT, Ana={}, Bo={}), [])
    )
    assert violations(
        fresh, asks[:1], ALL, fresh, [mail("Ana", "invitation", "only 15 September")]
    ) == (
        "begin: Bo was not asked at the beginning",
        "begin: Ana was not asked about Wednesday, 13 October 2027",
    )


def test_students_come_first_where_a_policy_says_so():
    policies, action = (
        PolicySet((Policy("young", "Students come before professors."),)),
        give("Ana"),
    )
    (line,) = violations(BOTH, [action], policies, evening(BOTH, [action]), [])
    assert (
        line
        == "young: Ana got Wednesday, 15 September 2027, which Bo had named too, a phd student without a date"
    )
    assert (
        violations(BOTH, [give("Bo")], policies, evening(BOTH, [give("Bo")]), []) == ()
    )
