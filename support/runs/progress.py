"""How far a run is: one status, shown as a bar in a terminal, as a small table in a notebook, or to a function."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from shutil import get_terminal_size
from typing import Any

from support.errors import BudgetExceeded
from support.models.calls import Meter
from support.models.money import dollars

EVERY = 0.2  # seconds between two looks at most
IN_A_LOG = 60.0  # seconds between two lines where nobody watches: output that goes into a file
BAR = 16
Watcher = Callable[["Status"], None]


@dataclass(frozen=True, slots=True)
class Status:
    """A run at a moment. Counts of units, calls and tokens are of this run; `skipped` units were stored before it.

    `elsewhere` units were done by another process meanwhile. `usd` is spent by this run where prices are known
    (`unpriced` counts calls without one); `spent`, `reserved` and `limit_usd` are of the budget, None without one.
    `ended` is "" while the run is going on, then what became of it: "finished", or "partial" or "stopped" and why.
    """

    name: str
    total: int
    done: int = 0
    failed: int = 0
    skipped: int = 0
    elsewhere: int = 0
    replies: int = 0
    format_errors: int = 0
    calls: int = 0
    cached: int = 0
    in_flight: int = 0
    retries: int = 0
    tokens: int = 0
    usd: float = 0.0
    unpriced: int = 0
    spent: float | None = None
    reserved: float | None = None
    limit_usd: float | None = None
    seconds: float = 0.0
    faults: dict[str, int] = field(default_factory=dict)
    ended: str = ""

    @property
    def over(self) -> int:
        """Units that are done or have failed, those of earlier runs and of other processes among them."""
        return self.done + self.failed + self.skipped + self.elsewhere

    @property
    def left(self) -> float | None:
        """Seconds that the rest will take at the present pace; None while nothing is finished, 0 at the end."""
        finished = self.done + self.failed
        return 0.0 if self.ended else (self.total - self.over) * self.seconds / finished if finished else None

    @property
    def time(self) -> str:
        """What it took, or what is left."""
        if self.ended:
            return f"{clock(self.seconds)} taken"
        return "" if self.left is None else f"{clock(self.left)} left"

    @property
    def money(self) -> str:
        """What is spent, of what."""
        if self.limit_usd is None:
            return dollars(self.usd) + (f", {self.unpriced:,} calls without a price" if self.unpriced else "")
        reserved = f" + {dollars(self.reserved)} in flight" if self.reserved else ""
        return f"{dollars(self.spent or 0)}{reserved} of {dollars(self.limit_usd)}"

    def parts(self) -> dict[str, str]:
        """What there is to say of units and calls, each under its name; what no call was made for is left out."""
        said = {"failed": str(self.failed), "format errors": str(self.format_errors)}
        if self.calls or self.in_flight:
            said |= {"calls": f"{self.calls:,} ({self.cached:,} cached)", "in flight": str(self.in_flight)}
            said |= {"retries": f"{self.retries:,}", "tokens": f"{self.tokens:,}", "money": self.money}
        return said

    def line(self, width: int | None = None) -> str:
        """The same in one line, what is zero left out; in `width` characters, what matters least is left out as well.

        >>> Status("s", 9, done=3, failed=1, calls=20, cached=4, usd=0.12, seconds=8.0).line(40)
        '4/9 units, 1 failed, $0.12, 0:10 left'
        """
        many = f"{self.tokens / 1e3:.0f}k" if self.tokens < 1e6 else f"{self.tokens / 1e6:.1f}M"
        tokens = many if self.tokens >= 10_000 else self.tokens
        ranked = [  # the higher, the sooner it is left out
            (0, f"{self.over}/{self.total} units"), (1, self.failed and f"{self.failed} failed"),
            (4, self.format_errors and f"{self.format_errors} format errors"),
            (5, self.calls and f"{self.calls} calls"), (6, self.cached and f"{self.cached} cached"),
            (7, self.in_flight and f"{self.in_flight} in flight"), (8, self.retries and f"{self.retries} retries"),
            (9, self.tokens and f"{tokens} tokens"), (2, self.calls and self.money),
            (-1 if self.ended else 3, self.ended or self.time),
        ]  # fmt: skip
        parts = [(rank, str(text)) for rank, text in ranked if text]
        while width is not None and len(parts) > 1 and len(", ".join(text for _, text in parts)) > width:
            parts.remove(max(parts))
        return ", ".join(text for _, text in parts)[:width]

    def _repr_html_(self) -> str:
        from jinja2 import Environment, FileSystemLoader, StrictUndefined

        folder = FileSystemLoader(Path(__file__).parent)
        environment = Environment(loader=folder, autoescape=True, undefined=StrictUndefined, trim_blocks=True)
        return environment.get_template("progress.html.j2").render(status=self)


class Progress:
    """Follows a run of a meter's calls, and shows its status now and then; at the end it says how it ended.

    `show` True is a bar, or a table where there is a notebook; a function is given every new status.
    """

    def __init__(self, name: str, total: int, skipped: int, meter: Meter, show: bool | Watcher) -> None:
        self.count: Counter[str] = Counter(skipped=skipped)
        self.ended = ""
        self._name, self._total, self._meter = name, total, meter
        self._started, self._shown = time.monotonic(), 0.0
        self._watch = show if callable(show) else (_shown_here(name) if show else None)
        meter.watch(self.changed)

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        self.close(error)

    def changed(self, now: bool = False) -> None:
        """Something happened: show it, unless something was shown just now."""
        if self._watch is not None and (now or time.monotonic() - self._shown > EVERY):
            self._watch(self.status())
            self._shown = time.monotonic()

    def close(self, error: BaseException | None = None) -> None:
        """The run is over: show for the last time how far it came, and by which error it ended, if any did."""
        if not self.ended:
            said = "" if error is None else f"stopped: {type(error).__name__}"
            said = "partial: the budget is used up" if isinstance(error, BudgetExceeded) else said
            self.ended = said or self.status().ended or "partial"
            self.changed(now=True)

    def status(self) -> Status:
        """The run at this moment."""
        meter, budget, names = self._meter, self._meter.budget, Status.__dataclass_fields__
        given: dict[str, Any] = {name: count for name, count in self.count.items() if name in names}
        given |= {name: meter.counts[name] for name in ("calls", "cached", "retries")}
        if budget is not None:
            given |= {"spent": budget.spent, "reserved": budget.reserved, "limit_usd": budget.limit_usd}
        given |= {
            "in_flight": meter.in_flight,
            "usd": meter.usd,
            "unpriced": meter.unpriced,
            "faults": {**meter.faults},
        }
        given["tokens"] = meter.counts["prompt_tokens"] + meter.counts["completion_tokens"]
        over = sum(self.count[name] for name in ("done", "failed", "skipped", "elsewhere")) >= self._total
        ended = self.ended or "finished" * over
        return Status(self._name, self._total, **given, seconds=time.monotonic() - self._started, ended=ended)


def _shown_here(name: str) -> Watcher:
    """The display of the place where this runs: a panel in a notebook, a bar in a terminal, lines in a file."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if any(kind.__name__ == "ZMQInteractiveShell" for kind in type(shell).__mro__):
        return _Panel()
    return _Bar(name) if sys.stderr is not None and sys.stderr.isatty() else _Log(name)


