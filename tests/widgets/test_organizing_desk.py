"""A person at the desk, and people on the list who are persons: what they decide and write, and where it is found."""

import asyncio

import pytest

from support.labs import base as chat
from support.widgets.organizing import lab as rehearsing
from support.widgets.organizing.lab import SWEEP, RehearsalLab


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(chat, "SETTLE", 0)
    monkeypatch.setattr(rehearsing, "png", lambda figure: b"")
    monkeypatch.setattr(rehearsing, "draw_rehearsal", lambda *given: None)


async def until(found):
    for _ in range(500):
        if found():
            return
        await asyncio.sleep(0.005)
    pytest.fail("nothing happened for seconds")


def talked(store, talk, **settings):
    """A talk with a lab; by default with a person at the desk who is always asked."""

    async def run():
        lab = RehearsalLab(store, **{"reviewer": "human", **settings})
        await talk(lab)
        lab.restart()  # ends what still listens

    asyncio.run(run())


async def shown(lab, phase, about=None):
    """The desk's form, once it asks for that."""

    def found():
        form = lab.desk_form
        asked = form and form.question
        return asked and asked.phase == phase and about in (None, asked.view.about)

    await until(found)
    return lab.desk_form


async def pressed(lab, button):
    """Press a button of the desk's form, and wait until something came of it."""
    form, before = lab.desk_form, lab.desk_form.question
    form.error.value = ""
    button.click()
    await until(lambda: form.question is not before or form.error.value)


async def day_over(lab, number):
    await until(lambda: len(lab.finished) == number and lab.task.done())
    return lab.finished[-1]


def test_the_day_waits_for_the_plan_and_a_second_press_starts_no_second_day(store):
    async def talk(lab):
        lab.start(to_the_end=False)
        form = await shown(lab, "plan")
        assert lab.finished == [] and "Day 1 waits for your decision" in lab.status.value
        assert form.view.layout.display == "" and "begin" in form.context.value and "report" in form.context.value
        first = lab.task
        lab.start(to_the_end=False)
        assert lab.task is first and "A day is being played" in lab.status.value
        await pressed(lab, form.approve_button)
        await shown(lab, "action")

    talked(store, talk)


def test_what_is_delegated_is_not_asked(store):
    async def talk(lab):
        lab.setup.delegation.levels["plan"].value = "always ask"
        lab.start(to_the_end=False)
        form = await shown(lab, "plan")
        await pressed(lab, form.approve_button)
        day = await day_over(lab, 1)
        assert len(day.sent) == 4 and form.view.layout.display == "none"

    talked(store, talk, delegation="automatic")


def test_an_automatic_desk_asks_nothing(store):
    async def talk(lab):
        await lab.advance()
        assert lab.desk_form is None and lab.forms.children == () and len(lab.finished) == 1

    talked(store, talk, reviewer="automatic", delegation="always ask")


def test_a_plan_that_is_removed_sends_no_mail(store):
    async def talk(lab):
        lab.start(to_the_end=False)
        form = await shown(lab, "plan")
        await pressed(lab, form.remove_button)
        day = await day_over(lab, 1)
        assert day.sent == () and day.edits[0].what == "plan" and day.edits[0].after == ""
        assert "removed" in lab.talk.value

    talked(store, talk)


def test_an_action_and_a_mail_that_are_removed_are_not_sent_and_the_rest_is_approved_at_once(store):
    async def talk(lab):
        lab.start(to_the_end=False)
        await pressed(lab, (await shown(lab, "plan")).approve_button)
        form = await shown(lab, "action")
        first = form.question.view.about
        await pressed(lab, form.remove_button)
        for _ in range(3):
            await shown(lab, "action")
            await pressed(lab, form.approve_button)
        await shown(lab, "mail")
        second = form.question.view.about
        await pressed(lab, form.remove_button)
        await shown(lab, "mail")
        await pressed(lab, form.rest_button)
        day = await day_over(lab, 1)
        assert len(day.sent) == 2 and not {first, second} & {mail.to for mail in day.sent}
        lab.start(to_the_end=False)
        assert (await shown(lab, "plan")).question.view.round == 2, "the next day asks again"

    talked(store, talk, detector="none")


def test_a_mail_that_is_changed_is_sent_so_and_what_was_changed_is_kept(store):
    async def talk(lab):
        lab.start(to_the_end=False)
        await pressed(lab, (await shown(lab, "plan")).approve_button)
        for _ in range(4):
            await shown(lab, "action")
            await pressed(lab, lab.desk_form.approve_button)
        form = await shown(lab, "mail")
        body = form.fields.children[1]
        assert form.edit_button.disabled and not form.approve_button.disabled
        body.value = "Come & <script>speak</script>!"
        assert form.approve_button.disabled and not form.edit_button.disabled
        await pressed(lab, form.approve_button)
        assert "You changed it" in form.error.value and form.fields.children[1].value == body.value
        body.value = ""
        await pressed(lab, form.edit_button)
        assert "body: 0 characters given" in form.error.value, "a refusal is told, and the question stays"
        body.value = "Come & <script>speak</script>!"
        await pressed(lab, form.edit_button)
        await shown(lab, "mail")
        await pressed(lab, form.rest_button)
        day = await day_over(lab, 1)
        assert day.sent[0].body == "Come & <script>speak</script>!" and len(day.edits) == 1
        assert "<script>" not in lab.talk.value and "Come &amp; &lt;script&gt;" in lab.talk.value
        assert lab.artefacts.learnt == day.edits

    talked(store, talk, rounds=1)
    [(_, run)] = store.records(SWEEP)
    assert run.seats["reviewer"] == "human" and run.days[0].edits[0].after.endswith("speak</script>!")


