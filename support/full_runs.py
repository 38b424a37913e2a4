"""Runs too long for a notebook, played once (`python -m support.full_runs`) and kept as
aggregates in data/full_runs.

- `movielens_all`: the rule-based group on all 20,000 ratings of u1.test; means over
  ratings, never a rating.
- `with_differences`: the information differences of the simulations that several
  notebooks analyse, and of DeliData's chats. Each discussion's are kept under a sum of
  its words, so that one whose words changed is encoded anew.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import sys
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pandas as pd

from support.analysis.conversation import (
    information_difference,
    messages_of,
    messages_of_delidata,
)
from support.analysis.embeddings import DEFAULT, Encoder
from support.analysis.prediction import errors_of, scores
from support.data import ROOT, output, source_digest
from support.roundtable.study import roundtable_movielens
from support.runs.study import Unit, open_study
from support.simulations import FILES, SEED, simulations

FOLDER = ROOT / "data" / "full_runs"
DIFFERENCES = "differences.csv.gz"
CASES = 20_000
N = 100


async def play() -> None:
    """Play the group on all of u1.test (case i draws from [1, i] as its seed) and write
    the two files of `movielens_all`; undecided cases are left out of the means."""
    from tqdm import tqdm

    records = []
    for case in tqdm(range(CASES)):
        rng = np.random.default_rng([1, case])
        talk = await roundtable_movielens(rng, "majority", case)
        records.append((Unit("", '{"rule": "majority"}', case), talk))
    errors = errors_of(records)
    made = scores(errors[~errors["undecided"]], ["round"])
    share = 100 * errors.groupby("round")["undecided"].mean()
    made = made.join(share, on="round").sort_values(["column", "round"])
    made.round(6).to_csv(FOLDER / "movielens_all.csv", index=False)
    note = {
        "what": "majority, rule-based (mixed), u1.test",
        "cases": CASES,
        "seed": 1,
        "date": datetime.now(UTC).date().isoformat(),
        "sources": source_digest()[:12],
    }
    text = json.dumps(note, indent=1) + "\n"
    (FOLDER / "movielens_all.json").write_text(text, encoding="utf-8")


def movielens_all() -> tuple[pd.DataFrame, dict[str, Any]]:
    """The group's errors on all of u1.test as they were played, and the note."""
    note = (FOLDER / "movielens_all.json").read_text(encoding="utf-8")
    return pd.read_csv(FOLDER / "movielens_all.csv"), json.loads(note)


def with_differences(messages: pd.DataFrame, encoder: Encoder) -> pd.DataFrame:
    """Messages (run, round, text) with `difference`, the mean information difference of
    their run and round; NaN in round 1.

    The encoder is asked for the discussions that are not kept; with another model than
    the default, for all of them.
    """
    named = _named(messages)
    kept = pd.Series(dtype=float, index=pd.MultiIndex.from_arrays([[], []]))
    if encoder.model == DEFAULT:
        table = pd.read_csv(FOLDER / DIFFERENCES, index_col="discussion")
        kept = pd.Series(table.rename(columns=int).stack())
    new = named[~named["discussion"].isin(kept.index.get_level_values(0))]
    if len(new):
        kept = pd.concat([kept, _means(new, encoder)])
    rounds = pd.MultiIndex.from_frame(named[["discussion", "round"]])
    return messages.assign(difference=kept.reindex(rounds).to_numpy())


def _named(messages: pd.DataFrame) -> pd.DataFrame:
    """The messages with a sum of the words of their `discussion`."""
    lines = messages["round"].astype(str) + "\0" + messages["text"]
    talks = lines.groupby(messages["run"], sort=False).agg("\0".join)
    codes = talks.str.encode("utf-8", "surrogatepass")
    sums = [hashlib.sha256(code).hexdigest()[:24] for code in codes]
    names = pd.Series(sums, talks.index)
    return messages.assign(discussion=messages["run"].map(names))


def _means(named: pd.DataFrame, encoder: Encoder) -> pd.Series[float]:
    vectors = encoder.encode(list(named["text"]))
    measured = named.assign(difference=information_difference(named, vectors))
    return measured.groupby(["discussion", "round"])["difference"].mean()


def play_differences() -> None:
    """Encode all discussions that are kept."""
    encoder = Encoder(output("data", "runs", "embeddings.sqlite"))
    parts = [_means(_named(messages_of_delidata()), encoder)]
    for environment, file in FILES.items():
        store = open_study(file)
        sweep = simulations(environment, N, SEED)
        asyncio.run(sweep.run(store, concurrency=1))
        messages = messages_of(sweep.records(store))
        parts.append(_means(_named(messages), encoder))
    table = pd.concat(parts).groupby(level=[0, 1]).first().unstack()
    packed = {"method": "gzip", "mtime": 0}
    table.round(5).to_csv(FOLDER / DIFFERENCES, compression=packed)


if __name__ == "__main__":
    if "movielens" not in sys.argv[1:]:
        play_differences()
    if "differences" not in sys.argv[1:]:
        asyncio.run(play())
