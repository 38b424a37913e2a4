"""Settings of a coordination: what each changes, and what it leaves alone."""

from itertools import pairwise

import pytest

from support.errors import InvalidInput, MissingData, UnknownParticipant
from support.meetings.preferences import Choice, understood
from support.meetings.scenario import load_group
from support.meetings.study import DESIGNS


def test_who_sits_beside_changes_nobodys_draws(play):
    """The coordinator and the others draw from streams of their own."""
    record = play(members=3, rounds=1)
    seats = [record.seats[name] for name in record.members]
    for more in ({"coordinator": "random"}, {"members": 5}, {"seats": seats}):
        other = play(**{"members": 3, "rounds": 1, **more})
        for member in record.members:
            assert other.rounds[0].talks[member] == record.rounds[0].talks[member]


def test_the_single_round_is_the_first_of_the_rounds(play):
    whole, single, silent = (
        play(members=4, design=design) for design in reversed(DESIGNS)
    )
    assert single.rounds == whole.rounds[:1]
    assert (len(silent.rounds), silent.rounds[0].talks) == (1, {})


def test_without_conversation_the_coordinator_is_handed_all_wishes(play):
    said, own = play(group=2, design=DESIGNS[0]).rounds[0], load_group(2, 3).own
    for member, wishes in said.notes.items():
        assert {*understood(wishes)} == {*own[member].wishes}


def test_notes_accumulate_or_are_those_of_the_round(play):
    def stated(wishes):
        return {wish for wish in wishes if not isinstance(wish, Choice)}

    for memory in (True, False):
        for before, after in pairwise(play(group=5, members=5, memory=memory).rounds):
            for member, wishes in after.notes.items():
                said = {w for turn in after.talks[member] for w in turn.wishes}
                assert memory or stated(wishes) <= said
                assert not memory or stated(before.notes[member]) <= {*wishes}


def test_a_curt_interviewer_ends_when_an_option_is_agreed_to_or_another_named(
    play,
):
    later = {}
    for curt in (False, True):
        records = [play(group=group, members=5, curt=curt) for group in range(5)]
        talks = [t for r in records for e in r.rounds[1:] for t in e.talks.values()]
        later[curt] = sum(map(len, talks))
    assert later[True] < later[False]


def test_who_exaggerates_says_of_every_wish_that_it_binds(play):
    record = play(members=3, seats=["exaggerating", "plain", "plain"], rounds=1)
    me = record.members[0]
    assert {wish.priority for wish in record.rounds[0].notes[me]} == {3}
    assert 2 in {wish.priority for wish in load_group(0, 3).own[me].wishes}


def test_redaction_keeps_names_or_reasons_from_members(play):
    heard = {}
    for redacted in ("", "names", "reasons"):
        later = play(group=1, members=5, redacted=redacted).rounds[1]
        heard[redacted] = {name: talk[0] for name, talk in later.talks.items()}
    for name, first in heard[""].items():
        unnamed = heard["names"][name]
        assert "says" in first.text
        assert unnamed.wishes == first.wishes
        assert not [other for other in heard[""] if other in unnamed.text]
        assert not heard["reasons"][name].wishes


@pytest.mark.parametrize(
    ("settings", "error", "told"),
    [
        ({"members": 6}, InvalidInput, "expected 2 to 5"),
        ({"options": 3}, InvalidInput, "expected 1 to 2"),
        ({"design": "round"}, InvalidInput, "no conversation"),
        ({"decision": "agenda"}, InvalidInput, "venue"),
        ({"redacted": "all"}, InvalidInput, "reasons"),
        ({"database": ["roles"]}, InvalidInput, "demands"),
        ({"seats": "vague"}, UnknownParticipant, "stubborn"),
        ({"company": "nowhere"}, MissingData, "employees.toml"),
    ],
)
def test_a_bad_setting_is_refused_in_words(play, settings, error, told):
    with pytest.raises(error, match=told):
        play(**settings)
