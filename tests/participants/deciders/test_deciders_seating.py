"""Who takes a participant's seat, and what it is given."""

import asyncio

import numpy as np
import pytest

from support.environments.fair_decisions import FairDecisions
from support.errors import InvalidInput
from support.mechanisms.planning import plan
from support.models.fakes import scripted
from support.participants.deciders.human import HumanDecider
from support.participants.deciders.rule_based import STYLES
from support.participants.deciders.seating import seat_deciders, table_of

PROBLEM = FairDecisions(np.array([[[80, 20], [50, 50]], [[10, 90], [70, 30]]]), ("Ana", "Ben"))
TABLE = table_of(PROBLEM, "scores")


def seated(seats, seed=0, preferences="scores", **more):
    return seat_deciders(PROBLEM, preferences, seats, np.random.default_rng(seed), **more)


def human(name):
    return HumanDecider(name, TABLE, PROBLEM.gains[0])


def told(who):
    return [asyncio.run(who.judge([(0, 1)], "words")).text for _ in range(4)]


def test_seats_are_filled_by_style_list_or_name():
    assert {n: s.kind for n, s in seated("terse").items()} == dict.fromkeys(("Ana", "Ben"), "rule-based terse")
    assert [s.kind for s in seated(["vague", "polite"]).values()] == ["rule-based vague", "rule-based polite"]
    assert list(seated({"Ben": "plain", "Ana": "plain"})) == ["Ana", "Ben"]
    drawn = {s.kind.split()[1] for seed in range(60) for s in seated("mixed", seed).values()}
    assert drawn == set(STYLES)


def test_each_seat_holds_its_own_gains_and_the_noise_that_is_wanted():
    seats = seated("plain", noise=0.5)
    for name, own in zip(PROBLEM.participants, PROBLEM.gains, strict=True):
        assert seats[name].gains.tolist() == own.tolist() and seats[name].noise == 0.5
    assert seats["Ana"].table == TABLE and (TABLE.highest, TABLE.shape) == (100, (2, 2, 2))


def test_a_seat_beside_does_not_change_a_seats_words():
    alone, mixed = seated("plain", noise=0.3), seated({"Ana": "plain", "Ben": human("Ben")}, noise=0.3)
    assert told(alone["Ana"]) == told(mixed["Ana"]) != told(seated("plain", 1, noise=0.3)["Ana"])
    assert mixed["Ben"].kind == "human"


def test_a_model_is_given_its_own_gains_and_a_seed_only_when_it_draws():
    seats = seated({"Ana": "plain", "Ben": "model"}, model=scripted([], name="parrot"), repetition=3)
    assert seats["Ben"].kind == "model parrot" and "Option 1 = 10, Option 2 = 90" in seats["Ben"].briefing()
    assert seats["Ben"].settings == {"temperature": 0.0, "seed": 0, "repetition": 3}
    warm = seated("model", model=scripted([], name="parrot"), temperature=0.7)
    assert warm["Ana"].settings["seed"] != warm["Ben"].settings["seed"]


@pytest.mark.parametrize(
    ("seats", "message"),
    [
        ("loud", "'loud' given for Ana; expected one of plain, terse"),
        (["plain"], "expected 2 kinds, one for each participant"),
        ({"Ana": "plain", "Cleo": "plain"}, "a kind for each of"),
        ("model", "none given for the seat of Ana"),
        ({"Ana": 3, "Ben": "plain"}, r"async def judge\(self, plans, feedback\)"),
        ({"Ana": human("Ben"), "Ben": "plain"}, "made for Ben given for Ana"),
    ],
)
def test_seats_that_cannot_be_filled_are_refused(seats, message):
    with pytest.raises(InvalidInput, match=message):
        seated(seats)


def test_settings_out_of_range_and_other_preferences_are_refused():
    for settings, message in [({"noise": -1}, "noise"), ({"temperature": 3}, "temperature")]:
        with pytest.raises(InvalidInput, match=message):
            seated("plain", **settings)
    with pytest.raises(InvalidInput, match="'tastes' given; expected one of scores"):
        seated("plain", preferences="tastes")


@pytest.mark.parametrize("feedback", ["complete", "score", "words", "comparison"])
def test_they_answer_in_a_whole_round_whatever_is_asked(feedback):
    class Fixed:
        kind = "fixed"

        async def propose(self, brief):
            from support.environments.fair_decisions.views import Move

            return Move(((0, 1), (1, 0))[: brief.plans])

    async def one():
        return [entry async for entry in plan(PROBLEM, seated("mixed"), Fixed(), feedback=feedback, rounds=1)]

    (entry,) = asyncio.run(one())
    assert not entry.format_errors and [f.participant for f in entry.feedback] == ["Ana", "Ben"]
    answered = {"words": lambda f: f.text, "comparison": lambda f: f.prefers in (0, 1)}
    assert all(answered.get(feedback, lambda f: f.score is not None)(f) for f in entry.feedback)
