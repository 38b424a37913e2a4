"""Fakes: scripts, recordings with a bad day's faults, and replies that fit any form."""

import asyncio
import gzip
import json
import random
from typing import Literal

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field, create_model

from support.data import ROOT
from support.errors import CallFailed, InvalidInput, MalformedReply
from support.models.calls import collected
from support.models.model import ChatModel
from support.models.replies import Cache
from support.models.request import Completion
from support.models.stand_ins import Fake, Writer, practice, scripted, stand_in, tokens

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


def test_a_script_is_lines_or_a_function_of_the_messages():
    async def later(messages):
        return {"candidate": messages[-1]["content"]}

    for script in (
        ['{"candidate": "Who?"}'],
        [{"candidate": "Who?"}],
        [Vote(candidate="Who?")],
        later,
    ):
        assert ask(scripted(script), schema=Vote).value == Vote(candidate="Who?")
    with pytest.raises(CallFailed, match="out of order"):
        ask(scripted([CallFailed("out of order")]))


def test_practice_replies_what_was_recorded_at_a_pretended_price_whatever_fails(
    tmp_path, monkeypatch
):
    async def answer(request):
        return Completion(request.messages[-1][1].upper(), 100, 10)

    recorded, questions = (
        ChatModel(Fake("one", "here", answer), cache=Cache(tmp_path / "s.sqlite")),
        list("abcdefgh"),
    )
    assert [ask(recorded, question, seed=3).text for question in questions] == list(
        "ABCDEFGH"
    )
    recorded.cache.export(tmp_path / "r.jsonl.gz")
    monkeypatch.setattr("support.models.attempts.FIRST_WAIT", 0.001)
    monkeypatch.setattr(
        "support.models.stand_ins.FAULTS",
        {"429": (False, 0.001), "time-out": (True, None)},
    )
    model = practice(tmp_path / "r.jsonl.gz", latency=0, faults=0.5, seed=1)
    with collected() as calls:
        replies = [ask(model, question, seed=3) for question in questions]
    assert [reply.text for reply in replies] == list("ABCDEFGH")
    assert {reply.cost for reply in replies} == {(0.15 * 100 + 0.6 * 10) / 1e6}
    assert {fault.kind for call in calls for fault in call.faults} == {
        "429",
        "time-out",
    }


BAD = [
    *[
        (lambda r=r: ask(scripted(r)), r"replies|scripted reply to 'Who\?'")
        for r in ([3], [], [None])
    ],
    (
        lambda: ask(practice(FILE, latency=0), "Something else"),
        r"start_here\.jsonl\.gz holds no reply to 'Something",
    ),
    (
        lambda: ask(practice(FILE.with_name("dialogue_acts.jsonl.gz"), latency=0)),
        "with its questions in it",
    ),
]


@pytest.mark.parametrize(("do", "said"), BAD)
def test_what_is_no_script_or_no_recording_or_runs_out_is_an_input_error(do, said):
    with pytest.raises(InvalidInput, match=said):
        do()


def bounded(kind, least, most, *names):
    """Forms of a kind with two bounds."""
    ends = st.tuples(st.integers(*least), st.integers(0, most)).map(
        lambda p: (p[0], sum(p))
    )
    return ends.map(lambda p: {"type": kind, **dict(zip(names, p, strict=True))})


def forms(inner):
    """Lists, choices and objects of other forms."""
    lists = st.tuples(bounded("array", (0, 3), 4, "minItems", "maxItems"), inner).map(
        lambda p: {**p[0], "items": p[1]}
    )
    parts = st.dictionaries(st.text("abc", min_size=1, max_size=3), inner, max_size=3)
    objects = parts.map(
        lambda some: {"type": "object", "properties": some, "required": list(some)}
    )
    pairs = st.tuples(inner, inner).map(
        lambda two: {"type": "array", "prefixItems": list(two)}
    )
    return (
        lists
        | pairs
        | objects
        | st.lists(inner, min_size=1, max_size=3).map(lambda some: {"anyOf": some})
    )


