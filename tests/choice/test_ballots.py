"""Every malformed ballot is refused with its agent, its field and its value."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from support.choice import check_ballot
from support.choice.ballots import merge
from support.errors import InvalidBallot, InvalidInput

ABC = ["A", "B", "C"]


@pytest.mark.parametrize("rule", ["unanimous", "majority", "plurality", "rated", "ranked", "cumulative"])
def test_none_is_an_abstention_under_every_rule(rule):
    assert check_ballot(rule, None, ABC) is None


@pytest.mark.parametrize(
    ("rule", "ballot", "canonical"),
    [
        ("plurality", "B", "B"),
        ("rated", {"C": 5, "A": 1, "B": 3.0}, {"A": 1, "B": 3, "C": 5}),
        ("rated", {"C": np.int64(5), "A": np.float64(1), "B": Fraction(3)}, {"A": 1, "B": 3, "C": 5}),
        ("ranked", ["C", "A", "B"], ("C", "A", "B")),
        ("cumulative", {"B": 3}, {"A": 0, "B": 3, "C": 0}),
        ("cumulative", {"A": 0.1, "B": 2.9}, {"A": Fraction(1, 10), "B": Fraction(29, 10), "C": 0}),
        ("cumulative", {"A": Fraction(1, 3), "C": Fraction(8, 3)}, {"A": Fraction(1, 3), "B": 0, "C": Fraction(8, 3)}),
        (
            "cumulative",
            {"A": np.int64(2), "B": np.float32(0.1), "C": 0.9},
            {"A": 2, "B": Fraction("0.1"), "C": Fraction("0.9")},
        ),
    ],
)
def test_a_ballot_is_returned_in_its_canonical_form(rule, ballot, canonical):
    assert check_ballot(rule, ballot, ABC) == canonical


def test_a_canonical_ballot_passes_the_check_unchanged():
    for rule, ballot in [("rated", dict.fromkeys(ABC, 2)), ("ranked", ABC), ("cumulative", {"A": 1.5, "B": 1.5})]:
        canonical = check_ballot(rule, ballot, ABC)
        assert check_ballot(rule, canonical, ABC) == canonical


RATED = {"A": 1, "B": 2, "C": 3}
MALFORMED = [
    ("plurality", "D", "field vote", "'D'", "one of the candidates: 'A', 'B', 'C'"),
    ("plurality", ["A"], "field vote", "['A']", "one of the candidates"),
    ("majority", {"A": 1}, "field vote", "{'A': 1}", "one of the candidates"),
    ("rated", "A", "field ratings", "'A'", "mapping of candidates to ratings"),
    ("rated", RATED | {"B": 6}, "field ratings['B']", "got 6", "from 1 to 5"),
    ("rated", RATED | {"B": 0}, "field ratings['B']", "got 0", "from 1 to 5"),
    ("rated", RATED | {"B": 2.5}, "field ratings['B']", "got 2.5", "whole number"),
    ("rated", RATED | {"B": True}, "field ratings['B']", "got True", "whole number"),
    ("rated", RATED | {"B": "4"}, "field ratings['B']", "got '4'", "whole number"),
    ("rated", RATED | {"B": None}, "field ratings['B']", "got None", "whole number"),
    ("rated", RATED | {"B": float("nan")}, "field ratings['B']", "got nan", "whole number"),
    ("rated", {"A": 1, "C": 3}, "field ratings", "{'A': 1, 'C': 3}", "also of 'B'"),
    ("rated", RATED | {"D": 3}, "field ratings", "'D'", "one of the candidates"),
    ("ranked", "ABC", "field ranking", "'ABC'", "a list of all candidates"),
    ("ranked", {"A": 1, "B": 2, "C": 3}, "field ranking", "{'A': 1, 'B': 2, 'C': 3}", "a list of all candidates"),
    ("ranked", {"A", "B", "C"}, "field ranking", "'A'", "a list of all candidates"),
    ("ranked", ["A", "B", "A"], "field ranking[2]", "got 'A'", "only once"),
    ("ranked", ["A", "D", "C"], "field ranking[1]", "got 'D'", "one of the candidates"),
    ("ranked", ["A", ["B"], "C"], "field ranking[1]", "got ['B']", "one of the candidates"),
    ("ranked", ["A", "C"], "field ranking", "['A', 'C']", "also 'B'"),
    ("ranked", [], "field ranking", "[]", "also 'A'"),
    ("cumulative", ["A"], "field points", "['A']", "mapping of candidates to points"),
    ("cumulative", {"A": 4, "B": -1}, "field points['B']", "got -1", "0 or more"),
    ("cumulative", {"A": float("nan")}, "field points['A']", "got nan", "finite"),
    ("cumulative", {"A": float("inf")}, "field points['A']", "got inf", "finite"),
    ("cumulative", {"A": True, "B": 2}, "field points['A']", "got True", "finite number"),
    ("cumulative", {"A": "3"}, "field points['A']", "got '3'", "finite number"),
    ("cumulative", {"A": 10**400}, "field points", "10000", "number of candidates, 3"),
    ("cumulative", {"A": 2}, "field points", "{'A': 2}", "number of candidates, 3, not to 2"),
    ("cumulative", {"A": 3.3333, "B": 0.0}, "field points", "3.3333", "number of candidates, 3, not to 33333/10000"),
    ("cumulative", {}, "field points", "{}", "number of candidates, 3, not to 0"),
    ("cumulative", {"D": 3}, "field points", "'D'", "one of the candidates"),
]


@pytest.mark.parametrize(("rule", "ballot", "field", "value", "expected"), MALFORMED)
def test_a_malformed_ballot_is_refused_with_agent_field_value_and_way_out(rule, ballot, field, value, expected):
    with pytest.raises(InvalidBallot) as refusal:
        check_ballot(rule, ballot, ABC, agent="Ann")
    message = str(refusal.value)
    assert message.startswith("ballot of Ann, ")
    assert field in message
    assert value in message
    assert expected in message
    assert "or abstain with None" in message


def test_a_long_value_is_cut_in_the_message():
    with pytest.raises(InvalidBallot) as refusal:
        check_ballot("plurality", "x" * 10_000, ABC)
    assert len(str(refusal.value)) < 400


def test_points_sum_to_the_number_of_merged_candidates():
    assert check_ballot("cumulative", {"A": 2}, ["A", "A", "B"]) == {"A": 2, "B": 0}


def test_identical_candidates_are_merged_in_their_order():
    assert merge(["B", "A", "B", (1, 2), (1, 2)]) == ("B", "A", (1, 2))


@pytest.mark.parametrize("candidates", ["ABC", [["A"]], [None, "A"]])
def test_candidates_that_are_no_candidates_are_refused(candidates):
    with pytest.raises(InvalidInput, match="candidates: got"):
        merge(candidates)
