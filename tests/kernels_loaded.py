"""What the process that kernels fork from loads. Figures are kept as PNG alone there; the formats have tests apart."""

import contextlib
import importlib
import os

from kernels import LOADED, unsynchronised

os.environ["MPLBACKEND"] = (
    "module://matplotlib_inline.backend_inline"  # as a kernel sets it
)
for name in LOADED:
    with contextlib.suppress(ImportError):
        importlib.import_module(name)

from support.plots import figure  # noqa: E402

figure.FORMATS = ("png",)
unsynchronised()
