"""The dashboard on a page of its own, served by Voila on this machine: `make app`, or `python -m support.app`.

Other accounts of this machine reach 127.0.0.1 as well. So the port is taken before anything is told, and kept; the page
lies at an address that cannot be guessed, below which the cookie stays (a cookie goes to every port of a host, but to
no other path); kernels talk over sockets in a folder of this account alone, since whoever connects to a kernel's ports
reads all that it says; and real mail needs a code besides, which the terminal shows (`support.seminars.unlock`).
"""

from __future__ import annotations

import argparse
import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from support.data import ROOT, study_file
from support.errors import ConveneError, InvalidInput, MissingData
from support.seminars.unlock import CODE

ADDRESS = "CONVENE_PAGE_ADDRESS"  # the path of the page, in the environment, which no other account can read
HERE = "127.0.0.1"  # the only address that is listened on: nobody on another machine reaches the page
PORT = 8866
PATIENCE = 60.0  # seconds that Voila gets to answer
IDLE = 600  # seconds after which a kernel ends whose page nobody has open

CELL = """from support.desk.application import Desk

{model}
desk = Desk({store!r}, model)
desk.view
"""


@dataclass(frozen=True)
class Keys:
    """What opens the page (path, token) and lets real mail go (code), drawn anew for each start."""

    path: str = field(default_factory=lambda: secrets.token_urlsafe(16))
    token: str = field(default_factory=lambda: secrets.token_urlsafe(16), repr=False)
    code: str = field(
        default_factory=lambda: f"{secrets.randbelow(10**8):08d}", repr=False
    )


def source(store: Path, model: str = "", base_url: str = "") -> str:
    """The cell of the page's notebook; texts in it are Python literals, whatever their characters."""
    if not model:
        return CELL.format(model="model = None", store=str(store))
    told = f"{model!r}, cache={str(store)!r}" + (
        f", base_url={base_url!r}" if base_url else ""
    )
    return CELL.format(
        model=f"from support.models import connect\n\nmodel = connect({told})",
        store=str(store),
    )


def taken_port(port: int) -> socket.socket:
    """A socket that listens at a port, or at any free one for 0: from now on nobody else can."""
    listening = socket.socket()
    try:
        listening.setsockopt(
            socket.SOL_SOCKET, socket.SO_REUSEADDR, 1
        )  # one that has just ended is gone
        listening.bind((HERE, port))
        listening.listen(128)
    except (OSError, OverflowError) as error:
        listening.close()
        raise InvalidInput(
            f"--port: {port} given ({error}); expected a free one; 0 stands for any"
        ) from None
    return listening


def page(descriptor: int) -> Any:
    """Voila, which serves at a socket that is open already and never at another."""
    from tornado.httpserver import HTTPServer
    from tornado.ioloop import IOLoop, PeriodicCallback
    from voila.app import Voila

    class Page(Voila):
        def init_handlers(self) -> list[Any]:
            # A page at any port of this host can set a cookie for all paths: of a known name, it shuts ours out.
            self.identity_provider.cookie_name = secrets.token_hex(8)
            # Voila leaves the doors at the root, whatever the page's path is.
            made = super().init_handlers()
            doors = {"/login", "/logout"}
            return [
                (f"{self.server_url.rstrip('/')}{one[0]}", *one[1:])
                if one[0] in doors
                else one
                for one in made
            ]

        def listen(self) -> None:
            listening = socket.socket(fileno=descriptor)
            listening.setblocking(False)
            HTTPServer(self.app).add_socket(listening)
            self.ioloop, parent = IOLoop.current(), os.getppid()

            def look() -> None:
                if os.getppid() != parent:  # the terminal's process was killed
                    self.ioloop.stop()

            PeriodicCallback(look, 1000).start()
            try:
                self.ioloop.start()
            except KeyboardInterrupt:
                self.log.info("Stopping...")
            finally:
                self.stop()

    return Page


