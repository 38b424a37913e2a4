"""How it stands: seats are counted once each, and nobody is tentative on two dates."""

from datetime import date
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from support.boards.standing import seats_of, standing
from support.seminar.ledger import Contact, State

SLOTS = tuple(date(2027, 10, day) for day in (4, 11, 18))
TODAY = date(2027, 9, 13)


def state(named, seats=1, today=TODAY, **more):
    contacts = {name: Contact(name, "student", available=tuple(slots)) for name, slots in named.items()}
    return State(today, dict.fromkeys(SLOTS, ()) | more.get("given", {}), contacts, seats)


def best(named, seats):
    """The largest number of seats that can be filled, by trying all ways."""
    ways = product(*([None, *slots] for slots in named.values()))
    fit = (way for way in ways if all(way.count(slot) <= seats for slot in SLOTS))
    return max(len(way) - way.count(None) for way in fit)


@given(st.dictionaries(st.sampled_from("abcd"), st.sets(st.sampled_from(SLOTS)).map(sorted)), st.integers(1, 2))
def test_property_tentative_is_the_largest_number_of_seats_that_can_be_filled_at_once(named, seats):
    assert seats_of(state(named, seats)).tentative == best(named, seats)


def test_one_person_who_named_every_date_is_tentative_on_one():
    seats = seats_of(state({"Ana": SLOTS}))
    assert (seats.tentative, seats.open, seats.words) == (1, 2, "0 of 3 seats filled; 1 tentative, 2 open")


def test_a_date_that_is_over_is_not_tentative():
    assert seats_of(state({"Ana": SLOTS[:1]}, today=SLOTS[0])).tentative == 0


def test_seats_that_were_given_are_counted_and_those_not_confirmed_named():
    seats = seats_of(state({"Ana": SLOTS}, given={SLOTS[0]: ("Ana",)}))
    assert (seats.filled, seats.unconfirmed, seats.tentative) == (1, 1, 0)
    assert seats.words == "1 of 3 seats filled, 1 of them not confirmed yet; 0 tentative, 2 open"


def words(today=TODAY, given=None, **known):
    slots = dict.fromkeys(SLOTS, ()) | (given or {})
    return standing(State(today, slots, {"Ana": Contact("Ana", "student", **known)}), "Ana").words


def test_each_state_of_a_person_has_its_words():
    friday, monday = date(2027, 9, 10), date(2027, 9, 13)
    assert words() == "not written to"
    assert words(mails=(monday,)) == "written to"
    assert words(mails=(friday,)) == "waiting, 1 working day"
    assert words(mails=(friday,), answered=(monday,)) == "answered"
    assert (
        words(mails=(friday,), answered=(monday,), wait_until=date(2027, 9, 20))
        == "answered, asked to wait until 20 Sep"
    )
    assert words(mails=(friday,), answered=(monday,), wait_until=monday) == "answered"
    assert words(mails=(friday,), answered=(monday,), cancelled=SLOTS[:1]) == "answered, gave 4 Oct back"
    assert words(mails=(friday,), answered=(monday,), declined=True) == "declined"
    assert words(given={SLOTS[1]: ("Ana",)}, confirmed=SLOTS[1:2]) == "has 11 Oct"
    assert words(given={SLOTS[1]: ("Ana",)}) == "has 11 Oct, not confirmed yet"
