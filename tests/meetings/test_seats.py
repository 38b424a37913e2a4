"""Models and people in every role, by scripted replies and by answers to questions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from support.errors import InvalidInput
from support.meetings.data import Meeting, load_company
from support.meetings.preferences import (
    Busy,
    Choice,
    Hours,
    Notice,
    Weekdays,
    Window,
    Words,
)
from support.meetings.records import ASSISTANT, Coordination, Option
from support.meetings.scenario import load_group, meeting_scenario
from support.meetings.seats import clocks, labels
from support.meetings.wording import offered
from support.models.profiles import FAKE, Limits
from support.models.stand_ins import scripted, stand_in
from support.seats import Question

Play = Callable[..., Coordination]
GROUP = 3  # of which Silvio Marchetta, Gareth Pendry and Priya Raghunathan are members
MORNING = {"kind": "window", "start": "09:00", "end": "12:00"}
SAID = {
    "answer": {"text": "Mornings, please.", "wishes": [], "done": True},
    "remark": {"text": "When does it suit you?"},
    "read": {"wishes": [MORNING]},
}
EARLY = Hours(start="04:00", end="12:00")
WIDE = FAKE.model_copy(update={"limits": Limits()})
MARKS = {
    "read": "You note down",
    "propose": "You look for",
    "score": "You judge",
    "answer": "What do you,",
}


def phase(messages: Any) -> str:
    """Which act a model is asked for."""
    asked = messages[-1]["content"]
    found = [name for name, mark in MARKS.items() if mark in asked]
    return found[0] if found else "remark"


def model(**replies: Any) -> Any:
    """A model that says one thing for each act."""
    return scripted(lambda messages: {**SAID, **replies}[phase(messages)])


SPELT = [
    (
        {"kind": "window", "start": "9:00", "end": "12:00", "weekdays": [], "hours": 0},
        Window(start="9:00", end="12:00"),
    ),
    (
        {"kind": "weekdays", "weekdays": ["monday"], "slot": "", "most": None},
        Weekdays(weekdays=("Monday",)),
    ),
    (
        {"kind": "choice", "slot": "tue 3 feb 3:30", "text": "early"},
        Choice(slot="2026-02-03T08:30+00:00"),
    ),
    ({"kind": "Notice", "hours": "48", "priority": 3}, Notice(hours=48, priority=3)),
    ({"kind": "words", "text": "Not in the rain."}, Words(text="Not in the rain.")),
    ({"kind": "hours", "start": "04:00", "end": "12:00"}, EARLY),
    (
        {"kind": "busy", "day": "Tue 3 Feb", "start": "03:00", "end": "4:15"},
        Busy(start="2026-02-03T03:00-05:00", end="2026-02-03T04:15-05:00"),
    ),
]


@pytest.mark.parametrize("reader", ["own", "stated"])
@pytest.mark.parametrize(("wish", "kept"), SPELT)
def test_wishes_are_read_by_a_model_or_stated_however_it_fills_in_their_form(
    play: Play, wish: dict[str, Any], kept: Any, reader: str
) -> None:
    """On the clock of Silvio Marchetta, five hours behind London's."""
    given = {"wishes": [wish]}
    told = {**SAID["answer"], **given} if reader == "stated" else SAID["answer"]
    speaks = model(answer=told, read=given)
    seats = ["model", "plain", "plain"]
    record = play(group=GROUP, seats=seats, reader=reader, model=speaks, rounds=1)
    turn = record.rounds[0].talks["Silvio Marchetta"][-1]
    assert (turn.text, turn.wishes, turn.done) == ("Mornings, please.", (kept,), True)
    assert record.rounds[0].notes["Silvio Marchetta"] == (kept,)


def test_an_event_or_hours_that_are_stated_keep_a_member_away(play: Play) -> None:
    wishes = [
        {"kind": "hours", "start": "04:00", "end": "12:00"},
        {"kind": "flexible"},
        {"kind": "busy", "day": "Tue 3 Feb", "start": "07:00", "end": "12:00"},
    ]
    speaks, seats = model(read={"wishes": wishes}), ["model", "plain", "plain"]
    record = play(
        group=GROUP, seats=seats, coordinator="exhaustive", model=speaks, rounds=1
    )
    notes = {"Silvio Marchetta": record.rounds[0].notes["Silvio Marchetta"]}
    scenario = load_group(GROUP, 3)
    worth = scenario.scores(scenario.slots, notes)
    free = [slot[11:16] for slot in worth if worth[slot]["Silvio Marchetta"]]
    assert free[0] == "09:00"  # 04:00 in New York
    assert free[-1] <= "12:00"


@pytest.mark.parametrize("none", [None, "none", "null", ""])
def test_who_agrees_to_nothing_may_say_so_in_a_text(play: Play, none: Any) -> None:
    said = {"text": "Neither.", "agrees": none, "done": True}
    for answer, kept in ((said, None), ({**said, "agrees": "o1"}, "O1")):
        speaker = model(answer=answer, read={"wishes": None})
        record = play(group=GROUP, rounds=2, seats="model", model=speaker)
        turns = [talk[-1] for talk in record.rounds[1].talks.values()]
        assert {turn.agrees for turn in turns} == {kept}
        assert not record.rounds[1].format_errors


