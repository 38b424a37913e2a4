"""The rule-based organiser: what it does on a day under each policy, by hand."""

from datetime import date
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_seminar import (
    ANA,
    BO,
    CY,
    DEC,
    DI,
    FRI,
    MON,
    NOV,
    OCT,
    PEOPLE,
    SEED,
    SEP,
    SLOTS,
    THU,
    TUE,
    WED,
    desk,
    evening,
    known,
    organized,
    said,
)

from support.seminar.organizer import RuleBasedOrganizer, match
from support.seminar.policies import Judged, violations
from support.seminar.records import DayPlan

NEAR, LATE, LAST = (date(2027, 9, day) for day in (9, 10, 13))
ASKED = {"mails": [MON]}
ANY, NO = said(SEP, OCT, NOV), said(declined=True)
NONE = said(cannot={*SLOTS})
THRICE = {"mails": [MON, TUE, WED], "answered": [MON, TUE, WED]}
ONCE = said(perhaps=[SEP], mails=[MON, TUE], answered=[MON, TUE])
UNSURE = said(perhaps=[SEP], **THRICE)
SURE = {**UNSURE, "asked": {SEP: WED}}
UNTIL = said(not_before=FRI)
HELD = {SEP: [ANA]}


def done(*given, **more):
    """What is done, by person: kind, date given, policy."""
    found = {}
    for action in organized(desk(*given, **more))[1]:
        slot = action.slots[0] if action.kind == "confirmation" else None
        found[action.person] = action.kind, slot, action.policy
    return found


def gives(slot, policy=""):
    return "confirmation", slot, policy


def asks(policy=""):
    return "clarification", None, policy


def again(policy=""):
    return "follow_up", None, policy


INVITED = "invitation", None, "begin"
TOGETHER = known(NO, Ana=said(SEP, mails=[MON, MON]), Bo=said(SEP))


@pytest.mark.parametrize(
    ("names", "today", "about", "expected"),
    [
        # whom to write to, and when
        ("begin", MON, {}, dict.fromkeys(PEOPLE, INVITED)),
        ("begin follow_up", TUE, known(ASKED), {}),
        ("begin follow_up", WED, known(ASKED), dict.fromkeys(PEOPLE, again("follow_up"))),
        ("follow_up give_up", FRI, known(NO, Ana={"mails": [MON, WED]}),
         {ANA: again("follow_up")}),
        ("follow_up give_up", FRI, known(NO, Ana={"mails": [MON, TUE, WED]}), {}),
        ("declined", TUE, known(NO, Bo={**NO, "thanked": True}),
         dict.fromkeys((ANA, CY, DI), ("thanks", None, "declined"))),
        ("begin", THU, known(UNTIL), {}),
        ("begin", FRI, known(UNTIL), dict.fromkeys(PEOPLE, again())),
        ("begin", WED, known(NO, Ana=said()), {ANA: again()}),
        # further dates, and vague ones
        ("begin ask_more", TUE, known(ASKED, Ana=said(SEP), Bo=ANY), {ANA: asks("ask_more")}),
        ("begin ask_more", TUE, known(ASKED, Ana=said(SEP, cannot={OCT, NOV, DEC})), {}),
        ("begin vague", TUE, known(NO, Ana=said(perhaps=[SEP])), {ANA: asks("vague")}),
        ("begin vague", LAST, known(NO, Ana=SURE), {ANA: gives(SEP)}),
        ("begin vague", LAST, known(NO, Ana={**SURE, "answered": [MON]}), {ANA: again()}),
        ("begin", LAST, known(NO, Ana=UNSURE), {ANA: gives(SEP)}),
        # dates are given when it is time
        ("begin", LATE, known({"mails": [NEAR]}, Ana=ANY), {ANA: gives(SEP)}),
        ("begin faculty_first", TUE, TOGETHER,
         {ANA: gives(SEP, "faculty_first"), BO: asks("faculty_first")}),
        ("begin faculty_first", TUE, known(NONE, Ana=said(SEP), Bo=said(SEP, cannot={OCT, NOV, DEC})),
         {ANA: gives(SEP, "faculty_first")}),
        # a seat is kept for whoever comes first and is not certain yet
        ("begin follow_up give_up vague faculty_first", WED,
         known(NO, Ana=ONCE, Bo=said(SEP)), {ANA: asks("vague")}),
    ],
)  # fmt: skip
def test_a_policy_has_its_mails_written_on_its_day(names, today, about, expected):
    assert done(names, today, about) == expected


