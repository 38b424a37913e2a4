"""How much a sweep takes: numbers with their range, and what they rest on."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from html import escape
from typing import TYPE_CHECKING

from support.money.budget import dollars

if TYPE_CHECKING:
    import pandas as pd

LEVELS = ("low", "expected", "high", "worst")


@dataclass(frozen=True, slots=True)
class Range:
    """A number that is not known yet.

    `low` and `high` are the totals if each unit were like the least and the most of its setting that was looked at;
    `worst`, if besides every reply had all its `max_tokens` and were asked again as often as is allowed.
    """

    low: float
    expected: float
    high: float
    worst: float


@dataclass(frozen=True)
class Estimate:
    """What the units of a sweep that are not finished yet will take.

    Attributes
    ----------
    sweep, model, endpoint : str
    units, finished : int
        Units to do, and those that are left out because they are done.
    sampled, measured : int
        Units that were played for the estimate, and finished ones whose calls were used.
    calls, prompt_tokens, completion_tokens : Range
        Calls include the repairs of replies that did not fit.
    usd : Range or None
        US dollars; None where the model has no price.
    seconds : Range
        By the clock on the wall.
    repairs : int
        Replies drawn for the sample that the study refused.
    assumptions : tuple of str
        What the numbers rest on, a sentence each.
    """

    sweep: str
    model: str
    endpoint: str
    units: int
    finished: int
    sampled: int
    measured: int
    calls: Range
    prompt_tokens: Range
    completion_tokens: Range
    usd: Range | None
    seconds: Range
    repairs: int
    assumptions: tuple[str, ...]

    def table(self) -> pd.DataFrame:
        """One row for each of calls, tokens, US dollars and seconds; dollars are missing where there is no price."""
        import pandas as pd

        rows = {
            "calls": self.calls,
            "prompt tokens": self.prompt_tokens,
            "completion tokens": self.completion_tokens,
            "US dollars": self.usd,
            "seconds": self.seconds,
        }
        cells = [[what, *(getattr(known, level, float("nan")) for level in LEVELS)] for what, known in rows.items()]
        return pd.DataFrame(cells, columns=["what", *LEVELS])

    def __str__(self) -> str:
        rows = [
            f"  {what:<18}{mean:>14}   ({low} to {high}; worst {worst})"
            for what, low, mean, high, worst in self._said()
        ]
        return "\n".join((self._title(), *rows, "Assumes:", *(f"  - {sentence}" for sentence in self.assumptions)))

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{name}</th>" for name in ("", *LEVELS))
        rows = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in self._said())
        why = "".join(f"<li>{escape(sentence)}</li>" for sentence in self.assumptions)
        return (
            "<table class='tex2jax_ignore mathjax_ignore'>"  # MathJax takes the text between two dollars for a formula
            f"<caption>{escape(self._title())}</caption><tr>{head}</tr>{rows}</table>"
            f"<details><summary>What this assumes</summary><ul>{why}</ul></details>"
        )

    def _title(self) -> str:
        done = f", {self.finished} are finished" if self.finished else ""
        return f"{self.sweep!r} with {self.model} at {self.endpoint}: {self.units} units to do{done}"

    def _said(self) -> list[tuple[str, ...]]:
        """What the table says, as people read it, in the order of `LEVELS`."""
        whole = {"calls": self.calls, "prompt tokens": self.prompt_tokens, "completion tokens": self.completion_tokens}
        rows = [(what, *(f"{value:,.0f}" for value in _values(known))) for what, known in whole.items()]
        money = map(dollars, _values(self.usd)) if self.usd else ["no price"] * len(LEVELS)
        times = (str(timedelta(seconds=round(value))) for value in _values(self.seconds))
        return [*rows, ("money", *money), ("time", *times)]


def _values(known: Range) -> list[float]:
    return [getattr(known, level) for level in LEVELS]
