"""What is seen of a seminar: all is told in words, and nothing that is written outside becomes markup."""

import re
from dataclasses import fields, is_dataclass, replace
from datetime import date
from itertools import product
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.desk import views
from support.desk.chat import DECIDED, Step, chat
from support.desk.markup import style
from support.play import FormatError
from support.seminar.data import Scenario
from support.seminar.ledger import Contact, State
from support.seminar.records import Action, Edit, Flag, OrganizingDay, Remade
from support.seminar.rules import LONGEST, Policy, PolicySet, load_policies

SLOTS = tuple(date(2027, 10, day) for day in (4, 11, 18))
TODAY = date(2027, 9, 13)


def state(named, seats=1, today=TODAY, **more):
    contacts = {name: Contact(name, "student", available=tuple(slots)) for name, slots in named.items()}
    return State(today, dict.fromkeys(SLOTS, ()) | more.get("given", {}), contacts, seats)


def best(named, seats):
    """The largest number of seats that can be filled, by trying all ways."""
    ways = product(*([None, *slots] for slots in named.values()))
    fit = (way for way in ways if all(way.count(slot) <= seats for slot in SLOTS))
    return max(len(way) - way.count(None) for way in fit)


@given(st.dictionaries(st.sampled_from("abcd"), st.sets(st.sampled_from(SLOTS)).map(sorted)), st.integers(1, 2))
def test_property_tentative_is_the_largest_number_of_seats_that_can_be_filled_at_once(named, seats):
    assert views.seats_of(state(named, seats)).tentative == best(named, seats)


def kinds(desk, name):
    return [views.kind_of(desk.state, desk.state.contacts[name], slot) for slot in desk.state.slots]


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


def marked(page):
    """What is told of each day that something is told of."""
    return [e.attributes["title"] for e in page.elements if e.tag == "td" and "title" in e.attributes]


def test_today_the_deadline_dates_and_mails_are_told_by_day(make_desk, mail, read):
    slots = tuple(make_desk({"Ana": {}}).state.slots)
    contacts = {"Ana": {"confirmed": slots[:1]}}
    mails = [mail(1, 1, "invitation", "Ana"), mail(2, 3, "reply", "Ana"), mail(3, 3, "confirmation", "Ana")]
    page = read(views.calendar(make_desk(contacts, {slots[0]: ("Ana",)}, mails)))
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
    page = read(views.correspondence(two))
    assert signs(page) == [["invitation", "follow-up 1", "follow-up 2", "reply"], ["invitation", "follow-up 1"]]
    heads = [e.attributes.get("title") for e in page.elements if e.attributes.get("scope") == "col"]
    assert heads == [
        None, "Day 1, Monday, 6 September 2027", "Day 3, Wednesday, 8 September 2027",
        "Day 5, Friday, 10 September 2027", "Day 8, Monday, 13 September 2027",
    ]  # fmt: skip


def test_each_thread_is_whole_folded_and_of_one_person(two, read):
    page = views.correspondence(two)
    ana, ben = page.split("Ben</bdi></th>")
    assert all(f"words {k}" in ana for k in (1, 3, 4, 6)) and all(f"words {k}" in ben for k in (2, 5))
    assert "words 2" not in ana and "words 1" not in ben and "<details open" not in page
    assert not any("open" in e.attributes for e in read(page).elements if e.tag == "details")


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
    words = said(chat([day], None, policies), read)
    order = ["Day 3", "Wednesday, 8 September 2027",
             "1 in, 1 out, 1 question, 3 changed, 1 broken, 1 of 2 seats filled",
             "1 reply", "words 4", "Asked of the desk, about Ana", "May she?", "She may.", "the report", "follow_up",
             "the plan", "the reason", "Actions", "ask again", "words 5", "settle it", "new words",
             "He likes it short.", "old words", "a fourth mail", "no object", "the summary"]  # fmt: skip
    places = [words.index(each) for each in order]
    assert places == sorted(places)


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
    words = said(chat([], OrganizingDay(1, "2027-09-06", flags=flags), policies, steps=STEPS), read)
    order = ["And they? Answer: not answered yet", "about Ana ✓ answered May she?", "At the desk: answered She may.",
             "about Ben – left open And he?", "The plan ↻ to be made again first plan",
             "At the desk: make it again shorter", "The plan ✎ changed second plan", "At the desk: changed to my plan",
             "The action about Ana ✓ approved thanks to Ana", "The action about Ben ✕ removed thanks to Ben",
             "The mail to Ana … waits for a decision A subject The body"]  # fmt: skip
    places = [words.index(each) for each in order]
    assert places == sorted(places) and words.count("May she?") == 1


PAYLOADS = {
    "script": "<script>alert(1)</script>",
    "attribute": '" onmouseover="alert(1)" x=\'',
    "closing": "</div></td></table></details></style><style>*{display:none}</style><img src=x onerror=alert(1)>",
    "comment": "<!-- ",
    "entity": "&lt;b&gt;&#60;img src=x&#62;",
    "formula": "$$x$$ \\(y\\)",
    "long": "a" * 10_000,
    "order": "\u202egnp.exe\u2066",
    "control": "\x00\x07\x1b[2J",
    "half": "\ud800\udfff",
    "lines": "\r\n\u2028\u2029\n",
}


