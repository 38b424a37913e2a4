"""When to stop talking: rules learnt from finished discussions, cross-validated, asked
live (001, sections 4.5, C.7).

A study is a frame with a row for each round of each discussion, in their order: rule (of
social choice), run (the group), round, fold (which tests it), performance if the group stops after that
round, gain (the same, more being better; NaN where unknown), accepted (a vote passed
a proposal), proposed (somebody made one), difference (from the messages of the round
before), words spoken so far, and a column for each of `PAIRS`: how often that pair of
acts occurs. A rule learns from such a frame, and says of each row of another one whether
its signal is present, from that round and earlier ones alone.
"""

from __future__ import annotations

import warnings
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from support.analysis.conversation import spoken
from support.analysis.dialogue_acts import LABELS, START
from support.analysis.metrics import total_utility
from support.analysis.prediction import stars_of
from support.errors import InvalidInput
from support.roundtable.records import Round, Transcript
from support.runs.study import Unit

Study = pd.DataFrame
ROUND = ["run", "round"]
PAIRS = tuple(f"{a} → {b}" for a, b in product((START, *LABELS), LABELS))


class Fitted(NamedTuple):
    """A rule that has learnt what it can."""

    fires: Callable[[Study], np.ndarray]  # is the signal there? a bool a row
    threshold: float = np.nan  # what the signal is compared with
    pairs: tuple[str, ...] = ()


Rule = Callable[[Study], Fitted]


# -- where discussions end -----------------------------------------------------------


def ends(rounds: Study, signal: np.ndarray) -> np.ndarray:
    """In which row each discussion ends: the first with a signal, or else its last."""
    run = rounds["run"].to_numpy()
    last = np.diff(run, append=-1) != 0
    rows = np.flatnonzero(signal | last)
    first = np.diff(run[rows], prepend=-1) != 0
    return rows[first]


def best(rounds: Study) -> Study:
    """The row of each discussion's best round, the earliest of equals."""
    known = rounds.dropna(subset="gain")
    rows = known.groupby("run")["gain"].idxmax()
    return known.loc[rows]


def reached(rounds: Study, signal: np.ndarray) -> float:
    """The mean gain at the end, to twelve decimals: equals compare as equals."""
    gain = rounds["gain"].to_numpy()
    at_end = gain[ends(rounds, signal)]
    return round(float(np.nanmean(at_end)), 12)


# -- the rules of section 4.5 --------------------------------------------------------


def all_rounds(train: Study) -> Fitted:
    """@10, the baseline: nothing stops the discussion before its last round."""
    return Fitted(lambda rounds: np.zeros(len(rounds), bool))


def first_agreement(train: Study) -> Fitted:
    """Stops when a proposal passes the social choice rule."""
    return Fitted(lambda rounds: rounds["accepted"].to_numpy())


def consecutive_agreements(train: Study) -> Fitted:
    """Stops where nobody makes a proposal after a round that accepted one."""

    def fires(rounds: Study) -> np.ndarray:
        accepted = rounds.groupby("run")["accepted"]
        before = accepted.shift(fill_value=False)
        return (before & ~rounds["proposed"]).to_numpy()

    return Fitted(fires)


def oracle(train: Study) -> Fitted:
    """Stops each discussion in its best round, which nobody can know."""

    def fires(rounds: Study) -> np.ndarray:
        return rounds.index.isin(best(rounds).index)

    return Fitted(fires)


def checkpoint(train: Study) -> Fitted:
    """Stops in the most frequent best round of training: the average that fits Table 11
    (see notebook 24)."""
    at = best(train)["round"].mode()[0]

    def fires(rounds: Study) -> np.ndarray:
        return rounds["round"].to_numpy() >= at

    return Fitted(fires, at)


def information_difference(train: Study) -> Fitted:
    """Stops when messages differ less from the round before than, on average, in a best
    round of training. Round 1 has none before it."""
    below = float(best(train)["difference"].mean())

    def fires(rounds: Study) -> np.ndarray:
        return rounds["difference"].to_numpy() < below

    return Fitted(fires, below)


