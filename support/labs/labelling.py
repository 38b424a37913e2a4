"""A desk at which two people label the same messages, one after the other or each on a day of their own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ipywidgets as w
import numpy as np
import pandas as pd

from support.analysis.agreement import LabelFile, coder_agreement, key
from support.analysis.dialogue_acts import LABELS, MEANINGS
from support.analysis.frames import need_columns
from support.draw import dots
from support.errors import InvalidInput
from support.labs.base import Lab, blank, fill, held, warning

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DRAWS = 500  # of the bootstrap behind the table: enough for a glance, and quick after each label


class LabellingDesk(Lab):
    """Controls over a sample of messages. Display `desk.view`; each label is in the file as soon as it is saved.

    Works by keyboard alone: Tab moves on, Space ticks, Enter presses a button. A coder sees no label but their own.
    `messages` are whole discussions with run, round, sender and text, as `conversation.messages_of` gives them, for the
    round before a message is shown with it; `n` are drawn with `seed`, the same for both `coders`. `path` is the SQLite
    file that labels go to; what is in it already is shown and counted.
    """

    study = "labels"

    def __init__(
        self,
        messages: pd.DataFrame,
        path: str | Path,
        coders: Sequence[str] = ("coder 1", "coder 2"),
        *,
        n: int = 20,
        seed: int = 1,
    ) -> None:
        need_columns(messages, ["run", "round", "sender", "text"], "messages")
        if (
            isinstance(coders, str)
            or len(set(coders)) != 2
            or not all(name.strip() for name in coders)
        ):
            raise InvalidInput(
                f"coders: {coders!r} given; expected two different names"
            )
        super().__init__(
            "640px",
            {"(messages)": held(messages, "messages"), "(path)": repr(str(path))},
        )
        self._told = {"coders": tuple(coders), "n": n, "seed": seed}
        self.messages, self.file = messages.reset_index(drop=True), LabelFile(path)
        drawn = np.random.default_rng(seed).choice(
            len(messages), min(n, len(messages)), replace=False
        )
        self.sample = sorted(drawn.tolist())
        self.rows = self.messages.to_dict("records")
        self.keys = [key(self.rows[place]) for place in self.sample]
        self.at = 0
        self.coder = w.Dropdown(options=list(coders), description="I am")
        look: dict[str, Any] = {"indent": False, "layout": w.Layout(width="9rem")}
        self.boxes = {label: w.Checkbox(description=label, **look) for label in LABELS}
        self.keep_button = w.Button(description="Save and next", button_style="primary")
        self.back_button, self.on_button = (
            w.Button(description="Previous"),
            w.Button(description="Next"),
        )
        self.progress, self.context, self.message = w.Label(), w.HTML(), w.HTML()
        self.error, self.agreement = w.HTML(), w.HTML()
        lines = [
            w.HBox([box, w.Label(MEANINGS[label])]) for label, box in self.boxes.items()
        ]
        buttons = w.HBox([self.keep_button, self.back_button, self.on_button])
        above = [w.HBox([self.coder, self.progress]), self.context, self.message]
        below = [
            buttons,
            self.error,
            self.agreement,
            self.figure,
            self.status,
            self.kept,
        ]
        self.page = w.VBox([*above, *lines, *below])
        self.coder.observe(lambda _: self.open(), "value")
        self.keep_button.on_click(lambda _: self.keep())
        self.back_button.on_click(lambda _: self.go(-1))
        self.on_button.on_click(lambda _: self.go(1))
        self.open()
        self.compare()

    @property
    def current(self) -> dict[Any, Any]:
        """The message at hand."""
        return self.rows[self.sample[self.at]]

    def open(self) -> None:
        """Begin with the first message that the coder has not labelled."""
        done = self._done()
        self.at = next((i for i, name in enumerate(self.keys) if name not in done), 0)
        self.show()

    def go(self, step: int) -> None:
        """Turn to another message; ticks that were not saved are lost."""
        self.at = min(max(self.at + step, 0), len(self.sample) - 1)
        self.show()

    def keep(self) -> None:
        """Keep the ticked labels and go on; say what is wrong when they are none."""
        try:
            self.file.add(
                self.current,
                self.coder.value,
                [label for label, box in self.boxes.items() if box.value],
            )
        except InvalidInput as error:
            self.error.value = warning(str(error))
            return
        self.go(1)
        self.compare()

    def show(self) -> None:
        """Draw the message at hand, the round before it, and the coder's own label when there is one."""
        done, row = self._done(), self.current
        for label, box in self.boxes.items():
            box.value = label in done.get(self.keys[self.at], ())
        saved = "saved" if self.keys[self.at] in done else "not labelled yet"
        share = f"{len(set(self.keys) & set(done))} of {len(set(self.keys))} labelled by {self.coder.value}"
        self.progress.value = (
            f"message {self.at + 1} of {len(self.sample)} ({saved}); {share}"
        )
        before = [
            r
            for r in self.rows
            if (r["run"], r["round"]) == (row["run"], row["round"] - 1)
        ]
        self.context.value, self.message.value = (
            fill("context", before),
            fill("to_label", row),
        )
        self.error.value = ""

    @property
    def settings(self) -> dict[str, Any]:
        """Who labels, how many messages, and the seed of their draw."""
        return self._told

    @property
    def who(self) -> str:
        """The two coders."""
        return f"coders: {' and '.join(self.coder.options)}"

    def _agreed(self) -> pd.DataFrame:
        """How far the two coders agree on this sample; InvalidInput says what is missing for that."""
        labels = self.file.read()
        ours = labels[
            labels["message"].isin(self.keys) & labels["coder"].isin(self.coder.options)
        ]
        if ours.empty:
            raise InvalidInput("nobody has labelled yet")
        return coder_agreement(
            ours, np.random.default_rng(0), self.coder.options, draws=DRAWS
        )

    def compare(self) -> None:
        """Show how far the two coders agree on this sample, or what is missing for that."""
        try:
            self.agreement.value = agreement_table(self._agreed(), self.coder.options)
        except InvalidInput as error:
            self.agreement.value = fill("hint", _sentence(error))
        self._redraw()

    def draw(self) -> Figure:
        """Kappa and F1 of each act that a coder gave, with intervals; in words what is missing for them."""
        fig, ax = blank(6.5, 3.2)
        try:
            frame = (
                self._agreed()
                .query("measure in ('kappa', 'f1')")
                .dropna(subset=["value"])
            )
            if frame.empty:
                raise InvalidInput("agreement is not defined on these labels yet")
            dots(ax, frame, "act", "value", hue="measure")
            ax.set(xlabel="agreement (1: the same labels, 0: chance)", title=self.who)
        except InvalidInput as error:
            ax.text(0.5, 0.5, _sentence(error), ha="center", va="center", wrap=True)
            ax.set_axis_off()
        return fig

    def _done(self) -> dict[str, tuple[str, ...]]:
        labels = self.file.read()
        mine = labels[labels["coder"] == self.coder.value]
        return dict(zip(mine["message"], mine["acts"], strict=True))


def agreement_table(frame: pd.DataFrame, coders: Sequence[str]) -> str:
    """Cohen's kappa and F1 of each act that a coder gave, with 95 % intervals over runs, as HTML."""
    cells = {
        (row["act"], row["measure"]): _number(row) for row in frame.to_dict("records")
    }
    size = frame.drop_duplicates("act").set_index("act")[["truth", "given"]]
    counted = (
        size[size.fillna(1).sum(axis=1) > 0].astype(object).where(size.notna(), "")
    )
    rows = [[row.Index, row.truth, row.given, cells[row.Index, "kappa"], cells[row.Index, "f1"]]
            for row in counted.itertuples()]  # fmt: skip
    return fill("agreement", frame["n"].iloc[0], coders, rows)


def _number(cell: Any) -> str:
    if np.isnan(cell["value"]):
        return "–"
    spread = (
        "" if np.isnan(cell["low"]) else f" ({cell['low']:.2f} to {cell['high']:.2f})"
    )
    return f"{cell['value']:.2f}{spread}"


def _sentence(error: InvalidInput) -> str:
    return f"{str(error)[:1].upper()}{str(error)[1:]}."
