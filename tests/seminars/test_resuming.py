"""A seminar whose kernel ends at every line of its journal: the same days, nothing asked
or sent twice."""

import asyncio
from collections import Counter

import pytest
from lines import JOINS, Killed, Story, World, live_setup
from seminar_playing import answered, setup_of

from support.seminar import acts
from support.seminar.organizer import RuleBasedOrganizer
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
    assert {edit.what for day in days for edit in day.edits} >= {"mail", "action"}
    assert [day.number for day in days if day.remade] == [2]
    changes = "policy joins opens release correct other drops remove"
    assert {*changes.split()} <= {*story.did}
    assert JOINS.name in {mail.to for day in days for mail in day.sent}
    assert any(len({*day.received}) < len(day.readings) for day in days), "corrected"
    assert any(flag.answer for day in days for flag in day.flags)
    senders = Counter(mail.sender for mail in days[2].received)
    assert max(senders.values()) == 2, "one was released"


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


def rehearsed(path, ends=None, days=9):
    """The days of a rehearsal in which somebody joins and somebody leaves; with `ends`,
    every kernel ends after so many lines."""

    async def go():
        with Seminar(path, "spring") as seminar:
            kept, lines = seminar.journal.add, Counter()

            def add(*line):
                kept(*line)
                lines["all"] += 1
                if lines["all"] == ends:
                    raise Killed

            seminar.journal.add = add
            await seminar.open()
            while len(seminar.finished) < days:
                finished, names = len(seminar.finished), [*seminar.scenario.by_name]
                if finished == 2 and not seminar.running and JOINS.name not in names:
                    seminar.add_person(JOINS)
                if finished == 5 and not seminar.running and not seminar.removed:
                    seminar.remove(names[0])
                await answered(seminar)
            return seminar.finished

    while True:
        try:
            return asyncio.run(go())
        except Killed:
            continue


def test_simulated_people_are_what_they_were_after_every_restart(tmp_path):
    found = []
    for name, ends in (("whole", None), ("broken", 4)):
        path = tmp_path / f"{name}.sqlite"
        begin(path, "spring", setup_of(people="vague").to_json())
        found.append(rehearsed(path, ends))
    assert found[0] == found[1]
    wrote = Counter(mail.sender for day in found[0] for mail in day.received)
    assert JOINS.name in wrote and len(wrote) > 3


class Spending(RuleBasedOrganizer):
    """Counts as a language model does."""

    replies = tokens = 0

    async def draft(self, desk, action, wish=""):
        await asyncio.sleep(0)
        self.replies, self.tokens = self.replies + 1, self.tokens + len(action.person)
        return await super().draft(desk, action, wish)


def test_what_a_model_spent_before_a_restart_counts(tmp_path, monkeypatch):
    monkeypatch.setattr(acts, "seat_organizer", lambda *_: Spending())
    spent = []
    for name, ends in (("whole", None), ("broken", 20)):
        story = told(tmp_path / f"{name}.sqlite")
        story.days = 3
        while (seminar := asyncio.run(story.play(ends))) is None:
            pass
        spent.append([(day.replies, day.tokens) for day in seminar.finished])
    assert spent[0] == spent[1] and spent[0][0][0] == 4
    assert all(tokens for _, tokens in spent[0])
