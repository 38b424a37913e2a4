"""What holds in every coordination by rules, whoever leads it."""

from dataclasses import replace
from functools import cache
from itertools import pairwise

import pytest

from support.meetings.preferences import Choice, understood
from support.meetings.scenario import load_group
from support.meetings.scores import known, ratio

WORLDS = [
    {"members": 3, "options": 2},
    {"members": 5, "options": 4, "coordinator": "exhaustive", "database": True},
    {"members": 5, "options": 2, "seats": "stubborn", "coordinator": "random"},
    {"members": 4, "options": 3, "database": ["demands", "ties"]},
    {"members": 5, "options": 3, "decision": "venue", "redacted": "names"},
]
_played = cache(lambda world, play: [play(group=g, **WORLDS[world]) for g in range(8)])


@pytest.fixture(params=range(len(WORLDS)), ids=lambda k: f"world {k}")
def records(request, play):
    """Eight groups in one setting."""
    played = _played(request.param, play)
    return played


def test_k_options_always_the_candidate_among_them_and_each_keeps_its_id(
    records,
):
    for record in records:
        told = set()
        for entry in record.rounds:
            told |= {(option.id, option.slot) for option in entry.options}
            assert len(entry.options) == record.settings["options"]
        for before, after in pairwise(record.rounds):
            assert before.candidate in {option.id for option in after.options}
        assert len(told) == len(dict(told)) == len({slot for _, slot in told})


def test_a_member_says_only_what_is_its_own_until_it_is_done(
    records,
):
    for record in records:
        number, decision = (
            int(record.meeting["id"][1:]) - 1,
            record.settings["decision"],
        )
        wanted = load_group(number, len(record.members), decision).wanted
        for entry in record.rounds:
            for member, talk in entry.talks.items():
                assert [turn.done for turn in talk].index(True) == len(talk) - 1
                for turn in talk[1::2]:
                    own = [w for w in turn.wishes if not isinstance(w, Choice)]
                    assert turn.speaker == member
                    assert {*own} <= {*wanted[member]}


def test_reasons_are_notes_that_the_option_fulfils(records):
    for record in records:
        for entry in record.rounds:
            for option in entry.options:
                assert {*option.reasons} <= {*option.members}
                for member, wishes in option.reasons.items():
                    assert {*wishes} <= {*understood(entry.notes[member])}


def test_the_ratio_never_falls_while_nobody_says_anything_new(
    records,
):
    for record in records:
        for before, after in pairwise(record.rounds):
            if before.notes == after.notes:
                old = ratio(before.scores[before.candidate])
                assert ratio(after.scores[after.candidate]) >= old


def test_a_breach_is_an_option_short_of_the_aspiration(
    records,
):
    for record in records:
        least, kept = 2, None
        for entry in record.rounds:
            for option in entry.options:
                short = option.id != kept and len(option.members) < least
                assert (option.id in entry.breaches) == short
            kept = entry.candidate
            least = int((known(entry.scores[kept]) > 0).sum())


def test_a_coordinator_knows_nothing_that_was_not_noted():
    """The public scenario, which it is given, holds nobody's wishes, hours or events."""
    whole = load_group(7, 5)
    public = whole.public
    assert not public.company.private
    assert public == replace(whole, own={})
    for name in whole.members:
        assert {*whole.known_to(name).own} == {name}


def test_of_a_member_who_said_nothing_nothing_is_known(play):
    unknown = 0
    for group in range(12):
        settings = {"members": 5, "seats": "terse", "rounds": 1}
        [first] = play(group=group, **settings).rounds
        for member, wishes in first.notes.items():
            values = {row[member] for row in first.scores.values()}
            assert wishes or values == {None}
            unknown += not wishes
    assert unknown


def test_the_exhaustive_coordinator_finds_the_best_slot_by_the_notes(
    play,
):
    for group in range(4):
        record = play(group=group, members=5, coordinator="exhaustive", rounds=1)
        entry, whole = record.rounds[0], load_group(group, 5, demands=False)
        worth = whole.scores(whole.slots, entry.notes)
        assert ratio(entry.scores[entry.candidate]) == max(map(ratio, worth.values()))


def test_for_each_required_member_one_option_if_any_start_suits(play):
    """Of options by the notes, as they are proposed."""
    tried = 0
    for group in range(20):
        settings = {"options": 3, "coordinator": "exhaustive", "rounds": 1}
        record = play(group=group, members=5, database=["demands"], **settings)
        [entry], whole = record.rounds, load_group(group, 5)
        worth = whole.scores(whole.slots, entry.notes).values()
        for member in record.meeting["required"][:2]:
            suited = any(member in option.members for option in entry.options)
            assert suited == any(row[member] for row in worth)
            tried += suited
    assert tried > 5


def test_ties_decide_between_starts_that_are_equally_good(play):
    """Working together counts as less than one member more."""
    settings = {"coordinator": "exhaustive", "design": "no conversation"}
    moved = 0
    for group in range(15, 20):
        plain, tied = (
            play(group=group, members=5, options=1, database=used, **settings)
            .rounds[0]
            .options[0]
            for used in ([], ["ties"])
        )
        assert len(plain.members) == len(tied.members)
        moved += plain.members != tied.members
    assert moved
