"""Every notebook runs from top to bottom in its fast setting, and is committed as one clean run."""

import json

import pytest

from support import notebooks
from support.errors import InvalidInput

FAST = {
    "N": 3, "N_ABLATION": 2, "N_ALL": 3, "N_LABELLED": 1, "N_GROUPS": 2, "N_MEETINGS": 1, "N_TRAINING": 6,
    "N_ANNOTATED": 2, "N_LIVE": 2, "N_SERIES": 2, "N_PROBLEMS": 50, "N_BROKEN": 7, "N_HOSTILE": 55, "DRAWS": 200,
    "REPLAY": True, "CHECK": False,
}  # fmt: skip
PATHS = notebooks.notebooks()


def cells(path, kind):
    return [c for c in json.loads(path.read_text())["cells"] if c["cell_type"] == kind and c["source"]]


@pytest.mark.parametrize("path", PATHS, ids=lambda p: p.stem)
def test_a_notebook_runs_in_its_fast_setting(path, tmp_path, monkeypatch):
    monkeypatch.setenv("CONVENE_OUTPUT", str(tmp_path / "output"))  # the real figures and runs stay as they are
    known = notebooks.parameters_of(path)
    target = tmp_path / path.name
    notebooks.execute(path, target, {k: v for k, v in FAST.items() if k in known})
    outputs = [o for c in cells(target, "code") for o in c["outputs"]]
    assert outputs
    assert not [o for o in outputs if o["output_type"] == "error"]
    assert (tmp_path / "output" / "data" / "runs").is_dir()
    assert "\r" not in "".join("".join(o.get("text", "")) for o in outputs)


@pytest.mark.parametrize("path", PATHS, ids=lambda p: p.stem)
def test_a_notebook_is_committed_with_the_outputs_of_one_clean_run(path):
    counts = [c["execution_count"] for c in cells(path, "code")]
    assert counts == list(range(1, len(counts) + 1))


@pytest.mark.parametrize("path", PATHS, ids=lambda p: p.stem)
def test_a_notebook_opens_with_what_it_teaches_and_ends_with_what_is_not_known(path):
    prose = ["".join(c["source"]) for c in cells(path, "markdown")]
    for promise in ("What you will learn", "What it reproduces", "How long it takes"):
        assert promise in prose[0]
    assert "Exercises" in "".join(prose[-2:])
    assert "not know" in prose[-1].split("\n\n")[-1]


@pytest.mark.parametrize("path", PATHS, ids=lambda p: p.stem)
def test_the_first_code_cell_holds_the_parameters(path):
    first = cells(path, "code")[0]
    assert first["metadata"]["tags"] == ["parameters"]
    assert {"MODEL", "SEED"} <= set(notebooks.parameters_of(path))


@pytest.mark.parametrize("path", PATHS, ids=lambda p: p.stem)
def test_no_code_cell_is_long(path):
    for cell in cells(path, "code"):
        source = "".join(cell["source"])
        assert len(source.splitlines()) <= 12, source


def test_arguments_reach_the_parameters_with_their_types():
    known = {"MODEL": "embedded", "N": 100, "REPLAY": False}
    assert notebooks.parse(["MODEL=gpt-4o-mini", "N=5", "REPLAY=True"], known) == {
        "MODEL": "gpt-4o-mini",
        "N": 5,
        "REPLAY": True,
    }


@pytest.mark.parametrize(
    ("argument", "said"),
    [("RULZ=3", "'RULZ=3' given; expected KEY=VALUE with one of MODEL, N"), ("N", "'N' given"), ("N=many", "N='many'")],
)
def test_an_argument_that_does_not_fit_is_refused_in_plain_words(argument, said):
    with pytest.raises(InvalidInput, match="ARGS") as error:
        notebooks.parse([argument], {"MODEL": "embedded", "N": 100})
    assert said in str(error.value)


def test_the_command_line_says_what_is_wrong_and_fails(capsys):
    assert notebooks.main(["run", "RULZ=3"]) == 1
    assert "RULZ" in capsys.readouterr().err
    assert notebooks.main(["run", "--only", "99"]) == 1
    assert "no such notebook; there are 00_start_here" in capsys.readouterr().err
    assert notebooks.main(["update", "N=3"]) == 1
    with pytest.raises(SystemExit):
        notebooks.main(["dance"])


def test_a_notebook_that_is_up_to_date_is_not_executed_again(tmp_path, monkeypatch, capsys):
    executed = []
    monkeypatch.setattr(notebooks, "BUILD", tmp_path)
    monkeypatch.setattr(notebooks, "execute", lambda source, target, parameters: executed.append(target) or 0.0)
    monkeypatch.setattr(notebooks, "_has_figures", lambda: True)
    (tmp_path / "00_start_here.ipynb").write_text("executed")
    notebooks.run(["SEED=3"], only="00_")
    notebooks.run(["SEED=3"], only="00_")
    notebooks.run(["SEED=4"], only="00_")
    assert len(executed) == 2
    assert "up to date" in capsys.readouterr().out


def test_a_progress_bar_is_kept_as_it_was_last_seen():
    pieces = [{"output_type": "stream", "name": "stderr", "text": [t]} for t in ("\r 10%", "\r 50%", "\r100%\n")]
    [seen] = notebooks._one_stream(pieces)
    assert seen["text"] == ["100%\n"]
    assert notebooks._as_seen("\r 10%\r 50%\r100%\ndone\n") == "100%\ndone\n"


def test_a_notebook_whose_data_are_missing_is_left_out_and_the_next_one_runs(tmp_path, monkeypatch, capsys):
    import nbformat

    lines = {"1_needs": "from support.errors import MissingData\nraise MissingData('get it there')", "2_runs": "1 + 1"}
    for name, line in lines.items():
        book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(line)])
        book.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
        nbformat.write(book, tmp_path / f"{name}.ipynb")
    monkeypatch.setattr(notebooks, "FOLDER", tmp_path)
    monkeypatch.setattr(notebooks, "BUILD", tmp_path / "build")
    notebooks.run([])
    said = capsys.readouterr().out
    assert "1_needs.ipynb: left out, its data are not here. get it there" in said
    assert (tmp_path / "build" / "2_runs.stamp").exists() and not (tmp_path / "build" / "1_needs.stamp").exists()
