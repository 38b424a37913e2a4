"""Results of fair decisions as the statements of paper 003 read them.

("Investigating Language Models for Supporting Complex Group Decisions".) Each
coordinator has its part; comparisons of models are in each model's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from support.analysis.claims import called, thinks
from support.errors import InvalidInput
from support.models.profiles import MODEL, is_model

USUAL: Mapping[str, str] = {
    "feedback": "",
    "participants": "3 participants",
    "preferences": "scores",
    "objective": "divergence",
    "solver": "no solver",
    "rounds": "5 rounds",
    "prompt": "full",
}
"""What is varied, and the level that goes without saying in the name of a cell."""

COSTS = ["tokens", "seconds"]
KEYS = ["participant", "row", "column"]
ALL = "every model"  # has what is found of pairs of models


def results(frame: pd.DataFrame, how: Sequence[str] = ()) -> pd.DataFrame:
    """Results of `with_references`, one run of each instance in each cell; `how` are
    further columns of numbers, of how a run went.

    Columns: participant (who coordinated), row, column, value, se, n. A model counts as
    one that reasons by its name.

    A row is a cell, "words, rankings": a feedback, with what is not as usual behind it.
    Or it is two levels of one factor on the same instances, all else equal: "welfare:
    words - score"; or two coordinators, "score: mcts - model", of which one has the
    part; or two models as the paper calls them, "complete: o3-mini - DeepSeek-R1".
    Columns of pairs are `gain`, by how many points the first is better, and `gain,
    share`, of what a random plan has. Each column is there again at each number of
    decisions ("gain at 5"; where options vary, of options), and for the smaller and the
    larger half of these numbers; `slope of gain` is its change with each of them.
    """
    runs = _named(frame)
    twice = runs[runs.duplicated(["participant", "cell", "instance"])]
    if len(twice):
        who, cell, instance = twice[["participant", "cell", "instance"]].iloc[0]
        raise InvalidInput(
            f"runs: '{who}, {cell}' has two runs of the instance {instance}; choose one "
            "estimator and participant, or name them in the coordinator"
        )
    pairs = [_rivals(runs)]
    for factor in USUAL:
        others = runs.assign(cell=_cell(runs, factor))
        pairs.append(_pairs(others, factor, ["participant", "cell"]))
    cases = [_measured(runs, how)]
    names = [name for name in runs["participant"].unique() if is_model(name)]
    if names:
        models = _models(runs, names)
        cases.append(_apart(models))
        for by in ("called", "kind"):
            pairs.append(_alike(models, by))
    both = pd.concat(pairs)
    columns = ["gain", "gain, share"]
    cases.append(both.melt(["participant", "row", "size"], columns, "column"))
    every = pd.concat(cases).dropna(subset=["row", "value"])
    found = pd.concat([_means(every), _slopes(every)])
    who = found["participant"]
    found["participant"] = who.map(lambda one: names if one == ALL else one)
    return found.explode("participant", ignore_index=True)


def _named(frame: pd.DataFrame) -> pd.DataFrame:
    """Runs with names of levels, cells and models; `better` is higher if a plan is."""
    runs = frame.reset_index(drop=True).rename(columns={"coordinator": "participant"})
    for factor, usual in USUAL.items():  # a study says nothing of what it did not vary
        given = runs.get(factor, pd.Series(index=runs.index, dtype=object))
        levels = given.map(partial(_level, factor), na_action="ignore")
        runs[factor] = levels.astype(object).fillna(usual)
    runs["cell"] = _cell(runs)
    fair = runs["objective"] == "divergence"
    runs["quality"] = runs["divergence"].where(fair, runs["welfare"])
    runs["sign"] = np.where(fair, -1.0, 1.0)
    runs["better"] = runs["quality"] * runs["sign"]
    ranked = runs["preferences"] == "rankings"
    runs["size"] = runs["options"].where(ranked, runs["decisions"])
    return runs


def _level(factor: str, level: Any) -> str:
    if factor == "solver":
        kinds = {"exact": "solver", "none": "no solver"}
        return kinds.get(level, f"{level} as solver")
    counted = factor in ("participants", "rounds")
    return f"{level:g} {factor}" if counted else str(level)


def _cell(runs: pd.DataFrame, without: str = "") -> list[str]:
    """A run's levels that are not as usual, but for a factor."""
    factors = [factor for factor in USUAL if factor != without]
    names = []
    for levels in runs[factors].to_dict("records"):
        unusual = [levels[name] for name in factors if levels[name] != USUAL[name]]
        names.append(", ".join(unusual))
    return names


