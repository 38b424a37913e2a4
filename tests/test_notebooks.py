"""Every notebook runs in its fast setting, and is committed as one clean run; how they are run, and estimated."""

import json
import os
import re
from pathlib import Path

import nbformat
import pytest
from kernels import Forked
from serving import by_schema

from support.data import output
from support.runs import notebooks, paper

FAST = {
    "N": 2, "N_ABLATION": 2, "N_ALL": 2, "N_LABELLED": 1, "N_GROUPS": 2, "N_MEETINGS": 1, "N_TRAINING": 6,
    "N_ANNOTATED": 2, "N_LIVE": 2, "N_PROBLEMS": 50, "N_HOSTILE": 55, "DRAWS": 20,
}  # fmt: skip
ASKS = "00_"  # it asks the embedded model live: here, a server that answers by schema
PATHS = notebooks.notebooks()
STARTS = ["MODEL = 'embedded'\nBUDGET = None\nCONCURRENCY = 8\nSEED = 1\nN = 2"]
every = pytest.mark.parametrize("path", PATHS, ids=lambda p: p.stem)


def cells(path, kind):
    return [
        c
        for c in json.loads(path.read_text())["cells"]
        if c["cell_type"] == kind and c["source"]
    ]


@every
def test_a_notebook_runs_in_its_fast_setting(path, tmp_path, monkeypatch, server):
    monkeypatch.setenv(
        "CONVENE_OUTPUT", str(tmp_path / "output")
    )  # the real figures and runs stay as they are
    known, target = notebooks.parameters_of(path), tmp_path / path.name
    given = {k: v for k, v in FAST.items() if k in known}
    if path.name.startswith(ASKS):
        server.answer = by_schema
        given["PARTICIPANTS"] = ["mixed", f"model:chat@{server.url}"]
    monkeypatch.setattr(
        "jupyter_client.provisioning.local_provisioner.launch_kernel", Forked
    )
    notebooks.execute(path, target, given)
    assert bool(server.bodies) == path.name.startswith(ASKS)
    outputs = [o for c in cells(target, "code") for o in c["outputs"]]
    assert outputs and not [o for o in outputs if o["output_type"] == "error"]
    assert (tmp_path / "output").is_dir()
    assert "\r" not in "".join("".join(o.get("text", "")) for o in outputs)


@every
def test_a_notebook_is_committed_as_one_clean_run_with_its_parameters_first_and_no_long_cell(
    path,
):
    code = cells(path, "code")
    assert [c["execution_count"] for c in code] == list(range(1, len(code) + 1))
    assert code[0]["metadata"]["tags"] == [
        "parameters"
    ] and "SEED" in notebooks.parameters_of(path)
    assert not [
        source for c in code if len((source := "".join(c["source"])).splitlines()) > 20
    ]
    assert not [c for c in code if re.search(r'Sweep\(\s*"', "".join(c["source"]))], (
        "another SEED, another name"
    )


@every
def test_who_seats_a_model_says_at_what_temperature_and_how_long_it_may_take(path):
    known = notebooks.parameters_of(path)
    if "PARTICIPANTS" in known:
        assert known["TEMPERATURE"] in (0.7, 0.0, None) and "TIMEOUT" in known
        source = "".join("".join(cell["source"]) for cell in cells(path, "code")[1:])
        assert "TEMPERATURE" in source and re.search(r"terms\([^)]*TIMEOUT\)", source)


@every
def test_a_notebook_opens_with_its_question_and_ends_with_what_is_not_known(path):
    prose = ["".join(c["source"]) for c in cells(path, "markdown")]
    for promise in ("**The question.**", "**The answer.**"):
        assert promise in prose[0]
    assert "not know" in "".join(prose).split("\n## ")[-1]


@every
def test_a_notebook_sets_three_exercises_each_with_a_folded_solution_that_has_run(path):
    given = [c for c in json.loads(path.read_text())["cells"] if c["source"]]
    where = [i for i, c in enumerate(given) if "**Exercise " in "".join(c["source"])]
    assert len(where) == 3
    for i in where:
        solution = given[i + 1]
        assert (
            "solution" in solution["metadata"]["tags"]
            and solution["metadata"]["jupyter"]["source_hidden"]
        )
        assert solution["outputs"]


# ---- how they are run, on notebooks of the test's own ----------------------------------------------------------------


