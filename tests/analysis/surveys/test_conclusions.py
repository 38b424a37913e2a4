"""Conclusions hold where all reconstructions agree."""

import numpy as np
import pytest
from scipy import stats

from support.analysis.surveys.conclusions import conclusions
from support.analysis.surveys.sources import Answers, Reconstructed
from support.analysis.surveys.sprite import enumerate_samples, interval_spread, sprite
from support.errors import InvalidInput

SIZES = {"A": 11, "B": 12, "C": 18}


def cells(table3, item, groups):
    part = table3[table3["item"] == item].set_index("group")
    return [
        enumerate_samples(part.loc[g, "mean"], interval_spread(part.loc[g, "half"], SIZES[g], divisor="n"), SIZES[g])
        for g in groups
    ]


def differ(*samples):
    return bool(stats.kruskal(*samples).pvalue < 0.05)


def test_all_reconstructions_of_a_and_c_differ_in_confidence(table3):
    found = conclusions(cells(table3, "confidence", "AC"), differ)
    assert found.agree and found.complete and found.verdicts == {True: 1.0} and found.asked == 22
    assert found.sentence == "all 22 reconstructions agree: True"


def test_whether_the_three_groups_differ_is_left_open(table3):
    found = conclusions(cells(table3, "confidence", "ABC"), differ)
    assert not found.agree and set(found.verdicts) == {True, False}
    assert sum(found.verdicts.values()) == pytest.approx(1)
    assert "disagree" in found.sentence and "leave it open" in found.sentence
    frame = found.frame()
    assert (frame["source"] == "reconstructed").all() and not frame["agree"].any()


def test_what_was_drawn_or_searched_is_no_proof(table3):
    some = conclusions(cells(table3, "confidence", "ABC"), lambda *_: "same", np.random.default_rng(1), most=10)
    assert some.agree and not some.complete and some.asked == 10 and some.there == 154
    assert some.sentence == "10 (not all) reconstructions agree: same; others may differ"
    searched = sprite("4.09", interval_spread(0.53, 11, divisor="n"), 11, np.random.default_rng(1))
    assert not conclusions(searched, lambda _: 1).complete


def test_a_draw_needs_its_generator_and_repeats_with_its_seed(table3):
    three = cells(table3, "confidence", "ABC")
    with pytest.raises(InvalidInput, match=r"there are 154 combinations; pass rng="):
        conclusions(three, differ, most=10)
    a, b = (conclusions(three, differ, np.random.default_rng(4), most=60) for _ in range(2))
    assert a == b


def test_a_measured_number_is_no_verdict(table3):
    with pytest.raises(InvalidInput, match=r"expected a bool, a whole number or a text, such as p < 0.05"):
        conclusions(cells(table3, "confidence", "A"), lambda a: a.mean())


def test_answers_are_no_reconstructions(survey):
    for wrong in ([Answers(survey)], []):
        with pytest.raises(InvalidInput, match="expected Reconstructed"):
            conclusions(wrong, differ)


def test_a_question_gets_one_array_for_each_cell():
    recs = Reconstructed(np.array([[1, 0, 2], [0, 2, 1]]), low=4, complete=True)
    seen = []
    conclusions([recs, recs], lambda a, b: seen.append((a.tolist(), b.tolist())) or True)
    assert len(seen) == 4 and seen[1] == ([4, 6, 6], [5, 5, 6])
