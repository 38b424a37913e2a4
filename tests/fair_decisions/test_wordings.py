"""The held-out wordings are what WORDINGS.md says: short, without digits, about the plan that stands beside them."""

import re
import tomllib
from collections import Counter

import pytest

from support import data

LEVELS = (0.0, 0.25, 0.5, 0.75, 1.0)


@pytest.fixture(scope="module")
def wordings():
    return tomllib.loads(data.inputs("fair_decisions", "wordings.toml").read_text(encoding="utf-8"))["feedback"]


def test_a_text_is_short_says_no_digit_and_is_there_once(wordings):
    texts = [one["text"] for one in wordings]
    assert len(texts) == len(set(texts)) >= 150
    assert all(len(text.split()) <= 40 and not re.search(r"\d", text) for text in texts)


def test_a_plan_has_two_to_six_different_decisions_with_an_option_each(wordings):
    for one in wordings:
        assert 2 <= len(set(one["decisions"])) == len(one["decisions"]) == len(one["options"]) <= 6


def test_levels_are_of_decisions_of_the_plan_on_the_grid_and_all_five_are_common(wordings):
    for one in wordings:
        assert set(one["levels"]) <= set(one["decisions"])
        assert one["levels"] or "whole" in one
        assert set(one["levels"].values()) | {one.get("whole", 0.0)} <= set(LEVELS)
    levels = Counter(level for one in wordings for level in one["levels"].values())
    assert min(levels[level] for level in LEVELS) >= 80


def test_about_a_quarter_speaks_of_some_decisions_only_and_some_of_the_whole(wordings):
    some = sum(0 < len(one["levels"]) < len(one["decisions"]) for one in wordings)
    assert 0.2 <= some / len(wordings) <= 0.3
    assert sum("whole" in one for one in wordings) >= 20
