"""Fakes: scripts, recordings with a bad day's faults, and replies that fit any form."""

import asyncio
import gzip
import json
import random

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field, create_model

from support.data import ROOT
from support.errors import CallFailed, InvalidInput, MalformedReply
from support.models.stand_ins import Writer, scripted, stand_in, tokens

RECORDED = [
    "roundtable_exchange",
    "meeting",
    "fair_decisions",
    "meeting_survey",
    "rehearsal_organizer",
]
FILE = ROOT / "data" / "replies" / "start_here.jsonl.gz"


def ask(model, messages="Who?", **arguments):
    return asyncio.run(model.reply(messages, **arguments))


class Vote(BaseModel):
    candidate: str


async def later(messages):
    return {"candidate": messages[-1]["content"]}


SAID = {"candidate": "Who?"}


@pytest.mark.parametrize(
    "script", [[json.dumps(SAID)], [SAID], [Vote(candidate="Who?")], later]
)
def test_a_script_is_lines_or_a_function_of_the_messages(script):
    assert ask(scripted(script), schema=Vote).value == Vote(candidate="Who?")


BAD = [
    (lambda: scripted([3]), InvalidInput, r"scripted reply to 'Who\?'"),
    (lambda: scripted([]), InvalidInput, r"scripted reply to 'Who\?'"),
    (lambda: scripted([CallFailed("out of order")]), CallFailed, "out of order"),
]


@pytest.mark.parametrize(("make", "error", "said"), BAD)
def test_what_is_no_script_or_runs_out_is_told(make, error, said):
    with pytest.raises(error, match=said):
        ask(make())


def bounded(kind, least, most, *names):
    """Forms of a kind with two bounds."""
    ends = st.tuples(st.integers(*least), st.integers(0, most))
    return ends.map(
        lambda p: {"type": kind, **dict(zip(names, (p[0], sum(p)), strict=True))}
    )


def forms(inner):
    """Lists, choices and objects of other forms."""
    names = st.text("abc", min_size=1, max_size=3)
    some = st.lists(inner, min_size=1, max_size=3)
    lists = bounded("array", (0, 3), 4, "minItems", "maxItems")
    return st.one_of(
        st.builds(lambda one, items: {**one, "items": items}, lists, inner),
        some.map(lambda kinds: {"anyOf": kinds}),
        st.dictionaries(names, inner, max_size=3).map(
            lambda parts: {
                "type": "object",
                "properties": parts,
                "required": list(parts),
            }
        ),
    )


PATTERNS = [r"^(Mon|Tues)day [0-9]{1,2}:[0-9]{2}$", "^20[0-9]{2}-(0[1-9]|1[0-2])$"]
LEAVES = st.one_of(
    st.sampled_from([{"type": "null"}, {"type": "boolean"}, {"const": 3}]),
    st.sampled_from([{"$ref": "#/$defs/0"}, {"$ref": "#/$defs/1"}]),
    st.lists(st.text(max_size=5), min_size=1, max_size=4, unique=True).map(
        lambda choices: {"enum": choices}
    ),
    bounded("string", (0, 5), 60, "minLength", "maxLength"),
    bounded("integer", (-20, 20), 50, "minimum", "maximum"),
    bounded("number", (-20, 20), 50, "minimum", "maximum"),
)
DEFS = {str(n): {"type": "string", "pattern": one} for n, one in enumerate(PATTERNS)}


@settings(max_examples=80)
@given(
    st.recursive(LEAVES, forms, max_leaves=8),
    st.sampled_from([0.01, 0.25, 1.0]),
    st.integers(0, 2**32),
)
def test_property_what_is_drawn_fits_its_schema(schema, fill, seed):
    whole = {**schema, "$defs": DEFS}
    jsonschema.validate(Writer(random.Random(seed), fill, whole).value(whole), whole)


@pytest.mark.parametrize("name", RECORDED)
def test_the_forms_of_the_recorded_runs_are_filled_in_and_their_tokens_counted(name):
    with gzip.open(FILE.with_name(f"{name}.jsonl.gz"), "rt") as file:
        lines = [json.loads(line) for line in file]
    for text in {line["request"]["schema"] for line in lines} - {None}:
        schema = json.loads(text)
        for fill in (0.25, 1.0):
            made = Writer(random.Random(1), fill, schema).value(schema)
            jsonschema.validate(made, schema)
    asked = [text for line in lines for _, text in line["request"]["messages"]]
    theirs = sum(line["reply"]["prompt_tokens"] for line in lines)
    assert 0.85 < sum(tokens(text) + 5 for text in asked) / theirs < 1.1


def test_a_reply_depends_on_the_seed_and_the_question_not_on_the_order():
    one, two = stand_in(1), stand_in(1)
    assert [ask(one, text).text for text in "ab"] == [
        ask(two, text).text for text in "ba"
    ][::-1]
    assert len({ask(stand_in(seed)).text for seed in range(9)}) > 4
    again = [ask(one, repetition=number).text for number in range(3)]
    assert len(set(again)) == 1  # without a seed it is one question, asked again
    drawn = [ask(one, repetition=n, seed=n, temperature=0.7).text for n in range(3)]
    assert len(set(drawn)) == 3


def test_a_text_has_a_part_of_its_length_and_is_cut_where_there_is_no_room():
    def said(**bounds):
        return create_model("Said", text=(str, Field(**bounds)))

    assert len(ask(stand_in(), schema=said(max_length=200)).value.text) == 50
    for schema in (None, said(max_length=5000)):
        reply = ask(stand_in(), schema=schema, max_tokens=60)
        assert 10 < reply.completion_tokens <= 60
        assert reply.finish_reason == "stop"
    with pytest.raises(MalformedReply, match="more room in max_tokens"):
        ask(stand_in(), schema=said(min_length=500), max_tokens=20)


def test_shares_sum_to_the_whole_lists_name_nothing_twice():
    writer = Writer(random.Random(0), 0.25, {})

    def drawn(part):
        parts = {name: {**part, "title": name} for name in "abc"}
        return [*writer.value({"type": "object", "properties": parts}).values()]

    amount = {"type": "number", "minimum": 0, "maximum": 8}
    rows = drawn({"type": "array", "items": amount, "minItems": 2, "maxItems": 2})
    assert [sum(column) for column in zip(*rows, strict=True)] == pytest.approx([8, 8])
    assert sum(drawn({"type": "integer", "minimum": 0, "maximum": 3})) == 3
    choices = {"type": "array", "items": {"enum": ["a", "b", "c"]}, "maxItems": 3}
    lists = [writer.value(choices) for _ in range(40)]
    assert all(len(set(one)) == len(one) for one in lists)
