"""Every notebook runs in its fast setting, and is committed as one clean run; how they
are run, and estimated."""

import asyncio
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import pytest
import zmq.asyncio
from jupyter_client.session import Session
from kernels import Forked
from serving import by_schema

from support.data import ROOT, output
from support.runs import exercises, notebooks, paper

FAST = dict.fromkeys(
    ["N", "N_ABLATION", "N_ALL", "N_GROUPS", "N_ANNOTATED", "N_LIVE"], 2
)
FAST |= {"N_LABELLED": 1, "N_MEETINGS": 1, "N_TRAINING": 6, "N_PROBLEMS": 50}
FAST |= {"DRAWS": 20}
ASKS = "01_"  # it asks a model live: here, a server that answers by schema
every = pytest.mark.parametrize("path", notebooks.notebooks(), ids=lambda p: p.stem)


def cells(path, kind="code"):
    book = json.loads(path.read_text())
    return [c for c in book["cells"] if c["cell_type"] == kind and c["source"]]


def source(cell):
    return "".join(cell["source"])


@pytest.fixture
def forked(monkeypatch):
    """Kernels fork from a process that has loaded what notebooks import."""
    where = "jupyter_client.provisioning.local_provisioner.launch_kernel"
    monkeypatch.setattr(where, Forked)


@every
def test_a_notebook_runs_in_its_fast_setting(path, tmp_path, forked, server):
    known, target = notebooks.parameters_of(path), tmp_path / path.name
    given = {name: FAST[name] for name in FAST if name in known}
    if path.name.startswith(ASKS):
        server.answer = by_schema
        given["PARTICIPANTS"] = ["mixed", f"model:chat@{server.url}"]
    made = tmp_path / "output"  # the real figures and runs stay as they are
    notebooks.execute(path, target, given, CONVENE_OUTPUT=str(made))
    assert bool(server.bodies) == path.name.startswith(ASKS)
    for drawn in made.rglob("figures/*/*.json"):
        assert json.loads(drawn.read_text())["points"] >= 8, "too small on a page"
    outputs = [shown for cell in cells(target) for shown in cell["outputs"]]
    assert outputs and made.is_dir()
    for shown in outputs:
        assert shown["output_type"] != "error"
        assert "\r" not in "".join(shown.get("text", ""))


def opens(path):
    """Whether a notebook opens a `Notebook`, whose cells hold the method alone."""
    return any("nb = Notebook(" in source(cell) for cell in cells(path))


@every
def test_a_notebook_is_committed_as_one_clean_run_without_a_long_cell(path):
    code = cells(path)
    numbers = [cell["execution_count"] for cell in code]
    assert numbers == list(range(1, len(code) + 1))
    assert code[0]["metadata"]["tags"] == ["parameters"]
    assert "SEED" in notebooks.parameters_of(path)
    for cell in code[1:]:
        lines = [line for line in source(cell).splitlines() if line]
        assert len(lines) <= (10 if opens(path) else 40)
        assert not re.search(r'Sweep\(\s*"', source(cell)), "another SEED, another name"


@every
def test_who_seats_a_model_says_at_what_temperature_and_for_how_much(path):
    known = notebooks.parameters_of(path)
    if "PARTICIPANTS" in known:
        code = "".join(source(cell) for cell in cells(path)[1:])
        assert known["TEMPERATURE"] in (0.7, 0.0, None) and "TEMPERATURE" in code
        assert "BUDGET" in known and "BUDGET" in code


@every
def test_a_notebook_opens_with_its_question_and_ends_with_what_is_not_known(path):
    prose = [source(cell) for cell in cells(path, "markdown")]
    assert "**The question.**" in prose[0] and "**The answer.**" in prose[0]
    last = "".join(prose).split("\n## ")[-1]
    assert "not know" in last and (not opens(path) or "**Next:**" in last)


@every
def test_a_notebook_sets_exercises_with_solutions_that_have_run(path):
    given = json.loads(path.read_text())["cells"]
    asked = [i for i, cell in enumerate(given) if "**Exercise " in source(cell)]
    assert len(asked) >= 3
    if not opens(path):
        return
    solutions = exercises.solutions_of(path).cells
    for number, i in enumerate(asked, start=1):
        tag = f"exercise-{number}"
        assert given[i + 1]["metadata"]["tags"] == [tag] and not given[i + 1]["source"]
        solving = [cell for cell in solutions if exercises.tag_of(cell) == tag]
        assert any(cell.outputs for cell in solving)


