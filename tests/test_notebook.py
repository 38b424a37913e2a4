"""A notebook's plumbing: what was played stands below a figure and in the ledger; exercises and solutions."""

import asyncio
import json

import matplotlib
import nbformat
import pytest
from matplotlib.figure import Figure

from support import Notebook, Sweep, __version__, ledger, published
from support.analysis import metrics
from support.analysis.stats import tidy_means
from support.errors import InvalidInput
from support.plots.figure import save
from support.roundtable.study import roundtable_exchange
from support.runs import exercises, sweep
from support.simulations import simulations

matplotlib.use("agg")
PROVENANCE = {"parameters": {"N": 2}, "participants": "rule-based", "seed": 7}


@pytest.fixture
def nb(tmp_path, monkeypatch):
    """A notebook whose output stays in the test's folder."""
    monkeypatch.setenv("CONVENE_OUTPUT", str(tmp_path))
    monkeypatch.setattr(sweep, "_terms", dict(sweep._terms))
    with matplotlib.rc_context():
        yield Notebook("20", "a_study", "RoundTable", seed=3)


def play(nb, sweep):
    return asyncio.run(nb.run(sweep, progress=False))


def about(folder, name):
    return json.loads((folder / "figures" / "a_study" / f"{name}.json").read_text())


def test_a_figure_says_above_what_it_shows_and_below_who_was_played(nb, tmp_path):
    first = play(nb, simulations("exchange_economy", 2, 3, "linear", 2))
    with nb.figure("now", "It rises.", "two groups") as ax:
        ax.plot([1, 2])
    other = Sweep(
        "other", roundtable_exchange, {"rule": ["rated"], "seats": ["conceder"]}, 1, 3
    )
    play(nb, other)
    with nb.figure(
        "both", "It falls.", of=(first, nb.played, "gpt-4o-mini, as printed")
    ) as ax:
        ax.plot([2, 1])
    mine = "model:a@http://b/v1"
    with nb.figure(f"of_{mine}", "It is mine.", of=mine) as ax:
        ax.plot([2, 2])
    assert about(tmp_path, "of_model-a-http-b-v1")["participants"] == mine
    with nb.figure("printed", "It stands.", of="gpt-4o-mini, as printed") as ax:
        ax.plot([2, 2])
    now, both = about(tmp_path, "now"), about(tmp_path, "both")
    assert now["participants"] == "participants: rule-based (linear)"
    assert now["parameters"]["rounds"] == [2] and now["seed"] == 3
    assert now["alt"] == "It rises. two groups" and now["points"] >= 8
    assert both["participants"] == (
        "participants: rule-based (linear, conceder); gpt-4o-mini, as printed"
    )
    assert about(tmp_path, "printed")["participants"] == "gpt-4o-mini, as printed"


def test_cells_and_statements_go_to_the_ledger_under_their_paper(nb, tmp_path):
    played = play(nb, simulations("exchange_economy", 3, 3, "linear", 3))
    named = {"seats": "participant", "rule": "row"}
    runs = metrics.runs_of(played).rename(columns=named)
    ours = tidy_means(runs, ["participant", "row"], metrics.METRICS)
    found = nb.beside("Table 1", ours, margin=5.0)
    assert len(found) == len(nb.printed("Table 1"))
    assert len(nb.beside("Table 1", ours, 5.0, rows=["ranked"])) == 9
    nb.beside("Table 1", ours, margin=5.0)
    checked = nb.statements(ours)
    folder = tmp_path / "build" / "ledger"
    assert ledger.load("cells", folder)["verdict"].tolist() == found["verdict"].tolist()
    kept = ledger.load("statements", folder)
    assert kept["verdict"].tolist() == checked["verdict"].tolist()
    assert set(kept["paper"]) == {"001"} == {published.number("RoundTable")}
    assert "unanimous" in nb.table(found, "Cells").as_raw_html()


def test_printed_numbers_have_the_interval_that_their_error_gives(nb):
    cells = nb.printed("Table 1", n=100).query("column == 'utility@10'")
    unanimous = cells.set_index("row").loc["unanimous"]
    # 48.48, standard error 3.86; t of 99 degrees of freedom: 1.984
    assert unanimous["low"] == pytest.approx(48.48 - 1.984 * 3.86, abs=0.01)
    assert unanimous["high"] == pytest.approx(48.48 + 1.984 * 3.86, abs=0.01)


