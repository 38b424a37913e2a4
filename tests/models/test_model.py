import asyncio
from typing import Literal

import numpy as np
import pytest
from pydantic import BaseModel, Field

from support.errors import CallFailed, MalformedReply, ModelUnavailable
from support.models.calls import Meter, collected, metered
from support.models.stand_ins import scripted


class Part(BaseModel):
    vote: Literal["P1", "P2"]
    default: int = 3
    note: str | None = Field(default=None, max_length=20)


class A(BaseModel):
    a: int


GOOD = {"vote": "P1", "default": 1, "note": None}


def ask(model, messages="Who?", **settings):
    return asyncio.run(model.reply(messages, **settings))


ASKED = "Your reply does not have the required form."
AGAIN = "Answer again with the corrected JSON only."


def test_repairs_ask_in_the_same_bytes_as_ever_are_kept_and_noted(tmp_path):
    seen, said = [], iter(["P9!", '{"vote": "P9"}', GOOD])
    model = scripted(
        lambda messages: seen.append(messages) or next(said),
        cache=tmp_path / "s.sqlite",
    )
    with collected() as calls:
        assert ask(model, schema=Part, by="Ana", phase="vote").attempts == 3
    contents = [
        "Who?",
        "P9!",
        f"{ASKED} Invalid JSON: expected value at line 1 column 1. {AGAIN}",
        '{"vote": "P9"}',
        f"{ASKED} vote: Input should be 'P1' or 'P2'. {AGAIN}",
    ]
    assert [message["content"] for message in seen[2]] == contents
    noted = [(call.by, call.phase, call.misfit, call.repair) for call in calls]
    fitted = [(True, 0), (True, 1), (False, 2)]
    assert noted == [("Ana", "vote", *each) for each in fitted]
    kept = ask(model, schema=Part)
    assert (kept.value, kept.cached, kept.attempts) == (Part(**GOOD), True, 3)
    assert model.live_calls == 3


def test_a_model_whose_first_ten_replies_are_all_off_form_ends_the_run():
    replies = iter(["hello"] * 30)
    model = scripted(lambda messages: next(replies))
    for _ in range(9):
        with pytest.raises(MalformedReply):
            ask(model, schema=A)
    assert ask(scripted(["hello"])).text == "hello"  # free text has no form
    with pytest.raises(ModelUnavailable, match=r"none of its first 10 replies.*hello"):
        ask(model, schema=A)


CHANGES = [
    {"temperature": 0.5},
    {"seed": 1},
    {"repetition": 1},
    {"max_tokens": 5},
    {"schema": Part},
    {"messages": "W"},
]


def test_every_part_of_a_request_tells_it_apart_and_equal_ones_are_one(tmp_path):
    model = scripted([GOOD] * 9, cache=tmp_path / "s.sqlite")
    for change in ({}, *CHANGES):
        assert not ask(model, **change).cached and ask(model, **change).cached
    alike = ask(
        model, [{"content": "Who?", "role": "user"}], temperature=-0.0, seed=np.int64(1)
    )
    assert (
        alike.cached
        and model.cache.get(model.request("Who?", seed=1)).text == alike.text
    )


@pytest.mark.parametrize("how", ["answered", "cancelled", "failed"])
def test_the_same_request_in_flight_is_called_once_and_asked_anew_where_that_was_given_up(
    tmp_path, how
):
    calls = []

    async def script(messages):
        calls.append(messages)
        await asyncio.sleep(0.02)
        return CallFailed("no") if how == "failed" and len(calls) == 1 else "late"

    async def study(model):
        first, *others = (asyncio.create_task(model.reply("Who?")) for _ in range(4))
        await asyncio.sleep(0.01)
        if how == "cancelled":
            first.cancel()
        await asyncio.wait([first])
        return {reply.text for reply in await asyncio.gather(*others)}

    assert asyncio.run(study(scripted(script, cache=tmp_path / "s.sqlite"))) == {"late"}
    assert len(calls) == (1 if how == "answered" else 2)


def test_what_was_paid_for_is_kept_though_whoever_listens_fails(tmp_path):
    model, running = scripted(["yes"], cache=tmp_path / "s.sqlite"), Meter()
    running.changed = lambda: 1 / running.in_flight
    with metered(running), pytest.raises(ZeroDivisionError):
        ask(model)
    assert ask(model).cached and running.in_flight == 0
