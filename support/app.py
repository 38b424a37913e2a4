"""The dashboard on a page of its own, served by Voila on this machine: `make app`, or `python -m support.app`.

It writes a notebook of one cell into build/app and serves that. Whoever opens the page gets a kernel; what is said and
decided is in the store, so that a kernel that ends loses nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from support.data import ROOT, output, study_file
from support.errors import ConveneError, InvalidInput, MissingData

HERE = "127.0.0.1"
"""The only address that is listened on: nobody on another machine reaches the page."""

PORT = 8866
PATIENCE = 60.0
"""Seconds that Voila gets to listen."""

CELL = """from support.widgets.dashboard.application import Dashboard

{model}
dashboard = Dashboard({store!r}, model)
dashboard.view
"""


def source(store: Path, model: str = "", base_url: str = "") -> str:
    """The cell of the page's notebook; texts in it are Python literals, whatever their characters.

    >>> "connect" in source(Path("s.sqlite"))
    False
    """
    if not model:
        return CELL.format(model="model = None", store=str(store))
    told = f"{model!r}, cache={str(store)!r}" + (f", base_url={base_url!r}" if base_url else "")
    return CELL.format(model=f"from support.models import connect\n\nmodel = connect({told})", store=str(store))


def write_notebook(folder: Path, cell: str) -> Path:
    """Write the notebook of one cell; return where."""
    content = {
        "cells": [{"cell_type": "code", "id": "convene", "metadata": {}, "source": cell, "outputs": [],
                   "execution_count": None}],
        "metadata": {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }  # fmt: skip
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "Convene.ipynb"
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def checked_port(port: int) -> int:
    """A port that is free; 0 gives any.

    Raises
    ------
    InvalidInput
        When it is none, or something listens there already.
    """
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as servers do: one that has just ended is gone
        try:
            probe.bind((HERE, port))
        except (OSError, OverflowError) as error:
            raise InvalidInput(f"--port: {port} given ({error}); expected a free one; 0 stands for any") from None
        return int(probe.getsockname()[1])


def started(notebook: Path, port: int, token: str) -> subprocess.Popen[bytes]:
    """Voila, serving the notebook at that port to whoever has the token.

    Raises
    ------
    MissingData
        When it does not listen within a minute.
    """
    command = [sys.executable, "-m", "voila", notebook.name, "--no-browser", f"--port={port}", f"--Voila.ip={HERE}",
               "--Voila.log_level=WARN", "--theme=light", "--Voila.auto_token=True",
               # A page that is left asks to end its kernel without the cookie's twin (voila issue 1458).
               "--Voila.tornado_settings", "disable_check_xsrf=True"]  # fmt: skip
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH", "")]))
    # The token is not among the arguments: everybody on the machine can read those.
    env = {**os.environ, "PYTHONPATH": path, "JUPYTER_TOKEN": token}
    server = subprocess.Popen(command, cwd=notebook.parent, env=env, start_new_session=True)
    until = time.monotonic() + PATIENCE
    try:
        while time.monotonic() < until and server.poll() is None:
            if _listens(port):
                return server
            time.sleep(0.1)
    except KeyboardInterrupt:
        end(server)
        raise
    end(server)
    raise MissingData("voila: it did not begin to listen; see what it said above")


def _listens(port: int) -> bool:
    try:
        socket.create_connection((HERE, port), 0.5).close()
    except OSError:
        return False
    return True


def end(server: subprocess.Popen[bytes]) -> None:
    """End Voila and its kernels."""
    if server.poll() is None:
        os.killpg(server.pid, signal.SIGTERM)
        server.wait(10)


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve the dashboard until Ctrl-C."""
    given = _parser().parse_args(arguments)
    store = Path(given.store).resolve() if given.store else study_file("seminars")
    before = {ending: signal.signal(ending, _end_like_ctrl_c) for ending in (signal.SIGTERM, signal.SIGHUP)}
    try:
        return _serve(given, store)
    finally:
        for ending, handler in before.items():
            signal.signal(ending, handler)


def _serve(given: argparse.Namespace, store: Path) -> int:
    try:
        port = checked_port(given.port)
        notebook = write_notebook(output("build", "app"), source(store, given.model, given.base_url))
        token = secrets.token_urlsafe(16)
        server = started(notebook, port, token)
    except ConveneError as error:
        print(error, file=sys.stderr)
        return 1
    try:
        print(f"Convene: http://{HERE}:{port}/?token={token}", flush=True)
        print(f"The seminars are in {store}. Only this machine reaches the page. Ctrl-C ends it.", flush=True)
        return server.wait()
    except KeyboardInterrupt:
        return 0
    finally:
        end(server)


def _end_like_ctrl_c(*_: object) -> NoReturn:
    """A closed terminal, or `kill`, leaves no server behind."""
    raise KeyboardInterrupt


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m support.app", description="Serve the dashboard on this machine.")
    parser.add_argument("--store", default="", help="the study's file; by default data/runs/seminars.sqlite")
    parser.add_argument("--model", default="", help='a name that the endpoint serves, or "embedded"; none by default')
    parser.add_argument("--base-url", default="", help="the endpoint; by default OPENAI_BASE_URL, else OpenAI's")
    parser.add_argument("--port", type=int, default=PORT, help=f"{PORT} by default; 0 for any that is free")
    return parser


if __name__ == "__main__":
    sys.exit(main())
