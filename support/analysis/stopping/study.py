"""What a stopping rule may look at: many discussions of one kind as arrays, with their folds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from support.analysis.stopping.pairs import pair_counts
from support.errors import InvalidInput

_LAYERS = ("performance", "played", "acts", "difference", "accepted", "proposals", "words", "folds")


@dataclass(frozen=True, eq=False)
class Sums:
    """Sums over rounds: X'X, X'y, the sum and the squares of y, and the number of rounds.

    X has a constant and the pairs that are present. X'X counts, and is exact.
    """

    square: np.ndarray
    moment: np.ndarray
    total: float
    squares: float
    rows: int

    @classmethod
    def over(cls, pairs: np.ndarray, gain: np.ndarray) -> Sums:
        """The sums of some discussions; rounds without a known gain are left out."""
        known = np.isfinite(gain)
        y = gain[known]
        X = np.ones((len(y), 1 + pairs.shape[-1]), dtype=np.float32)  # counts below 2^24 are exact
        X[:, 1:] = pairs[known] > 0
        return cls((X.T @ X).astype(float), y @ X, float(y.sum()), float(y @ y), len(y))

    def __sub__(self, other: Sums) -> Sums:
        both = zip(vars(self).values(), vars(other).values(), strict=True)
        return Sums(*(mine - theirs for mine, theirs in both))


@dataclass(frozen=True, eq=False)
class Study:
    """Discussions under one rule in one environment. What was not observed is None, and rules that need it say so.

    Attributes
    ----------
    performance : float array, shape (runs, rounds)
        How well the group does if it stops after that round. NaN where unknown, such as rounds never played.
    higher_is_better : bool
        False when `performance` is an error.
    played : int array, shape (runs,)
        How many rounds each discussion has.
    acts : bool array, shape (runs, rounds, agents, labels), or None
        Dialogue acts, as `support.analysis.dialogue_acts.acts.Coded` holds them.
    difference : float array, shape (runs, rounds), or None
        Information difference: mean cosine distance to the round before; NaN in round 1.
    accepted : bool array, shape (runs, rounds), or None
        Whether the vote of that round accepted a proposal.
    proposals : bool array, shape (runs, rounds), or None
        Whether somebody made a new proposal in that round.
    words : float array, shape (runs, rounds), or None
        Words spoken in that round.
    folds : int array, shape (runs,)
        In which fold each discussion is tested; all 0 when there is nothing to cross-validate.
    """

    performance: np.ndarray
    played: np.ndarray
    higher_is_better: bool = True
    acts: np.ndarray | None = None
    difference: np.ndarray | None = None
    accepted: np.ndarray | None = None
    proposals: np.ndarray | None = None
    words: np.ndarray | None = None
    folds: np.ndarray | None = None

    def __post_init__(self) -> None:
        if self.performance.ndim != 2 or not self.performance.size:
            raise InvalidInput(f"performance: shape {self.performance.shape} given; expected (runs, rounds), not empty")
        for name in ("acts", "difference", "accepted", "proposals", "words"):
            given = getattr(self, name)
            if given is not None and given.shape[:2] != self.performance.shape:
                raise InvalidInput(f"{name}: shape {given.shape} given; expected it to begin {self.performance.shape}")
        if (
            self.played.shape != self.performance.shape[:1]
            or not ((self.played >= 1) & (self.played <= self.rounds)).all()
        ):
            raise InvalidInput(f"played: expected for each discussion a number from 1 to {self.rounds}")

    @property
    def rounds(self) -> int:
        """The number of rounds of the longest discussion."""
        return int(self.performance.shape[1])

    @cached_property
    def gain(self) -> np.ndarray:
        """Performance with the sign turned for errors, so that more is better; NaN after the last round played."""
        sign = 1.0 if self.higher_is_better else -1.0
        there = np.arange(self.rounds) < self.played[:, None]
        return np.where(there, sign * self.performance, np.nan)

    @cached_property
    def pairs(self) -> np.ndarray:
        """How often each pair of acts occurs, uint8 of shape (runs, rounds, pairs); see `pairs.pair_counts`."""
        return pair_counts(self.needs("acts"))

    @cached_property
    def sums(self) -> Sums:
        """What a regression of the gain on the pairs present needs to know, over all rounds that are known."""
        return Sums.over(self.pairs, self.gain)

    def training(self, fold: int) -> Study:
        """All discussions but those of one fold; its sums are what the fold leaves of those of all."""
        test = self.needs("folds") == fold
        train = self.take(~test)
        if self.acts is not None:
            train.__dict__["sums"] = self.sums - Sums.over(self.pairs[test], self.gain[test])
        return train

    @cached_property
    def best_round(self) -> np.ndarray:
        """The round in which each discussion is at its best, the earliest of several; 0 where nothing is known."""
        known = np.isfinite(self.gain)
        return np.where(known.any(axis=1), np.where(known, self.gain, -np.inf).argmax(axis=1) + 1, 0)

    def needs(self, layer: str) -> np.ndarray:
        """One of the layers, or InvalidInput that says which is missing."""
        given = getattr(self, layer)
        if given is None:
            raise InvalidInput(
                f"{layer}: this study holds none, and the stopping rule looks at them; leave the rule out, or give them"
            )
        return np.asarray(given)

    def take(self, chosen: np.ndarray) -> Study:
        """The chosen discussions (a mask or indices) as a study."""
        there: dict[str, Any] = {name: getattr(self, name) for name in _LAYERS if getattr(self, name) is not None}
        taken = replace(self, **{name: layer[chosen] for name, layer in there.items()})
        if "pairs" in self.__dict__:  # counted once, not once for each fold
            taken.__dict__["pairs"] = self.pairs[chosen]
        return taken

    def at(self, last: np.ndarray) -> np.ndarray:
        """The performance of each discussion if it had stopped after the round `last`, shape (runs,)."""
        return self.performance[np.arange(len(last)), last - 1]


def folds_of(runs: int, folds: int, seed: int) -> np.ndarray:
    """Which fold tests each discussion: sizes differ by at most one, and equal seeds give equal folds.

    Raises
    ------
    InvalidInput
        With fewer discussions than folds, or fewer than two folds.

    >>> folds_of(7, 5, seed=1).tolist()
    [0, 0, 1, 4, 2, 1, 3]
    """
    if folds < 2 or runs < folds:
        raise InvalidInput(f"folds: {folds} given for {runs} discussions; expected at least 2, and no more than those")
    return np.random.default_rng(seed).permutation(np.arange(runs) % folds)


def check_known(study: Study) -> None:
    """Refuse to learn from a study in which no performance is known."""
    if not np.isfinite(study.gain).any():
        raise InvalidInput(
            "performance: every value is NaN; expected a number for at least one round that was played. "
            "Check that the environment of these discussions has an outcome."
        )
