"""Three drawings that most figures are made of (lines, dots, tiles), their look, and saving with provenance."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Hashable, Mapping, Sequence
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np

from support.data import ROOT, output, partial, source_digest
from support.errors import InvalidInput

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito's palette, safe for colour-blind readers; line styles, marks and hatches tell things apart in grey.
COLOURS = (
    "#0072B2",
    "#E69F00",
    "#009E73",
    "#CC79A7",
    "#D55E00",
    "#56B4E9",
    "#000000",
    "#999999",
)
LINES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 1)), "-", "--")
MARKS = ("o", "s", "^", "D", "v", "P", "X", "*")
HATCHES = ("", "///", "...", "xxx", "\\\\\\", "++", "oo", "--")
FORMATS = ("png", "svg", "pdf")
BESIDE: Mapping[str, Any] = {
    "loc": "center left",
    "bbox_to_anchor": (1.02, 0.5),
    "fontsize": 8,
    "frameon": False,
}


def style(i: int) -> dict[str, Any]:
    """Colour, line and mark of the i-th line: told apart in grey as well."""
    return {
        "color": COLOURS[i % 8],
        "linestyle": LINES[i % 8],
        "marker": MARKS[i % 8],
        "markersize": 5,
    }


def margins(part: pd.DataFrame, value: str) -> np.ndarray:
    """The intervals of a frame (low, high) as error bars of shape (2, rows), 0 where there is none."""
    return np.nan_to_num(
        np.vstack([part[value] - part["low"], part["high"] - part[value]])
    ).clip(0)


def levels_of(
    table: pd.DataFrame, column: str | None, order: Sequence[Any] | None = None
) -> list[Any]:
    """What a column tells apart, in the given order or that of appearance; one None without a column."""
    if column is None:
        return [None]
    return list(order) if order is not None else list(dict.fromkeys(table[column]))


def lines(
    ax: Axes,
    table: pd.DataFrame,
    x: str,
    value: str = "mean",
    hue: str = "row",
    order: Sequence[Any] | None = None,
    band: bool = False,
    places: Mapping[Any, int] | None = None,
) -> Axes:
    """A line with intervals (low, high) for each level of `hue`.

    `band` shades the interval instead of drawing bars; `places` gives a level the look of another place than its own.
    """
    names = levels_of(table, hue, order)
    step = np.diff(sorted(table[x].unique())).min(initial=1)
    for i, name in enumerate(names):
        part, look = (
            table[table[hue] == name].sort_values(x),
            style((places or {}).get(name, i)),
        )
        if band or "low" not in part:
            ax.plot(part[x], part[value], label=name, **look)
            if "low" in part:
                ax.fill_between(
                    part[x],
                    part["low"],
                    part["high"],
                    color=look["color"],
                    alpha=0.15,
                    linewidth=0,
                )
        else:
            at = part[x] + 0.05 * step * (i - (len(names) - 1) / 2)
            ax.errorbar(
                at, part[value], margins(part, value), label=name, capsize=3, **look
            )
    ax.set(xlabel=x.replace("_", " "), ylabel=value.replace("_", " "))
    ax.legend(title=hue, **BESIDE)
    return ax


def dots(
    ax: Axes,
    table: pd.DataFrame,
    y: str,
    value: str = "mean",
    hue: str | None = None,
    order: Sequence[Any] | None = None,
    hollow: pd.Series | None = None,
    notes: Mapping[Hashable, str] | None = None,
) -> Axes:
    """A row for each level of `y`, a mark with its interval (low, high) for each level of `hue`.

    Marks are hollow where `hollow` (a boolean series on the rows of `table`) says so; `notes` stand right of a row.
    """
    rows, names = levels_of(table, y, order), levels_of(table, hue)
    for i, name in enumerate(names):
        here = table[y].isin(rows) & (True if hue is None else table[hue] == name)
        part, empty = (
            table[here],
            [False] * int(here.sum()) if hollow is None else hollow[here],
        )
        at, colour = (
            part[y].map(rows.index).astype(float)
            + 0.7 * ((i + 0.5) / len(names) - 0.5),
            COLOURS[i % 8],
        )
        if "low" in part:
            ax.errorbar(
                part[value],
                at,
                xerr=margins(part, value),
                fmt="none",
                ecolor=colour,
                capsize=3,
            )
        faces = ["white" if k else colour for k in empty]
        ax.scatter(
            part[value],
            at,
            c=faces,
            edgecolors=colour,
            marker=MARKS[i % 8],
            s=28,
            label=name,
            zorder=2,
        )
    for name, note in (notes or {}).items():
        if name in rows:
            ax.annotate(
                note,
                (1.01, rows.index(name)),
                xycoords=("axes fraction", "data"),
                fontsize=8,
                va="center",
            )
    ax.set_yticks(
        range(len(rows)), [fill(str(row).replace("_", " "), 30) for row in rows]
    )
    ax.set_ylim(len(rows) - 0.5, -0.5)
    ax.set_xlabel(value.replace("_", " "))
    if hue is not None:
        ax.legend(title=hue, **BESIDE)
    return ax


def tiles(
    ax: Axes,
    table: pd.DataFrame,
    text: pd.DataFrame | bool = True,
    fmt: str = ".2f",
    frames: Sequence[tuple[int, int]] = (),
    **look: Any,
) -> Axes:
    """A table as coloured cells with their numbers (or `text`); `frames` are (row, column) with a frame around them."""
    from matplotlib.patches import Rectangle
    from seaborn import heatmap

    ax.set_facecolor("#DDDDDD")
    shown: dict[str, Any] = {
        "cmap": "Blues",
        "cbar": False,
        "linewidths": 0.5,
        "annot_kws": {"fontsize": 8},
    } | look
    heatmap(table, ax=ax, annot=text, fmt=fmt if text is True else "", **shown)
    for row, column in frames:
        ax.add_patch(
            Rectangle(
                (column, row),
                1,
                1,
                fill=False,
                edgecolor=COLOURS[4],
                linewidth=2,
                clip_on=False,
            )
        )
    ax.tick_params(axis="y", rotation=0)
    return ax


def save(
    fig: Figure, study: str, name: str, provenance: Mapping[str, Any], alt: str = ""
) -> Path:
    """Write a figure as PNG, SVG and PDF into `figures/<study>/`, with a JSON that says where it comes from.

    `provenance` has to name "parameters", "participants", which stand below the picture as well, and "seed"; version,
    commit and time are added. `alt` says in a sentence what the picture shows, for who does not see it (by default its
    titles and axes). Returns the path of the PNG.
    """
    from matplotlib import rc_context

    from support import __version__

    if missing := [
        key for key in ("parameters", "participants", "seed") if key not in provenance
    ]:
        raise InvalidInput(
            f"provenance: {', '.join(missing)} missing; a figure says what produced it"
        )
    target = output("figures", study)
    target.mkdir(parents=True, exist_ok=True)
    if not any(text.get_gid() == "participants" for text in fig.texts):
        who = str(provenance["participants"])
        told = f"{who if ':' in who else f'participants: {who}'} {partial()}".strip()
        below = fill(told, int(22 * fig.get_figwidth()))  # letters in an inch
        fig.text(
            0, -0.01, below, fontsize=6, color="#595959", va="top", gid="participants"
        )
    fig.alt = alt  # type: ignore[attr-defined]
    describe_in_notebooks()
    said = described(fig)
    if engine := fig.get_layout_engine():
        engine.execute(
            fig
        )  # once: each format, and the notebook, would do it anew, and draw the figure twice
    fig.set_layout_engine(None)
    around = fig.get_tightbbox().padded(0.1)  # inches
    # No dates inside the files: the same drawing is the same bytes.
    formats: dict[str, dict[str, Any]] = {
        "png": {"Description": said}, "svg": {"Date": None, "Description": said},
        "pdf": {"CreationDate": None, "Subject": said},
    }  # fmt: skip
    with rc_context({"svg.hashsalt": name}):
        for suffix in FORMATS:
            fig.savefig(
                target / f"{name}.{suffix}",
                dpi=150,
                bbox_inches=around,
                metadata=formats[suffix],
            )
    made = {"version": __version__, "commit": _commit(), "sources": source_digest()}
    made["time"] = datetime.now(UTC).isoformat(timespec="seconds")
    about = {"figure": name, "study": study, "alt": said, **provenance, **made}
    text = json.dumps(
        about | ({"partial": partial()} if partial() else {}), indent=1, default=str
    )
    (target / f"{name}.json").write_text(text + "\n", encoding="utf-8")
    return target / f"{name}.png"


def described(fig: Figure) -> str:
    """What a figure shows, for who does not see it: as `save` was told, or else its titles and axes."""
    parts = [fig.get_suptitle()]
    for ax in fig.axes:
        axes = " against ".join(
            name for name in (ax.get_ylabel(), ax.get_xlabel()) if name
        )
        parts.append(": ".join(part for part in (ax.get_title(), axes) if part))
    return getattr(fig, "alt", "") or " ".join(
        "; ".join(dict.fromkeys(part for part in parts if part)).split()
    )


def describe_in_notebooks() -> None:
    """Let each picture that a notebook shows carry what it shows as its alternative text, which nbconvert reads."""
    from IPython.core.getipython import get_ipython
    from matplotlib.figure import Figure

    shown_by = getattr(get_ipython(), "display_formatter", None)
    formatter = shown_by.formatters["image/png"] if shown_by else None
    drawn = formatter.type_printers.get(Figure) if formatter else None
    if formatter and drawn and not hasattr(drawn, "describes"):

        def shown(fig: Figure) -> Any:
            made = drawn(fig)
            data, about = made if isinstance(made, tuple) else (made, {})
            return (data, {**about, "alt": described(fig)}) if data else made

        shown.describes = True  # type: ignore[attr-defined]
        formatter.for_type(Figure, shown)


def png(fig: Figure) -> bytes:
    """A figure as the bytes of a PNG, for a widget; laid out and drawn once, where `savefig` draws it twice."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    fig.dpi, buffer = 96, BytesIO()
    FigureCanvasAgg(fig).print_png(buffer)
    return buffer.getvalue()


def _commit() -> str:
    """The commit of the checkout, marked when its files differ from it; "unknown" outside of one."""
    command = ["git", "describe", "--always", "--abbrev=40", "--dirty", "--exclude=*"]
    try:
        return subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
