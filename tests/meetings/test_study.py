"""The coordination study: its settings reach the run, and a unit's seed alone decides what happens."""

import asyncio
import inspect
import itertools
import re

import numpy as np
import pytest

from support import published
from support.errors import InvalidInput, MissingData
from support.meetings.data import iso
from support.meetings.evaluators import ExactEvaluator
from support.meetings.scenario import Suggestion, scenarios
from support.meetings.study import DIFFICULTIES, MEETINGS, meeting_coordination
from support.models.fakes import scripted
from support.runs.study import Store
from support.runs.sweep import Sweep
from support.simulations import MEETING_SETTINGS, coordinations


def play(seed=1, **settings):
    return asyncio.run(meeting_coordination(np.random.default_rng(seed), **{"rounds": 2, **settings}))


@pytest.fixture(scope="module")
def example():
    return play()


def test_one_seed_gives_one_run_and_another_seed_another(example):
    assert play() == example
    assert play(seed=2) != example


def test_designs_differ_in_rounds_and_in_talk():
    rounds, single, none = (play(design=d) for d in ("rounds", "single round", "no conversation"))
    assert [len(x.rounds) for x in (rounds, single, none)] == [2, 1, 1]
    assert single.rounds[0].conversations == rounds.rounds[0].conversations
    assert all(c.turns and c.interactions for c in single.rounds[0].conversations)
    assert all(not c.turns and c.preferences for c in none.rounds[0].conversations)
    assert rounds.meeting == single.meeting == none.meeting


def test_without_conversation_the_texts_are_handed_over_sentence_by_sentence():
    chosen = scenarios(3, MEETINGS, 2023)[0]
    for paraphrase, (name, most) in itertools.product((0, 1, 2), DIFFICULTIES.items()):
        [entry] = play(design="no conversation", paraphrase=paraphrase, difficulty=name).rounds
        for talk in entry.conversations:
            assert " ".join(talk.preferences) == chosen.narrowed(most).private[talk.member].texts[paraphrase]


def test_repetitions_go_through_the_twenty_meetings_of_the_design_and_on_to_others_none_of_them_twice():
    def met(repetition, **more):
        return play(repetition=repetition, design="no conversation", **more).meeting["id"]

    drawn = [met(i) for i in range(33)]
    assert drawn[:MEETINGS] == [s.meeting.id for s in scenarios(3, MEETINGS, 2023)]
    assert len(set(drawn)) == 33
    with pytest.raises(InvalidInput, match="repetition: 33 given; there are 33 meetings with 3 members"):
        met(33)


def test_a_company_of_ones_own_is_a_folder_and_what_is_changed_there_is_seen(folder):
    def own(**more):
        return play(members=2, options=1, company=str(folder), **more)

    assert own().members == ("Bob", "Cai") and own() == own()
    path = folder / "meetings.toml"
    path.write_text(path.read_text().replace('"Cai"', '"Zoe"'))
    with pytest.raises(InvalidInput, match=r"meetings\.toml, m1: 'Zoe' is no employee; expected a name"):
        own()
    path.write_text(path.read_text().replace('"Zoe"', '"Cai"').replace("Beds", "Beads"))
    assert own().meeting["subject"] == "Beads"
    with pytest.raises(MissingData, match=r"employees\.toml is not there; a company's folder needs employees\.toml"):
        play(company=folder / "nowhere")
    sweep = Sweep("own", meeting_coordination, {"company": [folder], "members": [2], "options": [1]}, 1, 1)
    assert [unit.settings["company"]["name"] for unit in sweep.units()] == [folder.name]


def played(coordinator, **more):
    """Five meetings of five members, with and without the database."""
    settings = {"members": [5], "repetition": [0, 1, 2, 3, 4], "database": [False, True], **more}
    units = [dict(zip(settings, values, strict=True)) for values in itertools.product(*settings.values())]
    return [(unit, play(coordinator=coordinator, **unit)) for unit in units]


def test_chance_lies_where_the_paper_s_first_round_does_by_default_and_higher_where_it_is_easier():
    assert inspect.signature(meeting_coordination).parameters["difficulty"].default == "hard"
    paper = published.load("000_cf17db17b5f2de1a").query("row == 'single round' and column == 'satisfaction_ratio'")
    for n in (3, 4, 5):
        drawn = scenarios(n, 20, 1)
        of = {d: [satisfied(s.narrowed(most)) for s in drawn] for d, most in DIFFICULTIES.items()}
        chance = {d: np.mean([np.mean(ratios) for ratios in found]) for d, found in of.items()}
        assert chance["easy"] > 0.95 > chance["middle"] > 0.75 and 0.3 < chance["hard"] < 0.45
        two = np.mean([np.mean([max(pair) for pair in itertools.combinations(ratios, 2)]) for ratios in of["hard"]])
        assert paper["value"].min() < 100 * two < paper["value"].max()  # the better of K = 2 drawn at random
        for made, ratios in zip(drawn, of["hard"], strict=True):
            yardstick = ExactEvaluator(made.narrowed(1), {}).yardstick(1)
            assert (yardstick["chance_ratio"], yardstick["best_ratio"]) == pytest.approx((np.mean(ratios), max(ratios)))


