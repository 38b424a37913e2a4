"""What the person at the desk decided about flags, and to whom it has to be told."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from support.environments.seminar.views import Desk
from support.records.organizing import ORGANISER, Hook


def answers_to(desk: Desk) -> dict[str, list[Hook]]:
    """Answers that are to be told, by the person whom they concern: today's, and earlier ones that were not yet told.

    Unanswered flags are nobody's, see `adrift` for the others.
    """
    found = defaultdict[str, list[Hook]](list)
    for hook in (*_untold(desk), *desk.answers):
        if hook.answer.strip() and (name := concerned(desk, hook)):
            found[name].append(hook)
    return dict(found)


def _untold(desk: Desk) -> Iterator[Hook]:
    """Answers of earlier days of this run, since which nothing was sent to the person, nor an answer struck out."""
    for hook in desk.hooks:
        if not 0 < hook.day < desk.day or hook.person not in desk.state.contacts:
            continue
        told = any(mail.to == hook.person and mail.day >= hook.day for mail in desk.mails)
        answer = " ".join(hook.answer.split())
        struck = any(edit.about == hook.person and not edit.after and answer in edit.before for edit in desk.edits)
        if not (told or struck):
            yield hook


def adrift(desk: Desk) -> list[Hook]:
    """Today's answers of which nobody can tell whom they concern; the organiser says so, and tells no one."""
    return [hook for hook in desk.answers if hook.answer.strip() and not concerned(desk, hook)]


def concerned(desk: Desk, hook: Hook) -> str:
    """Whom a flag was about: as it says, else the only one named in it, else the only one who wrote last, or ""."""
    if hook.person in desk.state.contacts:
        return hook.person
    text = f"{hook.topic} {hook.question}"
    named = [name for name in desk.state.contacts if name in text]
    if len(named) == 1:
        return named[0]
    came = [mail for mail in desk.mails if mail.sender != ORGANISER and mail.day >= desk.day - 1]  # of last night too
    wrote = {mail.sender for mail in came if mail.day == max(m.day for m in came)}
    among = [name for name in wrote if name in desk.state.contacts and (not named or name in named)]
    return among[0] if len(among) == 1 else ""
