"""The six rules, and how small a new one is."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction

import pytest

from support.choice import RULES, Rule, tally
from support.choice.rules import as_rule
from support.errors import InvalidInput


class AntiPlurality(Rule):
    """The fewest last places."""

    name, form = "antiplurality", "ranking"
    explanation = "Order all proposals; the one that is last least often is accepted."

    def score_ballot(self, ballot, candidates):
        return {ballot[-1]: Fraction(-1)}


def test_the_rules_are_those_of_the_paper_in_its_order():
    assert list(RULES) == ["unanimous", "majority", "plurality", "rated", "ranked", "cumulative"]
    assert [rule.form for rule in RULES.values()] == ["vote", "vote", "vote", "ratings", "ranking", "points"]
    assert all(name == rule.name for name, rule in RULES.items())


def test_the_rules_cannot_be_changed_from_outside():
    with pytest.raises(TypeError):
        RULES["mine"] = AntiPlurality()


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_an_explanation_is_one_or_two_sentences(rule):
    assert 1 <= rule.explanation.count(". ") + 1 <= 2
    assert rule.explanation.endswith(".")


def test_harmonic_weights_are_exact():
    assert RULES["ranked"].weights(4) == [Fraction(1), Fraction(1, 2), Fraction(1, 3), Fraction(1, 4)]


@pytest.mark.parametrize(("agents", "majority"), [(1, 1), (2, 2), (3, 2), (4, 3), (5, 3)])
def test_thresholds_count_all_agents(agents, majority):
    assert RULES["majority"].needed(agents) == majority
    assert RULES["unanimous"].needed(agents) == agents
    assert RULES["plurality"].needed(agents) is None


def test_a_new_rule_is_one_small_class_even_with_negative_scores():
    ballots = {1: ["x", "y", "z"], 2: ["y", "x", "z"], 3: ["z", "x", "y"]}
    result = tally(AntiPlurality(), ballots, ["x", "y", "z"])
    assert (result.rule, result.winner) == ("antiplurality", "x")
    assert dict(result.scores) == {"x": 0, "y": -1, "z": -2}


@pytest.mark.parametrize("rule", ["borda", None, AntiPlurality, ["plurality"]])
def test_an_unknown_rule_is_refused_with_the_names_there_are(rule):
    with pytest.raises(InvalidInput, match=r"rule: got .*expected one of unanimous, majority, .*Choose one"):
        as_rule(rule)


def test_importing_the_package_loads_no_numpy():
    code = "import sys, support.choice; sys.exit('numpy' in sys.modules or 'pref_voting' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
