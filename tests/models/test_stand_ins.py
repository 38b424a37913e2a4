"""Fakes: scripts, recordings with a bad day's faults, and replies that fit any form."""

import asyncio
import gzip
import json
import random

import jsonschema
import pytest

from support.data import ROOT
from support.models.stand_ins import Writer, stand_in, tokens

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
