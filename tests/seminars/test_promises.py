"""What a seminar promises of its mail, whatever a person changes meanwhile: nobody gets what they must not get."""

import asyncio
import sqlite3
from contextlib import closing
from datetime import timedelta

import pytest
from lines import Killed, World, live_setup
from seminar_playing import answered, setup_of

from support.errors import (
    DamagedFile,
    FateUnknown,
    FileInUse,
    InvalidInput,
    MissingData,
)
from support.mail.journal import HELD
from support.mail.mailbox import SimulatedMailbox
from support.seminar.checkpoints import ALWAYS
from support.seminar.records import ACTION, CONFIRMATION, MAIL, PLAN
from support.seminar.speakers import RuleBasedSpeaker
from support.seminar.views import (
    AGAIN,
    ANSWER,
    EDIT,
    REMOVE,
    DayPlan,
    Draft,
    Response,
    Review,
)
from support.seminars import unlock
from support.seminars.journal import begin
from support.seminars.seminar import Seminar
from support.seminars.setup import DRY_RUN


class Desk:
    """A live seminar that may be opened again and again, on any day."""

    def __init__(self, path, **settings):
        self.path, self.setup, self.world, self.day = (
            path,
            live_setup(**{"delegation": ALWAYS} | settings),
            World(),
            0,
        )
        begin(path, "spring", self.setup.to_json())

    def open(self, **settings):
        start = self.setup.scenario.start
        return Seminar(
            self.path,
            "spring",
            mailbox=self.world,
            today=lambda: start + timedelta(self.day),
            **settings,
        )

    def run(self, act):
        """What an act makes of the seminar, or the coroutine that it returns."""

        async def go():
            with self.open() as seminar:
                await seminar.open()
                made = act(seminar)
                return await made if asyncio.iscoroutine(made) else made

        return asyncio.run(go())

    def play(self, answer=lambda question: None, before=lambda seminar: None, day=None):
        """A day, after something was done in the seminar."""
        self.day = self.day if day is None else day
        return self.run(lambda seminar: before(seminar) or answered(seminar, answer))

    @property
    def people(self):
        return [person.name for person in self.setup.scenario.people]


@pytest.fixture
def desk(path):
    return Desk(path)


def plug(*given, **settings):
    """The kernel ends there."""
    raise Killed


def answers(world, recipient, words, sender=None):
    """The last mail to somebody is answered."""
    raw = [raw for to, raw in world.sent if to == recipient][-1]
    return world.reply(raw, words, sender)


# what leaves


def test_a_mail_that_nobody_approved_as_it_is_does_not_leave(desk):
    day = desk.play(
        before=lambda seminar: setattr(
            seminar.workplace.outbox, "approve", lambda *mail: None
        )
    )
    assert not desk.world.sent and not day.sent
    assert all("nobody has approved" in error.detail for error in day.format_errors)


def test_a_mail_leaves_in_the_words_of_the_person_and_no_others(desk):
    words = "Dear Ana,\u200e\r\n\r\nwould the 15th\u2028suit you?"

    def change(question):
        return (
            Review(EDIT, edited=Draft("A  date", words))
            if question.phase == MAIL
            else None
        )

    day = desk.play(change)
    assert {(mail.subject, mail.body) for mail in day.sent} == {
        ("A date", "Dear Ana,\n\nwould the 15th\nsuit you?")
    }
    assert len(desk.world.sent) == 4 and all(
        b"Subject: A date\r\n" in raw for _, raw in desk.world.sent
    )


def test_an_edit_that_could_not_leave_is_refused_at_the_desk_and_nothing_typed_is_lost(
    desk,
):
    refused = []
    wrong = {
        PLAN: [Review(EDIT, edited=DayPlan("Write.", "\ud83d"))],
        ACTION: [Review(AGAIN, wish="\ud83d")],
        MAIL: [Review(EDIT, edited=Draft(*words)) for words in (
            ("", "x"), ("x" * 201, "x"), ("x", " \u200e\n"), ("\u200e", "x"), ("A date", "Dear Ana \ud83d"))],
    }  # fmt: skip

    def change(question):
        for review in wrong.get(question.phase, ()):
            with pytest.raises(InvalidInput):
                question.answer(review)
            refused.append(question.phase)

    assert len(desk.play(change).sent) == 4
    assert set(refused) == set(wrong)


