"""When to stop talking: rules learnt from finished discussions, cross-validated, asked live (001, sections 4.5, C.7).

A rule takes the discussions of a `Study` and returns what it learnt, a `Fitted`: in which rounds its signal is present,
from that round and earlier ones alone, so that the same fit stops a discussion that is being held.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.special import stdtr
from threadpoolctl import threadpool_limits

from support.analysis.conversation import (
    information_difference as information_difference_of,
)
from support.analysis.dialogue_acts import LABELS, START, Annotator, acts_of_delidata
from support.analysis.embeddings import Encoder
from support.analysis.frames import need_columns
from support.analysis.metrics import total_utility
from support.analysis.stats import compare, describe
from support.analysis.transitions import code
from support.errors import InvalidInput
from support.roundtable.records import Round, Transcript
from support.runs.study import Unit

NEGLIGIBLE = 1e-9
"""A smaller difference in performance, and a coefficient below it, is taken for none."""


@dataclass(frozen=True, eq=False)
class Study:
    """Discussions under one rule as arrays of shape (runs, rounds, ...); None where a layer was not observed."""

    performance: np.ndarray  # if the group stops after that round; NaN where unknown
    played: np.ndarray  # rounds of each discussion
    higher_is_better: bool = True  # False of errors
    accepted: np.ndarray | None = None  # whether the vote accepted a proposal
    proposals: np.ndarray | None = None  # whether somebody made a new proposal
    acts: np.ndarray | None = (
        None  # (runs, rounds, agents, labels), as `transitions.Coded` holds them
    )
    difference: np.ndarray | None = (
        None  # mean cosine distance to the round before; NaN in round 1
    )
    words: np.ndarray | None = None  # spoken in that round
    folds: np.ndarray | None = None  # in which fold each discussion is tested

    @cached_property
    def gain(self) -> np.ndarray:
        """Performance, more being better; NaN after the last round played."""
        there = np.arange(self.performance.shape[1]) < self.played[:, None]
        return np.where(
            there,
            self.performance if self.higher_is_better else -self.performance,
            np.nan,
        )

    @cached_property
    def best_round(self) -> np.ndarray:
        """The round in which each discussion is at its best, the earliest of several; 0 where nothing is known."""
        known = np.isfinite(self.gain)
        return np.where(
            known.any(axis=1), np.where(known, self.gain, -np.inf).argmax(axis=1) + 1, 0
        )

    @cached_property
    def pairs(self) -> np.ndarray:
        """How often somebody performs B after another one performed A in the round before, in the order of `PAIRS`.

        Before round 1 everybody who speaks in it performs Start (section C.6): without, round 1 could teach nothing.
        """
        now = self.layer("acts").astype(np.float32)
        runs, rounds, agents, labels = now.shape
        before = np.zeros((runs, rounds, agents, labels + 1), dtype=np.float32)
        before[:, 0, :, 0] = now[:, 0].any(axis=-1)
        before[:, 1:, :, 1:] = now[:, :-1]
        anybody = before.sum(axis=2)[..., :, None] * now.sum(axis=2)[..., None, :]
        same = np.swapaxes(before, 2, 3) @ now  # one speaker after itself is no pair
        return (
            np.minimum(anybody - same, 255).reshape(runs, rounds, -1).astype(np.uint8)
        )

    def layer(self, name: str) -> np.ndarray:
        """One of the layers, or InvalidInput that says which is missing."""
        if (given := getattr(self, name)) is None:
            raise InvalidInput(
                f"{name}: this study holds none, and a stopping rule looks at them; leave the rule out"
            )
        return np.asarray(given)

    def take(self, chosen: np.ndarray) -> Study:
        """The chosen discussions (a mask or indices) as a study."""
        there = {
            name: value[chosen]
            for name, value in vars(self).items()
            if isinstance(value, np.ndarray)
        }
        taken = replace(
            self,
            **{
                name: value
                for name, value in there.items()
                if name in self.__dataclass_fields__
            },
        )
        taken.__dict__.update(
            {"pairs": there["pairs"]} if "pairs" in there else {}
        )  # counted once, not for each fold
        return taken

    def stops(self, signal: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The last round held of each discussion, and whether the signal ended it; both of shape (runs,)."""
        signal = signal & (np.arange(signal.shape[1]) < self.played[:, None])
        fired = np.asarray(signal.any(axis=1))
        return np.where(fired, signal.argmax(axis=1) + 1, self.played), fired

    def reached(self, signal: np.ndarray) -> float:
        """The mean gain at the stop over what is known, to twelve decimals, so that equals compare as equals."""
        at_stop = self.gain[np.arange(len(self.gain)), self.stops(signal)[0] - 1]
        known = np.isfinite(at_stop)
        return round(float(at_stop[known].mean()), 12) if known.any() else -np.inf


