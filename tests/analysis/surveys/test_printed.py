"""Printed numbers are read exactly."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.analysis.surveys.printed import cells, exact, printed_means
from support.errors import InvalidInput


@given(st.integers(-10_000, 10_000), st.integers(0, 4))
def test_property_floats_texts_and_decimals_are_read_alike(digits, decimals):
    number = Fraction(digits, 10**decimals)
    for given_as in (float(number), f"{float(number):.{decimals}f}", Decimal(str(float(number))), np.float64(number)):
        assert exact(given_as, decimals) == number


def test_a_published_table_becomes_means(table3):
    assert len(table3) == 24 and (table3["source"] == "published").all()
    assert cells(table3, ["A"])[0][1:] == ("A", 3.64, 0.59)


def test_statements_without_a_number_are_left_out():
    frame = pd.DataFrame({"row": ["i", "j"], "column": ["A", "direction"], "value": [3.5, None], "spread": [0.2, None]})
    assert printed_means(frame)["item"].tolist() == ["i"]


def test_a_table_of_another_form_is_refused():
    with pytest.raises(InvalidInput, match="the published table has no column 'spread'"):
        printed_means(pd.DataFrame({"row": ["i"], "column": ["A"], "value": [3.5]}))
