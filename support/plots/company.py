"""The social graph of a company, or of one meeting (Papachristou, Yang and Hsu, Figure 7)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from support.draw import COLOURS, key
from support.meetings.data import COLLABORATOR, MANAGER, TEAMMATE, Company

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LINES: dict[str, dict[str, Any]] = {
    TEAMMATE: {"edge_color": "#b8b8b8", "style": ":"},
    COLLABORATOR: {"edge_color": "#8a8a8a", "width": 0.6},
    MANAGER: {"edge_color": "#00734f", "width": 1.8},
}
"""How each relation is drawn, the most important last and on top."""
APART = 1.5  # how far from each other communities are, beside members of one
SMALL = 12  # a graph of at most so many people has whole names


def plot_graph(company: Company, members: Sequence[str], ax: Axes) -> Axes:
    """People sized by level and coloured by community, and their relations.

    The same people give the same drawing.
    """
    import networkx as nx

    level = {name: company.by_name[name].level for name in members}
    flat = nx.Graph()
    relations = company.relations(members)
    flat.add_nodes_from(level)
    flat.add_edges_from((a, b) for a, b, _ in relations)
    groups = nx.community.greedy_modularity_communities(flat)
    group = {name: i for i, members in enumerate(groups) for name in members}
    for a, b, data in flat.edges(data=True):
        data["length"] = 1 if group[a] == group[b] else APART
    place = nx.kamada_kawai_layout(flat, weight="length")
    for relation, look in LINES.items():
        chosen = [(a, b) for a, b, kind in relations if kind == relation]
        simple = nx.Graph(chosen)
        nx.draw_networkx_edges(
            simple,
            place,
            ax=ax,
            label=relation,
            **look,
        )
    nx.draw_networkx_nodes(
        flat,
        place,
        ax=ax,
        node_size=[60 + 90 * level[name] for name in flat],
        node_color=[COLOURS[group[name] % 8] for name in flat],
        edgecolors="white",
    )
    small = len(flat) <= SMALL
    names = {
        name: name.replace(" ", "\n") if small else name.split()[0] for name in flat
    }
    nx.draw_networkx_labels(
        flat,
        {name: (x, y - 0.06) for name, (x, y) in place.items()},
        names,
        ax=ax,
        verticalalignment="top",
        font_size=9,
        clip_on=False,
        bbox={
            "color": "white",
            "alpha": 0.7,
            "pad": 0.2,
        },
    )
    key(ax)
    ax.margins(0.04, 0.12)
    ax.set_axis_off()
    return ax
