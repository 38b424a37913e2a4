"""Runs too long for a notebook, played once (`python -m support.full_runs`) and kept as aggregates in data/full_runs.

- `movielens_all`: the rule-based group on all 20,000 ratings of u1.test; means over ratings, never a rating.
- `with_differences`: the information differences of the simulations that several notebooks analyse, and of DeliData's
  chats. Each discussion's are kept under a sum of its words, so that one whose words changed is encoded anew.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import sys
from datetime import UTC, datetime
from typing import Any

import pandas as pd

from support.analysis.conversation import (
    information_difference,
    messages_of,
    messages_of_delidata,
)
from support.analysis.embeddings import DEFAULT, Encoder
from support.analysis.prediction import (
    play_cases,
    scores,
    undecided_share,
    with_undecided,
)
from support.data import ROOT, output, source_digest
from support.errors import MissingData
from support.runs.study import open_study
from support.simulations import FILES, SEED, simulations

FOLDER = ROOT / "data" / "full_runs"
DIFFERENCES = "differences.csv.gz"
CASES, PIECE = 20_000, 250  # cases of u1.test, and between two reports
N = 100


def aggregates(errors: pd.DataFrame) -> pd.DataFrame:
    """MAE and RMSE by round with intervals, and the share undecided: round, column, value, se, low, high, n, undecided.

    Undecided cases are left out of the errors; `n` counts the others.
    """
    made = scores(with_undecided(errors), ["rule", "round"]).drop(columns="rule")
    share = undecided_share(errors, ["rule"]).drop(columns="rule")
    return made.merge(share, on="round").sort_values(
        ["column", "round"], ignore_index=True
    )


def play() -> dict[str, Any]:
    """Play the group on all of u1.test and write its two files; return the note that says what was played, and when."""
    from tqdm import tqdm

    job = {"rule": "majority", "rounds": 10, "seed": 1, "seats": "mixed"}
    pieces = [
        range(start, min(start + PIECE, CASES)) for start in range(0, CASES, PIECE)
    ]
    played = [
        asyncio.run(play_cases(job, piece))
        for piece in tqdm(pieces, f"majority, pieces of {PIECE}", ncols=110)
    ]
    errors = pd.concat(played, ignore_index=True)
    FOLDER.mkdir(parents=True, exist_ok=True)
    aggregates(errors).round(6).to_csv(FOLDER / "movielens_all.csv", index=False)
    about: dict[str, Any] = {
        "what": "majority, rule-based (mixed), u1.test",
        "cases": int(errors["case"].nunique()),
    }
    about |= {
        "seed": job["seed"],
        "date": datetime.now(UTC).date().isoformat(),
        "sources": source_digest()[:12],
    }
    (FOLDER / "movielens_all.json").write_text(
        json.dumps(about, indent=1) + "\n", encoding="utf-8"
    )
    return about


def movielens_all() -> tuple[pd.DataFrame, dict[str, Any]]:
    """The group's errors on all of u1.test as they were played, and the note; MissingData when they are not there."""
    path = FOLDER / "movielens_all.csv"
    if not path.exists():
        raise MissingData(f"full run: {path} is not there; restore it from the repository, or play it: "
                          "python -m support.full_runs")  # fmt: skip
    return pd.read_csv(path), json.loads(
        path.with_suffix(".json").read_text(encoding="utf-8")
    )


def with_differences(messages: pd.DataFrame, encoder: Encoder) -> pd.DataFrame:
    """Messages (run, round, text) with `difference`, the mean information difference of their run and round.

    NaN in round 1. The encoder is asked for the discussions that are not kept; with another model than the default, for
    all of them.
    """
    kept = _kept() if encoder.model == DEFAULT else {}
    keys = {run: _key(group) for run, group in messages.groupby("run", sort=False)}
    new = messages[[keys[run] not in kept for run in messages["run"]]]
    for run, means in _means(new, encoder).items() if len(new) else ():
        kept[keys[run]] = means
    columns = zip(messages["run"], messages["round"], strict=True)
    return messages.assign(
        difference=[
            kept[keys[run]].get(number, float("nan")) for run, number in columns
        ]
    )


def _means(messages: pd.DataFrame, encoder: Encoder) -> dict[Any, dict[int, float]]:
    """Mean difference of each round, by run."""
    distances = information_difference(messages, encoder.encode(list(messages["text"])))
    table = (
        messages.assign(difference=distances)
        .groupby(["run", "round"], sort=False)["difference"]
        .mean()
        .dropna()
    )
    made: dict[Any, dict[int, float]] = {run: {} for run in messages["run"].unique()}
    for run, number, value in table.reset_index().itertuples(index=False):
        made[run][int(number)] = float(value)
    return made


def _key(run: pd.DataFrame) -> str:
    said = "\0".join(
        f"{number}\0{text}"
        for number, text in zip(run["round"], run["text"], strict=True)
    )
    return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()[:24]


def _kept() -> dict[str, dict[int, float]]:
    if not (FOLDER / DIFFERENCES).exists():
        return {}
    table = pd.read_csv(FOLDER / DIFFERENCES, index_col="discussion")
    return {
        str(key): {int(str(r)): float(v) for r, v in row.dropna().items()}
        for key, row in table.iterrows()
    }


def play_differences() -> int:
    """Encode the simulations of both environments and DeliData's chats; return how many discussions differ in words."""
    encoder = Encoder(output("data", "runs", "embeddings.sqlite"))
    rows: dict[str, dict[int, float]] = {}
    for messages in (*map(_simulated, FILES), messages_of_delidata()):
        keys = {run: _key(group) for run, group in messages.groupby("run", sort=False)}
        rows |= {keys[run]: means for run, means in _means(messages, encoder).items()}
    table = pd.DataFrame(rows).T.sort_index(axis=1).sort_index().round(5)
    FOLDER.mkdir(parents=True, exist_ok=True)
    table.rename_axis("discussion").to_csv(
        FOLDER / DIFFERENCES, compression={"method": "gzip", "mtime": 0}
    )
    return len(table)


def _simulated(environment: str) -> pd.DataFrame:
    store, sweep = open_study(FILES[environment]), simulations(environment, N, SEED)
    asyncio.run(sweep.run(store, concurrency=1))
    return messages_of(sweep.records(store))


if __name__ == "__main__":
    if "differences" in sys.argv[1:] or len(sys.argv) == 1:
        print(f"information differences of {play_differences()} discussions")
    if "movielens" in sys.argv[1:] or len(sys.argv) == 1:
        print(json.dumps(play()))
