"""What the paper on complex group decisions states, on results that go its way and on results that break it."""

import numpy as np
import pandas as pd
import pytest

from support import published
from support.analysis.claims import CLOSE, NO, UNTESTED, YES, check_claims
from support.analysis.fairness_claims import (
    APPENDIX_D,
    FINDINGS,
    PLANNING,
    _share,
    findings,
    marginal,
    results,
)
from support.errors import InvalidInput

STATEMENTS = published.statements(published.load("003_1a2bb55b71c6f802"))
NEVER = {
    "verbal feedback leaves local optima more often than score feedback",
    "comparison more direct than verbal feedback",
    "5 rounds: best balance of quality and cost",
}
FLASH, OTHERS = (
    "model:gemini-2.5-flash",
    ("model:o3-mini (reasoning high)", "model:deepseek-r1 (reasoning high)"),
)
MODELS = {  # their divergence under complete information, and on rankings
    f"{FLASH} (reasoning high)": (2, 6), OTHERS[0]: (2, 2), OTHERS[1]: (6, 2), f"{FLASH} (reasoning off)": (20, 20),
    "model:deepseek-v3": (20, 18.5),
}  # fmt: skip


def runs(
    coordinator="mcts", level=10.0, sizes=(3, 5, 7, 9), count=10, noise=1.0, **changes
):
    """Runs of one cell; `level` is the divergence, or a function of n; larger instances have more of it."""
    mine = (
        dict.fromkeys(("local", "regret"), 1.0)
        | {"optimum": 1.0, "random_best": 9.0, "proven": True}
        | changes
    )
    rng = np.random.default_rng(len(str(sorted(changes.items()))))
    rows = []
    for n in sizes:
        for i in range(count):
            value = (level(n) if callable(level) else level) + rng.normal(0, noise)
            rows.append({"coordinator": coordinator, "feedback": "score", "decisions": n, "options": 3, **mine,
                         "instance": f"{n}-{i}", "divergence": value, "welfare": value, "random": 20.0})  # fmt: skip
    return pd.DataFrame(rows)


BARE = {  # the names at their makers' endpoints, where nothing is asked of reasoning
    f"{FLASH} (reasoning high)": FLASH,
    OTHERS[0]: "model:o3-mini",
    OTHERS[1]: "model:deepseek-reasoner",
    "model:deepseek-v3": "model:deepseek-chat",
}


def as_the_paper_has_it():
    """Runs of every coordinator that the paper speaks of, made as it says."""
    parts = [
        runs("exact", 0, noise=0, feedback="complete", regret=0.0),
        runs("mcts", 4),
    ]
    parts += [runs("mcts", lambda n: 4 + 18 * (n == 3), feedback="words", misled=3.0)]
    for name, (level, ranked) in MODELS.items():
        plain, all_of_it = level == 20, dict.fromkeys(APPENDIX_D, 1.0)
        parts += [
            runs(
                name,
                lambda n, k=level, p=plain: k + (n - 3) * (not p),
                feedback="complete",
                **all_of_it,
            )
        ]
        many = runs(
            name,
            ranked,
            noise=2.0 if plain else 0.2,
            feedback="words",
            preferences="rankings",
        )
        parts += [many.assign(options=many["decisions"])]
    name, rich = (
        OTHERS[0],
        {"objective": "welfare", "optimum": 100.0, "random": 40.0, "noise": 0.1},
    )
    parts += [
        runs(name, 1, feedback="complete", solver=True, regret=0.0),
        runs(name, lambda n: 6 + n / 9),
    ]
    parts += [
        runs(name, lambda n: 20 + n, feedback="words", **more)
        for more in ({}, {"solver": True})
    ]
    parts += [
        runs(name, lambda n: 9 + n * 1.1, feedback="comparison"),
        runs(name, 11, prompt="no example"),
    ]
    parts += [runs(name, lambda n: 15 - n / 2, rounds=3, tokens=300.0, seconds=3.0)]
    parts += [runs(name, 20, prompt="no objective")]
    parts += [runs(name, lambda n: 5 + n * 0.2, rounds=7)]
    parts += [runs(name, lambda n: 4.5 + n * 0.3, rounds=9, tokens=900.0, seconds=9.0)]
    parts += [
        runs(name, lambda n: 90 - 6 * max(0, n - 5), changed=1.4, undone=1.0, **rich)
    ]
    parts += [runs(name, 90, feedback="words", changed=3.4, **rich)]
    return pd.concat(parts, ignore_index=True)


