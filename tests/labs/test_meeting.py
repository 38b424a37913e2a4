"""The meeting's lab: runs by steps and to the end, a person's chat that loses nothing, clicks that become cells."""

import asyncio
import re

from support.labs import base
from support.labs.meeting import SWEEP, ChatForm, MeetingLab
from support.meetings.data import Meeting, Private, Profile
from support.meetings.preferences import Flexible
from support.meetings.records import Option, Turn
from support.meetings.scenario import Chat
from support.meetings.seats import MEMBER

EVIL = "<script>alert(1)</script>"
PROFILE = Profile("Dev", "Engineer", 2, ("code",), "Europe/London", manager="Ben")
PRIVATE = Private((f"Dev likes mornings {EVIL}",), (Flexible(),))
MEETING = Meeting(
    "M1", "Ina", ("Ana", "Dev"), "Trial", "2026-02-16", 60, f"Monday? {EVIL}", "2026-02-10T09:00-05:00",
    "America/New_York",
)  # fmt: skip
OPTIONS = (
    Option("O1", "2026-02-16T10:00-05:00"),
    Option("O2", "2026-02-16T14:00-05:00"),
)


def chat(round=1, *turns, options=()):
    said = tuple(
        Turn("assistant" if i % 2 == 0 else "Dev", text) for i, text in enumerate(turns)
    )
    return Chat("Dev", MEETING, round, options, None, said)


async def sent(form):
    """Press Enter in the field, as a browser tells it, and wait for what comes of it."""
    form.field._handle_custom_msg({"event": "submit"}, [])
    await form.press.task


def seated(talk):
    """Run a talk with a form, and a function that asks its seat and awaits that the form shows the question."""

    async def run():
        seat, form = MEMBER.person("Dev"), ChatForm(PROFILE, PRIVATE, MEETING)

        async def asks(view):
            answering = asyncio.create_task(seat.answer(view))
            form.ask(await asyncio.wait_for(seat.questions.get(), 5))
            return answering

        await talk(form, asks)

    asyncio.run(run())


def test_what_is_typed_waits_for_the_next_question_goes_with_its_last_letters_and_is_shown_once(
    monkeypatch,
):
    monkeypatch.setattr(base, "SETTLE", 0.02)

    async def talk(form, asks):
        form.field.value = "At te"
        await sent(form)
        assert "Nothing is asked" in form.error.value and form.field.value == "At te"
        answering = await asks(chat(1, "When?"))
        assert form.field.value == "At te" and form.error.value == ""
        asyncio.get_running_loop().call_later(
            0.01, lambda: setattr(form.field, "value", "At ten.")
        )
        await sent(form)
        assert await answering == "At ten."
        for view, answer in ((chat(1, "When?", "At ten.", "Else?"), "No."),
                             (chat(2, "Options?", options=OPTIONS), "None.")):  # fmt: skip
            await asks(view)
            form.field.value = answer
            await sent(form)
        shown = form.talk.value
        assert [
            shown.count(text)
            for text in ("When?", "At ten.", "Else?", "No.", "Options?", "None.")
        ] == [1] * 6
        assert (
            shown.index("Round 1")
            < shown.index("At ten.")
            < shown.index("Round 2")
            < shown.index("None.")
        )

    seated(talk)


def test_an_option_is_agreed_to_by_a_button_in_the_member_s_own_time_and_typed_text_stays():
    async def talk(form, asks):
        answering = await asks(chat(2, "Two options.", options=OPTIONS))
        form.field.value = "half a thou"
        _, second = form.options.children
        assert (second.description, second.tooltip) == (
            "O2 suits me",
            "Monday 16 February at 19:00",
        )
        second.click()
        await form.press.task
        assert await answering == "Option O2 suits me: Monday 16 February at 19:00."
        assert form.options.children == () and form.field.value == "half a thou"

    seated(talk)


def test_a_person_reads_who_they_are_what_only_they_know_and_the_invitation_all_as_text():
    async def talk(form, asks):
        about = form.view.children[0].value
        for part in (
            "You are Dev.",
            "report to Ben",
            "Europe/London",
            "Dev likes mornings",
            "Ina invites you",
        ):
            assert part in about
        assert "<script" not in about and about.count("&lt;script") == 2
        (await asks(chat(1, EVIL))).cancel()
        assert "<script" not in form.talk.value

    seated(talk)


