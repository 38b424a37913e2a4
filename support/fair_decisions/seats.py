"""Who takes part in a search for a fair plan, in which role: a rule, a language model or
a person.

A participant has `async def judge(plans, feedback)`, which answers a plan, or two to
compare, with a `Feedback`. A coordinator has `async def propose(brief)`, which returns a
`Move`. An estimator has `async def estimate(table, feedback, history)`, which returns
expected gains, float of shape (participants, decisions, options). Prompts are our own
(compare appendix A of 003).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BaseModel, Field

from support.fair_decisions.deciders import (
    LEVELS,
    PLACES,
    Own,
    RuleBasedDecider,
    in_words,
    level_of,
)
from support.fair_decisions.estimators import (
    BayesianEstimator,
    LevelsEstimator,
    Pair,
    averaged,
    gains_of,
    prior_for,
)
from support.fair_decisions.planners import (
    ExactPlanner,
    SearchPlanner,
    checked_move,
)
from support.fair_decisions.problem import (
    COMPARISON,
    PAIRED,
    SCORE,
    Brief,
    FairDecisions,
    Heard,
    Move,
    Table,
    table_of,
)
from support.fair_decisions.records import Feedback, Plan
from support.play import counted
from support.prompts import render
from support.seats import (
    Act,
    HumanSeat,
    ModelSeat,
    Role,
    Seats,
    Spoken,
    form,
    many,
    text,
)
from support.solvers.search import PRINTED, LocalSearch, RandomSearch, Tree

# ---- a participant, which knows `Own` --------------------------------------------------

MOST_WORDS, MOST = (
    40,
    280,
)  # of an answer (appendix A of 003); characters of a tight one
ALIKE = "alike"


def answer_form(seat: Any, plans: Sequence[Plan], feedback: str) -> type[BaseModel]:
    """A total, a comparison, or words; the same as data where nobody reads words."""
    if feedback == SCORE:
        best = int(seat.own.gains.max(axis=1).sum())
        return form("TotalReply", score=(int, Field(ge=0, le=best)))
    fields: dict[str, Any] = {}
    if feedback in PAIRED:
        fields["prefers"] = Literal[(*PLACES, ALIKE)]
    if feedback != COMPARISON:
        least = 0 if seat.own.stated else 1
        fields["text"] = text(seat.limits.text(MOST), least)
        if seat.own.stated:
            fields["stated"] = _stated_form(seat.own.table, len(plans))
    return form("AnswerReply", **fields)


def _stated_form(table: Table, plans: int) -> type[BaseModel]:
    """For each decision how much somebody likes its option, or both plans' options, and
    which option it would rather have."""
    parts: dict[str, Any] = {}
    level: Any = Literal[LEVELS] | None
    for j, decision in enumerate(table.decisions):
        fields = dict.fromkeys(PLACES if plans > 1 else ["level"], level)
        fields["rather"] = Literal[table.options[j]] | None
        part = form(f"Stated{j}", **fields)
        parts[f"decision_{j}"] = (part, Field(alias=decision))
    return form("Stated", **parts)


def _answered(seat: Any, reply: Any, plans: Sequence[Plan], feedback: str) -> Feedback:
    if feedback == SCORE:
        return Feedback(seat.me, score=reply.score)
    answer = Feedback(seat.me)
    if feedback in PAIRED:
        alike = reply.prefers == ALIKE
        prefers = None if alike else PLACES.index(reply.prefers)
        answer = replace(answer, prefers=prefers, alike=alike)
    if feedback == COMPARISON:
        return answer
    if seat.own.stated:
        answer = _stated(seat.own.table, answer, reply.stated, len(plans))
    said = " ".join(reply.text.split())
    disclosed = seat.own.disclosed(said, plans)
    said = said or in_words(seat.own.table, answer)
    return replace(answer, text=said, disclosed=disclosed)


def _stated(table: Table, answer: Feedback, reply: Any, plans: int) -> Feedback:
    parts = [getattr(reply, f"decision_{j}") for j in range(len(table.decisions))]
    levels = []
    for place in PLACES if plans > 1 else ["level"]:
        named = [getattr(part, place) for part in parts]
        fifths = [None if name is None else LEVELS.index(name) for name in named]
        levels.append(tuple(None if i is None else level_of(i) for i in fifths))
    wished = zip(table.options, (part.rather for part in parts), strict=True)
    rather = tuple(None if k is None else names.index(k) for names, k in wished)
    return replace(answer, levels=tuple(levels), rather=rather)


def _known(seat: Any, plans: Sequence[Plan], feedback: str) -> Feedback | None:
    """What a model need not be asked for: sums, which need none."""
    if isinstance(seat, HumanSeat):
        return None
    return seat.own.judged(seat.me, plans, feedback)


DECIDER = Role(
    "participant",
    acts={
        "judge": Act(
            "deciding/answer",
            answer_form,
            lambda seat, plans, feedback: {
                "seat": seat,
                "plans": plans,
                "feedback": feedback,
                "words": MOST_WORDS,
                "levels": LEVELS,
            },
            _answered,
            # Forty words with names are half of that, and one that runs on ends soon.
            room=lambda seat, plans, feedback: (
                200 + seat.own.stated * 40 * len(seat.own.gains)
            ),
            briefing="deciding/participant",
            told=lambda seat, plans, feedback: {"seat": seat},
            unasked=_known,
        )
    },
    kinds={"plain": RuleBasedDecider},
)


def seat_deciders(
    problem: FairDecisions,
    preferences: str,
    seats: Seats,
    rng: np.random.Generator,
    *,
    noise: float = 0.0,
    stated: bool = False,
    spoken: Spoken | None = None,
) -> dict[str, Any]:
    """A participant for each name; each is given its own gains and no one else's, and a
    random stream. `stated`: nobody reads their words, see `Own`."""
    table = table_of(problem, preferences)
    names = problem.participants
    owned = [Own(table, gains, noise, stated) for gains in problem.gains]
    own = dict(zip(names, owned, strict=True))
    return DECIDER.fill(names, seats, rng, own.__getitem__, spoken)


# ---- the coordinator -------------------------------------------------------------------

PROMPTS = FULL, NO_EXAMPLE, NO_OBJECTIVE = ("full", "no example", "no objective")
"""A model's prompt and its two ablations (appendix E.2): without the worked example, or
without what is looked for.

