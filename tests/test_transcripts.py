"""Discussions as HTML: everything is there, and everything from outside is escaped."""

import asyncio
from dataclasses import replace

import numpy as np
import pytest

from support.records import Ballot, Candidate, FormatError, Message, Round
from support.studies import roundtable_exchange
from support.transcripts import rounds_to_html, to_html, write_html

EVIL = "<script>alert('x')</script> & <img src=http://evil>"


@pytest.fixture
def discussion():
    return asyncio.run(roundtable_exchange(np.random.default_rng(1), "ranked", seats="conceder", rounds=2))


def test_every_message_candidate_ballot_and_reason_of_a_decision_is_shown(discussion):
    html = to_html(discussion, title="A title")
    assert "A title" in html and "Rule: ranked" in html and "Ana (conceder)" in html
    for entry in discussion.rounds:
        assert entry.why.split(".")[0] in html
        assert all(ballot.text in html for ballot in entry.ballots)
        assert all(f"<td>{candidate.id}" in html for candidate in entry.candidates)
        assert all(act in html for message in entry.messages for act in message.acts)


def test_everything_from_outside_is_escaped(discussion):
    first = discussion.rounds[0]
    hostile = replace(
        first,
        messages=(Message("Ana", ("Ben",), EVIL),),
        ballots=(Ballot("Ana", EVIL, EVIL),),
        format_errors=(FormatError("Ana", "vote", EVIL),),
        why=EVIL,
    )
    html = to_html(replace(discussion, rounds=(hostile,)), title=EVIL, reasons=True)
    assert "<script" not in html and "<img" not in html
    assert html.count("&lt;script&gt;") == 6


def test_private_reasons_are_shown_on_request_only(discussion):
    first = discussion.rounds[0]
    thinking = replace(first, ballots=(Ballot("Ana", None, "my secret thought"),))
    shown = replace(discussion, rounds=(thinking,))
    assert "my secret thought" not in to_html(shown)
    assert "my secret thought" in to_html(shown, reasons=True)


def test_a_round_in_which_nothing_happened_says_so(discussion):
    empty = replace(discussion.rounds[0], messages=(), proposals=(), candidates=(), decision=None)
    html = to_html(replace(discussion, rounds=(empty,)))
    assert "Nobody said anything" in html and "no proposal" in html and "Nothing is decided" in html


def test_a_page_of_its_own_says_its_encoding_and_escapes_its_title(discussion, tmp_path):
    page = write_html(discussion, tmp_path / "page.html", title=EVIL).read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>") and 'charset="utf-8"' in page
    assert "<script" not in page and "Round 2" in page


def test_a_page_loads_nothing_from_elsewhere(discussion):
    html = to_html(discussion)
    assert "http" not in html and "<script" not in html and "@import" not in html


def test_a_proposal_that_is_one_number_is_shown_as_one():
    candidate = Candidate("P1", 3.6, ("Ana",))
    made = Round(1, (), (), (candidate,), (), "P1", (("P1", "2"),), "P1 wins.", None)
    page = rounds_to_html([made], ["Ana", "Ben"])
    assert "<th>proposal</th>" in page and '<td class="num">3.6</td>' in page and "gets" not in page
