"""Which dialogue act follows which across speakers: the transition graph (RoundTable, section 4.4, equation 1).

The paper's words and its equation differ in two places, and the two ways to count are both here.

- In words, p(A → B) is "the probability of the existence" of a transition. Read as pairs of speakers, the equation
  counts an A that two others answer with B twice, so that its "probability" can exceed one. `count="exists"` counts
  an occurrence of A once, when *some* other agent performs B in the next round.
- The sum of the equation ends at round 10, while End stands at round 11, which it then never reaches. With "exists",
  Start stands before the first round, End after the last one that was played, and the sum runs over all of them.

`count="printed"` is the equation as it is printed: pairs of speakers, rounds 1 to 10.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import pandas as pd

from support.analysis.dialogue_acts.acts import END, START, Coded, checked_acts
from support.analysis.frames import need_columns
from support.errors import InvalidInput

Count = Literal["exists", "printed"]
PRINTED_ROUNDS = 10
"""Where the sum of equation (1) ends."""


@dataclass(frozen=True)
class Transitions:
    """Counts of transitions, kept apart by run, so that drawing runs anew is a sum.

    Attributes
    ----------
    labels : tuple of str
        "start", the dialogue acts, "end": names of the last axes.
    numerator : int array, shape (runs, labels, labels)
        How often the transition from the row's act to the column's exists ("exists"), or how many pairs of speakers
        make it ("printed").
    denominator : int array, shape (runs, labels)
        How often an agent performed the act; what is performed in no round of the sum does not count.
    runs : DataFrame
        One row per run, as in `Coded`.
    count : str
        "exists" or "printed".
    """

    labels: tuple[str, ...]
    numerator: np.ndarray
    denominator: np.ndarray
    runs: pd.DataFrame
    count: Count = "exists"

    @property
    def probability(self) -> pd.DataFrame:
        """Equation (1) over all runs: rows are A, columns B; NaN where A never occurs."""
        matrix = ratio(self.numerator.sum(axis=0), self.denominator.sum(axis=0))
        return pd.DataFrame(matrix, index=list(self.labels), columns=list(self.labels))

    @property
    def frequency(self) -> pd.Series[float]:
        """Each dialogue act's share of all acts performed; Start and End have none."""
        acts = self.denominator.sum(axis=0)[1:-1]
        return pd.Series(acts / max(int(acts.sum()), 1), index=list(self.labels[1:-1]))

    @property
    def excess(self) -> pd.DataFrame:
        """How much more probable B is after A than after an act on average (Start left out): rows are A, columns B.

        Equation (1) does not set aside that an act which everybody performs all the time follows everything; this does.
        """
        acts = slice(1, len(self.labels) - 1)
        usual = self.numerator[:, acts].sum(axis=(0, 1)) / self.denominator[:, acts].sum()
        return self.probability - usual

    def where(self, **values: Any) -> Transitions:
        """The runs whose columns have the given values: `t.where(rule="majority")`.

        Raises
        ------
        InvalidInput
            On a column that the runs do not have, or values that no run has.
        """
        keep = np.ones(len(self.runs), dtype=bool)
        for column, value in values.items():
            need_columns(self.runs, [column], "runs")
            keep &= (self.runs[column] == value).to_numpy()
        if not keep.any():
            raise InvalidInput(f"where: no run has {_words(values)}; choose values that `runs` holds")
        return replace(
            self,
            numerator=self.numerator[keep],
            denominator=self.denominator[keep],
            runs=self.runs[keep].reset_index(drop=True),
        )


def transitions(coded: Coded, count: Count = "exists") -> Transitions:
    """Count the transitions of every run (equation 1; see the module for the two ways).

    Silence is no act: an agent that says nothing in a round performs nothing there, and an A that nobody answers is
    an occurrence without a transition. Start and End are performed by the agents that speak at all in the run.

    Raises
    ------
    InvalidInput
        On another way to count, or with fewer than two speakers.
    """
    if count not in ("exists", "printed"):
        raise InvalidInput(f"count: {count!r} given; expected 'exists' or 'printed'")
    if len(coded.agents) < 2:
        raise InvalidInput(f"agents: {len(coded.agents)} given; a transition leads from one speaker to another")
    performed = _with_ends(coded)
    if count == "printed":
        performed = _rounds_of_the_print(performed)
    others = performed.sum(axis=2, keepdims=True, dtype=np.int16) - performed
    answers = (others if count == "printed" else others > 0)[:, 1:]
    sources = performed[:, :-1].copy()
    sources[..., -1] = False  # nothing follows the end
    numerator, denominator = _pairs(sources, answers), sources.sum(axis=(1, 2))
    return Transitions((START, *coded.labels, END), numerator, denominator, coded.runs, count)


def _with_ends(coded: Coded) -> np.ndarray:
    """Acts with Start in round 0 and End after the last round, shape (runs, rounds + 2, agents, labels + 2)."""
    runs, rounds, agents, labels = coded.values.shape
    performed = np.zeros((runs, rounds + 2, agents, labels + 2), dtype=bool)
    performed[:, 1:-1, :, 1:-1] = coded.values
    speaks = coded.values.any(axis=(1, 3))
    performed[:, 0, :, 0] = speaks
    performed[np.arange(runs), coded.played + 1, :, -1] = speaks
    return performed