def started(
    cell: str, listening: socket.socket, keys: Keys, folder: str, idle: int
) -> subprocess.Popen[bytes]:
    """Voila, serving a notebook of one cell at that socket to who has the address and the token, once it answers."""
    from nbformat.v4 import new_code_cell, new_notebook, writes

    spec = {"display_name": "Python 3", "language": "python", "name": "python3"}
    notebook = Path(folder, "Convene.ipynb")
    notebook.write_text(
        writes(
            new_notebook(cells=[new_code_cell(cell)], metadata={"kernelspec": spec})
        ),
        "utf-8",
    )
    descriptor, at = listening.fileno(), f"os.environ[{ADDRESS!r}]"
    serve = f"import os; from support.app import page; page({descriptor}).launch_instance(base_url={at})"
    command = [sys.executable, "-c", serve, notebook.name, "--no-browser", "--Voila.log_level=WARN", "--theme=light",
               "--Voila.auto_token=True",
               "--KernelManager.transport=ipc",
               # A page that is left ends its kernel; one whose browser was killed is ended here.
               f"--MappingKernelManager.cull_idle_timeout={idle}", "--MappingKernelManager.cull_busy=True",
               f"--MappingKernelManager.cull_interval={max(idle // 4, 1)}",
               # A page that is left asks to end its kernel without the cookie's twin (voila issue 1458).
               "--Voila.tornado_settings", "disable_check_xsrf=True"]  # fmt: skip
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH", "")]))
    # Neither path, token nor code is among the arguments: everybody on the machine can read those.
    env = {**os.environ, "PYTHONPATH": path, "JUPYTER_TOKEN": keys.token, CODE: keys.code,
           ADDRESS: f"/{keys.path}/", "JUPYTER_RUNTIME_DIR": folder}  # fmt: skip
    server = subprocess.Popen(
        command,
        cwd=folder,
        env=env,
        start_new_session=True,
        pass_fds=[descriptor],
        umask=0o077,
    )
    door, until = (
        f"http://{HERE}:{listening.getsockname()[1]}/{keys.path}/login",
        time.monotonic() + PATIENCE,
    )
    try:
        while time.monotonic() < until and server.poll() is None:
            with suppress(OSError):
                urllib.request.urlopen(door, timeout=1).close()
                return server
            time.sleep(0.1)
    except KeyboardInterrupt:
        end(server)
        raise
    end(server)
    raise MissingData("voila: it did not begin to answer; see what it said above")


def end(server: subprocess.Popen[bytes]) -> None:
    """End Voila and its kernels."""
    if server.poll() is None:
        os.killpg(server.pid, signal.SIGTERM)
        server.wait(10)


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve the dashboard until Ctrl-C."""
    parser = argparse.ArgumentParser(
        prog="python -m support.app", description="Serve the dashboard on this machine."
    )
    parser.add_argument(
        "--store",
        default="",
        help="the study's file; by default data/runs/seminars.sqlite",
    )
    parser.add_argument(
        "--model",
        default="",
        help='a name that the endpoint serves, or "embedded"; none by default',
    )
    parser.add_argument(
        "--base-url",
        default="",
        help="the endpoint; by default OPENAI_BASE_URL, else OpenAI's",
    )
    parser.add_argument(
        "--port",
        type=int,
        default=PORT,
        help=f"{PORT} by default; 0 for any that is free",
    )
    parser.add_argument(
        "--idle",
        type=int,
        default=IDLE,
        help=f"seconds that a page left alone lives: {IDLE}",
    )
    given = parser.parse_args(arguments)
    store = Path(given.store).resolve() if given.store else study_file("seminars")
    endings = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    # a closed terminal, or `kill`, leaves no server behind
    before = {
        ending: signal.signal(ending, signal.default_int_handler) for ending in endings
    }
    try:
        with tempfile.TemporaryDirectory(
            prefix="convene-", ignore_cleanup_errors=True
        ) as folder:
            return _serve(given, store, folder)
    finally:
        for ending, handler in before.items():
            signal.signal(ending, handler)


def _serve(given: argparse.Namespace, store: Path, folder: str) -> int:
    keys = Keys()
    try:
        with taken_port(given.port) as listening:
            server = started(
                source(store, given.model, given.base_url),
                listening,
                keys,
                folder,
                given.idle,
            )
            port = listening.getsockname()[1]
    except ConveneError as error:
        print(error, file=sys.stderr)
        return 1
    try:
        print(
            f"Convene: http://{HERE}:{port}/{keys.path}/?token={keys.token}", flush=True
        )
        print(
            f"The seminars are in {store}. Only this machine reaches the page. Ctrl-C ends it.",
            flush=True,
        )
        print(
            f"Before real mail leaves, the page asks for this code: {keys.code}",
            flush=True,
        )
        return server.wait()
    except KeyboardInterrupt:
        return 0
    finally:
        end(server)


if __name__ == "__main__":
    sys.exit(main())
