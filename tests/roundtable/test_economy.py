"""The exchange economy: its maxima, its equilibria, and what it accepts as an allocation."""

import asyncio

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.errors import InvalidInput, InvalidProposal
from support.roundtable.economy import ExchangeEconomy, exchange_economy
from support.roundtable.records import environment_of
from support.roundtable.study import roundtable_exchange

ECONOMY = exchange_economy()
SEEDS = st.integers(0, 10_000)
FEW = [0.3] * 8  # of a Dirichlet: most to few


# -- the maximum ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("agents", [2, 3, 5])
@pytest.mark.parametrize("exponents", ["sum_to_one", "printed"])
def test_the_asymmetric_maximum_equals_its_closed_form(agents, exponents):
    # All agents are alike up to names, so each keeps x of its favourite: x ** .8 * ((100 - x) / (K - 1)) ** beta
    # is largest at x = 100 * .8 / (.8 + beta), beta being the sum of the other exponents.
    others = agents - 1
    beta = 0.2 if exponents == "sum_to_one" else 0.2 * others / agents
    own = 80 / (0.8 + beta)
    closed = agents * own**0.8 * ((100 - own) / others) ** beta
    economy = exchange_economy("asymmetric", agents, exponents)
    assert economy.maximum == pytest.approx(closed, rel=1e-9)
    assert np.diag(economy.best_allocation) == pytest.approx(own, abs=1e-3)


# -- proposals --------------------------------------------------------------------------------------------------

ROWS = (
    (80.0, 10.0, 10.0),
    (10.0, 80.0, 10.0),
    (10.0, 10.0, 80.0),
)
NAMED = {
    "Cleo": ROWS[2],
    "Ana": {"C": 10, "B": 10, "A": 80},
    "Ben": ROWS[1],
}


@pytest.mark.parametrize(
    "proposal",
    [
        *(
            {**NAMED, "Ben": [amount, 80, 10]}
            for amount in (-1, 0, np.nan, np.inf, "ten")
        ),
        {**NAMED, "Ben": {"Z": 10}},
        {**NAMED, "Zoe": ROWS[0]},
        ROWS[:2],
        7,
    ],
)
def test_a_proposal_that_is_none_is_refused_with_what_was_expected(proposal):
    expected = "each of A, B, C for each of Ana|share out exactly 100"
    with pytest.raises(InvalidProposal, match=expected):
        ECONOMY.validate(proposal)


@pytest.mark.parametrize(
    "weights",
    [
        (),
        0.5,
        ((0.5, np.nan), (0.3, 0.7)),
        ((0.5, -0.1), (0.3, 0.7)),
        ((0.5, 0.5), (1.0,)),
        (("wood", "wine"), ("much", "little")),
        ((0.5, 0.5),) * 9,
    ],
)
def test_exponents_of_one_s_own_that_are_none_are_refused(weights):
    with pytest.raises(InvalidInput, match=r"weights: .*expected a row of exponents"):
        ExchangeEconomy(weights)


def test_an_economy_of_one_s_own_is_any_table():
    rows = [[0.75, 0.25], [0.5, 0.5]]
    for table in (rows, np.array(rows), pd.DataFrame(rows, columns=["wood", "wine"])):
        assert ExchangeEconomy(table) == ExchangeEconomy(((0.75, 0.25), (0.5, 0.5)))


@given(st.integers(2, 8), SEEDS, st.floats(-0.00099, 0.00099))
def test_property_a_validated_allocation_sums_to_its_endowment(agents, seed, slip):
    economy, rng = exchange_economy(agents=agents), np.random.default_rng(seed)
    drawn = 100 * rng.dirichlet(FEW[:agents], agents).T
    allocation = economy.validate(drawn * (1 + slip))
    assert np.sum(allocation, axis=0) == pytest.approx(100.0, abs=1e-5)
    assert economy.validate(allocation) == allocation


# -- what agents know, and settings -------------------------------------------------------------------------------


def exchanged(rule="majority", seats="mixed", rounds=1, **settings):
    """A discussion, and what its stream gives after it."""
    rng = np.random.default_rng(5)
    how = {"seats": seats, "rounds": rounds, **settings}
    talk = asyncio.run(roundtable_exchange(rng, rule, **how))
    return talk, (talk.seats, rng.random(), rng.spawn(1)[0].random())


def test_drawn_exponents_are_others_in_each_repetition_under_any_rule_and_no_other_draw_is():
    usual, after = exchanged()
    assert environment_of(usual).weights == exchange_economy().weights
    problems = {"majority": [], "rated": []}
    for rule, found in problems.items():
        for repetition in range(3):
            talk, left = exchanged(rule, draw=True, repetition=repetition)
            assert left == after
            found.append(environment_of(talk).weights)
    assert problems["majority"] == problems["rated"]
    assert len(set(problems["rated"])) == 3
