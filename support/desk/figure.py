"""What happened in a seminar, by days and people, as a figure that is saved, and whose code is told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from support.analysis.frames import participants
from support.desk.work import SWEEP, Work, kept
from support.draw import png
from support.labs.base import Lab

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from support.seminar.records import Organizing

DAYS = 7  # that the axis shows at least, so that it does not jump at the beginning


def draw(record: Organizing) -> Figure:
    """What happened so far, by days and people; also for a page without a kernel."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    from support.analysis.seminar import timeline
    from support.plots.rehearsal import plot_timeline

    figure = Figure(
        figsize=(9.6, 1.2 + 0.28 * len(record.people)), layout="constrained"
    )
    ax = figure.subplots()
    if not (events := timeline(record)).empty:
        plot_timeline(events, ax)
        ax.set_xlim(0.4, max(len(record.days), DAYS) + 0.6)
        ax.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    return figure


class Happened(Lab):
    """The figure of the seminar at hand; its code reads the record in the store once the seminar is over."""

    study = "seminar"

    def __init__(self, work: Work) -> None:
        super().__init__("100%")
        self.work = work

    @property
    def settings(self) -> dict[str, Any]:
        """Which seminar, and how far."""
        seminar = self.work.seminar
        return (
            {
                "name": seminar.name,
                "days": len(seminar.finished),
                "seed": seminar.setup.seed,
            }
            if seminar
            else {}
        )

    @property
    def given(self) -> dict[str, str]:
        """The study's file."""
        return {"path": repr(str(self.work.path))}

    @property
    def who(self) -> str:
        """Who took part."""
        return (
            participants([({}, self.work.seminar.record)]) if self.work.seminar else ""
        )

    @property
    def code(self) -> str:
        """A cell that makes the same figure: of the record in the store, or, while it goes on, of the desk at hand."""
        seminar, head = self.work.seminar, "from support.desk.figure import draw\n"
        if seminar is None or not kept(seminar):
            return f"{head}\ndraw(desk.work.seminar.record)"
        found = f"*_, record = (r for unit, r in store.records({SWEEP!r}) if unit.settings['name'] == {seminar.name!r})"
        store = f"from support.runs.study import Store\n\nstore = Store({self.given['path']})"
        return f"{head}{store}\n{found}\ndraw(record)"

    def draw(self) -> Figure:
        """The figure as it is now."""
        assert self.work.seminar is not None
        return draw(self.work.seminar.record)

    def drawn(self) -> bytes:
        """The figure for a panel; nothing before the first day is over."""
        if self.work.seminar is None or not self.work.seminar.finished:
            return b""
        self._show_code()
        return png(self.draw())
