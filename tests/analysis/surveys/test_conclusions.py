"""Conclusions hold where all reconstructions agree."""

import numpy as np
import pytest
from scipy import stats

from support.analysis.surveys.conclusions import OPEN, between_groups, conclusions
from support.analysis.surveys.intervals import Convention
from support.analysis.surveys.sources import Answers, Reconstructed
from support.analysis.surveys.sprite import interval_spread, reconstruct, sprite
from support.errors import InvalidInput


def confidence(made, groups):
    return [made["confidence", group] for group in groups]


def differ(*samples):
    return bool(stats.kruskal(*samples).pvalue < 0.05)


def test_all_reconstructions_of_a_and_c_differ_in_confidence(made):
    found = conclusions(confidence(made, "AC"), differ)
    assert found.agree and found.complete and found.verdicts == {True: 1.0} and found.asked == 22
    assert found.sentence == "all 22 reconstructions agree: True"


def test_whether_the_three_groups_differ_is_left_open(made):
    found = conclusions(confidence(made, "ABC"), differ)
    assert not found.agree and set(found.verdicts) == {True, False}
    assert sum(found.verdicts.values()) == pytest.approx(1)
    assert "disagree" in found.sentence and "leave it open" in found.sentence
    frame = found.frame()
    assert (frame["source"] == "reconstructed").all() and not frame["agree"].any()


def test_what_was_drawn_or_searched_is_no_proof(made):
    some = conclusions(confidence(made, "ABC"), lambda *_: "same", np.random.default_rng(1), most=10)
    assert some.agree and not some.complete and some.asked == 10 and some.there == 154
    assert some.sentence == "10 (not all) reconstructions agree: same; others may differ"
    searched = sprite("4.09", interval_spread(0.53, 11, divisor="n"), 11, np.random.default_rng(1))
    assert not conclusions(searched, lambda _: 1).complete


def test_a_draw_needs_its_generator_and_repeats_with_its_seed(made):
    three = confidence(made, "ABC")
    with pytest.raises(InvalidInput, match=r"there are 154 combinations; pass rng="):
        conclusions(three, differ, most=10)
    a, b = (conclusions(three, differ, np.random.default_rng(4), most=60) for _ in range(2))
    assert a == b


def test_a_measured_number_is_no_verdict(made):
    with pytest.raises(InvalidInput, match=r"expected a bool, a whole number or a text, such as p < 0.05"):
        conclusions(confidence(made, "A"), lambda a: a.mean())


def test_answers_are_no_reconstructions(survey):
    for wrong in ([Answers(survey)], []):
        with pytest.raises(InvalidInput, match="expected Reconstructed"):
            conclusions(wrong, differ)


def test_a_question_gets_one_array_for_each_cell():
    recs = Reconstructed(np.array([[1, 0, 2], [0, 2, 1]]), low=4, complete=True)
    seen = []
    conclusions([recs, recs], lambda a, b: seen.append((a.tolist(), b.tolist())) or True)
    assert len(seen) == 4 and seen[1] == ([4, 6, 6], [5, 5, 6])


def test_only_two_differences_between_groups_hold_in_all_reconstructions(table3, made):
    assert set(made) == {(item, group) for item in table3["item"].unique() for group in "ABC"}
    found = between_groups(made, lambda a, b: bool(stats.mannwhitneyu(a, b).pvalue < 0.05))
    assert len(found) == 18 and (found["source"] == "reconstructed").all()
    sure = found[found["verdict"] == "True"]
    assert set(zip(sure["item"], sure["a"] + sure["b"], strict=True)) == {
        ("reasons_acceptable_all", "AC"), ("confidence", "AC"),
    }  # fmt: skip


def test_where_reconstructions_disagree_the_verdict_is_open_and_its_share_is_told(made):
    found = between_groups(made, lambda a, b: bool((a == 1).sum() == (b == 1).sum()))
    left = found[found["verdict"] == OPEN]
    assert len(left) and not left["agree"].any()
    assert left["share"].between(0.5, 1, inclusive="left").all() and (found.loc[found["agree"], "share"] == 1).all()


def test_a_table_is_not_reconstructed_under_a_convention_that_did_not_make_it(table3, stated):
    with pytest.raises(InvalidInput, match="14"):
        reconstruct(table3, Convention("stated", stated))
