"""The study of fair decisions: its settings reach the run, and a unit's seed alone decides what happens."""

import asyncio

import numpy as np
import pytest

from support.errors import InvalidInput
from support.fair_decisions.problem import FEEDBACK, PREFERENCES, Move
from support.fair_decisions.records import Planning
from support.fair_decisions.seats import PLANNER
from support.fair_decisions.study import estimator_for, fair_decisions
from support.models.fakes import scripted
from support.runs.export import TABLES, export
from support.runs.sweep import Sweep

FREE = list(PLANNER.kinds)


def play(seed=1, **settings):
    return asyncio.run(fair_decisions(np.random.default_rng(seed), **{"decisions": 3, **settings}))


def totals(made, plan):
    return np.array(made.gains)[:, range(len(plan)), list(plan)].sum(axis=1)


@pytest.mark.parametrize("feedback", FEEDBACK)
@pytest.mark.parametrize("kind", FREE)
def test_every_coordinator_searches_under_every_feedback(kind, feedback):
    made = play(coordinator=kind, feedback=feedback)
    assert made.chosen is not None and not any(entry.format_errors for entry in made.rounds)
    assert made.seats["coordinator"] == kind
    proposed = [plan for entry in made.rounds if not entry.finish for plan in entry.plans]
    if feedback != "comparison":
        assert len(proposed) == len(set(proposed))
    for entry in made.rounds:
        assert [list(t) for t in entry.totals] == [totals(made, plan).tolist() for plan in entry.plans]


@pytest.mark.parametrize("feedback", FEEDBACK)
def test_one_seed_gives_one_run_and_another_seed_another(feedback):
    first, again, other = (play(seed, decisions=6, feedback=feedback) for seed in (1, 1, 2))
    assert first == again and first.rounds != other.rounds and first.gains == other.gains


def test_a_repetition_is_an_instance_the_same_under_every_coordinator_and_feedback():
    made = [play(coordinator=c, feedback=f, repetition=3) for c, f in (("mcts", "score"), ("local", "words"))]
    assert made[0].gains == made[1].gains != play(repetition=4).gains
    assert play(instances_seed=1).gains != play().gains


@pytest.mark.parametrize("preferences", PREFERENCES)
def test_shapes_and_preferences_are_those_that_were_asked_for(preferences):
    made = play(preferences=preferences, decisions=2, options=4, participants=2)
    gains = np.array(made.gains)
    assert gains.shape == (2, 2, 4) and made.settings["preferences"] == preferences
    if preferences == "scores":
        assert (gains.sum(axis=2) == 100).all()
    if preferences == "rankings":
        assert (np.sort(gains, axis=2) == [1, 2, 3, 4]).all()


def test_with_public_gains_the_exact_coordinator_finds_the_optimum_and_stops():
    made = play(coordinator="exact", feedback="complete", decisions=8)
    assert len(made.rounds) == 2 and made.rounds[1].finish
    every = np.stack(np.meshgrid(*[range(3)] * 8), -1).reshape(-1, 8)
    found = np.array(made.gains)[:, range(8), every].sum(axis=2)
    assert np.ptp(totals(made, made.chosen)) == np.ptp(found, axis=0).min()


@pytest.mark.parametrize("feedback", FEEDBACK)
def test_a_solver_suggests_once_there_is_something_to_solve_on_and_the_search_takes_it(feedback):
    made = play(feedback=feedback, solver=True, decisions=5)
    assert (made.rounds[0].suggestion is not None) == (feedback == "complete")
    assert all(entry.suggestion is not None for entry in made.rounds[1:]) and made.seats["solver"] == "exact auto"
    new = [e for e in made.rounds[1:] if e.suggestion not in {p for r in made.rounds[: e.number - 1] for p in r.plans}]
    assert all(entry.suggestion in entry.plans for entry in new) and (new or feedback == "complete")
    assert play().seats["solver"] == "none" and play().rounds[1].suggestion is None


@pytest.mark.parametrize(
    ("feedback", "coordinator", "solver", "expected"),
    [
        ("score", "mcts", False, "none"),
        ("score", "exact", False, "bayesian"),
        ("score", "model", True, "bayesian"),
        ("words", "mcts", False, "lexical"),
        ("words", "thompson", False, "bayesian"),
        ("words", PLANNER.person, True, "lexical"),
        ("comparison", "random", False, "bayesian"),
        ("complete", "thompson", False, "bayesian"),
        ("complete", "exact", True, "none"),
    ],
)
def test_each_feedback_has_the_estimator_that_it_needs(feedback, coordinator, solver, expected):
    assert estimator_for(feedback, coordinator, solver) == expected


