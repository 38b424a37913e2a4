"""A seminar whose kernel ends at every line of its journal: the same days, nothing asked
or sent twice."""

import asyncio
from contextlib import suppress

import pytest
from lines import JOINS, Killed, Story, World, live_setup
from seminar_playing import answered, setup_of

from support.models.stand_ins import stand_in
from support.seminar.review import ALWAYS
from support.seminars.journal import begin
from support.seminars.seminar import Seminar

REFUSED = "jonas.felderhof@example.org"


def told(path, **settings):
    """A story in a new file; the first mail to one of the people is refused."""
    begin(path, "spring", live_setup(delegation=ALWAYS, **settings).to_json())
    return Story(path, World(refused=[REFUSED]))


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The story from beginning to end, and its days."""
    story = told(tmp_path_factory.mktemp("whole") / "study.sqlite")
    return story, asyncio.run(story.play()).finished


def recipients(story):
    return [recipient for recipient, _ in story.world.sent]


def test_the_story_has_what_may_go_wrong(whole):
    story, days = whole
    details = " ".join(error.detail for day in days for error in day.format_errors)
    assert REFUSED in details and "taken off the list" in details
    refused, again = ({mail.to for mail in day.sent} for day in days[:2])
    assert again - refused == {JOINS.name, "Jonas Felderhof"}
    edits = [edit for day in days for edit in day.edits]
    assert {edit.what for edit in edits} >= {"mail", "action"}
    assert any(edit.wish for edit in edits)
    changes = "policy joins opens release correct other drops remove"
    assert {*changes.split()} <= {*story.did}
    assert any(len({*day.received}) < len(day.readings) for day in days), "corrected"
    assert any(flag.answer for day in days for flag in day.flags)


def test_a_kernel_killed_after_every_single_line_goes_on_to_the_same_days(
    whole, tmp_path
):
    uninterrupted, days = whole
    story, kernels = told(tmp_path / "study.sqlite"), 1
    while (seminar := asyncio.run(story.play(ends=1))) is None:
        kernels += 1
    assert seminar.finished == days and kernels > uninterrupted.lines * 0.8
    assert recipients(story) == recipients(uninterrupted)
    assert list(dict.fromkeys(story.asked)) == list(dict.fromkeys(uninterrupted.asked))
    changes = sum(story.did[what] for what in story.did if isinstance(what, str))
    assert len(story.asked) <= len(uninterrupted.asked) + changes, (
        "asked twice is only what was not answered, for the kernel ended at a change"
    )


@pytest.mark.parametrize("line", [45, 80])
def test_a_kernel_killed_before_it_wrote_a_line_asks_and_sends_no_more_than_that_again(
    whole, tmp_path, line
):
    uninterrupted, days = whole
    story = told(tmp_path / "study.sqlite")
    asyncio.run(story.play(ends=line, after=False))
    assert asyncio.run(story.play()).finished == days
    assert recipients(story) == recipients(uninterrupted)
    assert len(story.asked) - len(uninterrupted.asked) in (0, 1)


def rehearsed(path, days, ends=()):
    """The days of a rehearsal in which somebody joins and somebody leaves; on each of
    them a kernel ends after the first line of each of these steps."""
    ended = set()

    async def go():
        with Seminar(path, "spring", model=stand_in()) as seminar:
            kept = seminar.journal.add

            def add(role, step, *told):
                kept(role, step, *told)
                if step in ends and (seminar.day, step) not in ended:
                    ended.add((seminar.day, step))
                    raise Killed

            seminar.journal.add = add
            await seminar.open()
            while len(seminar.finished) < days:
                names = [*seminar.scenario.by_name]
                if seminar.day == 2 and not seminar.running and JOINS.name not in names:
                    seminar.add_person(JOINS)
                if seminar.day == 5 and not seminar.running and not seminar.removed:
                    seminar.remove(names[0])
                await answered(seminar)
            return seminar.finished

    while True:
        with suppress(Killed):
            return asyncio.run(go())


MODELS = dict.fromkeys(("organizer", "detector", "reader", "people"), "model")


@pytest.mark.parametrize(("days", "settings"), [(10, {"people": "vague"}), (2, MODELS)])
def test_whoever_is_simulated_is_what_they_were_and_has_spent_what_they_had(
    tmp_path, days, settings
):
    found = []
    for name, ends in (("whole", ()), ("broken", ("progress", "answer", "close"))):
        path = tmp_path / f"{name}.sqlite"
        begin(path, "spring", setup_of(delegation=ALWAYS, **settings).to_json())
        found.append(rehearsed(path, days, ends))
    assert found[0] == found[1]
    wrote = {mail.sender for day in found[0] for mail in day.received}
    assert settings is MODELS or {JOINS.name, "Ngozi Tarrant"} <= wrote
    spent = [day.replies > 0 and day.tokens > 0 for day in found[0]]
    assert spent == [settings is MODELS] * days