def satisfied(given):
    """The true ratio of every start, counted member by member."""
    wishes = {name: given.private[name].preferences for name in given.members}
    return [
        sum(any(w.fulfilled(given.situation(m, start)) for w in wishes[m]) for m in wishes) / len(wishes)
        for start in given.meeting.slots()
    ]


class Quiet:
    """A member of one's own, made for each seat."""

    kind = "quiet"

    def __init__(self, name, rng):
        self.me = name

    async def answer(self, chat):
        return "I prefer mornings, from 9 to 11."


class First:
    """A coordinator of one's own."""

    kind = "first"

    async def propose(self, brief):
        return [Suggestion(iso(start), brief.meeting.members) for start in brief.meeting.slots()[: brief.k]]


def test_participants_of_ones_own_take_their_seats_beside_names():
    made = play(seats=Quiet, coordinator=First())
    assert set(made.seats.values()) == {"quiet", "first", "rule-based"}
    assert [c.preferences for c in made.rounds[0].conversations] == [("Prefers meetings between 09:00 and 11:00",)] * 3
    with pytest.raises(InvalidInput, match=r"coordinator: .* expected .* `async def propose"):
        play(coordinator=Quiet("Ana", None))


def test_whoever_may_evaluate_audits_the_same_options_by_name_and_changes_nothing(example):
    def at_two(messages):
        names = re.findall(r'"([^"]+)": \{"reasons"', messages[-1]["content"])
        return {name: {"reasons": ["so"], "score": 2} for name in names}

    for kind, values in (("rule-based", None), ("model", {2})):
        made = play(audit=kind, model=scripted(at_two, name="judge"))
        assert made.seats["audit"].startswith(kind)
        for ours, other in zip(made.rounds, example.rounds, strict=True):
            assert (ours.scores, ours.options, ours.conversations) == (other.scores, other.options, other.conversations)
            assert {s.value for s in ours.audit} == values or ours.audit == ours.scores
    with pytest.raises(InvalidInput, match="evaluator: 'exakt' given; expected one of rule-based, human, model"):
        play(audit="exakt")


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"design": "monologue"}, "design: 'monologue' given; expected one of no conversation"),
        ({"coordinator": "boss"}, "coordinator: 'boss' given; expected one of exhaustive"),
        ({"evaluator": "exact"}, "evaluator: 'exact' given; expected one of rule-based, human, model"),
        ({"interviewer": "model"}, "model: none given for the seat of the interviewer"),
        ({"options": 3}, "K = 3 given; expected 1 to 2, fewer than the 3 members"),
        ({"rounds": 0}, "rounds: 0 given; expected at least 1"),
        ({"paraphrase": 3, "design": "no conversation"}, "paraphrase: 3 given; expected 0 to 2"),
        ({"lowest": 2}, "lowest: 2 given"),
        ({"difficulty": "grim"}, "difficulty: 'grim' given; expected one of easy, middle, hard"),
    ],
)
def test_a_setting_out_of_its_range_is_refused_in_plain_words(settings, said):
    with pytest.raises(InvalidInput, match=said):
        play(**settings)


def test_the_truth_is_not_what_the_coordinator_sees(example):
    """The reasons of an option restate what members said, never the structures."""
    for entry in example.rounds[:1]:
        said = {p for talk in entry.conversations for p in talk.preferences}
        for option in entry.options:
            given = {part for reason in option.reasons for part in reason.split(": ", 1)[1].split("; ")}
            assert given and given <= said


@pytest.mark.parametrize("part", MEETING_SETTINGS)
def test_every_part_of_the_study_is_a_sweep_of_settings_that_run(part, tmp_path):
    sweep = coordinations(part, 1, 1)
    store = Store(tmp_path / "study.sqlite")
    count = asyncio.run(sweep.run(store, progress=False))
    assert count["failed"] == 0 and count["done"] == len(list(sweep.units()))


def test_the_parts_with_and_without_the_database_draw_the_same_meetings_and_people():
    without, known = (coordinations(part, 3, 1, members=[5], options=[2]) for part in ("size", "database"))
    for one, other in zip(without.units(), known.units(), strict=True):
        assert one.text.replace("false", "true") == other.text and one.text != other.text
        assert np.array_equal(without.rng(one).random(3), known.rng(other).random(3))


def test_more_than_twenty_meetings_are_a_sweep_of_a_company_of_ones_own_too(folder, tmp_path):
    path, one = folder / "meetings.toml", (folder / "meetings.toml").read_text()
    path.write_text("\n".join(one.replace('"m1"', f'"m{i}"') for i in range(25)))
    sweep = coordinations("size", 25, 1, members=[2], options=[1], design=["single round"], company=[folder])
    store = Store(tmp_path / "study.sqlite")
    assert asyncio.run(sweep.run(store, progress=False))["done"] == 25
    assert len({made.meeting["id"] for _, made in sweep.records(store)}) == 25
    with pytest.raises(InvalidInput, match="there are 25 meetings with 2 members, counted from 0"):
        play(members=2, options=1, company=folder, repetition=25)
