"""A third of the answers are faults: nothing is lost, nothing is different, and all that was met is written down."""

import debate
import looking
import pytest
import trials
from faulty_server import KINDS

UNITS, SHARE = 16, 1 / 3
QUICK = {**trials.PATIENT, "timeout": 1.0, "concurrency": 16}


@pytest.fixture(scope="module")
def calm(faulty, tmp_path_factory):
    path = tmp_path_factory.mktemp("calm") / "s.sqlite"
    debate.run(path, faulty.url("calm"), UNITS)
    return path


@pytest.fixture(scope="module")
def disturbed(faulty, tmp_path_factory):
    path = tmp_path_factory.mktemp("disturbed") / "s.sqlite"
    debate.run(path, faulty.url("disturbed", SHARE, 1), UNITS, **QUICK)
    return path


def test_a_sweep_with_faults_ends_like_one_without(calm, disturbed):
    assert looking.results(disturbed, UNITS) == looking.results(calm, UNITS)
    assert looking.exported(disturbed) == looking.exported(calm)


def test_every_fault_that_was_made_is_written_down_with_its_unit(faulty, disturbed):
    made = trials.made(faulty, "disturbed")
    survived, lost = trials.met(disturbed, UNITS)
    assert sum(made.values()) - made[""] > SHARE * made[""]  # about a third of all, a half of the good ones
    assert set(made) - {""} == {trials.AS_MET.get(kind, kind) for kinds in KINDS for kind in kinds}
    assert not lost and survived >= made - trials.Counter({"": made[""]})  # a busy machine may add time-outs


def test_what_is_off_its_form_too_often_is_done_by_a_later_run_that_allows_more_repairs(faulty, tmp_path, calm, capsys):
    path, url = tmp_path / "s.sqlite", faulty.url("strict", SHARE, 2)
    debate.run(path, url, UNITS, **{**QUICK, "repairs": 0})
    assert "units have failed. The first said: MalformedReply" in capsys.readouterr().out
    lost = UNITS - len(looking.results(path, UNITS))
    kept, before = {question for question, _ in looking.kept(path).values()}, len(faulty.lines("strict"))
    counts = debate.run(path, url, UNITS, retry_failed=True, **QUICK)
    again = {line["question"] for line in faulty.lines("strict")[before:]}
    assert lost > 0 and counts["done"] == lost and counts["skipped"] == UNITS - lost
    assert again and not again & kept  # what was paid is not paid again
    assert looking.exported(path) == looking.exported(calm)
