"""What Table 3 of the meetings paper can mean; GRIM and enumeration against answers."""

from collections import Counter
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from math import inf

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from support import published
from support.analysis import printed
from support.analysis.printed import Convention, Scale, grim, reconstruct
from support.errors import InvalidInput

TABLE = printed.printed_means(published.load("000", "Table 3"))
STATED = {"A": 14, "B": 13, "C": 18}
FITTING = {"A": 11, "B": 12, "C": 18}
ANSWERS = st.lists(st.integers(1, 5), min_size=2, max_size=30)


@given(ANSWERS, st.sampled_from([ROUND_HALF_UP, ROUND_HALF_EVEN]))
def test_property_every_mean_of_whole_answers_passes_however_a_half_is_rounded(
    answers, rounding
):
    mean = Decimal(sum(answers)) / len(answers)
    for decimals in (1, 2):
        shown = mean.quantize(Decimal(1).scaleb(-decimals), rounding)
        assert grim(float(shown), len(answers), Scale(decimals=decimals))


@given(ANSWERS, st.sampled_from(["n-1", "n"]), st.sampled_from([None, inf]))
def test_property_real_answers_are_among_the_samples_behind_their_own_print(
    answers, divisor, df
):
    n = len(answers)
    sd = np.std(answers, ddof=divisor == "n-1")
    half = stats.t.ppf(0.975, n - 1 if df is None else df) * sd / np.sqrt(n)
    cell = {"item": "i", "group": "g", "mean": round(np.mean(answers), 2)}
    table = pd.DataFrame([cell | {"half": round(half, 2)}])
    own = Convention("own", {"g": n}, None if df is None else {"g": df}, divisor)
    counts = np.bincount(answers, minlength=6)[1:].tolist()
    found = reconstruct(table, own)["i", "g"].tolist()
    assert counts in found
    assert all(sum(sample) == n and min(sample) >= 0 for sample in found)


def test_table_3_has_other_sizes_than_the_text_states():
    tried = printed.grim_table(TABLE, {group: range(5, 22) for group in "ABC"})
    fits = tried.groupby(["group", "n"])["fits"].all()
    assert [*fits[fits].index] == [*FITTING.items()]


def test_one_way_of_computing_explains_the_intervals_of_table_3():
    for convention, fits in (
        (Convention("as the text says", STATED), [1, 1, 0]),
        (Convention("fitting", FITTING, divisor="n"), [6, 6, 6]),
    ):
        made = reconstruct(TABLE, convention)
        found = Counter(group for (_, group), samples in made.items() if len(samples))
        assert [found[group] for group in "ABC"] == fits


BAD = [
    (lambda: grim(3.5, 0), "n is 0"),
    (lambda: grim("3,5", 3), "'3,5'.*such as 3.51"),
    (lambda: grim(3.514, 3), "at most 2 decimals: round it"),
    (lambda: printed.grim_table(TABLE, {"D": [4]}), "those of means are all, A, B, C"),
]


@pytest.mark.parametrize(("call", "message"), BAD)
def test_what_cannot_be_asked_is_refused_with_the_way_out(call, message):
    with pytest.raises(InvalidInput, match=message):
        call()
