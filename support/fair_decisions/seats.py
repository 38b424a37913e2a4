"""Who takes part in a search for a fair plan, in which role: a rule, a language model or a person.

A participant has `async def judge(plans, feedback)`, which answers a plan, or two to compare, with a `Feedback`. A
coordinator has `async def propose(brief)`, which returns a `Move`. An estimator has `async def estimate(table,
feedback, history)`, which returns expected gains, float of shape (participants, decisions, options). Prompts are our
own (compare appendix A of 003).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import AfterValidator, Field

from support.errors import InvalidInput
from support.fair_decisions.deciders import (
    MOST,
    MOST_WORDS,
    PLACES,
    STYLES,
    Own,
    RuleBasedDecider,
    checked_words,
)
from support.fair_decisions.estimators import (
    BayesianEstimator,
    LexicalEstimator,
    averaged,
    prior_for,
)
from support.fair_decisions.planners import (
    Draw,
    ExactPlanner,
    SearchPlanner,
    checked_move,
)
from support.fair_decisions.problem import (
    COMPARED,
    COMPARISON,
    WORDS,
    Brief,
    FairDecisions,
    Heard,
    Move,
    Table,
    table_of,
)
from support.fair_decisions.records import Feedback, Plan
from support.prompts import render
from support.seats import (
    Act,
    Ask,
    HumanSeat,
    ModelSeat,
    Role,
    Seats,
    Spoken,
    form,
    text,
)
from support.solvers.search import PRINTED, LocalSearch, RandomSearch, Tree

# ---- a participant, which knows `Own` --------------------------------------------------------------------------------


@cache
def words_form(table: Table, most: int = MOST) -> Any:
    """{"text"}: words without numbers, few enough; see `checked_words`."""
    return form(
        "WordsReply",
        text=Annotated[
            text(most), AfterValidator(lambda said: checked_words(said, table, most))
        ],
    )


def _worth(seat: ModelSeat, plans: Sequence[Plan], feedback: str) -> dict[str, Any]:
    """What a model is told before each question: who it is, and what every option is worth to it."""
    table = seat.own.table
    named = zip(table.decisions, table.options, seat.own.gains.tolist(), strict=True)
    worth = [
        (decision, list(zip(options, row, strict=True)))
        for decision, options, row in named
    ]
    return {
        "me": seat.me,
        "worth": worth,
        "preferences": table.preferences,
        "options": table.shape[2],
    }


def _plans(seat: ModelSeat, plans: Sequence[Plan], feedback: str) -> dict[str, Any]:
    named = list(zip(seat.own.table.decisions, seat.own.table.options, strict=True))
    plan, other = (
        [(d, options[k]) for (d, options), k in zip(named, p, strict=True)]
        for p in (plans[0], plans[-1])
    )
    return {
        "me": seat.me,
        "plan": plan,
        "other": other if feedback == COMPARED else [],
        "words": MOST_WORDS,
    }


def _judged(
    seat: HumanSeat, answer: Any, plans: Sequence[Plan], feedback: str
) -> Feedback:
    """A score, which nobody adds up; a text (words); 0 or 1 for the preferred plan, None for a tie (comparison)."""
    if feedback in (WORDS, COMPARED):
        return Feedback(seat.me, text=checked_words(answer, seat.own.table))
    number = isinstance(answer, int) and not isinstance(answer, bool)
    if feedback == COMPARISON:
        if answer is not None and not (number and answer in (0, 1)):
            raise InvalidInput(
                f"prefers: {answer!r} given; expected 0 or 1 for a plan, None if you like both alike"
            )
        return Feedback(seat.me, prefers=answer, alike=answer is None)
    most = int(seat.own.gains.max(axis=1).sum())
    if not number or not 0 <= answer <= most:
        raise InvalidInput(
            f"score: {answer!r} given; expected a whole number from 0 to {most}, your best total"
        )
    return Feedback(seat.me, score=answer)


DECIDER = Role(
    "participant",
    acts={
        "judge": Act(
            "deciding/words",
            lambda seat, plans, feedback: words_form(
                seat.own.table, seat.limits.text(MOST)
            ),
            _plans,
            lambda seat, reply, plans, feedback: Feedback(seat.me, text=reply.text),
            room=200,  # forty words with names are half of that, and one that runs on ends soon
            briefing="deciding/participant",
            told=_worth,
            unasked=lambda seat, plans, feedback: seat.own.judged(
                seat.me, plans, feedback
            ),  # sums need no model
        )
    },
    asks={
        "judge": Ask(
            _judged,
            lambda seat, plans, _: (seat.me, seat.own, tuple(plans)),
            lambda seat, _, feedback: feedback,
        )
    },
    kinds={style: partial(RuleBasedDecider, style=style) for style in STYLES},
    mixture=STYLES,
)


def seat_deciders(
    problem: FairDecisions, preferences: str, seats: Seats, rng: np.random.Generator, *,
    noise: float = 0.0, spoken: Spoken | None = None
) -> dict[str, Any]:  # fmt: skip
    """A participant for each name; each is given its own gains and no one else's, and a random stream."""
    table = table_of(problem, preferences)
    own = {
        name: Own(table, gains, noise)
        for name, gains in zip(problem.participants, problem.gains, strict=True)
    }
    return DECIDER.fill(problem.participants, seats, rng, own.__getitem__, spoken)


