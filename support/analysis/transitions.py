"""Which dialogue act follows which across speakers: the transition graph (001, section 4.4, equation 1), and its tests.

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
from itertools import combinations
from typing import Any, Literal

import numpy as np
import pandas as pd

from support.analysis.dialogue_acts import END, LABELS, START, checked_acts, trust_in
from support.analysis.frames import need_columns
from support.analysis.stats import adjusted
from support.errors import InvalidInput

Count = Literal["exists", "printed"]
PRINTED_ROUNDS = 10
"""Where the sum of equation (1) ends."""
NAMES = (START, *LABELS, END)
SIZE = len(NAMES)


@dataclass(frozen=True)
class Coded:
    """Acts of many discussions as one array, the form on which transitions and stopping rules compute.

    `values`: whether the agent's message of that round performs the act, bool of shape (runs, rounds, agents, labels),
    False where nothing was said; `played`: how many rounds each run has, shape (runs,); `runs`: one row per run, with
    the columns that are constant within it; `agents`: names along the third axis; `trust`: what a figure has to say.
    """

    values: np.ndarray
    played: np.ndarray
    runs: pd.DataFrame
    agents: tuple[str, ...]
    trust: str = ""


def code(messages: pd.DataFrame, acts: str = "acts") -> Coded:
    """Arrange labelled messages (run, round, sender, and tuples of labels in the column `acts`) as an array.

    A message with an empty tuple could not be labelled: it performs nothing, and its round was still played.
    """
    need_columns(messages, ["run", "round", "sender", acts], "messages")
    agents = tuple(dict.fromkeys(messages["sender"]))
    ids = {run: i for i, run in enumerate(dict.fromkeys(messages["run"]))}
    lengths = messages.groupby("run", sort=False)["round"].max().to_numpy(dtype=int)
    values = np.zeros((len(ids), int(lengths.max()), len(agents), len(LABELS)), dtype=bool)
    place, column = {a: i for i, a in enumerate(agents)}, {label: i for i, label in enumerate(LABELS)}
    for run, number, sender, labels in zip(
        messages["run"], messages["round"], messages["sender"], messages[acts], strict=True
    ):
        for label in checked_acts(labels) if len(labels) else ():  # nobody could label it: no act, not "others"
            values[ids[run], number - 1, place[sender], column[label]] = True
    varying = (acts, "round", "sender", "text", "acts", "recipients", "words")
    runs = messages.drop_duplicates("run").drop(columns=list(varying), errors="ignore").reset_index(drop=True)
    trust = trust_in(messages, acts).line(messages["environment"].unique() if "environment" in messages else ())
    return Coded(values, lengths, runs, agents, trust)


@dataclass(frozen=True)
class Transitions:
    """Counts of transitions, kept apart by run, so that drawing runs anew is a sum. The last axes are `NAMES`.

    `numerator`, shape (runs, names, names): how often the transition from the row's act to the column's exists
    ("exists"), or how many pairs of speakers make it ("printed"). `denominator`, shape (runs, names): how often an
    agent performed the act. `runs` and `trust` are those of `Coded`.
    """

    numerator: np.ndarray
    denominator: np.ndarray
    runs: pd.DataFrame
    trust: str = ""

    @property
    def probability(self) -> pd.DataFrame:
        """Equation (1) over all runs: rows are A, columns B; NaN where A never occurs."""
        return self._square(ratio(self.numerator.sum(axis=0), self.denominator.sum(axis=0)))

    @property
    def frequency(self) -> pd.Series[float]:
        """Each dialogue act's share of all acts performed; Start and End have none."""
        acts = self.denominator.sum(axis=0)[1:-1]
        return pd.Series(acts / max(int(acts.sum()), 1), index=list(LABELS))

    @property
    def excess(self) -> pd.DataFrame:
        """How much more probable B is after A than after an act on average (Start left out): rows are A, columns B.

        Equation (1) does not set aside that an act which everybody performs all the time follows everything; this does.
        """
        acts = slice(1, SIZE - 1)
        usual = self.numerator[:, acts].sum(axis=(0, 1)) / self.denominator[:, acts].sum()
        return self._square(self.probability.to_numpy() - usual)

    def _square(self, values: np.ndarray) -> pd.DataFrame:
        frame = pd.DataFrame(values, list(NAMES), list(NAMES))
        frame.attrs["trust"] = self.trust
        return frame

    def where(self, **values: Any) -> Transitions:
        """The runs whose columns have the given values: `t.where(rule="majority")`."""
        need_columns(self.runs, list(values), "runs")
        keep = np.logical_and.reduce([self.runs[column] == value for column, value in values.items()])
        if not keep.any():
            raise InvalidInput(f"where: no run has {values}; choose values that `runs` holds")
        return self.take(np.flatnonzero(keep))

    def take(self, rows: np.ndarray) -> Transitions:
        """Some of the runs, in the order given."""
        runs = self.runs.iloc[rows].reset_index(drop=True)
        return replace(self, numerator=self.numerator[rows], denominator=self.denominator[rows], runs=runs)


