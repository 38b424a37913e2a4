"""What is seen of a seminar: all is told in words, and nothing that is written outside becomes markup."""

import asyncio
import re
from collections import namedtuple
from dataclasses import fields, is_dataclass, replace
from datetime import date, timedelta
from html.parser import HTMLParser
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.desk import views
from support.desk.markup import fill, style
from support.desk.views import Step
from support.play import FormatError
from support.seminar.data import Persona, Scenario, scenario
from support.seminar.ledger import Contact, State
from support.seminar.organizing import desk_of
from support.seminar.records import (
    ORGANISER,
    Action,
    Edit,
    Flag,
    Mail,
    OrganizingDay,
    Remade,
)
from support.seminar.rules import LONGEST, Policy, PolicySet, load_policies
from support.seminar.study import seminar
from support.seminar.views import Desk

Element = namedtuple("Element", "tag attributes")
FIRST, SECOND, THIRD = SLOTS = (
    date(2027, 9, 22),
    date(2027, 10, 6),
    date(2027, 10, 20),
)


class Page(HTMLParser):
    """Elements and words of a page; it insists that every element is closed where it belongs."""

    def __init__(self, page):
        super().__init__()
        self.elements, self.open, self.words = [], [], []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.elements.append(Element(tag, dict(attributes)))
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, words):
        self.words.append(words)

    @property
    def text(self):
        return " ".join("".join(self.words).split())

    @property
    def skeleton(self):
        return [
            (one.tag, tuple(one.attributes), one.attributes.get("class"))
            for one in self.elements
        ]

    def titles(self, tag, **also):
        """What is told of elements that something is told of."""
        return [e.attributes["title"] for e in self.elements
                if e.tag == tag and "title" in e.attributes and also.items() <= e.attributes.items()]  # fmt: skip


def days(*numbers):
    """Days after the start, which is Monday, 6 September 2027."""
    return tuple(date(2027, 9, 5) + timedelta(number) for number in numbers)


WRITTEN = {"mails": days(1), "answered": days(2)}


def desk_with(contacts, given=None, mails=()):
    """A desk on its eighth day, out of contacts (name and fields), who has which of three dates, and mails."""
    people = tuple(
        Persona(name.lower(), name, f"{name.lower()}@example.org", "professor")
        for name in contacts
    )
    programme = Scenario(
        "made",
        "A seminar",
        "fill it",
        "Noor",
        "Room 1",
        "16:00",
        *days(1, 15),
        SLOTS,
        people,
        1,
    )
    known = {
        name: Contact(name, "professor", **fields) for name, fields in contacts.items()
    }
    state = State(days(8)[0], dict.fromkeys(SLOTS, ()) | (given or {}), known, 1)
    return Desk(programme, state, 8, tuple(mails))


def mail(number, day, kind, person):
    sender, to = (person, ORGANISER) if kind == "reply" else (ORGANISER, person)
    return Mail(
        number, day, kind, sender, to, f"about {number}", f"Dear all,\n\nwords {number}"
    )


def best(named, seats):
    """The largest number of seats that can be filled, by trying all ways."""
    ways = product(*([None, *slots] for slots in named.values()))
    fit = (way for way in ways if all(way.count(slot) <= seats for slot in SLOTS))
    return max(len(way) - way.count(None) for way in fit)


@given(
    st.dictionaries(
        st.sampled_from("abcd"), st.sets(st.sampled_from(SLOTS)).map(sorted)
    ),
    st.integers(1, 2),
)
def test_property_tentative_is_the_largest_number_of_seats_that_can_be_filled_at_once(
    named, seats
):
    contacts = {
        name: Contact(name, "student", available=tuple(slots))
        for name, slots in named.items()
    }
    state = State(date(2027, 9, 13), dict.fromkeys(SLOTS, ()), contacts, seats)
    assert views.seats_of(state).tentative == best(named, seats)


