"""One search for a fair plan by the framework of 003, "Investigating Language Models for … Group Decisions"."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from support.environments.fair_decisions.problem import FairDecisions
from support.environments.fair_decisions.views import COMPARISON, SCORE, WORDS
from support.mechanisms import planning
from support.participants.deciders.protocol import Decider
from support.participants.deciders.seating import seat_deciders
from support.participants.estimators.seating import seat_estimator
from support.participants.planners.exact import Suggester
from support.participants.planners.protocol import Planner
from support.participants.planners.seating import EXACT, THOMPSON, seat_planner
from support.participants.seating import SeatsOf
from support.records import Planning

if TYPE_CHECKING:
    from support.models.model import ChatModel

DEFAULT, NONE, LEXICAL, BAYESIAN = "default", "none", "lexical", "bayesian"


async def fair_decisions(
    rng: np.random.Generator,
    decisions: int = 5,
    options: int = 3,
    participants: int = 3,
    preferences: str = "scores",
    feedback: str = SCORE,
    objective: str = "divergence",
    coordinator: str | Planner = "mcts",
    estimator: str = DEFAULT,
    solver: bool = False,
    seats: SeatsOf[Decider] = "plain",
    noise: float = 0.0,
    rounds: int = planning.ROUNDS,
    final: str = "best known",
    prompt: str = "full",
    temperature: float = 0.0,
    repetition: int = 0,
    instances_seed: int = 2025,
    model: ChatModel | str | None = None,
) -> Planning:
    """One search on one instance (sections 4 and 5).

    Parameters
    ----------
    decisions, options, participants : int
        n, m and p.
    preferences : a name of `views.PREFERENCES`
    feedback : a name of `views.FEEDBACK`
    objective : a name of `measures.OBJECTIVES`
    coordinator : a key of `planners.seating.PLANNERS`, or a planner
    estimator : str
        A kind of `seat_estimator`; by default what `estimator_for` says.
    solver : bool
        Whether an exact solver suggests a plan to the coordinator before each round.
    seats, noise
        Of the participants, see `seat_deciders`.
    rounds : int
        T; the most plans that are judged, and twice as many under comparison.
    final : one of `mechanisms.planning.FINAL`
        What the group ends with.
    prompt, temperature
        Of language models; the prompt is the coordinator's.
    repetition : int
        Which of the instances that `generate.instance` draws with `instances_seed`: the same ones under every
        coordinator and feedback, 30 in the paper.

    Raises
    ------
    InvalidInput
        On a setting out of its range.
    """
    planning.choose((), final)  # refuses another `final` before anybody is asked
    problem = _instance(preferences, decisions, options, repetition, instances_seed, participants)
    who, led, guess = rng.spawn(3)
    spoken: dict[str, Any] = {"model": model, "temperature": temperature, "repetition": repetition}
    people = seat_deciders(problem, preferences, seats, who, noise=noise, **spoken)
    guessed = estimator_for(feedback, coordinator, solver) if estimator == DEFAULT else estimator
    reads = seat_estimator(guessed, guess, **spoken)
    leads = seat_planner(coordinator, problem.shape, led, draw=getattr(reads, "draw", None), prompt=prompt, **spoken)
    solves = Suggester(objective) if solver else None
    told = {"feedback": feedback, "objective": objective, "preferences": preferences, "rounds": rounds}
    played = planning.plan(problem, people, leads, estimator=reads, solver=solves, **told)  # type: ignore[arg-type]
    finished = [entry async for entry in played]
    roles = {**people, "coordinator": leads, "estimator": reads, "solver": solves}
    return planning.record(problem, roles, finished, final=final, **told, noise=noise, prompt=prompt)


def estimator_for(feedback: str, coordinator: Any = "mcts", solver: bool = False) -> str:
    """The estimator that a feedback needs where none is asked for.

    Words are read by the lexical one, comparisons by the Bayesian one, from whose belief "thompson" draws in any case.
    Scores tell the totals as they are: it takes a solver to need more, the Bayesian one. Under complete information
    there is nothing to estimate.

    Examples
    --------
    >>> estimator_for("score"), estimator_for("score", solver=True), estimator_for("words")
    ('none', 'bayesian', 'lexical')
    """
    if coordinator == THOMPSON or feedback == COMPARISON:
        return BAYESIAN
    if feedback == SCORE and (solver or coordinator == EXACT):
        return BAYESIAN
    return LEXICAL if feedback == WORDS else NONE


@lru_cache(maxsize=1024)
def _instance(
    preferences: str, decisions: int, options: int, number: int, seed: int, participants: int
) -> FairDecisions:
    from support.environments.fair_decisions.generate import instance

    return instance(preferences, decisions, options, number, seed, participants=participants)
