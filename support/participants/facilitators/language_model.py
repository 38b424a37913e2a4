"""Facilitators that a language model speaks for: interviewer, coordinator and evaluator, with prompts of our own.

They do what appendix B of Papachristou, Yang and Hsu (2023) asks of the paper's model. Where a form can hold a rule,
the form does: a coordinator cannot drop the candidate, name a stranger, or propose a start that is no slot.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from support.environments.meetings.meeting import Meeting, in_words, iso
from support.environments.meetings.views import Brief, Chat, Intent, Remark, Suggestion
from support.errors import InvalidInput
from support.participants.asking import Asker, words
from support.participants.facilitators.forms import (
    JUDGEMENTS,
    NOTE,
    NOTES,
    OPENING,
    REASON,
    REASONS,
    TEXT,
    intent_form,
    options_form,
    remark_form,
    revision_form,
    scores_form,
    text_form,
)
from support.participants.facilitators.told import (
    STARTS,
    described,
    difference,
    invitation,
    label,
    offered,
    on_clock,
    said,
)
from support.prompts import render
from support.records import Option, Score
from support.records.coordination import ASSISTANT

if TYPE_CHECKING:
    from support.models.model import ChatModel


class LanguageModelInterviewer(Asker):
    """Talks with one member at a time, and notes down what was said (appendix B.1).

    Parameters
    ----------
    model : ChatModel
    zones : mapping of name to IANA zone, optional
        Members' time zones, in which they are spoken to; by default the organiser's.
    **settings
        See `Asker`.
    """

    def __init__(self, model: ChatModel | str, zones: Mapping[str, str] | None = None, **settings: Any) -> None:
        super().__init__(model, **settings)
        self.zones = dict(zones or {})

    async def ask(self, chat: Chat) -> Remark:
        """What to say next; the opening turn never ends the conversation."""
        lists = not chat.turns and bool(chat.options)
        most, tight = (self.limits.text(OPENING), OPENING) if lists else (self.limits.message, TEXT)
        briefing = render(
            "coordination/interview",
            organiser=chat.meeting.organiser,
            member=chat.member,
            options=self._options(chat),
            words=words(self.limits, most),
            **invitation(chat.meeting),
        )
        question = render("coordination/interview_turn", member=chat.member, said=said(chat))
        if not chat.turns:
            return Remark((await self.ask_model(text_form(most), tight + 40, question, briefing)).text)
        reply = await self.ask_model(remark_form(most), tight + 40, question, briefing)
        return Remark(reply.text, reply.done)

    async def extract(self, chat: Chat) -> Intent:
        """What the member said, restated; who said nothing is not asked about.

        An option that the member agreed to becomes a note of its own, in the member's time.
        """
        if all(turn.speaker == ASSISTANT for turn in chat.turns):
            return Intent(())
        ids = tuple(option.id for option in chat.options)
        question = render(
            "coordination/extraction", member=chat.member, said=said(chat), ids=ids, options=self._options(chat)
        )
        form = intent_form(ids, self.limits.text(NOTE), self.shown.most(NOTES))
        reply = await self.ask_model(form, 60 + NOTE * NOTES, question)
        agreed = getattr(reply, "agreed", None)
        notes = tuple(dict.fromkeys(reply.preferences))
        return Intent((*notes, f"Agrees to {self._when(chat, agreed)}") if agreed else notes, agreed)

    def _when(self, chat: Chat, id: str) -> str:
        start = next(option.start for option in chat.options if option.id == id)
        return in_words(on_clock(datetime.fromisoformat(start), self.zones.get(chat.member)))

    def _options(self, chat: Chat) -> list[str]:
        lines = []
        for option in chat.options:
            best = " (the best so far)" if option.id == chat.candidate else ""
            why = f" Reasons: {'; '.join(option.reasons)}" if option.reasons else ""
            lines.append(f"{option.id}{best}: {self._when(chat, option.id)}.{why}")
        return lines


class LanguageModelCoordinator(Asker):
    """Proposes options from what was extracted (appendix B.2).

    The reply's form keeps the candidate first and lists each start once; for whom an option works and why is the
    model's claim. `zones` as for the interviewer: what members said is in their own time.
    """

    def __init__(self, model: ChatModel | str, zones: Mapping[str, str] | None = None, **settings: Any) -> None:
        super().__init__(model, **settings)
        self.zones = dict(zones or {})

    async def propose(self, brief: Brief) -> Sequence[Suggestion]:
        """At most K options; from round 2 on the candidate is the first of them.

        Raises
        ------
        InvalidInput
            When K is no whole number of at least 1.
        MalformedReply
            When the reply names a stranger or a start that is no slot, and does so again after two repairs.
        """
        if isinstance(brief.k, bool) or not isinstance(brief.k, int) or brief.k < 1:
            raise InvalidInput(f"K: {brief.k!r} given; expected a whole number of at least 1")
        moments = {label(moment): iso(moment) for moment in offered(brief, self.shown.most(STARTS))}
        members = tuple(brief.meeting.members)
        self.shown.left(len(moments), len(brief.meeting.slots()), "possible starts")
        question, most = self.question(brief, tuple(moments)), self.limits.text(REASON)
        room = 60 + brief.k * (40 + 10 * len(members) + REASON * REASONS)
        if brief.candidate is None:
            reply = await self.ask_model(options_form(members, tuple(moments), brief.k, most), room, question)
            return [_suggestion(option, moments[option.start]) for option in reply.options]
        form = revision_form(members, _without(moments, brief.candidate), brief.k - 1, most)
        reply = await self.ask_model(form, room, question)
        first = _suggestion(reply.candidate, brief.candidate.start)
        return [first, *(_suggestion(option, moments[option.start]) for option in reply.others)]

    def question(self, brief: Brief, starts: Sequence[str]) -> str:
        """What the model is asked, with the starts that it may choose from."""
        meeting, best = brief.meeting, brief.candidate
        people, relations = described(brief.database)
        return render(
            "coordination/coordination",
            organiser=meeting.organiser,
            invitation=meeting.invitation,
            duration=meeting.duration,
            required=meeting.required,
            members=[self._wishes(meeting, name, intent) for name, intent in brief.intents.items()],
            names=meeting.members,
            people=people,
            relations=relations,
            starts=_without(starts, best) if best else starts,
            candidate=label(meeting.slot(best.start)) if best else "",
            satisfied=brief.satisfied,
            k=brief.k,
            others=brief.k - 1,
            needed=min(2, len(meeting.members)),
            most=REASONS,
        )

    def _wishes(self, meeting: Meeting, name: str, intent: Intent) -> dict[str, Any]:
        return {"name": name, "wishes": intent.preferences, "clock": difference(meeting, self.zones.get(name))}


class LanguageModelEvaluator(Asker):
    """Scores each option for each member on what was extracted (appendix B.3), one call for each option.

    Parameters
    ----------
    model, zones, **settings
        As for the coordinator.
    lowest : {0, 1}
        0 is equation (5); 1 is the scale of the paper's own prompt, under which nobody is ever unsatisfied.

    Raises
    ------
    InvalidInput
        On another `lowest`.
    """

    def __init__(
        self, model: ChatModel | str, zones: Mapping[str, str] | None = None, *, lowest: int = 0, **settings: Any
    ) -> None:
        super().__init__(model, **settings)
        if isinstance(lowest, bool) or lowest not in (0, 1):
            raise InvalidInput(f"lowest: {lowest!r} given; expected 0, or 1 for the scale of the paper's prompt")
        self.zones, self.lowest = dict(zones or {}), lowest

    async def score(
        self, meeting: Meeting, options: Sequence[Option], intents: Mapping[str, Intent], round: int
    ) -> Sequence[Score]:
        """One score for each option and member; a member of whom nothing is known is at the lowest, unasked."""
        found = await asyncio.gather(*(self._judge(meeting, option, intents) for option in options))
        return [score for scores in found for score in scores]

    async def _judge(self, meeting: Meeting, option: Option, intents: Mapping[str, Intent]) -> list[Score]:
        known = tuple(name for name in meeting.members if name in intents and intents[name].preferences)
        judged: dict[str, Score] = {}
        if known:
            reply = await self.ask_model(
                scores_form(known, self.lowest, self.limits.text(REASON)),
                40 + (30 + REASON * JUDGEMENTS) * len(known),
                self.question(meeting, option, intents, known),
            )
            entries = (getattr(reply, f"member_{i}") for i in range(len(known)))
            judged = {
                name: Score(option.id, name, entry.score, tuple(entry.reasons))
                for name, entry in zip(known, entries, strict=True)
            }
        unknown = ("no preference is known",)
        return [judged.get(name, Score(option.id, name, self.lowest, unknown)) for name in meeting.members]

    def question(self, meeting: Meeting, option: Option, intents: Mapping[str, Intent], members: Sequence[str]) -> str:
        """What the model is asked about one option and those members of whom something is known."""
        start = meeting.slot(option.start)
        there = {name: on_clock(start, self.zones.get(name)) for name in members}
        return render(
            "coordination/evaluation",
            option=label(start),
            duration=meeting.duration,
            lowest=self.lowest,
            members=[
                {
                    "name": name,
                    "wishes": intents[name].preferences,
                    "clock": label(there[name]) if there[name].utcoffset() != start.utcoffset() else "",
                }
                for name in members
            ],
        )


def _without(starts: Mapping[str, str] | Sequence[str], candidate: Option) -> tuple[str, ...]:
    taken = label(datetime.fromisoformat(candidate.start))
    return tuple(start for start in starts if start != taken)


def _suggestion(claimed: Any, start: str) -> Suggestion:
    return Suggestion(start, tuple(dict.fromkeys(claimed.members)), tuple(dict.fromkeys(claimed.reasons)))
