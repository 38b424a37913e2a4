"""The dashboard in JupyterLab: the cell is run, a day is begun, and the cell that is run again goes on with it."""

import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest

from support.data import ROOT
from support.runs.study import Store
from support.widgets.dashboard.filed import SWEEP

CELL = """from support.widgets.dashboard.application import Dashboard
dashboard = Dashboard({path!r})
dashboard.view"""
FIRST = 120.0
"""Seconds that JupyterLab gets to listen: it takes ten, and more where much else is at work."""


@contextmanager
def jupyter_lab(folder):
    """The address of a JupyterLab over a folder, with settings of its own; its process group ends with the test."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    own = {name: str(folder / "jupyter" / name) for name in (
        "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "JUPYTERLAB_SETTINGS_DIR",
        "JUPYTERLAB_WORKSPACES_DIR", "IPYTHONDIR",
    )}  # fmt: skip
    command = [sys.executable, "-m", "jupyter", "lab", "--no-browser", f"--port={port}", "--ServerApp.ip=127.0.0.1",
               "--IdentityProvider.token=", f"--ServerApp.root_dir={folder}", "--allow-root",
               "--LabApp.news_url=None", "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"]  # fmt: skip
    server = subprocess.Popen(
        command, cwd=folder, start_new_session=True, env={**os.environ, **own, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        listening(port)
        yield f"http://127.0.0.1:{port}"
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.wait(30)


def listening(port):
    until = time.monotonic() + FIRST
    while time.monotonic() < until:
        try:
            socket.create_connection(("127.0.0.1", port), 0.5).close()
            return
        except OSError:
            time.sleep(0.2)
    pytest.fail("JupyterLab did not listen in time")


def run_cell(page):
    """Run the notebook's one cell, once its kernel is there; JupyterLab asks for one where it is late."""
    cell = page.locator(".jp-Notebook .jp-CodeCell").first
    before = cell.locator(".jp-InputPrompt").inner_text()
    page.get_by_text("Python 3 (ipykernel) | Idle").wait_for()
    select = page.get_by_role("button", name="Select", exact=True)
    for _ in range(3):
        cell.locator(".cm-content").click()
        page.keyboard.press("Shift+Enter")
        page.wait_for_function(
            "before => document.querySelector('.jp-Dialog') || "
            "document.querySelector('.jp-Notebook .jp-CodeCell .jp-InputPrompt').innerText !== before",
            arg=before,
        )
        if not select.is_visible():
            return
        select.click()
        select.wait_for(state="hidden")


def test_a_cell_that_runs_again_goes_on_to_the_filled_schedule(
    window, one_cell, study, tmp_path, button, finish_day, screenshot
):
    page = window
    page.set_viewport_size({"width": 1366, "height": 768})
    one_cell(tmp_path / "widget.ipynb", CELL.format(path=str(study)))
    with jupyter_lab(tmp_path) as address:
        page.goto(f"{address}/lab/tree/widget.ipynb", wait_until="domcontentloaded")
        run_cell(page)
        page.get_by_role("tab", name="Roles").click()
        page.get_by_label("people played by").select_option("prompt")
        button(page, "Begin").click()
        button(page, "Begin day 1").click()
        page.get_by_text("Day 1, Monday: the plan").wait_for()
        screenshot(page, "dashboard_lab_1_plan")
        page.keyboard.press("Enter")  # the focus is on Approve
        page.get_by_text("Monday: the action about").wait_for()
        run_cell(page)
        button(page, "Go on with day 1").click()
        page.get_by_text("Monday: the action about").wait_for()
        finish_day(page, 1)
        for number in (2, 3, 4, 5):
            button(page, f"Begin day {number}").press("Enter")
            finish_day(page, number)
        page.get_by_text("The seminar is over.").wait_for()
        page.get_by_text("4 of 4 dates filled").wait_for()
        screenshot(page, "dashboard_lab_2_over")
        page.goto("about:blank")
    [(_, record)] = Store(study).records(SWEEP)
    assert all(names for names in record.assignment.values())
