"""What was proposed and answered in a search for a fair plan, and how it ended, as HTML: every text is escaped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Any

import numpy as np

from support.analysis.fairness import random_plans
from support.fair_decisions.measures import divergence, value
from support.fair_decisions.problem import FairDecisions, Heard, Table
from support.fair_decisions.records import Feedback, Plan, Planning, PlanningRound
from support.solvers.fair import Solution, solve

SECONDS = 3.0
"""How long a solver may look for the optimum while a person waits."""

SHORT = 6
"""Options of a decision up to which their table is open at first."""

DRAWS = 20_000
SEED = 0
"""Plans are drawn where there are too many to list; the expectation of one instance is the same each time."""

LEGEND = "Bold: other than in the plan before. ≈: estimated from all answers so far."

STYLE = """<style>
.convene-plans { font: 14px/1.45 system-ui, sans-serif; color: #1b1b1b; background: #fff; max-width: 76rem; }
.convene-plans h3 { font-size: 1rem; margin: .8rem 0 .3rem; border-bottom: 1px solid #bbb; }
.convene-plans .me { border-left: 4px solid #0072B2; padding: .1rem .7rem; background: #f3f8fc; max-width: 60rem; }
.convene-plans .scroll { overflow-x: auto; }
.convene-plans table { border-collapse: collapse; margin: .2rem 0; }
.convene-plans td, .convene-plans th { border: 1px solid #ccc; padding: .15rem .5rem; text-align: left;
  vertical-align: top; background: #fff; color: #1b1b1b; overflow-wrap: anywhere; }
.convene-plans th { white-space: nowrap; }
.convene-plans td.num { text-align: right; white-space: nowrap; }
.convene-plans td.plan { min-width: 16rem; max-width: 26rem; }
.convene-plans td.said { min-width: 7rem; max-width: 20rem; }
.convene-plans tr.chosen td, .convene-plans tr.chosen th { background: #e3f1df; }
.convene-plans .note { color: #555; font-size: .9em; }
.convene-plans .error { color: #8a3b00; }
</style>"""


@dataclass(frozen=True, slots=True)
class Truth:
    """What a finished search is measured against: `best` is the divergence, or welfare, of the `solution`'s plan."""

    solution: Solution
    best: int
    random: Mapping[str, float | bool]  # as `random_plans` gives it, for as many plans as were proposed
    tried: int


class Kept:
    """An estimator whose latest estimate stays to be seen: `latest`, of shape (participants, decisions, options)."""

    def __init__(self, estimator: Any) -> None:
        self.estimator, self.kind = estimator, estimator.kind
        self.latest: np.ndarray | None = None

    async def estimate(self, table: Table, feedback: str, history: Sequence[Heard]) -> np.ndarray:
        """What the estimator expects of the gains."""
        self.latest = await self.estimator.estimate(table, feedback, history)
        return self.latest


def as_known(rounds: Sequence[PlanningRound], gains: np.ndarray | None) -> list[PlanningRound]:
    """The rounds, and for totals that nobody reported those of the gains that are expected now, if any are."""
    return [entry if gains is None or _reported(entry) else _expected(entry, gains) for entry in rounds]


def _reported(entry: PlanningRound) -> bool:
    return all(answer.score is not None for answer in entry.feedback)


def _expected(entry: PlanningRound, gains: np.ndarray) -> PlanningRound:
    totals = [gains[:, np.arange(gains.shape[1]), list(plan)].sum(axis=1).tolist() for plan in entry.plans]
    return replace(entry, heard=tuple(map(tuple, totals)))


def truth_of(problem: FairDecisions, objective: str, tried: int) -> Truth:
    """The optimum and the random expectation of an instance; `tried` is the number of different plans proposed."""
    found = solve(problem, objective, time_limit=SECONDS)
    best = int(worth(objective, problem.totals(found.plan)))
    drawn = random_plans(problem, objective, max(tried, 1), DRAWS, np.random.default_rng(SEED))
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


def history_to_html(
    rounds: Sequence[PlanningRound],
    table: Table,
    objective: str,
    *,
    chosen: Plan | None = None,
    truth: bool = False,
) -> str:
    """Plans and answers, the newest round first; `chosen` is marked, and true totals are shown only with `truth`."""
    names, before = names_of(rounds), None
    rows: list[str] = []
    for entry in rounds:
        block, plans = [], () if entry.finish else entry.plans
        for i, plan in enumerate(plans):
            cells = _plan(table, plan, before) + _answers(entry, i, objective, truth)
            mark = ' class="chosen"' if plan == chosen else ""
            block.append(f"<tr{mark}><td>{_name(entry, i)}</td>{cells}</tr>")
            before = plan
        rows[:0] = block + _remarks(entry, names, len(table.participants) + 3)
    people = "".join(f"<th>{escape(name)}</th>" for name in table.participants)
    head = f"<tr><th>plan</th><th>what it chooses</th>{people}<th>{escape(objective)}</th></tr>"
    return (
        f'{STYLE}<div class="convene-plans"><h3>Plans and answers, newest first</h3><div class="note">{LEGEND}</div>'
        '<div class="scroll">'
        f"<table>{head}{''.join(rows)}</table></div></div>"
    )


def outcome_to_html(problem: FairDecisions, planning: Planning, truth: Truth) -> str:
    """How good the plan is that the group ended with: beside the best one proposed, the optimum and random plans."""
    objective = str(planning.settings.get("objective", "divergence"))
    names = names_of(planning.rounds)
    rows = [_outcome("no plan", None, problem)]
    if planning.chosen is not None:
        best = max(names, key=lambda plan: float(value(objective, problem.totals(plan))))
        rows = [_outcome(f"chosen: plan {names[planning.chosen]}", planning.chosen, problem, ' class="chosen"')]
        rows.append(_outcome(f"the best plan proposed: {names[best]}", best, problem))
    surely = "proven" if truth.solution.proven else f"not proven: the best found in {SECONDS:g} s"
    rows.append(_outcome(f"the optimum (solver: {truth.solution.solver}, {surely})", truth.solution.plan, problem))
    people = "".join(f"<th>{escape(name)}</th>" for name in problem.participants)
    return (
        f'{STYLE}<div class="convene-plans"><h3>What was hidden: the true totals</h3><div class="scroll"><table>'
        f"<tr><th></th>{people}<th>divergence</th><th>welfare</th></tr>{''.join(rows)}</table></div>"
        f"<div>{_random(objective, truth)}</div>"
        f'<div class="note">The optimum: {escape(problem.words(truth.solution.plan))}.</div></div>'
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
    rows = "".join(
        f"<tr><th>{escape(decision)}</th>{''.join(_option(table, gains, j, k) for k in range(len(options)))}</tr>"
        for j, (decision, options) in enumerate(zip(table.decisions, table.options, strict=True))
    )
    shown = " open" if gains is not None or table.shape[2] <= SHORT else ""
    note = f"Worth to {escape(' / '.join(table.participants))}, in points." if gains is not None else ""
    return (
        f'<div class="convene-plans"><details{shown}><summary>All decisions and options</summary>'
        f'<div class="note">{note}</div><div class="scroll"><table>{rows}</table></div></details></div>'
    )


def _option(table: Table, gains: np.ndarray | None, j: int, k: int) -> str:
    points = "" if gains is None else f'<div class="note">{" / ".join(str(g) for g in gains[:, j, k])}</div>'
    return f"<td>{escape(table.options[j][k])}{points}</td>"


def _name(entry: PlanningRound, i: int) -> str:
    return f"{entry.number}{'AB'[i] if len(entry.plans) > 1 else ''}"


def _plan(table: Table, plan: Plan, before: Plan | None) -> str:
    chosen = [escape(options[k]) for options, k in zip(table.options, plan, strict=True)]
    changed = [before is not None and before[j] != k for j, k in enumerate(plan)]
    said = [f"<b>{name}</b>" if new else name for name, new in zip(chosen, changed, strict=True)]
    return f'<td class="plan">{" · ".join(said)}</td>'


def _answers(entry: PlanningRound, i: int, objective: str, truth: bool) -> str:
    silent = {error.agent for error in entry.format_errors}
    known = entry.heard[i] if entry.heard else None
    estimated = not _reported(entry)
    cells = ""
    for at, answer in enumerate(entry.feedback):
        said = "no answer" if answer.participant in silent else _answer(answer, i, len(entry.plans))
        notes = [f"≈ {known[at]:.0f}"] if estimated and known else []
        notes += [f"true: {entry.totals[i][at]}"] if truth and answer.score != entry.totals[i][at] else []
        cells += f'<td class="said">{said}<div class="note">{" · ".join(notes)}</div></td>'
    real = worth(objective, entry.totals[i]) if truth else None
    return cells + _worth(None if known is None else worth(objective, known), real, estimated)


def _worth(known: float | None, real: float | None, estimated: bool) -> str:
    """What a plan is worth as the group knows it, and in truth where that may be told and is another."""
    said = "–" if known is None else f"{'≈ ' if estimated else ''}{known:.0f}"
    told = "" if real is None or known == real else f'<div class="note">true: {real:.0f}</div>'
    return f'<td class="num">{said}{told}</td>'


def _answer(answer: Feedback, i: int, plans: int) -> str:
    if answer.score is not None:
        return str(answer.score)
    if plans > 1 and not answer.text:
        return "likes both alike" if answer.prefers is None else "prefers this" if answer.prefers == i else ""
    return f"“{escape(answer.text)}”" if answer.text else "no answer"


def _remarks(entry: PlanningRound, names: Mapping[Plan, str], columns: int) -> list[str]:
    said = [f"Round {entry.number}: stopped with plan {names[entry.plans[0]]}."] if entry.finish else []
    said += [f"Round {entry.number}: {entry.reason}"] if entry.reason else []
    lines = [f'<div class="note">{escape(text)}</div>' for text in said]
    wrong = [f"Format error of {e.agent} ({e.phase}): {e.detail}" for e in entry.format_errors]
    lines += [f'<div class="error">{escape(text)}</div>' for text in wrong]
    return [f'<tr><td colspan="{columns}">{"".join(lines)}</td></tr>'] if lines else []


def _outcome(name: str, plan: Plan | None, problem: FairDecisions, mark: str = "") -> str:
    numbers: list[Any] = ["–"] * (len(problem.participants) + 2)
    if plan is not None:
        totals = problem.totals(plan)
        numbers = [*totals.tolist(), int(divergence(totals)), int(totals.sum())]
    cells = "".join(f'<td class="num">{n}</td>' for n in numbers)
    return f"<tr{mark}><th>{escape(name)}</th>{cells}</tr>"


def _random(objective: str, truth: Truth) -> str:
    drawn = truth.random
    many = f"the best of {truth.tried} random plans" if truth.tried > 1 else "one random plan"
    return (
        f"A random plan has a {objective} of {drawn['random']:.0f} on average (middle 80 % of all plans: "
        f"{drawn['random_low']:.0f} to {drawn['random_high']:.0f}); {many}, as many as were proposed, "
        f"{drawn['random_best']:.0f}."
    )
