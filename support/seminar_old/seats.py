"""Who takes part in organising a seminar, as tables: organiser, detector, reviewer, and who answers about the mails.

Prompts ask what appendix C of 002 asks of the paper's models; what a form can hold, the form holds.

    organizer   read(desk, mail) -> Understood · progress(desk) -> str · select(desk, progress) -> ids of policies
                plan(desk, progress, selected, wish) -> DayPlan · act(desk, plan, selected, wish) -> Actions
                draft(desk, action, wish) -> Draft · describe(desk, edit) -> str · close(desk) -> str
    detector    check(reply, policies, context) -> Verdict
    reviewer    review(desk, what, item, about) -> Review · decide(desk, flag) -> str
    answerer    answer(question, desk) -> Told

Every step of a day is one coroutine, so that a person can look at each before the next; `wish` is what the person at
the desk says when something is to be made again.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import numpy as np

from support.errors import InvalidInput
from support.models.profiles import MODEL
from support.seats import Act, Ask, ModelSeat, Repeated, Role, Spoken, form, text
from support.seminar import forms, told
from support.seminar.answering import RetrievalAnswerer, Told, asked_about
from support.seminar.detectors import LexicalDetector, NoDetector, asking
from support.seminar.organizer_seat import lessons, state_of
from support.seminar.records import Flag
from support.seminar.reviewing import (
    FLAG,
    Automatic,
    OnDesk,
    bounded,
    checked_review,
    in_text,
)
from support.seminar.rules import PolicySet
from support.seminar.views import AGAIN, Desk, Review, Verdict

ORGANIZERS = {
    "rule-based": "follows the policies literally, and writes by templates",
    MODEL: "a language model",
}
DETECTORS = {
    "lexical": "rule-based: flags wishes and conditions on a dozen topics by their words",
    "none": "a floor: lets every reply pass",
    MODEL: "a language model",
}
REVIEWERS = {
    "automatic": "approves all and decides nothing",
    "human": "a person, who answers a queue of questions",
}
"""What a menu offers, and what each name stands for."""

# ---- the detector ----------------------------------------------------------------------------------------------------

# settings of section 4.2: asked without examples or explanations; with five examples; with those and the policies
SHOTS = ZERO, FEW, POLICIES = "zero", "few", "few with policies"

TEMPERATURE = 0.7  # that of section 4.2.1
REPLY, CONTEXT = (
    2000,
    1500,
)  # a tight model's characters of a reply, and of what is known, its first line alone


def checking(shots: str) -> Act:
    """Is a reply covered by the policies, or has somebody to decide?

    Its five examples are of the kinds of the paper's, in our words. The project's suite has these kinds too, as the
    paper's may: what is found on them is found on kinds that were shown. With "zero" the model is shown the reply alone
    and gives no question, so that the flag quotes the reply.
    """

    def facts(
        seat: ModelSeat, reply: str, policies: PolicySet, context: str = ""
    ) -> dict[str, Any]:
        mail = told.quoted(reply, seat.shown, REPLY)
        if shots == ZERO:
            return {"reply": mail}
        listed = [policy.text for policy in policies] if shots == POLICIES else []
        known = told.quoted(
            context.partition("\n")[0] if seat.limits.tight else context,
            seat.shown,
            CONTEXT,
        )
        return {
            "reply": mail,
            "context": known,
            "policies": listed,
            "words": forms.ASKED,
        }

    def made(seat: ModelSeat, answer: Any, reply: str, *view: Any) -> Verdict:
        if answer.verdict == "clear":
            return Verdict(False)
        return Verdict(True, answer.question if shots != ZERO else asking(reply))

    return Act(
        "organizing/detection_zero" if shots == ZERO else "organizing/detection",
        lambda seat, *view: forms.verdict_form(
            shots != ZERO, seat.limits.text(forms.QUESTION)
        ),
        facts,
        made,
        room=100,  # at which section 4.2.1 cuts off a reply
    )


def _verdict(seat: Any, answer: Any, *view: Any) -> Verdict:
    """A person's question to whoever sits at the desk, or "" for a reply that is clear."""
    question = bounded("question", answer, 0)
    return Verdict(bool(question), question)


DETECTOR = Role(
    "detector",
    acts={"check": checking(POLICIES)},
    asks={"check": Ask(_verdict)},
    kinds={
        "lexical": lambda me, rng, own: LexicalDetector(),
        "none": lambda me, rng, own: NoDetector(),
    },
    speaker=Repeated,
)


def seat_detector(
    kind: Any, shots: str = POLICIES, spoken: Spoken | None = None
) -> Any:
    """The detector of a kind; a language model's is asked in one of the settings of section 4.2, `SHOTS`."""
    if shots not in SHOTS:
        raise InvalidInput(
            f"shots: {shots!r} given; expected one of {', '.join(SHOTS)}"
        )
    role = replace(DETECTOR, acts={"check": checking(shots)})
    return role.seat(kind, np.random.default_rng(0), None, spoken)


