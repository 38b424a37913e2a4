"""An edited study is told, objects stand in a grid, and any record is kept."""

import asyncio
import dataclasses
import linecache
import math
from functools import partial
from pathlib import Path

import pytest
from pydantic import BaseModel

from support.choice import RULES
from support.errors import InvalidInput
from support.models.stand_ins import scripted
from support.roundtable.mechanism import CHAIR, MECHANISMS, ROUNDTABLE
from support.roundtable.study import roundtable_exchange
from support.runs.frames import units_frame
from support.runs.source import fingerprint
from support.runs.study import from_json, packed
from support.runs.sweep import Sweep

BASE = """
import math
from dataclasses import dataclass, field
from pydantic import BaseModel, Field
from support.choice import Rule
RATES = {"a": 0.5}
LOG = []
class Said(BaseModel):
    text: str = Field(max_length=80)
@dataclass
class Kept:
    value: int = field(default=1)
class Agent:
    _steps = 3
    def speak(self, x):
        return helper(x) * self._steps
class Mine(Rule):
    name, form, explanation = "mine", "ranking", "The first counts."
    def weights(self, places):
        return [1] * places
def helper(x):
    return x + RATES["a"]
def unused(x):
    return x
def made(by):
    async def study(rng, rule="a"):
        LOG.append(rule)
        return {"x": Agent().speak(1.0) * by, "root": math.sqrt(4), "n": len([Said, Kept])}
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
    name, lines = f"<cell {number}>", text.splitlines(keepends=True)
    linecache.cache[name] = (len(text), None, lines, name)
    exec(compile(text, name, "exec"), names)
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
    "a method": (" * self", " + self"),
    "a form": ("max_length=80", "max_length=90"),
    "a field": ("default=1", "default=2"),
    "a closure": ("made(2)", "made(3)"),
    "a default": ('rule="a"', 'rule="b"'),
}


@pytest.mark.parametrize("change", OTHER)
def test_an_edit_that_may_change_a_result_is_told_from_one_that_does_not(change):
    three = [cell(), cell(*SAME), cell(OTHER[change])]
    study, same, edited = (names["study"] for names in three)
    assert fingerprint(study) == fingerprint(same) != fingerprint(edited)


def test_an_edited_study_is_refused_until_its_old_units_are_dropped(store):
    study, edited = cell()["study"], cell(OTHER["the study"])["study"]
    run(store, study)
    assert study.__globals__["LOG"]  # what the study changes is no constant
    assert run(store, study)[1].skipped == 4
    told = r"with other code of the study.*another name or file.*store.forget\('s'\)"
    with pytest.raises(InvalidInput, match=told):
        run(store, edited)
    store.forget("s")
    assert run(store, edited)[1].done == 4


def test_an_edited_rule_that_a_grid_has_by_its_name_is_told(store, monkeypatch):
    rules = [cell()["Mine"], cell(("[1] *", "[2] *"))["Mine"]]

    def played(rule, *names):
        monkeypatch.setitem(RULES, "mine", rule())
        grid = {"rule": list(names), "rounds": [1]}
        return run(store, roundtable_exchange, **grid)[1]

    assert played(rules[0], "mine").done == 2
    assert played(rules[0], "mine", "ranked").done == 2  # the grid may grow
    with pytest.raises(InvalidInput, match="with other code of mine: it, or"):
        played(rules[1], "mine")
    assert played(rules[1], "ranked").skipped == 2


def test_an_edited_mechanism_that_a_grid_has_by_its_name_is_told(store, monkeypatch):
    def played(mechanism):
        monkeypatch.setitem(MECHANISMS, "mine", mechanism)
        grid = {"rule": ["majority"], "rounds": [1], "mechanism": ["mine"]}
        return run(store, roundtable_exchange, **grid)[1]

    assert played(dataclasses.replace(CHAIR, name="mine")).done
    with pytest.raises(InvalidInput, match="with other code of mine: it, or"):
        played(dataclasses.replace(ROUNDTABLE, name="mine"))


def test_a_partial_is_told_by_its_arguments_a_lambda_by_its_code():
    study = cell()["study"]
    made = [partial(study), partial(study, rule="c")]
    made += [partial(study, by=by) for by in (lambda x: x, lambda x: x + 1)]
    made += [reading(Start((word,))) for word in "aba"]
    prints = [fingerprint(one) for one in made]
    assert len(set(prints)) == 6 and prints[-1] == prints[-3]


class Rule:
    def __init__(self, weight):
        self.name, self.weight = "weighted", weight


async def weigh(rng, rule, agent=None):
    return {"weight": rule.weight, "draw": rng.random()}


def test_objects_stand_in_a_grid_by_name_and_source_and_reach_the_study(store):
    agents = [Rule, weigh, "plain"]
    what, count = run(store, weigh, rule=[Rule(1), Rule(2)], agent=agents)
    frame = units_frame(what, store)
    assert count.done == 12 and sorted(frame["weight"].unique()) == [1, 2]
    told = frame.groupby("rule")["rule source"].nunique().to_dict()
    assert told == {"weighted": 2}
    assert run(store, weigh, rule=[Rule(2), Rule(1)], agent=["plain"])[1].skipped == 4
    assert {part["name"] for part in what.parameters["agent"][:2]} == {"Rule", "weigh"}


CONNECTED = scripted(str, "chat")
REFUSED = [{1, 2}, object(), Path("/no/such/prompts"), CONNECTED]


@pytest.mark.parametrize("value", REFUSED)
def test_what_has_neither_name_nor_source_and_a_model_itself_are_refused(value):
    nothing = "it is not there, or has no name"
    said = 'name it: "model:chat"' if value is CONNECTED else nothing
    with pytest.raises(InvalidInput, match=rf"grid: rule=.* given; .*{said}"):
        Sweep("s", weigh, {"rule": [value]}, 1, 1)


@dataclasses.dataclass(frozen=True)
class Outcome:
    share: float
    plan: tuple[int, ...] = (1, 2)


class Answer(BaseModel):
    text: str
    scores: dict[str, float] = {}


RECORDS = [
    {"a": 1, "b": [1, {"c": None}]},
    Outcome(math.inf, ()),
    Answer(text="é", scores={"a": 0.1}),
]


@pytest.mark.parametrize("record", RECORDS)
def test_any_record_comes_back_equal_or_as_a_dict_where_its_class_is_gone(record):
    made = packed(record)
    assert from_json(made.kind, made.text) == record
    gone = made.kind if made.kind == "dict" else f"{made.kind}Gone"
    assert (
        from_json(gone, made.text).keys() == getattr(record, "__dict__", record).keys()
    )


@pytest.mark.parametrize("none", [3, None, {"a": object()}, [1]])
def test_what_is_no_record_is_refused(none):
    with pytest.raises(InvalidInput, match=r"record: .* given .*plain data, a datacl"):
        packed(none)