@pytest.mark.parametrize("bare", [{}, BARE], ids=["as asked", "bare"])
def test_where_it_goes_as_the_paper_says_all_that_runs_can_tell_is_tested_and_no_model_contradicts(
    bare,
):
    frame = as_the_paper_has_it()
    ours = results(frame.assign(coordinator=frame["coordinator"].replace(bare)))
    table, names = (
        check_claims(ours, STATEMENTS, PLANNING),
        list(ours["participant"].unique()),
    )
    tested = table.set_index("statement")[names].ne(UNTESTED).any(axis=1)
    assert set(tested.index[~tested]) == NEVER
    assert table.loc[table["statement"].isin(NEVER), "evidence"].ne("").all()
    assert (
        not table[[name for name in names if name.startswith("model:")]]
        .eq(NO)
        .any(axis=None)
    )
    first = "reasoning models < non-reasoning models: divergence"
    models = [bare.get(name, name) for name in MODELS]
    assert table.set_index("statement").loc[first, models].eq(YES).all(axis=None)


def test_tokens_of_thinking_in_its_replies_tell_that_a_model_reasons_and_else_nobody_knows():
    claim = PLANNING["most reasoning models < random: divergence"]
    frame = runs("model:unheard-of", 2, feedback="complete")
    assert claim(results(frame)) == UNTESTED
    assert claim(results(frame.assign(thinking_tokens=300))) == YES


def test_without_models_nothing_is_said_of_models():
    ours = results(runs("mcts", feedback="complete", **{"best 2": 1.0, "away": 1.0}))
    of_models = [
        check
        for s, check in PLANNING.items()
        if "model" in s or "Table" in s or "LLM" in s
    ]
    assert {check(ours) for check in of_models} == {UNTESTED}


def cells(*rows):
    return pd.DataFrame(
        rows, columns=["participant", "row", "column", "value", "se"]
    ).assign(n=30)


@pytest.mark.parametrize(("values", "here"), [
    ({"mcts": 10, "local": 8}, "reproduced"), ({"mcts": -10}, "reversed"), ({"mcts": 0.5}, "undecided"),
    ({"mcts": 10, "exact": -10}, "depends on the coordinator"), ({"mcts": 10, "exact": 0.5}, "undecided"),
    ({}, UNTESTED),
])  # fmt: skip
def test_a_finding_depends_on_the_coordinator_where_they_contradict_each_other(
    values, here
):
    ours = cells(
        ("nobody", "words", "quality", 1, 1),
        *((who, "score - words", "gain", v, 1.0) for who, v in values.items()),
    )
    table = findings(ours).set_index("statement")
    assert table.loc["score feedback < verbal feedback: divergence", "here"] == here
    assert len(table) == sum(map(len, FINDINGS.values()))


def test_a_gain_is_a_paired_difference_in_the_objective_s_favour():
    both = [
        runs(level=lambda n: 10.0 + n, noise=0),
        runs(level=lambda n: 10.0 + 2 * n, noise=0, feedback="words"),
    ]
    ours = results(pd.concat(both)).set_index(["row", "column"])["value"]
    assert (
        ours["score - words", "gain"] == 6 and ours["score - words", "gain at 5"] == 5
    )
    assert (
        ours["score - words", "gain at smaller n"] == 4
        and ours["score - words", "gain at larger n"] == 8
    )
    assert (
        ours["score - words", "slope of gain"] == pytest.approx(1)
        and ours["words - score", "gain"] == -6
    )
    rich = results(
        pd.concat([part.assign(objective="welfare") for part in both])
    ).set_index(["row", "column"])["value"]
    assert rich["welfare: words - score", "gain"] == 6  # more welfare is better


def test_two_runs_of_an_instance_in_one_cell_are_refused():
    with pytest.raises(
        InvalidInput,
        match="'mcts, score' has two runs of the instance 3-0; choose one estimator",
    ):
        results(pd.concat([runs(), runs()]))


@pytest.mark.parametrize(("value", "se", "n", "answer"), [
    (0.9, 0.0, 40, YES), (0.9, 0.0, 4, CLOSE), (0.1, 0.0, 40, NO), (0.5, 0.0, 400, CLOSE),
])  # fmt: skip
def test_a_share_takes_runs_to_be_one(value, se, n, answer):
    ours = cells(("a", "score", "away", value, se)).assign(n=n)
    assert _share("score", "away")(ours) == answer


@pytest.mark.parametrize(
    ("first", "later", "answer"),
    [(10, 2, YES), (10, 9, NO), (10, 5, CLOSE), (1, 0, CLOSE)],
)
def test_a_later_gain_is_marginal_below_half_of_a_clear_first_one(first, later, answer):
    rows = [("a", f"score: {pair}", "gain", value, 1.0) for pair, value in
            (("5 rounds - 3 rounds", first), ("7 rounds - 5 rounds", later))]  # fmt: skip
    assert marginal("score: 7 rounds - 5 rounds")(cells(*rows)) == answer
