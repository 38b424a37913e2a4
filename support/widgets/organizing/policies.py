"""The panel of policies: a tick for each of the project's, and sentences of one's own with what is understood."""

from __future__ import annotations

from collections.abc import Callable
from html import escape

import ipywidgets as w

from support.errors import InvalidInput
from support.seminar import rules
from support.seminar.rules import LONGEST, Policy, PolicySet, Rule, load_policies, read_policy
from support.widgets.organizing.fields import Press, row, wide

IN_WORDS = {
    rules.BEGIN: "everybody is asked about all dates at the beginning",
    rules.FOLLOW_UP: "a mail is left alone for {n} working days, then one writes again",
    rules.GIVE_UP: "after {n} mails without any answer, one stops",
    rules.ASK_MORE: "who names at most {n} is asked for further dates",
    rules.VAGUE: "vague dates are confirmed before they are given away",
    rules.FACULTY_FIRST: "professors come before students",
    rules.STUDENTS_FIRST: "students come before professors",
    rules.WEEKEND: "nothing is sent on Saturdays and Sundays",
    rules.DECLINED: "who declines is thanked once and left alone",
    rules.CONFIRM: "a date that is given is confirmed at once",
    rules.CANCELLED: "a cancelled date goes first to those who named it and have none",
    rules.ONE_EACH: "nobody gets two dates while somebody could take one",
    rules.URGENT: "a date that is {n} days away goes to whoever named it",
}
"""What each rule asks for, in a few words."""


class PoliciesPanel:
    """Which policies count.

    Parameters
    ----------
    changed : callable
        Called when they are others.
    """

    def __init__(self, changed: Callable[[], None]) -> None:
        self.changed = changed
        self.known = load_policies("all")
        seed = {policy.id for policy in load_policies("seed")}
        self.own: list[Policy] = []
        self.ticks = {p.id: w.Checkbox(p.id in seed, description=p.id, indent=False) for p in self.known}
        self.field = w.Text(
            description="a policy of your own",
            placeholder="for example: Write again after four working days without an answer.",
            style={"description_width": "9.5rem"},
            layout=w.Layout(width="52rem", max_width="100%"),
        )
        self.add_button, self.heard, self.error = wide("Add", button_style="info"), w.HTML(), w.HTML()
        self.listed = w.VBox()
        self.view = self._layout()
        self._connect()

    @property
    def policies(self) -> PolicySet:
        """Those that are ticked, and one's own after them.

        Raises
        ------
        InvalidInput
            When two contradict each other.
        """
        return PolicySet((*(p for p in self.known if self.ticks[p.id].value), *self.own)).literal()

    @property
    def ids(self) -> str:
        """Their ids, for a record's settings."""
        return ", ".join([*(name for name, tick in self.ticks.items() if tick.value), *(p.id for p in self.own)])

    @property
    def trouble(self) -> str:
        """Why they cannot all be followed; "" when they can."""
        try:
            list(self.policies)
        except InvalidInput as error:
            return str(error)
        return ""

    def add(self) -> None:
        """Add the sentence in the field, if it contradicts no other; otherwise it stays there."""
        text = " ".join(self.field.value.split())
        if not text:
            raise InvalidInput("policy: nothing given; type a sentence such as: Nothing is sent on Sundays.")
        taken = {policy.id for policy in self.own}
        name = next(made for k in range(1, 1000) if (made := f"own_{k}") not in taken)
        self.take([*self.policies.add(text, name).literal()][-1])
        self.field.value = ""

    def take(self, policy: Policy) -> None:
        """Have one more of one's own."""
        self.own.append(policy)
        self._list()
        self.changed()

    def remove(self, policy: Policy) -> None:
        """Have one of one's own no more."""
        self.own.remove(policy)
        self._list()
        self.changed()

    def _connect(self) -> None:
        press = Press(lambda: self.field.value, self.error)
        press.button(self.add_button, self.add)
        press.enter(self.field, self.add)
        self.field.observe(lambda _: self._preview(), "value")
        for tick in self.ticks.values():
            tick.observe(lambda _: self.changed(), "value")

    def _preview(self) -> None:
        text = " ".join(self.field.value.split())
        self.heard.value = f'<span class="convene-heard">{escape(understood(read_policy(text)))}</span>' if text else ""
        if len(text) > LONGEST:
            self.heard.value += f" {len(text)} characters; at most {LONGEST} are possible."

    def _layout(self) -> w.VBox:
        head = w.HTML("Ticked policies count. Six are ticked at first.")
        ticks = [self._line(policy) for policy in self.known]
        return w.VBox([head, *ticks, self.listed, row(self.field, self.add_button), self.heard, self.error])

    def _line(self, policy: Policy) -> w.HBox:
        tick = self.ticks[policy.id]
        tick.layout = w.Layout(width="8.5rem", flex="0 0 auto", margin="0")
        text = w.HTML(_said(policy.text), layout=w.Layout(flex="1 1 0", margin="0", min_width="0"))
        return w.HBox([tick, text], layout=w.Layout(align_items="flex-start"))

    def _list(self) -> None:
        self.listed.children = tuple(self._mine(policy) for policy in self.own)

    def _mine(self, policy: Policy) -> w.HBox:
        button = w.Button(description=f"Remove {policy.id}", layout=w.Layout(width="8rem", flex="0 0 auto"))
        button.on_click(lambda _: self.remove(policy))
        said = f"{_said(policy.text)}<i>{escape(understood(policy.rule))}</i>"
        text = w.HTML(said, layout=w.Layout(flex="1 1 0", margin="0 0 0 .5rem", min_width="0"))
        return w.HBox([button, text], layout=w.Layout(align_items="flex-start"))


def understood(rule: Rule | None) -> str:
    """What the rule-based organiser makes of a sentence.

    >>> understood(Rule("follow_up", 4))
    'Understood as follow_up: a mail is left alone for 4 working days, then one writes again.'
    """
    if rule is None:
        return (
            "Not understood by the rule-based organiser: it will not follow it. A language model is shown it as it is."
        )
    said = IN_WORDS[rule.kind].format(n=rule.number)
    return f"Understood as {rule.kind}: {said.replace(' 1 working days', ' 1 working day')}."


def _said(text: str) -> str:
    return f'<span style="line-height:1.35;display:block;padding:.25rem 0;overflow-wrap:anywhere">{escape(text)}</span>'
