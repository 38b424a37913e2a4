"""The forms of a study with repeated answers; printed means fit few numbers of answers."""

import asyncio
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support import published
from support.analysis import user_study as study
from support.analysis.printed import Scale, grim
from support.errors import InvalidInput
from support.survey.respondents import sample

BEFORE, _, AFTER = study.POINTS
MEANS = study.study_means(published.load("002", "text 5.3"))
TRIED = study.which_n(MEANS, range(1, 21))


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


def test_a_questionnaire_that_there_is_not_is_refused():
    with pytest.raises(InvalidInput, match="ai_comfort, system_perception"):
        study.questionnaire("tlx", BEFORE)


@given(st.integers(1, 30), st.data())
def test_property_a_mean_that_is_computed_and_rounded_fits_its_rule_and_grim(n, data):
    total = data.draw(st.integers(n, 7 * n))
    for rule, how in study.ROUNDINGS.items():
        shown = str((Decimal(total) / n).quantize(Decimal("0.01"), how))
        assert study.rounds_to(shown, n, rule) and grim(shown, n, Scale(1, 7))


def test_ten_answers_stand_behind_the_first_points_and_eight_behind_the_last():
    counts = study.counted(TRIED).set_index(["group", "n"])
    for point in study.POINTS[:2]:
        assert counts.loc[point].query("all_fit").index.tolist() == [10, 20]
    eight = TRIED[(TRIED["group"] == AFTER) & (TRIED["n"] == 8)].set_index("item")
    assert list(eight.index[~eight["fits"]]) == ["draft and send: clarification"]
    assert list(eight.index[eight["half_even"] & ~eight["half_up"]]) == ["overall"]
    up = list(eight.index[eight["half_up"] & ~eight["half_even"]])
    assert up == ["mental demand", "physical demand"]


def test_approximations_are_not_judged():
    loose = {"draft only", "draft and send: invitation"}
    assert set(MEANS.loc[MEANS["about"], "item"]) == loose
    assert not loose & {*TRIED["item"]}
