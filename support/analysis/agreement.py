"""How far two sets of labels agree, act by act, and the labels that people give at a desk.

Both measures of an act are closed forms of counts (both give it, the first, the second), so that the bootstrap draws
counts of whole groups: messages are not independent.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from support.analysis.dialogue_acts import (
    LABELS,
    OTHERS,
    Labels,
    checked_acts,
    indicators,
)
from support.analysis.stats import over, percentiles, resampled
from support.database import guarded, open_database, transaction
from support.errors import InvalidInput

DRAWS = 2000
MEAN = "mean of acts"


def evaluate(
    truth: Iterable[Labels],
    given: Iterable[Labels],
    clusters: Iterable[Any],
    rng: np.random.Generator,
    *,
    acts: Sequence[str] = LABELS,
    draws: int = DRAWS,
) -> pd.DataFrame:
    """F1 and Cohen's kappa (1960) of every act, with 95 % intervals that draw whole `clusters` of messages.

    `acts` are those that the truth can tell. A message without a label is left out.

    Columns act (and last the mean of acts where a measure is defined), measure, value, low, high, n (messages), truth,
    given (how many were given the act).
    """
    frame = pd.DataFrame(
        {
            "truth": [*truth],
            "given": [*given],
            "run": [*clusters],
        }
    )
    labelled = frame[frame["given"].map(len) > 0]
    if labelled.empty:
        raise InvalidInput(
            f"given: none of {len(frame)} messages has a label; agreement needs one"
        )
    first = indicators(labelled["truth"], acts)
    second = indicators(labelled["given"], acts)
    times, place = resampled(labelled["run"], rng, draws)
    cells = np.hstack([first & second, first, second]).astype(float)
    sums = pd.DataFrame(cells).groupby(place).sum().to_numpy()
    sizes = np.bincount(place)
    drawn = measures((times @ sums).reshape(draws, 3, -1), times @ sizes)
    whole = measures(sums.sum(axis=0).reshape(1, 3, -1), sizes.sum(keepdims=True))
    rows = []
    for name, values in drawn.items():
        low, high = percentiles(values) if len(sizes) > 1 else (np.nan, np.nan)
        part = {
            "act": [*acts, MEAN],
            "measure": name,
            "value": whole[name][0],
        }
        rows.append(pd.DataFrame(part | {"low": low, "high": high}))
    counts = {"truth": first.sum(axis=0), "given": second.sum(axis=0)}
    made = pd.concat(rows, ignore_index=True).assign(n=len(labelled))
    return made.join(pd.DataFrame(counts, list(acts)).astype("Int64"), on="act")


def measures(counts: np.ndarray, n: np.ndarray) -> dict[str, np.ndarray]:
    """F1 and kappa of acts, behind them their mean, from counts of both, first and second, (draws, 3, acts), of n.

    NaN where one is undefined.
    """
    both, first, second = np.moveaxis(counts, 1, 0)
    n = n[:, None]
    chance = first * second + (n - first) * (n - second)
    agreed = n - first - second + 2 * both
    made = {
        "f1": over(2 * both, first + second),
        "kappa": over(agreed * n - chance, n**2 - chance),
    }
    for name, values in made.items():
        defined = (~np.isnan(values)).sum(axis=1)
        mean = over(np.nansum(values, axis=1), defined)
        made[name] = np.column_stack([values, mean])
    return made


# -- labels of people ------------------------------------------------------------------------------------------------

COLUMNS = ("message", "coder", "run", "round", "sender", "text", "acts")
TABLE = """CREATE TABLE IF NOT EXISTS labels (
    number INTEGER PRIMARY KEY, message TEXT NOT NULL, coder TEXT NOT NULL, run TEXT NOT NULL,
    round INTEGER NOT NULL, sender TEXT NOT NULL, text TEXT NOT NULL, acts TEXT NOT NULL)"""
INSERT = f"INSERT INTO labels ({', '.join(COLUMNS)}) VALUES (?, ?, ?, ?, ?, ?, ?)"
SELECT = f"SELECT {', '.join(COLUMNS)} FROM labels ORDER BY number"


class LabelFile:
    """Labels in an SQLite file: one row each time somebody labels a message; a later one counts, none is erased."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._db = open_database(self.path)
        with transaction(self._db, self.path):
            self._db.execute(TABLE)

    def add(
        self,
        message: Mapping[Any, Any],
        coder: str,
        acts: Iterable[str],
    ) -> None:
        """Keep the acts that `coder` gives a message (run, round, sender, text)."""
        given = set(acts)
        if not given or (OTHERS in given and len(given) > 1):
            ticked = ", ".join(sorted(given)) or "none"
            raise InvalidInput(
                f"acts: {ticked} given; tick at least one, and {OTHERS!r} alone, when no other fits"
            )
        row = (key(message), coder, *about(message), json.dumps(checked_acts(given)))
        with transaction(self._db, self.path):
            self._db.execute(INSERT, row)

    def read(self) -> pd.DataFrame:
        """The latest label of each coder for each message: the columns of `COLUMNS`, in the order of labelling."""
        with guarded(self.path):
            rows = self._db.execute(SELECT).fetchall()
        frame = pd.DataFrame(rows, columns=list(COLUMNS))
        frame["acts"] = frame["acts"].map(json.loads).map(checked_acts)
        once = ["message", "coder"]
        return frame.drop_duplicates(once, keep="last", ignore_index=True)

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()


def key(message: Mapping[Any, Any]) -> str:
    """Tells messages apart: a sum over the run, the round, the sender and the text."""
    parts = json.dumps(about(message))
    return hashlib.sha256(parts.encode()).hexdigest()[:16]


def about(message: Mapping[Any, Any]) -> list[str]:
    """Which message it is."""
    return [str(message[name]) for name in ("run", "round", "sender", "text")]


def coder_agreement(
    labels: pd.DataFrame,
    rng: np.random.Generator,
    coders: Sequence[str],
    *,
    draws: int = DRAWS,
) -> pd.DataFrame:
    """How far two coders agree, act by act, with intervals over runs: as `evaluate`, the first coder as the truth."""
    first, second = (labels[labels["coder"] == name] for name in coders)
    shared = first.merge(second[["message", "acts"]], on="message")
    if shared.empty:
        counts = f"{coders[0]}: {len(first)} labels, {coders[1]}: {len(second)}"
        raise InvalidInput(f"{counts}; agreement needs two people on the same messages")
    acts = shared["acts_x"], shared["acts_y"]
    return evaluate(*acts, shared["run"], rng, draws=draws)
