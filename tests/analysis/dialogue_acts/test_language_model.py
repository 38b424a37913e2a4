"""A language model that labels: what it is told, and what becomes of a reply that does not fit."""

import asyncio

import pandas as pd
import pytest

from support.analysis.dialogue_acts.acts import LABELS, MEANINGS
from support.analysis.dialogue_acts.language_model import MOST, LanguageModelAnnotator, acts_schema
from support.errors import ContextOverflow, ModelUnavailable
from support.models.fakes import scripted
from support.models.model import strict_schema

ROWS = [
    (1, 1, "Ana", "I value A."),
    (1, 1, "Ben", "And what is yours?"),
    (1, 2, "Ana", "So we split A?"),
    (2, 2, "Eve", "Another discussion."),
]
MESSAGES = pd.DataFrame(ROWS, columns=["run", "round", "sender", "text"])


def labelled(script, messages=MESSAGES):
    asked = []

    def reply(chat):
        asked.append(chat)
        made = script(chat) if callable(script) else script
        return made

    annotator = LanguageModelAnnotator(scripted(reply))
    return asyncio.run(annotator.label(messages)), annotator, asked


def test_it_is_told_every_meaning_the_message_and_the_round_before_it_only():
    _, _, asked = labelled({"acts": ["confirm"]})
    system, user = (turn["content"] for turn in asked[2])
    assert all(label in system and meaning in system for label, meaning in MEANINGS.items())
    assert "Ana: I value A." in user and "Ben: And what is yours?" in user
    assert "So we split A?" in user
    assert "Another discussion." not in user
    assert "nothing was said before" in asked[0][1]["content"]
    assert "nothing was said before" in asked[3][1]["content"], "round 1 of another discussion is no context"


def test_several_acts_come_in_the_order_of_the_labels_and_others_only_alone():
    given, _, _ = labelled({"acts": ["request", "inform", "others"]})
    assert given == [("inform", "request")] * 4


def test_a_reply_that_does_not_fit_is_recorded_and_the_message_stays_unlabelled():
    given, annotator, asked = labelled(
        lambda chat: {"acts": ["agree"]} if "So we" in chat[1]["content"] else '{"acts": ["inform"]}'
    )
    assert given == [("inform",), ("inform",), (), ("inform",)]
    assert list(annotator.problems) == [2]
    assert "did not give a ActsReply in 3 attempts" in annotator.problems[2]
    assert len(asked) == 3 + 3, "asked again twice"


def test_a_message_longer_than_the_model_can_read_is_a_problem_of_that_message():
    given, annotator, _ = labelled(ContextOverflow("too long for 8192"), MESSAGES.head(1))
    assert given == [()]
    assert annotator.problems == {0: "too long for 8192"}


def test_a_model_that_cannot_answer_at_all_is_no_problem_of_a_message():
    with pytest.raises(ModelUnavailable):
        labelled(ModelUnavailable("no such model"))


def test_a_blank_message_is_not_asked_about():
    given, _, asked = labelled({"acts": ["inform"]}, MESSAGES.assign(text=["", " ", "🙂", "x" * 20_000]))
    assert given == [("others",), ("others",), ("inform",), ("inform",)]
    assert len(asked) == 2


def test_the_schema_bounds_the_list_and_names_the_labels():
    acts = strict_schema(acts_schema())["properties"]["acts"]
    assert acts["maxItems"] == MOST
    assert tuple(acts["items"]["enum"]) == LABELS
