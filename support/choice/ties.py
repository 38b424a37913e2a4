"""What happens when several candidates share the top: deferred as in the paper, or another tie-break by choice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, get_args

from support.choice.rules import Candidate
from support.errors import InvalidInput

if TYPE_CHECKING:
    from numpy.random import Generator

TieBreak = Literal["defer", "status_quo", "lottery"]


def check_tie_break(tie_break: str, rng: Generator | None) -> None:
    """Refuse an unknown tie-break, and a lottery without a generator, before anything is counted."""
    if tie_break not in get_args(TieBreak):
        raise InvalidInput(f"tie_break: got {tie_break!r}, expected one of {', '.join(get_args(TieBreak))}.")
    if tie_break == "lottery" and not hasattr(rng, "integers"):
        raise InvalidInput(
            f"rng: got {rng!r}, expected a numpy Generator, which the lottery draws from. "
            "Pass rng=numpy.random.default_rng(seed)."
        )


def break_tie(
    tied: Sequence[Candidate], tie_break: TieBreak, standing: Candidate | None, rng: Generator | None
) -> tuple[Candidate | None, str]:
    """Who wins the tie, None when it is deferred, and the words that say how it was decided.

    The lottery draws by the place in the list of candidates, so that the order of ballots cannot change it.
    """
    if tie_break == "lottery" and rng is not None:
        return tied[int(rng.integers(len(tied)))], "drawn by lottery (tie-break lottery)"
    if tie_break == "status_quo" and standing in tied:
        return standing, "kept as the status quo (tie-break status_quo)"
    if tie_break == "status_quo":
        return None, "no status quo is among them (tie-break status_quo)"
    return None, ""
