"""The conformance test as a command: a table, one sentence, and 0, 1 or 2.

0: all that Convene needs works. 1: something does not. 2: the arguments do not fit, or the endpoint cannot be used.
The key is read from OPENAI_API_KEY, for what stands on a command line is seen by everybody on the machine.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import textwrap
import unicodedata
from collections.abc import Iterator, Sequence

from support.errors import ConveneError
from support.llm.conformance import Finding, closing, conform, passed

WIDTH = 78  # of the column that tells what was seen


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the test, and print each finding as it comes."""
    given = _parser().parse_args(arguments)
    options = {
        "base_url": given.base_url or None,
        "timeout": given.timeout,
        "longest": given.longest,
        "only": given.only,
    }
    print(_row("check", "verdict", "what was seen", "seconds"), _rule(), sep="\n", flush=True)
    try:
        findings = asyncio.run(conform(given.model, tell=_print, **options))
    except ConveneError as error:
        print(f"The test cannot be made: {error}", file=sys.stderr)
        return 2
    print(_rule(), *textwrap.wrap(closing(findings), len(_rule())), sep="\n")
    return 0 if passed(findings) else 1


def _print(finding: Finding) -> None:
    print("\n".join(_lines(finding)), flush=True)


def _lines(finding: Finding) -> Iterator[str]:
    first, *rest = textwrap.wrap(finding.seen, WIDTH) or [""]
    yield _row(finding.check, finding.verdict, first, f"{finding.seconds:.2f}")
    yield from (_row("", "", line, "").rstrip() for line in rest)


def _row(check: str, verdict: str, seen: str, seconds: str) -> str:
    return f"{check:<15} {verdict:<7} {seen}{' ' * (WIDTH - _columns(seen))} {seconds:>7}"


def _columns(text: str) -> int:
    """How many columns a text takes in a terminal: East Asian signs and emoji take two each."""
    return len(text) + sum(unicodedata.east_asian_width(sign) in "WF" for sign in text)


def _rule() -> str:
    return "-" * len(_row("", "", "", ""))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m support.llm.conformance",
        description="Test whether an endpoint does what Convene needs. The key is read from OPENAI_API_KEY.",
    )
    parser.add_argument("--model", required=True, help='a name that the endpoint serves, or "embedded"')
    parser.add_argument("--base-url", default="", help="by default OPENAI_BASE_URL, else OpenAI's")
    parser.add_argument("--timeout", type=float, default=120.0, help="seconds that one attempt may take")
    parser.add_argument("--longest", type=int, default=32_768, help="words of the longest prompt that is tried")
    parser.add_argument("--only", action="append", default=[], help="a check by its name in the table; may be repeated")
    return parser


if __name__ == "__main__":
    sys.exit(main())
