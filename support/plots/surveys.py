"""Figures of surveys: distributions, means, which n fits a printed mean, and power."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from textwrap import fill
from typing import TYPE_CHECKING

import numpy as np

from support.analysis.frames import need_columns
from support.draw import COLOURS, LINES, MARKS
from support.errors import InvalidInput

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

ENDS = ("#B35806", "#E8E8E8", "#2166AC")
"""Brown, grey and blue: told apart by colour-blind readers. The low side is hatched as well, for grey paper."""
WORDS = {1: "1, worst", 5: "5, best"}
"""Names of the answers in a legend (appendix D)."""
WIDTH = 30  # letters of a label before it breaks


def plot_diverging(
    frame: pd.DataFrame, ax: Axes, *, words: Mapping[int, str] = WORDS, order: Sequence[str] = ()
) -> Axes:
    """Stacked bars around the middle answer: one bar an item (and group), low answers left, high ones right.

    Parameters
    ----------
    frame : DataFrame
        As `answers.distribution` gives it, of one source: item, group, answer, share, n, source.
    ax : Axes
        Takes the shares in percent of those who answered; the middle answer, where there is one, straddles zero.
    words : mapping, optional
        Names of answers for the legend.
    order : sequence, optional
        The items to draw, from the top.

    Raises
    ------
    InvalidInput
        Several sources, an answer that is there twice, or no item of `order`.
    """
    need_columns(frame, ["item", "group", "answer", "share", "n", "source"], "the distribution")
    _check_one_source(frame)
    wide, labels = _shares(frame, order)
    places = np.arange(len(wide))[::-1]
    left = -_left_of_middle(wide.to_numpy())
    for i, answer in enumerate(map(int, wide.columns)):
        width, low = wide[answer].to_numpy(), i < (wide.shape[1] - 1) / 2
        ax.barh(places, width, left=left, color=_shade(i, wide.shape[1]), edgecolor="white", linewidth=0.8, height=0.75,
                hatch="///" if low else None, label=words.get(answer, str(answer)))  # fmt: skip
        _write(ax, places, left + width / 2, width, _shade(i, wide.shape[1]))
        left = left + width
    ax.axvline(0, color="#444444", linewidth=0.8, zorder=0)
    ax.set_yticks(places, labels)
    ax.set_xlabel("share of answers (%), around the middle of the scale")
    _symmetric(ax)
    ax.legend(ncols=wide.shape[1], fontsize=8, frameon=False, loc="lower center", bbox_to_anchor=(0.5, 1.0),
              title=f"answers: {frame['source'].iloc[0]}", title_fontsize=9)  # fmt: skip
    return ax


def plot_means(
    frame: pd.DataFrame,
    ax: Axes,
    published: pd.DataFrame | None = None,
    *,
    scale: tuple[int, int] = (1, 5),
    order: Sequence[str] = (),
) -> Axes:
    """Means with their intervals, a row an item, a mark a group; published ones beside ours, hollow.

    Parameters
    ----------
    frame : DataFrame
        As `answers.means` gives it: source, item, group, mean, low, high. Several sources are drawn as marks of their
        own, and named.
    published : DataFrame, optional
        As `printed.printed_means` gives it: item, group, mean, half.
    scale : the ends of the horizontal axis.
    order : sequence, optional
        The items to draw, from the top.
    """
    need_columns(frame, ["source", "item", "group", "mean", "low", "high"], "the means")
    series = [
        (str(source), str(group), part) for (source, group), part in frame.groupby(["source", "group"], sort=False)
    ]
    if published is not None:
        need_columns(published, ["item", "group", "mean", "half"], "the published means")
        ours = published.assign(low=published["mean"] - published["half"], high=published["mean"] + published["half"])
        series += [("published", str(group), part) for group, part in ours.groupby("group", sort=False)]
    items = _items(frame, order)
    groups = list(dict.fromkeys(group for _, group, _ in series))
    series.sort(key=lambda entry: groups.index(entry[1]))  # a published mark stands beside ours of the same group
    for i, (source, group, part) in enumerate(series):
        shift = (0.5 - (i + 0.5) / len(series)) * 0.8
        _marks(ax, part, items, shift, groups.index(group), source)
    ax.set_yticks(range(len(items)), [fill(str(item).replace("_", " "), WIDTH) for item in items])
    ax.invert_yaxis()
    ax.set(xlabel=f"mean answer (points, {scale[0]} to {scale[1]}), with interval", xlim=scale)
    for edge in np.arange(len(items) - 1) + 0.5:
        ax.axhline(edge, color="#DDDDDD", linewidth=0.8)
    ax.legend(fontsize=8, frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return ax


def plot_grim(frame: pd.DataFrame, ax: Axes, *, stated: Mapping[str, int] | None = None) -> Axes:
    """Which printed mean can come from how many answers: a row a mean, a column an n, a filled cell where it can.

    Parameters
    ----------
    frame : DataFrame
        As `printed.grim_table` gives it: item, group, mean, n, fits.
    stated : mapping, optional
        From a group to the n that the paper states: its column is framed.
    """
    from matplotlib.colors import ListedColormap

    need_columns(frame, ["item", "group", "mean", "n", "fits"], "the GRIM table")
    wide = frame.assign(fits=frame["fits"].astype(float)).pivot(
        index=["group", "item", "mean"], columns="n", values="fits"
    )
    wide = wide.loc[list(dict.fromkeys(zip(frame["group"], frame["item"], frame["mean"], strict=True)))]
    image = np.ma.masked_invalid(wide.to_numpy())
    ax.pcolormesh(image, cmap=ListedColormap(["#EFEFEF", COLOURS[0]]), vmin=0, vmax=1, edgecolors="white", linewidth=1)
    ax.set_yticks(
        np.arange(len(wide)) + 0.5,
        [f"{group}: {item}, {mean:.2f}".replace("_", " ") for group, item, mean in wide.index],
    )
    step = max(1, len(wide.columns) // 20)
    ax.set_xticks(np.arange(0, len(wide.columns), step) + 0.5, wide.columns[::step])
    ax.tick_params(length=0, labelsize=8)
    ax.invert_yaxis()
    _separate(ax, wide)
    _frame_stated(ax, wide, stated or {})
    ax.set_xlabel(
        "n (answers); filled: whole answers can give the printed mean" + ("; framed: n stated" if stated else "")
    )
    return ax


def plot_power(frame: pd.DataFrame, ax: Axes, *, wanted: float = 0.8) -> Axes:
    """Power over the size of a group, a line for each difference.

    Parameters
    ----------
    frame : DataFrame
        As `answers.power_curve` gives it: difference, n, power.
    wanted : float
        Drawn as a line across.
    """
    need_columns(frame, ["difference", "n", "power"], "the power curve")
    for i, (difference, part) in enumerate(frame.groupby("difference", sort=True)):
        line = part.sort_values("n")
        ax.plot(line["n"], line["power"], label=f"{difference:g}", color=COLOURS[i % 8], linestyle=LINES[i % 8],
                marker=MARKS[i % 8], markersize=4)  # fmt: skip
    ax.axhline(wanted, color="#888888", linewidth=0.8, linestyle=":")
    ax.annotate(f"{wanted:g}", (1, wanted), xycoords=("axes fraction", "data"), xytext=(3, 0), fontsize=8,
                textcoords="offset points", va="center", color="#555555")  # fmt: skip
    ax.set(xlabel="people in each group", ylabel="power (chance to see the difference)", ylim=(0, 1.02))
    ax.legend(title="difference (points)", fontsize=8, frameon=False)
    return ax


def _check_one_source(frame: pd.DataFrame) -> None:
    sources = frame["source"].unique()
    if len(sources) > 1:
        raise InvalidInput(f"source: {', '.join(map(str, sources))} in one frame; draw one source an Axes.")


def _items(frame: pd.DataFrame, order: Sequence[str]) -> list[str]:
    there = list(dict.fromkeys(frame["item"]))
    items = [item for item in order if item in there] if order else there
    if not items:
        raise InvalidInput(f"order names none of the items, which are: {', '.join(map(str, there))}.")
    return items


def _shares(frame: pd.DataFrame, order: Sequence[str]) -> tuple[pd.DataFrame, list[str]]:
    """Percent, a row a bar and a column an answer; and the bars' labels."""
    if frame.duplicated(["item", "group", "answer"]).any():
        raise InvalidInput("the distribution has an item, group and answer twice; pass one distribution at a time.")
    wide = frame.pivot(index=["item", "group"], columns="answer", values="share").sort_index(axis=1) * 100
    sizes = frame.groupby(["item", "group"])["n"].first()
    several = frame["group"].nunique() > 1
    groups = list(dict.fromkeys(frame["group"]))
    bars = [(item, group) for item in _items(frame, order) for group in groups if (item, group) in wide.index]
    wide = wide.loc[bars]
    names = [f"{item}, {group}" if several else str(item) for item, group in bars]
    labels = [
        f"{fill(name.replace('_', ' '), WIDTH)} (n = {sizes[bar]})" for name, bar in zip(names, bars, strict=True)
    ]
    return wide.fillna(0), labels