# ---- the coordinator -------------------------------------------------------------------------------------------------

PROMPTS = ("full", "no example", "no objective")
"""A model's prompt and its two ablations (appendix E.2): without the worked example, or without what is looked for.

Without the objective, the model is asked for a fairer (or better) plan in general words, and the example loses the line
that works the objective out.
"""

RUNNING, FINISH = "RUNNING", "FINISH"
REASON, REASON_WORDS = 200, 40  # characters and words of a tight model's reason


@dataclass(frozen=True)
class Leading:
    """What a coordinator begins with: the shape of the problem, the prompt of a model, and a belief to draw from."""

    shape: tuple[int, int, int]
    prompt: str = "full"
    draw: Draw | None = None


def statuses(brief: Brief) -> tuple[str, ...]:
    """What a model may do: it cannot stop before there is a plan, nor go on when all are known or no round is left."""
    if not brief.known:
        return (RUNNING,)
    return (
        (FINISH,)
        if brief.over or len(set(brief.known)) == brief.table.plans
        else (RUNNING, FINISH)
    )


def move_form(seat: ModelSeat, brief: Brief) -> Any:
    """{"reason", "status", "plan"}, under comparison with "other" as well; plans are option numbers from 1.

    What a schema cannot say goes back to the model: a plan to go on with that is known, or to stop with that is not.
    """

    def short(reason: str) -> str:
        count, most = len(reason.split()), REASON_WORDS if seat.limits.tight else None
        if not count or (most and count > most):
            raise ValueError(f"{count} words given; expected 1 to {most}")
        return " ".join(reason.split())

    _, n, m = brief.table.shape
    number: Any = Literal[tuple(range(1, m + 1))]
    plan: Any = Annotated[list[number], Field(min_length=n, max_length=n)]
    status: Any = Literal[statuses(brief)]
    more: dict[str, Any] = {"other": plan | None} if brief.plans > 1 else {}
    reason: Any = Annotated[text(seat.limits.text(REASON)), AfterValidator(short)]
    return form(
        "MoveReply",
        partial(move_of, brief),
        reason=reason,
        status=status,
        plan=plan,
        **more,
    )


def move_of(brief: Brief, reply: Any) -> Move:
    """The move that a reply stands for; a ValueError says what is not allowed in it."""
    finish = reply.status == FINISH
    numbers = [reply.plan] if finish or brief.plans == 1 else [reply.plan, reply.other]
    if None in numbers:
        raise ValueError(
            f"other: null given; expected a second plan to compare, or the status {FINISH}"
        )
    return checked_move(
        brief,
        Move(
            tuple(tuple(k - 1 for k in plan) for plan in numbers), reply.reason, finish
        ),
    )


def _briefed(seat: ModelSeat, brief: Brief) -> dict[str, Any]:
    """What the coordinator's prompt says of a round."""
    prompt, table = seat.own.prompt, brief.table
    told = {
        "objective": brief.objective,
        "told": prompt != "no objective",
        "feedback": brief.feedback,
    }
    return {
        "people": table.participants,
        "decisions": [_options(brief, j) for j in range(len(table.decisions))],
        "objective": brief.objective if prompt != "no objective" else "",
        "aim": "better for the group as a whole"
        if brief.objective == "welfare"
        else "fairer",
        "preferences": table.preferences,
        "options": table.shape[2],
        "highest": table.highest,
        "feedback": brief.feedback,
        "example": "" if prompt == "no example" else render("planning/example", **told),
        "known": [_heard(table.problem, heard) for heard in brief.history],
        "suggestion": _numbers(brief.suggestion)
        if brief.suggestion is not None
        else "",
        "suggested_before": brief.suggestion in brief.known,
        "round": brief.round,
        "rounds": brief.rounds,
        "statuses": statuses(brief),
        "running": RUNNING,
        "finish": FINISH,
        "words": seat.words(seat.limits.text(REASON)) or REASON_WORDS,
    }


