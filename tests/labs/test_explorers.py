"""Explorers of transitions, budgets and answers: what is shown, what is said, and a click that becomes a cell."""

import pandas as pd
import pytest

from support.analysis.fairness import at_budget
from support.analysis.stats import compare
from support.analysis.transitions import most_probable, probability, steps
from support.errors import InvalidInput
from support.labs.explorers import AnswerExplorer, BudgetExplorer, TransitionExplorer

SCRIPTS = {
    ("exchange_economy", "majority"): ("inform", "propose", "accept"),
    ("exchange_economy", "rated"): ("inform", "request", "accept"),
    ("movielens", "majority"): ("request", "evaluate", "confirm"),
}
MESSAGES = pd.DataFrame(
    [(run, *where, number, sender, (act,), () if number == 3 else ("others",))
     for run, (where, acts) in enumerate(SCRIPTS.items()) for number, act in enumerate(acts, 1) for sender in "AB"],
    columns=["run", "environment", "rule", "round", "sender", "acts", "guessed"],
)  # fmt: skip
PATHS = {
    ("mcts", "score"): (30, 20, 10),
    ("local", "score"): (32, 25, 24),
    ("mcts", "words"): (50, 41, 40),
}
ROUNDS = pd.DataFrame(
    [{"coordinator": who, "feedback": feedback, "instance": f"i{i}", "round": t, "evaluations": 3 * t,
      "run": f"{who} {feedback} {i}", "divergence": value + i, "best_divergence": value + i - 2.0,
      "standing_divergence": value + i * (1.5 if who == "local" else 1.0)}
     for (who, feedback), path in PATHS.items() for i in range(4) for t, value in enumerate(path, start=1)]
)  # fmt: skip
"""Four instances of each search; the plan known as best is 2 points behind the best in truth."""
ANSWERS = pd.DataFrame(
    [(f"{source} {group}{i}", group, item, 1 + (i + len(item) + len(group + source)) % 5, source)
     for source in ("people", "simulated: rule-based") for group in ("A", "B") for i in range(4)
     for item in ("fair", "clear")],
    columns=["respondent", "group", "item", "answer", "source"],
)  # fmt: skip


def choose(explorer, **settings):
    for name, value in settings.items():
        explorer.controls[name].value = value


@pytest.fixture
def explorer():
    return TransitionExplorer(MESSAGES, {"true acts": "acts", "guesser": "guessed"})


def test_the_edges_are_those_of_the_runs_chosen_and_are_said_in_words(explorer):
    here = MESSAGES.query("environment == 'exchange_economy'")
    assert explorer.chosen.equals(most_probable(probability(steps(here))))
    choose(explorer, rule="rated")
    assert explorer.chosen["target"].tolist() == ["inform", "request", "accept", "end"]
    assert (
        "1 discussions" in explorer.status.value
        and "inform → request 1.00" in explorer.status.value
    )
    choose(explorer, rule="all rules", edges=3)
    assert explorer.chosen.groupby("source").size()["inform"] == 2
    choose(explorer, threshold=0.75)
    assert explorer.chosen["probability"].min() >= 0.75


def test_another_environment_offers_its_rules_and_keeps_the_one_chosen_where_it_can(
    explorer,
):
    choose(explorer, rule="majority", environment="movielens")
    assert explorer.controls["rule"].options == ("all rules", "majority")
    assert explorer.settings["rule"] == "majority"
    assert explorer.chosen["source"].tolist() == [
        "start",
        "request",
        "confirm",
        "evaluate",
    ]
    choose(explorer, environment="exchange_economy", rule="rated")
    choose(explorer, environment="movielens")
    assert explorer.settings["rule"] == "all rules"


def test_an_annotator_is_named_and_what_it_could_not_label_performs_nothing(
    explorer,
):
    choose(explorer, annotator="guesser")
    assert "guesser" in explorer.draw().axes[0].get_title()
    p = probability(explorer.steps)
    assert (
        p.loc["others", "others"] == 0.5 and p.loc["others", "end"] == 0
    )  # an unlabelled third round is between


def test_labels_of_ones_own_are_drawn_beside_ours():
    own = MESSAGES.assign(mine=MESSAGES["acts"].map(lambda acts: (acts[0][0],)))
    explorer = TransitionExplorer(own, {"letters": "mine", "true acts": "acts"})
    assert explorer.chosen["target"].tolist() == ["i", "end", "p", "a", "a"]
    names = {text.get_text() for text in explorer.draw().axes[0].texts}
    assert {"start", "i", "p", "r", "a", "end"} <= names
    choose(explorer, annotator="true acts")
    assert "inform" in explorer.chosen["target"].tolist()


