"""The wheel's films and the archive's are read alike, oddities included."""

import pytest

from support.roundtable.ratings import _items

HEADER = "item_id:token\tmovie_title:token_seq\trelease_year:token\tclass:token_seq\n"


@pytest.mark.parametrize(
    ("row", "film"),
    [
        ("7\tAn Invented Film\t1991\tAction Film-Noir", ["An Invented Film", "1991", ("Action", "Film-Noir")]),
        ("7\tA Video (1988)\tV\tComedy", ["A Video", "1988", ("Comedy",)]),  # the year was lost to the title
        ("7\tunkonwn\tunkonwn\tunknown", ["unknown", "", ("unknown",)]),  # so spelt in the source
        ('7\tA "Quoted" Film\t1991\tWar', ['A "Quoted" Film', "1991", ("War",)]),
    ],
)
def test_films_of_the_wheel(tmp_path, row, film):
    (tmp_path / "ml-100k.item").write_text(HEADER + row + "\n", encoding="utf-8")
    assert _items(tmp_path).loc[7].tolist() == film


@pytest.mark.parametrize(
    ("fields", "film"),
    [
        ("7|Été, L' (1991)|07-Feb-1991||address|0|1|0|0", ["Été, L'", "19910207", ("Action",)]),
        ("7|A Video (1988) (V)|01-Dec-1988||address|0|0|1|1", ["A Video", "19881201", ("Adventure", "Animation")]),
        ("7|unknown||||1|0|0|0", ["unknown", "", ("unknown",)]),
        ("7|Undated (1990)|||address|0|1|0|0", ["Undated", "1990", ("Action",)]),
    ],
)
def test_films_of_the_archive(tmp_path, fields, film):
    (tmp_path / "u.item").write_text(fields + "|0" * 15 + "\n", encoding="latin-1")
    assert _items(tmp_path).loc[7].tolist() == film
