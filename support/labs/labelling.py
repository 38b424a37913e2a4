"""A desk at which two people label the same messages, one after the other or each on a day of their own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import ipywidgets as w
import numpy as np
import pandas as pd

from support.analysis.agreement import LabelFile, coder_agreement, key
from support.analysis.dialogue_acts import LABELS, MEANINGS
from support.analysis.frames import need_columns
from support.errors import InvalidInput
from support.labs.base import fill
from support.person import warning

DRAWS = 500
"""Of the bootstrap behind the table: enough for a glance, and quick after each label."""


class LabellingDesk:
    """A sample of messages to label. Display `view`; each label is in the file as soon as it is saved.

    Works by keyboard alone: Tab moves on, Space ticks, Enter presses a button. A coder
    sees no label but their own. `messages` are whole discussions with run, round, sender
    and text, so that the round before a message can be shown; `n` are drawn with `seed`,
    the same for both `coders`. What is in the file already is shown and counted.
    """

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
        named = not isinstance(coders, str) and all(name.strip() for name in coders)
        if not named or len(set(coders)) != 2:
            wanted = "expected two different names"
            raise InvalidInput(f"coders: {coders!r} given; {wanted}")
        self.file = LabelFile(path)
        self.rows = messages.to_dict("records")
        drawn = np.random.default_rng(seed).permutation(len(self.rows))[:n]
        self.sample = [self.rows[place] for place in sorted(drawn)]
        self.keys = [key(row) for row in self.sample]
        self.at = 0
        self._make_page(list(coders))
        self.open()
        self.compare()

    def _make_page(self, coders: list[str]) -> None:
        self.coder = w.Dropdown(options=coders, description="I am")
        self.coder.observe(lambda _: self.open(), "value")
        self.boxes = {}
        for label in LABELS:
            words = f"{label}: {MEANINGS[label]}"
            wide: Any = {"width": "auto"}
            box = w.Checkbox(
                description=words,
                indent=False,
                layout=wide,
            )
            self.boxes[label] = box
        self.keep_button = w.Button(description="Save and next", button_style="primary")
        self.keep_button.on_click(lambda _: self.keep())
        self.back_button = w.Button(description="Previous")
        self.back_button.on_click(lambda _: self.go(-1))
        self.on_button = w.Button(description="Next")
        self.on_button.on_click(lambda _: self.go(1))
        self.progress = w.Label()
        self.message = w.HTML()
        self.error = w.HTML()
        self.agreement = w.HTML()
        above = [w.HBox([self.coder, self.progress]), self.message]
        buttons = w.HBox([self.keep_button, self.back_button, self.on_button])
        below = [buttons, self.error, self.agreement]
        self.view = w.VBox([*above, *self.boxes.values(), *below])

    def open(self) -> None:
        """Begin with the first message that the coder has not labelled."""
        done = self._done()
        left = [at for at, name in enumerate(self.keys) if name not in done]
        self.at = left[0] if left else 0
        self.show()

    def go(self, step: int) -> None:
        """Turn to another message; ticks that were not saved are lost."""
        self.at = min(max(self.at + step, 0), len(self.sample) - 1)
        self.show()

    def keep(self) -> None:
        """Keep the ticked labels and go on; say what is wrong when they are none."""
        ticked = [label for label, box in self.boxes.items() if box.value]
        try:
            self.file.add(self.sample[self.at], self.coder.value, ticked)
        except InvalidInput as error:
            self.error.value = warning(str(error))
            return
        self.go(1)
        self.compare()

    def show(self) -> None:
        """The message at hand, the round before it, and the coder's own label of it."""
        done = self._done()
        row = self.sample[self.at]
        name = self.keys[self.at]
        for label, box in self.boxes.items():
            box.value = label in done.get(name, ())
        state = "saved" if name in done else "not labelled yet"
        count = f"{len({*self.keys} & {*done})} of {len(set(self.keys))}"
        place = f"message {self.at + 1} of {len(self.sample)} ({state})"
        self.progress.value = f"{place}; {count} labelled by {self.coder.value}"
        earlier = (row["run"], row["round"] - 1)
        before = [one for one in self.rows if (one["run"], one["round"]) == earlier]
        self.message.value = fill("to_label", row, before)
        self.error.value = ""

    def compare(self) -> None:
        """How far the two coders agree on this sample, or what is missing for that."""
        labels = self.file.read()
        coders = self.coder.options
        ours = labels[labels["message"].isin(self.keys)]
        try:
            rng = np.random.default_rng(0)
            agreed = coder_agreement(ours, rng, coders, draws=DRAWS)
        except InvalidInput as error:
            self.agreement.value = fill("hint", str(error))
            return
        kappa = agreed[agreed["measure"] == "kappa"].dropna(subset="value")
        names = {
            "truth": coders[0],
            "given": coders[1],
            "value": "kappa",
        }
        shown = kappa[["act", *names, "low", "high"]].rename(columns=names)
        table = shown.round(2).to_html(
            index=False,
            na_rep="–",
            border=0,
        )
        self.agreement.value = fill("agreement", agreed["n"].iloc[0], table)

    def _done(self) -> dict[str, tuple[str, ...]]:
        labels = self.file.read()
        mine = labels[labels["coder"] == self.coder.value]
        return dict(zip(mine["message"], mine["acts"], strict=True))
