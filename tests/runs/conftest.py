"""A study's file of this room."""

import pytest

from support.runs.study import Store


@pytest.fixture
def store(tmp_path):
    """A study's file, new and empty."""
    opened = Store(tmp_path / "study.sqlite")
    yield opened
    opened.close()