@pytest.fixture
def write(tmp_path, monkeypatch):
    """A function that writes a notebook, the first of its cells with the parameters, into a folder of the test's."""
    monkeypatch.setattr(notebooks, "FOLDER", tmp_path)
    for name, value in (
        ("CONVENE_OUTPUT", str(tmp_path / "out")),
        ("CONVENE_PURSE", "test"),
        ("MPLBACKEND", "Agg"),
    ):
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("CONVENE_FIGURES", "")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    (tmp_path / "models.toml").write_text(
        "[models.chat]\nprice = { input = 1.0, output = 10.0 }\n"
    )
    monkeypatch.setenv("CONVENE_MODELS", str(tmp_path / "models.toml"))

    def written(name, *sources):
        made = [nbformat.v4.new_code_cell(source) for source in (*STARTS, *sources)]
        made[0].metadata["tags"] = ["parameters"]
        book = nbformat.v4.new_notebook(cells=made)
        book.metadata["kernelspec"] = {
            "name": "python3",
            "display_name": "Python 3",
            "language": "python",
        }
        nbformat.write(book, tmp_path / f"{name}.ipynb")

    return written


@pytest.fixture
def executed(monkeypatch):
    """What would be executed: the parameters, and the folder of figures, of each notebook."""
    seen = []

    def execute(source, target, parameters, bar=False):
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text('{"cells": []}')
        seen.append((target, dict(parameters), os.environ["CONVENE_FIGURES"]))
        return 0.0

    monkeypatch.setattr(notebooks, "execute", execute)
    return seen


def test_arguments_reach_the_parameters_with_their_types():
    assert (
        notebooks.spelt(["PARTICIPANTS=mixed, model:a", "N=5"])
        == 'PARTICIPANTS="mixed, model:a" N=5'
    )
    known = {
        "MODEL": "embedded",
        "N": 100,
        "REPLAY": False,
        "BUDGET": None,
        "FAULTS": 0.5,
    }
    known |= {"PARTICIPANTS": ["mixed"], "PACE": None}
    given = notebooks.parse(
        [
            "MODEL=4",
            "N=5",
            "REPLAY=True",
            "BUDGET=2",
            "FAULTS=1",
            "PACE=30",
            "PARTICIPANTS=mixed, model:a",
        ],
        known,
    )
    assert given.pop("PARTICIPANTS") == ["mixed", "model:a"] and given.pop("PACE") == 30
    assert given == {"MODEL": "4", "N": 5, "REPLAY": True, "BUDGET": 2, "FAULTS": 1}
    assert notebooks.parse(["PARTICIPANTS=['a']", "PACE=None"], known) == {
        "PARTICIPANTS": ["a"],
        "PACE": None,
    }


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("run RULZ=3", "'RULZ=3' given; expected KEY=VALUE with one of BUDGET, CONCURRENCY, MODEL, N, SEED"),
        ("run N", "'N' given"), ("run N=many", "N='many' given; expected something like 2"),
        ("run BUDGET=-1", "expected US dollars"), ("run --only 99", "no such notebook; there are 1_one"),
        ("update N=3", "'N=3' given"),
        ("run BUDGET=1 MODEL=other@http://127.0.0.1:9/v1", '[models."other@http://127.0.0.1:9/v1"]'),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_before_anything_is_started(
    given, said, write, executed, capsys
):
    write("1_one")
    assert notebooks.main(given.split()) == 2 and not executed
    assert said in capsys.readouterr().err


def test_a_run_with_arguments_has_a_folder_of_its_own_and_what_is_up_to_date_is_not_repeated(
    write, executed, tmp_path
):
    write("1_one")
    for given in (["SEED=3", "BUDGET=2"], ["SEED=3"], ["SEED=4"]):
        assert notebooks.main(["run", *given]) == 0
        (drawn := Path(os.environ["CONVENE_FIGURES"], "study")).mkdir(
            parents=True, exist_ok=True
        )
        (drawn / "a.png").touch()
    places = [
        tmp_path / "out" / "build" / "runs" / slug for slug in ("SEED-3", "SEED-4")
    ]
    assert [target.parent.parent for target, *_ in executed] == places
    assert [figures for *_, figures in executed] == [
        str(place / "figures") for place in places
    ]
    assert executed[0][1] == {"SEED": 3, "BUDGET": 2}


def test_the_findings_are_executed_last_and_every_time_since_they_read_what_the_others_found(
    write, executed
):
    for name in ("02_reads", "20_finds", "22_reads_20"):
        write(name)
    for _ in range(2):
        assert notebooks.main(["run", "SEED=3"]) == 0
        (drawn := Path(os.environ["CONVENE_FIGURES"], "study")).mkdir(
            parents=True, exist_ok=True
        )
        (drawn / "a.png").touch()
    assert [target.stem for target, *_ in executed] == [
        "20_finds",
        "22_reads_20",
        "02_reads",
        "02_reads",
    ]