def _measured(runs: pd.DataFrame, how: Sequence[str]) -> pd.DataFrame:
    """Every run by itself: participant, row, size, column, value."""
    about = {"participant": runs["participant"], "row": runs["cell"]}
    measured = runs.reindex(columns=["quality", *COSTS, *how]).astype(float)
    paid = measured[COSTS].groupby([*about.values()]).transform("any")
    measured[COSTS] = measured[COSTS].where(paid)  # a cost of nothing is none
    ahead = runs["better"] - runs["sign"] * runs["random"]
    measured["beats random"] = ahead
    measured["beats random, share"] = ahead / runs["random"]
    best = runs["regret"].eq(0).astype(float)
    measured["optimal"] = best.where(runs["proven"].astype(bool))
    measured["off"] = 1 - measured["optimal"]
    reached = runs["quality"] / runs["optimum"]
    measured["share of the optimum"] = reached.where(runs["sign"] > 0)
    table = measured.assign(**about, size=runs["size"])
    return table.melt([*about, "size"], var_name="column")


def _pairs(runs: pd.DataFrame, by: str, same: list[str]) -> pd.DataFrame:
    """Every two levels of `by`, a and b, on the same instances: how much better a is."""
    alike = [*same, "instance"]
    other = runs[[*alike, by, "better"]]
    both = runs.merge(other, on=alike, suffixes=("", " of b"))
    a = both[by]
    b = both[f"{by} of b"]
    row = both["cell"] + ": " + a + " - " + b
    gain = both["better"] - both["better of b"]
    made = both.assign(
        a=a,
        b=b,
        row=row.str.removeprefix(": "),
        gain=gain,
    )
    made["gain, share"] = gain / both["random"]
    return made[a != b]


def _rivals(runs: pd.DataFrame) -> pd.DataFrame:
    """Pairs of coordinators: beside random plans, searches, a model that thinks."""
    rivals = []
    for name in runs["participant"].unique():
        if is_model(name):
            silent = name.partition(" (")[0] + " (reasoning off)"
            rivals += [
                (name, "mcts", name, f": mcts - {MODEL}"),
                (name, "exact", name, f": exact - {MODEL}"),
                (name, name, silent, ": thinking - no thinking"),
            ]
        else:
            rivals.append((name, name, "random", f": {name} - random"))
    meant = pd.DataFrame(rivals, columns=["participant", "a", "b", "pair"])
    pairs = _pairs(runs, "participant", ["cell"]).drop(columns="participant")
    both = pairs.merge(meant, on=["a", "b"])
    return both.assign(row=both["cell"] + both["pair"])


def _models(runs: pd.DataFrame, names: list[str]) -> pd.DataFrame:
    """Runs of models, as papers call them, and of which kind they are."""
    kinds: dict[Any, Any] = {True: "reasoning", False: "no reasoning"}
    models = runs[runs["participant"].isin(names)]
    name = models["participant"]
    paper = name.map({one: called(one) for one in names})
    kind = name.map({one: kinds.get(thinks(one)) for one in names}).astype("str")
    return models.assign(
        called=paper,
        kind=kind,
        participant=ALL,
    )


def _alike(models: pd.DataFrame, by: str) -> pd.DataFrame:
    """Pairs of models, or of kinds of models, by their means in each instance."""
    same = ["participant", "cell", "instance", by]
    means = models.groupby(same)[["better", "random", "size"]].mean()
    return _pairs(means.reset_index(), by, ["participant", "cell"])


def _apart(models: pd.DataFrame) -> pd.DataFrame:
    """How far each model's run is from the mean of its kind at its size."""
    alike = models.groupby(["cell", "kind", "size"])["better"]
    apart = (models["better"] - alike.transform("mean")).abs()
    row = models["cell"] + ": " + models["kind"]
    about = models[["participant", "size"]]
    return about.assign(
        row=row,
        column="apart",
        value=apart,
    )


def _means(cases: pd.DataFrame) -> pd.DataFrame:
    """Means of two cases or more: of all, at each size, of smaller and larger ones."""
    size = cases["size"]
    column = cases["column"]
    sizes = cases.groupby(KEYS)["size"]
    middle = sizes.transform(lambda given: np.median(given.unique()))
    halves = (size - middle).map(np.sign).map({-1: " at smaller n", 1: " at larger n"})
    names = [column, column + " at " + size.map("{:g}".format), column + halves]
    every = pd.concat([cases.assign(column=name) for name in names])
    means = every.groupby(KEYS, sort=False)["value"].agg(
        value="mean",
        se="sem",
        n="count",
    )
    return means.query("n > 1").reset_index()


def _slopes(cases: pd.DataFrame) -> pd.DataFrame:
    """The change of a column with each further decision or option."""
    rows = []
    for keys, part in cases.groupby(KEYS):
        if part["size"].nunique() > 1 and len(part) > 2:
            line = stats.linregress(part["size"], part["value"])
            rows.append((*keys, line.slope, line.stderr, len(part)))
    found = pd.DataFrame(rows, columns=[*KEYS, "value", "se", "n"])
    return found.assign(column="slope of " + found["column"].astype(str))
