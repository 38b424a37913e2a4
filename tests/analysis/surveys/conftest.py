import numpy as np
import pandas as pd
import pytest

from support import published
from support.analysis.surveys.intervals import Convention
from support.analysis.surveys.printed import printed_means
from support.analysis.surveys.sprite import reconstruct


@pytest.fixture(scope="session")
def table3():
    """The 24 printed means of Table 3, with the half-widths of their intervals."""
    return printed_means(published.load("000_cf17db17b5f2de1a", "Table 3"))


@pytest.fixture(scope="session")
def stated():
    """The sizes of the groups that the paper's text states."""
    return {"A": 14, "B": 13, "C": 18}


@pytest.fixture(scope="session")
def fitting():
    """The sizes of the groups that all the printed means of Table 3 fit."""
    return {"A": 11, "B": 12, "C": 18}


@pytest.fixture(scope="session")
def printing(fitting):
    """The convention under which whole answers give every printed interval of Table 3."""
    return Convention("fitting", fitting, divisor="n")


@pytest.fixture(scope="session")
def made(table3, printing):
    """All samples behind every cell of Table 3, by item and group."""
    return reconstruct(table3, printing)


@pytest.fixture
def survey():
    """Thirty people in three groups answer two items; group C answers lower."""
    rng = np.random.default_rng(1)
    rows = [
        (f"P{i:02d}", group, item, int(np.clip(round(rng.normal(4 - (group == "C") * 1.5, 1.2)), 1, 5)), "people")
        for i, group in enumerate("ABC" * 10)
        for item in ("reasons", "trust")
    ]
    return pd.DataFrame(rows, columns=["respondent", "group", "item", "answer", "source"])