PAIRS = tuple(f"{a} → {b}" for a, b in product((START, *LABELS), LABELS))


class Fitted(NamedTuple):
    """A rule that has learnt what it can: whether its signal is present, bool (runs, rounds) of a study."""

    fires: Callable[[Study], np.ndarray]
    threshold: float = np.nan  # what the signal is compared with
    pairs: tuple[str, ...] = ()
    in_hindsight: bool = False


Rule = Callable[[Study], Fitted]


def _numbers(study: Study) -> np.ndarray:
    """The number of each round, shape (runs, rounds)."""
    return np.broadcast_to(
        np.arange(1, study.performance.shape[1] + 1), study.performance.shape
    )


def all_rounds(train: Study) -> Fitted:
    """@10, the baseline: nothing stops the discussion before its last round."""
    return Fitted(lambda study: np.zeros(study.performance.shape, dtype=bool))


def first_agreement(train: Study) -> Fitted:
    """Stops when a proposal passes the social choice rule."""
    return Fitted(lambda study: study.layer("accepted"))


def consecutive_agreements(train: Study) -> Fitted:
    """Stops in a round without a new proposal that follows a round in which a proposal was accepted."""
    before = ((0, 0), (1, 0))
    return Fitted(
        lambda study: np.pad(
            study.layer("accepted")[:, :-1] & ~study.layer("proposals")[:, 1:], before
        )
    )


def oracle(train: Study) -> Fitted:
    """Stops each discussion in its best round: what no rule can know, and none can beat."""
    return Fitted(
        lambda study: _numbers(study) == study.best_round[:, None], in_hindsight=True
    )


def checkpoint(train: Study) -> Fitted:
    """Stops in the most frequent best round of training: the average that fits Table 11 (see notebook 24)."""
    at = int(np.bincount(train.best_round[train.best_round > 0]).argmax())
    return Fitted(lambda study: _numbers(study) >= at, at)


def information_difference(train: Study) -> Fitted:
    """Stops when a round's messages differ less from the round before than, on average, in a best round of training.

    Round 1 has no round before it; where all discussions are best in it there is no threshold, and nothing stops.
    """
    known = train.best_round > 0
    at_best = train.layer("difference")[known, train.best_round[known] - 1]
    below = float(pd.Series(at_best).mean())
    return Fitted(lambda study: study.layer("difference") < below, below)


def effects(train: Study) -> tuple[np.ndarray, np.ndarray]:
    """Least squares of the centred gain on the pairs present: coefficients and p-values, NaN where a pair never occurs.

    Pairs that always occur together share their coefficient evenly: the solution of smallest norm, as statsmodels'
    `OLS(y, X).fit(method="pinv")` has it.
    """
    known = np.isfinite(train.gain)
    y, present = train.gain[known] - train.gain[known].mean(), train.pairs[known] > 0
    occurs = present.any(axis=0)
    coefficients, p_values = np.full((2, len(occurs)), np.nan)
    if np.ptp(y) > NEGLIGIBLE and occurs.any():
        X = np.column_stack([np.ones(len(y)), present[:, occurs]])
        inverse = np.linalg.pinv(X, rcond=1e-10)
        b, left = inverse @ y, len(y) - np.linalg.matrix_rank(X)
        with np.errstate(divide="ignore", invalid="ignore"):
            error = np.sqrt(((y - X @ b) ** 2).sum() / left * (inverse**2).sum(axis=1))
            coefficients[occurs], p_values[occurs] = (
                b[1:],
                2 * stdtr(left, -np.abs(b / error))[1:],
            )
    return coefficients, p_values


