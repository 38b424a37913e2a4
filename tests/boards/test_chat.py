"""The chat: days in their order, what each brought, who changed what; the running day last, with its decisions."""

from dataclasses import replace

import pytest

from support.boards.chat import Running, Step, chat_to_html
from support.play import FormatError
from support.seminar.records import Action, Edit, Flag, Mail, OrganizingDay
from support.seminar.rules import load_policies


@pytest.fixture(scope="module")
def policies():
    return load_policies("seed")


@pytest.fixture
def day(mail):
    """A full day: two actions, one of them changed, and one that was removed."""
    return OrganizingDay(
        3, "2027-09-08", received=(mail(4, 3, "reply", "Ana"),), flags=(Flag(4, "Ana", "May she?", "She may."),),
        progress="the report", selected=("follow_up",), plan="the plan", reason="the reason",
        actions=(Action("follow_up", "Ben", "ask again", policy="follow_up"),
                 Action("confirmation", "Ana", "settle it", "2027-09-22"), Action("wait", "Dua", "no hurry")),
        sent=(mail(5, 3, "follow_up", "Ben"),),
        edits=(Edit("mail", "Ben", "old words", "new words", "He likes it short."),
               Edit("action", "Cem", "thanks to Cem", ""), Edit("mail", "Ana", "a mail", "")),
        assignment=(("2027-09-22", ("Eve",)), ("2027-10-06", ())), violations=("give_up: a fourth mail",),
        summary="the summary", format_errors=(FormatError("organizer", "plan", "no object"),),
    )  # fmt: skip


def said(page, read):
    return " ".join(read(page).said)


def test_a_day_is_told_in_the_order_in_which_it_went(day, policies, read):
    words = said(chat_to_html([day], None, policies), read)
    order = ["Day 3", "Wednesday, 8 September 2027",
             "1 in, 1 out, 1 question, 3 changed, 1 broken, 1 of 2 seats filled",
             "1 reply", "words 4", "Asked of the desk, about Ana", "May she?", "She may.", "the report", "follow_up",
             "the plan", "the reason", "Actions", "ask again", "words 5", "settle it", "new words",
             "He likes it short.", "old words", "a fourth mail", "no object", "the summary"]  # fmt: skip
    places = [words.index(each) for each in order]
    assert places == sorted(places)


def test_each_action_says_what_became_of_it(day, policies, read):
    acts = said(chat_to_html([day], None, policies), read).split(" Actions ")[1].split("At the desk:")[0]
    assert "follow-up to Ben : ask again ( follow_up ) ✎ mail changed at the desk" in acts
    assert "confirmation to Ana of Wednesday, 22 September 2027 : settle it ✕ mail removed at the desk" in acts
    assert acts.endswith("✕ removed at the desk thanks to Cem ") and "wait for Dua : no hurry" in acts
    assert "no mail went out" not in acts


def test_a_plan_that_was_changed_says_so(day, policies, read):
    changed = replace(day, edits=(Edit("plan", "", "old plan", "the plan"),))
    assert "plan ✎ changed at the desk the plan" in said(chat_to_html([changed], None, policies), read)
    assert "plan the plan" in said(chat_to_html([day], None, policies), read)


def test_an_action_without_a_mail_says_so_and_a_mail_without_an_action_is_shown(day, policies, mail, read):
    odd = replace(day, edits=(), sent=(mail(5, 3, "thanks", "Fay"),))
    acts = said(chat_to_html([odd], None, policies), read).split(" Actions ")[1]
    assert acts.count("no mail went out") == 2 and "thanks to Fay: about 5" in acts


def test_days_before_the_last_are_folded_and_the_running_one_is_at_the_bottom(day, policies, read):
    days = [replace(day, number=k) for k in range(1, 6)]
    page = chat_to_html(days, Running(6, "2027-09-13"), policies)
    blocks = [e for e in read(page).elements if e.attributes.get("class") in ("day", "day running")]
    assert ["open" in e.attributes for e in blocks] == [False, False, False, True, True, True]
    assert blocks[-1].attributes["class"] == "day running"
    assert said(page, read).split("Day 6")[1] == " , Monday, 13 September 2027: ▸ in progress Nothing yet."


def test_a_day_on_which_nothing_went_is_a_line(policies, read):
    quiet = OrganizingDay(6, "2027-09-11", assignment=(("2027-09-22", ()),))
    assert said(chat_to_html([quiet], None, policies, seats=6), read).endswith(
        "no mail, 0 of 6 seats filled Nothing yet."
    )


STEPS = (
    Step("flag", "Ana", "answer", "May she?", after="She may."),
    Step("flag", "Ben", "answer", "And he?"),
    Step("plan", "", "again", "first plan", wish="shorter"),
    Step("plan", "", "edit", "second plan", after="my plan"),
    Step("action", "Ana", "approve", "thanks to Ana"),
    Step("action", "Ben", "remove", "thanks to Ben"),
    Step("mail", "Ana", "", "A subject\n\nThe body"),
)


def test_the_running_day_tells_every_decision_in_its_order(policies, read):
    flags = (Flag(1, "Ana", "May she?"), Flag(2, "Ben", "And he?"), Flag(3, "Cem", "And they?"))
    words = said(chat_to_html([], Running(1, "2027-09-06", flags=flags, steps=STEPS), policies), read)
    order = ["And they? Answer: not answered yet", "about Ana ✓ answered May she?", "At the desk: answered She may.",
             "about Ben – left open And he?", "The plan ↻ to be made again first plan",
             "At the desk: make it again shorter", "The plan ✎ changed second plan", "At the desk: changed to my plan",
             "The action about Ana ✓ approved thanks to Ana", "The action about Ben ✕ removed thanks to Ben",
             "The mail to Ana … waits for a decision A subject The body"]  # fmt: skip
    places = [words.index(each) for each in order]
    assert places == sorted(places) and words.count("May she?") == 1


def test_a_step_in_which_nothing_was_proposed_still_shows_its_decision(policies, read):
    words = said(chat_to_html([], Running(1, "2027-09-06", steps=(Step("plan", "", "", ""),)), policies), read)
    assert words.endswith("The plan … waits for a decision nothing was proposed")


def test_a_policy_that_was_dropped_since_is_shown_by_its_id(policies, read):
    running = Running(1, "2027-09-06", selected=("begin", "long_gone"))
    words = said(chat_to_html([], running, policies), read)
    assert f"✓ begin {policies['begin'].text}" in words and words.endswith("✓ long_gone")


def test_before_the_first_day_it_says_so(policies, read):
    assert said(chat_to_html([], None, policies), read) == "No day was played yet."


def test_a_date_that_is_none_is_shown_as_it_was_written(policies, read):
    odd = OrganizingDay(1, "2027-09-06", actions=(Action("confirmation", "Ana", slot="some day"),))
    assert "confirmation to Ana of some day" in said(chat_to_html([odd], None, policies), read)


def test_mails_lie_folded_with_their_lines(day, policies):
    page = chat_to_html(
        [replace(day, received=(Mail(1, 3, "reply", "Ana", "organiser", "", "one\ntwo"),))], None, policies
    )
    assert "(no subject)</summary>" in page and "one\ntwo</div>" in page
