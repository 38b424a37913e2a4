"""The social graph of Figure 7: sizes, relations, communities, and the same drawing each time."""

import networkx as nx
import numpy as np
import pytest
from matplotlib.colors import to_hex

from support.errors import InvalidInput
from support.plots.company import GREEN, communities, plot_graph


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


def test_teams_are_communities():
    assert [{name[0] for name in group} for group in communities(graph())] == [{"A"}, {"B"}]


def test_everybody_is_named_and_discs_grow_with_the_level(drawn):
    ax = drawn()
    assert sorted(t.get_text() for t in ax.texts) == sorted(f"{t}{i}\nName" for t in "AB" for i in range(4))
    sizes = ax.collections[-3].get_sizes()  # a community, before the second one and the legend's
    assert sizes[0] == max(sizes)
    assert len(set(sizes)) == 3


def test_a_relation_is_drawn_once_and_managers_are_green(drawn):
    lines = {c.get_label(): c for c in drawn().collections if hasattr(c, "get_segments") and c.get_segments()}
    assert {name: len(c.get_segments()) for name, c in lines.items()} == {
        "teammates": 6, "collaborators": 1, "manager": 6,
    }  # fmt: skip
    assert to_hex(lines["manager"].get_color()[0]) == GREEN


def test_the_same_graph_is_the_same_drawing(drawn):
    one, two = ([t.xy for t in drawn().texts] for _ in range(2))
    assert np.array_equal(one, two)


def test_people_without_relations_stand_alone_and_nobody_is_refused(axes):
    alone = nx.MultiDiGraph()
    alone.add_node("Ana Silva", level=1, role="x")
    assert communities(alone) == [["Ana Silva"]]
    plot_graph(alone, axes())
    with pytest.raises(InvalidInput, match="nobody in it"):
        plot_graph(nx.MultiDiGraph(), axes())
