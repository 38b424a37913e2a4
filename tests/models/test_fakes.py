"""Fakes: scripts, recordings with a bad day's faults, and replies that fit any form."""

import asyncio
import gzip
import json
import random
from enum import StrEnum
from typing import Annotated, Literal

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field, create_model

from support.data import ROOT
from support.errors import CallFailed, InvalidInput, MalformedReply, MissingData
from support.models.calls import collected
from support.models.fakes import Fake, Writer, practice, scripted, stand_in, tokens, words
from support.models.model import Completion
from support.models.profiles import TIGHT, Profile

RECORDED = ["roundtable_exchange", "meeting", "fair_decisions", "meeting_survey", "rehearsal_organizer"]
FILE = ROOT / "data" / "replies" / "start_here.jsonl.gz"


def ask(model, messages="Who?", **arguments):
    return asyncio.run(model.reply(messages, **arguments))


def recording(name):
    with gzip.open(ROOT / "data" / "replies" / f"{name}.jsonl.gz", "rt") as file:
        return [json.loads(line) for line in file]


class Vote(BaseModel):
    candidate: str


def test_a_script_is_lines_or_a_function_of_the_messages():
    async def later(messages):
        return {"candidate": messages[-1]["content"]}

    for script in (['{"candidate": "P1"}'], [{"candidate": "P1"}], [Vote(candidate="P1")]):
        assert ask(scripted(script), schema=Vote).value == Vote(candidate="P1")
    assert ask(scripted(later), schema=Vote).value.candidate == "Who?"
    with pytest.raises(CallFailed, match="out of order"):
        ask(scripted([CallFailed("out of order")]))
    generous = scripted([], "echo", profile=Profile(name="echo"))
    assert (scripted([]).limits, generous.limits.tight, generous.name) == (TIGHT, False, "echo")


@pytest.mark.parametrize("replies", ["one text", None, 3, [3], []])
def test_what_is_no_script_or_runs_out_is_an_input_error(replies):
    with pytest.raises(InvalidInput, match=r"replies|scripted reply to 'Who\?'"):
        ask(scripted(replies))


def test_practice_replies_what_was_recorded_at_a_pretended_price_whatever_fails(tmp_path, monkeypatch):
    async def answer(request):
        return Completion(request.messages[-1][1].upper(), 100, 10)

    recorded, questions = Fake("somebody", "somewhere", answer).asked(None, tmp_path / "s.sqlite"), list("abcdefgh")
    assert [ask(recorded, question, seed=3).text for question in questions] == list("ABCDEFGH")
    recorded.cache.export(tmp_path / "r.jsonl.gz")
    monkeypatch.setattr("support.models.attempts.FIRST_WAIT", 0.001)
    monkeypatch.setattr("support.models.fakes.FAULTS", {"429": (False, 0.001), "time-out": (True, None)})
    model = practice(tmp_path / "r.jsonl.gz", latency=0, faults=0.5, seed=1)
    with collected() as calls:
        replies = [ask(model, question, seed=3) for question in questions]
    assert [reply.text for reply in replies] == list("ABCDEFGH")
    assert {reply.cost for reply in replies} == {(0.15 * 100 + 0.6 * 10) / 1e6}
    assert {fault.kind for call in calls for fault in call.faults} == {"429", "time-out"}


def test_practice_refuses_what_it_cannot_play(tmp_path):
    with pytest.raises(InvalidInput, match=r"start_here\.jsonl\.gz holds no reply to 'Something else"):
        ask(practice(FILE, latency=0), "Something else")
    with pytest.raises(InvalidInput, match="without its questions"):
        practice(FILE.with_name("dialogue_acts.jsonl.gz"))
    with pytest.raises(MissingData, match="no recording at"):
        practice(tmp_path / "nothing.gz")
    for faults in (1, -0.1, "a third", True):
        with pytest.raises(InvalidInput, match="faults="):
            practice(FILE, faults=faults)


class Colour(StrEnum):
    red = "red"
    blue = "blue"


class Part(BaseModel):
    name: str = Field(min_length=3, max_length=12)
    size: float = Field(gt=0, lt=0.5)


class Tree(BaseModel):
    label: Colour
    children: list["Tree"] = Field(max_length=3)


class Everything(BaseModel):
    text: str = Field(max_length=80)
    clock: Annotated[str, Field(pattern=r"^(Mon|Tues)day [0-9]{1,2}:\d{2}( sharp)?$")]
    colour: Colour
    only: Literal["this"]
    count: int = Field(ge=3, le=4)
    above: int = Field(gt=3, lt=6)
    yes: bool
    maybe: Part | None
    either: Part | int
    parts: list[Part] = Field(min_length=1, max_length=4)
    pair: tuple[int, str]
    tree: Tree


def numbers(kind):
    ends = st.tuples(st.integers(-20, 20), st.integers(0, 50))
    return ends.map(lambda p: {"type": kind, "minimum": p[0], "maximum": p[0] + p[1]})


