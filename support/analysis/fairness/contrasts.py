"""Runs as the checks of a paper's statements read them: one table (row, column, value, se, n).

Two kinds of rows:

- "model, words": the runs of a coordinator under a kind of feedback, with whatever else is not as in the paper's main
  setting behind it ("model, words, rankings", "mcts, score, welfare", "model, score, 7 rounds"). Columns: `quality`
  (divergence, or welfare), what was kept of `COSTS`, and where the runs have references `beats random` (how much better
  than a random plan), `beats best of k`, `optimal` (the share of runs at the optimum, of those where it is proven) and
  for welfare `share of the optimum`;
- "mcts: score - words": how much better, on the same instances, the first of two is than the second, everything else
  equal; the column is `gain`, in points of the objective, positive where the first is better.

Every column is there again for each number of decisions ("gain at n = 5"), and for the smaller and the larger half of
these numbers ("gain at larger n"; the middle one of an odd number is in neither); `slope of gain` is the change of the
gain with each further decision.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import sqrt
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import linregress

from support.analysis.frames import need_columns
from support.errors import InvalidInput

FACTORS: Mapping[str, Any] = {
    "coordinator": None,
    "feedback": None,
    "participants": 3,
    "preferences": "scores",
    "objective": "divergence",
    "solver": False,
    "rounds": 5,
    "prompt": "full",
}
"""What a row's name says of its runs, and what goes without saying."""

PAIRS: Mapping[str, Sequence[tuple[Any, Any]]] = {
    "coordinator": (
        *product(("mcts",), ("model", "random", "local")),
        *product(("exact",), ("model", "mcts", "random", "local")),
        ("model", "random"),
    ),
    "feedback": (("score", "words"), ("score", "comparison"), ("comparison", "words"), ("words", "score")),
    "solver": ((True, False),),
    "rounds": ((5, 3), (7, 5), (9, 7)),
    "prompt": (("full", "no example"), ("full", "no objective"), ("no example", "no objective")),
}
"""Which two levels of a factor are compared."""

COSTS = ("evaluations", "replies", "tokens", "seconds", "changed")
SMALLER, LARGER = "smaller n", "larger n"


def results(frame: pd.DataFrame) -> pd.DataFrame:
    """The results of runs as the checks read them: row, column, value, se, n (runs or pairs).

    Parameters
    ----------
    frame : as `runs_of` gives it, one run of each instance in each cell; with the columns of `with_references` the
        rows on random plans and the optimum are there too, as are columns of `COSTS`

    Raises
    ------
    InvalidInput
        When an instance has two runs in a cell, for example with two estimators or two levels of noise.
    """
    need_columns(frame, ["coordinator", "feedback", "decisions", "instance", "divergence", "welfare"], "runs")
    runs = _named(frame)
    twice = runs[runs.duplicated(["cell", "instance"])]
    if not twice.empty:
        raise InvalidInput(
            f"runs: {twice['cell'].iloc[0]!r} has two runs of the instance {twice['instance'].iloc[0]}; choose one "
            "estimator, noise and participant, or name them in the coordinator"
        )
    rows = [row for name, part in runs.groupby("cell", sort=False) for row in _cell(str(name), part)]
    rows += [row for factor in PAIRS for row in _contrasts(runs, factor)]
    return pd.DataFrame(rows, columns=["row", "column", "value", "se", "n"])


def _named(frame: pd.DataFrame) -> pd.DataFrame:
    # Studies that are put together say nothing of what they did not vary.
    usual = {name: usual for name, usual in FACTORS.items() if usual is not None}
    runs = frame.assign(**{name: value for name, value in usual.items() if name not in frame})
    runs = runs.assign(**{name: runs[name].where(runs[name].notna(), value) for name, value in usual.items()})
    runs["solver"] = [kind if str(kind).startswith("mcts") else kind not in (False, "none") for kind in runs["solver"]]
    fair = runs["objective"] == "divergence"
    runs["quality"] = runs["divergence"].where(fair, runs["welfare"])
    runs["better"] = np.where(fair, -1.0, 1.0) * runs["quality"]
    return runs.assign(
        cell=[_name({str(k): v for k, v in row.items()}, FACTORS) for row in runs[list(FACTORS)].to_dict("records")]
    )


def _name(row: Mapping[str, Any], factors: Sequence[str] | Mapping[str, Any]) -> str:
    said = [str(row[name]) for name in ("coordinator", "feedback") if name in factors]
    for name in factors:
        usual = FACTORS[name]
        if usual is not None and row[name] != usual:
            said.append(_level(name, row[name]))
    return ", ".join(said)


def _cell(name: str, part: pd.DataFrame) -> list[dict[str, Any]]:
    measured = {"quality": part["quality"]} | {cost: part[cost] for cost in COSTS if cost in part}
    if "random" in part:
        ahead = part["better"] * 1.0
        sign = np.where(part["objective"] == "divergence", -1.0, 1.0)
        measured["beats random"] = ahead - sign * part["random"]
        measured["beats best of k"] = ahead - sign * part["random_best"]
        measured["optimal"] = (part["regret"] == 0).astype(float).where(part["proven"].astype(bool))
        if (sign > 0).all():
            measured["share of the optimum"] = part["quality"] / part["optimum"]
    return [row for column, values in measured.items() for row in _rows(name, column, values, part["decisions"])]


def _contrasts(runs: pd.DataFrame, factor: str) -> Iterator[dict[str, Any]]:
    others = [name for name in FACTORS if name != factor]
    n = runs.drop_duplicates("instance").set_index("instance")["decisions"]
    for levels, part in runs.groupby(others, sort=False, dropna=False):
        where = _name(dict(zip(others, levels, strict=True)), others)
        wide = part.pivot(index="instance", columns=factor, values="better")
        for a, b in PAIRS[factor]:
            if {a, b} <= set(wide.columns):
                gaps = wide[a] - wide[b]
                yield from _rows(f"{where}: {_level(factor, a)} - {_level(factor, b)}", "gain", gaps, n[gaps.index])


def _level(factor: str, level: Any) -> str:
    """A level as the name of a comparison has it.

    >>> _level("solver", False), _level("rounds", 5), _level("feedback", "score")
    ('no solver', '5 rounds', 'score')
    """
    if factor == "solver":
        return {True: "solver", False: "no solver"}.get(level, f"{level} as solver")
    return f"{level:g} {factor}" if factor in ("participants", "rounds") else str(level)


def _rows(name: str, column: str, values: pd.Series[float], n: pd.Series[int]) -> Iterator[dict[str, Any]]:
    """Mean and standard error over all n, at each, over either half; the slope; nothing of fewer than two values."""
    there = values.notna().to_numpy()
    found, sizes = values.to_numpy(dtype=float)[there], n.to_numpy(dtype=float)[there]
    several = np.unique(sizes)
    parts = {column: sizes > 0} | {f"{column} at n = {k:g}": sizes == k for k in several}
    if len(several) > 1:
        middle = np.median(several)
        parts |= {f"{column} at {SMALLER}": sizes < middle, f"{column} at {LARGER}": sizes > middle}
    for what, part in parts.items():
        if (count := int(part.sum())) > 1:
            error = found[part].std(ddof=1) / sqrt(count)
            yield {"row": name, "column": what, "value": found[part].mean(), "se": error, "n": count}
    if len(several) > 1 and len(found) > 2:
        line = linregress(sizes, found)
        yield {"row": name, "column": f"slope of {column}", "value": line.slope, "se": line.stderr, "n": len(found)}
