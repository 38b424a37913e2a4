"""What people answered: one SQLite file, under codes, never overwritten, deleted on request.

Simulated respondents never come here (`support.survey.respondents.sample`).
"""

from __future__ import annotations

import json
import re
import secrets
import sqlite3
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from support.database import guarded, open_database, transaction
from support.errors import InvalidInput
from support.survey.instruments import Instrument, cells_of, check_form

if TYPE_CHECKING:
    import pandas as pd

PEOPLE = "people"
"""The source of what people answered; of others it is "simulated: " and who they are."""
CODE = re.compile(r"(?=.*[0-9])[A-Z0-9]{4,12}")
LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ"  # those that no digit is mistaken for
TABLES = {
    "forms": "code instrument version sum grp answers",
    "refusals": "instrument version reason",
}
SCHEMA = """\
CREATE TABLE IF NOT EXISTS forms (code TEXT NOT NULL, instrument TEXT NOT NULL,
version TEXT NOT NULL, sum TEXT NOT NULL, grp TEXT NOT NULL, answers TEXT NOT NULL,
UNIQUE (code, instrument));
CREATE TABLE IF NOT EXISTS refusals (instrument TEXT NOT NULL, version TEXT NOT NULL,
reason TEXT NOT NULL);
PRAGMA secure_delete = ON;
"""  # what is withdrawn leaves the file, not only its tables
TIDY = """\
SELECT instrument, code AS respondent, grp AS "group", 'people' AS source,
value ->> 0 AS item, value ->> 1 AS kind, value ->> 2 AS construct,
value ->> 3 AS answer, value ->> 4 AS text
FROM forms, json_each(answers) ORDER BY forms.rowid, key
"""


class AnswerBook:
    """The file of people's answers to one study's instruments; made where there is none.

    DamagedFile when something else is there, which is left untouched.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._db = open_database(self.path, TABLES)
        with guarded(self.path):
            self._db.executescript(SCHEMA)

    def submit(
        self,
        instrument: Instrument,
        group: str,
        answers: Mapping[str, Any],
        code: str | None = None,
    ) -> str:
        """Keep one filled-in form and return the code under which it is kept.

        `answers` are as `check_form` takes them; a code (4 to 12 capital letters and
        digits, one digit at least) is drawn when none is given. InvalidInput when
        something does not fit, or the code is in use for this instrument; then nothing is
        stored.
        """
        instrument.check_group(group)
        cells = cells_of(instrument, check_form(instrument, answers))
        code = drawn_code() if code is None else check_code(code)
        about = instrument.name, instrument.version, instrument.sum
        row = code, *about, group, json.dumps(cells)
        with transaction(self._db, self.path):
            try:
                self._db.execute("INSERT INTO forms VALUES (?, ?, ?, ?, ?, ?)", row)
            except sqlite3.IntegrityError:
                raise InvalidInput(
                    f"code: {code!r} is in use for {instrument.name}; nothing is "
                    "overwritten, take another code"
                ) from None
        return code

    def refuse(self, instrument: Instrument, reason: str) -> None:
        """Keep the bare fact that somebody was "not eligible" or gave "no consent"."""
        row = instrument.name, instrument.version, reason
        with transaction(self._db, self.path):
            self._db.execute("INSERT INTO refusals VALUES (?, ?, ?)", row)

    def withdraw(self, code: str) -> int:
        """Delete all that is kept under a code, for good; how many forms that were."""
        with transaction(self._db, self.path):
            found = self._db.execute("DELETE FROM forms WHERE code = ?", (code,))
        if not found.rowcount:
            told = f"nothing is kept under {code!r} in {self.path}"
            raise InvalidInput(f"code: {told}; mind capital letters and digits")
        with guarded(self.path):  # the log still holds what was deleted
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return found.rowcount

    def frame(self) -> pd.DataFrame:
        """The answers as a tidy frame (see `tidy`), in the order of submission."""
        return tidy(self._db.execute(TIDY))

    def forms(self) -> pd.DataFrame:
        """One row for each form: code, instrument, version, sum, grp, answers."""
        return self._table("forms")

    def refusals(self) -> pd.DataFrame:
        """One row for each who was not eligible or gave no consent."""
        return self._table("refusals")

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()

    def _table(self, name: str) -> pd.DataFrame:
        import pandas as pd

        rows = self._db.execute(f"SELECT * FROM {name} ORDER BY rowid")
        return pd.DataFrame(rows, columns=TABLES[name].split())


def tidy(rows: Iterable[tuple[Any, ...]]) -> pd.DataFrame:
    """Answers as a frame.

    `respondent` is a code, `answer` a number (NaN for a text), `text` a choice's label.
    An item left blank has no row; one of several choices has a row for each tick.
    """
    import pandas as pd

    names = ["instrument", "respondent", "group", "source", "item", "kind", "construct"]
    frame = pd.DataFrame(rows, columns=[*names, "answer", "text"])
    return frame.astype({"answer": "float64"})


def drawn_code() -> str:
    """A participant code that nobody can predict: three letters and three digits."""
    letters = "".join(secrets.choice(LETTERS) for _ in range(3))
    return f"{letters}{100 + secrets.randbelow(900)}"


def check_code(code: str) -> str:
    """A participant code; InvalidInput for what is none, such as a name or an address."""
    if not CODE.fullmatch(code):
        raise InvalidInput(
            f"code: {code!r} given; expected 4 to 12 capital letters and digits, one "
            "digit at least, such as 'K7Q2M9'. A code is no name and no address."
        )
    return code
