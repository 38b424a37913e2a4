"""The social graph of the synthetic company, or its part for one meeting (Papachristou, Yang and Hsu, Figure 7)."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from support.draw import COLOURS
from support.meetings.data import COLLABORATOR, MANAGER, TEAMMATE

if TYPE_CHECKING:
    import networkx as nx
    from matplotlib.axes import Axes

GREEN, GREY, LIGHT = "#00734f", "#8a8a8a", "#b8b8b8"
EDGES: dict[str, dict[str, Any]] = {
    TEAMMATE: {
        "colors": LIGHT,
        "linestyles": [(0, (1, 2))],
        "linewidths": 0.8,
        "label": "teammates",
    },
    COLLABORATOR: {
        "colors": GREY,
        "linestyles": ["-"],
        "linewidths": 0.6,
        "label": "collaborators",
    },
    MANAGER: {
        "colors": GREEN,
        "linestyles": ["-"],
        "linewidths": 1.8,
        "label": "manager",
    },
}
"""How each relation is drawn, the most important last and on top."""

INSIDE, OUTSIDE = (
    1.0,
    1.8,
)  # wished lengths of an edge within a community and of one between two
SMALL = 12  # a graph of at most so many people gets large names, and whole ones; of others a first name


def plot_graph(graph: nx.MultiDiGraph, ax: Axes) -> Axes:
    """People as discs sized by seniority and coloured by community, and their relations, of `Company.graph`.

    Managerial relations are green, collaborations grey, teammates dotted. The drawing is without chance: the same
    graph gives the same drawing.
    """
    from matplotlib.collections import LineCollection
    from matplotlib.patheffects import withStroke

    pairs = sorted(
        {(*sorted((s, t)), d["relation"]) for s, t, d in graph.edges(data=True)}
    )
    groups, place = _laid_out(list(graph), pairs)
    size = {name: 60 + 90 * graph.nodes[name]["level"] for name in graph}
    for z, (relation, look) in enumerate(EDGES.items()):
        if lines := [(place[a], place[b]) for a, b, kind in pairs if kind == relation]:
            ax.add_collection(LineCollection(lines, zorder=1 + z / 10, **look))
    for i, group in enumerate(groups):
        xy = np.array([place[name] for name in group])
        sizes = [size[name] for name in group]
        ax.scatter(
            xy[:, 0],
            xy[:, 1],
            s=sizes,
            color=COLOURS[i % 8],
            edgecolor="white",
            zorder=3,
        )
    firsts = Counter(name.partition(" ")[0] for name in place)
    for name, (x, y) in place.items():
        below = 3 + np.sqrt(size[name]) / 2
        short = len(graph) > SMALL and firsts[name.partition(" ")[0]] == 1
        said = name.partition(" ")[0] if short else name.replace(" ", "\n", 1)
        ax.annotate(said, (x, y), xytext=(0, -below), textcoords="offset points",
                    ha="center", va="top", fontsize=9 if len(graph) <= SMALL else 6.5, linespacing=0.9, zorder=4,
                    path_effects=[withStroke(linewidth=2, foreground="white")])  # fmt: skip
    ax.scatter(
        [], [], s=240, color="#bbbbbb", label="size: level 1 to 5; colour: community"
    )
    ax.legend(
        fontsize=8,
        frameon=False,
        loc="upper center",
        bbox_to_anchor=(0.5, 0.0),
        ncols=4,
    )
    ax.margins(0.09)
    ax.set_axis_off()
    return ax


def _laid_out(
    names: list[str], pairs: list[Any]
) -> tuple[list[list[str]], dict[str, np.ndarray]]:
    """Communities, largest first: greedy modularity (Clauset, Newman and Moore 2004), and Kamada and Kawai's places.

    A pair weighs one for each relation between them, in either direction, and a manager one more; communities are
    pulled together.
    """
    import networkx as nx

    flat = nx.Graph()
    flat.add_nodes_from(names)
    for a, b, relation in pairs:
        weight = flat.get_edge_data(a, b, {"weight": 0})["weight"]
        flat.add_edge(a, b, weight=weight + (2 if relation == MANAGER else 1))
    found = nx.community.greedy_modularity_communities(flat, weight="weight")
    groups = [sorted(group, key=names.index) for group in found]
    group = {name: i for i, members in enumerate(groups) for name in members}
    steps = dict(nx.all_pairs_shortest_path_length(flat))
    apart = len(flat) ** 0.5 + 1  # steps between two whom nothing joins
    far = {
        a: {
            b: (OUTSIDE if group[a] != group[b] else INSIDE)
            * np.sqrt(steps[a].get(b, apart))
            for b in flat
        }
        for a in flat
    }
    start = nx.circular_layout([name for members in groups for name in members])
    return groups, dict(nx.kamada_kawai_layout(flat, dist=far, pos=start))
