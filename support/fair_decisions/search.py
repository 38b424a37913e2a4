"""The search: a coordinator proposes, participants answer, gains are estimated, a solver
may suggest, until it stops.

Algorithm 2 of "Investigating Language Models for Supporting Complex Group Decisions"
(003, appendix C). How it ends: the paper's prompt (appendix A) has the coordinator
itself select, at its last call, the best of the known plans, and stop with it. So does
`final="its own"`, by one more call where no round is left and it has not stopped; where
that gives nothing, its last statement counts, the plan s_i that the algorithm as
printed returns. With "best known" the totals decide, as the group knows or estimates
them.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from support.errors import InvalidInput
from support.fair_decisions.measures import OBJECTIVES
from support.fair_decisions.planners import advised, best_known, checked_move
from support.fair_decisions.problem import (
    COMPLETE,
    FEEDBACK,
    PAIRED,
    PREFERENCES,
    SCORE,
    Brief,
    FairDecisions,
    Heard,
    Move,
    check_size,
    table_of,
)
from support.fair_decisions.records import Feedback, Plan, Planning, PlanningRound
from support.play import FormatError, asked, check_one, counted
from support.solvers.fair import totals

ROUNDS = 5
ITS_OWN = "its own"
BEST_KNOWN = "best known"


@dataclass
class Search:
    """One search; `played` yields each finished round, five at most in the paper.

    Nobody in the loop sees the gains of the problem, but under complete information.
    The `solver` suggests a plan on the estimates, of shape (participants, decisions,
    options), under complete information on the gains; where no round is left, the best
    known plan is suggested.

    A reply that does not fit its form is recorded as a `FormatError`. A coordinator's
    costs the round its plan, a participant's is an empty answer, an estimator's leaves
    the estimates as they were.
    """

    problem: FairDecisions
    seats: Mapping[str, Any]
    coordinator: Any
    estimator: Any = None
    solver: Callable[[np.ndarray], Plan] | None = None
    feedback: str = SCORE
    objective: str = "divergence"
    preferences: str = "scores"
    rounds: int = ROUNDS
    final: str = BEST_KNOWN
    estimates: np.ndarray | None = field(default=None, init=False)
    history: tuple[Heard, ...] = field(default=(), init=False)
    errors: list[FormatError] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        check_one("feedback", self.feedback, FEEDBACK)
        check_one("objective", self.objective, OBJECTIVES)
        check_one("preferences", self.preferences, PREFERENCES)
        check_size("rounds", self.rounds)
        self.table = table_of(self.problem, self.preferences, self.objective)
        if self.solver and not self.estimator and self.feedback != COMPLETE:
            told = "it needs an estimator, for nobody tells the gains"
            raise InvalidInput(f"solver: {told}; or feedback='complete'")

    async def played(self) -> AsyncIterator[PlanningRound]:
        """Propose, answer, estimate; until the coordinator stops, or no round is left,
        and it chooses `its own`."""
        for number in range(1, self.rounds + 1):
            entry = await self._round(number)
            yield entry
            if entry.finish:
                return
        if self.final == ITS_OWN and self.history:
            yield await self._round(self.rounds + 1)

    async def _round(self, number: int) -> PlanningRound:
        self.errors = []
        before = self._spent()
        brief = self._brief(number)
        calls = {"coordinator": self._proposed(brief)}
        [move] = await self._asked("propose", calls)
        move = move or Move(())
        answers: tuple[Feedback, ...] = ()
        if move.plans and not move.finish:
            answers = await self._answers(move.plans)
            self.history += (Heard(move.plans, answers),)
            await self._estimate()
        replies, tokens = np.subtract(self._spent(), before).tolist()
        return PlanningRound(
            number,
            move.plans,
            answers,
            heard=self.history[-1].totals if answers else (),
            totals=_totals(self.problem.gains, move.plans),
            best=self._best(),
            suggestion=brief.suggestion,
            reason=move.reason,
            finish=move.finish,
            format_errors=tuple(self.errors),
            replies=replies,
            tokens=tokens,
        )

    def _brief(self, number: int) -> Brief:
        """What the coordinator is given; of gains, only those that are public."""
        brief = Brief(
            self.table,
            self.feedback,
            self.objective,
            number,
            self.rounds,
            2 if self.feedback in PAIRED else 1,
            self.history,
            self.problem.gains if self.feedback == COMPLETE else None,
            self.estimates,
        )
        return replace(brief, suggestion=self._suggested(brief))

    def _suggested(self, brief: Brief) -> Plan | None:
        if self.solver is None:
            return None
        if brief.over:
            return self._best()
        if brief.gains is not None:
            plan = self.solver(brief.gains)
        elif brief.estimates is not None:
            plan = advised(self.solver, brief.estimates, brief.known[-1])
        else:
            return None
        return self.problem.check(plan)

    def _best(self) -> Plan | None:
        return best_known(self.history, self.objective, self.table.best)

    async def _proposed(self, brief: Brief) -> Move:
        return checked_move(brief, await self.coordinator.propose(brief))

    async def _answers(self, plans: tuple[Plan, ...]) -> tuple[Feedback, ...]:
        kind = SCORE if self.feedback == COMPLETE else self.feedback
        names = self.problem.participants
        calls = {name: self.seats[name].judge(plans, kind) for name in names}
        judged = await self._asked("judge", calls)
        answers = zip(names, judged, strict=True)
        return tuple(answer or Feedback(name) for name, answer in answers)

    async def _estimate(self) -> None:
        """What is expected now, and the totals of all known plans by that."""
        if self.estimator:
            view = self.table, self.feedback, self.history
            calls = {"estimator": self.estimator.estimate(*view)}
            [made] = await self._asked("estimate", calls)
            if made is not None:
                self.estimates = made
        self.history = tuple(
            replace(entry, totals=self._heard(entry)) for entry in self.history
        )

    def _heard(self, entry: Heard) -> tuple[tuple[float, ...], ...]:
        """The totals of a round's plans as the group knows them now: reported by
        everybody, or estimated."""
        told = [answer.score for answer in entry.feedback]
        scores = [score for score in told if score is not None]
        if len(entry.plans) == 1 and len(scores) == len(told):
            return (tuple(map(float, scores)),)
        if self.estimates is None:
            return ()
        return _totals(self.estimates, entry.plans)

    async def _asked(
        self,
        phase: str,
        calls: Mapping[str, Awaitable[Any]],
    ) -> list[Any]:
        """What everybody gives; None of who gives what does not fit."""

        answers = await asked(
            calls,
            calls.__getitem__,
            lambda agent, why: self.errors.append(FormatError(agent, phase, why)),
        )
        return list(answers.values())

    def record(self, rounds: Sequence[PlanningRound], **settings: Any) -> Planning:
        """The record of rounds that were played, with its settings and further ones."""
        kept = ("feedback", "objective", "preferences", "rounds", "final")
        settings |= {name: getattr(self, name) for name in kept}
        others = ("coordinator", "estimator", "solver")
        roles = {**self.seats} | {name: getattr(self, name) for name in others}
        kinds = {role: getattr(who, "kind", "none") for role, who in roles.items()}
        gains = tuple(tuple(map(tuple, mine)) for mine in self.problem.gains.tolist())
        return Planning(
            gains,
            self.problem.participants,
            kinds,
            tuple(rounds),
            choose(rounds, self.final),
            settings,
        )

    def _spent(self) -> list[int]:
        reader = getattr(self.estimator, "seat", self.estimator)
        everybody = (*self.seats.values(), self.coordinator, reader)
        return [counted(everybody, what) for what in ("replies", "tokens")]


def _totals(gains: np.ndarray, plans: Sequence[Plan]) -> tuple[tuple[Any, ...], ...]:
    """The totals of plans, one row each."""
    return tuple(tuple(totals(gains, plan).tolist()) for plan in plans)


def choose(rounds: Sequence[PlanningRound], final: str = BEST_KNOWN) -> Plan | None:
    """The plan with which the coordinator stopped; else the best known one of the last
    round, or the last, if any."""
    if rounds and final == BEST_KNOWN and not rounds[-1].finish:
        return rounds[-1].best
    plans = [entry.plans[-1] for entry in rounds if entry.plans]
    return plans[-1] if plans else None
