"""Small studies: drawn ones, and rule-based discussions played once for all tests."""

import asyncio
import importlib.util
from pathlib import Path

import numpy as np
import pytest

from support.analysis.dialogue_acts.acts import LABELS
from support.analysis.stopping.study import Study, folds_of
from support.simulations import simulations

ROOT = Path(__file__).parents[3]


def _drawn(seed=0, runs=20, rounds=6, agents=3, density=0.15, **layers):
    """Acts at random; performance is better where an offer is followed by consent."""
    rng = np.random.default_rng(seed)
    acts = rng.random((runs, rounds, agents, len(LABELS))) < density
    good = np.zeros((runs, rounds))
    after = acts[:, :-1, :, LABELS.index("propose")].any(axis=2) & acts[:, 1:, :, LABELS.index("accept")].any(axis=2)
    good[:, 1:] = after
    given = {
        "performance": 0.5 + 0.3 * good + rng.normal(0, 0.05, (runs, rounds)),
        "played": np.full(runs, rounds),
        "acts": acts,
        "difference": np.where(np.arange(rounds) == 0, np.nan, rng.random((runs, rounds))),
        "accepted": rng.random((runs, rounds)) < 0.3,
        "proposals": rng.random((runs, rounds)) < 0.5,
        "words": np.full((runs, rounds), 10.0),
        "folds": folds_of(runs, 5, seed) if runs >= 5 else None,
    }
    return Study(**(given | layers))


@pytest.fixture(scope="session")
def drawn():
    """Makes a study; layers may be replaced by name."""
    return _drawn


class Signals:
    """An encoder without a model: a text is the counts of its letters."""

    def encode(self, texts):
        return np.array([[text.lower().count(letter) + 0.01 for letter in "aeioustn"] for text in texts])


@pytest.fixture(scope="session")
def signals():
    return Signals()


@pytest.fixture(scope="session")
def records():
    """Four discussions under each of two rules."""
    sweep = simulations("exchange_economy", 4, seed=3)
    units = [u for u in sweep.units() if u.settings["rule"] in ("majority", "rated")]
    return [(u, asyncio.run(sweep.study(**u.settings, rng=sweep.rng(u)))) for u in units]


@pytest.fixture(scope="session")
def bench():
    """The benchmark's peers: the loops that the vectorised search has to agree with."""
    spec = importlib.util.spec_from_file_location("bench_stopping", ROOT / "benchmarks" / "bench_stopping.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
