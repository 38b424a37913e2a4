"""One search for a fair plan while it runs: the totals of one plan as bars, and all of them round by round."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from support.plots.planning import plot_totals, plot_trajectory

if TYPE_CHECKING:
    from matplotlib.figure import Figure

GREY = "#555555"


def draw_planning(table: pd.DataFrame, rounds: int, *, title: str = "", optimum: float | None = None) -> Figure:
    """The live figure of one search.

    Parameters
    ----------
    table : DataFrame
        As `support.analysis.fairness.trajectory` gives it, with what the viewer may know as `total`: what the group
        knows while it searches, the truth after it. Rows without a total are left out. With `chosen`, that plan is the
        one whose totals are bars, else the newest one.
    rounds : int
        How many rounds the search has, played or not.
    title : whose knowledge that is: "as reported", "the truth"
    optimum : the smallest divergence that there is, where the viewer may know it
    """
    from matplotlib.figure import Figure

    fig = Figure(figsize=(11, 3.4), layout="constrained")
    known = table[table["total"].notna()] if len(table) else table
    if known.empty:
        note = "no plan yet" if table.empty else "the group knows no totals yet"
        fig.text(0.5, 0.5, note, ha="center", va="center", color=GREY)
        return fig
    left, right = fig.subplots(1, 2, width_ratios=(4, 5))
    name, totals, before = _shown(known)
    top = 1.3 * max(float(known["total"].max()), 1.0)
    plot_totals(totals, left, highest=top, before=before, optimum=optimum)
    left.set_xlim(right=1.35 * len(totals))  # room for what stands beside the arrow
    left.tick_params(axis="x", rotation=25 if len(totals) > 4 else 0)
    left.set_title(f"{name}, {title}", fontsize=10)
    plot_trajectory(known, right, optimum=optimum)
    right.set(xlim=(0.6, rounds + 0.6), xticks=range(1, rounds + 1))
    right.set_title(f"all plans, {title}", fontsize=10)
    return fig


def _shown(known: pd.DataFrame) -> tuple[str, dict[str, float], dict[str, float] | None]:
    """The plan of the bars: its name, its totals, and those of the plan before, of which something is known."""
    plans = [part for _, part in known.groupby(["round", "position"], sort=True)]
    marked = [i for i, part in enumerate(plans) if part["chosen"].iloc[0]] if "chosen" in known else []
    at = marked[0] if marked else len(plans) - 1
    one = plans[at].iloc[0]
    two = (known["position"] > 0).any()
    name = f"plan {one['round']}{'AB'[one['position']] if two else ''}"
    before = _totals(plans[at - 1]) if at and not marked else None
    return f"{'the chosen ' if marked else ''}{name}", _totals(plans[at]), before


def _totals(part: pd.DataFrame) -> dict[str, float]:
    return dict(zip(part["participant"], part["total"].astype(float), strict=True))
