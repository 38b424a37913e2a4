"""People who are invited to speak: rule-based, played by a language model, or persons; one coroutine for all of them.

    speaker     answer(letter) -> Response: a reply, a question, or nothing until a day (None: for good)

A speaker serves one run and may remember what was said; the mechanism asks again on the day that a response names, with
the same thread or a longer one.

When a rule-based one answers is decided here, what they answer in `replies`. What is true of them, what they forget and
how they word it are drawn from streams of their own, so that two organisers who meet the same people (the same seed)
meet the same calendars, and the same mails are forgotten.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from datetime import date
from functools import cache, partial
from typing import Any, Literal

import numpy as np

from support.errors import InvalidInput
from support.seats import Act, Ask, ModelSeat, Role, Seats, Spoken, form, text
from support.seminar import told
from support.seminar.data import Persona, Scenario, later
from support.seminar.reading import named
from support.seminar.records import CLARIFICATION, CONFIRMATION, ORGANISER, THANKS, Mail
from support.seminar.replies import HEARD, NO, PERHAPS, Pen, Said, Truth
from support.seminar.reviewing import bounded
from support.seminar.views import ANSWER, ASK, LATER, RESPONSES, Letter, Response
from support.seminar.wordings import Voice, in_days

HOLDS = 0.25  # share of people who need three working days or more and send a note in between


class RuleBasedSpeaker:
    """Somebody who was invited; `truth` is which dates suit, and `said` what was replied so far."""

    def __init__(
        self, persona: Persona, scenario: Scenario, rng: np.random.Generator, kind: str
    ) -> None:
        self.persona, self.kind = persona, kind
        facts, self._memory, words = rng.spawn(3)
        self.truth = Truth(persona, scenario.slots, facts)
        self.said: list[Said] = []
        self._voice = Voice(persona, scenario.organiser, words)
        self._pen = Pen(self.truth, self._voice)
        self._seen: set[int] = set()
        self._unanswered = 0
        self._due: int | None = None
        self._back: tuple[int, date] | None = None
        self._holds = self._memory.random() < HOLDS and persona.days > 2

    async def answer(self, letter: Letter) -> Response:
        """What they do about the latest mail; a reply may name a day too, to send what they promised, or to cancel."""
        self._receive(letter)
        if self._back and letter.day >= self._back[0]:
            slot, self._back = self._back[1], None
            if slot in letter.given:
                self._due = None
                return self._sent(
                    letter, self._pen.lost("cancel", "cancel", slot, letter.offered)
                )
        mail = letter.latest
        if self._due is None or mail is None:
            return Response(LATER, until=self._next)
        if letter.day < self._due:
            return (
                self._hold(letter, self._due)
                if self._holds
                else Response(LATER, until=self._next)
            )
        said = self._reply(letter, mail)
        self._due, self._unanswered, self._holds = None, 0, False
        return self._sent(letter, said)

    @property
    def _next(self) -> int | None:
        return min(
            (
                day
                for day in (self._due, self._back and self._back[0])
                if day is not None
            ),
            default=None,
        )

    def _receive(self, letter: Letter) -> None:
        """Take in the mails that are new: forgotten, not enough yet, or to be answered on a day."""
        for mail in letter.thread:
            if mail.sender != ORGANISER or mail.id in self._seen:
                continue
            self._seen.add(mail.id)
            forgotten = self._memory.random() < self.persona.forgets
            if mail.kind == THANKS:
                continue
            self._unanswered += 1
            if mail.kind == CONFIRMATION:
                self._plan_cancellation(letter, _slot(mail, letter))
            if (
                not forgotten
                and self._due is None
                and (self.said or self._unanswered >= self.persona.needs)
            ):
                self._due = _in(self.persona.days, letter)

    def _plan_cancellation(self, letter: Letter, slot: date | None) -> None:
        """Once, some working days after a confirmation and before the date itself."""
        after, self.truth.cancels_after = self.truth.cancels_after, None
        if slot is None or after is None or self.truth.mood(slot) == NO:
            return
        day = _in(after + self.persona.days, letter)
        if letter.day + (slot - letter.today).days > day:
            self._back = day, slot

    def _hold(self, letter: Letter, due: int) -> Response:
        """A note that the answer takes its time, with how long."""
        self._holds = False
        away = self._voice.chance(0.5)
        sentence = self._voice.say(
            "away" if away else "promise", wait=in_days(due - letter.day)
        )
        return self._sent(letter, Said("hold", [sentence]), bare=away)

    def _reply(self, letter: Letter, mail: Mail) -> Said:
        offered = tuple(map(date.fromisoformat, mail.slots)) or letter.offered
        slot = _slot(mail, letter)
        if mail.kind == CONFIRMATION and slot is not None:
            said = self._pen.given(slot, letter.offered)
            self._back = None if said.act == "refuse" else self._back
            return said
        if mail.kind in (CLARIFICATION, CONFIRMATION, THANKS):
            return self._clarified(mail, letter)
        if letter.given:  # they are asked for dates once more
            return Said(
                "noted",
                [self._voice.about("already", letter.given, letter.offered)],
                letter.given,
            )
        if self._pen.named:
            return self._pen.more(
                offered, offered, warm=bool(HEARD["warm"].search(mail.body.casefold()))
            )
        return self._pen.offer(offered, late=self._unanswered > 1)

    def _clarified(self, mail: Mail, letter: Letter) -> Said:
        """Answers everything that is asked: about the issue, about vague dates, about further ones."""
        asked = " ".join(
            f"{mail.subject} {mail.body}".casefold().replace("’", "'").split()
        )
        parts = [part for part in (self._pen.answered(asked),) if part]
        if parts and parts[0].act == "withdraw":
            self._back = None
            return parts[0]
        about = tuple(map(date.fromisoformat, mail.slots)) or named(
            asked, letter.offered
        )
        more, sure, warm = (
            bool(HEARD[how].search(asked)) for how in ("more", "sure", "warm")
        )
        if not self._pen.named and about:
            return _together([*parts, self._pen.offer(about, late=False)])
        vague = [day for day in self._pen.named if self.truth.mood(day) == PERHAPS]
        unsure = [day for day in about if day in vague] or (
            vague if sure and not about else []
        )
        if unsure and (sure or not more):
            parts.append(self._pen.settle(unsure, letter.offered))
        if more:
            parts.append(
                self._pen.more(about or letter.offered, letter.offered, warm=warm)
            )
        elif about and not unsure and not parts:
            parts.append(self._pen.settle(about, letter.offered))
        return _together(parts) if parts else Said("noted", [self._voice.say("noted")])

    def _sent(self, letter: Letter, said: Said, *, bare: bool = False) -> Response:
        if said.act != "hold":
            self.said.append(said)
        subject = letter.latest.subject if letter.latest else letter.organiser
        subject = subject if subject.lower().startswith("re:") else f"Re: {subject}"
        body = " ".join(said.sentences) if bare else self._voice.letter(said.sentences)
        return Response(
            ASK if said.asks else ANSWER,
            subject,
            body,
            self._next,
            tuple(sorted(said.named)),
        )


def _together(parts: list[Said]) -> Said:
    sentences = [sentence for part in parts for sentence in part.sentences]
    return Said(
        parts[-1].act,
        sentences,
        {d for part in parts for d in part.named},
        any(part.asks for part in parts),
    )


def _slot(mail: Mail, letter: Letter) -> date | None:
    if mail.slots:
        return date.fromisoformat(mail.slots[0])
    return letter.given[-1] if letter.given else None


def _in(working_days: int, letter: Letter) -> int:
    """The day of the run that is so many working days ahead."""
    return letter.day + (later(letter.today, working_days) - letter.today).days


# ---- a language model ------------------------------------------------------------------------------------------------

SUBJECT, BODY = 100, 900  # characters of a tight model's reply
FURTHEST = 60  # days ahead to which somebody may put an answer off


@dataclass(frozen=True)
class Invited:
    """What somebody knows of themselves and the programme, and nobody else does."""

    persona: Persona
    scenario: Scenario
    suits: tuple[date, ...]


@cache
def response_form(day: int, most: int) -> Any:
    """{"action", "until", "subject", "body"}: who waits names a later day or null, who writes has something to say."""

    def fitting(reply: Any) -> None:
        if (
            reply.action == LATER
            and reply.until is not None
            and not day < reply.until <= day + FURTHEST
        ):
            raise ValueError(
                f"until: {reply.until} given; expected null or a day from {day + 1} to {day + FURTHEST}"
            )
        if reply.action != LATER and not (reply.subject.strip() and reply.body.strip()):
            raise ValueError(
                f"{reply.action}: no subject or no body given; expected both, or the action {LATER!r}"
            )

    action = Literal["reply", "ask", "wait"]
    return form(
        "SpeakerReply",
        fitting,
        action=action,
        until=int | None,
        subject=text(SUBJECT, 0),
        body=text(most, 0),
    )


def who_they_are(seat: ModelSeat, letter: Letter) -> dict[str, Any]:
    """How soon, how often and how vaguely somebody answers is told in words: nothing makes the model keep to it."""
    me = seat.own.persona
    first = {
        1: "The first mail is enough for you.",
        2: "The first mail drowns; you answer the second.",
    }
    usual = first.get(
        me.needs, f"It takes {me.needs} mails before you answer for the first time."
    )
    often = "Now and then" if me.vague < 0.35 else "Often"
    about = f"You answer a mail after about {me.days} working day{'' if me.days == 1 else 's'}, seldom before."
    sure = "You say clearly which dates suit you."
    told_as_it_is = (
        "role",
        "field",
        "affiliation",
        "description",
        "style",
        "constraints",
        "limit",
        "issue",
    )
    return {
        "me": me.name,
        "organiser": letter.organiser,
        "pace": about if me.days else "You answer on the day on which a mail comes.",
        "patience": f"{usual} Of ten mails you forget about {round(10 * me.forgets)} for good.",
        "certainty": sure
        if me.vague < 0.15
        else f"{often} you name a date vaguely, with a perhaps.",
        "share": f"{me.share:.0%}",
        "suits": told.dates(seat.own.suits),
        **{name: getattr(me, name) for name in told_as_it_is},
    }


def what_has_come(seat: ModelSeat, letter: Letter) -> dict[str, Any]:
    """The thread, the day and the dates."""
    return {
        "me": seat.own.persona.name,
        "day": letter.day,
        "today": told.dates([letter.today]),
        "organiser": letter.organiser,
        "received": sum(mail.sender == ORGANISER for mail in letter.thread),
        "offered": told.dates(letter.offered),
        "given": told.dates(letter.given),
        "thread": told.mails(letter.thread, seat.shown),
        "words": seat.words(seat.limits.text(BODY)),
    }


def response(seat: ModelSeat, reply: Any, letter: Letter) -> Response:
    """What a model does; what it means is in its text alone (`Response.meant` is empty)."""
    if reply.action == LATER:
        return Response(LATER, until=reply.until)
    return Response(reply.action, " ".join(reply.subject.split()), reply.body.strip())


# ---- a person ------------------------------------------------------------------------------------------------------


def checked_response(seat: Any, given: Any, letter: Letter) -> Response:
    """What a person typed: words, a `Response`, the day of the run on which to be asked again, or None for nothing."""
    if given is None:
        return Response(LATER)
    if isinstance(given, int) and not isinstance(given, bool):
        return Response(LATER, until=_ahead(letter, given))
    if isinstance(given, str):
        subject = letter.latest.subject if letter.latest else ""
        return Response(ANSWER, f"Re: {subject}".strip(), bounded("answer", given))
    if not isinstance(given, Response) or given.kind not in RESPONSES:
        raise InvalidInput(
            f"answer: {given!r} given; expected words, a day, a Response, or None for nothing"
        )
    until = None if given.until is None else _ahead(letter, given.until)
    return (
        given
        if given.kind == LATER
        else replace(given, body=bounded("answer", given.body), until=until)
    )


def _ahead(letter: Letter, until: int) -> int:
    if until <= letter.day:
        raise InvalidInput(
            f"answer: day {until} given; expected a day after today, which is day {letter.day}"
        )
    return until


# ---- who sits where --------------------------------------------------------------------------------------------------

RULE_BASED = "rule-based"
VARIATIONS: Mapping[str, Callable[[Persona], Persona]] = {
    RULE_BASED: lambda persona: persona,
    "prompt": lambda persona: replace(persona, days=0, needs=1, forgets=0.0),
    "slow": lambda persona: replace(
        persona, days=persona.days + 3, needs=max(persona.needs, 2)
    ),
    "vague": lambda persona: replace(persona, vague=max(persona.vague, 0.7)),
}
"""Rule-based people: as their personas say; at once and always; three working days later, reminded; mostly vague."""


def _rule_based(
    kind: str, name: str, rng: np.random.Generator, own: Invited
) -> RuleBasedSpeaker:
    label = kind if kind == RULE_BASED else f"{RULE_BASED} {kind}"
    return RuleBasedSpeaker(
        VARIATIONS[kind](own.persona), own.scenario, rng, kind=label
    )


SPEAKER = Role(
    "speaker",
    acts={
        "answer": Act(
            "organizing/speaker_turn",
            lambda seat, letter: response_form(letter.day, seat.limits.text(BODY)),
            what_has_come,
            response,
            room=SUBJECT + BODY + 60,
            briefing="organizing/speaker",
            told=who_they_are,
            unasked=lambda seat, letter: (
                Response(LATER) if letter.latest is None else None
            ),
        )
    },
    asks={"answer": Ask(checked_response)},
    kinds={kind: partial(_rule_based, kind) for kind in VARIATIONS},
    mixture=tuple(VARIATIONS),
)


def seat_speakers(
    scenario: Scenario,
    kinds: Seats,
    rng: np.random.Generator,
    spoken: Spoken | None = None,
) -> dict[str, Any]:
    """A participant for each of a scenario's people; what suits a model is drawn as for the others."""
    streams = dict(
        zip(scenario.by_name, deepcopy(rng).spawn(len(scenario.people)), strict=True)
    )

    def own(name: str) -> Invited:
        persona, facts = scenario.person(name), streams[name].spawn(1)[0]
        return Invited(
            persona,
            scenario,
            tuple(
                sorted(Truth(persona, scenario.slots, facts).suiting(scenario.slots))
            ),
        )

    return SPEAKER.fill(list(streams), kinds, rng, own, spoken)
