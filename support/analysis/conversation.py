"""The conversation of groups: who said what in which round, and how it sounds (sections 4.3 and 5.3.1, Table 8).

Three features of a message: `words`, its length; `grade`, its Flesch-Kincaid grade; `difference`, the cosine
distance of its embedding from the centre of the previous round's. Means are taken within a run and round first:
the unit of analysis is the discussion, because the messages of one are no independent observations.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from support.analysis.balance import balance, shares
from support.analysis.frames import check_level, need_columns, need_keys
from support.analysis.people import messages_of_ami, messages_of_delidata
from support.analysis.readability import grade_or_nan, words
from support.errors import InvalidInput
from support.roundtable.records import Transcript
from support.runs.study import flat

if TYPE_CHECKING:
    from support.analysis.embeddings import Encoder
    from support.runs.study import Unit

__all__ = ["FEATURES", "balance", "by_round", "differences", "features", "messages_of", "messages_of_ami",
           "messages_of_delidata", "per_round", "shares"]  # fmt: skip

FEATURES = {"words": "message length (words)", "grade": "Flesch-Kincaid grade (school years)",
            "difference": "information difference (cosine distance)"}  # fmt: skip
"""The features of Table 8, and what they are with their unit."""


def messages_of(records: Iterable[tuple[Unit, Transcript]], first_run: int = 0) -> pd.DataFrame:
    """One row per message; `records` as `Sweep.records` gives them.

    Returns
    -------
    DataFrame
        run (a number for each discussion, from `first_run`), environment, the sweep's settings (rule, …),
        repetition, round, sender, recipients, text, acts: the dialogue acts that a rule-based sender knows it
        performs (an empty tuple for others).
    """
    rows = []
    for run, (unit, transcript) in enumerate(records, start=first_run):
        head = {"run": run, "environment": transcript.environment["name"], **flat(unit.settings),
                "repetition": unit.repetition}  # fmt: skip
        rows += [
            {**head, "round": r.number, "sender": m.sender, "recipients": m.recipients, "text": m.text, "acts": m.acts}
            for r in transcript.rounds
            for m in r.messages
        ]
    return pd.DataFrame(rows)


def features(messages: pd.DataFrame, encoder: Encoder | None = None) -> pd.DataFrame:
    """The messages with `words`, `grade` and, where an encoder is given, `difference`.

    Parameters
    ----------
    messages : frame
        One row per message: run, round, text, and what else should be kept.

    Returns
    -------
    DataFrame
        The same rows. `grade` is NaN where a text has fewer than three words or is in another script (see
        `support.analysis.readability.gradable`); `difference` as `information_difference` says.

    Raises
    ------
    InvalidInput
        A column is missing, there are no rows, or a text is no string.
    MissingData
        textstat, its dictionary or the encoder's weights are not installed.
    """
    _check(messages)
    distinct = list(dict.fromkeys(messages["text"]))
    lengths = {text: words(text) for text in distinct}
    grades = {text: grade_or_nan(text) for text in distinct}
    measured = messages.assign(words=messages["text"].map(lengths), grade=messages["text"].map(grades).astype(float))
    if encoder is None:
        return measured
    return measured.assign(difference=information_difference(measured, encoder.encode(list(measured["text"]))))


def information_difference(messages: pd.DataFrame, vectors: np.ndarray) -> np.ndarray:
    """Cosine distance of each message from the mean embedding of the previous round of its run, shape (messages,).

    NaN in a run's round 1, after a round without messages, and for a blank text, which has no embedding worth the
    name and does not count towards a centre either. 0 says the same again, 1 has nothing in common.

    Parameters
    ----------
    messages : frame
        run, round (consecutive numbers), text; one row per message.
    vectors : array of shape (messages, dimensions)
        Their embeddings, of any length but 0.
    """
    _check(messages)
    if vectors.ndim != 2 or len(vectors) != len(messages):
        raise InvalidInput(f"vectors: shape {vectors.shape} given; expected ({len(messages)}, dimensions)")
    spoken = (messages["text"].str.strip() != "").to_numpy()
    rounds = pd.MultiIndex.from_frame(messages[["run", "round"]])
    cells = rounds[spoken].unique()
    units = _units(vectors.astype(float))
    centres = np.zeros((len(cells) + 1, vectors.shape[1]))  # the last one stands for a round without messages
    np.add.at(centres, cells.get_indexer(rounds[spoken]), units[spoken])
    before = pd.MultiIndex.from_arrays([messages["run"], messages["round"] - 1])
    distance = 1 - np.einsum("md,md->m", units, _units(centres)[cells.get_indexer(before)])
    return np.where(spoken, distance, np.nan)


def per_round(messages: pd.DataFrame, encoder: Encoder | None = None, by: Sequence[str] = ()) -> pd.DataFrame:
    """Means within each run and round: the columns of `by`, run, round, then the features (NaN where undefined).

    Messages that `features` has measured are not measured again.
    """
    measured = messages if "words" in messages else features(messages, encoder)
    need_columns(measured, [*by, "run", "round"], "the messages")
    need_keys(measured, [*by, "run", "round"], "the messages")
    known = [feature for feature in FEATURES if feature in measured]
    return measured.groupby([*by, "run", "round"], sort=False)[known].mean().reset_index()


def differences(messages: pd.DataFrame, encoder: Encoder | None = None) -> pd.DataFrame:
    """Information difference, one row per run and one column per round 1, 2, …; NaN where it is not defined."""
    table = per_round(messages, encoder)
    if "difference" not in table:
        raise InvalidInput("the messages have no column 'difference'; give an encoder, here or to features().")
    table = table.pivot(index="run", columns="round", values="difference")
    return table.reindex(columns=range(1, int(table.columns.max()) + 1))


def by_round(
    messages: pd.DataFrame,
    encoder: Encoder | None = None,
    by: Sequence[str] = ("environment", "rule"),
    level: float = 0.95,
) -> pd.DataFrame:
    """The cells of Table 8 with t intervals over runs (section 5.3.1).

    Parameters
    ----------
    messages : frame
        As `messages_of` or, measured already, `features` gives it.
    by : sequence of str
        Columns that name a group; the last one becomes `row`.
    level : float
        Coverage of the intervals.

    Returns
    -------
    DataFrame
        The columns of `by`, round, feature, row, column ("words@1", …), value, se, low, high, n (runs). A cell that
        no run defines, such as difference@1, is absent; with one run se, low and high are NaN.
    """
    from scipy.stats import t

    check_level(level)
    keys = list(by)
    cells = per_round(messages, encoder, keys)
    known = [feature for feature in FEATURES if feature in cells]
    long = cells.melt([*keys, "run", "round"], known, var_name="feature").dropna(subset="value")
    long = long.sort_values("round", kind="stable")
    groups = long.groupby([*keys, "feature", "round"], sort=False)["value"]
    tidy = groups.agg(value="mean", se="sem", n="count").reset_index()
    half = tidy["se"] * t.ppf((1 + level) / 2, tidy["n"] - 1)
    tidy = tidy.assign(low=tidy["value"] - half, high=tidy["value"] + half, row=tidy[keys[-1]],
                       column=tidy["feature"] + "@" + tidy["round"].astype(str))  # fmt: skip
    return tidy[[*keys, "round", "feature", "row", "column", "value", "se", "low", "high", "n"]]


def _units(vectors: np.ndarray) -> np.ndarray:
    """Vectors at length 1; NaN for one of length 0, which has no direction."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(vectors, lengths, out=np.full_like(vectors, np.nan), where=lengths > 0)


def _check(messages: pd.DataFrame) -> None:
    need_columns(messages, ["run", "round", "text"], "the messages")
    wrong = [text for text in messages["text"] if not isinstance(text, str)]
    if wrong:
        raise InvalidInput(f"text: {wrong[0]!r} among the messages; expected strings only ('' for a blank message)")