def test_a_run_by_steps_is_stored_with_its_settings_and_becomes_a_cell_that_plays_the_same_to_the_end(
    store, played, repeats
):
    async def steps(lab):
        empty = lab.view and lab.figure.value
        for number in (1, 2):
            await lab.advance()
            assert len(lab.finished) == number and (
                "Stored in study.sqlite" in lab.status.value
            ) == (number == 2)
        assert lab.figure.value != empty and lab.talk.value.index(
            "Round 2"
        ) < lab.talk.value.index("Round 1")
        repeats(
            lab, "coordinator='exhaustive'", "members=4", "to_the_end=True", store=store
        )

    lab = played(MeetingLab, steps, coordinator="exhaustive", rounds=2, members=4)
    (unit, run), (_, again) = store.records(SWEEP)
    assert (
        run == again
        and len(run.rounds) == 2
        and len(run.members) == 4
        and run.rounds[-1].audit
    )
    assert set(run.seats) == {*run.members, "interviewer", "coordinator", "evaluator"}
    assert (
        unit.settings["meeting"] == lab.controls["meeting"].value == run.meeting["id"]
    )


def test_as_many_options_as_members_are_refused_before_and_when_a_round_is_asked_for(
    played,
):
    async def talk(lab):
        told = "expected 1 to 2, fewer than the 3 members"
        assert "K = 3 given" in lab.status.value and told in lab.status.value
        await lab.advance()
        assert told in lab.status.value and lab.finished == []
        lab.controls["options"].value = 2
        await lab.advance()
        assert len(lab.finished) == 1, "a smaller K is enough to go on"

    played(MeetingLab, talk, members=3, options=3)


def test_other_members_and_meetings_bring_their_own_seats(played):
    async def talk(lab):
        first = list(lab.kinds)
        lab.members.value = 5
        assert (
            len(lab.kinds) == 5 == len(lab.scenario.members)
            and list(lab.kinds) != first
        )
        lab.controls["meeting"].value = lab.controls["meeting"].options[1][1]
        assert (
            list(lab.kinds)
            == list(lab.scenario.members)
            == list(lab.scenario.meeting.members)
        )

    played(MeetingLab, talk)


def test_a_person_talks_and_agrees_and_sees_the_own_conversation_and_private_text_only(
    store, played, until
):
    async def talk(lab):
        me = lab.seats.children[0].description
        lab.seats.children[0].value = "human"
        lab.start(to_the_end=True)
        await until(lambda: lab.forms.children)
        form, first = lab.chats[me], lab.task
        lab.start(to_the_end=False)
        assert lab.task is first and "waits for the conversation" in lab.status.value, (
            "no second round is begun"
        )
        assert lab.scenario.private[me].texts[0][:20] in form.view.children[
            0
        ].value.replace("&#x27;", "'")
        for answer in ("Between nine and eleven, please.", "No, that is all."):
            await until(lambda: form.question)
            form.field.value = answer
            await sent(form)
        await until(lambda: form.options.children)
        form.options.children[0].click()
        await until(lambda: "Stored" in lab.status.value)
        others = [c for r in lab.finished for c in r.conversations if c.member != me]
        heard = re.sub(r"\s+", " ", lab.talk.value)
        assert "Between nine and eleven" in heard and "not shown: " in heard
        said = [t.text for c in others for t in c.turns if t.speaker == c.member]
        assert said and not any(f": {text}<" in heard for text in said)

    played(MeetingLab, talk, rounds=2)
    [(_, run)] = store.records(SWEEP)
    me = run.members[0]
    said = [t.text for t in run.rounds[0].conversations[0].turns if t.speaker == me]
    assert run.seats[me] == "human" and said[0] == "Between nine and eleven, please."
    assert run.rounds[1].conversations[0].agreed == run.rounds[0].options[0].id


def test_a_new_coordination_gives_up_the_one_at_hand(store, played, until):
    async def talk(lab):
        lab.seats.children[0].value = "human"
        lab.start(to_the_end=True)
        await until(lambda: lab.forms.children)
        lab.new_button.click()
        assert lab.task is None and lab.forms.children == () and lab.finished == []

    played(MeetingLab, talk)
    assert not store.units(SWEEP)
