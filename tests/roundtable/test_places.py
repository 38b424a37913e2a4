"""A ZIP code has one state or none."""

import csv
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from support import data
from support.roundtable.ratings import state_of


def test_well_known_codes():
    known = {"10003": "NY", "55414": "MN", "94043": "CA", "02139": "MA", "20009": "DC", "99501": "AK", "96815": "HI"}
    known |= {"06390": "CT", "73301": "TX", "88510": "TX", "00501": "NY", "00601": "PR", "09012": "AE"}
    assert {code: state_of(code) for code in known} == known


def test_ranges_are_in_order_and_do_not_overlap():
    with data.inputs("movielens", "zip_prefixes.csv").open(encoding="utf-8") as file:
        ranges = [(row["first"], row["last"]) for row in csv.DictReader(file)]
    assert all(first <= last for first, last in ranges)
    assert all(before[1] < after[0] for before, after in pairwise(ranges))


def test_all_fifty_states_and_the_capital_are_there():
    found = {state_of(f"{prefix:03d}01") for prefix in range(1000)} - {"", "PR", "VI", "GU", "AE", "AA", "AP"}
    assert len(found) == 51


@given(st.text(max_size=8))
def test_property_whatever_is_no_code_has_no_state(text):
    state = state_of(text)
    assert state == "" or (len(text) == 5 and text.isascii() and text.isdigit() and len(state) == 2)