def dialogue_act(train: Study) -> Fitted:
    """Stops on pairs of dialogue acts that go with a good performance (appendix C.7).

    Of the pairs with a positive coefficient whose p-value is small enough, the `top` largest are candidates; each
    scores a point in a round in which it occurs `often` times; the discussion stops at `score` points. Of all 180
    settings the one with the best mean training performance is kept, the first among equals.
    """
    coefficients, p_values = effects(train)
    best, pairs, often, score = -np.inf, np.array([], dtype=int), 1, 1
    for bound, times, top in product(
        (0.05, 0.1, 0.2, np.inf), (1, 2, 3), (1, 2, 3, 4, 5)
    ):
        passing = np.flatnonzero(
            (coefficients > NEGLIGIBLE) & ((p_values <= bound) | (bound == np.inf))
        )
        chosen = passing[np.argsort(-coefficients[passing].round(9), kind="stable")][
            :top
        ]
        points = (train.pairs[..., chosen] >= times).sum(axis=-1)
        for least in range(1, top + 1):
            if (reached := train.reached(points >= least)) > best:
                best, pairs, often, score = reached, chosen, times, least
    named = tuple(PAIRS[i] for i in pairs)
    return Fitted(
        lambda study: (study.pairs[..., pairs] >= often).sum(axis=-1) >= score,
        float(score),
        named,
    )


def ensemble(train: Study) -> Fitted:
    """Stops once two of the three learnt rules have given their signal; the paper does not define its own."""
    members = [
        rule(train).fires for rule in (checkpoint, information_difference, dialogue_act)
    ]
    return Fitted(
        lambda study: (
            np.sum(
                [np.maximum.accumulate(fires(study), axis=1) for fires in members],
                axis=0,
            )
            >= 2
        )
    )


def ridge(train: Study) -> Fitted:
    """Stops when a ridge regression on all pairs expects enough of a round; what a regularised learner would do.

    Its penalty is chosen by cross-validation over discussions, its threshold among quantiles of what it expects.
    """
    from sklearn.linear_model import RidgeCV
    from sklearn.model_selection import PredefinedSplit

    known = np.isfinite(train.gain)
    X, y = train.pairs[known] > 0, train.gain[known]
    if np.ptp(y) <= NEGLIGIBLE:
        return all_rounds(train)
    fold = pd.factorize(np.nonzero(known)[0])[0] % 5
    folds = PredefinedSplit(fold) if len(set(fold)) > 1 else None
    model = RidgeCV(
        np.logspace(-1, 4, 11), cv=folds, scoring="neg_mean_squared_error"
    ).fit(X.astype(float), y)

    def expects(study: Study) -> np.ndarray:
        return np.asarray((study.pairs > 0) @ model.coef_ + model.intercept_)

    expected = expects(train)
    tried = np.quantile(expected[known], np.linspace(0, 1, 41)) - NEGLIGIBLE
    threshold = float(max(tried, key=lambda value: train.reached(expected >= value)))
    return Fitted(lambda study: expects(study) >= threshold, threshold)


def priced(rule: Rule, price: float) -> Rule:
    """The rule, taught that each round held costs `price` in units of performance; with 0 it is the rule itself."""

    def fit(train: Study) -> Fitted:
        costs = price * _numbers(train) * (1 if train.higher_is_better else -1)
        return rule(replace(train, performance=train.performance - costs))

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


