"""Who answered: people, simulated respondents, or nobody (a reconstruction). The kinds are never pooled."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from support.analysis.frames import need_columns, need_keys, numbers
from support.errors import InvalidInput

LOW, HIGH = 1, 5
"""The scale of appendix D: 1 is the worst, 5 the best."""
PEOPLE, SIMULATED, RECONSTRUCTED, PUBLISHED = "people", "simulated: ", "reconstructed", "published"
COLUMNS = ("respondent", "group", "item", "answer", "source")


@dataclass(frozen=True, eq=False)
class Answers:
    """Answers of one source, checked once.

    Parameters
    ----------
    data : DataFrame
        respondent (a code), group, item, answer (a whole number of the scale, NaN where the item was left blank) and
        source ("people", or "simulated: " and what answers). Other columns stay: covariates.
    low, high : int
        The ends of the scale.

    Raises
    ------
    InvalidInput
        Another source or several, an answer outside the scale, or a respondent who answers an item twice.
    """

    data: pd.DataFrame
    low: int = LOW
    high: int = HIGH

    def __post_init__(self) -> None:
        _refuse(self.data)
        need_columns(self.data, COLUMNS, "the answers")
        need_keys(self.data, ("respondent", "group", "item", "source"), "the answers")
        _check_source(self.data)
        checked = self.data.assign(answer=_scaled(self.data, self.low, self.high))
        twice = checked.duplicated(["respondent", "item"])
        if twice.any():
            who, item = checked.loc[twice, ["respondent", "item"]].iloc[0]
            raise InvalidInput(
                f"respondent {who!r} answers item {item!r} twice; keep one answer, the last or the first."
            )
        object.__setattr__(self, "data", checked.reset_index(drop=True))

    @property
    def source(self) -> str:
        """Who answered."""
        return str(self.data["source"].iloc[0])

    @property
    def frame(self) -> pd.DataFrame:
        """The answers, tidy: a copy that may be changed."""
        return self.data.copy()


@dataclass(frozen=True, eq=False)
class Reconstructed:
    """Samples that nobody gave: each would print as the mean and spread of one published cell.

    Functions that expect people refuse this type: one reconstruction is no evidence. Ask `conclusions` what all of
    them say.

    Parameters
    ----------
    counts : int array of shape (samples, answers of the scale)
        How often each answer occurs; every row sums to `n`.
    low : int
        The answer that the first column counts.
    label : str
        Which cell was reconstructed.
    complete : bool
        True where `counts` are all samples that fit, False where a search found them.
    """

    counts: np.ndarray
    low: int = LOW
    label: str = ""
    complete: bool = False

    def __post_init__(self) -> None:
        counts = np.array(self.counts, dtype=np.int64)
        if counts.ndim != 2 or not counts.size or (counts < 0).any() or len(set(counts.sum(axis=1))) > 1:
            raise InvalidInput(
                f"counts has the shape {counts.shape}; expected one row or more, whole numbers from 0, with equal sums."
            )
        counts.setflags(write=False)
        object.__setattr__(self, "counts", counts)

    def __len__(self) -> int:
        return len(self.counts)

    def __iter__(self) -> Iterator[np.ndarray]:
        return (self.sample(i) for i in range(len(self)))

    @property
    def n(self) -> int:
        """Answers in each sample."""
        return int(self.counts[0].sum())

    @property
    def scale(self) -> np.ndarray:
        """The possible answers."""
        return np.arange(self.low, self.low + self.counts.shape[1])

    def sample(self, index: int) -> np.ndarray:
        """The answers of one reconstruction in ascending order, int of shape (n,)."""
        return np.repeat(self.scale, self.counts[index])

    def frame(self) -> pd.DataFrame:
        """Tidy: label, sample, answer, count, source; source is "reconstructed" in every row."""
        samples, width = self.counts.shape
        return pd.DataFrame(
            {
                "label": self.label,
                "sample": np.repeat(np.arange(samples), width),
                "answer": np.tile(self.scale, samples),
                "count": self.counts.ravel(),
                "source": RECONSTRUCTED,
            }
        )


def by_source(data: Answers | pd.DataFrame) -> dict[str, Answers]:
    """The answers of each source, in the order of their appearance; the door of every analysis of answers.

    Raises
    ------
    InvalidInput
        Reconstructions, as a type or as rows of a frame; or a frame that does not fit `Answers`.
    """
    _refuse(data)
    if isinstance(data, Answers):
        return {data.source: data}
    need_columns(data, COLUMNS, "the answers")
    need_keys(data, ["source"], "the answers")
    return {str(name): Answers(part) for name, part in data.groupby("source", sort=False, observed=True)}


def one_source(data: Answers | pd.DataFrame) -> Answers:
    """The answers, where an analysis has room for one source only.

    Raises
    ------
    InvalidInput
        Several sources, besides what `by_source` refuses.
    """
    parts = by_source(data)
    if len(parts) > 1:
        raise InvalidInput(f"source: {', '.join(parts)} given together; they are never pooled: pass one at a time.")
    return next(iter(parts.values()))


def people_only(data: Answers | pd.DataFrame) -> Answers:
    """The answers of people.

    Raises
    ------
    InvalidInput
        Simulated respondents among them, besides what `one_source` refuses.
    """
    answers = one_source(data)
    if answers.source != PEOPLE:
        raise InvalidInput(f"source is {answers.source!r}; expected {PEOPLE!r}: this is a statement about people.")
    return answers


def need_answers(data: Any) -> None:
    """Raise InvalidInput where reconstructions, as a type or as a frame, are given in the place of answers."""
    _refuse(data)


def _refuse(data: Any) -> None:
    if isinstance(data, Reconstructed):
        raise InvalidInput(_why(f"{len(data)} reconstructed samples of {data.label or 'a printed cell'}"))
    if isinstance(data, pd.DataFrame) and "source" in data and (data["source"] == RECONSTRUCTED).any():
        raise InvalidInput(_why("rows with the source 'reconstructed'"))
    if not isinstance(data, Answers | pd.DataFrame):
        raise InvalidInput(f"the answers are a {type(data).__name__}; expected Answers or a DataFrame.")


def _why(what: str) -> str:
    return (
        f"{what} given where answers are expected: they fit a published mean and spread, but nobody gave them. "
        "Use surveys.conclusions.conclusions(...), which asks all reconstructions and says whether they agree."
    )


def _check_source(frame: pd.DataFrame) -> None:
    sources = [str(name) for name in frame["source"].unique()]
    if len(sources) > 1:
        raise InvalidInput(f"source: {', '.join(sources)} in one frame; they are never pooled: use by_source(frame).")
    named = sources[0].startswith(SIMULATED) and sources[0].removeprefix(SIMULATED).strip()
    if sources[0] != PEOPLE and not named:
        raise InvalidInput(f"source is {sources[0]!r}; expected {PEOPLE!r}, or {SIMULATED!r} and what answers.")


def _scaled(frame: pd.DataFrame, low: int, high: int) -> pd.Series[float]:
    values = numbers(frame, "answer")
    wrong = values.notna() & ~values.isin(range(low, high + 1))
    if wrong.any():
        row = frame[wrong].iloc[0]
        raise InvalidInput(
            f"answer {row['answer']} of respondent {row['respondent']!r} to item {row['item']!r}: "
            f"expected a whole number from {low} to {high}, or nothing."
        )
    return values
