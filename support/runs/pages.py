"""Runs as readable HTML: discussions, coordinations, days of an organiser, and the calls to models behind a unit.

Every text is escaped, and nothing is loaded from elsewhere: one environment, one file of templates.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import cache
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from support.database import guarded, open_database
from support.errors import DamagedFile, MissingData
from support.figures import COLOURS
from support.models.calls import Call
from support.models.money import dollars
from support.records import Coordination, CoordinationRound, Mail, OrganizingDay, Round, Score, Transcript
from support.records.organizing import ORGANISER

if TYPE_CHECKING:
    import pandas as pd

    from support.environments.seminar.policies import PolicySet
    from support.environments.seminar.views import Desk
    from support.models.cache import Cache
    from support.runs.study import Store, Unit

LONG = 320  # characters from which a system prompt is folded to a line
MOST = 60  # conversations that a page shows, unless it is asked for another number
LEFT_OUT = "The question was left out of the recording that this reply is from."
NOT_KEPT = "Question and reply are not in this file: give the cache that holds them, cache=…"
NOTHING = "(nothing)"  # what a repair puts in the place of a blank reply
AT_ONCE = 500  # keys in one query
FACILITATORS = ("interviewer", "coordinator", "evaluator")


def _page(page: str, **values: Any) -> str:
    return _template().render(page=page, organiser=ORGANISER, when=_when, counts=_counts, long=LONG, **values)


@cache
def _template() -> Any:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    folder = FileSystemLoader(Path(__file__).parent)
    environment = Environment(loader=folder, autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    environment.filters["tuple_get"] = lambda pairs, key: dict(pairs).get(key, "")
    return environment.get_template("pages.html.j2")


def _write(path: str | Path, title: str, body: str) -> Path:
    head = f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape(title)}</title>'
    Path(path).write_text(f"{head}{body}</html>", encoding="utf-8", errors="replace")
    return Path(path)


# ---- discussions and coordinations -----------------------------------------------------------------------------------


def to_html(record: Transcript | Coordination, *, title: str = "", reasons: bool = False, private: bool = False) -> str:
    """A whole discussion or coordination as an HTML fragment, for a page or `IPython.display.HTML`.

    `reasons` shows what the participants of a discussion thought in private; `private` scores on true preferences.
    """
    if isinstance(record, Coordination):
        told = {"title": title, "private": private, "invitation": True}
        return meeting_to_html(record.rounds, record.meeting, record.seats, **told)  # type: ignore[arg-type]
    seats = ", ".join(f"{agent} ({kind})" for agent, kind in record.seats.items())
    about = f"Rule: {record.rule}. At the table: {seats}."
    return rounds_to_html(record.rounds, list(record.seats), title=title, about=about, reasons=reasons)


def write_html(
    record: Transcript | Coordination, path: str | Path, *, title: str = "A discussion", **shown: bool
) -> Path:
    """Write a whole discussion or coordination as a page of its own; `shown` as for `to_html`."""
    return _write(path, title, to_html(record, title=title, **shown))


def rounds_to_html(
    rounds: Sequence[Round], agents: Sequence[str], *, title: str = "", about: str = "", reasons: bool = False
) -> str:
    """Some rounds of a discussion as an HTML fragment."""
    from support.environments.exchange_economy import GOODS

    value = next((c.value for r in rounds for c in r.candidates), 0.0)
    goods = GOODS[: len(value[0])] if isinstance(value, tuple) else ()
    given = {"rounds": rounds, "agents": list(agents), "goods": goods, "colours": _colours(agents)}
    return _page("talk", title=title, about=about, reasons=reasons, **given)


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
    """Some rounds of a coordination as an HTML fragment, `invitation` first.

    `only` says whose conversations, and reasons for scores, are shown: a member who is a person should see no other's.
    """
    members = list(meeting["members"])
    facilitators = [f"{role} ({seats[role]})" for role in FACILITATORS if role in seats]
    given = {"meeting": meeting, "members": members, "seats": seats, "private": private, "invitation": invitation}
    shown = [_met(entry, members, only) for entry in rounds]
    return _page("meeting", rounds=shown, title=title, facilitators=facilitators, colours=_colours(members), **given)


def _met(entry: CoordinationRound, members: Sequence[str], only: Sequence[str] | None) -> dict[str, Any]:
    """What the template draws of a round: whose conversations are hidden, and options with their scores."""
    shown = [c for c in entry.conversations if only is None or c.member in only]
    scores = {(s.option, s.member): s if only is None or s.member in only else replace(s, reasons=())
              for s in entry.scores}  # fmt: skip
    audit = {(s.option, s.member): s for s in entry.audit}
    return {
        "number": entry.number,
        "conversations": shown,
        "hidden": len(entry.conversations) - len(shown),
        "options": [_option(option, entry, members, scores, audit) for option in entry.options],
        "breaches": entry.breaches,
        "format_errors": [e for e in entry.format_errors if only is None or e.agent not in set(members) - set(only)],
    }


def _option(
    option: Any, entry: CoordinationRound, members: Sequence[str],
    scores: Mapping[tuple[str, str], Score], audit: Mapping[tuple[str, str], Score],
) -> dict[str, Any]:  # fmt: skip
    from support.environments.meetings.meeting import in_words
    from support.environments.meetings.satisfaction import equity, satisfaction_ratio, satisfaction_score

    mine = [scores.get((option.id, member)) for member in members]
    values = [score.value for score in mine if score]
    measures = (f"{100 * satisfaction_ratio(values):.0f} %", f"{satisfaction_score(values):.2f}",
                f"{equity(values):.2f}") if values else None  # fmt: skip
    return {
        "id": option.id,
        "when": in_words(datetime.fromisoformat(option.start)),
        "candidate": option.id == entry.candidate,
        "reasons": option.reasons,
        "cells": [(m in option.members, s, audit.get((option.id, m))) for m, s in zip(members, mine, strict=True)],
        "measures": measures,
    }


# ---- days of an organiser --------------------------------------------------------------------------------------------


def days_to_html(
    days: Sequence[OrganizingDay], policies: PolicySet, seats: int = 1, *, unfolded: Collection[int] = ()
) -> str:
    """Days in the order given, each folded to one line; those selected of all `policies` that counted stand out."""
    given = {"policies": policies, "seats": seats, "unfolded": unfolded}
    return _page("days", days=days, **given) if days else ""


def assignment_to_html(slots: Iterable[str], taken: Mapping[str, Sequence[str]], seats: int) -> str:
    """Every date and who has it, as a small table."""
    named = [(f"{(d := date.fromisoformat(slot)):%a} {d.day} {d:%b %Y}", list(taken.get(slot, ()))) for slot in slots]
    return _page("assignment", taken=named, seats=seats)


def mails_to_html(mails: Iterable[Mail], *, unfolded: bool = False) -> str:
    """Mails, each below a line that says from whom, to whom and about what."""
    return _page("mails", mails=mails, unfolded=unfolded).strip()


def morning_to_html(desk: Desk, report: str, selected: Sequence[str]) -> str:
    """What a person who reviews has to know of the day: what came in, the organiser's report, which policies apply."""
    came = [mail for mail in desk.mails if mail.day == desk.day and mail.sender != ORGANISER]
    return _page("morning", mails=came, report=report, selected=selected, policies=desk.policies)


