"""Two coders: kappa is scikit-learn's, disagreements are listed."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from support.analysis import interviews
from support.errors import InvalidInput


def coded(first, second, people=4):
    """Codings of one theme, "trust", by two coders; excerpt i belongs to person i % people."""
    rows = [(f"P{i % people}", i, coder, "trust" if mark else "", f"said {i}")
            for coder, marks in (("A", first), ("B", second)) for i, mark in enumerate(marks)]  # fmt: skip
    return pd.DataFrame(
        rows, columns=["participant", "excerpt", "coder", "themes", "text"]
    )


@settings(max_examples=10)
@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=6, max_size=30))
def test_property_kappa_is_scikit_learns_and_does_not_depend_on_who_is_first(marks):
    a, b = (list(side) for side in zip(*marks, strict=True))
    if not any(a + b) or (all(a) and all(b)):
        return
    row = interviews.agreement(coded(a, b), np.random.default_rng(1), 5).iloc[0]
    assert row["kappa"] == pytest.approx(cohen_kappa_score(a, b))
    turned = interviews.agreement(coded(b, a), np.random.default_rng(1), 5).iloc[0]
    assert turned[["kappa", "both"]].tolist() == row[["kappa", "both"]].tolist()
    assert row[["both", "one", "other"]].sum() == sum(x or y for x, y in marks)
    assert len(interviews.disagreements(coded(a, b))) == row["one"] + row["other"]


def test_the_codebook_counts_excerpts_and_people_and_disagreements_keep_what_is_known():
    data = coded([1, 1, 1, 0, 1], [1, 1, 0, 0, 1])
    extra = data.assign(
        themes=np.where(data["excerpt"] == 3, " control ;trust", data["themes"])
    )
    book = interviews.codebook(extra).set_index("theme")
    assert book.loc["trust"].tolist() == [4, 3, 5, 4] and book.loc[
        "control"
    ].tolist() == [1, 1, 1, 1]
    assert interviews.disagreements(extra)[
        ["excerpt", "theme", "marked_by", "text"]
    ].to_numpy().tolist() == [[2, "trust", "A", "said 2"]]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda f: f.drop(columns="themes"), "no column 'themes'"),
        (lambda f: f[f["coder"] == "A"], "expected two"),
        (lambda f: f.drop(index=0), "'P0' is coded by A 0 times, B 1 times"),
        (lambda f: pd.concat([f, f.head(1)]), "A 2 times"),
        (lambda f: f.assign(themes=" "), "all are blank"),
    ],
)
def test_codings_that_do_not_match_are_refused_and_named(change, message):
    with pytest.raises(InvalidInput, match=message):
        interviews.agreement(
            change(coded([1, 0, 1], [1, 0, 0])), np.random.default_rng(1)
        )
