"""Transition graphs: few crossings, the same edges the same drawing, and what is drawn is what was counted."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.colors import to_rgba
from matplotlib.patches import FancyArrowPatch

from support.errors import InvalidInput
from support.plots.transitions import crossings, plot_graph, plot_matrix, ring_order

LABELS = ("start", "inform", "request", "propose", "accept", "decline", "end")


def edges(*triples, leads=None):
    made = pd.DataFrame(triples, columns=["source", "target", "probability"])
    return made if leads is None else made.assign(leads=leads)


GRAPH = edges(("start", "inform", 1.0), ("inform", "request", 0.4), ("request", "inform", 0.6), ("request", "end", 0.2))


def texts(ax):
    return [t.get_text() for t in ax.texts]


@settings(max_examples=25, deadline=None)
@given(st.lists(st.sampled_from(LABELS[1:]), min_size=6, max_size=6))
def test_a_graph_with_one_edge_for_each_act_is_drawn_without_crossings(targets):
    """At most one cycle in each part: outerplanar, so that an order without crossings exists."""
    graph = edges(*[(a, b, 0.5) for a, b in zip(LABELS, targets, strict=False) if a != b])
    if len(graph):
        assert crossings(ring_order([graph]), list(zip(graph["source"], graph["target"], strict=True))) == 0


def test_the_order_does_not_depend_on_the_order_of_the_edges_and_start_is_first():
    order = ring_order([GRAPH])
    assert order == ring_order([GRAPH.iloc[::-1]])
    assert order[0] == "start"


def test_one_order_serves_several_graphs():
    other = edges(("start", "request", 1.0), ("request", "accept", 0.5), ("accept", "end", 0.9), ("inform", "end", 0.1))
    order = ring_order([GRAPH, other])
    assert set(order) == set(GRAPH["source"]) | set(GRAPH["target"]) | {"accept"}
    assert all(crossings(order, list(zip(g["source"], g["target"], strict=True))) == 0 for g in (GRAPH, other))


def test_every_edge_is_an_arrow_with_its_probability_and_wider_where_it_is_larger(axes):
    ax = plot_graph(GRAPH, axes())
    arrows = [p for p in ax.patches if isinstance(p, FancyArrowPatch)]
    assert len(arrows) == 4
    assert {"1.00", "0.40", "0.60", "0.20"} <= set(texts(ax))
    widths = sorted(a.get_linewidth() for a in arrows)
    assert widths[0] < widths[-1]
    assert {"start", "inform", "request", "end"} <= set(texts(ax))


def test_a_disc_is_larger_for_an_act_that_is_performed_more_often(axes):
    ax = plot_graph(GRAPH, axes(), frequency=pd.Series({"inform": 0.8, "request": 0.2}))
    discs = next(c for c in ax.collections if len(c.get_sizes()) == 2 and np.ptp(c.get_sizes()) > 0)
    assert discs.get_sizes()[0] > 2 * discs.get_sizes()[1]


def test_an_edge_that_does_not_surely_lead_is_dashed(axes):
    ax = plot_graph(edges(("start", "inform", 1.0), ("inform", "end", 0.5), leads=[1.0, 0.6]), axes())
    styles = [p.get_linestyle() for p in ax.patches]
    assert styles.count("-") + styles.count("solid") == 1


def test_what_is_known_of_the_annotator_is_on_the_figure(axes):
    line, matrix = (
        "embedded model: kappa 0.03 against people: near chance",
        pd.DataFrame([[0.5]], ["inform"], ["request"]),
    )
    known = GRAPH.copy()
    known.attrs["trust"] = matrix.attrs["trust"] = line
    assert line in texts(plot_graph(known, axes())) and line in texts(plot_matrix(matrix, axes()))
    known.attrs["trust"] = " ".join([line] * 3)
    assert max(len(part) for text in texts(plot_graph(known, axes())) for part in text.split("\n")) <= 90


def test_no_edges_are_refused_in_plain_words(axes):
    with pytest.raises(InvalidInput, match="lower the threshold"):
        plot_graph(GRAPH.iloc[:0], axes())


def test_the_matrix_shows_every_number_and_leaves_an_act_that_never_occurs_empty(axes):
    names = ["start", "inform", "end"]
    matrix = pd.DataFrame([[0, 1.0, 0.0], [0, 0.25, -0.001], [np.nan] * 3], names, names)
    ax = plot_matrix(matrix, axes())
    assert texts(ax) == ["1.00", "0.00", "0.25", "0.00"]  # rows start and inform, columns inform and end
    empty = plot_matrix(matrix.rename(index={"end": "others"}), axes())
    assert len(texts(empty)) == 4


def test_a_centred_matrix_is_white_at_zero(axes):
    matrix = pd.DataFrame([[-0.5, 0.0, 0.2]], ["inform"], ["inform", "request", "end"])
    ax = plot_matrix(matrix, axes(), centred=True, label="excess")
    ax.figure.canvas.draw()
    mesh = ax.collections[0]
    assert mesh.get_clim() == (-0.5, 0.5)
    assert min(mesh.get_facecolors()[1][:3]) > 0.93
    assert to_rgba("#DDDDDD") == ax.get_facecolor()
