"""Who takes part in a search for a fair plan, in which role: a rule, a language model or
a person.

A participant has `async def judge(plans, feedback)`, which answers a plan, or two to
compare, with a `Feedback`. A coordinator has `async def propose(brief)`, which returns a
`Move`. An estimator has `async def estimate(table, feedback, history)`, which returns
expected gains, float of shape (participants, decisions, options). Prompts are our own
(compare appendix A of 003).
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BaseModel, BeforeValidator, Field

from support.data import inputs
from support.fair_decisions.deciders import (
    LEVELS,
    PLACES,
    Own,
    RuleBasedDecider,
    in_words,
)
from support.fair_decisions.estimators import BayesianEstimator, prior_for
from support.fair_decisions.planners import (
    SEARCHES,
    ExactPlanner,
    SearchPlanner,
    checked_move,
)
from support.fair_decisions.problem import (
    COMPARISON,
    PAIRED,
    SCORE,
    SPOKEN,
    Brief,
    FairDecisions,
    Heard,
    Move,
    Table,
    table_of,
)
from support.fair_decisions.records import Feedback, Plan
from support.forms import labelled
from support.prompts import render
from support.seats import (
    Act,
    HumanSeat,
    Role,
    Seat,
    Seats,
    Spoken,
    form,
    text,
)
from support.spelling import alike, or_empty, or_none

# ---- a participant, which knows `Own` --------------------------------------------------

MOST_WORDS = 40  # of an answer (appendix A of 003)
MOST = 280  # characters of a tight one
ALIKE = "alike"


def answer_form(seat: Any, plans: Sequence[Plan], feedback: str) -> type[BaseModel]:
    """A total, a comparison, or words; where nobody reads these the same as data, too:
    for each decision how much it likes the option of each plan, and the number of the
    one that it would rather have."""
    table = seat.own.table
    stated = seat.own.stated
    if feedback == SCORE:
        best = int(seat.own.gains.max(axis=1).sum())
        return form("TotalReply", score=(int, Field(ge=0, le=best)))
    fields: dict[str, Any] = {}
    if feedback in PAIRED:
        fields["prefers"] = _one(*PLACES, ALIKE)
    if feedback == COMPARISON:
        return form("ComparisonReply", **fields)
    fields["text"] = text(seat.limits.text(MOST), 0 if stated else 1)
    if stated:
        levels = _row(seat, table, [Level] * table.shape[1])
        fields |= dict.fromkeys(_lists(plans, "levels"), levels)
        none = BeforeValidator(_no_option)
        rather = [Annotated[or_none(one), none] for one in _numbers(seat, table)]
        fields["rather"] = _row(seat, table, rather)
    return form("AnswerReply", **fields)


def _one(*allowed: Any) -> Any:
    """One of some values."""
    return Annotated[Literal[allowed], alike(allowed)]


def _no_option(value: Any) -> Any:
    """Numbers begin at 1: who gives 0 means none."""
    return None if value in (0, "0") else value


Level: Any = or_none(_one(*LEVELS))


def _lists(plans: Sequence[Plan], one: str) -> Sequence[str]:
    """What the lists of a reply are called: of one plan, or of two."""
    return PLACES if len(plans) > 1 else [one]


def _row(seat: Any, table: Table, items: Sequence[Any]) -> Any:
    """A list with something for each decision, which a person sees by its name."""
    n = len(table.decisions)
    if not isinstance(seat, HumanSeat):
        return Annotated[list[items[0]], Field(min_length=n, max_length=n)]  # type: ignore[valid-type]
    named = zip(items, table.decisions, strict=True)
    return tuple[tuple(Annotated[of, Field(title=name)] for of, name in named)]  # type: ignore[misc]


def _numbers(seat: Any, table: Table) -> list[Any]:
    """For each decision the numbers of its options, which a person sees in words."""
    one = _one(*range(1, table.shape[2] + 1))
    if not isinstance(seat, HumanSeat):
        return [one] * table.shape[1]
    return [labelled(one, enumerate(words, start=1)) for words in table.options]


def _answered(
    seat: Any,
    reply: Any,
    plans: Sequence[Plan],
    feedback: str,
) -> Feedback:
    if feedback == SCORE:
        return Feedback(seat.me, score=reply.score)
    answer = Feedback(seat.me)
    if feedback in PAIRED and reply.prefers == ALIKE:
        answer = replace(answer, alike=True)
    elif feedback in PAIRED:
        answer = replace(answer, prefers=PLACES.index(reply.prefers))
    if feedback == COMPARISON:
        return answer
    if seat.own.stated:
        rows = [getattr(reply, name) for name in _lists(plans, "levels")]
        levels = tuple(tuple(map(LEVELS.get, row)) for row in rows)
        rather = tuple(k and k - 1 for k in reply.rather)
        answer = replace(answer, levels=levels, rather=rather)
    said = " ".join(reply.text.split())
    return replace(answer, text=said or in_words(seat.own.table, answer))


def _sum(seat: Any, plans: Sequence[Plan], feedback: str) -> Feedback | None:
    """What a model need not be asked for."""
    asked = isinstance(seat, HumanSeat) or feedback in SPOKEN
    return None if asked else seat.own.answer(seat.me, plans, feedback)


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
                "levels": list(LEVELS),
            },
            _answered,
            # Forty words with names are half of that, and one that runs on ends soon.
            room=lambda seat, plans, feedback: (
                200 + seat.own.stated * 40 * len(seat.own.gains)
            ),
            briefing="deciding/participant",
            told=lambda seat, plans, feedback: {"seat": seat},
            unasked=_sum,
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
    stated: bool = False,
    spoken: Spoken | None = None,
) -> dict[str, Any]:
    """A participant for each name; each is given its own gains and no one else's, and a
    random stream. `stated`: nobody reads their words, see `Own`."""
    table = table_of(problem, preferences)
    names = problem.participants
    gains = dict(zip(names, problem.gains, strict=True))
    return DECIDER.fill(
        names, seats, rng, lambda name: Own(table, gains[name], stated), spoken
    )


# ---- the coordinator -------------------------------------------------------------------

PROMPTS = FULL, NO_EXAMPLE, NO_OBJECTIVE = ("full", "no example", "no objective")
"""A model's prompt and its two ablations (appendix E.2): without the worked example, or
without what is looked for.

