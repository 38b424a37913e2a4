"""The social graph of Figure 7: sizes, relations, communities, and the same drawing each time."""

import networkx as nx
import numpy as np
import pytest
from matplotlib.colors import to_hex

from support.plots.company import GREEN, plot_graph


def graph():
    """Two teams of four, each with a manager; one collaboration joins them."""
    made = nx.MultiDiGraph()
    for team in "AB":
        for i in range(4):
            made.add_node(f"{team}{i} Name", level=4 if i == 0 else 1 + i % 2, role="x")
        for i in range(1, 4):
            made.add_edge(f"{team}{i} Name", f"{team}0 Name", relation="manager")
            made.add_edge(f"{team}{i} Name", f"{team}{i % 3 + 1} Name", relation="teammate")
            made.add_edge(f"{team}{i % 3 + 1} Name", f"{team}{i} Name", relation="teammate")
    made.add_edge("A1 Name", "B1 Name", relation="collaborator")
    return made


@pytest.fixture
def drawn(axes):
    return lambda: plot_graph(graph(), axes())


def test_everybody_is_named_teams_are_communities_and_discs_grow_with_the_level(drawn):
    ax = drawn()
    assert sorted(t.get_text() for t in ax.texts) == sorted(f"{t}{i}\nName" for t in "AB" for i in range(4))
    for team in ax.collections[-3:-1]:  # before the legend's
        assert len(team.get_sizes()) == 4 and team.get_sizes()[0] == max(team.get_sizes())


def test_a_relation_is_drawn_once_and_managers_are_green(drawn):
    lines = {c.get_label(): c for c in drawn().collections if hasattr(c, "get_segments") and c.get_segments()}
    assert {name: len(c.get_segments()) for name, c in lines.items()} == {
        "teammates": 6, "collaborators": 1, "manager": 6,
    }  # fmt: skip
    assert to_hex(lines["manager"].get_color()[0]) == GREEN


def test_the_same_graph_is_the_same_drawing(drawn):
    one, two = ([t.xy for t in drawn().texts] for _ in range(2))
    assert np.array_equal(one, two)
