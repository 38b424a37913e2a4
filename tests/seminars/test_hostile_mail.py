"""Hostile mail through the whole of it: servers, inbox, organiser, a careless person who says yes to everything."""

import asyncio
from collections import Counter
from datetime import timedelta
from html.parser import HTMLParser

import pytest
from attacks.generating import hostile
from attacks.world import EVIL
from live_servers import live
from seminar_playing import answered

from support.desk import views
from support.mail.reading import read
from support.seminar.reviewing import FLAG
from support.seminars.journal import begin
from support.seminars.seminar import Seminar

pytestmark = pytest.mark.filterwarnings("ignore:Requiring AUTH", "ignore:Session.login_data")
DAYS = 6


@pytest.fixture(scope="module")
def attacked(tmp_path_factory):
    """A live seminar, one of whose people was taken off the list, after 200 hostile mails and a few days."""
    folder = tmp_path_factory.mktemp("attacked")
    with live(folder) as (setup, office, smtp, _):
        path, asked = folder / "study.sqlite", []
        begin(path, "spring", setup.to_json())

        def careless(question):
            asked.append(question)
            return "Yes." if question.phase == FLAG else None

        async def go():
            day = 0
            with Seminar(path, "spring", today=lambda: setup.scenario.start + timedelta(days=day)) as seminar:
                await answered(seminar, careless)
                ours = {s.person: (s.recipient, s.message_id) for s in seminar.workplace.outbox.sent()}
                gone = list(ours)[-1]
                seminar.remove(gone)
                cases = hostile(0, ours, removed=gone, own=setup.sender)
                for case in cases:
                    office.deliver("seminar", case.raw)
                for day in range(1, DAYS):  # noqa: B007 (the calendar reads it)
                    await answered(seminar, careless)
                return Found(seminar, cases, gone, smtp)

        yield asyncio.run(go())


class Found:
    """What a test may look at after the seminar is closed."""

    def __init__(self, seminar, cases, gone, smtp):
        self.cases, self.gone, self.allowed = cases, gone, set(seminar.setup.allowed)
        self.days, self.desk, self.policies = seminar.finished, seminar.desk, seminar.policies
        self.inbox, self.posted = seminar.workplace.inbox.all(), seminar.workplace.outbox.sent()
        self.held = seminar.workplace.inbox.held()
        self.taken = [recipients for _, recipients, _ in smtp.handler.taken]


class Elements(HTMLParser):
    """Counts what a browser would make of a page."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.attributes = Counter(), Counter()
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags[tag] += 1
        self.attributes.update(name for name, _ in attrs)


def test_nobody_gets_mail_who_is_not_on_the_list(attacked):
    assert attacked.taken and all(len(recipients) == 1 for recipients in attacked.taken)
    reached = {recipient for (recipient,) in attacked.taken}
    assert reached <= attacked.allowed
    assert EVIL not in reached and not any("evil" in recipient for recipient in reached)


def test_who_was_taken_off_the_list_is_neither_read_nor_written_to(attacked):
    later = attacked.days[1:]
    assert attacked.gone not in {m.to for d in later for m in d.sent} | {m.sender for d in later for m in d.received}
    assert any(attacked.gone in kept.reason for kept in attacked.held)


def test_every_mail_is_kept_once_and_all_kinds_are_met(attacked):
    assert len(attacked.inbox) >= len(attacked.cases) - 5, "but for those that are equal to the byte"
    assert len({kept.key for kept in attacked.inbox}) == len(attacked.inbox)
    assert {kept.kind for kept in attacked.inbox} == {"reply", "quarantine", "automatic", "bounce"}
    assert all(len(kept.raw) <= 262_144 for kept in attacked.inbox)


def test_only_people_on_the_list_are_read_and_within_bounds(attacked):
    received = [mail for day in attacked.days for mail in day.received]
    assert {mail.sender for mail in received} <= set(attacked.desk.scenario.by_name)
    assert received and all(len(mail.body) <= 4000 and len(mail.subject) <= 200 for mail in received)


def test_an_instruction_in_a_mail_is_shown_to_the_person_at_the_desk(attacked):
    noticed = [flag for day in attacked.days for flag in day.flags if "was not followed" in flag.question]
    handed = {mail.body for day in attacked.days for mail in day.received}
    meant = [case for case in attacked.cases if case.flagged and case.words in " ".join(handed)]
    assert len(noticed) >= len({case.name for case in meant}) > 1


def test_no_date_is_given_to_anybody_who_did_not_name_it(attacked):
    for slot, names in attacked.desk.state.slots.items():
        for name in names:
            named = [u for day in attacked.days for u in day.understood if u.person == name]
            assert any(slot.isoformat() in (*u.available, *u.vague) for u in named)


def test_nothing_of_a_mail_becomes_markup(attacked):
    pages = [
        views.chat(attacked.days, attacked.policies),
        views.grid(attacked.desk),
        views.correspondence(attacked.desk, [flag for day in attacked.days for flag in day.flags]),
        views.outbox(attacked.posted),
        *(views.held(read(kept.fetched), kept.reason) for kept in attacked.held),
    ]
    assert "owned" in "".join(pages), "the texts are there"
    for page in pages:
        found = Elements(page)
        assert not found.tags.keys() & {"script", "img", "iframe", "svg", "object", "a", "form", "input", "link"}
        assert not [name for name in found.attributes if name.startswith("on") or name in ("src", "href")]
