"""The drawings show the data that they are given; a figure is saved with where it comes from."""

import json
from io import BytesIO

import pandas as pd
import pytest
from matplotlib.figure import Figure

from support import __version__, draw
from support.errors import InvalidInput

TABLE = pd.DataFrame(
    {
        "row": list("aabb"),
        "round": [1, 2, 1, 2],
        "mean": [1.0, 2.0, 3.0, 4.0],
        "n": [5, 6, 7, 8],
    }
).assign(low=lambda t: t["mean"] - 0.5, high=lambda t: t["mean"] + 1)
PROVENANCE = {"parameters": {"N": 2}, "participants": "rule-based", "seed": 7}


def test_a_line_for_each_level_in_a_look_of_its_own(ax):
    draw.lines(ax, TABLE, "round", band=True)
    shown = {line.get_label(): line for line in ax.lines}
    assert shown["b"].get_ydata().tolist() == [3.0, 4.0]
    one, other = (shown[name].properties() for name in "ab")
    assert all(one[look] != other[look] for look in ("color", "linestyle", "marker"))


def test_dots_stand_in_their_rows_hollow_where_told(ax):
    first = TABLE[TABLE["round"] == 1].set_axis(
        [0, 0]
    )  # as rows of two tables set one under the other
    draw.dots(
        ax,
        first,
        "row",
        order=["b", "a"],
        hollow=first["row"] == "a",
        notes={"b": "seven"},
    )
    (marks,) = ax.collections[-1:]
    assert marks.get_offsets().tolist() == [[1.0, 1.0], [3.0, 0.0]]
    assert (
        marks.get_facecolors()[0].tolist() == [1, 1, 1, 1]
        and ax.texts[0].get_text() == "seven"
    )


def test_tiles_show_every_number_and_frame_the_chosen(ax):
    draw.tiles(
        ax, TABLE.pivot(index="row", columns="round", values="mean"), frames=[(1, 0)]
    )
    assert [text.get_text() for text in ax.texts] == ["1.00", "2.00", "3.00", "4.00"]
    assert ax.patches[-1].get_xy() == (0, 1)


def test_a_figure_is_saved_in_three_formats_the_same_bytes_each_time_with_its_provenance(
    tmp_path, monkeypatch, ax
):
    monkeypatch.setenv("CONVENE_FIGURES", str(tmp_path))
    with pytest.raises(InvalidInput, match="participants missing"):
        draw.save(ax.figure, "study", "name", {"parameters": {}, "seed": 1})
    assert not list(tmp_path.iterdir())
    ax.plot([1, 2])
    path, again = (
        draw.save(ax.figure, study, "name", PROVENANCE) for study in ("study", "again")
    )
    assert path == tmp_path / "study" / "name.png"
    assert sorted(p.suffix for p in path.parent.iterdir()) == [
        ".json",
        ".pdf",
        ".png",
        ".svg",
    ]
    for suffix in (".png", ".pdf"):
        assert (
            path.with_suffix(suffix).read_bytes()
            == again.with_suffix(suffix).read_bytes()
        )
    about = json.loads(path.with_suffix(".json").read_text())
    assert (
        about["participants"] == "rule-based"
        and about["seed"] == 7
        and about["version"] == __version__
    )
    assert (
        about["commit"]
        and len(about["sources"]) == 64
        and about["time"].endswith("+00:00")
    )
    assert [text.get_text() for text in ax.figure.texts] == [
        "participants: rule-based"
    ], "once, however often saved"


def test_a_laid_out_figure_is_the_same_picture_for_a_widget_as_drawn_by_matplotlib():
    first, other = (Figure(figsize=(4, 3), layout="constrained") for _ in range(2))
    for fig in (first, other):
        draw.lines(fig.subplots(), TABLE, "round")
    other.savefig(kept := BytesIO(), format="png", dpi=96)
    assert draw.png(first) == kept.getvalue()
