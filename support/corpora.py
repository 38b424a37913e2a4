"""Conversations of real groups, as tidy frames: AMI's design meetings, DeliData's chats, and a file of your own.

MissingData or DamagedFile when the file is not there, or is not the registered one.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from support.data import shared
from support.errors import DamagedFile, InvalidInput, MissingData

if TYPE_CHECKING:
    import pandas as pd

AMI_LABELS = ("inf", "el.inf", "sug", "off", "el.sug", "ass", "und", "el.ass", "el.und", "be.pos", "be.neg", "bck",
              "stl", "fra", "oth")  # fmt: skip


def ami() -> pd.DataFrame:
    """Human dialogue acts of real design meetings (AMI, Carletta 2007), in the order in which they began.

    One row per act: meeting, speaker, start (seconds), label (one of `AMI_LABELS`), addressee, text. Acts without a
    label, and those whose text is empty, are left out.
    """
    return _ami(shared("ami")).copy()


@lru_cache(maxsize=1)
def _ami(folder: Path) -> pd.DataFrame:
    import pandas as pd

    acts = pd.read_csv(
        folder / "ami_dialogue_acts.csv.gz", dtype=str, keep_default_na=False
    )
    acts = acts[
        acts["label"].isin(AMI_LABELS) & (acts["text"].str.strip() != "")
    ].astype({"start": float})
    return acts.sort_values(["meeting", "start", "dact_id"], ignore_index=True).drop(
        columns="dact_id"
    )


def delidata() -> pd.DataFrame:
    """Chats of groups that solve the Wason card task (DeliData, Karadzhov et al. 2023), in the order of the chat.

    One row per message: group, place (0, 1, … in the group), sender, text, kind (annotation_type; "" when the message
    was not annotated), target, additional, performance (the group's team_performance after the message, 0 to 1).
    Submissions and the system's lines are left out, but what they did to the performance is in it.
    """
    return _delidata(shared("delidata")).copy()


@lru_cache(maxsize=1)
def _delidata(folder: Path) -> pd.DataFrame:
    import pandas as pd

    # quoting=3: quotes are part of what people typed
    rows = pd.read_csv(
        folder / "delidata.tsv.gz",
        sep="\t",
        dtype=str,
        keep_default_na=False,
        quoting=3,
    )
    names = {"group_id": "group", "origin": "sender", "original_text": "text", "annotation_type": "kind",
             "annotation_target": "target", "annotation_additional": "additional",
             "team_performance": "performance"}  # fmt: skip
    said = rows[
        (rows["message_type"] == "MESSAGE") & (rows["original_text"].str.strip() != "")
    ]
    said = said.rename(columns=names)[list(names.values())].astype(
        {"performance": float}
    )
    quoted = said["text"].str.match(r"(?s)^'.*'$") & said["text"].str.contains(
        "''"
    )  # as SQL writes an apostrophe
    said.loc[quoted, "text"] = (
        said.loc[quoted, "text"].str[1:-1].str.replace("''", "'", regex=False)
    )
    said = said.replace(
        {column: {"0": "", "None": ""} for column in ("kind", "target", "additional")}
    )
    said.insert(1, "place", said.groupby("group").cumcount())
    return said.reset_index(drop=True)


COLUMNS = ("meeting", "speaker", "text")
CONVOKIT = {
    "conversation_id": "meeting",
    "root": "meeting",
    "speaker": "speaker",
    "user": "speaker",
}


def conversations(path: str | Path) -> pd.DataFrame:
    """Conversations of your own, in the order of the file: group, sender, text, and whatever other columns there are.

    `path` is a table (.csv, or .tsv) with a row a message and the columns meeting, speaker and text, or a ConvoKit
    corpus: its folder or its utterances.jsonl, sorted by timestamp within a conversation, its `meta` as columns. Rows
    without words are left out. MissingData where nothing is there; DamagedFile, InvalidInput where it is another thing.
    """
    import pandas as pd

    file = Path(path) / "utterances.jsonl" if Path(path).is_dir() else Path(path)
    if not file.is_file():
        raise MissingData(
            f"{file}: not there; expected a table with {', '.join(COLUMNS)}, or a ConvoKit corpus"
        )
    try:
        if file.suffix == ".jsonl":
            said = _convokit(pd.read_json(file, lines=True, dtype=False))
        else:
            sep = "\t" if ".tsv" in file.suffixes else ","
            words = pd.read_csv(
                file, sep=sep, dtype=str, keep_default_na=False
            )  # "NA" is a word there, but no number
            said = pd.read_csv(file, sep=sep).assign(
                **{name: words[name] for name in COLUMNS if name in words}
            )
    except ValueError as error:  # pandas' parser errors, and what is not UTF-8
        raise DamagedFile(
            f"{file}: {error}; expected a table in UTF-8 (a text with a comma in quotes), or a ConvoKit corpus"
        ) from None
    if missing := [name for name in COLUMNS if name not in said]:
        there = ", ".join(map(str, said.columns))
        raise InvalidInput(
            f"{file}: no column {missing[0]!r}; expected {', '.join(COLUMNS)}, found {there}"
        )
    said["text"] = said["text"].fillna("")
    full = (
        said[[*COLUMNS]].fillna("").astype(str).apply(lambda column: column.str.strip())
        != ""
    )
    for name in COLUMNS:
        if len(lacking := full.index[full["text"] & ~full[name]]):
            raise InvalidInput(
                f"{file}: message {lacking[0] + 1} has words and no {name}; name it, or leave the row out"
            )
    said = said[full.all(axis=1)]
    if said.empty:
        raise InvalidInput(f"{file}: no row has a meeting, a speaker and words")
    return said.rename(columns={"meeting": "group", "speaker": "sender"}).reset_index(
        drop=True
    )


def _convokit(lines: pd.DataFrame) -> pd.DataFrame:
    """ConvoKit's utterances (Chang et al. 2020), of this version of its format or an earlier one."""
    import pandas as pd

    said = lines.rename(
        columns={old: new for old, new in CONVOKIT.items() if old in lines}
    )
    said = said.loc[:, ~said.columns.duplicated()]
    if "timestamp" in said:  # a stable sort: equal times stay in the file's order
        said = said.assign(timestamp=pd.to_numeric(said["timestamp"], errors="coerce"))
        said = said.sort_values(
            ["meeting", "timestamp"], kind="stable", ignore_index=True
        )
    meta = [one if isinstance(one, dict) else {} for one in said.get("meta", [])]
    more = pd.DataFrame(meta, index=said.index)
    return said.drop(columns="meta", errors="ignore").join(
        more[[name for name in more if name not in said]]
    )
