"""Words and grades are textstat's, to the last bit, and a grade is asked for only where it means something."""

import sys
from math import isnan

import pytest
import textstat
from hypothesis import example, given, settings
from hypothesis import strategies as st

from support.analysis import readability
from support.analysis.people import messages_of_ami, messages_of_delidata
from support.analysis.readability import gradable, grade, grade_or_nan, words
from support.corpora import ami
from support.errors import InvalidInput, MissingData

CHINESE, ARABIC, CYRILLIC = "我同意安娜的建议。", "أوافق على اقتراح آنا اليوم.", "Я согласен с предложением Анны."
ODD = {
    "empty": "",
    "blank": " \n\t ",
    "emoji": "👍👍 🎉",
    "Chinese": CHINESE,
    "Arabic": ARABIC,
    "Cyrillic": CYRILLIC,
    "numbers": "12 34.5 100",
    "punctuation": "... !? -- '",
    "newlines": "I agree.\nYou do not.\r\nWe shall see\u2028then.",
    "apostrophes": "don't 'tis Ana's 'quoted' we'll'd ' s'",
    "no syllable": "hmm hmm hmm",
    "capital I with a dot": "İstanbul is İ",
    "long": "This sentence is said again and again. " * 512 + "x" * 32,
    "one long word": "antidisestablishmentarian" * 800,
}


@pytest.mark.parametrize("text", ODD.values(), ids=ODD)
def test_odd_texts_have_the_grade_and_the_words_of_textstat(text):
    assert grade(text) == textstat.flesch_kincaid_grade(text)
    assert words(text) == textstat.lexicon_count(text)


PIECES = st.sampled_from(["I", "agree", "don't", "'s", "12", ".", "!", " ", "  ", "\n", "-", "İ", "Σ", "ΑΣ", "'", "hmm",
                          "e.g.", "\u2003", "\x1c", "_", "👍", "the plan", "ß", "é"])  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(max_size=60), st.lists(PIECES, max_size=30).map("".join)))
@example("a.b.c d e f. ")
def test_property_any_text_has_the_grade_and_the_words_of_textstat(text):
    assert grade(text) == textstat.flesch_kincaid_grade(text)
    assert words(text) == textstat.lexicon_count(text)


def test_no_character_becomes_white_space_in_lower_case():
    """What lets us count a text by its tokens."""
    characters = map(chr, range(sys.maxunicode + 1))
    assert not [c for c in characters if not c.isspace() and any(low.isspace() for low in c.lower())]


@pytest.mark.parametrize("load", [ami, messages_of_ami, messages_of_delidata])
def test_what_people_said_has_the_grade_of_textstat(load):
    texts = load()["text"].drop_duplicates().tolist()[::4]
    assert len(texts) > 1000
    assert [grade(text) for text in texts] == [textstat.flesch_kincaid_grade(text) for text in texts]


def test_a_grade_by_hand():
    # 10 words in 2 sentences; ten syllables in six words, then four in four.
    text = "We could accept a fair division. I say no now."
    assert grade(text) == pytest.approx(0.39 * 10 / 2 + 11.8 * (1 + 1 + 2 + 1 + 1 + 3 + 4) / 10 - 15.59)


def test_words_are_counted_without_lone_punctuation():
    assert words("Um , I'd take the well-known one ... 12 %") == 7
    assert words("👍 !") == words("") == 0


@pytest.mark.parametrize(
    "text", ["", "👍👍👍 🎉 👍", CHINESE, ARABIC, CYRILLIC, "12 34 56 78", "ok", "Yes A", "?? ! ..."]
)
def test_texts_without_enough_english_words_have_no_grade(text):
    assert not gradable(text)
    assert isnan(grade_or_nan(text))


@pytest.mark.parametrize("text", ["I agree fully.", "The café is naïve, Łukasz.", "I take 12 of A 👍", "word " * 4000])
def test_texts_in_latin_letters_have_one(text):
    assert gradable(text)
    assert grade_or_nan(text) == grade(text)


def test_most_letters_decide_about_a_mixed_text():
    assert gradable("Anna said в short words to us")
    assert not gradable("Анна сказала ok нам всем")


@pytest.mark.parametrize("function", [words, grade, gradable])
def test_what_is_no_text_is_refused(function):
    with pytest.raises(InvalidInput, match="text: None given; expected a string"):
        function(None)


def test_a_full_memory_is_emptied_and_counts_stay_the_same(monkeypatch):
    before = grade("Every word of this is new, or it was.")
    monkeypatch.setattr(readability, "MOST_REMEMBERED", 3)
    readability.forget()
    assert grade("Every word of this is new, or it was.") == before
    assert len(readability._MEMORY) <= 3


@pytest.mark.parametrize("error", [LookupError, ImportError])
def test_a_missing_dictionary_says_how_to_get_it(monkeypatch, error):
    import nltk

    def absent(name):
        raise error(name)

    monkeypatch.setattr(nltk.data, "find", absent)
    readability._counters.cache_clear()
    readability.forget()
    with pytest.raises(MissingData, match=r"python -m support\.pronunciations"):
        grade("Nobody knows these words.")