def test_a_person_who_comes_back_and_takes_somebody_off_first_has_no_mail_sent_to_them(
    desk,
):
    """The yes is in the journal, the kernel ended before the mail left."""
    seen = []
    with pytest.raises(Killed):
        desk.play(lambda question: seen.append(question.view.about),
                  before=lambda seminar: setattr(seminar.run.post.role.outbox, "send", plug))  # fmt: skip
    day = desk.play(before=lambda seminar: seminar.remove(seen[-1]))
    assert seen[-1] not in {mail.to for mail in day.sent} and len(desk.world.sent) == 3
    assert any("taken off the list" in error.detail for error in day.format_errors)


def test_a_confirmation_whose_person_is_taken_off_while_it_travels_is_in_the_books_without_its_date(
    desk,
):
    send, gone = desk.world.send, []

    async def go(seminar):
        async def slowly(recipient, message):
            said = await send(recipient, message)
            if b"Subject: Confirmed" in message and not gone:
                gone.append(
                    next(
                        p.name
                        for p in seminar.setup.scenario.people
                        if p.email == recipient
                    )
                )
                seminar.remove(gone[0])
            return said

        desk.world.send = slowly
        for desk.day in range(4):
            await answered(seminar)
            for posted in [] if desk.day else seminar.workplace.outbox.posted():
                answers(
                    desk.world,
                    posted.recipient,
                    "The 15th of September suits me, and the 13th of October.",
                )
            if gone:
                break
        return seminar.finished, seminar.desk.state

    days, state = desk.run(go)
    mail = next(mail for mail in days[-1].sent if mail.to == gone[0])
    assert mail.kind == CONFIRMATION and not state.dates_of(gone[0])
    assert desk.run(lambda seminar: (seminar.finished, seminar.desk.state)) == (
        days,
        state,
    )


def test_a_window_that_lost_the_seminar_sends_nothing_more_and_changes_nothing(desk):
    async def go():
        with desk.open() as first:
            await first.open()
            second = []

            def takes_over(question):
                if question.phase == MAIL and not second:
                    second.append(desk.open(take_over=True))
                return None

            with pytest.raises(FileInUse, match="another window"):
                desk.open()
            with pytest.raises(FileInUse, match="taken over"):
                await answered(first, takes_over)
            assert not desk.world.sent
            for change in (
                lambda: first.drop("simulated.1"),
                lambda: first.decide("<1@example.org>", arrived=False),
                lambda: first.journal.check(),
            ):
                with pytest.raises(FileInUse, match="taken over"):
                    change()
            with second[0] as seminar:
                await answered(seminar)
                assert len(desk.world.sent) == 4

    asyncio.run(go())


@pytest.mark.parametrize(
    ("mode", "again"), [("rehearsal", False), (DRY_RUN, False), (DRY_RUN, True)]
)
def test_an_uncertain_mail_that_is_to_be_left_out_is_not_sent_again_in_any_mode(
    path, begun, mode, again
):
    begun(mode=mode)
    mailbox = SimulatedMailbox(faults=[OSError("the plug was pulled")])

    async def go():
        with Seminar(path, "spring", mailbox=mailbox) as seminar:
            with pytest.raises(OSError, match="plug"):
                await answered(seminar)
            seminar.decide(seminar.uncertain[0].message_id, arrived=False, again=again)
            return await answered(seminar)

    day = asyncio.run(go())
    assert len(day.sent) == len(mailbox.sent) == 3 + again


def test_a_calendar_that_goes_back_or_past_the_deadline_plays_no_day(desk):
    desk.play()
    for day, said in ((0, "played already"), (-1, "begins on"), (10**3, "deadline")):
        with pytest.raises(InvalidInput, match=said):
            desk.play(day=day)
    assert desk.play(day=2).number == 3
    sent = len(desk.world.sent)
    with pytest.raises(InvalidInput, match="clock"):
        desk.play(day=1)
    assert len(desk.world.sent) == sent


# what arrives


