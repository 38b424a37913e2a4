"""Transition graphs (RoundTable, Figures 4 to 6) and the whole matrix behind them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from support.analysis.dialogue_acts import END, START
from support.draw import tiles
from support.errors import InvalidInput
from support.plots.dialogue_acts import warn

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from networkx import DiGraph

WIDE = 1.35  # how much wider than high the ring of acts is
STRAIGHT, BENT, BOWED = (
    "arc3,rad=0",
    "arc3,rad=0.12",
    "arc3,rad=0.35",
)  # how an edge runs
NEIGHBOURS = 0.8
PLACES, APART = (
    (0.38, 0.3, 0.46, 0.24, 0.54),
    0.2,
)  # of labels along their edges, and between labels
SURE = 0.95
DASHES = (0, (2.5, 1.3))
GREY = "#555555"


def ring_order(edges: pd.DataFrame) -> tuple[str, ...]:
    """An order of the acts on a ring with few crossings and short edges; Start stands first.

    From the order in which the acts occur and three rearrangements of it, the best move of one act to another place is
    made until none helps; without chance, so that the same edges give the same drawing. Straight edges between points
    of a ring never run through a third one.
    """
    pairs = sorted(
        {
            tuple(sorted(edge))
            for edge in zip(edges["source"], edges["target"], strict=True)
        }
    )
    names = sorted(
        dict.fromkeys(name for edge in pairs for name in edge),
        key=lambda n: (n != START, n == END),
    )
    if len(names) < 4:
        return tuple(names)
    ends = np.array([[names.index(a), names.index(b)] for a, b in pairs])
    apart = ~(ends[:, None, :, None] == ends[None, :, None, :]).any(axis=(2, 3))

    def costs(orders: np.ndarray) -> np.ndarray:
        """Crossings, and then total length along the ring, of orders of shape (orders, names)."""
        place = np.sort(np.argsort(orders, axis=1)[:, ends], axis=2)
        low, high = place[..., 0, None], place[..., 1, None]
        inside = [
            (low < end) & (end < high)
            for end in (place[:, None, :, 0], place[:, None, :, 1])
        ]
        crossed = ((inside[0] != inside[1]) & apart).sum(axis=(1, 2)) / 2
        length = (high - low)[..., 0]
        return 1000 * crossed + np.minimum(length, len(names) - length).sum(axis=1)

    def descend(order: np.ndarray) -> tuple[float, list[int]]:
        """The best single move, again and again; the first place is fixed."""
        now, places = float(costs(order[None])[0]), range(1, len(order))
        while True:
            moved = np.array(
                [
                    np.insert(np.delete(order, i), k, order[i])
                    for i in places
                    for k in places
                    if k != i
                ]
            )
            found = costs(moved)
            if found.min() >= now:
                return now, order.tolist()
            order, now = moved[int(found.argmin())], float(found.min())

    first = np.arange(len(names))
    odd, even = first[1::2], first[2::2]
    starts = (
        first,
        np.r_[0, first[:0:-1]],
        np.r_[0, odd, even],
        np.r_[0, odd, even[::-1]],
    )
    _, best = min(map(descend, starts), key=lambda found: found[0])
    return tuple(names[i] for i in best)


def plot_graph(edges: pd.DataFrame, ax: Axes, *, frequency: pd.Series[float]) -> Axes:
    """Acts on a ring, Start at the left; width and label of an edge show its probability.

    `edges` is what `most_probable` gives; dashed is an edge whose `leads` is below 0.95. What is known of the annotator
    stands below. `frequency`, each act's share of all acts, is the area of its disc.
    """
    import networkx as nx

    if edges.empty:
        raise InvalidInput("edges: none given; lower the threshold")
    graph = nx.DiGraph()
    graph.add_nodes_from(ring_order(edges))
    graph.add_weighted_edges_from(
        edges[["source", "target", "probability"]].itertuples(index=False)
    )
    angles = np.pi - 2 * np.pi * np.arange(len(graph)) / len(
        graph
    )  # from the left over the top to the right and back
    places = np.column_stack([WIDE * np.cos(angles), np.sin(angles)])
    position: dict[str, Any] = dict(zip(graph, places, strict=True))
    sizes = {
        name: 140.0 if name in (START, END) else 90 + 3200 * frequency[name]
        for name in graph
    }
    for ends, shape, colour in ((False, "o", "#F0C570"), (True, "s", "#BBBBBB")):
        names = [name for name in graph if (name in (START, END)) == ends]
        nx.draw_networkx_nodes(graph, position, names, node_size=[sizes[name] for name in names], node_color=colour,
                               node_shape=shape, edgecolors=GREY, ax=ax)  # fmt: skip
    unsure = edges[edges["leads"] < SURE] if "leads" in edges else edges.iloc[:0]
    _draw_edges(
        graph,
        position,
        list(sizes.values()),
        set(zip(unsure["source"], unsure["target"], strict=True)),
        ax,
    )
    for (
        name,
        size,
    ) in sizes.items():  # outside of the ring, beside the discs and away from the edges
        x, y = position[name] / (WIDE, 1)
        away = np.sqrt(size) / 2 + 5
        side = "center" if abs(x) < 0.2 else "left" if x > 0 else "right"
        height = "center" if abs(y) < 0.7 else "bottom" if y > 0 else "top"
        ax.annotate(name, position[name], xytext=(x * away, y * away), textcoords="offset points", ha=side, va=height,
                    fontsize=9, fontweight="bold" if name in (START, END) else "normal")  # fmt: skip
    ax.set(xlim=(-WIDE - 0.55, WIDE + 0.55), ylim=(-1.3, 1.3))
    ax.set_axis_off()
    return warn(ax, edges.attrs.get("trust", ""), 8)


def _draw_edges(
    graph: DiGraph,
    position: dict[str, Any],
    sizes: list[float],
    unsure: set[Any],
    ax: Axes,
) -> None:
    """Straight, as crossings are counted; A → B and B → A are bent apart, more so between neighbours.

    Each label stands near its source, and away from the labels placed before it.
    """
    import networkx as nx

    strongest = max(
        1.0, *(p for *_, p in graph.edges.data("weight"))
    )  # the printed count exceeds one
    box = {
        "boxstyle": "round,pad=0.12",
        "facecolor": "white",
        "edgecolor": "none",
        "alpha": 0.85,
    }
    taken: list[np.ndarray] = []
    for a, b, p in graph.edges.data("weight"):
        along = position[b] - position[a]
        course = (
            STRAIGHT
            if (b, a) not in graph.edges
            else BOWED
            if np.hypot(*along) < NEIGHBOURS
            else BENT
        )
        nx.draw_networkx_edges(graph, position, [(a, b)], width=0.7 + 2.8 * p / strongest, node_size=sizes,
                               style=DASHES if (a, b) in unsure else "solid", arrowsize=15, edge_color="#0072B2",
                               alpha=0.75, connectionstyle=course, ax=ax)  # fmt: skip
        at = {place: position[a] + place * along for place in PLACES}
        free = {
            place: min((np.hypot(*(point - t)) for t in taken), default=9.0)
            for place, point in at.items()
        }
        place = next(
            (place for place in PLACES if free[place] > APART),
            max(PLACES, key=free.__getitem__),
        )
        taken.append(at[place])
        nx.draw_networkx_edge_labels(graph, position, {(a, b): f"{p:.2f}"}, label_pos=place, font_size=8, bbox=box,
                                     rotate=False, connectionstyle=course, node_size=sizes, ax=ax)  # fmt: skip


def plot_matrix(
    matrix: pd.DataFrame, ax: Axes, *, label: str = "probability", centred: bool = False
) -> Axes:
    """The whole matrix as a heatmap with its numbers: rows the act of round r - 1, columns that of round r.

    `matrix` is `Transitions.probability`, or `Transitions.excess` with `centred`: colours then part at 0. An act that
    never occurs is an empty row. `label` is that of the scale, beside the heatmap.
    """
    shown = matrix.drop(index=END, columns=START, errors="ignore")
    largest = float(np.nanmax(np.abs(shown.to_numpy())))
    scale: dict[str, Any] = {"cmap": "Blues", "vmin": 0.0, "vmax": max(1.0, largest)}
    if centred:
        scale = {"cmap": "PuOr", "vmin": -largest, "vmax": largest}
    tiles(ax, shown.round(2) + 0.0, cbar=True, cbar_kws={"label": label}, **scale)
    ax.set(
        xlabel="act of another agent in round r",
        ylabel="act of an agent in round r - 1",
    )
    return warn(ax, matrix.attrs.get("trust", ""), 95)
