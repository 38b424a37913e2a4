"""Simulated people: one calendar whoever organises, an answer to each kind of mail."""

import asyncio
from datetime import timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_seminar import (
    ANA,
    MON,
    NOV,
    OCT,
    SEP,
    SLOTS,
    letter,
    persona,
    programme,
)

from support.seminar.records import ANSWER, CERTAIN, MORE, Says
from support.seminar.speakers import CAN, KINDS, NO, PERHAPS, Letter, RuleBasedSpeaker

FOUR = programme(people={ANA: "professor"})


class Guest:
    """A simulated person, with what they have been sent and what is theirs."""

    def __init__(self, seed=1, mood=None, kind="rule-based", **behaves):
        rng, me = np.random.default_rng(seed), persona(ANA, **behaves)
        self.who = RuleBasedSpeaker(KINDS[kind](me), FOUR, rng, kind)
        self.who.mood |= mood or {}
        self.thread, self.given = [], ()

    def gets(self, kind, day=1, slots=SLOTS, asks="", **more):
        """A mail comes; what they do on that day."""
        number = len(self.thread) + 1
        self.thread.append(letter(number, ANA, kind, day, slots, asks, **more))
        return self.looks(day)

    def looks(self, day):
        offered = {slot for mail in self.thread for slot in mail.slots}
        today, mails = MON + timedelta(days=day - 1), tuple(self.thread)
        head = ANA, "Noor Halvard", day, today, mails
        shown = Letter(*head, tuple(sorted(offered)), self.given)
        return asyncio.run(self.who.answer(shown))


ALL, VAGUE = dict.fromkeys(SLOTS, CAN), dict.fromkeys(SLOTS, PERHAPS)


def calendar(guest):
    return guest.who.mood


def test_the_same_seed_has_the_same_calendar_whoever_organises_and_however_fast():
    behaves = {"share": 0.6, "vague": 0.4}
    one, other, slow = (
        Guest(4, kind=k, **behaves) for k in ("prompt",) * 2 + ("slow",)
    )
    assert calendar(one) == calendar(other) == calendar(slow)
    first = one.gets("invitation").says
    other.gets("invitation", slots=[SEP])
    other.gets("clarification", 2, [SEP], CERTAIN)
    both = {slot: mood for slot, mood in calendar(one).items() if slot != SEP}
    assert both.items() <= calendar(other).items()
    assert first == Guest(4, kind="prompt", **behaves).gets("invitation").says
    assert len({str(calendar(Guest(k, **behaves))) for k in range(9)}) > 3


@given(
    st.integers(0, 10**6),
    st.integers(1, 4),
    st.sets(st.sampled_from(SLOTS), min_size=1),
)
def test_property_a_reply_names_offered_dates_that_suit_as_they_are(
    seed, limit, offered
):
    guest = Guest(seed, share=0.6, vague=0.4, limit=limit)
    says, mood = guest.gets("invitation", slots=sorted(offered)).says, calendar(guest)
    assert (
        len(says.can + says.perhaps) <= limit and {*says.can + says.perhaps} <= offered
    )
    assert {mood[slot] for slot in says.can} <= {CAN}
    assert {mood[slot] for slot in says.perhaps} <= {PERHAPS}
    assert says.declines == all(mood[slot] == NO for slot in offered)


