"""One search for a fair plan by the framework of 003, "Investigating Language Models for
… Group Decisions"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from support.fair_decisions.instances import instance, stated
from support.fair_decisions.planners import SOLVERS, Suggester
from support.fair_decisions.problem import COMPLETE, SCORE, SPOKEN
from support.fair_decisions.records import Planning, PlanningRound
from support.fair_decisions.search import BEST_KNOWN, ITS_OWN, ROUNDS, Search
from support.fair_decisions.seats import (
    BAYESIAN,
    FULL,
    NONE,
    PLANNER,
    PROMPTS,
    Leading,
    seat_deciders,
    seat_estimator,
)
from support.models.profiles import MODEL, is_model
from support.play import between, check_one
from support.seats import (
    HUMAN,
    TEMPERATURE,
    ModelSeat,
    Seats,
    Spoken,
    by_name,
)

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
    solver: str = NONE,
    final: str = "",
    seats: Seats = "plain",
    rounds: int = ROUNDS,
    prompt: str = FULL,
    temperature: float = TEMPERATURE,
    reasoning: str | None = None,
    repetition: int = 0,
    instances_seed: int = 2025,
    problem: Mapping[str, Any] | None = None,
    model: ChatModel | str | None = None,
    prompts: str | None = None,
) -> Planning:
    """One search on one instance (sections 4 and 5): n `decisions` of m `options` for p
    `participants`; or on a `problem` of one's own, {participant: {decision: {option:
    points}}}, which says itself how many (see `instances.stated`).

    `preferences` and `feedback` are names of `problem.PREFERENCES` and `FEEDBACK`,
    `objective` one of `measures.OBJECTIVES`, `prompt` one of `seats.PROMPTS`.
    `coordinator`, `estimator` (by default what `estimator_for` says) and `seats`, of the
    participants, are kinds of the roles in `seats`, or participants of one's own;
    `solver` says who suggests a plan before each round, on the gains that are expected:
    "none", or one of `planners.SOLVERS`. At most `rounds` plans
    are judged, and twice as many under comparison. Without `final` ("its own", "best known")
    a model ends with its own choice, as in the paper's prompt, any other coordinator with the best known plan. `reasoning`
    and `prompts` are those of `support.seats.Spoken`.

    `repetition` says which of the instances that `instances.instance` draws with
    `instances_seed`: the same ones under every coordinator and feedback, 30 in the
    paper.
    """
    check_one("solver", solver, (NONE, *SOLVERS))
    check_one("prompt", prompt, PROMPTS)
    check_one("final", final, ("", ITS_OWN, BEST_KNOWN))
    if problem is None:
        sizes = decisions, options, repetition, instances_seed, participants
        case = instance(preferences, *sizes)
    else:
        case = stated(problem, preferences)
    kinds = by_name("participant", seats, case.participants)
    everybody = estimator != DEFAULT
    if not everybody:
        speakers = [*kinds.values()]
        estimator = estimator_for(feedback, speakers, coordinator, solver, model)
    who, led, guess = rng.spawn(3)
    spoken = Spoken(model, temperature, repetition, prompts, reasoning)
    people = seat_deciders(
        case,
        preferences,
        kinds,
        who,
        stated=estimator == BAYESIAN,
        spoken=spoken,
    )
    reads = seat_estimator(estimator, guess, spoken, everybody=everybody)
    leads = PLANNER.seat(coordinator, led, Leading(case.shape, prompt), spoken)
    solves = None
    if solver != NONE:
        solves = Suggester(objective, solver, rng.spawn(1)[0])
    search = Search(
        case,
        people,
        leads,
        reads,
        solves,
        feedback,
        objective,
        preferences,
        rounds,
        final or (ITS_OWN if isinstance(leads, ModelSeat) else BEST_KNOWN),
    )
    finished: list[PlanningRound] = []
    async for entry in search.played():
        finished.append(entry)
        if not entry.finish and entry.number < rounds:
            await between(search.record, finished, prompt=prompt)
    return search.record(finished, prompt=prompt)


def estimator_for(
    feedback: str,
    seats: Sequence[Any] = ("plain",),
    coordinator: Any = "mcts",
    solver: str = NONE,
    model: ChatModel | str | None = None,
) -> str:
    """The estimator that a feedback needs where none is asked for.

    The Bayesian one takes totals, comparisons, and words that are there as data. Where
    a model or a person speaks, a model reads: the speaker's own, else that which
    coordinates, else the one that is given; without any, words have to be stated as
    data as well. Totals are known as they are: it takes a solver to need an estimate.

    >>> estimator_for("score"), estimator_for("score", solver="exact")
    ('none', 'bayesian')
    >>> estimator_for("words"), estimator_for("words", ["plain", "model:gpt-4o-mini"])
    ('bayesian', 'model:gpt-4o-mini')
    """
    kinds = [str(getattr(kind, "kind", kind)) for kind in (*seats, coordinator)]
    models = [kind for kind in kinds if is_model(kind)]
    spoken = any(is_model(kind) or kind == HUMAN for kind in kinds[:-1])
    if feedback in SPOKEN and spoken and (models or model is not None):
        return [*models, MODEL][0]
    totals = feedback == SCORE and solver == NONE and coordinator != "exact"
    return NONE if totals or feedback == COMPLETE else BAYESIAN
