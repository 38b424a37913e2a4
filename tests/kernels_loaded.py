"""What the process that kernels fork from loads. Formats of figures, and workers, have tests apart: not there."""

import contextlib
import importlib
import os

from kernels import LOADED

os.environ["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"  # as a kernel sets it
for name in LOADED:
    with contextlib.suppress(ImportError):
        importlib.import_module(name)

from support import draw  # noqa: E402
from support.runs import cluster  # noqa: E402

draw.FORMATS, cluster.FEW = ("png",), 10_000
