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

from support.analysis.conversation import information_difference as differences
from support.analysis.dialogue_acts import LABELS, START
from support.analysis.embeddings import Encoder
from support.analysis.frames import need_columns
from support.analysis.metrics import total_utility
from support.analysis.prediction import stars_of
from support.errors import InvalidInput
from support.roundtable.records import Round, Transcript
from support.runs.study import Unit

NEGLIGIBLE = 1e-9
"""A coefficient that is not above it is taken for none."""
ROUND = ["run", "round"]
PAIRS = tuple(f"{a} → {b}" for a, b in product((START, *LABELS), LABELS))


class Fitted(NamedTuple):
    """A rule that has learnt what it can."""

    fires: Callable[[pd.DataFrame], np.ndarray]  # is the signal there? a bool a row
    threshold: float = np.nan  # what the signal is compared with
    pairs: tuple[str, ...] = ()


Rule = Callable[[pd.DataFrame], Fitted]


# -- where discussions end -----------------------------------------------------------


def ends(rounds: pd.DataFrame, signal: np.ndarray) -> np.ndarray:
    """In which row each discussion ends: the first with a signal, or else its last."""
    run = rounds["run"].to_numpy()
    here = np.arange(len(run))
    starts = np.flatnonzero(np.diff(run, prepend=-1))
    last = np.append(starts[1:], len(run)) - 1
    fired = np.where(signal, here, len(run))
    first = np.minimum.reduceat(fired, starts)
    return np.minimum(first, last)


def best(rounds: pd.DataFrame) -> pd.DataFrame:
    """The row of each discussion's best round, the earliest of equals."""
    known = rounds.dropna(subset="gain")
    rows = known.groupby("run")["gain"].idxmax()
    return known.loc[rows]


def reached(rounds: pd.DataFrame, signal: np.ndarray) -> float:
    """The mean gain at the end, to twelve decimals: equals compare as equals."""
    gain = rounds["gain"].to_numpy()
    at_end = gain[ends(rounds, signal)]
    return round(float(np.nanmean(at_end)), 12)


# -- the rules of section 4.5 --------------------------------------------------------


def all_rounds(train: pd.DataFrame) -> Fitted:
    """@10, the baseline: nothing stops the discussion before its last round."""
    return Fitted(lambda rounds: np.zeros(len(rounds), bool))


def first_agreement(train: pd.DataFrame) -> Fitted:
    """Stops when a proposal passes the social choice rule."""
    need_columns(train, ["accepted"], "a study without votes")
    return Fitted(lambda rounds: rounds["accepted"].to_numpy())


def consecutive_agreements(train: pd.DataFrame) -> Fitted:
    """Stops where nobody makes a proposal after a round that accepted one."""

    def fires(rounds: pd.DataFrame) -> np.ndarray:
        accepted = rounds.groupby("run")["accepted"]
        before = accepted.shift(fill_value=False)
        return (before & ~rounds["proposed"]).to_numpy()

    return Fitted(fires)


def oracle(train: pd.DataFrame) -> Fitted:
    """Stops each discussion in its best round, which nobody can know."""

    def fires(rounds: pd.DataFrame) -> np.ndarray:
        need_columns(rounds, ["gain"], "a discussion that is not over")
        return rounds.index.isin(best(rounds).index)

    return Fitted(fires)


def checkpoint(train: pd.DataFrame) -> Fitted:
    """Stops in the most frequent best round of training: the average that fits Table 11
    (see notebook 24)."""
    at = best(train)["round"].mode()[0]
    return Fitted(lambda rounds: rounds["round"].to_numpy() >= at, at)


def information_difference(train: pd.DataFrame) -> Fitted:
    """Stops when messages differ less from the round before than, on average, in a best
    round of training. Round 1 has none before it."""
    below = float(best(train)["difference"].mean())
    return Fitted(lambda rounds: rounds["difference"].to_numpy() < below, below)


def dialogue_act(train: pd.DataFrame) -> Fitted:
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
    b = fit.params.drop("constant").round(9)
    b = b[b > NEGLIGIBLE].sort_values(ascending=False, kind="stable")
    helpful = b.index
    p = p[helpful].to_numpy()
    counts = train[helpful].to_numpy()

    def worth(setting: tuple[float, int, int, int]) -> float:
        bound, often, top, score = setting
        passing = np.flatnonzero(p <= bound)[:top]
        points = counts[:, passing] >= often
        return reached(train, points.sum(axis=1) >= score)

    bound, often, top, score = max(SETTINGS, key=worth)
    pairs = helpful[p <= bound][:top]

    def fires(rounds: pd.DataFrame) -> np.ndarray:
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


def ensemble(train: pd.DataFrame) -> Fitted:
    """Stops once two of the three learnt rules have given their signal; the paper does
    not define its own."""
    learnt = (checkpoint, information_difference, dialogue_act)
    members = [rule(train) for rule in learnt]

    def fires(rounds: pd.DataFrame) -> np.ndarray:
        signals = pd.DataFrame([member.fires(rounds) for member in members]).T
        given = signals.groupby(rounds["run"].to_numpy()).cummax()
        return (given.sum(axis=1) >= 2).to_numpy()

    return Fitted(fires)


def priced(rule: Rule, price: float) -> Rule:
    """The rule, taught that each round costs `price` in units of performance."""

    def fit(train: pd.DataFrame) -> Fitted:
        return rule(train.assign(gain=train["gain"] - price * train["round"]))

    return fit


