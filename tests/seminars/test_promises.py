"""What a seminar promises of its mail, whatever a person changes meanwhile: nobody gets
what they must not get."""

import asyncio
import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import timedelta

import pytest
from lines import JOINS, NOTHING, Killed, World, live_setup
from seminar_playing import answered, setup_of

from support.errors import DamagedFile, FileInUse, InvalidInput
from support.mail.mailbox import SimulatedMailbox
from support.seminar.records import MAIL, Says
from support.seminar.review import ALWAYS
from support.seminars.journal import DAY, begin
from support.seminars.seminar import Seminar
from support.seminars.setup import DRY_RUN, REHEARSAL


class Desk:
    """A live seminar that may be opened again and again, on any day."""

    def __init__(self, path):
        self.path, self.world, self.day = path, World(), 0
        self.setup = live_setup(delegation=ALWAYS)
        self.people = [person.name for person in self.setup.scenario.people]
        self.emails = [person.email for person in self.setup.scenario.people]
        begin(path, "spring", self.setup.to_json())

    def open(self, **settings):
        def today():
            return self.setup.scenario.start + timedelta(self.day)

        settings |= {"mailbox": self.world, "today": today}
        return Seminar(self.path, "spring", **settings)

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

    def read(self, question):
        """A person who reads in every reply that their first date suits the writer."""
        if question.phase != "read":
            return None
        slots = dict.fromkeys(map(str, self.setup.scenario.slots), "not said")
        return NOTHING | {"dates": slots | {next(iter(slots)): "can"}}


@pytest.fixture
def desk(path):
    return Desk(path)


def plug(*given, **settings):
    """The kernel ends there."""
    raise Killed


def of(what, question):
    """The items of a review of that kind; None of another question."""
    if question.phase == "review" and question.view[1] == what:
        return question.view[2]
    return None


# ---- what leaves ----


def test_a_mail_that_nobody_approved_as_it_is_does_not_leave(desk):
    def forgets(seminar):
        seminar.outbox.approve = lambda *mail: None

    day = desk.play(before=forgets)
    assert not desk.world.sent and not day.sent
    assert all("nobody has approved" in error.detail for error in day.format_errors)


def test_each_mail_of_a_list_leaves_in_the_words_of_the_person_or_not_at_all(desk):
    words = "Dear Ana,\u200e\r\n\r\nwould the 15th\u2028suit you?"

    def change(question):
        if not (drafts := of(MAIL, question)):
            return None
        first, second, _, last = drafts
        return {"items": [replace(first, subject="A  date", body=words), second, last]}

    day = desk.play(change)
    first = day.sent[0]
    assert (first.subject, first.body) == (
        "A date",
        "Dear Ana,\n\nwould the 15th\nsuit you?",
    )
    posted = desk.run(lambda seminar: seminar.outbox.posted())
    assert [(m.person, m.subject, m.body) for m in posted] == [
        (m.to, m.subject, m.body) for m in day.sent
    ]
    assert len(desk.world.sent) == 3


def test_an_edit_that_could_not_leave_is_refused_at_the_desk_and_nothing_is_lost(desk):
    refused = []

    def change(question):
        for draft in (of(MAIL, question) or ())[:1]:
            for subject, body in (("", "x"), ("x" * 201, "x"), ("x", " \u200e\n")):
                item = replace(draft, subject=subject, body=body)
                with pytest.raises(InvalidInput):
                    question.answer({"items": [item]})
                refused.append(item)

    assert len(desk.play(change).sent) == 4 and len(refused) == 3


def test_a_person_who_comes_back_and_takes_somebody_off_first_has_no_mail_sent_to_them(
    desk,
):
    """The yes is in the journal, the kernel ended before the mail left."""

    def ends(seminar):
        seminar.outbox.send = plug

    with pytest.raises(Killed):
        desk.play(before=ends)
    day = desk.play(before=lambda seminar: seminar.remove(desk.people[2]))
    assert desk.people[2] not in {mail.to for mail in day.sent}
    assert len(desk.world.sent) == 3
    assert any("taken off the list" in error.detail for error in day.format_errors)


