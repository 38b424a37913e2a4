"""A unit's calls to models as HTML: every prompt, reply, repair, retry and cost; all of it escaped, nothing loaded."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from support.calls import Call
from support.database import guarded, open_database
from support.errors import DamagedFile, MissingData
from support.money.budget import dollars

if TYPE_CHECKING:
    import pandas as pd

    from support.llm import Cache
    from support.store import Store, Unit

LONG = 320
"""Characters from which a system prompt is folded to a line."""

MOST = 60
"""Conversations that a page shows, unless it is asked for another number."""

LEFT_OUT = "The question was left out of the recording that this reply is from."
NOT_KEPT = "Question and reply are not in this file: give the cache that holds them, cache=…"
NOTHING = "(nothing)"  # what a repair puts in the place of a blank reply
AT_ONCE = 500  # keys in one query


@dataclass(frozen=True, slots=True)
class Asked:
    """A call, with what was asked and replied.

    `messages` are (role, content) pairs; None where the question is not known, and `absent` says why. `form` is the
    JSON schema of the reply, None for free text. `reply` is None where there was none, or it is not kept here.
    `cut_off`: the reply reached the limit on its tokens.
    """

    call: Call
    messages: tuple[tuple[str, str], ...] | None
    form: Mapping[str, Any] | None = None
    parameters: str = ""
    reply: str | None = None
    cut_off: bool = False
    absent: str = ""


def asked_of(store: Store, unit: Unit, cache: Cache | str | Path | None = None) -> list[Asked]:
    """The calls of a unit, in the order in which they ended, with their prompts and replies.

    Parameters
    ----------
    cache : Cache or path, optional
        Where replies are kept, by default the study's own file.

    Raises
    ------
    MissingData
        When there is no file at the cache's path.
    DamagedFile
        When a kept request or reply cannot be read.
    """
    calls = store.calls(unit)
    path = store.path if cache is None else Path(cache if isinstance(cache, str | Path) else cache.path)
    kept = _kept(store, path, {call.key for call in calls})
    try:
        return [_asked(call, kept.get(call.key)) for call in calls]
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise DamagedFile(
            f"{path} holds a request or a reply that cannot be read ({error}); restore it from a copy."
        ) from None


def chains(asked: Sequence[Asked]) -> list[list[Asked]]:
    """Calls put together that repaired one another: each chain begins with a question of its own.

    A repair goes to the call whose messages it repeats; where questions are not known, to the latest that it fits.
    """
    found: list[list[Asked]] = []
    for one in asked:
        candidates = [chain for chain in found if _follows(chain[-1], one)]
        if not candidates:
            found.append([one])
        else:
            candidates[-1 if one.messages is None else 0].append(one)
    return found


def unit_html(
    store: Store, unit: Unit, cache: Cache | str | Path | None = None, *, title: str = "", most: int | None = MOST
) -> str:
    """One unit's calls as an HTML fragment, for a page, a saved notebook or `IPython.display.HTML`.

    Parameters
    ----------
    cache : as in `asked_of`
    most : int, optional
        Conversations to show; the page says how many more there are. None shows all of them.

    Raises
    ------
    MissingData, DamagedFile
        As `asked_of`.
    """
    asked = asked_of(store, unit, cache)
    found = chains(asked)
    shown = found if most is None else found[:most]
    return _template("run_pages.html.j2").render(
        title=title or f"{unit.sweep}, repetition {unit.repetition}",
        settings=json.loads(unit.settings),
        status=store.status(unit) or "missing",
        error=store.failures(unit.sweep).get(unit, ""),
        sums=_sums([one.call for one in asked]),
        chains=[[_shown(one, chain[i - 1] if i else None) for i, one in enumerate(chain)] for chain in shown],
        hidden=len(found) - len(shown),
        long=LONG,
    )


def write_unit(store: Store, unit: Unit, path: str | Path, cache: Cache | str | Path | None = None) -> Path:
    """Write one unit's calls, all of them, as a page of its own; return its path."""
    title = escape(f"{unit.sweep}, repetition {unit.repetition}")
    head = f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>'
    page = head + unit_html(store, unit, cache, most=None) + "</html>"
    Path(path).write_text(page, encoding="utf-8", errors="replace")
    return Path(path)


def totals_html(sums: pd.DataFrame, faults: pd.DataFrame) -> str:
    """What `support.spending.totals` and `faults_of` give, as two tables beside one another."""
    came_to = [
        (what, dollars(amount) if "USD" in what else f"{amount:,}", note)
        for what, amount, note in sums.itertuples(index=False)
    ]
    met = [(*row[:-1], f"{row[-1]:.1f} s") for row in faults.itertuples(index=False)]
    return _template("run_totals.html.j2").render(came_to=came_to, met=met)


