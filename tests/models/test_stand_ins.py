"""Fakes: scripts, recordings with a bad day's faults, and replies that fit any form."""

import asyncio
import gzip
import json
import random

import jsonschema
import pytest
from pydantic import BaseModel, Field, create_model

from support.data import ROOT
from support.errors import CallFailed, InvalidInput, MalformedReply
from support.models.stand_ins import Writer, scripted, stand_in, tokens

RECORDED = [
    "roundtable_exchange",
    "meeting_evaluator",
    "fair_decisions",
    "meeting_survey",
    "policy_selection",
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


WHOLE = {
    "$defs": {"Day": {"type": "string", "pattern": "^(Mon|Tues)day [0-9]{1,2}$"}},
    "type": "object",
    "properties": {
        "day": {"$ref": "#/$defs/Day"},
        "null": {"type": "null"},
        "kind": {"const": 3},
        "sure": {"anyOf": [{"type": "boolean"}, {"type": "null"}]},
        "text": {"type": "string", "minLength": 5, "maxLength": 60},
        "count": {"type": "integer", "minimum": -20, "maximum": -3},
        "share": {"type": "number", "minimum": 2, "maximum": 3},
        "days": {"type": "array", "items": {"$ref": "#/$defs/Day"}, "minItems": 3},
        "few": {"type": "array", "items": {"enum": list("abcd")}, "maxItems": 4},
    },
}
WHOLE["required"] = list(WHOLE["properties"])


@pytest.mark.parametrize("fill", [0.01, 0.25, 1.0])
def test_what_is_drawn_fits_its_schema(fill):
    for seed in range(60):
        writer = Writer(random.Random(seed), fill, WHOLE)
        jsonschema.validate(writer.value(WHOLE), WHOLE)


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
