"""What one takes along from a rehearsal: to a file, or into the next one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from html import escape
from pathlib import Path

import ipywidgets as w

from support.labs.base import warning
from support.seminar.artefacts import Artefacts, export_artefacts, load_templates
from support.widgets.organizing.fields import row, wide

TOLD = (
    "What a rehearsal leaves: the policies that are shown under <i>Policies</i>, the templates, the stop hooks (what "
    "was asked at the desk, and answered), and what was learnt of your changes. Write them to a file that one can read "
    "and edit, or carry them over: another rehearsal begins with them."
)


class TakePanel:
    """Buttons for the artefacts of a rehearsal.

    Parameters
    ----------
    store : path
        The file is written beside it.
    scenarios : mapping of name to words
    artefacts : callable
        Gives what there is now, or raises.
    begin : callable
        Begins a rehearsal of a scenario with what was brought.
    tell : callable
        Shows HTML to the user.

    Attributes
    ----------
    brought : Artefacts
        What an earlier rehearsal left; its policies are those of the panel of policies.
    """

    def __init__(
        self,
        store: Path,
        scenarios: Mapping[str, str],
        artefacts: Callable[[], Artefacts],
        begin: Callable[[str], None],
        tell: Callable[[str], None],
    ) -> None:
        self.store, self.artefacts, self.begin, self.tell = store, artefacts, begin, tell
        self.brought = Artefacts(templates=load_templates())
        self.write_button, self.forget_button = wide("Write as YAML"), wide("Forget what was brought")
        self.carry_button, self.said = wide("Carry over", button_style="info"), w.HTML()
        self.next = w.Dropdown(
            options=[(words, name) for name, words in scenarios.items()],
            value=list(scenarios)[-1],
            description="next scenario",
            style={"description_width": "6.5rem"},
        )
        into = row(self.next, self.carry_button)
        self.view = w.VBox([w.HTML(TOLD), self.write_button, into, self.said, self.forget_button])
        acts = (self.write_button, self.write), (self.carry_button, self.carry), (self.forget_button, self.forget)
        for button, act in acts:
            button.on_click(lambda _, act=act: self._try(act))
        self._say()

    @property
    def in_words(self) -> str:
        """What was brought along."""
        hooks, learnt = len(self.brought.hooks), len(self.brought.learnt)
        if not hooks and not learnt:
            return "Nothing was brought along from an earlier rehearsal."
        return (
            f"Brought along from an earlier rehearsal: {hooks} stop hook{'' if hooks == 1 else 's'}, {learnt} learnt "
            f"change{'' if learnt == 1 else 's'}, and the policies."
        )

    def write(self) -> None:
        """Write a new file beside the store, and say where."""
        names = (self.store.with_name(f"{self.store.stem}_artefacts_{k}.yaml") for k in range(1, 10**6))
        path = export_artefacts(self.artefacts(), next(path for path in names if not path.exists()))
        self.tell(f"Written to {escape(str(path.resolve()))}.")

    def carry(self) -> None:
        """Begin the next scenario with what this rehearsal leaves."""
        self.brought = self.artefacts()
        self._say()
        self.begin(self.next.value)

    def forget(self) -> None:
        """Begin the next rehearsal without what was brought; the policies stay as they are ticked."""
        self.brought = Artefacts(templates=load_templates())
        self._say()
        self.tell("What was brought is forgotten from <b>Begin anew</b> on. The policies stay as they are.")

    def _say(self) -> None:
        self.said.value = self.in_words
        self.forget_button.disabled = not (self.brought.hooks or self.brought.learnt)

    def _try(self, act: Callable[[], None]) -> None:
        """Do what a button says; what cannot be is told."""
        try:
            act()
        except Exception as error:  # an error in a callback is seen by nobody else
            self.tell(warning(str(error)))
