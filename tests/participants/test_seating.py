"""Who takes which seat."""

import asyncio
import functools

import numpy as np
import pytest

from support.environments.exchange_economy import exchange_economy
from support.errors import InvalidInput
from support.mechanisms.roundtable import play
from support.models.fakes import scripted
from support.participants.negotiators.rule_based import KINDS
from support.participants.negotiators.seating import MIXTURE, seat_all

ECONOMY = exchange_economy()


def seated(kinds, seed=0, **options):
    return {a: s.kind for a, s in seat_all(ECONOMY, kinds, np.random.default_rng(seed), **options).items()}


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_one_name_seats_everybody(kind):
    assert seated(kind) == dict.fromkeys(ECONOMY.agents, kind)


def test_a_list_seats_in_the_order_of_the_agents_and_a_mapping_by_name():
    expected = {"Ana": "linear", "Ben": "truthful", "Cleo": "boulware"}
    assert seated(["linear", "truthful", "boulware"]) == expected
    assert seated(dict(reversed(expected.items()))) == expected
    assert list(seated(dict(reversed(expected.items())))) == list(ECONOMY.agents)


def test_mixed_draws_a_kind_for_each_seat():
    drawn = [seated("mixed", seed) for seed in range(30)]
    assert {kind for seats in drawn for kind in seats.values()} == set(MIXTURE)
    assert drawn[3] == seated("mixed", 3)


def test_a_seat_knows_its_own_preferences_only():
    for agent, seat in seat_all(ECONOMY, "linear", np.random.default_rng(0)).items():
        assert seat.background == ECONOMY.background(agent)


def test_seats_have_streams_of_their_own():
    draws = [s.rng.random() for s in seat_all(ECONOMY, "linear", np.random.default_rng(0)).values()]
    assert len(set(draws)) == 3


def test_who_sits_beside_does_not_change_a_seats_stream():
    alone, mixed = (seat_all(ECONOMY, k, np.random.default_rng(0)) for k in ("linear", ["linear", "boulware", "mixed"]))
    assert alone["Ana"].rng.random() == mixed["Ana"].rng.random()


def test_a_model_takes_a_seat_beside_rules():
    seats = seated({"Ana": "model", "Ben": "linear", "Cleo": "linear"}, model=scripted([], name="parrot"))
    assert seats == {"Ana": "model parrot", "Ben": "linear", "Cleo": "linear"}


@pytest.mark.parametrize(
    ("kinds", "said"),
    [
        ("angel", "seats: 'angel' given for Ana; expected one of zero-intelligence, .*mixed, model"),
        (["linear"], r"seats: \['linear'\] given; expected 3 kinds"),
        ({"Ana": "linear", "Ben": "linear", "Zoe": "linear"}, "seats: .*'Zoe'.* expected a kind for each of"),
        ("model", r"model: none given for the seat of Ana; name one \(model:gpt-4o-mini\), or pass model="),
    ],
)
def test_a_seat_that_cannot_be_taken_is_refused(kinds, said):
    with pytest.raises(InvalidInput, match=said):
        seated(kinds)


# -- negotiators of one's own ------------------------------------------------------------------------------------------


class Silent:
    """A negotiator of the user's own, whole."""

    kind = "silent"

    async def message(self, view):
        return None

    async def propose(self, view):
        return None

    async def vote(self, view):
        return None


def test_a_negotiator_of_ones_own_takes_the_seat_and_its_ballot_of_none_abstains():
    economy = exchange_economy("asymmetric", 2)
    seats = seat_all(economy, {"Ana": Silent(), "Ben": "conceder"}, np.random.default_rng(1))
    record = asyncio.run(play(economy, seats, "plurality", rounds=2))
    assert record.seats["Ana"] == "silent"
    assert [b.choice for r in record.rounds for b in r.ballots if b.agent == "Ana"] == [None, None]
    assert not [e for r in record.rounds for e in r.format_errors]


class Made(Silent):
    """One that keeps what it was made of."""

    def __init__(self, name, rng):
        self.name, self.draw = name, rng.random()


@pytest.mark.parametrize("maker", [Made, lambda name, rng: Made(name, rng), functools.partial(Made)])
def test_a_class_or_a_function_makes_a_participant_for_each_seat_with_its_own_stream(maker):
    seats = seat_all(ECONOMY, maker, np.random.default_rng(1))
    assert [seat.name for seat in seats.values()] == list(ECONOMY.agents)
    assert len({seat.draw for seat in seats.values()}) == 3
    beside = seat_all(ECONOMY, ["linear", maker, "mixed"], np.random.default_rng(1))
    assert beside["Ben"].draw == seats["Ben"].draw


@pytest.mark.parametrize("wrong", [Silent, lambda name: None])
def test_a_maker_that_cannot_be_called_with_a_seat_is_refused(wrong):
    with pytest.raises(InvalidInput, match=r"given for Ana, but .* is called with the name of the seat and its random"):
        seat_all(ECONOMY, wrong, np.random.default_rng(1))


@pytest.mark.parametrize("wrong", [object(), 3, lambda name, rng: None])
def test_what_cannot_negotiate_is_refused_with_what_is_missing(wrong):
    with pytest.raises(InvalidInput, match="given for Ana; expected the name of a kind, or an object with `async def"):
        seat_all(exchange_economy("asymmetric", 2), {"Ana": wrong, "Ben": "linear"}, np.random.default_rng(1))


def test_a_negotiator_without_a_kind_is_refused():
    nameless = Silent()
    nameless.kind = None
    with pytest.raises(InvalidInput, match="no text `kind`"):
        seat_all(exchange_economy("asymmetric", 2), {"Ana": nameless, "Ben": "linear"}, np.random.default_rng(1))


@pytest.mark.parametrize(
    ("setting", "value"), [("noise", float("nan")), ("noise", -1), ("noise", "a"), ("temperature", 9)]
)
def test_noise_and_temperature_are_numbers_in_their_range(setting, value):
    with pytest.raises(InvalidInput, match=f"{setting}: .* expected a number of at least 0"):
        seat_all(exchange_economy("asymmetric", 2), "linear", np.random.default_rng(1), **{setting: value})
