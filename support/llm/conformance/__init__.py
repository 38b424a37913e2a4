"""Does an endpoint do what Convene needs? Point `conform` at it, or run ``python -m support.llm.conformance``.

Some fifty short calls, and one prompt of growing length: about 70,000 tokens with the default bound, so a cent or two
at a cheap provider. The replies are judged by their form, never by their sense: a model of any size can pass.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from support.errors import DamagedFile, InvalidInput, MissingData, ModelUnavailable
from support.llm.conformance import forms, reach, refusals, replies
from support.llm.conformance.seen import Seen, brief
from support.llm.conformance.target import Target

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Finding", "closing", "conform", "frame", "passed"]

NOTHING_WILL = (ModelUnavailable, MissingData, DamagedFile)  # met by the first check, they end the test
GONE = ("no connection", "broken connection", "time-out", "deadline")


@dataclass(frozen=True, slots=True)
class Check:
    """One question to an endpoint: `topic` is its name in the closing sentence, `needed` whether studies need it."""

    name: str
    topic: str
    needed: bool
    run: Callable[[Target], Awaitable[Seen]]


CHECKS = (
    Check("text", "free text", True, replies.text),
    Check("system message", "system messages", True, replies.system_message),
    Check("unicode", "any script", True, replies.unicode),
    Check("max_tokens", "max_tokens", True, replies.limit),
    Check("usage", "costs", True, replies.usage),
    Check("json_schema", "forms", True, forms.forms),
    Check("JSON mode", "JSON mode", False, forms.json_mode),
    Check("seed", "seeds", False, replies.seed),
    Check("repeatable", "the same reply twice at temperature 0", False, replies.repeatable),
    Check("concurrency", f"{reach.AT_ONCE} calls at once", True, reach.at_once),
    Check("unknown model", "a wrong model is told", False, refusals.unknown_model),
    Check("wrong key", "a wrong key is told", False, refusals.wrong_key),
    Check("bad request", "a bad request is told", False, refusals.bad_request),
    Check("wrong path", "a wrong address is told", False, refusals.wrong_path),
    Check("long input", "long prompts", True, reach.long_input),  # last: what it gives up may go on at the server
)


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check found.

    `verdict` is "ok", "no", or "note" (worth knowing, and no hindrance); `seen` says what was seen; `brief` is its word
    in the closing sentence; `needed` tells whether Convene needs what was checked.
    """

    check: str
    verdict: Literal["ok", "no", "note"]
    seen: str
    seconds: float
    topic: str
    brief: str
    needed: bool


async def conform(
    model: str = "embedded",
    *,
    base_url: str | None = None,
    api_key: str | None = None,
    timeout: float = 120.0,
    longest: int = 32_768,
    only: Sequence[str] = (),
    tell: Callable[[Finding], object] | None = None,
) -> list[Finding]:
    """Put all checks to an endpoint, one after the other. A check that fails is a finding, and the others still run.

    Parameters
    ----------
    model, base_url, api_key, timeout
        As for `support.llm.connect`.
    longest : int
        Words of the longest prompt that is tried, from 512 up by doubling.
    only : sequence of str
        Names of checks, as they stand in the table; all by default.
    tell : callable, optional
        Called with each finding as soon as it is there, to show how far the test is.

    Raises
    ------
    InvalidInput
        When an argument does not fit.
    ModelUnavailable, MissingData, DamagedFile
        When the first check shows that no call can succeed: no such address or model, the key is refused, the weights
        of the embedded model are not there, no answer in time.
    """
    checks = _chosen(only, longest)
    target = Target(model, base_url, api_key, timeout, longest)
    findings: list[Finding] = []
    try:
        await target.open()
        for check in checks:
            findings.append(await _made(check, target, first=not findings))
            if tell is not None:
                tell(findings[-1])
    finally:
        await target.close()
    return findings


def _chosen(only: Sequence[str], longest: int) -> list[Check]:
    if not isinstance(longest, int) or isinstance(longest, bool) or longest < reach.SHORTEST:
        raise InvalidInput(f"longest={longest!r}: expected a whole number of words from {reach.SHORTEST} up.")
    names = [check.name for check in CHECKS]
    if isinstance(only, str) or not set(only) <= set(names):
        raise InvalidInput(f"only={only!r}: expected a list of names of checks, among {', '.join(names)}.")
    return [check for check in CHECKS if not only or check.name in only]


async def _made(check: Check, target: Target, first: bool) -> Finding:
    start = time.perf_counter()
    try:
        seen = await check.run(target)
    except Exception as error:  # whatever an endpoint brings about is a finding of its test
        if first and (isinstance(error, NOTHING_WILL) or getattr(error, "fault", "") in GONE):
            raise
        seen = Seen("no", brief(str(error) or type(error).__name__))
    word = seen.brief or ("no" if seen.verdict == "no" else "yes")
    seconds = time.perf_counter() - start
    return Finding(check.name, seen.verdict, target.plain(seen.said), seconds, check.topic, word, check.needed)


def passed(findings: Sequence[Finding]) -> bool:
    """Whether all that Convene needs works: no check of what is needed says "no"."""
    return not any(finding.verdict == "no" for finding in findings if finding.needed)


def closing(findings: Sequence[Finding]) -> str:
    """One sentence: what of Convene works at this endpoint."""
    told = "; ".join(f"{finding.topic}: {finding.brief}" for finding in findings if finding.needed)
    extra = [finding.check for finding in findings if not finding.needed and finding.verdict == "no"]
    also = f" Missing, and not needed: {', '.join(extra)}." if extra else ""
    verdict = "All that Convene needs works" if passed(findings) else "Not all that Convene needs works"
    return f"{verdict}. {told}.{also}"


def frame(findings: Sequence[Finding]) -> pd.DataFrame:
    """The findings as a table: check, verdict, what was seen, seconds."""
    import pandas as pd

    columns = ["check", "verdict", "seen", "seconds"]
    rows = [[finding.check, finding.verdict, finding.seen, round(finding.seconds, 2)] for finding in findings]
    return pd.DataFrame(rows, columns=columns)
