"""Inputs are found and checked; what is missing or damaged is said, with the way out, and left as it is."""

import json

import pytest

from support import data
from support.analysis.conversation import messages_of_conversations
from support.corpora import AMI_LABELS, ami, conversations, delidata
from support.errors import DamagedFile, InvalidInput, MissingData


def test_inputs_are_found_wherever_the_process_runs_and_a_missing_one_says_where_it_comes_from(
    monkeypatch, tmp_path
):
    monkeypatch.chdir(tmp_path)
    assert data.inputs("published", "README.md").is_file()
    with pytest.raises(
        MissingData, match=r"nothing/here\.csv is not at .*comes with the repository"
    ):
        data.inputs("nothing", "here.csv")
    monkeypatch.setenv(data.VARIABLE, "nowhere/at/all")
    assert data.home() == data.ROOT / "nowhere" / "at" / "all"


def test_every_outside_data_set_has_its_sums_and_stands_in_the_licence_file():
    text = (data.ROOT / "DATA_LICENSES.md").read_text(encoding="utf-8")
    for name, data_set in data.outside().items():
        assert f"`{name}`" in text and all(
            len(digest) == 64 for digest in data_set.sums.values()
        )


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
    with pytest.raises(
        DamagedFile, match=r"delidata\.tsv\.gz is not the registered file.*move it away"
    ):
        delidata()
    assert copied.read_bytes() == b"other"
    copied.unlink()
    with pytest.raises(
        MissingData,
        match=r"(?s)'delidata' lacks 1 of 1 files in .*github.*CONVENE_DATA",
    ):
        delidata()


def test_acts_of_meetings_are_labelled_and_in_the_order_in_which_they_began():
    acts = ami()
    assert (
        set(acts["label"]) == set(AMI_LABELS) and (acts["text"].str.strip() != "").all()
    )
    assert acts["meeting"].nunique() == 70 and len(acts) == 56_958
    assert acts.groupby("meeting")["start"].is_monotonic_increasing.all()


def test_chats_are_messages_of_people_only_in_their_order_and_a_frame_may_be_changed():
    chats = delidata()
    assert (chats["group"].nunique(), len(chats)) == (250, 6828)
    assert chats["performance"].between(0, 1).all()
    assert (chats.groupby("group")["place"].diff().dropna() == 1).all()
    assert {"SYSTEM", "None", "0"}.isdisjoint(chats["sender"])
    assert {"0", "None"}.isdisjoint(chats["kind"])
    assert chats["text"].str.contains('"').any(), "quotes are what people typed"
    chats["text"] = "mine"
    assert "mine" not in set(delidata()["text"])


CSV = "meeting,speaker,text,performance,acts\na,Ann,Hi,0,inform\na,Ben,,0,\na,Ben,So?,1,request inform\nb,Cleo,Yes,0,\n"
KEYS = "id", "conversation_id", "speaker", "text", "timestamp", "meta"
UTTERANCES = [
    ("2", "t", "Ben", "Why?", 20, {"mood": "curious"}),
    ("1", "t", "Ann", "Stay.", 10, {}),
    ("3", "u", "Ann", "Go.", None, {"mood": "brisk"}),
]


def test_a_table_of_ones_own_becomes_messages_with_its_labels(tmp_path):
    (tmp_path / "talk.csv").write_text(CSV)
    said = messages_of_conversations(tmp_path / "talk.csv")
    assert list(zip(said["sender"], said["run"], said["round"], strict=True)) == [
        ("Ann", 0, 1),
        ("Ben", 0, 1),
        ("Cleo", 1, 1),
    ]
    assert list(said["acts"]) == [("inform",), ("inform", "request"), ()]
    assert list(said["performance"]) == [0, 1, 0]


def test_words_that_elsewhere_mean_nothing_are_words_in_a_conversation(tmp_path):
    (tmp_path / "talk.csv").write_text(
        "meeting,speaker,text,score\n7,NA,None,1\n7,Ann,NA,\n7,Ben, ,3\n"
    )
    said = conversations(tmp_path / "talk.csv")
    assert list(said["sender"]) == ["NA", "Ann"]
    assert list(said["text"]) == ["None", "NA"]
    assert said["score"].isna().tolist() == [False, True]


def test_a_convokit_corpus_is_read_in_the_order_of_its_time(tmp_path):
    lines = [json.dumps(dict(zip(KEYS, u, strict=True))) for u in UTTERANCES]
    (tmp_path / "utterances.jsonl").write_text("\n".join(lines))
    said = conversations(tmp_path)
    assert list(said["text"]) == ["Stay.", "Why?", "Go."]
    assert list(said["group"]) == ["t", "t", "u"]
    assert said["mood"].fillna("").tolist() == ["", "curious", "brisk"]


BAD = [
    ("none.csv", None, MissingData, "not there"),
    ("a.csv", "meeting,text\na,b\n", InvalidInput, "no column 'speaker'"),
    ("b.csv", "meeting,speaker,text\na,Ann,\n", InvalidInput, "no row"),
    ("c.csv", "", DamagedFile, "c.csv"),
    ("h.csv", "meeting,speaker,text\n", InvalidInput, "no row"),
    (
        "f.csv",
        "meeting,speaker,text\na,Ann,hi\n,Ben,ho\n",
        InvalidInput,
        "message 2 has words and no meeting",
    ),
    (
        "g.csv",
        "meeting,speaker,text\na,Ann,hi, you\na,Ben,o, no, no\n",
        DamagedFile,
        "a text with a comma in quotes",
    ),
    ("d.jsonl", "{not json", DamagedFile, "d.jsonl"),
    (
        "e.csv",
        "meeting,speaker,text,acts\na,Ann,hi,sings\n",
        InvalidInput,
        "'sings' given",
    ),
]


@pytest.mark.parametrize(("name", "content", "error", "told"), BAD)
def test_what_is_no_conversation_is_refused_by_name(
    tmp_path, name, content, error, told
):
    if content is not None:
        (tmp_path / name).write_text(content)
    with pytest.raises(error, match=told):
        messages_of_conversations(tmp_path / name)
