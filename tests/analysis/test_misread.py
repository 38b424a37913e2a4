"""What an annotator's errors do to shares: nothing where it makes none, and told by intervals else."""

import asyncio

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.analysis import agreement
from support.analysis.dialogue_acts import LABELS
from support.analysis.misread import corrected, misreading, true_shares
from support.errors import InvalidInput


@pytest.fixture(scope="module")
def talk():
    """Talk of rule-based agents, who know what they do."""
    return asyncio.run(agreement.held_out(80, 5, rounds=6))


def read_with_errors(truth, sensitivity, specificity, rng):
    """Labels as somebody gives them who errs independently, act by act."""
    told = [tuple(a for a in LABELS if rng.random() < (sensitivity[a] if a in acts else 1 - specificity[a]))
            for acts in truth]  # fmt: skip
    return [labels or ("others",) for labels in told]


@given(st.floats(0, 1), st.floats(0.55, 1), st.floats(0.55, 1))
def test_property_a_share_that_was_misread_is_found_again(
    share, sensitivity, specificity
):
    seen = share * sensitivity + (1 - share) * (1 - specificity)
    assert corrected(
        np.array([seen]), np.array([sensitivity]), np.array([specificity])
    )[0] == pytest.approx(share)
    assert np.isnan(corrected(np.array([seen]), np.array([0.3]), np.array([0.7])))[0], (
        "who labels at chance"
    )


@pytest.mark.parametrize("seed", [1, 2])
def test_true_shares_lie_in_their_intervals(talk, seed):
    rng = np.random.default_rng(seed)
    sensitivity, specificity = (
        {a: rng.uniform(*ends) for a in LABELS} for ends in ((0.5, 0.95), (0.85, 0.99))
    )
    runs = talk["run"].unique()
    sample, rest = (talk[talk["run"].isin(part)] for part in (runs[:35], runs[35:]))
    read = read_with_errors(sample["acts"], sensitivity, specificity, rng)
    known = misreading(list(sample["acts"]), read, list(sample["run"]))
    rest = rest.assign(
        labels=read_with_errors(rest["acts"], sensitivity, specificity, rng)
    )
    shares = true_shares(rest, "labels", known, rng)
    real = np.array([np.mean([a in acts for acts in rest["acts"]]) for a in LABELS])
    told = shares["low"].notna()
    assert ((shares["low"] <= real) & (real <= shares["high"]))[
        told
    ].mean() >= 0.8 and told.sum() >= 9


def test_only_messages_that_were_labelled_count():
    truth = [(LABELS[i % 3],) for i in range(20)]
    told = [acts if i % 4 else () for i, acts in enumerate(truth)]
    known = misreading(truth, told, [i // 4 for i in range(20)])[..., :2].sum(
        axis=(0, 2)
    )
    assert known[:3].tolist() == [
        sum(acts == (act,) for acts in told) for act in LABELS[:3]
    ]
    with pytest.raises(InvalidInput, match="none of 20 messages was labelled"):
        misreading(truth, [()] * 20, range(20))
