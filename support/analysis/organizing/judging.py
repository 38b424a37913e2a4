"""Selectors and detectors put to the test: every answer that was given, one row each, as `evaluating` reads it.

Whoever is tested sees what a role sees, and never the truth, which is set beside its answer afterwards.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from support.errors import InvalidInput, MalformedReply
from support.models.profiles import MODEL
from support.seats import Spoken
from support.seminar.audit import applies
from support.seminar.rules import PolicySet
from support.seminar.seats import TEMPERATURE as DETECTING
from support.seminar.seats import seat_detector
from support.seminar.selecting import CONTEXTS, SUMMARY, TEMPERATURE, Selected, contexts, select_with
from support.seminar.suite import JudgedReply, JudgedState
from support.seminar.views import Verdict

if TYPE_CHECKING:
    from support.models.model import ChatModel

LISTED, UNLISTED, LITERAL, EVERY = ", listed", ", not listed", "literal", "every policy"


def technique(context: str, listed: bool) -> str:
    """The context's name where it is put as in the paper's prompts, and with what is changed elsewhere.

    >>> technique("slot", False), technique("slot", True), technique("summary", False)
    ('slot', 'slot, listed', 'summary, not listed')
    """
    if listed == (context == SUMMARY):
        return context
    return context + (LISTED if listed else UNLISTED)


async def model_selections(
    model: ChatModel | str,
    states: Sequence[JudgedState],
    policies: PolicySet,
    *,
    listed: bool | None = None,
    runs: int = 3,
    temperature: float = TEMPERATURE,
    told: Sequence[str] = CONTEXTS,
) -> pd.DataFrame:
    """What a language model selects in each state under each context, in each run.

    Parameters
    ----------
    listed : bool, optional
        Whether the list of policies is shown; by default as in the paper, under "summary" only.
    told : contexts, of `CONTEXTS`

    Returns
    -------
    DataFrame
        technique (see `technique`), context, listed, run (from 1), item, selected, applies (tuples of ids), problem. A
        number that stands for no policy is selected as "no policy 9". An answer that did not fit its form counts as
        none selected, and `problem` says why ("" otherwise).
    """

    async def one(context: str, run: int, judged: JudgedState) -> dict[str, Any]:
        """One answer."""
        shown = context == SUMMARY if listed is None else listed
        known, problem = contexts(judged.state, judged.summary), ""
        try:
            asked = select_with(
                model, context, policies, known, listed=shown, temperature=temperature, repetition=run - 1
            )
            found = await asked
        except MalformedReply as error:
            found, problem = Selected(()), str(error)
        row = {"technique": technique(context, shown), "context": context, "listed": shown}
        return {**row, **_selection(run, judged, found.answer), "problem": problem}

    asked = [one(context, run, judged) for context in told for run in range(1, runs + 1) for judged in states]
    return pd.DataFrame(await asyncio.gather(*asked))


def _selection(run: int, judged: JudgedState, selected: tuple[str, ...]) -> dict[str, Any]:
    return {"run": run, "item": judged.id, "selected": selected, "applies": judged.applies}


def literal_selections(states: Sequence[JudgedState], policies: PolicySet) -> pd.DataFrame:
    """What the literal reading of the policies selects, and the floor that selects every one: one run of each."""
    choosers: dict[str, Callable[[JudgedState], tuple[str, ...]]] = {
        LITERAL: lambda judged: tuple(applies(judged.state, policies)),
        EVERY: lambda judged: tuple(policy.id for policy in policies),
    }
    rows = [
        {"technique": name, "context": "", "listed": True, **_selection(1, judged, choose(judged)), "problem": ""}
        for name, choose in choosers.items()
        for judged in states
    ]
    return pd.DataFrame(rows)


async def verdicts(
    name: str, detector: Any, replies: Sequence[JudgedReply], policies: PolicySet, run: int = 1
) -> pd.DataFrame:
    """What a detector says of each reply, of which it sees the text and nothing else.

    Parameters
    ----------
    name : what the rows call it
    detector : anything with `async check(reply, policies, context)` that gives a `Verdict`

    Returns
    -------
    DataFrame
        technique (the name given), run, item, case, voice, flag (the truth), flagged, question, problem. An answer that
        did not fit its form counts as clear: nobody would have been asked; `problem` says why.

    Raises
    ------
    InvalidInput
        On a detector that cannot check, or one that gives something else than a `Verdict`.
    """
    seated = seat_detector(detector)

    async def one(reply: JudgedReply) -> dict[str, Any]:
        """One verdict."""
        try:
            said = await seated.check(reply.text, policies)
            if not isinstance(said, Verdict):
                raise InvalidInput(f"check: {said!r} given by {name!r}; expected a Verdict of support.seminar.views")
            found = {"flagged": said.flag, "question": said.question, "problem": ""}
        except MalformedReply as error:
            found = {"flagged": False, "question": "", "problem": str(error)}
        return {"technique": name, "run": run, **_reply(reply), **found}

    return pd.DataFrame(await asyncio.gather(*(one(reply) for reply in replies)))


async def model_verdicts(
    model: ChatModel | str, replies: Sequence[JudgedReply], policies: PolicySet, shots: str, runs: int = 3
) -> pd.DataFrame:
    """A language model's `verdicts` in one of the paper's settings (`SHOTS`), in each run; the setting names it."""
    asked = [
        verdicts(shots, seat_detector(MODEL, shots, Spoken(model, DETECTING, run - 1)), replies, policies, run)
        for run in range(1, runs + 1)
    ]
    return pd.concat(await asyncio.gather(*asked), ignore_index=True)


def judged(name: str, flagged: Sequence[bool], replies: Sequence[JudgedReply], run: int = 1) -> pd.DataFrame:
    """Verdicts that are there already, such as those of a cross-validation, as `verdicts` gives them."""
    rows = [
        {"technique": name, "run": run, **_reply(reply), "flagged": bool(said), "question": "", "problem": ""}
        for reply, said in zip(replies, flagged, strict=True)
    ]
    return pd.DataFrame(rows)


def _reply(reply: JudgedReply) -> dict[str, Any]:
    return {"item": reply.id, "case": reply.case, "voice": reply.voice, "flag": reply.flag}


def one_voice(replies: Sequence[JudgedReply]) -> list[JudgedReply]:
    """One reply of each case, its voices in turn: a subset that holds every case.

    >>> from support.seminar.suite import edge_cases
    >>> [reply.voice for reply in one_voice(edge_cases())[:3]]
    ['renowned', 'junior', 'finishing']
    """
    by_case: dict[str, list[JudgedReply]] = {}
    for reply in replies:
        by_case.setdefault(reply.case, []).append(reply)
    return [voices[k % len(voices)] for k, voices in enumerate(by_case.values())]
