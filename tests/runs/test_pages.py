"""Runs as HTML: all is there, nothing of it is markup, what is private on request."""

import asyncio
import re
from dataclasses import replace

import numpy as np

from support.meetings import records as met
from support.play import FormatError
from support.roundtable import records as discussed
from support.roundtable.study import roundtable_exchange
from support.runs import pages

EVIL = "<script>alert('x')</script> & <img src=http://evil>"


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
    hostile = replace(
        discussion.rounds[0],
        messages=(discussed.Message("Ana", ("Ben",), EVIL),),
        why=EVIL,
        ballots=(discussed.Ballot("Ana", EVIL, f"secret {EVIL}"),),
        format_errors=(FormatError("Ana", "vote", EVIL),),
    )
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
    talks = (
        met.Conversation("Ana", (met.Turn("Ana", f"At ten. {said}"),), (said,)),
        met.Conversation("Ben", (met.Turn("Ben", "After one."),), ("Ben's",), "O1"),
    )
    options = (
        met.Option("O1", "2026-02-16T10:00-05:00", ("Ana",), (said,)),
        met.Option("O2", "2026-02-16T14:00-05:00", (), ()),
    )
    given = (
        ("O1", "Ana", 3, said),
        ("O1", "Ben", 0, "told"),
        ("O2", "Ana", 0, "told"),
        ("O2", "Ben", 3, "told"),
    )
    scores = tuple(met.Score(*cell, (why,)) for *cell, why in given)
    audit = tuple(met.Score(o, m, 2) for o in ("O1", "O2") for m in ("Ana", "Ben"))
    errors = (FormatError("Ben", "talk", "no words"), FormatError("Ana", "talk", said))
    meeting = {
        "organiser": "Ina",
        "members": ["Ana", "Ben"],
        "subject": said,
        "invitation": "Come.",
        "duration": 60,
        "zone": "America/New_York",
        "required": ["Ben"],
    }
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
