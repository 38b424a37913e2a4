"""A seminar is a rehearsal that may be left at any moment and taken up again."""

import asyncio
from contextlib import suppress
from email import message_from_bytes, policy
from email.message import EmailMessage

import numpy as np
import pytest
from seminar_playing import answered, setup_of

from support.errors import FileInUse, NotSent
from support.mail.mailbox import SimulatedMailbox
from support.seminar.checkpoints import ALWAYS
from support.seminar.records import ACTION, MAIL, PLAN
from support.seminar.reviewing import FLAG
from support.seminar.study import seminar as study
from support.seminar.views import AGAIN, EDIT, REMOVE, Draft, Review
from support.seminars.journal import begin
from support.seminars.seminar import Seminar


async def played(path, name="spring", answer=lambda question: None, days=40):
    with Seminar(path, name) as seminar:
        while not seminar.over and len(seminar.finished) < days:
            await answered(seminar, answer)
        return seminar.finished


@pytest.mark.parametrize("seed", [1, 3])
def test_a_rehearsal_by_mail_is_that_of_the_study_with_its_seed(path, begun, seed):
    begun(seed=seed, people="rule-based")
    days = asyncio.run(played(path))
    given = {"artefacts": setup_of().artefacts}
    record = asyncio.run(study(np.random.default_rng(seed), "four", **given))
    assert [day.assignment for day in days] == [day.assignment for day in record.days]
    assert [day.flags for day in days] == [day.flags for day in record.days]
    runs = days, record.days
    assert len({tuple(mail.body for day in run for mail in day.sent) for run in runs}) == 1
    received = [[mail.body for day in run for mail in day.received] for run in runs]
    for ours, theirs in zip(*received, strict=True):
        assert theirs.startswith(ours) and len(ours) > 10, "a signature may be cut, and nothing else"


def person(asked):
    """Somebody who changes, removes, has made again, and answers: what they say depends on the question alone."""

    def answer(question):
        asked.append((question.view.round, question.phase, question.view.about))
        if question.phase == FLAG:
            return f"About {question.view.item.person}: yes."
        if question.phase == MAIL and question.view.round == 1 and question.view.about.startswith("Jonas"):
            return Review(EDIT, edited=Draft("A date for you", f"{question.view.item.body}\n\nMore soon."))
        if question.phase == ACTION and question.view.round == 3:
            return Review(REMOVE)
        if question.phase == PLAN and question.view.round == 2 and asked.count(asked[-1]) == 1:
            return Review(AGAIN, wish="shorter, please")
        return None

    return answer


class Killed(BaseException):
    """The kernel is gone."""


async def until(path, stop, asked):
    """Play until the person has been asked so many times, then leave everything as it is."""

    def answer(question):
        if len(asked) == stop:
            raise Killed
        return person(asked)(question)

    with Seminar(path, "spring") as seminar, suppress(Killed):
        await seminar.open()
        while not seminar.over and len(seminar.finished) < 6:
            await answered(seminar, answer)
        return seminar.finished
    return None


def test_a_seminar_left_in_the_middle_of_any_question_goes_on_to_the_same_days(path, begun, tmp_path):
    begun(delegation=ALWAYS, people="rule-based", seed=2)
    whole, once = asyncio.run(played(path, answer=person(all_asked := []), days=6)), len(all_asked)
    other = tmp_path / "other.sqlite"
    begin(other, "spring", setup_of(delegation=ALWAYS, people="rule-based", seed=2).to_json())
    asked, days = [], None
    for stop in range(1, once + 1, 2):
        days = asyncio.run(until(other, stop, asked))
    days = asyncio.run(until(other, 10**6, asked))
    assert days == whole and len(whole) == 6
    assert asked == all_asked, "nothing is asked twice, and nothing is left out"
    assert once > 15


