"""The study of the organiser: its settings reach the run, and a unit's seed alone decides what happens."""

import asyncio

import numpy as np
import pytest

from support.errors import InvalidInput
from support.models.stand_ins import stand_in
from support.runs.study import from_json, packed, to_json
from support.seats import people
from support.seminar.artefacts import Artefacts
from support.seminar.data import scenario
from support.seminar.organizer import RuleBasedOrganizer
from support.seminar.organizing import desk_of
from support.seminar.records import REPLY, Action, Hook, Understood
from support.seminar.rules import load_policies
from support.seminar.study import policy_set, seminar
from support.seminar.views import DayPlan, Draft, Review
from support.simulations import rehearsals

SCENARIOS = ("four", "series", "panel")


def play(seed=1, **settings):
    return asyncio.run(seminar(np.random.default_rng(seed), **settings))


@pytest.mark.parametrize("name", SCENARIOS)
def test_every_scenario_is_rehearsed_nobody_gets_what_they_did_not_name_and_dates_change_hands_by_mail_only(
    name,
):
    made, programme = play(scenario=name, policies="all"), scenario(name)
    assert not any(day.format_errors for day in made.days)
    assert len(made.days) <= (programme.deadline - programme.start).days + 1
    named = {}
    for day in made.days:
        for read in day.understood:
            named.setdefault(read.person, set()).update(read.available + read.vague)
        for slot, names in day.assignment:
            assert len(names) <= programme.seats and all(
                slot in named[person] for person in names
            )
    assert sum(map(len, made.assignment.values())) > 0

    before = {}
    for day in made.days:
        given = {(m.slots[0], m.to) for m in day.sent if m.kind == "confirmation"}
        after = dict(day.assignment)
        for slot, names in after.items():
            assert set(names) - set(before.get(slot, ())) == {
                who for date, who in given if date == slot
            }
            back = {
                read.person
                for read in day.understood
                if slot in read.cancelled + read.unavailable or read.declined
            }
            assert set(before.get(slot, ())) - set(names) <= back
        before = after

    mails = [mail for day in made.days for mail in (*day.received, *day.sent)]
    assert [mail.id for mail in mails] == list(range(1, len(mails) + 1))
    by_id = {mail.id: mail for mail in mails}
    for mail in mails:
        if mail.kind == REPLY:
            asked = by_id[mail.answers]
            assert asked.to == mail.sender and asked.day < mail.day


def test_one_seed_gives_one_log_and_another_seed_another():
    first, again, other = (play(seed) for seed in (3, 3, 4))
    assert (
        first == again and to_json(first) == to_json(again) and first.days != other.days
    )
    assert from_json(packed(first).kind, to_json(first)) == first
    told, dates = first.summary, first.assignment.values()
    assert (told["days"], told["filled"]) == (
        len(first.days),
        len([*filter(any, dates)]),
    )


def test_what_an_earlier_run_left_is_what_the_next_begins_with():
    left = Artefacts(
        load_policies("seed").drop("begin"), hooks=(Hook("video", "Video?", "Yes."),)
    )
    made = play(artefacts=left, until=1)
    assert made.hooks == left.hooks and "begin" not in dict(made.policies)
    assert made.settings["policies"] == "own"


@pytest.mark.parametrize(
    ("given", "ids"),
    [
        ("none + weekend", ["weekend"]),
        ("seed - begin - vague - ask_more", ["follow_up", "give_up", "faculty_first"]),
        (
            [
                {
                    "id": "mine",
                    "text": "Write again after five working days without an answer.",
                }
            ],
            ["mine"],
        ),
    ],
)
def test_policies_are_named_by_part_and_change_or_given(given, ids):
    assert list(policy_set(given).ids) == ids == list(policy_set(policy_set(given)).ids)


ROLES = ("organizer", "detector", "seats", "reviewer")


def test_models_may_take_all_roles_for_a_whole_rehearsal():
    made = play(
        **dict.fromkeys(ROLES, "model"),
        model=stand_in(),
        delegation="always ask",
        policies="all",
        until=20,
    )
    assert all(kind.startswith("model:") for kind in made.seats.values()) and sum(
        day.replies for day in made.days
    )
    assert len(made.days) == 20 or all(made.assignment.values())


ANSWERS = {
    "read": lambda view: Understood(0, "", available=view.item.slots),
    "select": lambda view: (),
    "plan": lambda view: Review("approve"),
    "act": lambda view: tuple(
        Action("invitation", c.name) for c in view.desk.state.waiting() if not c.mails
    ),
    "draft": lambda view: Draft("Dates", f"Dear {view.about}, which date?"),
    "answer": lambda view: "15 September.",
    **dict.fromkeys(("action", "mail"), lambda view: Review("approve")),
    **dict.fromkeys(
        ("progress", "close", "describe", "flag"), lambda view: "All is well."
    ),
    "check": lambda view: "Shall we?" if "September" in view else "",
}


@pytest.mark.parametrize("role", ROLES)
def test_a_person_may_take_each_role(role):
    async def rehearse():
        async def answer():
            while question := await questions.get():
                view = question.view
                given = (
                    DayPlan("Invite everybody.", "")
                    if role == "organizer" and question.phase == "plan"
                    else None
                )
                question.answer(given or ANSWERS[question.phase](view))

        questions = asyncio.Queue()
        task = asyncio.ensure_future(answer())
        with people(questions):
            settings = {"seats": "prompt", "delegation": "always ask", "until": 3} | {
                role: "human"
            }
            made = await seminar(np.random.default_rng(1), "four", **settings)
        task.cancel()
        return made

    made = asyncio.run(rehearse())
    assert (
        "human" in made.seats.values() and sum(len(day.sent) for day in made.days) >= 4
    )
    assert not any(day.format_errors for day in made.days)


def test_the_same_people_are_met_under_every_set_of_policies(store):
    sweep = rehearsals(
        "policies", 2, seed=5, policies=["seed", "seed - ask_more"], until=[4]
    )
    asyncio.run(sweep.run(store, progress=False))
    made = [(unit.repetition, record) for unit, record in store.records(sweep.name)]
    assert len(made) == 4 and sweep.name == "policies by until, seed 5"
    for k in (0, 1):
        one, other = (record.days for repetition, record in made if repetition == k)
        assert [d.received for d in one[:2]] == [d.received for d in other[:2]]


def test_the_last_desk_can_be_had_again_from_the_days():
    class Spy(RuleBasedOrganizer):
        async def close(self, desk):
            self.last = desk
            return await super().close(desk)

    spy = Spy(np.random.default_rng(1))
    run = play(3, scenario="series", organizer=spy, policies="all")
    found = desk_of(scenario("series"), run.days)
    same = ("scenario", "state", "day", "mails", "hooks", "edits")
    assert [getattr(found, part) for part in same] == [
        getattr(spy.last, part) for part in same
    ]
    with pytest.raises(InvalidInput, match="days: none given"):
        desk_of(scenario("series"), [])
