"""Figures of fair decisions: what is drawn is what the frame holds."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex

from support.analysis.fairness import budget
from support.analysis.stats import describe
from support.draw import NAMED
from support.plots.planning import plot_budget, plot_quality, plot_trajectory


def frame(places=(3, 5, 7), names=("random", "mcts"), hue="coordinator", count=6):
    usual = {"optimum": 1.0, "random": 90.0, "random_low": 60.0, "random_high": 120.0}
    usual |= {"random_best": 50.0, "k": 5, "objective": "divergence"}
    rows = []
    for n in places:
        for k, name in enumerate(names):
            for i in range(count):
                value = float(20 * (2 - k) + n + 7 * i % 10)
                row = {"decisions": n, hue: name, "instance": f"{n}-{i}"}
                rows.append(usual | row | {"divergence": value, "optimum": float(n)})
    return pd.DataFrame(rows)


def named(ax):
    return [line.get_label() for line in ax.lines if line.get_gid() == NAMED]


def drawn(ax, values):
    return any(
        len(line.get_ydata()) == len(values) and np.allclose(line.get_ydata(), values)
        for line in ax.lines
    )


def test_quality_is_drawn_at_its_means_before_random_plans_and_the_optimum(ax):
    more = pd.concat(
        [frame(), *[frame().query("instance == '3-0' and coordinator == 'mcts'")] * 2]
    )
    given = more.assign(optimum=more["optimum"].where(more["instance"] != "3-0", 0.0))
    plot_quality(given, ax, order=["mcts", "nobody"])
    table = describe(given, "divergence", ["coordinator", "decisions"]).query(
        "coordinator == 'mcts'"
    )
    assert (
        drawn(ax, table["mean"]) and drawn(ax, [90, 90, 90]) and drawn(ax, [50, 50, 50])
    )
    assert drawn(ax, [2.5, 5, 7])  # an instance counts once
    band = ax.collections[0].get_paths()[0].vertices[:, 1]
    assert (band.min(), band.max()) == (60, 120)
    assert (
        "best of 5 random plans" in named(ax)
        and "mcts" in named(ax)
        and "random" not in named(ax)
    )


def test_a_coordinator_has_one_colour_in_every_figure(axes):
    found = set()
    for order in (["mcts", "random"], ["random", "mcts"], ["mcts"]):
        (bars,) = [
            line
            for line in plot_quality(frame(), axes(), order=order).lines
            if line.get_label() == "mcts"
        ]
        found.add(to_hex(bars.get_color()))
    assert len(found) == 1


def test_a_budget_is_drawn_at_the_means_of_all_runs(ax):
    rows = []
    for name, last, run in product(("mcts", "model"), (1, 5), range(3)):
        for t in range(1, last + 1):
            rows.append((name, (run, last), 3 * t, 9.0 - t + run))
    columns = ["coordinator", "run", "evaluations", "standing_divergence"]
    rounds = pd.DataFrame(rows, columns=columns)
    plot_budget(rounds, ax)
    table = describe(
        budget(rounds), "standing_divergence", ["coordinator", "evaluations"]
    )
    assert all(drawn(ax, part["mean"]) for _, part in table.groupby("coordinator"))
    assert named(ax) == ["mcts (6 runs)", "model (6 runs)"]


def test_a_trajectory_writes_the_divergence_of_every_round(axes):
    """The first three rows of Table 2 of the paper."""
    printed = {1: (169, 157, 105), 2: (140, 145, 119), 3: (133, 184, 156)}
    told = pd.DataFrame(printed, index=["p1", "p2", "p3"]).T.rename_axis("round")
    told = told.reset_index().melt("round", var_name="participant", value_name="total")
    told["chosen"] = told["round"] == 2
    ax = plot_trajectory(told, axes(), optimum=3)
    texts = {t.get_text(): t for t in ax.texts}
    assert {"64", "26", "51"} < set(texts) and drawn(ax, [169, 140, 133])
    assert (to_hex(texts["26"].get_color()), to_hex(texts["64"].get_color())) == (
        "#b00000",
        "#000000",
    )
    assert (
        texts["26"].get_bbox_patch() is not None
        and texts["51"].get_bbox_patch() is None
    )
    assert any("optimum: 3" in text and "framed: chosen" in text for text in texts)
    two = pd.concat(
        [told.assign(position=0), told.assign(position=1, total=told["total"] + 1)]
    )
    both = plot_trajectory(two.assign(chosen=False), axes())
    assert both.lines[0].get_xdata() == pytest.approx([1, 1.3, 2, 2.3, 3, 3.3])
    assert not any("framed" in t.get_text() for t in both.texts)  # no plan was chosen
