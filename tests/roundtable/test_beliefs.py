"""What a negotiator believes of the others: own exponents, then claims, then proposals, then nothing."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.roundtable.economy import Background
from support.roundtable.negotiators import beliefs
from support.roundtable.records import Message, Round, View

ABC = ("Ana", "Ben", "Cleo")
BACKGROUND = Background("Ana", ABC, ("A", "B", "C"), (0.8, 0.15, 0.05))
SKEWED = ((10.0, 10.0, 10.0), (60.0, 30.0, 10.0), (30.0, 60.0, 80.0))


def said(sender, *weights):
    return Message(sender, ("Ana",), "text", claim=tuple(zip("ABC", weights, strict=True)))


def past(number, *messages):
    return Round(number, messages, (), (), (), None, (), "", None)


def view(**known):
    return View("Ana", ABC, "plurality", "vote", "", 3, 10, **known)


def test_the_own_exponents_are_known():
    assert beliefs(view(), BACKGROUND)[0] == pytest.approx([0.8, 0.15, 0.05])


def test_of_a_stranger_no_preference_is_believed():
    assert beliefs(view(), BACKGROUND)[1:] == pytest.approx(np.full((2, 3), 1 / 3))


def test_a_proposal_tells_what_its_agent_wants_for_itself():
    believed = beliefs(view(latest=(("Ben", SKEWED),)), BACKGROUND)
    assert believed[1] == pytest.approx([0.6, 0.3, 0.1], abs=1e-4)
    assert believed[2] == pytest.approx([1 / 3] * 3)


def test_a_claim_counts_more_than_a_proposal_and_is_taken_as_it_was_stated():
    known = view(latest=(("Ben", SKEWED),), history=(past(1, said("Ben", 0.1, 0.1, 0.8)),))
    assert beliefs(known, BACKGROUND)[1].tolist() == [0.1, 0.1, 0.8]


def test_exponents_that_sum_to_less_than_one_are_not_scaled_up():
    known = view(messages=(said("Cleo", 0.05, 0.05, 0.8),))
    assert beliefs(known, BACKGROUND)[2].tolist() == [0.05, 0.05, 0.8]


def test_the_latest_claim_replaces_an_earlier_one():
    known = view(history=(past(1, said("Ben", 0.8, 0.1, 0.1)),), messages=(said("Ben", 0.1, 0.8, 0.1),))
    assert beliefs(known, BACKGROUND)[1].tolist() == [0.1, 0.8, 0.1]


def test_a_message_without_a_claim_changes_nothing():
    silent = Message("Ben", ("Ana",), "I want much of B")
    known = view(history=(past(1, said("Ben", 0.8, 0.1, 0.1)),), messages=(silent,))
    assert beliefs(known, BACKGROUND)[1].tolist() == [0.8, 0.1, 0.1]


def test_a_claim_about_oneself_by_another_is_not_possible():
    known = view(messages=(said("Ana", 0.0, 0.0, 1.0),))
    assert beliefs(known, BACKGROUND)[0] == pytest.approx([0.8, 0.15, 0.05])


def test_a_claim_of_nothing_is_no_claim():
    assert beliefs(view(messages=(said("Ben", 0, 0, 0),)), BACKGROUND)[1] == pytest.approx([1 / 3] * 3)


@given(st.tuples(*[st.floats(-1, 5)] * 3))
def test_property_believed_exponents_are_possible_ones(weights):
    believed = beliefs(view(messages=(said("Ben", *weights),), latest=(("Cleo", SKEWED),)), BACKGROUND)
    assert (believed >= 0).all()
    assert (believed.sum(axis=1) <= 1 + 1e-9).all()
    assert (believed.sum(axis=1) > 0).all()
