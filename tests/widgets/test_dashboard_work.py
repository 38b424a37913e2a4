"""What the dashboard works on: one seminar at a time, whatever is pressed and how fast."""

import asyncio
from datetime import date

import pytest

from support.seminar.artefacts import Artefacts, load_templates
from support.seminar.checkpoints import ALWAYS
from support.seminar.data import scenario
from support.seminar.rules import load_policies
from support.seminars.answering import play_day
from support.seminars.journal import begin
from support.seminars.seminar import Seminar
from support.seminars.setup import SeminarSetup
from support.widgets.dashboard.work import Work


class Form:
    """Takes no decision."""

    def begin(self, *, live):
        pass

    def ask(self, question):
        pass

    def rest(self):
        pass


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "study.sqlite"
    setup = SeminarSetup(scenario("four"), Artefacts(load_policies("seed"), load_templates()), delegation=ALWAYS)
    for name in ("spring", "autumn", "winter"):
        begin(path, name, setup.to_json())
    return path


def test_of_seminars_that_are_chosen_one_right_after_the_other_only_the_last_stays_open(path):
    async def go():
        for name in ("spring", "autumn", "winter"):
            with Seminar(path, name) as seminar:
                await play_day(seminar)  # which is played again when it is opened: that takes a while
        work = Work(path, None, date.today, lambda: None, Form())
        await asyncio.gather(*(work.open(name) for name in ("spring", "autumn", "winter")))
        assert work.seminar.name == "winter" and not work.error
        for name in ("spring", "autumn"):
            Seminar(path, name).close()  # which is refused where a seminar was left open
        await work.close()
        Seminar(path, "winter").close()

    asyncio.run(go())
