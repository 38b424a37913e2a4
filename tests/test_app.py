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
import urllib.request
from pathlib import Path

import pytest

from support import app
from support.data import ROOT
from support.errors import InvalidInput


def test_the_cell_holds_texts_as_literals_whatever_their_characters():
    store, model = Path('/tmp/it\'s "odd"\n/s.sqlite'), "a'); import os; ("
    tree = ast.parse(app.source(store, model, "http://127.0.0.1:1/v1"))
    said = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    assert str(store) in said and model in said and "http://127.0.0.1:1/v1" in said
    assert {node.module for node in tree.body if isinstance(node, ast.ImportFrom)} == {
        "support.models", "support.widgets.dashboard.application",
    }  # fmt: skip


def test_without_a_model_nothing_is_connected():
    tree = ast.parse(app.source(Path("s.sqlite")))
    assert "connect" not in ast.dump(tree)


def test_the_notebook_is_one_cell(tmp_path):
    content = json.loads(app.write_notebook(tmp_path / "app", "1 + 1").read_text())
    assert [cell["source"] for cell in content["cells"]] == ["1 + 1"] and content["nbformat"] == 4


def test_a_port_that_is_taken_is_refused():
    with socket.socket() as taken:
        taken.bind((app.HERE, 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(InvalidInput, match=f"--port: {port} given"):
            app.checked_port(port)
        assert app.main(["--port", str(port)]) == 1
    with pytest.raises(InvalidInput, match="--port: 99999999"):
        app.checked_port(99999999)
    assert app.checked_port(0) > 0


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM], ids=["ctrl-c", "kill"])
def test_it_opens_to_who_has_the_address_listens_here_only_and_ends_when_it_is_told(tmp_path, ending):
    command = [sys.executable, "-m", "support.app", "--store", str(tmp_path / "s.sqlite"), "--port", "0"]
    env = {**os.environ, "PYTHONPATH": str(ROOT), "CONVENE_OUTPUT": str(tmp_path)}
    server = subprocess.Popen(
        command, cwd=tmp_path, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        start_new_session=True,
    )  # fmt: skip
    try:
        assert select.select([server.stdout], [], [], 90)[0], "it says where it listens"
        said = server.stdout.readline()
        address = re.search(r"http://127\.0\.0\.1:(\d+)/\?token=\S+", said)
        assert address and "Only this machine" in server.stdout.readline()
        port = int(address[1])
        for place in ("", "api/kernels"):
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/{place}", timeout=60) as page:
                assert "/login" in page.url, "without the token one is asked for it"
        assert port not in [int(p, 16) for p in outside(Path("/proc/net/tcp").read_text())]
        os.kill(server.pid, ending)
        assert server.wait(30) == 0
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", port), 1)
    finally:
        if server.poll() is None:
            server.terminate()
            server.wait(20)


def outside(table):
    """Ports that are listened on at an address other than 127.0.0.1, of a table of the kernel."""
    rows = [line.split() for line in table.splitlines()[1:]]
    return [row[1].split(":")[1] for row in rows if row[3] == "0A" and not row[1].startswith("0100007F")]
