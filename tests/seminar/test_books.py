"""The organiser's books: what counts of what was said, who has a date, what is refused."""

from dataclasses import replace
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_seminar import (
    ANA,
    BO,
    CY,
    DEC,
    DI,
    MON,
    NOV,
    OCT,
    PEOPLE,
    SEP,
    SLOTS,
    TUE,
    WED,
    give,
    letter,
    persona,
    programme,
)

from support.errors import InvalidInput
from support.seminar.books import Books
from support.seminar.records import Action, Says


def book(*replies, seats=1, **scenario):
    """Books with replies, each of a person, of the days after the first."""
    made = Books(programme(seats=seats, **scenario))
    for number, (name, says) in enumerate(replies):
        made.enter("received", number, name, says, MON + timedelta(days=number))
    return made


def test_a_date_off_the_programme_is_given_to_nobody_and_counts_once_it_opens():
    strange = date(2027, 9, 16)
    made = book((ANA, Says()))
    assert "not on the programme" in made.refusal(give(ANA, strange))
    made.enter("opens", strange)
    made = made.corrected(0, Says(can=(strange,)))
    assert made.contacts[ANA].can == {strange} and not made.refusal(give(ANA, strange))


@pytest.mark.parametrize(
    ("replies", "can", "perhaps", "cannot", "back"),
    [
        ([Says(can=(SEP,)), Says(perhaps=(SEP,))], [], [SEP], [], []),
        ([Says(cannot=(SEP,)), Says(can=(SEP,))], [SEP], [], [], []),
        ([Says(can=(SEP, OCT)), Says(cannot=(SEP,))], [OCT], [], [SEP], [SEP]),
        ([Says(can=(SEP,)), Says(gives_back=(SEP,))], [], [], [SEP], [SEP]),
        ([Says(can=(SEP,)), Says(declines=True)], [], [], SLOTS, [SEP]),
    ],
)
def test_what_was_said_last_of_a_date_counts_and_who_has_it_then(
    replies, can, perhaps, cannot, back
):
    made = book((ANA, replies[0]))
    made.enter("given", ANA, SEP)
    made.enter("received", 7, ANA, replies[1], TUE)
    contact = made.contacts[ANA]
    lists = contact.can, contact.perhaps, contact.cannot, contact.gave_back
    assert lists == tuple(map(set, (can, perhaps, cannot, back)))
    assert (SEP in made.free) == (not made.held(ANA)) == bool(back)
    assert contact.declined == replies[1].declines


def test_whoever_is_off_the_list_gets_nothing_whatever_they_say_until_put_back():
    made = book((ANA, Says(can=(SEP,))))
    made.enter("given", ANA, SEP)
    made.enter("off", ANA)
    made.enter("received", 2, ANA, Says(can=(OCT,)), TUE)
    assert made.held(ANA) == [] and "taken off" in made.refusal(give(ANA, OCT))
    made.enter("back", ANA)
    assert "never named" in made.refusal(give(ANA, OCT))
    made.enter("received", 3, ANA, Says(can=(OCT,)), TUE)
    assert not made.refusal(give(ANA, OCT))


def test_a_reply_of_the_evening_before_answers_no_mail_of_the_morning():
    made = book()
    made.enter("sent", letter(1, ANA, "invitation"), TUE)
    made.enter("received", 2, ANA, Says(), MON)
    made.today = WED
    assert made.quiet(made.contacts[ANA]) == 1
    made.enter("received", 3, ANA, Says(), TUE)
    assert made.quiet(made.contacts[ANA]) is None and not made.contacts[ANA].named


@pytest.mark.parametrize(
    ("action", "others", "why"),
    [
        (Action("shout", ANA), (), "expected one of invitation, follow_up"),
        (Action("thanks", "Eve"), (), "not on the list"),
        (Action("thanks", DI), (), "taken off the list; put them back"),
        (Action("thanks", ANA), (Action("wait", ANA),), "a second action of one day"),
        (Action("invitation", ANA, slots=(date(2028, 1, 1),)), (), "not on the progr"),
        (Action("confirmation", ANA), (), "0 dates given; expected the one"),
        (give(ANA, OCT), (), "never named Wednesday, 13 October 2027; ask them first"),
        (give(ANA, NOV), (), "10 November 2027 is full"),
        (give(BO), (give(ANA),), "15 September 2027 is full"),
        (give(ANA), (), ""),
        (give(CY, NOV), (), ""),  # told once more of the date that is theirs
        (give(BO), (give(ANA, OCT),), ""),
    ],
)
def test_what_cannot_be_carried_out_is_refused_with_its_reason(action, others, why):
    both = Says(can=(SEP, NOV))
    made = book((ANA, both), (BO, both), (CY, both))
    made.enter("given", CY, NOV)
    made.enter("off", DI)
    found = made.refusal(action, others)
    assert why in found and bool(why) == bool(found)
    made.today = NOV
    assert "is over" in made.refusal(give(ANA))


