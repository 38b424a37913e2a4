"""Who sits where: members, interviewer, coordinator and evaluator, each a model, a person, a rule or an object.

The models do what appendix B of Papachristou, Yang and Hsu (2023) asks of the paper's model, with prompts of our own.
Where a form can hold a rule, the form does: a coordinator cannot drop the candidate, name a stranger, or propose a
start that is no slot.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Annotated, Any
from zoneinfo import ZoneInfo

import numpy as np
from pydantic import AfterValidator, Field

from support.errors import InvalidInput
from support.meetings.coordination import checked, checked_scores
from support.meetings.coordinators import (
    ATTENTION,
    RandomCoordinator,
    RuleBasedCoordinator,
)
from support.meetings.data import (
    COLLABORATOR,
    MANAGER,
    STEP,
    TEAMMATE,
    Database,
    Meeting,
    in_words,
    iso,
)
from support.meetings.evaluators import RuleBasedEvaluator
from support.meetings.hybrid import HybridCoordinator
from support.meetings.interviewer import RuleBasedInterviewer
from support.meetings.members import STYLES, RuleBasedMember
from support.meetings.records import ASSISTANT, Option, Score
from support.meetings.satisfaction import HIGHEST
from support.meetings.scenario import Brief, Chat, Intent, Remark, Scenario, Suggestion
from support.models.profiles import TIGHT
from support.seats import (
    Act,
    Ask,
    ModelSeat,
    Repeated,
    Role,
    Seats,
    Spoken,
    form,
    many,
    one_of,
)

RULES = "rule-based"

# What a tight model is given; others have more. Room for a reply is counted as one token for a character, since what a
# small model repeats takes as much; a longer limit costs nothing where the reply ends by itself.
TEXT, OPENING = (
    TIGHT.message,
    700,
)  # characters of a turn, and of a turn that lists the options
NOTE, NOTES = 120, 8  # characters of a restated preference, and how many
REASON, REASONS = 120, 4  # characters of a reason for an option, and how many
JUDGEMENTS = 2  # reasons for a score
STARTS = 60  # starts to choose from; with more slots, only every second, fourth, … is offered
SHOWN = 6  # starts that a complaint lists
MOST = 1000  # characters of a person's answer; language models that read it have small contexts


@dataclass(frozen=True)
class Public:
    """What facilitators know: the scenario without what is private, and the evaluator's lowest score."""

    scenario: Scenario
    lowest: int = 0

    @property
    def zones(self) -> Mapping[str, str]:
        """Each member's IANA time zone."""
        return self.scenario.zones


def words(most: int) -> Any:
    """A field of so many characters that is not blank."""
    return Annotated[
        str, Field(min_length=1, max_length=most), AfterValidator(_not_blank)
    ]


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError(f"{text!r} given; expected words")
    return " ".join(text.split())


# ---- what prompts say: facts turned into words and short times -------------------------------------------------------


def label(start: datetime) -> str:
    """A start as models read and write it, short."""
    return f"{start:%a} {start.day} {start:%b} {start:%H:%M}"


def invited(meeting: Meeting) -> dict[str, Any]:
    """What everybody who is invited may read: text, days in words, minutes."""
    days = dict.fromkeys(
        f"{slot:%A} {slot.day} {slot:%B %Y}" for slot in meeting.slots()
    )
    return {"organiser": meeting.organiser, "invitation": meeting.invitation, "days": list(days),
            "duration": meeting.duration}  # fmt: skip


def said(chat: Chat) -> list[str]:
    """The turns so far as lines; a turn stays on its line, whatever stands in it."""
    return [f"{turn.speaker}: {' '.join(turn.text.split())}" for turn in chat.turns]


def apart(meeting: Meeting, zone: str, lead: str = "whose clock is ") -> str:
    """How a member's clock differs from the organiser's on the meeting's first day, in words; "" where it does not."""
    start = meeting.slots()[0]
    there = start.astimezone(ZoneInfo(zone))
    hours = (
        there.replace(tzinfo=None) - start.replace(tzinfo=None)
    ).total_seconds() / 3600  # by clocks on the wall
    if not hours:
        return ""
    how = "ahead of" if hours > 0 else "behind"
    return f"{lead}{abs(hours):g} {'hour' if abs(hours) == 1 else 'hours'} {how} that of {meeting.organiser}"


