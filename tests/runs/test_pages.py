"""Runs as HTML: all is there, and nothing of it is markup."""

import asyncio
import re
from dataclasses import replace

import numpy as np

from support.meetings import records as met
from support.meetings.preferences import Words
from support.play import FormatError
from support.roundtable import records as discussed
from support.roundtable.study import roundtable_exchange
from support.runs.pages import meeting_to_html, to_html

EVIL = "<script>alert('x')</script> & <img src=http://evil>"


def test_a_discussion_is_shown_whole_escaped_and_its_reasons_on_request():
    playing = roundtable_exchange(
        np.random.default_rng(1), "ranked", seats="conceder", rounds=2
    )
    discussion = asyncio.run(playing)
    html = to_html(discussion)
    describe = discussed.environment_of(discussion).describe
    for entry in discussion.rounds:
        assert all(ballot.text in html for ballot in entry.ballots)
        assert all(f"<td>{one.id}" in html for one in entry.candidates)
        assert all(describe(one.value) in html for one in entry.candidates)
        assert all(act in html for message in entry.messages for act in message.acts)
    hostile = replace(
        discussion.rounds[0],
        messages=(discussed.Message("Ana", ("Ben",), EVIL),),
        why=EVIL,
        ballots=(discussed.Ballot("Ana", EVIL, f"secret {EVIL}"),),
        format_errors=(FormatError("Ana", "vote", EVIL),),
    )
    shown = replace(discussion, rounds=(hostile,))
    page = to_html(shown, title=EVIL, reasons=True)
    assert "secret" in page and "secret" not in to_html(shown)
    assert not re.search("<script|<img|@import|http(?!://evil)", page)
    assert page.count("&lt;script&gt;") == 6


def coordination(said="ten is ten"):
    wish = Words(text=said)
    talks = {
        "Ana": (met.Turn("Ana", f"At ten. {said}", (wish,)),),
        "Ben": (met.Turn("Ben", "After one.", agrees="O1"),),
    }
    notes = {"Ana": (wish,), "Ben": (Words(text="Ben's"),)}
    option = met.Option("O1", "2026-02-16T10:00-05:00", ("Ana",), {"Ana": (wish,)})
    seen, true = {"O1": {"Ana": 3, "Ben": None}}, {"O1": {"Ana": 2, "Ben": 2}}
    off = FormatError("Ana", "talk", said), FormatError("Ben", "talk", "no words")
    made = met.Round(1, talks, notes, (option,), seen, true, "O1", ("O1",), off)
    meeting = {"organiser": "Ina", "members": ["Ana", "Ben"], "subject": said}
    meeting |= {"duration": 60, "zone": "America/New_York", "required": ["Ben"]}
    seats = {"Ana": "human", "Ben": "terse", "coordinator": "rules"}
    return met.Coordination(meeting, seats, (made,), {}, 0.2, 0.8)


def test_a_coordination_is_shown_and_escaped():
    html = meeting_to_html(coordination())
    [first] = re.findall(r"<tr[^>]*><td>O1.*?</tr>", html, re.DOTALL)
    for said in ("winner", "Monday 16 February at 10:00", "✓ 3", "unknown"):
        assert first.count(said) == 1
    for said in ("required: Ben", "agrees to O1", "no words", "asks for: O1"):
        assert said in html
    page = meeting_to_html(coordination(EVIL), title=EVIL)
    assert not re.search("<script|<img", page)
    assert page.count("&lt;script&gt;") == 6


def test_who_is_a_person_sees_no_other_member_s_talk_or_errors():
    page = meeting_to_html(coordination(), only=["Ana"])
    assert "At ten." in page and "not shown: Ben." in page
    for other in ("After one.", "Ben&#39;s", "grees to", "no words"):
        assert other not in page
