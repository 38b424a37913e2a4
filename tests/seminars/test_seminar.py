"""A seminar is a rehearsal that may be left at any moment and taken up again."""

import asyncio
import os
from email import message_from_bytes, policy

import numpy as np
import pytest
from attacks.forms import Post
from lines import NOTHING, World, live_setup
from seminar_playing import answered, setup_of

from support.errors import InvalidInput
from support.seminar.records import REPLY, Flag
from support.seminar.study import seminar as study
from support.seminars.answering import approves, play_days
from support.seminars.journal import begin
from support.seminars.seminar import Seminar
from support.seminars.setup import DRY_RUN


def test_a_rehearsal_by_mail_is_that_of_the_study_with_its_seed(path, begun):
    begun(seed=3, people="rule-based")

    async def go():
        with Seminar(path, "spring") as seminar:
            assert len(await play_days(seminar, 2)) == 2
        with Seminar(path, "spring") as seminar:
            return await play_days(seminar), seminar.record

    days, record = asyncio.run(go())
    artefacts = setup_of().artefacts
    played = asyncio.run(study(np.random.default_rng(3), "four", artefacts=artefacts))
    assert tuple(days) == record.days == played.days
    assert (record.policies, record.hooks) == (played.policies, played.hooks)
    assert record.seats == {**played.seats, "reviewer": "human"}


def test_a_dry_run_writes_files_reads_those_that_are_put_there_and_asks_who_is_at_the_desk(
    path, begun
):
    people = [person.name for person in setup_of().scenario.people]
    begun(mode=DRY_RUN, people=dict.fromkeys(people, "prompt") | {people[1]: "human"})
    asked = []

    def said(question):
        if question.phase != "answer":
            return approves(question)
        asked.append(question.me)
        slots = dict.fromkeys(map(str, question.view[0].offered), "can")
        return {"action": REPLY, "body": "Any.", "says": NOTHING | {"dates": slots}}

    async def go():
        with Seminar(path, "spring") as seminar:
            assert len((await answered(seminar, said)).sent) == 4
            files = sorted((seminar.folder / "outbox").glob("*.eml"))
            read = [
                message_from_bytes(f.read_bytes(), policy=policy.default) for f in files
            ]
            mails = {mail["To"].addresses[0].display_name: mail for mail in read}
            assert {posted.status for posted in seminar.outbox.posted()} == {"dry"}
            mail = mails[people[0]]
            to = mail["To"].addresses[0].addr_spec
            post = Post(people[0], to, mail["Message-ID"], "", mail["From"])
            raw = post.mail("The 15th of September suits me.")
            (seminar.folder / "inbox" / "reply.eml").write_bytes(raw)
            return mails, await answered(seminar, said), seminar.setup.scenario

    mails, day, scenario = asyncio.run(go())
    assert {*mails} == {*people} and asked[0] == people[1]
    assert {m.sender: m.body for m in day.received} == {
        people[1]: "Any.",
        people[0]: "The 15th of September suits me.",
    }
    assert [(one.person, one.says.can) for one in day.readings] == [
        (people[1], scenario.slots)
    ]


def test_nobody_else_on_the_machine_reads_addresses_and_mails(tmp_path):
    path = tmp_path / "study.sqlite"
    begin(path, "spring", setup_of(mode=DRY_RUN).to_json())
    with Seminar(path, "spring") as seminar:
        sent = seminar.mailbox.send("ana@example.org", b"Subject: Hello\r\n\r\nAna")
        asyncio.run(sent)
        files = [f for f in tmp_path.rglob("*") if f.is_file() and f.suffix != ".lock"]
        assert {file.suffix for file in files} >= {".sqlite", ".eml"}
        assert not [file for file in files if file.stat().st_mode & 0o077]
        for folder in (
            seminar.folder.parent,
            seminar.folder,
            seminar.folder / "outbox",
        ):
            assert folder.stat().st_mode & 0o777 == 0o700


def test_a_mail_folder_that_another_account_planted_is_not_used(tmp_path, monkeypatch):
    path = tmp_path / "study.sqlite"
    begin(path, "spring", setup_of(mode=DRY_RUN).to_json())
    with Seminar(path, "spring") as seminar:
        folder = seminar.folder.parent
    if os.getuid():
        pytest.skip("only root gives files away")
    for place, owner in ((path, 4242), (folder, 4343)):
        os.chown(place, owner, -1)
    monkeypatch.setattr(os, "geteuid", lambda: 4242)
    with pytest.raises(InvalidInput, match="belongs to another account"):
        Seminar(path, "spring")


def test_no_function_approves_real_mail(path):
    begin(path, "spring", live_setup().to_json())
    world, said = World(), pytest.raises(InvalidInput, match="a person approves")
    with Seminar(path, "spring", mailbox=world) as seminar, said:
        asyncio.run(play_days(seminar))
    assert not world.sent


def test_a_general_policy_is_asked_for_once_and_what_it_cost_is_kept(
    path, begun, overheard
):
    begun(organizer="model", people="rule-based")
    model, asked = overheard({"policy": "Talks are held in the room."})
    hook = Flag(1, "Ngozi Tarrant", "By video?", "In person.", day=1)

    async def proposed():
        with Seminar(path, "spring", model=model) as seminar:
            await seminar.open()
            made = [await seminar.generalise(hook) for _ in range(2)]
            return made, seminar.run.roles["organizer"].replies

    for _ in range(2):
        assert asyncio.run(proposed()) == (["Talks are held in the room."] * 2, 1)
    assert len(asked) == 1
