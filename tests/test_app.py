"""The dashboard's page of its own: where it listens, to whom it opens, what its notebook says, how it ends."""

import ast
import json
import os
import re
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from contextlib import contextmanager, suppress
from http.cookiejar import CookieJar
from pathlib import Path

import pytest
from browser import chromium, window  # noqa: F401 (fixtures)

from support import app
from support.data import ROOT
from support.errors import InvalidInput


def test_the_cell_holds_texts_as_literals_whatever_their_characters():
    store, model = Path('/tmp/it\'s "odd"\n/s.sqlite'), "a'); import os; ("
    tree = ast.parse(app.source(store, model, "http://127.0.0.1:1/v1"))
    said = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    assert {str(store), model, "http://127.0.0.1:1/v1"} <= set(said)
    imported = {node.module for node in tree.body if isinstance(node, ast.ImportFrom)}
    assert imported == {"support.models", "support.desk.application"}


def test_a_port_is_ours_before_voila_starts_and_one_that_is_taken_is_refused():
    """Attack 1: between the look at a port and Voila's start another program listened there, and was told the token."""
    with app.taken_port(0) as ours, socket.socket() as intruder:
        port = ours.getsockname()[1]
        for option in (socket.SO_REUSEADDR, socket.SO_REUSEPORT):
            intruder.setsockopt(socket.SOL_SOCKET, option, 1)
            with pytest.raises(OSError, match="in use"):
                intruder.bind((app.HERE, port))
        assert app.main(["--port", str(port)]) == 1
    with pytest.raises(InvalidInput, match="--port: 99999999"):
        app.taken_port(99999999)


@contextmanager
def running(tmp_path, *options):
    """The app, and what it says."""
    command = [
        sys.executable,
        "-m",
        "support.app",
        "--store",
        str(tmp_path / "s.sqlite"),
        "--port",
        "0",
        *options,
    ]
    env = {**os.environ, "PYTHONPATH": str(ROOT), "CONVENE_OUTPUT": str(tmp_path)}
    server = subprocess.Popen(
        command, cwd=tmp_path, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        start_new_session=True,
    )  # fmt: skip
    try:
        assert select.select([server.stdout], [], [], 90)[0], "it says where it listens"
        yield server, [server.stdout.readline() for _ in range(3)]
    finally:
        if server.poll() is None:
            server.terminate()
            server.wait(20)


def test_it_opens_to_who_has_the_address_listens_here_only_and_ends_when_it_is_told(
    tmp_path,
):
    with running(tmp_path) as (server, said):
        port, path, token = re.search(
            r"http://127\.0\.0\.1:(\d+)/(\S{22})/\?token=(\S+)", said[0]
        ).groups()
        assert "Only this machine" in said[1] and re.search(
            r"this code: \d{8}$", said[2]
        )
        for place in ("", "api/kernels"):
            with urllib.request.urlopen(
                f"http://127.0.0.1:{port}/{path}/{place}", timeout=60
            ) as page:
                assert "/login" in page.url, "without the token one is asked for it"
            assert refused(f"http://127.0.0.1:{port}/{place}") == 404, (
                "without the path nothing is there"
            )
        _, voila = children(server.pid)
        arguments = "".join(
            Path(f"/proc/{pid}/cmdline").read_text() for pid in (server.pid, voila)
        )
        assert not [
            secret
            for secret in (path, token, said[2].split()[-1])
            if secret in arguments
        ]
        folder = Path(f"/proc/{voila}/cwd")
        assert (
            "s.sqlite" in (folder / "Convene.ipynb").read_text()
            and folder.stat().st_mode & 0o777 == 0o700
        )
        assert folder.readlink().parent == Path(tempfile.gettempdir()), (
            "a notebook of its own, which no other app writes"
        )
        assert int(port) not in [
            int(p, 16) for p in outside(Path("/proc/net/tcp").read_text())
        ]
        server.send_signal(signal.SIGINT)
        assert server.wait(30) == 0
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", int(port)), 1)


