"""What a chat is made of: one turn for each thing that was said or done on a day."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from support.boards.pieces import block, chip, count, folded, letters, said, titled
from support.errors import InvalidInput
from support.seminar.data import day as as_day
from support.seminar.data import in_words
from support.seminar.records import ACTION, MAIL, WAIT, Action, Edit, Flag, Mail, OrganizingDay
from support.seminar.rules import PolicySet


def turn(who: str, texts: Iterable[str], look: str = "", quiet: str = "") -> str:
    """Texts under a line that says whose they are; nothing where there is no text."""
    inside = "".join(block(text) for text in texts) + block(quiet, "text small")
    return bubble(who, inside, look)


def bubble(who: str, content: str, look: str = "") -> str:
    """Markup under such a line; nothing where there is none."""
    if not content:
        return ""
    return f'<div class="turn {look}"><p class="who">{who}</p><div class="bubble">{content}</div></div>'


def received(mails: Sequence[Mail]) -> str:
    """What came in, folded below its number."""
    if not mails:
        return ""
    return bubble("Came in", f"{count(len(mails), 'reply', 'replies')}{letters(mails)}")


def flags(asked: Iterable[Flag], open_word: str = "left open") -> str:
    """Questions that no policy covers, each with its answer."""
    return "".join(
        f'<div class="turn flag"><p class="who">⚑ Asked of the desk, about {said(flag.person)}</p>'
        f"{block(flag.question)}<p><b>Answer:</b> "
        f"{said(flag.answer) if flag.answer else f'<i>{open_word}</i>'}</p></div>"
        for flag in asked
    )


def progress(report: str) -> str:
    """The organiser's report of the morning, folded."""
    return folded("The organiser’s report of the morning", block(report), "turn") if report else ""


def chips(policies: PolicySet, selected: Sequence[str]) -> str:
    """The policies that were applied, with their texts on hovering; one that was dropped since by its id alone."""
    if not selected:
        return ""
    known = {policy.id: policy.text for policy in policies}
    shown = [folded_chip(name, known.get(name, "")) for name in selected]
    return f'<div class="turn"><p class="who">Policies applied</p>{"".join(shown)}</div>'


def folded_chip(name: str, text: str) -> str:
    """A policy by its id; its text opens by click or key."""
    head = chip("sure", "✓", said(name))
    return folded(head, block(text, "text letter"), "applied") if text else head


def done(day: OrganizingDay) -> str:
    """What was decided about each person, with the mail that went out, and what was taken out at the desk."""
    left = list(day.sent)
    acts = []
    for action in day.actions:
        mail = next((one for one in left if (one.to, one.kind) == (action.person, action.kind)), None)
        if mail:
            left.remove(mail)
        acts.append(_act(action, mail, day.edits))
    gone = [edit for edit in day.edits if edit.what == ACTION and not edit.after]
    acts += [f'<div class="act">{chip("amiss", "✕", "removed at the desk")} {_struck(edit)}</div>' for edit in gone]
    acts += [f'<div class="act">{letters([mail])}</div>' for mail in left]
    return bubble("Actions", "".join(acts))


def _struck(edit: Edit) -> str:
    return f'<span class="gone">{said(edit.before)}</span>'


def _act(action: Action, mail: Mail | None, changes: Sequence[Edit]) -> str:
    about = [edit for edit in changes if edit.about == action.person]
    chosen = "".join(
        chip("vague", "✎", f"{what} changed at the desk")
        for what in (ACTION, MAIL)
        if any(edit.what == what and edit.after for edit in about)
    )
    dropped = any(edit.what == MAIL and not edit.after for edit in about)
    if mail is None and action.kind != WAIT:
        chosen += chip("amiss", "✕", "mail removed at the desk" if dropped else "no mail went out")
    goal = f": {said(action.goal)}" if action.goal else ""
    policy = f' <span class="small">({said(action.policy)})</span>' if action.policy else ""
    sent = folded(titled(mail.subject), block(mail.body), "mail out") if mail else ""
    return f'<div class="act"><b>{kind_in_words(action)}</b>{goal}{policy} {chosen}{sent}</div>'


def kind_in_words(action: Action) -> str:
    """An action as markup: what, to whom, of which date."""
    slot = f" of {said(_date(action.slot))}" if action.slot else ""
    to = "for" if action.kind == WAIT else "to"
    return f"{said(action.kind.replace('_', '-'))} {to} {said(action.person)}{slot}"


def _date(slot: str) -> str:
    try:
        return in_words(as_day(slot, "slot"))
    except InvalidInput:  # an organiser may write anything there; it is shown as it stands
        return slot


def edits(changes: Iterable[Edit]) -> str:
    """What was changed at the desk, from what to what, and the sentence that was learnt of it."""
    return "".join(
        bubble(f"At the desk: {'changed' if edit.after else 'removed'} {_what(edit)}", _change(edit), "desk")
        for edit in changes
    )


def _what(edit: Edit) -> str:
    return f"the {said(edit.what)}" + (
        f" {'to' if edit.what == MAIL else 'about'} {said(edit.about)}" if edit.about else ""
    )


def _change(edit: Edit) -> str:
    now = f"<dt>now</dt><dd>{block(edit.after)}</dd>" if edit.after else ""
    learnt = said(edit.summary) if edit.summary else "nothing"
    before = folded("before", block(edit.before))
    return f"<dl>{now}<dt>learnt</dt><dd><i>{learnt}</i></dd></dl>{before}"