def _left_of_middle(shares: np.ndarray) -> np.ndarray:
    """What lies left of zero: the lower answers, and half of the middle one."""
    half, odd = divmod(shares.shape[1], 2)
    middle = shares[:, half] / 2 if odd else 0
    return shares[:, :half].sum(axis=1) + middle


def _shade(index: int, count: int) -> tuple[float, float, float, float]:
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("ends", ENDS)(index / max(count - 1, 1))


def _write(
    ax: Axes, places: np.ndarray, centres: np.ndarray, widths: np.ndarray, shade: tuple[float, float, float, float]
) -> None:
    bright = np.dot(shade[:3], (0.299, 0.587, 0.114)) > 0.5
    for place, centre, width in zip(places, centres, widths, strict=True):
        if width >= 6:  # a narrower piece has no room for its number
            ax.text(centre, place, f"{width:.0f}", ha="center", va="center", fontsize=8,
                    color="black" if bright else "white",
                    bbox={"facecolor": shade, "edgecolor": "none", "pad": 0.8})  # fmt: skip


def _symmetric(ax: Axes) -> None:
    """The same room on both sides, and ticks that count away from zero."""
    edge = max(abs(end) for end in ax.get_xlim())
    ticks = np.arange(0, edge + 1, 25)
    ax.set_xlim(-edge, edge)
    ax.set_xticks([*-ticks[:0:-1], *ticks], [f"{abs(tick):.0f}" for tick in (*-ticks[:0:-1], *ticks)])


