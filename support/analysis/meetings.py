"""Meeting coordination in numbers (Papachristou, Yang and Hsu 2023, sections 5.3 to 6.4, appendix C).

`satisfaction_ratio` is in percent, `satisfaction_score` in points of 0 to 3, `equity` a Gini coefficient (lower is more
even), `interactions` the members' mean number of turns. `true_ratio`, `true_score` and `true_equity` are the
same candidate's on the audit, that is on the members' true preferences; `chance_ratio` and `chance_score` what a start
drawn at random is worth by the same preferences, `best_ratio` and `best_score` what the best one is.

Cases that the paper leaves open: a round without any option satisfies nobody (ratio 0, score 0, equity 1). A round
whose candidate has no scores, because the evaluator's reply did not fit its form, has no metrics (NaN). Where nothing
was said, as in the design without conversation, `interactions` is NaN ("n/a" in Table 1).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd
from scipy.stats import t

from support.analysis.consistency import identified, setting_of
from support.analysis.frames import head, need_columns, need_keys
from support.analysis.stats import describe, percentiles, resampled
from support.errors import InvalidInput
from support.meetings.data import Meeting, meeting
from support.meetings.preferences import At
from support.meetings.reading import read
from support.meetings.records import Coordination, CoordinationRound, Option, Score
from support.meetings.satisfaction import HIGHEST, equity, satisfaction_ratio, satisfaction_score
from support.meetings.scenario import Intent
from support.meetings.study import MEETINGS
from support.runs.study import Unit

Records = Iterable[tuple[Unit | Mapping[str, Any], Coordination]]
Rule = Callable[[Meeting, Sequence[Option], Mapping[str, Intent], int], Sequence[Score]]
"""Scores options on what was extracted in a round; the last argument is the round's number."""

METRICS = ("interactions", "satisfaction_ratio", "satisfaction_score", "equity")
"""The metrics of section 5.3, in the order of Figures 4 to 6."""

TRUE = ("true_ratio", "true_score", "true_equity")
YARDSTICK = ("chance_ratio", "best_ratio", "chance_score", "best_score")
MEASURES = (*METRICS, *TRUE, *YARDSTICK, "proposed", "breaches", "format_errors")
TABLE_1 = ("satisfaction_ratio", "satisfaction_score", "equity", "interactions")
SHARES = ("satisfaction_ratio", "satisfaction_score", "interactions")
"""Metrics whose change is told in percent of round 1; a Gini coefficient near 0 has no such percentage."""

SCORES = tuple(range(HIGHEST + 1))
WEIGHTS = {"quadratic": 2, "linear": 1}


# -- one row for each run and round ----------------------------------------------------------------------------------


def rounds_of(records: Records, *, printed: bool = False) -> pd.DataFrame:
    """One row for each run and round.

    Parameters
    ----------
    records : pairs of a unit and its record, as `Store.records` gives them; or settings as a mapping
    printed : equity as equation (3) is printed, divided by n once more, in the place of the Gini coefficient

    Returns
    -------
    DataFrame
        The settings, `repetition`, `meeting` (its id), `members` (n), `round`, and the columns of `MEASURES`:
        the metrics, the same on the truth, and how many options were `proposed`, how many `breaches` of the protocol
        and `format_errors` there were.
    """
    return pd.DataFrame([
        {**head(unit), "meeting": record.meeting["id"], "members": len(record.members), "round": entry.number}
        | _measures(entry, printed)
        | _yardstick(record, i)
        for unit, record in records
        for i, entry in enumerate(record.rounds)
    ])  # fmt: skip


def final(frame: pd.DataFrame) -> pd.DataFrame:
    """The last round of each run: what the group ends with."""
    need_columns(frame, ["round"], "rounds")
    return frame.loc[frame.groupby(run_columns(frame), dropna=False)["round"].idxmax().sort_values()].reset_index(
        drop=True
    )


def run_columns(frame: pd.DataFrame) -> list[str]:
    """The columns that tell runs apart: all but the round and what was measured in it."""
    return [str(column) for column in frame if column not in (*MEASURES, "round")]