def test_one_that_fails_does_not_end_the_run_and_the_end_says_what_became_of_each(
    write, capsys
):
    write("1_needs", "from support.errors import *\nraise MissingData('get it there')")
    write(
        "2_stops",
        "from support.errors import *\nraise ExceptionGroup('a run', [BudgetExceeded('2 of 9')])",
    )
    write(
        "3_fails",
        "raise ExceptionGroup('a run', [ExceptionGroup('within', [ValueError('too hot')])])",
    )
    write("4_runs", "print(N)")
    assert notebooks.main(["run", "N=7"]) == 1
    said = capsys.readouterr().out
    for line in ("done: 1", "left out: 1_needs: MissingData: get it there", "failed: 3_fails: ValueError: too hot",
                 "partial: 2_stops: BudgetExceeded: 2 of 9", "To go on: make run ARGS=N=7, with a larger"):  # fmt: skip
        assert line in said
    made = cells(output("build", "runs", "N-7", "notebooks", "4_runs.ipynb"), "code")
    assert made[-1]["outputs"][0]["text"] == ["7\n"]
    stamps = sorted(path.stem for path in output("build").rglob("*.stamp"))
    assert stamps == ["4_runs"] and notebooks.main(["run", "--only", "1_"]) == 0


def test_units_that_failed_make_a_notebook_partial_and_the_rerun_retries_them(
    write, tmp_path, capsys
):
    write("1_fails", FAILING.replace("MENDED", repr(str(tmp_path / "mended"))))
    assert notebooks.main(["run", "CONCURRENCY=1", "--only", "1_"]) == 1
    said = capsys.readouterr().out
    assert (
        "partial: 1_fails: Partial: some: 1 of 2 units have failed. The first said: "
        in said
        and "too hot" in said
    )
    assert "To go on: make run ARGS='CONCURRENCY=1 --only 1_'\n" in said
    shown = cells(output("build", "notebooks", "1_fails.ipynb"), "code")[-1]["outputs"]
    assert any(
        "Partial: some, 1 of 2 units finished." in "".join(o.get("text", ""))
        for o in shown
    )
    write(
        "2_stops",
        FAILING.replace("MENDED", repr(str(tmp_path / "mended"))),
        "raise ValueError('no rows')",
    )
    assert notebooks.main(["run", "--only", "2_"]) == 1
    assert (
        "  partial: 2_stops: Partial: some: 1 of 2 units have failed."
        in capsys.readouterr().out
    )
    (tmp_path / "2_stops.ipynb").unlink()
    (tmp_path / "mended").touch()
    assert (
        notebooks.main(["run", "CONCURRENCY=2"]) == 0
        and "done: 1" in capsys.readouterr().out
    )


def test_a_picture_in_a_notebook_says_what_it_shows(write, monkeypatch):
    monkeypatch.delenv("MPLBACKEND")
    drawing = "fig, ax = plt.subplots()\nax.set(title='a line', xlabel='x')\n"
    saved = "draw.save(fig, 'a', 'b', {'parameters': 1, 'participants': 'mixed', 'seed': 1}, alt='It rises.')\nplt.show()"
    write(
        "1_draws",
        "import matplotlib.pyplot as plt\nfrom support import draw",
        drawing + saved,
        drawing + "plt.show()",
    )
    assert notebooks.main(["run"]) == 0
    shown = [
        c["outputs"]
        for c in cells(output("build", "notebooks", "1_draws.ipynb"), "code")[2:]
    ]
    assert [
        o["metadata"]["image/png"]["alt"]
        for outputs in shown
        for o in outputs
        if "data" in o
    ] == [
        "It rises.",
        "a line: x",
    ]


COMPARING = """import pandas as pd
from support import ledger, published, tables
from support.analysis.claims import check_claims
from support.runs.sweep import terms
terms(BUDGET)
paper = published.load("001_5dc2ef75221ed897")
printed = paper[paper["table"] == "Table 1"]
ours = printed.assign(se=1.0, n=N)[["row", "column", "value", "se", "n"]].query("row == 'majority'")
ours = pd.concat([ours.assign(participant=name) for name in PARTICIPANTS])
ledger.keep("20", "001_5dc2ef75221ed897", "Table 1", tables.against_published(ours, printed, margin=50.0))
said = published.statements(paper).head(1)
checks = {said["statement"].iloc[0]: lambda part: "yes"}
ledger.keep("20", "001_5dc2ef75221ed897", "statements", check_claims(ours, said, checks))"""