Without the objective, the model is asked for a fairer (or better) plan in general
words, and the example loses the line that works the objective out.
"""

RUNNING = "RUNNING"
FINISH = "FINISH"
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
    plan = _row(seat, brief.table, _numbers(seat, brief.table))
    least = 0 if isinstance(seat, HumanSeat) else 1
    fields = {
        "reason": text(seat.limits.text(REASON), least),
        "status": _one(*statuses(brief)),
        "plan": plan,
    }
    if brief.plans > 1:
        fields["other"] = or_none(plan)
    return form("MoveReply", partial(move_of, brief), **fields)


def move_of(brief: Brief, reply: Any) -> Move:
    """The move that a reply stands for; an error says what is not allowed in it."""
    finish = reply.status == FINISH
    numbers = [reply.plan]
    if brief.plans > 1 and not finish and reply.other:
        numbers.append(reply.other)
    plans = tuple(np.array(numbers) - 1)
    reason = " ".join(reply.reason.split())
    return checked_move(brief, Move(plans, reason, finish))


def _briefed(seat: Any, brief: Brief) -> dict[str, Any]:
    """What the coordinator's prompt says of a round."""
    objective = "" if seat.own.prompt == NO_OBJECTIVE else brief.objective
    about = {"brief": brief, "objective": objective}
    shown = seat.own.prompt != NO_EXAMPLE
    return {
        **about,
        "example": example(brief.feedback, objective, brief.objective) if shown else "",
        "guidance": render("planning/guidance", **about),
        "statuses": statuses(brief),
        "running": RUNNING,
        "finish": FINISH,
        "words": seat.words(seat.limits.text(REASON)) or REASON // 8,
    }


@cache
def _examples() -> dict[str, Any]:
    worked = inputs("fair_decisions", "example.toml")
    return tomllib.loads(worked.read_text(encoding="utf-8"))


def example(feedback: str, objective: str, aim: str) -> str:
    """A worked example, of other people and decisions: what they told, what that means
    for the objective, where the prompt names it, and what comes next."""
    every = _examples()
    own = every[feedback]
    known = every.get(own.get("like"), {}) | own
    meant = [known.get("totals", ""), known[objective]] if objective else []
    then = known.get(f"then {aim}", known["then"])
    parts = [every["opening"], known["told"], *meant, then]
    return "\n".join(part.strip() for part in parts if part)


