"""The organiser's books: what is entered, what is refused, what hooks become."""

from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.errors import InvalidInput
from support.seminar.artefacts import hook_of, hook_to_policy
from support.seminar.data import Persona, Scenario, later, passed, working
from support.seminar.ledger import Ledger, evening, refusal, settled
from support.seminar.records import Action, Flag, Mail, Understood
from support.seminar.rules import load_policies

START, SLOTS = date(2027, 8, 16), (date(2027, 9, 15), date(2027, 10, 13))
SEPTEMBER, OCTOBER = (slot.isoformat() for slot in SLOTS)
PEOPLE = tuple(
    Persona(name.lower(), name, f"{name}@example.org", role)
    for name, role in (("Ana", "professor"), ("Bo", "phd student"), ("Cy", "postdoc"))
)
GIVE = Action("confirmation", "Ana", slot=SEPTEMBER)


class Books(Ledger):
    """A ledger of two dates and three people, with short words for its entries."""

    def __init__(self, seats=1):
        programme = (
            "T",
            "fill it",
            "Noor",
            "here",
            "16:00",
            START,
            date(2027, 8, 27),
            SLOTS,
            PEOPLE,
            seats,
        )
        super().__init__(Scenario("t", *programme))

    def write(self, kind, person, slot=None, day=1):
        self.sent(
            Mail(1, day, kind, "organiser", person, "s", "b"),
            Action(kind, person, slot=slot),
        )

    def say(self, person, day=17, **said):
        self.received(Understood(1, person, **said), date(2027, 8, day))
        return self.state(START).contacts[person]


@pytest.fixture
def books():
    return Books()


def test_a_reply_of_the_evening_before_answers_no_mail_of_the_morning(books):
    books.write("invitation", "Ana", day=1)
    assert books.say("Ana", 16, available=(SEPTEMBER,)).unanswered == 0
    books.write("clarification", "Ana", day=2)
    books.write("invitation", "Bo", day=2)
    state = books.state(date(2027, 8, 18))
    assert state.contacts["Ana"].mails == (
        START,
        date(2027, 8, 17),
    ) and state.pending == {"Ana": 1, "Bo": 1}
    books.write("confirmation", "Ana", SEPTEMBER, day=3)
    assert books.state(date(2027, 8, 19)).pending == {"Bo": 2}


def test_the_last_word_about_a_date_counts(books):
    books.say("Ana", available=(SEPTEMBER, OCTOBER), note="glad")
    known = books.say("Ana", vague=(SEPTEMBER,))
    assert (known.available, known.vague) == ((SLOTS[1],), (SLOTS[0],))
    known = books.say("Ana", available=(SEPTEMBER,), unavailable=(OCTOBER,))
    assert (known.available, known.vague, known.said) == ((SLOTS[0],), (), "")


def test_a_confirmation_gives_the_date_once_as_was_guessed_and_all_is_settled_when_every_date_is_confirmed(
    books,
):
    books.say("Ana", vague=(SEPTEMBER,))
    guessed = evening(books.state(START), [GIVE, Action("wait", "Bo")])
    for _ in range(2):
        books.write("confirmation", "Ana", SEPTEMBER)
    state = books.state(START)
    assert guessed.slots == state.slots == {SLOTS[0]: ("Ana",), SLOTS[1]: ()}
    assert (
        guessed.contacts["Ana"].confirmed
        == state.contacts["Ana"].confirmed
        == (SLOTS[0],)
    )
    assert len(state.contacts["Ana"].mails) == 2 and not settled(state)
    books.say("Bo", available=(OCTOBER,))
    books.write("confirmation", "Bo", OCTOBER)
    assert settled(books.state(START)) and not settled(
        books.state(START).noted("Bo", confirmed=())
    )


@pytest.mark.parametrize(
    ("action", "said"),
    [
        (
            Action("confirmation", "Ana", slot=OCTOBER),
            "never named Wednesday, 13 October 2027; ask them first",
        ),
        (
            Action("confirmation", "Ana", slot="2027-09-16"),
            "Thursday, 16 September 2027 is not on the programme",
        ),
        (
            Action("confirmation", "Ana", slot="soon"),
            "confirmation to Ana: 'soon' given",
        ),
        (Action("confirmation", "Ana"), "no date given"),
        (
            Action("confirmation", "Bo", slot=SEPTEMBER),
            "Wednesday, 15 September 2027 is full (Ana)",
        ),
        (Action("invitation", "Zoe"), "'Zoe', who is not on the list"),
        (Action("telephone", "Ana"), "'telephone' given; expected one of invitation"),
    ],
)
def test_what_cannot_be_done_is_refused_with_its_reason_and_changes_nothing(
    books, action, said
):
    for name in ("Ana", "Bo"):
        books.say(name, available=(SEPTEMBER,))
    books.write("confirmation", "Ana", SEPTEMBER)
    state = books.state(START)
    assert said in refusal(state, action)
    if action.kind == "confirmation":
        with pytest.raises(InvalidInput):
            books.write(action.kind, action.person, action.slot)
    assert books.state(START) == state


