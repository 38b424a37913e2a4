"""Who takes the seat of each person on the list."""

import numpy as np
import pytest

from support.errors import InvalidInput
from support.models.fakes import scripted
from support.seminar.data import scenario
from support.seminar.speaker_seats import VARIATIONS, HumanSpeaker, seat_speakers

FOUR = scenario("four")
NAMES = [person.name for person in FOUR.people]


def seated(kinds, seed=0, **options):
    return seat_speakers(FOUR, kinds, np.random.default_rng(seed), **options)


@pytest.mark.parametrize("kind", sorted(VARIATIONS))
def test_one_kind_seats_everybody_and_the_record_says_which(kind):
    label = kind if kind == "rule-based" else f"rule-based {kind}"
    assert {name: s.kind for name, s in seated(kind).items()} == dict.fromkeys(NAMES, label)


def test_variations_change_what_they_say_and_nothing_else():
    plain, prompt, slow, vague = (seated(kind) for kind in ("rule-based", "prompt", "slow", "vague"))
    for name in NAMES:
        was = plain[name].persona
        assert (prompt[name].persona.days, prompt[name].persona.needs, prompt[name].persona.forgets) == (0, 1, 0)
        assert slow[name].persona.days == was.days + 3 and slow[name].persona.needs >= 2
        assert vague[name].persona.vague >= 0.7 and vague[name].persona.days == was.days
        suits = [seat[name].truth.suiting(FOUR.slots) for seat in (plain, prompt, slow, vague)]
        assert suits[0] == suits[1] == suits[2] == suits[3]


def test_people_have_streams_of_their_own_and_neighbours_do_not_matter():
    alone, mixed = seated("rule-based"), seated(["rule-based", "prompt", "slow", "mixed"])
    assert alone[NAMES[0]].truth.suiting(FOUR.slots) == mixed[NAMES[0]].truth.suiting(FOUR.slots)
    ranks = {tuple(speaker.truth._rank.values()) for speaker in alone.values()}
    assert len(ranks) == 4


def test_mixed_draws_every_variation():
    drawn = {speaker.kind for seed in range(20) for speaker in seated("mixed", seed).values()}
    assert len(drawn) == len(VARIATIONS)


def test_a_person_and_a_model_sit_beside_rules_and_the_model_has_the_same_dates():
    person, model = HumanSpeaker(NAMES[0]), scripted([], name="parrot")
    seats = seated([person, "model", "rule-based", "rule-based"], model=model)
    assert seats[NAMES[0]] is person and seats[NAMES[1]].kind == "model parrot"
    assert list(seats[NAMES[1]].suits) == sorted(seated("rule-based")[NAMES[1]].truth.suiting(FOUR.slots))


@pytest.mark.parametrize(
    ("kinds", "said"),
    [
        ("angel", "seats: 'angel' given for Aurelio Brandvik; expected one of rule-based, prompt, slow, vague, mixed"),
        (["slow"], r"seats: \['slow'\] given; expected 4 kinds, one for each person"),
        ("model", "model: none given for the seat of Aurelio Brandvik"),
        ([HumanSpeaker("Zoe"), "slow", "slow", "slow"], "a human seat made for Zoe given for Aurelio Brandvik"),
        ([object(), "slow", "slow", "slow"], r"`async def answer\(self, letter\)`"),
    ],
)
def test_a_seat_that_cannot_be_taken_is_refused(kinds, said):
    with pytest.raises(InvalidInput, match=said):
        seated(kinds)
