"""What a figure has to say of the annotator behind it."""

from __future__ import annotations

import pandas as pd

from support.analysis.dialogue_acts.agreement import MEAN
from support.analysis.frames import need_columns
from support.errors import InvalidInput

GRADES = ((0.2, "near chance"), (0.4, "weak"), (0.6, "moderate"))
"""Upper ends of mean kappa and the words for them; from 0.6 on (Landis and Koch 1977: substantial) none is needed."""


def warning(agreement: pd.DataFrame, name: str, against: str) -> str:
    """The line that every figure has to show which rests on an annotator that is not good; "" for a good one.

    Parameters
    ----------
    agreement : DataFrame
        From `support.analysis.dialogue_acts.agreement.evaluate`.
    name, against : str
        The annotator, and whose labels it was measured by ("people's labels of unseen AMI meetings").

    Raises
    ------
    InvalidInput
        When the frame holds no mean kappa: an annotator that was not measured has no figure.
    """
    need_columns(agreement, ["act", "measure", "value", "low", "high", "covered"], "agreement")
    row = agreement[(agreement["act"] == MEAN) & (agreement["measure"] == "kappa")]
    if len(row) != 1:
        raise InvalidInput(
            f"agreement: {len(row)} rows of {MEAN!r}, 'kappa' given; expected one annotator's evaluation"
        )
    value, low, high = (float(row[column].iloc[0]) for column in ("value", "low", "high"))
    grade = next((word for end, word in GRADES if not value >= end), "")
    blind = sorted(set(agreement.loc[agreement["covered"].eq(False), "act"]))
    parts = [f"{name}: mean kappa {value:.2f} ({low:.2f} to {high:.2f}) against {against}: {grade}"] if grade else []
    parts += [f"{name} cannot see: {', '.join(blind)}"] if blind else []
    return "; ".join(parts)


def summary(agreement: pd.DataFrame, measure: str = "kappa", decimals: int = 2) -> pd.DataFrame:
    """One row for each act: the measure of each annotator as "0.43 (0.40 to 0.46)"; needs a column annotator."""
    need_columns(agreement, ["annotator", "act", "measure", "value", "low", "high"], "agreement")
    part = agreement[agreement["measure"] == measure]
    cells = [
        "–" if pd.isna(v) else f"{v:.{decimals}f} ({lo:.{decimals}f} to {hi:.{decimals}f})"
        for v, lo, hi in zip(part["value"], part["low"], part["high"], strict=True)
    ]
    table = part.assign(cell=cells).pivot(index="act", columns="annotator", values="cell")
    return table.reindex(index=part["act"].unique(), columns=part["annotator"].unique()).rename_axis(columns=None)
