"""The book of answers: forms go in one by one, whole or not at all, and come out as tidy frames."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from support.answers.codes import PEOPLE, check_code, check_source, draw_code
from support.answers.file import open_answers, sound
from support.database import transaction
from support.errors import InvalidInput
from support.instruments import Answer, Instrument, check_form

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

REFUSALS = ("not eligible", "no consent")
COLUMNS = ("respondent", "group", "item", "construct", "answer", "text", "source")


class AnswerBook:
    """The file of answers to one study's instruments.

    Parameters
    ----------
    path : path
        Made when it does not exist.

    Raises
    ------
    DamagedFile
        When something else is there, be it another program's SQLite file; it is left untouched.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._db = open_answers(self.path)

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

        Parameters
        ----------
        group : str
            One of the instrument's groups.
        answers : mapping
            As `support.instruments.check_form` takes them.
        source : str
            "people", "simulated: rule-based" or "simulated: " and the model's name.
        code : str, optional
            4 to 12 capital letters and digits, one digit at least; drawn with `rng` when it is not given.

        Raises
        ------
        InvalidInput
            When anything does not fit, or the code is in use for this instrument; then nothing is stored.
        """
        instrument.check_group(group)
        check_source(source)
        cells = check_form(instrument, answers)
        if code is not None:
            check_code(code)
            return self._add(instrument, group, cells, source, code)
        if rng is None:
            raise InvalidInput("code: none given, and no rng to draw one; give one of the two")
        return self._add(instrument, group, cells, source, draw_code(rng, self._in_use))

    def refuse(self, instrument: Instrument, reason: str, *, source: str = PEOPLE) -> None:
        """Keep the bare fact that somebody was "not eligible" or gave "no consent": no code, no group, no answer."""
        if reason not in REFUSALS:
            raise InvalidInput(f"reason: {reason!r} given; expected one of {', '.join(REFUSALS)}")
        check_source(source)
        row = (instrument.name, instrument.version, source, reason)
        with sound(self.path), transaction(self._db, self.path):
            self._db.execute("INSERT INTO refusals (instrument, version, source, reason) VALUES (?, ?, ?, ?)", row)

    def withdraw(self, code: str) -> int:
        """Delete all that is kept under a code, for good; return how many forms that were.

        Raises
        ------
        InvalidInput
            When nothing is kept under it.
        """
        with sound(self.path), transaction(self._db, self.path):
            self._db.execute("DELETE FROM answers WHERE form IN (SELECT number FROM forms WHERE code = ?)", (code,))
            count = self._db.execute("DELETE FROM forms WHERE code = ?", (code,)).rowcount
        if not count:
            raise InvalidInput(f"code: nothing is kept under {code!r} in {self.path}; mind capital letters and digits")
        with sound(self.path):
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # the log still holds what was deleted
        return count

    def frame(self, source: str | None = PEOPLE, *, instrument: str | None = None) -> pd.DataFrame:
        """The answers, one row each: the columns of `COLUMNS`, in the order of submission.

        An item left blank has no row; an item of several choices has one for each that was ticked.

        Parameters
        ----------
        source : str, optional
            "people" by default; "simulated" for all that no person gave; one full source; None for everything, which
            the column `source` tells apart.
        instrument : str, optional
            Answers to this one only.

        Returns
        -------
        DataFrame
            respondent (the code), group, item, construct, answer (float; NaN for a text), text (a choice has its
            label), source.
        """
        return self._frame(source, instrument).drop(columns="kind")

    def likert(self, source: str | None = PEOPLE, *, instrument: str | None = None) -> pd.DataFrame:
        """The answers to 5-point items, as `frame`, `answer` whole: what `support.analysis.surveys` takes."""
        found = self._frame(source, instrument)
        chosen = found[found["kind"] == "likert5"].drop(columns="kind").reset_index(drop=True)
        return chosen.astype({"answer": "int64"})

    def forms(self) -> pd.DataFrame:
        """One row for each form that is kept: respondent, instrument, version, sum, group, source."""
        import pandas as pd

        columns = ["respondent", "instrument", "version", "sum", "group", "source"]
        query = "SELECT code, instrument, version, sum, grp, source FROM forms ORDER BY number"
        return pd.DataFrame(self._rows(query), columns=columns)

    def refusals(self) -> pd.DataFrame:
        """How many were not eligible or gave no consent: instrument, version, source, reason, count."""
        import pandas as pd

        columns = ["instrument", "version", "source", "reason"]
        by = ", ".join(columns)
        query = f"SELECT {by}, count(*) FROM refusals GROUP BY {by} ORDER BY {by}"
        return pd.DataFrame(self._rows(query), columns=[*columns, "count"])

    def export(self, folder: str | Path, *, format: str = "csv", source: str | None = None) -> list[Path]:
        """Write answers and refusals, one "csv" or "parquet" file each; return the paths.

        Raises
        ------
        InvalidInput
            Another format, or a file of that name is there: nothing is overwritten.
        """
        if format not in ("csv", "parquet"):
            raise InvalidInput(f"format: {format!r} given; expected 'csv' or 'parquet'")
        frames = {"answers": self.frame(source), "refusals": self.refusals()}
        paths = [Path(folder) / f"{name}.{format}" for name in frames]
        if there := [str(path) for path in paths if path.exists()]:
            raise InvalidInput(f"folder: {', '.join(there)} exists; nothing is overwritten, give another folder")
        Path(folder).mkdir(parents=True, exist_ok=True)
        for path, frame in zip(paths, frames.values(), strict=True):
            _ = frame.to_csv(path, index=False) if format == "csv" else frame.to_parquet(path, index=False)
        return paths

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()

    def _add(self, instrument: Instrument, group: str, cells: Sequence[Answer], source: str, code: str) -> str:
        form = (code, instrument.name, instrument.version, instrument.sum, group, source)
        with sound(self.path), transaction(self._db, self.path):
            try:
                made = self._db.execute(
                    "INSERT INTO forms (code, instrument, version, sum, grp, source) VALUES (?, ?, ?, ?, ?, ?)", form
                )
            except sqlite3.IntegrityError:
                raise InvalidInput(
                    f"code: {code!r} is in use for {instrument.name}; nothing is overwritten, take another code"
                ) from None
            rows = [
                (made.lastrowid, place, cell.item.id, cell.item.kind, cell.item.construct, cell.number, cell.text)
                for place, cell in enumerate(cells)
            ]
            self._db.executemany("INSERT INTO answers VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
        return code

    def _frame(self, source: str | None, instrument: str | None) -> pd.DataFrame:
        import pandas as pd

        if source not in (None, "simulated"):
            check_source(source)
        query = (
            "SELECT code, grp, item, construct, answer, text, source, kind FROM answers JOIN forms ON form = number "
            "WHERE (? IS NULL OR source = ? OR (? = 'simulated' AND source <> ?)) AND (? IS NULL OR instrument = ?) "
            "ORDER BY number, place"
        )
        rows = self._rows(query, (source, source, source, PEOPLE, instrument, instrument))
        return pd.DataFrame(rows, columns=[*COLUMNS, "kind"]).astype({"answer": "float64"})

    def _in_use(self, code: str) -> bool:
        return bool(self._rows("SELECT 1 FROM forms WHERE code = ?", (code,)))

    def _rows(self, query: str, values: Sequence[Any] = ()) -> list[tuple]:
        with sound(self.path):
            return self._db.execute(query, values).fetchall()