def name_settings(frame: pd.DataFrame) -> pd.DataFrame:
    """With a column `setting`, as Table 1 heads its parts: "n = 5, K = 2", "n = 5, K = 4, database".

    Parameters
    ----------
    frame : members (n), options (K) and, where it is there, database (whether the coordinator sees it)
    """
    need_columns(frame, ["members", "options"], "rounds")
    names = "n = " + frame["members"].astype(str) + ", K = " + frame["options"].astype(str)
    if "database" in frame:
        names += frame["database"].map({True: ", database", False: ""}).fillna("")
    return frame.assign(setting=names)


def _measures(entry: CoordinationRound, printed: bool) -> dict[str, float]:
    nobody = [] if entry.options else [0]
    ours, true = ([s.value for s in scores if s.option == entry.candidate] or nobody
                  for scores in (entry.scores, entry.audit))  # fmt: skip
    turns = [conversation.interactions for conversation in entry.conversations]
    spoken = any(conversation.turns for conversation in entry.conversations)
    return {
        "interactions": float(np.mean(turns)) if spoken else np.nan,
        **dict(zip(METRICS[1:], _satisfaction(ours, printed), strict=True)),
        **dict(zip(TRUE, _satisfaction(true, printed), strict=True)),
        "proposed": len(entry.options),
        "breaches": len(entry.breaches),
        "format_errors": len(entry.format_errors),
    }


def _yardstick(record: Coordination, place: int) -> dict[str, float]:
    """Of one round, ratios in percent; NaN for a run that was kept without."""
    known = record.settings.get("yardstick") or []
    of_round = known[place] if place < len(known) else {}
    return {name: of_round.get(name, np.nan) * (100 if name.endswith("ratio") else 1) for name in YARDSTICK}


def _satisfaction(values: Sequence[int], printed: bool) -> tuple[float, float, float]:
    if not values:
        return float("nan"), float("nan"), float("nan")
    return 100 * satisfaction_ratio(values), satisfaction_score(values), equity(values, printed=printed)


# -- changes from round 1, and the way from chance to the best (section 6, Figures 4 to 6) ---------------------------


def changes(frame: pd.DataFrame, metrics: Sequence[str] = METRICS) -> pd.DataFrame:
    """Each metric's change from round 1, for each run and round, as the paper takes it: run by run, then the mean.

    In percent for those of `SHARES`, in the metric's own unit for the others. A metric that is 0 in round 1 has no
    percentage change: such a run is left out and counted, and those left out are the ones with the most to gain. And a
    mean of percentages weighs a gain from a small start more than the same gain from a large one.

    Returns
    -------
    DataFrame
        The columns that tell runs apart, round, metric, start (the value in round 1), value, change (NaN where there
        is none), left_out, unit.
    """
    need_columns(frame, ["round", *metrics], "rounds")
    keys = [*run_columns(frame), "metric"]
    long = frame.melt([*keys[:-1], "round"], list(metrics), var_name="metric", value_name="value")
    first = long.loc[long["round"] == 1, [*keys, "value"]].rename(columns={"value": "start"})
    if first.duplicated(keys).any():
        one = first.loc[first.duplicated(keys), keys].iloc[0].to_dict()
        raise InvalidInput(f"rounds: the run {one} occurs twice; keep a column that tells runs apart, as repetition")
    table = long.merge(first, on=keys, how="left", indicator=True)
    if (table["_merge"] != "both").any():
        one = table.loc[table["_merge"] != "both", keys].iloc[0].to_dict()
        raise InvalidInput(f"rounds: the run {one} has no round 1; changes are counted from it")
    gain, percent = table["value"] - table["start"], table["metric"].isin(SHARES)
    table["change"] = (100 * gain / table["start"].where(table["start"] != 0)).where(percent, gain)
    unit = np.where(percent, "% change from round 1", "difference from round 1")
    return table.drop(columns="_merge").assign(left_out=table["change"].isna(), unit=unit)


def mean_changes(table: pd.DataFrame) -> pd.DataFrame:
    """Mean change with its t interval, for each setting, metric and round of a frame of `changes`.

    Returns
    -------
    DataFrame
        setting, metric, round, mean, low, high, se, n, left_out (runs without a change), start (the mean of all runs in
        round 1), of_means (the change of the mean, over all runs), unit.
    """
    keys = ["setting", "metric", "round"]
    need_columns(table, [*keys, "change", "start", "value", "unit"], "changes")
    means = describe(table, "change", keys).rename(columns={"missing": "left_out"})
    groups = table.groupby(keys, sort=False).agg(
        start=("start", "mean"), value=("value", "mean"), unit=("unit", "first")
    )
    merged = means.merge(groups.reset_index(), on=keys)
    gain = merged["value"] - merged["start"]
    percent = merged["unit"].str.startswith("%")
    merged["of_means"] = (100 * gain / merged["start"].replace(0, np.nan)).where(percent, gain)
    return merged[[*keys, "mean", "low", "high", "se", "n", "left_out", "start", "of_means", "unit"]]


