"""The chat of a person with the coordinating system: nothing typed is lost, and everything is shown as text."""

import asyncio

import pytest

from support.meetings.data import Meeting, Private, Profile
from support.meetings.preferences import Flexible
from support.meetings.records import Option, Turn
from support.meetings.scenario import Chat
from support.meetings.seats import MEMBER
from support.widgets import chat as module
from support.widgets.chat import ChatForm

EVIL = "<script>alert(1)</script>"
PROFILE = Profile("Dev", "Engineer", 2, ("code",), "Europe/London", manager="Ben")
PRIVATE = Private((f"Dev likes mornings {EVIL}",), (Flexible(),))
MEETING = Meeting(
    "M1", "Ina", ("Ana", "Dev"), "Trial", "2026-02-16", 60, f"Monday? {EVIL}", "2026-02-10T09:00-05:00",
    "America/New_York",
)  # fmt: skip
OPTIONS = (Option("O1", "2026-02-16T10:00-05:00"), Option("O2", "2026-02-16T14:00-05:00"))


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(module, "SETTLE", 0)


def chat(round=1, *turns, options=()):
    said = tuple(Turn("assistant" if i % 2 == 0 else "Dev", text) for i, text in enumerate(turns))
    return Chat("Dev", MEETING, round, options, None, said)


def seated(talk):
    """Run a talk with a seat, its form, and a function that asks and awaits the form's showing of the question."""

    async def run():
        seat, form = MEMBER.person("Dev"), ChatForm(PROFILE, PRIVATE, MEETING)

        async def asks(view):
            answering = asyncio.create_task(seat.answer(view))
            form.ask(await asyncio.wait_for(seat.questions.get(), 5))
            return answering

        await talk(form, asks)

    asyncio.run(run())


def test_what_is_typed_is_sent_and_shown_and_the_field_is_free_for_the_next_answer():
    async def talk(form, asks):
        answering = await asks(chat(1, "When does it suit you?"))
        assert "When does it suit you?" in form.talk.value and not form.send_button.disabled
        form.field.value = " At ten. "
        await form.submit()
        assert await answering == "At ten." and form.field.value == ""
        assert "At ten." in form.talk.value and form.send_button.disabled

    seated(talk)


def test_an_empty_answer_is_refused_with_a_reason_and_the_question_stays_open():
    async def talk(form, asks):
        answering = await asks(chat(1, "When?"))
        await form.submit()
        assert "expected words" in form.error.value and not answering.done()
        form.field.value = "At ten."
        await form.submit()
        assert await answering == "At ten." and form.error.value == ""

    seated(talk)


def test_a_refused_answer_stays_in_the_field():
    async def talk(form, asks):
        answering = await asks(chat(1, "When?"))
        form.field.value = "x" * 1001
        await form.submit()
        assert form.field.value == "x" * 1001 and "1001 characters" in form.error.value and not answering.done()
        answering.cancel()

    seated(talk)


def test_what_is_typed_while_nothing_is_asked_is_kept_for_the_next_question():
    async def talk(form, asks):
        form.field.value = "At ten."
        await form.submit()
        assert "Nothing is asked" in form.error.value and form.field.value == "At ten."
        answering = await asks(chat(1, "When?"))
        assert form.field.value == "At ten." and form.error.value == ""
        await form.submit()
        assert await answering == "At ten."

    seated(talk)


def test_letters_that_arrive_late_are_still_sent(monkeypatch):
    monkeypatch.setattr(module, "SETTLE", 0.05)

    async def talk(form, asks):
        answering = await asks(chat(1, "When?"))
        form.field.value = "At te"
        asyncio.get_running_loop().call_later(0.02, lambda: setattr(form.field, "value", "At ten."))
        await form.submit()
        assert await answering == "At ten."

    seated(talk)


def test_an_option_is_agreed_to_by_a_button_in_the_member_s_own_time_and_typed_text_stays():
    async def talk(form, asks):
        answering = await asks(chat(2, "Two options.", options=OPTIONS))
        form.field.value = "half a thou"
        _, second = form.options.children
        assert (second.description, second.tooltip) == ("O2 suits me", "Monday 16 February at 19:00")
        second.click()
        assert await answering == "Option O2 suits me: Monday 16 February at 19:00."
        assert form.options.children == () and form.field.value == "half a thou"

    seated(talk)


def test_rounds_follow_each_other_and_a_turn_is_shown_once():
    async def talk(form, asks):
        for view, answer in ((chat(1, "When?"), "At ten."), (chat(1, "When?", "At ten.", "Else?"), "No."),
                             (chat(2, "Options?", options=OPTIONS), "None.")):  # fmt: skip
            await asks(view)
            form.field.value = answer
            await form.submit()
        shown = form.talk.value
        assert [shown.count(text) for text in ("When?", "At ten.", "Else?", "No.", "Options?", "None.")] == [1] * 6
        assert shown.index("Round 1") < shown.index("At ten.") < shown.index("Round 2") < shown.index("None.")

    seated(talk)


def test_a_person_reads_who_they_are_what_only_they_know_and_the_invitation_all_as_text():
    form = ChatForm(PROFILE, PRIVATE, MEETING)
    about = form.view.children[0].value
    for part in ("You are Dev.", "Engineer", "report to Ben", "Europe/London", "Dev likes mornings", "Ina invites you"):
        assert part in about
    assert "<script" not in about and about.count("&lt;script") == 2

    async def talk(form, asks):
        (await asks(chat(1, EVIL))).cancel()
        assert "<script" not in form.talk.value

    seated(talk)
