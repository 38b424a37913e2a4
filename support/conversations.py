"""Coordinations as readable HTML, round by round: every text is escaped, nothing is loaded from elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from support.environments.meetings.meeting import in_words
from support.environments.meetings.satisfaction import equity, satisfaction_ratio, satisfaction_score
from support.figures import COLOURS
from support.records import Coordination, CoordinationRound, Score

FACILITATORS = ("interviewer", "coordinator", "evaluator")


def to_html(coordination: Coordination, *, title: str = "", private: bool = False) -> str:
    """A whole run as an HTML fragment, for a page or `IPython.display.HTML` (in the manner of the paper's Figure 3).

    `private` shows the audit as well: scores on the members' true preferences, which nobody in the loop sees.
    """
    return rounds_to_html(
        coordination.rounds, coordination.meeting, coordination.seats, title=title, private=private, invitation=True
    )


def write_html(
    coordination: Coordination, path: str | Path, *, title: str = "A coordination", private: bool = False
) -> Path:
    """Write a whole run as a page of its own; return its path."""
    head = f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape(title)}</title>'
    Path(path).write_text(head + to_html(coordination, title=title, private=private) + "</html>", encoding="utf-8")
    return Path(path)


def rounds_to_html(
    rounds: Sequence[CoordinationRound],
    meeting: Mapping[str, Any],
    seats: Mapping[str, str],
    *,
    title: str = "",
    private: bool = False,
    invitation: bool = False,
    only: Sequence[str] | None = None,
) -> str:
    """Some rounds of a run as an HTML fragment.

    Parameters
    ----------
    meeting, seats : mappings
        As in a `Coordination`.
    invitation : bool
        Whether to begin with the invitation.
    only : names, optional
        Whose conversations, and reasons for scores, are shown: a member who is a person should see no other's.
    """
    members = list(meeting["members"])
    return _template().render(
        rounds=[_round(entry, members, only) for entry in rounds],
        meeting=meeting,
        members=members,
        seats=seats,
        facilitators=[f"{role} ({seats[role]})" for role in FACILITATORS if role in seats],
        colours={member: COLOURS[i % len(COLOURS)] for i, member in enumerate(members)},
        title=title,
        private=private,
        invitation=invitation,
    )


def _round(entry: CoordinationRound, members: Sequence[str], only: Sequence[str] | None) -> dict[str, Any]:
    """What the template draws of a round: whose conversations are hidden, and options with their scores."""
    shown = [c for c in entry.conversations if only is None or c.member in only]
    scores = {(s.option, s.member): s if only is None or s.member in only else _bare(s) for s in entry.scores}
    audit = {(s.option, s.member): s for s in entry.audit}
    return {
        "number": entry.number,
        "conversations": shown,
        "hidden": len(entry.conversations) - len(shown),
        "options": [_option(option, entry, members, scores, audit) for option in entry.options],
        "breaches": entry.breaches,
        "format_errors": [e for e in entry.format_errors if only is None or e.agent not in set(members) - set(only)],
    }


def _bare(score: Score) -> Score:
    """A score without its reasons, which tell what the member said."""
    return replace(score, reasons=())


def _option(
    option: Any,
    entry: CoordinationRound,
    members: Sequence[str],
    scores: Mapping[tuple[str, str], Score],
    audit: Mapping[tuple[str, str], Score],
) -> dict[str, Any]:
    mine = [scores.get((option.id, member)) for member in members]
    values = [score.value for score in mine if score]
    return {
        "id": option.id,
        "when": in_words(datetime.fromisoformat(option.start)),
        "candidate": option.id == entry.candidate,
        "reasons": option.reasons,
        "cells": [(m in option.members, s, audit.get((option.id, m))) for m, s in zip(members, mine, strict=True)],
        "measures": _measures(values) if values else None,
    }


def _measures(values: Sequence[int]) -> tuple[str, str, str]:
    ratio = f"{100 * satisfaction_ratio(values):.0f} %"
    return ratio, f"{satisfaction_score(values):.2f}", f"{equity(values):.2f}"


@cache
def _template() -> Any:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    return environment.get_template("conversations.html.j2")
