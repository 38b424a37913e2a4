"""What all participants share that a language model speaks for."""

import asyncio

import pytest

from support.errors import MalformedReply
from support.models.cache import Cache
from support.models.fakes import scripted
from support.models.model import ChatModel, Completion, Transport
from support.participants.asking import Asker
from support.seats import form, text


def text_form():
    return form("TextReply", text=text(240))


def test_replies_are_counted_and_a_briefing_comes_before_the_question():
    heard = []
    who = Asker(scripted(lambda messages: heard.append(messages) or {"text": "yes"}, name="tiny"))
    for briefing in ("", "You are Ana."):
        asyncio.run(who.ask_model(text_form(), 50, "Well?", briefing))
    assert [[m["role"] for m in messages] for messages in heard] == [["user"], ["system", "user"]]
    assert (who.replies, who.kind) == (2, "model tiny")


class Counted(Transport):
    """Says yes, for 100 tokens of prompt and 7 of reply."""

    model, endpoint = "counted", "here"

    def __init__(self, text='{"text": "yes"}'):
        self.text = text

    async def complete(self, request):
        return Completion(self.text, prompt_tokens=100, completion_tokens=7)


def test_the_tokens_of_prompts_and_replies_add_up_whether_they_were_called_for_or_cached(tmp_path):
    cache = Cache(tmp_path / "study.sqlite")
    counts = []
    for _ in range(2):
        who = Asker(ChatModel(Counted(), cache=cache))
        asyncio.run(who.ask_model(text_form(), 50, "Well?"))
        counts.append(who.tokens)
    assert counts == [107, 107]


def test_the_tokens_of_a_reply_that_never_fits_its_form_are_counted_with_those_of_its_repairs():
    who = Asker(ChatModel(Counted("not a form")))
    with pytest.raises(MalformedReply):
        asyncio.run(who.ask_model(text_form(), 50, "Well?"))
    assert (who.tokens, who.replies) == (3 * 107, 1)


def test_repetitions_are_told_apart_in_the_cache(tmp_path):
    cache = Cache(tmp_path / "study.sqlite")
    model = scripted([{"text": "one"}, {"text": "two"}], cache=cache)
    replies = [
        asyncio.run(Asker(model, repetition=number).ask_model(text_form(), 50, "Well?")).text for number in (0, 1, 0)
    ]
    assert replies == ["one", "two", "one"]