def test_the_group_ends_with_the_best_known_plan_or_with_the_last():
    best, last = (play(coordinator="random", final=final, decisions=6) for final in ("best known", "last"))
    plans = [entry.plans[0] for entry in best.rounds]
    spread = [np.ptp(totals(best, plan)) for plan in plans]
    assert best.chosen == plans[int(np.argmin(spread))] and last.chosen == plans[-1]
    assert (best.settings["final"], last.settings["final"]) == ("best known", "last")


def test_welfare_is_another_objective_and_more_rounds_are_more_plans():
    made = play(coordinator="exact", feedback="complete", objective="welfare", decisions=5)
    assert totals(made, made.chosen).sum() == np.array(made.gains).sum(axis=0).max(axis=1).sum()
    assert [len(play(rounds=r, decisions=5).rounds) for r in (3, 7)] == [3, 7]


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"coordinator": "boss"}, "coordinator: 'boss' given; expected one of mcts"),
        ({"feedback": "smell"}, "feedback: 'smell' given"),
        ({"objective": "envy"}, "objective: 'envy' given"),
        ({"final": "first"}, "final: 'first' given"),
        ({"estimator": "oracle"}, "estimator: 'oracle' given"),
        ({"coordinator": "thompson", "estimator": "none"}, "pass estimator='bayesian'"),
        ({"coordinator": "model"}, "model: none given for the seat of the coordinator"),
        ({"solver": True, "estimator": "none"}, "solver: it needs an estimator"),
        ({"rounds": 0}, "rounds: 0 given"),
        ({"noise": -1.0}, "noise: -1.0 given"),
        ({"seats": "angry"}, "'angry' given for Player 1"),
        ({"decisions": 0}, "decisions"),
        ({"options": 0}, "options"),
        ({"participants": 0}, "participants"),
        ({"preferences": "votes"}, "preferences: 'votes' given"),
        ({"repetition": -1}, "-1 given"),
    ],
)
def test_a_setting_out_of_its_range_is_refused_in_plain_words(settings, said):
    with pytest.raises(InvalidInput, match=said):
        play(**settings)


def test_a_model_coordinates_and_is_counted_and_its_known_plan_costs_a_repair_and_no_round():
    lines = iter([[1, 1, 1], [1, 1, 1], [2, 2, 2]])

    def script(messages):
        return {"reason": "to see", "status": "RUNNING", "plan": next(lines)}

    made = play(coordinator="model", model=scripted(script, name="tiny"), rounds=2)
    assert [entry.plans for entry in made.rounds] == [((0, 0, 0),), ((1, 1, 1),)]
    assert made.seats["coordinator"] == "model tiny" and [entry.replies for entry in made.rounds] == [1, 1]


def test_a_person_coordinates_a_group_to_its_end():
    async def game():
        seat = PLANNER.person()
        run = asyncio.create_task(fair_decisions(np.random.default_rng(1), decisions=3, coordinator=seat))
        for move in (Move(((0, 0, 0),)), Move(((1, 0, 0),)), Move(((0, 0, 0),), "enough", True)):
            question = await asyncio.wait_for(seat.questions.get(), 5)
            question.answer(move)
        return await asyncio.wait_for(run, 5)

    made = asyncio.run(game())
    assert made.chosen == (0, 0, 0) and len(made.rounds) == 3 and made.seats["coordinator"] == "human"


def test_a_sweep_runs_stores_and_exports_the_study_and_a_rerun_is_the_same(store, tmp_path):
    grid = {"coordinator": ["mcts", "random"], "feedback": ["score", "words"], "decisions": [3]}
    sweep = Sweep("plans", fair_decisions, grid, repetitions=2, seed=1)
    count = asyncio.run(sweep.run(store, progress=False))
    assert count["failed"] == 0 and count["done"] == 8
    records = list(sweep.records(store))
    assert all(isinstance(made, Planning) for _, made in records)
    by_instance = {unit.repetition: set() for unit, _ in records}
    for unit, made in records:
        by_instance[unit.repetition].add(made.gains)
    assert [len(found) for found in by_instance.values()] == [1, 1]
    names = {path.stem for path in export(store, "plans", tmp_path / "out", format="csv")}
    assert set(TABLES["Planning"]) <= names
    unit, made = records[-1]
    assert store.record(unit) == made