BASELINE = "@10"
PAPER: dict[str, Rule] = {
    BASELINE: all_rounds,
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
    study: pd.DataFrame, rules: Mapping[str, Rule] = PAPER
) -> pd.DataFrame:
    """Fit each stopping rule on all folds but one, and stop the groups of that one, each
    social choice rule by itself.

    A row for each stopping rule and discussion: stopping, fired, threshold, and of the
    row in which it ended rule, run, fold, stop, performance, gain, words.
    """
    kept = ["rule", "run", "fold", "round", "performance", "gain", "words"]
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
) -> pd.DataFrame:
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
    rounds = with_speech(pd.concat(parts, ignore_index=True), messages)
    return _in_folds(rounds, folds, seed)


def people_study(messages: pd.DataFrame, folds: int = 5, seed: int = 0) -> pd.DataFrame:
    """Groups of people who talk and do not vote, as a study: DeliData's, or your own.

    `messages` are measured and labelled. The performance is that after the last message
    of a block.
    """
    if not messages.reindex(columns=["performance"]).notna().any(axis=None):
        raise InvalidInput(
            "messages: no performance is known; a stopping rule learns from it"
        )
    blocks = messages.groupby(ROUND)
    rounds = blocks[["rule", "performance"]].last().reset_index()
    measured = with_speech(rounds, messages).assign(
        gain=rounds["performance"],
        group=rounds["run"],
    )
    return _in_folds(measured, folds, seed)


def _in_folds(rounds: pd.DataFrame, folds: int, seed: int) -> pd.DataFrame:
    """Each group tested by one fold, of sizes that differ by at most one."""
    run, groups = pd.factorize(rounds["group"], sort=True)
    many = len(groups)
    if not 2 <= folds <= many:
        raise InvalidInput(
            f"folds: {folds} given for {many} groups; expected from 2 to {many}"
        )
    drawn = np.random.default_rng(seed).permutation(np.arange(many) % folds)
    return rounds.drop(columns="group").assign(run=run, fold=drawn[run])


def votes(rounds: Sequence[Round]) -> pd.DataFrame:
    """The columns of a study that a discussion tells without its words."""
    return pd.DataFrame(
        {
            "round": [r.number for r in rounds],
            "accepted": [r.winner is not None for r in rounds],
            "proposed": [bool(r.proposals) for r in rounds],
        }
    )


def with_speech(rounds: pd.DataFrame, messages: pd.DataFrame) -> pd.DataFrame:
    """The rounds with what was said in them: words so far and difference, NaN where
    nobody measured it, and `PAIRS`."""
    measures = messages.reindex(columns=[*ROUND, "words", "difference"])
    cells = measures.groupby(ROUND).agg({"words": "sum", "difference": "mean"})
    keys = pd.MultiIndex.from_frame(rounds[ROUND])
    speech = cells.join(pairs_of(messages)).reindex(keys)
    difference = speech.pop("difference")
    counted = speech.fillna(0).set_index(rounds.index)
    counted["words"] = counted["words"].groupby(rounds["run"]).cumsum()
    return pd.concat([rounds, counted], axis=1).assign(difference=difference.to_numpy())


def pairs_of(messages: pd.DataFrame) -> pd.DataFrame:
    """How often somebody performs B after another one performed A in the round before:
    a row for each run and round, a column for each of `PAIRS`.

    Who speaks in round 1 performs Start before it (section C.6): without, that round
    could teach nothing.
    """
    said = messages[[*ROUND, "sender", "acts"]]
    acts = said.explode("acts").dropna().drop_duplicates()
    first = acts[acts["round"] == 1].assign(acts=START)
    later = acts.assign(round=acts["round"] + 1)
    before = pd.concat([first.drop_duplicates(), later])
    both = before.merge(acts, on=ROUND, suffixes=(" before", ""))
    both = both[both["sender before"] != both["sender"]]
    both["pair"] = both["acts before"] + " → " + both["acts"]
    counts = both.groupby([*ROUND, "pair"]).size()
    table = counts.unstack(fill_value=0)
    return table.reindex(columns=PAIRS, fill_value=0)


@dataclass(frozen=True)
class Live:
    """A fitted rule as `roundtable(..., stop=...)` takes it: the same signal, computed
    on the rounds so far.

    Give the encoder that the rule was fitted with, and what labels the talk as then (of
    run, round, sender, text, acts); without, acts are those that senders carry.
    """

    fitted: Fitted
    name: str
    encoder: Encoder | None = None
    label: Callable[[pd.DataFrame], Awaitable[pd.DataFrame]] | None = None

    async def __call__(self, rounds: Sequence[Round]) -> bool:
        """Whether the signal is present in the last of `rounds`."""
        rows = []
        for entry in rounds:
            for m in entry.messages:
                rows.append((0, entry.number, m.sender, m.text, m.acts))
        said = pd.DataFrame(rows, columns=[*ROUND, "sender", "text", "acts"])
        if rows and self.label:
            said = await self.label(said)
        if rows and self.encoder:
            vectors = self.encoder.encode(list(said["text"]))
            said["difference"] = differences(said, vectors)
        study = with_speech(votes(rounds).assign(run=0), said)
        return bool(self.fitted.fires(study)[-1])