def test_a_released_mail_is_read_once_whatever_days_are_left_out_and_however_often_it_is_opened(
    desk,
):
    email = desk.setup.scenario.people[0].email
    desk.play()
    key = answers(
        desk.world, email, "The 15th of September suits me.", sender=email
    )  # outside the thread
    desk.play(day=1)

    def release(seminar):
        (held,) = seminar.workplace.inbox.held()
        assert (
            held.key == key
            and held.person == desk.people[0]
            and "address" in held.reason
        )
        assert len(seminar.run.post._thread(held.person)) == 1, (
            "a forger draws our next mail into no thread of theirs"
        )
        seminar.release(key, desk.people[0])

    desk.run(release)
    got = [mail.body for day in (5, 6) for mail in desk.play(day=day).received]
    assert got == ["The 15th of September suits me."]


def test_nothing_is_released_for_somebody_who_is_not_on_the_list(desk):
    desk.play()
    key = answers(
        desk.world,
        desk.setup.scenario.people[0].email,
        "Hello.",
        sender="home@example.net",
    )
    desk.play(day=1)

    def release(seminar):
        seminar.remove(desk.people[1])
        for name in ("Nobody", "", desk.people[1]):
            with pytest.raises(InvalidInput, match="person"):
                seminar.release(key, name)
        with pytest.raises(InvalidInput, match="key"):
            seminar.release("no such key", desk.people[0])
        assert [kept.status for kept in seminar.workplace.inbox.held()] == [HELD]
        assert seminar.drop(key).status == "dropped"

    desk.run(release)


@pytest.mark.parametrize("released", [True, False])
def test_a_reply_of_somebody_taken_off_since_it_was_fetched_is_held(desk, released):
    desk.play()
    sender = "home@example.net" if released else None
    key = answers(
        desk.world,
        desk.setup.scenario.people[0].email,
        "The 15th of September.",
        sender=sender,
    )
    if released:
        desk.play(day=1)
        desk.day = 2
        desk.run(lambda seminar: seminar.release(key, desk.people[0]))
    else:  # fetched, and the kernel ended before its line was written
        with pytest.raises(Killed):
            desk.play(
                before=lambda seminar: setattr(seminar.journal, "add", plug), day=1
            )

    async def goes_on(seminar):
        seminar.remove(desk.people[0])
        return await answered(seminar), seminar.workplace.inbox.held()

    day, held = desk.run(goes_on)
    assert not day.received and [kept.key for kept in held] == [key]
    assert "taken off the list" in held[0].reason


def test_a_reply_that_is_read_while_its_writer_is_taken_off_gives_them_nothing_back(
    desk,
):
    desk.play()
    answers(
        desk.world,
        desk.setup.scenario.people[0].email,
        "The 15th of September suits me. Could you pay the train?",
    )
    desk.day = 1

    async def go(seminar):
        reading = seminar.run.organizer.role.read

        async def slow(*args):
            seminar.remove(desk.people[0])
            return await reading(*args)

        seminar.run.organizer.role.read = slow
        await answered(seminar)
        return seminar.desk.state.contacts[desk.people[0]]

    contact = desk.run(go)
    assert contact.declined and not contact.named


def test_mail_that_could_not_be_fetched_is_fetched_when_the_day_is_taken_up(desk):
    desk.play()
    answers(
        desk.world,
        desk.setup.scenario.people[0].email,
        "The 15th of September suits me.",
    )
    fetch = desk.world.fetch

    async def broken(after=""):
        raise InvalidInput("the folder has another name now")

    desk.world.fetch = broken
    for _ in range(2):
        with pytest.raises(InvalidInput, match="another name"):
            desk.play(day=1)
    desk.world.fetch = fetch
    assert len(desk.play().received) == 1


# what can be opened


def lines(path, query, *values):
    with closing(sqlite3.connect(path)) as db:
        found = db.execute(query, values).fetchone()
        db.commit()
        return found


def test_a_damaged_line_is_named_with_the_way_out(desk):
    desk.play()
    for step in ("plan", "finished", "send"):
        number, answer = lines(
            desk.path, "SELECT number, answer FROM journal WHERE step = ?", step
        )
        lines(desk.path, "UPDATE journal SET answer = '{' WHERE number = ?", number)
        with pytest.raises(DamagedFile, match=rf"line {number} cannot be read.*copy"):
            desk.play()
        lines(
            desk.path, "UPDATE journal SET answer = ? WHERE number = ?", answer, number
        )
    assert desk.play(day=1).number == 2


