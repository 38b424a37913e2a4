"""Replies that no policy covers: detectors that flag them without a language model."""

from __future__ import annotations

from support.seminar.desk import Desk
from support.seminar.records import Mail, Verdict


class StatedDetector:
    """Flags what a reply says that somebody has to decide about, and a reply that nobody
    could read, which it cannot judge."""

    kind = "stated"

    async def check(self, mail: Mail, desk: Desk) -> Verdict:
        """A question that quotes what is asked."""
        if mail.says is None:
            return Verdict(
                True, f"Nobody could read the mail of {mail.sender}. What now?"
            )
        question = f"{mail.sender} asks: “{mail.says.asks}” What shall I answer?"
        return Verdict(True, question) if mail.says.asks else Verdict(False)


class NoDetector:
    """A floor: lets every reply pass."""

    kind = "none"

    async def check(self, mail: Mail, desk: Desk) -> Verdict:
        """Clear."""
        return Verdict(False)
