"""A unit's calls as a page: prompts, replies, repairs, faults and money, and nothing of it as markup."""

import asyncio
import json
import re
from contextlib import suppress

import pytest
from pydantic import BaseModel, Field

from support.calls import Call, Fault, collected
from support.errors import CallFailed, DamagedFile, MalformedReply, MissingData
from support.llm import Cache, scripted
from support.records import Transcript
from support.run_pages import LEFT_OUT, NOT_KEPT, asked_of, chains, totals_html, unit_html, write_unit
from support.spending import faults_of, totals
from support.store import Unit
from support.sweep import Sweep

UNIT = Unit("s", '{"rule": "<i>majority</i>"}', 0)
RECORD = Transcript({}, "a", {}, ())
SYSTEM = "You are Ana, who sits at a table. " * 20
EVIL = "<script>alert(1)</script>"
GOOD = {"option": "P1", "reason": "It is fair, says Zoë."}


class Vote(BaseModel):
    option: str = Field(max_length=20)
    reason: str = Field(max_length=200)


def messages(text, system=SYSTEM):
    return [{"role": "system", "content": system}, {"role": "user", "content": text}]


def play(store, replies, *asks, cache=None, error=None):
    """Store a unit whose calls ask for these texts, one after the other, and got these replies."""
    model = scripted(replies, "m", cache=cache)

    async def all_of():
        for text, schema in asks:
            with suppress(MalformedReply):
                await model.reply(messages(text), schema=schema)

    with collected() as calls:
        asyncio.run(all_of())
    if error is None:
        store.add(UNIT, RECORD, 1.0, calls)
    else:
        store.fail(UNIT, error, 1.0, calls)
    return calls


def text_of(page):
    """What a reader sees, in one line."""
    return " ".join(re.sub(r"<style>.*?</style>|<[^>]*>", " ", page, flags=re.DOTALL).split())


@pytest.mark.parametrize("kept", [True, False], ids=["in the cache", "with the unit"])
def test_prompt_reply_form_and_money_are_shown_wherever_they_are_kept(store, kept):
    play(store, [GOOD], ("Which one?", Vote), cache=Cache(store.path) if kept else None)
    page = unit_html(store, UNIT)
    said = text_of(page)
    assert "Which one?" in said and "JSON of the form Vote" in said and "✓ done" in said
    assert "&#34;option&#34;: &#34;P1&#34;,\n" in page and "Zoë" in page, "the reply is set on lines of its own"
    assert "1 call: 1 sent, 0 cached · 0 faults" in said and "m at scripted" in said and "max_tokens 512" in said


def test_a_long_system_prompt_is_folded_and_a_question_is_not(store):
    play(store, ["yes"], ("Which one? " * 60, None))
    page = unit_html(store, UNIT)
    folded = "".join(re.findall(r"<details>.*?</details>", page, flags=re.DOTALL))
    assert SYSTEM.strip() in folded and f"({len(SYSTEM)} characters)" in folded
    assert "Which one?" not in folded and "Which one?" in page


def test_repairs_are_one_chain_and_repeat_nothing(store):
    play(store, ["no JSON", {"option": "P1"}, GOOD, "free"], ("Which one?", Vote), ("And why?", None))
    said = text_of(unit_html(store, UNIT))
    assert [len(chain) for chain in chains(asked_of(store, UNIT))] == [3, 1]
    assert said.count("Which one?") == said.count("no JSON") == 1
    order = [said.index(what) for what in ("no JSON", "Repair 1", "Repair 2", "reason: Field required", "It is fair")]
    assert order == sorted(order)
    assert "Call 1, asked again 2 times" in said and "Call 2 system" in said


def test_chains_that_ran_beside_one_another_are_told_apart(store):
    first = play(store, ["bad a", GOOD], ("Of a?", Vote))
    second = play(store, ["bad b", GOOD], ("Of b?", Vote))
    store.add(UNIT, RECORD, 1.0, [first[0], second[0], second[1], first[1]])
    found = chains(asked_of(store, UNIT))
    assert [[one.messages[1][1] for one in chain] for chain in found] == [["Of a?"] * 2, ["Of b?"] * 2]


def test_a_cached_reply_is_said_to_cost_nothing(store):
    cache = Cache(store.path)
    play(store, ["yes"], ("Which one?", None), cache=cache)
    play(store, [], ("Which one?", None), cache=cache)
    said = text_of(unit_html(store, UNIT))
    assert "1 call: 0 sent, 1 cached" in said and "$0.00, cached" in said and "reply yes" in said


def test_faults_are_shown_with_what_was_said_and_the_wait_and_a_failed_unit_with_its_error(store):
    (call,) = play(store, ["yes"], ("Which one?", None))
    faults = (Fault("429", f"slow {EVIL}", 1.25), Fault("500", "ill"))
    lost = Call(**{name: getattr(call, name) for name in ("key", "model", "endpoint", "question")},
                faults=faults, error=f"CallFailed: {EVIL}")  # fmt: skip
    store.fail(UNIT, CallFailed(f"it broke {EVIL}"), 1.0, [lost])
    page = unit_html(store, UNIT)
    said = text_of(page)
    assert "<script" not in page
    assert "Attempt 1 failed (429): slow" in said and "Waited 1.2 s." in said
    assert "Attempt 2 failed (500): ill Given up." in said
    assert "✗ failed" in said and "The unit failed. CallFailed: it broke" in said and "No answer." in said
    assert "Which one?" in said and "cost unknown" in said and " reply " not in said


