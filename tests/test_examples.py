"""The examples in docstrings are true."""

import doctest
from importlib import import_module

import pytest

from support.data import ROOT

WITH = sorted(
    path
    for path in (ROOT / "support").rglob("*.py")
    if ">>> " in path.read_text(encoding="utf-8")
)


@pytest.mark.parametrize("path", WITH, ids=lambda path: path.stem)
def test_what_a_docstring_shows_is_what_comes(path):
    name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(
        ".__init__"
    )
    failed, tried = doctest.testmod(import_module(name))
    assert tried
    assert not failed
