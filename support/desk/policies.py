"""Policies: read, added, changed and deleted, before a seminar begins and while it runs; they hold at once."""

from __future__ import annotations

from collections.abc import Callable, Collection

import ipywidgets as w

from support.desk.fields import Press, boxed, row, there, told
from support.desk.markup import fill
from support.errors import InvalidInput
from support.seminar import rules
from support.seminar.rules import Policy, PolicySet, Rule, load_policies, read_policy

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


class PoliciesEditor:
    """Policies, read, added, changed and deleted.

    `found` gives those that hold (None: no seminar is open), `hold` has others hold, from the organiser's next step on
    where a seminar runs, or raises; `typing` is called when somebody types here.
    """

    def __init__(
        self,
        found: Callable[[], PolicySet | None],
        hold: Callable[[PolicySet], None],
        typing: Callable[[], None] = lambda: None,
    ) -> None:
        self._found, self._hold, self.typing = found, hold, typing
        self.items: dict[str, PolicyItem] = {}
        self._selected: Collection[str] | None = None
        self.head, self.error, self.offer_text, self.listed = w.HTML(), w.HTML(), w.HTML(), w.VBox()
        self.field, heard = self.typed("a policy of your own", EXAMPLE)
        press = Press(lambda: (self.field.value, self.offered.value), self.error)
        self.add_button = press.new("Add policy", self.add, button_style="primary")
        self.take_button = press.new("Add this one", self.take)
        named = "Further policies of the project"
        self.offered = w.Dropdown(options=[("choose …", "")], tooltip=named, layout=w.Layout(width="100%"))
        self.more = boxed("panel", w.HTML(f"<b>{named}</b>"), self.offered, self.offer_text, self.take_button)
        own = boxed("panel", w.HTML("<b>Add a policy of your own</b>"), self.field, heard, self.add_button)
        self.view = boxed("left", self.head, self.error, self.listed, own, self.more)
        self.offered.observe(lambda _: self._offer(), "value")
        self.refresh()

    @property
    def policies(self) -> PolicySet:
        """Those that hold."""
        if (found := self._found()) is None:
            raise InvalidInput("policy: no seminar is open; begin one on the page Setup")
        return found

    def use(self, policies: PolicySet) -> None:
        """Have others hold, and show them."""
        self._hold(policies.literal())
        self.refresh(self._selected)

    def add(self) -> None:
        """Add the sentence in the field; one that contradicts another is refused, and stays there."""
        self.use(self.policies.add(" ".join(self.field.value.split())))
        self.field.value = ""

    def take(self) -> None:
        """Add the one of the project's further policies that is chosen."""
        self.use(PolicySet((*self.policies, load_policies("all")[self.offered.value])))

    def refresh(self, selected: Collection[str] | None = None) -> None:
        """Show those that hold, on a day the applied ones highlighted; what is being typed stays."""
        self._selected, found = selected, self._found() or PolicySet()
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

    def _offer(self) -> None:
        text = load_policies("all")[self.offered.value].text if self.offered.value else ""
        self.offer_text.value = told(text) + (told(understood(read_policy(text)), look="hint") if text else "")

    def typed(self, name: str, example: str) -> tuple[w.Textarea, w.HTML]:
        """A field for a policy, whose name is read and not shown, and what is understood of what is typed there."""
        field = w.Textarea(placeholder=example, rows=3, tooltip=name, layout=w.Layout(width="100%", margin="2px 0"))
        heard = w.HTML()

        def hear() -> None:
            self.typing()
            heard.value = told(understood(read_policy(field.value)), look="hint") if field.value.strip() else ""

        field.observe(lambda _: hear(), "value")
        return field, heard


class PolicyItem:
    """One policy: its text and its buttons, or a field in which it is changed."""

    def __init__(self, name: str, editor: PoliciesEditor) -> None:
        self.name, self.editor, self.text, self.error = name, editor, w.HTML(), w.HTML()
        self.field, self.heard = editor.typed(f"text of {name}", f"text of {name}")
        self.buttons, self.fields = row(), w.VBox()
        self.view = boxed("policy-item", self.text, self.fields, self.buttons, self.error)
        press = Press(lambda: self.field.value, self.error)
        self.edit_button = press.new("Edit", self.open, tooltip=f"Edit {name}")
        self.delete_button = press.new("Delete", self.delete, tooltip=f"Delete {name}")
        self.keep_button = press.new("Keep", self.keep, tooltip=f"Keep {name} so")
        self.leave_button = press.new("Cancel", self.close, tooltip=f"Leave {name} so")
        self.close()

    def show(self, policy: Policy, applies: bool) -> None:
        """The policy as it is."""
        self.text.value = fill("page", "policy", policy, applies)

    def open(self) -> None:
        """Offer a field for its text."""
        self.field.value = self.editor.policies[self.name].text
        self.fields.children, self.buttons.children = (self.field, self.heard), (self.keep_button, self.leave_button)
        self.field.focus()

    def close(self) -> None:
        """Back to its text and its buttons."""
        self.delete_button.description = "Delete"
        self.fields.children, self.buttons.children = (), (self.edit_button, self.delete_button)

    def keep(self) -> None:
        """Have the new text hold; one that contradicts another policy is refused, and stays in the field."""
        self.editor.use(self.editor.policies.edit(self.name, " ".join(self.field.value.split())))
        self.close()

    def delete(self) -> None:
        """Ask once more, then drop the policy."""
        if self.delete_button.description == SURE:
            self.editor.use(self.editor.policies.drop(self.name))
        self.delete_button.description = SURE
        self.buttons.children = (self.delete_button, self.leave_button)