def diary_style() -> str:
    """The style of what stands in a `convene-diary`."""
    return _page("diary_style").strip()


def _when(day: str) -> str:
    from support.environments.seminar.workdays import in_words

    return in_words(date.fromisoformat(day))


def _counts(day: OrganizingDay, seats: int) -> str:
    taken = sum(len(names) for _, names in day.assignment)
    counted = {"came in": day.received, "sent": day.sent, "asked": day.flags, "changed": day.edits}
    said = [f"{len(found)} {what}" for what, found in counted.items() if found or what == "sent"]
    said += [f"{len(day.violations)} broken"] if day.violations else []
    return ", ".join([*said, f"{taken} of {seats * len(day.assignment)} seats taken"])


# ---- calls to models -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Asked:
    """A call, with what was asked and replied.

    `messages` are (role, content) pairs; None where the question is not known, and `absent` says why. `form` is the
    JSON schema of the reply, None for free text. `reply` is None where there was none, or it is not kept here; what was
    thought before it is private. `cut_off`: the reply reached the limit on its tokens.
    """

    call: Call
    messages: tuple[tuple[str, str], ...] | None
    form: Mapping[str, Any] | None = None
    parameters: str = ""
    reply: str | None = None
    cut_off: bool = False
    absent: str = ""
    thinking: str = ""


def unit_html(
    store: Store, unit: Unit, cache: Cache | str | Path | None = None, *, title: str = "", most: int | None = MOST
) -> str:
    """One unit's calls as an HTML fragment; replies are kept in the study's own file, or in `cache`.

    A page shows `most` conversations and says how many more there are; None shows all of them.
    """
    asked = asked_of(store, unit, cache)
    found = chains(asked)
    return _page(
        "unit",
        title=title or f"{unit.sweep}, repetition {unit.repetition}",
        settings=unit.settings,
        status=store.status(unit) or "missing",
        error=store.failures(unit.sweep).get(unit, ""),
        sums=_sums([one.call for one in asked]),
        chains=[[_shown(one, chain[i - 1] if i else None) for i, one in enumerate(chain)] for chain in found[:most]],
        hidden=len(found) - len(found[:most]),
    )


