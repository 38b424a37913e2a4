import asyncio
import random
import sqlite3
import subprocess
import sys
import tempfile
import threading
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.errors import BudgetExceeded, InvalidInput
from support.models import money as budget
from support.models.money import Budget, dollars, open_purse, purse
from support.presence import Presence
from support.runs.study import Store

TOGETHER = "SELECT (SELECT SUM(spent + uncertain) FROM accounts) + (SELECT COALESCE(SUM(amount), 0) FROM reservations)"


@contextmanager
def account(path, limit_usd, name="sweep"):
    """A run's account in a study's file."""
    with Presence(path) as presence, closing(Budget(limit_usd, path, name, presence)) as opened:
        yield opened


@pytest.fixture
def path(tmp_path):
    Store(tmp_path / "study.sqlite").close()
    return tmp_path / "study.sqlite"


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch):
    monkeypatch.setattr(budget, "POLL", 0.001)


def reserve(account, worst):
    return asyncio.run(account.reserve(worst, "a test"))


def committed(path):
    """Dollars spent and set aside, in one look."""
    with closing(sqlite3.connect(path)) as db:
        return db.execute(TOGETHER).fetchone()[0] / budget.UNIT


def test_the_worst_case_is_set_aside_and_then_replaced_by_what_it_cost(path):
    with account(path, 1.0) as money:
        number = reserve(money, 0.4)
        assert (money.spent, money.reserved) == (0.0, 0.4)
        money.settle(number, 0.1)
        assert (money.spent, money.uncertain, money.reserved) == (0.1, 0.0, 0.0)


def test_a_call_that_nobody_knows_the_cost_of_counts_at_its_worst(path):
    with account(path, 1.0) as money:
        money.settle(reserve(money, 0.4), None)
        assert (money.spent, money.uncertain, money.reserved) == (0.4, 0.4, 0.0)


def test_a_call_is_settled_once(path):
    with account(path, 1.0) as money:
        number = reserve(money, 0.4)
        money.settle(number, 0.1)
        money.settle(number, 0.1)
        money.settle(number, None)
        assert money.spent == 0.1


def test_the_call_that_could_pass_the_limit_is_refused_with_the_amounts(path):
    with account(path, 1.0) as money:
        money.settle(reserve(money, 0.25), 0.25)
        money.settle(reserve(money, 0.5), None)
        with pytest.raises(BudgetExceeded, match=r"\$1\.00 for 'sweep'.*\$0\.26 \(a test\).*\$0\.75 was spent by then"):
            reserve(money, 0.2500001 + 0.01)
        assert money.reserved == 0.0
        money.settle(reserve(money, 0.25), 0.25)
        assert money.spent == 1.0


def test_a_limit_of_nothing_lets_calls_pass_that_cost_nothing(path):
    with account(path, 0) as money:
        money.settle(reserve(money, 0.0), 0.0)
        with pytest.raises(BudgetExceeded):
            reserve(money, 1e-9)


@pytest.mark.parametrize("limit", [-1, float("nan"), float("inf"), "2", None, True])
def test_a_limit_that_is_no_money_is_an_input_error(path, limit):
    with pytest.raises(InvalidInput, match="budget_usd"), account(path, limit):
        pass


def test_a_call_waits_while_what_it_needs_may_come_free(path):
    async def both(money):
        first = await money.reserve(0.8, "first")
        second = asyncio.create_task(money.reserve(0.5, "second"))
        for _ in range(20):
            await asyncio.sleep(0.001)
        assert not second.done()
        money.settle(first, 0.1)
        return await second

    with account(path, 1.0) as money:
        assert asyncio.run(both(money)) > 0
        assert (money.spent, money.reserved) == (0.1, 0.5)


def test_a_waiting_call_is_refused_once_what_is_spent_leaves_no_room(path):
    async def both(money):
        first = await money.reserve(0.8, "first")
        second = asyncio.create_task(money.reserve(0.5, "second"))
        await asyncio.sleep(0.01)
        money.settle(first, 0.8)
        await second

    with account(path, 1.0) as money, pytest.raises(BudgetExceeded, match="second"):
        asyncio.run(both(money))


