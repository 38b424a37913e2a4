"""Where every input lies: the project's own in `data/inputs`, outside data in the folder that CONVENE_DATA names.

What is not ours to redistribute is registered in `data/inputs/outside.toml`, with a sum for every file, so that a
result never rests on a file that is not what it claims to be.
"""

from __future__ import annotations

import hashlib
import os
import tomllib
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from support.errors import DamagedFile, MissingData

ROOT = Path(__file__).resolve().parent.parent
"""The repository's root, two floors above this file."""

_near = Path("../support/data.py")  # where a notebook's own checkout has this file
if _near.exists() and not _near.samefile(__file__):
    warnings.warn(
        f"this works in {Path.cwd()}, but `support` comes from {ROOT}: what is made goes "
        f"there. Use make lab or make run, or set PYTHONPATH={_near.resolve().parents[1]}",
        stacklevel=2,
    )

VARIABLE = "CONVENE_DATA"

UNFINISHED: dict[str, str] = {}
"""What this process ran and did not finish, by its name, as "17 of 20 units": tables and figures say so."""


REPEATED: dict[str, str] = {}
"""What this process ran whose units are fewer draws, by its name: "3 draws in 60 units"."""


def partial() -> str:
    """What is unfinished or repeated, in a sentence each; "" when nothing is."""
    unfinished = [f"{name}, {units} finished" for name, units in UNFINISHED.items()]
    said = [f"Partial: {'; '.join(unfinished)}."] if unfinished else []
    said += [f"{name}: {draws}." for name, draws in REPEATED.items()]
    return " ".join(said)


@dataclass(frozen=True, slots=True)
class DataSet:
    """Whose an outside data set is, how to get it, and the sha256 sum of each file in `folder`, below `home()`."""

    folder: str
    source: str
    licence: str
    how: str
    sums: Mapping[str, str]


def inputs(*parts: str) -> Path:
    """A file or folder of the project's own inputs, such as ``inputs("published", "README.md")``.

    MissingData when it is not there, as when only the package was installed and not the repository.
    """
    path = ROOT.joinpath("data", "inputs", *parts)
    if not path.exists():
        raise MissingData(
            f"the project's own input {'/'.join(parts) or 'data/inputs'} is not at {path}. It comes with the "
            "repository: run from a checkout (pip install -e .), or restore it with git checkout -- data/inputs."
        )
    return path


@cache
def outside() -> Mapping[str, DataSet]:
    """The registered data sets."""
    tables = tomllib.loads(inputs("outside.toml").read_text(encoding="utf-8"))
    return {name: DataSet(**table) for name, table in tables.items()}


def home() -> Path:
    """The folder of outside data, whether it is there or not."""
    # A relative path counts from the repository, so that a notebook in its own folder finds what CI finds.
    return (ROOT / (os.environ.get(VARIABLE) or "../shared/data")).resolve()


def shared(name: str) -> Path:
    """The folder of an outside data set, after every one of its files was found and its sum checked.

    MissingData when one is not there, DamagedFile when its sum is not the registered one.
    """
    data_set = outside()[name]
    folder = home() / data_set.folder
    absent = [file for file in data_set.sums if not (folder / file).is_file()]
    if absent:
        raise MissingData(
            f"data set {name!r} lacks {len(absent)} of {len(data_set.sums)} files in {folder}, first {absent[0]}. "
            f"Source: {data_set.source}. {data_set.how}"
        )
    for file, expected in data_set.sums.items():
        check_sum(
            folder / file,
            expected,
            f"It belongs to data set {name!r}; move it away and get it: {data_set.how}",
        )
    return folder


def check_sum(path: Path, expected: str, way_out: str) -> None:
    """DamagedFile, which ends with the way out, when a file has another sha256 sum than expected; it is left alone."""
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != expected:
        raise DamagedFile(
            f"{path} is not the registered file: its sha256 sum is {found[:12]}…, expected {expected[:12]}…. {way_out}"
        )


def source_digest() -> str:
    """A sum over the package's sources, its inputs and what was trained or kept: it changes when a result could.

    What models are called and cost, and how providers speak, is left out: whoever edits it need not do a sweep again.
    """
    sources = sorted(
        p for p in (ROOT / "support").rglob("*") if p.suffix in {".py", ".j2", ".toml"}
    )
    digest = hashlib.sha256()
    data = (ROOT / "data" / name for name in ("inputs", "models", "full_runs"))
    files = (
        p
        for folder in data
        for p in folder.rglob("*")
        if p.is_file() and p.name not in ("models.toml", "dialect.toml")
    )
    for path in (*sources, *sorted(files)):
        digest.update(path.relative_to(ROOT).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def output(*parts: str) -> Path:
    """A place for what is made here (figures, build, data/runs): below the repository, or below CONVENE_OUTPUT.

    CONVENE_FIGURES names the folder of the figures, where a run with other participants puts its own.
    """
    if parts[0] == "figures" and (own := os.environ.get("CONVENE_FIGURES")):
        return Path(own, *parts[1:])
    return Path(os.environ.get("CONVENE_OUTPUT") or ROOT).joinpath(*parts)


def study_file(name: str) -> Path:
    """The SQLite file of a study, in data/runs: one for all who take part in it."""
    return output("data", "runs", f"{name}.sqlite")