def test_each_cell_says_how_somebody_stands_to_a_date():
    people = {
        "Ana": WRITTEN | {"available": (FIRST, SECOND), "confirmed": (FIRST,)},
        "Ben": WRITTEN | {"available": (FIRST, THIRD), "vague": (SECOND,)},
        "Cem": WRITTEN | {"available": (THIRD,), "cancelled": (SECOND,)}, "Dua": WRITTEN | {"declined": True},
        "Eli": {"mails": days(1)}, "Fay": WRITTEN | {"available": (THIRD,)},
    }  # fmt: skip
    state = desk_with(people, {FIRST: ("Ana",), THIRD: ("Fay",)}).state
    assert {name: [views.kind_of(state, state.contacts[name], slot) for slot in state.slots] for name in people} == {
        "Ana": ["confirmed", "spare", "unnamed"], "Ben": ["spare", "vague", "spare"],
        "Cem": ["unnamed", "back", "spare"], "Dua": ["no"] * 3, "Eli": ["unknown"] * 3,
        "Fay": ["unnamed", "unnamed", "given"],
    }  # fmt: skip


def test_today_the_deadline_dates_and_mails_are_told_by_day():
    mails = [
        mail(1, 1, "invitation", "Ana"),
        mail(2, 3, "reply", "Ana"),
        mail(3, 3, "confirmation", "Ana"),
    ]
    page = Page(
        views.calendar(
            desk_with({"Ana": {"confirmed": (FIRST,)}}, {FIRST: ("Ana",)}, mails)
        )
    )
    assert page.titles("td") == [
        "Monday, 6 September 2027: 1 mail", "Wednesday, 8 September 2027: 2 mails",
        "Monday, 13 September 2027: today", "Monday, 20 September 2027: deadline",
        "Wednesday, 22 September 2027: taken", "Wednesday, 6 October 2027: open date",
        "Wednesday, 20 October 2027: open date",
    ]  # fmt: skip
    assert page.titles("td", **{"aria-current": "date"}) == [
        "Monday, 13 September 2027: today"
    ]


def test_each_mail_has_a_sign_in_its_day_and_each_thread_is_whole_and_of_one_person():
    sent = [(1, 1, "invitation", "Ana"), (2, 1, "invitation", "Ben"), (3, 3, "follow_up", "Ana"),
            (4, 5, "follow_up", "Ana"), (5, 5, "follow_up", "Ben"), (6, 8, "reply", "Ana")]  # fmt: skip
    contacts = {
        "Ana": {"mails": days(1, 3, 5), "answered": days(7)},
        "Ben": {"mails": days(1, 5)},
        "Cem": {},
    }
    html = views.correspondence(desk_with(contacts, mails=[mail(*one) for one in sent]))
    page = Page(html)
    signs = [
        "invitation",
        "follow-up 1",
        "follow-up 2",
        "reply",
        "invitation",
        "follow-up 1",
    ]
    assert [
        title for title in page.titles("span") if not title.startswith("Day")
    ] == signs
    assert page.titles("th") == ["Day 1, Monday, 6 September 2027", "Day 3, Wednesday, 8 September 2027",
                                 "Day 5, Friday, 10 September 2027", "Day 8, Monday, 13 September 2027"]  # fmt: skip
    ana, ben = html.split("Ben</bdi></th>")
    assert re.findall(r"words (\d)", ana) == ["1", "3", "4", "6"] and re.findall(
        r"words (\d)", ben
    ) == ["2", "5"]
    assert not any("open" in e.attributes for e in page.elements if e.tag == "details")


def in_order(page, told):
    """Whether all of this is told, in this order."""
    rest = Page(page).text
    for each in told:
        assert each in rest, each
        rest = rest.split(each, 1)[1]


