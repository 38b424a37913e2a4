"""Runs as HTML: everything is there, nothing of it is markup, and what is private is shown on request only."""

import asyncio
import json
import re
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from pydantic import BaseModel, Field

from support.errors import CallFailed, DamagedFile, MalformedReply, MissingData
from support.meetings import records as met
from support.models.calls import Call, Fault, collected
from support.models.replies import Cache
from support.models.stand_ins import scripted
from support.play import FormatError
from support.roundtable import records as discussed
from support.roundtable.study import roundtable_exchange
from support.runs import pages
from support.runs.study import Unit

EVIL = "<script>alert('x')</script> & <img src=http://evil>"
UNIT, SYSTEM = Unit("s", '{"rule": "<i>majority</i>"}', 0), "You are Ana. " * 40
RECORD = discussed.Transcript({}, "a", {}, ())
GOOD = {"option": "P1", "reason": "It is fair, says Zoë."}


class Vote(BaseModel):
    option: str = Field(max_length=20)
    reason: str = Field(max_length=200)


def play(store, replies, *asks, cache=None):
    """Store a unit whose calls ask for these texts, one after the other, and got these replies."""
    model = scripted(replies, "m", cache=cache)

    async def all_of():
        for text, schema in asks:
            with suppress(MalformedReply):
                await model.reply(
                    [
                        {"role": "system", "content": SYSTEM},
                        {"role": "user", "content": text},
                    ],
                    schema,
                )

    with collected() as calls:
        asyncio.run(all_of())
    store.add(UNIT, RECORD, 1.0, calls)
    return calls


def text_of(page):
    return " ".join(
        re.sub(r"<style>.*?</style>|<[^>]*>", " ", page, flags=re.DOTALL).split()
    )


def test_a_discussion_is_shown_whole_escaped_and_its_reasons_on_request():
    discussion = asyncio.run(
        roundtable_exchange(
            np.random.default_rng(1), "ranked", seats="conceder", rounds=2
        )
    )
    html = pages.to_html(discussion)
    for entry in discussion.rounds:
        assert all(ballot.text in html for ballot in entry.ballots)
        assert all(f"<td>{candidate.id}" in html for candidate in entry.candidates)
        assert all(act in html for message in entry.messages for act in message.acts)
    hostile = replace(discussion.rounds[0], messages=(discussed.Message("Ana", ("Ben",), EVIL),), why=EVIL,
                      ballots=(discussed.Ballot("Ana", EVIL, f"secret {EVIL}"),),
                      format_errors=(FormatError("Ana", "vote", EVIL),))  # fmt: skip
    shown = replace(discussion, rounds=(hostile,))
    page = pages.to_html(shown, title=EVIL, reasons=True)
    assert "secret" in page and "secret" not in pages.to_html(shown)
    number = replace(hostile, candidates=(discussed.Candidate("P1", 3.5, ("Ana",)),))
    assert ">3.5</td>" in pages.rounds_to_html([number], ["Ana"])
    assert (
        not re.search("<script|<img|@import|http(?!://evil)", page)
        and page.count("&lt;script&gt;") == 6
    )


def coordination(said="ten is ten"):
    talks = (met.Conversation("Ana", (met.Turn("Ana", f"At ten. {said}"),), (said,)),
             met.Conversation("Ben", (met.Turn("Ben", "After one."),), ("Ben's",), "O1"))  # fmt: skip
    options = (met.Option("O1", "2026-02-16T10:00-05:00", ("Ana",), (said,)),
               met.Option("O2", "2026-02-16T14:00-05:00", (), ()))  # fmt: skip
    given = (
        ("O1", "Ana", 3, said),
        ("O1", "Ben", 0, "told"),
        ("O2", "Ana", 0, "told"),
        ("O2", "Ben", 3, "told"),
    )
    scores = tuple(met.Score(*cell, (why,)) for *cell, why in given)
    audit = tuple(met.Score(o, m, 2) for o in ("O1", "O2") for m in ("Ana", "Ben"))
    errors = (FormatError("Ben", "talk", "no words"), FormatError("Ana", "talk", said))
    meeting = {"organiser": "Ina", "members": ["Ana", "Ben"], "subject": said, "invitation": "Come.", "duration": 60,
               "zone": "America/New_York", "required": ["Ben"]}  # fmt: skip
    entry = met.CoordinationRound(
        1, talks, options, scores, "O1", audit, (said,), errors
    )
    return (
        [entry],
        meeting,
        {"Ana": "human", "Ben": "terse", "coordinator": "rule-based"},
    )


def test_a_coordination_is_shown_whole_with_its_measures_escaped_and_true_scores_on_request():
    html = pages.meeting_to_html(*coordination(), invitation=True)
    first = next(
        r
        for r in re.findall(r"<tr.*?</tr>", html, re.DOTALL)
        if '<td rowspan="2">O1' in r
    )
    assert 'class="candidate"' in first and all(
        m in first for m in ("Monday 16 February at 10:00", "50 %", "1.50")
    )
    assert (
        first.count("✓</span>") == 1
        and "required: Ben" in html
        and "Agreed to O1" in html
        and "no words" in html
    )
    assert (
        "true: 2" not in html
        and pages.meeting_to_html(*coordination(), private=True).count("true: 2") == 4
    )
    page = pages.meeting_to_html(*coordination(EVIL), title=EVIL, invitation=True)
    assert (
        "<script" not in page
        and "<img" not in page
        and page.count("&lt;script&gt;") == 8
    )


