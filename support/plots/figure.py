"""A figure as a whole, and its files.

Its finding stands above it as a title, a grey line below that says who, how many and
which interval, and who took part at its foot; lines have their names at their ends. Its
files say where it comes from.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np

from support.data import ROOT, output, partial, source_digest
from support.errors import InvalidInput

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = ("png", "svg", "pdf")
SHARP = 150  # dots an inch, of a PNG
PAGE = 6.5  # inches, the width of a page's text
GREY = "#595959"  # of what is said beside a drawing
APART = 12.0  # points between the names of two lines
NAMED = "named"  # the gid of a line whose name stands at its end


def finish(
    fig: Figure,
    finding: str = "",
    under: str = "",
    footer: str = "",
) -> None:
    """Name the lines at their ends, and write above the figure what it shows, and below who took part.

    Its layout is made once, and not again.
    """
    from matplotlib.transforms import offset_copy

    engine = fig.get_layout_engine()
    if engine:
        engine.execute(fig)
    else:
        fig.draw_without_rendering()  # axes take their limits
    for ax in fig.axes:
        name_ends(ax)
        legend = ax.get_legend()
        titled = ax.get_title() or ax.get_title("left")
        if legend and titled and legend.get_bbox_to_anchor().y0 >= ax.bbox.y1:
            # In letters: the title's lines lie between.
            legend.borderaxespad = 0.4 + 1.6 * (1 + titled.count("\n"))
    inches = fig.get_figwidth()
    height = 6.0
    above: Any = [
        (under, 9.5, 14.5, {"color": GREY}),
        (finding, 12.5, 8.6, {"weight": "bold"}),
    ]
    for text, size, letters, look in above:
        words = fill(minus(text), int(letters * inches))
        place = offset_copy(fig.transFigure, fig, y=height, units="points")
        fig.text(
            0,
            1,
            words,
            size=size,
            va="bottom",
            transform=place,
            **look,
        )
        height += 1.3 * size * (1 + words.count("\n")) + 3 if words else 0
    if footer:
        words = fill(footer, int(15 * inches))
        fig.text(
            0,
            -0.02,
            words,
            size=9,
            color=GREY,
            va="top",
            gid=NAMED,
        )
    if engine:
        engine.execute(fig)  # each format, and a notebook, would do it anew
    fig.set_layout_engine(None)


def minus(text: str) -> str:
    """A text whose negative numbers have the sign that they have on an axis.

    >>> minus("from -3 to 1-2 (gpt-4)")
    'from −3 to 1-2 (gpt-4)'
    """
    return re.sub(r"(?<![\w.])-(?=\.?\d)", "\N{MINUS SIGN}", text)


def name_ends(ax: Axes) -> None:
    """Write the name of each line that `lines` and `baseline` drew at its right end, `APART` points at least."""
    from matplotlib.colors import to_rgb
    from scipy.optimize import isotonic_regression

    points = 72 / ax.figure.dpi
    named = []
    last = []
    heights = []
    for line in ax.lines:
        seen = np.asarray(line.get_xydata())
        seen = seen[np.isfinite(seen).all(axis=1)]
        if line.get_gid() == NAMED and len(seen):
            named.append(line)
            last.append(seen[-1])
            heights.append(line.get_transform().transform(seen[-1])[1] * points)
    if not named:
        return
    rows = np.argsort(heights, kind="stable")
    steps = APART * np.arange(len(rows))
    apart = isotonic_regression(np.array(heights)[rows] - steps).x
    apart = np.minimum(apart, ax.bbox.y1 * points - steps[-1]) + steps
    for i, height in zip(rows, apart, strict=True):
        line = named[i]
        colour = named[i].get_color()
        lead = {
            "arrowstyle": "-",
            "color": colour,
            "lw": 0.7,
            "relpos": (0, 0.5),
            "patchA": None,
            "shrinkA": 3,
            "shrinkB": 0,
        }
        ax.annotate(
            str(line.get_label()),
            last[i],
            (1.04, height - heights[i]),
            line.get_transform(),
            ("axes fraction", "offset points"),
            color=0.7 * np.array(to_rgb(colour)),  # dark enough on white
            va="center",
            arrowprops=lead,
        )
        line.set_gid(None)


# ---- its files ---------------------------------------------------------------------------


def save(
    fig: Figure,
    study: str,
    name: str,
    about: Mapping[str, Any],
    finding: str = "",
    under: str = "",
) -> Path:
    """Finish a figure and write it into `figures/<study>/`: PNG, SVG, PDF, and a JSON that
    says where it comes from.

    `about` has to name "parameters", "participants" and "seed"; version, commit and time
    are added, and how small its smallest letters are at a page's width. Returns the path
    of the PNG.
    """
    from matplotlib import rc_context
    from matplotlib.text import Text

    from support import __version__

    if missing := {"parameters", "participants", "seed"} - {*about}:
        lacking = ", ".join(sorted(missing))
        said = f"provenance: {lacking} missing; a figure says what produced it"
        raise InvalidInput(said)
    alt = f"{finding} {under}".strip()
    finish(fig, finding, under, f"{about['participants']} {partial()}")
    name = re.sub(r"[^\w.-]+", "-", name)  # a model's name may hold an address
    target = output("figures", study)
    target.mkdir(parents=True, exist_ok=True)
    around = fig.get_tightbbox().padded(0.1)  # inches
    # No dates inside the files: the same drawing is the same bytes.
    inside: dict[str, dict[str, Any]] = {
        "png": {"Description": alt},
        "svg": {"Date": None, "Description": alt},
        "pdf": {"CreationDate": None, "Subject": alt},
    }
    look: Any = {"dpi": SHARP, "bbox_inches": around}
    with rc_context({"svg.hashsalt": name}):
        for suffix in FORMATS:
            fig.savefig(target / f"{name}.{suffix}", metadata=inside[suffix], **look)
    written: Any = fig.findobj(Text)
    sizes = [text.get_fontsize() for text in written if text.get_text().strip()]
    kept = {
        "figure": name,
        "study": study,
        "alt": alt,
        **about,
        "version": __version__,
        "commit": _commit(),
        "sources": source_digest(),
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "points": round(min(sizes) * min(1, PAGE / around.width), 1),
        "partial": partial(),
    }
    text = json.dumps(kept, indent=1, default=str)
    (target / f"{name}.json").write_text(text + "\n", encoding="utf-8")
    return target / f"{name}.png"


def _commit() -> str:
    """The commit of the checkout, marked when its files differ from it; "unknown" outside of one."""
    command = ["git", "describe", "--always", "--abbrev=40", "--dirty", "--exclude=*"]
    how: Any = {
        "cwd": ROOT,
        "capture_output": True,
        "text": True,
        "check": True,
    }
    try:
        return subprocess.run(command, **how).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
