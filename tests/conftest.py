"""Fixtures that several rooms share."""

import pytest

from support.store import Store


@pytest.fixture
def store(tmp_path):
    """A study's file, new and empty."""
    opened = Store(tmp_path / "study.sqlite")
    yield opened
    opened.close()
