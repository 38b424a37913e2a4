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
    PREPARED,
    RECORD_AFTER,
    RECORD_BEFORE,
    TAKEN,
)

from support.errors import FateUnknown
from support.mail.mailbox import SimulatedMailbox

FORK = multiprocessing.get_context("fork")
ONCE, TWICE, LOST = "arrived once", "arrived twice", "lost, though noted as sent"
FATES = {  # what our file says then and in the end, how many copies arrive; what becomes of it by the simple orders
    BEFORE: ("nothing", "sent", 1, ONCE, ONCE),
    PREPARED: ("prepared", "sent", 1, ONCE, ONCE),
    CLAIMED: ("sending", "uncertain", 0, ONCE, LOST),
    HALF: ("sending", "uncertain", 0, ONCE, LOST),
    TAKEN: ("sending", "uncertain", 1, TWICE, ONCE),
    ANSWERED: ("sending", "uncertain", 1, TWICE, ONCE),
    KEPT: ("sent", "sent", 1, ONCE, ONCE),
}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "study.sqlite"


def process(act, *given):
    """A process that does something, begun."""
    made = FORK.Process(target=lambda: asyncio.run(act(*given)), daemon=True)
    made.start()
    return made


async def killed(path, point):
    breaking._reach = lambda at, ends: (
        os.kill(os.getpid(), signal.SIGKILL) if at == ends else None
    )
    await breaking.break_off(path, point)


@pytest.mark.parametrize("point", FATES)
def test_the_outbox_sends_once_or_lists_the_mail_for_a_person_and_the_simple_orders_double_or_lose(
    point, path
):
    left, status, copies, after, before = FATES[point]
    fate = asyncio.run(breaking.break_off(path, point))
    assert (fate.left, fate.status, fate.copies) == (left, status, copies)
    simple = [
        asyncio.run(breaking.break_off(path, point, order))
        for order in (RECORD_AFTER, RECORD_BEFORE)
    ]
    assert [one.outcome for one in simple] == [after, before]
    other = path.with_name("killed.sqlite")
    sender = process(killed, other, point)
    sender.join(60)
    assert sender.exitcode == -signal.SIGKILL
    mailbox, known = SimulatedMailbox(), copies and point in (TAKEN, ANSWERED, KEPT)
    assert asyncio.run(breaking.again(other, mailbox)) == status, (
        "a killed process leaves what one that breaks off does"
    )
    assert len(mailbox.sent) + known == copies


class Shared(SimulatedMailbox):
    """A mailbox of several processes: a line of its file for each mail, once it may go on."""

    def __init__(self, path):
        super().__init__()
        self.file, self.there, self.go_on = (
            path.with_suffix(".taken"),
            FORK.Event(),
            FORK.Event(),
        )

    async def send(self, recipient, message):
        self.there.set()
        assert self.go_on.wait(60)
        with self.file.open("a") as file:
            file.write(f"{recipient}\n")
        return "taken"


def test_a_mail_that_several_living_processes_send_goes_once_and_is_not_taken_for_a_dead_ones(
    path,
):
    mailbox = Shared(path)
    senders = [process(breaking.again, path, mailbox) for _ in range(2)]
    assert mailbox.there.wait(60)
    with pytest.raises(FateUnknown, match="by another process at this moment"):
        asyncio.run(breaking.attempt(path, mailbox))
    mailbox.go_on.set()
    for sender in senders:
        sender.join(60)
    assert [sender.exitcode for sender in senders] == [0, 0]
    assert (
        asyncio.run(breaking.again(path, mailbox)) == "sent"
        and mailbox.file.read_text() == "ana@example.org\n"
    )
