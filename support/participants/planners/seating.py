"""Who coordinates a search for a fair plan, by the name of its kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from support.errors import InvalidInput
from support.participants.planners.exact import Draw, ExactPlanner
from support.participants.planners.protocol import Planner
from support.participants.planners.search import SearchPlanner
from support.participants.seating import MODEL, check_kind, check_own, check_settings, drawn_seed, given_model, is_model

if TYPE_CHECKING:
    from support.models.model import ChatModel
    from support.solvers.ask_tell import Search

EXACT, THOMPSON = "exact", "thompson"
PLANNERS: Mapping[str, str] = {
    "mcts": "Monte Carlo tree search over the totals of the plans so far, with settings that work at few evaluations",
    "mcts printed": "the same, as appendix B of 003 reads word by word",
    "random": "a floor: plans drawn uniformly, none of them twice",
    "local": "local search: changes one decision at a time and keeps what improves",
    EXACT: "solves exactly on the gains if they are public, else on the gains that the estimator expects",
    THOMPSON: "solves exactly on gains drawn from the belief of a Bayesian estimator",
    MODEL: "a language model",
}
"""What each name stands for; a `HumanPlanner`, or a planner of your own, is seated itself."""


def seat_planner(
    kind: str | Planner,
    shape: tuple[int, int, int],
    rng: np.random.Generator,
    *,
    draw: Draw | None = None,
    model: ChatModel | str | None = None,
    prompt: str = "full",
    temperature: float = 0.0,
    repetition: int = 0,
) -> Planner:
    """Seat the coordinator.

    Parameters
    ----------
    kind : a key of `PLANNERS`, "model:NAME", or the planner itself
    shape : participants, decisions, options
    rng : numpy.random.Generator
        Of a coordinator that draws.
    draw : callable, optional
        Draws gains from what an estimator believes; "thompson" needs it.
    model, prompt, temperature, repetition
        Of a language model; `model` is the one without a name.

    Raises
    ------
    InvalidInput
        On an unknown kind, or one without what it needs.
    """
    check_settings(0.0, temperature)
    if not isinstance(kind, str):
        check_own(kind, "the coordinator", ("propose",), "brief", "support.participants.planners.protocol")
        return kind
    check_kind("coordinator", kind, PLANNERS)
    if is_model(kind):
        given = given_model(kind, model, "the seat of the coordinator")
        return _speaker(rng, given, prompt, temperature, repetition)
    if kind == EXACT:
        return ExactPlanner(rng)
    if kind == THOMPSON:
        return ExactPlanner(rng, draw=_given(draw))
    searching, drawing = rng.spawn(2)
    return SearchPlanner(kind, _searcher(kind, shape, searching), drawing)


def _searcher(kind: str, shape: tuple[int, int, int], rng: np.random.Generator) -> Search:
    from support.solvers import mcts
    from support.solvers.fair.search import LocalSearch, RandomSearch

    _, n, m = shape
    if kind == "random":
        return RandomSearch(n, m, rng)
    if kind == "local":
        return LocalSearch(n, m, rng)
    return mcts.Tree(n, m, rng, mcts.PRINTED if kind == "mcts printed" else None)


def _speaker(rng: np.random.Generator, model: ChatModel, prompt: str, temperature: float, repetition: int) -> Planner:
    from support.participants.planners.language_model import LanguageModelPlanner

    seed = drawn_seed(rng, temperature)
    return LanguageModelPlanner(model, prompt=prompt, temperature=temperature, seed=seed, repetition=repetition)


def _given(draw: Draw | None) -> Draw:
    if draw is None:
        raise InvalidInput(f"coordinator: {THOMPSON!r} draws from a belief; pass estimator='bayesian'")
    return draw
