import asyncio
import errno
import gzip
import json
import sqlite3
import subprocess
import sys
import threading
import zlib
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from support.data import ROOT
from support.errors import CacheMiss, DamagedFile, DiskFull, InvalidInput, MissingData
from support.llm import Cache, ChatModel, connect, scripted
from support.llm.scripted import Scripted
from support.llm.transport import Completion, Request

REQUEST = Request("m", "https://e.org/v1", (("user", "Who? ü"),), '{"type":"object"}', 0.0, None, 64, 0)
COMPLETION = Completion("P1 ü", 7, 3, "stop", 0.25)
RECORDED = sorted((ROOT / "data" / "replies").glob("*.jsonl.gz"))
RECORDED_WITH = "1.2.13"  # the version of zlib, on which the compressed bytes depend


@pytest.fixture
def cache(tmp_path):
    return Cache(tmp_path / "study.sqlite")


def test_what_is_put_is_got_also_by_another_process_s_cache(cache):
    assert cache.get(REQUEST) is None
    cache.put(REQUEST, COMPLETION)
    assert cache.get(REQUEST) == Cache(cache.path).get(REQUEST) == COMPLETION
    assert len(cache) == 1


def test_the_first_answer_is_kept(cache):
    cache.put(REQUEST, COMPLETION)
    cache.put(REQUEST, replace(COMPLETION, text="P2"))
    assert cache.get(REQUEST).text == "P1 ü"


@settings(max_examples=50)
@given(
    st.builds(
        Request,
        st.text(),
        st.text(),
        st.lists(st.tuples(st.sampled_from(["user", "assistant"]), st.text()), min_size=1).map(tuple),
        st.sampled_from([None, '{"type":"object"}']),
        st.floats(0, 2),
        st.none() | st.integers(0, 2**32),
        st.integers(1),
        st.integers(0),
    )
)
def test_property_a_request_survives_json_with_its_key(request):
    again = Request.from_json(request.to_json())
    assert again == request
    assert again.key == request.key


def test_the_key_of_a_request_does_not_drift():
    assert REQUEST.key == "0cf261f00e621bf3107fef6853f0f9c56cefd9c6cfb5614a13837ac78aaa5493"


def test_an_export_read_elsewhere_gives_the_same_replies_and_bytes(cache, tmp_path):
    for repetition in range(5):
        cache.put(replace(REQUEST, repetition=repetition), COMPLETION)
    assert cache.export(tmp_path / "a" / "run.jsonl.gz") == 5
    other = Cache(tmp_path / "other.sqlite")
    assert other.load(tmp_path / "a" / "run.jsonl.gz") == 5
    assert other.load(tmp_path / "a" / "run.jsonl.gz") == 0
    other.export(tmp_path / "b.jsonl.gz")
    assert other.get(REQUEST) == replace(COMPLETION, latency=0.0)
    assert (tmp_path / "b.jsonl.gz").read_bytes() == (tmp_path / "a" / "run.jsonl.gz").read_bytes()
    assert [file.name for file in (tmp_path / "a").iterdir()] == ["run.jsonl.gz"]


def test_the_order_and_the_time_of_the_calls_do_not_show_in_an_export(tmp_path):
    for name, order in (("a", (0, 1, 2)), ("b", (2, 0, 1))):
        cache = Cache(tmp_path / name)
        for repetition in order:
            cache.put(
                replace(REQUEST, repetition=repetition), replace(COMPLETION, latency=float(repetition + len(name)))
            )
        cache.export(tmp_path / f"{name}.gz")
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()


def test_of_two_answers_the_first_is_kept_and_returned_by_both(cache):
    other = Cache(cache.path)
    assert cache.put(REQUEST, COMPLETION) == COMPLETION
    assert other.put(REQUEST, replace(COMPLETION, text="P2")) == COMPLETION