def described(database: Database | None) -> dict[str, list[str]]:
    """Roles with responsibilities, and relations, as lines; nothing without a database."""
    people = [f"{p.name}: {p.role}; responsible for {', '.join(p.responsibilities)}" for p in database.profiles
              ] if database else []  # fmt: skip
    worded = {TEAMMATE: "{a} and {b} are teammates.", COLLABORATOR: "{a} often works with {b}.",
              MANAGER: "{a} reports to {b}."}  # fmt: skip
    seen: dict[Any, str] = {}
    for a, b, relation in database.relations if database else ():
        mutual = frozenset((a, b)) if relation == TEAMMATE else (a, b)
        seen.setdefault((relation, mutual), worded[relation].format(a=a, b=b))
    return {"people": people, "relations": list(seen.values())}


# ---- members ---------------------------------------------------------------------------------------------------------


def _persona(seat: ModelSeat, chat: Chat) -> dict[str, Any]:
    """The persona (appendix B.4) and the invitation; responsibilities are not told: one should not talk of them."""
    own, profile = seat.own, seat.own.profile
    elsewhere = apart(chat.meeting, profile.zone, "yours is ")
    return {"me": profile.name, "role": profile.role, "manager": profile.manager, "teammates": own.teammates,
            "collaborators": own.collaborators, "elsewhere": elsewhere, "preferences": own.text,
            "words": seat.words(seat.limits.message), **invited(chat.meeting)}  # fmt: skip


def _answer(seat: Any, answer: Any, chat: Chat) -> str:
    text = answer.strip() if isinstance(answer, str) else ""
    if not text:
        raise InvalidInput(
            f"answer: {answer!r} given; expected words: say what suits you, or why an option does not"
        )
    if len(text) > MOST:
        raise InvalidInput(
            f"answer: {len(text)} characters given; expected at most {MOST}, please shorten it"
        )
    return text


MEMBER = Role(
    "member",
    acts={
        "answer": Act(
            "coordination/member_turn",
            lambda seat, chat: form("TextReply", text=words(seat.limits.message)),
            lambda seat, chat: {"me": seat.own.profile.name, "said": said(chat)},
            lambda seat, reply, chat: reply.text,
            TEXT + 40,
            "coordination/member",
            _persona,
        )
    },
    asks={"answer": Ask(_answer)},
    kinds={style: partial(RuleBasedMember, style=style) for style in STYLES},
    mixture=tuple(STYLES),
)


# ---- facilitators ----------------------------------------------------------------------------------------------------


def _offered(seat: Any, chat: Chat) -> list[str]:
    lines = []
    for option in chat.options:
        best = " (the best so far)" if option.id == chat.candidate else ""
        why = f" Reasons: {'; '.join(option.reasons)}" if option.reasons else ""
        lines.append(f"{option.id}{best}: {_when(seat, chat, option)}.{why}")
    return lines


def _when(seat: Any, chat: Chat, option: Option) -> str:
    return in_words(
        datetime.fromisoformat(option.start).astimezone(
            ZoneInfo(seat.own.zones[chat.member])
        )
    )


def _lists(chat: Chat) -> bool:
    """Whether the next turn names the options."""
    return not chat.turns and bool(chat.options)


def _longest(seat: ModelSeat, chat: Chat) -> int:
    return seat.limits.text(OPENING) if _lists(chat) else seat.limits.message


def _remark_form(seat: ModelSeat, chat: Chat) -> Any:
    """The opening turn never ends the conversation."""
    text = words(_longest(seat, chat))
    return (
        form("RemarkReply", text=text, done=bool)
        if chat.turns
        else form("TextReply", text=text)
    )


def _intent_form(seat: ModelSeat, chat: Chat) -> Any:
    notes = many(words(seat.limits.text(NOTE)), seat.shown.most(NOTES), 0)
    ids = tuple(option.id for option in chat.options)
    agreed = {"agreed": one_of("option", ids, SHOWN) | None} if ids else {}
    return form("IntentReply", preferences=notes, **agreed)


def _intent(seat: Any, reply: Any, chat: Chat) -> Intent:
    return _noted(
        seat,
        ("\n".join(dict.fromkeys(reply.preferences)), getattr(reply, "agreed", None)),
        chat,
    )


