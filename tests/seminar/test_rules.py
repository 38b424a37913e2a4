"""Policies in plain words: read literally with their numbers, or not at all; sets of them loaded, changed, refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.errors import InvalidInput
from support.seminar.rules import PolicySet, Rule, load_policies, read_policy


def test_the_projects_own_policies_are_all_understood():
    known, numbers = (
        load_policies("all"),
        {"follow_up": 2, "give_up": 3, "ask_more": 2, "urgent": 7},
    )
    assert len(known) == 12 and known.rules == {
        name: Rule(name, numbers.get(name, 0)) for name in known.ids
    }


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("Follow up every four working days.", Rule("follow_up", 4)),
        ("Leave a mail alone for a day, then remind them.", Rule("follow_up", 1)),
        ("At most one mail a day; follow up after four days.", Rule("follow_up", 4)),
        ("Offers of only two week days: ask for more dates.", Rule("ask_more", 2)),
        ("After two weeks without an answer, nudge them.", Rule("follow_up", 10)),
        (
            "Never write more than four times to somebody who is silent; give up.",
            Rule("give_up", 4),
        ),
        ("If fewer than 4 dates are offered, ask for more.", Rule("ask_more", 4)),
        ("Faculty first.", Rule("faculty_first")),
        ("Chase unanswered invitations after five working days.", Rule("follow_up", 5)),
        ("Once a date is fixed, confirm it to the speaker.", Rule("confirm")),
        ("Clarify tentative answers before assigning a date.", Rule("vague")),
        ("Nobody speaks twice while others have no date.", Rule("one_each")),
        (
            "If a speaker drops out, offer the free date to those who wanted it.",
            Rule("cancelled"),
        ),
        ("Begin by asking all speakers which dates suit them.", Rule("begin")),
    ],
)
def test_a_sentence_is_read_with_its_number(text, rule):
    assert read_policy(text) == rule


@pytest.mark.parametrize(
    "text",
    [
        "Be kind.",
        "Remind a professor only after five working days.",
        "Follow up every day.",
        "Follow up after two days, and after five days again.",
        "Never write a follow up.",
        "She sends the paper to all a week before.",
        "Faculty come first; ask the student for other dates.",
        "Do not stop after three reminders.",
        "When only one date is offered, do not ask for more.",
        "Stop reminders after 3 days.",
        "Students first, faculty first.",
        "When this comes up: “Could we do it on a Saturday?”. No.",
        "when this comes  up: The speaker cancels. Do not write again after three reminders.",
    ],
)
def test_what_is_no_rule_is_not_understood(text):
    assert read_policy(text) is None


@given(
    st.sampled_from([policy.text for policy in load_policies("all")]),
    st.sampled_from(["not", "unless urgent"]),
)
def test_property_no_word_that_may_turn_a_rule_is_passed_over(text, word):
    words = text.split()
    for k in range(1, len(words)):
        assert read_policy(" ".join([*words[:k], word, *words[k:]])) is None


@pytest.mark.parametrize(
    ("one", "other", "why"),
    [
        (
            "Follow up after two days.",
            "Follow up after four days.",
            "one waits 2 working days, the other 4",
        ),
        (
            "Stop after 3 reminders.",
            "Stop after 5 reminders.",
            "one stops after 3 mails, the other after 5",
        ),
        (
            "If fewer than 4 dates are offered, ask for more.",
            "Ask for more dates.",
            "up to 4 dates, the other up to 2",
        ),
        (
            "Fill a date that is 10 days away.",
            "Fill a date a week away.",
            "one speaks of 10 days, the other of 7",
        ),
        (
            "Faculty first.",
            "Students go first.",
            "one puts faculty first, the other students",
        ),
        (
            "Students go first.",
            "Faculty first.",
            "one puts faculty first, the other students",
        ),
    ],
)
def test_what_cannot_both_be_followed_is_found_with_the_reason(one, other, why):
    both = PolicySet().add(one, "a").add("Be kind.").add(other, "b")
    with pytest.raises(InvalidInput, match=f"'b' contradicts 'a' .*{why}"):
        both.literal()
    assert both.drop("b").literal()


SEED = load_policies()


def test_a_policy_is_added_edited_and_dropped_in_new_sets():
    more = SEED.add("Confirm every date.").add("Be kind.").add("Be kinder.")
    assert [p.id for p in more][-3:] == ["confirm", "policy", "policy_2"] and len(
        SEED
    ) == 6
    assert (
        more.unread == ("policy", "policy_2")
        and more.rules["confirm"].kind == "confirm"
    )
    edited = SEED.edit("follow_up", "Follow up every four working days.")
    assert edited.rules["follow_up"].number == 4 and [p.id for p in edited] == [
        p.id for p in SEED
    ]
    assert "give_up" not in edited.drop("give_up").rules