# ---- how they are run, on notebooks of the test's own ------------------------------------


START = """PARTICIPANTS = ['mixed']
BUDGET = None
TIMEOUT = None
TEMPERATURE = 0.7
CONCURRENCY = 8
SEED = 1
N = 2
REPLAY = False
FILE = ''"""


@pytest.fixture
def write(tmp_path, monkeypatch):
    """A function that writes a notebook into a folder of the test's."""
    monkeypatch.setattr(notebooks, "FOLDER", tmp_path)
    models = tmp_path / "models.toml"
    models.write_text("[models.chat]\nprice = { input = 1.0, output = 10.0 }\n")
    monkeypatch.setenv("CONVENE_OUTPUT", str(tmp_path / "out"))
    monkeypatch.setenv("CONVENE_MODELS", str(models))
    for name in (
        "CONVENE_FIGURES",
        "CONVENE_PURSE",
        "OPENAI_BASE_URL",
        "OPENAI_API_KEY",
    ):
        monkeypatch.delenv(name, raising=False)

    def written(name, *sources):
        made = [nbformat.v4.new_code_cell(text) for text in (START, *sources)]
        made[0].metadata["tags"] = ["parameters"]
        book = nbformat.v4.new_notebook(cells=made)
        kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
        book.metadata["kernelspec"] = kernel
        nbformat.write(book, tmp_path / f"{name}.ipynb")

    return written


@pytest.fixture
def executed(monkeypatch):
    """What would be executed: target, parameters and settings of each notebook."""
    seen = []

    def execute(path, target, parameters, **settings):
        seen.append((target, parameters, settings))

    monkeypatch.setattr(notebooks, "execute", execute)
    return seen


TYPED = {
    "FILE=4": "4",
    "N=5": 5,
    "REPLAY=True": True,
    "BUDGET=2": 2,
    "TEMPERATURE=1": 1,
    "TIMEOUT=None": None,
    "PARTICIPANTS=mixed, model:a": ["mixed", "model:a"],
    f"FILE={'x.' * 200}": "x." * 200,
}


def test_arguments_reach_the_parameters_with_their_types_and_files_are_found(
    write, tmp_path, monkeypatch
):
    write("1_one")
    (tmp_path / "mine.csv").touch()
    monkeypatch.chdir(tmp_path)
    found = {"FILE=mine.csv": str(tmp_path / "mine.csv")}
    for typed, value in {**TYPED, **found}.items():
        _, given = notebooks.parameters([typed])
        assert list(given.values()) == [value]


REFUSED = {
    "run RULZ=3": "'RULZ=3' given; expected KEY=VALUE with one of BUDGET, CONCURRENCY",
    "run N": "'N' given",
    "run N=many": "N='many' given; expected a value like 2",
    "run TIMEOUT=long": "expected a number or None",
    "run --only 99": "no such notebook; there are 1_one",
    "run BUDGET=1 PARTICIPANTS=model:other@http://127.0.0.1:9/v1": "input = …",
}


@pytest.mark.parametrize(("given", "said"), REFUSED.items())
def test_what_does_not_fit_is_refused_before_anything_is_started(
    given, said, write, executed, capsys
):
    write("1_one")
    assert notebooks.main(given.split()) == 2 and not executed
    assert said in capsys.readouterr().err


def test_a_run_has_a_folder_of_its_own(write, executed):
    write("1_one")
    for given in ("SEED=3 BUDGET=2 TIMEOUT=9", "SEED=4", "TEMPERATURE=0"):
        assert notebooks.main(["run", *given.split()]) == 0
    places = [target.parent.parent for target, *_ in executed]
    assert [place.name[:-9] for place in places] == [
        "SEED-3",
        "SEED-4",
        "TEMPERATURE-0",
    ]
    for place, (_, _, settings) in zip(places, executed, strict=True):
        assert place.parent == output("build", "runs")
        assert settings["CONVENE_FIGURES"] == str(place / "figures")
    assert executed[0][1] == {"SEED": 3, "BUDGET": 2, "TIMEOUT": 9}


