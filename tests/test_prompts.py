"""Prompts: templates are filled in as they stand; `test_seats` holds that they and their values match."""

from support.prompts import own, render

MESSAGE = {"me": "Ana", "round": 2, "phase": "messages", "words": 0}
MESSAGE |= {"others": "<Ben> & co and Cleo", "claims": "", "private": False}


def test_values_are_filled_in_as_plain_text_that_escapes_nothing():
    text = render("roundtable/message", **MESSAGE)
    assert "Round 2" in text and "You are Ana" in text and "<Ben> & co and Cleo" in text


def test_a_template_of_ones_own_may_include_one_of_ours(tmp_path):
    (tmp_path / "organizing").mkdir()
    (tmp_path / "organizing" / "time.md.j2").write_text(
        'Hurry. {% include "organizing/notice.md.j2" %}'
    )
    with own(tmp_path):
        assert render("organizing/time", today="a", deadline="b", left=3).startswith(
            "Hurry. "
        )
    assert not render("organizing/time", today="a", deadline="b", left=3).startswith(
        "Hurry"
    )
