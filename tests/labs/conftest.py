"""A real browser for labs, in which Voila serves one cell; figures go elsewhere."""

import pytest
from browser import (
    browse,
    button,
    chromium,
    dropdown,
    screenshot,
    served,
    voila,
    window,
)

from support import person


@pytest.fixture(autouse=True)
def own_figures(monkeypatch, tmp_path):
    monkeypatch.setenv("CONVENE_FIGURES", str(tmp_path / "figures"))
    monkeypatch.setattr(person, "SETTLE", 0)