def _remark(seat: Any, answer: Any, chat: Chat) -> Remark:
    """A person's turn; without words the conversation ends, once there was one."""
    if answer is None or not str(answer).strip():
        if not chat.turns:
            raise InvalidInput(
                "remark: no words given; expected the first question of the conversation"
            )
        return Remark("", done=True)
    return Remark(_answer(seat, str(answer), chat))


def _noted(seat: Any, answer: Any, chat: Chat) -> Intent:
    """Notes: a text, a preference a line, perhaps in a pair with the option agreed to, which is noted in its time."""
    text, agreed = answer if isinstance(answer, tuple) else (answer, None)
    if not isinstance(text, str) or agreed not in (None, *(o.id for o in chat.options)):
        ids = ", ".join(o.id for o in chat.options) or "none"
        raise InvalidInput(
            f"extract: {answer!r} given; expected notes, a line each, and the option agreed to ({ids})"
        )
    notes = tuple(line.strip() for line in text.splitlines() if line.strip())
    option = next((o for o in chat.options if o.id == agreed), None)
    return (
        Intent((*notes, f"Agrees to {_when(seat, chat, option)}"), agreed)
        if option
        else Intent(notes)
    )


def _nothing_said(seat: Any, chat: Chat) -> Intent | None:
    return Intent(()) if all(turn.speaker == ASSISTANT for turn in chat.turns) else None


INTERVIEWER = Role(
    "interviewer",
    acts={
        "remark": Act(
            "coordination/interview_turn",
            _remark_form,
            lambda seat, chat: {"member": chat.member, "said": said(chat)},
            lambda seat, reply, chat: Remark(reply.text, getattr(reply, "done", False)),
            lambda seat, chat: (OPENING if _lists(chat) else TEXT) + 40,
            "coordination/interview",
            lambda seat, chat: {
                "member": chat.member,
                "options": _offered(seat, chat),
                "words": seat.words(_longest(seat, chat)),
                **invited(chat.meeting),
            },
        ),
        "extract": Act(
            "coordination/extraction",
            _intent_form,
            lambda seat, chat: {
                "member": chat.member,
                "said": said(chat),
                "ids": [option.id for option in chat.options],
                "options": _offered(seat, chat),
            },
            _intent,
            60 + NOTE * NOTES,
            unasked=_nothing_said,
        ),
    },
    asks={"remark": Ask(_remark), "extract": Ask(_noted, unasked=_nothing_said)},
    kinds={RULES: lambda me, rng, own: RuleBasedInterviewer(own.zones)},
    speaker=Repeated,
)


def starts_for(brief: Brief, most: int = STARTS) -> dict[str, str]:
    """The starts that a model may choose from, by label: every slot, or a coarser grid and the options so far."""
    meeting, step = brief.meeting, STEP
    while len(meeting.slots(step)) > most:
        step *= 2
    so_far = [
        meeting.slot(option.start)
        for option in (*brief.previous, *filter(None, [brief.candidate]))
    ]
    return {
        label(moment): iso(moment) for moment in sorted({*meeting.slots(step), *so_far})
    }


def _choices(seat: ModelSeat, brief: Brief) -> tuple[str, ...]:
    """The labels of the starts, without the candidate's."""
    best = brief.candidate and label(datetime.fromisoformat(brief.candidate.start))
    return tuple(
        start for start in starts_for(brief, seat.shown.most(STARTS)) if start != best
    )


def _options_form(seat: ModelSeat, brief: Brief) -> Any:
    """One to K options, each with a start of its own; or whom the candidate suits, and K - 1 others at most."""
    members, starts = brief.meeting.members, _choices(seat, brief)
    claims = {"members": many(one_of("member", members, SHOWN), len(members), 0),
              "reasons": many(words(seat.limits.text(REASON)), REASONS, 0)}  # fmt: skip
    option = form("OptionReply", start=one_of("start", starts, SHOWN), **claims)
    if brief.candidate is None:
        return form(
            "OptionsReply",
            partial(_each_once, "options"),
            options=many(option, brief.k, 1),
        )
    kept, others = form("CandidateReply", **claims), many(option, brief.k - 1, 0)
    return form(
        "RevisionReply", partial(_each_once, "others"), candidate=kept, others=others
    )


