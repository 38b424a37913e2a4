"""The four drawings show the data that they are given; a figure is saved with where it comes from."""

import json

import numpy as np
import pandas as pd
import pytest

from support import __version__, draw
from support.errors import InvalidInput

TABLE = pd.DataFrame(
    {"row": list("aabb"), "round": [1, 2, 1, 2], "mean": [1.0, 2.0, 3.0, 4.0], "n": [5, 6, 7, 8]}
).assign(low=lambda t: t["mean"] - 0.5, high=lambda t: t["mean"] + 1)
PROVENANCE = {"parameters": {"N": 2}, "participants": "rule-based", "seed": 7}


def test_a_line_for_each_level_in_a_look_of_its_own_and_hollow_marks_for_what_is_printed(ax):
    printed = pd.DataFrame({"row": ["a"], "round": [2], "value": [2.5]})
    draw.lines(ax, TABLE, "round", published=printed, band=True)
    shown = {line.get_label(): line for line in ax.lines if line.get_label() in ("a", "b")}
    assert shown["b"].get_ydata().tolist() == [3.0, 4.0]
    assert all(shown["a"].__getattribute__(f"get_{look}")() != shown["b"].__getattribute__(f"get_{look}")()
               for look in ("color", "linestyle", "marker"))  # fmt: skip
    (hollow,) = (line for line in ax.lines if line.get_fillstyle() == "none" and len(line.get_xdata()))
    assert (hollow.get_ydata().tolist(), hollow.get_color()) == ([2.5], shown["a"].get_color())


def test_dots_stand_in_their_rows_hollow_where_told(ax):
    first = TABLE[TABLE["round"] == 1].set_axis([0, 0])  # as rows of two tables set one under the other
    draw.dots(ax, first, "row", order=["b", "a"], hollow=first["row"] == "a", notes={"b": "seven"})
    (marks,) = ax.collections[-1:]
    assert marks.get_offsets().tolist() == [[1.0, 1.0], [3.0, 0.0]]
    assert marks.get_facecolors()[0].tolist() == [1, 1, 1, 1] and ax.texts[0].get_text() == "seven"


def test_bars_carry_a_hatch_for_each_level_and_their_counts(ax):
    draw.bars(ax, TABLE, "round", hue="row")
    assert [bar.get_height() for bar in ax.patches] == [1.0, 2.0, 3.0, 4.0]
    assert {bar.get_hatch() for bar in ax.patches[:2]} != {bar.get_hatch() for bar in ax.patches[2:]}
    assert [text.get_text() for text in ax.texts] == ["5", "6", "7", "8"]


def test_tiles_show_every_number_and_frame_the_chosen(ax):
    draw.tiles(ax, TABLE.pivot(index="row", columns="round", values="mean"), frames=[(1, 0)])
    assert [text.get_text() for text in ax.texts] == ["1.00", "2.00", "3.00", "4.00"]
    assert ax.patches[-1].get_xy() == (0, 1)


def test_margins_are_lengths_and_nothing_where_there_is_no_interval():
    part = pd.DataFrame({"mean": [1.0, 2.0], "low": [0.5, np.nan], "high": [2.0, np.nan]})
    assert draw.margins(part, "mean").tolist() == [[0.5, 0.0], [1.0, 0.0]]


def test_colours_and_marks_tell_eight_things_apart():
    assert len(set(draw.COLOURS)) == len(set(draw.MARKS)) == len(set(draw.HATCHES)) == 8


def test_a_figure_is_saved_in_three_formats_with_its_provenance(tmp_path, ax):
    ax.plot([1, 2])
    path = draw.save(ax.figure, "study", "name", PROVENANCE, folder=tmp_path)
    assert path == tmp_path / "name.png"
    assert sorted(p.suffix for p in tmp_path.iterdir()) == [".json", ".pdf", ".png", ".svg"]
    about = json.loads((tmp_path / "name.json").read_text())
    assert about["participants"] == "rule-based" and about["seed"] == 7 and about["version"] == __version__
    assert [text.get_text() for text in ax.figure.texts] == [
        "participants: rule-based"
    ]  # once, however often it is saved
    assert about["commit"] and len(about["sources"]) == 64 and about["time"].endswith("+00:00")


def test_the_same_drawing_is_the_same_bytes(tmp_path, ax):
    ax.plot([1, 2])
    for folder in ("one", "two"):
        draw.save(ax.figure, "study", "name", PROVENANCE, folder=tmp_path / folder)
    for suffix in ("png", "pdf"):
        assert (tmp_path / f"one/name.{suffix}").read_bytes() == (tmp_path / f"two/name.{suffix}").read_bytes()


def test_a_figure_without_its_participants_is_not_saved(tmp_path, ax):
    with pytest.raises(InvalidInput, match="participants missing"):
        draw.save(ax.figure, "study", "name", {"parameters": {}, "seed": 1}, folder=tmp_path / "none")
    assert not (tmp_path / "none").exists()
