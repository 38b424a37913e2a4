"""The drawings show the data that they are given, and names stand where they can be read."""

from io import BytesIO
from itertools import pairwise

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure
from matplotlib.text import Text

from support import draw
from support.errors import InvalidInput
from support.labs.lab import png

TABLE = pd.DataFrame(
    {
        "row": list("aabb"),
        "round": [1, 2, 1, 2],
        "mean": [1.0, 2.0, 3.0, 4.0],
        "n": [5, 6, 7, 8],
    }
).assign(low=lambda t: t["mean"] - 0.5, high=lambda t: t["mean"] + 1)


def test_a_line_for_each_level_in_a_look_of_its_own(ax):
    draw.lines(ax, TABLE, "round")
    shown = {line.get_label(): line for line in ax.lines}
    assert shown["b"].get_ydata().tolist() == [3.0, 4.0]
    one, other = (shown[name].properties() for name in "ab")
    assert all(one[look] != other[look] for look in ("color", "linestyle", "marker"))


def test_dots_stand_in_their_rows_hollow_where_told(ax):
    first = TABLE[TABLE["round"] == 1]
    first = first.set_axis([0, 0])  # as rows of two tables set one under the other
    hollow = first["row"] == "a"
    draw.dots(ax, first, "row", order=["b", "a"], hollow=hollow, notes={"b": "seven"})
    (marks,) = ax.collections[-1:]
    assert marks.get_offsets().tolist() == [[1.0, 1.0], [3.0, 0.0]]
    assert marks.get_facecolors()[0].tolist() == [1, 1, 1, 1]
    assert ax.texts[0].get_text() == "seven"


def test_tiles_show_every_number_and_frame_the_chosen(ax):
    wide = TABLE.pivot(index="row", columns="round", values="mean")
    draw.tiles(ax, wide, frames=[(1, 0)])
    assert [text.get_text() for text in ax.texts] == ["1.00", "2.00", "3.00", "4.00"]
    assert ax.patches[-1].get_xy() == (0, 1)


def test_each_level_has_a_panel_on_the_same_scales_with_its_baseline():
    fig = Figure(layout="constrained")
    draw.lines(fig.subplots(), TABLE, "round", hue="n", col="row", base=("silence", 9))
    assert [ax.get_title(loc="left") for ax in fig.axes] == ["a", "b"]
    for ax, name in zip(fig.axes, "ab", strict=True):
        drawn = [value for line in ax.lines[:-1] for value in line.get_ydata()]
        assert drawn == TABLE.loc[TABLE["row"] == name, "mean"].tolist()
        assert set(ax.lines[-1].get_ydata()) == {9}
    assert fig.axes[0].get_ylim() == fig.axes[1].get_ylim()


@settings(max_examples=10)
@given(st.lists(st.integers(0, 20), min_size=1, max_size=8))
def test_property_names_at_the_ends_keep_the_order_and_never_overlap(ends):
    rows = [(f"line {i}", x, end) for i, end in enumerate(ends) for x in (1, 2)]
    fig = Figure(figsize=(7, 3.4), layout="constrained")
    ax = fig.subplots()
    draw.lines(ax, pd.DataFrame(rows, columns=["row", "x", "mean"]), "x")
    draw.finish(fig)
    fig.draw_without_rendering()
    boxes = [Text.get_window_extent(text) for text in ax.texts]  # without leads
    heights = [box.y0 for box in boxes]
    assert heights == sorted(heights)
    named = [ends[int(text.get_text().split()[1])] for text in ax.texts]
    assert named == sorted(named)
    for lower, upper in pairwise(boxes):
        assert not lower.overlaps(upper)


def test_a_key_of_long_names_leaves_a_panel_its_width():
    fig = Figure(figsize=(4.5, 4), layout="constrained")
    ax = fig.subplots()
    names = TABLE["n"].map("model:{}@http://127.0.0.1:18431/v1".format)
    draw.dots(ax, TABLE.assign(who=names), "round", hue="who")
    ax.set_title("two\nlines")
    draw.finish(fig)
    assert ax.get_position().width > 0.8
    key = ax.get_legend().get_window_extent()
    assert key.y0 > ax.title.get_window_extent().y1


def test_a_laid_out_figure_is_the_same_picture_for_a_widget_as_drawn_by_matplotlib():
    first, other = (Figure(figsize=(4, 3), layout="constrained") for _ in range(2))
    for fig in (first, other):
        draw.dots(fig.subplots(), TABLE, "row")
    other.savefig(kept := BytesIO(), format="png", dpi=96)
    assert png(first) == kept.getvalue()


def test_a_column_that_is_not_there_is_named_beside_those_that_are(ax):
    for drawing, wrong in ((draw.dots, {"y": "rwo"}), (draw.lines, {"x": "runde"})):
        with pytest.raises(
            InvalidInput, match=r"no column.*its columns are: row, round"
        ):
            drawing(ax, TABLE, **wrong)