Without the objective, the model is asked for a fairer (or better) plan in general
words, and the example loses the line that works the objective out.
"""

RUNNING, FINISH = "RUNNING", "FINISH"
REASON = 200  # characters of a tight model's reason


@dataclass(frozen=True)
class Leading:
    """What a coordinator begins with: the shape of the problem, the prompt of a model."""

    shape: tuple[int, int, int]
    prompt: str = FULL


def statuses(brief: Brief) -> tuple[str, ...]:
    """What may be done: no stop before there is a plan, and nothing else when all are
    known or no round is left."""
    if not brief.known:
        return (RUNNING,)
    return (FINISH,) if brief.over or brief.exhausted else (RUNNING, FINISH)


def move_form(seat: Any, brief: Brief) -> type[BaseModel]:
    """{"reason", "status", "plan"}, under comparison with "other" as well; plans are
    option numbers from 1. A person need not give a reason.

    What a schema cannot say goes back with a complaint: a plan to go on with that is
    known, or to stop with that is not.
    """
    _, n, m = brief.table.shape
    number: Any = Literal[tuple(range(1, m + 1))]
    plan: Any = Annotated[list[number], Field(min_length=n, max_length=n)]
    least = 0 if isinstance(seat, HumanSeat) else 1
    fields = {
        "reason": text(seat.limits.text(REASON), least),
        "status": Literal[statuses(brief)],
        "plan": plan,
    }
    if brief.plans > 1:
        fields["other"] = plan | None
    return form("MoveReply", partial(move_of, brief), **fields)


def move_of(brief: Brief, reply: Any) -> Move:
    """The move that a reply stands for; an error says what is not allowed in it."""
    finish = reply.status == FINISH
    numbers = [reply.plan]
    if brief.plans > 1 and not finish:
        numbers.append(reply.other)
    if None in numbers:
        expected = f"expected a second plan to compare, or the status {FINISH}"
        raise ValueError(f"other: null given; {expected}")
    plans = tuple(tuple(k - 1 for k in plan) for plan in numbers)
    reason = " ".join(reply.reason.split())
    return checked_move(brief, Move(plans, reason, finish))


def _briefed(seat: Any, brief: Brief) -> dict[str, Any]:
    """What the coordinator's prompt says of a round."""
    objective = "" if seat.own.prompt == NO_OBJECTIVE else brief.objective
    about = {"brief": brief, "objective": objective}
    example = render("planning/example", **about)
    suggestion = brief.suggestion
    return {
        **about,
        "decisions": [_options(brief, j) for j in range(len(brief.table.decisions))],
        "example": "" if seat.own.prompt == NO_EXAMPLE else example,
        "guidance": render("planning/guidance", **about),
        "known": [_heard(brief, heard) for heard in brief.history],
        "suggestion": "" if suggestion is None else _numbers(suggestion),
        "statuses": statuses(brief),
        "running": RUNNING,
        "finish": FINISH,
        "words": seat.words(seat.limits.text(REASON)) or REASON // 8,
    }


