"""Who sits at the round table: what a model is told and may answer, and a person."""

import asyncio
import json
from itertools import chain, repeat
from types import SimpleNamespace

import numpy as np
import pytest

from support.choice import RULES
from support.models.profiles import TIGHT
from support.models.stand_ins import scripted
from support.roundtable.economy import ExchangeEconomy
from support.roundtable.mechanism import Choose, Propose, Talk, Vote
from support.roundtable.movielens import ABOUT
from support.roundtable.records import Candidate, View
from support.roundtable.seats import BY_FORM, seat_all
from support.roundtable.table import play

ECONOMY = ExchangeEconomy(((0.71, 0.16, 0.13), (0.22, 0.47, 0.31), (0.09, 0.38, 0.53)))
IDS = ["P1", "P2", "P3"]
LISTED = [Candidate(id, ECONOMY.even_split, ("Ben",)) for id in IDS]
FITS = {
    "target": ["all"],
    "message": "public words",
    "reason": "SECRET" * 300,
    "proposal": {"Ana": [80, 10, 10], "Ben": [10, 80, 10], "Cleo": [10, 10, 80]},
    "vote": "P1",
    "ratings": {"P1": 1, "P2": 5, "P3": 3},
    "ranking": ["P3", "P1", "P2"],
    "points": {"P1": 0, "P2": 0, "P3": 3},
    "choice": 3,
}
"""A model's reply in any phase, under any rule."""
PHASES = {"target": Talk(), "message": Talk(), "proposal": Propose()}
PHASES["choice"] = Choose(reply=int)


def view(field):
    """What Ana sees when a field is asked for, under a rule of the user's own."""
    phase, form = PHASES.get(field, Vote()), field if field in BY_FORM else "vote"
    known = {"phase": phase, "candidates": tuple(LISTED)}
    return View("Ana", ECONOMY.agents, "my own", form, "", 2, 10, **known)


def seated(*replies, environment=ECONOMY, kinds="model"):
    """Participants, whose models reply so and then as it fits, and all that these read."""
    heard, lines = [], chain(replies, repeat({}))

    def reply(messages):
        heard.append(messages)
        return FITS | next(lines)

    rng, model = np.random.default_rng(0), scripted(reply)
    return seat_all(environment, kinds, rng, model=model), heard


# ---- a model ---------------------------------------------------------------------------------------------------------


def test_a_model_is_told_its_own_weights_and_what_is_public_and_nobodys_secrets():
    people, heard = seated()
    first, _ = asyncio.run(play(ECONOMY, people, "majority", rounds=2)).rounds
    assert first.ballots[1].reason == FITS["reason"][: TIGHT.reason]
    assert len(heard) == 18
    for messages in heard:
        text = json.dumps(messages)
        me = text.split("You are ")[1].split(".")[0]
        own = ECONOMY.background(me).weights
        for weight in np.ravel(ECONOMY.weights):
            assert (f"^ {weight}" in text) == (weight in own)
        assert "SECRET" not in text
        assert f"majority: {RULES['majority'].explanation}" in text
    told = heard[-1][0]["content"]
    stands = ECONOMY.describe(first.decision.value)
    assert f"P1, accepted in round 1: {stands}" in told
    assert first.why in told
    assert "- Ben: P1" in told
    assert "Round 1, Ana to Ben and Cleo: public words" in told


def content(record):
    """Whom a message is to, or what is proposed, voted or chosen."""
    names = ("recipients", "plain", "value")
    return next((getattr(record, x) for x in names if hasattr(record, x)), None)


def taken(field, *values):
    """What becomes of a model's replies at the table, and what it read before each."""
    people, heard = seated(*({field: value} for value in values))
    seen = view(field)
    answer = asyncio.run(getattr(people["Ana"], seen.phase.act)(seen))
    return recorded(seen, answer), heard


def recorded(seen, answer):
    """What the table makes of an answer of Ana's."""
    known = {"agents": seen.agents, "environment": ECONOMY, "candidates": LISTED}
    table = SimpleNamespace(**known, rule=BY_FORM[seen.form])
    return content(seen.phase.take(table, "Ana", answer))


FAVOURITES = {"Ana": {"A": 100}, "Ben": {"B": 100}, "Cleo": {"C": 100}}


@pytest.mark.parametrize(
    ("field", "value", "found"),
    [
        ("target", ["all"], ("Ben", "Cleo")),
        ("target", "CLEO", ("Cleo",)),
        ("message", None, None),
        ("proposal", FAVOURITES, ECONOMY.validate(100 * np.eye(3))),
        ("proposal", "none", None),
        ("vote", "p2", "P2"),
        ("ranking", ["P2", "p3"], ("P2", "P3", "P1")),
        ("points", {"p2": 3}, {"P1": 0, "P2": 3, "P3": 0}),
        ("choice", None, None),
    ],
)
def test_sensible_replies_are_taken_at_once(field, value, found):
    made, heard = taken(field, value)
    assert made == found
    assert len(heard) == 1


GREEDY = dict.fromkeys(ECONOMY.agents, [90] * 3)


@pytest.mark.parametrize(
    ("field", "wrong", "told"),
    [
        ("proposal", GREEDY, "sum to 270"),
        ("vote", "P9", "vote: Input should be"),
        ("ratings", {"P1": 6, "P2": 5, "P3": 3}, "less than"),
        ("ranking", ["P1", "P2", "P2"], "each once"),
        ("points", {"P2": 2}, "sum to the number"),
        ("choice", "a lot", "valid integer"),
    ],
)
def test_a_misfit_goes_back_to_a_model(field, wrong, told):
    _, heard = taken(field, wrong)
    assert len(heard) == 2
    assert told in heard[1][-1]["content"]


def test_a_rater_reads_the_film_all_schemas_its_own_table_and_never_the_truth(table):
    environment = table(film=[(3, 3.0, 0.5)], user=[(2, "")])
    object.__setattr__(environment, "rating", 1.23)
    kinds = ["weighing", "weighing", "model"]
    rates = [{}, {"proposal": 9}, {"proposal": 3.649}]
    people, heard = seated(*rates, environment=environment, kinds=kinds)
    [only] = asyncio.run(play(environment, people, "majority", rounds=1)).rounds
    assert only.proposals[2].value == 3.6
    told = heard[0][0]["content"]
    for text in ('"Film 7"', "7 | Film 0 |  | 1990 | 2 | 1998", *ABOUT.values()):
        assert text in told
    assert "artist" not in told
    assert "1.23" not in str(heard)
