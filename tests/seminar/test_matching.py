"""Who gets which date."""

from datetime import date
from itertools import permutations

from hypothesis import given, settings
from hypothesis import strategies as st

from support.seminar.ledger import Contact
from support.seminar.organizer_steps import match, yielding
from support.seminar.organizer_ways import Ways

DAYS = [date(2027, 9, k) for k in (7, 14, 21)]
wishes = st.dictionaries(st.sampled_from("ABCDE"), st.lists(st.sampled_from(DAYS), unique=True, min_size=1), max_size=5)
seats = st.fixed_dictionaries({day: st.integers(1, 2) for day in DAYS})


def most(wished, free):
    """The size of a maximum matching, by trying all orders of the seats."""
    places, names = [day for day, n in free.items() for _ in range(n)], list(wished)
    padded = places + [None] * max(0, len(names) - len(places))
    orders = permutations(padded, len(names))
    return max(sum(slot in wished[name] for name, slot in zip(names, order, strict=True)) for order in orders)


@settings(max_examples=40, deadline=None)
@given(wishes, seats, st.sets(st.sampled_from("ABCDE")))
def test_as_many_as_possible_get_a_date_that_they_named_and_who_comes_first_goes_before_others(wished, free, first):
    found = match(wished, free, lambda name: int(name in first))
    assert len(found) == len(match(wished, free)) == most(wished, free)
    assert all(slot in wished[name] for name, slot in found.items())
    assert all(list(found.values()).count(slot) <= n for slot, n in free.items())
    lost = {slot for name in first & set(wished) - set(found) for slot in wished[name]}
    assert not {name for name, slot in found.items() if slot in lost} - first


def test_the_earlier_date_and_the_earlier_name_come_first():
    assert match({"A": DAYS[::-1]}, dict.fromkeys(DAYS, 1)) == {"A": DAYS[0]}
    assert match({"B": DAYS[:1], "A": DAYS[:1]}, {DAYS[0]: 1}) == {"B": DAYS[0]}


def test_a_seat_is_kept_for_who_comes_first_and_is_vague():
    people = [Contact("Ana", "professor", vague=(DAYS[0],)), Contact("Bo", "phd student"), Contact("Cy", "postdoc")]
    way, both = Ways({"faculty_first": "f"}), {"Bo": DAYS[0], "Cy": DAYS[0]}
    assert yielding(both, {DAYS[0]: 2}, people, way) == {"Bo"}
    assert yielding(both, {DAYS[0]: 3}, people, way) == yielding(both, {DAYS[0]: 2}, people, Ways()) == set()
    assert yielding({**both, "Ana": DAYS[1]}, {DAYS[0]: 2, DAYS[1]: 1}, people, way) == set()