def _each_once(field: str, reply: Any) -> None:
    """What a JSON schema cannot say: no two options begin at the same time."""
    starts = [option.start for option in getattr(reply, field)]
    if twice := next((start for start in starts if starts.count(start) > 1), None):
        raise ValueError(
            f"{field}: start {twice!r} given twice; expected another start for each option"
        )


def _briefed(seat: ModelSeat, brief: Brief) -> dict[str, Any]:
    meeting, best = brief.meeting, brief.candidate
    seat.shown.left(
        len(starts_for(brief, seat.shown.most(STARTS))),
        len(meeting.slots()),
        "possible starts",
    )
    wishes = [{"name": name, "wishes": intent.preferences, "clock": apart(meeting, seat.own.zones[name])}
              for name, intent in brief.intents.items()]  # fmt: skip
    asked = {
        "k": brief.k,
        "others": brief.k - 1,
        "needed": min(2, len(meeting.members)),
        "most": REASONS,
    }
    given = {"organiser": meeting.organiser, "invitation": meeting.invitation, "duration": meeting.duration,
             "required": meeting.required, "members": wishes, "names": meeting.members,
             "satisfied": brief.satisfied}  # fmt: skip
    candidate = label(meeting.slot(best.start)) if best else ""
    return {
        **given,
        **asked,
        **described(brief.database),
        "starts": _choices(seat, brief),
        "candidate": candidate,
    }


def _suggestions(seat: ModelSeat, reply: Any, brief: Brief) -> list[Suggestion]:
    """For whom an option works and why is the model's claim; the candidate comes first."""
    starts = starts_for(brief, seat.shown.most(STARTS))
    found = [
        (starts[option.start], option)
        for option in getattr(reply, "options", getattr(reply, "others", ()))
    ]
    if brief.candidate is not None:
        found.insert(0, (brief.candidate.start, reply.candidate))
    return [
        Suggestion(
            start, tuple(dict.fromkeys(o.members)), tuple(dict.fromkeys(o.reasons))
        )
        for start, o in found
    ]


def _placed(seat: Any, answer: Any, brief: Brief) -> list[Suggestion]:
    """A person's options: Suggestions, or (start, members, reasons), of which members and reasons may be left out."""
    made = [
        s
        if isinstance(s, Suggestion)
        else Suggestion(*([s] if isinstance(s, str) else s))
        for s in answer or ()
    ]
    if not made:
        raise InvalidInput(
            f"propose: {answer!r} given; expected 1 to {brief.k} options, each with its start"
        )
    checked(made, brief, {})
    return made


COORDINATOR = Role(
    "coordinator",
    acts={
        "propose": Act(
            "coordination/coordination",
            _options_form,
            _briefed,
            _suggestions,
            lambda seat, brief: (
                60 + brief.k * (40 + 10 * len(brief.meeting.members) + REASON * REASONS)
            ),
        )
    },
    asks={"propose": Ask(_placed)},
    kinds={
        "exhaustive": lambda me, rng, own: RuleBasedCoordinator(rng, own.zones),
        "satisficing": lambda me, rng, own: RuleBasedCoordinator(
            rng, own.zones, ATTENTION
        ),
        "random": lambda me, rng, own: RandomCoordinator(rng),
        "hybrid": lambda me, rng, own: HybridCoordinator(own.scenario),
    },
    speaker=Repeated,
)


class ModelEvaluator(Repeated):
    """Scores each option for each member on what was extracted (appendix B.3), one call for each option."""

    async def score(
        self,
        meeting: Meeting,
        options: Sequence[Option],
        intents: Mapping[str, Intent],
        round: int,
    ) -> list[Score]:
        """One score for each option and member; a member of whom nothing is known is at the lowest, unasked."""
        known = [
            name
            for name in meeting.members
            if name in intents and intents[name].preferences
        ]
        judged = [
            self.do("judge", meeting, option, intents, known) for option in options
        ]
        return [score for scores in await asyncio.gather(*judged) for score in scores]


def _scores_form(
    seat: ModelSeat,
    meeting: Meeting,
    option: Option,
    intents: Any,
    known: Sequence[str],
) -> Any:
    """One entry for each member, by name: {"reasons", "score"}, the score from the lowest to 3."""
    reasons = many(words(seat.limits.text(REASON)), JUDGEMENTS, 0)
    judged = form(
        "Judged", reasons=reasons, score=(int, Field(ge=seat.own.lowest, le=HIGHEST))
    )
    entries: dict[str, Any] = {
        f"member_{i}": (judged, Field(alias=name)) for i, name in enumerate(known)
    }
    return form("ScoresReply", **entries)