VOCABULARY = {"organiser", "plan", "action", "mail", "flag", *DECIDED, *views.STATUSES}


DATES = {"2027-09-08", "2027-09-22", "2027-10-06"}


def poisoned(thing, payload, kept):
    """The same thing with every text in it, of whichever field, begun by the payload."""
    if isinstance(thing, str):
        return thing if thing in kept or not thing else payload + thing
    if isinstance(thing, Scenario | date | int | type(None)):
        return thing
    if isinstance(thing, PolicySet):
        short = payload[: LONGEST - 100]
        return PolicySet(tuple(Policy(payload + p.id, short + p.text) for p in thing))
    if isinstance(thing, tuple | list):
        return tuple(poisoned(each, payload, kept) for each in thing)
    if isinstance(thing, dict):
        return {poisoned(key, payload, kept): poisoned(value, payload, kept) for key, value in thing.items()}
    if isinstance(thing, SimpleNamespace):
        return SimpleNamespace(**{name: poisoned(value, payload, kept) for name, value in vars(thing).items()})
    assert is_dataclass(thing), thing
    told = {field.name: getattr(thing, field.name) for field in fields(thing) if field.init}
    return replace(thing, **{name: poisoned(value, payload, kept) for name, value in told.items()})


@pytest.fixture(scope="module")
def inputs(make_desk, mail, days):
    slots = tuple(make_desk({"Ana": {}}).state.slots)
    kinds = ("invitation", "follow_up", "clarification", "confirmation", "thanks", "reply")
    mails = [mail(k, k, kind, name) for name in ("Ana", "Ben") for k, kind in enumerate(kinds, 1)]
    written = {"mails": days(1), "answered": days(2), "said": "a note"}
    contacts = {
        "Ana": written | {"available": slots[:2], "confirmed": slots[:1]},
        "Ben": written | {"vague": slots[1:2], "cancelled": slots[2:]},
        "Cem": written | {"available": slots[1:2]},
        "Dua": {"declined": True},
    }
    desk = make_desk(contacts, {slots[0]: ("Ana",)}, mails)
    steps = tuple(Step(what, "Ana", decision, "shown\n\nbody", "after", "wish") for what, decision in (
        ("flag", "answer"), ("plan", "approve"), ("action", "remove"),
        ("mail", "edit"), ("mail", "again"), ("mail", ""),
    ))  # fmt: skip
    flags = (Flag(6, "Ana", "a question", "an answer"),)
    day = OrganizingDay(
        3, "2027-09-08", tuple(mails[5:6]), (), flags, "progress", ("begin", "vague"), "plan", "reason",
        (Action("follow_up", "Ana", "goal", "2027-09-22", "begin"), Action("thanks", "Ben", "goal", "no date", "")),
        tuple(mails[:4]), (Edit("plan", "", "before", "now", "learnt"), Edit("action", "Ben", "before", "", "learnt"),
                           Edit("mail", "Ana", "before", "now", "learnt")),
        (("2027-09-22", ("Ana",)), ("2027-10-06", ())), (("Ben", 2),), ("broken",), "summary",
        (FormatError("who", "phase", "detail"),), 0, 0, (Remade("plan", "", "before", "after", "wish"),),
    )  # fmt: skip
    running = OrganizingDay(4, "2027-09-08", tuple(mails[5:6]), (), (*flags, Flag(7, "Ben", "open")), "progress",
                            ("begin",))  # fmt: skip
    policies = PolicySet((Policy("begin", "a sentence"), Policy("other", "another sentence")))
    rows = tuple(SimpleNamespace(recipient="ana@x.org", subject="s", body="b", status=status, said="ok", on="some day",
                                 person="Ana", day=1) for status in (*views.STATUSES, "lost"))  # fmt: skip
    held = (SimpleNamespace(sender="eve@x.org", sender_name="Eve", subject="s", text="t", reason="why",
                            problems=("p", "q"), attachments=("a.zip",)),)  # fmt: skip
    shown = {"desk": desk, "flags": flags, "days": (day,), "running": running, "steps": steps, "policies": policies}
    return SimpleNamespace(**shown, rows=rows, held=held, person="Ana", selected=("begin",))


BOARDS = {
    "grid": lambda given: views.grid(given.desk),
    "calendar": lambda given: views.calendar(given.desk),
    "correspondence": lambda given: views.correspondence(given.desk, given.flags),
    "thread": lambda given: views.correspondence(given.desk, given.flags, given.person),
    "chat": lambda given: chat(given.days, given.running, given.policies, 2, given.steps),
    "outbox": lambda given: views.outbox(given.rows),
    "held": lambda given: views.held(given.held),
}


