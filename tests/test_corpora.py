"""Conversations of real groups are read as they were written; what is missing or damaged is said."""

import gzip

import pytest

from support import corpora
from support.corpora import AMI_LABELS, ami, delidata
from support.data import DATA_SETS, VARIABLE
from support.errors import DamagedFile, MissingData


def test_acts_of_meetings_are_labelled_and_in_the_order_in_which_they_began():
    acts = ami()
    assert set(acts["label"]) == set(AMI_LABELS)
    assert acts["meeting"].nunique() == 70 and len(acts) == 56_958
    assert acts.groupby("meeting")["start"].is_monotonic_increasing.all()
    assert (acts["text"].str.strip() != "").all()
    assert list(acts.columns) == ["meeting", "speaker", "start", "label", "addressee", "text"]


def test_chats_are_messages_of_people_only_in_their_order():
    chats = delidata()
    assert chats["group"].nunique() == 250 and len(chats) == 6828
    assert chats["performance"].between(0, 1).all()
    assert (chats.groupby("group")["place"].diff().dropna() == 1).all()
    assert {"SYSTEM", "None", "0"}.isdisjoint(chats["sender"]) and {"0", "None"}.isdisjoint(chats["kind"])
    assert (chats["text"].str.strip() != "").all()


@pytest.mark.parametrize("load", [ami, delidata])
def test_a_frame_may_be_changed_without_harm_to_the_next_reader(load):
    mine = load()
    mine["text"] = "mine"
    assert "mine" not in set(load()["text"])


@pytest.mark.parametrize(("load", "file"), [(ami, "ami_dialogue_acts.csv.gz"), (delidata, "delidata.tsv.gz")])
def test_a_missing_data_set_says_which_file_goes_where(load, file, tmp_path, monkeypatch):
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    with pytest.raises(MissingData, match=f"(?s)lacks 1 of 1 files in .*{file}.*{VARIABLE}"):
        load()


@pytest.mark.parametrize(("load", "file"), [(ami, "ami_dialogue_acts.csv.gz"), (delidata, "delidata.tsv.gz")])
def test_another_file_of_that_name_is_refused_and_left(load, file, tmp_path, monkeypatch):
    (tmp_path / file).write_bytes(b"other")
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    with pytest.raises(DamagedFile, match="not the registered file"):
        load()
    assert (tmp_path / file).read_bytes() == b"other"


def test_quotes_that_people_typed_are_part_of_their_text(tmp_path):
    path = tmp_path / "x.tsv.gz"
    path.write_bytes(gzip.compress(b'a\tb\n"so\tNA\n'))
    assert corpora._read(path, "\t").to_dict("list") == {"a": ['"so'], "b": ["NA"]}


def test_what_is_no_table_is_refused(tmp_path):
    path = tmp_path / "x.csv.gz"
    path.write_bytes(b"no archive")
    with pytest.raises(DamagedFile, match="cannot be read as a table"):
        corpora._read(path, ",")


def test_both_data_sets_are_registered_with_their_licences():
    assert DATA_SETS["ami"].licence == "CC BY 4.0" and DATA_SETS["delidata"].licence == "Apache-2.0"