def _options(brief: Brief, j: int) -> str:
    """A decision and its numbered options; under complete information with what each is worth to everybody."""
    named = [f"{k} = {option}" for k, option in enumerate(brief.table.options[j], 1)]
    if brief.gains is not None:
        for k, points in enumerate(brief.gains[:, j].T.tolist()):
            told = zip(brief.table.participants, points, strict=True)
            named[k] += f" ({', '.join(f'{name} {number}' for name, number in told)})"
    return f"{brief.table.decisions[j]}: {'; '.join(named)}"


def _heard(problem: FairDecisions, heard: Heard) -> str:
    """The plans of a round and what was answered, in a line."""
    plans = " against ".join(
        f"{_numbers(plan)} ({problem.words(plan)})" for plan in heard.plans
    )
    return f"{plans}. {'; '.join(f'{answer.participant}: {_said(heard.plans, answer)}' for answer in heard.feedback)}"


def _said(plans: Sequence[Plan], answer: Feedback) -> str:
    if answer.score is not None:
        return str(answer.score)
    if answer.prefers is not None:
        return f"prefers {_numbers(plans[answer.prefers])}"
    if answer.text.strip():
        return f'"{" ".join(answer.text.split())}"'
    return "likes both alike" if answer.alike else "(no answer)"


def _numbers(plan: Plan) -> str:
    """A plan as models read and write it, options counted from 1: "[2, 1, 3]"."""
    return str([option + 1 for option in plan])


SEARCHES: dict[str, Any] = {
    "mcts": Tree,
    "mcts printed": partial(Tree, settings=PRINTED),
    "random": RandomSearch,
    "local": LocalSearch,
}


def _searching(
    kind: str, me: str, rng: np.random.Generator, own: Leading
) -> SearchPlanner:
    (_, n, m), (searching, drawing) = own.shape, rng.spawn(2)
    return SearchPlanner(kind, SEARCHES[kind](n, m, searching), drawing)


def _thompson(me: str, rng: np.random.Generator, own: Leading) -> ExactPlanner:
    if own.draw is None:
        raise InvalidInput(
            "coordinator: 'thompson' draws from a belief; pass estimator='bayesian'"
        )
    return ExactPlanner(rng, own.draw)


PLANNER = Role(
    "coordinator",
    acts={
        "propose": Act(
            "planning/coordination",
            move_form,
            _briefed,
            lambda seat, reply, brief: move_of(brief, reply),
            room=lambda seat, brief: (
                60 + REASON + 5 * brief.table.shape[1] * brief.plans
            ),  # a token for a character
        )
    },
    asks={"propose": Ask(lambda seat, answer, brief: checked_move(brief, answer))},
    kinds={
        **{kind: partial(_searching, kind) for kind in SEARCHES},
        "exact": lambda me, rng, own: ExactPlanner(rng),
        "thompson": _thompson,
    },
)
"""Monte Carlo tree search with settings that work at few evaluations, or as appendix B of 003 reads word by word; two
floors, plans drawn at random and local search; a solver on public or expected gains, or on gains drawn from the belief
of a Bayesian estimator (thompson)."""


# ---- the estimator ---------------------------------------------------------------------------------------------------

NONE, LEXICAL, BAYESIAN = "none", "lexical", "bayesian"


class ModelEstimator(ModelSeat):
    """Asks a model once for each round, and averages over rounds; what was never proposed keeps the prior mean.

    A round without a usable reply is not asked about again. `own` keeps {(decision, option): number} of each.
    """

    async def estimate(
        self, table: Table, feedback: str, history: Sequence[Heard]
    ) -> np.ndarray:
        """Expected gains."""
        self.own = self.own or {}
        told: list[dict[Any, list[float]]] = [{} for _ in table.participants]
        for entry in history:
            key = (entry.plans, entry.feedback)
            if key not in self.own:
                self.own[key] = []  # also where asking fails
                self.own[key] = await self.do("estimate", table, feedback, entry)
            for mine, numbers in zip(told, self.own[key], strict=False):
                for pair, value in numbers.items():
                    mine.setdefault(pair, []).append(value)
        return averaged(table, told)


