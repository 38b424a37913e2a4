"""A real browser: one Voila for a file of tests serves cells, Chromium shows them."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest

from support.data import ROOT

CHROMIUM = shutil.which("chromium")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--no-first-run"]  # fmt: skip
NEEDS = "apt-get install chromium (Debian), or any chromium on the PATH"
LAPTOP = {"width": 1366, "height": 768}
FIRST = 120.0
"""Seconds that a server gets to listen, where much else is at work."""

VOILA = ["voila", ".", "--no-browser", "--Voila.ip=127.0.0.1"]
DIRECTORIES = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "JUPYTERLAB_SETTINGS_DIR",
               "JUPYTERLAB_WORKSPACES_DIR", "IPYTHONDIR")  # fmt: skip


@pytest.fixture(scope="module")
def chromium():
    """The browser of a file of tests; Playwright keeps a loop in this thread, so that no test of it runs another."""
    if CHROMIUM is None:
        if os.environ.get("CI"):
            pytest.fail(
                f"no chromium on this machine, and CI has to run the browser test: {NEEDS}"
            )
        pytest.skip(f"no chromium on this machine: {NEEDS}")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def window(chromium):
    """An empty page; requests that leave this machine are refused, and what is copied there can be read."""
    context = chromium.new_context(
        viewport=LAPTOP, permissions=["clipboard-read", "clipboard-write"]
    )
    context.set_default_timeout(
        120_000
    )  # a second kernel may start, on a machine that may be busy
    context.route(lambda url: "127.0.0.1" not in url, lambda route: route.abort())
    yield context.new_page()
    context.close()


@pytest.fixture
def browse(window, served):
    """A function from the source of a cell, and a theme, to its page."""

    def open_page(source, theme="light"):
        window.goto(served(source, theme), wait_until="domcontentloaded")
        return window

    return open_page


@pytest.fixture(scope="module")
def voila(tmp_path_factory):
    """The folder that one Voila serves to all tests of a file, and its port."""
    folder = tmp_path_factory.mktemp("voila")
    with server(VOILA, folder) as port:
        yield folder, port


@pytest.fixture
def served(voila, tmp_path):
    """A function from the source of a cell, and a theme, to the address at which Voila shows it."""
    folder, port = voila

    def serve(source, theme="light"):
        own = {
            name: value
            for name, value in os.environ.items()
            if name.startswith("CONVENE_")
        }
        told = f"import os\nos.environ |= {own | {'CONVENE_FIGURES': str(tmp_path / 'figures')}}\n"
        cell = {"cell_type": "code", "id": "cell", "metadata": {}, "source": told + source, "outputs": [],
                "execution_count": None}  # fmt: skip
        kernel = {
            "kernelspec": {
                "display_name": "Python 3",
                "language": "python",
                "name": "python3",
            }
        }
        content = {
            "cells": [cell],
            "metadata": kernel,
            "nbformat": 4,
            "nbformat_minor": 5,
        }
        (folder / f"{tmp_path.name}.ipynb").write_text(json.dumps(content))
        return (
            f"http://127.0.0.1:{port}/voila/render/{tmp_path.name}.ipynb?theme={theme}"
        )

    return serve


@contextmanager
def server(command, folder):
    """The port of a server with settings of its own; its process group ends with the test."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    own = {name: str(folder / name) for name in DIRECTORIES}
    made = subprocess.Popen(
        [sys.executable, "-m", *command, f"--port={port}"], cwd=folder, start_new_session=True,
        env={**os.environ, **own, "PYTHONPATH": str(ROOT)}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        until = time.monotonic() + FIRST
        while time.monotonic() < until:
            try:
                socket.create_connection(("127.0.0.1", port), 0.5).close()
                break
            except OSError:
                time.sleep(0.2)
        else:
            pytest.fail("the server did not listen in time")
        yield port
    finally:
        os.killpg(made.pid, signal.SIGTERM)
        made.wait(30)


@pytest.fixture(scope="session")
def screenshot():
    """A function that keeps a page in build/screenshots, to be looked at."""

    def keep(page, name):
        folder = ROOT / "build" / "screenshots"
        folder.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=folder / f"{name}.png", full_page=True)

    return keep


@pytest.fixture(scope="session")
def button():
    """A function from a page and a button's words to the button."""
    return lambda page, name: page.get_by_role("button", name=name, exact=True)


@pytest.fixture(scope="session")
def dropdown():
    """A function from a page and a label to the list of choices that it belongs to."""

    def find(page, label):
        return page.locator(
            ".widget-dropdown", has=page.get_by_text(label, exact=True)
        ).locator("select")

    return find
