"""The edge-case detector: is a reply covered by the policies, or has somebody to decide?"""

from __future__ import annotations

from typing import Protocol

from support.environments.seminar.policies import PolicySet
from support.environments.seminar.views import Verdict


class Detector(Protocol):
    """Who reads replies for what no policy covers."""

    @property
    def kind(self) -> str:
        """Which kind sits here, for records."""

    async def check(self, reply: str, policies: PolicySet, context: str = "") -> Verdict:
        """Clear, or a flag with a question; `context` is what is known so far, in words."""
