"""What all reconstructions of a printed table say: a conclusion holds where they agree, and not where they differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from math import prod
from numbers import Integral

import numpy as np
import pandas as pd

from support.analysis.surveys.sources import RECONSTRUCTED, Reconstructed
from support.errors import InvalidInput

Verdict = bool | int | str
Question = Callable[..., Verdict]
"""Takes one array of answers for each reconstructed cell, returns what is concluded from them."""
OPEN = "open"
"""The verdict of `between_groups` where reconstructions disagree."""


@dataclass(frozen=True)
class Conclusion:
    """What the reconstructions say.

    Parameters
    ----------
    agree : bool
        All that were asked give the same verdict.
    verdicts : dict
        From a verdict to the share of the combinations that give it. Reconstructions are not equally likely: a share
        is no probability.
    asked, there : int
        Combinations asked, and how many the reconstructions make.
    complete : bool
        Every possible sample was asked: all combinations, of complete enumerations. Only then is agreement a proof.
    """

    agree: bool
    verdicts: dict[Verdict, float]
    asked: int
    there: int
    complete: bool

    @property
    def sentence(self) -> str:
        """The conclusion in words."""
        extent = f"all {self.asked}" if self.complete else f"{self.asked} (not all)"
        if self.agree:
            proof = "" if self.complete else "; others may differ"
            return f"{extent} reconstructions agree: {next(iter(self.verdicts))}{proof}"
        shares = ", ".join(f"{verdict} in {share:.1%}" for verdict, share in self.verdicts.items())
        return f"{extent} reconstructions disagree ({shares}): the printed numbers leave it open"

    def frame(self) -> pd.DataFrame:
        """Tidy: verdict, share, agree, asked, there, complete, source ("reconstructed")."""
        rows = [{"verdict": verdict, "share": share} for verdict, share in self.verdicts.items()]
        told = {"agree": self.agree, "asked": self.asked, "there": self.there, "complete": self.complete}
        return pd.DataFrame(rows).assign(**told, source=RECONSTRUCTED)


def conclusions(
    recs: Reconstructed | Sequence[Reconstructed],
    question: Question,
    rng: np.random.Generator | None = None,
    most: int = 20_000,
) -> Conclusion:
    """Ask every reconstruction, or every combination of those of several cells, and see whether they agree.

    Only what can be said from the cells' own distributions can be asked. How one respondent's answers to two items go
    together is lost in a printed table, and with it Cronbach's alpha or a paired test.

    Parameters
    ----------
    recs : Reconstructed, or several of independent groups
    question : callable
        Takes an int array of answers for each of `recs`; returns a bool, a whole number or a text.
    rng : Generator, optional
        Needed where there are more than `most` combinations, of which `most` are then drawn.

    Raises
    ------
    InvalidInput
        Something else than reconstructions, a verdict that is a measured number, or too many combinations and no rng.

    Examples
    --------
    >>> from support.analysis.surveys.sprite import enumerate_samples, printed_spread
    >>> recs = enumerate_samples("4.09", printed_spread("0.79", divisor="n"), 11)
    >>> conclusions(recs, lambda answers: bool(answers.min() > 1)).sentence
    'all 2 reconstructions agree: True'
    """
    cells = [recs] if isinstance(recs, Reconstructed) else list(recs)
    if not cells or not all(isinstance(cell, Reconstructed) for cell in cells):
        raise InvalidInput(
            "recs: expected Reconstructed, one or several; answers are analysed by likert and rank_tests."
        )
    there = prod(map(len, cells))
    chosen = product(*(range(len(cell)) for cell in cells)) if there <= most else _drawn(cells, most, rng, there)
    counted = Counter(_verdict(question(*map(Reconstructed.sample, cells, picks))) for picks in chosen)
    asked = counted.total()
    complete = there <= most and all(cell.complete for cell in cells)
    shares = {verdict: count / asked for verdict, count in counted.most_common()}
    return Conclusion(len(shares) == 1, shares, asked, there, complete)


def between_groups(cells: Mapping[tuple[str, str], Reconstructed], question: Question) -> pd.DataFrame:
    """The conclusions for each item and each pair of its groups.

    Parameters
    ----------
    cells : mapping of (item, group) to Reconstructed
        As `sprite.reconstruct` makes it.
    question : as for `conclusions`, of two groups.

    Returns
    -------
    DataFrame
        item, a, b, verdict (of all reconstructions; "open" where they disagree), agree, asked (combinations), share
        (of them that give the most frequent verdict), source.
    """
    rows = []
    for (item, a), (other, b) in combinations(cells, 2):
        if item == other:
            found = conclusions([cells[item, a], cells[item, b]], question)
            verdict, share = next(iter(found.verdicts.items()))
            told = {"verdict": str(verdict) if found.agree else OPEN, "agree": found.agree, "asked": found.asked}
            rows.append({"item": item, "a": a, "b": b, **told, "share": share, "source": RECONSTRUCTED})
    return pd.DataFrame(rows)


def _drawn(
    cells: list[Reconstructed], most: int, rng: np.random.Generator | None, there: int
) -> Iterator[tuple[int, ...]]:
    if not isinstance(rng, np.random.Generator):
        raise InvalidInput(f"there are {there} combinations; pass rng=numpy.random.default_rng(seed) to draw {most}.")
    picks = np.column_stack([rng.integers(len(cell), size=most) for cell in cells])
    return (tuple(map(int, row)) for row in picks)


def _verdict(value: object) -> Verdict:
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, str):
        return value
    raise InvalidInput(f"question returned {value!r}; expected a bool, a whole number or a text, such as p < 0.05.")
