"""Coordinations as HTML: everything is there, everything from outside is escaped, and privacy is kept on request."""

import re
from dataclasses import replace

import pytest

from support.conversations import rounds_to_html, to_html, write_html
from support.records import Conversation, Coordination, CoordinationRound, FormatError, Option, Score, Turn

EVIL = "<script>alert('x')</script> & <img src=http://evil>"
MEETING = {
    "id": "M1",
    "organiser": "Ina Ort",
    "members": ["Ana", "Ben", "Cleo"],
    "subject": "Trial readout",
    "invitation": "Let us meet on Monday.",
    "duration": 60,
    "zone": "America/New_York",
    "required": ["Ben"],
}
SEATS = {"Ana": "human", "Ben": "rule-based terse", "Cleo": "model tiny", "coordinator": "rule-based"}
ROUND = CoordinationRound(
    number=1,
    conversations=(
        Conversation("Ana", (Turn("assistant", "When?"), Turn("Ana", "At ten.")), ("Prefers 10:00",)),
        Conversation("Ben", (Turn("assistant", "And you?"), Turn("Ben", "In the afternoon.")), ("After 13:00",)),
        Conversation("Cleo", (), ("Likes anything",), "O1"),
    ),
    options=(
        Option("O1", "2026-02-16T10:00-05:00", ("Ana",), ("Ana: prefers 10:00",)),
        Option("O2", "2026-02-16T14:00-05:00", ("Ben",), ("Ben: after 13:00",)),
    ),
    scores=(
        Score("O1", "Ana", 3, ("ten is ten",)),
        Score("O1", "Ben", 0),
        Score("O1", "Cleo", 3),
        Score("O2", "Ana", 0),
        Score("O2", "Ben", 3),
        Score("O2", "Cleo", 0),
    ),
    candidate="O1",
    audit=tuple(Score(o, m, 2) for o in ("O1", "O2") for m in ("Ana", "Ben", "Cleo")),
    breaches=("O2 satisfies 1",),
    format_errors=(FormatError("Ben", "talk", "no words"),),
)
RUN = Coordination(MEETING, SEATS, (ROUND,))


def row(html, id):
    return next(r for r in re.findall(r"<tr.*?</tr>", html, re.DOTALL) if f'<td rowspan="2">{id}' in r)


def test_every_turn_note_option_reason_score_and_breach_is_shown():
    html = to_html(RUN, title="A title")
    for text in ("A title", "Trial readout", "Let us meet on Monday.", "required: Ben", "coordinator (rule-based)"):
        assert text in html
    for talk in ROUND.conversations:
        assert all(t.text in html for t in talk.turns) and all(f"<li>{p}</li>" in html for p in talk.preferences)
        assert f"({SEATS[talk.member]})" in html
    assert "Agreed to O1" in html and "after 1 turn of Ana" in html and "ten is ten" in html
    assert "O2 satisfies 1" in html and "Format error of Ben (talk): no words" in html
    assert all(option.reasons[0] in html for option in ROUND.options)


def test_the_candidate_is_marked_and_options_carry_their_measures():
    html = to_html(RUN)
    first, second = row(html, "O1"), row(html, "O2")
    assert 'class="candidate"' in first and "Monday 16 February at 10:00" in first and "candidate" not in second
    assert [m in first for m in ("67 %", "2.00", "0.33")] == [True] * 3  # scores 3, 0, 3
    assert [m in second for m in ("33 %", "1.00", "0.67")] == [True] * 3  # scores 0, 3, 0
    assert first.count("✓</span>") == 1, "one member whom the coordinator says it satisfies"


def test_true_scores_are_shown_on_request_only():
    assert "true: 2" not in to_html(RUN)
    assert to_html(RUN, private=True).count("true: 2") == 6


def test_a_member_sees_no_other_member_s_conversation():
    scored = replace(ROUND, scores=(*ROUND.scores[:1], *(replace(s, reasons=("told",)) for s in ROUND.scores[1:])))
    html = rounds_to_html([scored], MEETING, SEATS, only=["Ana"])
    assert "told" in rounds_to_html([scored], MEETING, SEATS) and html.count("<li>told</li>") == 1, "Ana's of O2"
    assert "ten is ten" in html and "At ten." in html and "2 other conversations" in html
    assert not any(text in html for text in ("In the afternoon.", "Likes anything", "Agreed to", "no words"))


def test_everything_from_outside_is_escaped():
    hostile = replace(
        ROUND,
        conversations=(Conversation("Ana", (Turn("Ana", EVIL),), (EVIL,)),),
        options=(Option("O1", "2026-02-16T10:00-05:00", (), (EVIL,)),),
        scores=(Score("O1", "Ana", 1, (EVIL,)),),
        breaches=(EVIL,),
        format_errors=(FormatError("Ana", "talk", EVIL),),
    )
    html = to_html(replace(RUN, rounds=(hostile,), meeting={**MEETING, "subject": EVIL}), title=EVIL)
    assert "<script" not in html and "<img" not in html
    assert html.count("&lt;script&gt;") == 8


def test_a_page_of_its_own_says_its_encoding_and_loads_nothing(tmp_path):
    page = write_html(RUN, tmp_path / "page.html", title=EVIL).read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>") and 'charset="utf-8"' in page
    assert "<script" not in page and "@import" not in page and "http" not in page.replace("http://evil", "")


@pytest.mark.parametrize(
    ("gone", "said"),
    [({"options": (), "scores": (), "candidate": None}, "There was no option."), ({"scores": ()}, "–")],
)
def test_a_round_without_options_or_scores_says_so(gone, said):
    assert said in to_html(replace(RUN, rounds=(replace(ROUND, **gone),)))
