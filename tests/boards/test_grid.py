"""The assignment grid: a sign and a sentence for what each said of each date, and seats in words."""

from support.boards.grid import grid_to_html, kind_of


def kinds(desk, name):
    return [kind_of(desk.state, desk.state.contacts[name], slot) for slot in desk.state.slots]


def test_each_cell_says_how_somebody_stands_to_a_date(make_desk, days):
    first, second, third = make_desk({"Ana": {}}).state.slots
    written = {"mails": days(1), "answered": days(2)}
    desk = make_desk(
        {
            "Ana": written | {"available": (first, second), "confirmed": (first,)},
            "Ben": written | {"available": (first, third), "vague": (second,)},
            "Cem": written | {"available": (third,), "cancelled": (second,)},
            "Dua": written | {"declined": True},
            "Eli": {"mails": days(1)},
            "Fay": written | {"available": (third,)},
        },
        given={first: ("Ana",), third: ("Fay",)},
        seats=1,
    )
    assert kinds(desk, "Ana") == ["confirmed", "spare", "unnamed"]
    assert kinds(desk, "Ben") == ["spare", "vague", "spare"]
    assert kinds(desk, "Cem") == ["unnamed", "back", "spare"]
    assert kinds(desk, "Dua") == ["no", "no", "no"]
    assert kinds(desk, "Eli") == ["unknown", "unknown", "unknown"]
    assert kinds(desk, "Fay") == ["unnamed", "unnamed", "given"]


def test_a_date_that_is_over_is_nobodys_any_more(make_desk, days):
    slots = make_desk({"Ana": {}}).state.slots
    desk = make_desk({"Ana": {"mails": days(1), "answered": days(2), "available": tuple(slots)}}, day=17)
    assert kinds(desk, "Ana") == ["spare", "firm", "firm"]


def test_the_table_has_heads_for_dates_and_people_and_every_state_in_words(make_desk, days, read):
    slots = make_desk({"Ana": {}}).state.slots
    fields = {"mails": days(1), "answered": days(2), "available": tuple(slots)[:1], "vague": tuple(slots)[1:2]}
    page = read(grid_to_html(make_desk({"Ana": fields, "Ben": {}})))
    scopes = [element.attributes.get("scope") for element in page.elements if element.tag == "th"]
    assert scopes == ["col"] * 4 + ["row"] * 2
    assert [e.tag for e in page.elements].count("caption") == 1
    assert "22 Sep" in page.text and "as of Monday, 13 September 2027" in page.text
    for sentence in ("tentative: named it firmly", "named it vaguely", "answered without naming it", "not known yet"):
        assert page.text.count(sentence) >= 2  # in a cell, and in the legend
    assert "1 tentative, 2 open" in page.text and "professor · – not written to" in page.text


def test_seats_of_a_panel_are_counted_by_date_and_drawn_each(make_desk, read):
    slot = tuple(make_desk({"Ana": {}}).state.slots)[:1]
    contacts = {name: {"available": slot, "confirmed": slot if name == "Ana" else ()} for name in ("Ana", "Ben", "Cem")}
    page = read(grid_to_html(make_desk(contacts, given={slot[0]: ("Ana", "Ben")}, seats=6, slots=slot)))
    assert "2 of 6 seats filled, 1 of them not confirmed yet; 1 tentative, 3 open" in page.text
    bar = next(k for k, element in enumerate(page.elements) if element.attributes.get("class") == "bar")
    looks = [element.attributes["class"] for element in page.elements[bar + 1 : bar + 7]]
    assert looks == ["sure", "given", "tentative", "quiet", "quiet", "quiet"]
    assert "2 of 6" in page.text.split("who")[1]


def test_many_dates_have_signs_without_words_beside_them(played, read):
    _, desk = played("series", 6)
    page = read(grid_to_html(desk))
    looks = [element.attributes.get("class") for element in page.elements]
    assert "many" in looks and "word" not in looks
    assert sum(element.tag == "td" for element in page.elements) == 23 * 10
