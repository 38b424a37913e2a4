"""Who estimates the gains."""

import numpy as np
import pytest

from support.errors import InvalidInput
from support.models.fakes import scripted
from support.participants.estimators.bayes import BayesianEstimator
from support.participants.estimators.seating import seat_estimator


@pytest.mark.parametrize(
    ("kind", "seated"), [("lexical", "lexical"), ("bayesian", "bayesian"), ("model", "model parrot")]
)
def test_a_kind_takes_the_seat(kind, seated):
    assert seat_estimator(kind, model=scripted([], name="parrot")).kind == seated


def test_none_estimates_nothing_and_one_s_own_takes_the_seat():
    own = BayesianEstimator()
    assert seat_estimator("none") is None and seat_estimator(own) is own


def test_noises_go_to_the_bayesian_one():
    assert seat_estimator("bayesian", word_noise=0.1).word_noise == 0.1


def test_a_warm_model_draws_its_seed_from_the_generator():
    model = scripted([])
    seeds = [seat_estimator("model", np.random.default_rng(k), model=model, temperature=1.0) for k in (1, 1, 2)]
    one, same, other = (s.settings["seed"] for s in seeds)
    assert one == same != other


@pytest.mark.parametrize(
    ("kind", "options", "said"),
    [
        ("psychic", {}, "estimator: 'psychic' given; expected one of none, lexical, bayesian, model"),
        ("model", {}, "model: none given for the seat of the estimator"),
        ("model", {"model": scripted([]), "temperature": 1.0}, "rng: none given"),
        ("lexical", {"temperature": 5}, "temperature: 5 given"),
        ("bayesian", {"score_noise": -2}, "score_noise: -2 given"),
        (object(), {}, "async def estimate"),
    ],
)
def test_a_seat_that_cannot_be_taken_is_refused(kind, options, said):
    with pytest.raises(InvalidInput, match=said):
        seat_estimator(kind, **options)
