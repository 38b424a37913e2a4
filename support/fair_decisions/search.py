"""The search: a coordinator proposes, participants answer, gains are estimated, a solver may suggest, until it stops.

Algorithm 2 of "Investigating Language Models for Supporting Complex Group Decisions" (003, appendix C). In each round

1. the coordinator proposes a plan that is not known yet (two under comparison), or stops with one that is,
2. every participant answers in the kind of feedback that was agreed,
3. the estimator turns all answers into expected gains (EstimateGain), and a solver may suggest the next plan on them.

The algorithm as printed returns the last plan, s_i; its prompt tells the coordinator to end with the best of the known
plans. Both are here: `final="best known"`, by the totals as the group knows them, and `final="last"`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import Any

import numpy as np

from support.errors import InvalidInput, InvalidProposal
from support.fair_decisions.measures import OBJECTIVES
from support.fair_decisions.planners import best_known
from support.fair_decisions.problem import (
    COMPARISON,
    COMPLETE,
    FEEDBACK,
    SCORE,
    Brief,
    FairDecisions,
    Heard,
    Move,
    table_of,
)
from support.fair_decisions.records import Feedback, Plan, Planning, PlanningRound
from support.play import asked, counted
from support.records import FormatError

ROUNDS = 5
FINAL = ("best known", "last")


async def plan(
    problem: FairDecisions,
    seats: Mapping[str, Any],
    coordinator: Any,
    *,
    estimator: Any = None,
    solver: Callable[[np.ndarray], Plan] | None = None,
    feedback: str = SCORE,
    objective: str = "divergence",
    preferences: str = "scores",
    rounds: int = ROUNDS,
) -> AsyncIterator[PlanningRound]:
    """Yield each finished round of one search; five at most in the paper, in each of which everybody answers once.

    Nobody in the loop sees the gains of the problem, but under complete information. The solver suggests a plan on the
    estimates, of shape (participants, decisions, options), under complete information on the gains.

    A reply that does not fit its form is recorded as a `FormatError`. A coordinator's costs the round its plan, a
    participant's is an empty answer, an estimator's leaves the estimates as they were.
    """
    run = _Run(problem, seats, coordinator, estimator, solver, feedback, objective, preferences, rounds)
    for number in range(1, rounds + 1):
        entry = await run.play(number)
        yield entry
        if entry.finish:
            return


def record(
    problem: FairDecisions,
    roles: Mapping[str, Any],
    rounds: Sequence[PlanningRound],
    /,  # so that a setting may be called rounds
    *,
    final: str = "best known",
    **settings: Any,
) -> Planning:
    """The record of rounds that were played; `roles` holds participants, coordinator, estimator and solver."""
    kinds = {role: getattr(who, "kind", "none") for role, who in roles.items()}
    gains = tuple(tuple(tuple(row) for row in decision) for decision in problem.gains.tolist())
    told = {**settings, "final": final}
    return Planning(gains, problem.participants, kinds, tuple(rounds), choose(rounds, final), told)


def choose(rounds: Sequence[PlanningRound], final: str = "best known") -> Plan | None:
    """The plan that a group ends with; None when there was none.

    That is the plan with which the coordinator stopped; else the last one, or the best known one of the last round.
    """
    if final not in FINAL:
        raise InvalidInput(f"final: {final!r} given; expected one of {', '.join(FINAL)}")
    plans = [plan for entry in rounds for plan in entry.plans]
    if not plans or final == "last" or rounds[-1].finish:
        return plans[-1] if plans else None
    return rounds[-1].best


class _Run:
    """The state that one search carries from round to round."""

    def __init__(
        self,
        problem: FairDecisions,
        seats: Mapping[str, Any],
        coordinator: Any,
        estimator: Any,
        solver: Callable[[np.ndarray], Plan] | None,
        feedback: str,
        objective: str,
        preferences: str,
        rounds: int,
    ) -> None:
        self.problem, self.seats, self.coordinator = problem, dict(seats), coordinator
        self.estimator, self.solver, self.feedback, self.objective = estimator, solver, feedback, objective
        self.rounds, self.table = rounds, table_of(problem, preferences)
        self._check()
        self.estimates: np.ndarray | None = None
        self.history: list[Heard] = []
        self.errors: list[FormatError] = []

    def _check(self) -> None:
        if set(self.seats) != set(self.problem.participants):
            names = ", ".join(self.problem.participants)
            raise InvalidInput(f"seats: {', '.join(self.seats) or 'nobody'} given; expected one for each of {names}")
        for what, given, known in (("feedback", self.feedback, FEEDBACK), ("objective", self.objective, OBJECTIVES)):
            if given not in known:
                raise InvalidInput(f"{what}: {given!r} given; expected one of {', '.join(known)}")
        if isinstance(self.rounds, bool) or not isinstance(self.rounds, int) or self.rounds < 1:
            raise InvalidInput(f"rounds: {self.rounds!r} given; expected a whole number of at least 1")
        if self.solver and not self.estimator and self.feedback != COMPLETE:
            raise InvalidInput("solver: it needs an estimator, for nobody tells the gains; or feedback='complete'")

    async def play(self, number: int) -> PlanningRound:
        """One round: propose, answer, estimate."""
        self.errors = []
        before = self._spent("replies"), self._spent("tokens")
        suggestion = self._suggestion()
        move = await self._one("coordinator", "propose", self._proposed(number, suggestion)) or Move(())
        answers = () if move.finish or not move.plans else await self._answers(move.plans)
        if answers:
            self.history.append(Heard(move.plans, answers))
            if self.estimator:
                made = self.estimator.estimate(self.table, self.feedback, tuple(self.history))
                gains = await self._one("estimator", "estimate", made)
                self.estimates = self.estimates if gains is None else gains
            self.history = [Heard(h.plans, h.feedback, self._heard(h.plans, h.feedback)) for h in self.history]
        return PlanningRound(
            number=number,
            plans=move.plans,
            feedback=answers,
            heard=self.history[-1].totals if answers else (),
            totals=tuple(tuple(self.problem.totals(p).tolist()) for p in move.plans),
            best=best_known(self.history, self.objective),
            suggestion=suggestion,
            reason=move.reason,
            finish=move.finish,
            format_errors=tuple(self.errors),
            replies=self._spent("replies") - before[0],
            tokens=self._spent("tokens") - before[1],
        )

    def _suggestion(self) -> Plan | None:
        on = self.problem.gains if self.feedback == COMPLETE else self.estimates
        return self.problem.check(self.solver(on)) if self.solver and on is not None else None

    async def _proposed(self, number: int, suggestion: Plan | None) -> Move:
        brief = Brief(
            table=self.table,
            feedback=self.feedback,
            objective=self.objective,
            round=number,
            rounds=self.rounds,
            plans=2 if self.feedback == COMPARISON else 1,
            history=tuple(self.history),
            gains=self.problem.gains if self.feedback == COMPLETE else None,
            estimates=self.estimates,
            suggestion=suggestion,
        )
        move = await self.coordinator.propose(brief)
        plans = tuple(self.problem.check(p) for p in move.plans)
        wanted = 1 if move.finish else brief.plans
        if len(plans) != wanted:
            raise InvalidProposal(f"{len(plans)} plans given; expected {wanted}")
        if move.finish and plans[0] not in brief.known:
            raise InvalidProposal("the plan to end with is not among the known ones; expected one that was judged")
        return Move(plans, move.reason, move.finish)

    async def _answers(self, plans: tuple[Plan, ...]) -> tuple[Feedback, ...]:
        kind = SCORE if self.feedback == COMPLETE else self.feedback
        names = self.problem.participants
        answers = await asked(names, lambda name: self.seats[name].judge(plans, kind), self._amiss("judge"))
        return tuple(answers[name] or Feedback(name) for name in names)

    def _heard(self, plans: tuple[Plan, ...], answers: tuple[Feedback, ...]) -> tuple[tuple[float, ...], ...]:
        """The totals as the group knows them: reported by everybody, or estimated."""
        scores = [answer.score for answer in answers]
        if len(plans) == 1 and all(score is not None for score in scores):
            return (tuple(float(score) for score in scores if score is not None),)
        if self.estimates is None:
            return ()
        n = self.table.shape[1]
        return tuple(tuple(self.estimates[:, np.arange(n), list(p)].sum(axis=1).tolist()) for p in plans)

    async def _one(self, agent: str, phase: str, made: Awaitable[Any]) -> Any:
        return (await asked([agent], lambda _: made, self._amiss(phase)))[agent]

    def _amiss(self, phase: str) -> Callable[[str, str], None]:
        return lambda agent, reason: self.errors.append(FormatError(agent, phase, reason))

    def _spent(self, what: str) -> int:
        return counted((*self.seats.values(), self.coordinator, self.estimator), what)
