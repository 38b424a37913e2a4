"""Who organises, by name."""

import numpy as np
import pytest

from support.errors import InvalidInput
from support.models.fakes import scripted
from support.participants.organizers.rule_based import RuleBasedOrganizer
from support.participants.organizers.seating import METHODS, seat_organizer


def test_a_rule_based_organiser_sits_there_unless_said_otherwise():
    assert isinstance(seat_organizer(), RuleBasedOrganizer) and seat_organizer("rule-based").kind == "rule-based"


def test_a_model_needs_a_model_and_above_temperature_0_a_generator():
    with pytest.raises(InvalidInput, match="the organiser"):
        seat_organizer("model")
    model = scripted(lambda messages: "{}")
    with pytest.raises(InvalidInput, match="rng: none given with temperature"):
        seat_organizer("model", model=model, temperature=0.7)
    for rng in (None, np.random.default_rng(0)):
        assert callable(seat_organizer("model", model=model, temperature=0.7 if rng else 0.0, rng=rng).draft)


@pytest.mark.parametrize("method", METHODS)
def test_an_organiser_of_ones_own_is_seated_if_it_has_every_step(method):
    own = RuleBasedOrganizer()
    assert seat_organizer(own) is own
    lame = type("Lame", (RuleBasedOrganizer,), {method: None})()
    with pytest.raises(InvalidInput, match=f"async def {method}"):
        seat_organizer(lame)


@pytest.mark.parametrize("wrong", [{"kind": "robot"}, {"temperature": 3.0}])
def test_what_does_not_fit_is_refused(wrong):
    with pytest.raises(InvalidInput, match="given; expected"):
        seat_organizer(**wrong)
