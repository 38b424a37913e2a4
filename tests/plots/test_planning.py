"""Figures of fair decisions: what is drawn is what the frame holds."""

from itertools import product

import pandas as pd
import pytest
from matplotlib.colors import to_hex

from support.analysis.fairness import budget
from support.analysis.stats import describe
from support.draw import NAMED
from support.plots.planning import plot_budget, plot_quality, plot_trajectory


def runs():
    """Two coordinators at three sizes, six instances of each."""
    allowed = {"random": 90.0, "random_low": 60.0, "random_high": 120.0, "k": 5}
    allowed |= {"random_best": 50.0, "objective": "divergence"}
    rows = []
    for n, (k, name), i in product((3, 5, 7), enumerate(("random", "mcts")), range(6)):
        row = {"decisions": n, "coordinator": name, "instance": f"{n}-{i}"}
        row |= {"divergence": float(20 * (2 - k) + n + 7 * i % 10), "optimum": float(n)}
        rows.append(allowed | row)
    return pd.DataFrame(rows)


def drawn(ax):
    """What the named lines hold, by name, and the colour of each."""
    named = [line for line in ax.lines if line.get_gid() == NAMED]
    values = {line.get_label(): line.get_ydata() for line in named}
    return values, {line.get_label(): to_hex(line.get_color()) for line in named}


def test_quality_is_drawn_at_its_means_before_random_plans_and_the_optimum(ax):
    frame = runs()
    frame.loc[frame["instance"] == "3-0", "optimum"] = 0.0
    lost = frame["instance"].eq("3-1") & frame["coordinator"].eq("random")
    plot_quality(frame[~lost], ax, order=["mcts", "nobody"])
    lines, _ = drawn(ax)
    means = describe(frame, "divergence", ["coordinator", "decisions"])
    means = means[means["coordinator"] == "mcts"]["mean"].tolist()
    assert lines.pop("mcts").tolist() == pytest.approx(means)
    assert lines.pop("best of 5 random plans").tolist() == [50] * 3
    assert lines.pop("random plan, mean").tolist() == [90] * 3
    [best] = lines.values()
    assert best.tolist() == [2.5, 5, 7]  # an instance counts once
    band = ax.collections[0].get_paths()[0].vertices[:, 1]
    assert (band.min(), band.max()) == (60, 120)


def test_a_coordinator_has_one_colour_in_every_figure(axes):
    found = set()
    for order in (["mcts", "random"], ["random", "mcts"], ["mcts"]):
        panel = axes()
        plot_quality(runs(), panel, order=order)
        found.add(drawn(panel)[1]["mcts"])
    assert len(found) == 1


def test_a_budget_is_drawn_at_the_means_of_all_runs(ax):
    rows = []
    for name, last, run in product(("mcts", "model"), (1, 5), range(3)):
        for t in range(1, last + 1):
            rows.append((name, (run, last), 3 * t, 9.0 - t + run))
    columns = ["coordinator", "run", "evaluations", "standing_divergence"]
    rounds = pd.DataFrame(rows, columns=columns)
    plot_budget(rounds, ax)
    keys = ["coordinator", "evaluations"]
    means = describe(budget(rounds), "standing_divergence", keys)
    for name, part in means.groupby("coordinator"):
        assert drawn(ax)[0][name].tolist() == part["mean"].tolist()


def test_a_trajectory_writes_the_divergence_of_every_round(axes):
    """The first three rows of Table 2 of the paper."""
    printed = {1: (169, 157, 105), 2: (140, 145, 119), 3: (133, 184, 156)}
    told = pd.DataFrame(printed, index=["p1", "p2", "p3"]).T.rename_axis("round")
    told = told.reset_index().melt("round", var_name="participant", value_name="total")
    panel = axes()
    plot_trajectory(told.assign(chosen=told["round"] == 2), panel)
    texts = {text.get_text(): text for text in panel.texts}
    assert {*texts} == {"64", "26", "51"}
    red = [
        name for name, text in texts.items() if to_hex(text.get_color()) == "#b00000"
    ]
    framed = [name for name, text in texts.items() if text.get_bbox_patch()]
    assert red == framed == ["26"]
    assert drawn(panel)[0]["p1"].tolist() == [169, 140, 133]
    two = told.assign(position=0), told.assign(position=1, total=told["total"] + 1)
    panel = axes()
    plot_trajectory(pd.concat(two), panel)
    assert panel.lines[0].get_xdata() == pytest.approx([1, 1.3, 2, 2.3, 3, 3.3])
    assert not any(text.get_bbox_patch() for text in panel.texts)  # no plan was chosen
