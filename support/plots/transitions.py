"""Transition graphs (RoundTable, Figures 4 to 6) and the whole matrix behind them."""

from __future__ import annotations

from collections.abc import Container, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from support.analysis.dialogue_acts import END, START
from support.errors import InvalidInput
from support.plots.dialogue_acts import warn

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from networkx import DiGraph

WIDE = 1.35  # how much wider than high the ring of acts is
STRAIGHT, BENT, BOWED = "arc3,rad=0", "arc3,rad=0.12", "arc3,rad=0.35"  # how an edge runs: see _course
NEIGHBOURS = 0.8
PLACES, APART = (0.38, 0.3, 0.46, 0.24, 0.54), 0.2  # of labels along their edges, and between labels
SURE = 0.95
DASHES = (0, (2.5, 1.3))
GREY = "#555555"


def crossings(order: Sequence[str], edges: Sequence[tuple[str, str]]) -> int:
    """How many pairs of edges cross when the acts stand on a ring in this order; edges with a common end do not.

    >>> crossings("abcd", [("a", "c"), ("b", "d")]), crossings("acbd", [("a", "c"), ("b", "d")])
    (1, 0)
    """
    place = {name: i for i, name in enumerate(order)}
    count = 0
    for one, other in combinations({frozenset(edge) for edge in edges if edge[0] != edge[1]}, 2):
        low, high = sorted(place[name] for name in one)
        inside = [low < place[name] < high for name in other]
        count += not one & other and inside[0] != inside[1]
    return count


def ring_order(graphs: Sequence[pd.DataFrame]) -> tuple[str, ...]:
    """An order of the acts on a ring with few crossings and short edges, the same for several graphs.

    Start stands first. From the order in which the acts occur and three rearrangements of it, the best move of one act
    to another place is made until none helps; without chance, so that the same edges give the same drawing. Straight
    edges between points of a ring never run through a third one. Crossings count within each graph (columns source and
    target), and are summed over all.
    """
    pairs = [sorted({tuple(sorted(e)) for e in zip(g["source"], g["target"], strict=True)}) for g in graphs]
    names = list(dict.fromkeys(n for g in pairs for e in g for n in e))
    names.sort(key=lambda name: (name != START, name == END))
    if len(names) < 4:
        return tuple(names)
    edges = sorted({edge for graph in pairs for edge in graph})
    cost = _Cost(names, edges, pairs)
    order = np.arange(len(names))
    starts = (
        order,
        np.r_[0, order[:0:-1]],
        np.r_[0, order[1::2], order[2::2]],
        np.r_[0, order[1::2], order[2::2][::-1]],
    )
    best = min((_descend(cost, start) for start in starts), key=lambda found: found[0])
    return tuple(names[i] for i in best[1])


class _Cost:
    """Crossings, and then total length along the ring, of many orders at once."""

    def __init__(self, names: list[str], edges: list[Any], graphs: list[list[Any]]) -> None:
        place = {name: i for i, name in enumerate(names)}
        self.ends = np.array([[place[a], place[b]] for a, b in edges])
        member = np.array([[edge in graph for graph in graphs] for edge in edges], dtype=float)
        shared = (self.ends[:, None, :, None] == self.ends[None, :, None, :]).any(axis=(2, 3))
        self.together, self.weight = np.where(shared, 0.0, member @ member.T), member.sum(axis=1)

    def __call__(self, orders: np.ndarray) -> np.ndarray:
        """`orders` has the shape (orders, names); the result (orders,)."""
        place = np.argsort(orders, axis=1)[:, self.ends]
        low, high = place.min(axis=2)[..., None], place.max(axis=2)[..., None]
        inside = [(low < end) & (end < high) for end in (place[:, None, :, 0], place[:, None, :, 1])]
        crossed = ((inside[0] != inside[1]) * self.together).sum(axis=(1, 2)) / 2
        apart = (high - low)[..., 0]
        length = np.minimum(apart, orders.shape[1] - apart) @ self.weight
        return 1000 * crossed + length


def _descend(cost: _Cost, order: np.ndarray) -> tuple[float, list[int]]:
    """The best single move, again and again; the first place is fixed."""
    now = float(cost(order[None])[0])
    while True:
        places = range(1, len(order))
        moved = np.array([np.insert(np.delete(order, i), k, order[i]) for i in places for k in places if k != i])
        costs = cost(moved)
        if costs.min() >= now - 1e-9:
            return now, order.tolist()
        order, now = moved[int(costs.argmin())], float(costs.min())


def plot_graph(
    edges: pd.DataFrame,
    ax: Axes,
    *,
    frequency: pd.Series | None = None,
    order: Sequence[str] | None = None,
) -> Axes:
    """Acts on a ring, Start at the left; width and label of an edge show its probability.

    `edges` is what `most_probable` gives; dashed is an edge whose `leads` is below 0.95. What
    is known of the annotator stands below. `frequency`, each act's share of all acts, is the area of its disc; `order`
    comes from `ring_order`, for drawings that are compared.
    """
    import networkx as nx

    if edges.empty:
        raise InvalidInput("edges: none given; lower the threshold")
    graph = nx.DiGraph()
    graph.add_nodes_from(order or ring_order([edges]))
    graph.add_weighted_edges_from(edges[["source", "target", "probability"]].itertuples(index=False))
    position = _ring(list(graph))
    sizes = _draw_nodes(graph, position, frequency, ax)
    unsure = edges[edges["leads"] < SURE] if "leads" in edges else edges.iloc[:0]
    _draw_edges(graph, position, sizes, set(zip(unsure["source"], unsure["target"], strict=True)), ax)
    _draw_names(graph, position, sizes, ax)
    ax.set(xlim=(-WIDE - 0.55, WIDE + 0.55), ylim=(-1.3, 1.3))
    ax.set_axis_off()
    return warn(ax, edges.attrs.get("trust", ""), 8)


