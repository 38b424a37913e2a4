"""What holds in every coordination by rules, whoever leads it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from support.meetings.coordination import Brief
from support.meetings.preferences import Choice, understood
from support.meetings.records import ASSISTANT, Coordination, Round
from support.meetings.scenario import load_group
from support.meetings.scores import known, ratio

Play = Callable[..., Coordination]
WORLDS = [
    {"members": 3, "options": 2},
    {"members": 5, "options": 4, "coordinator": "exhaustive", "database": True},
    {"members": 5, "options": 2, "seats": "stubborn", "coordinator": "random"},
    {"members": 4, "options": 3, "database": ["demands", "ties", "hours"]},
    {"members": 5, "options": 3, "decision": "venue", "redacted": "names"},
]


@pytest.fixture(params=range(len(WORLDS)), ids=lambda k: f"world {k}")
def records(request: pytest.FixtureRequest, play: Play) -> list[Coordination]:
    """A dozen groups in one setting."""
    return [play(group=group, **WORLDS[request.param]) for group in range(12)]


def _pairs(record: Coordination) -> Iterator[tuple[Round, Round]]:
    yield from zip(record.rounds, record.rounds[1:], strict=False)


def test_k_options_are_proposed_always_and_the_candidate_is_one_of_them(
    records: list[Coordination],
) -> None:
    for record in records:
        for entry in record.rounds:
            assert len(entry.options) == record.settings["options"]
        for before, after in _pairs(record):
            assert before.candidate in {option.id for option in after.options}


def test_an_option_keeps_its_id(records: list[Coordination]) -> None:
    for record in records:
        told = [(o.id, o.slot) for entry in record.rounds for o in entry.options]
        ids, slots = ({pair[k] for pair in told} for k in (0, 1))
        assert len({*told}) == len(ids) == len(slots)


def test_a_member_says_only_what_is_its_own(records: list[Coordination]) -> None:
    for record in records:
        if record.settings["decision"] == "venue":
            continue
        whole = load_group(int(record.meeting["id"][1:]) - 1, len(record.members))
        for entry in record.rounds:
            for member, talk in entry.talks.items():
                said = [w for t in talk if t.speaker != ASSISTANT for w in t.wishes]
                wishes = {wish for wish in said if not isinstance(wish, Choice)}
                assert wishes <= {*whole.wanted[member]}


def test_reasons_are_notes_that_the_option_fulfils(records: list[Coordination]) -> None:
    for record in records:
        for entry in record.rounds:
            for option in entry.options:
                assert {*option.reasons} <= {*option.members}
                for member, wishes in option.reasons.items():
                    assert {*wishes} <= {*understood(entry.notes[member])}


def test_a_talk_ends_when_its_member_is_done(records: list[Coordination]) -> None:
    for record in records:
        for entry in record.rounds:
            for talk in entry.talks.values():
                assert [turn.done for turn in talk].index(True) == len(talk) - 1


def test_the_ratio_never_falls_while_nobody_says_anything_new(
    records: list[Coordination],
) -> None:
    for record in records:
        for before, after in _pairs(record):
            if before.notes == after.notes:
                old, new = (
                    before.scores[before.candidate],
                    after.scores[after.candidate],
                )
                assert ratio(new) >= ratio(old)


def test_a_breach_is_an_option_short_of_the_aspiration(
    records: list[Coordination],
) -> None:
    for record in records:
        least, kept = 2, None
        for entry in record.rounds:
            for option in entry.options:
                many = len(option.members)
                assert (option.id in entry.breaches) == (
                    option.id != kept and many < least
                )
            kept = entry.candidate
            least = int((known(entry.scores[kept]) > 0).sum())


def test_a_coordinator_knows_nothing_that_was_not_noted() -> None:
    """The public scenario, which it is given, holds nobody's wishes, hours or events."""
    whole = load_group(7, 5)
    public = whole.public
    assert not (public.private or public.away or public.texts)
    assert public == replace(whole, private={}, away={}, texts={})
    for name in whole.members:
        assert {*whole.known_to(name).private} == {name}


def test_of_a_member_who_said_nothing_nothing_is_known(play: Play) -> None:
    unknown = 0
    for group in range(20):
        first = play(group=group, members=5, seats="terse").rounds[0]
        for member, wishes in first.notes.items():
            values = {row[member] for row in first.scores.values()}
            assert wishes or values == {None}
            unknown += not wishes
    assert unknown


def test_the_exhaustive_coordinator_finds_the_best_slot_by_the_notes(
    play: Play,
) -> None:
    for group in range(8):
        record = play(group=group, members=5, coordinator="exhaustive", rounds=1)
        entry, whole = record.rounds[0], load_group(group, 5, demands=False)
        worth = whole.scores(whole.slots, entry.notes)
        assert ratio(entry.scores[entry.candidate]) == max(map(ratio, worth.values()))


def test_who_said_nothing_stays_unknown_where_hours_of_profiles_may_be_used():
    scenario = load_group(0, 3)
    notes = dict.fromkeys(scenario.members, ())
    brief = Brief(scenario.public, 1, 2, notes, database=("hours",))
    [row] = scenario.public.scores(scenario.slots[:1], brief.known).values()
    assert set(row.values()) == {None}