def test_the_account_goes_on_where_an_earlier_run_left_it(path):
    with account(path, 1.0) as money:
        money.settle(reserve(money, 0.6), 0.6)
    with account(path, 1.0) as money:
        assert money.spent == 0.6
        with pytest.raises(BudgetExceeded):
            reserve(money, 0.5)
    with account(path, 2.0) as money:
        reserve(money, 0.5)


def test_an_account_may_be_the_first_thing_in_a_study_s_file(tmp_path):
    for _ in range(2):
        with account(tmp_path / "new.sqlite", 1.0) as money:
            money.settle(reserve(money, 0.1), 0.1)
    assert money.limit_usd == 1.0


def test_accounts_of_two_sweeps_are_apart(path):
    with account(path, 1.0, "one") as one, account(path, 1.0, "two") as two:
        reserve(one, 0.9)
        reserve(two, 0.9)
        assert (one.reserved, two.reserved) == (0.9, 0.9)


def test_ten_thousand_settlements_add_up_to_the_billionth(path):
    async def many(money):
        for _ in range(10_000):
            money.settle(await money.reserve(0.00001, "one"), 0.00001)

    with account(path, 0.1) as money:
        asyncio.run(many(money))
        assert (money.spent, money.reserved) == (0.1, 0.0)
        with pytest.raises(BudgetExceeded):
            reserve(money, 1e-9)


CENT = st.integers(0, 60).map(lambda cents: cents / 100)
CALL = st.tuples(CENT, st.none() | st.integers(0, 100), st.integers(0, 3))


async def _task(money, calls, look):
    """Reserve, look, wait a little, settle, look: until the money is used up."""
    for worst, share, ticks in calls:
        try:
            number = await money.reserve(worst, "a call")
        except BudgetExceeded:
            assert money.spent + worst > money.limit_usd - 1e-9, "refused though all in flight might have come free"
            return
        look()
        for _ in range(ticks):
            await asyncio.sleep(0)
        money.settle(number, None if share is None else worst * share / 100)
        look()


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 200), st.lists(st.lists(CALL, max_size=4), min_size=8, max_size=8))
def test_property_spent_and_reserved_never_pass_the_limit_in_any_order(limit_cents, tasks):
    async def together(money, look):
        await asyncio.gather(*(_task(money, calls, look) for calls in tasks))

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "study.sqlite"
        with account(path, limit_cents / 100) as money, closing(sqlite3.connect(path)) as db:

            def look():
                assert db.execute(TOGETHER).fetchone()[0] <= limit_cents * budget.UNIT // 100

            asyncio.run(asyncio.wait_for(together(money, look), 60))
            assert money.reserved == 0.0


