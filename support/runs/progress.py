"""How far a run is: one status, shown as a bar in a terminal, as a small table in a notebook, or to a function."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from shutil import get_terminal_size
from typing import Any

from support.errors import BudgetExceeded
from support.models.calls import Meter
from support.models.money import dollars

EVERY = 0.2  # seconds between two looks at most
IN_A_LOG = (
    60.0  # seconds between two lines where nobody watches: output that goes into a file
)
BAR = 16
Watcher = Callable[["Status"], None]


@dataclass(frozen=True, slots=True)
class Status:
    """A run at a moment; counts are of this run, `spent`, `reserved` and `limit_usd` of its budget, where it has one.

    `ended` is "" while the run is going on, then what became of it: "finished", or "partial" or "stopped" and why.
    """

    name: str
    total: int
    done: int = 0
    failed: int = 0
    skipped: int = 0  # stored before this run
    elsewhere: int = 0  # done by another process meanwhile
    replies: int = 0
    format_errors: int = 0
    calls: int = 0
    cached: int = 0
    in_flight: int = 0
    retries: int = 0
    tokens: int = 0
    usd: float = 0.0  # of calls with a known price
    unpriced: int = 0
    spent: float = 0.0
    reserved: float = 0.0
    limit_usd: float | None = None
    seconds: float = 0.0
    faults: dict[str, int] = field(default_factory=dict)
    ended: str = ""

    @property
    def over(self) -> int:
        """Units that are done or have failed, those of earlier runs and of other processes among them."""
        return self.done + self.failed + self.skipped + self.elsewhere

    @property
    def time(self) -> str:
        """What it took, or what the rest will take at the present pace."""
        from tqdm import tqdm

        finished = self.done + self.failed
        if self.ended or not finished:
            return f"{tqdm.format_interval(self.seconds)} taken" if self.ended else ""
        return f"{tqdm.format_interval((self.total - self.over) * self.seconds / finished)} left"

    @property
    def money(self) -> str:
        """What is spent, of what."""
        if self.limit_usd is None:
            return dollars(self.usd) + (
                f", {self.unpriced:,} calls without a price" if self.unpriced else ""
            )
        reserved = f" + {dollars(self.reserved)} in flight" if self.reserved else ""
        return f"{dollars(self.spent)}{reserved} of {dollars(self.limit_usd)}"

    def line(self, width: int | None = None) -> str:
        """What matters in one line, what is zero left out; in `width` characters, the first of it.

        >>> Status("s", 9, done=3, failed=1, calls=20, cached=4, usd=0.12, seconds=8.0).line(40)
        '4/9 units, 1 failed, $0.12, 00:10 left'
        """
        many = (
            f"{self.tokens / 1e3:.0f}k"
            if self.tokens < 1e6
            else f"{self.tokens / 1e6:.1f}M"
        )
        tokens = many if self.tokens >= 10_000 else self.tokens
        amounts = {"format errors": self.format_errors, "calls": self.calls, "cached": self.cached,
                   "in flight": self.in_flight, "retries": self.retries, "tokens": tokens}  # fmt: skip
        parts = [
            f"{self.over}/{self.total} units",
            self.ended,
            f"{self.failed} failed" if self.failed else "",
        ]
        parts += [self.money if self.calls else "", "" if self.ended else self.time]
        parts += [f"{amount} {name}" for name, amount in amounts.items() if amount]
        text = ", ".join(part for part in parts if part)
        while width is not None and len(text) > width and ", " in text:
            text = text.rpartition(", ")[0]
        return text[:width]

    def _repr_html_(self) -> str:
        from jinja2 import StrictUndefined, Template

        text = Path(__file__).with_suffix(".html.j2").read_text(encoding="utf-8")
        return Template(
            text, autoescape=True, trim_blocks=True, undefined=StrictUndefined
        ).render(status=self)


class Progress:
    """Follows a run, and shows its status now and then: True to who runs it, a function is given every new one."""

    def __init__(
        self, name: str, total: int, skipped: int, meter: Meter, show: bool | Watcher
    ) -> None:
        self.count: Counter[str] = Counter(skipped=skipped)
        self.ended = ""
        self._name, self._total, self._meter = name, total, meter
        self._started, self._shown = time.monotonic(), 0.0
        self._watch = (
            show if callable(show) else _shown_here(self.status()) if show else None
        )
        meter.watch(self.changed)

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: object,
    ) -> None:
        self.close(error)

    def changed(self, now: bool = False) -> None:
        """Something happened: show it, unless something was shown just now."""
        if self._watch is not None and (now or time.monotonic() - self._shown > EVERY):
            self._watch(self.status())
            self._shown = time.monotonic()

    def close(self, error: BaseException | None = None) -> None:
        """The run is over: show for the last time how far it came, and by which error it ended, if any did."""
        if not self.ended:
            said = (
                "partial: the budget is used up"
                if isinstance(error, BudgetExceeded)
                else ""
            )
            self.ended = said or (
                f"stopped: {type(error).__name__}"
                if error
                else self.status().ended or "partial"
            )
            self.changed(now=True)

    def status(self) -> Status:
        """The run at this moment."""
        meter, budget = self._meter, self._meter.budget
        given: dict[str, Any] = {
            **self.count,
            **meter.counts,
            "faults": dict(meter.faults),
        }
        given["tokens"] = (
            meter.counts["prompt_tokens"] + meter.counts["completion_tokens"]
        )
        given |= {
            name: getattr(meter, name) for name in ("in_flight", "usd", "unpriced")
        }
        given |= {
            name: getattr(budget, name)
            for name in ("spent", "reserved", "limit_usd")
            if budget is not None
        }
        known = {
            name: value
            for name, value in given.items()
            if name in Status.__dataclass_fields__
        }
        made = Status(
            self._name, self._total, **known, seconds=time.monotonic() - self._started
        )
        return replace(
            made, ended=self.ended or "finished" * (made.over >= self._total)
        )


def _shown_here(status: Status) -> Watcher:
    """The display of the place where this runs: a table in a notebook, a bar in a terminal, lines in a file."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if any(kind.__name__ == "ZMQInteractiveShell" for kind in type(shell).__mro__):
        from IPython.display import display

        handle: Any = display(status, display_id=True)
        return handle.update
    return (
        _Bar(status.name)
        if sys.stderr is not None and sys.stderr.isatty()
        else _Log(status.name)
    )


