"""How far two sets of labels agree, what annotators are tested on, and the labels that people give.

Every measure of an act is a closed form of four counts (both give it, only the one, only the other, neither), so
that the bootstrap resamples counts of whole groups, not messages, which are not independent.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from support.analysis.annotators import sentences
from support.analysis.conversation import messages_of
from support.analysis.dialogue_acts import (
    AMI_ACTS,
    DELIDATA_ACTS,
    LABELS,
    MEAN,
    OTHERS,
    Annotator,
    Labels,
    acts_of_delidata,
    checked_acts,
    indicators,
    labelled_ami,
    union,
)
from support.analysis.frames import need_columns
from support.analysis.stats import over, percentiles, resampled
from support.database import guarded, open_database, transaction
from support.errors import InvalidInput, MissingData
from support.roundtable.economy import exchange_economy
from support.roundtable.movielens import draw_cases, movielens
from support.roundtable.seats import seat_all
from support.roundtable.table import play
from support.runs.study import Unit

DRAWS = 2000


def measures(n: np.ndarray) -> dict[str, np.ndarray]:
    """Measures of acts, and behind them their mean, over counts of shape (..., acts, 4): both, truth only, prediction
    only, neither. NaN where one is undefined.

    kappa is Cohen's (1960), agreement beyond that of two labellers who draw from their own rates; alpha Krippendorff's
    (2011) for two labellers and a yes or no, whose chance draws from the rate that they share.
    """
    both, missed, wrong, neither = np.moveaxis(n, -1, 0)
    total, first, second = n.sum(axis=-1), both + missed, both + wrong
    chance = first * second + (total - first) * (total - second)
    expected = (first + second) * (
        2 * total - first - second
    )  # first + second of 2 * total labels are yes
    parts = {
        "precision": (both, second),
        "recall": (both, first),
        "f1": (2 * both, first + second),
        "kappa": ((both + neither) * total - chance, total**2 - chance),
        "alpha": (expected - (missed + wrong) * (2 * total - 1), expected),
    }
    return {name: _with_mean(over(*part)) for name, part in parts.items()}


def _with_mean(values: np.ndarray) -> np.ndarray:
    """The values, and behind them the mean of those that are defined."""
    mean = over(
        np.nansum(values, axis=-1, keepdims=True),
        (~np.isnan(values)).sum(axis=-1, keepdims=True),
    )
    return np.concatenate([values, mean], axis=-1)


def counts(
    truth: np.ndarray, predicted: np.ndarray, clusters: np.ndarray
) -> np.ndarray:
    """Both, truth only, prediction only, neither: shape (clusters, acts, 4), from indicators and cluster numbers."""
    cells = np.stack(
        [
            truth & predicted,
            truth & ~predicted,
            ~truth & predicted,
            ~truth & ~predicted,
        ],
        axis=-1,
    )
    made = np.zeros((clusters.max() + 1, *cells.shape[1:]))
    np.add.at(made, clusters, cells)
    return made


def evaluate(
    truth: Sequence[Labels], predicted: Sequence[Labels], clusters: Sequence[Any], rng: np.random.Generator, *,
    acts: Sequence[str] = LABELS, covered: Sequence[str] = LABELS, draws: int = DRAWS,
) -> pd.DataFrame:  # fmt: skip
    """Precision, recall, F1, Cohen's kappa and Krippendorff's alpha of every act, with 95 % bootstrap intervals.

    `acts` are those that the truth can tell, `covered` those that the predictor can. A message with an empty prediction
    is left out. Whole `clusters` (groups, meetings, runs) are resampled; of one there is no interval.

    Columns act (and last the mean of acts where a measure is defined), measure, value, low, high, n (messages), truth,
    predicted (how many were given the act), covered.
    """
    if not len(truth) == len(predicted) == len(clusters):
        raise InvalidInput(
            f"truth, predicted, clusters: {len(truth)} and {len(clusters)} given; as many of each"
        )
    kept = [i for i, given in enumerate(predicted) if len(given)]
    if not kept:
        raise InvalidInput(
            f"predicted: none of {len(truth)} messages was labelled; agreement needs at least one"
        )
    place = np.unique([str(clusters[i]) for i in kept], return_inverse=True)[1]
    real, told = (
        indicators([tuple(labels[i]) for i in kept], acts)
        for labels in (truth, predicted)
    )
    table, names = counts(real, told, place), [*acts, MEAN]
    every = np.vstack(
        [np.ones((1, len(table))), resampled(range(len(table)), rng, draws)[0]]
    )  # the whole sample first
    rows = []
    for name, value in measures(np.einsum("dc,cak->dak", every, table)).items():
        low, high = (
            percentiles(value[1:])
            if len(table) > 1
            else np.full((2, len(names)), np.nan)
        )
        rows.append(
            pd.DataFrame(
                {
                    "act": names,
                    "measure": name,
                    "value": value[0],
                    "low": low,
                    "high": high,
                }
            )
        )
    sums = {
        "truth": real.sum(axis=0),
        "predicted": told.sum(axis=0),
        "covered": [act in covered for act in acts],
    }
    frame = (
        pd.concat(rows, ignore_index=True)
        .assign(n=len(kept))
        .join(pd.DataFrame(sums, list(acts)), on="act")
    )
    return frame.astype({"truth": "Int64", "predicted": "Int64", "covered": "boolean"})


# -- tests -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Test:
    """Messages whose acts are known."""

    __test__ = False  # no test of pytest's

    name: str  # whose labels they are
    kind: str  # what talk they are of: see `dialogue_acts.kinds`
    messages: (
        pd.DataFrame
    )  # run, which a bootstrap resamples whole, round, sender, text, acts
    acts: Labels = (
        LABELS  # which the truth can tell; an annotator is judged on no other
    )

    @property
    def truth(self) -> list[Labels]:
        """The known acts of each message."""
        return list(self.messages["acts"])


def ami_segments(segments: pd.DataFrame) -> Test:
    """Every segment as a message of its own; `segments` as `labelled_ami` gives them."""
    frame = segments.assign(run=segments["meeting"], sender=segments["speaker"])
    frame = frame.assign(round=frame.groupby("run").cumcount() + 1).reset_index(
        drop=True
    )
    return Test("people's labels of unseen AMI segments", "ami", frame, AMI_ACTS)


def ami_turns(segments: pd.DataFrame) -> Test:
    """Segments of one speaker that follow each other as one message, which performs the acts of all of them."""
    other = segments["meeting"].ne(segments["meeting"].shift()) | segments[
        "speaker"
    ].ne(segments["speaker"].shift())
    groups = segments.groupby(other.cumsum().to_numpy())
    turns = groups.agg({"meeting": "first", "speaker": "first", "text": " ".join})
    turns["acts"] = [
        union(act for labels in part for act in labels) for _, part in groups["acts"]
    ]
    return replace(ami_segments(turns), name="people's labels of unseen AMI turns")


def delidata_messages(messages: pd.DataFrame) -> Test:
    """DeliData's messages with the acts that its labels tell of; `messages` from `support.corpora.delidata`."""
    frame = messages.assign(
        run=messages["group"], round=messages["place"] + 1
    ).reset_index(drop=True)
    frame["acts"] = pd.Series(acts_of_delidata(messages), dtype=object)
    return Test("people's labels of DeliData", "delidata", frame, DELIDATA_ACTS)


