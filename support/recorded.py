"""What is recorded of the embedded model beside the studies' own sweeps: acts that it gives
messages, forms that it fills in, policies and edge cases that it judges. `support.runs.recordings`
plays them (`make record`).

Where a `seed` is given, what is asked is drawn from it, as it was when it was recorded.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from support.analysis.annotators import LanguageModelAnnotator
from support.analysis.detection import (
    edge_cases,
    held_out_states,
    model_selections,
    model_verdicts,
    one_voice,
)
from support.analysis.dialogue_acts import HELD_OUT, authors
from support.seats import Spoken
from support.seminar.policies import load_policies
from support.survey.instruments import load
from support.survey.respondents import sample

Drawn = np.random.Generator  # the stream of a sweep's unit, which nothing here needs
Found = dict[Any, Any]


async def labels(model: Any, rng: Drawn, every: int) -> Found:
    """The acts that a model gives sentences of the held-out author, one of so many."""
    sentences = authors()
    held_out = sentences[sentences["run"] == HELD_OUT]
    spoken = held_out[::every].assign(round=1, sender="Ana")
    return {"acts": await LanguageModelAnnotator(model).label(spoken)}


async def forms(
    model: Any,
    rng: Drawn,
    seed: int,
    instrument: str,
    per_group: int,
) -> Found:
    """The answers of drawn personas whom a model plays, so many of each group."""
    asked = load(instrument)
    plans = [[(asked, group)] for group in asked.groups for _ in range(per_group)]
    own = np.random.default_rng(seed)
    found = await sample(plans, own, "model", Spoken(model))
    return found.answers.dropna().to_dict("list")


async def selections(
    model: Any,
    rng: Drawn,
    every: int,
    listed: bool,
) -> Found:
    """The policies that a model selects in every so many-th of the held-out states."""
    states = held_out_states()[::every]
    policies = load_policies("seed")
    found = await model_selections(model, states, policies, listed)
    return {"selected": found["selected"].tolist()}


async def verdicts(model: Any, rng: Drawn, shots: str) -> Found:
    """What a model says of one voice of each edge case."""
    voices = one_voice(edge_cases())
    policies = load_policies("seed")
    found = await model_verdicts(model, voices, policies, shots)
    return {"flagged": found["flagged"].tolist()}
