"""Conversations of real groups, as tidy frames: AMI's design meetings, DeliData's chats, and a file of your own.

MissingData or DamagedFile when the file is not there, or is not the registered one.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from support.data import shared
from support.errors import DamagedFile, InvalidInput, MissingData

if TYPE_CHECKING:
    import pandas as pd

AMI_LABELS = (
    "inf",
    "el.inf",
    "sug",
    "off",
    "el.sug",
    "ass",
    "und",
    "el.ass",
    "el.und",
    "be.pos",
    "be.neg",
    "bck",
    "stl",
    "fra",
    "oth",
)
DELIDATA = {
    "group_id": "group",
    "origin": "sender",
    "original_text": "text",
    "annotation_type": "kind",
    "annotation_target": "target",
    "annotation_additional": "additional",
    "team_performance": "performance",
}
COLUMNS = ("meeting", "speaker", "text")
CONVOKIT = {
    "conversation_id": "meeting",
    "root": "meeting",
    "user": "speaker",
}


def ami() -> pd.DataFrame:
    """Human dialogue acts of real design meetings (AMI, Carletta 2007), in the order in
    which they began.

    One row per act: meeting, speaker, start (seconds), label (one of `AMI_LABELS`),
    addressee, text. Acts without a label, and those whose text is empty, are left out.
    """
    return _ami(shared("ami")).copy()


@lru_cache(maxsize=1)
def _ami(folder: Path) -> pd.DataFrame:
    acts = _read(folder / "ami_dialogue_acts.csv.gz")
    acts = acts[acts["label"].isin(AMI_LABELS) & acts["text"].str.strip().ne("")]
    acts = acts.astype({"start": float})
    acts = acts.sort_values(["meeting", "start", "dact_id"], ignore_index=True)
    return acts.drop(columns="dact_id")


def _read(path: Path, **how: Any) -> pd.DataFrame:
    """A table whose cells are texts, as they stand there."""
    import pandas as pd

    return pd.read_csv(
        path,
        dtype=str,
        keep_default_na=False,
        **how,
    )


def delidata() -> pd.DataFrame:
    """Chats of groups that solve the Wason card task (DeliData, Karadzhov et al. 2023), in
    the order of the chat.

    One row per message: group, place (0, 1, … in the group), sender, text, kind
    (annotation_type; "" when the message was not annotated), target, additional,
    performance (the group's team_performance after the message, 0 to 1). Submissions and
    the system's lines are left out, but what they did to the performance is in it.
    """
    return _delidata(shared("delidata")).copy()


@lru_cache(maxsize=1)
def _delidata(folder: Path) -> pd.DataFrame:
    # quoting=3: quotes are part of what people typed
    rows = _read(folder / "delidata.tsv.gz", sep="\t", quoting=3)
    rows = rows[rows["message_type"] == "MESSAGE"].rename(columns=DELIDATA)
    said = rows.loc[rows["text"].str.strip() != "", [*DELIDATA.values()]]
    said = said.astype({"performance": float})
    text = said["text"]  # some as SQL writes an apostrophe
    quoted = text.str.match(r"(?s)^'.*'$") & text.str.contains("''")
    plain = text.str[1:-1].str.replace("''", "'", regex=False)
    said["text"] = text.mask(quoted, plain)
    for column in ("kind", "target", "additional"):
        said[column] = said[column].replace({"0": "", "None": ""})
    said.insert(1, "place", said.groupby("group").cumcount())
    return said.reset_index(drop=True)


def conversations(path: str | Path) -> pd.DataFrame:
    """Conversations of your own, in the order of the file: group, sender, text, and
    whatever other columns there are.

    `path` is a table (.csv, or .tsv) with a row a message and the columns meeting,
    speaker and text, or a ConvoKit corpus: its folder or its utterances.jsonl, sorted by
    timestamp within a conversation, its `meta` as columns. Rows without words are left
    out. MissingData where nothing is there; DamagedFile, InvalidInput where it is
    another thing.
    """
    import pandas as pd

    file = Path(path)
    if file.is_dir():
        file /= "utterances.jsonl"
    wanted = f"expected a table with {', '.join(COLUMNS)}, or a ConvoKit corpus"
    if not file.is_file():
        raise MissingData(f"{file}: not there; {wanted}")
    try:
        if file.suffix == ".jsonl":
            said = _convokit(pd.read_json(file, lines=True, dtype=False))
        else:
            sep = "\t" if ".tsv" in file.suffixes else ","
            said = pd.read_csv(file, sep=sep)
            words = _read(file, sep=sep)  # "NA" is a word there, but no number
            for name in words.columns.intersection([*COLUMNS]):
                said[name] = words[name]
    except ValueError as error:  # pandas' parser errors, and what is not UTF-8
        told = f"{file}: {error}; {wanted}, in UTF-8 (a text with a comma in quotes)"
        raise DamagedFile(told) from None
    if missing := [name for name in COLUMNS if name not in said]:
        there = ", ".join(map(str, said.columns))
        raise InvalidInput(f"{file}: no column {missing[0]!r}; {wanted}, found {there}")
    said["text"] = said["text"].fillna("")
    texts = said[[*COLUMNS]].fillna("").astype(str)
    full = texts.apply(lambda column: column.str.strip()) != ""
    for name in COLUMNS:
        if len(lacking := full.index[full["text"] & ~full[name]]):
            raise InvalidInput(
                f"{file}: message {lacking[0] + 1} has words and no {name}; name it, or "
                "leave the row out"
            )
    said = said[full.all(axis=1)]
    if said.empty:
        raise InvalidInput(f"{file}: no row has a meeting, a speaker and words")
    said = said.rename(columns={"meeting": "group", "speaker": "sender"})
    return said.reset_index(drop=True)


def _convokit(lines: pd.DataFrame) -> pd.DataFrame:
    """ConvoKit's utterances (Chang et al. 2020), of this version of its format or an
    earlier one."""
    import pandas as pd

    said = lines.rename(columns=CONVOKIT)
    said = said.loc[:, ~said.columns.duplicated()]
    if "timestamp" in said:  # a stable sort: equal times stay in the file's order
        said = said.assign(timestamp=pd.to_numeric(said["timestamp"], errors="coerce"))
        order = ["meeting", "timestamp"]
        said = said.sort_values(order, kind="stable", ignore_index=True)
    meta = [one if isinstance(one, dict) else {} for one in said.get("meta", [])]
    more = pd.DataFrame(meta, index=said.index)
    new = more[[name for name in more if name not in said]]
    return said.drop(columns="meta", errors="ignore").join(new)