# a day with all that can be told of one, and the decisions about it
DAY = OrganizingDay(
    3, "2027-09-08", received=(mail(4, 3, "reply", "Ana"),),
    flags=(Flag(4, "Ana", "May she?", "She may."), Flag(3, "Cem", "And they?")), progress="the report",
    selected=("follow_up", "other"), plan="the plan", reason="the reason",
    actions=(Action("follow_up", "Ben", "ask again", policy="follow_up"), Action("thanks", "Cem", "g", "no date"),
             Action("confirmation", "Ana", "settle it", "2027-09-22"), Action("wait", "Dua", "no hurry")),
    sent=(mail(5, 3, "follow_up", "Ben"), mail(6, 3, "invitation", "Zoe")),
    edits=(Edit("mail", "Ben", "old words", "new words", "He likes it short."), Edit("mail", "Ana", "a mail", ""),
           Edit("plan", "", "one", "two"), Edit("action", "Cem", "an action", "")),
    assignment=(("2027-09-22", ("Eve",)), ("2027-10-06", ())), violations=("give_up: a fourth mail",),
    summary="the summary", format_errors=(FormatError("organizer", "plan", "no object"),),
    remade=(Remade("plan", "", "before it", "after it", "a wish"),),
)  # fmt: skip
STEPS = (
    Step("flag", "Ana", "answer", "May she?", "She may."), Step("plan", "", "again", "1st plan", wish="brief"),
    Step("plan", "", "edit", "2nd plan", after="my plan"), Step("action", "Ana", "approve", "thanks to Ana"),
    Step("action", "Ben", "remove", "thanks to Ben"), Step("mail", "Ana", "", "A subject\n\nThe body"),
)  # fmt: skip


def test_a_day_and_the_decisions_of_the_running_one_are_told_in_the_order_in_which_they_went():
    policies = load_policies("seed")
    in_order(views.chat([DAY], policies), [
        "Day 3, Wednesday, 8 September 2027: 1 in, 2 out, 2 questions, 4 changed, 1 broken, 1 of 2 seats filled",
        "1 reply", "words 4", "about Ana", "May she?", "She may.", "left open", "the report", "✓ follow_up", "the plan",
        "the reason", "Actions", "follow-up to Ben: ask again", "mail changed at the desk", "words 5", "of no date",
        "no mail went out", "confirmation to Ana of Wednesday, 22 September 2027: settle it",
        "✕ mail removed at the desk", "wait for Dua", "✕ removed at the desk an action", "words 6", "a wish",
        "after it", "new words", "He likes it short.", "old words", "removed the mail to Ana", "a fourth mail",
        "no object", "the summary"])  # fmt: skip
    page = views.running(
        replace(DAY, received=(), progress="", selected=()), policies, STEPS
    )
    in_order(page, ["And they?Answer: not answered yet", "about Ana ✓ answered", "May she?", "At the desk: answered",
                    "She may.", "The plan ↻ to be made again", "1st plan", "At the desk: make it again", "brief",
                    "The plan ✎ changed", "2nd plan", "At the desk: changed to", "my plan",
                    "The action about Ana ✓ approved", "The action about Ben ✕ removed",
                    "The mail to Ana … waits for a decision", "A subject", "The body"])  # fmt: skip
    assert page.count("May she?") == 1


PAYLOADS = (
    "<script>alert(1)</script>", '" onmouseover="alert(1)" x=\'', "<!-- ", "&lt;b&gt;&#60;img src=x&#62;",
    "</div></td></table></details></style><style>*{display:none}</style><img src=x onerror=alert(1)>",
    "$$x$$ \\(y\\)", "a" * 10_000, "\u202egnp.exe\u2066", "\x00\x07\x1b[2J", "\ud800\udfff", "\r\n\u2028\u2029\n",
)  # fmt: skip
DATES = {"2027-09-08", "2027-09-22", "2027-10-06"}
KINDS = {"live", "good", "organiser", "plan", "action", "mail", "flag"}
VOCABULARY = (
    KINDS | DATES | views.DECIDED.keys() | views.STATUSES.keys() | views.SIGNS.keys()
)