def true_acts(
    messages: pd.DataFrame, name: str = "true acts of sentences kept apart"
) -> Test:
    """Messages of rule-based agents of one environment with the acts that they know they perform, never "others"."""
    if not messages["acts"].map(len).all():
        raise InvalidInput(
            "acts: some messages carry none; true acts are known of rule-based agents only"
        )
    known = tuple(act for act in union(messages["acts"].explode()) if act != OTHERS)
    kind = f"{messages['environment'].iloc[0]}, rule-based agents"
    return Test(name, kind, messages.reset_index(drop=True), known)


def without_marks(test: Test) -> Test:
    """The same messages without question marks, as a transcript of speech may have them."""
    text = test.messages["text"].str.replace("?", "", regex=False).str.strip()
    return replace(
        test, name=f"{test.name}, without “?”", messages=test.messages.assign(text=text)
    )


def spoken_sentences(messages: pd.DataFrame) -> pd.DataFrame:
    """The sentences of rule-based agents with the one act of each (run, text, acts): what a classifier can learn from.

    A message whose sentences are not as many as its acts is left out.
    """
    spoken = messages.assign(text=messages["text"].map(sentences))[
        ["run", "text", "acts"]
    ]
    spoken = spoken[spoken["text"].map(len) == spoken["acts"].map(len)].explode(
        ["text", "acts"], ignore_index=True
    )
    return spoken.assign(acts=spoken["acts"].map(lambda act: (act,)))


