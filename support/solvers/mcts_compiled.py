"""`support.solvers.mcts` compiled by numba: the same plans on the same random numbers, many times faster.

The participants are inside here, as their gains; where somebody has to be asked, use `support.solvers.mcts.Tree`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from support.errors import InvalidInput
from support.solvers.ask_tell import Trace, trace_of, whole
from support.solvers.mcts_settings import ROOT, UNVISITED, Settings, noisy_priors

OBJECTIVES = ("divergence", "welfare")


def run_compiled(
    gains: Any,
    iterations: int,
    rng: np.random.Generator,
    settings: Settings | None = None,
    objective: str = "divergence",
) -> Trace:
    """Search for so many iterations; values are minus the divergence, or the welfare, of the participants' totals.

    Parameters
    ----------
    gains : int array of shape (participants, decisions, options), or a problem that has `gains`

    Raises
    ------
    InvalidInput
        On gains of another shape or kind, fewer than one iteration, or another objective.

    Notes
    -----
    The first call compiles (some seconds; numba keeps the result beside this file). 100,000 iterations of ten
    decisions of three options take about 0.4 s. Memory is that of the plans and of the branches walked twice.

    >>> run_compiled(np.array([[[1, 0], [0, 2]], [[0, 1], [3, 0]]]), 4, np.random.default_rng(0)).value
    -1.0
    """
    from support.solvers import mcts_kernel  # numba takes most of a second to import

    settings, given = settings or Settings(), _checked(getattr(gains, "gains", gains))
    count = whole("iterations", iterations)
    if objective not in OBJECTIVES:
        raise InvalidInput(f"objective: {objective!r} given; expected one of {', '.join(OBJECTIVES)}")
    noise = np.random.default_rng(rng.integers(2**63))
    priors = noisy_priors(noise, given.shape[2], settings, 1)
    if settings.redraw:  # the tree draws once when it expands the root, and once more in each iteration
        priors = noisy_priors(noise, given.shape[2], settings, count)
    coded = mcts_kernel.Coded(
        c=float(settings.c),
        temperature=float(settings.temperature),
        top_k=int(settings.top_k),
        unit=settings.scale == "unit",
        unvisited=UNVISITED.index(settings.unvisited),
        random_ties=settings.ties == "random",
        root=ROOT.index(settings.root),
        again=settings.again,
        redraw=settings.redraw,
        welfare=objective == "welfare",
    )
    return trace_of(*mcts_kernel.search(given, count, rng, priors, coded))


def _checked(gains: Any) -> np.ndarray:
    given = np.asarray(gains)
    if given.ndim != 3 or 0 in given.shape or not np.issubdtype(given.dtype, np.integer):
        raise InvalidInput(
            f"gains: {given.dtype} array of shape {given.shape} given; expected whole numbers of shape "
            "(participants, decisions, options), at least one of each"
        )
    return np.ascontiguousarray(given, dtype=np.int64)