def _ring(names: list[str]) -> dict[str, np.ndarray]:
    """Places from the left over the top to the right and back."""
    angles = np.pi - 2 * np.pi * np.arange(len(names)) / len(names)
    return {name: np.array([WIDE * np.cos(a), np.sin(a)]) for name, a in zip(names, angles, strict=True)}


def _draw_nodes(graph: DiGraph, position: dict, frequency: pd.Series | None, ax: Axes) -> list[float]:
    """Discs for acts, squares for Start and End; returns their areas in square points."""
    import networkx as nx

    share = {} if frequency is None else dict(frequency)
    sizes = [140.0 if name in (START, END) else 90 + 3200 * share.get(name, 0.08) for name in graph]
    for names, shape, colour in (
        ([n for n in graph if n not in (START, END)], "o", "#F0C570"),
        ([n for n in graph if n in (START, END)], "s", "#BBBBBB"),
    ):
        area = [size for name, size in zip(graph, sizes, strict=True) if name in names]
        nx.draw_networkx_nodes(graph, position, names, node_size=area, node_color=colour, node_shape=shape,
                               edgecolors=GREY, ax=ax)  # fmt: skip
    return sizes


def _draw_edges(graph: DiGraph, position: dict, sizes: list[float], unsure: set, ax: Axes) -> None:
    import networkx as nx

    p = {edge: graph.edges[edge]["weight"] for edge in graph.edges}
    strongest = max(1.0, *p.values())  # the printed count exceeds one
    box = {"boxstyle": "round,pad=0.12", "facecolor": "white", "edgecolor": "none", "alpha": 0.85}
    for course in (STRAIGHT, BENT, BOWED):
        edges = [edge for edge in p if _course(edge, p, position) == course]
        widths = [0.7 + 2.8 * p[edge] / strongest for edge in edges]
        styles = [DASHES if edge in unsure else "solid" for edge in edges]
        nx.draw_networkx_edges(graph, position, edges, width=widths, style=styles, node_size=sizes, arrowsize=15,
                               edge_color="#0072B2", alpha=0.75, connectionstyle=course, ax=ax)  # fmt: skip
    for edge, place in _label_places(list(p), position).items():
        nx.draw_networkx_edge_labels(graph, position, {edge: f"{p[edge]:.2f}"}, label_pos=place, font_size=8, bbox=box,
                                     rotate=False, connectionstyle=_course(edge, p, position), node_size=sizes,
                                     ax=ax)  # fmt: skip


def _label_places(edges: Sequence[tuple[str, str]], position: dict) -> dict[tuple[str, str], float]:
    """How far along each edge its label stands: near the source, and away from the labels placed before it."""
    taken: list[np.ndarray] = []
    places = {}
    for edge in edges:
        start, way = position[edge[0]], position[edge[1]] - position[edge[0]]
        free = {place: min((np.hypot(*(start + place * way - t)) for t in taken), default=9.0) for place in PLACES}
        places[edge] = next((place for place in PLACES if free[place] > APART), max(PLACES, key=free.__getitem__))
        taken.append(start + places[edge] * way)
    return places


def _course(edge: tuple[str, str], edges: Container[tuple[str, str]], position: dict) -> str:
    """Straight, as crossings are counted; A → B and B → A are bent apart, more so between neighbours."""
    if edge[::-1] not in edges:
        return STRAIGHT
    return BOWED if np.hypot(*(position[edge[0]] - position[edge[1]])) < NEIGHBOURS else BENT


def _draw_names(graph: DiGraph, position: dict, sizes: list[float], ax: Axes) -> None:
    """Names outside of the ring, beside the discs and away from the edges."""
    for name, size in zip(graph, sizes, strict=True):
        x, y = position[name] / (WIDE, 1)
        away = np.sqrt(size) / 2 + 5
        side = "center" if abs(x) < 0.2 else "left" if x > 0 else "right"
        height = "center" if abs(y) < 0.7 else "bottom" if y > 0 else "top"
        ax.annotate(name, position[name], xytext=(x * away, y * away), textcoords="offset points", ha=side, va=height,
                    fontsize=9, fontweight="bold" if name in (START, END) else "normal")  # fmt: skip


def plot_matrix(matrix: pd.DataFrame, ax: Axes, *, label: str = "probability", centred: bool = False) -> Axes:
    """The whole matrix as a heatmap with its numbers: rows the act of round r - 1, columns that of round r.

    `matrix` is `Transitions.probability`, or `Transitions.excess` with `centred`: colours then part at 0. An act that
    never occurs is an empty row. `label` is that of the scale, beside the heatmap.
    """
    import seaborn as sns

    shown = matrix.drop(index=END, columns=START, errors="ignore")
    largest = float(np.nanmax(np.abs(shown.to_numpy())))
    scale: dict[str, Any] = {"cmap": "Blues", "vmin": 0.0, "vmax": max(1.0, largest)}
    if centred:
        scale = {"cmap": "PuOr", "vmin": -largest, "vmax": largest}
    ax.set_facecolor("#DDDDDD")
    sns.heatmap(shown.round(2) + 0.0, ax=ax, annot=True, fmt=".2f", annot_kws={"fontsize": 8}, linewidths=0.5,
                cbar_kws={"label": label}, **scale)  # fmt: skip
    ax.set(xlabel="act of another agent in round r", ylabel="act of an agent in round r - 1")
    return warn(ax, matrix.attrs.get("trust", ""), 95)
