"""The organiser's seat: what each step of a day asks of a model, and of a person.

What a form can hold, the form holds: nobody is written to who is not on the list, no date is given away that is taken,
no policy is named that is not there. What every step takes and returns stands in `seats`.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

from support.errors import InvalidInput
from support.prompts import render
from support.seats import Act, Ask, ModelSeat, Role, form, text
from support.seminar import forms, told
from support.seminar.artefacts import Template
from support.seminar.audit import ASKING
from support.seminar.data import in_words, iso, passed
from support.seminar.ledger import refusal
from support.seminar.organizer import RuleBasedOrganizer
from support.seminar.records import (
    ACTION,
    CONFIRMATION,
    MAIL,
    PLAN,
    Action,
    Mail,
    Understood,
)
from support.seminar.reviewing import OnDesk, bounded
from support.seminar.selecting import ROOM, SELECTION, SUMMARY, selected, selection
from support.seminar.views import DayPlan, Desk, Draft

# ---- what a prompt is told of a day ----------------------------------------------------------------------------------


def state_of(seat: ModelSeat, desk: Desk) -> dict[str, Any]:
    """Programme, people and dates."""
    return {
        "goal": told.line(desk.scenario.goal, forms.FACT, seat.shown),
        "people": [
            told.person_line(desk.state, contact, seat.shown)
            for contact in desk.state.contacts.values()
        ],
        "slots": [told.slot_line(desk.state, slot) for slot in desk.state.slots],
        "time": time_of(seat, desk),
    }


def time_of(seat: ModelSeat, desk: Desk) -> str:
    """Today, and how long it is to the deadline."""
    left = (
        passed(desk.today, desk.scenario.deadline)
        if desk.today < desk.scenario.deadline
        else 0
    )
    today, deadline = told.dates([desk.today]), told.dates([desk.scenario.deadline])
    return render("organizing/time", today=today, deadline=deadline, left=left)


def log_of(seat: ModelSeat, desk: Desk, mails: Sequence[Mail]) -> dict[str, Any]:
    """Mails of the log and the state."""
    return {"mails": told.mails(mails, seat.shown, told.LOG), **state_of(seat, desk)}


def lessons(seat: ModelSeat, desk: Desk, wish: str, *kinds: str) -> str:
    """What the person at the desk decided, earlier and today, changed before, and wants to have otherwise now."""
    learnt: Sequence[str] = [
        told.line(lesson, forms.SENTENCE, seat.shown) for lesson in desk.learnt(*kinds)
    ]
    facts = {
        "learnt": seat.shown.last(learnt, told.LEARNT, "lessons"),
        "decided": seat.shown.last(
            told.decisions((*desk.hooks, *desk.answers), seat.shown),
            told.LEARNT,
            "decisions",
        ),
        "wish": told.line(wish, forms.FACT, seat.shown),
    }
    return render("organizing/lessons", **facts)


# ---- the organiser ---------------------------------------------------------------------------------------------------


def reading_facts(seat: ModelSeat, desk: Desk, mail: Mail) -> dict[str, Any]:
    """What a reader is told of a reply."""
    offered = told.offered(desk, mail.sender)
    earlier = [m for m in desk.thread(mail.sender) if m.id != mail.id]
    return {
        "person": mail.sender,
        "today": told.dates([desk.today]),
        "offered": told.dates(offered),
        "has": told.dates(desk.state.dates_of(mail.sender)),
        "earlier": told.mails(earlier, seat.shown),
        "mail": told.mails([mail], seat.shown)[0],
        "slots": iso(offered),
    }


def reading_form(seat: ModelSeat, desk: Desk, mail: Mail) -> Any:
    """The dates that its writer was offered."""
    own = iso(desk.state.dates_of(mail.sender))
    return forms.reading_form(
        iso(told.offered(desk, mail.sender)), desk.today.isoformat(), own, seat.limits
    )


def understood(seat: ModelSeat, reply: Any, desk: Desk, mail: Mail) -> Understood:
    """A reading as a record; an offered date among those never offered is left out there: small models copy dates."""
    offered = iso(told.offered(desk, mail.sender))
    return Understood(
        mail.id,
        mail.sender,
        never_offered=tuple(sorted({*reply.never_offered}.difference(offered))),
        declined=reply.declined,
        wait_until=reply.wait_until,
        note=told.line(reply.note, seat.limits.text(forms.NOTE)),
        **forms.sorted_out(reply, offered),
    )


def plan_facts(
    seat: ModelSeat, desk: Desk, progress: str, chosen: Sequence[str], wish: str = ""
) -> dict[str, Any]:
    """What a plan is made from."""
    return {
        "progress": told.quoted(progress, seat.shown, forms.REPORT),
        "policies": [desk.policies[name].text for name in chosen],
        "lessons": lessons(seat, desk, wish, PLAN, ACTION),
        "time": time_of(seat, desk),
        "words": seat.words(seat.limits.text(forms.REASON)),
    }


def action_facts(
    seat: ModelSeat, desk: Desk, plan: DayPlan, chosen: Sequence[str], wish: str = ""
) -> dict[str, Any]:
    """What actions are made from."""
    return {
        "each": not seat.limits.tight,
        "plan": told.line(plan.text, forms.PLAN, seat.shown),
        "policies": [f"{name}: {desk.policies[name].text}" for name in chosen],
        "lessons": lessons(seat, desk, wish, PLAN, ACTION),
        **state_of(seat, desk),
    }


def mail_facts(
    seat: ModelSeat, desk: Desk, action: Action, wish: str = ""
) -> dict[str, Any]:
    """What a mail is written from: two of the organiser's own mails are shown, those to the same role first."""
    contact = desk.state.contacts[action.person]
    near = sorted(
        desk.past,
        key=lambda mail: (mail.to_role != contact.role, mail.kind != action.kind),
    )
    return {
        "person": action.person,
        "role": contact.role,
        "kind": action.kind.replace("_", " "),
        "goal": told.line(action.goal, forms.GOAL, seat.shown),
        "slot": in_words(date.fromisoformat(action.slot)) if action.slot else "",
        "dates": [in_words(s) for s in desk.state.open if s > desk.today]
        if action.kind in ASKING
        else [],
        "scenario": desk.scenario,
        "template": _letter(seat, desk.templates.get(action.kind)),
        "past": [
            f"To a {mail.to_role or 'speaker'}:\n{_letter(seat, mail)}"
            for mail in near[:2]
        ],
        "earlier": told.mails(desk.thread(action.person), seat.shown),
        "lessons": lessons(seat, desk, wish, MAIL),
        "time": time_of(seat, desk),
        "words": seat.words(seat.limits.text(forms.BODY)),
    }