def test_opening_asks_nothing_and_sends_nothing(path, begun):
    begun(people="rule-based", delegation=ALWAYS)
    asyncio.run(until(path, 5, []))

    async def look():
        with Seminar(path, "spring") as seminar:
            before = list(seminar.journal.entries())
            await seminar.open()
            assert seminar.running and seminar.questions.empty()
            assert list(seminar.journal.entries()) == before
            assert seminar.next_day == seminar.day == 1

    asyncio.run(look())


def test_changed_policies_hold_from_the_next_step_on_and_after_a_restart(path, begun):
    begun()

    async def change():
        with Seminar(path, "spring") as seminar:
            await answered(seminar)
            seminar.set_policies(seminar.policies.drop("follow_up").add("Nothing is sent on Tuesdays.", "mine"))

    async def look():
        with Seminar(path, "spring") as seminar:
            await seminar.open()
            assert "mine" in {policy.id for policy in seminar.policies}
            assert "follow_up" not in {policy.id for policy in seminar.policies}
            assert seminar.artefacts.policies == seminar.policies
            day = await answered(seminar)
            assert "mine" in day.progress

    asyncio.run(change())
    asyncio.run(look())


def test_somebody_who_was_taken_off_the_list_gets_no_mail_and_their_replies_are_held(path, begun):
    begun(people="rule-based", seed=1)

    async def go():
        with Seminar(path, "spring") as seminar:
            await answered(seminar)
            gone = seminar.setup.scenario.people[1].name
            seminar.remove(gone)
            for _ in range(12):
                day = await answered(seminar)
                assert gone not in {mail.to for mail in day.sent} | {mail.sender for mail in day.received}
            held = seminar.workplace.inbox.held()
            return gone, {kept.person for kept in held} | {kept.reason for kept in held}

    gone, held = asyncio.run(go())
    assert any(gone in said for said in held)


def test_a_seminar_is_open_in_one_window_and_can_be_taken_over(path, begun):
    begun()

    async def go():
        first = Seminar(path, "spring")
        await answered(first)
        with pytest.raises(FileInUse, match="another window"):
            Seminar(path, "spring")
        with Seminar(path, "spring", take_over=True) as second:
            await answered(second)
            with pytest.raises(FileInUse, match="taken over"):
                await answered(first)
            await answered(second)
            assert len(second.finished) == 3
        first.close()

    asyncio.run(go())


def test_a_day_that_broke_off_is_taken_up_where_it_broke(path, begun):
    begun(people="rule-based")
    mailbox = SimulatedMailbox(faults=[None, OSError("the plug was pulled")])

    async def go():
        with Seminar(path, "spring", mailbox=mailbox) as seminar:
            with pytest.raises(OSError, match="plug"):
                await answered(seminar)
            assert [posted.status for posted in seminar.uncertain] == ["uncertain"]
            sent = len(mailbox.sent)
            with pytest.raises(Exception, match="may have been sent"):
                await answered(seminar)
            seminar.decide(seminar.uncertain[0].message_id, arrived=True)
            day = await answered(seminar)
            assert len(day.sent) == 4 and len(mailbox.sent) == sent + 2, "one went out before, one arrived unseen"

    asyncio.run(go())


def test_a_mail_that_is_refused_is_not_in_the_books_and_is_told(path, begun):
    begun(people="rule-based")
    mailbox = SimulatedMailbox(faults=[NotSent("the server refused ana")])

    async def go():
        with Seminar(path, "spring", mailbox=mailbox) as seminar:
            day = await answered(seminar)
            assert len(day.sent) == 3 and "refused ana" in day.format_errors[0].detail
            missed = {person.name for person in seminar.setup.scenario.people} - {mail.to for mail in day.sent}
            assert not seminar.desk.state.contacts[missed.pop()].mails
            again = await answered(seminar)
            assert len(again.sent) == 1

    asyncio.run(go())


