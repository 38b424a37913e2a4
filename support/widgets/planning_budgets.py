"""Any two ways to look for a fair plan, side by side at the same number of participants' evaluations."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import ipywidgets as w
import pandas as pd

from support.analysis.fairness import at_budget, paired
from support.analysis.frames import need_columns
from support.draw import png
from support.errors import InvalidInput
from support.plots.planning import plot_budget

if TYPE_CHECKING:
    from matplotlib.figure import Figure

VALUES = {
    "plan known as best": "standing_divergence",
    "best plan so far, in truth": "best_divergence",
    "plan of the round": "divergence",
}
"""What can be followed: its name on the control, and the column of `rounds_of`."""

LABEL = {"description_width": "6rem"}


class BudgetExplorer:
    """Two searches and what they have after each number of evaluations. Display `explorer.view`.

    A search is a coordinator with a feedback. Below the figure stands the difference of both at the chosen number of
    evaluations, on the same instances, with its 95 % interval.

    Parameters
    ----------
    rounds : DataFrame
        As `support.analysis.fairness.rounds_of` gives it, of one number of decisions.
    first, second : str, optional
        What the controls show at first, such as "mcts, score"; by default the first two that there are.

    Raises
    ------
    InvalidInput
        On a frame without these columns or with fewer than two searches, or a search that is not in it.
    """

    def __init__(self, rounds: pd.DataFrame, first: str = "", second: str = "") -> None:
        need_columns(
            rounds, ["coordinator", "feedback", "instance", "round", "evaluations", *VALUES.values()], "rounds"
        )
        self.rounds = rounds.assign(search=rounds["coordinator"].astype(str) + ", " + rounds["feedback"].astype(str))
        self._at_rest = True
        there = list(dict.fromkeys(self.rounds["search"]))
        if len(there) < 2:
            raise InvalidInput(f"rounds: of {', '.join(there) or 'no search'} only; expected two searches to compare")
        self.first = _choice(there, first or there[0], "first")
        self.second = _choice(there, second or there[1], "second")
        self.shown = w.Dropdown(options=list(VALUES), description="follow", style=LABEL)
        self.evaluations = w.SelectionSlider(
            options=self._budgets(),
            value=self._budgets()[-1],
            description="evaluations",
            continuous_update=False,
            style=LABEL,
        )
        self.status = w.HTML()
        self.figure = w.Image(format="png", layout=w.Layout(width="100%", max_width="760px"))
        left, right = [self.first, self.second], [self.shown, self.evaluations]
        self.view = w.VBox([w.HBox([w.VBox(left), w.VBox(right)]), self.status, self.figure])
        for search in (self.first, self.second):
            search.observe(lambda _: self._other_search(), "value")
        for control in (self.shown, self.evaluations):
            control.observe(lambda _: self._show(), "value")
        self._show()

    def _budgets(self) -> list[int]:
        """Numbers of evaluations that both searches reach: beyond, one of them would stand still for want of rounds."""
        spent = self._both().groupby("search")["evaluations"]
        common = sorted(int(e) for e in self._both()["evaluations"].unique() if 0 < e <= spent.max().min())
        if not common:
            raise InvalidInput(f"rounds: {self.first.value} or {self.second.value} had nothing judged; choose another")
        return common

    def _other_search(self) -> None:
        """Offer the budgets of both searches; the one chosen stays where it is there, too."""
        try:
            budgets, before = self._budgets(), self.evaluations.value
        except InvalidInput as error:
            self._tell(str(error))
            return
        if budgets != list(self.evaluations.options):
            self._at_rest = False  # new options move the value: draw once, at the end
            self.evaluations.options = budgets
            self.evaluations.value = before if before in budgets else budgets[-1]
            self._at_rest = True
        self._show()

    @property
    def settings(self) -> dict[str, Any]:
        """What the controls show."""
        controls = {"first": self.first, "second": self.second, "follow": self.shown, "evaluations": self.evaluations}
        return {name: control.value for name, control in controls.items()}

    @property
    def difference(self) -> pd.DataFrame:
        """First minus second at the chosen number of evaluations, one row of `paired`.

        Raises
        ------
        InvalidInput
            Where both are the same search, or nothing was judged yet.
        """
        one, other = self.first.value, self.second.value
        if one == other:
            raise InvalidInput(f"second: {other} given twice; expected another search")
        return paired(at_budget(self._both(), self.evaluations.value), "search", one, other, VALUES[self.shown.value])

    def draw(self) -> Figure:
        """The figure as it is now, for a page without a kernel."""
        from matplotlib.figure import Figure

        fig = Figure(figsize=(7.5, 4.2), layout="constrained")
        ax = fig.subplots()
        order = list(dict.fromkeys([self.first.value, self.second.value]))
        plot_budget(self._both(), ax, by="search", value=VALUES[self.shown.value], order=order)
        ax.axvline(self.evaluations.value, color="#777777", linewidth=0.8, linestyle=":")
        return fig

    def _both(self) -> pd.DataFrame:
        return self.rounds[self.rounds["search"].isin([self.first.value, self.second.value])]

    def _show(self) -> None:
        if not self._at_rest:
            return
        self.figure.value = png(self.draw())
        try:
            said = _in_words(self.difference.iloc[0], self.evaluations.value)
        except InvalidInput as error:
            said = str(error)
        self._tell(said)

    def _tell(self, said: str) -> None:
        self.status.value = f'<div class="convene-status" role="status">{escape(said)}</div>'


def _choice(options: list[str], value: str, description: str) -> w.Dropdown:
    if value not in options:
        raise InvalidInput(f"{description}: {value!r} given; expected one of {'; '.join(options)}")
    return w.Dropdown(options=options, value=value, description=description, style=LABEL)


def _in_words(row: pd.Series[Any], evaluations: int) -> str:
    """The difference as a sentence, for those who cannot see the figure."""
    means = f"{row['a']} has {row['mean_a']:.1f} points of divergence, {row['b']} {row['mean_b']:.1f}"
    between = f"difference {row['difference']:.1f} "
    between += f"({row['low']:.1f} to {row['high']:.1f})" if pd.notna(row["low"]) else f"({row['note']})"
    return f"After {evaluations} evaluations, on {row['n']} instances: {means}; {between}."