def _marks(ax: Axes, part: pd.DataFrame, items: Iterable[str], shift: float, index: int, source: str) -> None:
    rows = part.set_index("item").reindex(list(items))
    places = np.arange(len(rows)) - shift
    spread = np.abs(np.array([rows["mean"] - rows["low"], rows["high"] - rows["mean"]]))
    hollow = source == "published"
    colour = COLOURS[index % 8]
    ax.errorbar(rows["mean"], places, xerr=spread, fmt=MARKS[index % 8], color=colour, markersize=5, capsize=2,
                linewidth=1, markerfacecolor="white" if hollow else colour, label=f"{part['group'].iloc[0]}, {source}",
                linestyle="none")  # fmt: skip


def _separate(ax: Axes, wide: pd.DataFrame) -> None:
    groups = wide.index.get_level_values("group")
    for edge in np.flatnonzero(groups[1:] != groups[:-1]) + 1:
        ax.axhline(edge, color="#444444", linewidth=1)


def _frame_stated(ax: Axes, wide: pd.DataFrame, stated: Mapping[str, int]) -> None:
    from matplotlib.patches import Rectangle

    groups, columns = wide.index.get_level_values("group"), list(map(int, wide.columns))
    for group, n in stated.items():
        rows = np.flatnonzero(groups == group)
        if len(rows) and n in columns:
            box = (columns.index(n), rows[0]), 1, len(rows)
            ax.add_patch(Rectangle(*box, fill=False, edgecolor=COLOURS[4], linewidth=2))
