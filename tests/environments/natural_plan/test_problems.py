"""The problems as they come, and what a user sees when they do not."""

import gzip
import json

import numpy as np
import pytest

from support.environments.natural_plan import draw, load, parse
from support.environments.natural_plan.problems import last_task
from support.errors import DamagedFile, InvalidInput


def written(folder, *lines):
    path = folder / "problems.jsonl.gz"
    path.write_bytes(gzip.compress("\n".join(lines).encode()))
    return path


ROW = {"id": "1", "prompt": "TASK: old SOLUTION: x TASK: new one SOLUTION: ", "golden_plan": "Monday, 9:00 - 9:30"}


def test_only_the_last_task_of_a_prompt_is_kept(tmp_path):
    (problem,) = load(written(tmp_path, json.dumps(ROW)))
    assert (problem.text, str(problem.golden)) == ("new one", "Monday, 9:00 - 9:30")


def test_a_prompt_without_a_task_is_refused():
    with pytest.raises(InvalidInput, match="no 'TASK:'"):
        last_task("Good morning")


@pytest.mark.parametrize(
    "line",
    ["{", "[1]", json.dumps({**ROW, "golden_plan": "soon"}), json.dumps({"id": "1"}), json.dumps({**ROW, "prompt": 5})],
)
def test_a_damaged_line_is_named(tmp_path, line):
    with pytest.raises(DamagedFile, match=r"problems\.jsonl\.gz, line 2: expected a JSON object"):
        load(written(tmp_path, json.dumps(ROW), line))


def test_a_file_that_is_not_gzip_is_named_and_left(tmp_path):
    path = tmp_path / "problems.jsonl.gz"
    path.write_bytes(b"hello")
    with pytest.raises(DamagedFile, match="not a readable gzip file"):
        load(path)
    assert path.read_bytes() == b"hello"


def test_a_draw_keeps_to_its_bounds_and_to_its_seed():
    problems = load()
    drawn = draw(problems, 20, np.random.default_rng(7), most_people=3, most_days=1)
    assert drawn == draw(problems, 20, np.random.default_rng(7), most_people=3, most_days=1)
    assert len(set(drawn)) == 20 and all(len(parse(p.text).people) <= 3 for p in drawn)
    with pytest.raises(InvalidInput, match=r"n: 20 given; expected 1 to \d"):
        draw(problems[:5], 20, np.random.default_rng(7))
