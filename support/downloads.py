"""The edge to the network: data that may be read but not redistributed, and the folder that keeps it.

MovieLens-100k is never inside the repository. It is looked for in a cache folder, and else taken out of a wheel that
pip fetches from the index which the user configured. The wheel is read, never installed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

from support import data
from support.errors import InvalidInput, MissingData

VARIABLE = "CONVENE_CACHE"
PATIENCE = 600.0  # seconds that pip may take

WHEEL = "recbole==1.2.1"
WHEEL_SUM = "9c9948202011f37eb0a7c6768129313f00d6403ad221ec940d5e2d5d5f33a407"
MEMBERS = "recbole/dataset_example/ml-100k"
SUMS: Mapping[str, str] = {
    "ml-100k.inter": "4edb74e2a81178c2ba9ff381495f754f996c4aea351b1272ca36b43da0935eff",
    "ml-100k.item": "51d7cdf777ce5c0f5b32c1d947a4a81fe07d75e78abbe761e0cd4d0756064532",
    "ml-100k.user": "4f670007d9cfbeb9807e757209af1555b9bcc186bde25e767f67cb67c6dd5972",
}
"""The sha256 sum of the wheel, and of each file that is taken out of it."""

WAYS_OUT = (
    "MovieLens-100k is by GroupLens (https://grouplens.org/datasets/movielens/100k, Harper and Konstan 2015), who "
    "allow research but no redistribution, so that it is not in the repository. Either let pip reach an index that has "
    f"{WHEEL}, whose wheel carries the data; or name in {VARIABLE} a cache folder that another machine filled."
)


def cache_folder(name: str) -> Path:
    """A folder of the user's cache, made if need be: in CONVENE_CACHE, or convene in XDG_CACHE_HOME or in ~/.cache.

    InvalidInput when it lies inside the repository, where its files could be committed, or cannot be made.
    """
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = (
        Path(os.environ.get(VARIABLE) or Path(base, "convene"), name)
        .expanduser()
        .resolve()
    )
    if folder.is_relative_to(data.ROOT):
        raise InvalidInput(
            f"{VARIABLE}: {folder} lies inside the repository {data.ROOT}, where data that nobody may redistribute "
            "could be committed; name a folder outside it"
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInput(
            f"{VARIABLE}: {folder} cannot be made ({error}); name a folder to write in"
        ) from error
    return folder


def movielens_100k() -> Path:
    """The folder that holds MovieLens-100k, fetched if need be.

    That is a cache folder with ml-100k.inter, .item and .user. MissingData where it cannot be had, DamagedFile on
    another sum than the registered one.
    """
    folder = cache_folder("ml-100k")
    if not all((folder / name).is_file() for name in SUMS):
        _fetch(folder)
    for name, expected in SUMS.items():
        data.check_sum(
            folder / name,
            expected,
            f"Move it away; the next load gets it again. {WAYS_OUT}",
        )
    return folder


def _fetch(folder: Path) -> None:
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        wheel = _download(Path(scratch))
        data.check_sum(
            wheel,
            WHEEL_SUM,
            f"The package index serves another file under this name. {WAYS_OUT}",
        )
        with zipfile.ZipFile(wheel) as contents:
            for name in SUMS:
                part = Path(scratch, name)
                part.write_bytes(contents.read(f"{MEMBERS}/{name}"))
                os.replace(part, folder / name)


def _download(scratch: Path) -> Path:
    """Ask pip for the wheel: it knows the index, the proxy and the certificates that the user configured."""
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        WHEEL,
        "--no-deps",
        "--only-binary=:all:",
        "--quiet",
    ]
    options = ["--disable-pip-version-check", "--no-input", "--dest", str(scratch)]
    try:
        asked = subprocess.run(
            [*command, *options],
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        said = asked.stderr.strip()
        wheels = sorted(scratch.glob("*.whl"))
    except subprocess.TimeoutExpired:
        said = f"no answer in {PATIENCE:.0f} s"
        wheels = []
    if not wheels:
        reason = said.splitlines()[-1] if said else "pip gave no reason"
        raise MissingData(
            f"MovieLens-100k is not on this machine, and pip could not get {WHEEL}: {reason}. {WAYS_OUT}"
        )
    return wheels[0]
