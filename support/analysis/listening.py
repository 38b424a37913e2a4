"""How well words are read that the reader's author did not write: the blind test of `fair_decisions.reader`.

`wordings` are answers that another author wrote and judged (`data/inputs/fair_decisions/WORDINGS.md`), by voice; `told`
is what rule-based participants say, by style and noise, where the truth is what the option is to them, without noise.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from support.analysis.frames import need_columns, need_keys
from support.analysis.stats import percentiles, resampled
from support.data import inputs
from support.errors import InvalidInput
from support.fair_decisions.deciders import STYLES, satisfaction, tell, vocabularies
from support.fair_decisions.instances import instance
from support.fair_decisions.problem import SCORES, Table, table_of
from support.fair_decisions.reader import read
from support.fair_decisions.records import Plan

DECISION, PLAN = "decision", "plan"
NOISES = (0.0, 0.1, 0.2)
SIZES = tuple(range(3, 11))
CELLS = 1_000_000  # weights of resampled rows held at once: 8 MB each time


@dataclass(frozen=True, slots=True)
class Judged:
    """A text on a plan, and how satisfied its speaker is, each from 0 to 1.

    Attributes
    ----------
    levels : the level of each decision that the text speaks of, by its number from 0
    whole : the level of the plan, None where the text says nothing of it
    about : who speaks: voice, style, noise
    """

    text: str
    table: Table
    plan: Plan
    levels: Mapping[int, float]
    whole: float | None = None
    about: Mapping[str, Any] = field(default_factory=dict)


def wordings() -> list[Judged]:
    """The texts of another author with their judged levels; their `about` holds the voice."""
    text = inputs("fair_decisions", "wordings.toml").read_text(encoding="utf-8")
    return [_judged(entry) for entry in tomllib.loads(text)["feedback"]]


def _judged(entry: Mapping[str, Any]) -> Judged:
    decisions = tuple(entry["decisions"])
    table = Table(("Speaker",), decisions, tuple((option,) for option in entry["options"]), SCORES, 100)
    levels = {decisions.index(name): float(level) for name, level in entry["levels"].items()}
    voice = {"voice": entry["voice"]}
    return Judged(entry["text"], table, (0,) * len(decisions), levels, entry.get("whole"), voice)


def told(
    rng: np.random.Generator,
    styles: Iterable[str] = tuple(STYLES),
    noises: Iterable[float] = NOISES,
    *,
    texts: int = 160,
) -> list[Judged]:
    """What rule-based participants say of random plans, `texts` times in each style and noise.

    The levels are the satisfaction with the option, which noise does not touch. Every decision counts as spoken of, for
    a text names it or leaves it to "the rest" or "the plan". Text i is on instance i, in every style.
    """
    made = []
    for style in styles:
        vocabulary = vocabularies()[style]
        for noise in noises:
            for i in range(texts):
                problem = instance(SCORES, SIZES[i % len(SIZES)], 3, i, 0, 1)
                plan = tuple(rng.integers(3, size=problem.shape[1]).tolist())
                levels = satisfaction(problem.gains[0], SCORES)[np.arange(len(plan)), list(plan)]
                felt = levels + noise * rng.standard_normal(len(plan))
                text = tell(problem.decisions, felt, vocabulary, rng)
                about = {"style": style, "noise": noise}
                made.append(
                    Judged(text, table_of(problem, SCORES), plan, dict(enumerate(levels.tolist())), about=about)
                )
    return made


def heard(texts: Iterable[Judged]) -> pd.DataFrame:
    """One row for each decision (and for the plan as a whole) that a text speaks of, or was taken to speak of.

    Returns
    -------
    DataFrame
        the columns of `about`, text (its number), said (the text itself), about ("decision" or "plan"), decision,
        level (NaN where nothing was said) and read (NaN where nothing was read). A text on which there is
        nothing to say has no row.
    """
    return pd.DataFrame([row for number, text in enumerate(texts) for row in _heard(number, text)])


def _heard(number: int, text: Judged) -> Iterator[dict[str, Any]]:
    found, nan = read(text.text, text.plan, text.table), float("nan")
    head = {**text.about, "text": number, "said": text.text}
    for d, name in enumerate(text.table.decisions):
        told_, read_ = text.levels.get(d, nan), found.levels.get((d, text.plan[d]), nan)
        if not (np.isnan(told_) and np.isnan(read_)):
            yield {**head, "about": DECISION, "decision": name, "level": told_, "read": read_}
    if text.whole is not None or found.whole is not None:
        whole, read_ = (nan if x is None else x for x in (text.whole, found.whole))
        yield {**head, "about": PLAN, "decision": "", "level": whole, "read": read_}


def read_well(
    rows: pd.DataFrame,
    by: str | Sequence[str] = (),
    *,
    rng: np.random.Generator,
    about: str = DECISION,
    draws: int = 1000,
) -> pd.DataFrame:
    """Coverage, rank correlation and error of what was read, in each group of `by`.

    Parameters
    ----------
    rows : as `heard` gives them
    about : "decision", or "plan" for remarks on the plan as a whole
    draws : of the percentile intervals; each sample takes whole texts, as many as there are

    Returns
    -------
    DataFrame
        by..., texts, spoken (levels that were told), coverage (the share of them that was read), spearman and error
        (mean absolute) of those read, each with _low and _high; middle (the error of always reading 0.5, on the same
        levels), and extra (the share of what was read of which nothing was said). NaN where two numbers do not vary.
    """
    keys = [by] if isinstance(by, str) else list(by)
    need_columns(rows, [*keys, "text", "about", "level", "read"], "rows")
    need_keys(rows, keys, "rows")
    chosen = rows[rows["about"] == about]
    if chosen.empty:
        raise InvalidInput(f"about: {about!r} given; expected one of {', '.join(rows['about'].unique())}")
    groups = chosen.groupby(keys, sort=False) if keys else [((), chosen)]
    told_of = [dict(zip(keys, names, strict=True)) | _summary(part, rng, draws) for names, part in groups]
    return pd.DataFrame(told_of)


def _summary(part: pd.DataFrame, rng: np.random.Generator, draws: int) -> dict[str, Any]:
    pairs = part[["level", "read"]].to_numpy(dtype=float)
    times, which = resampled(part["text"].tolist(), rng, draws)
    told_, read_ = (~np.isnan(pairs)).T
    row: dict[str, Any] = {"texts": times.shape[1], "spoken": int(told_.sum())}
    for name, measure in MEASURES.items():
        blocks = np.array_split(times, 1 + draws * len(pairs) // CELLS)
        low, high = percentiles(np.concatenate([measure(pairs, block[:, which]) for block in blocks]))
        row |= {name: float(measure(pairs, once(pairs))[0]), f"{name}_low": float(low), f"{name}_high": float(high)}
    both = pairs[told_ & read_]
    middle = float(np.abs(both[:, 0] - 0.5).mean()) if len(both) else float("nan")
    return row | {"middle": middle, "extra": float(1 - told_[read_].mean()) if read_.any() else float("nan")}


def once(pairs: np.ndarray) -> np.ndarray:
    """Weights that count every row once, of shape (1, rows)."""
    return np.ones((1, len(pairs)))


def coverage(pairs: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The share of what was told that was read."""
    told_, read_ = (~np.isnan(pairs)).T
    return _share((weights * (told_ & read_)).sum(axis=1), (weights * told_).sum(axis=1))


