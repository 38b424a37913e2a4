"""A budget is kept by the endpoint's own count: with faults, over kills, by two processes; what is finished stays."""

import random

import debate
import killing
import looking
import pytest
import trials

from support.errors import BudgetExceeded

UNITS = 6
SHARE = 1 / 3
HASTY = {**trials.PATIENT, "timeout": 0.7}


@pytest.fixture(scope="module")
def free(faulty, tmp_path_factory):
    """The sweep without a budget: its export, and what it costs."""
    path = tmp_path_factory.mktemp("free") / "s.sqlite"
    debate.run(path, faulty.url("free"), UNITS)
    return looking.exported(path), trials.charged(faulty, "free")


def check(spent):
    assert spent.charged <= spent.spent + 1e-9 <= spent.budget + 2e-9
    assert spent.raised == bool(spent.missing)
    assert spent.kept and spent.same


@pytest.mark.parametrize("number", range(2))
def test_what_is_charged_never_exceeds_the_budget_and_a_larger_one_ends_the_sweep(faulty, tmp_path, free, number):
    run, budget = f"budget{number}", random.Random(number).uniform(0, 1.2 * free[1])
    spent = trials.budgeted(faulty, run, tmp_path / "s.sqlite", UNITS, budget, free[0], url=faulty.url(run))
    check(spent)
    assert spent.spent == pytest.approx(spent.charged, abs=1e-6)  # nothing is uncertain without faults


@pytest.mark.parametrize("number", [0])
def test_a_budget_holds_when_a_third_of_the_answers_are_faults(faulty, tmp_path, free, number):
    run, budget = f"budgetfaults{number}", (0.4 + 0.4 * number) * free[1]
    url = faulty.url(run, SHARE, number)
    check(trials.budgeted(faulty, run, tmp_path / "s.sqlite", UNITS, budget, free[0], url=url, **HASTY))


@pytest.mark.parametrize("number", range(2))
def test_a_budget_holds_over_kills_of_two_processes_that_share_it(faulty, tmp_path, free, number):
    run, draw = f"budgetkills{number}", random.Random(number)
    budget, url = draw.uniform(0.7, 1.1) * free[1], faulty.url(run, wait=100)
    path = tmp_path / "s.sqlite"
    seen, spent = trials.budget_killed(faulty, run, path, UNITS, budget, free[0], draw, url=url)
    check(spent)
    assert not seen.asked_though_kept + seen.replies_gone + seen.damaged


def test_what_was_in_flight_at_a_kill_counts_as_spent(faulty, tmp_path):
    path, url = tmp_path / "s.sqlite", faulty.url("inflight", wait=20_000)
    given = {"prices": debate.priced(tmp_path), "budget_usd": 1.0}
    process = killing.started(path, url, UNITS, given)
    killing.wait_for(faulty, "inflight", 4, "asked")
    process.kill()
    process.join()
    with pytest.raises(BudgetExceeded, match="for calls whose fate is unknown"):
        debate.run(path, url, UNITS, **{**given, "budget_usd": 0.0})
    assert trials.account(path) >= trials.charged(faulty, "inflight") > 0


def test_replies_that_are_kept_cost_nothing_of_the_budget(faulty, tmp_path, free):
    url = faulty.url("paid")
    debate.run(tmp_path / "s.sqlite", url, UNITS)
    before = trials.charged(faulty, "paid")
    again = {"prices": debate.priced(tmp_path), "budget_usd": 0.0, "retry_failed": True}
    debate.run(tmp_path / "s.sqlite", url, UNITS, **again)
    assert trials.charged(faulty, "paid") == before == free[1] and trials.account(tmp_path / "s.sqlite") == 0
