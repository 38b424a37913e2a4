"""The two questionnaires at their points: one code for all forms of a person, ratings of seven, sources apart."""

import asyncio

import numpy as np
import pytest

from support.analysis.user_study.points import (
    POINTS,
    QUESTIONNAIRES,
    collected,
    given_at,
    in_order,
    need_points,
    need_repeated,
    questionnaire,
    questionnaires,
)
from support.errors import InvalidInput
from support.survey.respondents import simulate_repeated


@pytest.fixture
def filled(book):
    codes = asyncio.run(simulate_repeated(questionnaires(), book, 3, np.random.default_rng(1)))
    return book, codes


def test_the_paper_s_parts_are_asked():
    comfort, perception = (questionnaire(name, POINTS[1]) for name in QUESTIONNAIRES)
    kinds = ("invitation", "follow_up", "clarification", "confirmation")
    assert {f"{how}_{kind}" for how in ("draft", "send") for kind in kinds} <= set(comfort.items)
    assert {"wants_control", "wants_explanations", "trusts_acting"} <= set(comfort.items)
    features = [item for item in perception.items.values() if item.construct.startswith("feature")]
    assert len(features) == 15 and "reliance" in perception.items
    tlx = {"mental_demand", "physical_demand", "temporal_demand", "performance", "effort", "frustration"}
    assert tlx <= set(perception.items)


@pytest.mark.parametrize("name", QUESTIONNAIRES)
def test_every_rating_has_seven_steps_with_the_number_in_its_words(name):
    for section in questionnaire(name, POINTS[2]).asked:
        for item in section.items:
            if item.kind != "text":
                assert [c.value for c in item.choices] == list(range(1, 8))
                assert all(c.label.startswith(str(c.value)) for c in item.choices)


def test_a_form_of_a_point_keeps_the_sum_of_the_wording_and_has_a_name_of_its_own():
    first, last = (questionnaire("ai_comfort", point) for point in (POINTS[0], POINTS[2]))
    assert first.sum == last.sum and first.name != last.name
    assert first.groups == (POINTS[0],) and POINTS[2] in last.title


def test_a_questionnaire_is_refused_where_it_is_not_given():
    with pytest.raises(InvalidInput, match="before session 1"):
        questionnaire("system_perception", POINTS[0])
    with pytest.raises(InvalidInput, match="ai_comfort, system_perception"):
        questionnaire("tlx", POINTS[0])
    assert given_at("system_perception") == POINTS[1:] and given_at("ai_comfort") == POINTS


def test_all_forms_of_a_person_lie_under_one_code_and_go_together(filled):
    book, codes = filled
    assert len(set(codes)) == 3 and book.forms()["respondent"].value_counts().to_dict() == dict.fromkeys(codes, 5)
    assert book.withdraw(codes[0]) == 5
    assert set(collected(book, "ai_comfort", None)["respondent"]) == set(codes[1:])


def test_collected_answers_have_their_point_and_no_free_text(filled):
    book, _ = filled
    comfort = collected(book, "ai_comfort", "simulated: rule-based")
    assert comfort.groupby(["respondent", "item"])["point"].apply(lambda points: tuple(points) == POINTS).all()
    assert len(comfort) == 3 * 3 * 17 and comfort["answer"].between(1, 7).all()
    assert len(collected(book, "system_perception", None)) == 3 * 2 * 25


def test_simulated_answers_are_no_people_s(filled):
    book, _ = filled
    assert collected(book, "ai_comfort").empty


def test_answers_of_two_sources_are_refused_together(rising):
    import pandas as pd

    both = pd.concat([rising(3), rising(3, source="simulated: rule-based").replace({"P0": "Q0"})])
    with pytest.raises(InvalidInput, match="never pooled"):
        need_repeated(both)


@pytest.mark.parametrize("value", [0, 8, 3.5])
def test_an_answer_off_the_scale_is_refused(rising, value):
    frame = rising(3)
    frame.loc[0, "answer"] = value
    with pytest.raises(InvalidInput, match="from 1 to 7"):
        need_repeated(frame)


def test_whoever_answers_an_item_twice_at_one_point_is_refused(rising):
    import pandas as pd

    frame = rising(3)
    with pytest.raises(InvalidInput, match="twice"):
        need_repeated(pd.concat([frame, frame.head(1)]))


def test_points_come_in_the_order_of_the_study_and_unknown_ones_are_named(rising):
    assert in_order([POINTS[2], "later", POINTS[0]]) == [POINTS[0], POINTS[2], "later"]
    with pytest.raises(InvalidInput, match="'next year'"):
        need_points(rising(3), POINTS[0], "next year")
    with pytest.raises(InvalidInput, match="twice"):
        need_points(rising(3), POINTS[0], POINTS[0])
    with pytest.raises(InvalidInput, match="sideways"):
        need_repeated(rising(3), ["sideways"])


def test_a_check_leaves_every_answer_where_it_is(rising):
    frame = rising(5)
    assert need_repeated(frame)["answer"].tolist() == frame["answer"].tolist() != frame["answer"].tolist()[::-1]
