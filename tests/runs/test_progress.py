"""How far a run is, as a line, a bar, a table: what is said, what fits, and how it ends."""

import io
import sys
from contextlib import suppress

import pytest
from tqdm import tqdm

from support.errors import BudgetExceeded, ModelUnavailable
from support.models.calls import Meter
from support.runs import progress as module
from support.runs.progress import Progress, Status

BUSY = {
    "total": 50_000, "done": 12_000, "skipped": 100, "failed": 3, "format_errors": 17, "calls": 123_456,
    "cached": 100_000, "in_flight": 8, "retries": 345, "tokens": 123_456_789, "usd": 12.5, "seconds": 3600.0,
}  # fmt: skip


class Terminal(io.StringIO):
    def isatty(self):
        return True


def end(progress, error=None):
    with suppress(type(error)), progress:
        if error:
            raise error


def test_a_line_fits_and_a_table_tells_reserved_money_and_faults_as_text():
    busy = Status(
        "<b>", **BUSY, spent=10.0, reserved=5.0, limit_usd=20.0, faults={"<i>": 2}
    )
    for width in (10, 30, 60, 80, 200):
        assert len(
            line := busy.line(width)
        ) <= width and "12103/50000 units".startswith(line[:17])
    html = busy._repr_html_()
    assert (
        "&lt;b&gt;" in html
        and "&lt;i&gt;: 2" in html
        and "<b>" not in html.replace("<b style", "")
    )
    assert (
        "Cached replies cost nothing." in html
        and "spent 50 %, reserved 25 %" in html
        and "at work" in html
    )
    assert "mathjax_ignore" in html, "two dollars are no formula"
    rules = Status("s", 4, done=1)._repr_html_()
    assert "The budget" not in rules and "Cached" not in rules and "money" not in rules


ENDS = {
    "partial": None,
    "partial: the budget is used up": BudgetExceeded("x"),
    "stopped: ModelUnavailable": ModelUnavailable("x"),
    "stopped: KeyboardInterrupt": KeyboardInterrupt(),
}


def test_a_run_that_is_left_early_says_why_and_is_finished_when_every_unit_ended_somewhere():
    for said, error in ENDS.items():
        progress = Progress("s", 4, 1, Meter(), (seen := []).append)
        progress.count.update(done=1)
        end(progress, error)
        assert seen[-1].ended == said and seen[-1].over == 2
    progress = Progress("s", 4, 1, Meter(), (seen := []).append)
    progress.count.update(done=1, failed=1, elsewhere=1)
    progress.changed(now=True)
    end(progress)
    progress.close()
    assert [status.ended for status in seen] == ["finished", "finished"], (
        "the second close is no news"
    )


@pytest.mark.parametrize("name", ["s", "a sweep with a very long name that never ends"])
def test_a_bar_fits_its_terminal_and_is_closed_by_an_error(monkeypatch, name):
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr(sys, "stderr", opened := Terminal())
    progress = Progress(name, 50_000, 100, meter := Meter(), True)
    progress.count.update(done=12_000, failed=3, format_errors=17)
    meter.counts.update(
        calls=123_456, cached=100_000, retries=345, prompt_tokens=123_456_789
    )
    progress.changed(now=True)
    end(progress, BudgetExceeded("x"))
    drawn = [
        line
        for line in opened.getvalue().replace("\n", "\r").split("\r")
        if line.strip()
    ]
    assert (
        max(map(len, drawn)) <= 100
        and "12103/50000 units" in drawn[-1]
        and "partial" in drawn[-1]
    )
    assert (said := opened.getvalue()).endswith("\n") and not tqdm._instances
    progress.changed(now=True)
    assert opened.getvalue() == said, (
        "a worker that ends late writes nothing below the bar"
    )


def test_output_into_a_file_has_a_line_a_minute_and_one_at_the_end(monkeypatch):
    monkeypatch.setattr(sys, "stderr", said := io.StringIO())
    progress = Progress("s", 4, 0, Meter(), True)
    progress.changed(now=True)
    assert said.getvalue() == ""
    monkeypatch.setattr(module, "IN_A_LOG", 0.0)
    progress.changed(now=True)
    monkeypatch.setattr(module, "IN_A_LOG", 1e9)
    progress.count.update(done=4)
    progress.changed(now=True)
    end(progress)
    assert said.getvalue().splitlines() == ["s: 0/4 units", "s: 4/4 units, finished"]
