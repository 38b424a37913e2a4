"""Figures of the organiser's agent: what is drawn is what the frame holds."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex

from support import published
from support.analysis.organizing import three_runs
from support.analysis.organizing.outcomes import OUTCOMES
from support.analysis.stats import describe
from support.errors import InvalidInput
from support.plots.organizing import (
    LABELS,
    plot_confusion,
    plot_outcomes,
    plot_scores,
    plot_three_runs,
)

FIRST, SECOND = "2027-09-15", "2027-10-13"


def rehearsals(count=8):
    rng = np.random.default_rng(1)
    return pd.DataFrame(
        {
            "policies": policies,
            "scenario": scenario,
            "repetition": k,
            "share_filled": rng.choice([0.5, 0.75, 1.0]),
            "days_until_filled": np.nan if policies == "none" else float(rng.integers(5, 20)),
        }
        for policies in ("seed", "none")
        for scenario in ("four", "panel")
        for k in range(count)
    )


def runs(**accuracies):
    return pd.DataFrame(
        {"technique": name, "run": k, "accuracy": value}
        for name, values in accuracies.items()
        for k, value in enumerate(values)
    )


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def points(ax):
    return {tuple(np.round(xy, 6)) for line in ax.lines for xy in line.get_xydata()}


def test_bars_stand_at_the_means_with_their_intervals(ax):
    frame = rehearsals()
    plot_outcomes(frame, ax, hue="scenario")
    table = describe(frame, "share_filled", ["policies", "scenario"]).set_index(["scenario", "policies"])
    heights = [bar.get_height() for bar in ax.patches]
    expected = table.loc[[(s, p) for s in ("four", "panel") for p in ("seed", "none")]]
    assert heights == pytest.approx(expected["mean"].tolist())
    ends = [segment[:, 1] for c in ax.containers if hasattr(c, "has_yerr") for segment in c[2][0].get_segments()]
    assert np.array(ends) == pytest.approx(expected[["low", "high"]].to_numpy())
    assert legend(ax) == ["four", "panel"] and ax.get_ylabel() == "share of seats filled"
    assert [label.get_text() for label in ax.get_xticklabels()] == ["seed", "none"]


def test_rehearsals_without_the_outcome_are_counted_at_the_foot(ax):
    frame = rehearsals()
    frame.loc[frame.index[:3], "days_until_filled"] = np.nan
    plot_outcomes(frame, ax, value="days_until_filled")
    assert [text.get_text() for text in ax.texts] == ["13 of 16", "0 of 16"]


def test_an_order_with_a_stranger_is_refused(ax):
    with pytest.raises(InvalidInput, match=r"order: 'mine' is no value of 'policies'; there are: seed, none"):
        plot_outcomes(rehearsals(), ax, order=["mine"])


def test_every_outcome_has_a_label_of_its_own():
    assert set(OUTCOMES) <= set(LABELS) and len({LABELS[name] for name in OUTCOMES}) == len(OUTCOMES)


def test_runs_means_and_published_values_are_drawn(ax):
    table = published.load("002_0d724da09908f95e", "Table 2")
    intervals = pd.DataFrame([{"technique": "zero", "low": 0.5, "high": 0.9}])
    plot_scores(runs(zero=[0.7, 0.8, 0.75], mine=[0.6]), ax, value="accuracy", published=table, intervals=intervals)
    there = points(ax)
    assert {(-0.15, 0.75), (0.85, 0.6), (0.15, 0.79), (2.15, 0.88), (3.15, 0.93)} <= there
    assert {(-0.23, 0.7), (-0.07, 0.75), (-0.15, 0.8)} <= there
    assert [t.get_text() for t in ax.get_xticklabels()] == ["zero", "mine", "few", "few with\npolicies"]
    ends = [tuple(s[:, 1]) for c in ax.containers for s in (c[2][0].get_segments() if c[2] else ())]
    assert any(np.allclose(end, (0.5, 0.9)) for end in ends) and any(np.allclose(end, (0.769, 0.811)) for end in ends)
    assert legend(ax) == ["here: mean, 95 % over cases", "here: single runs", "published: mean, SD of 3 runs"]


def test_the_key_says_what_was_drawn_anew_and_how_much_it_covers(ax):
    intervals = pd.DataFrame([{"technique": "slot", "low": 0.5, "high": 0.9, "level": 0.8}])
    table = runs(slot=[0.7, 0.8]).rename(columns={"accuracy": "micro_f1"})
    plot_scores(table, ax, value="micro_f1", intervals=intervals)
    assert legend(ax)[0] == "here: mean, 80 % over states"


def test_cases_to_flag_stand_above_routine_ones(ax):
    table = pd.DataFrame(
        {"technique": "few", "case": list("abcd"), "flag": [False, True, True, False], "flagged": [0.5, 0.4, 1.0, 0.0]}
    )
    plot_confusion(table, ax, technique="few")
    assert [label.get_text() for label in ax.get_yticklabels()] == ["c", "b", "a", "d"]
    assert [bar.get_width() for bar in ax.patches] == [1.0, 0.4, 0.5, 0.0]
    assert len({to_hex(bar.get_facecolor()) for bar in ax.patches}) == 2
    with pytest.raises(InvalidInput, match="technique: none is 'zero'; there are: few"):
        plot_confusion(table, ax, technique="zero")


def test_false_alarms_of_every_test_are_a_line(ax):
    tables = [three_runs(np.random.default_rng(1), steadiness=s, simulations=50) for s in (0.9, 0.2)]
    plot_three_runs(pd.concat(tables), ax)
    for container, (_, part) in zip(ax.containers, pd.concat(tables).groupby("test", sort=False), strict=True):
        expected = part.sort_values("steadiness")[["steadiness", "significant"]]
        assert container[0].get_xydata() == pytest.approx(expected.to_numpy())
        ends = np.array([segment[:, 1] for segment in container[2][0].get_segments()])
        errors = part.sort_values("steadiness")["se"].to_numpy()
        assert ends[:, 1] - ends[:, 0] == pytest.approx(2 * 1.96 * errors)
    assert len(legend(ax)) == 4 and ax.lines[-1].get_ydata() == [0.05, 0.05]
