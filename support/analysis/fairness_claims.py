"""Results of fair decisions as the statements of paper 003 read them.

("Investigating Language Models for Supporting Complex Group Decisions".) Each
coordinator has its part; comparisons of models are in each model's.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from itertools import combinations
from math import hypot
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from support.analysis.claims import called, thinks
from support.errors import InvalidInput
from support.models.profiles import MODEL, is_model

FACTORS: Mapping[str, Any] = {
    "feedback": None,
    "participants": 3,
    "preferences": "scores",
    "objective": "divergence",
    "solver": False,
    "rounds": 5,
    "prompt": "full",
}
"""What is varied, and the level that goes without saying in the name of a cell."""

MEASURED = ("tokens", "seconds", "changed", "misled", "undone")
APPENDIX_D = (
    "away",
    "returned",
    "best 2",
    "best 3",
    "rises",
    "one",
    "few",
    "many",
    "weakest",
)
COLUMNS = ["row", "column", "value", "se", "n"]
Row = dict[str, Any]


def results(frame: pd.DataFrame) -> pd.DataFrame:
    """Results of `runs_of`, one of each instance in each cell, as statements read them.

    Columns: participant (who coordinated), row, column, value, se, n. A model counts as
    one that reasons by its name; where nothing says so, by tokens of thinking in its
    replies, if the runs have a column `thinking_tokens`.

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
    twice = runs[runs.duplicated(["coordinator", "cell", "instance"])]
    if len(twice):
        which = ", ".join(map(str, twice[["coordinator", "cell"]].iloc[0]))
        raise InvalidInput(
            f"runs: '{which}' has two runs of the instance {twice['instance'].iloc[0]}; "
            "choose one estimator and participant, or name them in the coordinator"
        )
    models = runs[runs["coordinator"].map(is_model)]
    between = list[Row]()
    for cell, part in models.groupby("cell", sort=False):
        between += _models(cell, part)
    parts = []
    for name, own in runs.groupby("coordinator", sort=False):
        rows = list(between) if is_model(name) else []
        for cell, part in own.groupby("cell", sort=False):
            rows += _cell(str(cell), part)
            same = runs[runs["cell"] == cell]
            for a, b, pair in _rivals(str(name)):
                rows += _gaps(same, "coordinator", a, b, f"{cell}: {pair}")
        for factor in FACTORS:
            rows += _levels(own, factor)
        parts.append(pd.DataFrame(rows, columns=COLUMNS).assign(participant=name))
    return pd.concat(parts, ignore_index=True)


def _named(frame: pd.DataFrame) -> pd.DataFrame:
    """Runs with the names of their cells, and what is better: higher in each objective."""
    runs = frame.copy()
    for name, usual in FACTORS.items():  # a study says nothing of what it did not vary
        there = runs.get(name, pd.Series(index=runs.index, dtype=object))
        runs[name] = there.where(there.notna(), usual)
    runs["solver"] = runs["solver"].replace({True: "exact", "none": False})
    if "thinking_tokens" in runs:
        seen = runs.loc[runs["thinking_tokens"] > 0, "coordinator"].unique()
        unknown = [name for name in seen if "(" not in name and not thinks(name)]
        names = {name: f"{name} (reasoning seen)" for name in unknown}
        runs["coordinator"] = runs["coordinator"].replace(names)
    fair = runs["objective"] == "divergence"
    runs["quality"] = runs["divergence"].where(fair, runs["welfare"])
    runs["sign"] = np.where(fair, -1.0, 1.0)
    runs["better"] = runs["quality"] * runs["sign"]
    ranked = runs["preferences"] == "rankings"
    runs["size"] = runs["options"].where(ranked, runs["decisions"])
    runs["cell"] = [_name(row) for row in runs[[*FACTORS]].to_dict("records")]
    return runs


def _name(levels: Mapping[Hashable, Any]) -> str:
    unusual = [name for name in levels if levels[name] != FACTORS[str(name)]]
    return ", ".join(_level(str(name), levels[name]) for name in unusual)


def _level(factor: str, level: Any) -> str:
    if factor == "solver":
        kinds = {"exact": "solver", False: "no solver"}
        return kinds.get(level, f"{level} as solver")
    counted = factor in ("participants", "rounds")
    return f"{level:g} {factor}" if counted else str(level)


def _rivals(name: str) -> list[tuple[str, str, str]]:
    """Who is compared in the part of a coordinator: two of them, and the pair's name."""
    if not is_model(name):
        return [(name, "random", f"{name} - random")]
    silent = name.partition(" (")[0] + " (reasoning off)"
    return [
        ("mcts", name, f"mcts - {MODEL}"),
        ("exact", name, f"exact - {MODEL}"),
        (name, silent, "thinking - no thinking"),
    ]


