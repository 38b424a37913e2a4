"""A sweep whose processes are killed at random moments, and what became of it."""

from __future__ import annotations

import multiprocessing
import random
import signal
import sqlite3
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import debate
from faulty_server import Faulty
from looking import kept, missing, reading, told


@dataclass
class Killing:
    """What became of a sweep whose processes were killed; all but `kills`, `starts` and `in_flight` should be 0."""

    kills: int = 0
    starts: int = 0
    before_a_reply: int = 0
    paid_twice: int = 0
    not_in_flight: int = 0  # paid twice though neither was on its way when a process was killed
    asked_though_kept: int = 0
    replies_gone: int = 0
    replies_changed: int = 0
    damaged: int = 0
    missing: int = 0
    export_differs: int = 0
    locks_left: int = 0
    spent: float = 0.0
    partial: bool = False
    kept: dict[str, tuple[str, str]] = field(default_factory=dict, repr=False)


def _context() -> Any:
    """Processes that start from one that has loaded everything: killed are they in their work, not in imports."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["openai", "aiohttp", "pydantic", "filelock", "support.runs.sweep"])
    return context


def started(path: Path, url: str, units: int, options: dict[str, Any]) -> Any:
    """A process that does the sweep, at its first step."""
    context = _context()
    ready = context.Event()
    process = context.Process(target=debate.process, args=(ready, path, url, units, options), daemon=True)
    process.start()
    while not ready.wait(0.05):
        if not process.is_alive():
            raise RuntimeError(f"the process ended with {process.exitcode} before it began")
    return process


def opened_and_closed(path: Path) -> None:
    """Have another process open the file, and close it."""
    process = _context().Process(target=debate.look, args=(path,))
    process.start()
    process.join()
    if process.exitcode:
        raise RuntimeError(f"the process ended with {process.exitcode}")


def wait_for(server: Faulty, run: str, count: int, event: str = "answered") -> set[str]:
    """The same as `told`, once there are so many."""
    deadline = time.monotonic() + 60
    while len(found := told(server, run, event)) < count:
        if time.monotonic() > deadline:
            raise RuntimeError(f"{run}: {len(found)} {event} in a minute; expected {count}")
        time.sleep(0.02)
    return found


def uninterrupted(path: Path, url: str, units: int, **options: Any) -> float:
    """Do the sweep in one go; the seconds that it took."""
    process = started(path, url, units, options)
    begun = time.monotonic()
    process.join()
    if process.exitcode:
        raise RuntimeError(f"the sweep without kills ended with {process.exitcode}")
    return time.monotonic() - begun


def killed(
    server: Faulty, run: str, path: Path, units: int, seconds: float, draw: random.Random,
    *, processes: int = 1, most: int = 5, url: str, **options: Any,
) -> Killing:  # fmt: skip
    """Do a sweep whose processes are killed at random moments of its duration, `most` times at most."""
    seen = Killing()
    flying: set[str] = set()
    at_work: list[Any] = []
    while seen.kills < most:
        while len(at_work) < processes:
            at_work.append(started(path, url, units, options))
            seen.starts += 1
        victim = draw.choice(at_work)
        victim.join(draw.uniform(0, seconds * max(0.2, _left(path, units) / units)))
        if victim.exitcode is None:
            victim.kill()
            victim.join()
        at_work.remove(victim)
        if victim.exitcode != -signal.SIGKILL:
            seen.partial = _ended(victim) or seen.partial
            break
        seen.kills += 1
        flying |= _look(server, run, path, seen, alone=not at_work)
    for process in at_work or [started(path, url, units, options)]:
        process.join()
        seen.partial = _ended(process) or seen.partial
    if processes > 1 and not seen.partial:  # whoever was killed last has left nothing behind
        seen.partial = _ended(_joined(started(path, url, units, options))) or seen.partial
    _look(server, run, path, seen, alone=True)
    twice = Counter(line["question"] for line in server.lines(run) if line["event"] == "answered")
    seen.paid_twice = sum(count - 1 for count in twice.values())
    seen.not_in_flight = sum(count > 1 and question not in flying for question, count in twice.items())
    seen.missing = missing(path, units)
    seen.locks_left = len(list(path.parent.glob(f"{path.name}.run-*")))
    return seen


def _joined(process: Any) -> Any:
    process.join()
    return process


def _ended(process: Any) -> bool:
    """Whether it ended for want of money; an error if it ended in any way that it should not."""
    if process.exitcode not in (0, debate.PARTIAL):
        raise RuntimeError(f"a process that was not killed ended with {process.exitcode}")
    return process.exitcode == debate.PARTIAL


def _left(path: Path, units: int) -> int:
    try:
        with reading(path) as db:
            return units - db.execute("SELECT count(*) FROM units WHERE status = 'done'").fetchone()[0]
    except sqlite3.OperationalError:  # killed before the tables were made
        return units


def _look(server: Faulty, run: str, path: Path, seen: Killing, alone: bool) -> set[str]:
    """Compare what is kept with what was kept before and with what was sent; the questions answered and not kept."""
    with reading(path, alone) as db:
        seen.damaged += db.execute("PRAGMA integrity_check").fetchone()[0] != "ok"
    now = kept(path, alone)
    seen.before_a_reply += not now
    seen.replies_gone += len(seen.kept.keys() - now.keys())
    seen.replies_changed += sum(now[key] != seen.kept[key] for key in seen.kept.keys() & now.keys())
    lines = server.lines(run)
    sent = {(line["question"], line["text"]) for line in lines if line["event"] == "answered"}
    seen.replies_changed += sum(reply not in sent for reply in now.values() if reply not in seen.kept.values())
    seen.asked_though_kept += _asked_again(lines, seen)
    seen.kept = now
    held = {question for question, _ in now.values()}
    return {line["question"] for line in lines if line["event"] == "asked"} - held


def _asked_again(lines: list[dict[str, Any]], seen: Killing) -> int:
    """Questions asked anew after a look that found their replies kept."""
    begun = seen.__dict__.setdefault("looked_at", 0)
    seen.__dict__["looked_at"] = len(lines)
    held = {question for question, _ in seen.kept.values()}
    return sum(line["event"] == "asked" and line["question"] in held for line in lines[begun:])
