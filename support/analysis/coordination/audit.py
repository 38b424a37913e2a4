"""The evaluator in the loop against the exact one: pairs of scores, weighted kappa, confusion.

An evaluator scores an option on what was extracted from the conversations of a round (theta), the exact one on what
the member truly wants. When the two differ, two things can be the cause, and the frame of `audit` tells them apart:

- `score` against `rule`: the evaluator misjudges what was said; `rule` scores the same theta by equation (5);
- `rule` against `exact`: what was said is not all that is true, as from round 2 on, when a member who has agreed to an
  option has said nothing else.

`score` against `exact` is the sum of both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from support.analysis.coordination.rounds import head
from support.analysis.frames import need_columns, need_keys
from support.errors import InvalidInput
from support.meetings.data import Meeting, meeting
from support.meetings.evaluators import RuleBasedEvaluator
from support.meetings.preferences import At
from support.meetings.reading import read
from support.meetings.records import Coordination, CoordinationRound, Option, Score
from support.meetings.satisfaction import HIGHEST
from support.meetings.scenario import Intent
from support.runs.study import Unit

Rule = Callable[[Meeting, Sequence[Option], Mapping[str, Intent], int], Sequence[Score]]
"""Scores options on what was extracted in a round; the last argument is the round's number."""

SCORES = tuple(range(HIGHEST + 1))
WEIGHTS = {"quadratic": 2, "linear": 1}


def audit(records: Iterable[tuple[Unit | Mapping[str, Any], Coordination]], rule: Rule | None = None) -> pd.DataFrame:
    """One row for each option, member and round that both evaluators scored.

    Parameters
    ----------
    records : as for `rounds_of`
    rule : scores the same theta by equation (5), as `on_theta` makes it; without one the column `rule` is NaN

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


def on_theta(zones: Mapping[str, str], lowest: int = 0) -> Rule:
    """The rule-based evaluator as a plain function, for `audit`.

    Parameters
    ----------
    zones : IANA time zone of each member, in which the member speaks
    lowest : 0 by equation (5), 1 as in the paper's evaluator prompt
    """
    return RuleBasedEvaluator(zones, lowest).scores


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
    level: float = 0.95,
    draws: int = 2000,
) -> pd.DataFrame:
    """Cohen's weighted kappa of two scores, with a percentile interval that draws whole meetings again.

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
        rows += [head | row for row in _kappas(group.dropna(subset=[a, b]), a, b, rng, level, draws)]
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


def _kappas(
    group: pd.DataFrame, a: str, b: str, rng: np.random.Generator, level: float, draws: int
) -> list[dict[str, Any]]:
    note = _why_not(group, a, b)
    same = {
        "agreement": float((group[a] == group[b]).mean()) if len(group) else np.nan,
        "n": len(group),
        "meetings": group["meeting"].nunique(),
        "note": note,
    }
    if note:
        return [{"weights": w, "kappa": np.nan, "low": np.nan, "high": np.nan} | same for w in WEIGHTS]
    counts = _counts(group, a, b)
    if len(counts) < 2:
        same["note"] = "one meeting: no interval"
    chosen = rng.multinomial(len(counts), np.full(len(counts), 1 / len(counts)), draws)
    again = np.tensordot(chosen, counts, axes=1)
    total = counts.sum(axis=0)
    return [
        {"weights": w, "kappa": float(weighted_kappa(total, power))}
        | _interval(again, power, level, len(counts))
        | same
        for w, power in WEIGHTS.items()
    ]


def _counts(group: pd.DataFrame, a: str, b: str) -> np.ndarray:
    """A table of counts for each meeting, shape (meetings, 4, 4); `confusion` has checked the scores."""
    confusion(group, a, b)
    places = pd.factorize(group["meeting"])[0]
    counts = np.zeros((places.max() + 1, len(SCORES), len(SCORES)), dtype=int)
    np.add.at(counts, (places, group[a].to_numpy(dtype=int), group[b].to_numpy(dtype=int)), 1)
    return counts


def _interval(again: np.ndarray, power: int, level: float, meetings: int) -> dict[str, float]:
    if meetings < 2:
        return {"low": np.nan, "high": np.nan}
    tail = (1 - level) / 2
    # A draw in which one side happens not to vary has no kappa.
    low, high = np.nanquantile(weighted_kappa(again, power), (tail, 1 - tail))
    return {"low": float(low), "high": float(high)}


def _why_not(group: pd.DataFrame, a: str, b: str) -> str:
    if len(group) < 2:
        return "fewer than two pairs"
    constant = [name for name in (a, b) if group[name].nunique() == 1]
    if constant:
        return f"{' and '.join(constant)} never {'vary' if len(constant) > 1 else 'varies'}: agreement is not defined"
    return ""
