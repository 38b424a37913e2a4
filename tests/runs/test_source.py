"""An edited study is told, objects stand in a grid, and any record is kept."""

import asyncio
import dataclasses
import json
import linecache
import math
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest
from pydantic import BaseModel

from support.errors import InvalidInput
from support.roundtable.study import roundtable_exchange
from support.runs.frames import units_frame
from support.runs.source import fingerprint
from support.runs.study import from_json, packed
from support.runs.sweep import Sweep

BASE = """
import math
from dataclasses import dataclass
RATES = {"a": 0.5}
LOG = []
class Agent:
    steps = 3
    def speak(self, x):
        return helper(x) * self.steps
def helper(x):
    return x + RATES["a"]
def unused(x):
    return x
def made(by):
    async def study(rng, rule="a"):
        LOG.append(rule)
        return {"x": Agent().speak(1.0) * by, "root": math.sqrt(4)}
    return study
study = made(2)
"""
number = 0


def cell(*changes):
    """What a notebook's cells define, some of their text changed."""
    global number
    text, names, number = BASE, {"__name__": "__main__"}, number + 1
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    linecache.cache[f"<cell {number}>"] = (
        len(text),
        None,
        text.splitlines(keepends=True),
        f"<cell {number}>",
    )
    exec(compile(text, f"<cell {number}>", "exec"), names)
    return names


def run(store, study, **grid):
    what = Sweep("s", study, grid or {"rule": ["a", "b"]}, 2, 7)
    return what, asyncio.run(what.run(store, progress=False))


@dataclasses.dataclass(frozen=True, slots=True)
class Start:
    words: tuple[str, ...]


def reading(start):
    return lambda rng: start.words


SAME = [
    ("return helper(x)", "# so\n        return  helper(x)"),
    ("return x\ndef made", "return -x\ndef made"),  # another function
    ("RATES =", "LATER = 1\nRATES ="),
]
OTHER = {
    "the study": ("math.sqrt(4)", "math.sqrt(9)"),
    "a function that it calls": ("x + RATES", "x - RATES"),
    "a constant": ("0.5", "0.7"),
    "a class": ("steps = 3", "steps = 4"),
    "a method": (" * self.steps", " + self.steps"),
    "a closure": ("made(2)", "made(3)"),
    "a default": ('rule="a"', 'rule="b"'),
}


@pytest.mark.parametrize("change", OTHER)
def test_an_edit_that_may_change_a_result_is_told_from_one_that_does_not(change):
    study, same, edited = (
        cell(*changes)["study"] for changes in ((), SAME, (OTHER[change],))
    )
    assert fingerprint(study) == fingerprint(same) != fingerprint(edited)


def test_an_edited_study_is_refused_until_its_old_units_are_dropped(store):
    (names, edited) = cell(), cell(OTHER["the study"])["study"]
    study = names["study"]
    what, _ = run(store, study)
    assert names["LOG"] and run(store, study)[1].skipped == 4, (
        "what the study changes is no constant"
    )
    before = {key: value for key, value in what.identity({}).items() if key != "source"}
    with store._db:
        store._db.execute("UPDATE sweeps SET identity = ?", (json.dumps(before),))
    assert run(store, study)[1].skipped == 4, (
        "a file from before takes the code as it is"
    )
    with pytest.raises(
        InvalidInput,
        match=r"with other code.*another name or file.*store.forget\('s'\)",
    ):
        run(store, edited)
    store.forget("s")
    assert run(store, edited)[1].done == 4
    assert "source" not in Sweep(
        "s", roundtable_exchange, {"rule": ["majority"]}, 1, 1
    ).identity({})


def test_a_partial_is_told_by_its_arguments_a_lambda_by_its_code_and_a_constant_s_fields_are_looked_into():
    study = cell()["study"]
    made = [
        partial(study),
        partial(study, rule="c"),
        *(partial(study, by=by) for by in (lambda x: x, lambda x: x + 1)),
    ]
    made += [reading(Start((word,))) for word in "aba"]
    prints = [fingerprint(one) for one in made]
    assert len(set(prints)) == 6 and prints[-1] == prints[-3]


# -- objects in a grid ------------------------------------------------------------------------------------------------


class Rule:
    def __init__(self, weight):
        self.name, self.weight = "weighted", weight


async def weigh(rng, rule, agent=None):
    return {"weight": rule.weight, "draw": rng.random()}


def test_objects_stand_in_a_grid_by_name_and_source_and_reach_the_study_themselves(
    store,
):
    what, count = run(
        store, weigh, rule=[Rule(1), Rule(2)], agent=[Rule, weigh, "plain"]
    )
    frame = units_frame(what, store)
    assert count.done == 12 and sorted(frame["weight"].unique()) == [1, 2]
    told = frame.groupby("rule")["rule source"].nunique().to_dict()
    assert told == {"weighted": 1, "weighted (2)": 1}
    assert run(store, weigh, rule=[Rule(2), Rule(1)], agent=["plain"])[1].skipped == 4
    assert {part["name"] for part in what.parameters["agent"][:2]} == {"Rule", "weigh"}


CONNECTED = SimpleNamespace(name="chat", model="chat", endpoint="there")


@pytest.mark.parametrize(
    "value", [{1, 2}, object(), Path("/no/such/prompts"), CONNECTED]
)
def test_what_has_neither_name_nor_source_and_a_model_itself_are_refused(value):
    said = (
        'name it: "model:chat"'
        if value is CONNECTED
        else "it is not there, or has no name"
    )
    with pytest.raises(
        InvalidInput,
        match=rf"grid: rule=.* given; expected text, a number or a list, or .*{said}",
    ):
        Sweep("s", weigh, {"rule": [value]}, 1, 1)


# -- any record -------------------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Outcome:
    share: float
    plan: tuple[int, ...] = (1, 2)
    rounds: int = 3


class Answer(BaseModel):
    text: str
    scores: dict[str, float] = {}


RECORDS = [
    {"a": 1, "b": [1, {"c": None}]},
    Outcome(0.5),
    Outcome(math.inf, ()),
    Answer(text="é", scores={"a": 0.1}),
]


def test_any_record_comes_back_equal_or_as_a_dict_where_its_class_is_gone_and_what_is_none_is_refused():
    for record in RECORDS:
        made = packed(record)
        assert from_json(made.kind, made.text) == record
        plain = from_json(
            made.kind.replace("Outcome", "Gone").replace("Answer", "Gone"), made.text
        )
        assert (
            isinstance(plain, dict)
            and plain.keys() == dict(getattr(record, "__dict__", record)).keys()
        )
    for none in (3, None, {"a": object()}, [1]):
        with pytest.raises(
            InvalidInput,
            match=r"record: .* given .*the store keeps .*plain data, a dataclass",
        ):
            packed(none)