def _judged(
    seat: ModelSeat,
    meeting: Meeting,
    option: Option,
    intents: Mapping[str, Intent],
    known: Sequence[str],
) -> dict[str, Any]:
    start, members = meeting.slot(option.start), []
    for name in known:
        there = start.astimezone(ZoneInfo(seat.own.zones[name]))
        clock = label(there) if there.utcoffset() != start.utcoffset() else ""
        members.append(
            {"name": name, "wishes": intents[name].preferences, "clock": clock}
        )
    return {
        "option": label(start),
        "duration": meeting.duration,
        "lowest": seat.own.lowest,
        "members": members,
    }


def _scores(
    seat: ModelSeat,
    reply: Any,
    meeting: Meeting,
    option: Option,
    intents: Any,
    known: Sequence[str],
) -> list[Score]:
    made = []
    for name in meeting.members:
        entry = getattr(reply, f"member_{known.index(name)}") if name in known else None
        value, reasons = (
            (entry.score, entry.reasons)
            if entry
            else (seat.own.lowest, ["no preference is known"])
        )
        made.append(Score(option.id, name, value, tuple(reasons)))
    return made


def _given_scores(
    seat: Any, answer: Any, meeting: Meeting, options: Any, intents: Any, round: int
) -> list[Score]:
    """A person's scores: {option: {member: 0 to 3}}."""
    try:
        made = [
            Score(option, member, value)
            for option, row in answer.items()
            for member, value in row.items()
        ]
    except AttributeError:
        raise InvalidInput(
            f"score: {answer!r} given; expected a score for each option and member"
        ) from None
    return list(checked_scores(made, options, meeting.members))


EVALUATOR = Role(
    "evaluator",
    acts={
        "judge": Act(
            "coordination/evaluation",
            _scores_form,
            _judged,
            _scores,
            lambda seat, meeting, option, intents, known: (
                40 + (30 + REASON * JUDGEMENTS) * len(known)
            ),
            unasked=lambda seat, *view: (
                None if view[-1] else _scores(seat, None, *view)
            ),
        )
    },
    asks={"score": Ask(_given_scores, lambda seat, *view: view)},
    kinds={RULES: lambda me, rng, own: RuleBasedEvaluator(own.zones, own.lowest)},
    asked=("score",),
    speaker=ModelEvaluator,
)


def seat_everybody(
    scenario: Scenario,
    rng: np.random.Generator,
    seats: Seats = "mixed",
    interviewer: Any = RULES,
    coordinator: Any = "satisficing",
    evaluator: Any = RULES,
    lowest: int = 0,
    paraphrase: int = 0,
    spoken: Spoken | None = None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The members by name, and the facilitators by role.

    `seats` is a kind for all members, one for each in order, or {member: kind}; a kind is a style of `STYLES`, "mixed",
    "human", "model:NAME" or a participant of your own. Each member is given its own private preferences and no one
    else's, as text `paraphrase` (0 to 2) where a model plays it. `coordinator` is a kind of `COORDINATOR.kinds`,
    interviewer and evaluator are "rule-based", or each of them what a member may be. `lowest` is the lowest score: 0 by
    equation (5), 1 as in the paper's evaluator prompt.
    """
    if lowest not in (0, 1):
        raise InvalidInput(
            f"lowest: {lowest!r} given; expected 0, by equation (5), or 1, as in the paper's prompt"
        )
    who, drawn = rng.spawn(2)
    people = MEMBER.fill(
        scenario.members,
        seats,
        who,
        lambda name: scenario.persona(name, paraphrase),
        spoken,
    )
    own, kinds = Public(scenario.public, lowest), (interviewer, coordinator, evaluator)
    streams = (
        *drawn.spawn(1),
        drawn,
        *drawn.spawn(1),
    )  # the coordinator alone draws from the stream it always had
    roles = zip((INTERVIEWER, COORDINATOR, EVALUATOR), kinds, streams, strict=True)
    return people, {
        role.name: role.seat(kind, stream, own, spoken) for role, kind, stream in roles
    }
