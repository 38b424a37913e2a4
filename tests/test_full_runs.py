"""Full runs: discussions whose words changed, and the aggregates that are kept."""

import asyncio

import numpy as np
import pandas as pd

from support import full_runs
from support.roundtable.ratings import load

ROWS = [
    (run, n, f"{run} says {n} {who}")
    for run in (0, 1)
    for n in (1, 2, 3)
    for who in "ab"
]
MESSAGES = pd.DataFrame(ROWS, columns=["run", "round", "text"])


class Counting:
    """An encoder that counts what it is asked; a text's vector is drawn from its letters."""

    model = full_runs.DEFAULT
    asked = 0

    def encode(self, texts):
        self.asked += len(texts)
        draws = [np.random.default_rng(list(text.encode())) for text in texts]
        return np.stack([rng.standard_normal(8) for rng in draws])


def test_a_kept_discussion_is_not_encoded_and_one_with_other_words_is(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(full_runs, "FOLDER", tmp_path)
    kept = full_runs._means(full_runs._named(MESSAGES), Counting()).unstack()
    kept.to_csv(tmp_path / full_runs.DIFFERENCES)
    first = full_runs.with_differences(MESSAGES, whole := Counting())
    assert whole.asked == 0 and first["difference"].isna().sum() == 4
    changed = MESSAGES.replace({"text": {"1 says 3 b": "1 says something else"}})
    again = full_runs.with_differences(changed, encoder := Counting())
    assert encoder.asked == 6
    same = np.isclose(again["difference"], first["difference"], equal_nan=True)
    assert same[:10].all() and not same[10:].any()
    encoder.model, encoder.asked = "another", 0  # it uses nothing that is kept
    full_runs.with_differences(MESSAGES, encoder)
    assert encoder.asked == len(MESSAGES)


def test_a_full_run_keeps_means_and_no_case(have, tmp_path, monkeypatch):
    have(load)
    table, note = full_runs.movielens_all()
    last = table[(table["column"] == "mae") & (table["round"] == 10)].iloc[0]
    assert 0.7 < last["low"] < last["value"] < last["high"] < 0.9
    assert last["n"] == note["cases"] == 20_000
    monkeypatch.setattr(full_runs, "FOLDER", tmp_path)
    monkeypatch.setattr(full_runs, "CASES", 2)
    asyncio.run(full_runs.play())
    few, _ = full_runs.movielens_all()
    assert list(few) == list(table) and few["round"].max() == 10
