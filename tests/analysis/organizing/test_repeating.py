"""Tests between two techniques: by hand, against scipy, and on the paper's own means and SDs."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from support import published
from support.analysis.organizing import bootstrap_difference, bootstrap_mean, mcnemar_test, printed_test, runs_test
from support.errors import InvalidInput

SEED = "002_0d724da09908f95e"


def runs(**accuracies):
    return pd.DataFrame(
        {"technique": name, "run": k, "accuracy": value}
        for name, values in accuracies.items()
        for k, value in enumerate(values)
    )


def answers(a, b, voices=1):
    """Two techniques' answers as texts of 0 (wrong) and 1 (right), an item a letter."""
    return pd.DataFrame(
        {"technique": name, "item": k, "case": k // voices, "right": float(letter)}
        for name, said in (("a", a), ("b", b))
        for k, letter in enumerate(said)
    )


def test_t_over_runs_is_scipys_on_both_assumptions():
    one, other = [0.91, 0.93, 0.95], [0.80, 0.88, 0.85]
    found = runs_test(runs(a=one, b=other), "accuracy", "a", "b")
    for equal, names in ((True, ("t", "p")), (False, ("welch_t", "welch_p"))):
        expected = stats.ttest_ind(one, other, equal_var=equal)
        assert [found[name] for name in names] == pytest.approx([expected.statistic, expected.pvalue])
    assert found["df"] == 4 and found["welch_df"] == pytest.approx(stats.ttest_ind(one, other, equal_var=False).df)
    assert found["difference"] == pytest.approx(0.26 / 3) and found["note"] == ""


def test_three_equal_runs_on_either_side_are_no_test():
    found = runs_test(runs(a=[0.88] * 3, b=[0.1 + 0.2, 0.3, 0.3]), "accuracy", "a", "b")
    assert np.isnan(found["p"]) and np.isnan(found["welch_p"]) and "no spread" in found["note"]


def test_one_run_is_refused_with_those_that_there_are():
    with pytest.raises(InvalidInput, match=r"1 runs of 'b'; .*: a \(2 runs\), b \(1 runs\)"):
        runs_test(runs(a=[0.1, 0.2], b=[0.3]), "accuracy", "a", "b")


def test_the_papers_stars_for_selection_follow_from_what_it_prints():
    table = published.load(SEED, "Table 1")
    for other in ("speaker", "slot", "both"):
        found = printed_test(table, "summary", other)
        assert found["p"] < 0.001 and found["welch_p"] < 0.001, other


def test_the_papers_stars_for_detection_need_equal_variances():
    table = published.load(SEED, "Table 2")
    found = printed_test(table, "few with policies", "few")
    assert found["p"] == pytest.approx(0.0045, abs=5e-5) and found["df"] == 4
    assert found["welch_p"] == pytest.approx(0.0287, abs=5e-5) and found["welch_df"] == pytest.approx(2)
    assert printed_test(table, "few", "zero")["p"] < 0.01 < printed_test(table, "few", "zero")["welch_p"]
    with pytest.raises(InvalidInput, match="no mean with an SD of 'mine'"):
        printed_test(table, "mine", "zero")


def test_mcnemar_counts_the_items_on_which_the_two_differ():
    found = mcnemar_test(answers("1111110", "1000000"), "right", "a", "b")
    assert [found[k] for k in ("n", "both", "only_a", "only_b", "neither")] == [7, 1, 5, 0, 1]
    assert found["p"] == pytest.approx(2 * 0.5**5)


def test_an_item_of_several_runs_is_one_pair_by_the_most_of_them(made):
    frame = made.verdicts("a", "1100", "1000", "1000").assign(right=lambda f: (f["flag"] == f["flagged"]).astype(float))
    other = made.verdicts("b", "1100").assign(right=lambda f: (f["flag"] == f["flagged"]).astype(float))
    found = mcnemar_test(pd.concat([frame, other]), "right", "a", "b")
    assert [found[k] for k in ("n", "both", "only_a", "only_b", "neither")] == [4, 3, 0, 1, 0] and found["p"] == 1


def test_items_without_a_partner_are_left_out_and_counted():
    frame = pd.concat([answers("110", "011"), pd.DataFrame([{"technique": "a", "item": 9, "case": 9, "right": 1.0}])])
    assert mcnemar_test(frame, "right", "a", "b")["left_out"] == 1
    with pytest.raises(InvalidInput, match=r"technique: none is 'c'; there are: a, b"):
        mcnemar_test(frame, "right", "a", "c")
    with pytest.raises(InvalidInput, match="none in common"):
        mcnemar_test(pd.concat([answers("1", ""), answers("", "11")[1:]]), "right", "a", "b")


@given(st.text("01", min_size=1, max_size=12), st.randoms())
@settings(max_examples=30, deadline=None)  # statsmodels is imported at the first
def test_property_mcnemar_does_not_depend_on_who_comes_first(said, random):
    other = "".join(random.sample(said, len(said)))
    one, reverse = (mcnemar_test(answers(said, other), "right", *names) for names in (("a", "b"), ("b", "a")))
    assert one["p"] == reverse["p"] and one["only_a"] == reverse["only_b"]


def test_a_bootstrap_over_cases_is_wider_than_one_over_voices():
    said = "11111" * 8 + "00000" * 2  # all five voices of a case fare alike
    frame = answers(said, "1" * 50, voices=5)
    by_case, by_voice = (
        bootstrap_mean(frame, "right", np.random.default_rng(1), cluster=cluster).set_index("technique").loc["a"]
        for cluster in ("case", "item")
    )
    assert by_case["mean"] == by_voice["mean"] == 0.8 and by_case["clusters"] == 10
    assert by_case["se"] == pytest.approx(np.sqrt(0.16 / 10), rel=0.05)
    assert by_voice["se"] == pytest.approx(np.sqrt(0.16 / 50), rel=0.05)


def test_the_difference_is_paired_and_resampled_by_case():
    rng = np.random.default_rng(1)
    found = bootstrap_difference(answers("1111100000", "0000000000", voices=5), "right", "a", "b", rng)
    assert found["difference"] == 0.5 and (found["low"], found["high"]) == (0, 1) and found["clusters"] == 2
    same = bootstrap_difference(answers("1010", "1010"), "right", "a", "b", rng, cluster="item")
    assert (same["difference"], same["low"], same["high"]) == (0, 0, 0) and same["clusters"] == 4


def test_an_item_that_is_right_in_half_of_its_runs_is_not_right():
    frame = pd.concat([answers("11", "11"), answers("01", "11")])
    found = mcnemar_test(frame, "right", "a", "b")
    assert [found[k] for k in ("both", "only_a", "only_b", "neither")] == [1, 0, 1, 0]


def test_an_interval_covers_what_it_was_asked_to():
    frame = answers("10" * 50, "0" * 100)
    wide, narrow = (
        bootstrap_difference(frame, "right", "a", "b", np.random.default_rng(1), cluster="item", level=level)
        for level in (0.95, 0.5)
    )
    assert narrow["high"] - narrow["low"] == pytest.approx(2 * stats.norm.ppf(0.75) * narrow["se"], abs=0.02)
    assert wide["high"] - wide["low"] == pytest.approx(2 * stats.norm.ppf(0.975) * wide["se"], abs=0.02)


def test_the_same_generator_gives_the_same_interval():
    frame = answers("110101", "010001")
    one, other = (bootstrap_difference(frame, "right", "a", "b", np.random.default_rng(3)) for _ in range(2))
    assert one == other


def test_a_technique_is_not_compared_with_itself_nor_with_blanks():
    frame, rng = answers("1100", "1000"), np.random.default_rng(1)
    with pytest.raises(InvalidInput, match="technique: 'a' given twice"):
        mcnemar_test(frame, "right", "a", "a")
    with pytest.raises(InvalidInput, match="technique: 'a' given twice"):
        bootstrap_difference(frame, "right", "a", "a", rng)
    blank = frame.assign(right=frame["right"].where(frame["technique"] == "a"))
    for test in (
        lambda f: mcnemar_test(f, "right", "a", "b"),
        lambda f: bootstrap_difference(f, "right", "a", "b", rng),
    ):
        with pytest.raises(InvalidInput, match="none in common"):
            test(blank)
    with pytest.raises(InvalidInput, match="right: all 4 of 'b' are blank"):
        bootstrap_mean(blank, "right", rng)


def test_rows_of_no_case_are_not_dropped_in_silence():
    frame, rng = answers("1100", "1000", voices=2).replace({"case": {1: np.nan}}), np.random.default_rng(1)
    for test in (lambda f: bootstrap_mean(f, "right", rng), lambda f: bootstrap_difference(f, "right", "a", "b", rng)):
        with pytest.raises(InvalidInput, match=r"column 'case' .* empty in 4 rows"):
            test(frame)


def test_a_blank_row_leaves_its_case_to_the_others():
    frame = answers("1100", "1100", voices=2)
    frame.loc[[0, 2, 3], "right"] = np.nan  # of technique a one row is left, the second of its first case
    row = bootstrap_mean(frame, "right", np.random.default_rng(1)).set_index("technique").loc["a"]
    assert row["mean"] == 1 and row["clusters"] == 1


def test_bad_input_to_the_bootstrap_is_named():
    frame, rng = answers("11", "10"), np.random.default_rng(1)
    with pytest.raises(InvalidInput, match="item '0' is of two; expected one case"):
        bootstrap_difference(frame.assign(case=range(4)), "right", "a", "b", rng)
    with pytest.raises(InvalidInput, match="draws: 0 given"):
        bootstrap_mean(frame, "right", rng, draws=0)
    assert np.isnan(bootstrap_mean(frame[:1], "right", rng)["se"]).all()


def test_kinds_of_cases_are_drawn_apart():
    # A detector that lets everything pass is right on every clear case, and on no other: half of each is half of all.
    frame = pd.DataFrame(
        {"technique": "none", "item": k, "case": k, "flag": k < 10, "right": float(k >= 10)} for k in range(20)
    )
    free = bootstrap_mean(frame, "right", np.random.default_rng(1), draws=500).iloc[0]
    held = bootstrap_mean(frame, "right", np.random.default_rng(1), draws=500, within="flag").iloc[0]
    assert free["low"] < 0.4 and held["low"] == held["high"] == held["mean"] == 0.5
    both = pd.concat([frame, frame.assign(technique="all", right=1 - frame["right"])])
    gap = bootstrap_difference(both, "right", "none", "all", np.random.default_rng(1), draws=500, within="flag")
    assert gap["low"] == gap["high"] == 0
    mixed = pd.concat([frame, frame.tail(1).assign(item=99, flag=True)])
    with pytest.raises(InvalidInput, match="flag: case '19' is not of one kind"):
        bootstrap_mean(mixed, "right", np.random.default_rng(1), within="flag")