def test_a_run_of_all_notebooks_says_how_the_sweeps_of_each_go(nb, monkeypatch):
    monkeypatch.setenv(sweep.TERMS, json.dumps({"concurrency": 3}))
    Notebook("20", "a_study", seed=1, concurrency=5, retry_failed=False)
    assert sweep._terms == {"concurrency": 3, "retry_failed": False}


def test_a_figure_is_the_same_bytes_each_time_with_its_provenance(
    tmp_path, monkeypatch
):
    monkeypatch.setenv("CONVENE_FIGURES", str(tmp_path))
    fig = Figure()
    with pytest.raises(InvalidInput, match="participants missing"):
        save(fig, "study", "name", {"parameters": {}, "seed": 1})
    assert not list(tmp_path.iterdir())
    made = []
    for study in ("one", "two"):
        fig = Figure()
        fig.subplots().plot([1, 2])
        made.append(save(fig, study, "name", PROVENANCE))
    path, again = made
    assert path == tmp_path / "one" / "name.png"
    for suffix in (".png", ".svg", ".pdf"):
        one, two = path.with_suffix(suffix), again.with_suffix(suffix)
        assert one.read_bytes() == two.read_bytes()
    kept = json.loads(path.with_suffix(".json").read_text())
    assert kept["participants"] == "rule-based" and kept["version"] == __version__
    assert kept["commit"] and len(kept["sources"]) == 64


# ---- exercises ------------------------------------------------------------------------


def written(path, *cells):
    """A notebook of markdown (text) and of code (text, tags)."""
    made = []
    for cell in cells:
        if isinstance(cell, str):
            made.append(nbformat.v4.new_markdown_cell(cell))
            continue
        source, *tags = cell
        code = nbformat.v4.new_code_cell(source, metadata={"tags": tags})
        made.append(code)
    path.parent.mkdir(exist_ok=True)
    nbformat.write(nbformat.v4.new_notebook(cells=made), path)
    return path


def sources(book):
    return [cell.source for cell in book.cells]


def test_solutions_are_played_in_their_exercises_place_and_taken_out_again(tmp_path):
    path = written(
        tmp_path / "1.ipynb",
        ("x = 1",),
        ("", "exercise-1"),
        "Next:",
        ("", "exercise-2"),
    )
    written(
        tmp_path / "solutions" / "1.ipynb",
        "Two cells.",
        ("y = x", "exercise-1"),
        ("y", "exercise-1"),
        ("z = y", "exercise-2"),
    )
    whole = exercises.solved(path)
    assert sources(whole) == ["x = 1", "y = x", "y", "Next:", "z = y"]
    for number, cell in enumerate(whole.cells, start=5):
        if cell.cell_type == "code":
            cell.execution_count = number
    solutions = exercises.solutions_of(path)
    exercises.apart(whole, solutions)
    assert sources(whole) == ["x = 1", "", "Next:", ""]
    assert sources(solutions) == ["Two cells.", "y = x", "y", "z = y"]
    counts = [cell.get("execution_count") for cell in solutions.cells]
    assert counts == [None, 1, 2, 3]


def test_a_class_gets_the_question_and_no_answer(tmp_path):
    opening = "# Votes\n\n**The question.** Who?\n\n**The answer.** Ana."
    prose = "Groups talk.\n\nSolutions are in [solutions](solutions/1.ipynb)."
    prose += "\n\n◇ They agreed in round 3."
    path = written(tmp_path / "1.ipynb", opening, prose, ("1 + 1",), ("2", "answer"))
    exercises.student([path], tmp_path / "class")
    book = nbformat.read(tmp_path / "class" / "1.ipynb", 4)
    assert sources(book) == [
        "# Votes\n\n**The question.** Who?",
        "Groups talk.",
        "1 + 1",
    ]


def test_what_is_no_study_is_refused_before_anything_is_played(nb):
    with pytest.raises(InvalidInput, match="'x' given; expected a Sweep or a Study"):
        asyncio.run(nb.run("x"))
