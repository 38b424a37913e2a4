"""`make app` in a real browser: the page at its secret path works, and stays while somebody has it open."""

import os
import re
import subprocess
import sys

import pytest

from support.data import ROOT


@pytest.fixture
def address(tmp_path):
    """Where the app serves a page that ends soon when it is left."""
    options = ["--store", str(tmp_path / "s.sqlite"), "--port", "0", "--idle", "10"]
    command = [sys.executable, "-m", "support.app", *options]
    env = {**os.environ, "PYTHONPATH": str(ROOT), "CONVENE_OUTPUT": str(tmp_path)}
    server = subprocess.Popen(command, cwd=tmp_path, env=env, stdout=subprocess.PIPE, text=True)
    try:
        yield re.search(r"http\S+", server.stdout.readline())[0]
    finally:
        server.terminate()
        server.wait(20)


def test_the_page_of_its_own_stays_while_it_is_watched(window, address, screenshot):
    begin = window.get_by_role("button", name="Begin", exact=True)
    window.goto(address, wait_until="domcontentloaded")
    begin.wait_for()
    window.wait_for_timeout(11_000)  # longer than a page lives that nobody has open
    window.get_by_label("name of this seminar").fill("Autumn")
    begin.click()
    window.get_by_text("Who can do which date").wait_for()
    screenshot(window, "app")