def test_a_finished_day_without_one_of_its_answers_is_not_asked_about_again(desk):
    desk.play()
    lines(desk.path, "DELETE FROM journal WHERE step = 'review' AND about LIKE 'mail%'")
    with pytest.raises(DamagedFile, match="day 1 is over"):
        desk.play()
    assert len(desk.world.sent) == 4


def test_a_live_seminar_without_credentials_says_how_to_give_them_and_can_be_opened_then(
    desk, monkeypatch
):
    for name in ("CONVENE_MAIL_USER", "CONVENE_MAIL_PASSWORD"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(MissingData, match="CONVENE_MAIL_PASSWORD"):
        Seminar(desk.path, "spring")
    assert not list(desk.path.parent.glob("*.lock")), "nobody seems to be at work on it"
    monkeypatch.setenv("CONVENE_MAIL_PASSWORD", "hush-hush")
    for name in ("SMTP_HOST", "IMAP_HOST", "MAIL_ADDRESS"):
        monkeypatch.setenv(
            f"CONVENE_{name}",
            getattr(desk.setup.servers, name.lower().removeprefix("mail_")),
        )
    with Seminar(desk.path, "spring") as seminar:
        assert seminar.workplace.mailbox.kind == "smtp and imap"
    for file in desk.path.parent.glob("study*"):
        assert b"hush-hush" not in file.read_bytes()


@pytest.mark.parametrize(
    "settings",
    [{"seed": True}, {"organizer": "nobody"}, {"detector": ""}, {"people": {"Ana": "slow"}}, {"mode": "wet run"},
     {"delegation": "sometimes"}, {"daily_limit": -1}, {"allowed": ("ana@example.org, eve@example.org",)}],
    ids=str,
)  # fmt: skip
def test_a_seminar_that_could_not_be_played_cannot_be_begun(settings):
    with pytest.raises(InvalidInput, match=next(iter(settings))):
        setup_of(**settings)


def test_a_mail_that_was_refused_is_not_in_the_books_and_whoever_removes_it_then_has_it_not_sent(
    desk,
):
    desk.world.refused = {desk.setup.scenario.people[0].email}
    day = desk.play()
    assert (
        len(desk.world.sent) == len(day.sent) == 3
        and "the server refused" in day.format_errors[0].detail
    )
    assert desk.people[0] not in {mail.to for mail in day.sent}
    day = desk.play(
        lambda question: Review(REMOVE) if question.phase == MAIL else None, day=1
    )
    assert not day.sent and len(desk.world.sent) == 3


def test_what_a_simulated_person_writes_is_a_mail_or_silence_and_never_ends_the_seminar(
    path, begun, monkeypatch
):
    begun(people="prompt")
    strange = {
        "Ngozi Tarrant": "The\u202e 15th\x07 suits me.",
        "Aurelio Brandvik": "\u200e",
    }

    async def answer(self, letter):
        return Response(
            ANSWER, "Re:\r\nBcc: eve@example.org", strange.get(self.persona.name, "No.")
        )

    monkeypatch.setattr(RuleBasedSpeaker, "answer", answer)

    async def go():
        with Seminar(path, "spring") as seminar:
            first, second = await answered(seminar), await answered(seminar)
            return first.format_errors, {
                mail.sender: (mail.subject, mail.body) for mail in second.received
            }

    errors, received = asyncio.run(go())
    assert received.pop("Ngozi Tarrant") == (
        "Re: Bcc: eve@example.org",
        "The 15th suits me.",
    )
    assert {error.agent for error in errors} == {"Aurelio Brandvik"} and len(
        received
    ) == 2


def test_after_a_reload_no_mail_of_before_leaves_without_the_code(desk, monkeypatch):
    """Attack 2: the yes is in the journal, and whoever has a cookie opens a new kernel and presses play."""
    monkeypatch.setenv(unlock.CODE, "24681357")

    async def plugged(recipient, message):
        raise FateUnknown("the plug was pulled")

    desk.world.send, send = plugged, desk.world.send
    with pytest.raises(FateUnknown):
        desk.play()
    desk.world.send = send

    def again(seminar):
        seminar.decide(seminar.uncertain[0].message_id, arrived=False, again=True)

    for before in (again, lambda seminar: None):
        with pytest.raises(InvalidInput, match="code"):
            desk.play(before=before)
    assert not desk.world.sent
    unlock.Lock().unlock("24681357")
    assert len(desk.play().sent) == 4
