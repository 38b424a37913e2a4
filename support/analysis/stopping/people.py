"""The same stopping rules on people: DeliData's groups and the performance of the team (Karadzhov et al. 2023).

Small groups look for the right cards of a Wason task in a chat, and the data tell how well the group stood
after each message. Rounds are blocks of as many messages as there are speakers (`support.analysis.people`). Nobody
votes in a chat, so First and Consecutive Agreements are not defined, and refuse; "@10" is the end of the chat. Nobody
was stopped either: the study says how well a group stood at the time at which a rule would have stopped it, and not
what it would have handed in had it known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from support.analysis.dialogue_acts.mapping import acts_of_delidata
from support.analysis.frames import need_columns
from support.analysis.people import messages_of_delidata
from support.analysis.stopping.building import speech
from support.analysis.stopping.dialogue_act import DialogueAct
from support.analysis.stopping.ensemble import Ensemble
from support.analysis.stopping.rules import (
    AllRounds,
    InformationDifference,
    Oracle,
    StoppingRule,
    ValidationCheckpoint,
)
from support.analysis.stopping.study import Study, folds_of

if TYPE_CHECKING:
    from support.analysis.embeddings import Encoder


def people_rules() -> tuple[StoppingRule, ...]:
    """The rules of the paper that need no votes."""
    return AllRounds(), ValidationCheckpoint(), InformationDifference(), DialogueAct(), Ensemble(), Oracle()


def people_study(
    messages: pd.DataFrame | None = None,
    acts: str | None = None,
    encoder: Encoder | None = None,
    folds: int = 5,
    seed: int = 0,
) -> Study:
    """DeliData's groups as a study; performance is the team's after the last message of a block (0 to 1).

    Parameters
    ----------
    messages : DataFrame, optional
        `messages_of_delidata()`, as it is by default, or measured and annotated.
    acts : str, optional
        The column that holds the acts. By default DeliData's own labels, mapped (`acts_of_delidata`); a message on
        which they are silent performs nothing.

    Raises
    ------
    MissingData
        When DeliData is not there.
    InvalidInput
        When a column is missing, or there are fewer groups than folds.
    """
    said = messages_of_delidata() if messages is None else messages
    need_columns(said, ["run", "round", "sender", "text", "performance"], "the messages")
    if acts is None:
        said, acts = said.assign(own=pd.Series(acts_of_delidata(said), index=said.index, dtype=object)), "own"
    said = said.assign(run=pd.factorize(said["run"])[0])
    cells = said.groupby(["run", "round"])["performance"].last()
    played = said.groupby("run")["round"].max().to_numpy()
    shape = (len(played), int(played.max()))
    performance = np.full(shape, np.nan)
    performance[cells.index.get_level_values(0), cells.index.get_level_values(1) - 1] = cells
    layers = speech(said, shape, acts, encoder)
    return Study(performance, played, **layers, folds=folds_of(len(played), folds, seed))
