"""Mail: what is done with mails that arrive."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd

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
    """What is done with mails that arrive, a bar for each level of `by`; those of which
    more is handed on are below."""
    strange = sorted({*frame["handling"]} - {*HANDLING})
    if strange:
        known = ", ".join(HANDLING)
        raise InvalidInput(f"handling: {strange[0]!r} given; expected one of {known}")
    counts = pd.crosstab(frame[by], frame["handling"])
    counts = counts[[name for name in HANDLING if name in counts]]
    shares = counts.div(counts.sum(axis=1), axis=0)
    counts = counts.loc[shares.sort_values([*counts][::-1]).index]
    looks = [HANDLING[str(name)] for name in counts]
    colours: Any = [colour for colour, _ in looks]
    counts.plot.barh(stacked=True, ax=ax, color=colours, edgecolor="white")
    for (_, hatch), bars in zip(looks, ax.containers, strict=True):
        for bar in bars:
            bar.set_hatch(hatch)
    ax.set(xlabel="mails", ylabel="")
    ax.invert_yaxis()
    ax.legend(frameon=False, loc="lower left", bbox_to_anchor=(0, 1), ncols=3)
    return ax
