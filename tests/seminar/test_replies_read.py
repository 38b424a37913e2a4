"""What the reader makes of 120 replies by authors who never saw it (`replies.json`): how far it is from precise."""

import json
from datetime import date
from pathlib import Path

import pytest

from support.seminar.reading import read_reply

SLOTS = tuple(date(2027, month, day) for month, day in ((9, 15), (10, 13), (11, 10), (12, 8)))
REPLIES = json.loads(Path(__file__).with_name("replies.json").read_text(encoding="utf-8"))


def dates(given):
    return {date.fromisoformat(day) for day in given} & {*SLOTS}


@pytest.mark.parametrize(("part", "most", "least"), [("development", 30, 26), ("test", 20, 33)])
def test_firm_dates_that_nobody_gave_grow_no_more_and_those_found_no_less(part, most, least):
    """Issue 19 asks for 2 % of invented dates at most; here they are more than a third."""
    read = [(set(read_reply(r["body"], SLOTS, date(2027, 8, 16)).available), dates(r["firm"])) for r in REPLIES[part]]
    assert sum(len(found - firm) for found, firm in read) <= most
    assert sum(len(found & firm) for found, firm in read) >= least
