"""The calendar: Monday first, today and the deadline marked once, dates with who has them, days with their mails."""

from datetime import date

from support.boards.calendar import calendar_to_html


def marked(page):
    """What is told of each day that something is told of."""
    return [e.attributes["title"] for e in page.elements if e.tag == "td" and "title" in e.attributes]


def test_today_the_deadline_dates_and_mails_are_told_by_day(make_desk, mail, read):
    slots = tuple(make_desk({"Ana": {}}).state.slots)
    contacts = {"Ana": {"confirmed": slots[:1]}}
    mails = [mail(1, 1, "invitation", "Ana"), mail(2, 3, "reply", "Ana"), mail(3, 3, "confirmation", "Ana")]
    page = read(calendar_to_html(make_desk(contacts, {slots[0]: ("Ana",)}, mails)))
    assert marked(page) == [
        "Monday, 6 September 2027: 1 mail",
        "Wednesday, 8 September 2027: 2 mails",
        "Monday, 13 September 2027: today",
        "Monday, 20 September 2027: deadline",
        "Wednesday, 22 September 2027: taken",
        "Wednesday, 6 October 2027: open date",
        "Wednesday, 20 October 2027: open date",
    ]
    now = [e for e in page.elements if e.attributes.get("aria-current") == "date"]
    assert len(now) == 1 and "today" in now[0].attributes["title"]


def test_weeks_begin_on_monday_and_no_day_is_shown_twice(make_desk, read):
    page = read(calendar_to_html(make_desk({"Ana": {}})))
    heads = [e.attributes["abbr"] for e in page.elements if e.tag == "th"]
    assert heads[:7] == ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
    september = page.said[page.said.index("September 2027") + 1 : page.said.index("October 2027")]
    numbers = [int(word) for word in september if word.isdigit()]
    assert september[:7] == ["Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"] and numbers == [*range(1, 31)]
    cells = [e for e in page.elements if e.tag == "td"]
    assert len(cells) == (5 + 5) * 7  # 1 September 2027 is a Wednesday, 1 October a Friday


def test_months_that_do_not_matter_now_are_folded(make_desk, read):
    slots = [date(2027, month, 27) for month in (9, 11, 12)] + [date(2028, month, 24) for month in (1, 2, 3)]
    page = read(calendar_to_html(make_desk({"Ana": {}}, slots=slots, day=20)))
    assert "Further: October, February, March" in page.text
    late = read(calendar_to_html(make_desk({"Ana": {}}, slots=slots[:2], day=20)))
    assert "Earlier:" not in late.text and "Further: October" in late.text


def test_months_gone_by_are_folded(played, read):
    _, desk = played("four", 20)
    assert "Earlier: August" in read(calendar_to_html(desk)).text


def test_the_next_dates_say_who_has_them_who_could_and_how_far_they_are(make_desk, read):
    slots = tuple(make_desk({"Ana": {}}).state.slots)
    contacts = {
        "Ana": {"confirmed": slots[:1], "available": slots[:1]},
        "Ben": {"available": slots[1:2]},
        "Cem": {"vague": slots[1:2]},
    }
    words = " ".join(read(calendar_to_html(make_desk(contacts, {slots[0]: ("Ana",)}))).said)
    assert words.split("Next dates ")[1] == (
        "Mon 20 Sep 2027 in 5 working days ! deadline Wed 22 Sep 2027 in 7 working days ✓ Ana "
        "Wed 6 Oct 2027 in 17 working days ○ open can: Ben ; perhaps: Cem "
        "Wed 20 Oct 2027 in 27 working days ○ open nobody without a date has named it"
    )


def test_a_date_for_several_counts_its_seats(make_desk, read):
    slot = tuple(make_desk({"Ana": {}}).state.slots)[:1]
    page = read(calendar_to_html(make_desk({"Ana": {"confirmed": slot}}, {slot[0]: ("Ana",)}, seats=6, slots=slot)))
    assert "Wednesday, 22 September 2027: 1 of 6 seats taken, open" in marked(page)
    assert "5 of 6 seats open" in page.text


def test_a_date_nobody_got_is_told_as_over(make_desk, read):
    assert "Wednesday, 22 September 2027: over, given to nobody" in marked(
        read(calendar_to_html(make_desk({"Ana": {}}, day=25)))
    )
