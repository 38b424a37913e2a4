"""Transition graphs: few crossings, the same edges the same drawing, and what is drawn is what was counted."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.patches import FancyArrowPatch

from support.errors import InvalidInput
from support.plots.transitions import plot_graph, plot_matrix, ring_order

LABELS = ("start", "inform", "request", "propose", "accept", "decline", "end")


def edges(*triples):
    return pd.DataFrame(triples, columns=["source", "target", "probability"])


GRAPH = edges(
    ("start", "inform", 1.0),
    ("inform", "request", 0.4),
    ("request", "inform", 0.6),
    ("request", "end", 0.2),
)
SHARE = pd.Series({"inform": 0.8, "request": 0.2})


def texts(ax):
    return [t.get_text() for t in ax.texts]


def crossings(order, graph):
    """Pairs of edges that cross on a ring in this order; edges with a common end do not."""
    chords = {
        frozenset(map(order.index, edge))
        for edge in zip(graph["source"], graph["target"], strict=True)
    }
    apart = [(sorted(a), b) for a, b in combinations(chords, 2) if not a & b]
    return sum(len([x for x in b if low < x < high]) == 1 for (low, high), b in apart)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.sampled_from(LABELS[1:]), min_size=6, max_size=6))
def test_a_graph_with_one_edge_for_each_act_is_drawn_without_crossings(targets):
    """At most one cycle in each part: outerplanar, so that an order without crossings exists."""
    graph = edges(
        *[(a, b, 0.5) for a, b in zip(LABELS, targets, strict=False) if a != b]
    )
    if len(graph):
        order = ring_order(graph)
        assert crossings(order, graph) == 0 and order == ring_order(graph.iloc[::-1])


def test_edges_and_discs_are_as_large_as_what_they_show_and_dashed_where_it_is_not_sure(
    axes,
):
    graph = GRAPH.assign(leads=[1.0, 0.6, 1.0, 1.0])
    ax = plot_graph(graph, axes(), frequency=SHARE)
    arrows = [p for p in ax.patches if isinstance(p, FancyArrowPatch)]
    assert len(arrows) == 4 and len({a.get_linewidth() for a in arrows}) == 4
    assert sum(a.get_linestyle() in ("-", "solid") for a in arrows) == 3
    assert {"1.00", "0.40", "0.60", "0.20", "start", "inform", "request", "end"} <= set(
        texts(ax)
    )
    discs = next(
        c
        for c in ax.collections
        if len(c.get_sizes()) == 2 and np.ptp(c.get_sizes()) > 0
    )
    assert discs.get_sizes()[0] > 2 * discs.get_sizes()[1]
    with pytest.raises(InvalidInput, match="lower the threshold"):
        plot_graph(GRAPH.iloc[:0], axes(), frequency=SHARE)


def test_what_is_known_of_the_annotator_is_on_the_figure_in_lines_that_fit(axes):
    line = "embedded model: kappa 0.03 against people: near chance; it cannot see: defend, accept, decline, compromise"
    known, matrix = GRAPH.copy(), pd.DataFrame([[0.5]], ["inform"], ["request"])
    known.attrs["trust"] = matrix.attrs["trust"] = line
    for said in (
        texts(plot_graph(known, axes(), frequency=SHARE)),
        texts(plot_matrix(matrix, axes())),
    ):
        assert (
            line.split() == said[-1].split()
            and max(map(len, said[-1].split("\n"))) <= 90
        )


def test_the_matrix_shows_every_number_and_leaves_an_act_that_never_occurs_empty(axes):
    names = ["start", "inform", "end"]
    matrix = pd.DataFrame(
        [[0, 1.0, 0.0], [0, 0.25, -0.001], [np.nan] * 3], names, names
    )
    shown = [
        "1.00",
        "0.00",
        "0.25",
        "0.00",
    ]  # rows start and inform, columns inform and end
    assert (
        texts(plot_matrix(matrix, axes()))
        == texts(plot_matrix(matrix.rename({"end": "others"}), axes()))
        == shown
    )


def test_a_centred_matrix_is_white_at_zero(axes):
    ax = plot_matrix(
        pd.DataFrame([[-0.5, 0.0, 0.2]], ["inform"], ["inform", "request", "end"]),
        axes(),
        centred=True,
    )
    ax.figure.canvas.draw()
    mesh = ax.collections[0]
    assert mesh.get_clim() == (-0.5, 0.5) and min(mesh.get_facecolors()[1][:3]) > 0.93
