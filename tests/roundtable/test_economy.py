"""The exchange economy: its maxima, its equilibria, and what it accepts as an allocation."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.errors import InvalidInput, InvalidProposal
from support.roundtable.economy import ExchangeEconomy, exchange_economy, from_spec
from support.solvers.welfare import equilibrium_allocation, utilitarian_allocation

ECONOMY = exchange_economy()
EVEN = {agent: dict.fromkeys("ABC", 100 / 3) for agent in ECONOMY.agents}


def changed(agent, good, value):
    return {**EVEN, agent: {**EVEN[agent], good: value}}


def random_weights(rng):
    """Exponents of a random economy, from nearly even to nearly all on one good; rows sum to at most one."""
    agents, goods = rng.integers(2, 5), rng.integers(1, 5)
    rows = rng.dirichlet(np.full(goods, rng.choice([0.1, 0.3, 1.0, 5.0])), size=agents)
    return rows * rng.choice([0.5, 0.9, 1.0])


def random_allocations(rng, agents, goods, number=300):
    return (
        rng.dirichlet(np.full(agents, 0.3), size=(number, goods)).transpose(0, 2, 1)
        * 100.0
    )


# -- the maximum ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("agents", [2, 3, 5])
@pytest.mark.parametrize("exponents", ["sum_to_one", "printed"])
def test_the_asymmetric_maximum_equals_its_closed_form(agents, exponents):
    # All agents are alike up to names, so each keeps x of its favourite: x ** .8 * ((100 - x) / (K - 1)) ** beta
    # is largest at x = 100 * .8 / (.8 + beta), beta being the sum of the other exponents.
    beta = 0.2 if exponents == "sum_to_one" else (agents - 1) * 0.2 / agents
    own = 100 * 0.8 / (0.8 + beta)
    closed = agents * own**0.8 * ((100 - own) / (agents - 1)) ** beta
    economy = exchange_economy("asymmetric", agents, exponents)
    assert economy.maximum == pytest.approx(closed, rel=1e-9)
    assert np.diag(economy.best_allocation) == pytest.approx(own, abs=1e-3)


@settings(max_examples=25)
@given(st.integers(0, 10_000))
def test_property_no_allocation_beats_the_optimiser(seed):
    rng = np.random.default_rng(seed)
    weights = random_weights(rng)
    economy = ExchangeEconomy(tuple(map(tuple, weights.tolist())))
    equilibria = equilibrium_allocation(
        weights, rng.dirichlet(np.full(len(weights), 0.3), size=300)
    )
    everything_to_one = equilibrium_allocation(weights, np.eye(len(weights)))
    rivals = np.concatenate(
        [random_allocations(rng, *weights.shape), equilibria, everything_to_one]
    )
    assert economy.utilities(rivals).sum(axis=-1).max() <= economy.maximum * (1 + 1e-6)


@pytest.mark.parametrize(
    "weights",
    [
        ((0.88, 0.12, 0.0), (0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (0.68, 0.28, 0.04)),
        ((0.65, 0.03, 0.32), (0.03, 0.87, 0.1), (0.0, 1.0, 0.0), (0.43, 0.56, 0.01)),
    ],
)
def test_the_optimiser_does_not_stop_short_at_the_border(weights):
    # SLSQP from equal incomes alone ends 5 and 10 % below the best of these.
    economy = ExchangeEconomy(weights)
    incomes = np.random.default_rng(0).dirichlet(np.full(4, 0.3), size=20_000)
    rivals = economy.utilities(
        equilibrium_allocation(np.asarray(economy.weights), incomes)
    ).sum(axis=-1)
    assert rivals.max() <= economy.maximum * (1 + 1e-9)
    assert rivals.max() > 0.97 * economy.maximum


def test_a_problem_that_is_not_convex_is_refused():
    with pytest.raises(InvalidInput, match="sum to more than one"):
        utilitarian_allocation(((0.8, 0.8), (0.5, 0.5)))


# -- validation -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("proposal", "said"),
    [
        *(
            (
                changed("Ben", "B", x),
                "Ben, good B: .* given; expected a finite number of 0",
            )
            for x in (-1, np.nan, None)
        ),
        (
            changed("Ben", "B", "ten"),
            "proposal: .* expected an amount of each of A, B, C for each of Ana, Ben, Cleo",
        ),
        ({a: EVEN[a] for a in ("Ana", "Ben")}, "expected an amount of each"),
        ({**EVEN, "Zoe": EVEN["Ana"]}, "expected an amount of each"),
        ({**EVEN, "Ben": {"A": 1, "B": 1}}, "expected an amount of each"),
        ([[50, 50], [50, 50], [0, 0]], "expected an amount of each"),
        ("even", "proposal: 'even' given"),
        (7, "proposal: 7 given"),
        (
            [[50, 50, 50], [50, 50, 50], [0, 0, 30]],
            r"good C: .* sum to 130 \(130% of what there is\); share out exactly",
        ),
    ],
)
def test_a_proposal_that_is_none_is_refused_with_what_was_expected(proposal, said):
    with pytest.raises(InvalidProposal, match=said):
        ECONOMY.validate(proposal)


def test_names_rows_and_arrays_give_the_same_frozen_allocation():
    rows = [[80, 10, 10], [10, 80, 10], [10, 10, 80]]
    named = {
        a: dict(zip("ABC", row, strict=True))
        for a, row in zip(ECONOMY.agents, rows, strict=True)
    }
    backwards = {a: dict(reversed(row.items())) for a, row in reversed(named.items())}
    found = {ECONOMY.validate(p) for p in (rows, np.array(rows), named, backwards)}
    assert found == {((80.0, 10.0, 10.0), (10.0, 80.0, 10.0), (10.0, 10.0, 80.0))}


@given(st.integers(2, 8), st.integers(0, 10_000), st.floats(-0.00099, 0.00099))
def test_property_a_validated_allocation_sums_to_its_endowment(agents, seed, slip):
    economy = exchange_economy(agents=agents)
    draw = random_allocations(np.random.default_rng(seed), agents, agents, number=1)[
        0
    ] * (1 + slip)
    allocation = np.asarray(economy.validate(draw))
    assert allocation.sum(axis=0) == pytest.approx(100.0, abs=1e-5)
    assert economy.validate(economy.validate(draw)) == economy.validate(draw)


# -- what agents know, and settings -------------------------------------------------------------------------------


def test_a_background_holds_the_own_exponents_and_no_others():
    background = ExchangeEconomy(((0.71, 0.13), (0.37, 0.59))).background("Ben")
    assert (
        background.weights == (0.37, 0.59)
        and "0.71" not in repr(background)
        and "0.13" not in repr(background)
    )


def test_an_economy_survives_its_spec_as_json():
    economy = exchange_economy("symmetric", 4, "printed")
    assert from_spec(json.loads(json.dumps(economy.spec()))) == economy


@pytest.mark.parametrize(
    "bad", [{"preferences": "odd"}, {"exponents": "odd"}, {"agents": 9}]
)
def test_a_setting_that_is_none_is_refused_with_the_choices(bad):
    with pytest.raises(
        InvalidInput,
        match=r"(odd|9).* given; expected (one of|a whole number from 2 to 8)",
    ):
        exchange_economy(**bad)
