"""An edited study is told, objects stand in a grid, and any record is kept."""

import asyncio
import linecache
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from support.choice import RULES
from support.errors import InvalidInput
from support.models.stand_ins import scripted
from support.roundtable.mechanism import CHAIR, IN_TURN, MECHANISMS
from support.roundtable.study import roundtable_exchange
from support.runs.frames import units_frame
from support.runs.source import fingerprint
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


SAME = [
    ("return helper(x)", "# so\n        return  helper(x)"),
    ("return x\ndef made", "return -x\ndef made"),  # another function
    ("RATES =", "LATER = 1\nRATES ="),
    ("RATES =", "sqrt = 1\nRATES ="),  # named as an attribute that is read
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
    assert frame["rule source"].nunique() == 2
    assert run(store, weigh, rule=[Rule(2), Rule(1)], agent=["plain"])[1].skipped == 4


CONNECTED = scripted(str, "chat")
REFUSED = [{1, 2}, object(), Path("/no/such/prompts"), CONNECTED]


@pytest.mark.parametrize("value", REFUSED)
def test_what_has_neither_name_nor_source_and_a_model_itself_are_refused(value):
    nothing = "it is not there, or has no name"
    said = 'name it: "model:chat"' if value is CONNECTED else nothing
    with pytest.raises(InvalidInput, match=rf"grid: rule=.* given; .*{said}"):
        Sweep("s", weigh, {"rule": [value]}, 1, 1)


REGISTERED = [
    ("rule", RULES, cell()["Mine"](), cell(("[1] *", "[2] *"))["Mine"]()),
    ("mechanism", MECHANISMS, *(replace(one, name="mine") for one in (CHAIR, IN_TURN))),
]


@pytest.mark.parametrize(("where", "known", "first", "other"), REGISTERED)
def test_an_edited_rule_or_mechanism_that_a_grid_has_by_its_name_is_told(
    store, monkeypatch, where, known, first, other
):
    grid = {"rule": ["majority"], "rounds": [1], where: ["mine"]}
    monkeypatch.setitem(known, "mine", first)
    assert run(store, roundtable_exchange, **grid)[1].done == 2
    monkeypatch.setitem(known, "mine", other)
    with pytest.raises(InvalidInput, match="with other code of mine: it, or"):
        run(store, roundtable_exchange, **grid)


def test_a_partial_is_told_by_its_arguments_a_lambda_by_its_code():
    study = cell()["study"]
    made = [partial(study, rule=rule) for rule in "ac"]
    made += [partial(study, by=by) for by in (lambda x: x, lambda x: x + 1)]
    prints = [fingerprint(one) for one in (study, *made)]
    assert len(set(prints)) == 5