def cross_validate(
    studies: Mapping[str, Study], rules: Mapping[str, Rule] = PAPER
) -> pd.DataFrame:
    """Fit each stopping rule on all folds but one, and stop the discussions of that one; a row a discussion.

    Columns: stopping, rule (of social choice), run (its place in the study), fold, stop (last round held), fired,
    threshold (of its fold), performance and words at the stop, played and all_words without stopping.
    """
    parts = []
    for (name, study), (stopping, rule) in product(studies.items(), rules.items()):
        if not np.isfinite(study.gain).any():
            raise InvalidInput(
                f"performance of {name!r}: every value is NaN; nothing can be learnt from it"
            )
        if study.acts is not None:
            study.pairs  # noqa: B018  # counted once, not once for each fold
        folds = study.layer("folds")
        for fold in np.unique(folds):
            test = study.take(folds == fold)
            with threadpool_limits(
                1
            ):  # the matrices are small: threads would cost more than they give
                fitted = rule(study.take(folds != fold))
                stop, fired = test.stops(fitted.fires(test))
            words, run = np.cumsum(test.layer("words"), axis=1), np.arange(len(stop))
            parts.append(pd.DataFrame({
                "stopping": stopping, "rule": name, "run": np.flatnonzero(folds == fold), "fold": fold, "stop": stop,
                "fired": fired, "threshold": fitted.threshold, "performance": test.performance[run, stop - 1],
                "words": words[run, stop - 1], "played": test.played, "all_words": words[run, test.played - 1],
            }))  # fmt: skip
    return pd.concat(parts, ignore_index=True)


def table_of(tested: pd.DataFrame, value: str) -> pd.DataFrame:
    """Table 10 ("performance") or a block of Table 11 ("stop", "fired", "threshold"): row, column, value, se, n.

    Standard errors are over discussions, of thresholds over folds; the column "average" of Table 11 has none.
    """
    once = (
        tested.drop_duplicates(["stopping", "rule", "fold"])
        if value == "threshold"
        else tested
    )
    tidy = _cells(once.astype({value: float}), value)
    if value == "performance":
        return tidy
    tidy = tidy.dropna(subset="value")
    average = (
        tidy.groupby("row", sort=False)
        .agg(value=("value", "mean"), n=("n", "sum"))
        .reset_index()
    )
    return pd.concat(
        [tidy, average.assign(column="average", se=np.nan)[tidy.columns]],
        ignore_index=True,
    )


def gains(tested: pd.DataFrame) -> pd.DataFrame:
    """Each stopping rule's performance minus that of @10, by discussion: row ("rule - @10"), column, value, se, n."""
    wide = tested.pivot(index=["rule", "run"], columns="stopping", values="performance")
    gaps = (
        wide.drop(columns=BASELINE)
        .sub(wide[BASELINE], axis=0)
        .reset_index()
        .melt(["rule", "run"])
    )
    return _cells(gaps, "value").assign(row=lambda tidy: tidy["row"] + f" - {BASELINE}")


def _cells(frame: pd.DataFrame, value: str) -> pd.DataFrame:
    groups = frame.groupby(["stopping", "rule"], sort=False)[value].agg(
        value="mean", se="sem", n="count"
    )
    return groups.rename_axis(["row", "column"]).reset_index()