def test_a_window_that_lost_the_seminar_sends_nothing_more_and_changes_nothing(desk):
    async def go():
        second = []

        def takes_over(question):
            if of(MAIL, question) and not second:
                second.append(desk.open(take_over=True))

        with desk.open() as first:
            await first.open()
            with pytest.raises(FileInUse, match="another window"):
                desk.open()
            with pytest.raises(FileInUse, match="taken over"):
                await answered(first, takes_over)
            assert not desk.world.sent
            fetch, desk.world.fetch = desk.world.fetch, plug
            with pytest.raises(FileInUse, match="taken over"):
                await answered(first)
            desk.world.fetch = fetch
            for change in (
                lambda: first.drop("simulated.1"),
                lambda: first.decide("<1@example.org>", arrived=False),
                lambda: first.remove(desk.people[0]),
            ):
                with pytest.raises(FileInUse, match="taken over"):
                    change()
            with second[0] as seminar:
                await answered(seminar)
                assert len(desk.world.sent) == 4

    asyncio.run(go())


def test_what_a_person_removes_is_approved_no_more(desk):
    desk.world.refused = {desk.emails[0]}
    assert len(desk.play().sent) == 3
    approved = "SELECT count(*) FROM approved WHERE message_id = ''"
    assert lines(desk.path, approved) == (1,), "it may go another day"
    assert not desk.play(lambda q: {"items": []} if of(MAIL, q) else None, day=1).sent
    assert lines(desk.path, approved) == (0,)


def test_mail_that_was_approved_before_a_break_is_told_before_it_goes(desk):
    def breaks(seminar):
        seminar.outbox.send = plug

    with pytest.raises(Killed):
        desk.play(before=breaks)
    assert not desk.world.sent and desk.run(lambda seminar: seminar.approved)
    assert len(desk.play().sent) == 4
    assert not desk.run(lambda seminar: seminar.approved)


@pytest.mark.parametrize(
    ("mode", "arrived", "again"),
    [
        (REHEARSAL, False, False),
        (DRY_RUN, False, False),
        (DRY_RUN, False, True),
        (DRY_RUN, True, True),
    ],
)
def test_an_uncertain_mail_that_arrived_or_is_left_out_is_not_sent_again_in_any_mode(
    path, begun, mode, arrived, again
):
    begun(mode=mode)
    mailbox = SimulatedMailbox(faults=[OSError("the plug was pulled")])

    async def go():
        with Seminar(path, "spring", mailbox=mailbox) as seminar:
            with pytest.raises(OSError, match="plug"):
                await answered(seminar)
            mail = seminar.uncertain[0].message_id
            seminar.decide(mail, arrived=arrived, again=again)
            return await answered(seminar)

    asyncio.run(go())
    assert len(mailbox.sent) == 3 + (again and not arrived)


def test_a_calendar_that_goes_back_or_past_the_deadline_plays_no_day(desk):
    desk.play()
    for day in (0, -1, 10**3):
        with pytest.raises(InvalidInput, match="after 1 and up to"):
            desk.play(day=day)
    assert desk.play(day=2).number == 3
    sent = len(desk.world.sent)
    with pytest.raises(InvalidInput, match="after 3"):
        desk.play(day=1)
    assert len(desk.world.sent) == sent


# ---- what arrives ----


