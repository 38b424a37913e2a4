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

EVERY = 0.2  # seconds between two looks at most
TOLD = "failed misfits calls cached in_flight retries tokens unpriced stopped"
IN_A_LOG = 60.0  # the same where nobody watches: a bar drawn anew would fill a file


@dataclass(frozen=True, slots=True)
class Ended:
    """What became of a run, or of one under way: `stopped` says why it is not whole.

    Units that this run finished are `done` or `failed`; others were stored before
    (`skipped`) or done by another process meanwhile (`elsewhere`). `spent` is of the
    budget's account, where there is one, and `usd` of this run's calls.
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
    traceback: str = ""  # of the same one
    replies: int = 0
    misfits: int = 0  # replies that did not fit their form
    calls: int = 0
    cached: int = 0
    retries: int = 0
    in_flight: int = 0
    tokens: int = 0
    usd: float = 0.0
    unpriced: int = 0
    spent: float | None = None
    limit_usd: float | None = None
    seconds: float = 0.0
    stopped: str = ""

    @property
    def told(self) -> dict[str, Any]:
        """What is worth telling beside the units."""
        money = dollars(self.usd if self.spent is None else self.spent)
        limit = "" if self.limit_usd is None else f" of {dollars(self.limit_usd)}"
        told = {name: getattr(self, name) for name in TOLD.split()}
        told["money"] = money + limit if self.calls else ""
        return {name: value for name, value in told.items() if value}


class Progress:
    """Counts a run and shows it: to whoever looks on (True), or to a function."""

    def __init__(
        self,
        sweep: str,
        units: int,
        skipped: int,
        meter: Meter,
        show: bool | Callable[[Ended], object],
    ) -> None:
        self.count = Counter[str](skipped=skipped)
        self._sweep, self._units, self._meter = sweep, units, meter
        self._started, self._shown = time.monotonic(), 0.0
        self._watch = show if callable(show) else None
        self._bar = _bar(sweep, units, skipped) if show is True else None
        meter.changed = self.changed

    def changed(self, now: bool = False) -> None:
        """Something happened: show it, unless something was shown just now."""
        if not now and time.monotonic() - self._shown < EVERY:
            return
        self._shown, state = time.monotonic(), self.ended()
        if self._watch is not None:
            self._watch(state)
        if self._bar is not None:
            over = state.done + state.failed + state.skipped + state.elsewhere
            self._bar.set_postfix(state.told, refresh=False)
            self._bar.update(over - self._bar.n)

    def close(self) -> None:
        """Show for the last time how far the run came."""
        self.changed(now=True)
        if self._bar is not None:
            self._bar.refresh()
            self._bar.close()
        self._bar = self._watch = None

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
        meter, budget = self._meter, self._meter.budget
        counts: dict[str, Any] = dict(self.count)
        counts |= {name: meter.counts[name] for name in ("calls", "cached", "retries")}
        if budget is not None:
            counts |= {"spent": budget.spent, "limit_usd": budget.limit_usd}
        return Ended(
            self._sweep,
            self._units,
            **counts,
            in_flight=meter.in_flight,
            tokens=meter.counts["prompt_tokens"] + meter.counts["completion_tokens"],
            usd=meter.usd,
            unpriced=meter.unpriced,
            seconds=time.monotonic() - self._started,
            **more,
        )


def _bar(sweep: str, units: int, skipped: int) -> Any:
    from tqdm.auto import tqdm

    watched = "ipykernel" in sys.modules or sys.stderr.isatty()
    pace = EVERY if watched else IN_A_LOG
    return tqdm(desc=sweep, total=units, initial=skipped, unit="unit", mininterval=pace)
