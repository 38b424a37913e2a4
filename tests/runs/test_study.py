"""The study's file gives back what it was given, and refuses what is not its own."""

import json
import sqlite3
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.errors import DamagedFile
from support.play import FormatError
from support.roundtable.records import (
    Ballot,
    Candidate,
    Decision,
    Message,
    Proposal,
    Round,
    Transcript,
)
from support.runs.study import Store, Unit, from_json, packed, to_json

TEXT, ID, NUMBER = (
    st.text(max_size=12),
    st.sampled_from(["P1", "P2", "P3"]),
    st.floats(-1e6, 1e6),
)
VALUE = st.tuples(st.tuples(NUMBER, NUMBER), st.tuples(NUMBER, NUMBER)) | TEXT
POINTS = st.dictionaries(ID, st.integers(0, 5) | NUMBER).map(
    lambda points: tuple(points.items())
)
CHOICE = st.none() | ID | st.lists(ID, unique=True).map(tuple) | POINTS


def many(kind, **given):
    """Up to two records of a kind, whose other fields are drawn by their types."""
    return st.lists(st.builds(kind, **given), max_size=2).map(tuple)


ROUNDS = many(
    Round,
    messages=many(Message, acts=..., claim=POINTS),
    proposals=many(Proposal, value=VALUE, reason=...),
    candidates=many(Candidate, value=VALUE, standing=...),
    ballots=many(Ballot, choice=CHOICE, reason=...),
    decision=st.none() | st.builds(Decision, value=VALUE),
    format_errors=many(FormatError),
    replies=...,
)
WEIGHTS = st.lists(st.lists(NUMBER, max_size=2), max_size=2)
TRANSCRIPTS = st.builds(
    Transcript,
    seats=st.dictionaries(TEXT, TEXT, max_size=3),
    rounds=ROUNDS,
    settings=st.dictionaries(TEXT, TEXT | st.integers(-9, 9) | st.none(), max_size=2),
    environment=st.fixed_dictionaries({"name": TEXT, "weights": WEIGHTS}),
)
EMPTY = Transcript({}, "majority", {"Ana": "linear"}, ())


def unit(repetition=0, rule="a"):
    return Unit("s", json.dumps({"rule": rule}), repetition)


@settings(max_examples=60)
@given(TRANSCRIPTS)
def test_property_a_record_comes_back_as_it_was_and_can_be_counted(record):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again = from_json(packed(record).kind, to_json(record))
    assert again == record and to_json(again) == to_json(record)
    for entry in again.rounds:
        said = entry.messages, entry.proposals, entry.candidates
        hash((said, entry.ballots, entry.decision))


def test_a_record_that_cannot_be_read_is_named_as_damage(store):
    store.add(unit(), EMPTY)
    with sqlite3.connect(store.path) as other:
        other.execute("UPDATE units SET record = '{\"rule\": 3}'")
    with pytest.raises(DamagedFile, match="a stored Transcript cannot be read"):
        list(store.records("s"))


def test_units_of_other_code_stay_in_the_file_and_are_not_shown(store):
    old, new = (Store(store.path, code) for code in ("old", "new"))
    old.add(unit(), EMPTY)
    assert [*old.units("s")] == [unit()] and old.record(unit()) == EMPTY
    assert not new.units("s") and new.record(unit()) is None
    assert [record for _, record in store.records("s @ old")] == [EMPTY]
