"""Somebody at a desk without a browser."""

import asyncio
import json
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

from support.seminar.review import ALWAYS, AUTOMATIC, levels

sys.path.insert(0, str(Path(__file__).parent.parent / "seminars"))

SHOWN = levels(ALWAYS) | {"plan": AUTOMATIC}


async def until(found):
    """What is found, once it is."""
    for _ in range(4000):
        if given := found():
            return given
        await asyncio.sleep(0.005)
    pytest.fail("nothing happened")


async def play(desk):
    """Begin a day, or go on with it."""
    over = len(desk.seminar.finished)
    desk.next.click()
    await until(lambda: desk.playing or len(desk.seminar.finished) > over)


async def asked(desk, phase="", **answers):
    """The card of the next question of a phase, or of any; those before it are answered
    as they stand, questions about replies with `answers`."""
    while True:
        await until(lambda: desk.asked or not desk.playing or desk.error.value)
        if not desk.asked:
            assert not phase, desk.error.value
            return None
        question, card = next(iter(desk.asked.items()))
        now = question.phase
        if now == "review":
            now = card.what
        if now == phase:
            return card
        if now == "decide" and answers:
            fill(card, **answers)
        await press(desk, card.yes, card)


async def press(desk, button, card=None):
    """Press a button, and wait until something came of it."""
    before = dict(desk.asked), dict(desk.cards), dict(desk.post)
    if card:
        card.error.value = ""
        if hasattr(card, "sheet"):
            fill(card)
    button.click()
    moved = lambda: (dict(desk.asked), dict(desk.cards), dict(desk.post)) != before
    await until(lambda: moved() or (card and card.error.value) or desk.error.value)


def fill(card, **parts):
    """Put something into the fields of a form, as a page does; the others stay as they are."""
    card.sheet.kept.value = json.dumps({"reply": standing(card) | parts})


def standing(card):
    """What stands in the fields of a form; of one that no page has shown, what begins there."""
    if card.sheet.read():
        return json.loads(card.sheet.read())["reply"]
    return begun(card.sheet.field)


def begun(field):
    """What a page tells of a field that nobody has touched."""
    if not field.required:
        return field.first
    if field.optional or field.kind == "choice":
        return field.options[0][1] if len(field.options) == 1 else None
    if field.kind == "parts":
        return {part.name: begun(part) for part in field.parts}
    return "" if field.kind == "text" else []


class Page(HTMLParser):
    """The elements of a page with the names of their attributes, and its text."""

    def __init__(self, html):
        super().__init__()
        self.found, self.text = [], ""
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, *sorted(name for name, _ in attrs)))

    def handle_data(self, data):
        self.text += data
