"""Explorers of what is stored: transition graphs, two searches at equal numbers of evaluations, a survey's answers."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from html import escape
from typing import TYPE_CHECKING, Any

import ipywidgets as w
import pandas as pd

from support.analysis import transitions as tr
from support.analysis.answers import means
from support.analysis.dialogue_acts import LABELS, START
from support.analysis.fairness import at_budget
from support.analysis.frames import need_columns
from support.analysis.printed import FIVE, TOTAL, Scale
from support.analysis.stats import compare
from support.draw import dots
from support.errors import InvalidInput
from support.labs.base import ROW, Lab, blank, control, held, warning
from support.plots.planning import plot_budget
from support.plots.surveys import plot_diverging
from support.plots.transitions import plot_graph, plot_matrix

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ALL = "all rules"
GRAPH, MATRIX = "graph", "matrix"
EVERY_ITEM, SHARES, MEANS = "every item", "shares", "means"
FOLLOWED = {
    "plan known as best": "standing_divergence",
    "best plan so far, in truth": "best_divergence",
    "plan of the round": "divergence",
}
"""What can be followed: its name on the control, and the column of `rounds_of`."""


def menu(name: str, options: Iterable[str], value: str | None = None) -> Any:
    """A control for one of the options, at first `value` or the first of them."""
    listed = list(dict.fromkeys(options))
    value = value or listed[0]
    if value not in listed:
        raise InvalidInput(
            f"{name}: {value!r} given; expected one of {'; '.join(listed)}"
        )
    return control(name, listed, value)


class Explorer(Lab):
    """Controls whose every change draws anew; a setting that leaves nothing to draw is said, and the figure stays."""

    def _begin(self, **controls: Any) -> None:
        """Show the controls, in two columns, above the figure."""
        self.controls = controls
        for name, each in controls.items():
            each.observe(lambda _, name=name: self._changed(name), "value")
        shown, half = list(controls.values()), (len(controls) + 1) // 2
        columns = w.HBox(
            [w.VBox(shown[:half]), w.VBox(shown[half:])], layout=w.Layout(**ROW)
        )
        self.page = w.VBox([columns, self.status, self.figure, self.kept])
        self._redraw()

    def _changed(self, name: str) -> None:
        if self._at_rest:
            self._redraw()

    def _offer(self, name: str, options: Iterable[Any], otherwise: Any) -> None:
        """Other options for a control; what was chosen stays where it is among them. Draws nothing."""
        listed, before = list(options), self.controls[name].value
        self._at_rest = False  # new options move the value: draw once, at the end
        self.controls[name].options = listed
        self.controls[name].value = before if before in listed else otherwise
        self._at_rest = True

    def _redraw(self) -> None:
        try:
            super()._redraw()
            self._tell(escape(self._in_words()))
        except InvalidInput as error:
            self._tell(warning(str(error)))

    @abstractmethod
    def _in_words(self) -> str:
        """The figure as a sentence, for those who cannot see it."""


class TransitionExplorer(Explorer):
    """Controls over the transition graph of stored messages. Display `explorer.view`.

    `messages` are as `messages_of` gives them: run, environment, rule, round, sender, and a column of labels for each
    of `annotators` ({name: column}, by default the acts that rule-based agents know they perform); texts are not
    looked at. The others say what the controls show at first.
    """

    study = "transitions"

    def __init__(
        self,
        messages: pd.DataFrame,
        annotators: Mapping[str, str] | None = None,
        *,
        environment: str | None = None,
        rule: str = ALL,
        annotator: str | None = None,
        edges: int = 1,
        threshold: float = 0.0,
        show: str = GRAPH,
    ) -> None:
        given = {} if annotators is None else {"annotators": repr(dict(annotators))}
        super().__init__("860px", {"(messages)": held(messages, "messages"), **given})
        true = {"true acts": "acts"}
        self.columns = true if annotators is None else dict(annotators)
        if not self.columns:
            raise InvalidInput(
                "annotators: none given; expected names with the columns of their labels"
            )
        need_columns(
            messages,
            ["run", "environment", "rule", "round", "sender", *self.columns.values()],
            "messages",
        )
        self.messages = messages
        self._counted: dict[tuple[str, str], pd.DataFrame] = {}
        places = menu("environment", messages["environment"], environment)
        self._begin(
            environment=places,
            rule=menu("rule", self._rules(places.value), rule),
            annotator=menu("annotator", self.columns, annotator),
            edges=control("edges", (1, 5), edges),
            threshold=control("threshold", (0.0, 1.0), threshold),
            show=control("show", (GRAPH, MATRIX), show),
        )

    def _rules(self, environment: str) -> list[str]:
        return [ALL, *self._talk(environment)["rule"].unique()]

    def _talk(self, environment: str) -> pd.DataFrame:
        return self.messages[self.messages["environment"] == environment]

    def _changed(self, name: str) -> None:
        if name == "environment":
            self._offer("rule", self._rules(self.controls["environment"].value), ALL)
        super()._changed(name)

    @property
    def steps(self) -> pd.DataFrame:
        """The acts performed in the runs chosen, and what follows them."""
        s = self.settings
        key = (s["environment"], s["annotator"])
        if key not in self._counted:
            column = self.columns[key[1]]
            given = self.messages[column].explode().dropna().unique()
            labels = LABELS if {*given} <= {*LABELS} else sorted(given)
            self._counted[key] = tr.steps(self._talk(key[0]), column, labels)
        every = self._counted[key]
        return every if s["rule"] == ALL else every[every["rule"] == s["rule"]]

    @property
    def chosen(self) -> pd.DataFrame:
        """The edges shown."""
        edges, least = (self.controls[name].value for name in ("edges", "threshold"))
        return tr.most_probable(tr.probability(self.steps), edges, least)

    @property
    def who(self) -> str:
        """Who sat there, where the messages say it, and whose labels are shown."""
        seats = self.messages.get("seats", pd.Series(dtype=object))
        sat = ", ".join(seats.astype(str).unique())
        return f"participants: {sat or 'as in the records of these messages'}; labels: {self.settings['annotator']}"

    def draw(self) -> Figure:
        """The graph of the edges chosen, or the whole matrix."""
        s = self.settings
        fig, ax = blank(9, 7.5 if s["show"] == MATRIX else 6)
        if s["show"] == MATRIX:
            plot_matrix(tr.probability(self.steps), ax)
        else:
            plot_graph(self.chosen, ax, frequency=tr.frequency(self.steps))
        ax.set_title(f"{s['environment']}, {s['rule']}, {s['annotator']}")
        return fig

    def _in_words(self) -> str:
        crowd = int((self.steps["act"] != START).sum())
        parts = (
            f"{e.source} → {e.target} {e.probability:.2f}"
            for e in self.chosen.itertuples()
        )
        edges = (
            "; ".join(parts) + "."
            if len(self.chosen)
            else "No edge reaches the threshold."
        )
        return f"{self.steps['run'].nunique()} discussions, {crowd} acts. {edges}"


class BudgetExplorer(Explorer):
    """Two searches and what they have after each number of evaluations. Display `explorer.view`.

    A search is a coordinator with a feedback, such as "mcts, score". `rounds` are as
    `support.analysis.fairness.rounds_of` gives them, of one number of decisions. Above the figure stands the
    difference of both at the chosen number of evaluations, on the same instances, with its 95 % interval.
    """

    study = "fair_decisions"

    def __init__(
        self,
        rounds: pd.DataFrame,
        first: str = "",
        second: str = "",
        *,
        follow: str = next(iter(FOLLOWED)),
        evaluations: int | None = None,
    ) -> None:
        super().__init__("760px", {"(rounds)": held(rounds, "rounds")})
        columns = [
            "coordinator",
            "feedback",
            "instance",
            "round",
            "evaluations",
            *FOLLOWED.values(),
        ]
        need_columns(rounds, columns, "rounds")
        self.rounds = rounds.assign(
            search=rounds["coordinator"].astype(str)
            + ", "
            + rounds["feedback"].astype(str)
        )
        there = self.rounds["search"].unique()
        if len(there) < 2:
            raise InvalidInput(
                f"rounds: of {', '.join(there) or 'no search'} only; expected two searches to compare"
            )
        one = menu("first", there, first)
        other = menu("second", there, second or there[1])
        budgets = self._budgets(one.value, other.value)
        slider = w.SelectionSlider(
            options=budgets,
            value=evaluations if evaluations in budgets else budgets[-1],
            description="evaluations",
            continuous_update=False,
            layout=w.Layout(width="20rem"),
            style={"description_width": "7.5rem"},
        )
        self._begin(
            first=one,
            second=other,
            follow=control("follow", FOLLOWED, follow),
            evaluations=slider,
        )

    def _budgets(self, one: str, other: str) -> list[int]:
        """Numbers of evaluations that both searches reach: beyond, one of them would stand still for want of rounds."""
        both = self.rounds[self.rounds["search"].isin([one, other])]
        most = both.groupby("search")["evaluations"].max().min()
        common = sorted(int(e) for e in both["evaluations"].unique() if 0 < e <= most)
        if not common:
            raise InvalidInput(
                f"rounds: {one} or {other} had nothing judged; choose another"
            )
        return common

    def _changed(self, name: str) -> None:
        if name in ("first", "second") and self._at_rest:
            try:
                budgets = self._budgets(
                    self.controls["first"].value, self.controls["second"].value
                )
            except InvalidInput as error:
                self._tell(warning(str(error)))
                return
            self._offer("evaluations", budgets, budgets[-1])
        super()._changed(name)

    @property
    def _both(self) -> pd.DataFrame:
        return self.rounds[
            self.rounds["search"].isin(
                [self.settings["first"], self.settings["second"]]
            )
        ]

    @property
    def difference(self) -> pd.DataFrame:
        """First minus second at the chosen number of evaluations, one row of `compare`."""
        s = self.settings
        if s["first"] == s["second"]:
            raise InvalidInput(
                f"second: {s['second']} given twice; expected another search"
            )
        judged = at_budget(self._both, s["evaluations"])
        value = FOLLOWED[s["follow"]]
        return compare(judged, value, "search", "instance", reference=s["second"])

    @property
    def who(self) -> str:
        """The searches, as the rounds name them."""
        return f"coordinators: {self.settings['first']}; {self.settings['second']}"

    def draw(self) -> Figure:
        """Both searches, and a line at the chosen number of evaluations."""
        s, (fig, ax) = self.settings, blank(7.5, 4.2)
        order = list(dict.fromkeys([s["first"], s["second"]]))
        plot_budget(
            self._both, ax, by="search", value=FOLLOWED[s["follow"]], order=order
        )
        ax.axvline(s["evaluations"], color="#777777", linewidth=0.8, linestyle=":")
        return fig

    def _in_words(self) -> str:
        row = self.difference.iloc[0]
        means = f"{row['a']} has {row['mean_a']:.1f} points of divergence, {row['b']} {row['mean_b']:.1f}"
        between = f"difference {row['difference']:.1f} "
        between += (
            f"({row['low']:.1f} to {row['high']:.1f})"
            if pd.notna(row["low"])
            else f"({row['note']})"
        )
        return f"After {self.settings['evaluations']} evaluations, on {row['n_a']} instances: {means}; {between}."


class AnswerExplorer(Explorer):
    """Answers to a survey, item by item, of one source. Display `explorer.view`.

    `answers` as `AnswerBook.likert` gives them (respondent, group, item, answer, source), from 1 to `points`; drawn are
    the shares of each answer, or the means with their 95 % intervals. Another source is chosen, and never mixed in.
    """

    study = "survey"

    def __init__(
        self,
        answers: pd.DataFrame,
        *,
        points: int = FIVE.high,
        source: str | None = None,
        item: str = EVERY_ITEM,
        show: str = SHARES,
    ) -> None:
        given = {} if points == FIVE.high else {"points": str(points)}
        super().__init__("860px", {"(answers)": held(answers, "answers"), **given})
        need_columns(
            answers, ["respondent", "group", "item", "answer", "source"], "answers"
        )
        self.answers, self.scale = answers, Scale(1, points)
        self._begin(
            source=menu("source", answers["source"], source),
            item=menu("item", [EVERY_ITEM, *answers["item"]], item),
            show=control("show", (SHARES, MEANS), show),
        )

    @property
    def chosen(self) -> pd.DataFrame:
        """The answers that are shown."""
        one, item = (
            self.answers[self.answers["source"] == self.settings["source"]],
            self.settings["item"],
        )
        return one if item == EVERY_ITEM else one[one["item"] == item]

    @property
    def who(self) -> str:
        """Whose answers."""
        return str(self.settings["source"])

    def draw(self) -> Figure:
        """The shares of each answer, or the means of each group."""
        fig, ax = blank(
            9, 2 + 0.45 * len(self.chosen[["item", "group"]].drop_duplicates())
        )
        if self.settings["show"] == SHARES:
            plot_diverging(self.chosen, ax, self.scale)
        else:
            groups = means(self.chosen, self.scale)
            dots(ax, groups[groups["group"] != TOTAL], "item", "mean", "group")
            ax.set(xlabel="mean answer, with 95 % interval", title=self.who)
        return fig

    def _in_words(self) -> str:
        whole = means(self.chosen, self.scale)
        parts = (
            f"{row.item}: {row.mean:.2f} ({row.n})"
            for row in whole[whole["group"] == TOTAL].itertuples()
        )
        return f"{self.who}; means (answers): {'; '.join(parts)}."