def gap_closed(frame: pd.DataFrame, by: str | Sequence[str] = "setting") -> pd.DataFrame:
    """How much of the way from chance to the best start the candidates go, in truth: (true - chance) / (best - chance).

    A ratio of means over runs, in percent, with the 95 % t interval of its linearised error: a single run's share
    explodes where all starts are worth nearly the same.

    Returns
    -------
    DataFrame
        by..., round, chance, true, best (mean ratios, in percent), share, low, high, n.
    """
    keys = [*([by] if isinstance(by, str) else by), "round"]
    names = ["chance_ratio", "true_ratio", "best_ratio"]
    need_columns(frame, [*keys, *names], "rounds")
    need_keys(frame, keys, "rounds")
    rows = []
    for key, group in frame.dropna(subset=names).groupby(keys, sort=False):
        chance, true, best = (group[name].to_numpy() for name in names)
        gap, n = best.mean() - chance.mean(), len(group)
        share = (true.mean() - chance.mean()) / gap if gap > 0 else np.nan
        error = np.std(true - chance - share * (best - chance), ddof=1) / np.sqrt(n) / gap if n > 1 else np.nan
        half = t.ppf(0.975, n - 1) * error if n > 1 else np.nan
        rows.append([*key, chance.mean(), true.mean(), best.mean(),
                     100 * share, 100 * (share - half), 100 * (share + half), n])  # fmt: skip
    return pd.DataFrame(rows, columns=[*keys, "chance", "true", "best", "share", "low", "high", "n"])


# -- the rounds beside the two baselines (Table 1), and paraphrases (Table 2) ----------------------------------------


def table_1(frame: pd.DataFrame, by: str | Sequence[str] = "design") -> pd.DataFrame:
    """Means of the last round of each design: row, column, value, se, n, as `tables.against_published` takes them.

    Parameters
    ----------
    frame : as `rounds_of` gives it, with a column `design` that holds names of `DESIGNS`
        One setting; for several give `by=["setting", "design"]`, which keeps both columns in the place of row.
    """
    return _means(final(frame), by, TABLE_1)


def table_2(frame: pd.DataFrame) -> pd.DataFrame:
    """Means by the number of paraphrases, with the rows and columns of Table 2.

    The row "std of the means" is the standard deviation (n - 1) of the means, and has no standard error.

    Parameters
    ----------
    frame : as `rounds_of` gives it, of the design without conversation, with a column `paraphrase` that holds 0, 1, 2
    """
    means = _means(final(frame), "paraphrase", TABLE_1[:3]).sort_values(
        "row", kind="stable", key=lambda c: c.astype(str)
    )
    spread = means.groupby("column", sort=False)["value"].std(ddof=1).rename_axis("column").reset_index()
    named = means.assign(row="perturbations " + means["row"].astype(str))
    return pd.concat([named, spread.assign(row="std of the means", se=np.nan, n=len(named["row"].unique()))])[
        ["row", "column", "value", "se", "n"]
    ].reset_index(drop=True)


def with_standard_errors(published: pd.DataFrame, reading: Literal["numbers", "text"] = "numbers") -> pd.DataFrame:
    """Tables 1 or 2 with standard errors in `spread`, in the place of the printed half-widths.

    Parameters
    ----------
    published : table, row, column, value, spread
        One or several settings of Table 1, or Table 2, as `support.published.load` gives them.
    reading : what the printed half-width h of m meetings is
        - "text": 95 percent, Student's t with 19 degrees of freedom (the paper's footnote 9), h / t(0.975; 19).
        - "numbers": t(0.95; m - 1) sd / sqrt(m), with the population's sd and m as the ratio of the same row has it.
          All printed ratios have that form and none the other (`support.analysis.consistency.readings`): the printed
          intervals cover 90 percent. The standard error with n - 1 is h / t(0.95; m - 1) sqrt(m / (m - 1)).
    """
    if reading not in ("numbers", "text"):
        raise InvalidInput(f"reading: {reading!r} given; expected 'numbers' or 'text'")
    need_columns(published, ["table", "row", "column", "value", "spread"], "the published numbers")
    if reading == "text":
        return published.assign(spread=published["spread"] / t.ppf(0.975, MEETINGS - 1))
    known = published[published["table"].map(lambda name: setting_of(name) is not None)]
    found = identified(known).set_index(["table", "row"])["meetings"].dropna().to_dict()
    m = np.array([found.get(key, MEETINGS) for key in zip(published["table"], published["row"], strict=True)])
    return published.assign(spread=published["spread"] / t.ppf(0.95, m - 1) * np.sqrt(m / (m - 1)))


