"""Does an endpoint do what Convene needs? `await conform(model)`, or `python -m support.models.check --model …`.

Some forty short calls, and a prompt of growing length: about 70,000 tokens, a cent or two at a cheap provider. Replies
are judged by their form, never by their sense: a model of any size can pass. The command ends with 0 where all that
Convene needs works, 1 where something does not, 2 where the test cannot be made.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import textwrap
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field, create_model

from support.errors import ContextOverflow, ConveneError, InvalidInput, MalformedReply, ModelError, ModelUnavailable
from support.models import connect
from support.models.endpoint import plain
from support.models.local import start
from support.models.model import ChatModel
from support.models.profiles import profile

if TYPE_CHECKING:
    import pandas as pd

SIGNS = "🍵 שלום 会議は月曜日"  # four bytes a sign, right to left, and a script without spaces
FRUITS = ("Apples", "Bread", "Cheese", "Dates", "Eggs", "Figs", "Grapes", "Honey")
FEW, SHORTEST, SLOWER = 5, 512, 3  # tokens of a story to be cut; words of the first long prompt; time for twice as many
GONE = ("no connection", "broken connection", "time-out", "deadline")  # neither a refusal nor a reply
# Forms with all that Convene's have (parts, lists, choices, gaps, bounds) and names that nobody guesses.
made: Any = create_model
Signs = made("Signs", signs=(Literal[SIGNS], ...))
Slot: Any = made("Slot", weekday_code=(Literal["MO", "TU", "WE", "TH", "FR"], ...), start_hour=(int, ...))
Meeting = made("Meeting", slot_list=(list[Slot], Field(min_length=1, max_length=2)),
    short_reason=(str, Field(max_length=40)), remark_or_null=(str | None, Field(max_length=20)))  # fmt: skip
Seen = tuple[str, str]  # "ok", "no", or "note" (worth knowing, and no hindrance); and what was seen


class _Target:
    """The endpoint under test: as Convene connects to it, and with another name or key."""

    def __init__(self, name: str, base_url: str | None, api_key: str | None, timeout: float, longest: int) -> None:
        known, self.timeout, self.longest = profile(name), timeout, longest
        self.url = f"{start()}/v1" if name == "embedded" else base_url or known.address
        self.key = api_key or os.environ.get(known.key) or None
        self.model = self.connected(name, self.url, self.key, retries=2)

    def connected(self, name: str, url: str | None, key: str | None, retries: int = 0) -> ChatModel:
        more: Any = {"timeout": self.timeout, "max_retries": retries, "failures_in_a_row": 10_000}
        return connect(name, base_url=url, api_key=key, **more)

    def room(self, max_tokens: int) -> int:
        return self.model._transport.room(self.model.request("Hello.", max_tokens=max_tokens))

    async def say(self, asked: Any, max_tokens: int, **more: Any) -> str:
        return (await self.model.reply(asked, max_tokens=max_tokens, **more)).text


async def _text(target: _Target) -> Seen:
    asked = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Greet a colleague."}]
    reply = await target.model.reply(asked, max_tokens=250)
    if not reply.text.strip():
        return "no", f"the reply is empty: {reply.finish_reason!r} after {reply.usage.completion_tokens} tokens"
    return "ok", f"after a system message it said {brief(reply.text, 60)!r}"


async def _forms(target: _Target) -> Seen:
    try:
        reply = await target.model.reply("Propose a meeting of the gardening club.", Meeting, max_tokens=250)
    except MalformedReply as error:
        return "no", f"no reply fits: {brief(error)}"
    way = " ".join(said for said in target.model.learnt if "schema" in said) or f"By {target.model.profile.form}."
    if reply.attempts > 1:
        return "note", f"{way} It is not enforced: a reply fits after {reply.attempts} attempts."
    return ("ok" if way == "By json_schema." else "note"), f"{way} The first reply fits."


async def _usage(target: _Target) -> Seen:
    one, many = [(await target.model.reply("Name three colours. " * n, max_tokens=24)).usage for n in (1, 20)]
    said = (
        f"{one.prompt_tokens} prompt and {one.completion_tokens} reply tokens, {many.prompt_tokens} for 20 such prompts"
    )
    fits = one.prompt_tokens and one.completion_tokens and many.prompt_tokens >= one.prompt_tokens + 40
    return ("ok", said) if fits else ("no", f"not counted, or wrongly, so that no budget can be kept: {said}")


async def _signs(target: _Target) -> Seen:
    back = await target.say(f"Repeat exactly: {SIGNS}", 64)
    if SIGNS not in back:  # small models cannot; in this form they have to
        try:
            reply = await target.model.reply(f"Repeat exactly: {SIGNS}", Signs, max_tokens=250)
        except MalformedReply:
            return "note", f"{SIGNS} is taken; the model does not repeat it, so that the way back is not shown"
        back = reply.value.signs
    return ("ok", f"{SIGNS} came back whole") if SIGNS in back else ("no", f"it came back as {brief(back, 60)!r}")


async def _cut(target: _Target) -> Seen:
    reply = await target.model.reply("Write a long story of a kite that flew over the sea.", max_tokens=FEW)
    written, room = reply.usage.completion_tokens or len(reply.text.split()), target.room(FEW)
    said = f"{written} tokens of {room}, finish_reason {reply.finish_reason!r}"
    if written > (room if room == FEW else 2 * room):  # attempts with less room count as well
        return "no", f"{said}: a budget cannot be kept"
    cut = reply.finish_reason == "length"
    return ("ok", said) if cut else ("note", f"{said}: it ended by itself, or nobody can tell that it was cut off")


async def _drawn(target: _Target) -> Seen:
    told = [
        await target.say("Tell why people meet.", 24, temperature=t, seed=s) for t, s in [(1.0, 7)] * 2 + [(1.0, 8)]
    ]
    steady = [await target.say("Tell in two sentences why people meet.", 48) for _ in range(2)]
    said = [said for said in target.model.learnt if "temperature" in said or "seed" in said]
    said += ["One seed drew two replies."] * (told[0] != told[1]) + ["Two seeds drew one reply."] * (told[0] == told[2])
    said += ["At temperature 0 a question has two replies."] * (steady[0] != steady[1])
    return ("note", " ".join(said)) if said else ("ok", "both heeded; at temperature 0 a question has one reply")


async def _at_once(target: _Target) -> Seen:
    questions = [f"{fruit}: what are they good for? Say it in a few words." for fruit in FRUITS]
    alone = [await target.say(question, 16) for question in questions]
    replies = await asyncio.gather(*(target.say(question, 16) for question in questions), return_exceptions=True)
    if lost := [reply for reply in replies if isinstance(reply, BaseException)]:
        return "no", f"{len(lost)} of {len(FRUITS)} failed: {brief(lost[0])}"
    same = sum(reply == own for reply, own in zip(replies, alone, strict=True))
    # A swap takes two. One text that is another's may be chance: small models repeat themselves.
    strange = sum(reply != own and reply in alone for reply, own in zip(replies, alone, strict=True))
    return ("no" if strange > 1 else "ok"), f"all answered, {same} as alone, {strange} as another question"


async def _unknown(target: _Target) -> Seen:
    return await _refused(target.connected("no-such-model", target.url, target.key), "answers to any name of a model")


async def _wrong(target: _Target) -> Seen:
    url = target.url if target.model.endpoint == "embedded" else target.model.endpoint  # without a user and a password
    return await _refused(target.connected(target.model.model, url, "a-wrong-key"), "does not check keys")


async def _refused(model: ChatModel, otherwise: str) -> Seen:
    async with model:
        try:
            await model.reply("Hello.", max_tokens=16)
        except ModelUnavailable as error:
            return "ok", brief(error)
        except ModelError as error:
            if error.fault in GONE:
                raise
            return "no", f"refused, but not in a way that ends a run at once: {brief(error)}"
    return "note", otherwise


async def _long(target: _Target) -> Seen:
    words, took, reach = SHORTEST, 0.0, f"fewer than {SHORTEST} words are read"
    while words <= target.longest and took * SLOWER < target.timeout:
        began = time.perf_counter()
        try:
            reply = await target.model.reply(f"Words:{' word' * words}\nHow many are these?", max_tokens=12)
        except ContextOverflow as error:
            return "ok", f"{reach}; about {words} are refused: {brief(error)}"
        except ModelError as error:
            return ("note" if error.fault in GONE else "no"), f"{reach}; about {words} fail: {brief(error)}"
        took, counted = time.perf_counter() - began, reply.usage.prompt_tokens
        if counted and counted < words / 2:
            return "no", f"of a prompt of {words} words it counted {counted} tokens: it cuts in silence"
        reach, words = (f"{counted:,} tokens are read" if counted else f"{words:,} words are taken"), 2 * words
    return "ok", f"{reach}; longer ones are not tried"


async def _learnt(target: _Target) -> Seen:
    room = [f"A reply has {more} tokens of room beside its own."] if (more := target.room(100) - 100) else []
    return "ok", " ".join([*target.model.learnt, *room]) or "nothing was refused, and no room for thinking needed"


CHECKS: dict[str, tuple[bool, Callable[[_Target], Any]]] = {
    "free text": (True, _text), "forms": (True, _forms), "token counts": (True, _usage), "any script": (True, _signs),
    "max_tokens": (True, _cut), "temperature and seed": (False, _drawn), "eight at once": (True, _at_once),
    "unknown model": (False, _unknown), "wrong key": (False, _wrong), "long prompts": (True, _long),
    "learnt": (False, _learnt),
}  # fmt: skip


async def conform(
    model: str = "embedded", *, base_url: str | None = None, api_key: str | None = None, timeout: float = 120.0,
    longest: int = 32_768, only: Sequence[str] = (), tell: Callable[..., object] = lambda *finding: None
) -> pd.DataFrame:  # fmt: skip
    """Put all checks, or those that `only` names, to an endpoint; `tell` is called with each row of the table.

    A check that fails is a finding, and the others are made; but that no call can succeed is raised by the first one.
    `longest` is the longest prompt, in words.
    """
    import pandas as pd

    if isinstance(only, str) or not set(only) <= set(CHECKS):
        raise InvalidInput(f"only={only!r}: expected a list of names of checks, among {', '.join(CHECKS)}.")
    target, findings = _Target(model, base_url, api_key, timeout, longest), list[tuple]()
    for name in only or CHECKS:
        began, (needed, check) = time.perf_counter(), CHECKS[name]
        try:
            verdict, seen = await check(target)
        except ConveneError as error:
            gone = isinstance(error, ModelError) and error.fault in GONE
            if not findings and (gone or isinstance(error, ModelUnavailable) or not isinstance(error, ModelError)):
                raise
            verdict, seen = "no", brief(error)
        seconds = round(time.perf_counter() - began, 2)
        findings.append((name, verdict, plain(seen, [target.key or ""]), seconds, needed))
        tell(*findings[-1])
    await target.model.close()
    return pd.DataFrame(findings, columns=["check", "verdict", "seen", "seconds", "needed"])


def brief(said: object, most: int = 150) -> str:
    """The beginning of what was said, on one line."""
    return textwrap.shorten(str(said), most, placeholder=" …")


def closing(findings: pd.DataFrame) -> str:
    """One sentence: whether all that Convene needs works at this endpoint."""
    lacking = findings[findings["verdict"] == "no"]
    needed, other = (", ".join(part["check"]) for part in (lacking[lacking["needed"]], lacking[~lacking["needed"]]))
    told = f"Not all that Convene needs works: not {needed}." if needed else "All that Convene needs works."
    return f"{told} Missing, and not needed: {other}." if other else told


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the test, and print each finding as it comes; the key is read from the environment."""
    parser = argparse.ArgumentParser(prog="python -m support.models.check", description=closing.__doc__)
    for name, kind, default, said in (
        ("--model", str, None, '"embedded", or a name that the endpoint serves or models.toml has'),
        ("--base-url", str, "", "by default the profile's, OPENAI_BASE_URL, or OpenAI's"),
        ("--timeout", float, 120.0, "seconds that one attempt may take"),
        ("--longest", int, 32_768, "words of the longest prompt that is tried"),
    ):
        parser.add_argument(name, type=kind, default=default, help=said, required=default is None)
    parser.add_argument("--only", action="append", default=[], help="a check by its name in the table; may be repeated")
    given = vars(parser.parse_args(arguments))

    def tell(check: str, verdict: str, seen: str, seconds: float, needed: bool) -> None:
        lines = ("\n" + " " * 38).join(textwrap.wrap(seen, 82))
        print(f"{check:<21} {verdict:<5} {seconds:>6.2f} s  {lines}", flush=True)

    try:
        findings = asyncio.run(conform(**given, tell=tell))
    except ConveneError as error:
        print(f"The test cannot be made: {error}", file=sys.stderr)
        return 2
    print(closing(findings))
    return int(((findings["verdict"] == "no") & findings["needed"]).any())


if __name__ == "__main__":
    sys.exit(main())
