"""What it takes to negotiate: three methods, asked once a round each."""

from __future__ import annotations

from typing import Protocol

from support.records import Ballot, Message, Proposal, View


class Negotiator(Protocol):
    """An agent at the round table (RoundTable, section 3.1). `kind` says who thinks: it goes into every record.

    `Proposal.value` is whatever the environment's `validate` takes (for the exchange economy rows of amounts, or
    {agent: {good: amount}}). `Ballot.choice` has the form that `view.form` names: the id of a candidate ("vote"),
    ids from best to worst ("ranking"), or (id, number) pairs ("ratings", "points"); None abstains. An agent that
    splits evenly and votes for its own proposal:

    >>> from support.records import Ballot, Proposal
    >>> class EvenSplitter:
    ...     kind = "even splitter"
    ...     def __init__(self, economy, me):
    ...         self.economy, self.me = economy, me
    ...     async def message(self, view):
    ...         return None
    ...     async def propose(self, view):
    ...         return Proposal(self.me, self.economy.even_split)
    ...     async def vote(self, view):
    ...         return Ballot(self.me, next(c.id for c in view.candidates if self.me in c.proposers))
    """

    kind: str

    async def message(self, view: View) -> Message | None:
        """Say something to some of the others, or nothing."""

    async def propose(self, view: View) -> Proposal | None:
        """Propose a state of the world, or let the latest proposal stand."""

    async def vote(self, view: View) -> Ballot:
        """Fill in a ballot of `view.rule` over `view.candidates`; choice None abstains."""
