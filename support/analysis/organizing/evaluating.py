"""How well policies are selected and edge cases are detected, in each of several runs (002, section 4).

Two tidy frames come in, one row for each item and run of a technique (a context, a prompt, a detector):

- selections: technique, run, item, selected, applies (collections of policies' ids; the second is the truth);
- verdicts: technique, run, item, case, flag (the truth), flagged. `case` is what the five voices of a case share.

F1 is given twice: the mean over states, and micro, of all policies of all states thrown together. The paper does not
say which of the two it prints. Where nothing applies and nothing is selected, precision, recall and F1 of the state are
1; where only one of the two sets is empty all three are 0. Micro scores need that rule only where it is so in all
states.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from support.analysis.frames import need_columns, need_keys, numbers
from support.analysis.organizing.repeating import bootstrap_mean
from support.errors import InvalidInput

SELECTION = ("technique", "run", "item", "selected", "applies")
DETECTION = ("technique", "run", "item", "case", "flag", "flagged")


class Score(NamedTuple):
    """Precision, recall and F1, from 0 to 1."""

    precision: float
    recall: float
    f1: float


def score(selected: Collection[Hashable], applies: Collection[Hashable]) -> Score:
    """How well one selection fits one truth; two empty sets fit, an empty one and another do not.

    Examples
    --------
    >>> score(["begin", "vague"], ["begin"])
    Score(precision=0.5, recall=1.0, f1=0.6666666666666666)
    >>> score([], []), score(["begin"], []).f1
    (Score(precision=1.0, recall=1.0, f1=1.0), 0.0)
    """
    chosen, true = _as_set(selected, "selected"), _as_set(applies, "applies")
    return _score(len(chosen & true), len(chosen), len(true))


def _as_set(given: Collection[Hashable], what: str) -> set[Hashable]:
    # A text is a collection of letters: the commonest slip, and silent.
    if isinstance(given, str) or not isinstance(given, Collection):
        raise InvalidInput(f"{what}: {given!r} given; expected a collection of ids, such as ('begin',)")
    return set(given)


def _score(hits: int, chosen: int, true: int) -> Score:
    """Where both sides are empty everything is 1; where one of them is, everything is 0."""
    found = 2 * hits / (chosen + true) if chosen + true else 1.0
    return Score(hits / chosen if chosen else float(not true), hits / true if true else float(not chosen), found)


def selection_scores(frame: pd.DataFrame) -> pd.DataFrame:
    """The selections with precision, recall, f1 and `right` (the very set), and `chosen`, `true`, `hits` (counts).

    Raises
    ------
    InvalidInput
        On a missing column, an item twice in a run, or ids that are no collection.
    """
    _check(frame, SELECTION)
    pairs = list(zip(frame["selected"], frame["applies"], strict=True))
    scores = pd.DataFrame([score(*pair) for pair in pairs], columns=Score._fields, index=frame.index)
    counts = [(len(set(s)), len(set(a)), len(set(s) & set(a)), set(s) == set(a)) for s, a in pairs]
    counted = pd.DataFrame(counts, columns=["chosen", "true", "hits", "right"], index=frame.index)
    return pd.concat([frame, scores, counted], axis=1)


def selection_runs(frame: pd.DataFrame) -> pd.DataFrame:
    """One row for each technique and run of selections.

    Returns
    -------
    DataFrame
        technique, run, n (states), precision, recall, f1 (means over states), micro_precision, micro_recall, micro_f1,
        right (share of states with the very set), none_apply, none_selected, both_empty (states).
    """
    scored = selection_scores(frame)
    rows = [
        {"technique": technique, "run": run, **_selection_run(part)}
        for (technique, run), part in scored.groupby(["technique", "run"], sort=False)
    ]
    return pd.DataFrame(rows)


def _selection_run(part: pd.DataFrame) -> dict[str, float]:
    micro = _score(int(part["hits"].sum()), int(part["chosen"].sum()), int(part["true"].sum()))
    empty = {"none_apply": part["true"] == 0, "none_selected": part["chosen"] == 0}
    return {
        "n": len(part),
        **{name: float(part[name].mean()) for name in Score._fields},
        **{f"micro_{name}": value for name, value in micro._asdict().items()},
        "right": float(part["right"].mean()),
        **{name: int(which.sum()) for name, which in empty.items()},
        "both_empty": int((empty["none_apply"] & empty["none_selected"]).sum()),
    }


def by_policy(frame: pd.DataFrame) -> pd.DataFrame:
    """How each policy fares, over all runs: technique, policy, applies, selected, hits (states), precision, recall, f1.

    Precision of a policy that is never selected and recall of one that never applies are NaN.
    """
    _check(frame, SELECTION)
    rows = []
    for technique, part in frame.groupby("technique", sort=False):
        truths, choices = [set(a) for a in part["applies"]], [set(s) for s in part["selected"]]
        named = [*part["applies"], *part["selected"]]
        for policy in dict.fromkeys(p for ids in named for p in (ids if isinstance(ids, Sequence) else sorted(ids))):
            true, chosen = [policy in ids for ids in truths], [policy in ids for ids in choices]
            counts = {"applies": sum(true), "selected": sum(chosen), "hits": int(np.logical_and(true, chosen).sum())}
            rows.append({"technique": technique, "policy": policy, **counts, **_by_one(**counts)})
    return pd.DataFrame(rows)


def _by_one(applies: int, selected: int, hits: int) -> dict[str, float]:
    precision, recall = hits / selected if selected else np.nan, hits / applies if applies else np.nan
    return {"precision": precision, "recall": recall, "f1": 2 * hits / (selected + applies)}


def detection_runs(frame: pd.DataFrame) -> pd.DataFrame:
    """One row for each technique and run of verdicts.

    Returns
    -------
    DataFrame
        technique, run, n (replies), accuracy, sensitivity (flagged of those to flag), specificity (clear of those that
        are), precision (to flag of those flagged), hits, false_alarms, misses, clear (replies). A share of none is NaN.
    """
    rows = [
        {"technique": technique, "run": run, **_detection_run(part)}
        for (technique, run), part in with_right(frame).groupby(["technique", "run"], sort=False)
    ]
    return pd.DataFrame(rows)


def _detection_run(part: pd.DataFrame) -> dict[str, float]:
    true, said = part["flag"].to_numpy(), part["flagged"].to_numpy()
    hits, false, misses, clear = (int(n.sum()) for n in (true & said, ~true & said, true & ~said, ~true & ~said))
    return {
        "n": len(part),
        "accuracy": float((true == said).mean()),
        "sensitivity": _share(hits, hits + misses),
        "specificity": _share(clear, clear + false),
        "precision": _share(hits, hits + false),
        "hits": hits,
        "false_alarms": false,
        "misses": misses,
        "clear": clear,
    }


def _share(part: int, whole: int) -> float:
    return float(part / whole) if whole else float("nan")


def confusion_by_case(frame: pd.DataFrame) -> pd.DataFrame:
    """What was said of each case: technique, case, flag, replies (over all runs), flagged (share), right (share).

    The cases that fared worst come first within a technique.
    """
    grouped = with_right(frame).groupby(["technique", "case", "flag"], sort=False)
    table = grouped.agg(replies=("item", "size"), flagged=("flagged", "mean"), right=("right", "mean")).reset_index()
    place = {name: k for k, name in enumerate(dict.fromkeys(frame["technique"]))}
    ordered = table.assign(place=table["technique"].map(place)).sort_values(["place", "right"], kind="stable")
    return ordered.drop(columns="place").reset_index(drop=True)


def over_runs(runs: pd.DataFrame, measures: Sequence[str], by: str = "technique") -> pd.DataFrame:
    """Mean and SD (divisor n - 1) of each measure over a technique's runs: technique, measure, runs, mean, sd.

    A run without the measure (NaN) does not count in `runs`. One run has no SD (NaN). The SD is that of repetitions on
    the same items: it says nothing of other items.
    """
    need_columns(runs, [by, *measures], "runs")
    need_keys(runs, [by], "runs")
    rows = [
        {by: name, "measure": measure, **_spread(numbers(part, measure))}
        for name, part in runs.groupby(by, sort=False)
        for measure in measures
    ]
    return pd.DataFrame(rows)


def _spread(values: pd.Series[float]) -> dict[str, float]:
    return {"runs": int(values.count()), "mean": float(values.mean()), "sd": float(values.std(ddof=1))}


def results(
    rng: np.random.Generator,
    selections: pd.DataFrame | None = None,
    verdicts: pd.DataFrame | None = None,
    draws: int = 2000,
) -> pd.DataFrame:
    """Our results as the checks of the paper's statements read them: row (technique), column, value, se, n.

    `column` is "F1" (mean over states) of selections, "accuracy" of verdicts; `se` that of a bootstrap
    over states or cases, as a statement is not about the very states of a test.
    """
    parts: list[pd.DataFrame] = []
    if selections is not None:
        scored = selection_scores(selections)
        parts.append(bootstrap_mean(scored, "f1", rng, cluster="item", draws=draws).assign(column="F1"))
    if verdicts is not None:
        table = bootstrap_mean(with_right(verdicts), "right", rng, cluster="case", draws=draws, within="flag")
        parts.append(table.assign(column="accuracy"))
    if not parts:
        raise InvalidInput("results: neither selections nor verdicts given; expected at least one of them")
    table = pd.concat(parts, ignore_index=True).rename(columns={"technique": "row", "mean": "value", "clusters": "n"})
    return table[["row", "column", "value", "se", "n"]]


def with_right(verdicts: pd.DataFrame) -> pd.DataFrame:
    """The verdicts with `right`: 1.0 where what was said is the truth, else 0.0.

    Raises
    ------
    InvalidInput
        On what is no verdict: a detector's text ("Clear"), a number, or nothing at all (NaN).
    """
    _check(verdicts, DETECTION)
    need_keys(verdicts, ["case"], "the frame of answers")
    for name in ("flag", "flagged"):
        strange = verdicts[~verdicts[name].map(lambda said: isinstance(said, bool | np.bool_))]
        if not strange.empty:
            first = strange.iloc[0]
            raise InvalidInput(
                f"{name}: {first[name]!r} given for item {first['item']} by {first['technique']!r}; expected True or "
                "False: say what a reply without a verdict stands for, or drop its row"
            )
    told = {name: verdicts[name].astype(bool) for name in ("flag", "flagged")}
    return verdicts.assign(**told, right=(told["flag"] == told["flagged"]).astype(float))


def _check(frame: pd.DataFrame, columns: Sequence[str]) -> None:
    need_columns(frame, list(columns), "the frame of answers")
    need_keys(frame, ["technique", "run", "item"], "the frame of answers")
    twice: Any = frame[frame.duplicated(["technique", "run", "item"])]
    if not twice.empty:
        first = twice.iloc[0]
        raise InvalidInput(
            f"answers: item {first['item']} is twice in run {first['run']} of {first['technique']!r}; expected once"
        )
