"""The study of fair decisions: its settings reach the run, and a unit's seed alone
decides what happens."""

import asyncio

import numpy as np
import pytest

from support.errors import InvalidInput
from support.fair_decisions.instances import instance
from support.fair_decisions.problem import FEEDBACK, FairDecisions
from support.fair_decisions.seats import PLANNER
from support.fair_decisions.study import estimator_for, fair_decisions
from support.models.stand_ins import stand_in


def play(seed=1, **settings):
    rng = np.random.default_rng(seed)
    return asyncio.run(fair_decisions(rng, **{"decisions": 3, **settings}))


def totals(made, plan):
    return np.array(made.gains)[:, range(len(plan)), list(plan)].sum(axis=1)


@pytest.mark.parametrize("feedback", FEEDBACK)
@pytest.mark.parametrize("kind", PLANNER.kinds)
def test_every_coordinator_searches_under_every_feedback(kind, feedback):
    made = play(coordinator=kind, feedback=feedback)
    assert made == play(coordinator=kind, feedback=feedback)
    assert made.chosen is not None and made.seats["coordinator"] == kind
    assert made.summary["divergence"] == np.ptp(totals(made, made.chosen))
    for entry in made.rounds:
        assert not entry.format_errors
        true = [totals(made, plan).tolist() for plan in entry.plans]
        assert [list(told) for told in entry.totals] == true


@pytest.mark.parametrize("solver", ["exact", "mcts", "mcts printed"])
@pytest.mark.parametrize("feedback", FEEDBACK)
def test_an_adviser_suggests_once_there_is_something_to_solve_on(feedback, solver):
    told = {"feedback": feedback, "solver": solver, "model": stand_in()}
    made = play(coordinator="model", seats="model", decisions=5, **told)
    first, *later = made.rounds
    assert (first.suggestion is not None) == (feedback == "complete")
    assert later and all(entry.suggestion is not None for entry in later)
    assert made.seats["solver"] == solver


def test_a_model_ends_with_its_own_choice_whatever_others_make_of_the_answers(
    overheard,
):
    moves = [{"reason": "so", "status": "RUNNING", "plan": [k] * 3} for k in (1, 2, 3)]
    last = {"reason": "so", "status": "FINISH", "plan": [2] * 3}
    model, heard = overheard(*moves, last, *moves)
    told = {"coordinator": "model", "feedback": "words", "rounds": 3, "model": model}
    made = play(**told)
    assert made.chosen == (1, 1, 1) and made.settings["final"] == "its own"
    assert made.rounds[-1].number == 4
    assert play(**told, final="best known").chosen and len(heard) == 4 + 3


@pytest.mark.parametrize(
    ("feedback", "seats", "coordinator", "model", "reads"),
    [
        ("words", ["plain"], "model:lead", None, "bayesian"),
        ("words", ["plain", "model:own"], "model:lead", None, "model:own"),
        ("words", ["human", "plain"], "model:lead", None, "model:lead"),
        ("comparison in words", ["human"], "mcts", stand_in(), "model"),
        ("words", ["human"], "mcts", None, "bayesian"),
        ("comparison", ["model:own"], "mcts", None, "bayesian"),
        ("score", ["model:own"], "mcts", None, "none"),
        ("score", ["plain"], "exact", None, "bayesian"),
        ("complete", ["plain"], "exact", None, "none"),
    ],
)
def test_a_model_reads_words_of_models_and_people_and_rules_read_records(
    feedback, seats, coordinator, model, reads
):
    assert estimator_for(feedback, seats, coordinator, False, model) == reads


GAINS = np.ones((2, 2, 3), dtype=int)
NAMES = ("a", "b", "c")


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: FairDecisions(GAINS - 2), "gains: -1 given for participant 1"),
        (lambda: FairDecisions(GAINS, ("Ana", "Ana")), "expected 2 different names"),
        (lambda: FairDecisions(GAINS, (), (), (NAMES,)), "for 1 decisions given"),
        (lambda: FairDecisions(GAINS).check((0,)), "expected 2 whole numbers from 0"),
        (lambda: FairDecisions(GAINS).check((0, 3)), "from 0 to 2"),
        (lambda: FairDecisions(GAINS).check((0, 1.0)), "from 0 to 2"),
        (lambda: FairDecisions(GAINS).check(None), "plan: None given"),
        (lambda: instance("scores", 2, 3, 0, 1, skin="moon"), "skin: 'moon' given"),
        (
            lambda: play(decisions=2000),
            "decisions: 2000 given; expected a whole number",
        ),
        (lambda: play(solver=True, estimator="none"), "solver: it needs an estimator"),
        (lambda: play(solver="cplex"), "expected one of False, True, exact, mcts"),
        (lambda: play(feedback="smell"), "feedback: 'smell' given; expected one of"),
        (lambda: play(preferences="votes"), "expected one of scores, rankings"),
        (lambda: play(final="first"), "expected one of its own, best known, last"),
        (lambda: play(rounds=0), "rounds: 0 given; expected a whole number from 1"),
        (lambda: play(prompt="short"), "expected one of full, no example"),
    ],
)
def test_what_does_not_fit_is_refused_in_plain_words(call, said):
    with pytest.raises(InvalidInput, match=said):
        call()
