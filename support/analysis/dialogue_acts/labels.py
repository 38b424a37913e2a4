"""Labels that people give: kept in a file that only grows, compared, and made ready to train or test an annotator."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from support.analysis.dialogue_acts.acts import LABELS, OTHERS, checked_acts
from support.analysis.dialogue_acts.agreement import DRAWS, evaluate
from support.analysis.dialogue_acts.annotators import Labels
from support.analysis.frames import need_columns
from support.database import guarded, open_database, transaction
from support.errors import DamagedFile, InvalidInput, MissingData

COLUMNS = ("message", "coder", "run", "round", "sender", "text", "acts")
TABLE = """CREATE TABLE IF NOT EXISTS labels (
    number INTEGER PRIMARY KEY, message TEXT NOT NULL, coder TEXT NOT NULL, run TEXT NOT NULL,
    round INTEGER NOT NULL, sender TEXT NOT NULL, text TEXT NOT NULL, acts TEXT NOT NULL)"""


class LabelFile:
    """Labels in an SQLite file: one row each time somebody labels a message; a later one counts, none is erased.

    Raises
    ------
    DamagedFile, InvalidInput
        When the file is no SQLite database, or its place cannot be written to.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._db = open_database(self.path)
        with transaction(self._db, self.path):
            self._db.execute(TABLE)

    def add(self, message: Mapping[Any, Any], coder: str, acts: Iterable[str]) -> Labels:
        """Keep the acts that `coder` gives a message (run, round, sender, text).

        Raises
        ------
        InvalidInput
            When no label is given, an unknown one, "others" beside another, or no coder.
        """
        if not coder.strip():
            raise InvalidInput(f"coder: {coder!r} given; expected a name, so that two people can be told apart")
        given = human_label(acts)
        row = (key(message), coder, str(message["run"]), int(message["round"]), str(message["sender"]),
               message["text"], json.dumps(given))  # fmt: skip
        places = ", ".join("?" * len(COLUMNS))
        with transaction(self._db, self.path):
            self._db.execute(f"INSERT INTO labels ({', '.join(COLUMNS)}) VALUES ({places})", row)
        return given

    def read(self) -> pd.DataFrame:
        """The latest label of each coder for each message: the columns of `COLUMNS`, in the order of labelling."""
        with guarded(self.path):
            rows = self._db.execute(f"SELECT {', '.join(COLUMNS)} FROM labels ORDER BY number").fetchall()
        frame = pd.DataFrame(rows, columns=list(COLUMNS))
        frame["acts"] = pd.Series([_acts(text, self.path) for text in frame["acts"]], dtype=object)
        return frame.drop_duplicates(["message", "coder"], keep="last", ignore_index=True)

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()


def human_label(acts: Iterable[str]) -> Labels:
    """The acts that a person ticked, in the order of `LABELS`.

    Raises
    ------
    InvalidInput
        When there is none, an unknown one, or "others" beside another.
    """
    given = tuple(acts)
    if not given:
        raise InvalidInput(f"acts: none given; tick at least one, and {OTHERS!r} when no other fits")
    made = checked_acts(given)
    if OTHERS in made and len(made) > 1:
        raise InvalidInput(f"acts: {', '.join(made)} given; {OTHERS!r} says that no other fits: untick it or the rest")
    return made


def key(message: Mapping[Any, Any]) -> str:
    """Tells messages apart: a sum over the run, the round, the sender and the text."""
    parts = json.dumps([str(message[c]) for c in ("run", "round", "sender", "text")])
    return hashlib.sha256(parts.encode()).hexdigest()[:16]


def _acts(text: str, path: Path) -> Labels:
    try:
        return checked_acts(json.loads(text))
    except (ValueError, TypeError) as error:
        raise DamagedFile(f"{path} holds the label {text!r}, which cannot be read: {error}") from None


def load_labels(path: str | Path) -> pd.DataFrame:
    """What people labelled in a file: the latest label of each coder for each message.

    Returns
    -------
    DataFrame
        message (a key), coder, run, round, sender, text, acts.

    Raises
    ------
    MissingData, DamagedFile
        There is no such file, or it holds no labels that can be read.
    """
    if not Path(path).is_file():
        raise MissingData(f"no labels at {path}; label messages with support.widgets.labelling.LabellingDesk first")
    file = LabelFile(path)
    try:
        return file.read()
    finally:
        file.close()


def both(labels: pd.DataFrame, coders: Sequence[str] = ()) -> tuple[pd.DataFrame, tuple[str, str]]:
    """The messages that two coders both labelled, a column of labels for each, and the coders' names.

    By default the two are those who labelled first.

    Raises
    ------
    InvalidInput
        When only one person has labelled, or no message was labelled by both.
    """
    need_columns(labels, list(COLUMNS), "labels")
    there = list(dict.fromkeys(labels["coder"]))
    coders = [name for name in (coders or there) if name in there]
    if len(coders) < 2:
        raise InvalidInput(f"only {there[0]} has labelled: agreement needs a second person on the same messages")
    first, second = (labels[labels["coder"] == name] for name in coders[:2])
    shared = first.merge(second[["message", "acts"]], on="message", suffixes=("", "_second"))
    if shared.empty:
        raise InvalidInput(f"{coders[0]} and {coders[1]} have no message in common: agreement needs the same messages")
    renamed = shared.rename(columns={"acts": coders[0], "acts_second": coders[1]}).drop(columns="coder")
    return renamed, (coders[0], coders[1])


def coder_agreement(
    labels: pd.DataFrame, rng: np.random.Generator, coders: Sequence[str] = (), *, draws: int = DRAWS
) -> pd.DataFrame:
    """How far two coders agree, act by act: as `evaluate`, with the first coder in the place of the truth.

    Kappa, alpha and F1 are the same either way round; precision and recall change places. Intervals resample runs.
    """
    shared, (first, second) = both(labels, coders)
    return evaluate(list(shared[first]), list(shared[second]), list(shared["run"]), rng, draws=draws)


def settled(labels: pd.DataFrame) -> pd.DataFrame:
    """One row for each message with the acts that all who labelled it give, to train or test an annotator.

    Where coders share no act, the message stays out: nobody knows its acts.
    """
    need_columns(labels, list(COLUMNS), "labels")
    groups = labels.groupby("message", sort=False)["acts"]
    common = {name: tuple(act for act in LABELS if all(act in acts for acts in given)) for name, given in groups}
    made = labels.drop_duplicates("message").drop(columns="coder").reset_index(drop=True)
    made["acts"], made["coders"] = made["message"].map(common), made["message"].map(groups.size())
    return made[made["acts"].map(len) > 0].reset_index(drop=True)


def draw_sample(messages: pd.DataFrame, n: int, rng: np.random.Generator) -> list[int]:
    """Places of `n` messages, drawn without return and in the order of the frame; all of them when there are fewer."""
    if n < 1:
        raise InvalidInput(f"n: {n} given; expected at least one message")
    return sorted(rng.choice(len(messages), size=min(n, len(messages)), replace=False).tolist())
