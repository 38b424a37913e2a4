"""How far a run is, as a record and as a bar."""

import io
import sys

from tqdm import tqdm

from support.models.calls import Meter
from support.runs.progress import Progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_bar_counts_what_was_stored_and_is_closed_for_good(monkeypatch):
    monkeypatch.setattr(sys, "stderr", opened := Terminal())
    progress = Progress("a sweep", 50_000, 100, meter := Meter(), True)
    progress.count.update(done=12_000, failed=3)
    meter.counts.update(calls=123_456, prompt_tokens=9)
    progress.changed(now=True)
    progress.close()
    said = opened.getvalue()
    assert "12103/50000" in said and "failed=3" in said
    assert said.endswith("\n") and not tqdm._instances
    progress.changed(now=True)  # a worker that ends late writes nothing below the bar
    assert opened.getvalue() == said


def test_output_into_a_file_has_a_line_at_the_begin_and_one_at_the_end(monkeypatch):
    monkeypatch.setattr(sys, "stderr", said := io.StringIO())
    progress = Progress("s", 400, 0, Meter(), True)
    for _ in range(400):
        progress.count.update(done=1)
        progress.changed(now=True)
    progress.close()
    drawn = said.getvalue().replace("\n", "\r").strip("\r").split("\r")
    assert len(drawn) <= 5 and "400/400" in drawn[-1], drawn