def _options(brief: Brief, j: int) -> str:
    """A decision and its numbered options; under complete information with what each is
    worth to everybody."""
    named = [f"{k} = {option}" for k, option in enumerate(brief.table.options[j], 1)]
    if brief.gains is not None:
        for k, points in enumerate(brief.gains[:, j].T.tolist()):
            worth = zip(brief.table.participants, points, strict=True)
            told = ", ".join(f"{name} {number}" for name, number in worth)
            named[k] += f" ({told})"
    return f"{brief.table.decisions[j]}: {'; '.join(named)}"


def _heard(brief: Brief, heard: Heard) -> str:
    """The plans of a round and what was answered, in a line. Under complete information
    that is what each option is worth: totals are left to be added up, as in the paper."""
    named = [f"{_numbers(p)} ({brief.table.problem.words(p)})" for p in heard.plans]
    said = []
    for i, answer in enumerate(heard.feedback):
        told = _said(heard.plans, answer)
        if brief.gains is not None:
            places = np.arange(len(heard.plans[0]))
            told = ", ".join(map(str, brief.gains[i, places, list(heard.plans[0])]))
        said.append(f"{answer.participant}: {told}")
    return f"{' against '.join(named)}. {'; '.join(said)}"


def _said(plans: Sequence[Plan], answer: Feedback) -> str:
    if answer.score is not None:
        return str(answer.score)
    said = []
    if answer.prefers is not None:
        said.append(f"prefers {_numbers(plans[answer.prefers])}")
    elif answer.alike:
        said.append("likes both alike")
    if answer.text:
        said.append(f'"{answer.text}"')
    return ", ".join(said) or "(no answer)"


def _numbers(plan: Plan) -> str:
    """A plan as models read and write it, options counted from 1: "[2, 1, 3]"."""
    return str([int(option) + 1 for option in plan])


SEARCHES: dict[str, Any] = {
    "mcts": Tree,
    "mcts printed": partial(Tree, settings=PRINTED),
    "random": RandomSearch,
    "local": LocalSearch,
}


def _searching(
    kind: str, me: str, rng: np.random.Generator, own: Leading
) -> SearchPlanner:
    _, n, m = own.shape
    searching, drawing = rng.spawn(2)
    return SearchPlanner(kind, SEARCHES[kind](n, m, searching), drawing)


PLANNER = Role(
    "coordinator",
    acts={
        "propose": Act(
            "planning/coordination",
            move_form,
            _briefed,
            lambda seat, reply, brief: move_of(brief, reply),
            room=lambda seat, brief: (  # a token for a character
                60 + REASON + 5 * brief.table.shape[1] * brief.plans
            ),
        )
    },
    kinds={
        **{kind: partial(_searching, kind) for kind in SEARCHES},
        "exact": lambda me, rng, own: ExactPlanner(rng),
    },
)
"""Monte Carlo tree search with settings that work at few evaluations, or as appendix B
of 003 reads word by word; two floors, plans drawn at random and local search; a solver
on public or expected gains."""


# ---- the estimator ---------------------------------------------------------------------

NONE = "none"


