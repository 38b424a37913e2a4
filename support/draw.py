"""The drawings that most figures are made of (lines, dots, tiles), in one look.

Colours, line styles and marks tell things apart in grey as well; what stands around a
drawing is `support.plots.figure`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from math import ceil
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np

from support.analysis.frames import need_columns
from support.plots.figure import NAMED, minus
from support.plots.figure import finish as finish

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

# Okabe and Ito's palette, safe for colour-blind readers.
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
WIDTH = 7.0  # inches, of a figure
HOUSE: Any = {
    "figure.dpi": 96,
    "font.size": 9.5,
    "axes.titlesize": 9.5,
    "axes.titlelocation": "left",
    "axes.labelsize": 9.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#777777",
    "legend.frameon": False,
    "legend.fontsize": 9,
    "xtick.color": "#777777",
    "xtick.labelcolor": "black",
    "ytick.color": "#777777",
    "ytick.labelcolor": "black",
    "hatch.linewidth": 0.6,
}
"""Settings of matplotlib: no frame at the top and the right, nothing too small to read."""


def style(i: int) -> dict[str, Any]:
    """Colour, line and mark of the i-th line: told apart in grey as well."""
    return {
        "color": COLOURS[i % 8],
        "linestyle": LINES[i % 8],
        "marker": MARKS[i % 8],
        "markersize": 5,
    }


def levels_of(
    table: pd.DataFrame,
    column: str | None,
    order: Sequence[Any] | None = None,
) -> list[Any]:
    """What a column tells apart, in the given order or that of appearance; one None without a column."""
    if column is None:
        return [None]
    return list(table[column].unique() if order is None else order)


def check(table: pd.DataFrame, *columns: str | None) -> None:
    """InvalidInput where a table lacks a column; one that is empty is drawn empty."""
    if not {*columns} <= {*table, None}:
        need_columns(table, [name for name in columns if name])


def facets(
    ax: Axes,
    table: pd.DataFrame,
    col: str | None,
) -> Iterator[tuple[Axes, pd.DataFrame]]:
    """A panel for each level of a column, two beside each other, and its rows.

    They take the place of `ax`, which is the panel itself where there is one level.
    """
    levels = levels_of(table, col)
    if len(levels) == 1:
        yield ax, table
        return
    rows = ceil(len(levels) / 2)
    fig: Any = ax.figure
    spec: Any = ax.get_subplotspec()
    height = fig.get_figheight() * (1 + 0.6 * (rows - 1))
    fig.set_figheight(height)
    panels = spec.subgridspec(rows, 2).subplots(
        sharex=True,
        sharey=True,
        squeeze=False,
    )
    ax.remove()
    for panel in panels.flat[len(levels) :]:
        panel.remove()
    for i, level in enumerate(levels):
        panel = panels.flat[i]
        panel.set_title(fill(str(level), 42), loc="left")
        yield panel, table[table[col] == level]
        if i % 2:
            panel.set_ylabel("")
        if i + 2 < len(levels):
            panel.set_xlabel("")
        panel.tick_params(labelbottom=i + 2 >= len(levels))


def lines(
    ax: Axes,
    table: pd.DataFrame,
    x: str,
    value: str = "mean",
    hue: str = "row",
    order: Sequence[Any] | None = None,
    places: Mapping[Any, int] | None = None,
    col: str | None = None,
    base: tuple[str, float] | None = None,
) -> None:
    """A line for each level of `hue`, its name at its end, with intervals (low, high) as bands.

    `places` gives a level the look of another place than its own; `col` makes panels;
    `base` is the name and the value of a baseline.
    """
    from matplotlib.ticker import MaxNLocator

    check(table, x, value, hue, col)
    names = levels_of(table, hue, order)
    for panel, rows in facets(ax, table, col):
        for i, name in enumerate(names):
            part = rows[rows[hue] == name].sort_values(x)
            if part.empty:
                continue
            look = style((places or {}).get(name, i))
            panel.plot(
                part[x],
                part[value],
                label=name,
                gid=NAMED,
                **look,
            )
            if "low" in part:
                shade = {
                    "color": look["color"],
                    "alpha": 0.15,
                    "linewidth": 0,
                }
                panel.fill_between(part[x], part["low"], part["high"], **shade)
        if base:
            baseline(panel, *base)
        panel.set(xlabel=x.replace("_", " "), ylabel=value.replace("_", " "))
        ticks = panel.xaxis.get_major_locator()
        if table[x].dtype.kind == "i" and isinstance(ticks, MaxNLocator):
            ticks.set_params(integer=True)  # rounds are whole


def dots(
    ax: Axes,
    table: pd.DataFrame,
    y: str,
    value: str = "mean",
    hue: str | None = None,
    order: Sequence[Any] | None = None,
    hollow: pd.Series | None = None,
    notes: Mapping[Hashable, str] | None = None,
    col: str | None = None,
    base: tuple[str, float] | None = None,
) -> None:
    """A row for each level of `y`, a mark with its interval (low, high) for each level of `hue`.

    Marks are hollow where `hollow` (a boolean series on the rows of `table`) says so;
    `notes` stand right of a row; `col` and `base` are those of `lines`.
    """
    check(table, y, value, hue, col)
    rows = levels_of(table, y, order)
    names = levels_of(table, hue)
    filled = ~hollow if hollow is not None else table[y].notna()
    table = table.assign(_filled=filled)[table[y].isin(rows)]
    for panel, every in facets(ax, table, col):
        for i, name in enumerate(names):
            part = every if hue is None else every[every[hue] == name]
            colour = COLOURS[i % 8]
            mark = MARKS[i % 8]
            at = part[y].map(rows.index).astype(float) + 0.7 * (
                (i + 0.5) / len(names) - 0.5
            )
            if "low" in part:
                ends = [part[value] - part["low"], part["high"] - part[value]]
                reach = np.nan_to_num(ends).clip(0)
                panel.errorbar(
                    part[value],
                    at,
                    xerr=reach,
                    fmt="none",
                    ecolor=colour,
                )
            faces = [colour if full else "white" for full in part["_filled"]]
            look: Any = {
                "edgecolors": colour,
                "marker": mark,
                "s": 30,
                "zorder": 3,
            }
            panel.scatter(
                part[value],
                at,
                c=faces,
                label=name,
                **look,
            )
        for name, note in (notes or {}).items():
            if name in rows:
                where = (1.01, rows.index(name))
                coords: Any = ("axes fraction", "data")
                panel.annotate(
                    minus(note),
                    where,
                    xycoords=coords,
                    va="center",
                    size=9,
                )
        if base:
            baseline(panel, *base, upright=True)
        words = [fill(str(row).replace("_", " "), 30) for row in rows]
        panel.set_yticks(range(len(rows)), words)
        panel.set(ylim=(len(rows) - 0.5, -0.5), xlabel=value.replace("_", " "))
        if len(names) > 1:
            key(panel)
        elif base:
            at, top = (base[1], 1), ("data", "axes fraction")
            panel.annotate(base[0], at, (3, 0), top, "offset points", va="top", size=9)


def key(ax: Axes) -> None:
    """The names of marks or bars in a row above a panel and its title, where they have no ends."""
    shown = ax.get_legend_handles_labels()[1]
    longest = max(map(len, shown))  # a model's name may be
    columns = 4 if len("".join(shown)) < 75 else 1 + (longest < 32)
    ax.legend(
        loc="lower left",
        bbox_to_anchor=(0, 1),
        ncols=columns,
        handletextpad=0.3,
        columnspacing=1.2,
        borderpad=0,
        borderaxespad=0.4,
    )


def tiles(
    ax: Axes,
    table: pd.DataFrame,
    text: pd.DataFrame | bool = True,
    fmt: str = ".2f",
    frames: Sequence[tuple[int, int]] = (),
    **look: Any,
) -> None:
    """A table as coloured cells with their numbers (or `text`); `frames` are (row, column) with a frame around them."""
    from matplotlib.patches import Rectangle
    from seaborn import heatmap

    ax.set_facecolor("#DDDDDD")
    shown: dict[str, Any] = {
        "cmap": "Blues",
        "cbar": False,
        "linewidths": 0.5,
    }
    shown |= {"annot_kws": {"fontsize": 9}, **look}
    heatmap(
        table,
        ax=ax,
        annot=text,
        fmt=fmt if text is True else "",
        **shown,
    )
    for number in ax.texts:
        number.set_text(number.get_text().replace("-", "−"))
    frame: Any = {
        "fill": False,
        "edgecolor": COLOURS[4],
        "linewidth": 2,
    }
    for row, column in frames:
        ax.add_patch(Rectangle((column, row), 1, 1, clip_on=False, **frame))
    ax.tick_params(axis="y", rotation=0)


def baseline(
    ax: Axes,
    name: str,
    value: float,
    upright: bool = False,
) -> None:
    """What a value is to be compared with: a dotted line, its name at the end or, upright, in the key."""
    look: Any = {
        "color": "black",
        "linewidth": 1,
        "linestyle": (0, (1, 2)),
        "zorder": 1,
    }
    if upright:
        ax.axvline(value, label=name, **look)
    else:
        ax.axhline(value, label=name, gid=NAMED, **look)
