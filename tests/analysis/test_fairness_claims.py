"""What the paper on complex group decisions states, on results that go its way and on results that break it."""

import pandas as pd
import pytest

from support import published
from support.analysis.claims import CLOSE, NO, UNTESTED, YES, check_claims
from support.analysis.fairness_claims import (
    FINDINGS,
    OWN,
    PLANNING,
    check_own,
    compared,
    findings,
    in_most,
    judged,
    marginal,
    no_difference,
)

STATEMENTS = published.statements(published.load("003_1a2bb55b71c6f802"))
SIZES = (3, 5, 7, 9)


def table(*rows):
    return pd.DataFrame(rows, columns=["row", "column", "value", "se"]).assign(n=30)


def gain(row, value=10.0, se=1.0, slope=1.0, sizes=SIZES):
    """A comparison with all its columns, the same at each n."""
    at = [(row, f"gain at n = {n}", value, se) for n in sizes]
    halves = [(row, f"gain at {half} n", value, se) for half in ("smaller", "larger")]
    return [(row, "gain", value, se), *at, *halves, (row, "slope of gain", slope, abs(slope) / 10)]


def as_the_paper_has_it():
    rows = [gain(f"{kind}: mcts - model") for kind in ("score", "words")]
    rows += [gain(f"model: score - {other}") for other in ("words", "comparison")] + [gain("model: comparison - words")]
    rows += [gain("complete: exact - model"), gain("model, complete: solver - no solver")]
    rows += [gain("model, score: 5 rounds - 3 rounds", 10), gain("model, score: 7 rounds - 5 rounds", 2, 0.5, -1)]
    rows += [gain("model, score: 9 rounds - 7 rounds", 1, 0.3, -1)]
    rows += [gain("model, score: full - no example", 4), gain("model, score: full - no objective", 9)]
    rows += [gain("model, score: no example - no objective", 5), gain("model, welfare: words - score", 8, 1)]
    flat = [row for part in rows for row in part if row[:2] != ("model, welfare: words - score", "gain at smaller n")]
    flat += [("model, welfare: words - score", "gain at smaller n", 0.5, 1.0)]
    flat += [("model, words", f"beats random at n = {n}", -3.0, 1.0) for n in (7, 8)]
    flat += [("mcts, words", "beats random at n = 3", -3.0, 1.0)]
    flat += [("model, words", "beats random", 2.0, 1.0), ("model, score", "beats random", 12.0, 1.0)]
    flat += [("exact, complete", "optimal", 1.0, 0.0), ("model, complete, solver", "optimal", 0.8, 0.05)]
    flat += [("model, complete", "slope of quality", 2.0, 0.1)]
    flat += [("model, score, welfare", "changed", 1.4, 0.1), ("model, words, welfare", "changed", 3.4, 0.1)]
    flat += [("model, words, welfare", "slope of share of the optimum", 0.0, 0.01)]
    flat += [("model, score, welfare", "slope of share of the optimum", -0.1, 0.01)]
    for cost, three, nine in (("tokens", 1000, 3100), ("seconds", 2, 5.5)):
        flat += [("model, score, 3 rounds", cost, three, 0.1), ("model, score, 9 rounds", cost, nine, 0.1)]
    rankings, complete = "model, words, rankings", "model, complete"
    between = [f"{complete}: {pair}" for pair in ("reasoning - no reasoning", "o3-mini - deepseek-r1",
               "gemini-2.5-flash - deepseek-r1", "gemini-2.5-flash - gemini-2.5-flash, reasoning off")]  # fmt: skip
    between += [f"{rankings}: {pair}" for pair in ("reasoning - no reasoning", "o3-mini - deepseek-v3",
                "deepseek-v3 - gemini-2.5-flash, reasoning off")]  # fmt: skip
    flat += [row for name in between for row in gain(name)]
    flat += [(f"{rankings}: reasoning - no reasoning", "steadier", 0.5, 0.1)]
    flat += [(f"{complete}: gemini-2.5-flash - o3-mini", "gain, share", 0.0, 0.02)]
    flat += [(name, "beats random", 10.0, 1.0) for name in (complete, rankings)]
    flat += [(name, "beats random, share", 0.01, 0.02) for name in (complete, rankings)]
    flat += [row for name in ("mcts: score - words", "exact: complete - words") for row in gain(name)]
    flat += [
        (complete, "caught", 0.8, 0.1),
        (complete, "away", 0.8, 0.1),
        ("model, score, welfare", "undone", 0.7, 0.1),
    ]
    flat += [("model, welfare: words - score", "gain of left", 0.3, 0.1)]
    flat += [("model, score, 3 rounds", "off the optimum", 0.9, 0.1)]
    return table(*flat)


