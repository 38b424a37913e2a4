"""Real groups in the frame of the agents: AMI's meetings and DeliData's chats as messages with rounds.

People have no rounds. Agents' messages of one round are as many as there are agents, so a round of people is here a
block of as many messages (DeliData) or turns (AMI) as the group has speakers, in the order in which they were
begun: an information difference then compares centres of equally many messages. Unlike agents, one person
may fill a block, and within a block people answer each other. The last block may be a shorter one. Groups end
when they like: a mean over groups at a late round is one over those that talked on.

What people write is short: a fifth of DeliData's messages and a quarter or more of AMI's turns have fewer than three
words and so no reading grade (`readability.gradable`), and speech has false starts where writing has sentences.
"""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from support.corpora import ami, delidata
from support.errors import InvalidInput

PEOPLE = "people"
"""What stands in the column `rule`: nobody counted their votes."""


def messages_of_delidata(per_round: int | None = None, first_run: int = 0) -> pd.DataFrame:
    """DeliData's chats, one row per message.

    Parameters
    ----------
    per_round : int, optional
        Messages in a round; by default as many as the group has people who wrote something.
    first_run : int
        Number of the first group, so that people and agents can share a frame.

    Returns
    -------
    DataFrame
        run, environment ("delidata"), rule ("people"), group, round (1, 2, …), sender, recipients (everybody else
        who wrote), text, acts (empty: DeliData's own labels are in kind, target and additional), performance (of
        the team after the message, 0 to 1).
    """
    chats = delidata()
    return _as_messages(chats, "delidata", per_round, first_run, ["kind", "target", "additional", "performance"])


def messages_of_ami(per_round: int | None = None, first_run: int = 0, backchannels: bool = False) -> pd.DataFrame:
    """AMI's meetings, one row per turn: the acts of one speaker until another one begins an act.

    Parameters
    ----------
    per_round : int, optional
        Turns in a round; by default as many as the meeting has speakers.
    first_run : int
        Number of the first meeting.
    backchannels : bool
        Whether "mm-hmm" ends a turn. By default such acts (label bck) are left out: they say that somebody listens
        while another one has the floor, and agents have nothing of the kind.

    Returns
    -------
    DataFrame
        run, environment ("ami"), rule ("people"), group (the meeting), round, sender, recipients, text, acts (empty),
        labels (AMI's labels of the turn's acts, in order), start (seconds).
    """
    acts = ami().rename(columns={"meeting": "group", "speaker": "sender"})
    acts = acts if backchannels else acts[acts["label"] != "bck"]
    change = (acts["group"] != acts["group"].shift()) | (acts["sender"] != acts["sender"].shift())
    turns = acts.groupby(change.cumsum()).agg(
        group=("group", "first"), sender=("sender", "first"), text=("text", " ".join), labels=("label", tuple),
        start=("start", "first"),
    )  # fmt: skip
    return _as_messages(turns, "ami", per_round, first_run, ["labels", "start"])


def _as_messages(
    said: pd.DataFrame, environment: str, per_round: int | None, first_run: int, more: list[str]
) -> pd.DataFrame:
    if per_round is not None and (type(per_round) is not int or per_round < 1):
        raise InvalidInput(f"per_round: {per_round!r} given; expected a whole number of at least 1, or None")
    said = said.reset_index(drop=True)
    groups = said.groupby("group", sort=False)
    speakers = groups["sender"].unique()
    size = per_round or said["group"].map(speakers.map(len))
    frame = said.assign(
        run=first_run + groups.ngroup(),
        environment=environment,
        rule=PEOPLE,
        round=groups.cumcount() // size + 1,
        recipients=_objects(_others(speakers[g], s) for g, s in zip(said["group"], said["sender"], strict=True)),
        acts=_objects(() for _ in range(len(said))),
    )
    order = ["run", "environment", "rule", "group", "round", "sender", "recipients", "text", "acts", *more]
    return frame[order]


def _objects(values: Iterable[tuple[str, ...]]) -> pd.Series:
    return pd.Series(list(values), dtype=object)


def _others(speakers: Iterable[str], me: str) -> tuple[str, ...]:
    return tuple(name for name in speakers if name != me)
