"""The line that a figure has to show."""

import numpy as np
import pandas as pd
import pytest

from support.analysis.dialogue_acts.agreement import MEAN, evaluate
from support.analysis.dialogue_acts.trust import summary, warning
from support.errors import InvalidInput

ACTS = ("inform", "request")


def agreement(right, covered=ACTS):
    rng = np.random.default_rng(1)
    truth = [(ACTS[i % 2],) for i in range(400)]
    guess = [t if rng.random() < right else (ACTS[(i + 1) % 2],) for i, t in enumerate(truth)]
    return evaluate(truth, guess, range(400), rng, acts=ACTS, covered=covered)


@pytest.mark.parametrize(("right", "word"), [(0.5, "near chance"), (0.66, "weak"), (0.75, "moderate")])
def test_a_poor_annotator_is_called_what_it_is(right, word):
    line = warning(agreement(right), "tiny model", "true acts")
    assert line.startswith("tiny model: mean kappa ")
    assert line.endswith(f"against true acts: {word}")


def test_a_good_annotator_needs_no_warning():
    assert warning(agreement(0.95), "good", "true acts") == ""


def test_acts_that_an_annotator_cannot_give_are_named_even_when_it_is_good():
    assert warning(agreement(0.95, ("inform",)), "good", "true acts") == "good cannot see: request"


def test_an_annotator_that_was_not_measured_gets_no_line():
    frame = agreement(0.9)
    with pytest.raises(InvalidInput, match="expected one annotator's evaluation"):
        warning(frame[frame["act"] != MEAN], "x", "y")
    with pytest.raises(InvalidInput, match="2 rows"):
        warning(pd.concat([frame, frame]), "x", "y")


def test_the_summary_has_a_row_for_each_act_and_a_column_for_each_annotator():
    both = pd.concat([agreement(0.9).assign(annotator="a"), agreement(0.6).assign(annotator="b")])
    table = summary(both)
    assert list(table.columns) == ["a", "b"]
    assert list(table.index) == [*ACTS, MEAN]
    assert table.loc["inform", "a"].startswith("0.") and " to " in table.loc["inform", "a"]
