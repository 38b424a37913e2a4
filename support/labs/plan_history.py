"""What was proposed and answered in a search for a fair plan, and how it ended: what a group knows, and the truth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from support.analysis.fairness import random_plans
from support.fair_decisions.measures import divergence, value
from support.fair_decisions.problem import FairDecisions, Heard, Table
from support.fair_decisions.records import Feedback, Plan, Planning, PlanningRound
from support.labs.base import fill
from support.solvers.fair import Solution, solve

SECONDS = 3.0
"""How long a solver may look for the optimum while a person waits."""

SHORT = 6
"""Options of a decision up to which their table is open at first."""

DRAWS, SEED = 20_000, 0
"""Plans are drawn where there are too many to list; the expectation of one instance is the same each time."""


@dataclass(frozen=True, slots=True)
class Truth:
    """What a finished search is measured against: `best` is the divergence, or welfare, of the `solution`'s plan."""

    solution: Solution
    best: int
    random: Mapping[
        str, float | bool
    ]  # as `random_plans` gives it, for as many plans as were proposed
    tried: int


class Kept:
    """An estimator whose latest estimate stays to be seen: `latest`, of shape (participants, decisions, options)."""

    def __init__(self, estimator: Any) -> None:
        self.estimator, self.kind = estimator, estimator.kind
        self.latest: np.ndarray | None = None

    async def estimate(
        self, table: Table, feedback: str, history: Sequence[Heard]
    ) -> np.ndarray:
        """What the estimator expects of the gains."""
        self.latest = await self.estimator.estimate(table, feedback, history)
        return self.latest


def as_known(
    rounds: Sequence[PlanningRound], gains: np.ndarray | None
) -> list[PlanningRound]:
    """The rounds, and for totals that nobody reported those of the gains that are expected now, if any are."""
    return [
        entry if gains is None or _reported(entry) else _expected(entry, gains)
        for entry in rounds
    ]


def _reported(entry: PlanningRound) -> bool:
    return all(answer.score is not None for answer in entry.feedback)


def _expected(entry: PlanningRound, gains: np.ndarray) -> PlanningRound:
    totals = [
        gains[:, np.arange(gains.shape[1]), list(plan)].sum(axis=1).tolist()
        for plan in entry.plans
    ]
    return replace(entry, heard=tuple(map(tuple, totals)))


def truth_of(problem: FairDecisions, objective: str, tried: int) -> Truth:
    """The optimum and the random expectation of an instance; `tried` is the number of different plans proposed."""
    found = solve(problem, objective, time_limit=SECONDS)
    best = int(worth(objective, problem.totals(found.plan)))
    drawn = random_plans(
        problem, objective, max(tried, 1), DRAWS, np.random.default_rng(SEED)
    )
    return Truth(found, best, drawn, tried)


def worth(objective: str, totals: Sequence[float] | np.ndarray) -> float:
    """How good totals are by an objective, as it is told: the divergence, the welfare; never below 0.

    >>> worth("divergence", [83, 210, 77])
    133.0
    """
    return abs(float(value(objective, np.array(totals))))


def names_of(rounds: Sequence[PlanningRound]) -> dict[Plan, str]:
    """Every plan that was proposed and its name: the number of its first round, with A or B where there were two."""
    names: dict[Plan, str] = {}
    for entry in rounds:
        for i, plan in enumerate(entry.plans):
            names.setdefault(plan, _name(entry, i))
    return names


def to_html(
    rounds: Sequence[PlanningRound],
    table: Table,
    objective: str,
    *,
    chosen: Plan | None = None,
    truth: bool = False,
) -> str:
    """Plans and answers, the newest round first; `chosen` is marked, and true totals are shown only with `truth`."""
    names, before, told = names_of(rounds), None, list[Any]()
    for entry in rounds:
        proposed = []
        for i, plan in enumerate(() if entry.finish else entry.plans):
            words = [(options[k], before is not None and before[j] != k)
                     for j, (options, k) in enumerate(zip(table.options, plan, strict=True))]  # fmt: skip
            worths = _worths(entry, i, objective, truth)
            proposed.append(
                (
                    _name(entry, i),
                    words,
                    _answers(entry, i, truth),
                    *worths,
                    plan == chosen,
                )
            )
            before = plan
        said = (
            [f"Round {entry.number}: stopped with plan {names[entry.plans[0]]}."]
            if entry.finish
            else []
        )
        said += [f"Round {entry.number}: {entry.reason}"] if entry.reason else []
        wrong = [
            f"Format error of {e.agent} ({e.phase}): {e.detail}"
            for e in entry.format_errors
        ]
        told.insert(0, (proposed, said, wrong))
    return fill("history", table.participants, objective, told)


