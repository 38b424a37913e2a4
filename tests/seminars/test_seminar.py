"""A seminar is a rehearsal that may be left at any moment and taken up again."""

import asyncio
from email import message_from_bytes, policy
from email.message import EmailMessage

import numpy as np
from seminar_playing import answered, setup_of

from support.seminar.study import seminar as study
from support.seminars.answering import play_days
from support.seminars.journal import begin
from support.seminars.seminar import Seminar


def test_a_rehearsal_by_mail_is_that_of_the_study_with_its_seed(path, begun):
    begun(seed=3, people="rule-based")

    async def go():
        with Seminar(path, "spring") as seminar:
            assert len(await play_days(seminar, 2)) == 2
            return await play_days(seminar)

    days = asyncio.run(go())
    record = asyncio.run(
        study(np.random.default_rng(3), "four", artefacts=setup_of().artefacts)
    )
    assert [day.assignment for day in days] == [day.assignment for day in record.days]
    assert [day.flags for day in days] == [day.flags for day in record.days]
    runs = days, record.days
    assert (
        len({tuple(mail.body for day in run for mail in day.sent) for run in runs}) == 1
    )
    received = [[mail.body for day in run for mail in day.received] for run in runs]
    for ours, theirs in zip(*received, strict=True):
        assert theirs.startswith(ours) and len(ours) > 10, (
            "a signature may be cut, and nothing else"
        )


def test_changed_policies_hold_from_the_next_step_on_and_after_a_restart(path, begun):
    begun()

    async def go():
        with Seminar(path, "spring") as seminar:
            await answered(seminar)
            seminar.set_policies(
                seminar.policies.drop("follow_up").add(
                    "Nothing is sent on Tuesdays.", "mine"
                )
            )
        with Seminar(path, "spring") as seminar:
            await seminar.open()
            ids = {policy.id for policy in seminar.policies}
            assert (
                "mine" in ids
                and "follow_up" not in ids
                and seminar.artefacts.policies == seminar.policies
            )
            assert "mine" in (await answered(seminar)).progress

    asyncio.run(go())


def test_a_dry_run_writes_files_and_reads_those_that_are_put_there(path, begun):
    begun(mode="dry run")
    answer = EmailMessage()
    answer["Message-ID"] = "<1@elsewhere.example>"
    answer.set_content("The 15th of September suits me.")

    async def go():
        with Seminar(path, "spring") as seminar:
            assert len((await answered(seminar)).sent) == 4
            files = sorted((seminar.workplace.folder / "outbox").glob("*.eml"))
            mails = [
                message_from_bytes(file.read_bytes(), policy=policy.default)
                for file in files
            ]
            assert {posted.status for posted in seminar.workplace.outbox.posted()} == {
                "dry"
            }
            answer["From"], answer["To"], answer["In-Reply-To"] = (
                mails[0]["To"],
                mails[0]["From"],
                mails[0]["Message-ID"],
            )
            (seminar.workplace.folder / "inbox" / "reply.eml").write_bytes(
                answer.as_bytes()
            )
            return mails, seminar.setup.scenario.people, await answered(seminar)

    mails, people, day = asyncio.run(go())
    to = [mail["To"].addresses[0] for mail in mails]
    assert {one.addr_spec for one in to} == {person.email for person in people}
    assert [(mail.sender, mail.body) for mail in day.received] == [
        (to[0].display_name, answer.get_content().strip())
    ]
    assert day.understood[0].available == ("2027-09-15",)


def test_nobody_else_on_the_machine_reads_addresses_and_mails(tmp_path):
    """Attack 5."""
    path = tmp_path / "study.sqlite"
    begin(path, "spring", setup_of(mode="dry run").to_json())
    with Seminar(path, "spring") as seminar:
        asyncio.run(
            seminar.workplace.mailbox.send(
                "ana@example.org", b"Subject: Hello\r\n\r\nAna"
            )
        )
        found = [
            file for file in tmp_path.rglob("*") if not file.name.endswith(".lock")
        ]
        open_to_others = [
            file.name
            for file in found
            if file.is_file() and file.stat().st_mode & 0o077
        ]
        assert {file.suffix for file in found} >= {
            ".sqlite",
            ".eml",
        } and not open_to_others
        folder = seminar.workplace.folder
        assert (
            folder.stat().st_mode & 0o777
            == 0o700
            == (folder / "outbox").stat().st_mode & 0o777
        )
        assert folder.parent.stat().st_mode & 0o777 == 0o700, (
            "it tells the names of seminars"
        )
