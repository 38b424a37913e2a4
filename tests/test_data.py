"""Inputs are found and checked; what is missing or damaged is said, with the way out, and left as it is."""

import pytest

from support import data
from support.corpora import AMI_LABELS, ami, delidata
from support.errors import DamagedFile, MissingData


def test_own_inputs_are_found_wherever_the_process_runs_and_a_missing_one_says_where_it_comes_from(
    monkeypatch, tmp_path
):
    monkeypatch.chdir(tmp_path)
    assert data.inputs("published", "README.md").is_file()
    with pytest.raises(MissingData, match=r"nothing/here\.csv is not at .*comes with the repository"):
        data.inputs("nothing", "here.csv")


def test_every_outside_data_set_has_its_sums_and_stands_in_the_licence_file():
    text = (data.ROOT / "DATA_LICENSES.md").read_text(encoding="utf-8")
    for name, data_set in data.outside().items():
        assert f"`{name}`" in text and all(len(digest) == 64 for digest in data_set.sums.values())


@pytest.fixture
def copied(tmp_path, monkeypatch):
    """A private copy of one data set, to be damaged."""
    (file,) = data.outside()["delidata"].sums
    if not (data.home() / file).is_file():
        pytest.skip("DeliData is not on this machine")
    (tmp_path / file).write_bytes((data.home() / file).read_bytes())
    monkeypatch.setenv(data.VARIABLE, str(tmp_path))
    return tmp_path / file


def test_a_data_set_is_whole_or_refused_and_left_untouched(copied):
    assert data.shared("delidata") == copied.parent
    copied.write_bytes(b"other")
    with pytest.raises(DamagedFile, match=r"delidata\.tsv\.gz is not the registered file.*move it away"):
        delidata()
    assert copied.read_bytes() == b"other"
    copied.unlink()
    with pytest.raises(MissingData, match=r"(?s)'delidata' lacks 1 of 1 files in .*github.*CONVENE_DATA"):
        delidata()


def test_a_relative_folder_counts_from_the_repository(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(data.VARIABLE, "nowhere/at/all")
    assert data.home() == data.ROOT / "nowhere" / "at" / "all"


def test_acts_of_meetings_are_labelled_and_in_the_order_in_which_they_began():
    acts = ami()
    assert set(acts["label"]) == set(AMI_LABELS) and (acts["text"].str.strip() != "").all()
    assert acts["meeting"].nunique() == 70 and len(acts) == 56_958
    assert acts.groupby("meeting")["start"].is_monotonic_increasing.all()


def test_chats_are_messages_of_people_only_in_their_order_and_a_frame_may_be_changed():
    chats = delidata()
    assert chats["group"].nunique() == 250 and len(chats) == 6828 and chats["performance"].between(0, 1).all()
    assert (chats.groupby("group")["place"].diff().dropna() == 1).all()
    assert {"SYSTEM", "None", "0"}.isdisjoint(chats["sender"]) and {"0", "None"}.isdisjoint(chats["kind"])
    assert chats["text"].str.contains('"', regex=False).any()  # quotes are part of what people typed
    chats["text"] = "mine"
    assert "mine" not in set(delidata()["text"])
