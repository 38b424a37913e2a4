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
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field, create_model

from support.errors import (
    ContextOverflow,
    ConveneError,
    MalformedReply,
    ModelError,
    ModelUnavailable,
)
from support.models import connect
from support.models.endpoint import plain
from support.models.local import start
from support.models.model import ChatModel
from support.models.profiles import profile

if TYPE_CHECKING:
    import pandas as pd

SIGNS = "🍵 שלום 会議は月曜日"  # four bytes a sign, right to left, and a script without spaces
FRUITS = ("Apples", "Bread", "Cheese", "Dates", "Eggs", "Figs", "Grapes", "Honey")
FEW, SHORTEST, SLOWER = (
    5,
    512,
    3,
)  # tokens of a story to be cut; words of the first long prompt; time for twice as many
GONE = (
    "no connection",
    "broken connection",
    "time-out",
    "deadline",
)  # neither a refusal nor a reply
# Forms with all that Convene's have (parts, lists, choices, gaps, bounds) and names that nobody guesses.
made: Any = create_model
Signs = made("Signs", signs=(Literal[SIGNS], ...))
Slot: Any = made(
    "Slot",
    weekday_code=(Literal["MO", "TU", "WE", "TH", "FR"], ...),
    start_hour=(int, ...),
)
Meeting = made("Meeting", slot_list=(list[Slot], Field(min_length=1, max_length=2)),
    short_reason=(str, Field(max_length=40)), remark_or_null=(str | None, Field(max_length=20)))  # fmt: skip
Seen = tuple[
    str, str
]  # "ok", "no", or "note" (worth knowing, and no hindrance); and what was seen


