"""Where the sending of a mail breaks off decides what is known of it; the outbox loses none and doubles none."""

import asyncio
import multiprocessing
import os
import signal

import pytest
from attacks import breaking
from attacks.breaking import (
    ANSWERED,
    BEFORE,
    CLAIMED,
    HALF,
    KEPT,
    POINTS,
    PREPARED,
    RECORD_AFTER,
    RECORD_BEFORE,
    TAKEN,
    break_off,
)

from support.errors import FateUnknown
from support.mail.mailbox import SimulatedMailbox

FORK = multiprocessing.get_context("fork")
OURS = {
    BEFORE: ("nothing", "sent", 1), PREPARED: ("prepared", "sent", 1), CLAIMED: ("sending", "uncertain", 0),
    HALF: ("sending", "uncertain", 0), TAKEN: ("sending", "uncertain", 1), ANSWERED: ("sending", "uncertain", 1),
    KEPT: ("sent", "sent", 1),
}  # fmt: skip


@pytest.fixture
def path(tmp_path):
    return tmp_path / "study.sqlite"


@pytest.mark.parametrize("point", POINTS)
def test_the_outbox_sends_once_or_lists_the_mail_for_a_person(point, path):
    fate = asyncio.run(break_off(path, point))
    assert (fate.left, fate.status, fate.copies) == OURS[point]


@pytest.mark.parametrize(
    ("order", "point", "outcome"),
    [
        (RECORD_AFTER, HALF, "arrived once"), (RECORD_AFTER, TAKEN, "arrived twice"),
        (RECORD_AFTER, KEPT, "arrived once"), (RECORD_BEFORE, PREPARED, "arrived once"),
        (RECORD_BEFORE, CLAIMED, "lost, though noted as sent"), (RECORD_BEFORE, TAKEN, "arrived once"),
    ],
)  # fmt: skip
def test_the_simple_orders_double_or_lose_what_breaks_off_in_between(order, point, outcome, path):
    assert asyncio.run(break_off(path, point, order)).outcome == outcome


class Shared(SimulatedMailbox):
    """A mailbox of several processes: a line of its file for each mail, once it may go on."""

    def __init__(self, path):
        super().__init__()
        self.file, self.there, self.go_on = path.with_suffix(".taken"), FORK.Event(), FORK.Event()

    async def send(self, recipient, message):
        self.there.set()
        assert self.go_on.wait(60)
        with self.file.open("a") as file:
            file.write(f"{recipient}\n")
        return "taken"


def process(act, *given):
    """A process that does something, begun."""
    made = FORK.Process(target=lambda: asyncio.run(act(*given)), daemon=True)
    made.start()
    return made


async def killed(path, point):
    breaking._reach = lambda at, ends: os.kill(os.getpid(), signal.SIGKILL) if at == ends else None
    await break_off(path, point)


@pytest.mark.parametrize("point", POINTS)
def test_a_process_that_is_killed_leaves_the_file_as_one_that_breaks_off(point, path):
    sender, (_, status, copies) = process(killed, path, point), OURS[point]
    sender.join(60)
    assert sender.exitcode == -signal.SIGKILL
    mailbox, known = SimulatedMailbox(), copies and point in (TAKEN, ANSWERED, KEPT)
    assert asyncio.run(breaking.again(path, mailbox)) == status
    assert len(mailbox.sent) + known == copies


def test_two_processes_that_send_the_same_mail_at_once_send_one(path):
    mailbox = Shared(path)
    mailbox.go_on.set()
    senders = [process(breaking.again, path, mailbox) for _ in range(2)]
    for sender in senders:
        sender.join(60)
    assert [sender.exitcode for sender in senders] == [0, 0]
    assert asyncio.run(breaking.again(path, mailbox)) == "sent" and mailbox.file.read_text() == "ana@example.org\n"


def test_a_living_process_that_is_sending_is_not_taken_for_a_dead_one(path):
    mailbox = Shared(path)
    slow = process(breaking.again, path, mailbox)
    assert mailbox.there.wait(60)
    with pytest.raises(FateUnknown, match="by another process at this moment"):
        asyncio.run(breaking.attempt(path, mailbox))
    mailbox.go_on.set()
    slow.join(60)
    assert asyncio.run(breaking.again(path, mailbox)) == "sent" and mailbox.file.read_text() == "ana@example.org\n"