async def held_out(
    n: int, seed: int, rounds: int = 10, environment: str = "exchange_economy"
) -> pd.DataFrame:
    """Messages of n discussions whose rule-based agents speak only sentences that no study speaks, with their acts."""
    records = []
    for repetition, stream in enumerate(np.random.default_rng(seed).spawn(n)):
        films = environment == "movielens"
        table = (
            movielens(draw_cases(100)[stream.integers(100)])
            if films
            else exchange_economy()
        )
        seats: Any = seat_all(table, "mixed", stream)
        for seat in seats.values():
            seat.held_out_wordings = True
        transcript = await play(table, seats, "majority", rounds=rounds, rng=stream)
        records.append(
            (Unit("held out", json.dumps({"rule": "majority"}), repetition), transcript)
        )
    return messages_of(records)


async def small_tests(seed: int = 7) -> list[Test]:
    """24 messages of agents in sentences kept apart, and 24 turns from the middle of four unseen AMI meetings."""
    whole = ami_turns(labelled_ami()[1])
    meetings = list(whole.messages.groupby("run", sort=False))[:4]
    chosen = [i for _, turns in meetings for i in turns.index[len(turns) // 2 :][:6]]
    people = replace(whole, messages=whole.messages.loc[chosen].reset_index(drop=True))
    return [true_acts(await held_out(2, seed, rounds=4)), people]


async def scores(
    annotators: Sequence[Annotator], tests: Sequence[Test], rng: np.random.Generator
) -> pd.DataFrame:
    """Every annotator on every test: test, kind, annotator, and the columns of `evaluate`."""
    parts = []
    for test, annotator in product(tests, annotators):
        given, runs = await annotator.label(test.messages), list(test.messages["run"])
        made = evaluate(
            test.truth, given, runs, rng, acts=test.acts, covered=annotator.covered
        )
        head = pd.DataFrame(
            {"test": test.name, "kind": test.kind, "annotator": annotator.name},
            index=made.index,
        )
        parts.append(pd.concat([head, made], axis=1))
    return pd.concat(parts, ignore_index=True)


# -- labels of people ------------------------------------------------------------------------------------------------

COLUMNS = ("message", "coder", "run", "round", "sender", "text", "acts")
TABLE = """CREATE TABLE IF NOT EXISTS labels (
    number INTEGER PRIMARY KEY, message TEXT NOT NULL, coder TEXT NOT NULL, run TEXT NOT NULL,
    round INTEGER NOT NULL, sender TEXT NOT NULL, text TEXT NOT NULL, acts TEXT NOT NULL)"""


class LabelFile:
    """Labels in an SQLite file: one row each time somebody labels a message; a later one counts, none is erased."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._db = open_database(self.path)
        with transaction(self._db, self.path):
            self._db.execute(TABLE)

    def add(self, message: Mapping[Any, Any], coder: str, acts: Iterable[str]) -> None:
        """Keep the acts that `coder` gives a message (run, round, sender, text)."""
        row = (key(message), coder, str(message["run"]), int(message["round"]), str(message["sender"]),
               message["text"], json.dumps(_given(coder, tuple(acts))))  # fmt: skip
        with transaction(self._db, self.path):
            self._db.execute(
                f"INSERT INTO labels ({', '.join(COLUMNS)}) VALUES (?, ?, ?, ?, ?, ?, ?)",
                row,
            )

    def read(self) -> pd.DataFrame:
        """The latest label of each coder for each message: the columns of `COLUMNS`, in the order of labelling."""
        with guarded(self.path):
            rows = self._db.execute(
                f"SELECT {', '.join(COLUMNS)} FROM labels ORDER BY number"
            ).fetchall()
        frame = pd.DataFrame(rows, columns=list(COLUMNS))
        frame["acts"] = pd.Series(
            [checked_acts(json.loads(acts)) for acts in frame["acts"]], dtype=object
        )
        return frame.drop_duplicates(
            ["message", "coder"], keep="last", ignore_index=True
        )

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()


def _given(coder: str, ticked: Labels) -> Labels:
    """A person's label, checked: one act or more, "others" alone, and a name."""
    if not coder.strip():
        raise InvalidInput(
            f"coder: {coder!r} given; expected a name, so that two people can be told apart"
        )
    if not ticked:
        raise InvalidInput(
            f"acts: none given; tick at least one, and {OTHERS!r} when no other fits"
        )
    given = checked_acts(ticked)
    if OTHERS in given and len(given) > 1:
        raise InvalidInput(
            f"acts: {', '.join(given)} given; {OTHERS!r} says that no other fits: untick it or the rest"
        )
    return given


def key(message: Mapping[Any, Any]) -> str:
    """Tells messages apart: a sum over the run, the round, the sender and the text."""
    parts = json.dumps([str(message[c]) for c in ("run", "round", "sender", "text")])
    return hashlib.sha256(parts.encode()).hexdigest()[:16]


def load_labels(path: str | Path) -> pd.DataFrame:
    """What people labelled: the columns of `COLUMNS`; the latest of each coder counts.

    `path` is a labelling desk's file, or a table (.csv) of the same columns but message, acts as "inform, request".
    """
    if not Path(path).is_file():
        raise MissingData(
            f"no labels at {path}; label messages with support.labs.labelling.LabellingDesk first"
        )
    if Path(path).suffix != ".csv":
        with closing(LabelFile(path)) as file:
            return file.read()
    frame = pd.read_csv(path, dtype=str, keep_default_na=False)
    need_columns(frame, COLUMNS[1:], str(path))
    rows = frame.to_dict("records")
    for line, row in enumerate(rows, start=2):
        try:
            acts = _given(row["coder"], tuple(row["acts"].replace(",", " ").split()))
            row |= {"message": key(row), "round": int(row["round"]), "acts": acts}
        except ValueError as error:  # InvalidInput is one
            raise InvalidInput(f"{path}, line {line}: {error}") from None
    made = pd.DataFrame(rows, columns=list(COLUMNS))
    return made.drop_duplicates(["message", "coder"], keep="last", ignore_index=True)


DECIDED = "adjudicated"
"""The coder of labels that were agreed on after two people had labelled apart."""


def coder_agreement(
    labels: pd.DataFrame,
    rng: np.random.Generator,
    coders: Sequence[str],
    *,
    draws: int = DRAWS,
) -> pd.DataFrame:
    """How far two coders agree, act by act, with intervals over runs: as `evaluate`, the first coder as the truth."""
    own = {name: labels[labels["coder"] == name] for name in coders}
    there = [name for name in coders if len(own[name])]
    if len(there) < 2:
        raise InvalidInput(
            f"only {there[0]} has labelled: agreement needs a second person on the same messages"
        )
    first, second = (own[name] for name in coders)
    shared = first.merge(
        second[["message", "acts"]], on="message", suffixes=("", "_second")
    )
    if shared.empty:
        raise InvalidInput(
            f"{' and '.join(coders)} have no message in common: agreement needs the same messages"
        )
    return evaluate(
        list(shared["acts"]),
        list(shared["acts_second"]),
        list(shared["run"]),
        rng,
        draws=draws,
    )


def settled(labels: pd.DataFrame) -> pd.DataFrame:
    """One row for each message with the acts that all who labelled it give; what was adjudicated counts alone.

    Where coders share no act and nobody decided, the message stays out: what is left is easier than the talk is.
    """
    decided = labels["coder"] == DECIDED
    counted = labels[decided | ~labels["message"].isin(labels.loc[decided, "message"])]
    groups = counted.groupby("message", sort=False)["acts"]
    common = {
        name: tuple(act for act in LABELS if all(act in acts for acts in given))
        for name, given in groups
    }
    made = (
        labels.drop_duplicates("message").drop(columns="coder").reset_index(drop=True)
    )
    made["acts"] = made["message"].map(common)
    return made[made["acts"].map(len) > 0].reset_index(drop=True)