def asked_of(play: Play, mark: str, **settings: Any) -> list[str]:
    """The prompts of an act that hold a mark, of a run with models."""
    heard: list[str] = []

    def reply(messages: Any) -> Any:
        heard.append("\n\n".join(message["content"] for message in messages))
        return SAID.get(phase(messages), {})

    play(group=GROUP, model=scripted(reply, profile=WIDE), **settings)
    return [text for text in heard if mark in text]


def test_an_evaluator_knows_the_hours_that_the_coordinator_uses(play: Play) -> None:
    settings: Any = {"rounds": 1, "evaluator": "model"}
    for seats, database, count in (
        ("frank", [], 0),
        ("frank", ["hours"], 3),
        ("organised", ["hours"], 3),
    ):
        prompt, *_ = asked_of(
            play, "You judge", seats=seats, database=database, **settings
        )
        told = prompt.partition("# What each")[2].partition("# The scale")[0]
        hours = [line for line in told.splitlines() if "I work from" in line]
        assert len(hours) == count


FACTS = [
    ("interviewer", "What do you say next", "[round 2] stands where"),
    ("coordinator", "You look for", "above all binds"),
    ("evaluator", "You judge", "above all binds"),
    ("evaluator", "You judge", "Free time before and after"),
    ("seats", "What do you,", "3 for what counts above all or cannot be moved"),
    ("seats", "What do you,", "- busy: another event"),
]


@pytest.mark.parametrize(("role", "mark", "fact"), FACTS)
def test_a_model_is_told_what_its_task_takes(
    play: Play, role: str, mark: str, fact: str
) -> None:
    settings: Any = {"seats": "organised", "reader": "stated", role: "model"}
    prompts = asked_of(play, mark, **settings)
    assert [text for text in prompts if fact in text]


@pytest.mark.parametrize("role", ["seats", "interviewer", "coordinator", "evaluator"])
def test_nobody_reads_of_clocks_where_venues_are_in_question(
    play: Play, role: str
) -> None:
    settings: Any = {"rounds": 2, "decision": "venue", "seats": "organised"}
    prompts = asked_of(play, "", **{**settings, role: "model"})
    assert prompts and not [text for text in prompts if "clock" in text]


def test_what_nobody_understood_is_missing_and_not_unsatisfied(play: Play) -> None:
    rain = {"wishes": [{"kind": "words", "text": "Not when it rains."}]}
    record = play(
        group=GROUP, seats=["model", "plain", "plain"], model=model(read=rain)
    )
    for entry in record.rounds:
        silvio = record.members[0]
        assert entry.notes[silvio] == (Words(text="Not when it rains."),)
        assert {row[silvio] for row in entry.scores.values()} == {None}


def test_a_coordinator_gives_reasons_by_number_and_keeps_the_candidate(
    play: Play,
) -> None:
    """It may copy what stands in brackets, and give an option twice."""
    silvio, start = ["silvio marchetta"], "Tue 3 Feb 15:00 (Tue 10:00 for Silvio)"
    one = {"slot": start, "members": silvio, "reasons": ["[1]"]}
    other = {"slot": "Tue 3 Feb 14:00", "members": [], "reasons": []}
    first = {"options": [one, {**other, "slot": "tue 3 feb 13:00"}]}
    later = {"candidate": {"members": [], "reasons": [2]}, "options": [other]}
    replies = iter([first, later, {**later, "options": []}])
    speaks = scripted(lambda messages: next(replies))
    record = play(group=GROUP, coordinator="model", model=speaks, rounds=3)
    made, kept, alone = record.rounds
    assert [option.slot[11:16] for option in made.options] == ["15:00", "13:00"]
    member, wish = next((m, w[0]) for m, w in made.notes.items() if w)
    assert made.options[0].reasons == {member: (wish,)}
    assert made.options[0].members == ("Silvio Marchetta",)
    assert kept.options[0].id == made.candidate
    assert set(made.breaches) == {"O1", "O2"}
    assert len(alone.options) == 1


def test_an_evaluator_may_not_know(play: Play) -> None:
    def judged(messages: Any) -> Any:
        names = load_group(GROUP, 3).members
        asked = [name for name in names if f"{name}:" in messages[-1]["content"]]
        row = {name: {"reason": "So.", "score": 2} for name in asked}
        row["Gareth Pendry"]["score"] = None
        return {"O1": row, "O2": row}

    record = play(group=GROUP, evaluator="model", model=scripted(judged), rounds=1)
    for row in record.rounds[0].scores.values():
        assert row["Gareth Pendry"] is None
        assert 2 in row.values()


