"""The hybrid coordinator places meetings in calendars: what binds, what is wished, and what is told."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta

import pytest

from support.environments.meetings.company import Profile
from support.environments.meetings.meeting import Meeting
from support.environments.meetings.scenario import scenarios
from support.environments.meetings.views import Brief, Intent
from support.errors import InvalidInput
from support.participants.facilitators.hybrid import HybridCoordinator, invitation_of
from support.records import Option

NAMES = ("Ana", "Ben", "Cem")


def at(hour, minute=0, day=16):
    return f"2026-02-{day:02d}T{hour:02d}:{minute:02d}-05:00"


def busy(*hours):
    return tuple(tuple(datetime.fromisoformat(at(h)) for h in pair) for pair in hours)


def profiles(**zones):
    return {
        n: Profile(n, "Engineer", None, 2, ("building",), zones.get(n, "America/New_York"), ("08:00", "18:00"))
        for n in NAMES
    }


def brief(said, k=2, required=(), days=1, **rest):
    meeting = Meeting(
        "m1", "Olga", NAMES, "Plan", "2026-02-16", 60, "Let us plan.", "2026-02-12T09:00-05:00", "America/New_York",
        required, days,
    )  # fmt: skip
    return Brief(meeting, 1, k, {m: Intent(tuple(said.get(m, ()))) for m in NAMES}, **rest)


def starts(coordinator, given):
    return [s.start for s in asyncio.run(coordinator.propose(given))]


def test_required_attendees_are_free_and_within_their_hours():
    calendars = {"Ana": busy((8, 12)), "Ben": busy((12, 16)), "Cem": busy((8, 18))}
    found = starts(HybridCoordinator(profiles(), calendars), brief({}, k=9, required=("Ana", "Ben")))
    assert set(found) == {at(16), at(16, 30), at(17)}


def test_working_hours_are_on_the_members_own_clock():
    found = starts(HybridCoordinator(profiles(Ana="Europe/Berlin")), brief({}, k=99, required=("Ana",)))
    assert max(found) == at(11)  # 17:00 to 18:00 in Berlin


def test_a_preference_above_all_binds_who_is_required_and_others_are_wishes():
    said = {"Ana": ["Prefers meetings between 13:00 and 15:00, above all"], "Ben": ["Prefers meetings before 10:00"]}
    found = starts(HybridCoordinator(profiles()), brief(said, k=9, required=("Ana",)))
    assert set(found) == {at(13), at(13, 30), at(14)}


def test_as_many_as_possible_attend_then_get_something_then_priorities_count():
    calendars = {"Ben": busy((8, 10)), "Cem": busy((16, 18))}
    said = {"Ana": ["Prefers meetings before 10:00"], "Ben": ["Prefers meetings between 11:00 and 13:00, if possible"],
            "Cem": ["Prefers meetings after 12:00"]}  # fmt: skip
    assert starts(HybridCoordinator(profiles(), calendars), brief(said, k=1)) == [at(12)]


def test_who_attends_comes_before_who_gets_something():
    said = {"Ana": ["Prefers meetings before 12:00"], "Cem": ["Prefers meetings before 12:00"]}
    assert starts(HybridCoordinator(profiles(), {"Ben": busy((8, 16))}), brief(said, k=1)) == [at(16)]


def test_the_wishes_that_the_solver_sees_are_those_that_slots_fulfil():
    for scenario in scenarios(5, 2, 3):
        intents = {m: Intent(tuple(scenario.private[m].texts[:1])) for m in scenario.members}
        plan = HybridCoordinator.of(scenario).plan(Brief(scenario.meeting, 1, 2, intents))
        labels = {f"{m}: {w}" for m, wishes in plan.wishes.items() for w in wishes}
        assert labels
        from support.solvers.scheduling import slot_at

        for start in scenario.meeting.slots()[::5]:
            slot = slot_at(plan.problem, (start - plan.origin) // timedelta(minutes=1))
            held = [w for m in slot.attends for w in plan.wishes[m] if w.fulfilled(plan.view(m, start))]
            told = [label for label in slot.held if not label.endswith("gets something")]
            assert len(told) == len(held)
            assert set(slot.attends) - set(scenario.meeting.required) == {
                m for m in scenario.members if plan.attends(m, start) and m not in scenario.meeting.required
            }


def test_options_are_apart_and_the_candidate_is_first():
    coordinator = HybridCoordinator(profiles(), spacing=120)
    candidate = Option("O1", at(11))
    found = starts(coordinator, brief({}, k=3, candidate=candidate))
    assert found[0] == at(11)
    moments = [datetime.fromisoformat(s) for s in found]
    assert len(found) == 3
    assert min(abs(a - b) for a in moments for b in moments if a != b) >= timedelta(hours=2)


def test_reasons_name_calendars_and_what_holds():
    said = {"Ana": ["Prefers meetings before 12:00", "Avoids meetings on Mondays"]}
    calendars = {"Ana": (), "Ben": (), "Cem": ()}
    first = asyncio.run(HybridCoordinator(profiles(), calendars).propose(brief(said, k=1)))[0]
    assert first.reasons == ("free for all 3", "Ana: Prefers meetings before 12:00")
    assert first.members == ("Ana",)


def test_an_unknown_calendar_is_not_called_free():
    first = asyncio.run(HybridCoordinator(profiles(), {"Ana": (), "Ben": None}).propose(brief({}, k=1)))[0]
    assert first.reasons == ("free for Ana",)


def test_where_nothing_is_left_the_conflict_and_the_way_out_are_named():
    calendars = {"Ana": busy((8, 13)), "Ben": busy((13, 18))}
    with pytest.raises(InvalidInput, match=r"m1: No time is left.*Ana's calendar.*Ben's calendar.*least to give up"):
        starts(HybridCoordinator(profiles(), calendars), brief({}, required=("Ana", "Ben")))


def test_a_member_without_a_profile_is_refused_by_name():
    with pytest.raises(InvalidInput, match="profiles: none given for Ben, Cem"):
        starts(HybridCoordinator({"Ana": profiles()["Ana"]}), brief({}))


def test_a_scenario_seats_its_calendars_and_not_its_preferences():
    scenario = scenarios(4, 1, 0)[0]
    made = HybridCoordinator.of(scenario)
    assert set(made.profiles) == set(scenario.members)
    assert made.busy == scenario.busy
    assert "private" not in vars(made)


def test_the_chosen_option_is_an_invitation_that_a_calendar_reads():
    import icalendar

    given = brief({}, required=("Ben",)).meeting
    made = icalendar.Calendar.from_ical(invitation_of(Option("O1", at(14), (), ("free for all 3",)), given))
    event = made.walk("VEVENT")[0]
    assert event.decoded("dtstart") == datetime.fromisoformat(at(14))
    assert event.decoded("dtend") - event.decoded("dtstart") == timedelta(minutes=60)
    assert [str(a) for a in event["attendee"]] == [f"mailto:{n.lower()}@example.org" for n in NAMES]
    assert "free for all 3" in event["description"]


def test_an_invitation_without_an_address_or_a_slot_is_refused():
    given = brief({}).meeting
    with pytest.raises(InvalidInput, match="addresses: none given for Olga"):
        invitation_of(Option("O1", at(14)), given, dict.fromkeys(NAMES, "a@example.org"))
    with pytest.raises(InvalidInput, match="start:"):
        invitation_of(Option("O1", at(3)), given)
