"""A process that is killed at any point of sending a mail: the outbox loses none without a
word, and doubles none."""

import asyncio
import multiprocessing
import os
import signal

import pytest
from attacks import breaking
from attacks.breaking import ANSWERED, KEPT, POINTS, TAKEN

from support.errors import FateUnknown
from support.mail.mailbox import SimulatedMailbox

FORK = multiprocessing.get_context("fork")
ONCE, UNSEEN, SEEN = ("sent", 1), ("uncertain", 0), ("uncertain", 1)
FATES = dict(zip(POINTS, [ONCE, ONCE, UNSEEN, UNSEEN, SEEN, SEEN, ONCE], strict=True))
"""For each point what our file says in the end, and how many copies arrived."""


@pytest.fixture
def path(tmp_path):
    return tmp_path / "study.sqlite"


def process(act, *given):
    """A process that does something, begun."""
    made = FORK.Process(target=lambda: asyncio.run(act(*given)), daemon=True)
    made.start()
    return made


async def killed(path, point):
    def reach(at, ends):
        if at == ends:
            os.kill(os.getpid(), signal.SIGKILL)

    breaking._reach = reach
    await breaking.break_off(point, path=path)


@pytest.mark.parametrize("point", POINTS)
def test_a_mail_goes_once_or_is_listed_for_a_person(point, path):
    sender = process(killed, path, point)
    sender.join(60)
    assert sender.exitcode == -signal.SIGKILL
    mailbox, known = SimulatedMailbox(), point in (TAKEN, ANSWERED, KEPT)
    status = asyncio.run(breaking.again(path, mailbox))
    assert (status, len(mailbox.sent) + known) == FATES[point]
    fate = asyncio.run(breaking.break_off(point))
    assert (fate.status, fate.copies) == FATES[point], "what notebook 91 shows"


class Shared(SimulatedMailbox):
    """A mailbox of several processes: a line of its file for each mail, once it may go."""

    def __init__(self, path):
        super().__init__()
        self.file, self.there = path.with_suffix(".taken"), FORK.Event()
        self.go_on = FORK.Event()

    async def send(self, recipient, message):
        self.there.set()
        assert self.go_on.wait(60)
        with self.file.open("a") as file:
            file.write(f"{recipient}\n")
        return "taken"


def test_a_mail_that_several_living_processes_send_goes_once(path):
    mailbox = Shared(path)
    senders = [process(breaking.again, path, mailbox) for _ in range(2)]
    assert mailbox.there.wait(60)
    at_work = pytest.raises(FateUnknown, match="by another process at this moment")
    with breaking._outbox(path) as outbox, at_work:
        asyncio.run(breaking._send(outbox, mailbox))
    mailbox.go_on.set()
    for sender in senders:
        sender.join(60)
        assert sender.exitcode == 0
    assert asyncio.run(breaking.again(path, mailbox)) == "sent"
    assert mailbox.file.read_text() == "ana@example.org\n"
