"""What is brought along from an earlier seminar: policies to choose from, templates, answered questions, changes."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import ipywidgets as w
import yaml

from support.errors import ConveneError, DamagedFile, InvalidInput
from support.mail.characters import shown
from support.seminar.artefacts import Artefacts, import_artefacts
from support.seminar.rules import PolicySet
from support.widgets.dashboard.parts import hint, hinted
from support.widgets.organizing.fields import Press, alert, row, wide
from support.widgets.organizing.policies import PoliciesPanel

LARGEST = 2**20
"""Bytes of a file of artefacts."""

TOLD = (
    "A file that “Take along” wrote in another seminar: its policies are ticked above, its templates are in Mails, and "
    "the organiser knows the questions that were answered there and the changes that were made."
)


class BringForm:
    """Takes policies, and a file of what an earlier seminar left.

    Parameters
    ----------
    changed : callable
        Called when something is another.
    brought : callable
        Called with the artefacts of a file.
    """

    def __init__(self, changed: Callable[[], None], brought: Callable[[Artefacts], None]) -> None:
        self.changed, self.brought = changed, brought
        self.policies = PoliciesPanel(self._changed)
        self.held = Artefacts()
        self.file = w.FileUpload(
            accept=".yaml,.yml", multiple=False, description="Choose a file", layout=w.Layout(width="auto")
        )
        self.forget_button, self.said, self.error = wide("Forget what was brought"), w.HTML(), w.HTML()
        self.trouble = w.HTML()
        self.press = Press(lambda: len(self.file.value), self.error)
        self.press.button(self.forget_button, self.forget)
        self.file.observe(lambda _: self._chosen(), "value")
        brought_along = row(self.file, self.forget_button, self.said)
        self.view = w.VBox([self.policies.view, self.trouble, hint(TOLD), brought_along, self.error])
        self._say("")

    def bring(self, artefacts: Artefacts, named: str) -> None:
        """Have the policies, questions and changes of another seminar; they take the place of those before."""
        known = {policy.id: policy for policy in self.policies.known}
        given = {policy.id: policy for policy in artefacts.policies}
        for name, tick in self.policies.ticks.items():
            tick.value = name in given and given[name].text == known[name].text
        for policy in tuple(self.policies.own):
            self.policies.remove(policy)
        for policy in given.values():
            if policy.id not in known or policy.text != known[policy.id].text:
                self.policies.take(policy)
        self.held = replace(artefacts, policies=PolicySet())
        self._say(named)
        self._changed()

    def forget(self) -> None:
        """Begin without questions and changes of before; the policies stay as they are ticked."""
        self.held = Artefacts()
        self._say("")
        self._changed()

    def artefacts(self, templates: Any) -> Artefacts:
        """What the seminar begins with.

        Raises
        ------
        InvalidInput
            When two policies contradict each other.
        """
        return Artefacts(
            self.policies.policies, {made.kind: made for made in templates}, self.held.hooks, self.held.learnt
        )

    def check(self, shown: bool) -> list[str]:
        """What does not fit; that policies contradict each other is said at once."""
        trouble = self.policies.trouble
        self.trouble.value = alert(trouble)
        return [trouble] if trouble else []

    def _chosen(self) -> None:
        if self.file.value:
            self.press.start(self._read)

    async def _read(self) -> None:
        [given] = self.file.value
        self.file.value = ()
        name, content = shown(str(given["name"]), 80), bytes(given["content"])
        artefacts = await asyncio.to_thread(read_artefacts, content, name)
        self.bring(artefacts, name)
        self.brought(artefacts)

    def _say(self, named: str) -> None:
        hooks, learnt = len(self.held.hooks), len(self.held.learnt)
        there = bool(named or hooks or learnt)
        parts = f"{hooks} answered question{'' if hooks == 1 else 's'} and {learnt} change{'' if learnt == 1 else 's'}"
        of = f" out of {named}" if named else ""
        self.said.value = hinted(
            f"Brought along{of}: {parts}, besides policies and templates." if there else "Nothing is brought along."
        )
        self.forget_button.disabled = not there

    def _changed(self) -> None:
        self.check(True)
        self.changed()


def read_artefacts(content: bytes, name: str) -> Artefacts:
    """The artefacts in a file's bytes; errors call it by its name.

    Raises
    ------
    InvalidInput, DamagedFile
        When it is too large, refers to itself, or is none that Convene or a person in its manner wrote.
    """
    if len(content) > LARGEST:
        raise InvalidInput(f"{name}: {len(content)} bytes given; expected {LARGEST} at most")
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