@pytest.mark.parametrize(
    ("one", "other"),
    [("pilot_1", "pilot-1"), ("gpt-4.1", "gpt-4-1"), ("x" * 300, "x" * 301)],
)
def test_parameters_that_differ_have_two_folders_with_names_that_a_disk_takes(
    one, other
):
    places = [notebooks.place_of({"FILE": name}) for name in (one, other)]
    assert places[0] != places[1]
    assert all(len(place.name) < 100 for place in places)
    assert places[0] == notebooks.place_of({"FILE": one, "TIMEOUT": 9, "BUDGET": 2})


def test_the_findings_are_executed_last(write, executed):
    for name in ("02_reads", "22_reads_20", "20_finds"):
        write(name)
    assert notebooks.main(["run", "SEED=3"]) == 0
    *others, last = [target.stem for target, *_ in executed]
    assert sorted(others) == ["20_finds", "22_reads_20"] and last == "02_reads"


ENDS = """import json, os
def ends(**more):
    told = {"sweep": "some", "units": 9, "missing": 0, "error": "", **more}
    print(json.dumps(told), file=open(os.environ["CONVENE_ENDED"], "a"))
"""
FAILS = "ends(missing=1, error='ValueError: too hot')"
LACKS = "from support.errors import *\nraise MissingData('get it there')"
STOPS = "from support.errors import *\nraise BudgetExceeded('2 of 9')"


def test_the_end_says_what_became_of_each_by_its_records_and_how_to_go_on(
    write, forked, capsys
):
    write("1_lacks", LACKS)
    write("2_stops", STOPS)
    write("3_raises", "raise ValueError('units have failed. BudgetExceeded: no')")
    write("4_partial", ENDS + FAILS)
    write("5_mended", ENDS + FAILS + "\nends()", "print(N)")
    write("6_both", ENDS + FAILS, "raise ValueError('no rows')")
    assert notebooks.main(["run", "N=7", "PARTICIPANTS=mixed, own"]) == 1
    said = capsys.readouterr().out
    missing = "some: 1 of 9 units are missing. ValueError: too hot"
    for line in (
        "  left out: 1_lacks: MissingData: get it there\n",
        "  partial: 2_stops: BudgetExceeded: 2 of 9\n",
        "  failed: 3_raises: ValueError: units have failed. BudgetExceeded: no\n",
        f"  partial: 4_partial: {missing}\n",
        f"  partial: 6_both: {missing} Then: ValueError: no rows\n",
        "partial: 3, failed: 1, done: 1",
        "To go on, give\nthe same command",
    ):
        assert line in said
    [mended] = output("build").rglob("5_mended.ipynb")
    assert cells(mended)[-1]["outputs"][0]["text"] == ["7\n"]
    assert notebooks.main(["run", "N=7", "--only", "1_"]) == 0
    write("4_partial", ENDS + "ends()")
    assert notebooks.main(["run", "N=7", "--only", "4_"]) == 0


def test_a_full_disk_fails_a_notebook_and_the_next_one_is_tried(
    write, monkeypatch, capsys
):
    for name in ("1_full", "2_runs"):
        write(name)

    def execute(path, target, parameters, **settings):
        if path.stem == "1_full":
            target.write_text('{"cells": [{"')  # as far as it went
            Path("/dev/full").write_text("x")

    monkeypatch.setattr(notebooks, "execute", execute)
    assert notebooks.main(["run", "N=7"]) == 1
    said = capsys.readouterr().out
    assert "1_full.ipynb: failed. OSError: [Errno 28]" in said
    assert "done: 1" in said and "To go on" in said


def test_a_kernel_imports_this_checkout_wherever_its_environment_comes_from(
    write, monkeypatch, tmp_path
):
    other = tmp_path / "other" / "support"
    other.mkdir(parents=True)
    (other / "__init__.py").touch()
    monkeypatch.setenv("PYTHONPATH", str(other.parent))
    write("1_imports", "import support\nprint(support.__file__)")
    notebooks.execute(tmp_path / "1_imports.ipynb", tmp_path / "made.ipynb", {})
    [shown] = cells(tmp_path / "made.ipynb")[-1]["outputs"]
    assert shown["text"] == [f"{ROOT / 'support' / '__init__.py'}\n"]


