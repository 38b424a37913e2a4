"""The policies of a seminar that is under way: read, added, changed in place and deleted; they hold at once."""

from __future__ import annotations

from collections.abc import Callable, Collection

import ipywidgets as w

from support.boards.pieces import block, board, chip, said
from support.errors import InvalidInput
from support.seminar.rules import LONGEST, Policy, PolicySet, load_policies, read_policy
from support.widgets.dashboard.frame import boxed, plain
from support.widgets.organizing.fields import Press, row, wide
from support.widgets.organizing.policies import understood

SURE = "Delete for good"
"""What the second click says."""


class PoliciesEditor:
    """The column of policies.

    Parameters
    ----------
    policies : callable
        Gives those that hold; None where no seminar is open.
    use : callable
        Has others hold from the organiser's next step on, or raises.
    typing : callable
        Called when somebody types here.
    """

    def __init__(
        self,
        policies: Callable[[], PolicySet | None],
        use: Callable[[PolicySet], None],
        typing: Callable[[], None] = lambda: None,
    ) -> None:
        self._policies, self._use, self.typing = policies, use, typing
        self.items: dict[str, PolicyItem] = {}
        self.head, self.error = w.HTML(), w.HTML()
        self.listed = w.VBox(layout=w.Layout(overflow="visible"))
        self.field = area("a policy of your own", "for example: Write again after four working days without an answer.")
        self.heard, self.add_button = w.HTML(), wide("Add policy", button_style="primary")
        named = "Further policies of the project"
        self.offered = w.Dropdown(options=[("choose …", "")], tooltip=named, layout=w.Layout(width="100%"))
        self.offer_text, self.take_button = w.HTML(), wide("Add this one")
        self.more = boxed("panel", w.HTML(f"<b>{named}</b>"), self.offered, self.offer_text,
                          self.take_button)  # fmt: skip
        adding = [w.HTML("<b>Add a policy of your own</b>"), self.field, self.heard, self.add_button]
        self.view = boxed("left", self.head, self.error, self.listed, boxed("panel", *adding), self.more)
        self._connect()
        self.refresh(())

    def _connect(self) -> None:
        self.press = Press(lambda: (self.field.value, self.offered.value), self.error)
        self.press.button(self.add_button, self.add)
        self.press.button(self.take_button, self.take)
        self.field.observe(lambda _: self._preview(), "value")
        self.offered.observe(lambda _: self._show_offer(), "value")

    @property
    def policies(self) -> PolicySet:
        """Those that hold.

        Raises
        ------
        InvalidInput
            When no seminar is open.
        """
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
        chosen = next((policy for policy in load_policies("all") if policy.id == self.offered.value), None)
        if chosen is None:
            raise InvalidInput("policy: none chosen; choose one of the list first")
        self.use(PolicySet((*self.policies, chosen)))

    def refresh(self, selected: Collection[str]) -> None:
        """Show those that hold, the applied ones highlighted; what is being typed stays."""
        self._selected = selected
        found = self._policies() or PolicySet()
        applied = sum(policy.id in selected for policy in found)
        what = f"{len(found)}, of which {applied} appl{'ies' if applied == 1 else 'y'} today" if len(found) else "none"
        self.head.value = plain(f'<h2>Policies</h2><div class="faint">{what}</div>')
        items = {policy.id: self.items.get(policy.id) or PolicyItem(policy.id, self) for policy in found}
        for policy in found:
            items[policy.id].show(policy, policy.id in selected)
        if list(items) != list(self.items):
            self.listed.children = tuple(item.view for item in items.values())
            self._offer(found)
        self.items = items

    def _offer(self, found: PolicySet) -> None:
        held = {policy.id for policy in found}
        left = [policy for policy in load_policies("all") if policy.id not in held]
        self.offered.options = [("choose …", ""), *((policy.id, policy.id) for policy in left)]
        self.more.layout.display = "" if left else "none"

    def _show_offer(self) -> None:
        chosen = [policy for policy in load_policies("all") if policy.id == self.offered.value]
        self.offer_text.value = preview(chosen[0].text) if chosen else ""
        if chosen:
            self.offer_text.value = plain(block(chosen[0].text)) + self.offer_text.value

    def _preview(self) -> None:
        self.typing()
        self.heard.value = preview(self.field.value)


class PolicyItem:
    """One policy: its text and its buttons, or a field in which it is changed."""

    def __init__(self, name: str, editor: PoliciesEditor) -> None:
        self.name, self.editor = name, editor
        self.text, self.error, self.heard = w.HTML(), w.HTML(), w.HTML()
        self.edit_button, self.delete_button = small("Edit", f"Edit {name}"), small("Delete", f"Delete {name}")
        self.keep_button, self.leave_button = small("Keep", f"Keep {name} so"), small("Cancel", f"Leave {name} so")
        self.field = area(f"text of {name}", "")
        self.buttons, self.fields = row(overflow="visible"), w.VBox(layout=w.Layout(overflow="visible"))
        self.view = boxed("policy-item", self.text, self.fields, self.buttons, self.error)
        self.press = Press(lambda: self.field.value, self.error)
        for button, act in ((self.edit_button, self.open), (self.keep_button, self.keep),
                            (self.leave_button, self.close), (self.delete_button, self.delete)):  # fmt: skip
            self.press.button(button, act)
        self.field.observe(lambda _: self._preview(), "value")
        self.close()

    def show(self, policy: Policy, applies: bool) -> None:
        """The policy as it is."""
        self.policy = policy
        look, now = (" applies", ' aria-current="true"') if applies else ("", "")
        mark = chip("sure", "✓", "applies today") if applies else ""
        inside = f'<div class="policy{look}"{now}><b>{said(policy.id)}</b> {mark}{block(policy.text)}</div>'
        self.text.value = board("policies", inside, f"Policy {policy.id}")

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

    def _preview(self) -> None:
        self.editor.typing()
        self.heard.value = preview(self.field.value)


def preview(text: str) -> str:
    """What the rule-based organiser makes of a sentence, as HTML."""
    line = " ".join(text.split())
    if not line:
        return ""
    long = f" {len(line)} characters; at most {LONGEST} are possible." if len(line) > LONGEST else ""
    return plain(f'<div class="convene-heard faint">{said(understood(read_policy(line)) + long)}</div>')


def one_line(text: str) -> str:
    """A sentence without the blanks around it.

    Raises
    ------
    InvalidInput
        When there is none.
    """
    line = " ".join(text.split())
    if not line:
        raise InvalidInput("policy: nothing given; type a sentence such as: Nothing is sent on Sundays.")
    return line


def area(name: str, placeholder: str) -> w.Textarea:
    """A field for a policy; its name is read, not shown."""
    look = {"rows": 3, "tooltip": name, "layout": w.Layout(width="100%", margin="2px 0")}
    return w.Textarea(placeholder=placeholder or name, **look)


def small(name: str, tooltip: str) -> w.Button:
    """A small button."""
    return wide(name, tooltip=tooltip)
