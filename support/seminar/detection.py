"""Replies that no policy covers: detectors that flag them, with a question."""

from __future__ import annotations

from support.seminar.desk import Desk
from support.seminar.records import Mail, Verdict


class StatedDetector:
    """Flags what a reply states as something to be decided, and replies that state
    nothing, which it cannot judge."""

    kind = "stated"

    async def check(self, mail: Mail, desk: Desk) -> Verdict:
        """A question that quotes the writer."""
        if mail.says is None:
            return Verdict(False)
        asks = mail.says.asks
        question = f"{mail.sender} asks: “{asks}” What shall I answer?"
        return Verdict(True, question) if asks else Verdict(False)


class NoDetector:
    """A floor: lets every reply pass."""

    kind = "none"

    async def check(self, mail: Mail, desk: Desk) -> Verdict:
        """Clear."""
        return Verdict(False)
