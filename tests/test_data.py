"""Inputs are found, checked, and missed in words that help."""

import shutil

import pytest

from support import data
from support.errors import DamagedFile, InvalidInput, MissingData

try:
    SOURCE = data.shared("preflib")
except MissingData:
    SOURCE = None
needs_preflib = pytest.mark.skipif(SOURCE is None, reason="the PrefLib sample is not on this machine")


@pytest.fixture
def copied(tmp_path, monkeypatch):
    """A private copy of the PrefLib sample, to be damaged."""
    shutil.copytree(SOURCE, tmp_path / "preflib")
    monkeypatch.setenv(data.VARIABLE, str(tmp_path))
    return tmp_path / "preflib"


def test_own_inputs_are_found_wherever_the_process_runs(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert data.inputs("published", "README.md").is_file()


def test_a_missing_own_input_says_where_it_comes_from():
    with pytest.raises(MissingData, match=r"nothing/here\.csv is not at .*comes with the repository"):
        data.inputs("nothing", "here.csv")


def test_an_unknown_data_set_names_the_known_ones():
    known = "ami, casino, delidata, natural_plan, preflib"
    with pytest.raises(InvalidInput, match=f"'netflix' is not registered; known are: {known}"):
        data.shared("netflix")


def test_an_absent_data_set_names_itself_its_source_and_the_way_to_get_it(monkeypatch, tmp_path):
    monkeypatch.setenv(data.VARIABLE, str(tmp_path))
    with pytest.raises(MissingData) as caught:
        data.shared("preflib")
    message = str(caught.value)
    assert "'preflib' lacks 26 of 26 files" in message and str(tmp_path) in message
    assert "https://www.preflib.org" in message and "CONVENE_DATA" in message


def test_a_relative_folder_counts_from_the_repository(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(data.VARIABLE, "nowhere/at/all")
    with pytest.raises(MissingData, match=str(data.ROOT / "nowhere" / "at" / "all")):
        data.files("preflib")


def test_every_data_set_states_source_licence_and_sums():
    for data_set in data.DATA_SETS.values():
        assert data_set.source and data_set.licence and data_set.how
        assert all(len(digest) == 64 for digest in data_set.sums.values())


def test_every_data_set_is_in_the_licence_file():
    text = (data.ROOT / "DATA_LICENSES.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in text for name in data.DATA_SETS)


@needs_preflib
def test_preflib_is_whole(copied):
    assert data.shared("preflib") == copied
    assert len(data.files("preflib")) == 26


@needs_preflib
def test_a_changed_file_is_refused_and_left_untouched(copied):
    file = copied / "00006-00000003.soc"
    file.write_text("1,2,3\n")
    with pytest.raises(DamagedFile, match=r"00006-00000003\.soc of data set 'preflib'"):
        data.shared("preflib")
    assert file.read_text() == "1,2,3\n"


@needs_preflib
def test_a_lost_file_is_named(copied):
    (copied / "00035-00000004.soc").unlink()
    with pytest.raises(MissingData, match=r"lacks 1 of 26 files .* first 00035-00000004\.soc"):
        data.shared("preflib")


@needs_preflib
def test_a_stray_file_is_not_among_the_registered_ones(copied):
    (copied / "00099-00000001.soc").write_text("1\n")
    assert "00099-00000001.soc" not in [path.name for path in data.files("preflib")]
