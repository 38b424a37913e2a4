"""The user study of a coordinating agent: two questionnaires, given two or three times to
the same people (002, section 5.1)."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from support.data import inputs
from support.errors import InvalidInput
from support.survey.instruments import Instrument, read

QUESTIONNAIRES = COMFORT, PERCEPTION = "ai_comfort", "system_perception"
POINTS = ("before session 1", "after session 1", "after session 2")
STEPS = 7


def questionnaire(name: str, point: str) -> Instrument:
    """One questionnaire as it is given at one point: its name and title say when, and it
    has that group alone."""
    if name not in QUESTIONNAIRES:
        known = ", ".join(QUESTIONNAIRES)
        raise InvalidInput(f"name: {name!r} given; the questionnaires are {known}")
    whole = read(inputs("instruments", f"{name}.toml"))
    whole.check_group(point)
    title = f"{whole.title} ({point})"
    return replace(
        whole,
        name=f"{name}, {point}",
        title=title,
        groups=(point,),
    )


def questionnaires() -> list[Instrument]:
    """All five forms of the study, in the order in which one person fills them in."""
    forms = [questionnaire(COMFORT, POINTS[0])]
    for point in POINTS[1:]:
        forms += [questionnaire(name, point) for name in QUESTIONNAIRES]
    return forms


def collected(answers: pd.DataFrame, name: str) -> pd.DataFrame:
    """The 7-point answers to a questionnaire at all of its points, from tidy answers:
    respondent, point, item, construct, answer, source."""
    forms = [form for form in questionnaires() if form.name.startswith(name)]
    items = forms[0].items.values()
    rated = [item.id for item in items if len(item.choices) == STEPS]
    given = answers["instrument"].isin([form.name for form in forms])
    rows = answers[given & answers["item"].isin(rated)]
    columns = ["respondent", "point", "item", "construct", "answer", "source"]
    return rows.rename(columns={"group": "point"})[columns].reset_index(drop=True)