def dialogue_act(train: Study) -> Fitted:
    """Stops on pairs of dialogue acts that go with a good performance (appendix C.7).

    1. Regress the centred gain on the pairs present, by least squares of smallest norm:
       many pairs always occur together.
    2. Of the pairs with a positive coefficient and a small p, the `top` largest score a
       point in a round in which they occur `often` times.
    3. The discussion stops at `score` points. Of all 180 settings the one with the best
       mean gain in training is kept, the first of equals.
    """
    from statsmodels.regression.linear_model import OLS

    known = train.dropna(subset="gain")
    present = (known[list(PAIRS)] > 0).astype(float)
    X = present.assign(constant=1.0)
    y = known["gain"] - known["gain"].mean()
    with warnings.catch_warnings(action="ignore"):  # of a matrix without full rank
        fit = OLS(y, X).fit(method="pinv")
        p = fit.pvalues
    b = fit.params.round(6).drop("constant")
    b = b[b > 0].sort_values(
        ascending=False,
        kind="stable",
    )
    helpful = p[b.index]
    counts = train[helpful.index].to_numpy()

    def worth(setting: tuple[float, int, int, int]) -> float:
        bound, often, top, score = setting
        passing = np.flatnonzero(helpful <= bound)[:top]
        points = counts[:, passing] >= often
        signal = points.sum(axis=1) >= score
        return reached(train, signal)

    bound, often, top, score = max(SETTINGS, key=worth)
    pairs = helpful.index[helpful <= bound][:top]

    def fires(rounds: Study) -> np.ndarray:
        points = rounds[pairs].to_numpy() >= often
        return points.sum(axis=1) >= score

    return Fitted(fires, score, tuple(pairs))


BOUNDS = (0.05, 0.1, 0.2, np.inf)
FIVE = range(1, 6)
SETTINGS = [
    (bound, often, top, score)
    for bound, often, top, score in product(BOUNDS, (1, 2, 3), FIVE, FIVE)
    if score <= top
]
"""Of appendix C.7: bounds of p, occurrences, pairs and points."""


def ensemble(train: Study) -> Fitted:
    """Stops once two of the three learnt rules have given their signal; the paper does
    not define its own."""
    learnt = (checkpoint, information_difference, dialogue_act)
    members = [rule(train) for rule in learnt]

    def fires(rounds: Study) -> np.ndarray:
        run = rounds["run"].to_numpy()
        signals = [member.fires(rounds) for member in members]
        given = pd.DataFrame(signals).T.groupby(run).cummax()
        return (given.sum(axis=1) >= 2).to_numpy()

    return Fitted(fires)


PAPER: dict[str, Rule] = {
    "@10": all_rounds,
    "First Agreement": first_agreement,
    "Consecutive Agreements": consecutive_agreements,
    "Validation Checkpoint": checkpoint,
    "Information Difference": information_difference,
    "Dialogue Act": dialogue_act,
    "Ensemble": ensemble,
    "Oracle": oracle,
}
"""The rows of Tables 2, 10 and 11."""
PEOPLE = {name: rule for name, rule in PAPER.items() if "Agreement" not in name}
"""Those that need no votes: nobody votes in a chat."""


# -- fitted, and tested on other groups ----------------------------------------------


def cross_validate(
    study: Study,
    rules: Mapping[str, Rule] = PAPER,
) -> pd.DataFrame:
    """Fit each stopping rule on all folds but one, and stop the groups of that one, each
    social choice rule by itself.

    A row for each stopping rule and discussion: stopping, fired, threshold, and of the
    row in which it ended rule, run, fold, stop, performance, gain, words.
    """
    kept = [
        "rule",
        "run",
        "fold",
        "round",
        "performance",
        "gain",
        "words",
    ]
    parts = []
    for _, rounds in study.groupby("rule", sort=False):
        folds = list(rounds.groupby("fold"))
        for (stopping, rule), (fold, test) in product(rules.items(), folds):
            with threadpool_limits(1):  # threads cost more than these matrices
                fitted = rule(rounds[rounds["fold"] != fold])
                signal = fitted.fires(test)
            rows = ends(test, signal)
            end = test.iloc[rows][kept]
            parts.append(
                end.assign(
                    stopping=stopping,
                    fired=signal[rows],
                    threshold=fitted.threshold,
                )
            )
    tested = pd.concat(parts, ignore_index=True)
    return tested.rename(columns={"round": "stop"})


# -- studies -------------------------------------------------------------------------


def performance_of(transcript: Transcript) -> np.ndarray:
    """The group's performance after each round, in the units of Table 10, shape (rounds,).

    Ratings: the absolute error in stars; a group without a decision counts as if it had
    said the mean of all ratings, as in Table 7. Elsewhere: the share of the largest
    total utility, 0 before the first decision.
    """
    if transcript.environment["name"] == "movielens":
        return np.abs(stars_of(transcript) - transcript.environment["rating"])
    return total_utility(transcript) / 100