class _Target:
    """The endpoint under test: as Convene connects to it, and with another name or key."""

    def __init__(
        self, name: str, base_url: str | None, timeout: float, longest: int
    ) -> None:
        known, self.timeout, self.longest = profile(name), timeout, longest
        self.url = f"{start()}/v1" if name == "embedded" else base_url or known.address
        self.key = os.environ.get(known.key)
        self.model = self.connected(name, self.url, self.key, retries=2)

    def connected(
        self, name: str, url: str | None, key: str | None, retries: int = 0
    ) -> ChatModel:
        more: Any = {
            "timeout": self.timeout,
            "max_retries": retries,
            "failures_in_a_row": 10_000,
        }
        return connect(name, base_url=url, api_key=key, **more)

    async def say(
        self,
        max_tokens: int,
        asked: str = "Tell in two sentences why people meet.",
        **more: Any,
    ) -> str:
        return (await self.model.reply(asked, max_tokens=max_tokens, **more)).text

    async def text(self) -> Seen:
        asked = [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Greet a colleague."},
        ]
        reply = await self.model.reply(asked, max_tokens=250)
        said = f"{brief(reply.text)!r}, {reply.finish_reason!r} after {reply.usage.completion_tokens} tokens"
        return (
            ("ok", said)
            if reply.text.strip()
            else ("no", f"the reply is empty: {said}")
        )

    async def forms(self) -> Seen:
        try:
            reply = await self.model.reply(
                "Propose a meeting of the gardening club.", Meeting, max_tokens=250
            )
        except MalformedReply as error:
            return "no", f"no reply fits: {brief(error)}"
        way = (
            " ".join(said for said in self.model.learnt if "schema" in said)
            or f"By {self.model.profile.form}."
        )
        if reply.attempts > 1:
            return (
                "note",
                f"{way} It is not enforced: a reply fits after {reply.attempts} attempts.",
            )
        return (
            "ok" if way == "By json_schema." else "note"
        ), f"{way} The first reply fits."

    async def usage(self) -> Seen:
        one, many = [
            (await self.model.reply("Name three colours. " * n, max_tokens=24)).usage
            for n in (1, 20)
        ]
        read, written, longer = (
            one.prompt_tokens,
            one.completion_tokens,
            many.prompt_tokens,
        )
        said = f"{read} prompt and {written} reply tokens, {longer} for 20 such prompts"
        fits = read and written and longer >= read + 40
        return (
            ("ok", said)
            if fits
            else (
                "no",
                f"not counted, or wrongly, so that no budget can be kept: {said}",
            )
        )

    async def signs(self) -> Seen:
        back = (await self.model.reply(f"Repeat exactly: {SIGNS}", max_tokens=64)).text
        if SIGNS not in back:  # small models cannot; in this form they have to
            try:
                reply = await self.model.reply(
                    f"Repeat exactly: {SIGNS}", Signs, max_tokens=250
                )
            except MalformedReply:
                return (
                    "note",
                    f"{SIGNS} is taken; the model does not repeat it, so that the way back is not shown",
                )
            back = reply.value.signs
        return (
            ("ok", f"{SIGNS} came back whole")
            if SIGNS in back
            else ("no", f"it came back as {brief(back)!r}")
        )

    async def cut(self) -> Seen:
        reply = await self.model.reply(
            "Write a long story of a kite that flew over the sea.", max_tokens=FEW
        )
        request = self.model.request("Hello.", max_tokens=FEW)
        written, room = (
            reply.usage.completion_tokens or len(reply.text.split()),
            self.model._transport.room(request),
        )
        said = f"{written} tokens of {room}, finish_reason {reply.finish_reason!r}"
        if written > (
            room if room == FEW else 2 * room
        ):  # attempts with less room count as well
            return "no", f"{said}: a budget cannot be kept"
        cut = reply.finish_reason == "length"
        return (
            ("ok", said)
            if cut
            else (
                "note",
                f"{said}: it ended by itself, or nobody can tell that it was cut off",
            )
        )

    async def drawn(self) -> Seen:
        one, same, other = [
            await self.say(24, temperature=1.0, seed=seed) for seed in (7, 7, 8)
        ]
        said = [
            said
            for said in self.model.learnt
            if "temperature" in said or "seed" in said
        ]
        said += ["One seed drew two replies."] * (one != same) + [
            "Two seeds drew one reply."
        ] * (one == other)
        said += ["At temperature 0 a question has two replies."] * (
            await self.say(48) != await self.say(48)
        )
        return (
            ("note", " ".join(said))
            if said
            else ("ok", "both heeded; at temperature 0 a question has one reply")
        )

    async def at_once(self) -> Seen:
        questions = [
            f"{fruit}: what are they good for? Say it in a few words."
            for fruit in FRUITS
        ]
        alone = [await self.say(16, question) for question in questions]
        replies = await asyncio.gather(
            *(self.say(16, question) for question in questions), return_exceptions=True
        )
        if lost := [reply for reply in replies if isinstance(reply, BaseException)]:
            return "no", f"{len(lost)} of {len(FRUITS)} failed: {brief(lost[0])}"
        same = sum(reply == own for reply, own in zip(replies, alone, strict=True))
        # A swap takes two. One text that is another's may be chance: small models repeat themselves.
        strange = sum(
            reply != own and reply in alone
            for reply, own in zip(replies, alone, strict=True)
        )
        return (
            "no" if strange > 1 else "ok"
        ), f"all answered, {same} as alone, {strange} as another question"

    async def unknown(self) -> Seen:
        return await self.refused(
            self.connected("no-such-model", self.url, self.key),
            "answers to any name of a model",
        )

    async def wrong(self) -> Seen:
        url = (
            self.url if self.model.endpoint == "embedded" else self.model.endpoint
        )  # without a user and a password
        return await self.refused(
            self.connected(self.model.model, url, "a-wrong-key"), "does not check keys"
        )

    async def refused(self, model: ChatModel, otherwise: str) -> Seen:
        async with model:
            try:
                await model.reply("Hello.", max_tokens=16)
            except ModelUnavailable as error:
                return "ok", brief(error)
            except ModelError as error:
                if error.fault in GONE:
                    raise
                return (
                    "no",
                    f"refused, but not in a way that ends a run at once: {brief(error)}",
                )
        return "note", otherwise

    async def long(self) -> Seen:
        words, took, reach = SHORTEST, 0.0, f"fewer than {SHORTEST} words are read"
        while words <= self.longest and took * SLOWER < self.timeout:
            began = time.perf_counter()
            try:
                reply = await self.model.reply(
                    f"Words:{' word' * words}\nHow many are these?", max_tokens=12
                )
            except ContextOverflow as error:
                return "ok", f"{reach}; about {words} are refused: {brief(error)}"
            except ModelError as error:
                return (
                    "note" if error.fault in GONE else "no"
                ), f"{reach}; about {words} fail: {brief(error)}"
            took, counted = time.perf_counter() - began, reply.usage.prompt_tokens
            if counted and counted < words / 2:
                return (
                    "no",
                    f"of a prompt of {words} words it counted {counted} tokens: it cuts in silence",
                )
            reach, words = (
                (
                    f"{counted:,} tokens are read"
                    if counted
                    else f"{words:,} words are taken"
                ),
                2 * words,
            )
        return "ok", f"{reach}; longer ones are not tried"

    async def learnt(self) -> Seen:
        return "ok", " ".join(self.model.learnt) or "nothing was refused"