def test_a_threshold_that_leaves_nothing_is_said_and_the_last_figure_stays():
    """One speaks after the other, so that nobody answers anybody."""
    turns = pd.DataFrame([(run, "e", "r", i, sender, ("inform",)) for run in (0, 1) for i, sender in enumerate("ABBB")],
                         columns=["run", "environment", "rule", "round", "sender", "acts"])  # fmt: skip
    explorer = TransitionExplorer(turns)
    before = explorer.view and explorer.figure.value
    choose(explorer, threshold=1.0)
    assert (
        "lower the threshold" in explorer.status.value
        and explorer.figure.value == before
    )


def test_the_difference_is_the_paired_one_at_the_chosen_budget():
    explorer = BudgetExplorer(ROUNDS)
    choose(explorer, evaluations=6, second="mcts, words")
    known = ROUNDS.assign(search=ROUNDS["coordinator"] + ", " + ROUNDS["feedback"])
    judged = at_budget(known[known["coordinator"] == "mcts"], 6)
    how = "search", "instance", "mcts, words"
    expected = compare(judged, "standing_divergence", *how)
    pd.testing.assert_frame_equal(explorer.difference, expected)
    assert explorer.difference["difference"].iloc[0] == 20 - 41
    choose(explorer, follow="best plan so far, in truth")
    assert explorer.difference["mean_a"].iloc[0] == 19.5


def test_budgets_end_where_one_of_the_two_searches_does_and_what_cannot_be_compared_is_said():
    pairs = ROUNDS.query("feedback == 'words'").assign(
        feedback="comparison", evaluations=lambda f: 6 * f["round"]
    )
    idle = pairs.assign(coordinator="<b>idle", evaluations=0)
    explorer = BudgetExplorer(
        pd.concat([ROUNDS, pairs, idle]), "mcts, score", "mcts, comparison"
    )
    assert (
        explorer.controls["evaluations"].options == (3, 6, 9)
        and "After 9 evaluations" in explorer.status.value
    )
    choose(explorer, first="mcts, comparison")
    assert (
        explorer.controls["evaluations"].options == (6, 12, 18)
        and "given twice" in explorer.status.value
    )
    choose(explorer, second="<b>idle, comparison")
    assert (
        "had nothing judged" in explorer.status.value
        and "<b>idle" not in explorer.status.value
    )
    choose(explorer, second="local, score")
    assert "difference" in explorer.status.value


def test_answers_of_one_source_at_a_time_by_item():
    explorer = AnswerExplorer(ANSWERS)
    assert (
        set(explorer.chosen["source"]) == {"people"}
        and "people; means" in explorer.status.value
    )
    choose(explorer, source="simulated: rule-based", item="clear")
    mean = explorer.chosen["answer"].mean()
    assert (
        f"clear: {mean:.2f} (8)" in explorer.status.value
        and explorer.who == "simulated: rule-based"
    )
    assert set(explorer.chosen["item"]) == {"clear"}
    assert (
        "points=7" in AnswerExplorer(ANSWERS, points=7).code
        and "points" not in explorer.code
    )


@pytest.mark.parametrize(
    ("make", "frame", "given"),
    [
        (TransitionExplorer, MESSAGES, {"rule": "rated", "show": "matrix"}),
        (BudgetExplorer, ROUNDS, {"second": "mcts, words"}),
        (AnswerExplorer, ANSWERS, {"source": "simulated: rule-based", "show": "means"}),
    ],
)
def test_another_choice_redraws_an_explorer_and_becomes_a_cell(
    make, frame, given, repeats
):
    explorer = make(frame)
    before = explorer.view and explorer.figure.value
    choose(explorer, **given)
    assert explorer.figure.value != before
    told = (f"{name}={value!r}" for name, value in given.items())
    repeats(explorer, *told, messages=frame, rounds=frame, answers=frame)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (
            lambda: TransitionExplorer(MESSAGES, rule="ranked"),
            "'ranked' given; expected one of all rules; majority",
        ),
        (lambda: TransitionExplorer(MESSAGES, {}), "annotators: none given"),
        (
            lambda: BudgetExplorer(ROUNDS.query("coordinator == 'local'")),
            "local, score only; expected two searches",
        ),
        (lambda: BudgetExplorer(ROUNDS.drop(columns="evaluations")), "evaluations"),
    ],
)
def test_bad_input_is_refused(make, said):
    with pytest.raises(InvalidInput, match=said):
        make()
