"""A small seminar by hand, and one played by rule-based people; pages as what a parser reads in them."""

import asyncio
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections import namedtuple
from contextlib import ExitStack, contextmanager
from datetime import date, timedelta
from html.parser import HTMLParser

import numpy as np
import pytest

from support.data import ROOT
from support.seminar.data import Persona, Scenario, scenario
from support.seminar.ledger import Contact, State
from support.seminar.organizing import desk_of
from support.seminar.records import ORGANISER, Mail
from support.seminar.study import seminar
from support.seminar.views import Desk

VOID = ("br",)
Element = namedtuple("Element", "tag attributes")


class Reader(HTMLParser):
    """Elements, words and the tables' cells of a page; it insists that every element is closed where it belongs."""

    def __init__(self, page):
        super().__init__()
        self.elements, self.open, self.words = [], [], []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.elements.append(Element(tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, words):
        if "style" not in self.open:
            self.words.append(words)

    @property
    def said(self):
        """What is said, piece by piece."""
        return [" ".join(words.split()) for words in self.words if words.strip()]

    @property
    def text(self):
        return " ".join("".join(self.words).split())

    @property
    def skeleton(self):
        return [(one.tag, tuple(one.attributes), one.attributes.get("class")) for one in self.elements]


@pytest.fixture(scope="session")
def read():
    return Reader


@pytest.fixture(scope="session")
def days():
    """Days after the start, which is Monday, 6 September 2027."""
    return lambda *numbers: tuple(date(2027, 9, 5) + timedelta(number) for number in numbers)


SLOTS = (date(2027, 9, 22), date(2027, 10, 6), date(2027, 10, 20))


@pytest.fixture(scope="session")
def make_desk(days):
    """A function from contacts (name and fields), who has which of three dates, mails and seats to a desk."""

    def make(contacts, given=None, mails=(), day=8, seats=1, slots=SLOTS):
        people = tuple(Persona(name.lower(), name, f"{name.lower()}@example.org", "professor") for name in contacts)
        programme = Scenario(
            "made", "A seminar", "fill it", "Noor", "Room 1", "16:00", date(2027, 9, 6), date(2027, 9, 20),
            tuple(slots), people, seats,
        )  # fmt: skip
        holders = dict.fromkeys(slots, ()) | (given or {})
        known = {name: Contact(name, "professor", **fields) for name, fields in contacts.items()}
        state = State(days(day)[0], holders, known, seats)
        return Desk(programme, state, day, tuple(mails))

    return make


@pytest.fixture(scope="session")
def mail():
    """A function from number, day, kind and person to a mail."""

    def make(number, day, kind, person):
        sender, to = (person, ORGANISER) if kind == "reply" else (ORGANISER, person)
        return Mail(number, day, kind, sender, to, f"about {number}", f"Dear all,\n\nwords {number}")

    return make


@pytest.fixture(scope="session")
def played():
    """A function from a scenario's name and a last day to the days, and the desk, of a rule-based run."""

    def play(name, until):
        run = asyncio.run(seminar(np.random.default_rng(2), scenario=name, until=until)).days
        return run, desk_of(scenario(name), run)

    return play


# ---- a real browser: Voila or JupyterLab serve one cell, Chromium shows it ------------------------------------------

CHROMIUM = shutil.which("chromium")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--no-first-run"]  # fmt: skip
NEEDS = "apt-get install chromium (Debian), or any chromium on the PATH"
LAPTOP = {"width": 1366, "height": 768}
FIRST = 120.0
"""Seconds that a server gets to listen: JupyterLab takes ten, and more where much else is at work."""

VOILA = ["voila", "widget.ipynb", "--no-browser", "--Voila.ip=127.0.0.1"]
LAB = ["jupyter", "lab", "--no-browser", "--ServerApp.ip=127.0.0.1", "--IdentityProvider.token=", "--allow-root",
       "--LabApp.news_url=None", "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"]  # fmt: skip
DIRECTORIES = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "JUPYTERLAB_SETTINGS_DIR",
               "JUPYTERLAB_WORKSPACES_DIR", "IPYTHONDIR")  # fmt: skip


@pytest.fixture
def chromium():
    if CHROMIUM is None:
        if os.environ.get("CI"):
            pytest.fail(f"no chromium on this machine, and CI has to run the browser test: {NEEDS}")
        pytest.skip(f"no chromium on this machine: {NEEDS}")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def window(chromium):
    """An empty page at the size of a laptop's screen; requests that leave this machine are refused."""
    context = chromium.new_context(viewport=LAPTOP)
    context.set_default_timeout(120_000)  # a second kernel may start, on a machine that may be busy
    context.route(lambda url: "127.0.0.1" not in url, lambda route: route.abort())
    yield context.new_page()
    context.close()


@pytest.fixture
def served(tmp_path):
    """A function from the source of a cell, and a theme, to the address at which Voila or JupyterLab shows it."""
    with ExitStack() as stack:

        def serve(source, theme="light", lab=False):
            cell = {"cell_type": "code", "id": "cell", "metadata": {}, "source": source, "outputs": [],
                    "execution_count": None}  # fmt: skip
            kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
            content = {"cells": [cell], "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}
            (tmp_path / "widget.ipynb").write_text(json.dumps(content))
            themes = tmp_path / "JUPYTERLAB_SETTINGS_DIR" / "@jupyterlab" / "apputils-extension"
            themes.mkdir(parents=True, exist_ok=True)
            named = {"light": "JupyterLab Light", "dark": "JupyterLab Dark"}
            (themes / "themes.jupyterlab-settings").write_text(json.dumps({"theme": named[theme]}))
            command = [*LAB, f"--ServerApp.root_dir={tmp_path}"] if lab else [*VOILA, f"--theme={theme}"]
            port = stack.enter_context(server(command, tmp_path))
            return f"http://127.0.0.1:{port}/{'lab/tree/widget.ipynb' if lab else ''}"

        yield serve


@contextmanager
def server(command, folder):
    """The port of a server with settings of its own; its process group ends with the test."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    own = {name: str(folder / name) for name in DIRECTORIES} | {"CONVENE_FIGURES": str(folder / "figures")}
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
