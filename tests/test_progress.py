"""How far a run is, as a line, a bar, a panel: what is said, what fits, and how it ends."""

import io
import sys
import time
import types
from contextlib import suppress

import pytest
from tqdm import tqdm

from support import progress as module
from support.calls import Call, Fault
from support.errors import BudgetExceeded, ModelUnavailable
from support.money import Meter
from support.progress import Progress, Status

BUSY = {
    "total": 50_000, "done": 12_000, "skipped": 100, "failed": 3, "format_errors": 17, "calls": 123_456,
    "cached": 100_000, "in_flight": 8, "retries": 345, "tokens": 123_456_789, "usd": 12.5, "seconds": 3600.0,
}  # fmt: skip


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def terminal(monkeypatch):
    """A function that puts a terminal of a hundred columns in the place of stderr, which pytest has taken."""
    monkeypatch.setenv("COLUMNS", "100")

    def open_one():
        monkeypatch.setattr(sys, "stderr", opened := Terminal())
        return opened

    return open_one


@pytest.fixture
def shown():
    """A progress of four units, one stored before, and the statuses that it has shown."""
    seen = []
    return Progress("s", 4, 1, Meter(), seen.append), seen


def end(progress, error=None):
    with suppress(type(error)), progress:
        if error:
            raise error


def drawn(terminal):
    """The lines that a bar drew, over one another."""
    return [line for line in terminal.getvalue().replace("\n", "\r").split("\r") if line.strip()]


# -- a status --------------------------------------------------------------------------------------------------------


def test_time_left_goes_by_the_units_of_this_run():
    assert Status("s", 10, done=2, skipped=4, seconds=6.0).left == pytest.approx(12.0)
    assert Status("s", 10, skipped=4, seconds=6.0).left is None
    assert Status("s", 10, done=6, skipped=4, seconds=6.0).left == 0.0


@pytest.mark.parametrize("width", [10, 30, 60, 80, 200])
def test_property_a_line_fits_and_begins_with_the_units(width):
    line = Status("s", **BUSY, limit_usd=20.0, spent=12.5, reserved=0.25).line(width)
    assert len(line) <= width and "12103/50000 units".startswith(line[:17])


def test_what_matters_least_is_left_out_first():
    whole = Status("s", **BUSY).line()
    assert "123.5M tokens" in whole and "3:09:26 left" in whole and "0 " not in Status("s", 4).line()
    short = Status("s", **BUSY).line(50)
    assert "3 failed" in short and "$12.50" in short and "tokens" not in short and "retries" not in short
    assert "partial" in Status("s", **BUSY, ended="partial: the budget is used up").line(60)


def test_money_is_that_of_the_budget_where_there_is_one_and_says_what_has_no_price():
    assert (
        Status("s", **BUSY, spent=1.0, reserved=0.5, limit_usd=2.0).parts()["money"]
        == "$1.00 + $0.50 in flight of $2.00"
    )
    assert Status("s", **BUSY, unpriced=2_000).parts()["money"] == "$12.50, 2,000 calls without a price"
    assert "money" not in Status("s", 4).parts(), "nothing is said of calls where none was made"


def test_the_panel_tells_cached_replies_reserved_money_and_faults_as_text():
    html = Status("<b>", **BUSY, spent=10.0, reserved=5.0, limit_usd=20.0, faults={"<i>": 2})._repr_html_()
    assert "&lt;b&gt;" in html and "&lt;i&gt;: 2" in html and "<b>" not in html.replace("<b style", "")
    assert "Cached replies cost nothing." in html and "spent 50 %, reserved 25 %" in html and "at work" in html
    assert "mathjax_ignore" in html, "two dollars are no formula"
    rules = Status("s", 4, done=1)._repr_html_()
    assert "The budget" not in rules and "Cached" not in rules


@pytest.mark.parametrize(
    ("ended", "failed", "said"),
    [("finished", 0, "✓ finished"), ("finished", 2, "finished, 2 failed"), ("partial: no more", 0, "partial: no more")],
)
def test_the_panel_of_a_run_that_is_over_reads_so(ended, failed, said):
    html = Status("s", 4, done=2, failed=failed, seconds=75.0, ended=ended)._repr_html_()
    assert said in html and "1:15 taken" in html and " left<" not in html and "at work" not in html