def error(pairs: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The mean absolute difference of what was told and read, where there is both."""
    gaps = np.abs(pairs[:, 0] - pairs[:, 1])
    return _share(weights @ np.nan_to_num(gaps), (weights * ~np.isnan(gaps)).sum(axis=1))


def spearman(pairs: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The rank correlation of what was told and read, ties with their mean rank; NaN where either does not vary.

    >>> spearman(np.array([[1, 0.1], [2, 0.3], [3, 0.9]]), np.ones((1, 3))).round(3).tolist()
    [1.0]
    """
    both = ~np.isnan(pairs).any(axis=1)
    if not both.any():
        return np.full(len(weights), np.nan)
    kept = weights[:, both]
    a, b = (_centred(_ranks(column, kept), kept) for column in pairs[both].T)
    spread = (kept * a * a).sum(axis=1) * (kept * b * b).sum(axis=1)
    return _share((kept * a * b).sum(axis=1), np.sqrt(spread))


MEASURES: Mapping[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "coverage": coverage,
    "spearman": spearman,
    "error": error,
}
"""Functions of what was told and what was read, float of shape (rows, 2) with NaN for nothing, and of how often each
row counts, shape (draws, rows); they give float of shape (draws,)."""


def _ranks(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The mean rank of each value where it stands as often as its weight says: shape of `weights`."""
    order = np.argsort(values, kind="stable")
    _, starts, inverse = np.unique(values[order], return_index=True, return_inverse=True)
    counts = np.add.reduceat(weights[:, order], starts, axis=1)
    ranks = np.empty(weights.shape)
    ranks[:, order] = (np.cumsum(counts, axis=1) - counts / 2 + 0.5)[:, inverse]
    return ranks


def _centred(ranks: np.ndarray, weights: np.ndarray) -> np.ndarray:
    return ranks - _share((weights * ranks).sum(axis=1), weights.sum(axis=1))[:, None]


def _share(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    return np.divide(part, whole, out=np.full(np.shape(whole), np.nan), where=whole > 1e-9)
