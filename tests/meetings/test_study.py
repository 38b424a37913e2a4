"""The coordination study: its settings reach the run, and a unit's seed alone decides what happens."""

import asyncio
import hashlib
import inspect
import itertools

import numpy as np
import pytest

from support import published
from support.errors import InvalidInput
from support.meetings.evaluators import ExactEvaluator
from support.meetings.scenario import scenarios
from support.meetings.study import DIFFICULTIES, MEETINGS, meeting_coordination


def play(seed=1, **settings):
    return asyncio.run(
        meeting_coordination(np.random.default_rng(seed), **{"rounds": 2, **settings})
    )


GOLDEN = [  # style, coordinator, meeting, outcome, sum of every word and number of the rounds
    ("plain", "exhaustive", "m035", "2026-02-13T13:00-05:00", "937d65fc"),
    ("terse", "satisficing", "m139", "2026-03-25T14:00-04:00", "12c45e22"),
    ("vague", "random", "m059", "2026-02-24T08:30-05:00", "277e79cb"),
    ("chatty", "hybrid", "m140", "2026-03-25T11:00-04:00", "f1b12ced"),
    ("stubborn", "exhaustive", "m057", "2026-02-24T11:00-05:00", "2fee57fd"),
    ("changing", "satisficing", "m051", "2026-02-23T11:00-05:00", "1f5be8cd"),
]


@pytest.mark.parametrize(("style", "coordinator", "met", "outcome", "total"), GOLDEN)
def test_a_seed_gives_what_it_gave_in_every_style(
    style, coordinator, met, outcome, total
):
    number = [row[0] for row in GOLDEN].index(style)
    settings = {
        "database": bool(number % 2),
        "difficulty": ("hard", "easy")[number % 2],
        "repetition": number,
    }
    made = play(
        number, seats=style, coordinator=coordinator, members=4, rounds=4, **settings
    )
    assert (made.meeting["id"], made.summary["outcome"]) == (met, outcome)
    assert hashlib.sha256(repr(made.rounds).encode()).hexdigest().startswith(total)


def test_designs_differ_in_rounds_and_in_talk():
    double, single, none = (
        play(design=design) for design in ("rounds", "single round", "no conversation")
    )
    assert (
        single.rounds[0].conversations == double.rounds[0].conversations
        and len(double.rounds) == 2
    )
    assert (
        len(single.rounds) == len(none.rounds) == 1 and single.meeting == none.meeting
    )
    assert all(c.turns and c.interactions for c in single.rounds[0].conversations)
    told = scenarios(3, MEETINGS, 2023)[0].narrowed(1).private
    assert all(
        not c.turns and " ".join(c.preferences) == told[c.member].texts[0]
        for c in none.rounds[0].conversations
    )


def test_repetitions_go_through_the_twenty_meetings_of_the_design_and_on_to_others_none_of_them_twice():
    def met(repetition, **more):
        return play(repetition=repetition, design="no conversation", **more).meeting[
            "id"
        ]

    drawn = [met(i) for i in range(33)]
    assert drawn[:MEETINGS] == [s.meeting.id for s in scenarios(3, MEETINGS, 2023)]
    assert len(set(drawn)) == 33
    with pytest.raises(
        InvalidInput, match="repetition: 33 given; there are 33 meetings with 3 members"
    ):
        met(33)


def test_a_company_of_ones_own_is_a_folder_and_what_is_changed_there_is_seen(folder):
    def own(**more):
        return play(members=2, options=1, company=str(folder), **more)

    assert own().members == ("Bob", "Cai") and own() == own()
    path = folder / "meetings.toml"
    path.write_text(path.read_text().replace('"Cai"', '"Zoe"'))
    with pytest.raises(
        InvalidInput, match=r"meetings\.toml, m1: 'Zoe' is no employee; expected a name"
    ):
        own()
    path.write_text(path.read_text().replace('"Zoe"', '"Cai"').replace("Beds", "Beads"))
    assert own().meeting["subject"] == "Beads"


def test_chance_lies_where_the_paper_s_first_round_does_by_default_and_higher_where_it_is_easier():
    assert (
        inspect.signature(meeting_coordination).parameters["difficulty"].default
        == "hard"
    )
    paper = published.load("000_cf17db17b5f2de1a").query(
        "row == 'single round' and column == 'satisfaction_ratio'"
    )
    for n in (3, 4, 5):
        drawn = scenarios(n, 20, 1)
        of = {
            d: [satisfied(s.narrowed(most)) for s in drawn]
            for d, most in DIFFICULTIES.items()
        }
        chance = {
            d: np.mean([np.mean(ratios) for ratios in found]) for d, found in of.items()
        }
        assert (
            chance["easy"] > 0.95 > chance["middle"] > 0.75
            and 0.3 < chance["hard"] < 0.45
        )
        two = np.mean(
            [
                np.mean([max(pair) for pair in itertools.combinations(ratios, 2)])
                for ratios in of["hard"]
            ]
        )
        assert (
            paper["value"].min() < 100 * two < paper["value"].max()
        )  # the better of K = 2 drawn at random
        for made, ratios in zip(drawn, of["hard"], strict=True):
            yardstick = ExactEvaluator(made.narrowed(1), {}).yardstick(1)
            assert (
                yardstick["chance_ratio"],
                yardstick["best_ratio"],
            ) == pytest.approx((np.mean(ratios), max(ratios)))


def satisfied(given):
    """The true ratio of every start, counted member by member."""
    wishes = {name: given.private[name].preferences for name in given.members}
    return [
        sum(
            any(w.fulfilled(given.situation(m, start)) for w in wishes[m])
            for m in wishes
        )
        / len(wishes)
        for start in given.meeting.slots()
    ]


def test_a_setting_out_of_its_range_is_refused_in_plain_words():
    for settings, said in (
        (
            {"evaluator": "exact"},
            "evaluator: 'exact' given; expected one of rule-based, human, model",
        ),
        ({"options": 3}, "K = 3 given; expected 1 to 2, fewer than the 3 members"),
        (
            {"difficulty": "grim"},
            "difficulty: 'grim' given; expected one of easy, middle, hard",
        ),
    ):
        with pytest.raises(InvalidInput, match=said):
            play(**settings)
