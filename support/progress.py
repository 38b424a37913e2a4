"""How far a run is: one status, shown as a bar in a terminal, as a small table in a notebook, or to a function."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from support.errors import BudgetExceeded
from support.money.budget import dollars
from support.money.meter import Meter

EVERY = 0.2  # seconds between two looks at most
IN_A_LOG = 60.0  # seconds between two lines where nobody watches: output that goes into a file
WIDTH = 100  # columns of a terminal that does not say how many it has
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
        if self.ended:
            return 0.0
        finished = self.done + self.failed
        return (self.total - self.over) * self.seconds / finished if finished else None

    def parts(self) -> dict[str, str]:
        """What there is to say, each under its name; what no call was made for is left out."""
        said = {"units": f"{self.over} of {self.total}", "failed": str(self.failed)}
        said |= {"format errors": str(self.format_errors)}
        if self.calls or self.in_flight:
            said |= {"calls": f"{self.calls:,} ({self.cached:,} cached)", "in flight": str(self.in_flight)}
            said |= {"retries": f"{self.retries:,}", "tokens": f"{self.tokens:,}", "money": self._money()}
        if self.ended:
            return said | {"took": clock(self.seconds)}
        return said | {"time left": "–" if self.left is None else clock(self.left)}

    def line(self, width: int | None = None) -> str:
        """The same in one line, what is zero left out; in `width` characters, what matters least is left out as well.

        >>> Status("s", 9, done=3, failed=1, calls=20, cached=4, usd=0.12, seconds=8.0).line(40)
        '4/9 units, 1 failed, $0.12, 0:10 left'
        """
        parts = [part for part in self._short() if part[1]]
        while width is not None and len(parts) > 1 and len(_joined(parts)) > width:
            parts.remove(max(parts))
        return _joined(parts)[:width]

    def _short(self) -> list[tuple[int, str]]:
        """What the line says, in order, each with its rank: the higher, the sooner it is left out."""
        counts = [(1, self.failed, "failed"), (4, self.format_errors, "format errors"), (5, self.calls, "calls")]
        counts += [(6, self.cached, "cached"), (7, self.in_flight, "in flight"), (8, self.retries, "retries")]
        left = "" if self.ended or self.left is None else f"{clock(self.left)} left"
        return [
            (0, f"{self.over}/{self.total} units"),
            *((rank, f"{count} {name}" if count else "") for rank, count, name in counts),
            (9, f"{_thousands(self.tokens)} tokens" if self.tokens else ""),
            (2, self._money() if self.calls else ""),
            (-1 if self.ended else 3, self.ended or left),
        ]

    def _repr_html_(self) -> str:
        return _panel(self)

    def _money(self) -> str:
        if self.limit_usd is not None:
            reserved = f" + {dollars(self.reserved)} in flight" if self.reserved else ""
            return f"{dollars(self.spent or 0)}{reserved} of {dollars(self.limit_usd)}"
        return dollars(self.usd) + (f", {self.unpriced:,} calls without a price" if self.unpriced else "")


class Progress:
    """Follows a run, and shows its status now and then. Used as a context manager, it says at the end how it ended.

    Parameters
    ----------
    name : str
    total, skipped : int
        Units of the sweep, and those that were stored before.
    meter : Meter
        Of the run's calls.
    show : bool or callable
        True shows a bar, or a table where there is a notebook; a function is given every new status.
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
            self.ended = _end(error) or self._whole() or "partial"
            self.changed(now=True)

    def status(self) -> Status:
        """The run at this moment."""
        meter, budget = self._meter, self._meter.budget
        calls = {name: meter.counts[name] for name in ("calls", "cached", "retries")}
        units = {f.name: self.count[f.name] for f in fields(Status) if f.name in self.count}
        money: dict[str, Any] = {}
        if budget is not None:
            money = {"spent": budget.spent, "reserved": budget.reserved, "limit_usd": budget.limit_usd}
        return Status(
            self._name,
            self._total,
            **units,
            **calls,
            **money,
            in_flight=meter.in_flight,
            tokens=meter.counts["prompt_tokens"] + meter.counts["completion_tokens"],
            usd=meter.usd,
            unpriced=meter.unpriced,
            seconds=time.monotonic() - self._started,
            faults=dict(meter.faults),
            ended=self.ended or self._whole(),
        )

    def _whole(self) -> str:
        """ "finished" once every unit was done or has failed."""
        over = sum(self.count[name] for name in ("done", "failed", "skipped", "elsewhere"))
        return "finished" if over >= self._total else ""


