"""Policies: read, added, changed, deleted at any time, and brought along with what else an earlier seminar left."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

import ipywidgets as w
import yaml

from support.desk.fields import Press, boxed, hint, row, there, told
from support.desk.markup import count, fill
from support.errors import ConveneError, DamagedFile, InvalidInput
from support.mail.letters import shown
from support.seminar import rules
from support.seminar.artefacts import Artefacts, import_artefacts
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
UNREAD = "Not understood by the rule-based organiser: it will not follow it. A language model is shown it as it is."
SURE = "Delete for good"
BRING = (
    "A file that “Take along” wrote in another seminar: its policies are ticked above, its templates are in Mails, and "
    "the organiser knows the questions that were answered there and the changes that were made."
)
LARGEST = 2**20  # bytes of a file of artefacts


def understood(rule: Rule | None) -> str:
    """What the rule-based organiser makes of a sentence.

    >>> understood(Rule("follow_up", 4))
    'Understood as follow_up: a mail is left alone for 4 working days, then one writes again.'
    """
    if rule is None:
        return UNREAD
    said = IN_WORDS[rule.kind].format(n=rule.number)
    return f"Understood as {rule.kind}: {said.replace(' 1 working days', ' 1 working day')}."


class PoliciesEditor:
    """Policies, read, added, changed and deleted.

    `found` gives those that hold (None: no seminar is open), `hold` has others hold, or raises; `typing` is called when
    somebody types here.
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
        self.head, self.error, self.offer_text, self.listed = (
            w.HTML(),
            w.HTML(),
            w.HTML(),
            w.VBox(),
        )
        self.field, heard = self.typed("a policy of your own", EXAMPLE)
        press = Press(lambda: (self.field.value, self.offered.value), self.error)
        self.add_button = press.new("Add policy", self.add, button_style="primary")
        self.take_button = press.new("Add this one", self.take)
        named = "Further policies of the project"
        self.offered = w.Dropdown(
            options=[("choose …", "")], tooltip=named, layout=w.Layout(width="100%")
        )
        self.more = boxed(
            "panel",
            w.HTML(f"<b>{named}</b>"),
            self.offered,
            self.offer_text,
            self.take_button,
        )
        own = boxed(
            "panel",
            w.HTML("<b>Add a policy of your own</b>"),
            self.field,
            heard,
            self.add_button,
        )
        self.view = boxed("left", self.head, self.error, self.listed, own, self.more)
        self.offered.observe(lambda _: self._offer(), "value")
        self.refresh()

    @property
    def policies(self) -> PolicySet:
        """Those that hold."""
        if (found := self._found()) is None:
            raise InvalidInput(
                "policy: no seminar is open; begin one on the page Setup"
            )
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
        today = (
            f", of which {applied} appl{'ies' if applied == 1 else 'y'} today"
            if selected is not None
            else ""
        )
        what = f"{len(found)}{today}" if len(found) else "none"
        self.head.value = f"<h2>Policies</h2>{told(what, look='faint')}"
        items = {
            policy.id: self.items.get(policy.id) or PolicyItem(policy.id, self)
            for policy in found
        }
        for policy in found:
            items[policy.id].show(policy, policy.id in (selected or ()))
        if list(items) != list(self.items):
            self.listed.children = tuple(item.view for item in items.values())
            left = [
                policy.id for policy in load_policies("all") if policy.id not in items
            ]
            self.offered.options = [("choose …", ""), *((name, name) for name in left)]
            there(self.more, bool(left))
        self.items = items

    def _offer(self) -> None:
        text = (
            load_policies("all")[self.offered.value].text if self.offered.value else ""
        )
        self.offer_text.value = told(text) + (
            told(understood(read_policy(text)), look="hint") if text else ""
        )

    def typed(self, name: str, example: str) -> tuple[w.Textarea, w.HTML]:
        """A field for a policy, whose name is read and not shown, and what is understood of what is typed there."""
        field = w.Textarea(
            placeholder=example,
            rows=3,
            tooltip=name,
            layout=w.Layout(width="100%", margin="2px 0"),
        )
        heard = w.HTML()

        def hear() -> None:
            self.typing()
            heard.value = (
                told(understood(read_policy(field.value)), look="hint")
                if field.value.strip()
                else ""
            )

        field.observe(lambda _: hear(), "value")
        return field, heard


