"""What is read of a message."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.analysis.dialogue_acts.classifiers import LONGEST, pieces
from support.analysis.dialogue_acts.sentences import is_foreign, sentences
from support.errors import InvalidInput


def test_amounts_are_not_cut_at_their_decimals():
    assert sentences("I take 33.34 of A, e.g. all.  Is it fine? Yes!") == [
        "I take 33.34 of A, e.g.", "all.", "Is it fine?", "Yes!",
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["", "  \n ", "🙂🎉", "?!…", ":-)"])
def test_nothing_is_read_where_there_is_no_letter_and_no_digit(text):
    assert sentences(text) == []


@given(st.text(alphabet="ab .?!\n", max_size=80))
def test_no_letter_is_lost_between_sentences(text):
    assert "".join(c for s in sentences(text) for c in s if c in "ab") == "".join(c for c in text if c in "ab")


@pytest.mark.parametrize(
    ("text", "foreign"),
    [("我同意这个方案", True), ("Я согласен", True), ("نعم", True), ("déjà vu, naïve", False), ("3 & 4 🙂", False),
     ("I like 寿司", False), ("", False)],
)  # fmt: skip
def test_a_message_is_foreign_when_most_of_its_letters_are(text, foreign):
    assert is_foreign(text) is foreign


def test_a_message_of_20000_characters_is_read_to_its_end():
    text = "word " * 3999 + "bingo"
    assert max(map(len, pieces(text))) <= LONGEST
    assert " ".join(pieces(text)) == text


def test_what_is_no_text_is_named():
    with pytest.raises(InvalidInput, match="text: nan given"):
        sentences(float("nan"))
