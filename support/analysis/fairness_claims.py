"""Results of fair decisions as the statements of paper 003 read them.

("Investigating Language Models for Supporting Complex Group Decisions".) Each
coordinator has its part; comparisons of models are in each model's.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import permutations
from math import hypot
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from support.analysis.claims import called, thinks
from support.errors import InvalidInput
from support.models.profiles import MODEL, is_model

USUAL: Mapping[str, Any] = {
    "participants": 3,
    "preferences": "scores",
    "objective": "divergence",
    "solver": False,
    "rounds": 5,
    "prompt": "full",
}
"""What goes without saying of a cell; its name has the feedback, and what is not so."""

PAIRS: Mapping[str, Sequence[tuple[Any, Any]]] = {
    "feedback": (
        ("score", "words"),
        ("score", "comparison"),
        ("comparison", "words"),
        ("words", "score"),
        ("complete", "words"),
    ),
    "solver": ((True, False),),
    "rounds": ((5, 3), (7, 5), (9, 7)),
    "prompt": (
        ("full", "no example"),
        ("full", "no objective"),
        ("no example", "no objective"),
    ),
}
"""Which two levels of a factor are compared."""

COSTS = ("tokens", "seconds")
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
    "promises",
)
COUNTED = (*COSTS, "changed", "misled", "undone", *APPENDIX_D)

Row = dict[str, Any]


def results(frame: pd.DataFrame) -> pd.DataFrame:
    """Results of `runs_of`, one of each instance in each cell, as statements read them.

    Columns: participant (who coordinated), row, column, value, se, n. A model counts as
    one that reasons by its name; where nothing says so, by tokens of thinking in its
    replies, if the runs have a column `thinking_tokens`.

    Rows are of three kinds. "words, rankings": the runs under a feedback, with what is
    not as usual behind it; columns are `quality` (divergence, or welfare), those of
    `COUNTED` that are there, and with references those of `_cell`. "welfare: words -
    score": how much better the first is than the second on the same instances, all else
    equal (`gain`, in points). "score: mcts - model": the same of two coordinators, in
    the part of the model that is one of them, else of the first; "complete: o3-mini -
    DeepSeek-R1" of models as the paper calls them, and of kinds of models.

    Each column is there again at each number of decisions ("gain at 5"; where only
    options vary, of options), and for the smaller and the larger half of these numbers;
    `slope of gain` is its change with each of them.
    """
    runs = _named(frame)
    if len(twice := runs[runs.duplicated(["coordinator", "cell", "instance"])]):
        name, cell, instance = twice.iloc[0][["coordinator", "cell", "instance"]]
        raise InvalidInput(
            f"runs: '{name}, {cell}' has two runs of the instance {instance}; choose "
            "one estimator, noise and participant, or name them in the coordinator"
        )
    models = runs[runs["coordinator"].map(is_model)]
    between = list[Row]()
    for cell, part in models.groupby("cell", sort=False):
        between += _models(cell, part)
    parts = []
    for name, own in runs.groupby("coordinator", sort=False):
        rows = list(between) if is_model(name) else []
        for cell, part in own.groupby("cell", sort=False):
            rows += _cell(cell, part)
        for factor in PAIRS:
            rows += _levels(own, factor)
        for cell, part in runs.groupby("cell", sort=False):
            rows += _coordinators(cell, part, str(name))
        columns = ["row", "column", "value", "se", "n"]
        table = pd.DataFrame(rows, columns=columns)
        parts.append(table.assign(participant=name))
    return pd.concat(parts, ignore_index=True)


def _named(frame: pd.DataFrame) -> pd.DataFrame:
    """Runs with the names of their cells, and what is better: higher in each objective."""
    runs = frame.copy()
    for name, usual in USUAL.items():  # a study says nothing of what it did not vary
        there = runs.get(name, pd.Series(index=runs.index, dtype=object))
        runs[name] = there.where(there.notna(), usual)
    kinds = runs["solver"].astype(str)
    exact = ~kinds.isin(["False", "none"])
    runs["solver"] = runs["solver"].where(kinds.str.startswith("mcts"), exact)
    if "thinking_tokens" in runs:
        seen = runs.loc[runs["thinking_tokens"] > 0, "coordinator"].unique()
        unknown = [
            name for name in seen if "(reasoning " not in name and not thinks(name)
        ]
        names = {name: f"{name} (reasoning seen)" for name in unknown}
        runs["coordinator"] = runs["coordinator"].replace(names)

    fair = runs["objective"] == "divergence"
    runs["quality"] = runs["divergence"].where(fair, runs["welfare"])
    runs["sign"] = np.where(fair, -1.0, 1.0)
    runs["better"] = runs["sign"] * runs["quality"]
    ranked = runs["preferences"] == "rankings"
    runs["size"] = runs["options"].where(ranked, runs["decisions"])
    factors = ["feedback", *USUAL]
    runs["cell"] = [_name(row, factors) for row in runs.to_dict("records")]
    return runs


def _name(row: Mapping[Any, Any], factors: Sequence[str]) -> str:
    unusual = [name for name in factors if row[name] != USUAL.get(name)]
    return ", ".join(_level(name, row[name]) for name in unusual)


def _level(factor: str, level: Any) -> str:
    if factor == "solver":
        kinds = {True: "solver", False: "no solver"}
        return kinds.get(level, f"{level} as solver")
    counted = factor in ("participants", "rounds")
    return f"{level:g} {factor}" if counted else str(level)


def _cell(name: Hashable, part: pd.DataFrame) -> Iterator[Row]:
    measured = {"quality": part["quality"]}
    for column in COUNTED:
        if column in part:
            measured[column] = part[column]
    for column in COSTS:  # a cost of nothing is none
        if column in part and not part[column].any():
            del measured[column]
    if "random" in part:
        ahead = part["better"] - part["sign"] * part["random"]
        measured["beats random"] = ahead
        measured["beats random, share"] = ahead / part["random"]
        best = (part["regret"] == 0).astype(float)
        measured["optimal"] = best.where(part["proven"].astype(bool))
        measured["off"] = 1 - measured["optimal"]
        if "local" in part:
            measured["caught"] = part["local"].where(part["regret"] > 0)
        if (part["sign"] > 0).all():
            measured["share of the optimum"] = part["quality"] / part["optimum"]
    for column, values in measured.items():
        yield from _rows(str(name), column, values, part["size"])


def _levels(own: pd.DataFrame, factor: str) -> Iterator[Row]:
    """Two levels of a factor against each other, all else equal."""
    others = [name for name in ("feedback", *USUAL) if name != factor]
    for levels, part in own.groupby(others, sort=False, dropna=False):
        where = _name(dict(zip(others, levels, strict=True)), others)
        for a, b in PAIRS[factor]:
            name = f"{_level(factor, a)} - {_level(factor, b)}"
            name = f"{where}: {name}" if where else name
            yield from _gaps(part, factor, a, b, name)


def _coordinators(cell: Hashable, part: pd.DataFrame, name: str) -> Iterator[Row]:
    pairs = [(name, "random", f"{name} - random")]
    if is_model(name):
        off = name.partition(" (")[0] + " (reasoning off)"
        pairs = [
            ("mcts", name, f"mcts - {MODEL}"),
            ("exact", name, f"exact - {MODEL}"),
            (name, off, "thinking - no thinking"),
        ]
    for a, b, pair in pairs:
        yield from _gaps(part, "coordinator", a, b, f"{cell}: {pair}")


def _models(cell: Hashable, part: pd.DataFrame) -> Iterator[Row]:
    """Models, as the papers call them, against each other; and kinds of models."""
    kinds = {True: "reasoning", False: "no reasoning"}
    names = part["coordinator"]
    part = part.assign(called=names.map(called), kind=names.map(thinks).map(kinds))
    for by in ("called", "kind"):
        same = part.groupby(["instance", by], as_index=False)
        means = same.mean(numeric_only=True)
        for a, b in permutations(means[by].unique(), 2):
            yield from _gaps(means, by, a, b, f"{cell}: {a} - {b}")
    middle = part.groupby(["kind", "size"])["better"].transform("mean")
    spread = (part["better"] - middle).abs().groupby(part["kind"])
    if len(spread) == 2 and spread.size().min() > 1:
        mean, error = spread.mean(), spread.sem()
        yield {
            "row": f"{cell}: reasoning - no reasoning",
            "column": "steadier",
            "value": mean["no reasoning"] - mean["reasoning"],
            "se": hypot(*error),
            "n": spread.size().min(),
        }


def _gaps(part: pd.DataFrame, by: str, a: Any, b: Any, name: str) -> Iterator[Row]:
    """How much better `a` is than `b` on the same instances.

    In points, and as a share of what a random plan has.
    """
    one, other = (part[part[by] == level].set_index("instance") for level in (a, b))
    both = one.index.intersection(other.index)
    if a == b or both.empty:
        return
    one = one.loc[both]
    gaps = one["better"] - other.loc[both, "better"]
    yield from _rows(name, "gain", gaps, one["size"])
    if "random" in part:
        yield from _rows(name, "gain, share", gaps / one["random"], one["size"])


def _rows(
    name: str,
    column: str,
    values: pd.Series[float],
    n: pd.Series[int],
) -> Iterator[Row]:
    """Means over all n, at each, over either half; the slope; of two values or more."""
    there = values.notna().to_numpy()
    values_there = values.to_numpy(dtype=float)[there]
    sizes = n.to_numpy(dtype=float)[there]
    several = np.unique(sizes)
    parts = {column: sizes > 0}
    for size in several:
        parts[f"{column} at {size:g}"] = sizes == size
    if len(several) > 1:
        middle = np.median(several)
        parts[f"{column} at smaller n"] = sizes < middle
        parts[f"{column} at larger n"] = sizes > middle
    row = {"row": name}
    for what, part in parts.items():
        sample = values_there[part]
        if len(sample) > 1:
            figures = {"value": sample.mean(), "n": len(sample)}
            figures["se"] = sample.std(ddof=1) / len(sample) ** 0.5
            yield row | {"column": what} | figures
    if len(several) > 1 and len(values_there) > 2:
        line = stats.linregress(sizes, values_there)
        figures = {"value": line.slope, "se": line.stderr, "n": len(values_there)}
        yield row | {"column": f"slope of {column}"} | figures
