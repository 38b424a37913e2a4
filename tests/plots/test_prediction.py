"""The figure of errors draws what the frame says."""

import pandas as pd
import pytest

from support.analysis.prediction import measured, scores
from support.plots.prediction import plot_error


@pytest.fixture
def errors():
    rows = [
        {"rule": rule, "round": r, "prediction": None if (r, case) == (1, 0) else 3.0 + case, "truth": 4.0}
        for rule in ("majority", "rated") for r in (1, 2) for case in (0, 1, 2)
    ]  # fmt: skip
    return measured(pd.DataFrame(rows).astype({"prediction": float}))


@pytest.fixture
def drawn(axes):
    def draw(errors, **options):
        ax = axes()
        assert plot_error(errors, ax, **options) is ax
        return ax

    return draw


def test_lines_are_the_means_of_the_decided_and_bars_the_share_of_the_undecided(errors, drawn):
    ax = drawn(errors)
    lines = {line.get_label(): list(line.get_ydata()) for line in ax.lines}
    assert lines == {name: [0.5, pytest.approx(2 / 3)] for name in ("majority", "rated")}
    bars = [patch.get_height() for other in ax.figure.axes if other is not ax for patch in other.patches]
    assert bars == pytest.approx([100 / 3, 0, 100 / 3, 0])
    assert "stars" in ax.get_ylabel() and ax.get_xlabel() == "round"


def test_the_axis_spans_the_lines_and_bands_may_be_left_out(errors, drawn):
    low, high = drawn(errors).get_ylim()
    assert low < 0.5 and 2 / 3 < high < 0.8
    assert [len(drawn(errors, intervals=shown).collections) for shown in (True, False)] == [2, 0]


def test_the_rmse_is_drawn_when_asked(errors, drawn):
    assert drawn(errors, measure="rmse").lines[0].get_ydata()[0] == pytest.approx(0.5**0.5)


def test_published_numbers_of_the_measure_are_hollow_marks_beside_their_line(errors, drawn):
    cells = [("rated", "mae@1", 0.9), ("rated", "rmse@1", 1.1), ("unanimous", "mae@1", 0.8)]
    ax = drawn(errors, published=pd.DataFrame(cells, columns=["row", "column", "value"]))
    hollow = [line for line in ax.lines if line.get_fillstyle() == "none" and len(line.get_ydata())]
    assert [list(line.get_ydata()) for line in hollow] == [[0.9]]
    assert hollow[0].get_color() == ax.lines[1].get_color()


def test_other_predictors_are_horizontal_lines_with_names(errors, drawn):
    others = scores(errors.assign(method="always 4"), "method")
    ax = drawn(errors, references=others)
    assert ax.lines[-1].get_ydata()[0] == pytest.approx(others["value"][0])
    assert "always 4" in [text.get_text() for text in ax.texts]
