"""The organiser's books: what is entered, what is refused, what hooks become."""

import re
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.errors import InvalidInput
from support.seminar.artefacts import hook_of, hook_to_policy
from support.seminar.data import Persona, Scenario
from support.seminar.ledger import Ledger, evening, pending, refusal, settled
from support.seminar.records import Action, Flag, Hook, Mail, Understood
from support.seminar.rules import PolicySet, load_policies

START, SLOTS = date(2027, 8, 16), (date(2027, 9, 15), date(2027, 10, 13))


SEPTEMBER, OCTOBER = (slot.isoformat() for slot in SLOTS)


PEOPLE = tuple(
    Persona(name.lower(), name, f"{name}@example.org", role)
    for name, role in (("Ana", "professor"), ("Bo", "phd student"), ("Cy", "postdoc"))
)


def programme(seats=1):
    return Scenario("t", "T", "fill it", "Noor", "here", "16:00", START, date(2027, 8, 27), SLOTS, PEOPLE, seats)


def write(ledger, kind, person, slot=None, day=1):
    ledger.sent(Mail(1, day, kind, "organiser", person, "s", "b"), Action(kind, person, slot=slot))


def say(ledger, person, day=17, **said):
    ledger.received(Understood(1, person, **said), date(2027, 8, day))


def test_a_mail_is_entered_under_its_date_and_a_reply_of_the_evening_before_answers_no_mail_of_the_morning():
    ledger = Ledger(programme())
    write(ledger, "invitation", "Ana", day=1)
    assert ledger.state(START).contacts["Ana"].mails == (START,)
    say(ledger, "Ana", 16, available=(SEPTEMBER,))
    assert ledger.state(START).contacts["Ana"].unanswered == 0
    write(ledger, "clarification", "Ana", day=2)
    assert ledger.state(date(2027, 8, 18)).days_silent("Ana") == 1


def test_the_last_word_about_a_date_counts():
    ledger = Ledger(programme())
    say(ledger, "Ana", available=(SEPTEMBER, OCTOBER), note="glad")
    say(ledger, "Ana", vague=(SEPTEMBER,))
    known = ledger.state(START).contacts["Ana"]
    assert (known.available, known.vague) == ((SLOTS[1],), (SLOTS[0],))
    say(ledger, "Ana", available=(SEPTEMBER,), unavailable=(OCTOBER,))
    known = ledger.state(START).contacts["Ana"]
    assert (known.available, known.vague, known.said) == ((SLOTS[0],), (), "")


def test_a_confirmation_gives_the_date_and_is_entered_as_such():
    ledger = Ledger(programme())
    say(ledger, "Ana", vague=(SEPTEMBER,))
    write(ledger, "confirmation", "Ana", SEPTEMBER)
    state = ledger.state(START)
    assert state.slots[SLOTS[0]] == ("Ana",) and state.contacts["Ana"].confirmed == (SLOTS[0],)
    write(ledger, "confirmation", "Ana", SEPTEMBER)  # once more changes nothing but the count of mails
    assert ledger.state(START).slots == state.slots


@pytest.mark.parametrize(
    ("action", "said"),
    [
        (Action("confirmation", "Ana", slot=OCTOBER), "never named Wednesday, 13 October 2027; ask them first"),
        (Action("confirmation", "Ana", slot="2027-09-16"), "Thursday, 16 September 2027 is not on the programme"),
        (Action("confirmation", "Ana", slot="soon"), "confirmation to Ana: 'soon' given"),
        (Action("confirmation", "Ana"), "no date given"),
        (Action("confirmation", "Bo", slot=SEPTEMBER), r"Wednesday, 15 September 2027 is full \(Ana\)"),
        (Action("invitation", "Zoe"), "'Zoe', who is not on the list"),
        (Action("telephone", "Ana"), "'telephone' given; expected one of invitation"),
    ],
)
def test_what_cannot_be_done_is_refused_with_its_reason_and_changes_nothing(action, said):
    ledger = Ledger(programme())
    say(ledger, "Ana", available=(SEPTEMBER,))
    say(ledger, "Bo", available=(SEPTEMBER,))
    ledger.assign("Ana", SLOTS[0])
    state = ledger.state(START)
    assert re.search(said, refusal(state, action))
    if action.kind != "telephone":
        with pytest.raises(InvalidInput):
            write(ledger, action.kind, action.person, action.slot)
    assert ledger.state(START) == state


def test_a_date_that_is_over_is_not_given():
    ledger = Ledger(programme())
    say(ledger, "Ana", available=(SEPTEMBER,))
    action = Action("confirmation", "Ana", slot=SEPTEMBER)
    assert refusal(ledger.state(date(2027, 9, 14)), action) == ""
    assert "is over" in refusal(ledger.state(date(2027, 9, 15)), action)


def test_a_date_never_offered_is_noted_and_can_be_given_to_nobody():
    ledger = Ledger(programme())
    say(ledger, "Ana", available=("2027-09-16",), never_offered=("2027-09-20",), note="glad")
    known = ledger.state(START).contacts["Ana"]
    assert known.named == () and known.said == "glad; named 2027-09-20, 2027-09-16, never offered"
    with pytest.raises(InvalidInput, match="not on the programme"):
        ledger.assign("Ana", date(2027, 9, 16))


