"""Transition graphs (RoundTable, Figures 4 to 6)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from support.analysis.dialogue_acts import END, START
from support.errors import InvalidInput

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDE = 1.35  # how much wider than high the ring of acts is
BENT = "arc3,rad=0.14"  # A → B and B → A run apart
ACT, TERMINAL = "#F0C570", "#BBBBBB"


def plot_graph(
    edges: pd.DataFrame,
    ax: Axes,
    *,
    frequency: pd.Series[float],
    numbers: bool = True,
) -> Axes:
    """Acts on a ring, Start at the left; width and label of an edge show its probability.

    `edges` is what `most_probable` gives; dashed is an edge whose `leads` is below 0.95. `frequency`, each act's share
    of all acts, is the area of its disc; in its order they stand on the ring, so that graphs of one scheme can be
    compared. Small multiples go without `numbers`.
    """
    import networkx as nx

    if edges.empty:
        raise InvalidInput("edges: none given; lower the threshold")
    graph = nx.from_pandas_edgelist(edges, edge_attr=True, create_using=nx.DiGraph)
    circle = nx.circular_layout([START, *frequency.index, END])
    places = {name: (-WIDE * x, y) for name, (x, y) in circle.items()}
    names = [name for name in places if name in graph]
    scale = 1.0 if numbers else 0.35
    sizes = [scale * (90 + 3200 * frequency.get(name, 0.02)) for name in names]
    nx.draw_networkx_nodes(
        graph,
        places,
        names,
        node_size=sizes,
        node_color=[TERMINAL if name in (START, END) else ACT for name in names],
        edgecolors="#555555",
        ax=ax,
    )
    for source, target, about in graph.edges(data=True):
        look: dict[str, Any] = {"connectionstyle": BENT, "ax": ax}
        nx.draw_networkx_edges(
            graph,
            places,
            [(source, target)],
            nodelist=names,
            node_size=sizes,
            width=(0.7 + 2.8 * about["probability"]) * max(scale, 0.5),
            style="solid" if about.get("leads", 1) >= 0.95 else (0, (2.5, 1.3)),
            arrowsize=15 if numbers else 8,
            edge_color="#0072B2",
            alpha=0.75,
            **look,
        )
        if numbers:
            text = {(source, target): f"{about['probability']:.2f}"}
            nx.draw_networkx_edge_labels(
                graph, places, text, label_pos=0.35, font_size=9, rotate=False, **look
            )
    for name, size in zip(names, sizes, strict=True):
        x, y = places[name]
        gap = size**0.5 / 2 + 5  # points from the middle of its disc
        ax.annotate(
            name,
            (x, y),
            (gap * x, gap * y),
            textcoords="offset points",
            ha="left" if x > 0 else "right",
            va="center",
            fontsize=9,
        )
    ax.set(xlim=(-WIDE - 0.5, WIDE + 0.5), ylim=(-1.35, 1.35))
    ax.set_axis_off()
    return ax
