"""What a check of the conformance test saw."""

from __future__ import annotations

from typing import Literal, NamedTuple


class Seen(NamedTuple):
    """What a check saw.

    `verdict` is "ok", "no", or "note": worth knowing, and nothing that keeps a study from running. `brief` is its word
    in the closing sentence.
    """

    verdict: Literal["ok", "no", "note"]
    said: str
    brief: str = ""


def brief(said: object, most: int = 150) -> str:
    """The beginning of what was said, on one line."""
    line = " ".join(str(said).split())
    return line if len(line) <= most else f"{line[: most - 1]}…"