class AskedEstimator:
    """Asks a model or a person once for each round what was said, and averages over
    rounds. Of those who stated levels, these count, and nobody is asked.

    A round without a usable reply is not asked about again.
    """

    def __init__(self, seat: ModelSeat | HumanSeat) -> None:
        self.seat, self.kind = seat, seat.kind
        self._told: dict[Heard, dict[str, dict[Pair, list[float]]]] = {}

    @property
    def replies(self) -> int:
        """What the seat was asked."""
        return counted([self.seat], "replies")

    @property
    def tokens(self) -> int:
        """What that took."""
        return counted([self.seat], "tokens")

    async def estimate(
        self, table: Table, feedback: str, history: Sequence[Heard]
    ) -> np.ndarray:
        """Expected gains."""
        gains = gains_of(table, history)
        told = dict(zip(table.participants, gains, strict=True))
        for entry in history:
            said = [a for a in entry.feedback if _asks(a)]
            words = Heard(entry.plans, tuple(said))
            if said and words not in self._told:
                self._told[words] = {}  # also where asking fails
                self._told[words] = await self.seat.estimate(table, words)
            for name, parts in self._told.get(words, {}).items():
                for pair, numbers in parts.items():
                    told[name][pair] += numbers
        return averaged(table, list(told.values()))


def _asks(answer: Feedback) -> bool:
    """Whether it takes somebody to say what an answer means."""
    there = answer.text or answer.score is not None
    return not answer.levels and bool(
        there or answer.alike or answer.prefers is not None
    )


def _estimate_form(seat: Any, table: Table, entry: Heard) -> type[BaseModel]:
    """For each who answered a list of numbers, of two plans one for each, and what else
    is told of other options."""
    _, n, m = table.shape
    number = Annotated[float, Field(ge=0, le=table.highest)]
    listed: Any = Annotated[list[number], Field(min_length=n, max_length=n)]
    other = form(
        "Other",
        decision=Literal[tuple(range(1, n + 1))],
        option=Literal[tuple(range(1, m + 1))],
        worth=number,
    )
    fields: dict[str, Any] = dict.fromkeys(_lists(entry), listed)
    one = form("Worth", **fields, others=many(other, n))
    people: dict[str, Any] = {
        f"person_{i}": (one, Field(alias=answer.participant))
        for i, answer in enumerate(entry.feedback)
    }
    return form("EstimateReply", **people)


def _lists(entry: Heard) -> Sequence[str]:
    return PLACES if len(entry.plans) > 1 else ["chosen"]


def _worth(
    seat: Any, reply: Any, table: Table, entry: Heard
) -> dict[str, dict[Pair, list[float]]]:
    """For each who answered what an option is worth to it; of one that several numbers
    are told of, their mean."""
    found = {}
    for i, answer in enumerate(entry.feedback):
        one, numbers = getattr(reply, f"person_{i}"), dict[Pair, list[float]]()
        for plan, name in zip(entry.plans, _lists(entry), strict=True):
            for j, value in enumerate(getattr(one, name)):
                numbers.setdefault((j, plan[j]), []).append(value)
        for other in one.others:
            pair = other.decision - 1, other.option - 1
            numbers.setdefault(pair, []).append(other.worth)
        found[answer.participant] = {
            pair: [float(np.mean(values))] for pair, values in numbers.items()
        }
    return found


ESTIMATOR = Role(
    "estimator",
    acts={
        "estimate": Act(
            "estimating/estimate",
            _estimate_form,
            lambda seat, table, entry: {
                "table": table,
                "entry": entry,
                "middle": f"{prior_for(table).mean[0]:.0f}",
            },
            _worth,
            room=lambda seat, table, entry: (  # for each list, and each number in it
                len(entry.feedback)
                * (len(entry.plans) + 1)
                * (40 + 12 * table.shape[1])
            ),
        )
    },
    kinds={
        NONE: lambda me, rng, own: None,
        "levels": lambda me, rng, own: LevelsEstimator(),
        "bayesian": lambda me, rng, own: BayesianEstimator(),
    },
)
"""Without one ("none"), nothing is estimated: with scores the totals of the proposed
plans are known all the same."""


def seat_estimator(
    kind: Any, rng: np.random.Generator, spoken: Spoken | None = None
) -> Any:
    """The estimator of a kind."""
    seat = ESTIMATOR.seat(kind, rng, spoken=spoken)
    asked = isinstance(seat, ModelSeat | HumanSeat)
    return AskedEstimator(seat) if asked else seat