def outcome_to_html(problem: FairDecisions, planning: Planning, truth: Truth) -> str:
    """How good the plan is that the group ended with: beside the best one proposed, the optimum and random plans."""
    objective = str(planning.settings.get("objective", "divergence"))
    names = names_of(planning.rounds)
    rows: list[tuple[str, Sequence[Any], bool]] = [
        ("no plan", ["–"] * (len(problem.participants) + 2), False)
    ]
    if planning.chosen is not None:
        best = max(
            names, key=lambda plan: float(value(objective, problem.totals(plan)))
        )
        rows = [(f"chosen: plan {names[planning.chosen]}", _numbers(problem, planning.chosen), True),
                (f"the best plan proposed: {names[best]}", _numbers(problem, best), False)]  # fmt: skip
    found = truth.solution
    surely = (
        "proven" if found.proven else f"not proven: the best found in {SECONDS:g} s"
    )
    rows.append(
        (
            f"the optimum (solver: {found.solver}, {surely})",
            _numbers(problem, found.plan),
            False,
        )
    )
    many = (
        f"the best of {truth.tried} random plans"
        if truth.tried > 1
        else "one random plan"
    )
    random = (
        "A random plan has a {objective} of {random:.0f} on average (middle 80 % of all plans: {random_low:.0f} to "
        "{random_high:.0f}); {many}, as many as were proposed, {random_best:.0f}."
    ).format(objective=objective, many=many, **truth.random)
    return fill(
        "outcome", problem.participants, rows, random, problem.words(found.plan)
    )


def score_in_words(planning: Planning, problem: FairDecisions, truth: Truth) -> str:
    """The outcome in half a sentence: what was reached, what was possible, what a random plan comes to."""
    objective = str(planning.settings.get("objective", "divergence"))
    if planning.chosen is None:
        return "there is no plan"
    reached = int(worth(objective, problem.totals(planning.chosen)))
    best = "the optimum is" if truth.solution.proven else "the best plan found has"
    return f"{objective} {reached}; {best} {truth.best}, a random plan comes to {truth.random['random']:.0f} on average"


def options_to_html(table: Table, gains: np.ndarray | None = None) -> str:
    """The table of decisions and options; with gains, below each option what it is worth to every participant."""

    def worth_of(j: int, k: int) -> str:
        return "" if gains is None else " / ".join(map(str, gains[:, j, k]))

    decisions = [
        (decision, [(name, worth_of(j, k)) for k, name in enumerate(options)])
        for j, (decision, options) in enumerate(
            zip(table.decisions, table.options, strict=True)
        )
    ]
    told = (
        ""
        if gains is None
        else f"Worth to {' / '.join(table.participants)}, in points."
    )
    return fill(
        "options", told, decisions, gains is not None or table.shape[2] <= SHORT
    )


def _name(entry: PlanningRound, i: int) -> str:
    return f"{entry.number}{'AB'[i] if len(entry.plans) > 1 else ''}"


def _answers(entry: PlanningRound, i: int, truth: bool) -> list[tuple[str, str]]:
    """What each participant said of a plan, with notes: what is expected, and what is true where it may be told."""
    silent = {error.agent for error in entry.format_errors}
    known, told = entry.heard[i] if entry.heard else None, []
    for at, answer in enumerate(entry.feedback):
        notes = [f"≈ {known[at]:.0f}"] if known and not _reported(entry) else []
        notes += (
            [f"true: {entry.totals[i][at]}"]
            if truth and answer.score != entry.totals[i][at]
            else []
        )
        said = (
            "no answer"
            if answer.participant in silent
            else _answer(answer, i, len(entry.plans))
        )
        told.append((said, " · ".join(notes)))
    return told


def _worths(
    entry: PlanningRound, i: int, objective: str, truth: bool
) -> tuple[str, str]:
    """What a plan is worth as the group knows it, and in truth where that may be told and is another."""
    known = worth(objective, entry.heard[i]) if entry.heard else None
    real = worth(objective, entry.totals[i]) if truth else None
    said = "–" if known is None else f"{'' if _reported(entry) else '≈ '}{known:.0f}"
    return said, "" if real is None or known == real else f"true: {real:.0f}"


def _answer(answer: Feedback, i: int, plans: int) -> str:
    if answer.score is not None:
        return str(answer.score)
    if plans > 1 and not answer.text:
        return (
            "likes both alike"
            if answer.prefers is None
            else "prefers this"
            if answer.prefers == i
            else ""
        )
    return f"“{answer.text}”" if answer.text else "no answer"


def _numbers(problem: FairDecisions, plan: Plan) -> list[int]:
    """What a plan gives everybody, its divergence and its welfare."""
    totals = problem.totals(plan)
    return [*totals.tolist(), int(divergence(totals)), int(totals.sum())]
