"""Runs as readable HTML: discussions, coordinations, and the calls to models behind a unit.

Every text is escaped, and nothing is loaded from elsewhere: one environment, one file of templates, one style sheet.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from pathlib import Path
from string import ascii_uppercase
from typing import TYPE_CHECKING, Any

from support.database import guarded, open_database
from support.draw import COLOURS
from support.errors import DamagedFile, MissingData
from support.meetings.records import CoordinationRound
from support.models.calls import Call
from support.models.money import dollars
from support.roundtable.records import Round, Transcript
from support.roundtable.table import ENVIRONMENTS, environment_of

if TYPE_CHECKING:
    import pandas as pd

    from support.models.replies import Cache
    from support.runs.study import Store, Unit

MOST = 60  # conversations that a page shows, unless it is asked for another number
LEFT_OUT = "The question was left out of the recording that this reply is from."
NOT_KEPT = (
    "Question and reply are not in this file: give the cache that holds them, cache=…"
)
FACILITATORS = ("interviewer", "coordinator", "evaluator")


@cache
def template(name: str) -> Any:
    """A template of this folder; all that it is given is escaped."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    folder = FileSystemLoader(Path(__file__).parent)
    made = Environment(
        loader=folder, autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    made.globals |= {"pretty": pretty, "dollars": dollars}
    return made.get_template(name)


def _page(page: str, **values: Any) -> str:
    return (
        template("pages.html.j2").render(page=page, **{"title": "", **values}).strip()
    )


def to_html(record: Transcript, *, title: str = "", reasons: bool = False) -> str:
    """A whole discussion as an HTML fragment, for `IPython.display.HTML`; `reasons` were thought in private."""
    seats = ", ".join(f"{agent} ({kind})" for agent, kind in record.seats.items())
    about, goods = (
        f"Rule: {record.rule}. At the table: {seats}.",
        record.environment.get("goods", ()),
    )
    known = record.environment.get("name") in ENVIRONMENTS
    told: dict[str, Any] = {
        "goods": goods,
        "describe": environment_of(record).describe if known else str,
    }
    return rounds_to_html(
        record.rounds,
        list(record.seats),
        title=title,
        about=about,
        reasons=reasons,
        **told,
    )


def rounds_to_html(
    rounds: Sequence[Round], agents: Sequence[str], *, title: str = "", about: str = "", reasons: bool = False,
    goods: Sequence[str] = (), describe: Callable[[Any], str] = str,
) -> str:  # fmt: skip
    """Some rounds of a discussion as an HTML fragment; goods without names are lettered.

    `describe` says in words what is proposed, where it is neither a table of goods nor a number.
    """
    value: Any = next((c.value for r in rounds for c in r.candidates), 0.0)
    table = isinstance(value, tuple) and value and isinstance(value[0], tuple)
    named = list(goods or ascii_uppercase)[: len(value[0])] if table else ()
    texts = {c.id: f"{c.value:g}" if isinstance(c.value, float | int) else describe(c.value)
             for r in rounds for c in r.candidates if not named}  # fmt: skip
    given = {
        "rounds": rounds,
        "agents": list(agents),
        "goods": named,
        "texts": texts,
        "colours": _colours(agents),
    }
    return _page("talk", title=title, about=about, reasons=reasons, **given)


def _colours(names: Iterable[str]) -> dict[str, str]:
    return {name: COLOURS[i % len(COLOURS)] for i, name in enumerate(names)}


def meeting_to_html(
    rounds: Sequence[CoordinationRound], meeting: Mapping[str, Any], seats: Mapping[str, str], *, title: str = "",
    private: bool = False, invitation: bool = False, only: Sequence[str] | None = None,
) -> str:  # fmt: skip
    """Some rounds of a coordination as an HTML fragment, `invitation` first; `private` shows the true scores.

    `only` says whose conversations, and reasons for scores, are shown: a member who is a person should see no other's.
    """
    members = list(meeting["members"])
    facilitators = [f"{role} ({seats[role]})" for role in FACILITATORS if role in seats]
    given = {
        "meeting": meeting,
        "members": members,
        "seats": seats,
        "private": private,
        "invitation": invitation,
    }
    shown = [
        _met(entry, members, members if only is None else only) for entry in rounds
    ]
    return _page(
        "meeting",
        rounds=shown,
        title=title,
        facilitators=facilitators,
        colours=_colours(members),
        **given,
    )


def _met(
    entry: CoordinationRound, members: Sequence[str], only: Sequence[str]
) -> dict[str, Any]:
    """What the template draws of a round: whose conversations are shown, and options with their scores and measures."""
    from support.meetings.data import in_words
    from support.meetings.satisfaction import (
        equity,
        satisfaction_ratio,
        satisfaction_score,
    )

    shown, options = [c for c in entry.conversations if c.member in only], []
    scores = {
        (s.option, s.member): s if s.member in only else replace(s, reasons=())
        for s in entry.scores
    }
    audit = {(s.option, s.member): s for s in entry.audit}
    for option in entry.options:
        cells = [
            (m in option.members, scores.get((option.id, m)), audit.get((option.id, m)))
            for m in members
        ]
        made = {
            "id": option.id,
            "candidate": option.id == entry.candidate,
            "reasons": option.reasons,
            "measures": (),
        }
        if values := [score.value for _, score, _ in cells if score]:
            made["measures"] = (f"{100 * satisfaction_ratio(values):.0f} %", f"{satisfaction_score(values):.2f}",
                                f"{equity(values):.2f}")  # fmt: skip
        options.append(
            {
                **made,
                "when": in_words(datetime.fromisoformat(option.start)),
                "cells": cells,
            }
        )
    hidden = {
        "hidden": len(entry.conversations) - len(shown),
        "breaches": entry.breaches,
        "options": options,
    }
    misfits = [
        e for e in entry.format_errors if e.agent not in set(members) - set(only)
    ]
    return {
        "number": entry.number,
        "conversations": shown,
        "format_errors": misfits,
        **hidden,
    }


@dataclass(frozen=True, slots=True)
class Asked:
    """A call, with what was asked and replied; `messages` None where the question is not known, as `absent` says."""

    call: Call
    messages: tuple[tuple[str, str], ...] | None
    absent: str = ""
    form: Mapping[str, Any] | None = None  # the JSON schema of the reply
    parameters: str = ""
    reply: str | None = None
    cut_off: bool = False
    thinking: str = ""


def unit_html(
    store: Store,
    unit: Unit,
    cache: Cache | str | Path | None = None,
    *,
    title: str = "",
    most: int | None = MOST,
) -> str:
    """One unit's calls as an HTML fragment; replies are kept in the study's own file, or in `cache`.

    A page shows `most` conversations and says how many more there are; None shows all of them.
    """
    found, title = (
        chains(asked_of(store, unit, cache)),
        title or f"{unit.sweep}, repetition {unit.repetition}",
    )
    news = [
        [0, *(0 if one.messages is None else len(one.messages) + 1 for one in chain)]
        for chain in found[:most]
    ]
    shown = [[(c, (c.messages or ())[n:]) for c, n in zip(chain, new, strict=False)]
             for chain, new in zip(found, news, strict=False)]  # fmt: skip
    given = {
        "settings": unit.settings,
        "status": store.status(unit) or "missing",
        "sums": _sums(store.calls(unit)),
    }
    error = store.failures(unit.sweep).get(unit, "")
    return _page(
        "unit",
        title=title,
        error=error,
        chains=shown,
        hidden=len(found) - len(shown),
        **given,
    )


def totals_html(sums: pd.DataFrame, faults: pd.DataFrame) -> str:
    """What `support.runs.calls.totals` and `faults_of` give, as two tables beside one another."""
    came_to = [(what, dollars(amount) if "USD" in what else f"{amount:,}", note)
               for what, amount, note in sums.itertuples(index=False)]  # fmt: skip
    faults_met = [
        (*row[:-1], f"{row[-1]:.1f} s") for row in faults.itertuples(index=False)
    ]
    return _page("totals", came_to=came_to, faults_met=faults_met)


def asked_of(
    store: Store, unit: Unit, cache: Cache | str | Path | None = None
) -> list[Asked]:
    """The calls of a unit, in the order in which they ended, with their prompts and replies."""
    path = Path(
        store.path
        if cache is None
        else cache
        if isinstance(cache, str | Path)
        else cache.path
    )
    if not path.exists():
        raise MissingData(
            f"cache: there is no file {path}; give the one in which the replies of this run are kept."
        )
    query = "SELECT request, reply FROM replies WHERE key = ?"
    with closing(open_database(path)) as db, guarded(path):
        known = db.execute(
            "SELECT 1 FROM sqlite_master WHERE name = 'replies'"
        ).fetchone()
        made = [
            (call, db.execute(query, (call.key,)).fetchone() if known else None)
            for call in store.calls(unit)
        ]
    try:
        return [_asked(call, *(kept or ("{}", ""))) for call, kept in made]
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        said = f"{path} holds a request or a reply that cannot be read ({error}); restore it from a copy."
        raise DamagedFile(said) from None


def chains(asked: Sequence[Asked]) -> list[list[Asked]]:
    """Calls put together that repaired one another: each chain begins with a question of its own.

    A repair goes to the call whose messages it repeats; where questions are not known, to the latest that it fits.
    """
    found: list[list[Asked]] = []
    for one in asked:
        if fits := [chain for chain in found if _follows(chain[-1], one)]:
            fits[-1 if one.messages is None else 0].append(one)
        else:
            found.append([one])
    return found


def _follows(before: Asked, one: Asked) -> bool:
    """Whether a call may be the repair of the one before."""
    if (
        one.call.repair != before.call.repair + 1
        or one.call.model != before.call.model
        or before.call.error
    ):
        return False
    if one.messages is None or before.messages is None:
        return one.messages is before.messages
    said = (
        "assistant",
        before.reply if before.reply and before.reply.strip() else "(nothing)",
    )
    return one.messages[: len(before.messages) + 1] == (*before.messages, said)


def _asked(call: Call, question: str, kept: str) -> Asked:
    request = json.loads(call.question or question)
    own = {
        "text": None if call.error or not call.question else call.reply
    }  # where no cache kept it
    reply = json.loads(kept) if kept and not call.error and not call.reply else own
    about: dict[str, Any] = {"reply": reply["text"], "cut_off": reply.get("finish_reason") == "length",
             "thinking": reply.get("thinking") or ""}  # fmt: skip
    if "messages" not in request:
        return Asked(call, None, LEFT_OUT if request else NOT_KEPT, **about)
    form, names = (
        request.get("schema"),
        ("temperature", "seed", "max_tokens", "repetition", "options"),
    )
    about["parameters"] = ", ".join(
        f"{name} {request[name]}" for name in names if request.get(name) is not None
    )
    messages = tuple((role, content) for role, content in request["messages"])
    return Asked(call, messages, form=json.loads(form) if form else None, **about)


def pretty(given: Any) -> str:
    """JSON on several lines, and any other text as it is.

    >>> print(pretty('{"vote": "P1"}'))
    {
      "vote": "P1"
    }
    """
    try:
        value = json.loads(given) if isinstance(given, str) else given
    except (ValueError, RecursionError):
        return given
    return (
        json.dumps(value, indent=2, ensure_ascii=False)
        if isinstance(value, dict | list)
        else given
    )


def _sums(calls: Sequence[Call]) -> str:
    """All calls of a unit, in one line; those without a price, or without an answer, are said."""
    if not calls:
        return ""
    cached, faults = (
        sum(call.cached for call in calls),
        sum(f.kind != "learnt" for c in calls for f in c.faults),
    )
    read, written = (
        sum(call.prompt_tokens for call in calls),
        sum(call.completion_tokens for call in calls),
    )
    paid, errors = (
        [call.usd for call in calls if call.usd is not None],
        sum(bool(call.error) for call in calls),
    )
    unpriced = sum(call.usd is None and not call.error for call in calls)
    money = [dollars(sum(paid))] * bool(paid) + [f"{unpriced} without a price"] * bool(
        unpriced
    )
    money += [f"{errors} without an answer"] * bool(errors)
    said = f"{len(calls):,} call{'s' * (len(calls) != 1)}: {len(calls) - cached} sent, {cached} cached"
    return f"{said} · {faults:,} fault{'s' * (faults != 1)} · {read:,} + {written:,} tokens · {', '.join(money)}"
