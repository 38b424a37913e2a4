"""The simulations that several notebooks analyse."""

import pytest

from support import simulations as room
from support.choice import RULES
from support.errors import InvalidInput, MissingData


@pytest.mark.parametrize("environment", ["exchange_economy", "movielens"])
def test_the_sweep_has_every_rule_and_pairs_the_groups(environment):
    sweep = room.simulations(environment, 2, 7)
    units = list(sweep.units())
    assert len(units) == 2 * len(RULES) and tuple(sweep.paired) == ("rule",)


def test_an_unknown_environment_names_the_known_ones():
    with pytest.raises(InvalidInput, match="'opera' given; expected one of exchange_economy, movielens"):
        room.simulations("opera", 2, 7)


def test_an_environment_without_its_data_says_why(monkeypatch):
    def missing():
        raise MissingData("MovieLens-100k is not here; get it")

    monkeypatch.setattr("support.roundtable.ratings.load", missing)
    assert room.available() == {"exchange_economy": "", "movielens": "MovieLens-100k is not here; get it"}


def test_coordinators_of_fair_decisions_meet_the_same_instances():
    sweep = room.plannings("feedback", 2, 1, decisions=[3], coordinator=["mcts", "random"])
    drawn = {u.text: sweep.rng(u).random() for u in sweep.units() if u.repetition == 0}
    assert len(drawn) == 6 and len(set(drawn.values())) == 1
    with pytest.raises(InvalidInput, match="part: 'taste' given; expected one of decisions, options, feedback"):
        room.plannings("taste", 2, 1)


def test_the_same_people_are_met_by_everybody_at_the_desk_and_under_every_set_of_policies():
    desk = {"organizer": ["rule-based", "model"], "detector": ["lexical", "model"], "reviewer": ["automatic"]}
    sweep = room.rehearsals("panel", 2, 1, delegation=["automatic", "ask when flagged"], **desk)
    drawn = {u.text: sweep.rng(u).random() for u in sweep.units() if u.repetition == 0}
    assert len(drawn) == 16 and len(set(drawn.values())) == 1