def transitions(coded: Coded, count: Count = "exists") -> Transitions:
    """Count the transitions of every run (equation 1; see the module for the two ways).

    Silence is no act: an agent that says nothing in a round performs nothing there, and an A that nobody answers is
    an occurrence without a transition. Start and End are performed by the agents that speak at all in the run.
    """
    if len(coded.agents) < 2:
        raise InvalidInput(f"agents: {len(coded.agents)} given; a transition leads from one speaker to another")
    runs, rounds, agents, labels = coded.values.shape
    length = PRINTED_ROUNDS + 1 if count == "printed" else rounds + 2  # the print ends before End, which stands at 11
    performed = np.zeros((runs, max(length, rounds + 2), agents, labels + 2), dtype=bool)
    speaks = coded.values.any(axis=(1, 3))
    performed[:, 0, :, 0] = speaks
    performed[:, 1 : rounds + 1, :, 1:-1] = coded.values
    if count == "exists":
        performed[np.arange(runs), coded.played + 1, :, -1] = speaks
    performed = performed[:, :length]
    others = performed.sum(axis=2, keepdims=True, dtype=np.int16) - performed
    answers = (others if count == "printed" else others > 0)[:, 1:]
    sources = performed[:, :-1].copy()
    sources[..., -1] = False  # nothing follows the end
    before, after = (part.reshape(runs, -1, SIZE).astype(np.float32) for part in (sources, answers))  # exact to 2^24
    numerator = np.rint(before.transpose(0, 2, 1) @ after).astype(np.int64)
    return Transitions(numerator, sources.sum(axis=(1, 2)), coded.runs, coded.trust)


def ratio(numerator: np.ndarray, denominator: np.ndarray) -> np.ndarray:
    """Numerators (…, A, B) over denominators (…, A); NaN where A never occurs."""
    below = denominator[..., None].astype(float)
    return np.divide(numerator, below, out=np.full(np.shape(numerator), np.nan), where=below > 0)


def count_plainly(messages: pd.DataFrame, acts: str = "acts") -> tuple[Counter[tuple[str, str]], Counter[str]]:
    """The counts of "exists" by loops over sets, as the definition reads: the yardstick of `transitions`.

    Returns transitions that exist, and occurrences, over all runs; every run needs a message in its last round.
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


# -- how sure --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Bootstrap:
    """Equation (1) on runs drawn anew: `draws` has the shape (draws, names, names), NaN where the act is in none."""

    draws: np.ndarray

    @property
    def bounds(self) -> np.ndarray:
        """Percentile bounds of 95 %, low and high: shape (2, names, names)."""
        bounds = np.full((2, SIZE, SIZE), np.nan)
        seen = ~np.isnan(self.draws).all(axis=0)
        bounds[:, seen] = np.nanquantile(self.draws[:, seen], (0.025, 0.975), axis=0)
        return bounds

    @property
    def leads(self) -> pd.DataFrame:
        """In which share of the draws an edge is its source's most probable one, self-loops left out."""
        return pd.DataFrame(np.mean(self._leading(), axis=0), list(NAMES), list(NAMES))

    @property
    def centres(self) -> pd.Series[float]:
        """In which share of the draws more acts lead to this one than to any other (Start and End lead nowhere)."""
        arrows = self._leading()[:, 1:-1].sum(axis=1)
        best = arrows == arrows.max(axis=1, keepdims=True)
        alone = best & (best.sum(axis=1, keepdims=True) == 1)
        return pd.Series(alone.mean(axis=0), index=list(NAMES))

    def _leading(self) -> np.ndarray:
        """Which edge leads in each draw, shape (draws, names, names); none where nothing follows."""
        p = np.nan_to_num(self.draws, nan=0.0) * ~np.eye(SIZE, dtype=bool)
        first = np.arange(SIZE) == p.argmax(axis=2)[..., None]
        return first & (p > 0)


