"""What a notebook opens once, so that its cells hold the method alone.

nb = Notebook("20", "roundtable_exchange", paper="001", seed=SEED, budget=BUDGET)
played = await nb.run(simulations("exchange_economy", N, SEED, PARTICIPANTS))
with nb.figure("figure_2a", "Ranking agrees first", "100 groups a rule") as ax:
    draw.lines(ax, course, "round", "utility", "rule", col="participant")
table1 = nb.beside("Table 1", ours, margin=5.0)
nb.table(table1, "Table 1: six rules", "standard errors")
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pandas as pd
from scipy.stats import t

from support import draw, ledger, published, tables
from support.analysis import claims
from support.analysis.frames import participants
from support.errors import InvalidInput
from support.plots.figure import SHARP, save
from support.runs.study import open_study
from support.runs.sweep import TERMS, Sweep, terms

if TYPE_CHECKING:
    from great_tables import GT

ENDED = "CONVENE_ENDED"  # where a run of all notebooks keeps what ended


class Played(list[Any]):
    """The units and records of a sweep, and where they come from."""

    def __init__(self, sweep: Sweep, records: list[Any]) -> None:
        super().__init__(records)
        self.parameters = sweep.parameters
        self.seed = sweep.seed


class Notebook:
    """A notebook by its number: its study's file, its paper, its figures, its ledger.

    `paper` is a number ("001") or the beginning of a title. `terms` are those of
    `sweep.terms` (budget, retry_failed, concurrency, pace, timeout); what a run of all
    notebooks says of them (CONVENE_TERMS) counts more.
    """

    def __init__(
        self,
        number: str,
        study: str,
        paper: str = "",
        *,
        seed: int,
        **given: Any,
    ) -> None:
        from matplotlib import pyplot

        terms(**given | json.loads(os.environ.get(TERMS, "{}")))
        pyplot.rcParams.update(draw.HOUSE)
        self.number = number
        self.study = study
        self.seed = seed
        self.paper = published.number(paper) if paper else ""
        self.store = open_study(study)
        self.played: Played | None = None

    async def run(self, study: Any, **how: Any) -> Played:
        """Play what is left of a sweep, or a `Study`, and return its units and records.

        `how` is that of `Sweep.run`; a run of all notebooks, which keeps a record of what
        ended, has no bar to look at.
        """
        sweep = getattr(study, "sweep", study)
        if not isinstance(sweep, Sweep):
            raise InvalidInput(f"run: {study!r} given; expected a Sweep or a Study")
        seen = ENDED not in os.environ
        await sweep.run(self.store, **{"progress": seen, **how})
        self.played = Played(sweep, list(sweep.records(self.store)))
        return self.played

    def printed(self, table: str | None = None, n: int = 0) -> pd.DataFrame:
        """The numbers that the paper prints, all or those of a table.

        With `n`, the cases behind each, they have their 95 % t intervals (low, high): what
        is printed beside a number is its standard error.
        """
        cells = published.load(self.paper, table)
        if n:
            half = t.ppf(0.975, n - 1) * cells["spread"]
            cells = cells.assign(low=cells["value"] - half, high=cells["value"] + half)
        return cells

    @contextmanager
    def figure(
        self,
        name: str,
        finding: str,
        under: str = "",
        *,
        of: Any = None,
        panels: tuple[int, int] = (1, 1),
        height: float = 3.4,
        **shape: Any,
    ) -> Iterator[Any]:
        """A figure: its axes to draw on; then it is saved and shown.

        `finding` is a sentence computed from what is drawn, `under` says who, how many and
        which interval. Who took part is told by the records that it is drawn `of`: what
        was played last, or a tuple of several and of words ("gpt-4o-mini, as printed").
        `panels` are rows and columns, `height` is in inches, `shape` that of `subplots`.
        """
        from IPython.display import Image, display
        from matplotlib import pyplot
        from PIL import Image as Picture

        size = (draw.WIDTH, height)
        fig, axes = pyplot.subplots(
            *panels,
            figsize=size,
            layout="constrained",
            **shape,
        )
        try:
            yield axes
            made = save(fig, self.study, name, self._provenance(of), finding, under)
            alt = f"{finding} {under}".strip()
            with Picture.open(made) as picture:
                width = round(picture.width * fig.dpi / SHARP)
            display(Image(made, width=width, alt=alt))
        finally:
            pyplot.close(fig)

    def _provenance(self, of: Any) -> dict[str, Any]:
        """What produced a figure: records, with their parameters, and words."""
        every = of if isinstance(of, tuple) else (of or self.played or [],)
        said = [part for part in every if isinstance(part, str)]
        played = [part for part in every if not isinstance(part, str)]
        who = participants(record for part in played for record in part)
        known = [getattr(part, "parameters", {}) for part in played]
        return {
            "participants": "; ".join(filter(None, [who, *said])),
            "parameters": known[0] if len(known) == 1 else known,
            "seed": self.seed,
        }

    def table(
        self,
        frame: pd.DataFrame,
        finding: str,
        under: str = "",
        decimals: int = 2,
    ) -> GT:
        """A table with its finding above it; printed cells and statements as papers have them."""
        if "statement" in frame:
            frame = claims.wide(frame)
        elif "published_se" in frame:
            frame = tables.wide(frame)
        return tables.for_page(frame, finding, under, decimals)

    def beside(
        self,
        table: str,
        ours: pd.DataFrame,
        margin: Any,
        rows: Any = None,
    ) -> pd.DataFrame:
        """Our cells beside a printed table's, with verdicts (`against_published`); the ledger keeps them.

        `rows` are the printed rows that count, by default all.
        """
        printed = self.printed(table)
        if rows is not None:
            printed = printed[printed["row"].isin(rows)]
        found = tables.against_published(ours, printed, margin)
        ledger.keep(self.number, self.paper, table, found)
        return found

    def statements(self, results: pd.DataFrame) -> pd.DataFrame:
        """What the paper's text says, held against our results; the ledger keeps both."""
        checked = claims.check(self.paper, self.number, results)
        ledger.keep(self.number, self.paper, "statements", checked, results=results)
        return checked
