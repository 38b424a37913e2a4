"""The diary of a rehearsal as HTML: its days, newest first, its mails, and who has which date; all of it escaped."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date
from html import escape

from support.environments.seminar.policies import PolicySet
from support.environments.seminar.views import Desk
from support.environments.seminar.workdays import in_words
from support.figures import COLOURS
from support.records import Edit, Flag, Mail, OrganizingDay
from support.records.organizing import ORGANISER

STYLE = f"""<style>
.convene-diary {{ font: 14px/1.45 system-ui, sans-serif; color: #1b1b1b; background: #fff; max-width: 76rem; }}
.convene-diary details.day {{ border: 1px solid #ccc; border-radius: .3rem; margin: .35rem 0; padding: .25rem .6rem; }}
.convene-diary summary {{ cursor: pointer; overflow-wrap: anywhere; }}
.convene-diary h4 {{ font-size: .9rem; margin: .5rem 0 .1rem; color: #333; }}
.convene-diary .text {{ white-space: pre-wrap; overflow-wrap: anywhere; max-width: 60rem; }}
.convene-diary details.mail {{ margin: .1rem 0; }}
.convene-diary details.mail .text {{ border-left: 3px solid {COLOURS[5]}; background: #f6f9fb; padding: .2rem .6rem;
  margin: .15rem 0 .3rem .8rem; }}
.convene-diary details.in .text {{ border-left-color: {COLOURS[1]}; background: #fdf9f1; }}
.convene-diary .chip {{ display: inline-block; border: 1px solid #bbb; border-radius: .8rem; padding: 0 .55rem;
  margin: .1rem .2rem .1rem 0; color: #595959; }}
.convene-diary .chip.on {{ background: {COLOURS[0]}; border-color: {COLOURS[0]}; color: #fff; font-weight: 600; }}
.convene-diary .flag, .convene-diary .amiss {{ border-left: 4px solid {COLOURS[4]}; padding: .1rem .6rem;
  margin: .15rem 0; max-width: 60rem; overflow-wrap: anywhere; }}
.convene-diary .amiss {{ border-left-style: double; }}
.convene-diary .edit {{ display: grid; grid-template-columns: 5rem minmax(0, 1fr); max-width: 60rem;
  margin: .1rem 0 .3rem; }}
.convene-diary .edit > * {{ white-space: pre-wrap; overflow-wrap: anywhere; }}
.convene-diary table {{ border-collapse: collapse; }}
.convene-diary td, .convene-diary th {{ border: 1px solid #ccc; padding: .1rem .45rem; text-align: left;
  background: #fff; color: #1b1b1b; overflow-wrap: anywhere; vertical-align: top; }}
.convene-diary td.open {{ color: #595959; font-style: italic; }}
.convene-diary caption {{ text-align: left; font-weight: 600; padding-bottom: .2rem; }}
.convene-diary .quiet {{ color: #595959; }}
</style>"""


def days_to_html(
    days: Sequence[OrganizingDay], policies: PolicySet, seats: int = 1, *, unfolded: Collection[int] = ()
) -> str:
    """Days in the order given, each folded to one line.

    Parameters
    ----------
    policies : PolicySet
        All that counted: those selected on a day stand out.
    seats : int
        Of each date.
    unfolded : numbers of days that are shown unfolded
    """
    shown = [_day(day, policies, seats, day.number in unfolded) for day in days]
    return f'{STYLE}<div class="convene-diary">{"".join(shown)}</div>' if shown else ""


def assignment_to_html(slots: Iterable[str], taken: Mapping[str, Sequence[str]], seats: int) -> str:
    """Every date and who has it, as a small table."""
    rows = [f"<tr><td>{escape(_short(slot))}</td>{_holders(taken.get(slot, ()), seats)}</tr>" for slot in slots]
    head = "<caption>Who has which date</caption><tr><th>date</th><th>who</th></tr>"
    return f'{STYLE}<div class="convene-diary"><table>{head}{"".join(rows)}</table></div>'


def mails_to_html(mails: Iterable[Mail], *, unfolded: bool = False) -> str:
    """Mails, each below a line that says from whom, to whom and about what."""
    return "".join(_mail(mail, unfolded) for mail in mails)


def morning_to_html(desk: Desk, report: str, selected: Sequence[str]) -> str:
    """What a person who reviews has to know of the day: what came in, the organiser's report, which policies apply."""
    came = [mail for mail in desk.mails if mail.day == desk.day and mail.sender != ORGANISER]
    parts = [
        _folded(f"What came in today: {len(came)}", mails_to_html(came)) if came else "",
        _folded("The organiser’s report of the morning", _text(report)) if report else "",
        f"<div>{_chips(desk.policies, selected)}</div>" if report else "",
    ]
    return f'{STYLE}<div class="convene-diary">{"".join(parts)}</div>'


def _day(day: OrganizingDay, policies: PolicySet, seats: int, unfolded: bool) -> str:
    misfits = [f"{error.agent}, {error.phase}: {error.detail}" for error in day.format_errors]
    parts = [
        _titled("Came in", mails_to_html(day.received)),
        _titled("Asked of the desk", "".join(_flag(flag) for flag in day.flags)),
        _folded("Progress in the morning", _text(day.progress)) if day.progress else "",
        _titled("Policies that apply", _chips(policies, day.selected)),
        _titled("Plan", _text(day.plan) + _text(day.reason, "text quiet")),
        _titled("Changed at the desk", "".join(_edit(edit) for edit in day.edits)),
        _titled("Sent", mails_to_html(day.sent)),
        _titled("Policies broken", "".join(_amiss(text) for text in day.violations)),
        _titled("Replies that did not fit", "".join(map(_amiss, misfits))),
        _titled("In the evening", _text(day.summary)),
    ]  # fmt: skip
    when = escape(in_words(date.fromisoformat(day.date)))
    head = f"<summary><b>Day {day.number}</b>, {when}: {_counts(day, seats)}</summary>"
    return f'<details class="day"{" open" if unfolded else ""}>{head}{"".join(parts)}</details>'


def _counts(day: OrganizingDay, seats: int) -> str:
    taken = sum(len(names) for _, names in day.assignment)
    counted = {"came in": day.received, "sent": day.sent, "asked": day.flags, "changed": day.edits}
    said = [f"{len(found)} {what}" for what, found in counted.items() if found or what == "sent"]
    said += [f"{len(day.violations)} broken"] if day.violations else []
    return escape(", ".join([*said, f"{taken} of {seats * len(day.assignment)} seats taken"]))


def _titled(title: str, content: str) -> str:
    return f"<h4>{title}</h4>{content}" if content else ""


def _folded(title: str, content: str) -> str:
    return f"<details><summary>{escape(title)}</summary>{content}</details>"


def _text(text: str, look: str = "text") -> str:
    return f'<div class="{look}">{escape(text)}</div>' if text else ""


def _mail(mail: Mail, unfolded: bool) -> str:
    out = mail.sender == ORGANISER
    who = f"{mail.kind.replace('_', '-')} to {mail.to}" if out else f"{mail.sender} wrote"
    head = f"<summary>{escape(who)}: {escape(mail.subject) or '(no subject)'}</summary>"
    side = "out" if out else "in"
    return f'<details class="mail {side}"{" open" if unfolded else ""}>{head}{_text(mail.body)}</details>'


def _flag(flag: Flag) -> str:
    answer = f"Answer: {escape(flag.answer)}" if flag.answer else "<i>left open</i>"
    return f'<div class="flag">{escape(flag.person)}: {escape(flag.question)}<br>{answer}</div>'


def _edit(edit: Edit) -> str:
    what = f"The {edit.what}" + (f" about {edit.about}" if edit.about else "")
    after = escape(edit.after) if edit.after else "<i>removed</i>"
    return (
        f'{escape(what)}:<div class="edit"><b>now</b><span>{after}</span><span>learnt</span>'
        f"<i>{escape(edit.summary) or '–'}</i></div>{_folded('before', _text(edit.before, 'text quiet'))}"
    )


def _amiss(text: str) -> str:
    return f'<div class="amiss">{escape(text)}</div>'


def _chips(policies: PolicySet, selected: Sequence[str]) -> str:
    """All policies by their ids, those that apply in bold and with a mark; their texts on hovering."""
    return "".join(
        f'<span class="chip{" on" if p.id in selected else ""}" title="{escape(p.text)}">'
        f"{'✓ ' if p.id in selected else ''}{escape(p.id)}</span>"
        for p in policies
    )


def _short(slot: str) -> str:
    day = date.fromisoformat(slot)
    return f"{day:%a} {day.day} {day:%b %Y}"


def _holders(names: Sequence[str], seats: int) -> str:
    free = seats - len(names)
    left = "" if free <= 0 else "open" if seats == 1 else f"{free} of {seats} seats open"
    if not names:
        return f'<td class="open">{left}</td>'
    return f"<td>{escape(', '.join(names))}{f'; <i>{left}</i>' if left else ''}</td>"
