"""The study of fair decisions: its settings reach the run, and a unit's seed alone decides what happens."""

import asyncio

import numpy as np
import pytest

from support.analysis.fairness import runs_of
from support.errors import InvalidInput
from support.fair_decisions.problem import FEEDBACK
from support.fair_decisions.seats import PLANNER
from support.fair_decisions.study import fair_decisions


def play(seed=1, **settings):
    return asyncio.run(
        fair_decisions(np.random.default_rng(seed), **{"decisions": 3, **settings})
    )


def totals(made, plan):
    return np.array(made.gains)[:, range(len(plan)), list(plan)].sum(axis=1)


@pytest.mark.parametrize("feedback", FEEDBACK)
@pytest.mark.parametrize("kind", PLANNER.kinds)
def test_every_coordinator_searches_under_every_feedback(kind, feedback):
    made = play(coordinator=kind, feedback=feedback)
    assert made.chosen is not None and not any(
        entry.format_errors for entry in made.rounds
    )
    assert made.seats["coordinator"] == kind and made == play(
        coordinator=kind, feedback=feedback
    )
    told = made.summary
    assert told["divergence"] == np.ptp(totals(made, made.chosen)) and told["decided"]
    proposed = [
        plan for entry in made.rounds if not entry.finish for plan in entry.plans
    ]
    if not feedback.startswith("comparison"):
        assert len(proposed) == len(set(proposed))
    for entry in made.rounds:
        assert [list(t) for t in entry.totals] == [
            totals(made, plan).tolist() for plan in entry.plans
        ]


@pytest.mark.parametrize("feedback", FEEDBACK)
def test_a_solver_suggests_once_there_is_something_to_solve_on_and_the_search_takes_it(
    feedback,
):
    made = play(feedback=feedback, solver=True, decisions=5)
    assert (made.rounds[0].suggestion is not None) == (feedback == "complete")
    assert (
        all(entry.suggestion is not None for entry in made.rounds[1:])
        and made.seats["solver"] == "exact auto"
    )
    new = [
        e
        for e in made.rounds[1:]
        if e.suggestion not in {p for r in made.rounds[: e.number - 1] for p in r.plans}
    ]
    assert all(entry.suggestion in entry.plans for entry in new) and (
        new or feedback == "complete"
    )


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"coordinator": "thompson", "estimator": "none"}, "pass estimator='bayesian'"),
        ({"solver": True, "estimator": "none"}, "solver: it needs an estimator"),
        (
            {"solver": "cplex"},
            "solver: 'cplex' given; expected True, False, or one of exact, mcts, mcts printed",
        ),
        (
            {"feedback": "smell"},
            "feedback: 'smell' given; expected one of complete, score",
        ),
        (
            {"preferences": "votes"},
            "preferences: 'votes' given; expected one of scores, rankings, counts",
        ),
        (
            {"final": "first"},
            "final: 'first' given; expected one of its own, best known, last",
        ),
        ({"rounds": 0}, "rounds: 0 given; expected a whole number of at least 1"),
        (
            {"prompt": "short"},
            "prompt: 'short' given; expected one of full, no example, no objective",
        ),
    ],
)
def test_a_setting_out_of_its_range_is_refused_in_plain_words(settings, said):
    with pytest.raises(InvalidInput, match=said):
        play(**settings)


@pytest.mark.parametrize("estimator", ["none", "bayesian"])
def test_a_model_chooses_its_final_plan_itself_whatever_an_estimator_makes_of_the_answers(
    estimator, overheard
):
    moves = [{"reason": "so", "status": "RUNNING", "plan": [k] * 3} for k in (1, 2, 3)]
    model, heard = overheard(
        *moves, {"reason": "so", "status": "FINISH", "plan": [2] * 3}, *moves
    )
    told = {
        "coordinator": "model",
        "feedback": "words",
        "estimator": estimator,
        "rounds": 3,
        "model": model,
    }
    made, last = play(**told), heard[-1][-1]["content"]
    assert (
        made.chosen == (1, 1, 1)
        and made.settings["final"] == "its own"
        and made.rounds[-1].number == 4
    )
    assert "All rounds are over.\nTo stop, give" in last and "RUNNING" not in last
    assert runs_of([({}, made)])["evaluations"].tolist() == [9]
    assert play(**told, final="best known").chosen and len(heard) == 4 + 3


@pytest.mark.parametrize("solver", [True, "mcts", "mcts printed"])
@pytest.mark.parametrize("feedback", ["complete", "words"])
def test_a_model_is_told_what_its_adviser_suggests(solver, feedback, overheard):
    model, heard = overheard(
        *({"reason": "so", "status": "RUNNING", "plan": [k] * 4} for k in (1, 2, 3))
    )
    told = {
        "decisions": 4,
        "feedback": feedback,
        "coordinator": "model",
        "final": "last",
        "rounds": 3,
    }
    made = play(model=model, solver=solver, **told)
    for entry, messages in zip(made.rounds, heard, strict=True):
        advice, text = "", messages[-1]["content"]
        if entry.suggestion is not None:
            advice = f"{[k + 1 for k in entry.suggestion]}, computed from"
        assert advice in text and ("# What a solver suggests" in text) == bool(advice)
    assert made.rounds[-1].suggestion and made.seats["solver"] == {
        True: "exact auto"
    }.get(solver, solver)