@pytest.mark.parametrize(
    ("names", "has", "expected"),
    [
        ("confirm", said(SEP), gives(SEP, "confirm")),
        ("", said(SEP), gives(SEP)),  # a date is told without a policy, too
        ("", said(SEP, OCT, confirmed={SEP}), None),
        ("one_each", said(SEP, OCT, confirmed={SEP}), gives(OCT, "one_each")),
    ],
)
def test_who_has_a_date_is_told_and_gets_another_where_a_policy_says_when(
    names, has, expected
):
    found = done(f"begin {names}", LATE, known(NO, Ana=has), HELD)
    assert found.get(ANA) == expected


@pytest.mark.parametrize(
    ("choice", "slots", "asked"),
    [
        ({SEP, OCT}, SLOTS, True),  # theirs went to another
        ({OCT}, SLOTS, False),  # nothing changed since
        (set(), SLOTS, True),  # one came back
        ({SEP, OCT}, (OCT, NOV, DEC), True),  # theirs was dropped
        ({OCT}, (OCT, NOV, DEC), False),
    ],
)
def test_who_lost_a_date_is_asked_for_others_once_and_again_when_one_comes(
    choice, slots, asked
):
    about = known(said(NOV, confirmed={NOV}), Bo=said(SEP, choice=choice))
    has = {slot: [ANA] for slot in slots if slot != OCT}
    found = done("begin", TUE, about, has, scenario={"slots": slots})
    assert found.get(BO) == (asks() if asked else None)


def test_the_plan_names_everybody_and_the_actions_follow_what_is_left_of_it():
    people = dict.fromkeys(("Ana Ray", "Bo Lund", "Ana Ray Lee"), "postdoc")
    made = desk("begin", scenario={"people": people})
    plan, actions = organized(made)
    assert all(name in plan.text for name in people) and "'begin'" in plan.reason
    assert [action.person for action in actions] == list(people)

    class Edited(RuleBasedOrganizer):
        async def plan(self, desk):
            return DayPlan("Invite Bo Lund and Ana Ray Lee only.")

    left = organized(made, Edited())[1]  # a name inside another is not taken for it
    assert [action.person for action in left] == ["Bo Lund", "Ana Ray Lee"]


days = st.lists(st.sampled_from([MON, TUE, WED, THU]), max_size=3).map(sorted)
dates = st.sets(st.sampled_from(SLOTS), max_size=3)


@settings(max_examples=60)
@given(st.data())
def test_property_no_policy_is_broken_whatever_is_known_and_nobody_gets_two_mails(data):
    about = {}
    for name in PEOPLE:
        mails = data.draw(days)
        answered = [day for day in data.draw(days) if mails and day >= mails[0]]
        can = data.draw(dates) if answered else set()
        perhaps = data.draw(dates) - can if answered else set()
        never = bool(answered) and not can | perhaps and data.draw(st.booleans())
        words = {"mails": mails, "answered": answered, "declined": never}
        about[name] = said(*can, perhaps=perhaps, **words)
    made = desk(f"{SEED} weekend declined confirm", FRI, about)
    actions = organized(made)[1]
    assert len({action.person for action in actions}) == len(actions)
    assert not any(made.books.refusal(action) for action in actions)
    after = evening(made.books, actions)
    assert violations(Judged(made.books, after, actions, [], made.policies)) == ()


# ---- who gets which date ----

DAYS = SEP, OCT, NOV
able = st.sets(st.sampled_from(DAYS), min_size=1)
wishes = st.dictionaries(st.sampled_from("ABCDE"), able, max_size=5)
seats = st.fixed_dictionaries({day: st.integers(1, 2) for day in DAYS})


def most(wished, free):
    """The size of a maximum matching, by trying all orders of the seats."""
    places = [day for day, n in free.items() for _ in range(n)]
    places += [None] * max(0, len(wished) - len(places))
    sizes = []
    for order in permutations(places, len(wished)):
        pairs = zip(wished.values(), order, strict=True)
        sizes.append(sum(slot in can for can, slot in pairs))
    return max(sizes)


@settings(max_examples=40)
@given(wishes, seats, st.sets(st.sampled_from("ABCDE")))
def test_property_as_many_as_possible_get_a_date_and_who_comes_first_loses_none(
    wished, free, first
):
    found = match(wished, free, lambda name: int(name in first))
    assert len(found) == most(wished, free)
    assert all(slot in wished[name] for name, slot in found.items())
    assert all(list(found.values()).count(slot) <= n for slot, n in free.items())
    losers = first & {*wished} - {*found}
    lost = {slot for name in losers for slot in wished[name]}
    assert not {name for name, slot in found.items() if slot in lost} - first