@cache
def _estimate_form(table: Table, plans: int) -> Any:
    """For each participant, by name, a number from 0 to the highest for each decision; of two plans, a list each."""
    number, n = Field(ge=0, le=float(prior_for(table).values[-1])), table.shape[1]
    numbers: Any = Annotated[
        list[Annotated[float, number]], Field(min_length=n, max_length=n)
    ]
    if plans > 1:
        numbers = form("PlansReply", **dict.fromkeys(PLACES, numbers))
    fields: Any = {
        f"participant_{i}": (numbers, Field(alias=name))
        for i, name in enumerate(table.participants)
    }
    return form("EstimateReply", **fields)


def _round(
    seat: ModelSeat, table: Table, feedback: str, entry: Heard
) -> dict[str, Any]:
    """What the estimator's prompt says of one round."""
    prior, by_name = (
        prior_for(table),
        {answer.participant: answer for answer in entry.feedback},
    )
    return {
        "preferences": table.preferences,
        "options": table.shape[2],
        "highest": int(prior.values[-1]),
        "middle": f"{prior.mean[0]:.0f}",
        "decisions": table.decisions,
        "plans": [
            [names[k] for names, k in zip(table.options, plan, strict=True)]
            for plan in entry.plans
        ],
        "answers": [
            (n, _answered(by_name.get(n, Feedback(n)))) for n in table.participants
        ],
    }


def _answered(answer: Feedback) -> str:
    """One participant's answer, as the estimator is told it; its words on one line, in quotation marks."""
    if answer.score is not None:
        return f"has a total of {answer.score}"
    if answer.prefers is not None:
        return f"likes the {PLACES[answer.prefers]} plan better"
    if answer.text.strip():
        return '"' + " ".join(answer.text.replace('"', "'").split()) + '"'
    return "likes both plans alike" if answer.alike else "gave no answer"


def _parts(
    seat: ModelSeat, reply: Any, table: Table, feedback: str, entry: Heard
) -> list[dict[Any, float]]:
    """For each participant, what an option is worth to it; an option of both plans has the mean."""
    found = []
    for i in range(len(table.participants)):
        mine = getattr(reply, f"participant_{i}")
        lists = (
            [mine]
            if len(entry.plans) == 1
            else [getattr(mine, place) for place in PLACES]
        )
        numbers: dict[Any, list[float]] = {}
        for plan, told in zip(entry.plans, lists, strict=True):
            for j, (k, value) in enumerate(zip(plan, told, strict=True)):
                numbers.setdefault((j, k), []).append(value)
        found.append({pair: float(np.mean(values)) for pair, values in numbers.items()})
    return found


def _expected(
    seat: HumanSeat, answer: Any, table: Table, feedback: str, history: Sequence[Heard]
) -> np.ndarray:
    gains = np.zeros(0)
    with suppress(TypeError, ValueError):
        gains = np.asarray(answer, dtype=float)
    if gains.shape != table.shape or not np.isfinite(gains).all():
        raise InvalidInput(
            f"gains: {answer!r} given; expected numbers of shape {table.shape}: who, decision, option"
        )
    return gains


ESTIMATOR = Role(
    "estimator",
    acts={
        "estimate": Act(
            "estimating/estimate",
            lambda seat, table, feedback, entry: _estimate_form(
                table, len(entry.plans)
            ),
            _round,
            _parts,
            room=lambda seat, table, feedback, entry: (  # for each list, and for each number in it
                len(table.participants) * len(entry.plans) * (40 + 12 * table.shape[1])
            ),
        )
    },
    asks={"estimate": Ask(_expected, lambda seat, *view: view)},
    kinds={
        NONE: lambda me, rng, own: None,
        LEXICAL: lambda me, rng, own: LexicalEstimator(),
        BAYESIAN: lambda me, rng, own: BayesianEstimator(),
    },
    speaker=ModelEstimator,
)
"""Without one ("none"), nothing is estimated: with scores the totals of the proposed plans are known all the same."""