def bootstrap(t: Transitions, rng: np.random.Generator, draws: int = 2000, cluster: str = "") -> Bootstrap:
    """Draw runs with replacement and compute the probabilities anew (Efron 1979), all draws at once.

    `cluster`, a column of the runs, is drawn in the place of a run: where the same group talks under six rules its six
    runs are no six independent ones, and `cluster="repetition"` draws groups.
    """
    numerator, denominator = t.numerator, t.denominator
    if cluster:
        need_columns(t.runs, [cluster], "runs")
        place = t.runs.groupby(cluster, sort=False).ngroup().to_numpy()
        member = (np.arange(place.max() + 1)[:, None] == place).astype(np.int64)
        numerator, denominator = np.tensordot(member, numerator, 1), member @ denominator
    count = len(denominator)
    if count < 2:
        raise InvalidInput(f"{count} runs given; intervals need at least 2 runs")
    weights = rng.multinomial(count, np.full(count, 1 / count), size=draws).astype(float)
    drawn = (weights @ numerator.reshape(count, -1)).reshape(draws, SIZE, SIZE)
    return Bootstrap(ratio(drawn, weights @ denominator))


def most_probable(
    t: Transitions, edges: int = 1, threshold: float = 0.0, boot: Bootstrap | None = None
) -> pd.DataFrame:
    """The most probable outgoing edges of each act, self-loops left out (Figures 4 to 6 show one for each).

    Equally probable edges come in the order of the labels, so that the same counts give the same graph. A transition
    that never happened is never shown, nor one below the threshold.

    Returns
    -------
    DataFrame
        source, target, probability, count (the numerator), occurrences (the denominator), tied (how many other edges
        of the source are as probable), and with `boot`: low, high, and leads, the share of draws in which it leads.
    """
    numerator, denominator = t.numerator.sum(axis=0), t.denominator.sum(axis=0)
    whole = pd.DataFrame(
        {
            "source": np.repeat(NAMES, SIZE),
            "target": np.tile(NAMES, SIZE),
            "probability": ratio(numerator, denominator).ravel(),
            "count": numerator.ravel(),
            "occurrences": np.repeat(denominator, SIZE),
            "place": np.repeat(np.arange(SIZE), SIZE),
        }
    )
    if boot:
        whole["low"], whole["high"] = boot.bounds.reshape(2, -1)
        whole["leads"] = boot.leads.to_numpy().ravel()
    shown = whole[(whole["source"] != whole["target"]) & (whole["count"] > 0) & (whole["probability"] >= threshold)]
    shown = shown.assign(tied=shown.groupby(["place", "count"])["target"].transform("size") - 1, order=-shown["count"])
    ranked = shown.sort_values(["place", "order"], kind="stable").groupby("place").head(edges)
    made = ranked.drop(columns=["place", "order"]).reset_index(drop=True)
    made.attrs["trust"] = t.trust
    return made


# -- conditions ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Difference:
    """A permutation test between two conditions.

    `statistic` is the sum of squared differences of the probabilities, each act weighted by its share of all acts of
    both; `p` the share of permutations, the observed one among them, in which it is at least as large. `edges` are the
    transitions that occur in either condition, the largest differences first: source, target, probability_a,
    probability_b, difference (a - b), p, p_adjusted (Holm, over the edges). `runs`: how many of a and b were used.
    """

    statistic: float
    p: float
    edges: pd.DataFrame
    runs: tuple[int, int]


