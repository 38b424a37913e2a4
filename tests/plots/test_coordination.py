"""Figures of coordination: what is drawn is what the frame holds."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle

from support.analysis.meetings import changes, confusion, gap_closed, kappa, mean_changes
from support.draw import COLOURS
from support.errors import InvalidInput
from support.meetings.records import CoordinationRound, Option, Score
from support.plots.coordination import (
    closed,
    metric_grid,
    plot_changes,
    plot_confusion,
    plot_kappa,
    plot_runs,
    plot_scores,
)


def frame():
    rng = np.random.default_rng(1)
    rows = []
    for setting in ("n = 3", "n = 5"):
        for i in range(6):
            for t in (1, 2, 3):
                ratio = 0.0 if (setting, i, t) == ("n = 5", 0, 1) else float(rng.choice([40, 60, 80, 100]))
                rows.append({"setting": setting, "meeting": f"M{i}", "round": t, "interactions": 4.0 - t,
                             "satisfaction_ratio": ratio, "satisfaction_score": ratio / 40, "equity": 0.5})  # fmt: skip
    return pd.DataFrame(rows)


TABLE = mean_changes(changes(frame()))
TRUE = frame().assign(true_ratio=lambda f: 30 + 10.0 * f["round"], chance_ratio=30.0, best_ratio=70.0)
PAPER = pd.DataFrame(
    [("n = 3", "interactions", -25.0), ("n = 5", "interactions", -50.0)], columns=["row", "column", "value"]
)


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def round_of(*rows, truth=()):
    options = tuple(Option(f"O{i}", f"2026-02-16T{9 + i:02d}:00-05:00") for i, _ in enumerate(rows, 1))
    scores = tuple(
        Score(o.id, m, v) for o, row in zip(options, rows, strict=True) for m, v in zip("AB", row, strict=True)
    )
    return CoordinationRound(2, (), options, scores, "O1", tuple(Score(*t) for t in truth))


def test_changes_are_drawn_at_their_means_with_what_was_left_out_in_the_legend(axes):
    ax = plot_changes(TABLE, axes(), "satisfaction_ratio")
    mine = TABLE[(TABLE["metric"] == "satisfaction_ratio") & (TABLE["setting"] == "n = 5")]
    drawn = [line.get_ydata() for line in ax.lines]
    assert any(len(y) == 3 and np.allclose(y, mine["mean"]) for y in drawn)
    start = mine["start"].iloc[0]
    assert f"n = 5: {start:.1f} (1 of 6 left out)" in legend(ax)
    assert ax.get_ylabel() == "satisfaction ratio (% change from round 1)"


def test_the_paper_s_changes_are_dashes_in_the_colour_of_their_line(axes):
    ax = plot_changes(TABLE, axes(), "interactions", published=PAPER)
    dashes = [line for line in ax.lines if line.get_linewidth() == 4]
    assert [line.get_ydata()[0] for line in dashes] == [-25, -50]
    assert [line.get_color() for line in dashes] == list(COLOURS[:2])
    assert legend(ax)[-1] == "the paper's text, about"


def test_the_order_chooses_the_lines_and_an_unknown_name_is_refused(axes):
    assert [t.split(":")[0] for t in legend(plot_changes(TABLE, axes(), "equity", order=["n = 5"]))] == ["n = 5"]
    with pytest.raises(InvalidInput, match="'n = 9' is no value of 'setting'"):
        plot_changes(TABLE, axes(), "equity", order=["n = 9"])
    with pytest.raises(InvalidInput, match="metric: 'speed' given; expected one of interactions"):
        plot_changes(TABLE, axes(), "speed")


def test_the_grid_has_the_four_metrics_of_the_paper(axes):
    drawn = metric_grid(TABLE, gap_closed(TRUE), axes(1, 5).ravel())
    assert [ax.get_ylabel().split(" (")[0] for ax in drawn] == [
        "interactions", "satisfaction ratio", "satisfaction score", "equity", "way from chance to optimum, true ratio",
    ]  # fmt: skip
    assert legend(drawn[4]) == ["n = 3: 30 to 70 %", "n = 5: 30 to 70 %"]


def test_chance_and_optimum_stand_where_the_truth_is_drawn(axes):
    mine = TRUE.query("setting == 'n = 3'")
    ax = plot_runs(mine, axes(), "true_ratio")
    levels = {line.get_label(): line.get_ydata()[0] for line in ax.lines}
    assert (levels["chance"], levels["optimum"]) == (30, 70)
    assert (
        ax.get_title()
        == closed(mine).removeprefix("true ratio: ")
        == "chance 30, reached 60, optimum 70 % (75 % of the way)"
    )
    assert closed(mine) in plot_scores(round_of((3, 2), (0, 1)), axes(), rounds=mine).get_xlabel()


def test_every_run_is_a_line_near_its_values_and_the_mean_is_thick(axes):
    mine = frame().query("setting == 'n = 3'")
    ax = plot_runs(mine, axes(), "satisfaction_ratio")
    thin, thick = [line for line in ax.lines if line.get_linewidth() < 1], ax.lines[-1]
    runs = [run["satisfaction_ratio"].to_numpy() for _, run in mine.groupby("meeting", sort=False)]
    assert len(thin) == 6
    assert all(np.abs(line.get_ydata() - run).max() <= 1 for line, run in zip(thin, runs, strict=True))
    assert thick.get_ydata() == pytest.approx(np.mean(runs, axis=0))
    assert legend(ax) == ["mean of 6 meetings"]


def test_scores_are_written_the_candidate_is_framed_and_the_metrics_stand_beside(axes):
    ax = plot_scores(round_of((3, 2), (0, 1), truth=[("O1", "A", 1)]), axes(), truth=True)
    texts = [t.get_text() for t in ax.texts]
    assert texts[:4] == ["3 (1)", "2", "0", "1"]
    assert "100 %   2.50   0.10" in texts
    assert "50 %   0.50   0.50" in texts
    frames = [p for p in ax.patches if isinstance(p, Rectangle)]
    assert [(p.get_y(), p.get_width(), to_hex(p.get_edgecolor())) for p in frames] == [(0, 2, COLOURS[4].lower())]
    assert [t.get_text() for t in ax.get_yticklabels()] == ["O1, Mon 16 Feb 10:00", "O2, Mon 16 Feb 11:00"]


def test_a_round_without_options_has_no_scores_to_show(axes):
    with pytest.raises(InvalidInput, match="round 1: no options"):
        plot_scores(CoordinationRound(1, (), (), (), None), axes())


def pairs():
    good = [(k % 4, (k + (k % 7 == 0)) % 4) for k in range(40)]
    rows = [{"evaluator": "rule-based", "meeting": k, "score": a, "exact": b} for k, (a, b) in enumerate(good)]
    return pd.DataFrame(rows + [{"evaluator": "model", "meeting": k, "score": 3, "exact": k % 4} for k in range(8)])


def test_kappa_is_marked_and_where_there_is_none_the_reason_stands(axes):
    table = kappa(pairs(), np.random.default_rng(1), draws=50)
    ax = plot_kappa(table, axes())
    drawn = np.concatenate([line.get_xdata() for line in ax.lines if line.get_marker() in ("o", "s")])
    assert np.isin(table["kappa"].dropna(), drawn).all()
    assert [t.get_text() for t in ax.texts] == ["no kappa: score never varies: agreement is not defined"]
    assert [t.get_text().split("\n")[2] for t in ax.get_yticklabels()] == ["40 pairs", "8 pairs"]


def test_confusion_writes_the_counts_and_names_both_sides(axes):
    table = confusion(pairs().query("evaluator == 'rule-based'"))
    ax = plot_confusion(table, axes())
    assert [int(t.get_text()) for t in ax.texts] == table.to_numpy().ravel().tolist()
    assert (ax.get_ylabel(), ax.get_xlabel()) == ("score (0 to 3)", "exact (0 to 3)")
