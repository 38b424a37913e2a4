"""Who takes which seat at the table that predicts a rating."""

import numpy as np
import pytest

from support.environments.movielens import AGENTS
from support.errors import InvalidInput
from support.models.fakes import scripted
from support.participants.raters.rule_based import KINDS
from support.participants.raters.seating import MIXTURE, seat_raters


def seated(environment, kinds, seed=0, **options):
    return {a: s.kind for a, s in seat_raters(environment, kinds, np.random.default_rng(seed), **options).items()}


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_one_name_seats_everybody_with_the_own_table(table, kind):
    people = seat_raters(table(), kind, np.random.default_rng(0))
    assert [p.kind for p in people.values()] == [kind] * 3
    assert [p.background.me for p in people.values()] == list(AGENTS)


def test_mixed_draws_a_kind_for_each_seat(table):
    drawn = [seated(table(), "mixed", seed) for seed in range(30)]
    assert {kind for seats in drawn for kind in seats.values()} == set(MIXTURE)
    assert drawn[3] == seated(table(), "mixed", 3)


def test_who_sits_beside_does_not_change_a_seats_stream(table):
    alone, mixed = (
        seat_raters(table(), kinds, np.random.default_rng(0)) for kinds in ("random", ["random", "stubborn", "mixed"])
    )
    assert alone["BasicInfo"].rng.random() == mixed["BasicInfo"].rng.random()


def test_a_model_takes_a_seat_beside_rules(table):
    seats = seated(table(), ["model", "stubborn", "weighing"], model=scripted([], name="parrot"))
    assert list(seats.values()) == ["model parrot", "stubborn", "weighing"]


@pytest.mark.parametrize(
    ("kinds", "options", "said"),
    [
        ("linear", {}, "seats: 'linear' given for BasicInfo; expected one of random, .*overconfident, mixed, model"),
        (["random"], {}, "expected 3 kinds"),
        ("model", {}, "model: none given for the seat of BasicInfo"),
        ([object(), "random", "random"], {}, "async def message"),
        ("random", {"noise": -1}, "noise: -1 given"),
        ("random", {"temperature": 9}, "temperature: 9 given"),
    ],
)
def test_a_seat_that_cannot_be_taken_is_refused(table, kinds, options, said):
    with pytest.raises(InvalidInput, match=said):
        seated(table(), kinds, **options)
