"""A reader of English sentences about meeting times, by rules: what is wanted, how much, in the speaker's own zone.

Text is split into sentences and put into plain spelling (`words`), its time expressions are replaced by marks
(`marks`, `hours`), clauses are judged for what they want or refuse and how much (`clauses`), and one rule for each
kind of preference looks at the few words that remain (`rules`; the words themselves are in `phrases.toml`). A sentence
that says nothing about times gives nothing. Parts of the day without hours get those of `vocabulary.PARTS`.

`recovered` measures what it misses. As first written, without having seen them, it recovered 79, 64 and 56 % of the
preferences in the synthetic company's texts and their two paraphrases (by meaning). The revisions made since
looked at what had failed there, so that today's higher numbers are no measure of how it reads a stranger.
"""

from __future__ import annotations

from support.environments.meetings.preferences import Flexible, Focus, Preference, Window
from support.environments.meetings.reading.clauses import split
from support.environments.meetings.reading.comparison import Recovered, recovered
from support.environments.meetings.reading.marked import Marked
from support.environments.meetings.reading.marks import mark
from support.environments.meetings.reading.restating import restate
from support.environments.meetings.reading.rules import preferences, ranges
from support.environments.meetings.reading.vocabulary import PARTS
from support.environments.meetings.reading.words import plain, sentences

__all__ = ["PARTS", "Recovered", "read", "read_sentences", "recovered", "restate", "vague"]


def read(text: str, year: int | None = None) -> tuple[Preference, ...]:
    """The preferences that a text states, in its order, each once.

    Parameters
    ----------
    text : str
        English, in the first or third person; times are in the speaker's own zone.
    year : int, optional
        The year of dates that name none. Without it such a date is read as its weekday, if that is named.

    Examples
    --------
    >>> read("She prefers mornings, and never meets on Fridays. She loves tea.")
    (Window(priority=2, start='08:00', end='12:00', avoid=False, weekdays=()), \
Weekdays(priority=3, weekdays=('Friday',), avoid=True))
    """
    return tuple(dict.fromkeys(p for _, said in read_sentences(text, year) for p in said))


def read_sentences(text: str, year: int | None = None) -> tuple[tuple[str, tuple[Preference, ...]], ...]:
    """Each sentence of a text as it is written, with the preferences that it states."""
    return tuple((sentence, _said(mark(plain(sentence), year))) for sentence in sentences(text))


def vague(text: str) -> tuple[str, ...]:
    """Parts of the day that a text wants or refuses without saying the hours.

    >>> vague("Mornings are best, afternoons only between 1 and 3.")
    ('morning',)
    """
    named: list[str] = []
    for sentence in sentences(text):
        found = mark(plain(sentence))
        if any(isinstance(p, Window | Focus) for p in _said(found)):
            named += [s.part for m, s in found.windows.items() if s.part and m in found.text]
    return tuple(dict.fromkeys(named))


def _said(found: Marked) -> tuple[Preference, ...]:
    said = [p for clause in split(found.text) for p in preferences(clause, found)]
    if "flexib" not in found.text and not all(isinstance(p, Flexible) for p in said):
        said = [p for p in said if not isinstance(p, Flexible)]  # "any day but Mondays"
    return tuple(dict.fromkeys(ranges(said)))
