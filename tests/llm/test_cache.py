import asyncio
import gzip
import threading
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.errors import CacheMiss, DamagedFile, InvalidInput, MissingData
from support.llm import Cache, connect, scripted
from support.llm.transport import Completion, Request

REQUEST = Request("m", "https://e.org/v1", (("user", "Who? ü"),), '{"type":"object"}', 0.0, None, 64, 0)
COMPLETION = Completion("P1 ü", 7, 3, "stop", 0.25)


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
    with pytest.raises(CacheMiss, match=r"gpt-x.*'Who is it.*study\.sqlite.*1 of other.*offline=True.*Cache\.load"):
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