def test_an_export_may_be_of_some_keys(cache, tmp_path):
    requests = [replace(REQUEST, repetition=repetition) for repetition in range(1200)]
    for request in requests[:20]:
        cache.put(request, COMPLETION)
    keys = [request.key for request in requests[5:12]]
    assert cache.export(tmp_path / "some.gz", keys=iter(keys)) == 7
    lines = gzip.decompress((tmp_path / "some.gz").read_bytes()).decode().splitlines()
    assert [json.loads(line)["key"] for line in lines] == sorted(keys)
    assert cache.export(tmp_path / "none.gz", keys=[]) == 0
    with pytest.raises(InvalidInput, match="a collection of keys"):
        cache.export(tmp_path / "one.gz", keys=keys[0])


def test_an_export_of_a_key_that_is_not_there_writes_nothing(cache, tmp_path):
    cache.put(REQUEST, COMPLETION)
    with pytest.raises(MissingData, match=r"1 of the 2 replies.*'beef'.*run the study to its end"):
        cache.export(tmp_path / "some.gz", keys=[REQUEST.key, "beef"])
    assert not (tmp_path / "some.gz").exists()


def test_more_replies_than_one_page_come_out_once_each_and_in_order(cache, tmp_path, monkeypatch):
    monkeypatch.setattr("support.llm.cache.PAGE", 7)
    requests = [replace(REQUEST, repetition=repetition) for repetition in range(30)]
    for request in requests:
        cache.put(request, COMPLETION)
    cache.export(tmp_path / "run.gz")
    lines = gzip.decompress((tmp_path / "run.gz").read_bytes()).decode().splitlines()
    assert [json.loads(line)["key"] for line in lines] == sorted(request.key for request in requests)
    assert [Request.from_json(text) for _, text in cache.requests()] == requests


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.name)
def test_what_is_published_loads_and_exports_to_the_same_bytes(cache, tmp_path, path):
    count = cache.load(path)
    again = tmp_path / path.name
    assert cache.export(again) == count > 0
    assert gzip.decompress(again.read_bytes()) == gzip.decompress(path.read_bytes())
    assert again.read_bytes() == path.read_bytes() or zlib.ZLIB_RUNTIME_VERSION != RECORDED_WITH


def test_tokens_that_a_provider_had_cached_are_kept_and_leave_no_trace_where_there_are_none(cache, tmp_path):
    cache.put(REQUEST, replace(COMPLETION, cached_prompt_tokens=5))
    cache.put(replace(REQUEST, repetition=1), COMPLETION)
    cache.export(tmp_path / "run.gz")
    assert gzip.decompress((tmp_path / "run.gz").read_bytes()).decode().count("cached_prompt_tokens") == 1
    other = Cache(tmp_path / "other.sqlite")
    other.load(tmp_path / "run.gz")
    assert other.get(REQUEST).cached_prompt_tokens == 5
    assert other.get(replace(REQUEST, repetition=1)).cached_prompt_tokens == 0


class Vote(BaseModel):
    vote: str = Field(max_length=10)


def run_of(model):
    async def ask():
        async with model:
            free = [await model.reply(f"What do you say in round {number}?", seed=number) for number in range(8)]
            formed = [await model.reply("Vote.", schema=Vote, repetition=number) for number in range(3)]
            return [reply.text for reply in (*free, *formed)]

    return asyncio.run(ask())


def test_a_study_published_as_its_replies_replays_without_a_model_byte_for_byte(cache, tmp_path):
    said = iter([*(f"I say {number}: ü" for number in range(8)), "no vote", *['{"vote": "P1"}'] * 3])
    texts = run_of(scripted(lambda messages: next(said), name="m", cache=cache))
    assert cache.export(tmp_path / "study.jsonl.gz") == 12  # a repair among them
    fresh = Cache(tmp_path / "elsewhere" / "fresh.sqlite")
    fresh.load(tmp_path / "study.jsonl.gz")
    silent = ChatModel(Scripted([], "m"), cache=fresh, offline=True)
    assert run_of(silent) == texts and silent.live_calls == 0
    fresh.export(tmp_path / "again.jsonl.gz")
    assert (tmp_path / "again.jsonl.gz").read_bytes() == (tmp_path / "study.jsonl.gz").read_bytes()