def test_nothing_is_markup(store, tmp_path):
    evil = type("Evil", (BaseModel,), {"__annotations__": {"x": str}, "__doc__": EVIL})
    play(store, [EVIL, EVIL, EVIL, EVIL], (EVIL, None), (f"{EVIL} again", evil), error=ValueError(EVIL))
    page = write_unit(store, UNIT, tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<script" not in page and page.count("&lt;script&gt;") > 4 and "<i>" not in page
    assert page.startswith("<!doctype html>") and "mathjax_ignore" in page, "nor do two dollars make a formula"


def test_a_recording_without_questions_says_so_and_keeps_its_repairs_together(store, tmp_path):
    cache = Cache(tmp_path / "first.sqlite")
    calls = play(store, ["bad", GOOD], ("Which one?", Vote), cache=cache)
    cache.export(tmp_path / "replies.jsonl.gz", prompts=False)
    Cache(store.path).load(tmp_path / "replies.jsonl.gz")
    said = text_of(unit_html(store, UNIT))
    assert said.count(LEFT_OUT) == len(calls) == 2 and "Repair 1" in said and "Which one?" not in said
    assert [len(chain) for chain in chains(asked_of(store, UNIT))] == [2]
    assert "Which one?" in text_of(unit_html(store, UNIT, cache)), "another cache may know the question"
    assert unit_html(store, UNIT, cache.path) == unit_html(store, UNIT, cache)


def test_without_questions_a_repair_goes_to_the_latest_call_that_it_fits(store):
    calls = [Call("a", "m", "e"), Call("b", "m", "e"), Call("c", "m", "e", 1), Call("d", "other", "e", 1)]
    store.add(UNIT, RECORD, 1.0, calls)
    found = chains(asked_of(store, UNIT))
    assert [[one.call.key for one in chain] for chain in found] == [["a"], ["b", "c"], ["d"]]


def test_replies_that_are_in_another_file_are_asked_for(store, tmp_path):
    play(store, ["yes"], ("Which one?", None), cache=tmp_path / "replies.sqlite")
    said = text_of(unit_html(store, UNIT))
    assert NOT_KEPT in said and "(nothing)" not in said
    with pytest.raises(MissingData, match=r"cache: there is no file .*nowhere\.sqlite"):
        unit_html(store, UNIT, tmp_path / "nowhere.sqlite")
    assert not (tmp_path / "nowhere.sqlite").exists()


def test_a_kept_request_that_cannot_be_read_is_named(store):
    play(store, ["yes"], ("Which one?", None), cache=store.path)
    with store._db:
        store._db.execute("UPDATE replies SET request = '[1, 2'")
    with pytest.raises(DamagedFile, match=r"study\.sqlite holds a request or a reply that cannot be read"):
        unit_html(store, UNIT)


def test_a_unit_that_is_not_done_and_one_without_calls_say_so(store):
    assert "· not done yet" in unit_html(store, UNIT) and "shown once it is stored" in unit_html(store, UNIT)
    store.add(UNIT, RECORD)
    assert "No calls to models are stored with this unit." in unit_html(store, UNIT)


def test_a_unit_of_many_calls_is_cut_and_says_how_many_more_there_are(store):
    play(store, ["yes"] * 5, *((f"Number {i}?", None) for i in range(5)))
    assert "3 more conversations are not shown" in unit_html(store, UNIT, most=2)
    assert text_of(unit_html(store, UNIT, most=None)).count("reply yes") == 5
    assert "not shown" not in unit_html(store, UNIT)


def test_a_blank_reply_and_one_that_was_cut_off_are_told(store):
    play(store, [" "], ("Which one?", None), cache=store.path)
    with store._db:
        kept = json.dumps({"text": "", "finish_reason": "length"})
        store._db.execute("UPDATE replies SET reply = ?", (kept,))
    said = text_of(unit_html(store, UNIT))
    assert "(nothing)" in said and "Cut off: the reply reached max_tokens." in said


def test_totals_are_tables_with_amounts_as_people_read_them(store):
    async def study(rng, rule):
        return RECORD

    sweep = Sweep("s", study, {"rule": ["a"]}, 1, 7)
    paid = Call("k", "m", "e", prompt_tokens=12_000, usd=0.5, faults=(Fault(EVIL, "x", 2.0),))
    store.add(next(sweep.units()), RECORD, 1.0, [paid])
    page = totals_html(totals(sweep, store), faults_of(sweep, store))
    assert "<script" not in page and "$0.50" in page and "12,000" in page and "2.0 s" in page
    empty = totals(Sweep("t", study, {"rule": ["a"]}, 1, 7), store)
    assert "None was met." in totals_html(empty, faults_of(Sweep("t", study, {"rule": ["a"]}, 1, 7), store))
