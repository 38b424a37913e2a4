"""The forms of a study with repeated answers."""

import asyncio

import numpy as np

from support.analysis import user_study as study
from support.survey.respondents import sample


def test_all_forms_of_a_person_lie_under_one_name_or_code(book):
    plan = [(form, form.groups[0]) for form in study.questionnaires()]
    found = asyncio.run(sample([plan] * 3, np.random.default_rng(1))).answers
    comfort = study.collected(found, "ai_comfort")
    assert comfort.groupby("respondent")["point"].nunique().tolist() == [3, 3, 3]
    assert len(study.collected(found, "system_perception")) == 3 * 2 * 25
    mine = found[found["respondent"] == "respondent 1"]
    for form, group in plan:
        part = mine[mine["instrument"] == form.name]
        given = dict(zip(part["item"], part["answer"].fillna(""), strict=True))
        book.submit(form, group, given | {"consent": 1}, code="P01A")
    assert len(study.collected(book.frame(), "ai_comfort")) == len(comfort) / 3
    assert book.withdraw("P01A") == 5 and book.frame().empty