@pytest.mark.parametrize(
    ("mood", "mails", "says"),
    [
        (ALL, [("invitation",)], Says(can=SLOTS)),
        (VAGUE, [("invitation",)], Says(perhaps=SLOTS)),
        (dict.fromkeys(SLOTS, NO), [("invitation",)], Says(declines=True)),
        (ALL, [("invitation", 1, [SEP]), ("follow_up", 2)], Says(can=(OCT,))),
        (
            ALL,
            [("invitation", 1, [SEP]), ("clarification", 2, [OCT, NOV], MORE)],
            Says(can=(OCT, NOV)),
        ),
        (
            {**ALL, OCT: NO},
            [("invitation", 1, [SEP]), ("clarification", 2, [OCT], MORE)],
            Says(can=(SEP,)),  # what was named stands
        ),
        (ALL, [("clarification", 1, [SEP], CERTAIN)], Says(can=(SEP,))),
        (
            {**ALL, OCT: NO},
            [("invitation",), ("clarification", 2, [SEP, OCT], CERTAIN)],
            Says(can=(SEP,), cannot=(OCT,)),
        ),
        (ALL, [("invitation",), ("confirmation", 2, [SEP])], Says(can=(SEP,))),
        ({**ALL, SEP: NO}, [("confirmation", 1, [SEP])], Says(cannot=(SEP,))),
        (ALL, [("invitation",), ("thanks", 2, ())], None),
        (ALL, [("invitation",), ("clarification", 2, (), ANSWER)], Says()),
    ],
)
def test_each_kind_of_mail_has_its_answer(mood, mails, says):
    guest = Guest(mood=mood, limit=4)
    for number, (kind, *more) in enumerate(mails, start=1):
        response = guest.gets(kind, *(more or [number]))
    assert response.says == says and bool(response.body) == bool(says)


def test_a_vague_date_that_is_asked_for_is_firm_or_gone_from_then_on():
    found = set()
    for seed in range(30):
        guest = Guest(seed, VAGUE)
        guest.gets("invitation")
        one = guest.gets("clarification", 2, [SEP], CERTAIN).says
        assert guest.gets("clarification", 3, [SEP], CERTAIN).says == one
        found.add((one.can, one.cannot))
    assert found == {((SEP,), ()), ((), (SEP,))}


def test_an_answer_takes_working_days_and_so_many_mails_as_somebody_needs():
    late = Guest(mood=ALL, days=1)
    response = late.gets("invitation", day=5)  # a Friday
    assert not response.body and response.until == 8 and late.looks(8).says.can
    busy = Guest(mood=ALL, needs=2)
    assert busy.gets("invitation").until is None
    assert (
        busy.gets("follow_up", 3).says
        and busy.gets("clarification", 4, [SEP], MORE).says
    )
    never = Guest(mood=ALL, forgets=1.0)
    assert (
        never.gets("invitation") == never.gets("follow_up", 2)
        and not never.looks(3).says
    )


def test_a_date_is_given_back_once_after_it_was_accepted_and_before_it_comes():
    for seed in range(8):
        guest = Guest(seed, ALL, cancels=1.0)
        guest.gets("invitation")
        guest.given = (SEP,)
        accepted = guest.gets("confirmation", 2, [SEP])
        assert accepted.says == Says(can=(SEP,)) and 3 <= accepted.until <= 16
        assert guest.looks(accepted.until).says == Says(gives_back=(SEP,))
        assert guest.gets("confirmation", 22, [OCT]).until is None


def conditional(seed_of):
    """Somebody who comes on a condition only, and drops it or not, when refused."""
    for seed in range(200):
        guest = Guest(seed, ALL, issue="She wants two hours.", issue_kind="format")
        if guest.who._open and guest.who._yields == seed_of:
            return guest
    raise AssertionError


UNANSWERED = "nobody says"


@pytest.mark.parametrize(
    ("yields", "grants", "says"),
    [
        (True, UNANSWERED, Says(can=(SEP,))),
        (False, UNANSWERED, Says(cannot=(SEP,))),
        (True, False, Says(can=(SEP,))),
        (False, True, Says(can=(SEP,))),
        (False, None, Says(can=(SEP,))),
        (False, False, None),
    ],
)
def test_a_condition_is_granted_or_dropped_or_they_do_not_come(yields, grants, says):
    guest = conditional(yields)
    first = guest.gets("invitation").says
    assert first.asks == "She wants two hours." and not first.can and first.perhaps
    if grants != UNANSWERED:
        told = guest.gets("clarification", 2, (), ANSWER, grants=grants).says
        assert told.declines == (says is None) and not told.asks
    if says:
        assert guest.gets("confirmation", 3, [SEP]).says == says
