"""What "DoubleAgents" (002) states without numbers or beside them, as checks of our results.

The checks read the table that `support.analysis.organizing.results` makes of selections and verdicts: its rows are the
contexts "speaker", "slot", "both" and "summary" (column "F1") and the prompts "zero", "few" and "few with policies"
(column "accuracy"). Errors are those of other states and cases, not of other runs on the same ones. A row of these
names is a language model's: give a literal selector, a classifier or another model in the same table another name.

Statements on people are not testable here: simulated respondents are none, and the answers of visitors are few and
theirs. Of the deployments one statement can be checked on rehearsals, with the row of `weekend_mails`.
"""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from support.analysis.claims import NO, UNTESTED, YES, Check, above
from support.analysis.frames import need_columns

WEEKEND_MAILS = "mails on weekends"


def untested(_: pd.DataFrame) -> str:
    """A statement on which our data cannot say anything."""
    return UNTESTED


def _no_better(ours: pd.DataFrame) -> str:
    """No interval says that both together beat the better one alone; few items make that easy to say."""
    answers = [above(["both"], [alone], "F1")(ours) for alone in ("speaker", "slot")]
    if UNTESTED in answers:
        return UNTESTED
    return NO if set(answers) == {YES} else YES


def _no_mail(ours: pd.DataFrame) -> str:
    """Not one mail on a weekend, in any rehearsal."""
    rows = ours[ours["column"] == WEEKEND_MAILS]
    return UNTESTED if rows.empty else YES if (rows["value"] == 0).all() else NO


ORGANIZING: Mapping[str, Check] = {
    # 4.1 and Table 1: policy selection
    "summary > every other context: F1": above(["summary"], ["speaker", "slot", "both"], "F1"),
    "both no better than speaker and slot alone: F1": _no_better,
    "summary > speaker: F1": above(["summary"], ["speaker"], "F1"),
    "summary > slot: F1": above(["summary"], ["slot"], "F1"),
    "summary > both: F1": above(["summary"], ["both"], "F1"),
    # 4.2 and Table 2: edge cases
    "few with policies > every other prompt: accuracy": above(["few with policies"], ["zero", "few"], "accuracy"),
    "few with policies > zero: accuracy": above(["few with policies"], ["zero"], "accuracy"),
    "few with policies > few: accuracy": above(["few with policies"], ["few"], "accuracy"),
    "few > zero: accuracy": above(["few"], ["zero"], "accuracy"),
    # 5.3: people in two sessions
    "overall: high, slightly higher in session 2": untested,
    "effective, robust: high in both sessions": untested,
    "mental and physical demand: low, lower in session 2": untested,
    "performance: high, frustration: low": untested,
    "effort: lower in session 2, nearly significant": untested,
    "reliance: higher in session 2": untested,
    "reliance: with control and explanations": untested,
    "reliance: with alignment": untested,
    "reliance: against mental demand": untested,
    "reliance: no correlation with other items": untested,
    "planning: more comfort in session 2": untested,
    "draft only: more comfort in session 2": untested,
    "draft and send: more comfort in session 2": untested,
    "draft and send: clarification little changed": untested,
    "simulations: more confidence in robustness": untested,
    "simulations: realistic, surface problems": untested,
    "alignment: higher expectations": untested,
    "control: stays high": untested,
    "explanations: higher need": untested,
    "trust to act for me: higher": untested,
    "reliability: unchanged": untested,
    # 6.3: deployments
    "more complex task: more effort of simulation and onboarding": untested,
    "D3: longer waits before follow-ups": untested,
    "D3: weekends without mails": _no_mail,
    "rehearsal still needed in a second deployment": untested,
}
"""A check for every statement of `data/inputs/published/002_0d724da09908f95e.csv`."""


def weekend_mails(days: pd.DataFrame) -> pd.DataFrame:
    """The mails that rehearsals sent on Saturdays and Sundays, as a row that `ORGANIZING` reads.

    Parameters
    ----------
    days : as `support.analysis.organizing.days_of` gives it
    """
    need_columns(days, ["date", "mails"], "the days")
    rest = pd.to_datetime(days["date"]).dt.day_of_week > 4
    sent = days.loc[rest, "mails"]
    row = {"row": "rehearsals", "column": WEEKEND_MAILS, "value": float(sent.sum()), "se": 0.0, "n": int(rest.sum())}
    return pd.DataFrame([row] if len(sent) else [], columns=["row", "column", "value", "se", "n"])
