"""Simulated respondents: traits do what their docstrings say, models answer in the form, people are never mixed in."""

import asyncio
import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.answers import AnswerBook
from support.errors import InvalidInput, MalformedReply
from support.instruments import INSTRUMENTS, check_form, load
from support.models.fakes import scripted
from support.participants.respondents import ModelRespondent, Persona, RuleBasedRespondent, draw_persona, simulate
from support.participants.respondents.language_model import TEXT, briefing, questions, section_schema
from support.participants.respondents.rule_based import signal

SURVEY = load("meeting_survey")
SECTIONS = {section.id: section for section in SURVEY.sections}


def filled(persona, group="A", seed=0, instrument=SURVEY):
    return asyncio.run(RuleBasedRespondent(persona, np.random.default_rng(seed)).fill(instrument, group))


def mean_rating(persona, item, group="A", n=100):
    return np.mean([filled(persona, group, seed)[item] for seed in range(n)])


@pytest.mark.parametrize("name", INSTRUMENTS)
@given(seed=st.integers(0, 2**32), group=st.integers(0, 2))
@settings(max_examples=30, deadline=None)
def test_whatever_is_drawn_fits_the_instrument(name, seed, group):
    instrument = load(name)
    groups = instrument.groups
    answers = filled(draw_persona(np.random.default_rng(seed)), groups[group % len(groups)], seed, instrument)
    asked = {item.id for section in instrument.asked for item in section.items if item.required}
    assert asked <= {cell.item.id for cell in check_form(instrument, answers)}


def test_a_lenient_persona_rates_higher_and_an_acquiescent_one_only_agrees_more():
    plain, lenient, agreeing = Persona(), Persona(leniency=1.0), Persona(acquiescence=1.0)
    for item in ("preferences_considered", "options_reflect_members"):
        assert mean_rating(lenient, item, "B") > mean_rating(plain, item, "B") + 0.4
    assert mean_rating(agreeing, "options_reflect_members") > mean_rating(plain, "options_reflect_members") + 0.4
    assert filled(agreeing)["preferences_considered"] == filled(plain)["preferences_considered"]


def test_a_persona_that_reads_nothing_answers_alike_whatever_the_options_are():
    blind = Persona(attention=0.0)
    ratings = [mean_rating(blind, "preferences_considered", group) for group in SURVEY.groups]
    assert max(ratings) - min(ratings) < 0.3 and abs(np.mean(ratings) - 3) < 0.15


def test_options_that_meet_more_of_ones_wishes_are_rated_higher():
    fits = {group: np.mean([option.fit[group] for option in SURVEY.scenario.options]) for group in SURVEY.groups}
    persona = Persona(best=0.0)
    rated = {group: mean_rating(persona, "preferences_considered", group) for group in SURVEY.groups}
    assert sorted(fits, key=fits.get) == sorted(rated, key=rated.get) and len(set(fits.values())) == 3


def test_the_member_about_whom_a_reason_is_unsound_accepts_the_reasons_least():
    rated = {group: mean_rating(Persona(), "reasons_acceptable", group) for group in SURVEY.groups}
    assert min(rated, key=rated.get) == "A" and rated["A"] < rated["B"] - 1


@given(best=st.floats(0, 1), group=st.sampled_from(SURVEY.groups))
def test_judging_by_the_best_option_is_never_stricter_than_by_the_mean(best, group):
    for construct in ("consideration of own preferences", "reflection of all preferences"):
        low, at, high = (signal(construct, SURVEY.scenario, group, b, []) for b in (0.0, best, 1.0))
        assert 0 <= low <= at + 1e-12 and at <= high + 1e-12 and high <= 1


def test_signals_by_hand():
    scenario = SURVEY.scenario
    assert signal("acceptability of reasons", scenario, "A", 0.5, []) == 0.5  # one of two reasons about A is sound
    assert signal("acceptability of reasons, all known", scenario, "A", 0.5, []) == 0.75  # three of four
    assert signal("confidence in the coordinator", scenario, "A", 0.5, [5, 3]) == 0.75
    assert signal("anything else", scenario, "A", 0.5, []) == 0.5 == signal("anything", None, "x", 0.5, [])


def test_the_same_seed_gives_the_same_forms(tmp_path):
    books = [AnswerBook(tmp_path / f"{name}.sqlite") for name in "ab"]
    for book in books:
        asyncio.run(simulate(SURVEY, book, 3, np.random.default_rng(11)))
    assert books[0].frame("simulated").equals(books[1].frame("simulated"))


def test_simulate_fills_every_group_and_no_person_appears(book):
    codes = asyncio.run(simulate(SURVEY, book, 4, np.random.default_rng(2)))
    forms = book.forms()
    assert forms["respondent"].tolist() == codes and forms["group"].tolist() == [g for g in "ABC" for _ in range(4)]
    assert set(forms["source"]) == {"simulated: rule-based"} and book.frame().empty
    assert book.likert("simulated")["respondent"].nunique() == 12


