"""The README's commands for models, one after the other in one folder, against a server that answers by schema."""

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
from support.roundtable.study import roundtable_exchange
from support.runs.study import open_study
from support.runs.sweep import Sweep, terms
terms(BUDGET, RETRY_FAILED, CONCURRENCY, PACE)
store = open_study("small")
sweep = Sweep("small", roundtable_exchange, {"rule": ["majority"], "seats": PARTICIPANTS, "rounds": [1]}, N, SEED)
await sweep.run(store, progress=False)
runs = metrics.runs_of(sweep.records(store))
ours = pd.concat([metrics.summary(part, "rule").assign(participant=who) for who, part in runs.groupby("seats")])
printed = published.load("001_5dc2ef75221ed897", "Table 1")
ledger.keep("20", "001_5dc2ef75221ed897", "Table 1", tables.against_published(ours, printed, margin=5.0))"""
GIVEN = "PARTICIPANTS = ['mixed']\nBUDGET = None\nRETRY_FAILED = True\nCONCURRENCY = 8\nPACE = None\nN = 2\nSEED = 1"


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
    return 0.0


def test_the_commands_for_models_run_one_after_the_other(
    server, tmp_path, monkeypatch, capsys
):
    def counted(body):
        said, read = (
            by_schema(body),
            sum(len(message["content"].split()) for message in body["messages"]),
        )
        return server.completion(
            said,
            usage={"prompt_tokens": 5 + read, "completion_tokens": len(said.split())},
        )

    server.answer = counted
    (folder := tmp_path / "notebooks").mkdir()
    cells = [
        nbformat.v4.new_code_cell(GIVEN, metadata={"tags": ["parameters"]}),
        nbformat.v4.new_code_cell(SMALL),
    ]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    book = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})
    nbformat.write(book, folder / "20_small.ipynb")
    (tmp_path / "models.toml").write_text(
        "[models.gpt-4o-mini]\nprice = { input = 0.15, output = 0.6 }\n"
    )
    monkeypatch.setattr(notebooks, "FOLDER", folder)
    monkeypatch.setattr(notebooks, "execute", executed)
    monkeypatch.setattr(money, "_purse", None)
    monkeypatch.setattr(sweep, "_terms", dict(sweep._terms))
    for name, value in (("OPENAI_BASE_URL", server.url), ("OPENAI_API_KEY", "sk-good"), ("CONVENE_LEDGER", ""),
                        ("CONVENE_OUTPUT", str(tmp_path / "out")), ("CONVENE_FIGURES", ""), ("CONVENE_PURSE", ""),
                        ("CONVENE_MODELS", str(tmp_path / "models.toml"))):  # fmt: skip
        monkeypatch.setenv(name, value)
    done = []
    commands = r"^make (?:estimate|run|paper) .*=.*$"
    for line in re.findall(commands, Path(ROOT, "README.md").read_text(), re.M):
        _, command, *rest = shlex.split(line, comments=True)
        given = dict(part.split("=", 1) for part in rest)
        arguments = shlex.split(given.get("ARGS", ""))
        if command == "paper":
            asked = len(server.bodies)
            assert (
                paper.main(
                    [given["P"], "--with", given["WITH"], "--budget", given["BUDGET"]]
                )
                == 0
            )
        else:
            assert notebooks.main([command, *arguments]) == 0
        done.append(command)
    assert done == ["estimate", "run", "paper"]
    assert len(server.bodies) == asked
    said = capsys.readouterr().out
    assert said.count("done: 1") == 2 and "go on" not in said
    page = output("build", "report", "001.html").read_text()
    assert "model:gpt-4o-mini" in page and "<td>majority</td>" in page
