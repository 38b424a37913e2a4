"""Which dialogue act follows which across speakers: the transition graph (001, section 4.4, equation 1), and its tests.

In the paper's words p(A → B) is "the probability of the existence" of a transition: `count="exists"` counts an
occurrence of A once, when *some* other agent performs B in the next round; Start stands before the first round, End
after the last one that was played. `count="printed"` is the equation as printed: it counts pairs of speakers, so that
its "probability" can exceed one, and its sum ends at round 10, so that it never reaches End.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import Any, Literal

import numpy as np
import pandas as pd

from support.analysis.dialogue_acts import END, LABELS, START, checked_acts, trust_in
from support.analysis.frames import need_columns
from support.analysis.stats import adjusted, over, resampled
from support.errors import InvalidInput

Count = Literal["exists", "printed"]
PRINTED_ROUNDS = 10
"""Where the sum of equation (1) ends."""
NAMES = (START, *LABELS, END)
SIZE = len(NAMES)


@dataclass(frozen=True)
class Coded:
    """Acts of many discussions as one array, the form on which transitions and stopping rules compute."""

    values: np.ndarray  # whether the message performs the act, bool of shape (runs, rounds, agents, labels)
    played: np.ndarray  # how many rounds each run has
    runs: (
        pd.DataFrame
    )  # a row for each run, with the columns that are constant within it
    agents: tuple[str, ...]
    trust: str = ""  # what a figure has to say


def code(messages: pd.DataFrame, acts: str = "acts") -> Coded:
    """Arrange labelled messages (run, round, sender, and tuples of labels in the column `acts`) as an array.

    A message with an empty tuple could not be labelled: it performs nothing, and its round was still played.
    """
    need_columns(messages, ["run", "round", "sender", acts], "messages")
    run, (sender, agents) = (
        messages.groupby("run", sort=False).ngroup(),
        pd.factorize(messages["sender"]),
    )
    played = messages.groupby("run", sort=False)["round"].max().to_numpy(dtype=int)
    values = np.zeros(
        (len(played), int(played.max()), len(agents), len(LABELS)), dtype=bool
    )
    for place, labels in zip(
        zip(run, messages["round"] - 1, sender, strict=True),
        messages[acts],
        strict=True,
    ):
        for label in (
            checked_acts(labels) if len(labels) else ()
        ):  # nobody could label it: no act, not "others"
            values[(*place, LABELS.index(label))] = True
    varying = [acts, "round", "sender", "text", "acts", "recipients", "words"]
    runs = (
        messages.drop_duplicates("run")
        .drop(columns=varying, errors="ignore")
        .reset_index(drop=True)
    )
    return Coded(values, played, runs, tuple(agents), trust_in(messages, acts))


@dataclass(frozen=True)
class Transitions:
    """Counts of transitions, kept apart by run, so that drawing runs anew is a sum. The last axes are `NAMES`."""

    numerator: (
        np.ndarray
    )  # transitions from the row's act to the column's, (runs, names, names)
    denominator: np.ndarray  # how often an agent performed the act, (runs, names)
    runs: pd.DataFrame
    trust: str = ""

    @property
    def probability(self) -> pd.DataFrame:
        """Equation (1) over all runs: rows are A, columns B; NaN where A never occurs."""
        return _square(
            ratio(self.numerator.sum(axis=0), self.denominator.sum(axis=0)), self.trust
        )

    @property
    def frequency(self) -> pd.Series[float]:
        """Each dialogue act's share of all acts performed; Start and End have none."""
        acts = self.denominator.sum(axis=0)[1:-1]
        return pd.Series(acts / max(int(acts.sum()), 1), index=list(LABELS))

    @property
    def excess(self) -> pd.DataFrame:
        """How much more probable B is after A than after an act on average (Start left out): rows are A, columns B."""
        usual = (
            self.numerator[:, 1:-1].sum(axis=(0, 1)) / self.denominator[:, 1:-1].sum()
        )
        return _square(self.probability.to_numpy() - usual, self.trust)

    def where(self, **values: Any) -> Transitions:
        """The runs whose columns have the given values: `t.where(rule="majority")`."""
        return self.take(
            np.flatnonzero((self.runs[list(values)] == pd.Series(values)).all(axis=1))
        )

    def take(self, rows: np.ndarray) -> Transitions:
        """Some of the runs, in the order given."""
        runs = self.runs.iloc[rows].reset_index(drop=True)
        return replace(
            self,
            numerator=self.numerator[rows],
            denominator=self.denominator[rows],
            runs=runs,
        )


def _square(values: np.ndarray, trust: str = "") -> pd.DataFrame:
    frame = pd.DataFrame(values, list(NAMES), list(NAMES))
    frame.attrs["trust"] = trust
    return frame


