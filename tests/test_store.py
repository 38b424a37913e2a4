"""The study's file gives back what it was given, and refuses what is not its own."""

import dataclasses
import json
import sqlite3
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.errors import DamagedFile, InvalidInput
from support.records import Ballot, Candidate, Decision, FormatError, Message, Proposal, Round, Transcript
from support.store import Store, Unit, from_json, to_json

TEXT = st.text(max_size=12)
NAME = st.sampled_from(["Ana", "Ben", "Cleo"])
ID = st.sampled_from(["P1", "P2", "P3"])
NUMBER = st.floats(-1e6, 1e6)
VALUE = st.tuples(st.tuples(NUMBER, NUMBER), st.tuples(NUMBER, NUMBER)) | TEXT
CHOICE = (
    st.none()
    | ID
    | st.lists(ID, unique=True).map(tuple)
    | st.dictionaries(ID, st.integers(0, 5) | NUMBER, min_size=1).map(lambda d: tuple(d.items()))
)
ROUNDS = st.builds(
    Round,
    number=st.integers(1, 10),
    messages=st.lists(
        st.builds(
            Message,
            sender=NAME,
            recipients=st.lists(NAME).map(tuple),
            text=TEXT,
            acts=st.lists(TEXT, max_size=2).map(tuple),
            claim=st.lists(st.tuples(ID, NUMBER), max_size=2).map(tuple),
        ),
        max_size=2,
    ).map(tuple),
    proposals=st.lists(st.builds(Proposal, agent=NAME, value=VALUE, reason=TEXT), max_size=2).map(tuple),
    candidates=st.lists(
        st.builds(Candidate, id=ID, value=VALUE, proposers=st.lists(NAME).map(tuple), standing=st.booleans()),
        max_size=2,
    ).map(tuple),
    ballots=st.lists(st.builds(Ballot, agent=NAME, choice=CHOICE, reason=TEXT), max_size=3).map(tuple),
    winner=st.none() | ID,
    scores=st.lists(st.tuples(ID, TEXT), max_size=2).map(tuple),
    why=TEXT,
    decision=st.none() | st.builds(Decision, candidate=ID, value=VALUE, round=st.integers(1, 10)),
    format_errors=st.lists(st.builds(FormatError, agent=NAME, phase=TEXT, detail=TEXT), max_size=2).map(tuple),
    replies=st.integers(0, 99),
)
TRANSCRIPTS = st.builds(
    Transcript,
    environment=st.fixed_dictionaries({"name": TEXT, "weights": st.lists(st.lists(NUMBER, max_size=2), max_size=2)}),
    rule=TEXT,
    seats=st.dictionaries(NAME, TEXT),
    rounds=st.lists(ROUNDS, max_size=3).map(tuple),
    settings=st.dictionaries(TEXT, TEXT | st.integers(-9, 9) | st.none(), max_size=2),
)
EMPTY = Transcript({}, "majority", {"Ana": "linear"}, ())
IDENTITY = {"study": "s", "seed": 1, "paired": [], "settings": ["rule"]}


def unit(repetition=0, sweep="s", **settings):
    return Unit(sweep, json.dumps(settings or {"rule": "a"}, sort_keys=True), repetition)


def with_errors(number):
    errors = tuple(FormatError("Ana", "vote", "no") for _ in range(number))
    return Transcript({}, "a", {}, (Round(1, (), (), (), (), None, (), "", None, errors, replies=4),) * 2)


# -- round trip -----------------------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(TRANSCRIPTS)
def test_property_a_record_comes_back_as_it_was(record):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again = from_json("Transcript", to_json(record))
    assert again == record
    assert to_json(again) == to_json(record)


@settings(max_examples=30, deadline=None)
@given(TRANSCRIPTS)
def test_property_values_come_back_frozen_so_that_they_can_be_compared_and_counted(record):
    again = from_json("Transcript", to_json(record))
    for entry in again.rounds:
        known = (entry.messages, entry.proposals, entry.candidates, entry.ballots, entry.decision)
        assert known in {known}


def test_what_was_stored_is_there_when_the_file_is_opened_again(tmp_path):
    first = Store(tmp_path / "folder" / "study.sqlite")
    first.add(unit(), with_errors(1))
    first.close()
    again = Store(tmp_path / "folder" / "study.sqlite")
    assert list(again.records("s")) == [(unit(), with_errors(1))]
    again.close()


def test_only_records_are_stored():
    with pytest.raises(InvalidInput, match="record: dict given; the store keeps Transcript"):
        to_json({"a": 1})


def test_a_unit_is_stored_once_and_its_replies_and_format_errors_are_counted(store):
    assert store.add(unit(), with_errors(1)) == {"replies": 8, "format_errors": 2}
    assert store.add(unit(), with_errors(3)) == {"replies": 8, "format_errors": 6}
    assert store.units("s").to_dict("records") == [
        {"rule": "a", "repetition": 0, "status": "done", "error": None, "replies": 8, "format_errors": 6}
    ]


def test_a_failure_is_stored_with_its_error_and_is_no_record(store):
    store.add(unit(0), EMPTY)
    store.fail(unit(1), ValueError("too hot"))
    assert store.units("s")["error"].tolist()[1] == "ValueError: too hot"
    assert [u for u, _ in store.records("s")] == [unit(0)]
    assert store.finished("s") == {unit(0), unit(1)}
    assert store.finished("s", include_failed=False) == {unit(0)}


def test_a_unit_that_failed_and_then_succeeds_is_done(store):
    store.fail(unit(), ValueError("too hot"))
    store.add(unit(), EMPTY)
    assert store.units("s")[["status", "error"]].to_numpy().tolist() == [["done", None]]