def test_the_record_is_one_that_the_store_keeps(path, begun):
    from support.runs.study import Store

    begun()

    async def go():
        with Seminar(path, "spring") as seminar:
            await answered(seminar)
            return seminar.record

    record = asyncio.run(go())
    store = Store(path)
    unit = store.save("seminars", record, {"name": "spring"})
    assert store.record(unit) == record
    store.close()


def test_a_dry_run_writes_files_and_reads_those_that_are_put_there(path, begun):
    begun(mode="dry run")

    async def go():
        with Seminar(path, "spring") as seminar:
            first = await answered(seminar)
            folder = seminar.workplace.folder
            written = [
                message_from_bytes(file.read_bytes(), policy=policy.default)
                for file in (folder / "outbox").glob("*.eml")
            ]
            assert {mail["To"].addresses[0].addr_spec for mail in written} == {
                p.email for p in seminar.setup.scenario.people
            }
            assert {posted.status for posted in seminar.workplace.outbox.posted()} == {"dry"}
            (folder / "inbox").mkdir(exist_ok=True)
            (folder / "inbox" / "reply.eml").write_bytes(
                _reply(written[0], "The 15th of September suits me.").as_bytes()
            )
            second = await answered(seminar)
            return first, second, written[0]["To"].addresses[0].display_name

    first, second, name = asyncio.run(go())
    assert len(first.sent) == 4
    assert [(mail.sender, mail.body) for mail in second.received] == [(name, "The 15th of September suits me.")]
    assert second.understood[0].available == ("2027-09-15",)


def _reply(mail, words):
    made = EmailMessage()
    made["From"], made["To"], made["Subject"] = mail["To"], mail["From"], f"Re: {mail['Subject']}"
    made["Message-ID"], made["In-Reply-To"] = "<1@elsewhere.example>", mail["Message-ID"]
    made.set_content(words)
    return made


def test_a_mail_outside_the_thread_is_held_until_a_person_is_sure_and_read_then(path, begun):
    begun(mode="dry run")

    async def go():
        with Seminar(path, "spring") as seminar:
            await answered(seminar)
            folder = seminar.workplace.folder
            mail = message_from_bytes(next((folder / "outbox").glob("*.eml")).read_bytes(), policy=policy.default)
            made = _reply(mail, "The 15th of September suits me.")
            del made["In-Reply-To"]
            (folder / "inbox").mkdir(exist_ok=True)
            (folder / "inbox" / "reply.eml").write_bytes(made.as_bytes())
            second = await answered(seminar)
            (held,) = seminar.workplace.inbox.held()
            assert not second.received and not second.flags and "address" in held.reason
            assert held.person == mail["To"].addresses[0].display_name, "who it seems to be is known"
            thread = seminar.run.post._thread(held.person)
            assert thread == [mail["Message-ID"]], "a forger draws our next mail into no thread of theirs"
            seminar.release(held.key, held.person)
            third = await answered(seminar)
            return [(one.sender, one.body) for one in third.received], held.person, third.flags

    received, person, flags = asyncio.run(go())
    assert received == [(person, "The 15th of September suits me.")] and not flags


def test_nobody_else_on_the_machine_reads_addresses_and_mails(tmp_path):
    """Attack 5."""
    path = tmp_path / "study.sqlite"
    begin(path, "spring", setup_of(mode="dry run").to_json())
    with Seminar(path, "spring") as seminar:
        asyncio.run(seminar.workplace.mailbox.send("ana@example.org", b"Subject: Hello\r\n\r\nAna"))
        found = [file for file in tmp_path.rglob("*") if not file.name.endswith(".lock")]
        open_to_others = [file.name for file in found if file.is_file() and file.stat().st_mode & 0o077]
        assert {file.suffix for file in found} >= {".sqlite", ".eml"} and not open_to_others
        folder = seminar.workplace.folder
        assert folder.stat().st_mode & 0o777 == 0o700 == (folder / "outbox").stat().st_mode & 0o777
        assert folder.parent.stat().st_mode & 0o777 == 0o700, "it tells the names of seminars"
