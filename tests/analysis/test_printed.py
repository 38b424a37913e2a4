"""What Table 3 of the meetings paper can mean; GRIM, intervals and enumeration against brute force."""

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
from support.analysis.printed import Convention, Scale, grim, interval_check
from support.errors import InvalidInput

TABLE = printed.printed_means(published.load("000_cf17db17b5f2de1a", "Table 3"))
STATED, FITTING = {"A": 14, "B": 13, "C": 18}, {"A": 11, "B": 12, "C": 18}
PRINTING = Convention("fitting", FITTING, divisor="n")
"""The convention under which whole answers give every printed interval."""
ANSWERS = st.lists(st.integers(1, 5), min_size=2, max_size=40)


@pytest.fixture(scope="module")
def made():
    """All samples behind every cell of Table 3, by item and group."""
    return printed.reconstruct(TABLE, PRINTING)


def row(**numbers):
    return pd.DataFrame([{"item": "i", "group": "g"} | numbers])


# ---- oracles


@given(
    ANSWERS,
    st.integers(0, 4),
    st.sampled_from([ROUND_HALF_UP, ROUND_HALF_EVEN]),
    st.sampled_from([str, float]),
)
def test_property_every_mean_of_whole_answers_passes_however_a_half_is_rounded(
    answers, decimals, rounding, kind
):
    mean = (Decimal(sum(answers)) / len(answers)).quantize(
        Decimal(1).scaleb(-decimals), rounding
    )
    assert grim(kind(mean), len(answers), Scale(decimals=decimals))


@given(ANSWERS, st.sampled_from(["n-1", "n"]), st.sampled_from([None, inf]))
def test_property_the_interval_of_real_answers_fits_its_own_convention(
    answers, divisor, df
):
    n, sd = len(answers), np.std(answers, ddof=divisor == "n-1")
    half = stats.t.ppf(0.975, n - 1 if df is None else df) * sd / np.sqrt(n)
    own = Convention("own", {"g": n}, None if df is None else {"g": df}, divisor)
    checked = interval_check(
        row(mean=round(np.mean(answers), 2), half=round(half, 2)), own
    ).iloc[0]
    assert (
        checked["fits"]
        and (sum(answers), sum(a * a for a in answers)) in checked["moments"]
    )


# ---- published numbers


def test_table_3_has_other_sizes_than_the_text_states():
    tried = printed.grim_table(TABLE, {group: range(5, 22) for group in "ABC"})
    fits = tried.groupby(["group", "n"])["fits"].all()
    assert [*fits[fits].index] == [*FITTING.items()]
    stated = printed.grim_table(TABLE, {g: [n] for g, n in STATED.items()})
    assert stated.groupby("group")["fits"].sum().tolist() == [3, 2, 6]


@pytest.mark.parametrize(
    ("convention", "fits"),
    [
        (Convention("as the text says", STATED), [1, 1, 0]),
        (Convention("fitting sizes", FITTING), [0, 0, 0]),
        (
            Convention("the text's df", FITTING, {"A": 13, "B": 12, "C": 17}, "n"),
            [0, 1, 6],
        ),
        (PRINTING, [6, 6, 6]),
    ],
)
def test_one_way_of_computing_explains_the_intervals_of_table_3(convention, fits):
    assert (
        interval_check(TABLE, convention).groupby("group")["fits"].sum().tolist()
        == fits
    )


def test_only_two_differences_between_groups_hold_in_all_reconstructions(made):
    assert len(made) == 18
    assert {len(samples) for samples in made.values()} <= {*range(2, 14)}
    # 11 answers with sum 45 and squares 191 are the only ones that print 4.09 ± 0.53.
    moments = made["confidence", "A"] @ np.c_[np.arange(1, 6), np.arange(1, 6) ** 2]
    assert {*map(tuple, moments.tolist())} == {(45, 191)}

    def differ(a, b):
        return stats.mannwhitneyu(a, b).pvalue < 0.05

    found = printed.between_groups(made, differ)
    sure = found[found["verdict"] == "True"]
    pairs = sure[["item", "a", "b"]].to_numpy().tolist()
    assert pairs == [["reasons_acceptable_all", "A", "C"], ["confidence", "A", "C"]]
    ones = printed.between_groups(made, lambda a, b: (a == 1).sum() == (b == 1).sum())
    assert "open" in {*ones["verdict"]}


# ---- what users get wrong


BAD = [
    (lambda: grim(3.5, 0), "n is 0"),
    (lambda: grim("3,5", 3), "'3,5'.*such as 3.51"),
    (lambda: grim(3.514, 3), "at most 2 decimals: round it"),
    (lambda: printed.grim_table(TABLE, {"D": [4]}), "those of means are all, A, B, C"),
    (
        lambda: printed.grim_table(pd.concat([TABLE, TABLE]), {"A": [4]}),
        "twice; pass one table at a time",
    ),
    (
        lambda: printed.reconstruct(TABLE, Convention("as stated", STATED)),
        "14 answers by 'as stated'",
    ),
]


@pytest.mark.parametrize(("call", "message"), BAD)
def test_what_cannot_be_asked_is_refused_with_the_way_out(call, message):
    with pytest.raises(InvalidInput, match=message):
        call()
