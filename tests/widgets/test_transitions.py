"""The explorer shows the graph of the runs chosen, says it in words, and never loses its place."""

import pandas as pd
import pytest

from support.analysis.dialogue_acts import Trust
from support.analysis.transitions import code, most_probable, transitions
from support.errors import InvalidInput
from support.widgets.transitions import TransitionExplorer

SCRIPTS = {
    ("exchange_economy", "majority"): ("inform", "propose", "accept"),
    ("exchange_economy", "rated"): ("inform", "request", "accept"),
    ("movielens", "majority"): ("request", "evaluate", "confirm"),
}


def messages():
    rows = []
    for run, ((environment, rule), acts) in enumerate(SCRIPTS.items()):
        for number, act in enumerate(acts, start=1):
            for sender in ("Ana", "Ben"):
                guess = () if number == 3 else ("others",)
                rows.append({"run": run, "environment": environment, "rule": rule, "round": number, "sender": sender,
                             "text": "…", "acts": (act,), "guessed": guess})  # fmt: skip
    return pd.DataFrame(rows)


@pytest.fixture
def explorer():
    annotators = {"true acts": "acts", "guesser": "guessed"}
    labelled = messages()
    labelled.attrs["trust"] = {"guessed": Trust(known={"exchange_economy": "guesser: kappa 0.00: near chance"})}
    return TransitionExplorer(labelled, annotators)


def test_it_opens_with_all_rules_of_the_first_environment(explorer):
    assert explorer.settings == {"environment": "exchange_economy", "rule": "all rules", "annotator": "true acts",
                                 "edges": 1, "threshold": 0.0, "show": "graph"}  # fmt: skip
    here = messages().query("environment == 'exchange_economy'")
    assert explorer.chosen.equals(most_probable(transitions(code(here))))
    assert bytes(explorer.figure.value).startswith(b"\x89PNG")


def test_a_rule_shows_its_own_runs_and_draws_anew(explorer):
    before = explorer.figure.value
    explorer.rule.value = "rated"
    assert explorer.chosen["target"].tolist() == ["inform", "request", "accept", "end"]
    assert explorer.figure.value != before
    assert "1 discussions" in explorer.status.value
    assert "inform → request 1.00" in explorer.status.value


def test_another_environment_offers_its_rules_and_keeps_the_one_chosen_where_it_can(explorer):
    explorer.rule.value = "majority"
    explorer.environment.value = "movielens"
    assert explorer.rule.options == ("all rules", "majority")
    assert explorer.rule.value == "majority"
    assert explorer.chosen["source"].tolist() == ["start", "request", "confirm", "evaluate"]
    explorer.environment.value = "exchange_economy"
    explorer.rule.value = "rated"
    explorer.environment.value = "movielens"
    assert explorer.rule.value == "all rules"


def test_more_edges_and_a_threshold(explorer):
    explorer.edges.value = 3
    assert explorer.chosen.groupby("source").size()["inform"] == 2
    explorer.threshold.value = 0.75
    assert explorer.chosen["probability"].min() >= 0.75


def test_a_poor_annotator_is_named_on_the_figure(explorer):
    explorer.annotator.value = "guesser"
    shown = [t.get_text() for t in explorer.draw().axes[0].texts]
    assert "guesser: kappa 0.00: near chance" in shown


def test_what_an_annotator_could_not_label_performs_nothing_and_the_round_still_counts(explorer):
    explorer.annotator.value = "guesser"
    p = explorer.transitions.probability
    assert p.loc["others", "others"] == 0.5
    assert p.loc["others", "end"] == 0  # an unlabelled third round stands between


def test_the_matrix_can_be_shown_in_the_place_of_the_graph(explorer):
    explorer.shown_as.value = "matrix"
    assert explorer.draw().axes[0].get_xlabel() == "act of another agent in round r"


def test_a_threshold_that_leaves_nothing_is_said_and_the_last_figure_stays():
    """One speaks after the other, so that nobody answers anybody."""
    turns = pd.DataFrame(
        [{"run": run, "environment": "e", "rule": "r", "round": 1 + i, "sender": sender, "acts": ("inform",)}
         for run in (0, 1) for i, sender in enumerate(("Ana", "Ben", "Ben", "Ben"))]
    )  # fmt: skip
    explorer = TransitionExplorer(turns)
    before = explorer.figure.value
    explorer.threshold.value = 1.0
    assert "lower the threshold" in explorer.status.value
    assert explorer.figure.value == before


def test_bad_input_is_refused():
    with pytest.raises(InvalidInput, match="guessed"):
        TransitionExplorer(messages().drop(columns="guessed"), {"guesser": "guessed"})
    with pytest.raises(InvalidInput, match="rule: 'ranked' given; expected one of all rules, majority, rated"):
        TransitionExplorer(messages(), rule="ranked")
    with pytest.raises(InvalidInput, match="annotators: none given"):
        TransitionExplorer(messages(), {})
