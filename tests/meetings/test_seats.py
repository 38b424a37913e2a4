"""Models and people in every role, by scripted replies and by answers to questions."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from support.errors import InvalidInput
from support.meetings.data import Meeting, load_company
from support.meetings.preferences import Choice, Notice, Weekdays, Window, Words
from support.meetings.records import ASSISTANT, Coordination, Option
from support.meetings.scenario import load_group, meeting_scenario
from support.meetings.seats import PARAPHRASER, READER, Led, clocks
from support.meetings.wording import labels, offered
from support.models.stand_ins import scripted, stand_in
from support.seats import Question, Spoken

Play = Callable[..., Coordination]
GROUP = 3  # of which Silvio Marchetta, Gareth Pendry and Priya Raghunathan are members
MORNING = {"kind": "window", "start": "09:00", "end": "12:00"}
SAID = {
    "answer": {"text": "Mornings, please.", "done": True},
    "remark": {"text": "When does it suit you?"},
    "read": {"wishes": [MORNING]},
    "overhear": {"revealed": []},
}
MARKS = {
    "read": "You note down",
    "propose": "You look for",
    "score": "You judge",
    "overhear": "does it reveal",
    "answer": "What do you,",
    "paraphrase": "in other words",
}


def phase(messages: Any) -> str:
    """Which act a model is asked for."""
    asked = messages[-1]["content"]
    found = [name for name, mark in MARKS.items() if mark in asked]
    return found[0] if found else "remark"


def model(**replies: Any) -> Any:
    """A model that says one thing for each act."""
    return scripted(lambda messages: {**SAID, **replies}[phase(messages)])


def last(record: Coordination, member: str) -> Any:
    """The member's last turn in round 1."""
    return record.rounds[0].talks[member][-1]


def test_a_models_words_are_read_by_its_own_model(play: Play) -> None:
    record = play(group=GROUP, seats="model", model=model(), rounds=1)
    for member in record.members:
        turn = last(record, member)
        assert (turn.text, turn.done) == ("Mornings, please.", True)
        assert turn.wishes == (Window(start="09:00", end="12:00"),)
        assert record.rounds[0].notes[member] == turn.wishes


def test_a_model_may_state_its_wishes_in_the_same_reply(play: Play) -> None:
    slot = load_group(GROUP, 3).slots[0]
    wishes = [
        {"kind": "notice", "hours": 24, "priority": 3},
        {"kind": "choice", "slot": "Tue 3 Feb 03:00"},  # on Silvio Marchetta's clock
        {"kind": "words", "text": "Not when it rains."},
    ]
    seats = ["model", "plain", "plain"]
    spoken = model(answer={**SAID["answer"], "wishes": wishes})
    record = play(group=GROUP, seats=seats, model=spoken, reader="stated", rounds=1)
    assert last(record, record.members[0]).wishes == (
        Notice(hours=24, priority=3),
        Choice(slot=slot),
        Words(text="Not when it rains."),
    )


