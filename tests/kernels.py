"""Kernels that fork from one process that has loaded what notebooks import: each takes seconds to load it by itself."""

import multiprocessing
import os
import sys
from multiprocessing import forkserver
from pathlib import Path
from unittest.mock import patch

PATHS = [str(Path(__file__).parent), str(Path(__file__).parents[1])]
CONTEXT = multiprocessing.get_context("forkserver")
LOADED = ("IPython", "ipykernel.kernelapp", "ipywidgets", "matplotlib.pyplot", "networkx", "scipy.stats", "seaborn",
          "sentence_transformers", "sklearn.linear_model", "statsmodels.api", "textstat", "support.labs.lab",
          "support.analysis.conversation", "support.runs.recordings", "support.seminar.study")  # fmt: skip


def unsynchronised():
    """Study files are not waited for: a process that is killed loses nothing by that, only a power cut would tell."""
    from support import database

    configure = database._configure

    def quick(made):
        configure(made)
        made.execute("PRAGMA synchronous = OFF")

    database._configure = quick


class Forked:
    """A kernel's process, in the place of the `Popen` of `jupyter_client`'s `launch_kernel`."""

    stdin = stdout = stderr = None

    def __init__(self, cmd, env=None, cwd=None, **more):
        CONTEXT.set_forkserver_preload(["kernels_loaded"])
        with patch.dict(os.environ, PYTHONPATH=os.pathsep.join(PATHS)):
            forkserver.ensure_running()
        ready, where = CONTEXT.Event(), cwd or os.getcwd()
        self._process = CONTEXT.Process(
            target=_kernel, args=(ready, cmd[cmd.index("-f") + 1], dict(env), where)
        )
        self._process.start()
        assert ready.wait(60)
        self.pid, self.kill, self.terminate = (
            self._process.pid,
            self._process.kill,
            self._process.terminate,
        )

    def poll(self):
        return self._process.exitcode

    def wait(self):
        self._process.join()
        return self.poll()

    def send_signal(self, number):
        os.kill(self.pid, number)


def _kernel(ready, connection, env, cwd):
    os.setsid()  # a group of its own: who ends the kernel ends its group
    os.environ.clear()
    os.environ.update(env)
    os.chdir(cwd)
    ready.set()
    from ipykernel.kernelapp import launch_new_instance

    sys.argv = ["kernel", "-f", connection, "--log-level=CRITICAL"]
    launch_new_instance()