CHECKS: dict[str, Callable[[_Target], Any]] = {
    "free text": _Target.text, "forms": _Target.forms, "token counts": _Target.usage, "any script": _Target.signs,
    "max_tokens": _Target.cut, "temperature and seed": _Target.drawn, "eight at once": _Target.at_once,
    "unknown model": _Target.unknown, "wrong key": _Target.wrong, "long prompts": _Target.long,
    "learnt": _Target.learnt,
}  # fmt: skip
SPARE = (
    "temperature and seed",
    "unknown model",
    "wrong key",
    "learnt",
)  # Convene works without


async def conform(
    model: str = "embedded", *, base_url: str | None = None, timeout: float = 120.0, longest: int = 32_768,
    tell: Callable[[str], object] = lambda line: None
) -> pd.DataFrame:  # fmt: skip
    """Put all checks to an endpoint, with prompts of up to `longest` words; `tell` gets a line of each finding.

    A check that fails is a finding, and the others are made; but that no call can succeed is raised by the first one.
    """
    import pandas as pd

    target, findings = _Target(model, base_url, timeout, longest), list[tuple]()
    for name, check in CHECKS.items():
        began = time.perf_counter()
        try:
            verdict, seen = await check(target)
        except ConveneError as error:
            hopeless = (
                isinstance(error, ModelUnavailable)
                or not isinstance(error, ModelError)
                or error.fault in GONE
            )
            if hopeless and not findings:
                raise
            verdict, seen = "no", brief(error)
        seen, seconds = (
            plain(seen, [target.key or ""]),
            round(time.perf_counter() - began, 2),
        )
        findings.append((name, verdict, seen, seconds, name not in SPARE))
        tell(f"{name:<21} {verdict:<5} {seconds:>6.2f} s  {seen}")
    await target.model.close()
    return pd.DataFrame(
        findings, columns=["check", "verdict", "seen", "seconds", "needed"]
    )


def brief(said: object) -> str:
    """The beginning of what was said, on one line."""
    return textwrap.shorten(str(said), 150, placeholder=" …")


def closing(findings: pd.DataFrame) -> str:
    """One sentence: whether all that Convene needs works at this endpoint."""
    lacking = findings[findings["verdict"] == "no"]
    needed, other = (
        ", ".join(part["check"])
        for part in (lacking[lacking["needed"]], lacking[~lacking["needed"]])
    )
    told = (
        f"Not all that Convene needs works: not {needed}."
        if needed
        else "All that Convene needs works."
    )
    return f"{told} Missing, and not needed: {other}." if other else told


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the test, and print each finding as it comes; the key is read from the environment."""
    parser = argparse.ArgumentParser(
        prog="python -m support.models.check", description=closing.__doc__
    )
    parser.add_argument(
        "--model",
        required=True,
        help='"embedded", or a name that the endpoint or models.toml has',
    )
    parser.add_argument(
        "--base-url",
        default="",
        help="by default the profile's, OPENAI_BASE_URL, or OpenAI's",
    )
    parser.add_argument(
        "--timeout", type=float, default=120.0, help="seconds that one attempt may take"
    )
    parser.add_argument(
        "--longest",
        type=int,
        default=32_768,
        help="words of the longest prompt that is tried",
    )
    try:
        findings = asyncio.run(
            conform(
                **vars(parser.parse_args(arguments)), tell=partial(print, flush=True)
            )
        )
    except ConveneError as error:
        print(f"The test cannot be made: {error}", file=sys.stderr)
        return 2
    print(closing(findings))
    return int(((findings["verdict"] == "no") & findings["needed"]).any())


if __name__ == "__main__":
    sys.exit(main())
