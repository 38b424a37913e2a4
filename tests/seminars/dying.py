"""A process that plays a day of a live seminar with a person who approves all, and is killed at a point of sending.

python dying.py FILE SEMINAR POINT NTH: at the NTH time that it comes to POINT (see `deaths.SELF`), or never with "".
"""

import asyncio
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "mail"))
sys.path.insert(0, str(Path(__file__).parent))

import deaths
from seminar_playing import answered

from support.seminars import workplace
from support.seminars.seminar import Seminar


class Dying(deaths.Dying):
    """An outbox whose process ends when it comes to a point for the nth time."""

    left = 1

    def _at(self, point):
        if point == self.point:
            Dying.left -= 1
            if not Dying.left:
                deaths.end()


async def day(path, name):
    """Play one day; the calendar says that it is the first one."""
    with Seminar(path, name) as probe:
        start = probe.setup.scenario.start
    with Seminar(path, name, today=lambda: start) as seminar:
        await answered(seminar)
        print(len(seminar.finished))


if __name__ == "__main__":
    file, seminar_name, where, nth = sys.argv[1:]
    Dying.point, Dying.left = where, int(nth)
    workplace.Outbox = Dying
    if where == "half the message":
        deaths.half_a_message()
    asyncio.run(day(file, seminar_name))
