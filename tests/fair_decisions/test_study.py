"""The study of fair decisions: its settings reach the run, and a unit's seed alone
decides what happens."""

import asyncio

import numpy as np
import pytest

from support.errors import InvalidInput
from support.fair_decisions.planners import SOLVERS
from support.fair_decisions.problem import FEEDBACK, FairDecisions
from support.fair_decisions.seats import PLANNER
from support.fair_decisions.study import estimator_for, fair_decisions
from support.models.stand_ins import stand_in
from support.solvers.fair import solve
from support.study import Study


def play(seed=1, **settings):
    rng = np.random.default_rng(seed)
    return asyncio.run(fair_decisions(rng, **{"decisions": 3, **settings}))


@pytest.mark.parametrize("feedback", FEEDBACK)
@pytest.mark.parametrize("kind", PLANNER.kinds)
def test_every_coordinator_searches_under_every_feedback(kind, feedback, store):
    made = play(coordinator=kind, feedback=feedback)
    assert made == play(coordinator=kind, feedback=feedback)
    assert store.record(store.save("plans", made, {})) == made
    problem = FairDecisions(np.array(made.gains))
    assert made.summary["divergence"] == np.ptp(problem.totals(made.chosen))
    if (kind, feedback) == ("exact", "complete"):
        [_, last] = made.rounds
        assert last.finish and made.summary["divergence"] == solve(problem).value
    for number, entry in enumerate(made.rounds, start=1):
        assert np.array_equal(entry.totals, problem.totals(np.array(entry.plans)))
        assert entry.number == number and not entry.format_errors
        if feedback == "score":
            assert entry.heard == entry.totals


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("feedback", ["complete", "words"])
def test_an_adviser_suggests_once_there_is_something_to_solve_on(feedback, solver):
    told = {"feedback": feedback, "solver": solver, "decisions": 5}
    made = play(coordinator="local", **told)
    assert made == play(coordinator="local", **told)
    first, *later = made.rounds
    assert (first.suggestion is not None) == (feedback == "complete")
    assert later and all(entry.suggestion is not None for entry in later)


def test_where_nobody_reads_words_who_speaks_states_them_as_data_too():
    told = {"feedback": "words", "estimator": "bayesian", "model": stand_in()}
    first = play(seats="model", **told).rounds[0]
    assert all(answer.levels for answer in first.feedback)


def test_a_model_ends_with_its_own_choice(overheard):
    moves = [{"reason": "so", "status": "RUNNING", "plan": [k] * 3} for k in (1, 2, 3)]
    last = {"reason": "so", "status": "FINISH", "plan": [2] * 3}
    model, heard = overheard(*moves, last)
    told = {"coordinator": "model", "feedback": "words", "rounds": 3, "model": model}
    made = play(**told)
    assert made.chosen == (1, 1, 1) and len(heard) == 4
    assert made.settings["final"] == "its own"
    assert sum(entry.replies for entry in made.rounds) == 4


@pytest.mark.parametrize(
    ("feedback", "seats", "coordinator", "model", "reads"),
    [
        ("words", ["plain"], "model:lead", None, "bayesian"),
        ("words", ["plain", "model:own"], "model:lead", None, "model:own"),
        ("words", ["human", "plain"], "model:lead", None, "model:lead"),
        ("comparison in words", ["human"], "mcts", stand_in(), "model"),
        ("comparison", ["model:own"], "mcts", None, "bayesian"),
        ("score", ["model:own"], "mcts", None, "none"),
    ],
)
def test_a_model_reads_words_of_models_and_people_and_rules_read_records(
    feedback, seats, coordinator, model, reads
):
    assert estimator_for(feedback, seats, coordinator, model=model) == reads


OURS = {
    "Ana": {"Soup": {"miso": 70, "borscht": 30}, "Main": {"fish": 20, "curry": 80}},
    "Ben": {"Soup": {"miso": 10, "borscht": 90}, "Main": {"fish": 40, "curry": 60}},
}
THEIRS = {"Ana": {"Soup": {"miso": 1, "borscht": 2}}}


def test_a_problem_of_one_s_own_is_played_by_its_names(tmp_path):
    varied = {"problem": OURS, "feedback": ["score", "words"]}
    seats = {"Ana": "plain", "Ben": "plain"}
    study = Study(
        "dinner", fair_decisions, groups=2, store=tmp_path / "d", seats=seats, **varied
    )
    asyncio.run(study.run(progress=False))
    assert study.table["divergence"].tolist() == [40] * 4
    [made, *_] = [record for _, record in study.sweep.records(study.store)]
    assert made.participants == ("Ana", "Ben") and made.gains[1] == ((60, 40), (90, 10))


FLAT = FairDecisions(np.ones((2, 2, 3), dtype=int))


def problem(**given):
    return FairDecisions(**{"gains": FLAT.gains, **given})


def checked(plan):
    return FLAT.check(plan)


@pytest.mark.parametrize(
    ("call", "given", "said"),
    [
        (problem, {"gains": FLAT.gains - 2}, "-1 given for participant 1"),
        (problem, {"participants": ("Ana", "Ana")}, "expected 2 different names"),
        (problem, {"options": (("a", "b", "c"),)}, "for 1 decisions given"),
        (checked, {"plan": (0,)}, "expected 2 whole numbers from 0"),
        (checked, {"plan": (0, 3)}, "from 0 to 2"),
        (checked, {"plan": (0, 1.0)}, "from 0 to 2"),
        (play, {"problem": {"Ana": 5}}, "expected {participant: {decision: "),
        (play, {"problem": OURS | {"Ben": {}}}, "Ben has .*; expected .*miso"),
        (play, {"problem": THEIRS}, "Ana, Soup: .* given; expected 100 points in all"),
        (
            play,
            {"problem": OURS, "preferences": "rankings"},
            "expected each rank from 1 on once",
        ),
        (play, {"decisions": 2000}, "decisions: 2000 given; expected a whole number"),
        (play, {"solver": "exact", "estimator": "none"}, "it needs an estimator"),
        (play, {"solver": "cplex"}, "expected one of none, exact, mcts"),
        (play, {"final": "last"}, "final: 'last' given; expected one of , its own"),
        (play, {"feedback": "smell"}, "feedback: 'smell' given; expected one of"),
        (play, {"prompt": "short"}, "expected one of full, no example"),
    ],
)
def test_what_does_not_fit_is_refused_in_plain_words(call, given, said):
    with pytest.raises(InvalidInput, match=said):
        call(**given)
