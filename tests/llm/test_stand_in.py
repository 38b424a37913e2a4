import asyncio
import gzip
import json
import re
from enum import StrEnum
from typing import Annotated, Literal

import jsonschema
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field, create_model

from support.data import ROOT
from support.errors import InvalidInput, MalformedReply
from support.llm.drawn import Writer, words
from support.llm.stand_in import stand_in, tokens


def ask(model, messages="Who?", **arguments):
    return asyncio.run(model.reply(messages, **arguments))


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
    clock: Annotated[str, Field(pattern=r"^[0-9]{1,2}:[0-9]{2}$")]
    colour: Colour
    only: Literal["this"]
    count: int = Field(ge=3, le=4)
    even: int = Field(ge=1, le=9, multiple_of=2)
    yes: bool
    maybe: Part | None
    either: Part | int
    parts: list[Part] = Field(min_length=1, max_length=4)
    pair: tuple[int, str]
    tree: Tree


def numbers(kind, low, high):
    return st.tuples(st.integers(low, high), st.integers(0, 50)).map(
        lambda p: {"type": kind, "minimum": p[0], "maximum": p[0] + p[1]}
    )


leaves = st.one_of(
    st.sampled_from([{"type": "null"}, {"type": "boolean"}, {"const": 3}, {"type": ["integer", "null"]}]),
    st.lists(st.text(max_size=5), min_size=1, max_size=4, unique=True).map(lambda some: {"enum": some}),
    st.tuples(st.integers(0, 5), st.integers(0, 60)).map(
        lambda p: {"type": "string", "minLength": p[0], "maxLength": p[0] + p[1]}
    ),
    numbers("integer", -20, 20),
    numbers("number", -20, 20),
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
    jsonschema.validate(Writer(np.random.default_rng(seed), fill, ends, {}).value(schema), schema)


@pytest.mark.parametrize("fill", [0.01, 0.25, 1.0])
def test_every_kind_of_field_is_answered_without_a_repair(fill):
    for seed in range(30):
        assert ask(stand_in(seed, fill), schema=Everything, max_tokens=20_000).attempts == 1


def recorded_forms(name):
    with gzip.open(ROOT / "data" / "replies" / f"{name}.jsonl.gz", "rt") as file:
        asked = [json.loads(line)["request"] for line in file]
    return sorted({request["schema"] for request in asked if request.get("schema")})


@pytest.mark.parametrize(
    "name", ["roundtable_exchange", "meeting", "fair_decisions", "meeting_survey", "rehearsal_organizer"]
)
def test_the_forms_of_the_recorded_runs_are_filled_in(name):
    for text in recorded_forms(name):
        schema = json.loads(text)
        for fill in (0.25, 1.0):
            made = Writer(np.random.default_rng(1), fill, 0.5, schema.get("$defs", {})).value(schema)
            jsonschema.validate(made, schema)


def test_a_reply_depends_on_the_seed_and_the_question_not_on_the_order():
    one, other = stand_in(1), stand_in(1)
    first = [ask(one, q, max_tokens=30).text for q in ("a", "b")]
    assert first == [ask(other, q, max_tokens=30).text for q in ("b", "a")][::-1]
    assert len({ask(stand_in(seed), "a", schema=Everything, max_tokens=9000).text for seed in range(5)}) == 5
    assert (
        ask(one, "a", schema=Everything, max_tokens=9000).text != ask(one, "c", schema=Everything, max_tokens=9000).text
    )


@given(st.integers(0, 700), st.integers(0, 99))
def test_words_have_the_length_that_is_asked(length, seed):
    made = words(length, np.random.default_rng(seed))
    assert len(made) == length and (length < 2 or made.strip() == made) and not re.search(r"\d", made)


@pytest.mark.parametrize(("fill", "length"), [(0.1, 20), (0.25, 50), (1.0, 200)])
def test_a_text_is_filled_to_the_share_that_is_asked(fill, length):
    form = create_model("Said", text=(str, Field(max_length=200)))
    assert len(ask(stand_in(fill=fill), schema=form).value.text) == length


@pytest.mark.parametrize("schema", [None, create_model("Said", text=(str, Field(max_length=5000)))])
def test_a_reply_keeps_to_max_tokens(schema):
    reply = ask(stand_in(fill=1.0), schema=schema, max_tokens=60)
    assert 20 < reply.usage.completion_tokens <= 60 and reply.finish_reason == "stop"


def test_a_form_for_which_there_is_no_room_is_cut_off_like_a_models():
    form = create_model("Said", text=(str, Field(min_length=500)))
    with pytest.raises(MalformedReply, match="more room in max_tokens"):
        ask(stand_in(), schema=form, max_tokens=20)


def test_tokens_are_characters_by_a_given_number_where_one_is_given():
    reply = ask(stand_in(chars_per_token=4.0), "x" * 41, max_tokens=100)
    assert reply.usage.prompt_tokens == 11
    assert reply.usage.completion_tokens == -(-len(reply.text) // 4)


def recorded_counts(name):
    with gzip.open(ROOT / "data" / "replies" / f"{name}.jsonl.gz", "rt") as file:
        for line in map(json.loads, file):
            asked = [content for _, content in line["request"]["messages"]]
            yield sum(map(tokens, asked)) + 5 * len(asked), line["reply"]["prompt_tokens"]


@pytest.mark.parametrize("name", ["roundtable_exchange", "meeting", "fair_decisions", "rehearsal_organizer"])
def test_tokens_of_prompts_are_close_to_those_that_a_tokenizer_counted(name):
    ours, theirs = map(sum, zip(*recorded_counts(name), strict=True))
    assert 0.9 < ours / theirs < 1.1


def test_amounts_that_could_be_shares_of_one_whole_sum_to_it():
    row = {"type": "array", "items": {"type": "number", "minimum": 0, "maximum": 8}, "minItems": 2, "maxItems": 2}
    points = {"type": "integer", "minimum": 0, "maximum": 3}
    writer = Writer(np.random.default_rng(0), 0.25, 0.5, {})
    amounts = writer.value({"type": "object", "properties": {"a": row, "b": row, "c": row}})
    assert [sum(column) for column in zip(*amounts.values(), strict=True)] == pytest.approx([8, 8])
    assert sum(writer.value({"type": "object", "properties": dict.fromkeys("abc", points)}).values()) == 3


def test_a_list_names_no_choice_twice_and_often_all():
    schema = {"type": "array", "items": {"enum": ["a", "b", "c"]}, "maxItems": 3}
    drawn = [Writer(np.random.default_rng(seed), 0.25, 0.5, {}).value(schema) for seed in range(40)]
    assert all(len(set(one)) == len(one) for one in drawn)
    assert 10 < sum(len(one) == 3 for one in drawn) < 40


@pytest.mark.parametrize(("ends", "often"), [(0.0, 0), (1.0, 30)])
def test_what_is_named_like_an_end_is_drawn_as_often_as_is_asked(ends, often):
    done = create_model("Remark", status=(Literal["RUNNING", "FINISH"], ...), done=(bool, ...), end=(bool | None, ...))
    replies = [ask(stand_in(seed, ends=ends), schema=done).value for seed in range(30)]
    assert sum(reply.status == "FINISH" for reply in replies) == sum(reply.done for reply in replies) == often
    assert sum(reply.end is True for reply in replies) == often


@pytest.mark.parametrize(
    "wrong",
    [{"fill": 0}, {"fill": 1.1}, {"fill": "much"}, {"seed": -1}, {"seed": 1.5}, {"ends": 2}, {"chars_per_token": 0}],
)
def test_what_does_not_fit_is_named(wrong):
    with pytest.raises(InvalidInput, match=f"{next(iter(wrong))}="):
        stand_in(**wrong)
