"""Prompts: templates are filled in as they stand; `test_seats` holds that they and their values match."""

from types import SimpleNamespace

import pytest

from support.errors import PromptError
from support.models.profiles import TIGHT
from support.prompts import own, render
from support.roundtable.mechanism import Talk
from support.roundtable.records import View


def test_values_are_filled_in_as_plain_text_that_escapes_nothing():
    seat = SimpleNamespace(me="Ana", limits=TIGHT)
    agents = ("Ana", "<Ben> & co", "Cleo")
    view = View("Ana", agents, "", "", "", 2, 9, phase=Talk())
    text = render("roundtable/message", seat=seat, view=view)
    assert "Round 2, messages. You are Ana." in text and "<Ben> & co and Cleo" in text


def test_a_template_of_ones_own_may_include_one_of_ours(tmp_path):
    (tmp_path / "organizing").mkdir()
    (tmp_path / "organizing" / "notice.md.j2").write_text(
        'Hurry. {% include "organizing/says.md.j2" %}'
    )
    with own(tmp_path):
        assert render("organizing/notice").startswith("Hurry. ")
        assert "gives back" in render("organizing/notice")
    assert not render("organizing/notice").startswith("Hurry")


def test_a_template_that_cannot_be_read_is_named_with_its_line(tmp_path):
    (tmp_path / "notice.md.j2").write_text("Hurry.\n{% if %}")
    with own(tmp_path), pytest.raises(PromptError, match=r"(?s)notice.*line 2"):
        render("notice")
