"""Rehearsals as HTML: days in the order given, folded unless asked for, and nothing of what people wrote is markup."""

import asyncio

import numpy as np
import pytest

from support.diaries import assignment_to_html, days_to_html, mails_to_html
from support.environments.seminar.policies import load_policies
from support.records import Mail
from support.studies import seminar


@pytest.fixture(scope="module")
def days():
    return asyncio.run(seminar(np.random.default_rng(3), until=3)).days


def test_days_come_in_their_order_and_only_those_asked_for_are_unfolded(days):
    page = days_to_html(days, load_policies("seed"), unfolded=[2])
    assert page.index("Day 1<") < page.index("Day 2<") < page.index("Day 3<")
    assert page.count('class="day" open') == 1 and page.count('class="day"') == 3


def test_policies_that_apply_stand_out(days):
    page = days_to_html(days[:1], load_policies("seed"))
    assert "✓ begin" in page and "✓ give_up" not in page and "give_up" in page


def test_what_people_write_is_no_markup():
    page = mails_to_html([Mail(1, 1, "reply", "Ana <b>", "organiser", "<script>", "<img src=x onerror=y>")])
    assert "<script>" not in page and "<img" not in page and "<b>" not in page and "&lt;script&gt;" in page


def test_open_seats_are_counted():
    page = assignment_to_html(["2027-09-15", "2027-10-13"], {"2027-09-15": ("Ana",)}, 2)
    assert "Ana; <i>1 of 2 seats open</i>" in page and "2 of 2 seats open" in page
