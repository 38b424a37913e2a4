"""What an agent reads from its own table, and what it needs to be told."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.roundtable.evidence import GENRE_SD, TASTE, Estimate, pool, read, shrunken, within

FLOATS = st.floats(-2, 2)
ESTIMATES = st.lists(st.builds(Estimate, st.floats(1, 5), st.floats(0.05, 2)), min_size=1, max_size=4)


@given(ESTIMATES)
def test_property_a_pooled_estimate_lies_among_its_parts_and_is_surer_than_each(parts):
    value, error = pool(parts)
    assert min(p.value for p in parts) - 1e-9 <= value <= max(p.value for p in parts) + 1e-9
    assert error <= min(p.error for p in parts) + 1e-12


def test_pooling_weighs_by_precision():
    assert pool([Estimate(3, 0.5), Estimate(4, 1.0)]).value == pytest.approx(3.2)
    assert pool([Estimate(3, 0.5), Estimate(4, 1.0)], [1, 4]).value == pytest.approx(3.5)


@given(st.lists(FLOATS, min_size=1, max_size=30), st.floats(0.1, 1), st.floats(0.2, 2))
def test_property_shrinking_draws_towards_zero_and_never_past_it(deviations, sd, noise):
    plain, made = np.mean(deviations), shrunken(np.array(deviations), None, sd, noise)
    assert abs(made.value) <= abs(plain) + 1e-12 and made.value * plain >= 0
    assert made.error < sd


def test_more_observations_shrink_less_and_none_say_nothing():
    few, many = (shrunken(np.ones(n), None, 0.5, 0.9) for n in (2, 50))
    assert few.value < many.value < 1 and few.error > many.error
    assert shrunken(np.empty(0), None, 0.5, 0.9) == Estimate(0.0, 0.5)


def test_unequal_weights_count_as_fewer_observations():
    even, uneven = (shrunken(np.ones(4), np.array(w), 0.5, 0.9) for w in ([1, 1, 1, 1.0], [1, 0.01, 0.01, 0.01]))
    assert uneven.value < even.value


def test_the_film_s_history_is_read_as_deviations_from_each_rater_s_own_mean(table):
    mild, stern = (
        read(table(film=film).background("MovieHistory")) for film in ([(4, 4.0, 1)] * 50, [(4, 3.0, 1)] * 50)
    )
    assert mild.deviation.value == pytest.approx(0, abs=0.05)
    assert stern.deviation.value > 0.8


def test_raters_who_are_alike_count_more(table):
    film = [(5, 3.0, 0.95)] * 10 + [(1, 3.0, 0.3)] * 10
    assert read(table(film=film).background("MovieHistory")).deviation.value > 0.5


def test_the_film_s_history_needs_to_be_told_how_the_user_rates(table):
    evidence = read(table().background("MovieHistory"))
    alone, told = evidence.estimate({}), evidence.estimate({"user mean": 2.5, "user error": 0.1})
    assert told.value == pytest.approx(alone.value - 1.0)
    assert told.error < alone.error


def test_the_user_s_history_needs_to_be_told_the_genres_and_the_film_s_deviation(table):
    user = [(5, ("War",))] * 20 + [(2, ("Comedy",))] * 20
    evidence = read(table(user=user).background("UserHistory"))
    alone = evidence.estimate({})
    assert evidence.estimate({"genre:War": 1.0}).value > alone.value + 0.3
    assert evidence.estimate({"genre:Comedy": 1.0}).value < alone.value - 0.3
    told = evidence.estimate({"film deviation": -0.5, "film error": 0.1})
    assert told.value == pytest.approx(alone.value - 0.5) and told.error < alone.error


def test_a_taste_is_counted_beyond_what_everybody_thinks_of_the_genre(table):
    like_all = [(4, ("War",))] * 30 + [(4, ("Drama",))] * 30
    evidence = read(table(user=like_all).background("UserHistory"))
    assert evidence.taste("War") < 0  # 4 stars, as for all films, but War is rated 0.3 above others by everybody
    assert abs(evidence.taste("Horror")) == 0
    assert abs(evidence.taste("War")) < GENRE_SD


def test_basic_info_tells_the_genres(table):
    evidence = read(table(genres=("War", "Drama")).background("BasicInfo"))
    assert evidence.facts == {"genre:War": 1.0, "genre:Drama": 1.0}
    assert evidence.estimate({}) == Estimate(3.5, pytest.approx(np.hypot(0.6, TASTE)))


def test_an_empty_table_says_what_is_known_of_any_film_or_user_with_its_spread(table):
    environment = table(film=(), user=())
    film, user = (read(environment.background(agent)) for agent in ("MovieHistory", "UserHistory"))
    assert (film.estimate({}).value, user.estimate({}).value) == (pytest.approx(3.2), 3.5)
    assert film.source.startswith("no ratings of this film") and user.source.startswith("no ratings of other films")
    for evidence in (film, user):
        assert evidence.estimate({}).error == pytest.approx(np.sqrt(0.4**2 + 0.5**2 + TASTE**2))


def test_a_film_that_few_rated_is_drawn_to_what_an_unknown_film_gets(table):
    few, many = (read(table(film=[(5, 4.0, 1)] * n).background("MovieHistory")).deviation.value for n in (1, 100))
    assert -0.3 < few < many < 1


def test_estimates_stay_on_the_scale(table):
    evidence = read(table(film=[(5, 1.0, 1)] * 300).background("MovieHistory"))
    assert evidence.estimate({"user mean": 4.9}).value == 5.0
    assert (within(0.2), within(7)) == (1.0, 5.0)


def test_facts_are_plain_numbers(table):
    for agent in table().agents:
        assert all(type(x) is float for x in read(table().background(agent)).facts.values())