def test_a_reply_has_words_alone_and_what_it_says_is_read_corrected_and_both_are_kept(
    desk,
):
    first, second, *_ = desk.setup.scenario.slots
    desk.play()
    desk.world.reply(desk.emails[0], "The 15th of September.")
    day = desk.play(desk.read, day=1)
    (mail,), (reading,) = day.received, day.readings
    assert (mail.says, reading.says, reading.by) == (None, Says(can=(first,)), "human")
    desk.run(lambda seminar: seminar.correct(mail.id, Says(perhaps=(second,))))

    def state(seminar):
        contact = seminar.desk.books.contacts[mail.sender]
        return contact.can, contact.perhaps, contact.answered

    assert desk.run(state) == (set(), {second}, [day.date - timedelta(1)])
    assert [one.says for one in desk.play(day=2).readings] == [Says(perhaps=(second,))]
    assert desk.run(state)[:2] == (set(), {second})
    with pytest.raises(InvalidInput, match="mail: 1 given"):
        desk.run(lambda seminar: seminar.correct(1, Says()))


def test_a_correction_of_a_day_that_broke_off_at_its_end_outlives_the_next_restart(
    desk,
):
    second = desk.setup.scenario.slots[1]
    desk.play()
    desk.world.reply(desk.emails[0], "The 15th of September.")
    desk.play(desk.read, day=1)

    def ends(seminar):
        add = seminar.journal.add
        seminar.journal.add = lambda *line: plug() if line[0] == DAY else add(*line)

    with pytest.raises(Killed):
        desk.play(day=2, before=ends)
    (mail,) = desk.run(lambda s: [m for m in s.desk.mails if m.to == "organiser"])
    desk.run(lambda seminar: seminar.correct(mail.id, Says(can=(second,))))
    desk.play(day=2)
    contact = desk.run(lambda seminar: seminar.desk.books.contacts[mail.sender])
    assert contact.can == {second}
    assert [one.says for one in desk.play(day=3).readings] == [Says(can=(second,))]
    assert not desk.play(day=4).readings


def test_a_held_mail_is_read_once_when_it_is_released_however_often_it_is_opened(desk):
    desk.play()
    key = desk.world.reply(desk.emails[0], "The 15th.", desk.emails[0])  # in no thread
    other = desk.world.reply(desk.emails[0], "Hello.", "home@example.net")
    desk.play(day=1)

    def release(seminar):
        held = {kept.key: kept for kept in seminar.inbox.held()}
        assert {*held} == {key, other} and "address" in held[key].why
        seminar.remove(desk.people[1])
        for name in ("Nobody", "", desk.people[1]):
            with pytest.raises(InvalidInput, match="person"):
                seminar.release(key, name)
        seminar.release(key, desk.people[0])
        assert seminar.drop(other).status == "dropped"

    desk.run(release)
    got = [mail.body for day in (5, 6) for mail in desk.play(day=day).received]
    assert got == ["The 15th."]


@pytest.mark.parametrize("released", [True, False])
def test_a_reply_of_somebody_taken_off_since_it_was_fetched_is_held(desk, released):
    desk.play()
    sender = "home@example.net" if released else None
    key = desk.world.reply(desk.emails[0], "The 15th of September.", sender)

    def ends(seminar):
        seminar.journal.add = plug

    if released:
        desk.play(day=1)
        desk.day = 2
        desk.run(lambda seminar: seminar.release(key, desk.people[0]))
    else:  # fetched, and the kernel ended before its line was written
        with pytest.raises(Killed):
            desk.play(before=ends, day=1)

    async def goes_on(seminar):
        seminar.remove(desk.people[0])
        return await answered(seminar), seminar.inbox.held()

    day, held = desk.run(goes_on)
    assert not day.received and [kept.key for kept in held] == [key]
    assert "taken off the list" in held[0].why


def test_a_date_that_is_not_theirs_any_more_is_not_confirmed(desk):
    name, first = desk.people[0], desk.setup.scenario.slots[0]
    desk.play()
    desk.world.reply(desk.emails[0], "The 15th of September suits me.")

    async def go(seminar):
        def meanwhile(question):
            if of("action", question) is not None:
                return {"items": [give]}
            if of("mail", question):
                (mail,) = [m for m in seminar.desk.mails if m.sender == name]
                seminar.correct(mail.id, Says(cannot=(first,)))
            return desk.read(question)

        give = {"kind": "confirmation", "person": name, "slots": [str(first)]}
        day = await answered(seminar, meanwhile)
        return day, seminar.desk.books.held(name)

    desk.day = 1
    day, held = desk.run(go)
    assert not day.sent and "not theirs" in day.format_errors[0].detail
    assert held == desk.run(lambda seminar: seminar.desk.books.held(name)) == []


