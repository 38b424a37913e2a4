"""Prompts: a template and its values match exactly, or nothing is sent."""

import pytest

from support.errors import PromptError
from support.prompts import own, render

MESSAGE = {"me": "Ana", "round": 2, "others": ["<Ben> & co", "Cleo"], "words": 0}


def test_values_are_filled_in_as_plain_text_that_escapes_nothing():
    text = render("roundtable/message", **MESSAGE)
    assert "Round 2" in text and "You are Ana" in text and "<Ben> & co, Cleo" in text


@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        ("message", {"me": "Ana", "round": 1, "words": 0}, "no value for others; it may use me, round, words"),
        ("message", {**MESSAGE, "colour": "red"}, "no place for colour"),
        ("nothing", {}, "there is no roundtable/nothing"),
    ],
)
def test_a_template_and_its_values_match_exactly(name, given, said):
    with pytest.raises(PromptError, match=said):
        render(f"roundtable/{name}", **given)


def test_a_template_of_ones_own_may_include_one_of_ours(tmp_path):
    (tmp_path / "organizing").mkdir()
    (tmp_path / "organizing" / "time.md.j2").write_text('Hurry. {% include "organizing/notice.md.j2" %}')
    with own(tmp_path):
        assert render("organizing/time", today="a", deadline="b", left=3).startswith("Hurry. ")
    assert not render("organizing/time", today="a", deadline="b", left=3).startswith("Hurry")
