"""Discussions as readable HTML: every text is escaped, nothing is loaded from elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from support.environments.exchange_economy import GOODS
from support.figures import COLOURS
from support.records import Round, Transcript


def to_html(transcript: Transcript, *, title: str = "", reasons: bool = False) -> str:
    """A whole discussion as an HTML fragment, for a page or `IPython.display.HTML`.

    `reasons` shows what the participants thought in private as well.
    """
    seats = ", ".join(f"{agent} ({kind})" for agent, kind in transcript.seats.items())
    about = f"Rule: {transcript.rule}. At the table: {seats}."
    return rounds_to_html(transcript.rounds, list(transcript.seats), title=title, about=about, reasons=reasons)


def write_html(transcript: Transcript, path: str | Path, *, title: str = "A discussion", reasons: bool = False) -> Path:
    """Write a whole discussion as a page of its own; return its path."""
    head = f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape(title)}</title>'
    Path(path).write_text(head + to_html(transcript, title=title, reasons=reasons) + "</html>", encoding="utf-8")
    return Path(path)


def rounds_to_html(
    rounds: Sequence[Round], agents: Sequence[str], *, title: str = "", about: str = "", reasons: bool = False
) -> str:
    """Some rounds of a discussion as an HTML fragment."""
    return _template().render(
        rounds=rounds,
        agents=list(agents),
        colours={agent: COLOURS[i % len(COLOURS)] for i, agent in enumerate(agents)},
        goods=_goods(rounds),
        title=title,
        about=about,
        reasons=reasons,
    )


def _goods(rounds: Sequence[Round]) -> tuple[str, ...]:
    """Names of the goods that allocations share out; none where a proposal is one number."""
    value = next((c.value for r in rounds for c in r.candidates), 0.0)
    return GOODS[: len(value[0])] if isinstance(value, tuple) else ()


@cache
def _template() -> Any:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    environment.filters["tuple_get"] = lambda pairs, key: dict(pairs).get(key, "")
    return environment.get_template("transcripts.html.j2")