def poisoned(thing, payload):
    """The same thing with every text in it, of whichever field, begun by the payload."""
    if isinstance(thing, str):
        return thing if thing in VOCABULARY or not thing else payload + thing
    if isinstance(thing, Scenario | date | int | type(None)):
        return thing
    if isinstance(thing, PolicySet):
        short = payload[: LONGEST - 100]
        return PolicySet(tuple(Policy(payload + p.id, short + p.text) for p in thing))
    if isinstance(thing, tuple | list):
        return tuple(poisoned(each, payload) for each in thing)
    if isinstance(thing, dict):
        return {
            poisoned(key, payload): poisoned(value, payload)
            for key, value in thing.items()
        }
    if isinstance(thing, SimpleNamespace):
        return SimpleNamespace(**poisoned_fields(vars(thing), payload))
    assert is_dataclass(thing), thing
    told = {
        field.name: getattr(thing, field.name) for field in fields(thing) if field.init
    }
    return replace(thing, **poisoned_fields(told, payload))


def poisoned_fields(told, payload):
    return {name: poisoned(value, payload) for name, value in told.items()}


@pytest.fixture(scope="module")
def inputs():
    mails = [
        mail(k, k, kind, name)
        for name in ("Ana", "Ben")
        for k, kind in enumerate(views.SIGNS, 1)
    ]
    said = WRITTEN | {"said": "a note"}
    contacts = {
        "Ana": said | {"available": SLOTS[:2], "confirmed": SLOTS[:1]}, "Dua": {"declined": True},
        "Ben": said | {"vague": SLOTS[1:2], "cancelled": SLOTS[2:]}, "Cem": said | {"available": SLOTS[1:2]},
    }  # fmt: skip
    rows = [SimpleNamespace(recipient="ana@x.org", subject="s", body="b", status=status, said="ok", on="some day",
                            person="Ana", day=1) for status in (*views.STATUSES, "lost")]  # fmt: skip
    held = SimpleNamespace(sender="eve@x.org", sender_name="Eve", subject="s", text="t", reason="why", cut=True,
                           problems=("p", "q"), attachments=("a.zip",))  # fmt: skip
    servers = dict.fromkeys(
        ("smtp_host", "imap_host", "imap_folder", "address", "authserv"), "s"
    )
    servers = SimpleNamespace(**servers, smtp_port=1, imap_port=2)
    person = SimpleNamespace(
        name="Ana", role="professor", field="f", affiliation="a", email="ana@x.org"
    )
    return SimpleNamespace(
        desk=desk_with(contacts, {FIRST: ("Ana",)}, mails), day=DAY, steps=STEPS, rows=rows, held=held, person="Ana",
        policies=PolicySet((Policy("follow_up", "a sentence"), Policy("other", "another sentence"))),
        setup=SimpleNamespace(mode="live", servers=servers, allowed=("a@x.org",), daily_limit=9),
        kept=SimpleNamespace(day=3, person=""), stands=(person, True, ("good", "✓", "has it")),
    )  # fmt: skip


BOARDS = {
    "grid": lambda given: views.grid(given.desk),
    "calendar": lambda given: views.calendar(given.desk),
    "correspondence": lambda given: views.correspondence(given.desk, given.day.flags),
    "thread": lambda given: views.correspondence(
        given.desk, given.day.flags, given.person
    ),
    "chat": lambda given: views.chat([given.day], given.policies, 2),
    "running": lambda given: views.running(given.day, given.policies, given.steps),
    "outbox": lambda given: views.outbox(given.rows),
    "held": lambda given: views.held(given.held, given.held.reason),
    "ways": lambda given: fill(
        "post", "ways", given.setup, "sends", "folder", {"b@x.org": "Ana"}, 1, 2
    ),
    "noted": lambda given: fill(
        "post", "noted", [("Bounced", 2, [(given.kept, given.held, given.rows[0])])]
    ),
    "people": lambda given: fill("post", "people", [given.stands], 0, True),
}


@pytest.mark.parametrize("name", BOARDS)
def test_hostile_words_leave_the_elements_and_attributes_of_plain_ones(name, inputs):
    plain = Page(BOARDS[name](poisoned(inputs, "plain"))).skeleton
    for payload in PAYLOADS:
        page = BOARDS[name](poisoned(inputs, payload))
        assert Page(page).skeleton == plain, payload
        assert "<script" not in page.lower() and "<img" not in page.lower(), payload
        assert "tex2jax_ignore mathjax_ignore" in page.split(">", 1)[0], (
            "no page reads formulas in it"
        )
        assert not set(page) & set("\u202e\u2066\x00\x07\x1b") and page.encode("utf-8")