def _cell(name: str, part: pd.DataFrame) -> Iterator[Row]:
    wanted = ["quality", *MEASURED, *APPENDIX_D]
    measured = {column: part[column] for column in wanted if column in part}
    for column in ("tokens", "seconds"):  # a cost of nothing is none
        if column in part and not part[column].any():
            del measured[column]
    if "random" in part:
        ahead = part["better"] - part["sign"] * part["random"]
        best = (part["regret"] == 0).astype(float)
        measured["beats random"] = ahead
        measured["beats random, share"] = ahead / part["random"]
        measured["optimal"] = best.where(part["proven"].astype(bool))
        measured["off"] = 1 - measured["optimal"]
        measured["caught"] = part["local"].where(part["regret"] > 0)
        if (part["sign"] > 0).all():
            measured["share of the optimum"] = part["quality"] / part["optimum"]
    for column, values in measured.items():
        yield from _summed(name, column, values, part["size"])


def _levels(own: pd.DataFrame, factor: str) -> Iterator[Row]:
    """Every two levels of a factor against each other, all else equal."""
    others = [name for name in FACTORS if name != factor]
    for levels, part in own.groupby(others, sort=False, dropna=False):
        where = _name(dict(zip(others, levels, strict=True)))
        for a, b in _ordered(part[factor].unique()):
            pair = f"{_level(factor, a)} - {_level(factor, b)}"
            yield from _gaps(part, factor, a, b, f"{where}: {pair}".removeprefix(": "))


def _ordered(levels: Any) -> Iterator[tuple[Any, Any]]:
    for a, b in combinations(levels, 2):
        yield a, b
        yield b, a


def _models(cell: Hashable, part: pd.DataFrame) -> Iterator[Row]:
    """Models, as the papers call them, against each other; and kinds of models."""
    kinds = {True: "reasoning", False: "no reasoning"}
    names = part["coordinator"]
    part = part.assign(called=names.map(called), kind=names.map(thinks).map(kinds))
    for by in ("called", "kind"):
        same = part.groupby(["instance", by], as_index=False)
        means = same.mean(numeric_only=True)
        for a, b in _ordered(means[by].unique()):
            yield from _gaps(means, by, a, b, f"{cell}: {a} - {b}")
    middle = part.groupby(["kind", "size"])["better"].transform("mean")
    spread = (part["better"] - middle).abs().groupby(part["kind"])
    if len(spread) == 2 and spread.size().min() > 1:
        mean = spread.mean()
        yield {
            "row": f"{cell}: reasoning - no reasoning",
            "column": "steadier",
            "value": mean["no reasoning"] - mean["reasoning"],
            "se": hypot(*spread.sem()),
            "n": spread.size().min(),
        }


def _gaps(part: pd.DataFrame, by: str, a: Any, b: Any, name: str) -> Iterator[Row]:
    """How much better `a` is than `b` on the same instances."""
    one, other = (part[part[by] == level].set_index("instance") for level in (a, b))
    both = one.index.intersection(other.index)
    if a == b or both.empty:
        return
    one = one.loc[both]
    gaps = one["better"] - other.loc[both, "better"]
    yield from _summed(name, "gain", gaps, one["size"])
    if "random" in part:
        yield from _summed(name, "gain, share", gaps / one["random"], one["size"])


def _summed(
    row: str, column: str, values: pd.Series[float], size: pd.Series[int]
) -> Iterator[Row]:
    """Means over all n, at each, over either half; the slope; of two values or more."""
    values = values.astype(float).dropna()
    sizes = size.loc[values.index].astype(float) if len(values) else size.iloc[:0]
    several = np.unique(sizes)
    parts = {column: sizes > 0}
    parts |= {f"{column} at {one:g}": sizes == one for one in several}
    if len(several) > 1:
        parts[f"{column} at smaller n"] = sizes < np.median(several)
        parts[f"{column} at larger n"] = sizes > np.median(several)
    for name, chosen in parts.items():
        sample = values[chosen]
        if len(sample) > 1:
            told = {"row": row, "column": name, "value": sample.mean()}
            yield told | {"se": sample.sem(), "n": len(sample)}
    if len(several) > 1 and len(values) > 2:
        line = stats.linregress(sizes, values)
        told = {"row": row, "column": f"slope of {column}", "value": line.slope}
        yield told | {"se": line.stderr, "n": len(values)}