LEAVES = (
    st.sampled_from(
        [{"type": "null"}, {"type": "boolean"}, {"const": 3}, {"$ref": "#/$defs/clock"}]
    )
    | st.lists(st.text(max_size=5), min_size=1, max_size=4, unique=True).map(
        lambda some: {"enum": some}
    )
    | bounded("string", (0, 5), 60, "minLength", "maxLength")
    | bounded("integer", (-20, 20), 50, "minimum", "maximum")
    | bounded("number", (-20, 20), 50, "minimum", "maximum")
)
SHARES, ENDS = st.sampled_from([0.01, 0.25, 1.0]), st.sampled_from([0.0, 0.5])


DEFS = {
    "clock": {"type": "string", "pattern": r"^(Mon|Tues)day [0-9]{1,2}:\d{2}( sharp)?$"}
}


@settings(max_examples=80)
@given(st.recursive(LEAVES, forms, max_leaves=8), SHARES, ENDS, st.integers(0, 2**32))
def test_property_what_is_drawn_fits_its_schema(schema, fill, ends, seed):
    jsonschema.validate(
        Writer(random.Random(seed), fill, ends, DEFS).value(schema),
        {**schema, "$defs": DEFS},
    )


@pytest.mark.parametrize("name", RECORDED)
def test_the_forms_of_the_recorded_runs_are_filled_in_and_their_tokens_counted(name):
    with gzip.open(FILE.with_name(f"{name}.jsonl.gz"), "rt") as file:
        lines = [json.loads(line) for line in file]
    for schema in map(
        json.loads,
        {line["request"]["schema"] for line in lines if line["request"]["schema"]},
    ):
        for fill in (0.25, 1.0):
            jsonschema.validate(
                Writer(random.Random(1), fill, 0.5, schema.get("$defs", {})).value(
                    schema
                ),
                schema,
            )
    ours = sum(
        tokens(text) + 5 for line in lines for _, text in line["request"]["messages"]
    )
    assert 0.85 < ours / sum(line["reply"]["prompt_tokens"] for line in lines) < 1.1


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


def test_a_text_is_filled_to_the_share_that_is_asked_and_cut_where_there_is_no_room():
    def said(**bounds):
        return create_model("Said", text=(str, Field(**bounds)))

    assert [
        len(ask(stand_in(fill=fill), schema=said(max_length=200)).value.text)
        for fill in (0.1, 1.0)
    ] == [20, 200]
    for schema in (None, said(max_length=5000)):
        reply = ask(stand_in(fill=1.0), schema=schema, max_tokens=60)
        assert (
            20 < reply.usage.completion_tokens <= 60 and reply.finish_reason == "stop"
        )
    with pytest.raises(MalformedReply, match="more room in max_tokens"):
        ask(stand_in(), schema=said(min_length=500), max_tokens=20)


def test_shares_sum_to_one_whole_lists_name_nothing_twice_and_ends_come_as_often_as_asked():
    row = {
        "type": "array",
        "items": {"type": "number", "minimum": 0, "maximum": 8},
        "minItems": 2,
        "maxItems": 2,
    }
    points = {"type": "integer", "minimum": 0, "maximum": 3}
    writer = Writer(random.Random(0), 0.25, 0.5, {})
    amounts = writer.value(
        {
            "type": "object",
            "properties": {name: {**row, "title": name} for name in "abc"},
        }
    )
    assert [
        sum(column) for column in zip(*amounts.values(), strict=True)
    ] == pytest.approx([8, 8])
    assert (
        sum(
            writer.value(
                {"type": "object", "properties": dict.fromkeys("abc", points)}
            ).values()
        )
        == 3
    )
    lists = [
        writer.value(
            {"type": "array", "items": {"enum": ["a", "b", "c"]}, "maxItems": 3}
        )
        for _ in range(40)
    ]
    assert (
        all(len(set(one)) == len(one) for one in lists)
        and 10 < sum(len(one) == 3 for one in lists) < 40
    )
    done = create_model(
        "Remark",
        status=(Literal["RUNNING", "FINISH"], ...),
        done=(bool, ...),
        end=(bool | None, ...),
    )
    for ends in (0.0, 1.0):
        drawn = [
            ask(stand_in(seed, ends=ends), schema=done).value for seed in range(20)
        ]
        assert {
            (one.status == "FINISH", one.done, one.end is True) for one in drawn
        } == {(ends > 0,) * 3}
