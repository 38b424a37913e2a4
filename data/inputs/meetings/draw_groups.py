"""Draws the 150 groups of groups.toml again: `python draw_groups.py` prints them.

Groups of five of the company whose wishes and calendars conflict as much as `CHANCE` and
`OPTIMUM` say; n = 3 and 4 are parts of the group of 5.
"""

import json
import tomllib
from dataclasses import replace
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np

from support.data import inputs
from support.meetings.data import Meeting, iso, load_company
from support.meetings.scenario import meeting_scenario

LENGTHS, DAYS, FIRST = (30, 45, 60, 90), (1, 2, 3), date(2026, 2, 2)
CHANCE, OPTIMUM = (0.2, 0.35), 0.6
"""What a start drawn at random may satisfy by wishes alone (share of the members), and
what the best satisfies at least in truth: the single round of Table 1 ends at .36 to .58.
"""


def drawn(count: int, seed: int = 2023) -> list[Meeting]:
    """The first so many groups."""
    company, rng, found = load_company(), np.random.default_rng(seed), []
    past = tomllib.loads(inputs("meetings", "meetings.toml").read_text("utf-8"))["past"]
    names, subjects = list(company.by_name), sorted({m["subject"] for m in past})
    while len(found) < count:
        organiser, *members = rng.choice(names, 6, replace=False).tolist()
        day = FIRST + timedelta(days=int(rng.integers(54)))
        zone = company.by_name[organiser].zone
        noon = datetime(day.year, day.month, day.day, 12, tzinfo=ZoneInfo(zone))
        meeting = Meeting(
            id=f"g{len(found) + 1:03}",
            organiser=organiser,
            members=tuple(members),
            subject=str(rng.choice(subjects)),
            date=day.isoformat(),
            days=int(rng.choice(DAYS)),
            duration=int(rng.choice(LENGTHS)),
            sent=iso(noon - timedelta(days=int(rng.integers(1, 5)))),
            zone=zone,
            required=tuple(members[: rng.integers(3)]),
        )
        if day.weekday() > 4:
            continue
        whole = meeting_scenario(meeting, company)
        wishes = {name: replace(own, away=()) for name, own in whole.own.items()}
        claimed = replace(whole, own=wishes).shares.mean()
        if CHANCE[0] <= claimed <= CHANCE[1] and whole.shares.max() >= OPTIMUM:
            found.append(meeting)
    return found


if __name__ == "__main__":
    for group in drawn(150):
        print("[[group]]")
        for name, value in group.model_dump(exclude={"venues"}).items():
            print(f"{name} = {json.dumps(value, ensure_ascii=False)}")
        print()