def test_a_paper_is_played_with_any_participants_and_reported_and_a_second_call_goes_on(
    write, monkeypatch, capsys
):
    monkeypatch.setattr(paper, "NOTEBOOKS", {"001": ("20_", "21_")})
    monkeypatch.setenv("OPENAI_API_KEY", "sk-nobody")
    costs = "price = { input = 1.0, output = 10.0 }\n"
    Path(os.environ["CONVENE_MODELS"]).write_text(
        f'[models.chat]\n{costs}[models."<b>"]\n{costs}'
    )
    write("20_compares", "PARTICIPANTS = ['mixed']", COMPARING)
    write("21_stops", "from support.errors import *\nraise BudgetExceeded('2 of 9')")
    tagged = nbformat.read(notebooks.FOLDER / "20_compares.ipynb", 4)
    tagged.cells[0].source += "\n" + tagged.cells.pop(1).source
    nbformat.write(tagged, notebooks.FOLDER / "20_compares.ipynb")
    assert (
        paper.main(["001", "--with", "model:chat, model:<b>", "--budget", "3", "N=20"])
        == 1
    )
    said = capsys.readouterr().out
    assert (
        "go on: make paper P=001 WITH='model:chat, model:<b>' BUDGET=3 ARGS=N=20, with a larger BUDGET"
        in said
    )
    page = output("build", "report", "001.html").read_text()
    for told in ("mixed, model:chat, model:&lt;b&gt;", "<strong>Partial:</strong>", "54 numbers printed, 54 compared",
                 "<td>majority</td><td>utility@3</td><td class=\"num\">79.88</td>", ">agrees</th>"):  # fmt: skip
        assert told in page
    assert (
        page.count('class="agrees"') == 3 * 9
        and page.count('class="yes"') == 3
        and "<b>" not in page
    )
    assert [paper.main(given) for given in (["004"], ["001", "--with", "gpt-4o"])] == [
        2,
        2,
    ]
    assert (
        "expected one of 001" in (said := capsys.readouterr().err)
        and "names such as model:gpt-4o-mini" in said
    )


FAILING = """from pathlib import Path
from support import data
from support.runs.study import open_study
from support.runs.sweep import Sweep, terms
terms(BUDGET, True, CONCURRENCY, None)
async def hot(rng, which):
    if which and not Path(MENDED).exists():
        raise ValueError("too hot")
    return {"which": which}
await Sweep("some", hot, {"which": [0, 1]}, 1, 1).run(open_study("some"), progress=False)
print(data.partial())"""


def test_a_progress_bar_is_kept_as_it_was_last_seen():
    pieces = [
        {"output_type": "stream", "name": "stderr", "text": [t]}
        for t in ("\r 10%", "\r 50%", "\r100%\n")
    ]
    assert notebooks._one_stream([*pieces, {**pieces[0], "name": "stdout"}])[0][
        "text"
    ] == ["100%\n"]


SWEEP = """from support.runs.study import open_study
from support.runs.sweep import Sweep
from support.roundtable.study import roundtable_exchange
store = open_study("s")
async def played(name, seats):
    sweep = Sweep(name, roundtable_exchange, {"rule": ["majority"], "seats": seats, "rounds": [1]}, N, SEED)
    await sweep.run(store)"""
DIRECT = "from support.models import connect\nawait connect(MODEL).reply('Why?')\nawait connect('chat').reply('Why?')"


def test_an_estimate_counts_sweeps_and_direct_replies_names_what_it_cannot_and_sends_nothing(
    write, capsys
):
    write("1_asks", SWEEP, "await played('rules', ['mixed'])\nawait played('models', ['model:chat'])",
          "raise ValueError('of no concern to models')", "await played('models', ['model:chat'])",
          "rows = []", "rows.append(1)", "await played('more', [['model:chat', 'mixed', 'linear'][rows[0]]])",
          "await played('none', undefined)\nawait played('last', ['model:other'])", DIRECT)  # fmt: skip
    assert notebooks.main(["estimate", "MODEL=other@http://127.0.0.1:9/v1", "N=3"]) == 0
    said = capsys.readouterr().out
    rows = {line[3:58].strip(): line[58:].split() for line in said.splitlines()}
    counted = {name: row[0] for name, row in rows.items() if row}
    assert [counted.pop(name) for name in ("models", "last")] == ["27", "27"] and float(
        rows["models"][2][1:]
    ) > 0
    assert said.count("models ") == 1 and not {"rules", "more"} & set(counted)
    assert [
        line[58:].split()[0] for line in said.splitlines() if "asked directly" in line
    ] == ["1", "1"]
    assert (
        "not estimated: 1_asks: await played('none', undefined)… (NameError" in said
        and "input = …" in said
    )
