"""Two searches side by side: the figure, the difference at a budget, and the same in words."""

import pandas as pd
import pytest

from support.analysis.fairness import at_budget, paired
from support.errors import InvalidInput
from support.widgets.planning_budgets import BudgetExplorer

PATHS = {("mcts", "score"): (30, 20, 10), ("local", "score"): (32, 25, 24), ("mcts", "words"): (50, 41, 40)}


def rounds():
    """Four instances of each search; the plan known as best is 2 points behind the best in truth."""
    rows = []
    for (who, feedback), path in PATHS.items():
        for i in range(4):
            for t, value in enumerate(path, start=1):
                rows.append({"coordinator": who, "feedback": feedback, "instance": f"i{i}", "round": t,
                             "evaluations": 3 * t, "divergence": value + i, "best_divergence": value + i - 2.0,
                             "standing_divergence": value + i * (1.5 if who == "local" else 1.0)})  # fmt: skip
    return pd.DataFrame(rows)


@pytest.fixture
def explorer():
    return BudgetExplorer(rounds())


def test_it_opens_with_the_first_two_searches_at_the_largest_budget(explorer):
    assert explorer.settings == {
        "first": "mcts, score", "second": "local, score", "follow": "plan known as best", "evaluations": 9,
    }  # fmt: skip
    assert bytes(explorer.figure.value).startswith(b"\x89PNG")
    row = explorer.difference.iloc[0]
    assert (row["mean_a"], row["mean_b"], row["n"]) == (11.5, 26.25, 4)
    assert "After 9 evaluations, on 4 instances: mcts, score has 11.5 points" in explorer.status.value


def test_the_difference_is_the_paired_one_at_the_chosen_budget(explorer):
    explorer.evaluations.value = 6
    explorer.second.value = "mcts, words"
    known = rounds().assign(search=lambda f: f["coordinator"] + ", " + f["feedback"])
    expected = paired(at_budget(known[known["coordinator"] == "mcts"], 6), "search", "mcts, score", "mcts, words",
                      "standing_divergence")  # fmt: skip
    pd.testing.assert_frame_equal(explorer.difference, expected)
    assert explorer.difference["difference"].iloc[0] == 20 - 41


def test_budgets_end_where_one_of_the_two_searches_does():
    pairs = (
        rounds().query("feedback == 'words'").assign(feedback="comparison", evaluations=lambda f: 2 * f["round"] * 3)
    )
    explorer = BudgetExplorer(pd.concat([rounds(), pairs]), "mcts, score", "mcts, comparison")
    assert explorer.evaluations.options == (3, 6, 9) and "After 9 evaluations" in explorer.status.value
    explorer.first.value = "mcts, comparison"
    explorer.second.value = "mcts, score"
    assert explorer.evaluations.value == 9
    explorer.second.value = "mcts, comparison"
    assert explorer.evaluations.options == (6, 12, 18) and "given twice" in explorer.status.value


def test_a_search_that_had_nothing_judged_is_said_and_the_controls_stay():
    idle = rounds().query("feedback == 'words'").assign(coordinator="idle", evaluations=0)
    explorer = BudgetExplorer(pd.concat([rounds(), idle]))
    explorer.second.value = "idle, words"
    assert "had nothing judged" in explorer.status.value
    explorer.second.value = "local, score"
    assert "difference" in explorer.status.value


def test_what_is_followed_can_be_the_truth_that_nobody_knew(explorer):
    before = explorer.figure.value
    explorer.shown.value = "best plan so far, in truth"
    assert explorer.difference["mean_a"].iloc[0] == 9.5 and explorer.figure.value != before
    assert explorer.draw().axes[0].get_ylabel().startswith("divergence of the best plan so far")


def test_the_same_search_twice_is_said_and_the_controls_stay(explorer):
    explorer.second.value = "mcts, score"
    assert "mcts, score given twice; expected another search" in explorer.status.value
    explorer.second.value = "local, score"
    assert "difference -14.8 (" in explorer.status.value
    explorer.second.value = "mcts, words"
    assert "difference -30.0 (no test: the difference is the same in every pair)" in explorer.status.value


def test_a_name_from_outside_is_escaped():
    hostile = rounds().assign(coordinator=lambda f: "<img src=x onerror=1> " + f["coordinator"])
    assert "<img" not in BudgetExplorer(hostile).status.value


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda f: f[f["coordinator"] == "local"], "local, score only; expected two searches"),
        (lambda f: f.drop(columns="evaluations"), "evaluations"),
    ],
)
def test_a_frame_that_cannot_be_compared_is_refused(change, said):
    with pytest.raises(InvalidInput, match=said):
        BudgetExplorer(change(rounds()))


def test_a_search_that_is_not_there_is_refused_with_those_that_are():
    with pytest.raises(InvalidInput, match="first: 'exact, score' given; expected one of mcts, score; local, score"):
        BudgetExplorer(rounds(), first="exact, score")
