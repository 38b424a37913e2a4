"""Models and people in every role, by scripted replies and by answers to questions."""

import pytest

from support.errors import InvalidInput
from support.meetings.data import Meeting, load_company
from support.meetings.preferences import (
    Choice,
    Hours,
    Notice,
    Weekdays,
    Window,
    Words,
)
from support.meetings.records import Option
from support.meetings.scenario import load_group, meeting_scenario
from support.meetings.seats import clocks, labels
from support.meetings.wording import offered
from support.models.stand_ins import scripted, stand_in

GROUP = 3  # of which Silvio Marchetta, Gareth Pendry and Priya Raghunathan are members
ROLES = ("seats", "interviewer", "coordinator", "evaluator")
MORNING = {"kind": "window", "start": "09:00", "end": "12:00"}
EARLY = Window(start="09:00", end="12:00")
SAID = {"text": "Mornings, please.", "wishes": [], "done": True}


def model(answer=SAID, wishes=(MORNING,)):
    """A member's model that says one thing, and reads one."""

    def reply(messages):
        reads = "You note down" in messages[-1]["content"]
        return {"wishes": wishes and list(wishes)} if reads else answer

    return scripted(reply)


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
    (
        {"kind": "hours", "start": "04:00", "end": "12:00"},
        Hours(start="04:00", end="12:00"),
    ),
]


@pytest.mark.parametrize("reader", ["own", "stated"])
@pytest.mark.parametrize(("wish", "kept"), SPELT)
def test_wishes_are_read_by_a_model_or_stated_however_it_fills_in_their_form(
    play, wish, kept, reader
):
    """On the clock of Silvio Marchetta, five hours behind London's."""
    stated = {"wishes": [wish]} if reader == "stated" else {}
    speaks, seats = model({**SAID, **stated}, [wish]), ["model", "plain", "plain"]
    record = play(group=GROUP, seats=seats, reader=reader, model=speaks, rounds=1)
    turn = record.rounds[0].talks["Silvio Marchetta"][-1]
    assert (turn.text, turn.wishes, turn.done) == ("Mornings, please.", (kept,), True)
    assert record.rounds[0].notes["Silvio Marchetta"] == (kept,)


@pytest.mark.parametrize("none", [None, "none", "null", ""])
def test_who_agrees_to_nothing_may_say_so_in_a_text(play, none):
    for agrees, kept in ((none, None), ("o1", "O1")):
        speaks = model({"text": "So.", "agrees": agrees, "done": True}, wishes=None)
        record = play(group=GROUP, rounds=2, seats="model", model=speaks)
        turns = [talk[-1] for talk in record.rounds[1].talks.values()]
        assert {turn.agrees for turn in turns} == {kept}
        assert not record.rounds[1].format_errors


def test_what_nobody_understood_is_missing_and_not_unsatisfied(play):
    speaks = model(wishes=[{"kind": "words", "text": "Not when it rains."}])
    record = play(group=GROUP, seats=["model", "plain", "plain"], model=speaks)
    silvio = record.members[0]
    for entry in record.rounds:
        assert entry.notes[silvio] == (Words(text="Not when it rains."),)
        assert {row[silvio] for row in entry.scores.values()} == {None}


def test_a_coordinator_gives_reasons_by_number_and_keeps_the_candidate(
    play,
):
    """It may copy what stands in brackets, and leave the candidate out."""
    start = "Tue 3 Feb 15:00 (Tue 10:00 for Silvio)"
    one = {"slot": start, "members": ["silvio marchetta"], "reasons": ["[1]"]}
    others = [
        {"slot": f"tue 3 feb {hour}:00", "members": [], "reasons": []}
        for hour in (13, 14)
    ]
    replies = iter([[one, others[0]], [others[1]]])
    speaks = scripted(lambda messages: {"options": next(replies)})
    record = play(group=GROUP, coordinator="model", model=speaks, rounds=2)
    made, kept = record.rounds
    assert [option.slot[11:16] for option in made.options] == ["15:00", "13:00"]
    member, wish = next((m, w[0]) for m, w in made.notes.items() if w)
    assert made.options[0].reasons == {member: (wish,)}
    assert made.options[0].members == ("Silvio Marchetta",)
    assert set(made.breaches) == {"O1", "O2"}
    assert [option.id for option in kept.options] == [made.candidate, "O3"]


def test_an_evaluator_may_not_know(play):
    def judged(messages):
        names = load_group(GROUP, 3).members
        asked = [name for name in names if f"{name}:" in messages[-1]["content"]]
        row = {name: {"reason": "So.", "score": 2} for name in asked}
        row["Gareth Pendry"]["score"] = None
        return {"O1": row, "O2": row}

    record = play(group=GROUP, evaluator="model", model=scripted(judged), rounds=1)
    for row in record.rounds[0].scores.values():
        assert row["Gareth Pendry"] is None
        assert 2 in row.values()