def test_mail_that_could_not_be_fetched_is_fetched_when_the_day_is_taken_up(desk):
    desk.play()
    desk.world.reply(desk.emails[0], "The 15th of September suits me.")

    async def broken(after=""):
        raise InvalidInput("the folder has another name now")

    fetch, desk.world.fetch = desk.world.fetch, broken
    for _ in range(2):
        with pytest.raises(InvalidInput, match="another name"):
            desk.play(day=1)
    desk.world.fetch = fetch
    assert len(desk.play().received) == 1


# ---- what changes, and what can be opened ----


def test_nobody_joins_twice_and_no_date_opens_or_drops_that_cannot(desk):
    desk.play()
    post = replace(JOINS, name="post")
    with pytest.raises(InvalidInput, match="another thing in the journal"):
        desk.run(lambda s: s.add_person(post))
    with pytest.raises(InvalidInput, match="another thing in the journal"):
        setup_of(scenario=replace(desk.setup.scenario, people=(post,)))
    with pytest.raises(InvalidInput, match="two people have the email"):
        desk.run(lambda s: s.add_person(replace(JOINS, email=desk.emails[0])))
    with pytest.raises(InvalidInput, match="one to come"):
        desk.run(lambda s: s.open_date(desk.setup.scenario.start))
    with pytest.raises(InvalidInput, match="expected one of"):
        desk.run(lambda s: s.drop_date(desk.setup.scenario.start))


def lines(path, query, *values):
    with closing(sqlite3.connect(path)) as db:
        found = db.execute(query, values).fetchone()
        db.commit()
        return found


def test_a_damaged_line_is_named_with_the_way_out(desk):
    desk.play()
    for role, step in (("day", ""), ("organizer", "plan")):
        query = "SELECT number, answer FROM journal WHERE role = ? AND step = ?"
        number, answer = lines(desk.path, query, role, step)
        lines(desk.path, "DELETE FROM journal WHERE number > ?", number)
        query = "UPDATE journal SET answer = ? WHERE number = ?"
        lines(desk.path, query, "{", number)
        with pytest.raises(DamagedFile, match=rf"line {number} cannot be read.*copy"):
            desk.play()
        lines(desk.path, query, answer, number)


UNFIT = [
    {"seed": True},
    {"seed": -1},
    {"organizer": "nobody"},
    {"organizer": {"plan": "rule-based"}},
    {"detector": ""},
    {"reader": "somebody"},
    {"people": {"Ana": "slow"}},
    {"mode": "wet run"},
    {"delegation": "sometimes"},
    {"daily_limit": -1},
    {"allowed": ["ana@example.org, eve@example.org"]},
    {"temperature": "hot"},
]
NOT_LIVE = {
    "servers": {"servers": None},
    "nobody given": {"allowed": []},
    "on the list": {"allowed": ["eve@example.org"]},
    "a person": {"reviewer": "automatic"},
    "daily_limit": {"daily_limit": 0},
    "authserv": {"unchecked_senders": False},
}


@pytest.mark.parametrize("settings", UNFIT, ids=str)
def test_a_seminar_that_could_not_be_played_cannot_be_begun(settings):
    with pytest.raises(InvalidInput, match=f"{next(iter(settings))}|a kind for each"):
        setup_of(**settings)


@pytest.mark.parametrize("said", NOT_LIVE)
def test_real_mail_needs_all_that_keeps_it_safe(said):
    with pytest.raises(InvalidInput, match=said):
        live_setup(**NOT_LIVE[said])
