"""A budget is kept by the endpoint's own count: with faults, over kills, by two processes; what is finished stays."""

import debate
import killing
import pytest
from looking import account, charged, exported, results

from support.errors import BudgetExceeded

UNITS = 6


@pytest.fixture(scope="module")
def free(faulty, tmp_path_factory):
    """The sweep without a budget: its export, and what it costs."""
    path = tmp_path_factory.mktemp("free") / "s.sqlite"
    debate.run(path, faulty.url("free"), UNITS)
    return exported(path, UNITS), charged(faulty, "free")


@pytest.fixture
def check(faulty, tmp_path, free):
    """A function: a run kept its budget by the server's count, and a larger one ends the sweep with what there was."""

    def kept(run, url, budget, partial, **options):
        path = tmp_path / "s.sqlite"
        assert charged(faulty, run) <= account(path) + 1e-9 <= budget + 2e-9
        before = results(path, UNITS)
        assert partial == (len(before) < UNITS)
        debate.run(path, url, UNITS, budget_usd=budget + 10, **options)
        assert before.items() <= results(path, UNITS).items()
        assert exported(path, UNITS) == free[0]

    return kept


@pytest.mark.parametrize("share", [0, 1 / 3])
def test_what_is_charged_never_exceeds_the_budget_and_a_larger_one_ends_the_sweep(
    faulty, tmp_path, free, check, share
):
    run, budget = f"budget{share:g}", 0.5 * free[1]
    url = faulty.url(run, share)
    given = {"repairs": 4, "max_retries": 8, "prices": debate.priced(tmp_path)}
    given["timeout"] = 0.7 if share else 60  # a busy machine's would be uncertain
    with pytest.raises(BudgetExceeded):
        debate.run(tmp_path / "s.sqlite", url, UNITS, budget_usd=budget, **given)
    if not share:  # and nothing is uncertain
        assert account(tmp_path / "s.sqlite") == pytest.approx(
            charged(faulty, run), abs=1e-6
        )
    check(run, url, budget, True, **given)


def test_a_budget_holds_over_kills_of_two_processes_that_share_it(
    faulty, tmp_path, free, check
):
    given, budget = {"prices": debate.priced(tmp_path)}, 0.9 * free[1]
    path = tmp_path / "s.sqlite"
    partial = killing.killed(faulty, "kills", path, UNITS, budget_usd=budget, **given)
    check("kills", faulty.url("kills", wait=20), budget, partial, **given)