def study_of(
    records: Sequence[tuple[Unit, Transcript]],
    messages: pd.DataFrame,
    folds: int = 5,
    seed: int = 0,
) -> Study:
    """The records of one environment as a study.

    `messages` are theirs, measured and labelled. A repetition is one group: it is in one
    fold under every social choice rule.
    """
    parts = []
    for run, (unit, talk) in enumerate(records):
        made = performance_of(talk)
        sign = -1 if talk.environment["name"] == "movielens" else 1
        part = votes(talk.rounds).assign(
            run=run,
            group=unit.repetition,
            rule=talk.rule,
            performance=made,
            gain=sign * made,
        )
        parts.append(part)
    rounds = pd.concat(parts, ignore_index=True)
    return _in_folds(with_speech(rounds, messages), folds, seed)


def people_study(
    messages: pd.DataFrame,
    folds: int = 5,
    seed: int = 0,
) -> Study:
    """Groups of people who talk and do not vote, as a study: DeliData's, or your own.

    `messages` are measured and labelled. The performance is that after the last message
    of a block.
    """
    if not messages.reindex(columns=["performance"]).notna().any(axis=None):
        raise InvalidInput(
            "messages: no performance is known; a stopping rule learns from it"
        )
    blocks = messages.groupby(ROUND)[["rule", "performance"]]
    rounds = blocks.last().reset_index()
    rounds = rounds.assign(
        gain=rounds["performance"],
        group=rounds["run"],
    )
    return _in_folds(with_speech(rounds, messages), folds, seed)


def _in_folds(rounds: Study, folds: int, seed: int) -> Study:
    """Each group tested by one fold, of sizes that differ by at most one."""
    run, groups = pd.factorize(rounds["group"], sort=True)
    many = len(groups)
    if not 2 <= folds <= many:
        raise InvalidInput(
            f"folds: {folds} given for {many} groups; expected from 2 to {many}"
        )
    rng = np.random.default_rng(seed)
    drawn = rng.permutation(np.arange(many) % folds)
    return rounds.drop(columns="group").assign(
        run=run,
        fold=drawn[run],
    )


def votes(rounds: Sequence[Round]) -> Study:
    """The columns of a study that a discussion tells without its words."""
    return pd.DataFrame(
        {
            "round": [r.number for r in rounds],
            "accepted": [r.winner is not None for r in rounds],
            "proposed": [bool(r.proposals) for r in rounds],
        }
    )


def with_speech(
    rounds: Study,
    messages: pd.DataFrame,
) -> Study:
    """The rounds with what was said in them: words so far and difference, NaN where
    nobody measured it, and `PAIRS`."""
    measures = messages.reindex(columns=[*ROUND, "words", "difference"])
    measured = measures.groupby(ROUND)
    difference = measured["difference"].mean()
    counts = measured[["words"]].sum()
    counts = counts.join(pairs_of(messages))
    counts = rounds[ROUND].join(counts, on=ROUND).fillna(0)
    counts["words"] = counts.groupby("run")["words"].cumsum()
    study = rounds.join(difference, on=ROUND)
    return study.join(counts.drop(columns=ROUND))


def pairs_of(messages: pd.DataFrame) -> pd.DataFrame:
    """How often somebody performs B after another one performed A in the round before:
    a row for each run and round, a column for each of `PAIRS`.

    Who speaks in round 1 performs Start before it (section C.6): without, that round
    could teach nothing.
    """
    acts = messages[[*ROUND, "sender", "acts"]].explode("acts")
    acts = acts.rename(columns={"acts": "act"}).dropna()
    first = acts[acts["round"] == 1].assign(round=0, act=START)
    performed = pd.concat([first, acts])
    performed = performed.drop_duplicates()
    before = performed.assign(round=performed["round"] + 1)
    pairs = performed.merge(before, on=ROUND, suffixes=("", "_before"))
    pairs = pairs[pairs["sender"] != pairs["sender_before"]]
    pairs = pairs.assign(pair=pairs["act_before"] + " → " + pairs["act"])
    counts = pairs.groupby([*ROUND, "pair"]).size()
    table = counts.unstack(fill_value=0)
    return table.reindex(columns=PAIRS, fill_value=0)


@dataclass(frozen=True)
class Live:
    """A fitted rule as `roundtable(..., stop=...)` takes it: the same signal, computed
    on the rounds so far.

    `measure` labels and measures the talk (run, round, sender, text, acts) as that was
    which the rule learnt from; without, acts are those that senders carry.
    """

    fitted: Fitted
    name: str
    measure: Callable[[pd.DataFrame], Awaitable[pd.DataFrame]] | None = None

    async def __call__(self, rounds: Sequence[Round]) -> bool:
        """Whether the signal is present in the last of `rounds`."""
        columns = ["round", "sender", "text", "acts"]
        said = pd.DataFrame(spoken(rounds), columns=columns).assign(run=0)
        if self.measure and len(said):
            said = await self.measure(said)
        study = with_speech(votes(rounds).assign(run=0), said)
        return bool(self.fitted.fires(study)[-1])