def test_an_export_that_the_disk_does_not_take_leaves_what_was_there(cache, tmp_path, monkeypatch):
    cache.put(REQUEST, COMPLETION)
    (tmp_path / "runs").mkdir()
    cache.export(tmp_path / "runs" / "run.gz")
    before = (tmp_path / "runs" / "run.gz").read_bytes()
    cache.put(replace(REQUEST, repetition=1), COMPLETION)

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(gzip.GzipFile, "write", full)
    with pytest.raises(DiskFull, match=r"run\.gz.*Free some space"):
        cache.export(tmp_path / "runs" / "run.gz")
    assert {file.name: file.read_bytes() for file in (tmp_path / "runs").iterdir()} == {"run.gz": before}


def test_a_full_disk_keeps_every_reply_that_was_put(cache):
    cache.put(REQUEST, COMPLETION)
    cache._db.execute("PRAGMA max_page_count = 5")
    with pytest.raises(DiskFull, match=r"study\.sqlite.*not paid for again"):
        cache.put(replace(REQUEST, repetition=1), replace(COMPLETION, text="x" * 10**6))
    assert cache.get(REQUEST) == COMPLETION and len(cache) == 1


@pytest.mark.parametrize("column", ["reply", "request"])
@pytest.mark.parametrize("content", ["no JSON", "[]", '{"tixt": 1, "messages":[]}'])
def test_a_row_that_cannot_be_read_is_named_as_damage(cache, tmp_path, column, content):
    cache.put(REQUEST, COMPLETION)
    with sqlite3.connect(cache.path) as db:
        db.execute(f"UPDATE replies SET {column} = ?", (content,))
    with pytest.raises(DamagedFile, match=r"study\.sqlite.*a row of it cannot be read.*Cache\.load"):
        cache.get(REQUEST) if column == "reply" else cache.request(1)
    if content == "no JSON":
        with pytest.raises(DamagedFile, match="a row of it cannot be read"):
            cache.export(tmp_path / "run.gz")


PUTTING = """
import sys
from support.llm import Cache
from support.llm.transport import Completion, Request
path, who, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
print("ready", flush=True)
sys.stdin.readline()
cache = Cache(path)
for number in range(count):
    asked = f"question {number}" if number % 2 else f"question {number} of {who}"
    request = Request("m", "scripted", (("user", asked),), None, 0.0, None, 64, 0)
    kept = cache.put(request, Completion(f"{who} says {number}"))
    assert cache.get(request) == kept
    print(asked, "|", kept.text)
"""


def test_processes_that_put_into_one_new_file_lose_nothing_and_go_on_with_the_same_first_answers(tmp_path):
    count, processes = 60, 4
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    command = [sys.executable, "-c", PUTTING, str(tmp_path / "new.sqlite")]
    started = [subprocess.Popen([*command, f"p{n}", str(count)], text=True, **pipes) for n in range(processes)]
    assert [process.stdout.readline() for process in started] == ["ready\n"] * processes
    for process in started:
        process.stdin.write("go\n")
        process.stdin.flush()
    told = [process.communicate() for process in started]
    assert [errors for _, errors in told] == [""] * processes
    answers = {line for output, _ in told for line in output.splitlines()}
    distinct = count // 2 + processes * count // 2
    assert len(answers) == distinct == len(Cache(tmp_path / "new.sqlite"))


def test_an_export_may_be_of_one_model(cache, tmp_path):
    cache.put(REQUEST, COMPLETION)
    cache.put(replace(REQUEST, model="weights sha256:1", endpoint="embedded"), COMPLETION)
    assert cache.export(tmp_path / "m.gz", model="m") == cache.export(tmp_path / "e.gz", model="embedded") == 1


def _tampered(lines):
    return {
        "a request was changed": [lines[0], lines[1].replace("Who?", "Why?")],
        "a line is no JSON": [lines[0], "no"],
        "a line is no object": [lines[0], "[]"],
        "a field is missing": [lines[0], lines[1].replace('"seed"', '"sad"')],
        "a reply is no reply": [lines[0], lines[1].replace('"text"', '"tixt"')],
    }