def test_people_join_and_dates_open_and_drop_in_mid_run():
    made = book((ANA, Says(can=(SEP, OCT))))
    made.enter("given", ANA, SEP)
    made.enter("joins", persona("Eve Low", "professor"))
    made.enter("opens", date(2027, 10, 1))
    made.enter("received", 2, "Eve Low", Says(can=(date(2027, 10, 1),)), TUE)
    assert not made.refusal(give("Eve Low", date(2027, 10, 1)))
    made.enter("drops", SEP)
    assert made.held(ANA) == [] and SEP not in made.scenario.slots
    assert list(made.free) == [date(2027, 10, 1), OCT, NOV, DEC] and not made.untold
    again = made.copy()
    assert again.contacts == made.contacts and again.holders == made.holders
    with pytest.raises(InvalidInput, match="two people have the name"):
        made.enter("joins", persona(ANA))


# ---- laws ----

some = st.sets(st.sampled_from(SLOTS), max_size=2).map(tuple)
dates = dict.fromkeys(("can", "perhaps", "cannot", "gives_back"), some)
speech = st.builds(Says, **dates, declines=st.booleans())
name = st.sampled_from([*PEOPLE])
gift = st.tuples(name, st.sampled_from(SLOTS))
course = st.lists(st.one_of(st.tuples(name, speech), gift), max_size=25)


def lived(steps, seats=1, wrong=None, as_was=None):
    """Books of a course of replies and gifts; reply `wrong` was taken to say `as_was`."""
    made = Books(programme(seats=seats))
    for number, (who, what) in enumerate(steps):
        if isinstance(what, Says):
            says = as_was if number == wrong else what
            made.enter("received", number, who, says, MON)
        elif not made.refusal(give(who, what)):
            made.enter("given", who, what)
    return made


@given(course, st.integers(1, 2))
def test_property_no_seat_is_given_twice_nor_to_somebody_who_does_not_name_it(
    steps, seats
):
    made = lived(steps, seats)
    for slot, names in made.holders.items():
        assert len(names) == len({*names}) <= seats
        assert all(slot in made.contacts[one].named for one in names)
    for contact in made.contacts.values():
        assert not contact.can & contact.perhaps
        assert not contact.named & contact.cannot


@given(st.lists(st.tuples(name, speech), min_size=1, max_size=12), st.data())
def test_property_a_corrected_reading_is_as_if_it_had_been_read_right_at_once(
    steps, data
):
    wrong = data.draw(st.integers(0, len(steps) - 1))
    misread = lived(steps, wrong=wrong, as_was=data.draw(speech))
    misread.enter("given", BO, SEP)
    right = lived(steps)
    right.enter("given", BO, SEP)
    if SEP in right.contacts[BO].cannot:
        right.enter("freed", BO, SEP)
    found = misread.corrected(wrong, steps[wrong][1])
    assert found.contacts == right.contacts and found.holders == right.holders
    assert found.events == right.events


WRONG = [
    (programme(), {"slots": (OCT, SEP)}, "each date once, in order"),
    (programme(), {"slots": (MON, SEP)}, "is over on 2027-08-16"),
    (programme(), {"start": date(2027, 8, 15)}, "a Sunday; expected a working day"),
    (programme(), {"deadline": MON}, "expected one after"),
    (programme(), {"people": (persona("Reader"),)}, "stands for a role"),
    (persona(ANA), {"email": "Ana <a@b.org>"}, f"'{ANA}': .*one bare address"),
    (persona(ANA), {"name": " "}, f"Persona '{ANA}': .*name: "),
    (persona(ANA), {"share": 2.0}, "share: .* less than or equal to 1"),
]


@pytest.mark.parametrize(("made", "changed", "why"), WRONG)
def test_what_makes_no_sense_is_refused_however_it_is_made(made, changed, why):
    with pytest.raises(InvalidInput, match=why):
        replace(made, **changed)
