"""Somebody at a desk without a browser."""

import asyncio
import sys
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
    button.click()
    moved = lambda: (dict(desk.asked), dict(desk.cards), dict(desk.post)) != before
    await until(lambda: moved() or (card and card.error.value) or desk.error.value)


def fill(card, **parts):
    """Put something into the fields of a form."""
    for part, view in zip(
        card.sheet.field.parts, card.sheet.view.children, strict=True
    ):
        if part.name in parts:
            view.value = parts[part.name]
