"""Conversations of real groups, as tidy frames: AMI's design meetings and DeliData's chats on a reasoning task."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from support.data import shared
from support.errors import DamagedFile

if TYPE_CHECKING:
    import pandas as pd

AMI_LABELS = ("inf", "el.inf", "sug", "off", "el.sug", "ass", "und", "el.ass", "el.und", "be.pos", "be.neg", "bck",
              "stl", "fra", "oth")  # fmt: skip


def ami() -> pd.DataFrame:
    """Human dialogue acts of real design meetings (AMI, Carletta 2007), in the order in which they began.

    Returns
    -------
    DataFrame
        One row per act: meeting, speaker, start (seconds), label (one of `AMI_LABELS`), addressee, text. Acts
        without a label, and those whose text is empty, are left out.

    Raises
    ------
    MissingData, DamagedFile
        The file is not there, or is not the registered one.
    """
    return _ami(shared("ami")).copy()


@lru_cache(maxsize=1)
def _ami(folder: Path) -> pd.DataFrame:
    acts = _read(folder / "ami_dialogue_acts.csv.gz", ",")
    acts = acts[acts["label"].isin(AMI_LABELS) & (acts["text"].str.strip() != "")].astype({"start": float})
    return acts.sort_values(["meeting", "start", "dact_id"], ignore_index=True).drop(columns="dact_id")


def delidata() -> pd.DataFrame:
    """Chats of groups that solve the Wason card task (DeliData, Karadzhov et al. 2023), in the order of the chat.

    Returns
    -------
    DataFrame
        One row per message: group, place (0, 1, … in the group), sender, text, kind (annotation_type; "" when the
        message was not annotated), target, additional, performance (the group's team_performance after the message,
        0 to 1). Submissions and the system's lines are left out, but what they did to the performance is in it.

    Raises
    ------
    MissingData, DamagedFile
        The file is not there, or is not the registered one.
    """
    return _delidata(shared("delidata")).copy()


@lru_cache(maxsize=1)
def _delidata(folder: Path) -> pd.DataFrame:
    rows = _read(folder / "delidata.tsv.gz", "\t")
    names = {"group_id": "group", "origin": "sender", "original_text": "text", "annotation_type": "kind",
             "annotation_target": "target", "annotation_additional": "additional",
             "team_performance": "performance"}  # fmt: skip
    said = rows[(rows["message_type"] == "MESSAGE") & (rows["original_text"].str.strip() != "")]
    said = said.rename(columns=names)[list(names.values())].astype({"performance": float})
    quoted = said["text"].str.match(r"(?s)^'.*'$") & said["text"].str.contains("''")  # as SQL writes an apostrophe
    said.loc[quoted, "text"] = said.loc[quoted, "text"].str[1:-1].str.replace("''", "'", regex=False)
    said = said.replace({column: {"0": "", "None": ""} for column in ("kind", "target", "additional")})
    said.insert(1, "place", said.groupby("group").cumcount())
    return said.reset_index(drop=True)


def _read(path: Path, separator: str) -> pd.DataFrame:
    import pandas as pd

    try:  # quotes are part of what people typed
        return pd.read_csv(path, sep=separator, dtype=str, keep_default_na=False, quoting=3 if separator == "\t" else 0)
    except (ValueError, OSError, pd.errors.ParserError) as error:
        raise DamagedFile(f"{path} cannot be read as a table: {error}. Get it again (see DATA_LICENSES.md).") from None
