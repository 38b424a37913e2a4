"""Prompts: a template and its values match exactly, or nothing is sent."""

from importlib.resources import files

import pytest

from support.errors import PromptError
from support.prompts import SUFFIX, own, render


def test_values_are_filled_in():
    text = render("roundtable/message", me="Ana", round=2, others=["Ben", "Cleo"], words=0)
    assert "Round 2" in text and "You are Ana" in text and "Ben, Cleo" in text


def test_a_missing_value_is_named_with_all_that_are_needed():
    with pytest.raises(PromptError, match="no value for others; it may use me, round, words"):
        render("roundtable/message", me="Ana", round=1, words=0)


def test_a_value_that_the_template_does_not_use_is_refused():
    with pytest.raises(PromptError, match="no place for colour"):
        render("roundtable/message", me="Ana", round=1, others=["Ben"], words=0, colour="red")


def test_an_unknown_prompt_is_named():
    with pytest.raises(PromptError, match="there is no roundtable/nothing"):
        render("roundtable/nothing")


def test_prompts_are_plain_text_and_escape_nothing():
    assert "<Ben> & co" in render("roundtable/message", me="Ana", round=1, others=["<Ben> & co"], words=0)


@pytest.mark.parametrize("form", ["vote", "ratings", "ranking", "points"])
def test_the_ballot_prompt_shows_the_form_of_its_rule_and_all_candidates(form):
    text = render("roundtable/ballot", me="Ana", round=1, candidates=["P1: a", "P2: b"], ids=["P1", "P2"],
                  rule="r", explanation="e", form=form, words=0)  # fmt: skip
    assert f'"{form}"' in text and "P1: a" in text and "P2: b" in text
    assert not any(f'"{other}"' in text for other in {"vote", "ratings", "ranking", "points"} - {form})


def test_every_template_is_part_of_the_package():
    names = [p.name for p in (files("support.prompts") / "roundtable").iterdir()]
    assert {f"{name}{SUFFIX}" for name in ("initialization", "message", "proposal", "ballot")} <= set(names)


def test_a_template_of_ones_own_may_include_one_of_ours(tmp_path):
    (tmp_path / "organizing").mkdir()
    (tmp_path / "organizing" / "time.md.j2").write_text('Hurry. {% include "organizing/notice.md.j2" %}')
    with own(tmp_path):
        assert render("organizing/time", today="a", deadline="b", left=3).startswith("Hurry. ")
    assert not render("organizing/time", today="a", deadline="b", left=3).startswith("Hurry")
