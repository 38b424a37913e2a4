import asyncio
import threading

import pytest

from support.calls import Call, Fault, collected, meter, metered, note
from support.errors import CallFailed
from support.llm import scripted
from support.money import Meter

FULL = Call(
    "k", "m", "e", 2, 10, 4, 3, 0.25, True, 1.5, (Fault("429", "slow down", 0.5), Fault("500", "oops")),
    "CallFailed: é", '{"a": 1}', "reply \u2028",
)  # fmt: skip


@pytest.mark.parametrize("call", [FULL, Call("k", "m", "e"), Call("", "", ""), Call("k", "m", "e", usd=0.0)],
                         ids=["full", "plain", "blank", "free"])  # fmt: skip
def test_a_call_comes_back_from_its_json(call):
    assert Call.from_json(call.to_json()) == call
    assert Call.from_json(call.to_json()).to_json() == call.to_json()


def test_what_has_its_default_is_left_out():
    assert Call("k", "m", "e").to_json() == '{"endpoint": "e", "key": "k", "model": "m"}'


def test_calls_are_collected_by_unit_through_the_tasks_that_it_starts():
    model = scripted(lambda messages: messages[-1]["content"])

    async def unit(name):
        with collected() as calls:
            await asyncio.gather(*(model.reply(f"{name}{i}") for i in range(3)))
            await asyncio.create_task(model.reply(f"{name}!"))
        return [call.reply for call in calls]

    async def sweep():
        return await asyncio.gather(unit("a"), unit("b"))

    assert asyncio.run(sweep()) == [["a0", "a1", "a2", "a!"], ["b0", "b1", "b2", "b!"]]


def test_outside_of_a_unit_nothing_is_collected_and_nothing_fails():
    with collected() as calls:
        pass
    note(FULL)
    assert calls == []
    assert meter() is None


def test_an_inner_unit_keeps_its_calls_to_itself_and_an_error_closes_it():
    def fail():
        with collected() as inner:
            note(FULL)
            raise KeyError(len(inner))

    with collected() as outer:
        with pytest.raises(KeyError, match="1"):
            fail()
        note(Call("k", "m", "e"))
    assert len(outer) == 1


def test_a_run_s_meter_is_known_within_it_only():
    mine = Meter()
    with metered(mine):
        assert meter() is mine
        assert asyncio.run(_seen()) is mine
    assert meter() is None


async def _seen():
    return await asyncio.to_thread(meter)


def test_another_thread_has_a_run_of_its_own():
    seen = []
    with metered(Meter()):
        thread = threading.Thread(target=lambda: seen.append(meter()))
        thread.start()
        thread.join()
    assert seen == [None]


def test_a_cached_reply_is_noted_as_such_and_without_what_the_cache_keeps(tmp_path):
    model = scripted(["hello"], cache=tmp_path / "s.sqlite")
    with collected() as calls:
        for _ in range(2):
            asyncio.run(model.reply("Who?"))
    assert [(call.cached, call.usd, call.question, call.reply) for call in calls] == [
        (False, 0.0, "", ""),
        (True, 0.0, "", ""),
    ]
    assert calls[0].key == calls[1].key == model.request("Who?").key


def test_a_question_that_was_not_answered_is_noted_with_its_words(tmp_path):
    model = scripted([CallFailed("the line is dead")], cache=tmp_path / "s.sqlite")
    with collected() as calls, pytest.raises(CallFailed):
        asyncio.run(model.reply("Who?"))
    assert calls[0].error == "CallFailed: the line is dead"
    assert "Who?" in calls[0].question
    assert [fault.kind for fault in calls[0].faults] == ["CallFailed"]
