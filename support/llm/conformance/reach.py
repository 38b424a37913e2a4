"""How much an endpoint takes: in one prompt, and at one time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import Any

from support.errors import ContextOverflow, ModelError
from support.llm.conformance.seen import Seen, brief
from support.llm.conformance.target import Target
from support.llm.replies import Reply

AT_ONCE = 8
SHORTEST = 512  # words of the first prompt of `long_input`; each next one is twice as long
SLOWER = 3  # times as long, at most, as a prompt of half the length
SLOW = ("time-out", "deadline")
FRUITS = ("Apples", "Bread", "Cheese", "Dates", "Eggs", "Figs", "Grapes", "Honey")


async def long_input(target: Target) -> Seen:
    """How long a prompt is read, by doubling, and whether a longer one is refused rather than cut in silence."""
    read: list[Reply] = []
    words, took = SHORTEST, 0.0
    while words <= target.longest:
        if took * SLOWER > target.timeout:
            return Seen("note", f"{_reach(read)}, in {took:.0f} s; longer ones are not tried", _reach(read))
        try:
            reply, took = await _timed(target.ask(_long(words), max_tokens=12))
        except ContextOverflow as error:
            return Seen("ok", f"{_reach(read)}; about {words} are refused: {brief(error)}", _reach(read))
        except ModelError as error:
            return _stopped(read, words, error)
        read.append(reply)
        if (counted := reply.usage.prompt_tokens) and counted < words / 2:
            said = f"of a prompt of {words} words it counted {counted} tokens: it cuts in silence"
            return Seen("no", said, f"cut in silence at about {counted} tokens")
        words *= 2
    found = [_remembers(reply) for reply in read]
    if not read[-1].usage.prompt_tokens and found[0] and not found[-1]:
        said = "the word at the start was lost, and no tokens are counted: perhaps it cuts in silence"
        return Seen("note", f"{_reach(read)}; {said}", "perhaps cut in silence")
    return Seen("ok", f"{_reach(read)}, as long as this test goes{_word(found)}", _reach(read))


async def at_once(target: Target) -> Seen:
    """Whether eight calls at a time are all answered, and each with its own answer."""
    questions = [f"{fruit}: what are they good for? Say it in a few words." for fruit in FRUITS]
    alone, apart = await _timed(_one_by_one(target, questions))
    calls = (target.ask(question, max_tokens=16) for question in questions)
    replies, together = await _timed(asyncio.gather(*calls, return_exceptions=True))
    lost = [reply for reply in replies if isinstance(reply, BaseException)]
    took = f"{together:.1f} s together, {apart:.1f} s one by one"
    if lost:
        return Seen("no", f"{len(lost)} of {AT_ONCE} failed: {brief(lost[0])}; {took}")
    texts = [reply.text for reply in replies]
    same = sum(text == own for text, own in zip(texts, alone, strict=True))
    # A swap takes two. One text that is another's may be chance: small models repeat themselves.
    strange = [text for text, own in zip(texts, alone, strict=True) if text != own and text in alone]
    if len(strange) > 1:
        return Seen("no", f"{len(strange)} of {AT_ONCE} had the reply to another question; {took}")
    return Seen("ok", f"{AT_ONCE} of {AT_ONCE} answered, {same} of them as when asked alone; {took}")


async def _one_by_one(target: Target, questions: Sequence[str]) -> list[str]:
    return [(await target.ask(question, max_tokens=16)).text for question in questions]


async def _timed(work: Any) -> tuple[Any, float]:
    start = time.perf_counter()
    return await work, time.perf_counter() - start


def _long(words: int) -> str:
    return f"The secret word is marigold. {'word ' * words}\nWhat is the secret word? Answer with it alone."


def _remembers(reply: Reply) -> bool:
    return "marigold" in reply.text.lower()


def _word(found: Sequence[bool]) -> str:
    if not any(found):
        return ""
    return f"; the word at its start is found in {sum(found)} of {len(found)} lengths"


def _reach(read: Sequence[Reply]) -> str:
    if not read:
        return f"fewer than {SHORTEST} words are read"
    counted = read[-1].usage.prompt_tokens
    return f"{counted:,} tokens are read" if counted else f"{SHORTEST * 2 ** (len(read) - 1):,} words are taken"


def _stopped(read: Sequence[Reply], words: int, error: ModelError) -> Seen:
    if error.fault in SLOW:
        return Seen("note", f"{_reach(read)}; of about {words} it made nothing in time", _reach(read))
    return Seen("no", f"{_reach(read)}; about {words} fail, and Convene cannot tell why: {brief(error)}", _reach(read))