def _kept(store: Store, path: Path, keys: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Request and reply of every key that the file knows."""
    if not path.exists():
        raise MissingData(f"cache: there is no file {path}; give the one in which the replies of this run are kept.")
    here = path.resolve() == store.path.resolve()
    wanted, found = sorted(keys), {}
    with nullcontext(store._db) if here else closing(open_database(path)) as db, guarded(path):
        if not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'replies'").fetchone():
            return {}
        for start in range(0, len(wanted), AT_ONCE):
            part = wanted[start : start + AT_ONCE]
            query = f"SELECT key, request, reply FROM replies WHERE key IN ({', '.join('?' * len(part))})"
            found.update({key: (request, reply) for key, request, reply in db.execute(query, part)})
    return found


def _asked(call: Call, kept: tuple[str, str] | None) -> Asked:
    request = json.loads(call.question or (kept[0] if kept else "{}"))
    reply = json.loads(kept[1]) if kept and not call.error and not call.reply else {"text": _own(call)}
    cut_off = reply.get("finish_reason") == "length"
    if "messages" not in request:
        return Asked(call, None, reply=reply["text"], cut_off=cut_off, absent=LEFT_OUT if request else NOT_KEPT)
    messages = tuple((role, content) for role, content in request["messages"])
    form = json.loads(request["schema"]) if request.get("schema") else None
    names = ("temperature", "seed", "max_tokens", "repetition")
    parameters = ", ".join(f"{name} {request[name]}" for name in names if request.get(name) is not None)
    return Asked(call, messages, form, parameters, reply["text"], cut_off)


def _own(call: Call) -> str | None:
    """The reply that the unit's own record has: where no cache kept it."""
    return None if call.error or not call.question else call.reply


def _follows(before: Asked, one: Asked) -> bool:
    """Whether a call may be the repair of the one before."""
    if one.call.repair != before.call.repair + 1 or one.call.model != before.call.model or before.call.error:
        return False
    if one.messages is None or before.messages is None:
        return one.messages is before.messages
    said = ("assistant", before.reply if before.reply and before.reply.strip() else NOTHING)
    return one.messages[: len(before.messages) + 1] == (*before.messages, said)


def _shown(one: Asked, before: Asked | None) -> dict[str, Any]:
    """What the template draws of a call; of a repair, only the messages that are new."""
    call, messages = one.call, one.messages or ()
    if before is not None and before.messages is not None:
        messages = messages[len(before.messages) + 1 :]
    return {
        "asked": one,
        "call": call,
        "messages": messages,
        "form": None if one.form is None else str(one.form.get("title", "JSON")),
        "schema": None if one.form is None else pretty(json.dumps(one.form)),
        "reply": None if one.reply is None else pretty(one.reply),
        "came": came(call),
        "cost": cost(call),
    }


def came(call: Call) -> str:
    """How a reply came, in a word.

    >>> came(Call("k", "m", "scripted", cached=True))
    'cached'
    """
    return "cached" if call.cached else "no answer" if call.error else "sent"


def cost(call: Call) -> str:
    """What a call cost, in words; cached replies cost nothing.

    >>> cost(Call("k", "m", "scripted", usd=0.0012))
    '$0.0012'
    """
    if call.cached:
        return "$0.00, cached"
    if call.usd is None:
        return "cost unknown" if call.error else "no price"
    return dollars(call.usd)


def pretty(text: str) -> str:
    """JSON on several lines, and any other text as it is.

    >>> print(pretty('{"vote": "P1"}'))
    {
      "vote": "P1"
    }
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return json.dumps(value, indent=2, ensure_ascii=False) if isinstance(value, dict | list) else text


def _sums(calls: Sequence[Call]) -> str:
    """All calls of a unit, in one line."""
    if not calls:
        return ""
    cached, faults = sum(call.cached for call in calls), sum(len(call.faults) for call in calls)
    read, written = sum(call.prompt_tokens for call in calls), sum(call.completion_tokens for call in calls)
    parts = [
        f"{_many(len(calls), 'call')}: {len(calls) - cached} sent, {cached} cached",
        _many(faults, "fault"),
        f"{read:,} + {written:,} tokens",
        _paid(calls),
    ]
    return " · ".join(parts)


def _many(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _paid(calls: Sequence[Call]) -> str:
    """What calls cost together; those without a price, or without an answer, are said."""
    paid = [call.usd for call in calls if call.usd is not None]
    unpriced = sum(call.usd is None and not call.error for call in calls)
    unanswered = sum(bool(call.error) for call in calls)
    missing = [f"{unpriced} without a price"] if unpriced else []
    missing += [f"{unanswered} without an answer"] if unanswered else []
    return ", ".join(([dollars(sum(paid))] if paid else []) + missing)


@cache
def _template(name: str) -> Any:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    return environment.get_template(name)
