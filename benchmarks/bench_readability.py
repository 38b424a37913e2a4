"""How fast our Flesch-Kincaid grade is beside textstat's, in one run, on the same messages.

    python benchmarks/bench_readability.py

Three streams, each in its own order and with its repetitions: what rule-based agents say in 120 discussions of the
exchange economy, AMI's turns and DeliData's chat messages ($CONVENE_DATA; an error says how to get them). Both sides
have their dictionary loaded; ours begins every pass with an empty memory of words. Passes alternate, times are the
best of several in CPU seconds of this process, so that a neighbour on the machine disturbs neither side. The exit
status is 1 where a grade differs, or where the whole is less than 3 times faster.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from textstat import flesch_kincaid_grade

from support.analysis import readability
from support.analysis.conversation import messages_of, messages_of_ami, messages_of_delidata
from support.runs.study import Store
from support.simulations import simulations

PASSES, DISCUSSIONS, SEED, TARGET = 5, 20, 20_240_501, 3.0


def main() -> int:
    """Print the table; 0 when all grades agree and the target is met."""
    streams = {"rule-based": rule_based(), "AMI turns": texts(messages_of_ami), "DeliData": texts(messages_of_delidata)}
    readability.grade("Both dictionaries are loaded now.")
    flesch_kincaid_grade("Both dictionaries are loaded now.")
    print(f"{'stream':<12}{'messages':>10}{'ours':>11}{'textstat':>11}{'ratio':>8}{'largest difference':>21}")
    rows = [compare(name, stream) for name, stream in streams.items()]
    ours, theirs, difference = (sum(row[i] for row in rows) for i in range(3))
    print(f"{'all':<12}{sum(map(len, streams.values())):>10}{line(ours, theirs, difference)}")
    return 0 if difference == 0 and theirs >= TARGET * ours else 1


def rule_based() -> list[str]:
    """Messages of rule-based agents under the six rules."""
    with tempfile.TemporaryDirectory() as folder:
        store, sweep = Store(Path(folder) / "study.sqlite"), simulations("exchange_economy", DISCUSSIONS, SEED)
        asyncio.run(sweep.run(store, progress=False))
        found = texts(lambda: messages_of(sweep.records(store)))
        store.close()
    return found


def texts(load: Callable) -> list[str]:
    """The column of texts."""
    return load()["text"].tolist()


def compare(name: str, stream: Sequence[str]) -> tuple[float, float, float]:
    """Time both sides in turn, print the row; CPU seconds of each, and the largest difference."""
    times: dict[str, list[float]] = {"ours": [], "theirs": []}
    for _ in range(PASSES):
        readability.forget()
        spent, ours = timed(readability.grade, stream)
        times["ours"].append(spent)
        spent, theirs = timed(flesch_kincaid_grade, stream)
        times["theirs"].append(spent)
    difference = max(abs(a - b) for a, b in zip(ours, theirs, strict=True))
    best = min(times["ours"]), min(times["theirs"])
    print(f"{name:<12}{len(stream):>10}{line(*best, difference)}")
    return *best, difference


def timed(grade: Callable[[str], float], stream: Sequence[str]) -> tuple[float, list[float]]:
    """CPU seconds, and the grades."""
    start = time.process_time()
    grades = [grade(text) for text in stream]
    return time.process_time() - start, grades


def line(ours: float, theirs: float, difference: float) -> str:
    """One row without its name."""
    return f"{ours * 1e3:>8.0f} ms{theirs * 1e3:>8.0f} ms{theirs / ours:>7.1f}x{difference:>21g}"


if __name__ == "__main__":
    sys.exit(main())
