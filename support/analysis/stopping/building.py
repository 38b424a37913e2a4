"""From transcripts and messages to a `Study`: the one place that knows what records look like."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from support.analysis.conversation import information_difference, messages_of
from support.analysis.dialogue_acts.acts import LABELS, code
from support.analysis.metrics import total_utility
from support.analysis.readability import words
from support.analysis.stopping.study import Study, folds_of
from support.errors import InvalidInput
from support.roundtable.records import Round, Transcript

if TYPE_CHECKING:
    from support.analysis.embeddings import Encoder
    from support.runs.study import Unit


def studies_of(
    records: Sequence[tuple[Unit, Transcript]],
    messages: pd.DataFrame | None = None,
    acts: str = "acts",
    encoder: Encoder | None = None,
    folds: int = 5,
    seed: int = 0,
    first_run: int = 0,
) -> dict[str, Study]:
    """A study for each social choice rule, in the order of their appearance.

    Parameters
    ----------
    records : sequence
        Of one environment, as `list(Sweep.records(store))` gives them.
    messages : DataFrame, optional
        `messages_of(records)`, with an annotator's column, or measured already by `features`.
    acts : str
        The column that holds the dialogue acts.
    encoder : Encoder, optional
        Without it, and without a column `difference`, the information difference stays unknown.
    folds, seed : int
        Of the cross-validation. Equally many discussions get equal folds, so that where the rules were run on
        the same groups, a group is in the same fold under each.
    first_run : int
        The number that `messages` give to the first of the records.

    Raises
    ------
    InvalidInput
        When there are no records, fewer discussions under a rule than folds, or an environment without a performance.
    """
    if not records:
        raise InvalidInput("records: none given; run the sweep first")
    said = measured(messages_of(records) if messages is None else messages, encoder)
    if strangers := sorted(set(said["run"]) - set(range(first_run, first_run + len(records)))):
        raise InvalidInput(f"messages: run {strangers[0]} is none of the {len(records)} records from {first_run} on")
    runs: dict[str, list[int]] = {}
    for i, (_, transcript) in enumerate(records):
        runs.setdefault(transcript.rule, []).append(i)
    return {
        rule: study_of(
            [records[i][1] for i in mine],
            _numbered(said, {first_run + i: k for k, i in enumerate(mine)}),
            acts,
            folds=folds_of(len(mine), folds, seed),
        )
        for rule, mine in runs.items()
    }


def study_of(
    transcripts: Sequence[Transcript],
    messages: pd.DataFrame,
    acts: str = "acts",
    encoder: Encoder | None = None,
    folds: np.ndarray | None = None,
) -> Study:
    """One study; `run` in `messages` counts the transcripts from 0."""
    played = np.array([len(t.rounds) for t in transcripts])
    shape = (len(transcripts), int(played.max()))
    performance = np.full(shape, np.nan)
    for i, transcript in enumerate(transcripts):
        performance[i, : played[i]] = performance_of(transcript)
    better = transcripts[0].environment["name"] != "movielens"
    held = [t.rounds for t in transcripts]
    return Study(
        performance, played, better, **votes(held, shape), **speech(messages, shape, acts, encoder), folds=folds
    )


def performance_of(transcript: Transcript) -> np.ndarray:
    """The group's performance after each round, shape (rounds,).

    The exchange economy: total utility as a share of its maximum (0 to 1), 0 before the first decision. Ratings: the
    absolute error in stars, where a group without a decision counts as if it had said the mean of all ratings of
    u1.base. Both are the units of Table 10.
    """
    name = transcript.environment["name"]
    if name not in PERFORMANCE:
        raise InvalidInput(f"environment: {name!r} given; stopping knows a performance for {', '.join(PERFORMANCE)}")
    return np.asarray(PERFORMANCE[name](transcript))


def _utility(transcript: Transcript) -> np.ndarray:
    return total_utility(transcript) / 100


def _error(transcript: Transcript) -> np.ndarray:
    said = [r.decision.value if r.decision else None for r in transcript.rounds]
    mean = _mean_rating() if None in said else 0.0
    truth = float(transcript.environment["rating"])
    return np.array([abs((mean if value is None else float(value)) - truth) for value in said])


def _mean_rating() -> float:
    from support.roundtable.ratings import load

    return float(load().base["rating"].mean())


PERFORMANCE = {"exchange_economy": _utility, "movielens": _error}
"""How well a group did after each round, by environment."""


def votes(held: Sequence[Sequence[Round]], shape: tuple[int, int]) -> dict[str, np.ndarray]:
    """The layers `accepted` and `proposals` of discussions, each given by its rounds."""
    accepted, proposals = np.zeros((2, *shape), dtype=bool)
    for i, rounds in enumerate(held):
        accepted[i, : len(rounds)] = [r.winner is not None for r in rounds]
        proposals[i, : len(rounds)] = [any(p.value is not None for p in r.proposals) for r in rounds]
    return {"accepted": accepted, "proposals": proposals}


def speech(
    messages: pd.DataFrame, shape: tuple[int, int], acts: str = "acts", encoder: Encoder | None = None
) -> dict[str, Any]:
    """The layers `acts`, `difference` (None without an encoder) and `words` from messages whose runs count from 0."""
    if messages.empty:  # nobody ever said anything
        unknown = None if encoder is None and "difference" not in messages else np.full(shape, np.nan)
        return {"acts": np.zeros((*shape, 1, len(LABELS)), dtype=bool), "difference": unknown, "words": np.zeros(shape)}
    coded = code(messages, acts)
    values = np.zeros((*shape, *coded.values.shape[2:]), dtype=bool)
    values[coded.runs["run"].to_numpy(), : coded.values.shape[1]] = coded.values
    said = measured(messages, encoder)
    cells = said.groupby(["run", "round"], sort=False)
    difference = _table(cells["difference"].mean(), shape, np.nan) if "difference" in said else None
    return {"acts": values, "words": _table(cells["words"].sum(), shape, 0.0), "difference": difference}


def measured(messages: pd.DataFrame, encoder: Encoder | None = None) -> pd.DataFrame:
    """The messages with `words` and, where an encoder is given, `difference`; what is there is not measured again."""
    if messages.empty:  # nobody ever said anything
        columns = ["run", "round", "sender", "text", "acts", "words"]
        return pd.DataFrame(columns=columns if encoder is None else [*columns, "difference"])
    if "words" not in messages:
        messages = messages.assign(words=messages["text"].map(words))
    if encoder is not None and "difference" not in messages:
        vectors = encoder.encode(list(messages["text"]))
        messages = messages.assign(difference=information_difference(messages, vectors))
    return messages


def _table(cells: pd.Series[float], shape: tuple[int, int], empty: float) -> np.ndarray:
    table = np.full(shape, empty)
    runs, numbers = (cells.index.get_level_values(name).to_numpy() for name in ("run", "round"))
    table[runs, numbers - 1] = cells
    return table


def _numbered(messages: pd.DataFrame, numbers: Mapping[int, int]) -> pd.DataFrame:
    """The messages of some runs, these counted anew."""
    mine = messages[messages["run"].isin(list(numbers))]
    return mine.assign(run=mine["run"].map(numbers))
