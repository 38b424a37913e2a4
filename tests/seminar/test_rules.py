"""Policies in plain words become rules: every kind, its number in words and digits, and what is no rule."""

import pytest

from support.seminar.rules import Rule, contradiction, load_policies, read_policy

EXPECTED = {
    "begin": Rule("begin"),
    "follow_up": Rule("follow_up", 2),
    "give_up": Rule("give_up", 3),
    "ask_more": Rule("ask_more", 2),
    "vague": Rule("vague"),
    "faculty_first": Rule("faculty_first"),
    "weekend": Rule("weekend"),
    "declined": Rule("declined"),
    "confirm": Rule("confirm"),
    "cancelled": Rule("cancelled"),
    "one_each": Rule("one_each"),
    "urgent": Rule("urgent", 7),
}


def test_the_projects_own_policies_are_all_understood():
    assert load_policies("all").rules == EXPECTED


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("Follow up every four working days.", Rule("follow_up", 4)),
        ("Send a reminder, please remind people after 5 days.", Rule("follow_up", 5)),
        ("Write again when a week has gone by without an answer.", Rule("follow_up", 5)),
        ("Leave a mail alone for a day, then remind them.", Rule("follow_up", 1)),
        ("At most one mail a day; follow up after four days.", Rule("follow_up", 4)),
        ("Offers of only two week days: ask for more dates.", Rule("ask_more", 2)),
        ("Fill a date that is a week away with anybody.", Rule("urgent", 7)),
        ("After two weeks without an answer, nudge them.", Rule("follow_up", 10)),
        ("Stop after 5 reminders.", Rule("give_up", 5)),
        ("Never write more than four times to somebody who is silent; give up.", Rule("give_up", 4)),
        ("If fewer than 4 dates are offered, ask for more.", Rule("ask_more", 4)),
        ("Students come first, before professors.", Rule("students_first")),
        ("A tentative date must be checked.", Rule("vague")),
        ("No mail on Sundays.", Rule("weekend")),
        ("Whoever refuses is left in peace.", Rule("declined")),
        ("Fill a date that is 10 days away with anybody.", Rule("urgent", 10)),
        ("Confirm every date in writing.", Rule("confirm")),
    ],
)
def test_a_sentence_is_read_with_its_number(text, rule):
    assert read_policy(text) == rule


@pytest.mark.parametrize(
    "text",
    [
        "Be kind.",
        "Write in French.",
        "Professors deserve a good dinner.",
        "When this comes up: “Could we do it on a Saturday?”. No.",
        "when this comes  up: The speaker cancels. Do not write again after three reminders.",
    ],
)
def test_what_is_no_rule_is_not_understood(text):
    assert read_policy(text) is None


@pytest.mark.parametrize(
    ("one", "other", "why"),
    [
        (Rule("follow_up", 2), Rule("follow_up", 4), "one waits 2 working days, the other 4"),
        (Rule("give_up", 3), Rule("give_up", 5), "one stops after 3 mails, the other after 5"),
        (Rule("ask_more", 1), Rule("ask_more", 2), "one asks up to 1 dates, the other up to 2"),
        (Rule("urgent", 7), Rule("urgent", 3), "one speaks of 7 days, the other of 3"),
        (Rule("faculty_first"), Rule("students_first"), "one puts faculty first, the other students"),
        (Rule("students_first"), Rule("faculty_first"), "one puts faculty first, the other students"),
    ],
)
def test_what_cannot_both_be_followed_is_found_with_the_reason(one, other, why):
    assert contradiction([("a", one), ("x", None), ("b", other)]) == ("a", "b", why)


def test_the_same_rule_twice_contradicts_nothing():
    assert contradiction([("a", Rule("vague")), ("b", Rule("vague")), ("c", Rule("give_up", 3))]) is None
