"""The correspondence: a sign for each mail on its day, gaps in words, whole threads below, flags where they belong."""

import pytest

from support.boards.correspondence import correspondence_to_html
from support.errors import InvalidInput
from support.seminar.records import Flag


def signs(page):
    """The names of the signs, row by row."""
    rows = []
    for element in page.elements:
        if element.tag == "tr":
            rows.append([])
        if element.attributes.get("class", "").startswith("go "):
            rows[-1].append(element.attributes["title"])
    return [row for row in rows if row]


@pytest.fixture
def two(make_desk, mail, days):
    """Ana answered a second follow-up, Ben never did."""
    sent = [(1, 1, "invitation", "Ana"), (2, 1, "invitation", "Ben"), (3, 3, "follow_up", "Ana"),
            (4, 5, "follow_up", "Ana"), (5, 5, "follow_up", "Ben"), (6, 8, "reply", "Ana")]  # fmt: skip
    contacts = {"Ana": {"mails": days(1, 3, 5), "answered": days(7)}, "Ben": {"mails": days(1, 5)}, "Cem": {}}
    return make_desk(contacts, mails=[mail(*one) for one in sent])


def test_each_mail_has_a_sign_and_follow_ups_are_counted(two, read):
    page = read(correspondence_to_html(two))
    assert signs(page) == [["invitation", "follow-up 1", "follow-up 2", "reply"], ["invitation", "follow-up 1"]]
    heads = [e.attributes.get("title") for e in page.elements if e.attributes.get("scope") == "col"]
    assert heads == [
        None, "Day 1, Monday, 6 September 2027", "Day 3, Wednesday, 8 September 2027",
        "Day 5, Friday, 10 September 2027", "Day 8, Monday, 13 September 2027",
    ]  # fmt: skip


def test_gaps_are_told(two, read):
    said = " ".join(read(correspondence_to_html(two)).said)
    assert "3 mails, 1 reply; answered" in said
    assert "2 mails, no reply, 1 working day" in said
    assert "Cem not written to" in said


def test_a_mail_of_today_is_no_gap_yet_and_a_confirmation_never_is_one(make_desk, mail, days, read):
    slots = tuple(make_desk({"Ana": {}}).state.slots)
    mails = [mail(1, 1, "invitation", "Ana"), mail(2, 2, "reply", "Ana"), mail(3, 3, "confirmation", "Ana"),
             mail(4, 8, "invitation", "Ben")]  # fmt: skip
    contacts = {"Ana": {"mails": days(1, 3), "answered": days(1), "confirmed": slots[:1]}, "Ben": {"mails": days(8)}}
    said = " ".join(read(correspondence_to_html(make_desk(contacts, {slots[0]: ("Ana",)}, mails))).said)
    assert "2 mails, 1 reply; has 22 Sep" in said and "1 mail, no reply yet" in said


def test_a_mail_after_a_reply_that_is_not_answered_is_a_gap(make_desk, mail, days, read):
    mails = [mail(1, 1, "invitation", "Ana"), mail(2, 2, "reply", "Ana"), mail(3, 3, "clarification", "Ana")]
    desk = make_desk({"Ana": {"mails": days(1, 3), "answered": days(1)}}, mails=mails)
    said = " ".join(read(correspondence_to_html(desk)).said)
    assert "2 mails, 1 reply; the last mail unanswered, 3 working days" in said


def test_a_flag_stands_in_the_place_of_its_reply(two, read):
    page = read(correspondence_to_html(two, [Flag(6, "Ana", "what now?")]))
    assert signs(page)[0][-1] == "reply, flagged" and "reply" not in signs(page)[0]


def test_each_thread_is_whole_folded_and_of_one_person(two, read):
    page = correspondence_to_html(two)
    ana, ben = page.split("Ben</bdi>")
    assert all(f"words {k}" in ana for k in (1, 3, 4, 6)) and all(f"words {k}" in ben for k in (2, 5))
    assert "words 2" not in ana and "words 1" not in ben and "<details open" not in page
    assert not any("open" in e.attributes for e in read(page).elements if e.tag == "details")


def test_of_one_person_only_theirs_is_shown_and_unfolded(two, read):
    page = correspondence_to_html(two, person="Ben")
    assert "Ana" not in page and "words 5" in page
    assert ["open" in e.attributes for e in read(page).elements if e.tag == "details"] == [True, False, False]


def test_nobody_of_another_name_is_shown(two):
    with pytest.raises(InvalidInput, match="'Dua' given; expected one of Ana, Ben, Cem"):
        correspondence_to_html(two, person="Dua")


def test_of_many_days_the_last_fourteen_have_a_column_and_the_others_share_one(make_desk, mail, days, read):
    mails = [mail(k, k, "reply" if k % 3 == 0 else "clarification", "Ana") for k in range(1, 18)]
    desk = make_desk({"Ana": {"mails": days(1), "answered": days(2)}}, mails=mails, day=17)
    page = read(correspondence_to_html(desk))
    heads = [e.attributes.get("title") for e in page.elements if e.attributes.get("scope") == "col"]
    assert len(heads) == 1 + 1 + 14 and heads[1] == "Days before 4"
    assert signs(page)[0][:3] == ["2 out", "1 in", "clarification"] and len(signs(page)[0]) == 2 + 14


def test_before_the_first_mail_it_says_so(make_desk, read):
    assert "No mail has gone out or come in yet." in read(correspondence_to_html(make_desk({"Ana": {}}))).text
