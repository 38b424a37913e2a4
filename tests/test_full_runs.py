"""Full runs: aggregates that are kept, and discussions whose words changed."""

import numpy as np
import pandas as pd
import pytest

from support import full_runs
from support.errors import MissingData

MESSAGES = pd.DataFrame(
    [
        (run, number, f"{run} says {number} {who}")
        for run in (0, 1)
        for number in (1, 2, 3)
        for who in "ab"
    ],
    columns=["run", "round", "text"],
)


class Counting:
    """An encoder that counts what it is asked; a text's vector is drawn from its letters."""

    model = full_runs.DEFAULT

    def __init__(self):
        self.asked = 0

    def encode(self, texts):
        self.asked += len(texts)
        return np.stack(
            [np.random.default_rng(list(t.encode())).standard_normal(8) for t in texts]
        )


def test_a_kept_discussion_is_not_encoded_and_one_with_other_words_is(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(full_runs, "FOLDER", tmp_path)
    first = full_runs.with_differences(MESSAGES, Counting())
    table = first.drop_duplicates(["run", "round"]).pivot(
        index="run", columns="round", values="difference"
    )
    table.index = [
        full_runs._key(MESSAGES[MESSAGES["run"] == run]) for run in table.index
    ]
    table.rename_axis("discussion").to_csv(tmp_path / full_runs.DIFFERENCES)
    changed = MESSAGES.replace({"text": {"1 says 3 b": "1 says something else"}})
    again = full_runs.with_differences(changed, encoder := Counting())
    assert encoder.asked == 6
    assert np.allclose(again["difference"][:6], first["difference"][:6], equal_nan=True)
    assert not np.isclose(again["difference"].iloc[-1], first["difference"].iloc[-1])
    assert (
        again["difference"][again["round"] == 1].isna().all()
        and again["difference"].notna().sum() == 8
    )
    encoder.model, encoder.asked = "another", 0  # it uses nothing that is kept
    full_runs.with_differences(MESSAGES, encoder)
    assert encoder.asked == len(MESSAGES)


def test_aggregates_hold_means_and_no_case():
    errors = pd.DataFrame(
        [("majority", r, a, a**2, False) for r in (1, 2) for a in (0.5, 1.5)]
        + [("majority", 1, np.nan, np.nan, True)],
        columns=["rule", "round", "absolute", "squared", "undecided"],
    )
    made = full_runs.aggregates(errors).set_index(["column", "round"])
    assert made.loc[("mae", 1), ["value", "n"]].tolist() == [1.0, 2]
    assert made.loc[("mae", 1), "undecided"] == pytest.approx(100 / 3)
    assert set(made.columns) == {"value", "se", "low", "high", "n", "undecided"}


def test_the_kept_full_run_is_whole_and_one_that_is_not_there_says_how_to_play_it(
    tmp_path, monkeypatch
):
    table, note = full_runs.movielens_all()
    assert note["cases"] == 20_000
    last = table[(table["column"] == "mae") & (table["round"] == 10)].iloc[0]
    assert 0.7 < last["low"] < last["value"] < last["high"] < 0.9 and last["n"] > 19_000
    monkeypatch.setattr(full_runs, "FOLDER", tmp_path)
    with pytest.raises(MissingData, match=r"python -m support\.full_runs"):
        full_runs.movielens_all()
