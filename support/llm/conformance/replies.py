"""Questions in words: what comes back, how long, in which signs, counted how, and the same again or not."""

from __future__ import annotations

from support.llm.conformance.forms import constrained
from support.llm.conformance.seen import Seen, brief
from support.llm.conformance.target import Target

SIGNS = "🍵 שלום 会議は月曜日"  # four bytes a sign, right to left, and a script without spaces
FEW = 5  # tokens, fewer than any model's story has
MANNERS = "You speak as the clerk of a small town: dry, exact, friendly, and never longer than one sentence. " * 4


async def text(target: Target) -> Seen:
    """Whether a plain question has a reply in words."""
    reply = await target.ask("Greet a colleague in one short sentence.", max_tokens=250)  # some think before they speak
    if not reply.text.strip():
        spent = f"finish_reason {reply.finish_reason!r}, {reply.usage.completion_tokens} of 250 tokens"
        return Seen("no", f"the reply is empty ({spent})")
    return Seen("ok", f"it said {brief(reply.text, 60)!r}")


async def limit(target: Target) -> Seen:
    """Whether `max_tokens` ends a reply, and the endpoint says so."""
    reply = await target.ask("Write a long story of a kite that flew over the sea.", max_tokens=FEW)
    counted = reply.usage.completion_tokens
    written = counted or len(reply.text.split())
    if written > FEW:
        return Seen("no", f"max_tokens was {FEW}, and the reply has {written}: a budget cannot be kept")
    if reply.finish_reason == "length":
        return Seen("ok", f"cut off after {written} tokens, with finish_reason 'length'")
    if 0 < counted < FEW:
        return Seen("note", f"the reply ended by itself after {counted} tokens, so that nothing is shown", "unclear")
    said = f"cut off at {FEW}, but finish_reason is {reply.finish_reason!r}: Convene cannot tell that it was cut off"
    return Seen("note", said, "yes")


async def system_message(target: Target) -> Seen:
    """Whether a system message is taken, and read: a longer one counts more tokens, or changes the reply."""
    short, long = [
        await target.ask(
            [{"role": "system", "content": manners}, {"role": "user", "content": "Who are you?"}], max_tokens=24
        )
        for manners in ("Be brief.", MANNERS)
    ]
    counted = (short.usage.prompt_tokens, long.usage.prompt_tokens)
    if min(counted) > 0 and counted[1] < counted[0] + 20:
        return Seen("no", f"taken, and not read: {counted[0]} tokens with a short one, {counted[1]} with a long one")
    if min(counted) > 0:
        return Seen("ok", f"read: {counted[0]} tokens with a short one, {counted[1]} with a long one")
    if short.text != long.text:
        return Seen("ok", "taken, and it changes the reply")
    return Seen("note", "taken; whether it is read cannot be told, for the reply is the same", "unclear")


async def unicode(target: Target) -> Seen:
    """Whether signs beyond Latin come through whole, there and back."""
    echo = (await target.ask(f"Repeat exactly: {SIGNS}", max_tokens=64)).text
    if SIGNS in echo:
        return Seen("ok", f"{SIGNS} came back whole")
    if _garbled(echo):
        return Seen("no", f"{SIGNS} came back garbled: {brief(echo, 60)!r}")
    back = await constrained(target, SIGNS)
    if back is not None and _garbled(back):
        return Seen("no", f"{SIGNS} came back garbled in a form: {brief(back, 60)!r}")
    if back is not None and SIGNS in back:
        return Seen("ok", f"{SIGNS} came back whole in a form (in free text the model does not repeat it)")
    return Seen("note", f"{SIGNS} is taken; the model does not repeat it, so the way back is not shown", "taken")


async def usage(target: Target) -> Seen:
    """Whether tokens are counted, which costs and budgets need."""
    counted = (await target.ask("Name three colours.", max_tokens=24)).usage
    more = (await target.ask("Name three colours. " * 20, max_tokens=24)).usage
    if not counted.prompt_tokens or not counted.completion_tokens:
        missing = "prompt" if not counted.prompt_tokens else "completion"
        return Seen("no", f"no {missing} tokens are reported", "token counts are not reported")
    if more.prompt_tokens < counted.prompt_tokens + 40:
        said = f"{counted.prompt_tokens} prompt tokens for a question, {more.prompt_tokens} for 20 of it"
        return Seen("no", f"the counts do not follow the prompt: {said}", "token counts are wrong")
    said = f"{counted.prompt_tokens} prompt and {counted.completion_tokens} completion tokens"
    return Seen("ok", f"{said}; {more.prompt_tokens} for 20 times the prompt", "token counts are reported")


async def seed(target: Target) -> Seen:
    """Whether the same seed draws the same reply, and another seed another."""
    same = [await _drawn(target, seed=7) for _ in range(2)]
    other = await _drawn(target, seed=8)
    if same[0] != same[1]:
        return Seen("note", "the same seed drew two replies at temperature 1", "not heeded")
    if other == same[0]:
        return Seen("note", "two seeds drew one reply at temperature 1: one of the two is not heeded", "unclear")
    return Seen("ok", "the same seed drew the same reply at temperature 1, another seed another", "heeded")


async def repeatable(target: Target) -> Seen:
    """Whether temperature 0 gives the same reply twice."""
    question = "Tell in two sentences why people meet."
    first, second = [(await target.ask(question, max_tokens=48)).text for _ in range(2)]
    if first == second:
        return Seen("ok", "twice the same reply at temperature 0", "yes")
    return Seen("note", f"two replies at temperature 0, alike for {_alike(first, second)} characters", "no")


async def _drawn(target: Target, seed: int) -> str:
    return (await target.ask("Invent a short story about a kite.", temperature=1.0, seed=seed, max_tokens=24)).text


def _garbled(text: str) -> bool:
    """Whether a text went through a wrong encoding; a last sign that `max_tokens` cut in two is no such case."""
    wrong = {sign.encode().decode("cp1252", "ignore") for sign in SIGNS if not sign.isspace()}
    return "\ufffd" in text.rstrip("\ufffd") or any(len(sign) > 1 and sign in text for sign in wrong)


def _alike(first: str, second: str) -> int:
    pairs = zip(first, second, strict=False)
    return next((place for place, (a, b) in enumerate(pairs) if a != b), min(len(first), len(second)))
