"""How fast models are called, beside the openai package, autogen-ext and inspect_ai, in one run.

    python benchmarks/bench_calls.py [ROUNDS]

Every client is a process of its own, kept for the whole run, and so is the server (local_server.py), so that the CPU
of a call is its client's alone. Clients take turns within each round, after a few calls that are not counted; times
are medians over the rounds with the lowest and highest beside them, ratios are taken within a round, where both sides
had the same neighbours on the machine. Questions have about 3000 letters, answers 80 words.

1. 640 calls, 64 in flight, to a server that takes 1 s: what an ideal client takes is 10 s.
2. 64 in flight to a server that takes no time: calls a second beside the openai package with its default transport.
3. The client's own CPU a call, of all clients. Peers run from build/peers (benchmarks/peers.txt), which `make bench`
   makes; one that is not there is said so. Retries, limits and caches are as each client has them by default; autogen's
   and inspect_ai's clients log every call and ours validates and accounts for it, which is part of what they are.

It exits with 0 also where a target is missed: the table says so, and a busy machine is no fault.
"""

from __future__ import annotations

import os
import platform
import statistics
import sys
import tempfile
import urllib.request
from pathlib import Path

from local_server import serving
from peer_calls import CLIENTS, IN_FLIGHT, ROOT, Client, clients

ROUNDS, CALLS, WARM, SLOW_CALLS = 5, 768, 128, 640
EFFICIENCY, SPEED = 0.9, 1.3
OURS, THEIRS, CACHED = "convene", "openai, default transport", "convene, with a cache"
Spent = dict[str, list[dict[str, float]]]


def main() -> None:
    """Run all three, print the tables."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    print(
        f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, Python {platform.python_version()}, {rounds} rounds"
    )
    with serving() as url, clients(list(CLIENTS)) as started:
        slow(started, f"{url}/1000/v1", f"{url}/0/v1")
        before = served(url)
        spent = fast(started, f"{url}/0/v1", rounds)
        made = sum(map(len, spent.values())) * (CALLS + WARM)
        print(
            f"\nthe server took {(served(url) - before) / made * 1e6:.0f} µs of CPU a call, on its own clock"
        )
        report(spent, {name: client.version for name, client in started.items()})


def slow(started: dict[str, Client], url: str, warm: str) -> None:
    """64 in flight against 1 s."""
    ideal = SLOW_CALLS / IN_FLIGHT
    print(
        f"\n1. {SLOW_CALLS} calls, {IN_FLIGHT} in flight, 1 s each: the ideal is {ideal:.1f} s"
    )
    for name in (OURS, THEIRS):
        started[name].calls(
            warm, 1
        )  # the package is loaded; every connection is still to be opened
        run = started[name].calls(url, SLOW_CALLS)
        took = run["wall"]
        wanted = (
            f"  wanted {EFFICIENCY}: {verdict(ideal / took >= EFFICIENCY)}"
            if name == OURS
            else ""
        )
        noise = f" (ready without a core for {run['queued']:.1f} s)"
        print(
            f"   {name:<28}{took:>7.2f} s, {ideal / took:.3f} of the ideal{wanted}{noise}"
        )


def fast(started: dict[str, Client], url: str, rounds: int) -> Spent:
    """Every client in every round, ours also with a cache that has none of the replies yet."""
    spent: Spent = {}
    with tempfile.TemporaryDirectory(dir=scratch()) as folder:
        for number in range(rounds):
            order = list(started.items())
            for name, client in (
                order[number % len(order) :] + order[: number % len(order)]
            ):
                client.calls(url, WARM)
                spent.setdefault(name, []).append(client.calls(url, CALLS))
            first = number * (CALLS + WARM)
            started[OURS].calls(url, WARM, first, Path(folder))
            spent.setdefault(CACHED, []).append(
                started[OURS].calls(url, CALLS, first + WARM, Path(folder))
            )
    return spent


def report(spent: Spent, versions: dict[str, str]) -> None:
    """Tables 2 and 3 from the same rounds."""
    print(
        f"\n2. {CALLS} calls a round, {IN_FLIGHT} in flight, a server that takes no time: calls a second"
    )
    for name in (OURS, CACHED, THEIRS):
        print(
            f"   {name:<28}{within([CALLS / run['wall'] for run in spent[name]], '7.0f')}"
        )
    for name in (OURS, CACHED):
        ratios = [
            b["wall"] / a["wall"]
            for a, b in zip(spent[name], spent[THEIRS], strict=True)
        ]
        passed = (
            f"  wanted {SPEED}: {verdict(statistics.median(ratios) >= SPEED)}"
            if name == OURS
            else ""
        )
        print(f"   {name} / {THEIRS}: {within(ratios, '.2f')}{passed}")
    print("\n3. The client's CPU, milliseconds a call, and beside ours")
    for name in sorted(
        spent, key=lambda name: statistics.median(run["cpu"] for run in spent[name])
    ):
        cpu = [run["cpu"] / CALLS * 1e3 for run in spent[name]]
        ratios = [
            b["cpu"] / a["cpu"] for a, b in zip(spent[OURS], spent[name], strict=True)
        ]
        print(
            f"   {name:<28}{within(cpu, '6.2f'):<24} x {within(ratios, '.2f'):<22}{versions.get(name, '')}"
        )


def within(values: list[float], form: str) -> str:
    """The median, and the lowest and highest."""
    return f"{statistics.median(values):{form}} ({min(values):{form.lstrip('67')}} to {max(values):{form.lstrip('67')}})"


def verdict(passed: bool) -> str:
    """How it is said in the tables."""
    return "PASS" if passed else "SHORT OF IT"


def scratch() -> Path:
    """A folder on the disk of the working tree: a folder for temporary files may be in memory."""
    (ROOT / "build").mkdir(exist_ok=True)
    return ROOT / "build"


def served(url: str) -> float:
    """CPU seconds of the server so far."""
    with urllib.request.urlopen(f"{url}/0/cpu") as answer:
        return float(answer.read())


if __name__ == "__main__":
    main()