def test_a_member_who_is_a_person_sees_no_other_member_s_conversation_reasons_or_errors():
    page = pages.meeting_to_html(*coordination(), only=["Ana"])
    assert (
        "At ten." in page
        and "1 other conversation in" in page
        and page.count("<li>told</li>") == 1
    )  # Ana's of O2
    assert not any(
        other in page for other in ("After one.", "Ben&#39;s", "Agreed to", "no words")
    )


@pytest.mark.parametrize("kept", [True, False], ids=["in the cache", "with the unit"])
def test_repairs_are_one_chain_and_prompt_form_and_replies_are_shown_once(store, kept):
    play(store, ["no JSON", {"option": "P1"}, GOOD, "free"], ("Which one?", Vote), ("And why?", None),
         cache=Cache(store.path) if kept else None)  # fmt: skip
    page = pages.unit_html(store, UNIT)
    said = text_of(page)
    assert [len(chain) for chain in pages.chains(pages.asked_of(store, UNIT))] == [3, 1]
    assert (
        said.count("Which one?")
        == said.count("no JSON")
        == said.count("JSON of the form Vote")
        == 1
    )
    order = [
        said.index(what)
        for what in (
            "no JSON",
            "Repair 1",
            "Repair 2",
            "reason: Field required",
            "It is fair",
        )
    ]
    assert (
        order == sorted(order)
        and "Zoë" in page
        and "&#34;option&#34;: &#34;P1&#34;,\n" in page
    )
    assert SYSTEM.strip() in "".join(
        re.findall(r"<details>.*?</details>", page, flags=re.DOTALL)
    )
    assert "1 more conversation is not shown" in pages.unit_html(store, UNIT, most=1)


def test_chains_that_ran_beside_one_another_are_told_apart_and_without_questions_by_what_fits(
    store,
):
    first, second = (play(store, ["bad", GOOD], (f"Of {name}?", Vote)) for name in "ab")
    store.add(UNIT, RECORD, 1.0, [first[0], second[0], second[1], first[1]])
    found = pages.chains(pages.asked_of(store, UNIT))
    assert [[one.messages[1][1] for one in chain] for chain in found] == [
        ["Of a?"] * 2,
        ["Of b?"] * 2,
    ]
    named = [
        Call("a", "m", "e"),
        Call("b", "m", "e"),
        Call("c", "m", "e", 1),
        Call("d", "n", "e", 1),
    ]
    store.add(UNIT, RECORD, 1.0, named)
    found = pages.chains(pages.asked_of(store, UNIT))
    assert [[one.call.key for one in chain] for chain in found] == [
        ["a"],
        ["b", "c"],
        ["d"],
    ]


def test_faults_what_was_learnt_and_cut_thoughts_and_errors_are_told_and_escaped(store):
    (call,) = play(store, ["yes"], (f"Which? {EVIL}", None), cache=store.path)
    kept = json.dumps(
        {"text": EVIL, "finish_reason": "length", "thinking": f"aside {EVIL}"}
    )
    with store._db:
        store._db.execute("UPDATE replies SET reply = ?", (kept,))
    faults = (
        Fault("learnt", f"no seed {EVIL}"),
        Fault("429", f"slow {EVIL}", 1.25),
        Fault("500", "ill"),
    )
    lost = replace(call, question="{}", faults=faults[1:], error=f"CallFailed: {EVIL}")
    store.fail(
        UNIT,
        CallFailed(EVIL),
        1.0,
        [replace(call, faults=faults[:2], cut=f"3 of 9 rows {EVIL}"), lost],
    )
    page = pages.unit_html(store, UNIT, None, most=None)
    said = text_of(page)
    assert not re.search("<script|<img|<i>", page) and page.count("&lt;script&gt;") == 9
    for told in ("Learnt: no seed", "Attempt 1 failed (429): slow", "Waited 1.2 s.", "(500): ill Given up.", "3 faults",
                 "it was shown 3 of 9 rows", "✗ failed", "No answer.", "Cut off"):  # fmt: skip
        assert told in said
    assert re.search(
        r"<details><summary>[^<]*in private</summary>[^\n]*aside &lt;script&gt;", page
    )


def test_what_a_file_does_not_hold_is_said(store, tmp_path):
    assert "not done yet" in pages.unit_html(store, UNIT)
    cache = Cache(tmp_path / "first.sqlite")
    play(store, ["bad", GOOD], ("Which one?", Vote), cache=cache)
    assert pages.NOT_KEPT in text_of(pages.unit_html(store, UNIT))
    cache.export(tmp_path / "replies.jsonl.gz", prompts=False)
    Cache(store.path).load(tmp_path / "replies.jsonl.gz")
    said = text_of(pages.unit_html(store, UNIT))
    assert (
        said.count(pages.LEFT_OUT) == 2
        and "Repair 1" in said
        and "Which one?" not in said
    )
    assert (
        "Which one?"
        in pages.unit_html(store, UNIT, cache)
        == pages.unit_html(store, UNIT, cache.path)
    )
    with pytest.raises(MissingData, match=r"cache: there is no file .*nowhere\.sqlite"):
        pages.unit_html(store, UNIT, tmp_path / "nowhere.sqlite")
    with store._db:
        store._db.execute("UPDATE replies SET request = '[1, 2'")
    with pytest.raises(
        DamagedFile,
        match=r"study\.sqlite holds a request or a reply that cannot be read",
    ):
        pages.unit_html(store, UNIT)


def test_totals_are_tables_with_amounts_as_people_read_them():
    sums = pd.DataFrame(
        [("cost (USD)", 0.5, EVIL), ("tokens", 12_000, "")], dtype=object
    )
    page = pages.totals_html(sums, pd.DataFrame([(EVIL, 1, 1, 0, 2.0)]))
    assert (
        "<script" not in page
        and "$0.50" in page
        and "12,000" in page
        and "2.0 s" in page
    )