class PolicyItem:
    """One policy: its text and its buttons, or a field in which it is changed."""

    def __init__(self, name: str, editor: PoliciesEditor) -> None:
        self.name, self.editor, self.text, self.error = name, editor, w.HTML(), w.HTML()
        self.field, self.heard = editor.typed(f"text of {name}", f"text of {name}")
        self.buttons, self.fields = row(), w.VBox()
        self.view = boxed(
            "policy-item", self.text, self.fields, self.buttons, self.error
        )
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
        self.fields.children, self.buttons.children = (
            (self.field, self.heard),
            (self.keep_button, self.leave_button),
        )
        self.field.focus()

    def close(self) -> None:
        """Back to its text and its buttons."""
        self.delete_button.description = "Delete"
        self.fields.children, self.buttons.children = (
            (),
            (self.edit_button, self.delete_button),
        )

    def keep(self) -> None:
        """Have the new text hold; one that contradicts another policy is refused, and stays in the field."""
        self.editor.use(
            self.editor.policies.edit(self.name, " ".join(self.field.value.split()))
        )
        self.close()

    def delete(self) -> None:
        """Ask once more, then drop the policy."""
        if self.delete_button.description == SURE:
            self.editor.use(self.editor.policies.drop(self.name))
        self.delete_button.description = SURE
        self.buttons.children = (self.delete_button, self.leave_button)


class BringForm:
    """Takes policies, and a file of what an earlier seminar left; `brought` is called with the artefacts of a file."""

    def __init__(
        self, changed: Callable[[], None], brought: Callable[[Artefacts], None]
    ) -> None:
        self.changed, self.brought = changed, brought
        self.held = Artefacts(load_policies())
        self.policies = PoliciesEditor(lambda: self.held.policies, self._use)
        self.file = w.FileUpload(accept=".yaml,.yml", multiple=False, description="Choose a file",
                                 layout=w.Layout(width="auto"))  # fmt: skip
        self.said, self.error = w.HTML(), w.HTML()
        self.press = Press(lambda: len(self.file.value), self.error)
        self.forget_button = self.press.new("Forget what was brought", self.forget)
        self.file.observe(
            lambda _: self.press.start(self._read) if self.file.value else None, "value"
        )
        along = row(self.file, self.forget_button, self.said)
        self.view = w.VBox([self.policies.view, hint(BRING), along, self.error])
        self._say("")

    def bring(self, artefacts: Artefacts, named: str = "") -> None:
        """Have the policies, questions and changes of another seminar; they take the place of those before."""
        self.held = artefacts
        self.policies.refresh()
        self._say(named)

    def forget(self) -> None:
        """Begin without questions and changes of before; the policies stay."""
        self.held = Artefacts(self.held.policies)
        self._say("")
        self.changed()

    def artefacts(self, templates: Any) -> Artefacts:
        """What the seminar begins with; two policies that contradict each other raise."""
        made = {one.kind: one for one in templates}
        return Artefacts(
            self.held.policies.literal(), made, self.held.hooks, self.held.learnt
        )

    def check(self) -> list[str]:
        """Whether policies contradict each other."""
        try:
            list(self.held.policies.literal())
        except InvalidInput as error:
            return [str(error)]
        return []

    def _use(self, policies: PolicySet) -> None:
        self.held = replace(self.held, policies=policies)
        self.changed()

    async def _read(self) -> None:
        [given] = self.file.value
        self.file.value = ()
        name, content = shown(str(given["name"]), 80), bytes(given["content"])
        artefacts = await asyncio.to_thread(read_artefacts, content, name)
        self.bring(artefacts, name)
        self.brought(artefacts)

    def _say(self, named: str) -> None:
        hooks, learnt = len(self.held.hooks), len(self.held.learnt)
        there_is = bool(named or hooks or learnt)
        parts = f"{count(hooks, 'answered question')} and {count(learnt, 'change')}"
        brought = f"Brought along{f' out of {named}' if named else ''}: {parts}, besides policies and templates."
        self.said.value = told(
            brought if there_is else "Nothing is brought along.", look="hint"
        )
        self.forget_button.disabled = not there_is


def read_artefacts(content: bytes, name: str) -> Artefacts:
    """The artefacts in a file's bytes; errors call it by its name."""
    if len(content) > LARGEST:
        raise InvalidInput(
            f"{name}: {len(content)} bytes given; expected {LARGEST} at most"
        )
    try:
        if any(isinstance(token, yaml.AliasToken) for token in yaml.scan(content)):
            raise InvalidInput(
                f"{name}: it refers to its own parts (*), which such a file has no need of; write them out"
            )
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise DamagedFile(f"{name}: {error}; expected a YAML file") from None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "artefacts.yaml"
        path.write_bytes(content)
        try:
            return import_artefacts(path)
        except ConveneError as error:
            raise type(error)(str(error).replace(str(path), name)) from None
