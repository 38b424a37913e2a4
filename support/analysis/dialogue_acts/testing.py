"""What annotators are tested on: people whom no training saw, another corpus, and sentences kept apart."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from support.analysis.conversation import messages_of
from support.analysis.dialogue_acts.acts import LABELS, OTHERS
from support.analysis.dialogue_acts.agreement import DRAWS, evaluate
from support.analysis.dialogue_acts.annotators import Annotator, Labels, union
from support.analysis.dialogue_acts.mapping import AMI_ACTS, DELIDATA_ACTS, acts_of_delidata
from support.analysis.dialogue_acts.sentences import sentences
from support.analysis.frames import need_columns
from support.errors import InvalidInput
from support.roundtable.table import play
from support.runs.study import Unit


@dataclass(frozen=True, eq=False)
class Test:
    """Messages whose acts are known.

    Attributes
    ----------
    name : str
        Whose labels they are, as a warning says it.
    messages : DataFrame
        run, round, sender, text, and cluster: what a bootstrap resamples whole.
    truth : list of labels
    acts : tuple of str
        Those that the truth can tell; an annotator is judged on no other.
    """

    __test__ = False  # no test of pytest's

    name: str
    messages: pd.DataFrame
    truth: list[Labels]
    acts: Labels


def ami_segments(segments: pd.DataFrame) -> Test:
    """Every segment as a message of its own; `segments` as `train.labelled_ami` gives them."""
    need_columns(segments, ["meeting", "speaker", "text", "acts"], "segments")
    number = segments.groupby("meeting").cumcount() + 1
    frame = _framed(segments, "meeting", number, segments["speaker"])
    return Test("people's labels of unseen AMI segments", frame, list(segments["acts"]), AMI_ACTS)


def ami_turns(segments: pd.DataFrame) -> Test:
    """Segments of one speaker that follow each other as one message, which performs the acts of all of them.

    The truth of a message is the union that an annotator forms of its sentences, so that this tests the step from
    segments to messages as well.
    """
    need_columns(segments, ["meeting", "speaker", "text", "acts"], "segments")
    other = segments["meeting"].ne(segments["meeting"].shift()) | segments["speaker"].ne(segments["speaker"].shift())
    groups = segments.groupby(other.cumsum().to_numpy())
    turns = groups.agg({"meeting": "first", "speaker": "first", "text": " ".join})
    truth = [union(act for labels in part for act in labels) for _, part in groups["acts"]]
    frame = _framed(turns, "meeting", turns.groupby("meeting").cumcount() + 1, turns["speaker"])
    return Test("people's labels of unseen AMI turns", frame, truth, AMI_ACTS)


def delidata_messages(messages: pd.DataFrame) -> Test:
    """DeliData's messages with the acts that its labels tell of; `messages` from `support.corpora.delidata`."""
    need_columns(messages, ["group", "place", "sender", "text", "kind", "target", "additional"], "messages")
    frame = _framed(messages, "group", messages["place"] + 1, messages["sender"])
    return Test("people's labels of DeliData", frame, acts_of_delidata(messages), DELIDATA_ACTS)


def _framed(frame: pd.DataFrame, run: str, number: pd.Series, sender: pd.Series) -> pd.DataFrame:
    columns = {"run": frame[run], "round": number, "sender": sender, "text": frame["text"], "cluster": frame[run]}
    return pd.DataFrame(columns).reset_index(drop=True)


def true_acts(messages: pd.DataFrame, name: str = "true acts of sentences kept apart") -> Test:
    """Messages of rule-based agents with the acts that they know they perform.

    They never perform "others", and a sentence that several runs speak is one template: intervals over runs say
    nothing of other templates.
    """
    need_columns(messages, ["run", "round", "sender", "text", "acts"], "messages")
    truth = [tuple(acts) for acts in messages["acts"]]
    if not all(truth):
        raise InvalidInput("acts: some messages carry none; true acts are known of rule-based agents only")
    known = union(act for acts in truth for act in acts)
    frame = messages.assign(cluster=messages["run"]).reset_index(drop=True)
    return Test(name, frame, truth, tuple(act for act in known if act != OTHERS))


def spoken_sentences(messages: pd.DataFrame) -> pd.DataFrame:
    """The sentences of rule-based agents with the one act of each (run, text, acts): what a classifier can learn from.

    A rule-based message is one sentence for each of its acts, in their order. Messages whose sentences cannot be told
    apart (a full stop inside one) are left out.
    """
    need_columns(messages, ["run", "text", "acts"], "messages")
    rows = [
        (run, text, (act,))
        for run, message, acts in zip(messages["run"], messages["text"], messages["acts"], strict=True)
        if len(acts) == len(parts := sentences(message))
        for text, act in zip(parts, acts, strict=True)
    ]
    return pd.DataFrame(rows, columns=["run", "text", "acts"])


async def held_out_talk(
    tables: Callable[[np.random.Generator], tuple[Any, Mapping[str, Any]]],
    rng: np.random.Generator,
    *,
    n: int = 20,
    rule: str = "majority",
    rounds: int = 10,
) -> pd.DataFrame:
    """Messages of discussions whose rule-based agents speak only the sentences kept apart for testing.

    Parameters
    ----------
    tables : function of a Generator
        Gives an environment and the participants at its table.

    Returns
    -------
    DataFrame
        As `support.analysis.conversation.messages_of` gives it.

    Raises
    ------
    InvalidInput
        When a participant has no sentences that are kept apart.
    """
    records = []
    for repetition, stream in enumerate(rng.spawn(n)):
        environment, seats = tables(stream)
        apart = {agent: _held_out(agent, seat) for agent, seat in seats.items()}
        transcript = await play(environment, apart, rule, rounds=rounds, rng=stream)
        records.append((Unit("held out", json.dumps({"rule": rule}), repetition), transcript))
    return messages_of(records)


def _held_out(agent: str, seat: Any) -> Any:
    if not hasattr(seat, "held_out_wordings"):
        raise InvalidInput(f"seats: {type(seat).__name__} given for {agent}; it has no sentences that are kept apart")
    made = copy.copy(seat)
    made.held_out_wordings = True
    return made


def labelled(messages: pd.DataFrame, name: str = "labels that two people share") -> Test:
    """Messages that people labelled, as `support.analysis.dialogue_acts.labels.settled` gives them."""
    need_columns(messages, ["run", "round", "sender", "text", "acts"], "messages")
    frame = messages.assign(cluster=messages["run"]).reset_index(drop=True)
    return Test(name, frame, [tuple(acts) for acts in messages["acts"]], LABELS)


async def scores(
    annotators: Sequence[Annotator], tests: Sequence[Test], rng: np.random.Generator, *, draws: int = DRAWS
) -> pd.DataFrame:
    """Every annotator on every test: the frame of `evaluate` with the columns test and annotator before it."""
    parts = []
    for test in tests:
        for annotator in annotators:
            given = await annotator.label(test.messages)
            made = evaluate(test.truth, given, list(test.messages["cluster"]), rng, acts=test.acts,
                            covered=annotator.covered, draws=draws)  # fmt: skip
            made.insert(0, "annotator", annotator.name)
            made.insert(0, "test", test.name)
            parts.append(made)
    if not parts:
        raise InvalidInput(
            f"annotators, tests: {len(annotators)} and {len(tests)} given; expected one of each at least"
        )
    return pd.concat(parts, ignore_index=True)
