"""Nothing that is written outside becomes markup: hostile words leave the elements and attributes of plain ones."""

from dataclasses import fields, is_dataclass, replace
from datetime import date
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.boards.calendar import calendar_to_html
from support.boards.chat import Running, Step, chat_to_html
from support.boards.correspondence import correspondence_to_html
from support.boards.grid import grid_to_html
from support.boards.pieces import block, said
from support.boards.posting import STATUSES, held_to_html, outbox_to_html
from support.play import FormatError
from support.seminar.data import Scenario
from support.seminar.records import Action, Edit, Flag, OrganizingDay
from support.seminar.rules import LONGEST, Policy, PolicySet

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
VOCABULARY = {"organiser", "plan", "action", "mail", "flag", "approve", "edit", "again", "remove", "answer", *STATUSES}
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
        (FormatError("who", "phase", "detail"),),
    )  # fmt: skip
    running = Running(
        4, "2027-09-08", tuple(mails[5:6]), (*flags, Flag(7, "Ben", "open")), "progress", ("begin",), steps
    )
    policies = PolicySet((Policy("begin", "a sentence"), Policy("other", "another sentence")))
    rows = tuple(SimpleNamespace(recipient="ana@x.org", subject="s", body="b", status=status, said="ok", on="some day",
                                 person="Ana", day=1) for status in (*STATUSES, "lost"))  # fmt: skip
    held = (SimpleNamespace(sender="eve@x.org", sender_name="Eve", subject="s", text="t", reason="why",
                            problems=("p", "q"), attachments=("a.zip",)),)  # fmt: skip
    shown = {"desk": desk, "flags": flags, "days": (day,), "running": running, "policies": policies}
    return SimpleNamespace(**shown, rows=rows, held=held, person="Ana", selected=("begin",))


BOARDS = {
    "grid": lambda given: grid_to_html(given.desk),
    "calendar": lambda given: calendar_to_html(given.desk),
    "correspondence": lambda given: correspondence_to_html(given.desk, given.flags),
    "thread": lambda given: correspondence_to_html(given.desk, given.flags, given.person),
    "chat": lambda given: chat_to_html(given.days, given.running, given.policies, 2),
    "outbox": lambda given: outbox_to_html(given.rows),
    "held": lambda given: held_to_html(given.held),
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
    assert page.count("<style>") == 1 and "<script" not in page.lower() and "<img" not in page.lower()


@pytest.mark.parametrize("name", BOARDS)
def test_words_that_turn_the_reading_order_or_break_the_wire_are_taken_out(name, inputs):
    payload = "".join(PAYLOADS[which] for which in ("order", "control", "half"))
    page = BOARDS[name](poisoned(inputs, payload, DATES | {"organiser"}))
    assert not set(page) & set("\u202e\u2066\x00\x07\x1b") and page.encode("utf-8")


@pytest.mark.parametrize("name", BOARDS)
def test_every_board_keeps_formulas_off_and_takes_words_as_they_are(name, inputs):
    page = BOARDS[name](poisoned(inputs, "$$x$$", DATES | {"organiser"}))
    outermost = page.split("</style>", 1)[1].split(">", 1)[0]
    assert "tex2jax_ignore mathjax_ignore" in outermost and "$$x$$" in page


@given(st.text())
def test_property_words_are_one_text_without_elements(text):
    from html.parser import HTMLParser

    seen = []
    parser = HTMLParser()
    parser.handle_starttag = lambda tag, attributes: seen.append(tag)
    parser.feed(said(text) + block(text))
    parser.close()
    assert seen == ["bdi", "div"][: 2 if text else 1]