def frontier(tested: pd.DataFrame, higher_is_better: bool) -> pd.DataFrame:
    """What each rule saves and what it costs against @10: stopping, measure, mean, se, low, high, n.

    "rounds saved" and "words saved" are in percent, "loss" in units of performance, negative where stopping gains. A
    group that was seen under several rules counts once, with its mean over them.
    """
    end = tested[tested["stopping"] == BASELINE].set_index(["rule", "run"])[
        "performance"
    ]
    lost = (
        end.loc[pd.MultiIndex.from_frame(tested[["rule", "run"]])].to_numpy()
        - tested["performance"]
    )
    saved = {
        "rounds saved": 100 * (1 - tested["stop"] / tested["played"]),
        "words saved": 100
        * (1 - tested["words"] / tested["all_words"].where(tested["all_words"] > 0)),
        "loss": lost if higher_is_better else -lost,
    }
    means = (
        tested[["stopping", "run"]]
        .assign(**saved)
        .groupby(["stopping", "run"], sort=False)
        .mean()
        .reset_index()
    )
    return describe(
        means.melt(["stopping", "run"], list(saved), var_name="measure"),
        "value",
        ["stopping", "measure"],
    )


def compare_rules(tested: pd.DataFrame) -> pd.DataFrame:
    """Paired tests of stopping rules against @10: the columns of `support.analysis.stats.compare` and `rule`.

    Each social choice rule is a family of tests; "all rules", on each group's means, is another.
    """
    means = (
        tested.groupby(["stopping", "run"], sort=False)["performance"]
        .mean()
        .reset_index()
    )
    tables = [
        compare(part, "performance", "stopping", ["run"], reference=BASELINE).assign(
            rule=name
        )
        for name, part in [*tested.groupby("rule", sort=False), ("all rules", means)]
    ]
    return pd.concat(tables, ignore_index=True)


def performance_of(transcript: Transcript) -> np.ndarray:
    """The group's performance after each round, shape (rounds,), in the units of Table 10.

    Ratings: the absolute error in stars, where a group without a decision counts as if it had said the mean of all
    ratings of u1.base. Elsewhere: total utility as a share of its maximum, 0 before the first decision.
    """
    if transcript.environment["name"] != "movielens":
        return total_utility(transcript) / 100
    from support.roundtable.ratings import load

    said = [
        float(r.decision.value) if r.decision else np.nan for r in transcript.rounds
    ]
    mean = load().base["rating"].mean() if np.isnan(said).any() else 0.0
    return np.abs(
        np.where(np.isnan(said), mean, said) - transcript.environment["rating"]
    )


def folds_of(runs: int, folds: int, seed: int) -> np.ndarray:
    """Which fold tests each discussion: sizes differ by at most one, and equal seeds give equal folds."""
    if folds < 2 or runs < folds:
        raise InvalidInput(
            f"folds: {folds} given for {runs} discussions; expected at least 2, and no more than those"
        )
    return np.random.default_rng(seed).permutation(np.arange(runs) % folds)


def studies_of(
    records: Sequence[tuple[Unit, Transcript]],
    messages: pd.DataFrame,
    folds: int = 5,
    seed: int = 0,
) -> dict[str, Study]:
    """A study for each social choice rule of one environment's records, in the order of their appearance.

    `messages` are those of the records, as `conversation.features` measures them: `run` counts the records from 0.
    Equally many discussions get equal folds: a group that was seen under several rules is in one fold.
    """
    made = {}
    for rule in dict.fromkeys(transcript.rule for _, transcript in records):
        mine = [
            i for i, (_, transcript) in enumerate(records) if transcript.rule == rule
        ]
        talks = [records[i][1] for i in mine]
        performance = pd.DataFrame([performance_of(talk) for talk in talks]).to_numpy()
        played = np.array([len(talk.rounds) for talk in talks])
        better = talks[0].environment["name"] != "movielens"
        said = messages[messages["run"].isin(mine)]
        said = said.assign(run=said["run"].map({run: i for i, run in enumerate(mine)}))
        layers = votes([talk.rounds for talk in talks]) | speech(
            said, performance.shape
        )
        made[rule] = Study(
            performance,
            played,
            better,
            **layers,
            folds=folds_of(len(mine), folds, seed),
        )
    return made