def transitions(coded: Coded, count: Count = "exists") -> Transitions:
    """Count the transitions of every run (equation 1; see the module for the two ways)."""
    sources, answers = _steps(coded, count)
    before, after = (
        part.reshape(len(part), -1, SIZE).astype(np.float32)
        for part in (sources, answers)
    )  # exact: 2^24
    numerator = np.rint(before.transpose(0, 2, 1) @ after).astype(np.int64)
    return Transitions(numerator, sources.sum(axis=(1, 2)), coded.runs, coded.trust)


def _steps(coded: Coded, count: Count = "exists") -> tuple[np.ndarray, np.ndarray]:
    """Who performs what, and what the others perform in the next round: both of shape (runs, steps, agents, names).

    Silence is no act. Start and End are performed by the agents that speak at all in the run.
    """
    if len(coded.agents) < 2:
        raise InvalidInput(
            f"agents: {len(coded.agents)} given; a transition leads from one speaker to another"
        )
    runs, rounds, agents, labels = coded.values.shape
    length = (
        PRINTED_ROUNDS + 1 if count == "printed" else rounds + 2
    )  # the print ends before End, which stands at 11
    performed = np.zeros(
        (runs, max(length, rounds + 2), agents, labels + 2), dtype=bool
    )
    performed[:, 0, :, 0] = speaks = coded.values.any(axis=(1, 3))
    performed[:, 1 : rounds + 1, :, 1:-1] = coded.values
    if count == "exists":
        performed[np.arange(runs), coded.played + 1, :, -1] = speaks
    performed = performed[:, :length]
    others = performed.sum(axis=2, keepdims=True, dtype=np.int16) - performed
    sources = performed[:, :-1].copy()
    sources[..., -1] = False  # nothing follows the end
    return sources, (others if count == "printed" else others > 0)[:, 1:]


def excess_within_rounds(coded: Coded) -> pd.DataFrame:
    """`Transitions.excess` within rounds, the clock set aside: A is held against all acts of its own rounds."""
    sources, answers = (part.astype(np.float32) for part in _steps(coded))
    sources[..., 0] = 0  # of Start
    steps = range(sources.shape[1])
    found = np.array(
        [np.tensordot(sources[:, t], answers[:, t], ((0, 1), (0, 1))) for t in steps]
    )
    occurs = sources.sum(axis=(0, 2))
    usual = np.nan_to_num(
        ratio(found.sum(axis=1)[:, None], occurs.sum(axis=1)[:, None])[:, 0]
    )
    return _square(
        ratio(found.sum(axis=0) - occurs.T @ usual, occurs.sum(axis=0)), coded.trust
    )


def ratio(numerator: np.ndarray, denominator: np.ndarray) -> np.ndarray:
    """Numerators (…, A, B) over denominators (…, A); NaN where A never occurs."""
    return over(numerator, denominator[..., None].astype(float))


def count_plainly(
    messages: pd.DataFrame, acts: str = "acts"
) -> tuple[Counter[tuple[str, str]], Counter[str]]:
    """The yardstick of `transitions`: transitions that exist, and occurrences, over all runs, by loops over sets."""
    found: Counter[tuple[str, str]] = Counter()
    occurs: Counter[str] = Counter()
    for _, run in messages.groupby("run", sort=False):
        agents, last = set(run["sender"]), int(run["round"].max())
        rows = zip(run["round"], run["sender"], run[acts], strict=True)
        said = {(r, i): set(checked_acts(given)) for r, i, given in rows if len(given)}
        said |= {(0, i): {START} for i in agents} | {
            (last + 1, i): {END} for i in agents
        }
        for r, i in product(range(last + 1), agents):
            answers = set().union(*(said.get((r + 1, j), ()) for j in agents - {i}))
            occurs.update(said.get((r, i), ()))
            found.update(product(said.get((r, i), ()), answers))
    return found, occurs


# -- how sure --------------------------------------------------------------------------------------------------------


def bootstrap(
    t: Transitions, rng: np.random.Generator, draws: int = 2000
) -> np.ndarray:
    """Equation (1) on runs drawn anew (Efron 1979), shape (draws, names, names); NaN where the act is in none.

    A group that talks under six rules has no six independent runs: those of one `repetition` are drawn together.
    """
    weights, place = resampled(t.runs["repetition"], rng, draws)
    if weights.shape[1] < 2:
        raise InvalidInput(
            f"{weights.shape[1]} groups given; intervals need at least 2"
        )
    weights = weights[:, place]
    drawn = (weights @ t.numerator.reshape(len(place), -1)).reshape(draws, SIZE, SIZE)
    return ratio(drawn, weights @ t.denominator)


