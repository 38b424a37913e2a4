"""Units on other cores: the same bytes, and nothing lost with a worker or a scheduler."""

import asyncio
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from support import models
from support.errors import ConveneError
from support.models.stand_ins import scripted
from support.roundtable.records import Transcript
from support.runs.study import Store
from support.runs.sweep import Sweep

CLUSTER = """
import sys
from distributed import LocalCluster
if __name__ == "__main__":
    cluster = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0")
    print(cluster.scheduler_address, flush=True)
    sys.stdin.readline()
"""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """A cluster in another process, and its address; the last test kills it."""
    (script := tmp_path_factory.mktemp("cluster") / "cluster.py").write_text(CLUSTER)
    command, quiet = [sys.executable, str(script)], subprocess.DEVNULL
    pipes = dict.fromkeys(("stdin", "stdout"), subprocess.PIPE)
    with subprocess.Popen(command, text=True, stderr=quiet, **pipes) as process:
        yield process, process.stdout.readline().strip()


@pytest.fixture
def shared(cluster):
    """The cluster's address."""
    return cluster[1]


async def draw(rng, number, folder="", seats="mixed"):
    """A study that may end its worker, once, or take its time."""
    if (
        folder not in ("", "where")
        and number == 3
        and not (mark := Path(folder) / "killed").exists()
    ):
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    if seats == "slow":
        time.sleep(0.1)
    if seats.startswith("model:"):
        await models.named(seats).reply(f"{number}?")
    if number == 7:
        raise ZeroDivisionError("seven")
    return Transcript(
        {"draw": rng.random(), "here": os.getpid() if folder == "where" else 0},
        seats,
        {},
        (),
    )


def sweep(n=12, **grid):
    return Sweep("s", draw, {"number": list(range(n)), **grid}, 2, 7)


def run(what, store, **options):
    return asyncio.run(what.run(store, progress=False, **options))


def rows(store):
    return store.select(
        "SELECT settings, repetition, status, kind, record, error FROM units ORDER BY 1, 2"
    )


def test_workers_here_and_elsewhere_make_the_same_bytes_and_errors_and_leave_no_process(
    shared, tmp_path
):
    made = []
    for number, on in enumerate((None, "local", shared)):
        with closing(Store(tmp_path / f"{number}.sqlite")) as opened:
            count = run(sweep(), opened, on=on)
            made.append(rows(opened))
        assert (count.done, count.failed) == (22, 2) and made[-1] == made[0]
    assert not multiprocessing.active_children()


@pytest.mark.parametrize("where", ["local", "elsewhere"])
def test_a_worker_that_is_killed_loses_nothing(store, shared, tmp_path, where):
    count = run(
        sweep(), store, on="local" if where == "local" else shared, folder=str(tmp_path)
    )
    assert (tmp_path / "killed").exists() and (count.done, count.failed) == (22, 2)


def test_units_that_ask_a_model_stay_here_beside_those_that_do_not(
    store, shared, monkeypatch
):
    echo = scripted(lambda messages: "yes")
    monkeypatch.setattr(models, "_once", lambda name, cache: echo)
    what = sweep(5, seats=["mixed", "model:echo"], folder=["where"])
    assert run(what, store, on=shared).done == 20
    here = {
        record.rule: record.environment["here"] for _, record in what.records(store)
    }
    assert here["model:echo"] == os.getpid() != here["mixed"] and echo.calls == 10


def test_an_interrupt_ends_the_workers_at_once_and_keeps_what_is_finished(store):
    what, sent = sweep(60, seats=["slow"]), []

    def interrupt(status):
        if status.done > 3 and not sent:
            sent.append(signal.raise_signal(signal.SIGINT))

    # A shell that starts the tests in its background has them ignore the signal.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            asyncio.run(what.run(store, progress=interrupt, on="local"))
    finally:
        signal.signal(signal.SIGINT, before)
    assert 3 < len(list(what.records(store))) < 100
    assert store.select("SELECT count(*) FROM claims") == [(0,)]


def test_a_scheduler_that_is_killed_is_told_and_what_is_finished_is_kept(
    store, cluster
):
    process, address = cluster
    what, seen = sweep(10, seats=["slow"]), []

    def kill(status):
        seen.append(status)
        if status.done > 3 and process.poll() is None:
            process.kill()

    with pytest.raises(
        ConveneError, match=r"cluster .* is lost .*What is finished is kept: run again"
    ):
        asyncio.run(what.run(store, progress=kill, on=address))
    kept = len(list(what.records(store)))
    assert 3 < kept < 18
    assert store.select("SELECT count(*) FROM claims") == [(0,)]
    assert run(what, store).done == 18 - kept
