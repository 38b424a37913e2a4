"""A third of the answers are faults: nothing is lost, nothing is different, and all that was met is written down."""

from collections import Counter
from contextlib import closing

import debate
import pytest
from faulty_server import KINDS
from looking import exported, kept, results

from support.runs.study import Store

UNITS, SHARE = 16, 1 / 3
QUICK = {"repairs": 4, "max_retries": 8, "timeout": 1.0, "concurrency": 16}
AS_MET = {  # how the client calls what the server did
    "429, seconds": "429",
    "429, date": "429",
    "cut before the answer": "broken connection",
    "cut within the answer": "broken connection",
    "stall": "time-out",
    "no JSON body": "no completion",
}


@pytest.fixture(scope="module")
def calm(faulty, tmp_path_factory):
    """The export of a sweep without faults."""
    path = tmp_path_factory.mktemp("calm") / "s.sqlite"
    debate.run(path, faulty.url("calm"), UNITS)
    return exported(path, UNITS)


def made(server, run):
    """The faults that the server made, as the client calls them; "" are the answers without."""
    asked = (line["kind"] for line in server.lines(run) if line["event"] == "asked")
    return Counter(AS_MET.get(kind, kind) for kind in asked)


def met(path):
    """The faults that are written down with units, all of which are done."""
    replies = {key: text for key, (_, text) in kept(path).items()}
    with closing(Store(path)) as store:
        assert not debate.sweep(UNITS).missing(store)
        calls = [
            call for unit in debate.sweep(UNITS).units() for call in store.calls(unit)
        ]
    said = [replies[call.key] for call in calls if not call.error]
    forms = Counter(
        "off the schema" if '"many"' in text else "no JSON reply"
        for text in said
        if not _good(text)
    )
    return forms + Counter(fault.kind for call in calls for fault in call.faults)


def _good(reply):
    return reply.startswith("{") and '"many"' not in reply


def test_a_sweep_with_faults_ends_like_one_without_and_every_fault_is_written_down(
    faulty, tmp_path, calm
):
    path = tmp_path / "s.sqlite"
    debate.run(path, faulty.url("disturbed", SHARE, 1), UNITS, **QUICK)
    assert exported(path, UNITS) == calm
    faults = made(faulty, "disturbed")
    good = faults.pop("")
    assert (
        faults.total() > SHARE * good
    )  # about a third of all, a half of the good ones
    assert set(faults) == {AS_MET.get(kind, kind) for kinds in KINDS for kind in kinds}
    assert met(path) >= faults  # a busy machine may add time-outs


def test_what_is_off_its_form_too_often_is_done_by_a_later_run_that_allows_more_repairs(
    faulty, tmp_path, calm, capsys
):
    path, url = tmp_path / "s.sqlite", faulty.url("strict", SHARE, 2)
    debate.run(path, url, UNITS, **{**QUICK, "repairs": 0})
    assert (
        "units have failed. The first said: MalformedReply" in capsys.readouterr().out
    )
    lost = UNITS - len(results(path, UNITS))
    paid, before = (
        {question for question, _ in kept(path).values()},
        len(faulty.lines("strict")),
    )
    counts = debate.run(path, url, UNITS, retry_failed=True, **QUICK)
    again = {line["question"] for line in faulty.lines("strict")[before:]}
    assert lost > 0 and counts.done == lost and counts.skipped == UNITS - lost
    assert again and not again & paid  # what was paid is not paid again
    assert exported(path, UNITS) == calm
