"""What it takes to negotiate: three methods, asked once a round each."""

from __future__ import annotations

from typing import Protocol

from support.records import Ballot, Message, Proposal, View


class Negotiator(Protocol):
    """An agent at the round table (RoundTable, section 3.1). `kind` says who thinks: it goes into every record."""

    kind: str

    async def message(self, view: View) -> Message | None:
        """Say something to some of the others, or nothing."""

    async def propose(self, view: View) -> Proposal | None:
        """Propose a state of the world, or let the latest proposal stand."""

    async def vote(self, view: View) -> Ballot:
        """Fill in a ballot of `view.rule` over `view.candidates`; choice None abstains."""
