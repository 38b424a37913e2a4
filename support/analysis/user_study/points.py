"""The two questionnaires at their points in time, and the answers that were collected with them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Protocol

import pandas as pd

from support.analysis.answers import PEOPLE, need_answers, one_source
from support.analysis.frames import need_columns, need_keys
from support.analysis.printed import Scale
from support.data import inputs
from support.errors import InvalidInput
from support.survey.instruments import Instrument, read

QUESTIONNAIRES = ("ai_comfort", "system_perception")
POINTS = ("before session 1", "after session 1", "after session 2")
SEVEN = Scale(1, 7)
COLUMNS = ("respondent", "point", "item", "construct", "answer", "source")


class Book(Protocol):
    """Where forms are kept: `support.survey.answers.AnswerBook`."""

    def frame(self, source: str | None, *, instrument: str | None) -> pd.DataFrame:
        """The answers to one instrument of one source; None for all of them."""
        ...


def questionnaire(name: str, point: str) -> Instrument:
    """One questionnaire as it is given at one point: its name and title say when, and it has that group alone.

    A book of answers takes one form a person and instrument; with a name for each point it takes one for each point,
    all under the person's code, with which all of them can be deleted. The sum stays that of the wording.

    Raises
    ------
    InvalidInput
        No such questionnaire, or it is not given at that point.

    Examples
    --------
    >>> questionnaire("ai_comfort", "after session 1").name
    'ai_comfort, after session 1'
    """
    if name not in QUESTIONNAIRES:
        raise InvalidInput(f"name: {name!r} given; the questionnaires are {', '.join(QUESTIONNAIRES)}")
    whole = read(inputs("instruments", f"{name}.toml"))
    whole.check_group(point)
    return replace(whole, name=_named(name, point), title=f"{whole.title} ({point})", groups=(point,))


def given_at(name: str) -> tuple[str, ...]:
    """The points at which a questionnaire is given, in order."""
    return tuple(point for point in POINTS if name != "system_perception" or point != POINTS[0])


def questionnaires() -> list[Instrument]:
    """All five forms of the study, in the order in which one person fills them in.

    Examples
    --------
    >>> [form.name for form in questionnaires()][1:3]
    ['ai_comfort, after session 1', 'system_perception, after session 1']
    """
    return [questionnaire(name, point) for point in POINTS for name in QUESTIONNAIRES if point in given_at(name)]


def collected(book: Book, name: str, source: str | None = PEOPLE) -> pd.DataFrame:
    """The 7-point answers to a questionnaire at all of its points.

    Parameters
    ----------
    book : AnswerBook
    source : str, optional
        "people" by default; "simulated", one full source, or None for everything, as for `AnswerBook.frame`.

    Returns
    -------
    DataFrame
        respondent (the code), point, item, construct, answer (float, 1 to 7), source; empty where nobody answered.
    """
    forms = [questionnaire(name, point) for point in given_at(name)]
    parts = [book.frame(source, instrument=form.name).assign(point=form.groups[0]) for form in forms]
    rated = {item.id for item in forms[0].items.values() if len(item.choices) == SEVEN.high}
    rows = pd.concat(parts, ignore_index=True)
    return rows.loc[rows["item"].isin(rated), list(COLUMNS)].reset_index(drop=True)


def need_repeated(data: pd.DataFrame, items: Sequence[str] = ()) -> pd.DataFrame:
    """The answers, checked: one source, whole numbers from 1 to 7, each respondent, point and item once.

    Parameters
    ----------
    data : DataFrame
        As `collected` gives it: respondent, point, item, answer, source at least.
    items : sequence, optional
        Only these are returned, in this order; one that is named twice only once.

    Raises
    ------
    InvalidInput
        What `support.analysis.answers.need_answers` refuses, or an item that is not there.
    """
    need_columns(data, ["respondent", "point", "item", "answer", "source"], "the answers")
    need_keys(data, ["respondent", "point", "item"], "the answers")
    # An item at three points is three items to `Answers`, which lets nobody answer one twice.
    keyed = data.assign(group=data["point"], item=data["item"].astype(str) + " @ " + data["point"].astype(str))
    one_source(keyed)
    checked = data.assign(answer=need_answers(keyed, SEVEN)["answer"].to_numpy())
    there = list(dict.fromkeys(checked["item"]))
    if unknown := [item for item in items if item not in there]:
        raise InvalidInput(f"items: {', '.join(unknown)} not among the answers; there are {', '.join(there)}")
    return (
        checked
        if not items
        else pd.concat([checked[checked["item"] == name] for name in dict.fromkeys(items)], ignore_index=True)
    )


def in_order(points: Iterable[str]) -> list[str]:
    """Points in the order of the study; others after them, as they come."""
    return sorted(dict.fromkeys(points), key=lambda point: POINTS.index(point) if point in POINTS else len(POINTS))


def need_points(data: pd.DataFrame, *points: str) -> None:
    """Raise InvalidInput unless the answers have each of `points`, and these differ."""
    there = in_order(data["point"])
    if absent := [point for point in points if point not in there]:
        raise InvalidInput(f"point: {', '.join(map(repr, absent))} given; there are answers {', '.join(there)}")
    if len(set(points)) < len(points):
        raise InvalidInput(f"point: {points[0]!r} given twice; a comparison needs two different points")


def _named(name: str, point: str) -> str:
    return f"{name}, {point}"