@pytest.mark.parametrize("per_group", [0, -1, 1.5, True, "3"])
def test_a_number_of_respondents_that_is_none_is_refused(book, per_group):
    with pytest.raises(InvalidInput, match="expected a whole number from 1 up"):
        asyncio.run(simulate(SURVEY, book, per_group, np.random.default_rng(2)))


REPLIES = {
    "intake": {"role": "sales", "experience": 2, "meeting_size": 2, "meetings_per_day": 2, "uses": [1],
               "uses_other": ""},
    "part_1": {"preferences_considered": 4, "reasons_acceptable": 3, "reasons_why": "Short."},
    "part_2": {"preferences_considered_all": 4, "reasons_acceptable_all": 3, "options_reflect_members": 2},
    "part_3": {"options_wanted_3": 2, "options_wanted_5": 3, "confidence": 5, "confidence_why": "", "feedback": ""},
}  # fmt: skip


def answer(messages, heard=None):
    """Reply to the section that was asked last."""
    asked = next(m["content"] for m in reversed(messages) if m["role"] == "user" and m["content"].startswith("# "))
    if heard is not None:
        heard.append(messages)
    return next(REPLIES[name] for name, section in SECTIONS.items() if section.title in asked)


def test_a_model_answers_all_items_and_its_name_is_the_source(book):
    model = scripted(answer, name="tiny")
    asyncio.run(simulate(SURVEY, book, 2, np.random.default_rng(1), model))
    frame = book.frame("simulated: tiny")
    assert frame["respondent"].nunique() == 6 and book.frame().empty
    assert set(book.likert("simulated")["answer"]) == {2, 3, 4, 5}


def test_a_model_reads_its_own_part_its_earlier_answers_and_no_truth():
    heard = []
    model = scripted(lambda messages: answer(messages, heard))
    asyncio.run(ModelRespondent(model, Persona(attention=0.95)).fill(SURVEY, "B"))
    first, last = heard[0], heard[-1]
    assert "Pavel Lindqvist" in first[0]["content"] and "read closely" in first[0]["content"]
    assert [m["role"] for m in last] == ["system", *["user", "assistant"] * 3, "user"]
    assert json.loads(last[4]["content"]) == REPLIES["part_1"]
    for message in last:
        assert "sound" not in message["content"] and "fit" not in message["content"].split()


@pytest.mark.parametrize("group", SURVEY.groups)
def test_part_1_shows_own_wishes_only_and_part_2_all(group):
    one, two = (questions(SURVEY, SECTIONS[part], group) for part in ("part_1", "part_2"))
    for member in SURVEY.scenario.members:
        assert all((wish in one) == (member.group == group) and wish in two for wish in member.wishes)
    assert all(f'"{item.id}"' in one for item in SECTIONS["part_1"].items)


def test_traits_are_told_in_words():
    words = [briefing(SURVEY, "A", replace(Persona(attention=0.8), **{name: value}))
             for name, value in (("leniency", 1.0), ("leniency", -1.0), ("acquiescence", 1.0), ("attention", 0.3),
                                 ("best", 0.9), ("best", 0.1), ("best", 0.5))]  # fmt: skip
    assert len(set(words)) == 7 and all(text.startswith(words[-1][:60]) for text in words)


def test_a_reply_outside_the_scale_or_with_an_address_goes_back_to_the_model():
    wrong = [{**REPLIES["intake"], "experience": 9}, {**REPLIES["intake"], "role": "me@example.org"}]
    script = iter([*wrong, REPLIES["intake"], REPLIES["part_1"], REPLIES["part_2"], REPLIES["part_3"]])
    model = scripted(lambda _: next(script))
    answers = asyncio.run(ModelRespondent(model).fill(SURVEY, "A"))
    assert answers["role"] == "sales" and model.calls == 4 and model.live_calls == 6


def test_every_string_and_list_of_a_schema_is_bounded():
    for name in INSTRUMENTS:
        for section in load(name).asked:
            for field in section_schema(section).model_json_schema()["properties"].values():
                assert field["type"] != "string" or field["maxLength"] == TEXT
                assert field["type"] != "array" or field["maxItems"] == 5


def test_forms_before_a_failure_are_kept_and_the_failure_is_told(book):
    model = scripted(lambda m: "no JSON" if "part of Rosa Imani" in m[0]["content"] else answer(m), name="tiny")
    with pytest.raises(MalformedReply):
        asyncio.run(simulate(SURVEY, book, 2, np.random.default_rng(1), model))
    assert book.forms()["group"].tolist() == ["A", "A", "B", "B"]


def test_a_box_that_a_model_ticks_twice_is_ticked():
    schema = section_schema(load("meeting_survey").sections[0])
    fields = {"role": "nursing", "experience": 3, "meeting_size": 2, "meetings_per_day": 2, "uses_other": ""}
    assert schema(**fields, uses=[1, 1, 3]).uses == [1, 3]