def permutation_test(
    a: Transitions, b: Transitions, rng: np.random.Generator, draws: int = 10_000, paired_by: str = ""
) -> Difference:
    """Whether two conditions have the same transition probabilities: runs change places (Fisher 1935).

    Without pairs the labels of all runs are shuffled. With `paired_by`, a column that names a run's partner in the
    other condition (the same group under another rule), the two runs of a pair change places or not, and runs without
    a partner are left out. An act that does not occur on one side has no difference there: it counts as 0.

    p is (1 + as large) / (1 + draws), so that it is never 0 (Phipson and Smyth 2010); that of an edge is two-sided.
    """
    if paired_by:
        a, b = _partners(a, b, paired_by)
    if min(len(a.runs), len(b.runs)) < 2:
        raise InvalidInput(f"{len(a.runs)} and {len(b.runs)} runs given; a test needs at least 2 of each")
    cells = [np.hstack([t.numerator.reshape(len(t.runs), -1), t.denominator]).astype(float) for t in (a, b)]
    observed = cells[0].sum(axis=0)
    total = observed + cells[1].sum(axis=0)
    if paired_by:
        coins = rng.integers(2, size=(draws, len(a.runs))).astype(float)
        moved = observed + coins @ (cells[1] - cells[0])
    else:
        is_a = np.repeat([1.0, 0.0], [len(a.runs), len(b.runs)])
        moved = rng.permuted(np.tile(is_a, (draws, 1)), axis=1) @ np.vstack(cells)
    sides = np.vstack([observed, moved])  # what was observed is the first row
    p_a, p_b = (ratio(c[:, :-SIZE].reshape(-1, SIZE, SIZE), c[:, -SIZE:]) for c in (sides, total - sides))
    differences = np.nan_to_num(p_a - p_b, nan=0.0)
    statistics = (differences**2).sum(axis=2) @ (total[-SIZE:] / total[-SIZE:].sum())
    p = float((statistics >= statistics[0] - 1e-12).mean())
    by_edge = (np.abs(differences) >= np.abs(differences[0]) - 1e-12).mean(axis=0)
    return Difference(float(statistics[0]), p, _edge_frame(a, b, by_edge), (len(a.runs), len(b.runs)))


def _partners(a: Transitions, b: Transitions, key: str) -> list[Transitions]:
    """The runs of a and b that have a partner, in the same order."""
    for side in (a, b):
        need_columns(side.runs, [key], "runs")
        if len(twice := side.runs.loc[side.runs[key].duplicated(), key]):
            raise InvalidInput(
                f"paired_by {key!r}: {twice.iloc[0]} occurs twice in one condition; choose one run for each"
            )
    both = sorted(set(a.runs[key]) & set(b.runs[key]))
    return [side.take(pd.Index(side.runs[key]).get_indexer(both)) for side in (a, b)]


def _edge_frame(a: Transitions, b: Transitions, p: np.ndarray) -> pd.DataFrame:
    """The edges that occur in either condition with their tests, the largest differences first."""
    rows, columns = np.nonzero(a.numerator.sum(axis=0) + b.numerator.sum(axis=0))
    names = np.array(NAMES)
    p_a, p_b = (side.probability.to_numpy()[rows, columns] for side in (a, b))
    frame = pd.DataFrame(
        {
            "source": names[rows],
            "target": names[columns],
            "probability_a": p_a,
            "probability_b": p_b,
            "difference": p_a - p_b,
            "p": p[rows, columns],
            "p_adjusted": adjusted(p[rows, columns]),
        }
    )
    return frame.sort_values("difference", key=np.abs, ascending=False, kind="stable", ignore_index=True)


def compare_levels(
    t: Transitions, by: str, rng: np.random.Generator, draws: int = 10_000, paired_by: str = ""
) -> pd.DataFrame:
    """`permutation_test` between all pairs of levels of a column of the runs, p adjusted (Holm) over the pairs.

    Columns a, b, runs_a, runs_b, statistic, p, p_adjusted, edge (the one with the largest difference) and difference.
    """
    need_columns(t.runs, [by], "runs")
    levels = list(dict.fromkeys(t.runs[by]))
    if len(levels) < 2:
        raise InvalidInput(f"by {by!r}: one level, {levels[0]!r}; a comparison needs two or more")
    rows = []
    for a, b in combinations(levels, 2):
        test = permutation_test(t.where(**{by: a}), t.where(**{by: b}), rng, draws, paired_by)
        edge = test.edges.iloc[0]
        rows.append(
            {"a": a, "b": b, "runs_a": test.runs[0], "runs_b": test.runs[1], "statistic": test.statistic, "p": test.p,
             "edge": f"{edge['source']} → {edge['target']}", "difference": edge["difference"]}
        )  # fmt: skip
    frame = pd.DataFrame(rows)
    frame.insert(6, "p_adjusted", adjusted(frame["p"]))
    return frame