@pytest.mark.parametrize(
    ("wish", "kept"),
    [
        (
            {
                "kind": "window",
                "start": "9:00",
                "end": "12:00",
                "weekdays": [],
                "hours": 0,
            },
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
        ({"kind": "Notice", "hours": "48"}, Notice(hours=48)),
    ],
)
def test_what_a_wish_means_is_taken_however_a_model_fills_in_its_form(
    play: Play, wish: dict[str, Any], kept: Any
) -> None:
    read = {"wishes": [wish]}
    settings: Any = {"group": GROUP, "members": 3, "seats": "model", "rounds": 1}
    record = play(**settings, model=model(read=read))
    assert last(record, "Silvio Marchetta").wishes == (kept,)


def test_a_paraphrase_comes_without_the_number_of_its_sentence() -> None:
    told = (Words(text="Early is best."), Words(text="No Mondays."))
    rng = np.random.default_rng(1)
    reply = {"sentences": ["1. Best early.", "Mondays never."]}
    seat = PARAPHRASER.seat("model", rng, spoken=Spoken(scripted([reply])))
    said = asyncio.run(seat.rephrase(told))
    assert [words.text for words in said] == ["Best early.", "Mondays never."]


def test_no_wishes_may_be_null(play: Play) -> None:
    nothing = model(read={"wishes": None})
    record = play(group=GROUP, seats="model", model=nothing, rounds=1)
    assert not record.rounds[0].format_errors


def test_a_coordinator_may_copy_brackets(play: Play) -> None:
    first = {"slot": "Tue 3 Feb 15:00 (Tue 10:00 for Silvio Marchetta)"}
    option = {**first, "members": ["silvio marchetta"], "reasons": ["[1]"]}
    coordinator = model(propose={"options": [option]})
    record = play(group=GROUP, rounds=1, coordinator="model", model=coordinator)
    (made,) = record.rounds[0].options
    assert (made.slot, made.members) == (
        "2026-02-03T15:00+00:00",
        ("Silvio Marchetta",),
    )
    assert len(made.reasons["Silvio Marchetta"]) == 1


@pytest.mark.parametrize("none", [None, "none", "null", ""])
def test_who_agrees_to_nothing_may_say_so_in_a_text(play: Play, none: Any) -> None:
    said = {"text": "Neither.", "agrees": none, "done": True}
    agreed = {**said, "agrees": "o1"}
    for answer, kept in ((said, None), (agreed, "O1")):
        speaker = model(answer=answer)
        record = play(group=GROUP, rounds=2, seats="model", model=speaker)
        turns = [talk[-1] for talk in record.rounds[1].talks.values()]
        assert {turn.agrees for turn in turns} == {kept}


def asked_of(play: Play, mark: str, **settings: Any) -> list[str]:
    """The prompts of an act that hold a mark, of a run with models."""
    heard: list[str] = []

    def reply(messages: Any) -> Any:
        heard.append("\n\n".join(message["content"] for message in messages))
        return SAID.get(phase(messages), {})

    play(group=GROUP, model=scripted(reply), **settings)
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


def test_where_names_are_kept_back_reasons_are_nobodys_and_stand_once() -> None:
    scenario, wish = load_group(GROUP, 3), Window(start="10:00", end="15:00")
    option = Option("O1", scenario.slots[0], reasons={"": (wish,)})
    told = offered(scenario, option, "Gareth Pendry")
    assert "somebody" not in told and "on the clock of who stated them" in told


def test_who_overhears_is_given_the_wishes_of_others_alone() -> None:
    scenario, wish = load_group(GROUP, 3), Window(start="10:00", end="15:00")
    seat = READER.person(own=Led(scenario.public))
    owned = [("Silvio Marchetta", wish)]
    act = READER.acts["overhear"]
    asked = seat.question(act, "Gareth Pendry", "Ten would suit Silvio.", owned)
    assert "[1] I like to meet between 10:00 and 15:00." in asked
    assert "Priya" not in asked and "unknown" not in asked


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
    first = {
        "options": [_option("Tue 3 Feb 12:00", [1]), _option("Tue 3 Feb 13:00", [])]
    }
    later = {
        "candidate": {"members": [], "reasons": [2]},
        "options": [_option("Tue 3 Feb 14:00", [])],
    }
    replies = iter([first, later])
    record = play(
        group=GROUP,
        coordinator="model",
        model=scripted(lambda messages: next(replies)),
        rounds=2,
    )
    one, two = record.rounds
    starts = [option.slot[11:16] for option in one.options]
    assert starts == ["12:00", "13:00"]
    member, wish = next((m, w[0]) for m, w in one.notes.items() if w)
    assert one.options[0].reasons == {member: (wish,)}
    assert two.options[0] == two.option(one.candidate)
    assert {breach.rule for breach in one.breaches} == {"aspiration"}


def _option(slot: str, reasons: list[int]) -> dict[str, Any]:
    return {"slot": slot, "members": ["Gareth Pendry"], "reasons": reasons}


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