# -- how it ends -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (None, "partial"),
        (BudgetExceeded("x"), "partial: the budget is used up"),
        (ModelUnavailable("x"), "stopped: ModelUnavailable"),
        (KeyboardInterrupt(), "stopped: KeyboardInterrupt"),
    ],
)
def test_a_run_that_is_left_early_says_why(shown, error, said):
    progress, seen = shown
    progress.count.update(done=1)
    end(progress, error)
    assert seen[-1].ended == said and seen[-1].over == 2


def test_a_run_is_finished_when_every_unit_ended_somewhere(shown):
    progress, seen = shown
    progress.count.update(done=1, failed=1, elsewhere=1)
    progress.changed(now=True)
    assert seen[-1].ended == "finished"
    end(progress)
    progress.close()
    assert [status.ended for status in seen] == ["finished", "finished"], "the second time is no news"


def test_a_meter_that_counts_is_shown_and_not_more_often_than_one_can_look(shown, monkeypatch):
    progress, seen = shown
    monkeypatch.setattr(module, "EVERY", 0.0)
    call = Call("k", "m", "e", prompt_tokens=4, completion_tokens=6, usd=0.5, faults=(Fault("429", "x", 1.0),))
    progress._meter.count(call)
    assert (seen[-1].calls, seen[-1].tokens, seen[-1].usd, seen[-1].faults) == (1, 10, 0.5, {"429": 1})
    monkeypatch.setattr(module, "EVERY", 1e9)
    before = len(seen)
    progress._meter.count(call)
    assert len(seen) == before
    progress.changed(now=True)
    assert seen[-1].calls == 2


# -- in a terminal, a file, a notebook -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["s", "a sweep with a very long name that never ends"])
def test_a_bar_fits_its_terminal_and_is_closed_by_an_error(terminal, name):
    opened = terminal()
    progress = Progress(name, 50_000, 100, Meter(), True)
    progress.count.update({k: v for k, v in BUSY.items() if k in ("done", "failed", "format_errors")})
    progress._meter.counts.update(calls=123_456, cached=100_000, retries=345, prompt_tokens=123_456_789)
    progress.changed(now=True)
    end(progress, BudgetExceeded("x"))
    assert max(map(len, drawn(opened))) <= 100
    assert "12103/50000 units" in drawn(opened)[-1] and "partial" in drawn(opened)[-1]
    assert opened.getvalue().endswith("\n") and not tqdm._instances
    said = opened.getvalue()
    progress.changed(now=True)
    assert opened.getvalue() == said, "a worker that ends late writes nothing below the bar"


def test_output_into_a_file_has_a_line_a_minute_and_one_at_the_end(monkeypatch):
    monkeypatch.setattr(sys, "stderr", said := io.StringIO())
    progress = Progress("s", 4, 0, Meter(), True)
    for _ in range(3):
        progress.changed(now=True)
    assert said.getvalue() == ""
    monkeypatch.setattr(module, "IN_A_LOG", 0.0)
    progress.changed(now=True)
    assert said.getvalue() == "s: 0/4 units\n"
    monkeypatch.setattr(module, "IN_A_LOG", 1e9)
    progress.count.update(done=4)
    progress.changed(now=True)
    end(progress)
    assert said.getvalue().splitlines()[1:] == ["s: 4/4 units, finished"]


def test_in_a_notebook_one_panel_is_updated(monkeypatch):
    from IPython import display

    calls = []
    handle = types.SimpleNamespace(update=lambda status: calls.append(("again", status)))
    monkeypatch.setattr(display, "display", lambda status, display_id: calls.append(("first", status)) or handle)
    monkeypatch.setattr(module, "_in_notebook", lambda: True)
    progress = Progress("s", 4, 0, Meter(), True)
    progress.changed(now=True)
    end(progress, ModelUnavailable("x"))
    assert [how for how, _ in calls] == ["first", "again"] and calls[-1][1].ended == "stopped: ModelUnavailable"


def test_a_kernel_is_a_notebook_and_so_is_what_derives_from_its_shell(monkeypatch):
    import IPython

    assert not module._in_notebook()
    kernel = type("Colab", (type("ZMQInteractiveShell", (), {}),), {})()
    monkeypatch.setattr(IPython, "get_ipython", lambda: kernel)
    assert module._in_notebook()


def test_nothing_is_shown_when_nothing_is_to_be_shown(terminal):
    opened = terminal()
    progress = Progress("s", 4, 0, Meter(), False)
    progress.changed(now=True)
    end(progress)
    assert opened.getvalue() == "" and progress.status().seconds <= time.monotonic()