def leads(drawn: np.ndarray) -> pd.DataFrame:
    """In which share of the draws an edge is its source's most probable one, self-loops left out."""
    return _square(np.mean(_leading(drawn), axis=0))


def centres(drawn: np.ndarray) -> pd.Series[float]:
    """In which share of the draws more acts lead to this one than to any other (Start and End lead nowhere)."""
    arrows = _leading(drawn)[:, 1:-1].sum(axis=1)
    best = arrows == arrows.max(axis=1, keepdims=True)
    alone = best & (best.sum(axis=1, keepdims=True) == 1)
    return pd.Series(alone.mean(axis=0), index=list(NAMES))


def _leading(drawn: np.ndarray) -> np.ndarray:
    """Which edge leads in each draw, shape (draws, names, names); none where nothing follows."""
    p = np.nan_to_num(drawn, nan=0.0) * ~np.eye(SIZE, dtype=bool)
    return (np.arange(SIZE) == p.argmax(axis=2)[..., None]) & (p > 0)


def most_probable(
    t: Transitions,
    edges: int = 1,
    threshold: float = 0.0,
    drawn: np.ndarray | None = None,
) -> pd.DataFrame:
    """The most probable outgoing edges of each act, self-loops left out (Figures 4 to 6 show one for each).

    Columns source, target, probability, count, and with draws of `bootstrap` leads: in which share of them the edge is
    its source's most probable one.
    """
    whole = pd.DataFrame(product(NAMES, NAMES), columns=["source", "target"]).assign(
        probability=t.probability.to_numpy().ravel(), count=t.numerator.sum(axis=0).ravel(),
        place=np.repeat(np.arange(SIZE), SIZE),
    )  # fmt: skip
    if drawn is not None:
        whole["leads"] = leads(drawn).to_numpy().ravel()
    shown = whole[
        (whole["source"] != whole["target"])
        & (whole["count"] > 0)
        & (whole["probability"] >= threshold)
    ]
    ranked = (
        shown.sort_values(["place", "count"], ascending=[True, False])
        .groupby("place")
        .head(edges)
    )
    made = ranked.drop(columns="place").reset_index(drop=True)
    made.attrs["trust"] = t.trust
    return made


# -- conditions ------------------------------------------------------------------------------------------------------


def permutation_test(
    a: Transitions, b: Transitions, rng: np.random.Generator, draws: int = 10_000
) -> tuple[float, float]:
    """Whether two conditions have the same transition probabilities: a statistic, and p (Fisher 1935).

    The two runs of a `repetition` change places. The statistic is the sum of squared differences, each act weighted by
    its share of all acts of both. p is (1 + as large) / (1 + draws), so never 0 (Phipson and Smyth 2010).
    """
    groups = sorted(set(a.runs["repetition"]) & set(b.runs["repetition"]))
    if len(groups) < 2:
        raise InvalidInput(
            f"{len(groups)} groups were seen under both conditions; a test needs at least 2"
        )
    a, b = (t.take(pd.Index(t.runs["repetition"]).get_indexer(groups)) for t in (a, b))
    cells = [
        np.hstack([t.numerator.reshape(len(groups), -1), t.denominator]).astype(float)
        for t in (a, b)
    ]
    observed = cells[0].sum(axis=0)
    total = observed + cells[1].sum(axis=0)
    coins = rng.integers(2, size=(draws, len(groups))).astype(float)
    sides = np.vstack(
        [observed, observed + coins @ (cells[1] - cells[0])]
    )  # what was observed is the first row
    p_a, p_b = (
        ratio(c[:, :-SIZE].reshape(-1, SIZE, SIZE), c[:, -SIZE:])
        for c in (sides, total - sides)
    )
    gaps = np.nan_to_num(p_a - p_b, nan=0.0)
    statistics = (gaps**2).sum(axis=2) @ (total[-SIZE:] / total[-SIZE:].sum())
    return float(statistics[0]), float((statistics >= statistics[0] - 1e-12).mean())


def compare_levels(
    t: Transitions, by: str, rng: np.random.Generator, draws: int = 10_000
) -> pd.DataFrame:
    """`permutation_test` between all pairs of levels of a column of the runs, p adjusted (Holm) over the pairs.

    Columns a, b, statistic, p, p_adjusted.
    """
    parts = {level: t.where(**{by: level}) for level in t.runs[by].unique()}
    rows = [
        (a, b, *permutation_test(parts[a], parts[b], rng, draws))
        for a, b in combinations(parts, 2)
    ]
    frame = pd.DataFrame(rows, columns=["a", "b", "statistic", "p"])
    return frame.assign(p_adjusted=adjusted(frame["p"]))
