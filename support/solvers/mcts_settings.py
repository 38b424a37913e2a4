"""How the tree of `support.solvers.mcts` is searched: what appendix B of 003 says, and what it leaves open."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from support.errors import InvalidInput
from support.solvers.ask_tell import whole

SCALES = ("printed", "unit")
UNVISITED = ("zero", "parent", "worst", "best", "first")
TIES = ("first", "random")
ROOT = ("visits", "score", "off")


def _number(name: str, value: object, low: float, high: float, *, open_: bool = False) -> None:
    real = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if not real or not low <= value <= high or (open_ and value == low):  # type: ignore[operator]
        bounds = f"a number above {low}" if open_ else f"a number from {low} to {high}"
        raise InvalidInput(f"{name}: {value!r} given; expected {bounds}")


@dataclass(frozen=True, slots=True)
class Settings:
    """How the tree is searched; numbers as in appendix B.3 of 003, choices as they work best here.

    By default equal scores are settled at random, an option that was not tried is worth what its node is worth on
    average, and no plan is asked about twice. Then Q on its printed scale, which hardly explores, is no loss: after 50
    evaluations of ten decisions of three options (scores) the mean best divergence is 15, against 18 on the unit
    scale and 19 for uniform random plans; local search has 12. After five, it is that of uniform random plans.

    Attributes
    ----------
    c : float
        Weight of exploration, c_puct.
    noise, alpha : float
        Share epsilon of Dirichlet(alpha) noise in the priors of the root.
    redraw : bool
        Noise anew in each iteration, as Algorithm 1 can be read, or once, when the root is expanded, as step 2 of
        appendix B.2 and AlphaZero have it.
    temperature, top_k : float, int
        Of the sampling at the root, see `root`.
    scale : "printed" or "unit"
        Q as it is printed, the mean of the values (beside minus divergences near -100 the exploration term, of about
        1, is next to nothing); or moved to [0, 1] by the smallest and the largest value seen so far.
    unvisited : "zero", "parent", "worst", "best" or "first"
        What Q is where there is no value: 0, as programs usually start (better than any plan while values are minus
        divergences, worse than any while they are welfare); the mean of the node; the smallest value seen so far, or
        the largest; or more than any other option can score, so that each option of a node is tried before one is
        tried again.
    ties : "first" or "random"
        Which of equal scores is taken. In a new node all are equal, for the sum of visits under the root is 0: with
        "first", every branch begins with the options 0, 0, 0 ….
    root : "visits", "score" or "off"
        What temperature and top-K sample at the root: of the K most visited options, one in proportion to
        (1 + N)^(1/temperature), AlphaZero's rule for its move (1 is added, or the option tried first would be the only
        one ever; even so, once K options were tried no other is, unless they are exhausted); of the K best PUCT
        scores, one in proportion to exp(score/temperature); or nothing: the best is taken as in all other nodes.
    again : bool
        Whether a plan may be proposed that is known already. Without, exhausted branches are left out while others
        are left: a value that is certain need not be asked for twice, and the other searches do not either.

    Raises
    ------
    InvalidInput
        On a number out of range or a word that is not among those above.
    """

    c: float = 1.5
    noise: float = 0.25
    alpha: float = 0.3
    redraw: bool = False
    temperature: float = 1.0
    top_k: int = 2
    scale: str = "printed"
    unvisited: str = "parent"
    ties: str = "random"
    root: str = "score"
    again: bool = False

    def __post_init__(self) -> None:
        _number("c", self.c, 0, math.inf)
        _number("noise", self.noise, 0, 1)
        _number("alpha", self.alpha, 0, math.inf, open_=True)
        _number("temperature", self.temperature, 0, math.inf, open_=True)
        whole("top_k", self.top_k)
        for name, words in (("scale", SCALES), ("unvisited", UNVISITED), ("ties", TIES), ("root", ROOT)):
            if getattr(self, name) not in words:
                raise InvalidInput(f"{name}: {getattr(self, name)!r} given; expected one of {', '.join(words)}")


PRINTED = Settings(redraw=True, scale="printed", unvisited="zero", ties="first", root="visits", again=True)
"""The literal reading of Algorithm 1, with what a plain program does where it says nothing."""


def noisy_priors(rng: np.random.Generator, options: int, settings: Settings, count: int) -> np.ndarray:
    """P'(b | s0) = (1 - epsilon) P(b | s0) + epsilon eta_b, eta ~ Dir(alpha): float of shape (count, options)."""
    noise = rng.dirichlet([settings.alpha] * options, size=count)
    return (1 - settings.noise) / options + settings.noise * noise