def write_unit(store: Store, unit: Unit, path: str | Path, cache: Cache | str | Path | None = None) -> Path:
    """Write one unit's calls, all of them, as a page of its own; return its path."""
    return _write(path, f"{unit.sweep}, repetition {unit.repetition}", unit_html(store, unit, cache, most=None))


def totals_html(sums: pd.DataFrame, faults: pd.DataFrame) -> str:
    """What `support.runs.calls.totals` and `faults_of` give, as two tables beside one another."""
    came_to = [(what, dollars(amount) if "USD" in what else f"{amount:,}", note)
               for what, amount, note in sums.itertuples(index=False)]  # fmt: skip
    met = [(*row[:-1], f"{row[-1]:.1f} s") for row in faults.itertuples(index=False)]
    return _page("totals", came_to=came_to, met=met)


def asked_of(store: Store, unit: Unit, cache: Cache | str | Path | None = None) -> list[Asked]:
    """The calls of a unit, in the order in which they ended, with their prompts and replies."""
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


def _kept(store: Store, path: Path, keys: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Request and reply of every key that the file knows."""
    if not path.exists():
        raise MissingData(f"cache: there is no file {path}; give the one in which the replies of this run are kept.")
    here = path.resolve() == store.path.resolve()
    wanted, found = sorted(keys), dict[str, tuple[str, str]]()
    with nullcontext(store._db) if here else closing(open_database(path)) as db, guarded(path):
        if not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'replies'").fetchone():
            return {}
        for start in range(0, len(wanted), AT_ONCE):
            part = wanted[start : start + AT_ONCE]
            query = f"SELECT key, request, reply FROM replies WHERE key IN ({', '.join('?' * len(part))})"
            found |= {key: (request, reply) for key, request, reply in db.execute(query, part)}
    return found


def _asked(call: Call, kept: tuple[str, str] | None) -> Asked:
    request = json.loads(call.question or (kept[0] if kept else "{}"))
    own = {"text": None if call.error or not call.question else call.reply}  # where no cache kept it
    reply = json.loads(kept[1]) if kept and not call.error and not call.reply else own
    about: tuple[Any, bool] = (reply["text"], reply.get("finish_reason") == "length")
    if "messages" not in request:
        return Asked(call, None, None, "", *about, absent=LEFT_OUT if request else NOT_KEPT)
    messages = tuple((role, content) for role, content in request["messages"])
    form = json.loads(request["schema"]) if request.get("schema") else None
    names = ("temperature", "seed", "max_tokens", "repetition", "options")
    parameters = ", ".join(f"{name} {request[name]}" for name in names if request.get(name) is not None)
    return Asked(call, messages, form, parameters, *about, thinking=reply.get("thinking") or "")


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
    form, schema = None, None
    if one.form is not None:
        form, schema = str(one.form.get("title", "JSON")), pretty(json.dumps(one.form))
    came = "cached" if call.cached else "no answer" if call.error else "sent"
    reply, cost = None if one.reply is None else pretty(one.reply), "$0.00, cached" if call.cached else _cost(call)
    given = {"asked": one, "call": call, "messages": messages, "came": came}
    return {**given, "form": form, "schema": schema, "reply": reply, "cost": cost}


def _cost(call: Call) -> str:
    return ("cost unknown" if call.error else "no price") if call.usd is None else dollars(call.usd)


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
    """All calls of a unit, in one line; those without a price, or without an answer, are said."""
    if not calls:
        return ""
    cached, faults = sum(call.cached for call in calls), sum(f.kind != "learnt" for c in calls for f in c.faults)
    read, written = sum(call.prompt_tokens for call in calls), sum(call.completion_tokens for call in calls)
    paid = [call.usd for call in calls if call.usd is not None]
    unpriced = sum(call.usd is None and not call.error for call in calls)
    unanswered = sum(bool(call.error) for call in calls)
    money = [dollars(sum(paid))] if paid else []
    money += [f"{unpriced} without a price"] if unpriced else []
    money += [f"{unanswered} without an answer"] if unanswered else []
    said = f"{_many(len(calls), 'call')}: {len(calls) - cached} sent, {cached} cached"
    return " · ".join([said, _many(faults, "fault"), f"{read:,} + {written:,} tokens", ", ".join(money)])


def _many(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"
