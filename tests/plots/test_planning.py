"""Figures of fair decisions: what is drawn is what the frame holds."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex

from support.analysis.bargains import frontier
from support.analysis.fairness import budget
from support.analysis.stats import describe
from support.draw import COLOURS
from support.errors import InvalidInput
from support.plots.planning import (
    plot_ablation,
    plot_budget,
    plot_people,
    plot_quality,
    plot_totals,
    plot_trajectory,
)


def frame(places=(3, 5, 7), x="decisions", hue="coordinator", names=("random", "mcts"), count=6):
    rng = np.random.default_rng(1)
    rows = [
        {x: n, hue: name, "instance": f"{n}-{i}", "divergence": float(20 * (2 - k) + n + rng.integers(10))}
        for n in places
        for k, name in enumerate(names)
        for i in range(count)
    ]
    return pd.DataFrame(rows)


def with_references(given):
    return given.assign(
        optimum=given["decisions"] * 1.0, random=90.0, random_low=60.0, random_high=120.0, random_best=50.0
    )


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def drawn(ax, values):
    return any(len(line.get_ydata()) == len(values) and np.allclose(line.get_ydata(), values) for line in ax.lines)


def test_quality_is_drawn_at_its_means_with_intervals(ax):
    given = frame()
    plot_quality(given, ax)
    for name, part in describe(given, "divergence", ["coordinator", "decisions"]).groupby("coordinator"):
        assert drawn(ax, part["mean"]), name
        (bars,) = [c for c in ax.containers if c.get_label() == name]
        ends = np.array([segment[:, 1] for segment in bars[2][0].get_segments()])
        assert ends == pytest.approx(part[["low", "high"]].to_numpy())
    assert legend(ax) == ["random", "mcts"]
    assert ax.get_ylabel() == "divergence (points, lower is fairer)" and ax.get_xlabel() == "decisions n"


def test_random_plans_and_the_optimum_stand_behind(ax):
    plot_quality(with_references(frame()), ax, order=["mcts"])
    assert drawn(ax, [3, 5, 7]) and drawn(ax, [90, 90, 90]) and drawn(ax, [50, 50, 50])
    band = ax.collections[0].get_paths()[0].vertices[:, 1]
    assert (band.min(), band.max()) == (60, 120)
    assert legend(ax)[-1] == "mcts" and "optimum (exact solver)" in legend(ax) and len(legend(ax)) == 5


def test_a_coordinator_has_one_colour_in_every_figure(axes):
    colours = []
    for order in (["mcts", "random"], ["random", "mcts"], ["mcts"]):
        ax = axes()
        plot_quality(frame(), ax, order=order)
        (bars,) = [c for c in ax.containers if c.get_label() == "mcts"]
        colours.append(to_hex(bars[0].get_color()))
    assert len(set(colours)) == 1
    ax = axes()
    plot_quality(frame(names=("mcts", "of my own")), ax)
    assert len({to_hex(c[0].get_color()) for c in ax.containers}) == 2


def test_every_instance_counts_once_among_the_references(ax):
    given = with_references(frame(count=2))
    given.loc[given["instance"] == "3-0", "optimum"] = 1.0
    more = pd.concat([given, *[given[given["instance"] == "3-0"]] * 5])
    plot_quality(more, ax)
    assert drawn(ax, [2, 5, 7])


def test_many_places_have_bands_in_the_place_of_bars(ax):
    plot_quality(frame(places=range(3, 31)), ax)
    assert not ax.containers and len(ax.collections) == 2


def test_the_order_chooses_and_an_unknown_name_is_refused(axes):
    assert legend(plot_quality(frame(), axes(), order=["mcts"])) == ["mcts"]
    with pytest.raises(InvalidInput, match="'model' is no value of 'coordinator'"):
        plot_quality(frame(), axes(), order=["model"])


def test_a_budget_is_drawn_at_the_means_of_all_runs(ax):
    rows = [
        {"coordinator": name, "instance": f"i{i}", "round": t, "evaluations": 3 * t,
         "standing_divergence": 40.0 - 5 * t + i}
        for name, last in (("mcts", 5), ("model", 3))
        for i in range(4)
        for t in range(1, last + 1 - (i == 0))
    ]  # fmt: skip
    rounds = pd.DataFrame(rows)
    plot_budget(rounds, ax)
    table = describe(budget(rounds), "standing_divergence", ["coordinator", "evaluations"])
    assert drawn(ax, table[table["coordinator"] == "mcts"]["mean"])
    assert drawn(ax, table[table["coordinator"] == "model"]["mean"])
    assert set(table["n"]) == {4}
    assert legend(ax) == ["mcts (4 runs)", "model (4 runs)"]


def test_an_ablation_shows_means_and_every_case(ax):
    given = frame(places=(3, 5), hue="prompt", names=("full", "no example"), count=5)
    plot_ablation(given, ax)
    heights = sorted(p.get_height() for p in ax.patches)
    assert heights == pytest.approx(sorted(describe(given, "divergence", ["prompt", "decisions"])["mean"]))
    dots = np.concatenate([line.get_ydata() for line in ax.lines if line.get_marker() == "."])
    assert sorted(dots) == sorted(given["divergence"])
    assert legend(ax) == ["full", "no example"] and [t.get_text() for t in ax.texts] == ["5"] * 4
    pairs = {tuple(line.get_ydata()) for line in ax.lines if len(line.get_ydata()) == 2 and line.get_linestyle() == "-"}
    both = given.pivot(index="instance", columns="prompt", values="divergence")[["full", "no example"]]
    assert set(map(tuple, both.to_numpy())) <= pairs


def test_a_prompt_that_was_not_tried_everywhere_leaves_a_gap(ax):
    given = frame(places=(3, 5), hue="prompt", names=("full", "no example"))
    plot_ablation(given[(given["prompt"] == "full") | (given["decisions"] == 5)], ax)
    assert len(ax.patches) == 3


TOLD = pd.DataFrame(
    [
        {"round": t, "plan": f"p{t}", "participant": name, "total": total, "chosen": t == 2}
        for t, row in enumerate(((169, 157, 105), (140, 145, 119), (133, 184, 156)), start=1)
        for name, total in zip(("p1", "p2", "p3"), row, strict=True)
    ]
)
"""The first three rows of Table 2 of the paper."""


def test_a_trajectory_writes_the_divergence_of_every_round(ax):
    plot_trajectory(TOLD, ax, optimum=3)
    texts = {t.get_text(): t for t in ax.texts}
    assert {"64", "26", "51"} < set(texts)
    assert (to_hex(texts["26"].get_color()), to_hex(texts["64"].get_color())) == ("#b00000", "#000000")
    assert texts["26"].get_bbox_patch() is not None and texts["51"].get_bbox_patch() is None
    assert drawn(ax, [169, 140, 133]) and legend(ax) == ["p1", "p2", "p3"]
    assert any("optimum: 3" in text and "framed: chosen" in text for text in texts)


def test_two_plans_of_a_round_stand_side_by_side(ax):
    two = pd.concat([TOLD.assign(position=0), TOLD.assign(position=1, total=TOLD["total"] + 1)])
    plot_trajectory(two.assign(chosen=False), ax)
    assert ax.lines[0].get_xdata() == pytest.approx([1, 1.3, 2, 2.3, 3, 3.3])
    assert list(ax.get_xticks()) == [1, 2, 3]
    assert not any("framed" in t.get_text() for t in ax.texts)  # no plan was chosen


def test_totals_are_bars_and_the_divergence_stands_between_them(ax):
    plot_totals({"Ana": 83, "Ben": 210, "Chi": 77.5}, ax, highest=300, before={"Ana": 120}, optimum=3)
    filled = [p for p in ax.patches if p.get_fill()]
    assert [p.get_height() for p in filled[:3]] == [83, 210, 77.5]
    assert [to_hex(p.get_facecolor()) for p in filled[:3]] == [c.lower() for c in COLOURS[:3]]
    texts = [t.get_text() for t in ax.texts]
    assert texts[:3] == ["83", "210", "77.5"]
    assert "divergence\n132\n(optimum 3)" in texts
    assert ax.get_ylim() == (0, 300)


def gains(a, b):
    k = np.arange(4)
    return tuple(tuple(tuple(map(int, row)) for row in np.outer(w, n)) for w, n in ((a, k), (b, k[::-1])))


def people(*priorities):
    rows = [
        {"gains": gains(*pair), "reached": reached, "points_a": x, "points_b": y, "fair_a": 18, "fair_b": 19}
        for pair in priorities
        for reached, x, y in ((True, 20, 16), (True, 20, 16), (True, 14, 22), (False, np.nan, np.nan))
    ]
    return pd.DataFrame(rows)


def test_people_s_deals_stand_beside_the_frontier_and_the_fair_deal(ax):
    plot_people(people(((5, 4, 3), (3, 5, 4))), ax)
    circles = ax.collections[0]
    assert sorted(map(tuple, circles.get_offsets().tolist())) == [(14, 22), (20, 16)]
    assert sorted(circles.get_sizes()) == [40, 80]
    assert drawn(ax, frontier(gains((5, 4, 3), (3, 5, 4)))["points_b"])
    assert "people's deals (3 of 4 groups), area: how many" in legend(ax) and "efficient deals" in legend(ax)
    assert drawn(ax, [19])


def test_different_priorities_have_no_common_frontier(ax):
    plot_people(people(((5, 4, 3), (3, 5, 4)), ((5, 4, 3), (5, 4, 3))), ax)
    assert "efficient deals" not in legend(ax) and "fairest deal (solver)" in legend(ax)
