"""Who coordinates: every kind by its name, and what a kind needs."""

import numpy as np
import pytest

from support.errors import InvalidInput
from support.models.fakes import scripted
from support.participants.planners.seating import PLANNERS, seat_planner

SHAPE = (3, 5, 3)


def seat(kind, **settings):
    return seat_planner(kind, SHAPE, np.random.default_rng(0), **settings)


@pytest.mark.parametrize("kind", PLANNERS)
def test_every_kind_takes_its_seat_and_says_so(kind):
    made = seat(kind, model=scripted([], name="m"), draw=lambda rng: np.ones(SHAPE))
    assert made.kind == ("model m" if kind == "model" else kind)


@pytest.mark.parametrize(
    ("kind", "settings", "said"),
    [
        ("oracle", {}, "coordinator: 'oracle' given; expected one of mcts, mcts printed, random, local, exact"),
        ("model", {}, "model: none given for the seat of the coordinator"),
        ("thompson", {}, "draws from a belief; pass estimator='bayesian'"),
        ("model", {"model": scripted([]), "prompt": "x"}, "prompt: 'x' given"),
        ("mcts", {"temperature": 3.0}, "temperature: 3.0 given"),
        (object(), {}, "async def propose"),
    ],
)
def test_what_cannot_be_seated_is_refused_with_the_way_out(kind, settings, said):
    with pytest.raises(InvalidInput, match=said):
        seat(kind, **settings)


def test_a_model_s_seed_is_drawn_above_temperature_0_only():
    cold, warm = (seat("model", model=scripted([]), temperature=t, repetition=4) for t in (0.0, 1.0))
    assert cold.settings == {"temperature": 0.0, "seed": 0, "repetition": 4} and warm.settings["seed"]
