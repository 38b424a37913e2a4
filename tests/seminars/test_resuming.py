"""A live seminar whose kernel ends at every line of its journal: the same days, nothing asked or sent twice."""

import asyncio
from dataclasses import replace

import pytest
from lines import Story, World, live_setup

from support.seminar.checkpoints import ALWAYS
from support.seminar.organizer import RuleBasedOrganizer
from support.seminar.organizer_seat import ORGANIZER
from support.seminars import workplace
from support.seminars.journal import begin

FEW = 12
"""Lines that a kernel lives for; with 1 it passes, too, and takes ten times as long."""

CHANGES = 5
"""Lines of the story that are written while a question waits."""

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
    details = [error.detail for day in days for error in day.format_errors]
    assert any(REFUSED in detail for detail in details)
    assert {edit.what for day in days for edit in day.edits} >= {"mail", "action"}
    assert {"policy", "drop", "other", "back", "release", "remove"} <= set(story.did)
    assert len({mail.sender for mail in days[2].received}) < len(days[2].received), (
        "one was released"
    )


def test_a_kernel_killed_again_and_again_after_a_few_lines_goes_on_to_the_same_days(
    whole, tmp_path
):
    uninterrupted, days = whole
    story, kernels = told(tmp_path / "study.sqlite"), 1
    while (seminar := asyncio.run(story.play(ends=FEW))) is None:
        kernels += 1
    assert seminar.finished == days and kernels > uninterrupted.lines // (2 * FEW)
    assert recipients(story) == recipients(uninterrupted)
    assert list(dict.fromkeys(story.asked)) == list(
        dict.fromkeys(uninterrupted.asked)
    ), "nothing is left out"
    unanswered = len(story.asked) - len(uninterrupted.asked)
    assert unanswered <= CHANGES, (
        "asked twice is only what was not answered, for the kernel ended at a change before"
    )


@pytest.mark.parametrize("line", [45, 127])
def test_a_kernel_killed_before_it_wrote_a_line_asks_and_sends_no_more_than_that_again(
    whole, tmp_path, line
):
    uninterrupted, days = whole
    story = told(tmp_path / "study.sqlite")
    asyncio.run(story.play(ends=line, after=False))
    assert asyncio.run(story.play()).finished == days
    assert recipients(story) == recipients(uninterrupted)
    assert len(story.asked) - len(uninterrupted.asked) in (0, 1)


class Spending(RuleBasedOrganizer):
    """Counts as a language model does."""

    replies = tokens = 0

    async def draft(self, desk, action, wish=""):
        await asyncio.sleep(0)
        self.replies, self.tokens = self.replies + 1, self.tokens + len(action.person)
        return await super().draft(desk, action, wish)


def test_what_a_model_spent_before_a_restart_counts(tmp_path, monkeypatch):
    monkeypatch.setattr(
        workplace,
        "ORGANIZER",
        replace(ORGANIZER, kinds={"rule-based": lambda *_: Spending()}),
    )
    spent = []
    for name, ends in (("whole", None), ("broken", 20)):
        story = told(tmp_path / f"{name}.sqlite")
        story.days = 3
        while (seminar := asyncio.run(story.play(ends))) is None:
            pass
        spent.append([(day.replies, day.tokens) for day in seminar.finished])
    assert (
        spent[0] == spent[1]
        and spent[0][0][0] == 4
        and all(tokens for _, tokens in spent[0][:2])
    )
