import numpy as np
import pandas as pd
import pytest

from support import published
from support.analysis.surveys.printed import printed_means


@pytest.fixture(scope="session")
def table3():
    """The 24 printed means of Table 3, with the half-widths of their intervals."""
    return printed_means(published.load("000_cf17db17b5f2de1a", "Table 3"))


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