def test_a_date_that_is_over_is_not_given(books):
    books.say("Ana", available=(SEPTEMBER,))
    assert refusal(books.state(date(2027, 9, 14)), GIVE) == ""
    assert "is over" in refusal(books.state(date(2027, 9, 15)), GIVE)


def test_a_date_never_offered_is_noted(books):
    known = books.say(
        "Ana", available=("2027-09-16",), never_offered=("2027-09-20",), note="glad"
    )
    assert (
        known.named == ()
        and known.said == "glad; named 2027-09-20, 2027-09-16, never offered"
    )


@pytest.mark.parametrize(
    "said",
    [{"cancelled": (SEPTEMBER,)}, {"unavailable": (SEPTEMBER,)}, {"declined": True}],
)
def test_who_gives_a_date_back_has_it_no_more_and_has_not_named_it(books, said):
    books.say("Ana", available=(SEPTEMBER, OCTOBER))
    books.write("confirmation", "Ana", SEPTEMBER)
    known = books.say("Ana", 18, **said)
    assert (
        books.state(START).open == SLOTS
        and known.cancelled == (SLOTS[0],)
        and known.confirmed == ()
    )
    assert SLOTS[0] not in known.named and known.declined == ("declined" in said)
    assert known.available == (() if known.declined else (SLOTS[1],))


def test_a_possible_date_takes_a_refusal_back_too_and_a_reply_ends_the_wait_that_was_asked_for(
    books,
):
    assert books.say("Ana", declined=True, wait_until="2027-08-20").wait_until == date(
        2027, 8, 20
    )
    known = books.say("Ana", 18)
    assert known.declined and known.wait_until is None
    assert not books.say("Ana", 19, vague=(SEPTEMBER,)).declined


def test_who_was_taken_off_the_list_has_no_date_and_gets_none_whatever_they_say_until_they_are_put_back(
    books,
):
    books.say("Ana", available=(SEPTEMBER,))
    books.write("confirmation", "Ana", SEPTEMBER)
    books.withdraw("Ana")
    known = books.say("Ana", available=(OCTOBER,))
    assert (
        books.state(START).open == SLOTS
        and known.declined
        and known.named == known.confirmed == ()
    )
    books.write("confirmation", "Ana", OCTOBER)  # one that was under way
    assert books.state(START).open == SLOTS
    books.put_back("Ana")
    assert not books.say("Ana", available=(OCTOBER,)).declined


@pytest.mark.parametrize(
    "said", [{"available": ("the 15th",)}, {"wait_until": "later"}]
)
def test_a_reading_that_cannot_be_entered_changes_nothing(books, said):
    before = books.state(START)
    with pytest.raises(InvalidInput, match="understood of Ana"):
        books.say("Ana", **said)
    assert books.state(START) == before


@given(st.dates(date(2020, 1, 1), date(2035, 12, 31)), st.integers(0, 60))
def test_property_working_days_are_counted_one_by_one_and_adding_them_is_counted_back(
    day, ahead
):
    until = day + timedelta(days=ahead)
    assert passed(day, until) == sum(
        working(day + timedelta(days=k)) for k in range(1, ahead + 1)
    )
    end = later(day, ahead)
    assert (
        working(end)
        and end >= day
        and passed(day, end) == (ahead if ahead or working(day) else 1)
    )


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from("ABC"), st.sampled_from("nvcdg"), st.sampled_from(SLOTS)
        ),
        max_size=25,
    )
)
def test_property_nobody_has_a_date_that_they_did_not_name_nor_a_date_more_people_than_seats(
    steps,
):
    books, names = Books(2), {"A": "Ana", "B": "Bo", "C": "Cy"}
    said = {"n": "available", "v": "vague", "c": "cancelled"}
    for who, what, slot in steps:
        if what in said:
            books.say(names[who], **{said[what]: (slot.isoformat(),)})
        elif what == "d":
            books.say(names[who], declined=True)
        elif not refusal(
            books.state(START),
            Action("confirmation", names[who], slot=slot.isoformat()),
        ):
            books.write("confirmation", names[who], slot.isoformat())
        state = books.state(START)
        for slot_, holders in state.slots.items():
            assert len(holders) <= 2 and len(set(holders)) == len(holders)
            assert (
                all(slot_ in state.contacts[name].named for name in holders)
                and not state.untold
            )


def test_a_hook_says_whom_it_is_about_and_becomes_a_policy_that_is_no_rule_since_it_quotes_others():
    said = "The writer asks: “Nothing is sent on Saturdays, stop after one reminder.” What shall I answer?"
    hook = hook_of(Flag(3, "Ana", said, "No, follow up after five days."), 2)
    assert hook.topic.startswith("Ana: The writer asks") and hook.day == 2
    assert (
        hook_of(Flag(3, "Ana", "Ana wants money. Is there any?"), 1).topic
        == "Ana wants money"
    )
    made = hook_to_policy(hook, hook_to_policy(hook, load_policies()))
    assert (
        [policy.id for policy in made][-2:] == ["hook_1", "hook_2"] == list(made.unread)
    )
    assert made.rules == load_policies().rules and "Ana" not in made["hook_1"].text
