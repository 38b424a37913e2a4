"""The README's commands for models, one after the other in one folder.

They ask a server that answers by schema.
"""

import ast
import asyncio
import os
import re
import shlex
from pathlib import Path
from unittest.mock import patch

import nbformat
from serving import by_schema

from support.data import ROOT, output
from support.models import money
from support.runs import notebooks, paper, sweep

SMALL = """import pandas as pd
from support import ledger, published, tables
from support.analysis import metrics
from support.analysis.stats import tidy_means
from support.roundtable.study import roundtable_exchange
from support.runs.study import open_study
from support.runs.sweep import Sweep, terms
terms(BUDGET, RETRY_FAILED, CONCURRENCY, PACE)
store = open_study("small")
grid = {"rule": ["majority"], "seats": PARTICIPANTS, "rounds": [1]}
sweep = Sweep("small", roundtable_exchange, grid, N, SEED)
await sweep.run(store, progress=False)
runs = metrics.runs_of(sweep.records(store))
named = runs.rename(columns={"seats": "participant", "rule": "row"})
ours = tidy_means(named, ["participant", "row"], metrics.METRICS)
paper = "001"
table = tables.against_published(ours, published.load(paper, "Table 1"), margin=5.0)
ledger.keep("20", paper, "Table 1", table)"""
GIVEN = """PARTICIPANTS = ['mixed']
BUDGET = None
RETRY_FAILED = True
CONCURRENCY = 8
PACE = None
N = 2
SEED = 1"""


def executed(source, target, parameters, **settings):
    """What papermill does with the small notebook, in this process."""
    target.parent.mkdir(parents=True, exist_ok=True)
    space, waiting = {}, ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    values = [f"{name} = {value!r}" for name, value in parameters.items()]
    with patch.dict(os.environ, settings):
        for cell in (GIVEN, *values, SMALL):
            made = eval(compile(cell, "cell", "exec", flags=waiting), space)
            if made:
                asyncio.run(made)
    target.write_text('{"cells": []}')


def test_the_commands_for_models_run_one_after_the_other(
    server, tmp_path, monkeypatch, capsys
):
    server.answer = by_schema
    folder, own = tmp_path / "notebooks", tmp_path / "models.toml"
    folder.mkdir()
    given = nbformat.v4.new_code_cell(GIVEN, metadata={"tags": ["parameters"]})
    cells = [given, nbformat.v4.new_code_cell(SMALL)]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    book = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})
    nbformat.write(book, folder / "20_small.ipynb")
    own.write_text("[models.gpt-4o-mini]\nprice = { input = 0.15, output = 0.6 }\n")
    monkeypatch.setattr(notebooks, "FOLDER", folder)
    monkeypatch.setattr(notebooks, "execute", executed)
    monkeypatch.setattr(money, "_purse", None)
    monkeypatch.setattr(sweep, "_terms", dict(sweep._terms))
    variables = {
        "OPENAI_BASE_URL": server.url,
        "OPENAI_API_KEY": "sk-good",
        "CONVENE_MODELS": str(own),
        "CONVENE_OUTPUT": str(tmp_path / "out"),
        **dict.fromkeys(("CONVENE_LEDGER", "CONVENE_FIGURES", "CONVENE_PURSE"), ""),
    }
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    done, asked = [], {}
    commands = r"^make ((?:estimate|run|paper) .*=.*)$"
    for line in re.findall(commands, Path(ROOT, "README.md").read_text(), re.M):
        command, *rest = shlex.split(line, comments=True)
        given = dict(part.split("=", 1) for part in rest)
        main, arguments = notebooks.main, [command, *shlex.split(given.get("ARGS", ""))]
        if command == "paper":
            who, most = given["WITH"], given["BUDGET"]
            parts = given["P"], who, f"BUDGET={most}"
            main, arguments = (lambda given: paper.paper(*given)), parts
        asked[command] = len(server.bodies)
        assert main(arguments) == 0
        done.append(command)
    assert done == ["estimate", "run", "paper"]
    assert len(server.bodies) == asked["paper"]  # it pays for nothing twice
    said = capsys.readouterr().out
    assert said.count("done: 1") == 2 and "go on" not in said
    page = output("build", "report", "001.html").read_text()
    assert "model:gpt-4o-mini" in page and "<td>majority</td>" in page
