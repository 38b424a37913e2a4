import asyncio

import pytest
from pydantic import BaseModel

from support.errors import CallFailed, InvalidInput
from support.llm import scripted


class Vote(BaseModel):
    candidate: str


def ask(model, messages="Who?", **settings):
    return asyncio.run(model.reply(messages, **settings))


@pytest.mark.parametrize("line", ['{"candidate": "P1"}', {"candidate": "P1"}, Vote(candidate="P1")])
def test_a_line_is_a_text_a_dict_or_an_object(line):
    assert ask(scripted([line]), schema=Vote).value == Vote(candidate="P1")


def test_a_line_may_be_an_exception():
    with pytest.raises(CallFailed, match="out of order"):
        ask(scripted([CallFailed("out of order")]))


def test_running_out_says_how_many_replies_were_given():
    model = scripted(["a", "b"])
    ask(model), ask(model)
    with pytest.raises(InvalidInput, match=r"given 2 replies.*'Who\?'"):
        ask(model)


def test_a_function_sees_the_messages():
    assert ask(scripted(lambda messages: messages[-1]["content"].upper())).text == "WHO?"


def test_a_function_may_be_async():
    async def script(messages):
        return {"candidate": "P2"}

    assert ask(scripted(script), schema=Vote).value.candidate == "P2"


def test_a_line_of_another_kind_is_an_input_error():
    with pytest.raises(InvalidInput, match="scripted reply is 3"):
        ask(scripted([3]))


@pytest.mark.parametrize("replies", ["one text", None, 3])
def test_replies_of_another_kind_are_an_input_error(replies):
    with pytest.raises(InvalidInput, match="replies"):
        scripted(replies)


def test_its_name_stands_in_repr_and_details():
    model = scripted([], name="echo")
    assert repr(model) == "ChatModel('echo' at scripted)"
    assert model.details == {"model": "echo", "endpoint": "scripted"}