def _end(error: BaseException | None) -> str:
    """What became of a run that an error ended."""
    if error is None:
        return ""
    return "partial: the budget is used up" if isinstance(error, BudgetExceeded) else f"stopped: {type(error).__name__}"


def _shown_here(name: str) -> Watcher:
    """The display of the place where this runs."""
    if _in_notebook():
        return _Panel()
    return _Bar(name) if sys.stderr is not None and sys.stderr.isatty() else _Log(name)


def _in_notebook() -> bool:
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    return any(kind.__name__ == "ZMQInteractiveShell" for kind in type(shell).__mro__)


class _Bar:
    """A line in a terminal, as long as the terminal is wide; it stays when the run ends, and is not drawn again."""

    def __init__(self, name: str) -> None:
        from tqdm import tqdm

        kept = name if len(name) <= 24 else f"{name[:23]}…"
        form = f"{{desc}}: {{percentage:3.0f}}%|{{bar:{BAR}}}| {{postfix[0]}}"
        self._bar: Any = tqdm(total=1.0, desc=kept, bar_format=form, postfix=[""], ncols=_columns(), leave=True)
        self._room = _columns() - len(kept) - BAR - 10

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
        due = time.monotonic() - self._said > IN_A_LOG
        if not self._over and (due or status.ended):
            print(f"{self._name}: {status.line()}", file=sys.stderr, flush=True)
            self._said, self._over = time.monotonic(), bool(status.ended)


class _Panel:
    """A table in a notebook, shown again in its place."""

    def __init__(self) -> None:
        self._handle: Any = None

    def __call__(self, status: Status) -> None:
        from IPython.display import display

        if self._handle is None:
            self._handle = display(status, display_id=True)
        else:
            self._handle.update(status)


def _panel(status: Status) -> str:
    """A status as HTML; every text is escaped."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    folder = FileSystemLoader(Path(__file__).parent)
    environment = Environment(loader=folder, autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    shares = {"done": status.over - status.failed, "failed": status.failed}
    limit = status.limit_usd or 1.0
    money = {"spent": status.spent or 0.0, "reserved": status.reserved or 0.0}
    return environment.get_template("progress.html.j2").render(
        status=status,
        parts={name: what for name, what in status.parts().items() if name not in ("units", "time left", "took")},
        time=f"{clock(status.seconds)} taken" if status.ended else status.left and f"{clock(status.left)} left",
        shares={name: 100 * part / max(status.total, 1) for name, part in shares.items()},
        money={name: min(100.0, 100 * part / limit) for name, part in money.items()},
        faults=", ".join(f"{kind}: {count}" for kind, count in sorted(status.faults.items())),
    )


def _columns() -> int:
    from shutil import get_terminal_size

    return get_terminal_size((WIDTH, 24)).columns


def _joined(parts: list[tuple[int, str]]) -> str:
    return ", ".join(text for _, text in parts)


def _thousands(count: int) -> str:
    """A count in few letters.

    >>> _thousands(812), _thousands(45_300), _thousands(12_345_678)
    ('812', '45k', '12.3M')
    """
    return f"{count}" if count < 10_000 else f"{count / 1e3:.0f}k" if count < 1e6 else f"{count / 1e6:.1f}M"


def clock(seconds: float) -> str:
    """Hours, minutes and seconds, as short as they can be.

    >>> clock(75), clock(8000)
    ('1:15', '2:13:20')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