def _searching(
    kind: str,
    me: str,
    rng: Any,
    own: Leading,
) -> SearchPlanner:
    return SearchPlanner(kind, own.shape, rng)


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
"""The searches, and a solver on public or expected gains."""


# ---- the estimator ---------------------------------------------------------------------

NONE = "none"
BAYESIAN = "bayesian"
Place = tuple[int, int, int]
"""A participant, a decision, and an option."""


class AskedEstimator:
    """Asks a model or a person once for each round what answers mean, and averages over
    rounds. Levels that were stated are left to the Bayesian one, unless it is to ask
    about `everybody`.

    A round without a usable reply is not asked about again.
    """

    def __init__(self, seat: Seat, everybody: bool) -> None:
        self.seat = seat
        self.kind = seat.kind
        self.everybody = everybody
        self._rounds = 0
        self._worths = dict[Place, list[float]]()

    async def estimate(
        self,
        table: Table,
        feedback: str,
        history: Sequence[Heard],
    ) -> np.ndarray:
        """Expected gains."""
        for entry in history[self._rounds :]:
            self._rounds += 1  # also where asking fails
            words = self._part(entry, True)
            if words.feedback:
                for place, worth in await self.seat.estimate(table, words):
                    self._worths.setdefault(place, []).append(worth)
        stated = [self._part(entry, False) for entry in history]
        gains = await BayesianEstimator().estimate(table, feedback, stated)
        for place, worths in self._worths.items():
            gains[place] = np.mean(worths)
        return gains

    def _part(self, entry: Heard, asked: bool) -> Heard:
        """A round with the answers that are asked about, or with all the others."""
        answers = [each for each in entry.feedback if self._asks(each) == asked]
        return Heard(entry.plans, tuple(answers))

    def _asks(self, answer: Feedback) -> bool:
        there = answer != Feedback(answer.participant)
        return there and (self.everybody or not answer.levels)


def _estimate_form(seat: Any, table: Table, entry: Heard) -> type[BaseModel]:
    """For each who answered a list of numbers, of two plans one for each, and what is
    told of other options."""
    _, n, m = table.shape
    number = Annotated[float, Field(ge=0, le=table.highest)]
    decision = _one(*range(1, n + 1))
    option = _one(*range(1, m + 1))
    other: Any = form(
        "Other",
        decision=decision,
        option=option,
        worth=number,
    )
    worths = _row(seat, table, [number] * n)
    fields: dict[str, Any] = dict.fromkeys(_lists(entry.plans, "chosen"), worths)
    fields["others"] = or_empty(list[other]), Field([], max_length=n)
    worth = form("Worth", **fields)
    people: dict[str, Any] = {
        f"person_{i}": (worth, Field(alias=answer.participant))
        for i, answer in enumerate(entry.feedback)
    }
    return form("EstimateReply", **people)


def _worth(
    seat: Any,
    reply: Any,
    table: Table,
    entry: Heard,
) -> list[tuple[Place, float]]:
    """What options are worth to whom."""
    lists = _lists(entry.plans, "chosen")
    found = []
    for i, answer in enumerate(entry.feedback):
        one = getattr(reply, f"person_{i}")
        who = table.participants.index(answer.participant)
        for plan, name in zip(entry.plans, lists, strict=True):
            for j, worth in enumerate(getattr(one, name)):
                found.append(((who, j, plan[j]), worth))
        for other in one.others:
            place = who, other.decision - 1, other.option - 1
            found.append((place, other.worth))
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
                "middle": f"{prior_for(table).mean:.0f}",
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
        BAYESIAN: lambda me, rng, own: BayesianEstimator(),
    },
)
"""Without one ("none"), nothing is estimated: with scores the totals of the proposed
plans are known all the same."""


def seat_estimator(
    kind: Any,
    rng: np.random.Generator,
    spoken: Spoken | None = None,
    *,
    everybody: bool = True,
) -> Any:
    """The estimator of a kind; a model or a person is asked about `everybody`, or only
    about those who stated nothing as data."""
    seat = ESTIMATOR.seat(kind, rng, spoken=spoken)
    if isinstance(seat, Seat):
        return AskedEstimator(seat, everybody)
    return seat