def test_several_threads_share_an_account(path):
    errors = []

    def work(money):
        async def many():
            for _ in range(60):
                money.settle(await money.reserve(0.01, "one"), 0.001)

        try:
            asyncio.run(many())
        except Exception as error:
            errors.append(error)

    with account(path, 10.0) as money:
        threads = [threading.Thread(target=work, args=(money,)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert errors == []
        assert (money.spent, money.reserved) == (0.24, 0.0)


SCRIPT = """
import asyncio, random, sys
from support.errors import BudgetExceeded
from support.models import money as budget
from support.models.money import Budget
from support.presence import Presence

path, seed = sys.argv[1], int(sys.argv[2])
draw = random.Random(seed)
budget.POLL = 0.001

async def task(money):
    while True:
        cents = draw.randint(1, 5)
        number = await money.reserve(cents / 1000, "a call")
        await asyncio.sleep(draw.choice([0, 0, 0.001]))
        print(cents, flush=True)  # the provider charges before we hear of it
        money.settle(number, draw.choice([cents / 1000, None]))

async def main():
    with Presence(path) as presence:
        money = Budget(1.0, path, "sweep", presence)
        await asyncio.gather(*(task(money) for _ in range(8)), return_exceptions=True)

asyncio.run(main())
"""


def other_process(path, seed, script=SCRIPT):
    arguments = [sys.executable, "-c", script, str(path), str(seed)]
    return subprocess.Popen(arguments, stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True)


def test_two_processes_on_one_file_share_the_limit(path):
    both = [other_process(path, seed) for seed in (1, 2)]
    with account(path, 1.0) as money:
        while any(process.poll() is None for process in both):
            assert committed(path) <= 1.0
        charged = sum(int(line) for process in both for line in process.communicate()[0].split()) / 1000
        assert [process.returncode for process in both] == [0, 0]
        assert money.spent == pytest.approx(charged, abs=1e-9)
        assert 0.99 < money.spent <= 1.0
        assert money.reserved == 0.0


def test_a_killed_process_leaves_an_account_that_covers_all_it_was_charged(path):
    draw, charged = random.Random(7), 0
    for seed in range(3):
        process = other_process(path, seed)
        charged += sum(int(process.stdout.readline()) for _ in range(draw.randint(1, 60)))
        process.kill()
        charged += sum(int(line) for line in process.communicate()[0].split())
        with account(path, 1.0) as money:
            assert money.reserved == 0.0
            assert charged / 1000 - 1e-9 <= money.spent <= 1.0


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


@pytest.fixture
def holder(path):
    process = other_process(path, 0, HOLDER)
    assert process.stdout.readline() == "ready\n"
    yield process
    process.kill()
    process.communicate()


def test_what_a_living_process_has_set_aside_stays_and_what_a_killed_one_had_is_written_off(path, holder):
    with account(path, 1.0) as money:
        assert (money.spent, money.reserved) == (0.05, 0.2)
    holder.kill()
    holder.wait()
    with account(path, 1.0) as money:
        assert (money.spent, money.uncertain, money.reserved) == (0.25, 0.2, 0.0)
    with account(path, 1.0) as money:
        assert money.spent == 0.25, "written off once"


def test_who_waits_for_a_process_that_is_killed_is_told(path, holder):
    async def wait(money):
        waiting = asyncio.create_task(money.reserve(0.85, "a large one"))
        await asyncio.sleep(0.05)
        assert not waiting.done()
        holder.kill()
        await asyncio.to_thread(holder.wait)
        await asyncio.wait_for(waiting, 60)

    with account(path, 1.0) as money, pytest.raises(BudgetExceeded, match="a large one"):
        asyncio.run(wait(money))


@pytest.mark.parametrize(
    ("amount", "text"), [(0, "$0.00"), (12.5, "$12.50"), (0.00042, "$0.00042"), (1e-9, "$0.000000001")]
)
def test_small_amounts_are_told_too(amount, text):
    assert dollars(amount) == text


@pytest.fixture
def _no_purse():
    yield
    open_purse(None)


@pytest.mark.usefixtures("_no_purse")
def test_the_purse_is_one_account_over_all_that_a_run_asks(tmp_path, monkeypatch):
    assert open_purse(None) is None and purse() is None
    file = tmp_path / "runs" / "purse.sqlite"
    first = open_purse(1.0, path=file)
    assert open_purse(1.0, path=file) is purse() is first
    flying = reserve(first, 0.75)
    wider = open_purse(2.0, path=file)
    first.settle(flying, 0.5)
    reserve(wider, 1.5)
    with pytest.raises(BudgetExceeded, match=r"\$2\.00 for all studies of 'notebooks' together.*\$0\.50 was spent"):
        reserve(wider, 1.75)
    monkeypatch.setenv("CONVENE_PURSE", "another run")
    assert (open_purse(1.0, "ours", file).name, purse().spent) == ("another run", 0.0)
    with pytest.raises(InvalidInput, match="budget_usd"):
        open_purse("5", path=file)


KEPT = """
import asyncio, sys
from support.models.money import open_purse

money = open_purse(1.0, path=sys.argv[1])
money.settle(asyncio.run(money.reserve(0.25, "a call")), 0.25)
asyncio.run(money.reserve(0.5, "a call that nobody hears of again"))
"""


@pytest.mark.usefixtures("_no_purse")
def test_a_purse_goes_on_in_the_next_process_and_counts_what_the_last_one_left(tmp_path):
    process = other_process(tmp_path / "purse.sqlite", 0, KEPT)
    assert process.wait(60) == 0
    assert [path.name for path in tmp_path.glob("*.lock")] == []
    money = open_purse(1.0, path=tmp_path / "purse.sqlite")
    assert (money.spent, money.uncertain, money.reserved) == (0.75, 0.5, 0.0)
