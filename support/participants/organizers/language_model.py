"""An organiser that a language model speaks for, with prompts of our own for each step of a day.

They ask what appendix C of 002 asks of the paper's models; what a form can hold, the form holds: nobody is written to
who is not on the list, no date is given away that is taken, no policy is named that is not there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from support.environments.seminar.artefacts import Template
from support.environments.seminar.state import Contact
from support.environments.seminar.views import DayPlan, Desk, Draft
from support.environments.seminar.workdays import in_words, passed
from support.errors import InvalidInput
from support.participants.asking import Asker, words
from support.participants.organizers import forms, selectors, told
from support.prompts import render
from support.records.organizing import (
    ACTION,
    CLARIFICATION,
    CONFIRMATION,
    FOLLOW_UP,
    INVITATION,
    MAIL,
    PLAN,
    SENT,
    Action,
    Edit,
    Mail,
    Understood,
)
from support.seats import Shown

ASKING = (INVITATION, FOLLOW_UP, CLARIFICATION)
"""Kinds of mail that may ask for dates, and are told which are open."""

FACT = 600  # characters of what was changed, before and after


class LanguageModelOrganizer(Asker):
    """Reads, sums up, selects, plans, writes; every step is one call.

    Parameters
    ----------
    model : ChatModel or str
    **settings
        See `Asker`.

    Each method raises MalformedReply where the reply does not fit its form, and again after two repairs.
    """

    async def read(self, desk: Desk, mail: Mail) -> Understood:
        """What a reply says about dates, of those that its writer was offered.

        An offered date that the model lists among those never offered is left out there: what it says of that date
        stands with the offered ones. Small models copy dates so; asking again did not help the embedded one.
        """
        offered = told.offered(desk, mail.sender)
        slots = tuple(slot.isoformat() for slot in offered)
        own = desk.state.dates_of(mail.sender)
        form = forms.reading_form(slots, desk.today.isoformat(), tuple(slot.isoformat() for slot in own), self.limits)
        earlier = [m for m in desk.thread(mail.sender) if m.id != mail.id]
        question = render(
            "organizing/reading",
            person=mail.sender,
            today=told.dates([desk.today]),
            offered=told.dates(offered),
            has=told.dates(own),
            earlier=told.mails(earlier, self.shown),
            mail=told.mails([mail], self.shown)[0],
            slots=slots,
        )
        reply = await self.ask_model(form, 140 + 25 * len(offered) + forms.NOTE, question)
        return _understood(mail, reply, slots, self.limits.text(forms.NOTE))

    async def progress(self, desk: Desk) -> str:
        """Who was reached when, which dates are filled and open, who is pending."""
        most = words(self.limits, forms.report(self.limits))
        question = render("organizing/progress", **self._days(desk, desk.mails), words=most)
        return str((await self.ask_model(forms.report_form(self.limits), forms.REPORT + 20, question)).summary)

    def _days(self, desk: Desk, mails: Sequence[Mail]) -> dict[str, Any]:
        """Mails of the log and the state, for a prompt."""
        return {"mails": told.mails(mails, self.shown, told.LOG), **_state(desk, self.shown)}

    @property
    def _words(self) -> int:
        """Words of a text at most, as a model is told them."""
        return words(self.limits, self.limits.text(forms.REASON))

    async def select(self, desk: Desk, progress: str) -> tuple[str, ...]:
        """Ids of the policies that apply today; nothing is asked where there are none."""
        if not len(desk.policies):
            return ()
        learnt = desk.learnt(PLAN, ACTION)
        question = selectors.selection_question(
            selectors.SUMMARY, desk.policies, _dated(desk, progress), self.shown, listed=True, learnt=learnt
        )
        form = selectors.selection_form(selectors.names(desk.policies))
        reply = await self.ask_model(form, selectors.ROOM + 4 * len(desk.policies), question)
        return selectors.selected(desk.policies, reply.policies).ids

    async def plan(self, desk: Desk, progress: str, selected: tuple[str, ...], wish: str = "") -> DayPlan:
        """What to do today, and why, in about forty words."""
        question = render(
            "organizing/plan",
            progress=told.quoted(progress, self.shown, forms.REPORT),
            policies=_texts(desk, selected),
            lessons=_lessons(self.shown, desk, wish, PLAN, ACTION),
            time=_time(desk),
            words=self._words,
        )
        reply = await self.ask_model(forms.plan_form(self.limits), forms.PLAN + forms.REASON + 40, question)
        return DayPlan(reply.plan, reply.reason)

    async def act(self, desk: Desk, plan: DayPlan, selected: tuple[str, ...], wish: str = "") -> tuple[Action, ...]:
        """The plan as actions, at most one for a person."""
        question = render(
            "organizing/actions",
            plan=told.line(plan.text, forms.PLAN, self.shown),
            policies=[f"{name}: {desk.policies[name].text}" for name in selected],
            lessons=_lessons(self.shown, desk, wish, PLAN, ACTION),
            **_state(desk, self.shown),
        )
        room = 60 + (90 + forms.GOAL) * len(desk.state.contacts)
        reply = await self.ask_model(forms.actions_form(desk.state, tuple(selected), self.limits), room, question)
        return forms.made(reply.actions)

    async def draft(self, desk: Desk, action: Action, wish: str = "") -> Draft:
        """The mail of an action that is not to wait; a confirmation names its date.

        Raises
        ------
        InvalidInput
            On somebody who is not on the list, a kind of action that is no mail, or a date off the programme.
        """
        _check(desk, action)
        question = render(
            "organizing/mail",
            person=action.person,
            role=_contact(desk, action.person).role,
            kind=action.kind.replace("_", " "),
            goal=told.line(action.goal, forms.GOAL, self.shown),
            slot=in_words(told.day_of(action.slot)) if action.slot else "",
            dates=[in_words(s) for s in desk.state.open if s > desk.today] if action.kind in ASKING else [],
            scenario=desk.scenario,
            template=_template(desk.templates.get(action.kind), self.shown),
            past=_past(desk, action, self.shown),
            earlier=told.mails(desk.thread(action.person), self.shown),
            lessons=_lessons(self.shown, desk, wish, MAIL),
            time=_time(desk),
            words=words(self.limits, self.limits.text(forms.BODY)),
        )
        slot = action.slot if action.kind == CONFIRMATION else None
        reply = await self.ask_model(forms.mail_form(slot, self.limits), forms.SUBJECT + forms.BODY + 40, question)
        return Draft(reply.subject, reply.body)

    async def describe(self, desk: Desk, edit: Edit) -> str:
        """One sentence on a change; "" for a mail of which only facts were changed, not its manner."""
        question = render(
            "organizing/change",
            what=edit.what,
            about=edit.about,
            before=told.quoted(edit.before, self.shown, FACT),
            after=told.quoted(edit.after, self.shown, FACT),
            style=edit.what == MAIL,
            today=told.dates([desk.today]),
        )
        reply = await self.ask_model(forms.change_form(self.limits), forms.SENTENCE + 20, question)
        return told.line(reply.sentence, self.limits.text(FACT))

    async def close(self, desk: Desk) -> str:
        """The day in about forty words."""
        mails = [mail for mail in desk.mails if mail.day == desk.day]
        question = render("organizing/closing", **self._days(desk, mails), words=self._words)
        return str((await self.ask_model(forms.closing_form(self.limits), forms.CLOSING + 20, question)).summary)


def _check(desk: Desk, action: Action) -> None:
    _contact(desk, action.person)
    slots = [slot.isoformat() for slot in desk.state.slots]
    if action.kind not in SENT:
        raise InvalidInput(f"action: kind {action.kind!r} given; expected one of {', '.join(SENT)}")
    if action.slot not in (slots if action.kind == CONFIRMATION else [None, *slots]):
        raise InvalidInput(f"action: slot {action.slot!r} given; expected one of {', '.join(slots)}")


def _contact(desk: Desk, person: str) -> Contact:
    if person not in desk.state.contacts:
        raise InvalidInput(f"person: {person!r} given; expected one of {', '.join(desk.state.contacts)}")
    return desk.state.contacts[person]


def _understood(mail: Mail, reply: Any, offered: tuple[str, ...], most: int) -> Understood:
    return Understood(
        mail.id,
        mail.sender,
        never_offered=tuple(sorted({*reply.never_offered}.difference(offered))),
        declined=reply.declined,
        wait_until=reply.wait_until,
        note=told.line(reply.note, most),
        **forms.sorted_out(reply, offered),
    )


def _state(desk: Desk, shown: Shown) -> dict[str, Any]:
    """Programme, people and dates, for a prompt."""
    return {
        "goal": told.line(desk.scenario.goal, FACT, shown),
        "people": [told.person_line(desk.state, contact, shown) for contact in desk.state.contacts.values()],
        "slots": told.slot_lines(desk.state),
        "time": _time(desk),
    }


def _time(desk: Desk) -> str:
    left = passed(desk.today, desk.scenario.deadline) if desk.today < desk.scenario.deadline else 0
    today, deadline = told.dates([desk.today]), told.dates([desk.scenario.deadline])
    return render("organizing/time", today=today, deadline=deadline, left=left)


def _lessons(shown: Shown, desk: Desk, wish: str, *kinds: str) -> str:
    """What the person at the desk decided, earlier and today, changed before, and wants to have otherwise now."""
    learnt: Sequence[str] = [told.line(lesson, forms.SENTENCE, shown) for lesson in desk.learnt(*kinds)]
    return render(
        "organizing/lessons",
        learnt=shown.last(learnt, told.LEARNT, "lessons"),
        decided=shown.last(told.decisions((*desk.hooks, *desk.answers), shown), told.LEARNT, "decisions"),
        wish=told.line(wish, FACT, shown),
    )


def _dated(desk: Desk, progress: str) -> str:
    return f"Today is {in_words(desk.today)}.\n{progress}"


def _texts(desk: Desk, selected: Sequence[str]) -> list[str]:
    return [desk.policies[name].text for name in selected]


def _template(template: Template | None, shown: Shown) -> str:
    return "" if template is None else told.quoted(f"{template.subject}\n{template.body}", shown)


def _past(desk: Desk, action: Action, shown: Shown) -> list[str]:
    """Up to two of the organiser's own mails, those to somebody of the same role first, then those of the kind."""
    role = _contact(desk, action.person).role
    near = sorted(desk.past, key=lambda mail: (mail.to_role != role, mail.kind != action.kind))
    return [f"To a {mail.to_role or 'speaker'}:\n{_template(mail, shown)}" for mail in near[:2]]