def test_a_reply_that_never_fits_is_recorded_and_the_rest_goes_on(play):
    bad = scripted(lambda messages: "I would rather not.")
    for role, kept in (("coordinator", 0), ("evaluator", 2)):
        record = play(group=GROUP, model=bad, **{role: "model"})
        for entry in record.rounds:
            assert [error.agent for error in entry.format_errors] == [role]
            assert (len(entry.options), entry.candidate) == (kept, None)
    silent = play(group=GROUP, seats=["model", "plain", "plain"], model=bad, rounds=1)
    assert silent.rounds[0].notes[silent.members[0]] == ()


class Judge:
    """An evaluator of one's own."""

    kind = "own"

    def __init__(self, row):
        self.row = row

    async def score(self, brief, options):
        """Of each option the same."""
        row = dict.fromkeys(brief.scenario.members, 2) | self.row
        return dict.fromkeys([option.id for option in options], row)


@pytest.mark.parametrize("row", [{"Gareth Pendry": 4}, {"Nobody": 1}])
def test_scores_off_the_scale_or_of_strangers_count_for_nothing(play, row):
    assert play(group=GROUP, evaluator=Judge({}), rounds=1).outcome
    [entry] = play(group=GROUP, evaluator=Judge(row), rounds=1).rounds
    assert not entry.scores
    assert [error.phase for error in entry.format_errors] == ["score"]


@pytest.mark.parametrize("decision", ["time", "venue"])
def test_models_in_all_roles_finish_whatever_is_decided(play, decision):
    roles = dict.fromkeys(ROLES, "model")
    record = play(decision=decision, model=stand_in(), **roles)
    assert record.outcome
    # A stand-in may draw a wish that lacks what its kind needs.
    errors = [error for entry in record.rounds for error in entry.format_errors]
    assert {error.phase for error in errors} <= {"read"}


def test_a_slot_is_told_on_the_clock_of_its_day():
    """New York changes its clock on 8 March, Berlin on the 29th."""
    bram, rafael = "Bram Verhoeven", "Rafael Monteverde"
    meeting = Meeting(
        id="x",
        organiser="Ngozi Adebanjo",
        members=(bram, rafael),
        subject="Clocks",
        date="2026-03-06",
        days=2,
        duration=60,
        sent="2026-03-02T12:00-05:00",
        zone="America/New_York",
    )
    scenario = meeting_scenario(meeting, load_company())
    friday, monday = scenario.slots[0], scenario.slots[-1]
    assert clocks(scenario, friday) == "Fri 6 Mar 08:00 (Fri 14:00 for Bram Verhoeven)"
    assert clocks(scenario, monday) == "Mon 9 Mar 17:00 (Mon 22:00 for Bram Verhoeven)"
    assert labels(scenario, bram)["Mon 9 Mar 22:00"] == monday
    told = offered(scenario, Option("O1", monday, reasons={rafael: (EARLY,)}), bram)
    assert "Monday 9 March at 22:00" in told
    assert "Rafael Monteverde (for whom it is 17:00)" in told


# ---- people ----------------------------------------------------------------------------


def test_a_person_in_each_role_reads_the_text_and_answers_in_the_form(
    asked,
):
    def answer(question):
        assert "JSON" not in question.text + question.briefing
        match question.phase, question.view:
            case "answer", (chat,):
                agrees = {"agrees": "O1"} if chat.options else {}
                return {"text": "Early.", "wishes": [MORNING], "done": True, **agrees}
            case "propose", (brief,):
                hours = (10, 14) if brief.round == 1 else (10, 12)
                return {
                    "options": [
                        {"slot": f"Tue 3 Feb {hour}:00", "members": [], "reasons": [1]}
                        for hour in hours
                    ]
                }
            case "score", (brief, options):
                row = {name: {"reason": "So.", "score": 1} for name in brief.notes}
                return {option.id: row for option in options}
        return {"text": "When does it suit you?"}

    roles = dict.fromkeys(ROLES, "human")
    record, questions = asked(answer, group=GROUP, rounds=2, **roles)
    assert {q.phase for q in questions} == {"answer", "remark", "propose", "score"}
    again = [q.text for q in questions if q.phase == "remark" and q.view[0].options]
    assert all("\n[round 2]\n" in text for text in again)
    one, two = record.rounds
    start = Choice(slot=one.options[0].slot)
    for member in record.members:
        assert one.notes[member] == (EARLY,)
        assert two.notes[member] == (EARLY, start)
    assert [option.id for option in two.options] == ["O1", "O3"]
    assert set(one.scores["O1"].values()) == {1}


def test_a_wish_that_lacks_something_leaves_a_persons_question_open(
    asked,
):
    def answer(question):
        for wrong, told in (
            ({**MORNING, "end": "09:00"}, "a start before the end"),
            ({"kind": "window", "weekdays": ["Tuesday"]}, "start: Field required"),
            ({"kind": "notice"}, "hours"),
            ({"kind": "choice", "slot": "Tue 3 Feb 03:10"}, "03:10"),
            ({"kind": "weather"}, "weather"),
            ("mornings", "wishes"),
        ):
            with pytest.raises(InvalidInput, match=told):
                question.answer({**SAID, "wishes": [wrong]})
        return SAID

    record, questions = asked(answer, group=GROUP, seats=["human", "plain", "plain"])
    assert len(questions) == len(record.rounds)