WIDER = "(p => p.scrollWidth - p.clientWidth)(document.querySelector('#panel'))"


@pytest.fixture(scope="module")
def rehearsal():
    """Twelve days of rule-based people, and the desk after them."""
    played = asyncio.run(
        seminar(np.random.default_rng(2), scenario="series", until=12)
    ).days
    return played, desk_of(scenario("series"), played)


@pytest.fixture
def show(chromium):
    """A function from boards and the width of their panel, in rem, to their page."""

    def open_page(boards, width):
        page = chromium.new_page(viewport={"width": 1366, "height": 768})
        page.route("**", lambda route: route.abort())
        page.set_content(
            f'<!doctype html><body><div id="panel" style="width:{width}rem">{style()}{boards}</div>'
        )
        return page

    return open_page


def test_boards_fit_their_panel_open_by_key_and_run_nothing(rehearsal, show):
    played, desk = rehearsal
    boards = views.correspondence(
        desk, [flag for day in played for flag in day.flags]
    ) + views.grid(desk)
    page = show(boards, 34)
    page.locator("summary").first.focus()
    for key in ("Enter", "Tab", "Enter"):
        page.keyboard.press(key)
    assert (
        page.locator("details[open]").count() == 2
        and page.locator("details.mail[open] .text").is_visible()
    )
    boards += views.calendar(desk) + views.chat(played, load_policies("seed"))
    name = "A" * 3000
    bad = '<img src=x onerror="window.ran=1"><script>window.ran=1</script>' + "b" * 3000
    mails = [replace(mail(1, 1, "reply", name), subject=bad, body=bad)]
    hostile = desk_with({name: {"confirmed": (FIRST,)}}, {FIRST: (name,)}, mails)
    boards += (
        views.grid(hostile)
        + views.calendar(hostile)
        + views.correspondence(hostile, person=name)
    )
    page = show(boards.replace("<details", "<details open"), 18)
    for width in (18, 26, 34, 76):
        page.evaluate(f"document.querySelector('#panel').style.width = '{width}rem'")
        assert page.evaluate(WIDER) <= 1, width
    assert (
        page.evaluate("window.ran") is None and page.locator("img, script").count() == 0
    )


CONTRAST = """() => {
  const brush = new OffscreenCanvas(1, 1).getContext("2d", {willReadFrequently: true});
  const shown = colour => { brush.clearRect(0, 0, 1, 1); brush.fillStyle = colour; brush.fillRect(0, 0, 1, 1);
                            return [...brush.getImageData(0, 0, 1, 1).data]; };
  const light = rgb => [0.2126, 0.7152, 0.0722].reduce((sum, share, k) => {
    const part = rgb[k] / 255;
    return sum + share * (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4); }, 0);
  const ground = element => { const colour = shown(getComputedStyle(element).backgroundColor);
                              return colour[3] || !element.parentElement ? colour : ground(element.parentElement); };
  const read = [...document.querySelectorAll("#panel *")].filter(element =>
    [...element.childNodes].some(node => node.nodeType === 3 && node.data.trim()) && !element.closest("style"));
  return read.map(element => {
    const [one, other] = [light(shown(getComputedStyle(element).color)), light(ground(element))];
    const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    return [element.className || element.tagName, ratio]; }); }"""


def test_words_stand_out_from_their_ground_in_both_themes(inputs, rehearsal, show):
    boards = "".join(board(inputs) for board in BOARDS.values()) + views.grid(
        rehearsal[1]
    )
    page = show(boards.replace("<details", "<details open"), 76)
    for theme in ("light", "dark"):
        page.evaluate(f"document.body.className = 'theme-{theme}'")
        found = page.evaluate(CONTRAST)
        assert (
            len(found) > 200
            and {look: ratio for look, ratio in found if ratio < 4.5} == {}
        ), theme