def _rounds_of_the_print(performed: np.ndarray) -> np.ndarray:
    """Rounds 0 to 10, empty ones where a run was shorter, and no End, which stands behind them at 11."""
    runs, rounds, agents, labels = performed.shape
    cut = np.zeros((runs, PRINTED_ROUNDS + 1, agents, labels), dtype=bool)
    kept = min(rounds, PRINTED_ROUNDS + 1)
    cut[:, :kept, :, :-1] = performed[:, :kept, :, :-1]
    return cut


def _pairs(sources: np.ndarray, answers: np.ndarray) -> np.ndarray:
    """Sum over rounds and agents of source times answer, shape (runs, labels, labels); exact in float32 up to 2^24."""
    runs, labels = len(sources), sources.shape[-1]
    flat = sources.reshape(runs, -1, labels).astype(np.float32)
    return np.rint(flat.transpose(0, 2, 1) @ answers.reshape(runs, -1, labels).astype(np.float32)).astype(np.int64)


def ratio(numerator: np.ndarray, denominator: np.ndarray) -> np.ndarray:
    """Numerators (…, A, B) over denominators (…, A); NaN where A never occurs.

    >>> ratio(np.array([[1, 0], [0, 0]]), np.array([2, 0])).tolist()
    [[0.5, 0.0], [nan, nan]]
    """
    below = denominator[..., None].astype(float)
    return np.divide(numerator, below, out=np.full(np.shape(numerator), np.nan), where=below > 0)


def count_plainly(messages: pd.DataFrame, acts: str = "acts") -> tuple[Counter[tuple[str, str]], Counter[str]]:
    """The counts of "exists" by loops over sets, as the definition reads: the yardstick of `transitions`.

    Parameters
    ----------
    messages : DataFrame
        run, round, sender and the column `acts` of tuples of labels, with at least one message in the last round.

    Returns
    -------
    Counter of (A, B), Counter of A
        Transitions that exist, and occurrences, over all runs.
    """
    found: Counter[tuple[str, str]] = Counter()
    occurs: Counter[str] = Counter()
    for _, run in messages.groupby("run", sort=False):
        said = {(r, i): set(checked_acts(a)) for r, i, a in zip(run["round"], run["sender"], run[acts], strict=True)}
        agents, last = set(run["sender"]), int(run["round"].max())
        said |= {(0, i): {START} for i in agents} | {(last + 1, i): {END} for i in agents}
        for r in range(1, last + 2):
            for i in agents:
                answers = set().union(*(said.get((r, j), set()) for j in agents - {i}))
                occurs.update(said.get((r - 1, i), ()))
                found.update((a, b) for a in said.get((r - 1, i), ()) for b in answers)
    return found, occurs


def most_probable(
    t: Transitions,
    edges: int = 1,
    threshold: float = 0.0,
    *,
    low: np.ndarray | None = None,
    high: np.ndarray | None = None,
    leads: np.ndarray | None = None,
) -> pd.DataFrame:
    """The most probable outgoing edges of each act, self-loops left out (Figures 4 to 6 show one for each).

    Equally probable edges come in the order of the labels, so that the same counts give the same graph.

    Parameters
    ----------
    edges : int
        How many for each act, at most.
    threshold : float
        The smallest probability that is shown. A transition that never happened is never shown.
    low, high, leads : arrays of shape (labels, labels), optional
        Bounds of the probabilities, and the share of draws in which an edge leads, as `Bootstrap.bounds` gives them.

    Returns
    -------
    DataFrame
        source, target, probability, count (the numerator), occurrences (the denominator), low, high, leads, tied (how
        many other edges of the source are as probable).

    Raises
    ------
    InvalidInput
        On fewer than one edge, or a threshold below 0.
    """
    if edges < 1 or not threshold >= 0:
        raise InvalidInput(f"edges {edges!r}, threshold {threshold!r} given; expected at least 1, and at least 0")
    whole = all_edges(t, low, high, leads)
    shown = whole[(whole["source"] != whole["target"]) & (whole["count"] > 0) & (whole["probability"] >= threshold)]
    tied = shown.groupby(["place", "count"])["target"].transform("size") - 1
    ranked = shown.assign(tied=tied, order=-shown["count"]).sort_values(["place", "order"], kind="stable")
    return ranked.groupby("place").head(edges).drop(columns=["place", "order"]).reset_index(drop=True)


def all_edges(
    t: Transitions,
    low: np.ndarray | None = None,
    high: np.ndarray | None = None,
    leads: np.ndarray | None = None,
) -> pd.DataFrame:
    """Every pair of labels as a row, in their order; columns as in `most_probable`, and place (that of the source)."""
    size = len(t.labels)
    numerator, denominator = t.numerator.sum(axis=0), t.denominator.sum(axis=0)
    unknown = np.full((size, size), np.nan)
    place = np.repeat(np.arange(size), size)
    return pd.DataFrame(
        {
            "source": np.repeat(t.labels, size),
            "target": np.tile(t.labels, size),
            "probability": ratio(numerator, denominator).ravel(),
            "count": numerator.ravel(),
            "occurrences": denominator[place],
            "low": (unknown if low is None else low).ravel(),
            "high": (unknown if high is None else high).ravel(),
            "leads": (unknown if leads is None else leads).ravel(),
            "place": place,
        }
    )


def _words(values: dict[str, Any]) -> str:
    return " and ".join(f"{k} {v!r}" for k, v in values.items())
