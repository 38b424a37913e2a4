"""Fixtures that several rooms share."""

import gc
import os
import sys
from functools import cache
from pathlib import Path

import httpcore2
import hypothesis
import pytest

from support.choice import Rule
from support.data import REPEATED, ROOT, UNFINISHED
from support.errors import MissingData
from support.models.stand_ins import scripted
from support.runs.study import Store
from support.survey.answers import AnswerBook

os.environ.setdefault(
    "OMP_WAIT_POLICY", "passive"
)  # before torch: the workers' threads share the cores
sys.path.append(
    str(Path(__file__).parent)
)  # for `attacks`, which a notebook shows as well, `kernels`, `serving`
from kernels import unsynchronised

unsynchronised()
# Each loop has a client of its own, and each client would read all certificates anew.
httpcore2.default_ssl_context = cache(httpcore2.default_ssl_context)
# A process that a test starts reads this checkout, whatever the environment was made from.
os.environ["PYTHONPATH"] = str(ROOT)
hypothesis.settings.register_profile(
    "house", deadline=None, max_examples=50
)  # a busy machine makes no test fail
hypothesis.settings.load_profile("house")


def pytest_collection_modifyitems(items):
    """The notebooks first: they take longest, and any worker plays the next one; the tests of a file stay together."""
    items.sort(key=lambda item: item.path.name != "test_notebooks.py")
    for item in items:
        plays = item.name.startswith("test_a_notebook_runs")
        group = item.nodeid if plays else str(item.path)
        item.add_marker(pytest.mark.xdist_group(group))


@pytest.fixture(autouse=True)
def finished():
    """No test says of its figures that another test's sweep was left unfinished."""
    UNFINISHED.clear()
    REPEATED.clear()


@pytest.fixture
def store(tmp_path):
    """A study's file, new and empty."""
    opened = Store(tmp_path / "study.sqlite")
    yield opened
    opened.close()


@pytest.fixture
def book(tmp_path):
    """A book of answers, new and empty."""
    opened = AnswerBook(tmp_path / "answers.sqlite")
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def _server():
    from serving import LocalServer

    return LocalServer()


@pytest.fixture
def server(_server):
    """A provider of models on this machine, whose `answer` a test sets."""
    _server.reset()
    return _server


@pytest.fixture(scope="session")
def have():
    """A function that loads data; the test is skipped where they can neither be found nor fetched."""

    def loaded(load):
        try:
            return load()
        except MissingData as error:
            pytest.skip(str(error))

    return loaded


@pytest.fixture(scope="session")
def last():
    """A rule of one's own, which no registry knows: the last of the listed candidates wins."""

    class Last(Rule):
        name, form, unit, explanation = (
            "last",
            "vote",
            "vote",
            "The last one listed wins.",
        )

        def scores(self, ballots, listed):
            return {listed[-1]: len(ballots)}

    return Last()


@pytest.fixture(scope="session")
def axes():
    """A function to an Axes, or to a grid of so many rows and columns, of a figure that pyplot does not know."""

    def empty(*shape):
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        return FigureCanvasAgg(Figure(figsize=(6, 5))).figure.subplots(*shape)

    return empty


@pytest.fixture
def ax(axes):
    """One Axes to draw on."""
    return axes()


@pytest.fixture(scope="module", autouse=True)
def quick_collection():
    """statsmodels collects garbage at every correction of p-values: let it not walk through all that is loaded."""
    gc.freeze()


@pytest.fixture(scope="session")
def overheard():
    """A function from replies to a model that gives them in turn, and the list of the messages that it was given."""

    def listen(*replies, **options):
        heard, lines = [], iter(replies)

        def script(messages):
            heard.append(messages)
            return next(lines)

        return scripted(script, **options), heard

    return listen
