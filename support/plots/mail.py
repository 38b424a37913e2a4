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

HELD, ASKED, HANDED_ON = "held for a person", "handed on with a question", "handed on"
HANDLING: Mapping[str, tuple[str, str]] = {
    HELD: (COLOURS[0], ""),
    "noted as automatic": (COLOURS[5], "..."),
    "noted as a bounce": ("#b5b5b5", "xxx"),
    ASKED: (COLOURS[1], "///"),
    HANDED_ON: (COLOURS[3], "\\\\\\"),
}
"""Of each thing that is done with a mail its colour and hatch."""


def plot_handling(frame: pd.DataFrame, ax: Axes, by: str) -> Axes:
    """What is done with mails that arrive, a bar for each level of `by`; those of which more is handed on are below."""
    need_columns(frame, [by, "handling"], "mails")
    if strange := sorted(set(frame["handling"]) - set(HANDLING)):
        raise InvalidInput(
            f"handling: {strange[0]!r} given; expected one of {', '.join(HANDLING)}"
        )
    counts = pd.crosstab(frame[by], frame["handling"]).reindex(
        columns=list(HANDLING), fill_value=0
    )
    many = counts.sum(axis=1)
    ranked = counts.div(many, axis=0).assign(many=many, name=counts.index)
    order = ranked.sort_values(
        [HANDED_ON, ASKED, HELD, "many", "name"],
        ascending=[True, True, False, False, True],
    ).index
    counts, widest = counts.loc[order], many.max()
    ends, box = (
        counts.cumsum(axis=1),
        {"facecolor": "white", "alpha": 0.85, "edgecolor": "none", "pad": 1},
    )
    for name in counts.columns[counts.any()]:
        colour, hatch = HANDLING[name]
        left = ends[name] - counts[name]
        parts = ax.barh(
            order,
            counts[name],
            left=left,
            color=colour,
            hatch=hatch,
            edgecolor="white",
            label=name,
        )
        told = [
            str(n) if n > 0.02 * widest else "" for n in counts[name]
        ]  # a narrower part would be covered
        ax.bar_label(parts, told, label_type="center", fontsize=8, bbox=box)
    ax.set(xlabel="mails", xlim=(0, widest * 1.02))
    ax.invert_yaxis()
    ax.legend(
        fontsize=8, frameon=False, loc="lower left", bbox_to_anchor=(0, 1), ncols=3
    )
    return ax