class _Bar:
    """A line as long as the terminal is wide; it stays when the run ends, and is not drawn again."""

    def __init__(self, name: str) -> None:
        from tqdm import tqdm

        kept, columns = (
            name if len(name) <= 24 else f"{name[:23]}…",
            get_terminal_size((100, 24)).columns,
        )
        form = f"{{desc}}: {{percentage:3.0f}}%|{{bar:{BAR}}}| {{postfix[0]}}"
        self._bar: Any = tqdm(
            total=1.0,
            desc=kept,
            bar_format=form,
            postfix=[""],
            ncols=columns,
            leave=True,
        )
        self._room = columns - len(kept) - BAR - 10

    def __call__(self, status: Status) -> None:
        self._bar.n = status.over / status.total if status.total else 1.0
        self._bar.postfix = [status.line(self._room)]
        self._bar.refresh()
        if status.ended:
            self._bar.close()


class _Log:
    """A line now and then: carriage returns would fill a file."""

    def __init__(self, name: str) -> None:
        self._name, self._said, self._over = name, time.monotonic(), False

    def __call__(self, status: Status) -> None:
        if not self._over and (
            status.ended or time.monotonic() - self._said > IN_A_LOG
        ):
            print(f"{self._name}: {status.line()}", file=sys.stderr, flush=True)
            self._said, self._over = time.monotonic(), bool(status.ended)
