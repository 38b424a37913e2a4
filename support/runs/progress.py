"""How far a run is, and what became of it: one record, shown as a bar of tqdm."""

from __future__ import annotations

import json
import os
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from support.models.calls import Meter
from support.models.money import dollars

TOLD = ("failed", "misfits", "calls", "cached", "tokens", "stopped")
EVERY = 0.2  # seconds between two looks at most
IN_A_LOG = 60.0  # the same where nobody watches: a bar drawn anew would fill a file


@dataclass(frozen=True, slots=True)
class Ended:
    """What became of a run, or of one under way: `stopped` says why it is not whole.

    Units that this run finished are `done` or `failed`; others were stored before
    (`skipped`) or done by another process meanwhile (`elsewhere`). `spent` is of the
    budget's account, where there is one, else of this run's calls.
    """

    sweep: str
    units: int
    done: int = 0
    failed: int = 0
    skipped: int = 0
    elsewhere: int = 0
    missing: int = 0  # without a record: failed now or earlier, or not played
    draws: int = 0  # finished units, those that asked the very same counted once
    error: str = ""  # of the first unit of the grid that has failed
    traceback: str | None = ""  # of the same one
    misfits: int = 0  # replies that did not fit their form
    calls: int = 0
    cached: int = 0
    tokens: int = 0
    spent: float = 0.0  # US dollars
    stopped: str = ""


@dataclass
class Progress:
    """Counts a run and shows it: to whoever looks on (True), or to a function."""

    sweep: str
    units: int
    skipped: int
    meter: Meter
    show: bool | Callable[[Ended], object]
    misfits: int = 0

    def __post_init__(self) -> None:
        self.count = Counter[str](skipped=self.skipped)  # units, by what became of them
        self._shown = 0.0
        self._bar = _bar(self) if self.show is True else None
        self.meter.changed = self.changed

    def changed(self, now: bool = False) -> None:
        """Something happened: show it, unless something was shown just now."""
        if not now and time.monotonic() - self._shown < EVERY:
            return
        self._shown, state = time.monotonic(), self.ended()
        if callable(self.show):
            self.show(state)
        if self._bar is not None:
            told = {name: getattr(state, name) for name in TOLD}
            told["spent"] = dollars(state.spent) if state.calls else ""
            self._bar.set_postfix(
                {name: value for name, value in told.items() if value}, refresh=False
            )
            self._bar.update(self.count.total() - self._bar.n)

    def close(self) -> None:
        """Show for the last time how far the run came."""
        self.changed(now=True)
        if self._bar is not None:
            self._bar.close()
        self._bar = None
        self.show = False

    def end(self, **more: Any) -> Ended:
        """What became of the run; a line of the file that CONVENE_ENDED names, too."""
        self.close()
        ended = self.ended(**more)
        if file := os.environ.get("CONVENE_ENDED"):
            with open(file, "a", encoding="utf-8") as lines:
                lines.write(json.dumps(asdict(ended)) + "\n")
        return ended

    def ended(self, **more: Any) -> Ended:
        """The run at this moment."""
        counts: dict[str, Any] = dict(self.count)
        asked = self.meter.counts
        budget = self.meter.budget
        return Ended(
            self.sweep,
            self.units,
            **counts,
            misfits=self.misfits,
            calls=asked["calls"],
            cached=asked["cached"],
            tokens=asked["prompt_tokens"] + asked["completion_tokens"],
            spent=budget.spent if budget else self.meter.usd,
            **more,
        )


def _bar(of: Progress) -> Any:
    from tqdm.auto import tqdm

    watched = "ipykernel" in sys.modules or sys.stderr.isatty()
    return tqdm(
        desc=of.sweep,
        total=of.units,
        initial=of.skipped,
        unit="unit",
        mininterval=EVERY if watched else IN_A_LOG,
    )
