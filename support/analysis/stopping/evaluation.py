"""Cross-validation of stopping rules, and its results as Tables 2, 10 and 11, tests and the frontier."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from support.analysis.frames import need_columns
from support.analysis.inference import Correction, compare, describe
from support.analysis.stopping.dialogue_act import DialogueAct
from support.analysis.stopping.ensemble import Ensemble
from support.analysis.stopping.rules import (
    AllRounds,
    ConsecutiveAgreements,
    FirstAgreement,
    InformationDifference,
    Oracle,
    StoppingRule,
    ValidationCheckpoint,
    fired,
    stop_round,
)
from support.analysis.stopping.study import Study
from support.errors import InvalidInput

BASELINE = AllRounds().name
STATISTICS = {"stopped round": "stop", "effective ratio": "fired", "threshold": "threshold"}
"""The blocks of Table 11, and the columns of `cross_validate` that they average."""


def paper_rules() -> tuple[StoppingRule, ...]:
    """The rows of Tables 2, 10 and 11, in their order."""
    return (
        AllRounds(),
        FirstAgreement(),
        ConsecutiveAgreements(),
        ValidationCheckpoint(),
        InformationDifference(),
        DialogueAct(),
        Ensemble(),
        Oracle(),
    )


def cross_validate(studies: Mapping[str, Study], rules: Sequence[StoppingRule] | None = None) -> pd.DataFrame:
    """Fit each stopping rule on all folds but one, and stop the discussions of that one.

    Parameters
    ----------
    studies : mapping of social choice rule to Study
        As `studies_of` gives them.
    rules : sequence, optional
        By default `paper_rules()`.

    Returns
    -------
    DataFrame
        One row per stopping rule, social choice rule and discussion, each tested once: stopping, rule, run (its place
        in the study), fold, stop (last round held), fired, threshold (of its fold), performance (at the stop), words
        (up to the stop; NaN where not counted), played and all_words (without stopping).

    Raises
    ------
    InvalidInput
        When a study has no folds, or a stopping rule needs what a study does not hold.
    """
    chosen = paper_rules() if rules is None else tuple(rules)
    names = [rule.name for rule in chosen]
    if len(set(names)) < len(names):
        raise InvalidInput(f"rules: {names} given; expected each name once")
    cells = [(rule, name, study, fold) for name, study in studies.items() for rule in chosen for fold in _folds(study)]
    with threadpool_limits(1):  # the matrices are small: threads would cost more than they give
        return pd.concat([_tested(*cell) for cell in cells], ignore_index=True)


def _folds(study: Study) -> np.ndarray:
    if study.folds is None or len(np.unique(study.folds)) < 2:
        raise InvalidInput("folds: the study has none; make them with folds_of(runs, 5, seed)")
    return np.unique(study.folds)


def _tested(rule: StoppingRule, name: str, study: Study, fold: int) -> pd.DataFrame:
    mine = study.needs("folds") == fold
    fitted, test = rule.fit(study.training(fold)), study.take(mine)
    last = stop_round(fitted, test)
    return pd.DataFrame(
        {
            "stopping": rule.name,
            "rule": name,
            "run": np.flatnonzero(mine),
            "fold": fold,
            "stop": last,
            "fired": fired(fitted, test),
            "threshold": fitted.threshold,
            "performance": test.at(last),
            "words": _words(test, last),
            "played": test.played,
            "all_words": _words(test, test.played),
        }
    )


def _words(study: Study, last: np.ndarray) -> np.ndarray:
    if study.words is None:
        return np.full(len(last), np.nan)
    return study.words.cumsum(axis=1)[np.arange(len(last)), last - 1]


def performance_table(tested: pd.DataFrame) -> pd.DataFrame:
    """Table 10 (and 2): mean test performance by stopping rule (row) and social choice rule (column).

    Returns
    -------
    DataFrame
        row, column, value, se, n; standard errors over discussions.
    """
    return _tidy(tested, "performance")


def statistics_table(tested: pd.DataFrame, statistic: str) -> pd.DataFrame:
    """One block of Table 11, with the column "average" over the social choice rules.

    Parameters
    ----------
    statistic : {"stopped round", "effective ratio", "threshold"}
        The threshold of Validation Checkpoint is its round, that of Dialogue Act its score; standard errors of
        thresholds are over folds.

    Returns
    -------
    DataFrame
        row, column, value, se, n. The average has no standard error: the same groups are under each rule.
    """
    if statistic not in STATISTICS:
        raise InvalidInput(f"statistic: {statistic!r} given; expected one of {', '.join(STATISTICS)}")
    need_columns(tested, ["stopping", "rule", "fold"], "the tested rules")
    once = tested.drop_duplicates(["stopping", "rule", "fold"]) if statistic == "threshold" else tested
    tidy = _tidy(once, STATISTICS[statistic]).dropna(subset="value")
    average = tidy.groupby("row", sort=False)["value"].mean().reset_index()
    average = average.assign(column="average", se=np.nan, n=tidy.groupby("row", sort=False)["n"].sum().to_numpy())
    return pd.concat([tidy, average[tidy.columns]], ignore_index=True)


def _tidy(tested: pd.DataFrame, value: str) -> pd.DataFrame:
    need_columns(tested, ["stopping", "rule", value], "the tested rules")
    groups = tested.assign(**{value: tested[value].astype(float)}).groupby(["stopping", "rule"], sort=False)[value]
    tidy = groups.agg(value="mean", se="sem", n="count").reset_index()
    return tidy.rename(columns={"stopping": "row", "rule": "column"})


def frontier(tested: pd.DataFrame, higher_is_better: bool, level: float = 0.95) -> pd.DataFrame:
    """What each stopping rule saves and what it costs, against playing to the end; means over groups with t intervals.

    A group that was seen under several social choice rules counts once, with its mean over them: those
    discussions are not independent. Discussion `run` of each study has to be the same group.

    Returns
    -------
    DataFrame
        stopping, measure, mean, se, low, high, n: measure is "rounds saved" or "words saved" (percent of those without
        stopping), or "loss" (performance lost, in its own units; negative where stopping gains).
    """
    need_columns(tested, ["stopping", "rule", "run", "performance", "stop", "words"], "the tested rules")
    if BASELINE not in set(tested["stopping"]):
        raise InvalidInput(f"the tested rules lack {BASELINE!r}, which savings are measured against; test it as well")
    end = tested[tested["stopping"] == BASELINE].set_index(["rule", "run"])["performance"]
    last = end.reindex(pd.MultiIndex.from_frame(tested[["rule", "run"]])).to_numpy()
    sign = 1 if higher_is_better else -1
    saved = {
        "rounds saved": 100 * (1 - tested["stop"] / tested["played"]),
        "words saved": 100 * (1 - tested["words"] / tested["all_words"].where(tested["all_words"] > 0)),
        "loss": sign * (last - tested["performance"]),
    }
    means = tested[["stopping", "run"]].assign(**saved).groupby(["stopping", "run"], sort=False).mean().reset_index()
    long = means.melt(["stopping", "run"], list(saved), var_name="measure")
    table = describe(long, "value", ["stopping", "measure"], level, show=False)
    order = ["stopping", "measure", "mean", "se", "low", "high", "n"]
    return table[order].sort_values("measure", kind="stable", ignore_index=True)


def compare_rules(
    tested: pd.DataFrame, reference: str | None = BASELINE, correction: Correction | None = "holm"
) -> pd.DataFrame:
    """Paired tests between stopping rules: each discussion was stopped by every one of them.

    One family of tests for each social choice rule, and one, "all rules", on the means of each group over the social
    choice rules (see `frontier`). The correction is within a family.

    Parameters
    ----------
    reference : str, optional
        Against which the others are tested; None tests all pairs.

    Returns
    -------
    DataFrame
        rule, then the columns of `support.analysis.inference.compare`.
    """
    need_columns(tested, ["stopping", "rule", "run", "performance"], "the tested rules")
    options: dict[str, Any] = {"reference": reference, "correction": correction, "show": False}
    means = tested.groupby(["stopping", "run"], sort=False)["performance"].mean().reset_index()
    families = [*tested.groupby("rule", sort=False), ("all rules", means)]
    tables = [compare(part, "performance", "stopping", ["run"], **options).assign(rule=name) for name, part in families]
    together = pd.concat(tables, ignore_index=True)
    return together[["rule", *(column for column in together if column != "rule")]]
