"""Data that nobody may redistribute are fetched once, checked, kept outside the repository, and missed helpfully."""

import hashlib
import zipfile
from concurrent.futures import ThreadPoolExecutor

import numpy as np
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
    monkeypatch.setenv(data.VARIABLE, str(tmp_path / "nothing"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    return tmp_path / "cache"


@pytest.fixture
def index(tmp_path, monkeypatch):
    """A folder that serves pip a wheel of the right name with small files, whose sums are registered."""
    wheel = tmp_path / "index" / "recbole-1.2.1-py3-none-any.whl"
    wheel.parent.mkdir()
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("recbole-1.2.1.dist-info/METADATA", "Metadata-Version: 2.1\nName: recbole\nVersion: 1.2.1\n")
        archive.writestr(
            "recbole-1.2.1.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr("recbole-1.2.1.dist-info/RECORD", "")
        for name, content in CONTENTS.items():
            archive.writestr(f"{downloads.MEMBERS}/{name}", content)
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheel.parent))
    monkeypatch.setattr(downloads, "WHEEL_SUM", sum_of(wheel.read_bytes()))
    monkeypatch.setattr(downloads, "SUMS", {name: sum_of(content) for name, content in CONTENTS.items()})
    return wheel


def test_pip_fetches_the_wheel_and_three_files_are_taken_out_of_it(index, cache):
    folder = downloads.movielens_100k()
    assert folder == cache / "ml-100k"
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == CONTENTS  # and nothing else is left


def test_what_is_in_the_cache_is_not_fetched_again(index, monkeypatch):
    first = downloads.movielens_100k()
    monkeypatch.setattr(downloads, "_download", lambda _: pytest.fail("pip was asked again"))
    assert downloads.movielens_100k() == first


def test_several_at_once_leave_whole_files(index, monkeypatch):
    monkeypatch.setattr(downloads, "_download", lambda scratch: index)
    with ThreadPoolExecutor(4) as pool:
        folders = list(pool.map(lambda _: downloads.movielens_100k(), range(8)))
    assert len(set(folders)) == 1
    assert {path.name: path.read_bytes() for path in folders[0].iterdir()} == CONTENTS


def test_another_wheel_under_the_name_is_refused_before_anything_is_taken_out(index, cache, monkeypatch):
    monkeypatch.setattr(downloads, "WHEEL_SUM", "0" * 64)
    with pytest.raises(DamagedFile, match="package index serves another file"):
        downloads.movielens_100k()
    assert not list((cache / "ml-100k").iterdir())


def test_a_damaged_file_in_the_cache_is_named_and_left_as_it_is(index):
    path = downloads.movielens_100k() / "ml-100k.inter"
    path.write_bytes(b"damaged")
    with pytest.raises(DamagedFile, match=r"ml-100k\.inter is not the registered file.*Move it away"):
        downloads.movielens_100k()
    assert path.read_bytes() == b"damaged"


def test_without_an_index_the_message_names_set_source_licence_and_every_way_out():
    with pytest.raises(MissingData) as caught:
        downloads.movielens_100k()
    for words in (
        "MovieLens-100k",
        "GroupLens",
        "no redistribution",
        "CONVENE_DATA",
        "CONVENE_CACHE",
        "recbole==1.2.1",
    ):
        assert words in str(caught.value)
    assert "No matching distribution" in str(caught.value)


def test_a_pip_that_does_not_answer_is_not_waited_for_without_end(monkeypatch):
    monkeypatch.setattr(downloads, "PATIENCE", 0.01)
    with pytest.raises(MissingData, match="no answer in 0 s"):
        downloads.movielens_100k()


@pytest.mark.parametrize("names", [("u.item", "u.user", "u.data"), ("u.item", "u.user", "u1.base", "u1.test")])
def test_the_users_own_archive_comes_first(tmp_path, monkeypatch, index, names):
    archive = tmp_path / "own" / "ml-100k"
    archive.mkdir(parents=True)
    for name in names:
        (archive / name).touch()
    monkeypatch.setenv(data.VARIABLE, str(archive.parent))
    assert downloads.movielens_100k() == archive


def test_half_an_archive_is_said_to_be_half(tmp_path, monkeypatch):
    archive = tmp_path / "own" / "ml-100k"
    archive.mkdir(parents=True)
    for name in ("u.item", "u1.base"):
        (archive / name).touch()
    monkeypatch.setenv(data.VARIABLE, str(archive.parent))
    with pytest.raises(MissingData, match=r"lacks u\.user, u1\.test\."):
        downloads.movielens_100k()


def test_the_cache_is_never_inside_the_repository(monkeypatch):
    monkeypatch.setenv(downloads.VARIABLE, str(data.ROOT / "data" / "cache"))
    with pytest.raises(InvalidInput, match="inside the repository"):
        downloads.cache_folder("ml-100k")
    assert not (data.ROOT / "data" / "cache").exists()


def test_without_a_variable_the_cache_is_where_the_platform_keeps_caches(monkeypatch, tmp_path):
    monkeypatch.delenv(downloads.VARIABLE)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert downloads.cache_folder() == tmp_path / "xdg" / "convene"


def test_a_cache_that_cannot_be_made_is_named(monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    monkeypatch.setenv(downloads.VARIABLE, str(tmp_path / "file"))
    with pytest.raises(InvalidInput, match=r"CONVENE_CACHE: the cache folder .* cannot be made"):
        downloads.cache_folder("made")


def test_an_array_is_computed_once_for_each_key(cache):
    calls = []

    def make():
        calls.append(len(calls))
        return np.array([0.1, len(calls)])

    first, again, other = (downloads.remembered("numbers", key, make) for key in ("a" * 64, "a" * 64, "b" * 64))
    assert first.tobytes() == again.tobytes() != other.tobytes() and len(calls) == 2
    assert len(list((cache / "made").iterdir())) == 2


def test_a_damaged_array_is_named_and_left_as_it_is(cache):
    downloads.remembered("numbers", "a" * 64, lambda: np.zeros(3))
    (path,) = (cache / "made").iterdir()
    path.write_bytes(path.read_bytes()[:-4])
    size = path.stat().st_size
    with pytest.raises(DamagedFile, match=r"not a whole array.*delete it"):
        downloads.remembered("numbers", "a" * 64, lambda: np.zeros(3))
    assert path.stat().st_size == size
