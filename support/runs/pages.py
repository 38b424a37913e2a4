"""Runs as readable HTML: discussions and coordinations, round by round.

Every text is escaped, and nothing is loaded from elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import cache
from itertools import cycle
from pathlib import Path
from string import ascii_uppercase
from typing import Any

from support.draw import COLOURS
from support.meetings.records import CoordinationRound, Option, Score
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


def _page(page: str, people: Iterable[str], **given: Any) -> str:
    colours = dict(zip(people, cycle(COLOURS), strict=False))
    return _template().render(page=page, colours=colours, **given)


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

    def text(value: Any) -> str:
        return f"{value:g}" if isinstance(value, float | int) else describe(value)

    columns: Sequence[str] = ()
    candidates = [one for entry in rounds for one in entry.candidates]
    for value in [one.value for one in candidates[:1]]:
        if isinstance(value, tuple) and value and isinstance(value[0], tuple):
            columns = list(goods or ascii_uppercase)[: len(value[0])]
    given = {"title": title, "about": about, "reasons": reasons, "goods": columns}
    return _page("talk", agents, rounds=rounds, agents=agents, text=text, **given)


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
    from support.meetings.data import in_words

    members = list(meeting["members"])
    given = {"title": title, "private": private, "invitation": invitation}
    return _page(
        "meeting",
        members,
        rounds=rounds,
        meeting=meeting,
        seats=seats,
        members=members,
        only=members if only is None else only,
        led=[f"{role} ({seats[role]})" for role in FACILITATORS if role in seats],
        when=lambda option: in_words(datetime.fromisoformat(option.start)),
        by_cell=_by_cell,
        measures=_measures,
        **given,
    )


def _by_cell(scores: Iterable[Score]) -> dict[tuple[str, str], Score]:
    return {(one.option, one.member): one for one in scores}


def _measures(entry: CoordinationRound, option: Option) -> tuple[str, str, str]:
    """Satisfied members, mean score and inequality of an option."""
    from support.meetings import satisfaction

    values = [one.value for one in entry.scores if one.option == option.id]
    if not values:
        return ("–", "–", "–")
    return (
        f"{satisfaction.satisfaction_ratio(values):.0%}",
        f"{satisfaction.satisfaction_score(values):.2f}",
        f"{satisfaction.equity(values):.2f}",
    )