@pytest.mark.parametrize("what", sorted(_tampered(["", ""])))
def test_a_damaged_line_is_named_and_nothing_is_taken_in(cache, tmp_path, what):
    for repetition in range(2):
        cache.put(replace(REQUEST, repetition=repetition), COMPLETION)
    path, other = tmp_path / "run.gz", Cache(tmp_path / "other.sqlite")
    cache.export(path)
    lines = gzip.decompress(path.read_bytes()).decode().splitlines()
    path.write_bytes(gzip.compress("\n".join(_tampered(lines)[what]).encode()))
    with pytest.raises(DamagedFile, match=r"run\.gz is damaged: line 2"):
        other.load(path)
    assert len(other) == 0


@pytest.mark.parametrize("cut", ["no gzip", "cut short"])
def test_a_damaged_archive_is_named_and_nothing_is_taken_in(cache, tmp_path, cut):
    for repetition in range(50):
        cache.put(replace(REQUEST, repetition=repetition), COMPLETION)
    path, other = tmp_path / "run.gz", Cache(tmp_path / "other.sqlite")
    cache.export(path)
    path.write_bytes(b"text" if cut == "no gzip" else path.read_bytes()[:-40])
    with pytest.raises(DamagedFile, match=r"run\.gz is damaged"):
        other.load(path)
    assert len(other) == 0


def test_a_recording_that_is_not_there_is_missing(cache, tmp_path):
    with pytest.raises(MissingData, match="nowhere"):
        cache.load(tmp_path / "nowhere.gz")


def test_threads_may_share_a_cache(cache):
    def work(start):
        for repetition in range(start, start + 20):
            cache.put(replace(REQUEST, repetition=repetition), COMPLETION)
            assert cache.get(replace(REQUEST, repetition=repetition)) == COMPLETION

    threads = [threading.Thread(target=work, args=(start,)) for start in (0, 10, 20)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert len(cache) == 40


def test_a_miss_offline_says_what_where_and_the_way_out(cache):
    asyncio.run(scripted(["a"], name="other", cache=cache).reply("x"))
    model = connect("gpt-x", cache=cache, offline=True)  # no key, no network
    said = r"gpt-x.*'Who is it.*study\.sqlite.*model: 'gpt-x' asked, 'other' recorded.*offline=True.*Cache\.load"
    with pytest.raises(CacheMiss, match=said):
        asyncio.run(model.reply("Who is it? " * 20))
    assert (model.calls, model.live_calls) == (1, 0)


def test_offline_needs_a_cache():
    with pytest.raises(InvalidInput, match="cache="):
        connect(offline=True)


def test_a_recording_without_its_questions_replays_and_holds_none_of_them(cache, tmp_path):
    request = replace(REQUEST, messages=(("user", "a secret row"),))
    cache.put(request, COMPLETION)
    cache.export(tmp_path / "r.jsonl.gz", prompts=False)
    assert "secret" not in gzip.decompress((tmp_path / "r.jsonl.gz").read_bytes()).decode()
    other = Cache(tmp_path / "other.sqlite")
    assert other.load(tmp_path / "r.jsonl.gz") == len(cache)
    assert other.get(request).text == COMPLETION.text
    assert other.models() == {(REQUEST.model, REQUEST.endpoint): 1}
    assert other.export(tmp_path / "again.jsonl.gz") == len(cache)
    assert (tmp_path / "again.jsonl.gz").read_bytes() == (tmp_path / "r.jsonl.gz").read_bytes()


def test_equal_requests_have_one_key_whichever_was_asked_for_first():
    for first, second in ((0, 0.0), (0.0, 0)):
        texts = [
            Request("m", f"at {first!r}", (("user", "x"),), None, t, None, 1, 0).to_json() for t in (first, second)
        ]
        assert texts[0] == texts[1] and '"temperature":0.0' in texts[0]