def test_work_in_one_checkout_with_the_package_of_another_is_warned_of_once(tmp_path):
    for name in ("one", "other"):
        (tmp_path / name / "notebooks").mkdir(parents=True)
        for path in ("support/__init__.py", "support/errors.py", "support/data.py"):
            (tmp_path / name / path).parent.mkdir(exist_ok=True)
            shutil.copy(ROOT / path, tmp_path / name / path)

    def said(package, folder):
        environment = os.environ | {"PYTHONPATH": str(tmp_path / package)}
        code = "import support.data; import support.errors"
        where = tmp_path / folder / "notebooks"
        asked = [sys.executable, "-c", code]
        done = subprocess.run(
            asked,
            cwd=where,
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stderr

    assert said("one", "one") == ""
    warned = said("one", "other")
    assert warned.count("UserWarning") == 1
    assert str(tmp_path / "one") in warned and str(tmp_path / "other") in warned


def test_a_picture_in_a_notebook_says_what_it_shows(write, forked, monkeypatch):
    opened = "from support import Notebook\nnb = Notebook('1', 'a', seed=1)"
    drawing = (
        "with nb.figure('b', 'It rises.', of='computed') as ax:\n    ax.plot([1, 2])"
    )
    write("1_draws", opened, drawing)
    assert notebooks.main(["run"]) == 0
    [shown] = cells(output("build", "notebooks", "1_draws.ipynb"))[-1]["outputs"]
    assert shown["metadata"]["image/png"]["alt"] == "It rises."


async def reply_without_signal():
    """What a channel gets when a look at its socket took the signal that it waits for."""
    context, session = zmq.asyncio.Context(), Session(key=b"")
    ours, theirs = context.socket(zmq.PAIR), context.socket(zmq.PAIR)
    theirs.connect(f"tcp://127.0.0.1:{ours.bind_to_random_port('tcp://127.0.0.1')}")
    waiting = asyncio.create_task(notebooks.Patient(ours, session).get_msg())
    await asyncio.sleep(0.2)
    session.send(theirs, "execute_reply")
    time.sleep(0.2)  # not awaited: the loop hears nothing yet
    assert zmq.Socket.shadow(ours.underlying).EVENTS & zmq.POLLIN
    got = await asyncio.wait_for(waiting, 20)
    context.destroy(linger=0)
    return got["msg_type"]


def test_a_reply_whose_signal_a_widget_took_is_not_waited_for_for_ever():
    assert asyncio.run(reply_without_signal()) == "execute_reply"


def test_terms_reach_every_notebook_and_solutions_are_written_beside(
    write, forked, tmp_path, capsys
):
    write("1_runs", "import os\nprint(os.environ['CONVENE_TERMS'])", "")
    path = tmp_path / "1_runs.ipynb"
    book = nbformat.read(path, 4)
    book.cells[-1].metadata["tags"] = ["exercise-1"]
    nbformat.write(book, path)
    solving = nbformat.v4.new_code_cell("print(N + 1)")
    solving.metadata["tags"] = ["exercise-1"]
    (tmp_path / "solutions").mkdir()
    solutions = nbformat.v4.new_notebook(cells=[solving])
    nbformat.write(solutions, tmp_path / "solutions" / path.name)
    assert notebooks.main(["run", "PACE=7"]) == 0, capsys.readouterr().out
    folder = output("build", "notebooks")
    *_, said, empty = json.loads((folder / path.name).read_text())["cells"]
    assert said["outputs"][0]["text"] == ['{"pace": 7}\n'] and not empty["source"]
    [solved] = cells(folder / "solutions" / path.name)
    assert solved["outputs"][0]["text"] == ["3\n"]


# ---- what a run would ask, and a paper's report -------------------------------------------


ASKED = """import json, os
def asks(sweep, model, calls, dollars, draws=2):
    row = {"sweep": sweep, "model": model, "calls": calls, "prompt_tokens": 10 * calls}
    row |= {"completion_tokens": calls, "dollars": dollars, "seconds": 1.0}
    row |= {"units": 2, "draws": draws}
    print(json.dumps(row), file=open(os.environ["CONVENE_ESTIMATE"], "a"))
"""
DIRECT = """from support.models.stand_ins import stand_in
await stand_in(name="chat").reply("Why?")"""


def test_an_estimate_has_a_line_a_study_and_model_and_names_what_stopped(
    write, forked, capsys
):
    write(
        "20_plays", ASKED + "asks('s', 'chat', 9 * N, 0.5)\nasks('s', 'other', 4, None)"
    )
    write("22_same", ASKED + "asks('s', 'chat', 9 * N, 0.5)\nassert BUDGET is None")
    once = ASKED + "asks('t', 'chat', 2, 0.25, draws=1)"
    write("40_stops", once, "raise ValueError('one row')")
    write("50_asks", DIRECT, DIRECT)
    assert notebooks.main(["estimate", "N=3", "BUDGET=1"]) == 0
    said = capsys.readouterr().out
    rows = [line.split() for line in said.splitlines()[1:5]]
    assert [row[:4] for row in rows[:3]] == [
        ["20_plays", "s", "chat", "27"],
        ["20_plays", "s", "other", "4"],
        ["40_stops", "t", "chat", "2"],
    ]
    assert rows[3][:5] == ["50_asks", "asked", "directly", "chat", "2"]
    assert "'calls': '35.00'" in said and "'dollars': '0.75'" in said
    assert "Fewer draws than units: t. At temperature 0" in said
    assert "No price is known of other:" in said
    assert "not estimated further: 40_stops: ValueError: one row" in said
    assert not output("build").exists()


COMPARING = """import pandas as pd
from support import ledger, published, tables
from support.analysis import claims
STEM = "001"
printed = published.load(STEM, "Table 1")
ours = printed.assign(se=1.0, n=N)[["row", "column", "value", "se", "n"]]
ours = pd.concat([ours.assign(participant=name) for name in PARTICIPANTS])
found = tables.against_published(ours, printed, margin=50.0)
ledger.keep("20", STEM, "Table 1", found)
ledger.keep("20", STEM, "statements", claims.check("001", "20", ours))"""


def test_a_paper_is_estimated_played_and_reported_and_says_how_to_go_on(
    write, forked, monkeypatch, capsys
):
    monkeypatch.setattr(paper, "NOTEBOOKS", {"001": "20_,21_"})
    monkeypatch.setenv("OPENAI_API_KEY", "sk-nobody")
    price = "price = { input = 1.0, output = 10.0 }\n"
    models = f'[models.chat]\n{price}[models."<b>"]\n{price}'
    Path(os.environ["CONVENE_MODELS"]).write_text(models)
    write("20_compares", COMPARING)
    write("21_stops", STOPS)
    assert paper.paper("001", "model:chat, model:<b>", "BUDGET=3", "N=20") == 1
    said = capsys.readouterr().out
    assert "  partial: 21_stops: BudgetExceeded: 2 of 9" in said
    page = output("build", "report", "001.html").read_text()
    assert "Partial:" in page and "mixed, model:chat, model:&lt;b&gt;" in page
    assert "<td>majority</td>" in page and "<td>79.88</td>" in page
    assert page.count("79.88: agrees") == 3
    answer = "yes. [unanimous | rigidity] &gt; [majority | rigidity]: 21.70"
    assert page.count(answer) == 3
    assert "not tested" in page and "<b>" not in page


def test_a_paper_or_participant_that_there_is_not_is_named(capsys):
    assert notebooks.told(paper.paper, "004") == 2
    assert notebooks.told(paper.paper, "001", "gpt-4o") == 2
    said = capsys.readouterr().err
    assert "one of: 000 (" in said and "model:gpt-4o" in said


def test_a_report_of_a_paper_without_cells_takes_those_of_others_out(
    monkeypatch, tmp_path
):
    monkeypatch.setenv("CONVENE_OUTPUT", str(tmp_path))
    (tmp_path / "ledger").mkdir()
    (tmp_path / "ledger/20_cells_a.csv").write_text(
        "notebook,paper,what,participant,row,column,ours,verdict\n"
        "20,001,a,mixed,b,c,1.5,agrees\n"
    )
    assert paper.report("002", tmp_path, "mixed", "").exists()