def test_an_action_is_changed_to_another_and_one_that_cannot_be_is_refused(store):
    async def talk(lab):
        lab.start(to_the_end=False)
        await pressed(lab, (await shown(lab, "plan")).approve_button)
        form = await shown(lab, "action")
        kind, _, goal = form.fields.children
        who = form.question.view.about
        kind.value = "confirmation"
        await pressed(lab, form.edit_button)
        assert "slot: none given" in form.error.value
        kind.value = "wait"
        goal.value = "later"
        await pressed(lab, form.edit_button)
        await shown(lab, "action")
        await pressed(lab, form.rest_button)
        day = await day_over(lab, 1)
        assert who not in {mail.to for mail in day.sent} and day.edits[0].after == f"wait to {who}: later"

    talked(store, talk)


def test_a_plan_is_made_again_by_a_wish_at_most_three_times(store):
    async def talk(lab):
        lab.start(to_the_end=False)
        form = await shown(lab, "plan")
        for number in (1, 2, 3):
            form.wish.value = "fewer people"
            await pressed(lab, form.again_button)
            await shown(lab, "plan")
            assert f"made again ({number} of 3)" in form.head.value
        assert form.again_button.disabled and "cannot follow a wish" in form.fields.children[1].value
        await pressed(lab, form.approve_button)
        await shown(lab, "action")
        assert not form.again_button.disabled and "made again" not in form.head.value

    talked(store, talk)


def test_changes_are_undone(store):
    async def talk(lab):
        lab.start(to_the_end=False)
        form = await shown(lab, "plan")
        before = form.fields.children[0].value
        form.fields.children[0].value = "Nothing."
        form.undo_button.click()
        await until(lambda: form.fields.children[0].value == before)
        assert not form.approve_button.disabled

    talked(store, talk)


def test_the_answer_to_a_flag_is_in_the_log_and_becomes_a_policy(store):
    async def talk(lab):
        await lab.advance()
        lab.start(to_the_end=False)
        form = await shown(lab, "flag")
        assert form.question.view.item.question.split("“")[0] in form.context.value
        form.keep.value = True
        await pressed(lab, form.answer_button)
        assert "Nothing is typed" in form.error.value and lab.policies.own == []
        form.fields.children[0].value = "x" * 500
        await pressed(lab, form.answer_button)
        assert "say it shorter" in form.error.value and form.fields.children[0].value == "x" * 500
        form.fields.children[0].value = "Yes, we arrange that."
        await pressed(lab, form.answer_button)
        day = await day_over(lab, 2)
        assert day.flags[0].answer == "Yes, we arrange that." and "Answer: Yes, we arrange that." in lab.talk.value
        [policy] = lab.policies.own
        assert (
            policy.id == "hook_1" and policy.text.endswith("Yes, we arrange that.") and "Begin anew" in lab.note.value
        )
        assert "hook_1" not in dict(lab.organizing.policies) and policy in tuple(lab.artefacts.policies)
        assert lab.artefacts.hooks[0].answer == "Yes, we arrange that."
        lab.restart()
        await lab.advance()
        assert "hook_1" in dict(lab.organizing.policies)

    talked(store, talk, delegation="automatic")


def test_a_reply_of_a_person_on_the_list_reaches_the_log_and_is_escaped(store):
    me = "Ngozi Tarrant"

    async def talk(lab):
        seat = next(seat for seat in lab.seats.children if seat.description == me)
        seat.value = "human"
        lab.start(to_the_end=True)
        await until(lambda: lab.reply_forms and lab.reply_forms[me].question)
        form = lab.reply_forms[me]
        assert f"you are {me}" in form.thread.value and "Wednesday, 15 September 2027" in form.thread.value
        form.send_button.click()
        await until(lambda: "expected words" in form.error.value)
        form.field.value = "<script>alert(1)</script>. 15 September suits me."
        form.send_button.click()
        await until(lambda: form.question and form.question.view.day == 2)
        assert form.field.value == "" and "mails before it" in form.thread.value and "<script>" not in form.thread.value
        form.never_button.click()
        await until(lambda: lab.finished[1:])
        [mail] = [mail for mail in lab.finished[1].received if mail.sender == me]
        assert "15 September suits me" in mail.body and "<script>" not in lab.talk.value
        assert "&lt;script&gt;alert(1)" in lab.talk.value
        assert any("2027-09-15" in read.available for read in lab.finished[1].understood if read.person == me)

    talked(store, talk, reviewer="automatic")


def test_a_person_on_the_list_answers_later_or_never(store):
    me = "Ngozi Tarrant"

    async def talk(lab):
        next(seat for seat in lab.seats.children if seat.description == me).value = "human"
        lab.policies.ticks["follow_up"].value = False
        lab.start(to_the_end=True)
        await until(lambda: lab.reply_forms and lab.reply_forms[me].question)
        form = lab.reply_forms[me]
        form.day.value = 1
        form.later_button.click()
        await until(lambda: "expected a day after today" in form.error.value)
        form.day.value = 2
        form.later_button.click()
        await until(lambda: form.question and form.question.view.day == 2)
        assert "waits for your mail as Ngozi Tarrant" in lab.status.value
        form.never_button.click()
        await until(lambda: len(lab.finished) > 3 or (form.question and form.question.view.day > 2))
        assert not any(mail.sender == me for day in lab.finished for mail in day.received)

    talked(store, talk, reviewer="automatic")
