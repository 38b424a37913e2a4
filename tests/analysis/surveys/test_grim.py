"""GRIM, and what it finds in Table 3 of the paper on meeting coordination."""

from decimal import ROUND_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from fractions import Fraction

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.analysis.surveys.grim import consistent_ns, grim, grim_table, pooled, possible_sums
from support.errors import InvalidInput

ANSWERS = st.lists(st.integers(1, 5), min_size=1, max_size=60)


def printed(answers, decimals, rounding):
    mean = Decimal(sum(answers)) / Decimal(len(answers))
    return mean.quantize(Decimal(1).scaleb(-decimals), rounding)


@given(ANSWERS, st.integers(0, 4), st.sampled_from([ROUND_HALF_UP, ROUND_HALF_EVEN]), st.booleans())
def test_property_every_mean_of_whole_answers_passes_however_a_half_is_rounded(answers, decimals, rounding, as_text):
    mean = printed(answers, decimals, rounding)
    assert grim(str(mean) if as_text else float(mean), len(answers), decimals)


@given(st.integers(1, 40), st.integers(100, 500))
def test_property_a_mean_passes_only_where_some_sum_prints_as_it(n, hundredths):
    prints = [s for s in range(n, 5 * n + 1) if abs(Fraction(s, n) * 100 - hundredths) <= Fraction(1, 2)]
    assert list(possible_sums(hundredths / 100, n)) == prints
    assert grim(hundredths / 100, n) == bool(prints)


@given(ANSWERS, st.integers(1, 4))
def test_property_asking_more_people_the_same_changes_no_verdict_from_true(answers, times):
    mean = printed(answers, 2, ROUND_HALF_UP)
    assert grim(mean, len(answers) * times)


def test_a_mean_that_was_cut_off_instead_of_rounded_fails():
    assert printed([4] * 7 + [3] * 4, 2, ROUND_DOWN) == Decimal("3.63")
    assert not grim("3.63", 11) and grim("3.64", 11)


def test_an_exact_half_may_be_printed_either_way():
    assert grim(2.12, 8) and grim(2.13, 8)  # 17 / 8 = 2.125
    assert not grim(2.11, 8) and not grim(2.14, 8)


def test_a_mean_outside_the_scale_cannot_be():
    assert not grim(5.01, 100) and not grim(0.99, 100) and not grim(-3.5, 2)
    assert grim(5.0, 3) and grim("0.50", 2, low=0)


def test_known_values_of_the_paper_that_proposed_grim():
    # Brown and Heathers 2017: 5.19 cannot be the mean of 28 whole numbers; 5.18 and 5.21 can.
    assert [grim(mean, 28, low=1, high=7) for mean in (5.18, 5.19, 5.21)] == [True, False, True]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((3.5, 0), "n is 0"),
        ((3.5, 2.0), "n is 2.0"),
        ((3.5, True), "n is True"),
        ((float("nan"), 3), "mean is nan"),
        ((float("inf"), 3), "mean is inf"),
        (("3,5", 3), "'3,5'.*such as 3.51"),
        ((None, 3), "mean is None"),
        ((3.514, 3), "at most 2 decimals: round it"),
        ((3.5, 3, -1), "decimals is -1"),
        ((3.5, 3, 2, 5, 1), "low is 5 and high is 1"),
    ],
)
def test_what_is_no_question_is_refused(arguments, message):
    with pytest.raises(InvalidInput, match=message):
        grim(*arguments)


def test_table_3_with_the_stated_numbers_fails_in_three_four_and_three_of_six_rows(table3, stated):
    fits = consistent_ns(table3, stated | {"all": 45}).set_index("group")
    assert (6 - fits["fit"]).to_dict() == {"A": 3, "B": 4, "C": 0, "all": 3}
    assert (fits["source"] == "published").all()


def test_table_3_fits_in_every_row_with_11_12_18_and_41_answers(table3, fitting):
    assert consistent_ns(table3, fitting | {"all": 41})["all_fit"].all()


def test_no_other_sizes_up_to_the_stated_ones_explain_table_3_and_its_pooled_means(table3, stated):
    up_to = {group: range(1, n + 1) for group, n in stated.items()}
    found = pooled(table3, up_to)
    assert found[["A", "B", "C", "n"]].to_numpy().tolist() == [[11, 12, 18, 41]]
    assert found["all_fit"].tolist() == [True] and found["fit"].tolist() == [6]


def test_pooled_means_fail_where_they_are_not_those_of_the_groups(table3, fitting):
    other = table3.assign(mean=table3["mean"].where(table3["group"] != "all", table3["mean"] + 0.05).round(2))
    found = pooled(other, fitting)
    assert found["fit"].tolist() == [0] and not found["all_fit"].any()


def test_no_sizes_means_no_rows(table3):
    assert pooled(table3, {"A": range(12, 15), "B": [12], "C": [18]}).empty


def test_the_table_tells_the_nearest_mean_that_can_be(table3):
    row = grim_table(table3, {"A": 14}).set_index("item").loc["confidence"]
    assert not row["fits"] and row["nearest"] == pytest.approx(57 / 14)


def test_the_order_of_rows_changes_nothing(table3):
    shuffled = table3.sample(frac=1, random_state=1)
    ns = {group: range(5, 19) for group in "ABC"}
    pd.testing.assert_frame_equal(consistent_ns(table3, ns), consistent_ns(shuffled, ns))
    pd.testing.assert_frame_equal(pooled(table3, ns), pooled(shuffled, ns))


def test_bad_tables_are_refused_with_the_way_out(table3):
    with pytest.raises(InvalidInput, match=r"ns names \['D'\]; the groups of means are: all, A, B, C"):
        grim_table(table3, {"D": 4})
    with pytest.raises(InvalidInput, match="twice; pass one table at a time"):
        grim_table(pd.concat([table3, table3]), {"A": 4})
    with pytest.raises(InvalidInput, match=r"has no mean in every one of A, all"):
        pooled(table3[(table3["group"] != "A") | (table3["item"] != "confidence")], {"A": [11]})
