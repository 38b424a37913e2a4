"""A person at the round table, in a real browser: Voila serves the widget, Chromium plays a whole decision."""

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

from support.data import ROOT
from support.store import Store
from support.widgets.roundtable import SWEEP

CHROMIUM = shutil.which("chromium")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--no-first-run"]  # fmt: skip
NEEDS = "apt-get install chromium (Debian), or any chromium on the PATH"
SAYING = "I am <b>a person</b> & I need good A"


@pytest.fixture
def served(tmp_path):
    """A page with the widget: the seat of Ana to be chosen, two rounds; yields its address and its store."""
    if CHROMIUM is None:
        if os.environ.get("CI"):
            pytest.fail(f"no chromium on this machine, and CI has to run the browser test: {NEEDS}")
        pytest.skip(f"no chromium on this machine: {NEEDS}")
    study = tmp_path / "study.sqlite"
    source = (
        "from support.store import Store\nfrom support.widgets.roundtable import RoundTableLab\n"
        f"lab = RoundTableLab(Store({str(study)!r}), rounds=2)\nlab.view"
    )
    write_notebook(tmp_path / "lab.ipynb", source)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = subprocess.Popen(
        [Path(sys.executable).with_name("voila"), "lab.ipynb", "--no-browser", f"--port={port}",
         "--Voila.ip=127.0.0.1"], cwd=tmp_path, start_new_session=True, env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        wait_for(port)
        yield f"http://127.0.0.1:{port}/", study
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.wait(10)


def write_notebook(path, source):
    cell = {"cell_type": "code", "id": "lab", "metadata": {}, "source": source, "outputs": [], "execution_count": None}
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
def page(served):
    """The page in Chromium, with the widget drawn; requests that leave this machine are refused."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page(viewport={"width": 1280, "height": 1500})
        page.set_default_timeout(60_000)
        page.route(lambda url: "127.0.0.1" not in url, lambda route: route.abort())
        page.goto(served[0], wait_until="domcontentloaded")
        button(page, "Next round").wait_for()
        yield page
        browser.close()


def button(page, name):
    return page.get_by_role("button", name=name, exact=True)


def choose(page, label, value):
    page.locator(".widget-dropdown", has=page.get_by_text(label, exact=True)).locator("select").select_option(value)


def screenshot(page, name):
    """Kept in build/screenshots, to be looked at."""
    folder = ROOT / "build" / "screenshots"
    folder.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=folder / f"{name}.png", full_page=True)


def test_a_person_plays_a_whole_decision_and_it_is_found_in_the_store(page, served):
    before = page.locator("img").first.get_attribute("src")
    choose(page, "Ana", "human")
    button(page, "Play to the end").click()

    page.get_by_placeholder("what you want to say").fill(SAYING)
    screenshot(page, "1_message")
    button(page, "Send").click()

    amount = page.locator("input[type=number]:visible").nth(1)  # the first is the seed
    button(page, "Propose").wait_for()
    amount.fill("130")
    amount.press("Tab")
    button(page, "Propose").click()
    page.get_by_text("share out exactly 100 of every good").wait_for()
    screenshot(page, "2_refused_proposal")
    assert amount.input_value() == "130", "what was typed is kept after an error"
    amount.fill("33.34")
    amount.press("Tab")
    button(page, "Propose").click()

    button(page, "Vote").wait_for()
    page.locator("input[type=radio]").first.check()
    screenshot(page, "3_ballot")
    button(page, "Vote").click()

    button(page, "Say nothing").click()
    button(page, "No new proposal").click()
    button(page, "Abstain").click()
    page.get_by_text("Stored in study.sqlite").wait_for()
    screenshot(page, "4_finished")
    assert page.locator("img").first.get_attribute("src") != before, "the figure follows the discussion"
    assert page.get_by_text(SAYING).count(), "what a person says is shown as text, not as markup"

    [(_, transcript)] = Store(served[1]).records(SWEEP)
    assert transcript.seats["Ana"] == "human"
    assert [m.text for m in transcript.rounds[0].messages if m.sender == "Ana"] == [SAYING]
    first, second = (next(b for b in r.ballots if b.agent == "Ana").choice for r in transcript.rounds)
    assert [p.value[0] for p in transcript.rounds[0].proposals if p.agent == "Ana"] == [(33.34, 33.333333, 33.333333)]
    assert first == transcript.rounds[0].candidates[0].id
    assert second is None


def test_a_slider_and_a_button_redraw_the_live_figure(page):
    figure = page.locator("img").first
    before = figure.get_attribute("src")
    handle = page.locator(".widget-slider .noUi-handle").first
    handle.focus()
    page.keyboard.press("ArrowRight")
    page.get_by_text("Dev", exact=True).wait_for()
    button(page, "Next round").click()
    page.get_by_text("Round 1 of 2:").wait_for()
    screenshot(page, "5_four_agents")
    assert figure.get_attribute("src") != before