# -- reading --------------------------------------------------------------------------------------------------------


def test_records_come_in_the_order_of_settings_and_repetition_whatever_the_order_of_work(store):
    units = [unit(r, rule=rule) for rule in "ab" for r in (0, 1, 2, 10)]
    for one in np.random.default_rng(0).permutation(len(units)):
        store.add(units[one], EMPTY)
    assert [u for u, _ in store.records("s")] == units


def test_records_can_be_asked_for_by_setting(store):
    for rule, seats in (("a", "x"), ("b", ["x", "y"])):
        store.add(unit(rule=rule, seats=seats), EMPTY)
    assert [json.loads(u.settings)["rule"] for u, _ in store.records("s", rule="b")] == ["b"]
    assert [json.loads(u.settings)["rule"] for u, _ in store.records("s", seats=("x", "y"))] == ["b"]
    assert list(store.records("s", rule="c")) == []


def test_a_setting_that_is_not_one_is_refused_with_those_that_are(store):
    store.add(unit(rule="a", agents=3), EMPTY)
    with pytest.raises(InvalidInput, match="'rules' is no setting of 's'; it has agents, rule"):
        list(store.records("s", rules="a"))


def test_a_sweep_that_is_not_stored_is_refused_with_those_that_are(store):
    store.add(unit(), EMPTY)
    with pytest.raises(InvalidInput, match=r"sweep: 't' is not in .*, which holds \['s'\]; run it first"):
        store.units("t")


def test_records_that_no_sweep_made_are_numbered(store):
    saved = [store.save("played", EMPTY, {"rule": rule}) for rule in ("a", "a", "b")]
    assert [u.repetition for u in saved] == [0, 1, 0]
    assert store.sweeps() == ["played"]


def test_seconds_are_shown_on_request_only(store):
    store.add(unit(), EMPTY, seconds=1.5)
    assert "seconds" not in store.units("s")
    assert store.units("s", timing=True)["seconds"].tolist() == [1.5]
    assert store.seconds(unit()) == 1.5 and store.seconds(unit(7)) is None


# -- names -----------------------------------------------------------------------------------------------------------


def test_a_name_may_be_claimed_again_for_the_same_sweep(store):
    store.register("s", IDENTITY)
    store.register("s", dict(reversed(IDENTITY.items())))
    assert store.finished("s") == set()


@pytest.mark.parametrize(
    "change", [{"seed": 2}, {"study": "t"}, {"settings": ["rule", "agents"]}, {"paired": ["rule"]}]
)
def test_a_name_is_refused_to_another_sweep_with_what_differs(store, change):
    store.register("s", IDENTITY)
    store.add(Unit("s", "{}", 0), Transcript({}, "majority", {}, ()))  # a name without a finished unit is free
    ((key, value),) = change.items()
    with pytest.raises(InvalidInput) as refusal:
        store.register("s", {**IDENTITY, **change})
    assert f"{key} {IDENTITY[key]!r} where {value!r} is asked for; give the new sweep another name" in str(
        refusal.value
    )


# -- damage ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    [b"rule,utility\nmajority,79.6\n", b"SQLite format 3\x00" + b"nonsense" * 200, b"\x00" * 4096, b"PK\x03\x04"],
    ids=["csv", "broken header", "zeros", "zip"],
)
def test_a_file_that_is_no_database_is_refused_and_left_as_it_is(tmp_path, content):
    path = tmp_path / "notes.csv"
    path.write_bytes(content)
    with pytest.raises(DamagedFile, match=r"notes.csv is there, but it is not an SQLite database.*left as it is"):
        Store(path)
    assert path.read_bytes() == content
    assert [p.name for p in tmp_path.iterdir()] == ["notes.csv"]


def test_a_record_that_cannot_be_read_is_named_as_damage(tmp_path):
    path = tmp_path / "study.sqlite"
    opened = Store(path)
    opened.add(unit(), EMPTY)
    with sqlite3.connect(path) as other:
        other.execute("UPDATE units SET record = '{\"rule\": 3}'")
    with pytest.raises(DamagedFile, match="a stored Transcript cannot be read"):
        list(opened.records("s"))
    opened.close()


def test_the_record_of_a_kind_that_is_not_known_is_named_as_damage():
    with pytest.raises(DamagedFile, match="a stored Novel cannot be read"):
        from_json("Novel", "{}")


def test_records_are_frozen():
    for record, field in ((EMPTY, "rule"), (Decision("P1", 1, 1), "candidate"), (unit(), "sweep")):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(record, field, "other")


# -- states of the code ----------------------------------------------------------------------------------------------


def test_units_of_other_code_stay_in_the_file_and_are_not_shown(tmp_path):
    transcript = Transcript({"name": "x"}, "a", {}, ())
    path, unit = tmp_path / "study.sqlite", Unit("s", "{}", 0)
    old, new, plain = Store(path, "old"), Store(path, "new"), Store(path)
    old.add(unit, transcript)
    assert old.finished("s") == {unit} and old.record(unit) == transcript and old.sweeps() == ["s"]
    assert new.finished("s") == set() and new.record(unit) is None and new.sweeps() == []
    assert plain.sweeps() == ["s @ old"] and [r for _, r in plain.records("s @ old")] == [transcript]


def test_the_database_of_another_program_is_refused_and_left_as_it_is(tmp_path):
    path = tmp_path / "other.sqlite"
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE units (metre REAL)")
    with pytest.raises(DamagedFile, match="not a study's: its table 'units' has the columns metre"):
        Store(path)
    tables = sqlite3.connect(path).execute("SELECT name FROM sqlite_master").fetchall()
    assert tables == [("units",)]
