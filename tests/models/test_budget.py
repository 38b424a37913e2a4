import asyncio
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.errors import BudgetExceeded, InvalidInput
from support.models import money as module
from support.models.money import Budget, open_purse, purse
from support.presence import Presence

TOGETHER = """
SELECT (SELECT SUM(spent + uncertain) FROM accounts)
+ (SELECT COALESCE(SUM(amount), 0) FROM reservations)
"""


@contextmanager
def account(path, limit_usd, name="sweep"):
    """A run's account in a study's file."""
    with Presence(path) as here, closing(Budget(limit_usd, path, name, here)) as opened:
        yield opened


@pytest.fixture(scope="module", autouse=True)
def _hasty():
    """Nobody looks twenty times a second alone for what comes free."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "POLL", 0.001)
        yield


@pytest.fixture
def path(tmp_path):
    return tmp_path / "study.sqlite"


def reserve(account, worst):
    return asyncio.run(account.reserve(worst, "a test"))


def amounts(account):
    _, uncertain, reserved = (one / module.UNIT for one in account._account())
    return account.spent, uncertain, reserved


def test_the_worst_case_is_set_aside_and_then_replaced_once_by_what_it_cost_or_may_have(
    path,
):
    with account(path, 1.0) as money:
        number = reserve(money, 0.4)
        assert amounts(money) == (0.0, 0.0, 0.4)
        for usd in (0.1, 0.1, None):
            money.settle(number, usd)
        assert amounts(money) == (0.1, 0.0, 0.0)
        money.settle(reserve(money, 0.4), None)
        assert amounts(money) == (0.5, 0.4, 0.0)


def test_the_call_that_could_pass_the_limit_is_refused_with_the_amounts(path):
    told = r"\$1\.00 for 'sweep'.*\$0\.26 \(a test\).*\$0\.75 was spent by then"
    with account(path, 1.0) as money:
        money.settle(reserve(money, 0.75), None)
        with pytest.raises(BudgetExceeded, match=told) as caught:
            reserve(money, 0.2600001)
        assert not caught.value.purse
        money.settle(reserve(money, 0.25), 0.25)
        assert amounts(money) == (1.0, 0.75, 0.0)
        reserve(money, 0.0)  # what costs nothing passes where nothing is left
        with pytest.raises(BudgetExceeded):
            reserve(money, 1e-9)


CENT = st.integers(0, 60).map(lambda cents: cents / 100)
CALL = st.tuples(CENT, st.none() | st.integers(0, 100), st.integers(0, 3))
TASKS = st.lists(st.lists(CALL, max_size=4), min_size=8, max_size=8)


@settings(max_examples=40)
@given(st.integers(0, 200), TASKS)
def test_property_spent_and_reserved_never_pass_the_limit_in_any_order(cents, tasks):
    async def task(calls):
        for worst, share, ticks in calls:
            try:
                number = await money.reserve(worst, "a call")
            except BudgetExceeded:  # not, where all in flight might come free
                assert money.spent + worst > money.limit_usd - 1e-9
                return
            look()
            for _ in range(ticks):
                await asyncio.sleep(0)
            money.settle(number, None if share is None else worst * share / 100)
            look()

    async def together():
        await asyncio.wait_for(asyncio.gather(*map(task, tasks)), 60)

    def look():
        assert db.execute(TOGETHER).fetchone()[0] <= cents * module.UNIT // 100

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "s.sqlite"
        with account(path, cents / 100) as money, closing(sqlite3.connect(path)) as db:
            asyncio.run(together())
            assert amounts(money)[2] == 0.0


HOLDER = """
import asyncio, sys
from support.models.money import Budget
from support.presence import Presence

with Presence(sys.argv[1]) as presence:
    money = Budget(1.0, sys.argv[1], "sweep", presence)
    numbers = [asyncio.run(money.reserve(0.1, "a call")) for _ in range(3)]
    money.settle(numbers[0], 0.05)
    print("ready", flush=True)
    sys.stdin.read()
"""


def test_what_a_living_process_has_set_aside_stays_and_what_a_killed_one_had_is_written_off_once(
    path,
):
    async def wait(money):
        waiting = asyncio.create_task(money.reserve(0.85, "a large one"))
        await asyncio.sleep(0.05)
        assert not waiting.done()
        holder.kill()
        await asyncio.to_thread(holder.wait)
        await asyncio.wait_for(waiting, 60)

    command, pipe = [sys.executable, "-c", HOLDER, str(path)], subprocess.PIPE
    with subprocess.Popen(command, text=True, stdin=pipe, stdout=pipe) as holder:
        assert holder.stdout.readline() == "ready\n"
        with account(path, 1.0) as money:
            assert amounts(money) == (0.05, 0.0, 0.2)
            with pytest.raises(BudgetExceeded, match="a large one"):
                asyncio.run(wait(money))
    with account(path, 1.0) as money:
        assert amounts(money) == (0.25, 0.2, 0.0)


def test_the_purse_is_one_account_over_all_that_a_run_asks(tmp_path, monkeypatch):
    monkeypatch.setenv("CONVENE_OUTPUT", str(tmp_path))
    monkeypatch.setattr(module, "_purse", None)
    first = open_purse(1.0)
    assert open_purse(1.0) is purse() is first
    first.settle(reserve(first, 0.75), 0.5)
    wider = open_purse(2.0)
    reserve(wider, 1.5)
    told = r"\$2\.00 for all studies of 'notebooks' together.*\$0\.50 was spent"
    with pytest.raises(BudgetExceeded, match=told) as caught:
        reserve(wider, 1.75)
    assert caught.value.purse  # it is an attribute that says whose money it was
    for wrong in (-1, float("nan"), "5", True):
        with pytest.raises(InvalidInput, match="budget_usd"):
            open_purse(wrong)
    assert open_purse(None) is purse() is None
