"""Results of fair decisions as statements read them, and a world as paper 003 has it."""

import numpy as np
import pandas as pd
import pytest

from support.analysis import claims
from support.analysis.claims import CLOSE, NO, UNTESTED, YES
from support.analysis.fairness_claims import results
from support.errors import InvalidInput

NEVER = {
    "verbal feedback leaves local optima more often than score feedback",
    "comparison more direct than verbal feedback",
    "5 rounds: best balance of quality and cost",
    "Table 2: reasons promise a smaller difference",
}
APPENDIX_D = ["away", "returned", "best 2", "best 3", "rises"]
APPENDIX_D += ["one", "few", "many", "weakest"]
HOW = ["changed", "misled", "undone", "caught", *APPENDIX_D]
MODELS = {  # their divergence when all is known, and on rankings
    "model:gemini-2.5-flash": (2, 6),
    "model:o3-mini": (2, 2),
    "model:deepseek-reasoner": (6, 2),
    "model:gemini-2.5-flash (reasoning off)": (20, 20),
    "model:deepseek-chat": (20, 18.5),
}


def runs(who="mcts", level=10.0, slope=0.0, noise=1.0, **changes):
    """Ten runs of each size in one cell: a divergence of `level` and `slope` times n."""
    rng = np.random.default_rng(len(str(sorted(changes))))
    rows = pd.DataFrame(np.ndindex(4, 10), columns=["decisions", "i"])
    rows["decisions"] = 3 + 2 * rows["decisions"]
    value = level + slope * rows["decisions"] + rng.normal(0, noise, len(rows))
    rows = rows.assign(coordinator=who, divergence=value, welfare=value)
    rows["instance"] = rows["decisions"].astype(str) + "-" + rows["i"].astype(str)
    usual = {"feedback": "score", "options": 3, "random": 20.0, "proven": True}
    usual |= {"caught": 1.0, "regret": 1.0, "optimum": 1.0}
    return rows.assign(**usual | changes)


def of_models():
    """All known, and rankings: models that reason are better, and alike each time."""
    parts = []
    ranking = {"feedback": "words", "preferences": "rankings"}
    for name, (level, ranked) in MODELS.items():
        rises, noise = (0, 2.0) if level == 20 else (1, 0.2)
        acts = dict.fromkeys(APPENDIX_D, 1.0) | {"feedback": "complete"}
        parts.append(runs(name, level - 3 * rises, rises, **acts))
        many = runs(name, ranked, noise=noise, **ranking)
        parts.append(many.assign(options=many["decisions"]))
    return parts


def of_one_model(name="model:o3-mini"):
    """A solver, kinds of feedback, prompts, rounds and the welfare, with one model."""
    words, known = {"feedback": "words"}, {"feedback": "complete"}
    rich = {"objective": "welfare", "optimum": 100.0, "random": 40.0, "noise": 0.1}
    return [
        runs(name, 1, solver="exact", regret=0.0, **known),
        runs(name, 6, 1 / 9),
        runs(name, 20, 1, **words),
        runs(name, 20, 1, solver="exact", **words),
        runs(name, 9, 1.1, feedback="comparison"),
        runs(name, 9, 1.1, feedback="comparison in words"),
        runs(name, 11, prompt="no example"),
        runs(name, 20, prompt="no objective"),
        runs(name, 15, -0.5, rounds=3, tokens=300.0, seconds=3.0),
        runs(name, 5, 0.2, rounds=7),
        runs(name, 4.5, 0.3, rounds=9, tokens=900.0, seconds=9.0),
        runs(name, 110, -4, changed=1.4, undone=1.0, **rich),
        runs(name, 90, changed=3.4, **words, **rich),
    ]


def as_the_paper_has_it():
    """Runs of every coordinator that the paper speaks of, made as it says."""
    misled = runs("mcts", 4, misled=3.0, feedback="words")
    misled["divergence"] += (misled["decisions"] == 3) * 18
    exact = runs("exact", 0, noise=0, regret=0.0, feedback="complete")
    parts = [exact, runs("mcts", 4), misled, *of_models(), *of_one_model()]
    return pd.concat(parts, ignore_index=True)


def verdicts(found, notebook):
    checked = claims.check("003", notebook, found)
    return claims.wide(checked).drop(columns="where").set_index("statement")


def test_where_it_goes_as_the_paper_says_all_is_tested_and_no_model_contradicts():
    found = results(as_the_paper_has_it(), HOW)
    table = pd.concat([verdicts(found, "30"), verdicts(found, "31")])
    tested = table.ne(UNTESTED).any(axis=1)
    assert set(table.index[~tested]) == NEVER
    models = table.filter(like="model:")
    assert not models.eq(NO).any(axis=None)
    first = models.loc["reasoning models < non-reasoning models: divergence"]
    assert first.eq(YES).all(axis=None)


def test_a_gain_is_a_paired_difference_in_the_objective_s_favour():
    words = runs(level=10, slope=2, noise=0, feedback="words")
    both = pd.concat([runs(level=10, slope=1, noise=0), words])
    gains = results(both).set_index(["row", "column"])["value"]
    expected = {"gain": 6, "gain at 5": 5, "gain, share": 0.3, "slope of gain": 1}
    expected |= {"gain at smaller n": 4, "gain at larger n": 8}
    ours = gains["score - words"][list(expected)].to_dict()
    assert ours == pytest.approx(expected)
    assert gains["words - score", "gain"] == -6
    rich = results(both.assign(objective="welfare")).set_index(["row", "column"])
    assert rich["value"]["welfare: words - score", "gain"] == 6


def test_what_costs_nothing_has_no_cost_to_compare():
    free = pd.concat([runs(rounds=k, tokens=0.0, seconds=k + 0.0) for k in (3, 9)])
    table = verdicts(results(free), "31")["mcts"]
    assert table["more rounds: more tokens, nearly in proportion"] == UNTESTED
    assert table["more rounds: more seconds, nearly in proportion"] == CLOSE


def test_a_model_of_which_nobody_knows_whether_it_reasons_is_of_no_kind():
    found = results(pd.concat([runs("model:chat"), runs("model:other", 12)]))
    rows = found[found["column"] == "gain"]["row"]
    assert {*rows} == {"score: chat - other", "score: other - chat"}
    assert "apart" not in {*found["column"]}


def test_two_runs_of_an_instance_in_one_cell_are_refused():
    with pytest.raises(InvalidInput, match="two runs of the instance 3-0; choose one"):
        results(pd.concat([runs(), runs()]))
