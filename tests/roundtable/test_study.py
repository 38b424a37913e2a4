"""Study functions play one unit from its settings; an environment of one's own sits at the same table."""

import asyncio

import numpy as np
import pytest

from support.analysis.prediction import errors_of
from support.errors import InvalidInput, InvalidProposal
from support.models.fakes import stand_in
from support.roundtable import table
from support.roundtable.movielens import draw_cases
from support.roundtable.records import Ballot, Message, Proposal
from support.roundtable.seats import seat_all
from support.roundtable.study import roundtable_movielens
from support.runs.study import Store
from support.runs.sweep import Sweep
from support.seats import form, many, text


def played(rule="majority", seed=0, **settings):
    return asyncio.run(roundtable_movielens(np.random.default_rng(seed), rule, rounds=2, **settings))


def test_the_case_is_the_one_named_or_else_the_one_of_the_repetition(real):
    third = draw_cases(3)[2]
    expected = {"name": "movielens", "user": third.user, "item": third.item, "rating": third.rating, "consult": None}
    assert played(case=2).environment == played(repetition=2).environment == expected
    assert played(case=2, cases_seed=5).environment != expected
    assert played(consult="UserHistory").rounds != played().rounds
    for case in (-1, 20_000, True, 1.0):
        with pytest.raises(InvalidInput, match=r"case: .* expected a whole number from 0 to 19999"):
            played(case=case)


def test_a_sweep_paired_by_rule_seats_the_same_agents_at_the_same_cases(real, tmp_path):
    grid = {"rule": ["majority", "rated"], "rounds": [2]}
    sweep, store = Sweep("m", roundtable_movielens, grid, 3, 1, paired=["rule"]), Store(tmp_path / "s.sqlite")
    assert asyncio.run(sweep.run(store, progress=False))["done"] == 6
    seen = {rule: [] for rule in grid["rule"]}
    for _, record in sweep.records(store):
        first = record.rounds[0]
        seen[record.rule].append((record.environment, record.seats, first.messages, first.proposals))
    assert seen["majority"] == seen["rated"]
    assert errors_of(sweep.records(store), rounds=2)["truth"].tolist()[::2] == [c.rating for c in draw_cases(3)] * 2


# ---- a budget of 100 for five projects -------------------------------------------------------------------------------


class Budget:
    """Each of four people gets what goes to the two projects that it wants."""

    agents, shape, extra_tokens, maximum = ("Ana", "Ben", "Cleo", "Dev"), "five amounts", 0, 200.0
    wants = ((0, 1), (1, 2), (2, 3), (3, 4))

    def validate(self, proposal):
        amounts = tuple(float(x) for x in proposal)
        if len(amounts) != 5 or min(amounts) < 0 or abs(sum(amounts) - 100) > 0.5:
            raise InvalidProposal(f"budget: {proposal!r} given; expected five amounts that sum to 100")
        return amounts

    def describe(self, value):
        return ", ".join(f"{amount:g}" for amount in value)

    def utilities(self, value):
        return np.array([value[i] + value[k] for i, k in self.wants])

    def spec(self):
        return {"name": "budget"}

    def task(self):
        return "You share out a budget of 100 among five projects."

    def goal(self, me, shown):
        return "You want projects {} and {}.".format(*self.wants[self.agents.index(me)])

    def form(self):
        return "Five amounts that sum to 100, such as [20, 20, 20, 20, 20]."

    def schema(self, most):
        checked = lambda reply: reply.proposal and self.validate(reply.proposal)  # noqa: E731
        return form("BudgetReply", checked, reason=text(most, 0), proposal=many(float, 5, 5)[0] | None)


class EvenSplitter:
    """Asks for the same for all, and votes for it."""

    kind = "even"

    def __init__(self, me, rng):
        self.me = me

    async def message(self, view):
        return Message(self.me, (), "The same for all.")

    async def propose(self, view):
        return Proposal(self.me, [20] * 5)

    async def vote(self, view):
        return Ballot(self.me, next((c.id for c in view.candidates if len(set(c.value)) == 1), None))


def test_rules_and_models_share_out_a_budget_and_analysis_builds_it_again(monkeypatch):
    monkeypatch.setitem(table.ENVIRONMENTS, "budget", lambda spec: Budget())
    kinds = [EvenSplitter, EvenSplitter, EvenSplitter, "model"]
    people = seat_all(Budget(), kinds, np.random.default_rng(1), model=stand_in(seed=3))
    record = asyncio.run(table.play(Budget(), people, "majority", rounds=2))
    assert list(record.seats.values())[:3] == ["even"] * 3 and record.seats["Dev"].startswith("model")
    assert record.outcome.value == (20.0,) * 5 and record.rounds[0].replies == 3
    environment = table.environment_of(record)
    assert environment.utilities(record.outcome.value).sum() / environment.maximum == 0.8
    monkeypatch.delitem(table.ENVIRONMENTS, "budget")
    with pytest.raises(InvalidInput, match="'budget' given; expected one of exchange_economy, movielens; put your own"):
        table.environment_of(record)
