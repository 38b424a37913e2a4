"""Transition graphs with the settings at hand: environment, rule, annotator, edges of each act, threshold."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING, Any

import ipywidgets as w
import pandas as pd

from support.analysis.frames import need_columns
from support.analysis.transitions import Transitions, code, most_probable, transitions
from support.draw import png
from support.errors import InvalidInput
from support.plots.transitions import plot_graph, plot_matrix

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ALL = "all rules"
GRAPH, MATRIX = "graph", "matrix"


class TransitionExplorer:
    """Controls over the transition graph of stored messages. Display `explorer.view`.

    Parameters
    ----------
    messages : DataFrame
        As `messages_of` gives it: run, environment, rule, round, sender, and a column of labels for each annotator.
        Texts are not looked at.
    annotators : mapping of name to column
        Whose labels can be chosen; by default the acts that rule-based agents know they perform.
    environment, rule, edges, threshold
        What the controls show at first.

    Raises
    ------
    InvalidInput
        On a frame without these columns, or no annotator.
    """

    def __init__(
        self,
        messages: pd.DataFrame,
        annotators: Mapping[str, str] | None = None,
        *,
        environment: str | None = None,
        rule: str = ALL,
        edges: int = 1,
        threshold: float = 0.0,
    ) -> None:
        self.columns = dict(annotators if annotators is not None else {"true acts": "acts"})
        if not self.columns:
            raise InvalidInput("annotators: none given; expected names with the columns of their labels")
        need_columns(messages, ["run", "environment", "rule", "round", "sender", *self.columns.values()], "messages")
        self.messages = messages
        self._at_rest = True
        self._counted: dict[tuple[str, str], Transitions] = {}
        environments = list(dict.fromkeys(messages["environment"]))
        self.environment = _choice(environments, environment or environments[0], "environment")
        self.rule = _choice(self._rules(), rule, "rule")
        self.annotator = _choice(list(self.columns), next(iter(self.columns)), "annotator")
        self.edges = w.IntSlider(value=edges, min=1, max=5, description="edges", continuous_update=False)
        self.threshold = w.FloatSlider(
            value=threshold, min=0, max=1, step=0.05, description="threshold", continuous_update=False
        )
        self.shown_as = w.ToggleButtons(options=[GRAPH, MATRIX], description="show")
        self.status = w.HTML()
        self.figure = w.Image(format="png", layout=w.Layout(width="100%", max_width="860px"))
        left, right = [self.environment, self.rule, self.annotator], [self.edges, self.threshold, self.shown_as]
        self.view = w.VBox([w.HBox([w.VBox(left), w.VBox(right)]), self.status, self.figure])
        self._connect()
        self._show()

    def _rules(self) -> list[str]:
        here = self.messages[self.messages["environment"] == self.environment.value]
        return [ALL, *dict.fromkeys(here["rule"])]

    def _connect(self) -> None:
        self.environment.observe(lambda _: self._other_environment(), "value")
        for control in (self.rule, self.annotator, self.edges, self.threshold, self.shown_as):
            control.observe(lambda _: self._show(), "value")

    def _other_environment(self) -> None:
        """Offer the rules of the environment; the one chosen stays where it is there, too."""
        before, rules = self.rule.value, self._rules()
        kept = before if before in rules else ALL
        self._at_rest = False  # new options move the value: draw once, at the end
        self.rule.options = rules
        self.rule.value = kept
        self._at_rest = True
        self._show()

    @property
    def settings(self) -> dict[str, Any]:
        """What the controls show."""
        controls = {"environment": self.environment, "rule": self.rule, "annotator": self.annotator,
                    "edges": self.edges, "threshold": self.threshold, "show": self.shown_as}  # fmt: skip
        return {name: control.value for name, control in controls.items()}

    @property
    def transitions(self) -> Transitions:
        """The counts of the runs chosen."""
        key = (self.environment.value, self.annotator.value)
        if key not in self._counted:
            here, column = self.messages[self.messages["environment"] == key[0]], self.columns[key[1]]
            labelled = here[column].map(len).groupby(here["run"]).transform("sum") > 0  # runs that were labelled at all
            self._counted[key] = transitions(code(here[labelled], column))
        every = self._counted[key]
        return every if self.rule.value == ALL else every.where(rule=self.rule.value)

    @property
    def chosen(self) -> pd.DataFrame:
        """The edges shown."""
        return most_probable(self.transitions, self.edges.value, self.threshold.value)

    def draw(self) -> Figure:
        """The figure as it is now, for a page without a kernel."""
        from matplotlib.figure import Figure

        as_matrix = self.shown_as.value == MATRIX
        fig = Figure(figsize=(9, 7.5 if as_matrix else 6), layout="constrained")
        ax: Axes = fig.subplots()
        if as_matrix:
            plot_matrix(self.transitions.probability, ax)
        else:
            plot_graph(self.chosen, ax, frequency=self.transitions.frequency)
        ax.set_title(f"{self.environment.value}, {self.rule.value}, {self.annotator.value}")
        return fig

    def _show(self) -> None:
        """Draw anew; a threshold that leaves no edge is said, and the last figure stays."""
        if not self._at_rest:
            return
        try:
            self.figure.value = png(self.draw())
        except InvalidInput as error:
            self._tell(f'<span style="color:#8a3b00">{escape(str(error))}</span>')
            return
        runs, crowd = len(self.transitions.runs), int(self.transitions.denominator[:, 1:-1].sum())
        self._tell(f"{runs} discussions, {crowd} acts. {escape(_in_words(self.chosen))}")

    def _tell(self, text: str) -> None:
        self.status.value = f'<div class="convene-status" role="status">{text}</div>'


def _choice(options: list[str], value: str, description: str) -> w.Dropdown:
    if value not in options:
        raise InvalidInput(f"{description}: {value!r} given; expected one of {', '.join(options)}")
    return w.Dropdown(options=options, value=value, description=description, style={"description_width": "6rem"})


def _in_words(edges: pd.DataFrame) -> str:
    """The edges as a sentence, for those who cannot see the graph."""
    parts = (f"{e.source} → {e.target} {e.probability:.2f}" for e in edges.itertuples())
    return "; ".join(parts) + "." if len(edges) else "No edge reaches the threshold."