def seated(ours, reasons, name="model:x"):
    """The results as one model's, which reasons or does not."""
    return pd.concat([ours, table(("model", "reasons", float(reasons), 0.0))]).assign(participant=name)


def answers(ours):
    return check_claims(ours, STATEMENTS, PLANNING).set_index("statement")["holds here"].groupby(level=0).first()


def test_every_statement_has_a_check_and_every_check_a_statement():
    assert set(STATEMENTS["statement"]) == set(PLANNING)
    assert {statement for parts in FINDINGS.values() for statement in parts} <= set(PLANNING)


def test_without_results_nothing_is_testable():
    assert set(answers(table(("nobody", "quality", 1.0, 0.1)))) == {UNTESTED}


def test_results_that_go_the_paper_s_way_say_yes_wherever_they_are_asked():
    ours = as_the_paper_has_it()
    names = ("model:o3-mini", "model:gemini-2.5-flash, reasoning off")
    both = pd.concat(seated(ours, r, name) for r, name in zip((True, False), names, strict=True))
    said = check_claims(both, STATEMENTS, PLANNING).drop_duplicates("statement").set_index("statement")
    answered = said[list(names)].apply(lambda row: next((a for a in row if a != UNTESTED), UNTESTED), axis=1)
    assert set(answered) == {YES, UNTESTED}
    untold = answered.index[answered == UNTESTED]
    one_run = [s for s in untold if "of one printed run" in said.loc[s, "evidence"]]
    assert len(one_run) == 9 and set(untold) - set(one_run) == {
        "CPLEX needs every gain", "comparison more direct than verbal feedback"
    }  # fmt: skip
    assert (said["evidence"] != "").all()


def test_turned_results_say_no():
    turned = as_the_paper_has_it()
    turned["value"] = -turned["value"]
    said = answers(turned)
    for statement in (
        "score feedback: MCTS < LLM: divergence",
        "score feedback < verbal feedback: divergence",
        "every n: score feedback < comparison: divergence",
        "with solver < without solver: divergence",
        "larger n: larger gain by the solver: divergence",
        "larger n: verbal feedback > score feedback: welfare",
        "5 rounds < 3 rounds: divergence",
        "full prompt best in most settings: divergence",
        "no objective: largest loss: divergence",
    ):
        assert said[statement] == NO, statement


def test_a_model_is_needed_for_what_is_said_of_models():
    ours = as_the_paper_has_it()
    without = ours[~ours["row"].str.contains("model")]
    said = findings(without).set_index("statement")["verdict"]
    about = said[[statement for statement in said.index if "LLM" in statement or "reasoning" in statement]]
    assert len(about) == 4 and set(about) == {"not testable here"}
    assert set(findings(ours).iloc[:2]["verdict"]) == {"reproduced"}


def test_a_finding_says_of_whom_and_names_its_verdict():
    told = findings(as_the_paper_has_it()).set_index("statement")
    assert told.loc["score feedback < comparison: divergence"].tolist()[1:] == ["reproduced", "model: yes"]
    both = table(*gain("mcts: score - words", -10), *gain("exact: score - words", 1, 2))
    turned = findings(both).set_index("statement")
    assert turned.loc["score feedback < verbal feedback: divergence", "verdict"] == "undecided"
    against = findings(table(*gain("mcts: score - words", -10))).set_index("statement")["verdict"]
    assert against["score feedback < verbal feedback: divergence"] == "reversed"
    assert turned.loc["score feedback < verbal feedback: divergence", "of whom"] == "mcts: no; exact: too close to call"
    close = findings(table(*gain("exact: score - words", 1, 2))).set_index("statement")["verdict"]
    assert close["score feedback < verbal feedback: divergence"] == "undecided"


def test_what_costs_nobody_anything_is_not_testable():
    free = table(*[(f"mcts, score, {k} rounds", "tokens", 0.0, 0.0) for k in (3, 9)])
    paid = table(*[(f"model, score, {k} rounds", "tokens", 100.0 * k, 1.0) for k in (3, 9)])
    statement = "more rounds: more tokens, nearly in proportion"
    assert PLANNING[statement](free) == UNTESTED
    assert PLANNING[statement](pd.concat([free, paid])) == YES


