"""Two people at the labelling desk, in a real browser, by keyboard."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from support.analysis.dialogue_acts.labels import load_labels
from support.data import ROOT

CHROMIUM = shutil.which("chromium")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--no-first-run"]  # fmt: skip
NEEDS = "apt-get install chromium (Debian), or any chromium on the PATH"
SOURCE = """
import pandas as pd
from support.widgets.labelling import LabellingDesk
rows = [(1, 1, "Ana", "I value good A <b>most</b>."), (1, 1, "Ben", "What would you give up?")]
desk = LabellingDesk(pd.DataFrame(rows, columns=["run", "round", "sender", "text"]), {path!r}, ("Kim", "Lee"))
desk.view
"""


@pytest.fixture
def page(tmp_path):
    """The page with the desk in Chromium; requests that leave this machine are refused."""
    if CHROMIUM is None:
        if os.environ.get("CI"):
            pytest.fail(f"no chromium on this machine, and CI has to run the browser test: {NEEDS}")
        pytest.skip(f"no chromium on this machine: {NEEDS}")
    from playwright.sync_api import sync_playwright

    write_notebook(tmp_path / "desk.ipynb", SOURCE.format(path=str(tmp_path / "labels.sqlite")))
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = subprocess.Popen(
        [Path(sys.executable).with_name("voila"), "desk.ipynb", "--no-browser", f"--port={port}",
         "--Voila.ip=127.0.0.1"], cwd=tmp_path, start_new_session=True, env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        wait_for(port)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            page = browser.new_page(viewport={"width": 1100, "height": 900})
            page.set_default_timeout(60_000)
            page.route(lambda url: "127.0.0.1" not in url, lambda route: route.abort())
            page.goto(f"http://127.0.0.1:{port}/", wait_until="domcontentloaded")
            page.get_by_text("message 1 of 2").wait_for()
            yield page
            browser.close()
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.wait(10)


def write_notebook(path, source):
    cell = {"cell_type": "code", "id": "desk", "metadata": {}, "source": source, "outputs": [], "execution_count": None}
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    path.write_text(json.dumps({"cells": [cell], "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}))


def wait_for(port):
    for _ in range(600):
        try:
            socket.create_connection(("127.0.0.1", port), 0.5).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    pytest.fail("Voila did not start within a minute")


def screenshot(page, name):
    """Kept in build/screenshots, to be looked at."""
    folder = ROOT / "build" / "screenshots"
    folder.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=folder / f"{name}.png", full_page=True)


def label(page, *acts):
    """Tick and save by keyboard alone: focus, Space, and Enter on the button."""
    for act in acts:
        page.get_by_label(act, exact=True).focus()
        page.keyboard.press("Space")
    page.get_by_role("button", name="Save and next", exact=True).focus()
    page.keyboard.press("Enter")


def test_two_people_label_two_messages_and_their_agreement_is_shown(page, tmp_path):
    assert page.get_by_text("<b>most</b>").count() == 1, "a message is shown as text, not as markup"
    label(page)
    page.get_by_text("tick at least one").wait_for()
    label(page, "inform", "evaluate")
    page.get_by_text("message 2 of 2 (not labelled yet); 1 of 2 labelled by Kim").wait_for()
    label(page, "request")
    page.get_by_text("2 of 2 labelled by Kim").wait_for()
    page.get_by_text("Only Kim has labelled").wait_for()
    screenshot(page, "labelling_1_one_coder")

    page.locator(".widget-dropdown select").select_option("Lee")
    page.get_by_text("0 of 2 labelled by Lee").wait_for()
    label(page, "inform")
    page.get_by_text("message 2 of 2 (not labelled yet); 1 of 2 labelled by Lee").wait_for()
    label(page, "request")
    page.get_by_text("Agreement on 2 messages").wait_for()
    screenshot(page, "labelling_2_agreement")

    labels = load_labels(tmp_path / "labels.sqlite")
    assert labels[["coder", "acts"]].values.tolist() == [
        ["Kim", ("inform", "evaluate")], ["Kim", ("request",)], ["Lee", ("inform",)], ["Lee", ("request",)],
    ]  # fmt: skip