# ---- the person at the desk ------------------------------------------------------------------------------------------


def review_form(seat: ModelSeat, *view: Any) -> Any:
    """{"decision", "wish"}: approve, or have it made again with a wish, or leave it out; edits are a person's."""

    def wished(reply: Any) -> None:
        if reply.decision == AGAIN and not reply.wish.strip():
            raise ValueError(
                f"wish: nothing given; expected what is to be otherwise, with {AGAIN!r}"
            )

    decision: Any = Literal["approve", "again", "remove"]
    return form(
        "ReviewReply",
        wished,
        decision=decision,
        wish=text(seat.limits.text(forms.SENTENCE), 0),
    )


def review_facts(
    seat: ModelSeat, desk: Desk, what: str, item: Any, about: str = ""
) -> dict[str, Any]:
    """What is proposed, and the state."""
    return {
        "what": what,
        "about": about,
        "item": told.quoted(in_text(item), seat.shown),
        "policies": [policy.text for policy in desk.policies],
        **state_of(seat, desk),
    }


def decide_facts(seat: ModelSeat, desk: Desk, flag: Flag) -> dict[str, Any]:
    """The reply that was flagged, and the question."""
    return {
        "question": told.quoted(flag.question, seat.shown),
        "mails": told.mails(
            [mail for mail in desk.mails if mail.id == flag.mail], seat.shown
        ),
        "lessons": lessons(seat, desk, ""),
        **state_of(seat, desk),
    }


REVIEWER = Role(
    "reviewer",
    acts={
        "review": Act(
            "organizing/review", review_form, review_facts,
            lambda seat, reply, *view: Review(
                reply.decision, wish=reply.wish.strip() if reply.decision == AGAIN else ""
            ),
            room=forms.SENTENCE + 40,
        ),
        "decide": Act("organizing/decision",
                      lambda seat, *view: form("DecisionReply", answer=text(seat.limits.text(forms.ANSWER), 0)),
                      decide_facts, lambda seat, reply, *view: " ".join(reply.answer.split()), room=forms.ANSWER + 20),
    },
    asks={
        "review": Ask(
            lambda seat, answer, desk, what, item, about="": checked_review(desk, what, item, answer),
            lambda seat, desk, what, item, about="": OnDesk(desk, item, about),
            phase=lambda seat, desk, what, *view: what,
        ),
        "decide": Ask(
            lambda seat, answer, desk, flag: bounded("answer", answer, 0),
            lambda seat, desk, flag: OnDesk(desk, flag, flag.person),
            phase=lambda seat, *view: FLAG,
        ),
    },
    speaker=Repeated,
    kinds={"automatic": lambda me, rng, own: Automatic(own)},
)  # fmt: skip

# ---- who answers questions about the mails -----------------------------------------------------------------------

LOG, NAMED = (
    30,
    10,
)  # mails that a tight model is shown, the latest, and that it may name
LOGGED, ASKED = 500, 300  # characters of each, and of a question


def log_facts(seat: ModelSeat, question: str, desk: Desk) -> dict[str, Any]:
    """The latest mails, numbered."""
    return {
        "mails": [
            f"Mail {mail.id}, day {mail.day}, from {mail.sender} to {mail.to}:\n"
            f"{told.quoted(mail.body, seat.shown, LOGGED)}"
            for mail in seat.shown.last(desk.mails, LOG, "mails")
        ],
        "question": " ".join(question.split())[: seat.shown.characters(ASKED)],
    }


def log_form(seat: ModelSeat, question: str, desk: Desk) -> Any:
    """The numbers of mails are those that are shown."""
    shown = tuple(mail.id for mail in desk.mails[-seat.shown.most(LOG) :])
    return forms.answer_form(
        shown, seat.limits.text(forms.ANSWER), seat.shown.most(NAMED)
    )


def _empty(seat: Any, question: str, desk: Desk) -> Told | None:
    asked_about(question)
    return None if desk.mails else Told("The log is empty.")


ANSWERER = Role(
    "answerer",
    acts={
        "answer": Act(
            "organizing/question", log_form, log_facts,
            lambda seat, reply, *view: Told(reply.answer, tuple(dict.fromkeys(reply.mails))),
            room=250, unasked=_empty,
        ),
    },
    asks={"answer": Ask(lambda seat, answer, *view: Told(bounded("answer", answer)), unasked=_empty)},
    kinds={"retrieval": lambda me, rng, own: RetrievalAnswerer(own)},  # own: the encoder
)  # fmt: skip
