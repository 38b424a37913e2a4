"""Settings of a coordination: what each changes, and what it leaves alone."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.errors import InvalidInput, MissingData, UnknownParticipant
from support.meetings.preferences import Choice, understood
from support.meetings.records import Coordination
from support.meetings.scenario import load_group
from support.meetings.study import DESIGNS, meeting_coordination
from support.runs.study import Store
from support.runs.sweep import Sweep

Play = Callable[..., Coordination]


def test_who_sits_beside_changes_nobodys_draws(play: Play) -> None:
    """The coordinator and the others draw from streams of their own."""
    record = play(members=3, rounds=1)
    for more in (
        {"coordinator": "random"},
        {"members": 5},
        {"seats": [record.seats[name] for name in record.members]},
    ):
        other = play(**{"members": 3, "rounds": 1, **more})
        for member in record.members:
            assert other.rounds[0].talks[member] == record.rounds[0].talks[member]


def test_the_single_round_is_the_first_of_the_rounds(play: Play) -> None:
    whole, single, silent = (
        play(members=4, design=design) for design in reversed(DESIGNS)
    )
    assert single.rounds == whole.rounds[:1]
    assert (len(silent.rounds), silent.rounds[0].talks) == (1, {})


def test_without_conversation_the_coordinator_is_handed_all_wishes_in_any_words(
    play: Play,
) -> None:
    said = [play(group=2, design=DESIGNS[0], paraphrase=k).rounds[0] for k in range(3)]
    group = load_group(2, 3)
    for entry in said:
        for member, wishes in entry.notes.items():
            assert {*understood(wishes)} == {*group.private[member]}
    assert said[0].scores == said[1].scores == said[2].scores
    assert said[0].notes != said[1].notes


def test_notes_accumulate_or_are_those_of_the_round(play: Play) -> None:
    lasting, fresh = (play(group=5, members=5, memory=m) for m in (True, False))
    for record in (lasting, fresh):
        for before, after in zip(record.rounds, record.rounds[1:], strict=False):
            for member, wishes in after.notes.items():
                said = {w for turn in after.talks[member] for w in turn.wishes}
                kept = [w for w in before.notes[member] if not isinstance(w, Choice)]
                held = {*kept} <= {*wishes}
                assert (
                    held
                    if record is lasting
                    else {*wishes} - {*_choices(wishes)} <= said
                )


def _choices(wishes: Any) -> list[Choice]:
    return [wish for wish in wishes if isinstance(wish, Choice)]


def test_a_curt_interviewer_ends_when_an_option_is_agreed_to_or_another_named(
    play: Play,
) -> None:
    calm, curt = (
        [play(group=g, members=5, curt=c) for g in range(10)] for c in (False, True)
    )
    assert [r.rounds[0] for r in calm] == [r.rounds[0] for r in curt]
    later = [
        [entry.turns(m) for r in records for entry in r.rounds[1:] for m in r.members]
        for records in (calm, curt)
    ]
    assert sum(later[1]) < sum(later[0])


def test_the_database_brings_demands_and_ties(play: Play) -> None:
    number = next(k for k in range(150) if load_group(k, 5).meeting.required)
    plain, used = (play(group=number, members=5, database=d) for d in (False, True))
    assert plain.meeting["required"] == ()
    assert used.meeting["required"]
    assert "must be there" in used.rounds[0].talks[used.members[0]][0].text
    assert "must be there" not in plain.rounds[0].talks[plain.members[0]][0].text


def test_who_exaggerates_says_of_every_wish_that_it_binds(play: Play) -> None:
    record = play(members=3, seats=["exaggerating", "plain", "plain"], rounds=1)
    me = record.members[0]
    assert {wish.priority for wish in record.rounds[0].notes[me]} == {3}
    assert 2 in {wish.priority for wish in load_group(0, 3).private[me]}


def test_redaction_keeps_names_or_reasons_from_members(play: Play) -> None:
    heard = {}
    for redacted in ("", "names", "reasons"):
        later = play(group=1, members=5, redacted=redacted).rounds[1]
        heard[redacted] = {name: talk[0] for name, talk in later.talks.items()}
    for name, first in heard[""].items():
        assert first.wishes == heard["names"][name].wishes
        assert "says" in first.text
        assert not [n for n in heard[""] if n in heard["names"][name].text]
        assert not heard["reasons"][name].wishes


def test_a_sweep_keeps_its_records_and_goes_on_where_it_stopped(
    tmp_path: Path,
) -> None:
    grid = {"members": [3, 5], "design": list(DESIGNS)}

    def sweep(n: int) -> Sweep:
        return Sweep("meetings", meeting_coordination, grid, n, 7, paired=tuple(grid))

    def run(n: int, store: Store) -> None:
        asyncio.run(sweep(n).run(store, progress=False))

    kept, whole = Store(tmp_path / "a.sqlite"), Store(tmp_path / "b.sqlite")
    run(1, kept)
    run(2, kept)
    run(2, whole)
    for unit in sweep(2).units():
        record = kept.record(unit)
        assert isinstance(record, Coordination)
        assert record == whole.record(unit)
        assert record.rounds[0].candidate


@pytest.mark.parametrize(
    ("settings", "error", "told"),
    [
        ({"members": 6}, InvalidInput, "expected 2 to 5"),
        ({"group": 150}, InvalidInput, "150 groups"),
        ({"options": 3}, InvalidInput, "expected 1 to 2"),
        ({"design": "round"}, InvalidInput, "no conversation"),
        ({"decision": "agenda"}, InvalidInput, "venue"),
        ({"redacted": "all"}, InvalidInput, "reasons"),
        ({"database": ["roles"]}, InvalidInput, "demands"),
        ({"paraphrase": 3}, InvalidInput, "expected 0 to 2"),
        ({"rounds": 0}, InvalidInput, "at least 1"),
        ({"seats": "vague"}, UnknownParticipant, "stubborn"),
        ({"coordinator": "hybrid"}, UnknownParticipant, "satisficing"),
        ({"seats": ["plain"]}, InvalidInput, "expected 3 kinds"),
        ({"company": "nowhere"}, MissingData, "employees.toml"),
    ],
)
def test_a_bad_setting_is_refused_in_words(
    play: Play, settings: dict[str, Any], error: type[Exception], told: str
) -> None:
    with pytest.raises(error, match=told):
        play(**settings)
