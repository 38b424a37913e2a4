"""Study files with seminars in them."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from seminar_playing import setup_of

from support.seminars.journal import begin


@pytest.fixture
def path(tmp_path):
    return tmp_path / "study.sqlite"


@pytest.fixture
def begun(path):
    """A function from settings to the name of a seminar in the file."""

    def make(name="spring", **settings):
        begin(path, name, setup_of(**settings).to_json())
        return name

    return make