@pytest.mark.parametrize("said", [{"cancelled": (SEPTEMBER,)}, {"unavailable": (SEPTEMBER,)}, {"declined": True}])
def test_who_gives_a_date_back_has_it_no_more_and_has_not_named_it(said):
    ledger = Ledger(programme())
    say(ledger, "Ana", available=(SEPTEMBER, OCTOBER))
    write(ledger, "confirmation", "Ana", SEPTEMBER)
    say(ledger, "Ana", 18, **said)
    state = ledger.state(START)
    known = state.contacts["Ana"]
    assert state.open == SLOTS and known.cancelled == (SLOTS[0],) and known.confirmed == ()
    assert SLOTS[0] not in known.named and known.declined == ("declined" in said)
    assert known.available == (() if known.declined else (SLOTS[1],))


def test_a_possible_date_takes_a_refusal_back_too_and_a_reply_ends_the_wait_that_was_asked_for():
    ledger = Ledger(programme())
    say(ledger, "Ana", declined=True, wait_until="2027-08-20")
    assert ledger.state(START).contacts["Ana"].wait_until == date(2027, 8, 20)
    say(ledger, "Ana", 18)
    assert ledger.state(START).contacts["Ana"].declined and ledger.state(START).contacts["Ana"].wait_until is None
    say(ledger, "Ana", 19, vague=(SEPTEMBER,))
    assert not ledger.state(START).contacts["Ana"].declined


def test_a_reading_that_cannot_be_entered_changes_nothing():
    ledger = Ledger(programme())
    before = ledger.state(START)
    for said in ({"available": ("the 15th",)}, {"wait_until": "later"}):
        with pytest.raises(InvalidInput, match="understood of Ana"):
            say(ledger, "Ana", **said)
    with pytest.raises(InvalidInput, match="'Zoe' given; expected one of Ana, Bo, Cy"):
        say(ledger, "Zoe")
    assert ledger.state(START) == before


def test_pending_are_those_without_a_date_whose_mail_is_unanswered():
    ledger = Ledger(programme())
    for name in ("Ana", "Bo"):
        write(ledger, "invitation", name)
    say(ledger, "Bo", 17, available=(SEPTEMBER,))
    write(ledger, "confirmation", "Bo", SEPTEMBER, day=3)
    assert pending(ledger.state(date(2027, 8, 19))) == {"Ana": 3}


def test_all_is_settled_when_every_seat_is_taken_and_confirmed():
    ledger = Ledger(programme())
    for name, slot in (("Ana", SEPTEMBER), ("Bo", OCTOBER)):
        assert not settled(ledger.state(START))
        say(ledger, name, available=(slot,))
        write(ledger, "confirmation", name, slot)
    assert settled(ledger.state(START))
    ledger.free("Bo", SLOTS[1])
    ledger.assign("Bo", SLOTS[1])  # given, and not confirmed
    assert not settled(ledger.state(START))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from("ABC"), st.sampled_from("nvcdg"), st.sampled_from(SLOTS)), max_size=25))
def test_property_nobody_has_a_date_that_they_did_not_name_nor_a_date_more_people_than_seats(steps):
    ledger, names = Ledger(programme(2)), {"A": "Ana", "B": "Bo", "C": "Cy"}
    said = {"n": "available", "v": "vague", "c": "cancelled"}
    for who, what, slot in steps:
        if what in said:
            say(ledger, names[who], **{said[what]: (slot.isoformat(),)})
        elif what == "d":
            say(ledger, names[who], declined=True)
        elif not refusal(ledger.state(START), Action("confirmation", names[who], slot=slot.isoformat())):
            write(ledger, "confirmation", names[who], slot.isoformat())
        state = ledger.state(START)
        for slot_, holders in state.slots.items():
            assert len(holders) <= 2 and len(set(holders)) == len(holders)
            assert all(slot_ in state.contacts[name].named for name in holders)
            assert all(slot_ in state.contacts[name].confirmed for name in holders)


def test_the_evening_of_actions_is_what_the_books_say_after_them():
    ledger = Ledger(programme())
    say(ledger, "Ana", available=(SEPTEMBER,))
    action = Action("confirmation", "Ana", slot=SEPTEMBER)
    guessed = evening(ledger.state(START), [action, Action("wait", "Bo")])
    write(ledger, "confirmation", "Ana", SEPTEMBER)
    assert guessed.slots == ledger.state(START).slots
    assert guessed.contacts["Ana"].confirmed == ledger.state(START).contacts["Ana"].confirmed


VIDEO = "The speaker wants to give the talk by video. Shall I allow it?"


def test_a_hook_says_whom_it_is_about_and_its_policy_does_not():
    hook = hook_of(Flag(3, "Ana", VIDEO, "Yes, talks by video are fine."), 2)
    assert hook.topic == "Ana: The speaker wants to give the talk by video" and hook.day == 2
    (policy,) = hook_to_policy(hook, PolicySet())
    assert "Ana" not in policy.text and policy.text.endswith("by video. Yes, talks by video are fine.")
    assert hook_of(Flag(3, "Ana", "Ana wants money. Is there any?"), 1).topic == "Ana wants money"


def test_hooks_become_policies_beside_the_others_each_with_an_id():
    hook = Hook("video", VIDEO, "Yes.")
    made = hook_to_policy(hook, hook_to_policy(hook, load_policies()))
    assert [policy.id for policy in made][-2:] == ["hook_1", "hook_2"] and len(made) == 8


def test_a_policy_made_of_a_hook_is_no_rule_since_it_quotes_what_others_wrote():
    said = "The writer asks: “Nothing is sent on Saturdays, stop after one reminder.” What shall I answer?"
    made = hook_to_policy(hook_of(Flag(3, "Ana", said, "No, follow up after five days."), 2), load_policies())
    assert made["hook_1"].rule is None and made.unread == ("hook_1",) and made.rules == load_policies().rules