def _means(last: pd.DataFrame, by: str | Sequence[str], metrics: Sequence[str]) -> pd.DataFrame:
    keys = [by] if isinstance(by, str) else list(by)
    need_columns(last, [*keys, *metrics], "rounds")
    need_keys(last, keys, "rounds")
    groups = last.groupby(keys, sort=False)[list(metrics)]
    parts = {"value": groups.mean(), "se": groups.sem(), "n": groups.count()}
    stacked = pd.concat({name: part.stack() for name, part in parts.items()}, axis=1)
    stacked = stacked[stacked["n"] > 0]  # no turns without a conversation: "n/a" in the paper
    return stacked.rename_axis([*(["row"] if len(keys) == 1 else keys), "column"]).reset_index()


# -- the evaluator in the loop against the exact one -----------------------------------------------------------------


def audit(records: Records, rule: Rule | None = None) -> pd.DataFrame:
    """One row for each option, member and round that both evaluators scored: where the two differ, and why.

    `score` against `rule`: the evaluator misjudges what was said; `rule` scores the same theta by equation (5). `rule`
    against `exact`: what was said is not all that is true, as from round 2 on, when a member who has agreed to an
    option has said nothing else. `score` against `exact` is the sum of both.

    Parameters
    ----------
    records : as for `rounds_of`
    rule : scores the same theta by equation (5), as `RuleBasedEvaluator(zones).scores` does; without one NaN

    Returns
    -------
    DataFrame
        The settings, evaluator (its kind), meeting, round, option, member, score, rule, exact.
    """
    rows = []
    for unit, record in records:
        same = {**head(unit), "evaluator": record.seats.get("evaluator", ""), "meeting": record.meeting["id"]}
        theta = _theta(record, bool(same.get("tracking", record.settings.get("tracking"))))
        rows += [same | pair for entry in record.rounds for pair in _pairs(record, entry, theta[entry.number], rule)]
    return pd.DataFrame(rows)


def confusion(pairs: pd.DataFrame, a: str = "score", b: str = "exact") -> pd.DataFrame:
    """How often a score of `a` (rows) meets one of `b` (columns), 0 to 3 each."""
    need_columns(pairs, [a, b], "the audit")
    both = pairs[[a, b]].dropna().astype(int)
    if not both.isin(SCORES).all(axis=None):
        raise InvalidInput(f"scores: {sorted(set(both.to_numpy().ravel()))} found; expected whole numbers from 0 to 3")
    table = pd.crosstab(both[a], both[b]).reindex(index=SCORES, columns=SCORES, fill_value=0)
    return table.rename_axis(index=a, columns=b)


def kappa(
    pairs: pd.DataFrame,
    rng: np.random.Generator,
    *,
    a: str = "score",
    b: str = "exact",
    by: str | Sequence[str] = "evaluator",
    draws: int = 2000,
) -> pd.DataFrame:
    """Cohen's weighted kappa of two scores, with a 95 % percentile interval that draws whole meetings again.

    The scores of one meeting hang together, so that the interval's unit is the meeting.

    Returns
    -------
    DataFrame
        by..., a, b, weights ("quadratic", "linear"), kappa, low, high, agreement (share of equal scores), n (pairs),
        meetings, note. Fewer than two pairs, or a side that never varies, give NaN and `note` says which.
    """
    keys = [by] if isinstance(by, str) else list(by)
    need_columns(pairs, [*keys, "meeting", a, b], "the audit")
    need_keys(pairs, [*keys, "meeting"], "the audit")
    rows = []
    for names, group in pairs.groupby(keys, sort=False):
        head = dict(zip(keys, names, strict=True)) | {"a": a, "b": b}
        rows += [head | row for row in _kappas(group.dropna(subset=[a, b]), a, b, rng, draws)]
    return pd.DataFrame(rows)


