"""A sweep by two processes that are killed in their work, and what must be true after every kill."""

import multiprocessing
import random
import signal
import time
from collections import Counter

import debate
from looking import kept, reading

KILLS, UNTIL = 3, 0.4


def started(path, url, units, options):
    """A process that does the sweep, at its first step; it starts from one that has loaded everything."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(
        ["openai", "aiohttp", "pydantic", "filelock", "support.runs.sweep"]
    )
    ready = context.Event()
    process = context.Process(
        target=debate.process, args=(ready, path, url, units, options), daemon=True
    )
    process.start()
    assert ready.wait(300), f"the process ended with {process.exitcode} before it began"
    return process


def killed(server, run, path, units, **options):
    """Do a sweep of which one process, or both, are killed again and again before the server was asked for a share of
    the questions, `UNTIL`; whether it ended for want of money."""
    draw = random.Random(0)
    url, seen = server.url(run, wait=20), Seen(server, run, path)
    at_work = [started(path, url, units, options) for _ in range(2)]
    for share in (0, *sorted(draw.uniform(0, UNTIL) for _ in range(KILLS - 1))):
        seen.wait_for(share * units * debate.CALLS, at_work)
        time.sleep(draw.uniform(0, 0.03))
        for victim in draw.sample(at_work, draw.randint(1, 2)):
            victim.kill()
            victim.join()
            assert victim.exitcode in (-signal.SIGKILL, debate.PARTIAL), (
                "at work, or out of money"
            )
            at_work.remove(victim)
        seen.look(alone=not at_work)
        at_work += [started(path, url, units, options) for _ in range(2 - len(at_work))]
    at_work.append(
        started(path, url, units, options)
    )  # whoever was killed last has left nothing behind
    for process in at_work:
        process.join()
    seen.look(alone=True)
    seen.account_for_what_was_paid_twice()
    ended = {process.exitcode for process in at_work}
    assert ended <= {0, debate.PARTIAL}, ended
    return debate.PARTIAL in ended


class Seen:
    """What was kept at the last look, and what was on its way whenever a process was killed."""

    def __init__(self, server, run, path):
        self.server, self.run, self.path = server, run, path
        self.kept = {}
        self.flying = set()
        self.lines = 0

    def questions(self, event, begun=0):
        """The questions that were "asked" or "answered"."""
        lines = self.server.lines(self.run)[begun:]
        return [line["question"] for line in lines if line["event"] == event]

    def wait_for(self, count, at_work):
        """Until so many questions were asked, or nobody is left to ask, as when the
        money has come to its end."""
        deadline = time.monotonic() + 300
        while len(self.questions("asked")) < count:
            if not any(process.is_alive() for process in at_work):
                return
            assert time.monotonic() < deadline, (
                f"fewer than {count:.0f} questions in five minutes"
            )
            time.sleep(0.005)

    def look(self, alone):
        """The file is whole, holds what it held and what was answered, and nothing of it was asked for again."""
        with reading(self.path, alone) as db:
            assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        now, lines = kept(self.path, alone), self.server.lines(self.run)
        assert self.kept.items() <= now.items(), "replies are gone or changed"
        ends = [line for line in lines if line["event"] == "answered"]
        answered = {(line["question"], line["text"]) for line in ends}
        assert set(now.values()) <= answered
        before = {question for question, _ in self.kept.values()}
        assert before.isdisjoint(self.questions("asked", self.lines))
        known = {question for question, _ in now.values()}
        self.flying |= set(self.questions("asked")) - known
        self.kept, self.lines = now, len(lines)

    def account_for_what_was_paid_twice(self):
        """Only what was on its way at a kill: two calls of each of four units in each process at most."""
        again = Counter(self.questions("answered"))
        again.subtract(set(again))
        assert {question for question, count in again.items() if count} <= self.flying
        assert again.total() <= KILLS * 2 * 2 * 4
