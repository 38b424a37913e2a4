"""Conversations of real groups, as tidy frames: AMI's design meetings and DeliData's chats on a reasoning task.

MissingData or DamagedFile when the file is not there, or is not the registered one.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from support.data import shared

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

    acts = pd.read_csv(folder / "ami_dialogue_acts.csv.gz", dtype=str, keep_default_na=False)
    acts = acts[acts["label"].isin(AMI_LABELS) & (acts["text"].str.strip() != "")].astype({"start": float})
    return acts.sort_values(["meeting", "start", "dact_id"], ignore_index=True).drop(columns="dact_id")


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
    rows = pd.read_csv(folder / "delidata.tsv.gz", sep="\t", dtype=str, keep_default_na=False, quoting=3)
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
