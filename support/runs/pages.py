"""Runs as readable HTML: discussions and coordinations, round by round.

Every text is escaped, and nothing is loaded from elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cache
from pathlib import Path
from string import ascii_uppercase
from typing import Any

from support.draw import COLOURS
from support.meetings.records import CoordinationRound, Score
from support.roundtable.records import Round, Transcript
from support.roundtable.table import ENVIRONMENTS, environment_of

FACILITATORS = ("interviewer", "coordinator", "evaluator")


@cache
def _template() -> Any:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    made = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
    )
    return made.get_template("pages.html.j2")


def to_html(record: Transcript, *, title: str = "", reasons: bool = False) -> str:
    """A whole discussion as HTML for `IPython.display.HTML`; `reasons` were private."""
    seats = ", ".join(f"{agent} ({kind})" for agent, kind in record.seats.items())
    known = record.environment.get("name") in ENVIRONMENTS
    return rounds_to_html(
        record.rounds,
        list(record.seats),
        title=title,
        about=f"Rule: {record.rule}. At the table: {seats}.",
        reasons=reasons,
        goods=record.environment.get("goods", ()),
        describe=environment_of(record).describe if known else str,
    )


def rounds_to_html(
    rounds: Sequence[Round],
    agents: Sequence[str],
    *,
    title: str = "",
    about: str = "",
    reasons: bool = False,
    goods: Sequence[str] = (),
    describe: Callable[[Any], str] = str,
) -> str:
    """Some rounds of a discussion as HTML; goods without names are lettered.

    `describe` says in words what is proposed, where it is no table of goods or number.
    """
    candidates = [one for entry in rounds for one in entry.candidates]
    first: Any = candidates[0].value if candidates else 0.0
    table = isinstance(first, tuple) and first and isinstance(first[0], tuple)
    columns = list(goods or ascii_uppercase)[: len(first[0])] if table else []
    texts = {}
    for one in candidates if not table else ():
        number = isinstance(one.value, float | int)
        texts[one.id] = f"{one.value:g}" if number else describe(one.value)
    given = {"title": title, "about": about, "reasons": reasons, "goods": columns}
    given |= {"rounds": rounds, "agents": agents, "texts": texts}
    return _template().render(page="talk", colours=_colours(agents), **given)


def _colours(names: Iterable[str]) -> dict[str, str]:
    return {name: COLOURS[i % len(COLOURS)] for i, name in enumerate(names)}


def meeting_to_html(
    rounds: Sequence[CoordinationRound],
    meeting: Mapping[str, Any],
    seats: Mapping[str, str],
    *,
    title: str = "",
    private: bool = False,
    invitation: bool = False,
    only: Sequence[str] | None = None,
) -> str:
    """Some rounds of a coordination as HTML; `private` shows the true scores.

    `only` says whose conversations, and reasons for scores, are shown: a member who is
    a person should see no other's.
    """
    members = list(meeting["members"])
    shown = [_met(one, members, members if only is None else only) for one in rounds]
    led = [f"{role} ({seats[role]})" for role in FACILITATORS if role in seats]
    given = {"title": title, "private": private, "invitation": invitation}
    given |= {"meeting": meeting, "members": members, "seats": seats, "rounds": shown}
    colours = _colours(members)
    return _template().render(
        page="meeting", facilitators=led, colours=colours, **given
    )


def _met(
    entry: CoordinationRound, members: Sequence[str], only: Sequence[str]
) -> dict[str, Any]:
    """What the template draws of a round, as far as those may see it."""
    shown = [one for one in entry.conversations if one.member in only]
    others = set(members) - set(only)
    return {
        "number": entry.number,
        "conversations": shown,
        "hidden": len(entry.conversations) - len(shown),
        "breaches": entry.breaches,
        "format_errors": [e for e in entry.format_errors if e.agent not in others],
        "options": _options(entry, members, others),
    }


def _options(
    entry: CoordinationRound, members: Sequence[str], others: Iterable[str]
) -> list[dict[str, Any]]:
    """Options with a cell for each member, and their measures."""
    from support.meetings import satisfaction
    from support.meetings.data import in_words

    scores, made = dict[tuple[str, str], Score](), []
    for one in entry.scores:
        hidden = one.member in others
        scores[one.option, one.member] = replace(one, reasons=()) if hidden else one
    audit = {(one.option, one.member): one for one in entry.audit}
    for option in entry.options:
        keys = [(option.id, name) for name in members]
        values = [scores[key].value for key in keys if key in scores]
        works = [name in option.members for name in members]
        measures = (
            [
                f"{100 * satisfaction.satisfaction_ratio(values):.0f} %",
                f"{satisfaction.satisfaction_score(values):.2f}",
                f"{satisfaction.equity(values):.2f}",
            ]
            if values
            else []
        )
        made.append(
            {
                "id": option.id,
                "candidate": option.id == entry.candidate,
                "reasons": option.reasons,
                "when": in_words(datetime.fromisoformat(option.start)),
                "cells": zip(
                    works, map(scores.get, keys), map(audit.get, keys), strict=True
                ),
                "measures": measures,
            }
        )
    return made
