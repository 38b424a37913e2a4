"""A real browser for labs, in which Voila serves one cell; and a lab's code run as the cell it is pasted into."""

import asyncio
import os
import shutil
import signal
import socket
import subprocess
import sys
import textwrap
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

import nbformat
import pytest

from support.data import ROOT
from support.draw import FORMATS, png
from support.labs import base

CHROMIUM = shutil.which("chromium")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--no-first-run"]  # fmt: skip
NEEDS = "apt-get install chromium (Debian), or any chromium on the PATH"
BYTES = "async image => [...new Uint8Array(await (await fetch(image.src)).arrayBuffer())]"


@pytest.fixture(autouse=True)
def own_figures(monkeypatch, tmp_path):
    monkeypatch.setenv("CONVENE_FIGURES", str(tmp_path / "figures"))
    monkeypatch.setattr(base, "SETTLE", 0)


@pytest.fixture(scope="session")
def pasted():
    """A function from code and what the notebook holds to what the cell's last line gives."""

    def run(code, **names):
        *before, last = code.splitlines()
        cell = textwrap.indent("\n".join([*before, f"return {last}"]), "    ")
        exec(f"async def cell():\n{cell}", names)
        with ThreadPoolExecutor(1) as apart:  # Playwright keeps a loop in this thread
            return apart.submit(asyncio.run, names["cell"]()).result()

    return run


@pytest.fixture(scope="session")
def until():
    """A coroutine that waits until something is found, five seconds at most."""

    async def wait(found):
        for _ in range(500):
            if found():
                return
            await asyncio.sleep(0.01)
        pytest.fail("nothing happened for five seconds")

    return wait


@pytest.fixture
def browse(tmp_path):
    """A function from the source of a cell to its page in Chromium; requests that leave this machine are refused."""
    if CHROMIUM is None:
        if os.environ.get("CI"):
            pytest.fail(f"no chromium on this machine, and CI has to run the browser test: {NEEDS}")
        pytest.skip(f"no chromium on this machine: {NEEDS}")
    with ExitStack() as stack:

        def open_page(source, height=900):
            address = stack.enter_context(served(source, tmp_path))
            page = stack.enter_context(chromium(height))
            page.goto(address, wait_until="domcontentloaded")
            return page

        yield open_page


@contextmanager
def served(source, folder):
    """The address at which Voila shows a notebook of one cell; its process group ends with the test."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source)])
    nbformat.write(notebook, folder / "widget.ipynb")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = subprocess.Popen(
        [Path(sys.executable).with_name("voila"), "widget.ipynb", "--no-browser", f"--port={port}",
         "--Voila.ip=127.0.0.1"], cwd=folder, start_new_session=True, env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        for _ in range(600):
            try:
                socket.create_connection(("127.0.0.1", port), 0.5).close()
                break
            except OSError:
                time.sleep(0.1)
        else:
            pytest.fail("Voila did not start within a minute")
        yield f"http://127.0.0.1:{port}/"
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.wait(10)


@contextmanager
def chromium(height):
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        context = browser.new_context(viewport={"width": 1280, "height": height})
        context.grant_permissions(["clipboard-read", "clipboard-write"])
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.route(lambda url: "127.0.0.1" not in url, lambda route: route.abort())
        yield page
        browser.close()


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


@pytest.fixture
def keeps(tmp_path, pasted, button):
    """A function that holds what each lab promises: its figure is saved, and its copied code gives the same figure."""

    def hold(page, **names):
        button(page, "Save figure").click()
        page.get_by_text("Saved as").wait_for()
        assert sorted({path.suffix[1:] for path in (tmp_path / "figures").rglob("lab_*")}) == sorted([*FORMATS, "json"])
        page.get_by_text("The code of this figure, for a cell").click()
        button(page, "Copy").click()
        button(page, "Copied").wait_for()
        code = page.evaluate("navigator.clipboard.readText()")
        drawn = bytes(page.locator("img.widget-image, .widget-image img, img").first.evaluate(BYTES))
        assert png(pasted(code, **names)) == drawn, "what is pasted into a cell draws what the page shows"
        return code

    return hold


@pytest.fixture
def study(tmp_path):
    """The file of a study."""
    return tmp_path / "study.sqlite"