def _letter(seat: ModelSeat, template: Template | None) -> str:
    return (
        ""
        if template is None
        else told.quoted(f"{template.subject}\n{template.body}", seat.shown)
    )


ORGANIZES = {
    "read": Act(
        "organizing/reading", reading_form, reading_facts, understood,
        room=lambda seat, desk, mail: 140 + 25 * len(told.offered(desk, mail.sender)) + forms.NOTE,
    ),
    "progress": Act(
        "organizing/progress",
        lambda seat, desk: form("ReportReply", summary=forms.said(forms.report(seat.limits))),
        lambda seat, desk: {**log_of(seat, desk, desk.mails), "words": seat.words(forms.report(seat.limits))},
        lambda seat, reply, desk: reply.summary,
        room=forms.REPORT + 20,
    ),
    "select": Act(
        SELECTION,
        lambda seat, desk, progress: forms.selection_form(desk.policies.ids),
        lambda seat, desk, progress: selection(
            seat, SUMMARY, desk.policies, f"Today is {in_words(desk.today)}.\n{progress}", True,
            desk.learnt(PLAN, ACTION),
        ),
        lambda seat, reply, desk, progress: selected(desk.policies, reply.policies),
        room=lambda seat, desk, progress: ROOM + 4 * len(desk.policies),
        unasked=lambda seat, desk, progress: None if len(desk.policies) else (),
    ),
    "plan": Act(
        "organizing/plan",
        lambda seat, *view: form(
            "PlanReply", plan=forms.said(seat.limits.text(forms.PLAN)), reason=forms.brief(forms.REASON, seat.limits)
        ),
        plan_facts,
        lambda seat, reply, *view: DayPlan(reply.plan, reply.reason),
        room=forms.PLAN + forms.REASON + 40,
    ),
    "act": Act(
        "organizing/actions",
        lambda seat, desk, plan, chosen, *wish: forms.actions_form(desk.state, tuple(chosen), seat.limits),
        action_facts,
        lambda seat, reply, desk, *view: forms.acted(desk.state, reply),
        room=lambda seat, desk, *view: 60 + (90 + forms.GOAL) * len(desk.state.contacts),
    ),
    "draft": Act(
        "organizing/mail",
        lambda seat, desk, action, *wish: forms.mail_form(  # a confirmation names its date
            action.slot if action.kind == CONFIRMATION else None, seat.limits
        ),
        mail_facts,
        lambda seat, reply, *view: Draft(reply.subject, reply.body),
        room=forms.SUBJECT + forms.BODY + 40,
    ),
    "describe": Act(
        "organizing/change",
        lambda seat, desk, edit: form("ChangeReply", sentence=text(seat.limits.text(forms.SENTENCE), 0)),
        lambda seat, desk, edit: {
            "what": edit.what,
            "about": edit.about,
            "before": told.quoted(edit.before, seat.shown, forms.FACT),
            "after": told.quoted(edit.after, seat.shown, forms.FACT),
            "style": edit.what == MAIL,  # if its facts alone were changed, nothing is to be learnt
            "today": told.dates([desk.today]),
        },
        lambda seat, reply, desk, edit: told.line(reply.sentence, seat.limits.text(forms.FACT)),
        room=forms.SENTENCE + 20,
    ),
    "close": Act(
        "organizing/closing",
        lambda seat, desk: form("ClosingReply", summary=forms.brief(forms.CLOSING, seat.limits)),
        lambda seat, desk: {
            **log_of(seat, desk, [mail for mail in desk.mails if mail.day == desk.day]),
            "words": seat.words(seat.limits.text(forms.REASON)),
        },
        lambda seat, reply, desk: reply.summary,
        room=forms.CLOSING + 20,
    ),
}  # fmt: skip