@pytest.mark.parametrize("everything", [False, True], ids=["texts", "kinds too"])
@pytest.mark.parametrize("payload", PAYLOADS)
@pytest.mark.parametrize("name", BOARDS)
def test_hostile_words_leave_the_elements_and_attributes_of_plain_ones(name, payload, everything, inputs, read):
    kept = DATES if everything else DATES | VOCABULARY | {mail.kind for mail in inputs.desk.mails}
    kept = kept | {"organiser"}  # the desk's own name in mails, whatever people are called
    plain = BOARDS[name](poisoned(inputs, "plain", kept))
    page = BOARDS[name](poisoned(inputs, PAYLOADS[payload], kept))
    assert read(page).skeleton == read(plain).skeleton
    assert "<script" not in page.lower() and "<img" not in page.lower()
    assert "tex2jax_ignore mathjax_ignore" in page.split(">", 1)[0], "no page reads formulas in it"


@pytest.mark.parametrize("name", BOARDS)
def test_words_that_turn_the_reading_order_or_break_the_wire_are_taken_out(name, inputs):
    payload = "".join(PAYLOADS[which] for which in ("order", "control", "half"))
    page = BOARDS[name](poisoned(inputs, payload, DATES | {"organiser"}))
    assert not set(page) & set("\u202e\u2066\x00\x07\x1b") and page.encode("utf-8")


@pytest.fixture
def show(chromium):
    """A function from a board and the width of its panel, in rem, to its page."""
    pages = []

    def open_page(board, width):
        page = chromium.new_page(viewport={"width": 1366, "height": 768})
        page.route("**", lambda route: route.abort())
        panel = f'<div id="panel" style="width:{width}rem">{style()}{board}</div>'
        page.set_content(f"<!doctype html><body>{panel}")
        pages.append(page)
        return page

    yield open_page
    for page in pages:
        page.close()


@pytest.fixture(scope="module")
def boards(played):
    days, desk = played("series", 12)
    policies = load_policies("seed")
    return {
        "grid": views.grid(desk),
        "calendar": views.calendar(desk),
        "correspondence": views.correspondence(desk, [flag for day in days for flag in day.flags]),
        "chat": chat(days, None, policies),
    }


WIDER = "(p => p.scrollWidth - p.clientWidth)(document.querySelector('#panel'))"


def test_no_board_is_wider_than_its_panel_even_with_every_fold_open(boards, show):
    page = show("".join(boards.values()).replace("<details", "<details open"), 18)
    for width in (18, 26, 34, 76):
        page.evaluate(f"document.querySelector('#panel').style.width = '{width}rem'")
        assert page.evaluate(WIDER) <= 1, width


def test_a_thread_opens_by_key(boards, show):
    page = show(boards["correspondence"], 34)
    assert page.locator("details[open]").count() == 0
    page.locator("summary").first.focus()
    page.keyboard.press("Enter")
    assert page.locator("details[open]").count() == 1
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.locator("details.mail[open] .text").first.is_visible()


def test_a_word_without_end_breaks_and_nothing_of_a_mail_runs(make_desk, mail, show):
    name = "A" * 3000
    bad = '<img src=x onerror="window.ran=1"><script>window.ran=1</script>' + "b" * 3000
    mails = [replace(mail(1, 1, "reply", name), subject=bad, body=bad)]
    slot = next(iter(make_desk({name: {}}).state.slots))
    desk = make_desk({name: {"confirmed": (slot,)}}, {slot: (name,)}, mails)
    boards = views.grid(desk) + views.calendar(desk) + views.correspondence(desk, person=name)
    page = show(boards.replace("<details", "<details open"), 26)
    assert page.evaluate(WIDER) <= 1 and page.evaluate(WIDER.replace("#panel", ".grid .scroll")) <= 1
    assert page.evaluate("window.ran") is None and page.locator("img, script").count() == 0


def luminance(colour):
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_words_stand_out_from_their_ground_in_both_themes(theme):
    first, second = re.findall(r"\{(\s+(?:color-scheme: dark; )?--ink.*?)\}", style(), re.S)
    colours = dict(re.findall(r"--([a-z-]+): (#\w+)", first))
    colours |= dict(re.findall(r"--([a-z-]+): (#\w+)", second)) if theme == "dark" else {}
    colours = {name: "#" + "".join(2 * c for c in code[1:]) if len(code) == 4 else code
               for name, code in colours.items()}  # fmt: skip
    pairs = [("ink", "ground"), ("ink", "dim"), ("ink", "out-ground"), ("ink", "in-ground"), ("ink", "may-ground"),
             ("faint", "ground"), ("faint", "dim"), ("faint", "out-ground"), ("dark", "ground"), ("dark", "dim"),
             ("hard", "ground"), ("sure-ink", "blue"), ("given-ink", "may-ground"), ("faint", "hover")]  # fmt: skip
    pairs += [(f"{tone}-ink", f"{tone}-ground") for tone in ("given", "vague", "good", "flag", "amiss")]
    assert {pair: ratio for pair in pairs if (ratio := contrast(*(colours[one] for one in pair))) < 4.5} == {}
