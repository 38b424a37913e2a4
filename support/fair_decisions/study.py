"""One search for a fair plan by the framework of 003, "Investigating Language Models for … Group Decisions"."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from support.errors import InvalidInput
from support.fair_decisions.instances import instance
from support.fair_decisions.planners import SOLVERS, Suggester
from support.fair_decisions.problem import PAIRED, SCORE, WORDS
from support.fair_decisions.records import Planning
from support.fair_decisions.search import BEST_KNOWN, ITS_OWN, ROUNDS, Search, record
from support.fair_decisions.seats import (
    ESTIMATOR,
    PLANNER,
    PROMPTS,
    Leading,
    seat_deciders,
)
from support.seats import TEMPERATURE, ModelSeat, Seats, Spoken, check_number

if TYPE_CHECKING:
    from support.models.model import ChatModel

DEFAULT = "default"


async def fair_decisions(
    rng: np.random.Generator,
    decisions: int = 5,
    options: int = 3,
    participants: int = 3,
    preferences: str = "scores",
    feedback: str = SCORE,
    objective: str = "divergence",
    coordinator: Any = "mcts",
    estimator: Any = DEFAULT,
    solver: bool | str = False,
    seats: Seats = "plain",
    noise: float = 0.0,
    rounds: int = ROUNDS,
    final: str = DEFAULT,
    prompt: str = "full",
    temperature: float = TEMPERATURE,
    reasoning: str | None = None,
    repetition: int = 0,
    instances_seed: int = 2025,
    model: ChatModel | str | None = None,
    prompts: str | None = None,
) -> Planning:
    """One search on one instance (sections 4 and 5): n `decisions` of m `options` for p `participants`.

    `preferences` and `feedback` are names of `problem.PREFERENCES` and `FEEDBACK`, `objective` one of
    `measures.OBJECTIVES`, `prompt` one of `seats.PROMPTS`. `coordinator`, `estimator` (by default what `estimator_for`
    says) and `seats`, of the participants, are kinds of the roles in `seats`, or participants of one's own; `solver`
    says who suggests a plan before each round, on the gains that are expected: nobody, or one of `planners.SOLVERS`
    (True is the exact one). At most `rounds` plans are judged, and twice as many under comparison; `noise` is that of
    `deciders.Own`. `final` is one of `search.FINAL`: by default a model ends with "its own" choice, as in the paper's
    prompt, any other coordinator with the "best known". `reasoning` is that of `support.seats.Spoken`.

    `repetition` says which of the instances that `instances.instance` draws with `instances_seed`: the same ones under
    every coordinator and feedback, 30 in the paper.
    """
    check_number("noise", noise)
    if solver not in (False, True, *SOLVERS):
        raise InvalidInput(
            f"solver: {solver!r} given; expected True, False, or one of {', '.join(SOLVERS)}"
        )
    if prompt not in PROMPTS:
        raise InvalidInput(
            f"prompt: {prompt!r} given; expected one of {', '.join(PROMPTS)}"
        )
    problem = instance(
        preferences, decisions, options, repetition, instances_seed, participants
    )
    who, led, guess = rng.spawn(3)
    spoken = Spoken(model, temperature, repetition, prompts, reasoning)
    people = seat_deciders(problem, preferences, seats, who, noise=noise, spoken=spoken)
    guessed = (
        estimator_for(feedback, coordinator, solver)
        if estimator == DEFAULT
        else estimator
    )
    reads = ESTIMATOR.seat(guessed, guess, spoken=spoken)
    leads = PLANNER.seat(
        coordinator,
        led,
        Leading(problem.shape, prompt, getattr(reads, "draw", None)),
        spoken,
    )
    solves = (
        Suggester(objective, "exact" if solver is True else solver, rng.spawn(1)[0])
        if solver
        else None
    )
    final = (
        (ITS_OWN if isinstance(leads, ModelSeat) else BEST_KNOWN)
        if final == DEFAULT
        else final
    )
    told: dict[str, Any] = {
        "feedback": feedback,
        "objective": objective,
        "preferences": preferences,
        "rounds": rounds,
    }
    search = Search(problem, people, leads, reads, solves, **told, final=final)
    finished = [entry async for entry in search.played()]
    roles = {**people, "coordinator": leads, "estimator": reads, "solver": solves}
    return record(
        problem, roles, finished, final=final, **told, noise=noise, prompt=prompt
    )


def estimator_for(
    feedback: str, coordinator: Any = "mcts", solver: bool | str = False
) -> str:
    """The estimator that a feedback needs where none is asked for.

    Words are read by the lexical one, comparisons by the Bayesian one, from whose belief "thompson" draws in any case.
    Scores tell the totals as they are: it takes a solver to need the Bayesian one.

    >>> estimator_for("score"), estimator_for("score", solver=True), estimator_for("words")
    ('none', 'bayesian', 'lexical')
    """
    if (
        coordinator == "thompson"
        or feedback in PAIRED
        or (feedback == SCORE and (solver or coordinator == "exact"))
    ):
        return "bayesian"
    return "lexical" if feedback == WORDS else "none"
