"""A simulated principal: what it corrects, what it leaves behind, and how a course of
sessions is measured."""

import asyncio
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.alignment import (
    HIDDEN,
    KEPT,
    REQUESTS,
    Preferences,
    Principal,
    alignment,
    brief,
    drawn,
    learnt,
    programme,
)
from support.errors import InvalidInput
from support.seminar import words
from support.seminar.data import PROFESSOR
from support.seminar.desk import Artefacts, load_templates
from support.seminar.policies import PolicySet, load_policies
from support.seminar.review import ALWAYS, Automatic
from support.seminar.study import seminar

SEEDS = st.integers(0, 2**32 - 1)
STRICT = Preferences(
    PolicySet(tuple(among[-1] for among in HIDDEN.values())),
    {
        "professors": "Good day {name},",
        "others": "Hi {first},",
        "closing": "Until soon,",
        "brief": True,
    },
    ("video",),
)
"""The last of everything: no mails on Mondays, five days of patience, students first."""


def rng(seed=1):
    return np.random.default_rng(seed)


def at_desk(seed=1, likes=STRICT, away=False, remembers=False, artefacts=None):
    """Who sat at the desk of a rehearsal, and its record."""
    people = programme(rng(seed), held_out=False, size=5)
    who = Principal(likes, people, away, remembers)
    asked = {"reviewer": who, "delegation": ALWAYS, "artefacts": artefacts}
    return who, asyncio.run(seminar(rng(seed), people, **asked))


@pytest.fixture(scope="module")
def strict():
    return at_desk()


@pytest.mark.parametrize(
    "wrong", [{"learning": "policies"}, {"learning": ["policy"]}, {"sessions": 0}]
)
def test_a_study_of_what_nobody_can_learn_is_refused(wrong):
    with pytest.raises(InvalidInput, match=next(iter(wrong))):
        asyncio.run(alignment(rng(2), **wrong))


def test_what_is_sent_is_as_the_principal_wants_it(strict):
    _, record = strict
    sent = [mail for day in record.days for mail in day.sent]
    assert sent
    for mail in sent:
        person = record.scenario.by_name[mail.to]
        role = "professors" if person.role == PROFESSOR else "others"
        found = words.manner(mail.body, person.name, record.scenario.organiser)
        assert found == {"greeting": STRICT.manners[role], "closing": "Until soon,"}
        assert brief(mail.body) == mail.body
    assert all(day.date.weekday() for day in record.days if day.sent)


def test_reminders_wait_as_long_as_the_principal_wants(strict):
    _, record = strict
    last, waits = {}, []
    for day in record.days:
        for mail in day.sent:
            if mail.kind == "follow_up":
                waits.append(np.busday_count(last[mail.to], day.date))
            last[mail.to] = day.date
    assert waits and min(waits) >= STRICT.policies["patience"].days


@settings(max_examples=5, deadline=None)
@given(SEEDS)
def test_property_who_is_away_notes_and_changes_nothing(seed):
    people = programme(rng(seed), held_out=True, size=4)
    likes = drawn(rng(seed))
    who = Principal(likes, people, away=True, remembers=False)
    how = {"delegation": ALWAYS, "artefacts": None}
    watched = asyncio.run(seminar(rng(seed), people, reviewer=who, **how))
    alone = asyncio.run(seminar(rng(seed), people, reviewer=Automatic(), **how))
    assert watched.days == alone.days


def test_a_request_is_decided_as_preferred_and_again_only_where_it_is_not_remembered():
    for seed in range(1, 9):
        who, record = at_desk(seed)
        flags = [flag for day in record.days for flag in day.flags]
        for flag in flags:
            kind = record.scenario.by_name[flag.person].issue_kind
            assert flag.grants is (kind == "video") and flag.words == flag.answer
        kinds = {record.scenario.by_name[flag.person].issue_kind for flag in flags}
        again, _ = at_desk(seed, remembers=True)
        assert who.noted["granted"] == len(flags)
        assert again.noted["granted"] == len(kinds & {*REQUESTS})


@pytest.mark.parametrize("kept", KEPT)
def test_each_kind_of_learning_leaves_its_own_thing_and_no_other(strict, kept):
    who, record = strict
    start = Artefacts(load_policies("seed"), load_templates())
    made = learnt(start, who, record, [kept])
    changed = {
        "policies": made.policies != start.policies,
        "templates": made.templates != start.templates,
        "hooks": made.hooks != start.hooks,
        "edits": made.learnt != start.learnt,
    }
    assert changed == {name: name == kept for name in KEPT}
    assert learnt(start, who, record, []) == start


def test_two_policies_a_session_take_the_place_of_what_was_on_the_same_thing(strict):
    _, record = strict
    who = Principal(STRICT, record.scenario, away=False, remembers=False)
    who.noted.update(brief=9, rest=5, patience=4, certain=3)
    start = Artefacts(load_policies("seed"), load_templates())
    once = learnt(start, who, record, ["policies"])
    assert once.policies.ids == (
        "begin", "give_up", "ask_more", "vague", "faculty_first", "rest", "patience",
    )  # fmt: skip
    assert once.policies["patience"] == STRICT.policies["patience"]
    twice = learnt(once, who, record, ["policies"])
    assert set(twice.policies.ids) - set(once.policies.ids) == {"certain"}
    assert "vague" not in twice.policies.ids


def test_templates_of_mails_that_were_edited_are_short_afterwards(strict):
    who, record = strict
    start = Artefacts(load_policies("seed"), load_templates())
    begun = replace(record, days=record.days[:3])
    kinds = {mail.kind for day in begun.days for mail in day.sent}
    made = learnt(start, who, begun, ["templates"])
    assert kinds == {"invitation"}
    for old, new in zip(start.templates, made.templates, strict=True):
        assert new.body == (brief(old.body) if old.kind in kinds else old.body)
    assert made.templates[0].body != start.templates[0].body


@given(st.text())
def test_property_what_is_brief_stays_as_it_is(text):
    assert brief(brief(text)) == brief(text)


def test_nobody_of_a_held_out_programme_is_met_in_a_session():
    met = {p.name for k in range(9) for p in programme(rng(k), False, 5).people}
    kept = {p.name for k in range(9) for p in programme(rng(k), True, 5).people}
    assert not met & kept


@pytest.fixture(scope="module")
def course():
    """Courses of one principal, by what is kept."""

    def play(learning):
        return asyncio.run(alignment(rng(2), learning=learning, sessions=2, size=4))

    return {name: play(kept) for name, kept in (("all", KEPT), ("nothing", ()))}


def test_where_nothing_is_kept_nothing_changes_and_else_less_is_wrong(course):
    wrong = {
        name: [sum(one.violations.values()) for one in made.rounds]
        for name, made in course.items()
    }
    rounds = course["nothing"].rounds
    assert all(one == replace(rounds[0], number=one.number) for one in rounds)
    assert wrong["all"][-1] < wrong["all"][0] == wrong["nothing"][0]
