"""The meeting's lab: runs by steps and to the end, seats, and a person at the table."""

from support.labs.meeting import MeetingLab


def test_a_run_by_steps_is_stored_with_its_settings_and_becomes_a_cell_that_plays_it(
    store, played, repeats
):
    async def steps(lab):
        empty = lab.view and bytes(lab.figure.value)
        for number in (1, 2):
            await lab.advance()
            assert len(lab.finished) == number
            assert ("Stored in study.sqlite" in lab.status.value) == (number == 2)
        assert bytes(lab.figure.value) != empty
        newest_first = lab.talk.value.index("Round 2") < lab.talk.value.index("Round 1")
        assert newest_first
        repeats(lab, "members=4", "to_the_end=True", store=store)

    played(MeetingLab, steps, coordinator="exhaustive", rounds=2, members=4)
    (unit, run), (_, again) = store.records(MeetingLab.sweep)
    assert run == again and len(run.rounds) == 2 and len(run.members) == 4
    assert run.seats["coordinator"] == "exhaustive"
    assert unit.settings["seats"] == dict.fromkeys(run.members, "plain")


def test_as_many_options_as_members_are_refused_and_fewer_are_enough_to_go_on(played):
    async def talk(lab):
        await lab.advance()
        assert "fewer than the 3 members" in lab.status.value and not lab.finished
        lab.controls["options"].value = 2
        await lab.advance()
        assert len(lab.finished) == 1

    played(MeetingLab, talk, members=3, options=3)


def test_another_group_brings_its_own_seats_and_a_venue_can_be_chosen(played):
    async def talk(lab):
        first = list(lab.kinds)
        lab.controls["members"].value = 5
        assert list(lab.kinds)[:3] == first and len(lab.kinds) == 5
        lab.controls["repetition"].value = 7
        assert not set(first) & set(lab.kinds) or list(lab.kinds)[:3] != first
        lab.controls["decision"].value = "venue"
        await lab.advance()
        assert list(lab.record().members) == list(lab.kinds)

    played(MeetingLab, talk)


def test_a_person_talks_and_sees_the_own_talk_only(played, until):
    async def talk(lab):
        me, other, *_ = lab.kinds
        lab.seats.children[0].value = "human"
        lab.start(to_the_end=True)
        for _ in range(2):
            await until(lambda: lab.persons and lab.persons[me].waiting)
            form = lab.persons[me]
            said = {"text": "Any morning, please.", "wishes": [], "done": True}
            form.waiting[0].answer(said)
            form.waiting.pop(0)
        await until(lambda: "Stored" in lab.status.value)
        assert "Any morning, please." in lab.talk.value
        assert f"not shown: {other}" in lab.talk.value
        mine = [entry.talks[me] for entry in lab.finished]
        assert all(talk[-1].done for talk in mine)

    played(MeetingLab, talk, rounds=2)
