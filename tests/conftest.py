"""Fixtures that several rooms share."""

import gc

import pytest

from support.store import Store


@pytest.fixture
def store(tmp_path):
    """A study's file, new and empty."""
    opened = Store(tmp_path / "study.sqlite")
    yield opened
    opened.close()


@pytest.fixture(scope="module", autouse=True)
def quick_collection():
    """statsmodels collects garbage at every correction of p-values: let it not walk through all that is loaded."""
    gc.freeze()
