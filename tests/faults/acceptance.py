"""The long runs behind the tests of this folder: python tests/faults/acceptance.py faults|kills|budgets|all"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections import Counter
from dataclasses import asdict
from pathlib import Path

import debate
import killing
import looking
import trials
from faulty_server import Faulty, serving

SHARE = 1 / 3


def faults(server: Faulty, folder: Path, units: int = 200) -> None:
    """200 units, a third of the answers faults; patiently, and with what `connect` does by default."""
    debate.run(folder / "calm.sqlite", server.url("calm"), units, concurrency=8)
    calm = looking.results(folder / "calm.sqlite", units)
    for name, patience in (("patient", trials.PATIENT), ("default", trials.HURRY)):
        path, url, begun = folder / f"{name}.sqlite", server.url(name, SHARE, 7), time.time()
        debate.run(path, url, units, concurrency=8, **patience)
        print(f"\n{name}, {patience}: {units} units, {time.time() - begun:.0f} s")
        _fault_table(server, name, path, units)
        _same(looking.results(path, units), calm, units)
    before = len(server.lines("default"))
    counts = debate.run(path, url, units, retry_failed=True, concurrency=8, **trials.PATIENT)
    again = [line for line in server.lines("default")[before:] if line["event"] == "asked"]
    print(f"\nagain with retry_failed=True and repairs=4: {dict(counts)}; {len(again)} questions sent")
    _same(looking.results(path, units), calm, units)


def _fault_table(server: Faulty, run: str, path: Path, units: int) -> None:
    made, (survived, lost) = trials.made(server, run), trials.met(path, units)
    print(f"{'kind':20} {'made':>6} {'met':>6} {'survived':>9} {'lost':>6}")
    for kind in sorted(set(made) - {""} | set(survived) | set(lost)):
        met = survived[kind] + lost[kind]
        print(f"{kind:20} {made[kind]:6} {met:6} {survived[kind]:9} {lost[kind]:6}")
    wrong, all_ = sum(n for kind, n in made.items() if kind), sum(made.values())
    print(f"{wrong} of {all_} answers were faults ({wrong / all_:.1%}); 'lost' are those met in units that failed")


def _same(found: dict, calm: dict, units: int) -> None:
    equal = sum(found.get(unit) == record for unit, record in calm.items())
    print(f"units done: {len(found)} of {units}; equal to those of the run without faults: {equal}")


def kills(server: Faulty, folder: Path, wanted: int = 50, units: int = 40) -> None:
    """50 kills each: one process; two on one store; one, with a third of the answers faults."""
    ways = (
        ("one process", 1, 0.0, {}),
        ("two processes on one store", 2, 0.0, {}),
        ("two processes, a third of the answers faults", 2, SHARE, trials.PATIENT),
    )
    for name, processes, share, options in ways:
        base = f"whole{processes}{share:.1f}"
        url = server.url(base, share, 3, wait=40)
        seconds = killing.uninterrupted(folder / f"{base}.sqlite", url, units, **options)
        whole, total, sweeps = looking.exported(folder / f"{base}.sqlite"), Counter(), 0
        while total["kills"] < wanted:
            run = f"kill{processes}{share:.1f}.{sweeps}"
            path, url, draw = folder / f"{run}.sqlite", server.url(run, share, 3, wait=40), random.Random(run)
            most = min(draw.randint(3, 6), wanted - total["kills"])
            seen = killing.killed(
                server, run, path, units, seconds / processes, draw, processes=processes, most=most, url=url, **options
            )
            seen.export_differs = looking.exported(path) != whole
            counts = {key: value for key, value in asdict(seen).items() if isinstance(value, int)}
            total.update({**counts, "replies": len(seen.kept)})
            sweeps += 1
        print(f"\n{name}: {sweeps} sweeps of {units} units, {seconds:.1f} s each when left alone")
        for key, value in total.items():
            print(f"  {key:20} {value:6}")


def budgets(server: Faulty, folder: Path, sweeps: int = 100, units: int = 10) -> None:
    """100 sweeps with a budget at a random point; 40 with faults; 20 whose two processes are killed."""
    debate.run(folder / "free.sqlite", server.url("free"), units)
    whole, cost = looking.exported(folder / "free.sqlite"), trials.charged(server, "free")
    print(f"\nbudgets: sweeps of {units} units; the whole costs ${cost:.6f}, budgets from 0 to 1.2 times as much")
    hasty = {**trials.PATIENT, "timeout": 0.7}
    for name, count, share, options in (
        ("without faults", sweeps, 0.0, {}),
        ("a third of the answers faults", sweeps * 2 // 5, SHARE, hasty),
    ):
        tried = []
        for number in range(count):
            run = f"budget{share:.1f}.{number}"
            path, url, budget = _place(server, folder, run, share, number, cost)
            tried.append(trials.budgeted(server, run, path, units, budget, whole, url=url, **options))
        _spending_table(name, tried)
    tried, kills = [], 0
    for number in range(sweeps // 5):
        run, draw = f"budgetkill.{number}", random.Random(number)
        path, url, budget = _place(server, folder, run, 0.0, number, cost)
        seen, spent = trials.budget_killed(server, run, path, units, budget, whole, draw, url=url)
        kills += seen.kills
        tried.append(spent)
    _spending_table(f"two processes at once, {kills} of them killed", tried)


def _place(server: Faulty, folder: Path, run: str, share: float, seed: int, cost: float) -> tuple[Path, str, float]:
    path = folder / run / "s.sqlite"
    path.parent.mkdir()
    wait = 100 if "kill" in run else 0
    return path, server.url(run, share, seed, wait), random.Random(run).uniform(0, 1.2 * cost)


def _spending_table(name: str, tried: list[trials.Spending]) -> None:
    used = [t.charged / t.budget for t in tried if t.raised]
    ended, counted = sum(t.raised for t in tried), [t.spent / t.budget for t in tried if t.raised]
    print(f"{name}: {len(tried)} sweeps, {ended} ended by their budget, {len(tried) - ended} done")
    print(f"  charged more than the budget:       {sum(t.charged > t.budget for t in tried)}")
    print(f"  counted less than was charged:      {sum(t.spent < t.charged - 1e-9 for t in tried)}")
    print(f"  counted more than the budget:       {sum(t.spent > t.budget for t in tried)}")
    print(f"  BudgetExceeded without units left:  {sum(t.raised and not t.missing for t in tried)}")
    print(f"  units left without BudgetExceeded:  {sum(bool(t.missing) and not t.raised for t in tried)}")
    print(f"  finished units that were not kept:  {sum(not t.kept for t in tried)}")
    print(f"  final export differs:               {sum(not t.same for t in tried)}")
    if used:
        mean = sum(used) / len(used), sum(counted) / len(counted)
        print(f"  charged of the budget when it ended: {mean[0]:.0%} in the mean, {max(used):.0%} at most;")
        print(f"    counted, the unanswered at their worst: {mean[1]:.0%}", flush=True)


def main() -> None:
    """Run what is asked for."""
    ways = {way.__name__: way for way in (faults, kills, budgets)}
    for name in sys.argv[1:] if sys.argv[1:] != ["all"] else ways:
        with tempfile.TemporaryDirectory() as folder, serving(Path(folder)) as server:
            begun = time.time()
            ways[name](server, Path(folder))
            print(f"\n{name}: {time.time() - begun:.0f} s", flush=True)


if __name__ == "__main__":
    main()
