"""A real browser for widgets: Voila serves one cell, Chromium shows it."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from support.data import ROOT

CHROMIUM = shutil.which("chromium")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--no-first-run"]  # fmt: skip
LAB = """
from support.runs.study import Store
from {module} import {name}
lab = {name}(Store({path!r}), rounds=2)
lab.view
"""
NEEDS = "apt-get install chromium (Debian), or any chromium on the PATH"


@pytest.fixture
def browse(tmp_path):
    """A function from the source of a cell to its page in Chromium; requests that leave this machine are refused."""
    need_chromium()
    with ExitStack() as stack:

        def open_page(source, height=900):
            address = stack.enter_context(served(source, tmp_path))
            page = stack.enter_context(chromium(height))
            page.goto(address, wait_until="domcontentloaded")
            return page

        yield open_page


def need_chromium():
    if CHROMIUM is None:
        if os.environ.get("CI"):
            pytest.fail(f"no chromium on this machine, and CI has to run the browser test: {NEEDS}")
        pytest.skip(f"no chromium on this machine: {NEEDS}")


@pytest.fixture
def window():
    """An empty page in Chromium, for what another server than Voila serves."""
    need_chromium()
    with chromium(900) as page:
        yield page


@pytest.fixture(scope="session")
def one_cell():
    """A function from a path and the source of a cell to a notebook there."""
    return write_notebook


@contextmanager
def served(source, folder):
    """The address at which Voila shows a notebook of one cell; its process group ends with the test."""
    write_notebook(folder / "widget.ipynb", source)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = subprocess.Popen(
        [Path(sys.executable).with_name("voila"), "widget.ipynb", "--no-browser", f"--port={port}",
         "--Voila.ip=127.0.0.1"], cwd=folder, start_new_session=True, env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        wait_for(port)
        yield f"http://127.0.0.1:{port}/"
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.wait(10)


@contextmanager
def chromium(height):
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page(viewport={"width": 1280, "height": height})
        page.set_default_timeout(60_000)
        page.route(lambda url: "127.0.0.1" not in url, lambda route: route.abort())
        yield page
        browser.close()


def write_notebook(path, source):
    cell = {"cell_type": "code", "id": "cell", "metadata": {}, "source": source, "outputs": [], "execution_count": None}
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


@pytest.fixture
def study(tmp_path):
    """The file in which a lab keeps its runs."""
    return tmp_path / "study.sqlite"


@pytest.fixture
def lab(browse, study, button):
    """A function from the class of a lab to its page, drawn: two rounds, none of them played."""

    def open_lab(kind):
        page = browse(LAB.format(module=kind.__module__, name=kind.__name__, path=str(study)), height=1500)
        button(page, "Next round").wait_for()
        return page

    return open_lab


@pytest.fixture(scope="session")
def button():
    """A function from a page and a name to the button of that name."""
    return lambda page, name: page.get_by_role("button", name=name, exact=True)


@pytest.fixture(scope="session")
def dropdown():
    """A function from a page and a label to the list of choices that it belongs to."""

    def find(page, label):
        return page.locator(".widget-dropdown", has=page.get_by_text(label, exact=True)).locator("select")

    return find


@pytest.fixture
def screenshot():
    """A function that keeps a page in build/screenshots, to be looked at."""

    def keep(page, name):
        folder = ROOT / "build" / "screenshots"
        folder.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=folder / f"{name}.png", full_page=True)

    return keep


@pytest.fixture(scope="session")
def finish_day(button):
    """A function from the dashboard's page: approves what is left of a day, and leaves its questions open."""

    def finish(page, number):
        strip, asked = page.locator(".convene-days"), page.locator(".convene-ask b").first
        over = strip.get_by_text(f"Day {number} is over.").or_(strip.get_by_text("The seminar is over."))
        while True:
            asked.or_(over).first.wait_for()
            if over.is_visible():
                return
            heading = asked.inner_text()
            button(page, "Leave it open" if "a question" in heading else "Approve the rest of today").press("Enter")
            page.get_by_text(heading, exact=True).wait_for(state="hidden")

    return finish
