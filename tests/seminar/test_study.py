"""Rehearsals: settings reach the run, and a unit's seed alone decides what happens."""

import asyncio

import numpy as np
import pytest

from support.errors import InvalidInput
from support.models.stand_ins import stand_in
from support.runs.study import from_json, packed
from support.seminar.records import CONFIRMATION
from support.seminar.study import seminar


def play(seed=1, **settings):
    return asyncio.run(seminar(np.random.default_rng(seed), **settings))


MODELS = dict.fromkeys(("organizer", "detector", "reader", "seats"), "model")
PLAYED = [{"scenario": s, "policies": "all"} for s in ("four", "series", "panel")]
PLAYED += [
    {"seed": seed, "model": stand_in(seed), "until": 6, **MODELS} for seed in (1, 7)
]


@pytest.mark.parametrize("settings", PLAYED)
def test_nobody_gets_what_they_did_not_name_and_dates_change_hands_by_mail_only(
    settings,
):
    made, modelled = play(**settings), "model" in settings
    amiss = {error.phase for day in made.days for error in day.format_errors}
    assert amiss <= ({"act", "answer"} if modelled else set())
    assert {day.replies > 0 for day in made.days} == {modelled}
    named, before, gave = {}, {}, 0
    for day in made.days:
        said = {one.person: one.says for one in day.readings}
        for person, says in said.items():
            named.setdefault(person, set()).update(says.can + says.perhaps)
        given = {(m.slots[0], m.to) for m in day.sent if m.kind == CONFIRMATION}
        for slot, names in day.assignment:
            had = {*before.get(slot, ())}
            new = {(slot, one) for one in {*names} - had}
            gave += len(new)
            assert len(names) <= made.scenario.seats
            assert all(slot in named[one] for one in names)
            assert new <= given
            for one in had - {*names}:
                says = said[one]
                assert slot in says.cannot + says.gives_back or says.declines
        before = dict(day.assignment)
    assert any(day.sent for day in made.days) and any(named.values())
    assert gave or modelled


def test_one_seed_gives_one_record_and_it_is_kept_as_it_is():
    made = play(seats="mixed", policies="all")
    assert play(seats="mixed", policies="all") == made != play(2, seats="mixed")
    kept = packed(made)
    assert from_json(kept.kind, kept.text) == made
    assert made.summary["days"] == len(made.days) == len(made.rounds)


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"scenario": "five"}, "'five' given; expected one of four, series, panel"),
        ({"policies": "many"}, "'many' given; expected none, seed"),
        ({"policies": "seed + weekend -"}, "expected: seed [+] weekend - begin"),
        ({"policies": "seed and weekend"}, "'seed and weekend'; expected"),
        ({"delegation": "never"}, "'never' given; expected plan"),
        ({"delegation": {"telephone": "automatic"}}, "'telephone' given"),
        ({"until": 0}, "until: day 0 given"),
        ({"seats": ["slow"]}, "expected 4 kinds"),
        ({"organizer": "wise"}, "'wise' given"),
    ],
)
def test_settings_that_cannot_be_are_refused(settings, why):
    with pytest.raises(InvalidInput, match=why):
        play(**settings)
