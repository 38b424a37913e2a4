"""The exchange economy: its maxima, its equilibria, and what it accepts as an allocation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.errors import InvalidInput, InvalidProposal
from support.roundtable.economy import ExchangeEconomy, exchange_economy
from support.solvers.welfare import equilibrium_allocation, utilitarian_allocation

ECONOMY = exchange_economy()
EVEN = {agent: dict.fromkeys("ABC", 100 / 3) for agent in ECONOMY.agents}
ROWS = [[80, 10, 10], [10, 80, 10], [10, 10, 80]]
LISTS = dict(zip(ECONOMY.agents, ROWS, strict=True))
NAMED = {a: dict(zip("ABC", row, strict=True)) for a, row in LISTS.items()}
BACKWARDS = {a: dict(reversed(row.items())) for a, row in reversed(NAMED.items())}
MIXED = {**LISTS, "Ben": NAMED["Ben"]}


def random_allocations(rng, agents, goods, number):
    parts = rng.dirichlet(np.full(agents, 0.3), size=(number, goods))
    return 100 * parts.transpose(0, 2, 1)


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
    agents, goods = rng.integers(2, 5), rng.integers(1, 5)
    favour = np.full(goods, rng.choice([0.1, 0.3, 1.0, 5.0]))
    weights = rng.dirichlet(favour, agents) * rng.choice([0.5, 0.9, 1.0])
    economy = ExchangeEconomy(tuple(map(tuple, weights.tolist())))
    incomes = [*rng.dirichlet(np.full(agents, 0.3), 300), *np.eye(agents)]
    rivals = [
        *random_allocations(rng, agents, goods, 300),
        *equilibrium_allocation(weights, np.array(incomes)),
    ]
    totals = economy.utilities(rivals).sum(axis=-1)
    assert totals.max() <= economy.maximum * (1 + 1e-6)


def test_the_optimiser_does_not_stop_short_at_the_border():
    # SLSQP from equal incomes alone ends 5 % below the best of these.
    rows = ((0.88, 0.12, 0), (0, 0, 1), (0, 1, 0), (0.68, 0.28, 0.04))
    economy = ExchangeEconomy(rows)
    incomes = np.random.default_rng(0).dirichlet(np.full(4, 0.3), 20_000)
    rivals = equilibrium_allocation(np.array(rows), incomes)
    best = economy.utilities(rivals).sum(axis=-1).max()
    assert 0.97 * economy.maximum < best <= economy.maximum * (1 + 1e-9)


# -- proposals --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "proposal",
    [
        *({**EVEN, "Ben": [x, 30, 30]} for x in (-1, np.nan, np.inf, "ten")),
        {**EVEN, "Zoe": EVEN["Ana"]},
        {**EVEN, "Ben": {"A": 1, "B": 1}},
        {**EVEN, "Ben": {"A": 34, "B": 33, "Z": 33}},
        [[50, 50], [50, 50], [0, 0]],
        "even",
        7,
        [[50, 50, 50], [50, 50, 50], [0, 0, 30]],
    ],
)
def test_a_proposal_that_is_none_is_refused_with_what_was_expected(proposal):
    expected = r"each of A, B, C for each of Ana|share out exactly 100"
    with pytest.raises(InvalidProposal, match=expected):
        ECONOMY.validate(proposal)


@pytest.mark.parametrize("given", [LISTS, NAMED, BACKWARDS, MIXED, ROWS])
def test_goods_by_name_and_in_order_are_the_same_allocation(given):
    assert ECONOMY.validate(given) == tuple(map(tuple, ROWS))


@given(st.integers(2, 8), st.integers(0, 10_000), st.floats(-0.00099, 0.00099))
def test_property_a_validated_allocation_sums_to_its_endowment(agents, seed, slip):
    economy, rng = exchange_economy(agents=agents), np.random.default_rng(seed)
    (drawn,) = random_allocations(rng, agents, agents, 1)
    allocation = economy.validate(drawn * (1 + slip))
    assert np.sum(allocation, axis=0) == pytest.approx(100.0, abs=1e-5)
    assert economy.validate(allocation) == allocation


# -- what agents know, and settings -------------------------------------------------------------------------------


def test_a_background_holds_the_own_exponents_and_no_others():
    told = repr(ExchangeEconomy(((0.71, 0.13), (0.37, 0.59))).background("Ben"))
    assert "(0.37, 0.59)" in told and "0.71" not in told and "0.13" not in told


BAD = {"preferences": "odd", "exponents": "odd", "agents": 9}


@pytest.mark.parametrize("setting", BAD)
def test_what_is_no_setting_is_refused(setting):
    with pytest.raises(InvalidInput, match=f"{setting}: .* given; expected one of"):
        exchange_economy(**{setting: BAD[setting]})


def test_what_is_no_convex_problem_is_refused():
    with pytest.raises(InvalidInput, match="sum to more"):
        utilitarian_allocation(((0.8, 0.8), (0.5, 0.5)))
