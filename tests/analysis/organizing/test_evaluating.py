"""Policy selection and edge-case detection: scores by hand, laws, and what the two test suites look like."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.analysis.organizing import (
    by_policy,
    confusion_by_case,
    detection_runs,
    over_runs,
    results,
    score,
    selection_runs,
    selection_scores,
)
from support.errors import InvalidInput
from support.seminar import suite

IDS = st.sets(st.sampled_from(["begin", "vague", "follow_up", "give_up"]))


@given(IDS, IDS)
def test_property_f1_is_symmetric_between_0_and_1_and_1_for_equal_sets_only(one, other):
    found = score(one, other)
    assert found.f1 == score(other, one).f1 and found.precision == score(other, one).recall
    assert all(0 <= value <= 1 for value in found) and (found.f1 == 1) == (one == other)


@given(st.lists(st.tuples(IDS, IDS), min_size=1, max_size=8))
@settings(max_examples=25, deadline=None)  # scikit-learn takes a second to be imported
def test_property_scores_are_those_of_scikit_learn_with_empty_sets_counted_as_1(pairs):
    metrics = pytest.importorskip("sklearn.metrics")
    names = ["begin", "vague", "follow_up", "give_up"]
    said, true = (np.array([[name in pair[k] for name in names] for pair in pairs], dtype=int) for k in (0, 1))
    frame = pd.DataFrame(
        {"technique": "t", "run": 0, "item": k, "selected": tuple(s), "applies": tuple(a)}
        for k, (s, a) in enumerate(pairs)
    )
    ours = selection_runs(frame).iloc[0]
    samples = metrics.f1_score(true, said, average="samples", zero_division=1.0)
    assert ours["f1"] == pytest.approx(samples)
    assert ours["micro_f1"] == pytest.approx(metrics.f1_score(true, said, average="micro", zero_division=1.0))


def test_empty_sets_fit_each_other_and_nothing_else():
    assert score((), ()) == (1, 1, 1) and score(("begin",), ()) == (0, 0, 0) == score((), ("begin",))


def test_a_repeated_id_counts_once():
    assert score(["begin", "begin"], ["begin"]) == (1, 1, 1)


def test_a_text_in_the_place_of_ids_is_refused():
    with pytest.raises(InvalidInput, match=r"selected: 'begin' given; expected a collection"):
        score("begin", ["begin"])


def test_a_run_has_its_mean_over_states_its_micro_scores_and_its_empty_sets(made):
    table = selection_runs(made.chosen("model", [("begin", "vague"), ("vague",), ()], [(), ("begin",), ("begin",)]))
    first, second = (row for _, row in table.iterrows())
    assert first["f1"] == pytest.approx((2 / 3 + 2 / 3 + 1) / 3) and first["right"] == pytest.approx(1 / 3)
    assert (first["micro_precision"], first["micro_recall"]) == pytest.approx((2 / 3, 2 / 3))
    assert (first["none_apply"], first["none_selected"], first["both_empty"]) == (1, 1, 1)
    assert second["f1"] == 0 == second["micro_f1"] and second["both_empty"] == 0 and second["none_selected"] == 1


def test_scores_stand_beside_the_selections_they_are_of(made):
    scored = selection_scores(made.chosen("model", [("begin", "vague"), ("vague",), ()]))
    assert scored[["chosen", "true", "hits"]].to_numpy().tolist() == [[2, 1, 1], [1, 2, 1], [0, 0, 0]]
    assert scored["right"].tolist() == [False, False, True]


def test_policies_are_told_apart(made):
    table = by_policy(made.chosen("model", [("begin", "vague"), ("vague",), ()])).set_index("policy")
    assert table.loc["vague", ["applies", "selected", "hits"]].tolist() == [1, 2, 1]
    assert table.loc["vague", "precision"] == 0.5 and table.loc["vague", "recall"] == 1
    assert np.isnan(table.loc["ask_more", "precision"]) and table.loc["ask_more", "f1"] == 0


def test_detection_is_counted_in_each_run(made):
    table = detection_runs(made.verdicts("model", "1100", "1011", "0000"))
    assert table["accuracy"].tolist() == [1, 0.25, 0.5]
    assert table[["hits", "false_alarms", "misses", "clear"]].to_numpy().tolist() == [
        [2, 0, 0, 2],
        [1, 2, 1, 0],
        [0, 0, 2, 2],
    ]
    assert table.loc[1, ["sensitivity", "specificity", "precision"]].tolist() == pytest.approx([0.5, 0, 1 / 3])
    assert np.isnan(table.loc[2, "precision"]) and table.loc[2, ["sensitivity", "specificity"]].tolist() == [0, 1]
    uneven = detection_runs(made.verdicts("model", "110100", cases=3))
    assert uneven.loc[0, ["sensitivity", "specificity", "precision"]].tolist() == pytest.approx([1, 3 / 4, 2 / 3])


def test_confusion_has_a_row_for_each_case_the_worst_first(made):
    table = confusion_by_case(pd.concat([made.verdicts("one", "1110", "1100"), made.verdicts("two", "0000")]))
    assert table["technique"].tolist() == ["one", "one", "two", "two"]
    assert table["case"].tolist() == ["case 1", "case 0", "case 0", "case 1"]
    assert table["flagged"].tolist() == [0.25, 1, 0, 0] and table["right"].tolist() == [0.75, 1, 0, 1]
    assert table["replies"].tolist() == [4, 4, 2, 2]


def test_mean_and_sd_are_over_runs(made):
    runs = detection_runs(made.verdicts("model", "1100", "1000", "1110"))
    (row,) = over_runs(runs, ["accuracy"]).to_dict("records")
    assert row["mean"] == pytest.approx(np.mean([1, 0.75, 0.75])) and row["runs"] == 3
    assert row["sd"] == pytest.approx(np.std([1, 0.75, 0.75], ddof=1))
    assert np.isnan(over_runs(runs[:1], ["accuracy"])["sd"]).all()


def test_a_run_without_a_measure_does_not_count_in_it(made):
    runs = detection_runs(made.verdicts("model", "1100", "0000", "1110"))  # nobody flagged in the second: no precision
    table = over_runs(runs, ["precision", "accuracy"]).set_index("measure")
    assert table["runs"].to_dict() == {"precision": 2, "accuracy": 3}
    assert table.loc["precision", "mean"] == pytest.approx((1 + 2 / 3) / 2)


@pytest.mark.parametrize("said", ["Clear", np.nan, None, 0.9])
@pytest.mark.parametrize(
    "judge", [detection_runs, confusion_by_case, lambda f: results(np.random.default_rng(1), None, f)]
)
def test_what_is_no_verdict_is_not_taken_for_a_flag(made, said, judge):
    frame = made.verdicts("model", "1100").astype({"flagged": object})
    frame.loc[3, "flagged"] = said
    with pytest.raises(
        InvalidInput, match=rf"flagged: .*{said}.* given for item 1-1 by 'model'; expected True or False"
    ):
        judge(frame)


def test_a_truth_or_a_case_that_is_not_there_is_named(made):
    frame = made.verdicts("model", "1100")
    with pytest.raises(InvalidInput, match="flag: None given for item 0-1"):
        detection_runs(frame.assign(flag=[True, None, False, False]))
    with pytest.raises(InvalidInput, match="column 'case'"):
        confusion_by_case(frame.assign(case=["a", "a", None, None]))


def test_policies_of_sets_come_in_an_order_that_does_not_depend_on_the_run_of_python(made):
    frame = made.chosen(
        "model", [frozenset({"vague", "begin", "give_up", "ask_more", "follow_up"})], truth=[frozenset()]
    )
    assert by_policy(frame)["policy"].tolist() == ["ask_more", "begin", "follow_up", "give_up", "vague"]


def test_an_item_twice_in_a_run_is_refused(made):
    twice = made.chosen("model", [("begin",), (), ()])
    with pytest.raises(InvalidInput, match="item 0 is twice in run 0 of 'model'"):
        selection_runs(pd.concat([twice, twice[:1]], ignore_index=True))


def test_results_have_the_rows_and_columns_that_claims_read(made):
    rng = np.random.default_rng(1)
    verdicts = made.verdicts("few", "11100100", "11110000", cases=4)
    table = results(rng, made.chosen("summary", [("begin",), ("vague",), ()]), verdicts)
    assert table[["row", "column", "n"]].to_numpy().tolist() == [["summary", "F1", 3], ["few", "accuracy", 4]]
    assert table["value"].tolist() == pytest.approx([(1 + 2 / 3 + 1) / 3, 7 / 8]) and (table["se"] > 0).all()
    with pytest.raises(InvalidInput, match="neither selections nor verdicts"):
        results(rng)


def test_the_test_suites_have_the_shape_that_the_scores_take():
    states, replies = suite.held_out_states(), [*suite.edge_cases(), *suite.held_out_replies()]
    frame = pd.DataFrame(
        {"technique": "truth", "run": 0, "item": s.id, "selected": s.applies, "applies": s.applies} for s in states
    )
    assert selection_runs(frame).loc[0, ["n", "f1", "micro_f1", "right"]].tolist() == [30, 1, 1, 1]
    said = pd.DataFrame(
        {"technique": "truth", "run": 0, "item": r.id, "case": r.case, "flag": r.flag, "flagged": r.flag}
        for r in replies
    )
    assert detection_runs(said).loc[0, ["n", "accuracy"]].tolist() == [160, 1]
    assert confusion_by_case(said)["replies"].value_counts().to_dict() == {1: 60, 5: 20}