def weighted_kappa(counts: np.ndarray, power: int) -> np.ndarray:
    """1 - observed over expected disagreement |i - j|^power, of tables of counts with shape (..., k, k).

    Cohen (1968). NaN where no disagreement is to be expected: both sides hold one and the same score.

    >>> weighted_kappa(np.array([[2, 0], [1, 1]]), 1).round(2).item()
    0.5
    """
    steps = np.arange(counts.shape[-1])
    cost = np.abs(steps[:, None] - steps) ** power
    total = counts.sum(axis=(-1, -2))
    chance = counts.sum(axis=-1)[..., :, None] * counts.sum(axis=-2)[..., None, :]
    expected = (chance * cost).sum(axis=(-1, -2))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(expected > 0, 1 - total * (counts * cost).sum(axis=(-1, -2)) / expected, np.nan)


def _theta(record: Coordination, tracking: bool) -> dict[int, dict[str, Intent]]:
    """What the evaluator was given, by round: the round's restatements; with tracking, those of earlier rounds too.

    As in `support.meetings.coordination`, exact times of earlier rounds are not kept.
    """
    said: dict[str, Intent] = {}
    theta = {}
    for entry in record.rounds:
        for talk in entry.conversations:
            before = said[talk.member].preferences if tracking and talk.member in said else ()
            kept = [text for text in before if not any(isinstance(p, At) for p in read(text))]
            said[talk.member] = Intent(tuple(dict.fromkeys((*kept, *talk.preferences))), talk.agreed)
        theta[entry.number] = dict(said)
    return theta


def _pairs(
    record: Coordination, entry: CoordinationRound, intents: Mapping[str, Intent], rule: Rule | None
) -> list[dict[str, Any]]:
    found = {(s.option, s.member): s.value for s in entry.scores}
    exact = {(s.option, s.member): s.value for s in entry.audit}
    said: dict[tuple[str, str], int] = {}
    if rule is not None and entry.options:
        scores = rule(meeting(record.meeting), entry.options, intents, entry.number)
        said = {(s.option, s.member): s.value for s in scores}
    return [
        {"round": entry.number, "option": option, "member": member, "score": value,
         "rule": said.get((option, member), np.nan), "exact": exact[option, member]}
        for (option, member), value in found.items() if (option, member) in exact
    ]  # fmt: skip


def _kappas(group: pd.DataFrame, a: str, b: str, rng: np.random.Generator, draws: int) -> list[dict[str, Any]]:
    note = _why_not(group, a, b)
    meetings = group["meeting"].nunique()
    agreement = float((group[a] == group[b]).mean()) if len(group) else np.nan
    same: dict[str, Any] = {"agreement": agreement, "n": len(group), "meetings": meetings, "note": note}
    if note:
        return [{"weights": w, "kappa": np.nan, "low": np.nan, "high": np.nan} | same for w in WEIGHTS]
    if meetings < 2:
        same["note"] = "one meeting: no interval"
    confusion(group, a, b)  # the scores are from 0 to 3
    times, place = resampled(group["meeting"].tolist(), rng, draws)
    counts = np.zeros((meetings, len(SCORES), len(SCORES)), dtype=int)
    np.add.at(counts, (place, group[a].to_numpy(dtype=int), group[b].to_numpy(dtype=int)), 1)
    again = np.tensordot(times, counts, axes=1)
    rows = []
    for weights, power in WEIGHTS.items():
        # A draw in which one side happens not to vary has no kappa.
        low, high = percentiles(weighted_kappa(again, power)) if meetings > 1 else (np.nan, np.nan)
        value = float(weighted_kappa(counts.sum(axis=0), power))
        rows.append({"weights": weights, "kappa": value, "low": float(low), "high": float(high)} | same)
    return rows


def _why_not(group: pd.DataFrame, a: str, b: str) -> str:
    if len(group) < 2:
        return "fewer than two pairs"
    constant = [name for name in (a, b) if group[name].nunique() == 1]
    if constant:
        return f"{' and '.join(constant)} never {'vary' if len(constant) > 1 else 'varies'}: agreement is not defined"
    return ""