def _text(what: str, least: int = 1) -> Any:
    return lambda seat, answer, *view: bounded(what, answer, least)


def _is(what: str, kind: type) -> Any:
    def check(seat: Any, answer: Any, *view: Any) -> Any:
        if not isinstance(answer, kind):
            raise InvalidInput(f"{what}: {answer!r} given; expected a {kind.__name__}")
        return answer

    return check


def _ids(seat: Any, answer: Any, desk: Desk, progress: str) -> tuple[str, ...]:
    if strangers := [name for name in answer if name not in desk.policies.ids]:
        raise InvalidInput(
            f"policy: {strangers[0]!r} given; expected some of {', '.join(desk.policies.ids)}"
        )
    return tuple(answer)


def _day(seat: Any, answer: Any, desk: Desk, *view: Any) -> tuple[Action, ...]:
    """A person's actions: mails, or none, that can be carried out together."""
    for action in answer:
        if why := refusal(desk.state, action):
            raise InvalidInput(why)
    forms.check_actions(desk.state, answer)
    return tuple(answer)


def _shown(about: str = "") -> Any:
    """The desk, with one more thing of the view, and whom it is about."""

    def shown(seat: Any, desk: Desk, item: Any = None, *view: Any) -> OnDesk:
        return OnDesk(desk, item, getattr(item, about) if about else "")

    return shown


ORGANIZER = Role(
    "organizer",
    acts=ORGANIZES,
    asks={
        "read": Ask(_is("read", Understood), _shown("sender")),
        "progress": Ask(_text("progress"), _shown()),
        "select": Ask(_ids, _shown(), unasked=ORGANIZES["select"].unasked),
        "plan": Ask(_is("plan", DayPlan), _shown()),
        "act": Ask(_day, _shown()),
        "draft": Ask(_is("draft", Draft), _shown("person")),
        "describe": Ask(_text("describe", 0), _shown("about")),
        "close": Ask(_text("close", 0), _shown()),
    },
    kinds={"rule-based": lambda me, rng, own: RuleBasedOrganizer(rng)},
)