def test_a_page_lives_while_it_is_watched_and_who_has_no_token_starts_and_hears_nothing(
    window, tmp_path
):
    """Attacks 2 and 4: a cookie goes to every port of 127.0.0.1, and a link on any site started a kernel."""
    with running(tmp_path, "--idle", "8") as (server, said):
        address = re.search(r"http\S+", said[0])[0]
        root, path, port = (
            address.partition("?")[0],
            address.split("/")[3],
            int(re.search(r":(\d+)/", address)[1]),
        )
        for link in (
            root.replace(path, ""),
            root.replace(path, "voila/render/Convene.ipynb"),
            root,
        ):
            refused(link)
        assert not kernels(server.pid), "who has a link, and no token, starts nothing"
        begin = window.get_by_role("button", name="Begin", exact=True)
        window.goto(address, wait_until="domcontentloaded")
        begin.wait_for()
        [watched] = kernels(server.pid)
        connection = Path(
            next(
                part
                for part in command_of(watched).split("\0")
                if part.endswith(".json")
            )
        )
        assert json.loads(connection.read_text())["transport"] == "ipc", (
            "whoever reaches a port hears what is said there"
        )
        assert connection.parent.stat().st_mode & 0o777 == 0o700
        jar = CookieJar()
        door = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar))
        with door.open(address, timeout=60) as page:
            assert page.status == 200 and "Convene" in page.read().decode()
        assert jar and {cookie.path for cookie in jar} == {f"/{path}/"}
        own = "; ".join(f"{cookie.name}={cookie.value}" for cookie in jar)
        for tossed in (
            "",
            f"; username-127-0-0-1-{port}=of another page's, at another port",
        ):
            asked = urllib.request.Request(
                f"{root}api/kernels", headers={"Cookie": own + tossed}
            )
            assert refused(asked) == 403, (
                "who has the cookie is let in, and finds no list of kernels"
            )
        request = urllib.request.Request(f"http://127.0.0.1:{port + 1}/stolen")
        jar.add_cookie_header(request)
        assert request.get_header("Cookie") is None, "another port is another program's"
        until = time.monotonic() + 90
        assert len(kernels(server.pid)) == 2
        while kernels(server.pid) != [watched] and time.monotonic() < until:
            time.sleep(0.3)
        window.get_by_label("name of this seminar").fill(
            "Autumn"
        )  # longer ago than a page lives that nobody has open
        begin.click()
        window.get_by_text("Who can do which date").wait_for()
        voila, until = children(server.pid)[1], time.monotonic() + 60
        server.kill()  # its terminal, say; who has the address, of a history say, reaches the page no more
        server.wait()
        try:
            with suppress(OSError):
                while time.monotonic() < until:
                    refused(root)
                pytest.fail("the page is still there")
            while command_of(watched) and time.monotonic() < until:
                time.sleep(0.1)
            assert not command_of(watched), "a kernel does not outlive its server"
        finally:
            with suppress(ProcessLookupError):
                os.killpg(voila, signal.SIGKILL)


def refused(address):
    """The status of a page, or of its door."""
    try:
        with urllib.request.urlopen(address, timeout=60) as page:
            return page.status
    except urllib.error.HTTPError as error:
        return error.code


def children(pid):
    """The processes below a process, it included."""
    found = [pid]
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with suppress(OSError):
                parent = int(
                    (folder / "stat").read_text().rpartition(")")[2].split()[1]
                )
                if parent == pid:
                    found += children(int(folder.name))
    return found


def command_of(pid):
    """The arguments of a process; "" of one that is gone."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_text()
    return ""


def kernels(pid):
    """The kernels of a server."""
    return [
        child for child in children(pid) if "ipykernel_launcher" in command_of(child)
    ]


def outside(table):
    """Ports that are listened on at an address other than 127.0.0.1, of a table of the kernel."""
    rows = [line.split() for line in table.splitlines()[1:]]
    return [
        row[1].split(":")[1]
        for row in rows
        if row[3] == "0A" and not row[1].startswith("0100007F")
    ]