class _Bar:
    """A line in a terminal, as long as the terminal is wide; it stays when the run ends, and is not drawn again."""

    def __init__(self, name: str) -> None:
        from tqdm import tqdm

        kept, columns = name if len(name) <= 24 else f"{name[:23]}…", get_terminal_size((100, 24)).columns
        form = f"{{desc}}: {{percentage:3.0f}}%|{{bar:{BAR}}}| {{postfix[0]}}"
        self._bar: Any = tqdm(total=1.0, desc=kept, bar_format=form, postfix=[""], ncols=columns, leave=True)
        self._room = columns - len(kept) - BAR - 10

    def __call__(self, status: Status) -> None:
        self._bar.n = status.over / status.total if status.total else 1.0
        self._bar.postfix = [status.line(self._room)]
        self._bar.refresh()
        if status.ended:
            self._bar.close()


class _Log:
    """A line now and then where output goes into a file: carriage returns would fill it."""

    def __init__(self, name: str) -> None:
        self._name, self._said, self._over = name, time.monotonic(), False

    def __call__(self, status: Status) -> None:
        if not self._over and (status.ended or time.monotonic() - self._said > IN_A_LOG):
            print(f"{self._name}: {status.line()}", file=sys.stderr, flush=True)
            self._said, self._over = time.monotonic(), bool(status.ended)


class _Panel:
    """A table in a notebook, shown again in its place."""

    _handle: Any = None

    def __call__(self, status: Status) -> None:
        from IPython.display import display

        if self._handle is None:
            self._handle = display(status, display_id=True)
        else:
            self._handle.update(status)


def clock(seconds: float) -> str:
    """Hours, minutes and seconds, as short as they can be.

    >>> clock(75), clock(8000)
    ('1:15', '2:13:20')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
