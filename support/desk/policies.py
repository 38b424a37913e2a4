"""Policies: read, added, changed and deleted, before a seminar begins and while it runs; they hold at once."""

from __future__ import annotations

from collections.abc import Callable, Collection

import ipywidgets as w

from support.desk.fields import Press, boxed, row, there, told, wide
from support.desk.markup import fill
from support.errors import InvalidInput
from support.seminar import rules
from support.seminar.rules import LONGEST, Policy, PolicySet, Rule, load_policies, read_policy

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
EXAMPLE = "for example: Write again after four working days without an answer."
SURE = "Delete for good"


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


def heard(text: str) -> str:
    """What is understood of a sentence that is being typed, as HTML."""
    line = " ".join(text.split())
    long = f" {len(line)} characters; at most {LONGEST} are possible." if len(line) > LONGEST else ""
    return told(understood(read_policy(line)) + long if line else "", look="hint")


def one_line(text: str) -> str:
    """A sentence without the blanks around it."""
    if not (line := " ".join(text.split())):
        raise InvalidInput("policy: nothing given; type a sentence such as: Nothing is sent on Sundays.")
    return line


class PoliciesEditor:
    """Policies, read, added, changed and deleted.

    `policies` gives those that hold (None: no seminar is open), `use` has others hold, from the organiser's next step
    on where a seminar runs, or raises; `typing` is called when somebody types here.
    """

    def __init__(
        self,
        policies: Callable[[], PolicySet | None],
        use: Callable[[PolicySet], None],
        typing: Callable[[], None] = lambda: None,
    ) -> None:
        self._policies, self._use, self.typing = policies, use, typing
        self.items: dict[str, PolicyItem] = {}
        self._selected: Collection[str] | None = None
        self.head, self.error, self.heard, self.offer_text = (w.HTML() for _ in range(4))
        self.listed = w.VBox()
        self.field = policy_area("a policy of your own", EXAMPLE)
        self.add_button, self.take_button = wide("Add policy", button_style="primary"), wide("Add this one")
        named = "Further policies of the project"
        self.offered = w.Dropdown(options=[("choose …", "")], tooltip=named, layout=w.Layout(width="100%"))
        self.more = boxed("panel", w.HTML(f"<b>{named}</b>"), self.offered, self.offer_text, self.take_button)
        own = boxed("panel", w.HTML("<b>Add a policy of your own</b>"), self.field, self.heard, self.add_button)
        self.view = boxed("left", self.head, self.error, self.listed, own, self.more)
        press = Press(lambda: (self.field.value, self.offered.value), self.error)
        press.button(self.add_button, self.add)
        press.button(self.take_button, self.take)
        self.field.observe(lambda _: self._typed(), "value")
        self.offered.observe(lambda _: self._show_offer(), "value")
        self.refresh()

    @property
    def policies(self) -> PolicySet:
        """Those that hold."""
        found = self._policies()
        if found is None:
            raise InvalidInput("policy: no seminar is open; begin one on the page Setup")
        return found

    def use(self, policies: PolicySet) -> None:
        """Have others hold, and show them."""
        self._use(policies.literal())
        self.refresh(self._selected)

    def add(self) -> None:
        """Add the sentence in the field; one that contradicts another is refused, and stays there."""
        self.use(self.policies.add(one_line(self.field.value)))
        self.field.value = ""

    def take(self) -> None:
        """Add the one of the project's further policies that is chosen."""
        chosen = [policy for policy in load_policies("all") if policy.id == self.offered.value]
        if not chosen:
            raise InvalidInput("policy: none chosen; choose one of the list first")
        self.use(PolicySet((*self.policies, *chosen)))

    def refresh(self, selected: Collection[str] | None = None) -> None:
        """Show those that hold, on a day the applied ones highlighted; what is being typed stays."""
        self._selected, found = selected, self._policies() or PolicySet()
        applied = sum(policy.id in (selected or ()) for policy in found)
        today = f", of which {applied} appl{'ies' if applied == 1 else 'y'} today" if selected is not None else ""
        what = f"{len(found)}{today}" if len(found) else "none"
        self.head.value = f"<h2>Policies</h2>{told(what, look='faint')}"
        items = {policy.id: self.items.get(policy.id) or PolicyItem(policy.id, self) for policy in found}
        for policy in found:
            items[policy.id].show(policy, policy.id in (selected or ()))
        if list(items) != list(self.items):
            self.listed.children = tuple(item.view for item in items.values())
            left = [policy.id for policy in load_policies("all") if policy.id not in items]
            self.offered.options = [("choose …", ""), *((name, name) for name in left)]
            there(self.more, bool(left))
        self.items = items

    def _show_offer(self) -> None:
        text = next((policy.text for policy in load_policies("all") if policy.id == self.offered.value), "")
        self.offer_text.value = told(text) + heard(text)

    def _typed(self) -> None:
        self.typing()
        self.heard.value = heard(self.field.value)


class PolicyItem:
    """One policy: its text and its buttons, or a field in which it is changed."""

    def __init__(self, name: str, editor: PoliciesEditor) -> None:
        self.name, self.editor = name, editor
        self.text, self.error, self.heard = w.HTML(), w.HTML(), w.HTML()
        self.edit_button, self.delete_button = (
            wide("Edit", tooltip=f"Edit {name}"),
            wide("Delete", tooltip=f"Delete {name}"),
        )
        self.keep_button, self.leave_button = (
            wide("Keep", tooltip=f"Keep {name} so"),
            wide("Cancel", tooltip=f"Leave {name} so"),
        )
        self.field = policy_area(f"text of {name}", "")
        self.buttons, self.fields = row(), w.VBox()
        self.view = boxed("policy-item", self.text, self.fields, self.buttons, self.error)
        press = Press(lambda: self.field.value, self.error)
        for button, act in ((self.edit_button, self.open), (self.keep_button, self.keep),
                            (self.leave_button, self.close), (self.delete_button, self.delete)):  # fmt: skip
            press.button(button, act)
        self.field.observe(lambda _: self._typed(), "value")
        self.close()

    def show(self, policy: Policy, applies: bool) -> None:
        """The policy as it is."""
        self.policy = policy
        self.text.value = fill("page", "policy", policy, applies)

    def open(self) -> None:
        """Offer a field for its text."""
        self.field.value = self.policy.text
        self.fields.children, self.buttons.children = (self.field, self.heard), (self.keep_button, self.leave_button)
        self.field.focus()

    def close(self) -> None:
        """Back to its text and its buttons."""
        self.delete_button.description = "Delete"
        self.fields.children, self.buttons.children = (), (self.edit_button, self.delete_button)

    def keep(self) -> None:
        """Have the new text hold; one that contradicts another policy is refused, and stays in the field."""
        self.editor.use(self.editor.policies.edit(self.name, one_line(self.field.value)))
        self.close()

    def delete(self) -> None:
        """Ask once more, then drop the policy."""
        if self.delete_button.description != SURE:
            self.delete_button.description = SURE
            self.buttons.children = (self.delete_button, self.leave_button)
            return
        self.editor.use(self.editor.policies.drop(self.name))

    def _typed(self) -> None:
        self.editor.typing()
        self.heard.value = heard(self.field.value)


def policy_area(name: str, placeholder: str) -> w.Textarea:
    """A field for a policy; its name is read, not shown."""
    layout = w.Layout(width="100%", margin="2px 0")
    return w.Textarea(placeholder=placeholder or name, rows=3, tooltip=name, layout=layout)
