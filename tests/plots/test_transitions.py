"""Transition graphs: what is drawn is what was counted, and an act stands at one place in all of them."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.patches import FancyArrowPatch

from support.errors import InvalidInput
from support.plots.transitions import plot_graph

GRAPH = pd.DataFrame(
    [
        ("start", "inform", 1.0, 1.0),
        ("inform", "request", 0.4, 0.6),
        ("request", "end", 0.2, 1.0),
    ],
    columns=["source", "target", "probability", "leads"],
)
SHARE = pd.Series({"inform": 0.8, "request": 0.2})


def test_edges_and_discs_are_as_large_as_what_they_show_and_dashed_where_it_is_not_sure(
    axes,
):
    ax = plot_graph(GRAPH, axes(), frequency=SHARE)
    arrows = [patch for patch in ax.patches if isinstance(patch, FancyArrowPatch)]
    widths = [arrow.get_linewidth() for arrow in arrows]
    assert np.allclose(np.diff(widths), 2.8 * np.diff(GRAPH["probability"]))
    assert [arrow.get_linestyle() == "solid" for arrow in arrows] == [
        True,
        False,
        True,
    ]
    names = [text.get_text() for text in ax.texts]
    assert names == [
        "1.00",
        "0.40",
        "0.20",
        "start",
        "inform",
        "request",
        "end",
    ]
    discs = ax.collections[0]
    _, inform, request, _ = discs.get_sizes()
    assert inform > 2 * request
    small = plot_graph(GRAPH[:1], axes(), frequency=SHARE, numbers=False)
    assert [text.get_text() for text in small.texts] == ["start", "inform"]
    places = small.collections[0].get_offsets()
    assert np.allclose(discs.get_offsets()[:2], places)
    assert (places[0] < places[1]).all(), "clockwise, Start at the left"
    with pytest.raises(InvalidInput, match="lower the threshold"):
        plot_graph(GRAPH[:0], axes(), frequency=SHARE)
