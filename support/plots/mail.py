"""Mail: what is done with mails that arrive."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import pandas as pd

from support.analysis.frames import need_columns
from support.draw import COLOURS
from support.errors import InvalidInput

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HELD, AUTOMATIC, BOUNCE, ASKED, HANDED_ON = (
    "held for a person", "noted as automatic", "noted as a bounce", "handed on with a question", "handed on",
)  # fmt: skip
HANDLING: Mapping[str, tuple[str, str]] = {
    HELD: (COLOURS[0], ""),
    AUTOMATIC: (COLOURS[5], "..."),
    BOUNCE: ("#b5b5b5", "xxx"),
    ASKED: (COLOURS[1], "///"),
    HANDED_ON: (COLOURS[3], "\\\\\\"),
}
"""Of each thing that is done with a mail its colour and hatch."""


def plot_handling(frame: pd.DataFrame, ax: Axes, by: str = "kind") -> Axes:
    """What is done with mails that arrive, a bar for each kind; those of which more is handed on stand below."""
    need_columns(frame, [by, "handling"], "mails")
    shares = pd.crosstab(frame[by], frame["handling"], normalize="index").reindex(columns=list(HANDLING), fill_value=0)
    ranked = shares.assign(many=frame[by].value_counts(), name=shares.index).sort_values(
        [HANDED_ON, ASKED, HELD, "many", "name"], ascending=[True, True, False, False, True]
    )
    if strange := sorted(set(frame["handling"]) - set(HANDLING)):
        raise InvalidInput(f"handling: {strange[0]!r} given; expected one of {', '.join(HANDLING)}")
    order = list(ranked.index)
    counts = pd.crosstab(frame[by], frame["handling"]).reindex(index=order, columns=list(HANDLING), fill_value=0)
    ends, widest = counts.cumsum(axis=1), counts.sum(axis=1).max()
    box = {"facecolor": "white", "alpha": 0.85, "edgecolor": "none", "pad": 1}
    for name in counts.columns[counts.any()]:
        colour, hatch = HANDLING[name]
        left = ends[name] - counts[name]
        parts = ax.barh(order, counts[name], left=left, color=colour, hatch=hatch, edgecolor="white", label=name)
        told = [str(n) if n > 0.02 * widest else "" for n in counts[name]]  # a narrower part would be covered
        ax.bar_label(parts, told, label_type="center", fontsize=8, bbox=box)
    ax.set(xlabel="mails", xlim=(0, widest * 1.02))
    ax.invert_yaxis()
    ax.legend(fontsize=8, frameon=False, loc="lower left", bbox_to_anchor=(0, 1), ncols=3)
    return ax
