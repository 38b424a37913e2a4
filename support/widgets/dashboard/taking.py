"""What one takes along from a seminar: a file, a download, another seminar that begins with it; and its record."""

from __future__ import annotations

import base64
from collections.abc import Callable
from html import escape
from pathlib import Path

import ipywidgets as w
import yaml

from support.boards.pieces import count, said
from support.errors import InvalidInput
from support.seminar.artefacts import Artefacts, as_content, export_artefacts
from support.seminars.seminar import Seminar
from support.widgets.dashboard.filed import SWEEP
from support.widgets.dashboard.frame import boxed, plain
from support.widgets.dashboard.work import Work
from support.widgets.organizing.fields import Press, alert, row, wide

TOLD = (
    "<h2>Take along</h2><p>What this seminar leaves: its policies as they hold now, the templates, the stop hooks "
    "(what was asked at the desk, and answered), and what was learnt of your changes. No addresses, no mails and no "
    "credentials are among it. The file is YAML, to be read and edited; the page Setup reads it.</p>"
)


class TakePage:
    """Buttons for the artefacts of the seminar at hand.

    Parameters
    ----------
    work : Work
    begin_with : callable
        Takes a seminar to the page Setup, to begin another one with what it leaves.
    """

    def __init__(self, work: Work, begin_with: Callable[[Seminar], None]) -> None:
        self.work, self.begin_with = work, begin_with
        self.write_button = wide("Write the file beside the store", button_style="primary")
        self.next_button = wide("Begin another seminar with these")
        self.left, self.link, self.said, self.error, self.record = (w.HTML() for _ in range(5))
        buttons = row(self.write_button, self.link, self.next_button, grid_gap="0 10px", overflow="visible")
        self.view = boxed("page", w.HTML(plain(TOLD)), self.left, buttons, self.said, self.error, self.record)
        press = Press(lambda: None, self.error)
        press.button(self.write_button, self.write)
        press.button(self.next_button, self.carry)

    @property
    def seminar(self) -> Seminar:
        """The one at hand.

        Raises
        ------
        InvalidInput
            When none is open.
        """
        if self.work.seminar is None:
            raise InvalidInput("seminar: none is open; begin one on the page Setup, or choose one on top")
        return self.work.seminar

    def write(self) -> None:
        """Write a new file beside the store, and say where."""
        seminar = self.seminar
        names = (seminar.path.with_name(f"{_stem(seminar)}_{k}.yaml") for k in range(1, 10**6))
        path = export_artefacts(seminar.artefacts, next(path for path in names if not path.exists()))
        self.said.value = plain(f'<div role="status">Written to {said(str(path.resolve()))}.</div>')

    def carry(self) -> None:
        """Go to the page Setup with what this seminar leaves."""
        self.begin_with(self.seminar)

    def refresh(self) -> None:
        """Show what there is now."""
        seminar = self.work.seminar
        self.write_button.disabled = self.next_button.disabled = seminar is None
        if seminar is None:
            self.left.value = plain("<p>No seminar is open.</p>")
            self.link.value = self.record.value = ""
            return
        try:
            made = seminar.artefacts
        except Exception as error:  # shown here, for nobody else sees what goes wrong while a page is drawn
            self.left.value, self.link.value = alert(str(error)), ""
            return
        self.left.value, self.link.value = plain(_in_words(made)), plain(_link(made, f"{_stem(seminar)}.yaml"))
        self.record.value = plain(_record(self.work, seminar))


def _stem(seminar: Seminar) -> str:
    """The name of the files, made of the store's and the seminar's."""
    name = "".join(c if c.isalnum() or c in "-_" else "_" for c in seminar.name)[:60]
    return f"{Path(seminar.path).stem}_{name}_artefacts"


def _in_words(made: Artefacts) -> str:
    counted = [
        count(len(made.policies), "policy", "policies"),
        count(len(made.templates), "template"),
        count(len(made.hooks), "stop hook"),
        count(len(made.learnt), "learnt change"),
    ]
    return f"<ul>{''.join(f'<li>{words}</li>' for words in counted)}</ul>"


def _link(made: Artefacts, name: str) -> str:
    """A link that saves the file from the browser."""
    text = yaml.safe_dump(as_content(made), sort_keys=False, allow_unicode=True, width=120)
    data = base64.b64encode(text.encode()).decode()
    return f'<a download="{escape(name)}" href="data:application/yaml;base64,{data}">Download {escape(name)}</a>'


def _record(work: Work, seminar: Seminar) -> str:
    """Where the record of the whole is."""
    head = "<h2>Record</h2>"
    if not seminar.over:
        return f"{head}<p>When the seminar is over, its record goes into the store, where notebooks find it.</p>"
    where = f"<code>Store({said(repr(work.path.name))}).records({SWEEP!r}, name={said(repr(seminar.name))})</code>"
    return f"{head}<p>It lies in the store: {where}.</p>" if work.kept else f"{head}<p>It is not in the store.</p>"