def people_study(messages: pd.DataFrame, folds: int = 5, seed: int = 0) -> Study:
    """Groups of people who talk and do not vote, as a study: DeliData's, or your own.

    `messages` are those of `messages_of_delidata` (its own labels, mapped, are the acts) or `messages_of_conversations`
    (labelled, in the column acts), measured. The performance is that after the last message of a block.
    """
    need_columns(messages, ["performance"], "messages")
    own = (
        pd.Series(acts_of_delidata(messages), index=messages.index)
        if "kind" in messages
        else messages["acts"]
    )
    said = messages.assign(
        acts=own.astype(object), run=pd.factorize(messages["run"])[0]
    )
    cells = said.groupby(["run", "round"])["performance"].last().unstack()
    played = said.groupby("run")["round"].max().to_numpy()
    layers = speech(said, cells.shape)
    return Study(
        cells.to_numpy(), played, **layers, folds=folds_of(len(played), folds, seed)
    )


def votes(held: Sequence[Sequence[Round]]) -> dict[str, Any]:
    """The layers `accepted` and `proposals` of discussions, each given by its rounds."""
    accepted = [[r.winner is not None for r in rounds] for rounds in held]
    proposals = [
        [any(p.value is not None for p in r.proposals) for r in rounds]
        for rounds in held
    ]
    layers = {"accepted": accepted, "proposals": proposals}
    return {
        name: pd.DataFrame(rows).eq(True).to_numpy() for name, rows in layers.items()
    }  # no vote in no round


def speech(messages: pd.DataFrame, shape: tuple[int, int]) -> dict[str, Any]:
    """The layers `acts`, and `words` and `difference` where they were measured, of messages whose runs count from 0."""
    values = np.zeros(
        (*shape, max(messages["sender"].nunique(), 1), len(LABELS)), dtype=bool
    )
    if not messages.empty:
        coded = code(messages, "acts")
        values[coded.runs["run"].to_numpy(), : coded.values.shape[1]] = coded.values
    layers: dict[str, Any] = {"acts": values}
    for column, how, empty in (("words", "sum", 0.0), ("difference", "mean", np.nan)):
        if column in messages:
            found = messages.groupby(["run", "round"])[column].agg(how).unstack()
            layers[column] = found.reindex(
                range(shape[0]), columns=range(1, shape[1] + 1)
            ).to_numpy(float)
            layers[column] = np.nan_to_num(layers[column], nan=empty)
    return layers


@dataclass(frozen=True)
class Live:
    """A fitted rule as `roundtable(..., stop=...)` takes it: the same computation on the rounds so far.

    Give the encoder and the annotator that the rule was fitted with; without an annotator the acts are those that
    rule-based senders carry.
    """

    fitted: Fitted
    name: str
    encoder: Encoder | None = None
    annotator: Annotator | None = None

    def __post_init__(self) -> None:
        if self.fitted.in_hindsight:
            raise InvalidInput(
                "fitted: the Oracle looks at rounds that are not played yet; it cannot be asked live"
            )

    async def __call__(self, rounds: Sequence[Round]) -> bool:
        """Whether the signal is present in the last of `rounds`."""
        rows = [
            (0, r.number, m.sender, m.text, m.acts) for r in rounds for m in r.messages
        ]
        said = pd.DataFrame(rows, columns=["run", "round", "sender", "text", "acts"])
        if self.annotator is not None and rows:
            said["acts"] = pd.Series(
                await self.annotator.label(said), index=said.index, dtype=object
            )
        if self.encoder is not None:
            vectors = (
                self.encoder.encode(list(said["text"])) if rows else np.empty((0, 1))
            )
            said["difference"] = (
                information_difference_of(said, vectors) if rows else np.nan
            )
        unknown = np.full(
            (1, len(rounds)), np.nan
        )  # nobody knows the performance while the discussion goes on
        layers = votes([rounds]) | speech(said, (1, len(rounds)))
        study = Study(unknown, np.array([len(rounds)]), **layers)
        return bool(self.fitted.fires(study)[0, -1])