leaves = st.one_of(
    st.sampled_from([{"type": "null"}, {"type": "boolean"}, {"const": 3}]),
    st.lists(st.text(max_size=5), min_size=1, max_size=4, unique=True).map(lambda some: {"enum": some}),
    st.tuples(st.integers(0, 5), st.integers(0, 60)).map(
        lambda p: {"type": "string", "minLength": p[0], "maxLength": p[0] + p[1]}
    ),
    numbers("integer"),
    numbers("number"),
)
schemas = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.tuples(inner, st.integers(0, 3), st.integers(0, 4)).map(
            lambda p: {"type": "array", "items": p[0], "minItems": p[1], "maxItems": p[1] + p[2]}
        ),
        st.lists(inner, min_size=1, max_size=3).map(lambda some: {"anyOf": some}),
        st.dictionaries(st.text("abc", min_size=1, max_size=3), inner, max_size=3).map(
            lambda parts: {
                "type": "object",
                "properties": parts,
                "required": list(parts),
                "additionalProperties": False,
            }
        ),
    ),
    max_leaves=8,
)


@settings(max_examples=80, deadline=None)
@given(schemas, st.sampled_from([0.01, 0.25, 1.0]), st.sampled_from([0.0, 0.5]), st.integers(0, 2**32))
def test_property_what_is_drawn_fits_its_schema(schema, fill, ends, seed):
    jsonschema.validate(Writer(random.Random(seed), fill, ends, {}).value(schema), schema)


@pytest.mark.parametrize("fill", [0.01, 0.25, 1.0])
def test_every_kind_of_field_is_answered_without_a_repair(fill):
    for seed in range(30):
        assert ask(stand_in(seed, fill), schema=Everything, max_tokens=20_000).attempts == 1


@pytest.mark.parametrize("name", RECORDED)
def test_the_forms_of_the_recorded_runs_are_filled_in_and_their_tokens_counted(name):
    lines = recording(name)
    for schema in map(json.loads, {line["request"]["schema"] for line in lines if line["request"]["schema"]}):
        for fill in (0.25, 1.0):
            jsonschema.validate(Writer(random.Random(1), fill, 0.5, schema.get("$defs", {})).value(schema), schema)
    asked = [[text for _, text in line["request"]["messages"]] for line in lines]
    ours = sum(sum(map(tokens, texts)) + 5 * len(texts) for texts in asked)
    assert 0.85 < ours / sum(line["reply"]["prompt_tokens"] for line in lines) < 1.1


def test_a_reply_depends_on_the_seed_and_the_question_not_on_the_order():
    first = [ask(stand_in(1), question, max_tokens=30).text for question in ("a", "b")]
    one = stand_in(1)
    assert first == [ask(one, question, max_tokens=30).text for question in ("b", "a")][::-1]
    assert len({ask(stand_in(seed), "a", schema=Everything, max_tokens=9000).text for seed in range(5)}) == 5


@given(st.integers(0, 700), st.integers(0, 99))
def test_words_have_the_length_that_is_asked(length, seed):
    made = words(length, random.Random(seed))
    assert len(made) == length and (length < 2 or made.strip() == made)


@pytest.mark.parametrize(("fill", "length"), [(0.1, 20), (0.25, 50), (1.0, 200)])
def test_a_text_is_filled_to_the_share_that_is_asked_and_cut_where_there_is_no_room(fill, length):
    form = create_model("Said", text=(str, Field(max_length=200)))
    assert len(ask(stand_in(fill=fill), schema=form).value.text) == length
    for schema in (None, create_model("Said", text=(str, Field(max_length=5000)))):
        reply = ask(stand_in(fill=1.0), schema=schema, max_tokens=60)
        assert 20 < reply.usage.completion_tokens <= 60 and reply.finish_reason == "stop"
    with pytest.raises(MalformedReply, match="more room in max_tokens"):
        ask(stand_in(), schema=create_model("Said", text=(str, Field(min_length=500))), max_tokens=20)
    assert ask(stand_in(chars_per_token=4.0), "x" * 41, max_tokens=100).usage.prompt_tokens == 11


def test_shares_sum_to_one_whole_lists_name_nothing_twice_and_ends_come_as_often_as_asked():
    row = {"type": "array", "items": {"type": "number", "minimum": 0, "maximum": 8}, "minItems": 2, "maxItems": 2}
    points = {"type": "integer", "minimum": 0, "maximum": 3}
    writer = Writer(random.Random(0), 0.25, 0.5, {})
    amounts = writer.value({"type": "object", "properties": {name: {**row, "title": name} for name in "abc"}})
    assert [sum(column) for column in zip(*amounts.values(), strict=True)] == pytest.approx([8, 8])
    assert sum(writer.value({"type": "object", "properties": dict.fromkeys("abc", points)}).values()) == 3
    schema = {"type": "array", "items": {"enum": ["a", "b", "c"]}, "maxItems": 3}
    lists = [writer.value(schema) for _ in range(40)]
    assert all(len(set(one)) == len(one) for one in lists) and 10 < sum(len(one) == 3 for one in lists) < 40
    done = create_model("Remark", status=(Literal["RUNNING", "FINISH"], ...), done=(bool, ...), end=(bool | None, ...))
    for ends in (0.0, 1.0):
        drawn = [ask(stand_in(seed, ends=ends), schema=done).value for seed in range(20)]
        assert {(one.status == "FINISH", one.done, one.end is True) for one in drawn} == {(ends > 0,) * 3}


@pytest.mark.parametrize("wrong", [{"fill": 0}, {"fill": 1.1}, {"fill": "much"}, {"seed": -1}, {"ends": 2}])
def test_what_does_not_fit_is_named(wrong):
    with pytest.raises(InvalidInput, match=f"{next(iter(wrong))}="):
        stand_in(**wrong)