def test_coordinators_that_contradict_each_other_make_a_finding_depend_on_them():
    ours = table(*gain("mcts: score - words", 10), *gain("exact: score - words", -10))
    told = findings(ours).set_index("statement").loc["score feedback < verbal feedback: divergence"]
    assert (told["verdict"], told["of whom"]) == ("depends on the coordinator", "mcts: yes; exact: no")


def test_one_coordinator_that_goes_the_other_way_is_enough_and_is_seen():
    ours = table(*gain("mcts: score - words", 10), *gain("exact: score - words", -10))
    assert compared("score - words")(ours) == NO
    assert judged(ours).set_index("who")["better"].to_dict() == {"mcts": YES, "exact": NO}
    assert judged(ours)["slope"].tolist() == [1, 1]


def test_welfare_and_rankings_do_not_count_for_divergence_on_scores():
    ours = table(*gain("mcts, welfare: score - words"), *gain("mcts, rankings: score - words"))
    assert compared("score - words")(ours) == UNTESTED
    assert compared("score - words", more=["welfare"])(ours) == YES


def test_the_solver_does_not_need_every_gain_where_it_helps_on_estimates():
    statement = "CPLEX needs every gain"
    assert PLANNING[statement](table(*gain("mcts, score: solver - no solver"))) == NO
    assert PLANNING[statement](table(*gain("words: exact - random", 1, 2))) == CLOSE
    assert PLANNING[statement](table(*gain("mcts, complete: solver - no solver"))) == UNTESTED


@pytest.mark.parametrize(("first", "later", "answer"), [(10, 4, YES), (10, 6, NO), (1, 0, CLOSE)])
def test_a_later_gain_is_marginal_below_half_of_a_clear_first_one(first, later, answer):
    ours = table(*gain("mcts, score: 5 rounds - 3 rounds", first), *gain("mcts, score: 7 rounds - 5 rounds", later))
    assert marginal("7 rounds - 5 rounds")(ours) == answer
    assert marginal("9 rounds - 7 rounds")(ours) == UNTESTED


def test_most_settings_are_counted_by_their_means():
    rows = [("mcts: score - words", f"gain at n = {n}", v, 5.0) for n, v in ((3, -1), (5, 1), (7, 2))]
    ours = table(("mcts: score - words", "gain", 0.7, 5.0), *rows)
    assert in_most("score - words")(ours) == YES
    assert in_most("score - words")(ours[ours["column"] != "gain at n = 7"]) == NO


@pytest.mark.parametrize(("value", "answer"), [(1, YES), (-1, YES), (3, NO), (-3, NO)])
def test_no_difference_is_an_interval_that_holds_zero(value, answer):
    ours = table(("mcts: score - words", "gain", value, 1.0))
    assert no_difference("score - words", "gain")(ours) == answer


def test_own_checks_stand_in_where_there_is_no_model():
    told = check_own(table(*gain("score: mcts - random"), *gain("words: mcts - local", -5)))
    assert dict(zip(told["statement"], told["holds here"], strict=True)) == {
        "score feedback: mcts < random: divergence": YES,
        "words feedback: mcts < local: divergence": NO,
    }
    assert len(OWN) == 16


@pytest.mark.parametrize(
    ("share", "answer"),
    [((0.0, 0.02), YES), ((0.0, 0.2), CLOSE), ((0.3, 0.02), NO), ((0.05, 0.02), YES), ((0.09, 0.02), CLOSE)],
)
def test_close_to_random_is_an_equivalence_and_asked_of_those_that_do_not_reason(share, answer):
    ours = table(("model, complete", "beats random, share", *share))
    check = PLANNING["non-reasoning models close to random: divergence"]
    assert check(seated(ours, False)) == answer and check(seated(ours, True)) == UNTESTED


def test_models_are_found_by_their_names_and_by_whether_they_think():
    ours = table(*gain("model, complete: gemini-2.5-flash, reasoning high - gemini-2.5-flash, reasoning off", -5))
    assert PLANNING["Gemini-2.5-Flash with thinking < without thinking: divergence"](ours) == NO
    other = PLANNING["o3-mini, Gemini-2.5-Flash < DeepSeek-R1: divergence"](ours)
    assert other == UNTESTED and "deepseek-r1 on the same instances would tell" in other.evidence