def test_a_reply_that_never_fits_is_recorded_and_the_rest_goes_on(play: Play) -> None:
    for role, kept in (("coordinator", 0), ("evaluator", 2)):
        bad = scripted(lambda messages: "I would rather not.")
        record = play(group=GROUP, model=bad, **{role: "model"})
        assert [len(entry.options) for entry in record.rounds] == [kept] * 4
        for entry in record.rounds:
            (_,) = [e for e in entry.format_errors if e.agent == role]
            assert entry.candidate is None
    silent = play(group=GROUP, seats=["model", "plain", "plain"], model=bad, rounds=1)
    assert silent.rounds[0].notes[silent.members[0]] == ()


@pytest.mark.parametrize("decision", ["time", "venue"])
def test_models_in_all_roles_finish_whatever_is_decided(
    play: Play, decision: str
) -> None:
    roles = dict.fromkeys(("seats", "interviewer", "coordinator", "evaluator"), "model")
    record = play(members=5, options=3, decision=decision, model=stand_in(), **roles)
    assert record.outcome
    # A stand-in may draw a wish that lacks what its kind needs.
    errors = [error for entry in record.rounds for error in entry.format_errors]
    assert {error.phase for error in errors} <= {"read"}


def test_a_slot_is_told_on_the_clock_of_its_day() -> None:
    """New York changes its clock on 8 March, Berlin on the 29th."""
    company = load_company()
    meeting = Meeting(
        id="x",
        organiser="Ngozi Adebanjo",
        members=("Bram Verhoeven", "Rafael Monteverde"),
        subject="Clocks",
        date="2026-03-06",
        days=2,
        duration=60,
        sent="2026-03-02T12:00-05:00",
        zone="America/New_York",
    )
    scenario = meeting_scenario(meeting, company)
    friday, monday = scenario.slots[0], scenario.slots[-1]
    assert clocks(scenario, friday) == "Fri 6 Mar 08:00 (Fri 14:00 for Bram Verhoeven)"
    assert clocks(scenario, monday) == "Mon 9 Mar 17:00 (Mon 22:00 for Bram Verhoeven)"
    theirs = labels(scenario, "Bram Verhoeven")
    assert [theirs["Fri 6 Mar 14:00"], theirs["Mon 9 Mar 22:00"]] == [friday, monday]
    window = Window(start="09:00", end="12:00")
    option = Option("O1", monday, reasons={"Rafael Monteverde": (window,)})
    told = offered(scenario, option, "Bram Verhoeven")
    assert "Monday 9 March at 22:00" in told
    assert "Rafael Monteverde (for whom it is 17:00)" in told


# ---- people ----------------------------------------------------------------------------


def test_a_person_in_each_role_reads_the_text_and_answers_in_the_form(
    asked: Callable[..., tuple[Coordination, list[Question]]],
) -> None:
    def answer(question: Question) -> Any:
        with pytest.raises(InvalidInput):
            question.answer({})
        assert "JSON" not in question.text + question.briefing
        if question.phase == "answer":
            slot = {"agrees": "O1"} if question.view[0].options else {}
            return {"text": "Early.", "wishes": [MORNING], "done": True, **slot}
        if question.phase == "propose":
            brief = question.view[0]
            options = [
                {"slot": f"Tue 3 Feb {hour}:00", "members": [], "reasons": [1]}
                for hour in (10 + brief.round, 14)
            ][: brief.k - len(brief.kept)]
            kept = {"candidate": {"members": [], "reasons": []}} if brief.kept else {}
            return {"options": options, **kept}
        if question.phase == "score":
            brief, options = question.view
            row = {name: {"reason": "So.", "score": 1} for name in brief.notes}
            return {option.id: row for option in options}
        return SAID[question.phase]

    roles = dict.fromkeys(("seats", "interviewer", "coordinator", "evaluator"), "human")
    record, questions = asked(answer, group=GROUP, rounds=2, **roles)
    assert {q.phase for q in questions} == {"answer", "remark", "propose", "score"}
    one, two = record.rounds
    starts = {option.id: option.slot for option in one.options}
    for member in record.members:
        early = Window(start="09:00", end="12:00")
        assert one.notes[member] == (early,)
        assert two.notes[member] == (early, Choice(slot=starts["O1"]))
        assert two.talks[member][0].speaker == ASSISTANT
    assert set(one.scores["O1"].values()) == {1}


def test_a_wish_that_lacks_something_leaves_a_persons_question_open(
    asked: Callable[..., tuple[Coordination, list[Question]]],
) -> None:
    def answer(question: Question) -> Any:
        for wrong in (
            {"kind": "window", "start": "12:00", "end": "09:00"},
            {"kind": "notice"},
            {"kind": "choice", "slot": "Tue 3 Feb 03:10"},
            {"kind": "weather"},
        ):
            with pytest.raises(InvalidInput):
                question.answer({"text": "So.", "wishes": [wrong], "done": True})
        return {"text": "So.", "wishes": [], "done": True}

    record, questions = asked(answer, group=GROUP, seats=["human", "plain", "plain"])
    assert len(questions) == len(record.rounds)
