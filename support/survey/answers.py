"""Answers to an instrument in one SQLite file: under codes, without names, never overwritten, deleted on request."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from support.database import guarded, open_database, transaction
from support.errors import InvalidInput
from support.survey.instruments import Instrument, check_form

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

PEOPLE, SIMULATED = "people", "simulated: "
CODE = re.compile(r"(?=.*[0-9])[A-Z0-9]{4,12}")
LETTERS, DIGITS = (
    "ABCDEFGHJKLMNPQRSTUVWXYZ",
    "23456789",
)  # without those that are mistaken for each other
FORM = ("code", "instrument", "version", "sum", "grp", "source")
TABLES = {
    "forms": {"number": "INTEGER PRIMARY KEY", **dict.fromkeys(FORM, "TEXT NOT NULL")},
    "answers": {"form": "INTEGER NOT NULL REFERENCES forms (number)", "place": "INTEGER NOT NULL",
                "item": "TEXT NOT NULL", "kind": "TEXT NOT NULL", "construct": "TEXT NOT NULL", "answer": "REAL",
                "text": "TEXT NOT NULL"},
    "refusals": {"number": "INTEGER PRIMARY KEY",
                 **dict.fromkeys(("instrument", "version", "source", "reason"), "TEXT NOT NULL")},
}  # fmt: skip
ONCE = {
    "forms": ", UNIQUE (code, instrument)",
    "answers": ", PRIMARY KEY (form, place)",
    "refusals": "",
}


class AnswerBook:
    """The file of answers to one study's instruments, made when it does not exist.

    DamagedFile when something else is there, be it another program's SQLite file; it is left untouched.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._db = open_database(
            self.path, {table: " ".join(columns) for table, columns in TABLES.items()}
        )
        with guarded(self.path):
            self._db.execute(
                "PRAGMA secure_delete = ON"
            )  # what is withdrawn leaves the file, not only its tables
        with transaction(
            self._db, self.path
        ):  # all tables at once: whoever opens it meanwhile sees none or all
            for table, columns in TABLES.items():
                made = ", ".join(f"{name} {kind}" for name, kind in columns.items())
                self._db.execute(
                    f"CREATE TABLE IF NOT EXISTS {table} ({made}{ONCE[table]})"
                )

    def submit(
        self,
        instrument: Instrument,
        group: str,
        answers: Mapping[str, Any],
        *,
        source: str = PEOPLE,
        code: str | None = None,
        rng: np.random.Generator | None = None,
    ) -> str:
        """Keep one filled-in form, in one transaction, and return the code under which it is kept.

        `answers` are as `check_form` takes them, `source` is "people", "simulated: rule-based" or "simulated: " and the
        model's name. The code (4 to 12 capital letters and digits, one digit at least) is drawn with `rng` when it is
        not given. InvalidInput when anything does not fit, or the code is in use for this instrument; then nothing is
        stored.
        """
        instrument.check_group(group)
        check_source(source)
        cells = check_form(instrument, answers)
        code = self._drawn(rng) if code is None and rng else check_code(code)
        form = (
            code,
            instrument.name,
            instrument.version,
            instrument.sum,
            group,
            source,
        )
        with transaction(self._db, self.path):
            try:
                number = self._insert("forms", FORM, form)
            except sqlite3.IntegrityError:
                raise InvalidInput(
                    f"code: {code!r} is in use for {instrument.name}; nothing is overwritten, take another code"
                ) from None
            for place, (item, answer, text) in enumerate(cells):
                row = number, place, item.id, item.kind, item.construct, answer, text
                self._insert("answers", TABLES["answers"], row)
        return code

    def refuse(
        self, instrument: Instrument, reason: str, *, source: str = PEOPLE
    ) -> None:
        """Keep the bare fact that somebody was "not eligible" or gave "no consent": no code, no group, no answer."""
        check_source(source)
        with transaction(self._db, self.path):
            row = instrument.name, instrument.version, source, reason
            self._insert("refusals", ("instrument", "version", "source", "reason"), row)

    def withdraw(self, code: str) -> int:
        """Delete all that is kept under a code, for good, and return how many forms that were."""
        with transaction(self._db, self.path):
            self._db.execute(
                "DELETE FROM answers WHERE form IN (SELECT number FROM forms WHERE code = ?)",
                (code,),
            )
            count = self._db.execute(
                "DELETE FROM forms WHERE code = ?", (code,)
            ).rowcount
        if not count:
            raise InvalidInput(
                f"code: nothing is kept under {code!r} in {self.path}; mind capital letters and digits"
            )
        with guarded(self.path):
            self._db.execute(
                "PRAGMA wal_checkpoint(TRUNCATE)"
            )  # the log still holds what was deleted
        return count

    def frame(
        self, source: str | None = PEOPLE, *, instrument: str | None = None
    ) -> pd.DataFrame:
        """The answers in the order of submission: respondent, group, item, construct, answer, text, source.

        `source` is "people", "simulated" for all that no person gave, one full source, or None for everything.
        `respondent` is the code, `answer` a float (NaN for a text), `text` a choice's label. An item left blank has no
        row; an item of several choices has one for each that was ticked.
        """
        return self._frame(source, instrument).drop(columns="kind")

    def likert(self, source: str | None = PEOPLE) -> pd.DataFrame:
        """The answers to 5-point items, as `frame`, `answer` whole: what `support.analysis.answers` takes."""
        found = self._frame(source, None)
        chosen = (
            found[found["kind"] == "likert5"]
            .drop(columns="kind")
            .reset_index(drop=True)
        )
        return chosen.astype({"answer": "int64"})

    def forms(self) -> pd.DataFrame:
        """One row for each form that is kept: respondent, instrument, version, sum, group, source."""
        named = {"code": "respondent", "grp": "group"}
        return self._table(
            f"SELECT {', '.join(FORM)} FROM forms ORDER BY number"
        ).rename(columns=named)

    def refusals(self) -> pd.DataFrame:
        """How many were not eligible or gave no consent: instrument, version, source, reason, count."""
        by = "instrument, version, source, reason"
        return self._table(
            f"SELECT {by}, count(*) AS count FROM refusals GROUP BY {by} ORDER BY {by}"
        )

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()

    def _insert(
        self, table: str, names: Sequence[str] | Mapping[str, str], row: Sequence[Any]
    ) -> int | None:
        places = ", ".join("?" * len(row))
        return self._db.execute(
            f"INSERT INTO {table} ({', '.join(names)}) VALUES ({places})", row
        ).lastrowid

    def _frame(self, source: str | None, instrument: str | None) -> pd.DataFrame:
        if source not in (None, "simulated"):
            check_source(source)
        query = (
            'SELECT code AS respondent, grp AS "group", item, construct, answer, text, source, kind '
            "FROM answers JOIN forms ON form = number "
            "WHERE (? IS NULL OR source = ? OR (? = 'simulated' AND source <> ?)) AND (? IS NULL OR instrument = ?) "
            "ORDER BY number, place"
        )
        found = self._table(
            query, (source, source, source, PEOPLE, instrument, instrument)
        )
        return found.astype({"answer": "float64"})

    def _drawn(self, rng: np.random.Generator) -> str:
        """A code that is not in use: three letters and three digits in turn."""
        while True:
            code = "".join(
                LETTERS[rng.integers(len(LETTERS))] + DIGITS[rng.integers(len(DIGITS))]
                for _ in range(3)
            )
            if self._table("SELECT 1 FROM forms WHERE code = ?", (code,)).empty:
                return code

    def _table(self, query: str, values: Sequence[Any] = ()) -> pd.DataFrame:
        import pandas as pd

        with guarded(self.path):
            found = self._db.execute(query, values)
            return pd.DataFrame(
                found.fetchall(), columns=[column[0] for column in found.description]
            )


def check_code(code: str | None) -> str:
    """A participant code; InvalidInput for what is none, such as a name or an e-mail address."""
    if not isinstance(code, str) or not CODE.fullmatch(code):
        raise InvalidInput(
            f"code: {code!r} given; expected 4 to 12 capital letters and digits, one digit at least, such as 'K7Q2M9'. "
            "A code must not be a name or an address."
        )
    return code


def check_source(source: Any) -> None:
    """Refuse what is no source of answers."""
    simulated = (
        isinstance(source, str) and source.startswith(SIMULATED) and source != SIMULATED
    )
    if source != PEOPLE and not simulated:
        raise InvalidInput(
            f"source: {source!r} given; expected {PEOPLE!r}, or {SIMULATED!r} and what answered"
        )
