"""Social choice: what a group decides when every agent has filled in a ballot.

>>> from support.choice import tally
>>> result = tally("majority", {"1": "Apple", "2": "Apple", "3": "Banana"}, ["Apple", "Banana", "Carrot"])
>>> result.winner, result.why
('Apple', 'Apple wins with 2 votes (2 of 3 needed).')
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from support.choice.ballots import check_ballot
from support.choice.pref_voting import from_pref_voting
from support.choice.rules import RULES, Rule
from support.choice.tallying import Tally, tally

if TYPE_CHECKING:
    from support.choice.many import Tallies, tally_many

__all__ = ["RULES", "Rule", "Tallies", "Tally", "check_ballot", "from_pref_voting", "tally", "tally_many"]


def __getattr__(name: str) -> Any:
    """Load numpy only for those who tally arrays."""
    if name in ("Tallies", "tally_many"):
        from support.choice import many

        return getattr(many, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
