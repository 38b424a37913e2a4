"""A mailbox in memory, for rehearsals and tests: nothing leaves the machine, and nothing is kept."""

from __future__ import annotations

from collections.abc import Iterable

from support.mail.letters import RAW, Fetched
from support.mail.mailbox import SIMULATED


class SimulatedMailbox:
    """Takes every mail, and shows what was delivered to it.

    `faults`: what happens to each mail in turn, for tests: an exception is raised and the mail is not taken, None lets
    it pass; when they are used up, every mail passes. `sent`: recipient and message of each mail that was taken.
    """

    kind = SIMULATED

    def __init__(self, faults: Iterable[BaseException | None] = ()) -> None:
        self.sent: list[tuple[str, bytes]] = []
        self._faults = iter(faults)
        self._there: list[Fetched] = []

    async def send(self, recipient: str, message: bytes) -> str:
        """Take it, unless a fault is due."""
        if (fault := next(self._faults, None)) is not None:
            raise fault
        self.sent.append((recipient, message))
        return "taken by the simulated mailbox"

    def deliver(self, message: bytes) -> str:
        """Put a message where `fetch` finds it; its key, which the same messages in the same order always get."""
        key = f"simulated.{len(self._there) + 1}"
        self._there.append(Fetched(key, message[:RAW], len(message)))
        return key

    async def fetch(self, after: str = "") -> list[Fetched]:
        """All that was delivered, oldest first; after the one with that key, if there is such a one."""
        keys = [message.key for message in self._there]
        return self._there[keys.index(after) + 1 :] if after in keys else list(self._there)
