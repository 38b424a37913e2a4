"""A meeting to coordinate: settings, seats, a person's conversation, a live figure; what is played is stored."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

import ipywidgets as w
import numpy as np
import pandas as pd

from support.analysis.meetings import rounds_of
from support.errors import InvalidInput
from support.labs.base import (
    ROW,
    SEEDS,
    Press,
    control,
    controls,
    fill,
    offered,
    warning,
)
from support.labs.play import PlayLab
from support.labs.roles import MEETINGS, RoleForm
from support.meetings.coordination import coordinate, record
from support.meetings.data import Meeting, Private, Profile, in_words
from support.meetings.evaluators import ExactEvaluator
from support.meetings.members import STYLES
from support.meetings.records import ASSISTANT, Coordination, CoordinationRound, Option
from support.meetings.scenario import load_company, scenario
from support.meetings.seats import COORDINATOR, MEMBER, RULES, seat_everybody
from support.meetings.study import DIFFICULTIES, meeting_coordination
from support.models.profiles import MODEL
from support.plots.meetings import draw_coordination
from support.runs.pages import FACILITATORS, meeting_to_html
from support.runs.study import Store
from support.seats import HUMAN, HumanSeat, Question, Spoken
from support.seats import people as asked

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from support.models.model import ChatModel

SWEEP = "coordination"
SIZES = [3, 4, 5]
RANGES = {"difficulty": list(DIFFICULTIES), "options": (1, 9), "rounds": (1, 8), "interviewer": [], "coordinator": [],
          "evaluator": [], "database": bool, "tracking": bool}  # fmt: skip


class ChatForm:
    """The seat of one member who is a person: shows the conversation, takes the answers, keeps what was typed.

    Enter sends, and so does the button; a button beside each option agrees to it. An answer that is refused stays in
    the field, with the reason below it. `profile` and `private` are whom the person plays, and what only this member
    knows: the person may say it, or something else.
    """

    def __init__(self, profile: Profile, private: Private, meeting: Meeting) -> None:
        self.profile, self.said, self.round, self.mark = (
            profile,
            list[tuple[str, str]](),
            0,
            0,
        )
        self.question: Question | None = None
        self.field = w.Text(placeholder="your answer", layout=w.Layout(width="36rem"))
        self.send_button = w.Button(
            description="Send", button_style="primary", disabled=True
        )
        self.talk, self.error, self.options = (
            w.HTML(),
            w.HTML(),
            w.HBox(layout=w.Layout(**ROW)),
        )
        self.error.add_class("convene-error")
        about = w.HTML(fill("invited", profile, private.texts[0], meeting))
        self.view = w.VBox(
            [
                about,
                self.talk,
                self.options,
                w.HBox([self.field, self.send_button]),
                self.error,
            ]
        )
        self.press = Press(lambda: self.field.value, self.error)
        self.press.button(self.send_button, self.send)
        self.press.enter(self.field, self.send)
        self.rest()

    def ask(self, question: Question) -> None:
        """Show the conversation with the newest thing asked, and take the next answer for it."""
        chat: Any = question.view
        if (
            chat.round != self.round
        ):  # a new round begins below what was said; within one, newer turns replace its own
            self.round = chat.round
            self.said.append(("round", f"Round {chat.round}"))
            self.mark = len(self.said)
        self.question, self.send_button.disabled, self.error.value = question, False, ""
        self.said[self.mark :] = [
            ("turn" if t.speaker == ASSISTANT else "turn own", t.text)
            for t in chat.turns
        ]
        self.options.children = tuple(self._choice(option) for option in chat.options)
        self.talk.value = fill("talk", self.said, "")

    def send(self) -> None:
        """Give what stands in the field as the answer; one that does not fit raises, and stays there."""
        self._answer(self.field.value)
        self.field.value = ""

    def rest(self, note: str = "The others are at work.") -> None:
        """Nothing is asked any more in this round: say so."""
        self.question, self.send_button.disabled, self.options.children = None, True, ()
        self.talk.value = fill("talk", self.said, note)

    def _answer(self, text: str) -> None:
        if self.question is None:
            raise InvalidInput(
                "Nothing is asked at the moment; what you typed stays here until the next question."
            )
        self.question.answer(text)
        self.said.append(("turn own", text.strip()))
        self.rest()

    def _choice(self, option: Option) -> w.Button:
        """A button that agrees to an option; what stands in the field stays there."""
        when = in_words(
            datetime.fromisoformat(option.start).astimezone(ZoneInfo(self.profile.zone))
        )
        button = w.Button(
            description=f"{option.id} suits me",
            tooltip=when,
            layout=w.Layout(width="auto"),
        )
        self.press.button(
            button, lambda: self._answer(f"Option {option.id} suits me: {when}.")
        )
        return button


class MeetingLab(PlayLab[CoordinationRound]):
    """Controls over one coordination of a meeting of the synthetic company. Display `lab.view`.

    The arguments beside `store` and `model` say what the controls show at first: `meeting` is its id, by default the
    first with so many `members`, `seats` is {name: kind}.
    """

    sweep, called, place, study = SWEEP, "run", "conversation", "meetings"

    def __init__(
        self,
        store: Store,
        model: ChatModel | str | None = None,
        *,
        members: int = 3,
        meeting: str | None = None,
        seats: Mapping[str, str] | None = None,
        seed: int = 1,
        **first: Any,
    ) -> None:
        super().__init__(store, model, again="New coordination", width="1056px")
        led = {"coordinator": first.get("coordinator", "satisficing")}
        rules, leaders = [RULES, MODEL, HUMAN], [*COORDINATOR.kinds, MODEL, HUMAN]
        ranges = RANGES | {"interviewer": offered(rules, model, first.get("interviewer", "")),
                           "coordinator": offered(leaders, model, led["coordinator"]),
                           "evaluator": offered(rules, model, first.get("evaluator", ""))}  # fmt: skip
        there = _meetings(members)
        self.members = control("members", SIZES, members)
        self.controls = {
            "meeting": control("meeting", there, meeting or there[0][1]),
            **controls(meeting_coordination, ranges, **led | first),
            "seed": control("seed", SEEDS, seed),
        }
        self.controls[
            "database"
        ].description = "coordinator has the database, and heeds who is required"
        self.controls["tracking"].description = "preferences of earlier rounds stay"
        self.rounds = self.controls["rounds"]
        asked = list(self.controls.values())
        self._meeting_chosen(seats or {})
        self.members.observe(lambda _: self._members_chosen(), "value")
        self.controls["meeting"].observe(lambda _: self._meeting_chosen({}), "value")
        self._show_controls(
            w.VBox([self.members, *asked[:4], asked[-1]]),
            w.VBox(asked[4:-1]),
            self.seats,
        )

    @property
    def given(self) -> dict[str, str]:
        """The study's file, the model, and how many members the meetings on offer have."""
        return super().given | {"members": str(self.members.value)}

    @property
    def settings(self) -> dict[str, Any]:
        """What the controls show."""
        return super().settings | {"seats": self.kinds}

    @property
    def who(self) -> str:
        """Who sits where, those who lead among them."""
        led = ", ".join(f"{role}: {self.settings[role]}" for role in FACILITATORS)
        return f"{super().who}, {led}"

    def _members_chosen(self) -> None:
        self.controls["meeting"].options = _meetings(self.members.value)

    def _meeting_chosen(self, first: Mapping[str, str]) -> None:
        members = scenario(self.controls["meeting"].value).members
        self._offer_seats(
            members,
            STYLES,
            next(iter(STYLES)),
            first,
            style={"description_width": "10rem"},
        )

    def _clear(self) -> None:
        s = self.settings
        chosen = scenario(s["meeting"]).narrowed(DIFFICULTIES[s["difficulty"]])
        self.scenario = chosen if s["database"] else chosen.without_demands()
        self.roles: dict[str, Any] = {}
        self.chats: dict[str, ChatForm] = {}

    def _welcome(self) -> str:
        k, n = self.settings["options"], len(self.scenario.members)
        if k < n:
            return super()._welcome()
        return warning(
            f"options: K = {k} given; expected 1 to {n - 1}, fewer than the {n} members of this meeting. Choose a "
            "smaller K, or a meeting with more members."
        )

    async def _sit_down(self) -> None:
        people = {
            name: MEMBER.person(name)
            for name, kind in self.kinds.items()
            if kind == HUMAN
        }
        s = self.settings
        chosen = {role: s[role] for role in FACILITATORS}
        rng, spoken, questions = (
            np.random.default_rng(s["seed"]),
            Spoken(self.model),
            asyncio.Queue[Question](),
        )
        with asked(questions):
            seats, led = seat_everybody(
                self.scenario, rng, {**self.kinds, **people}, **chosen, spoken=spoken
            )
        told = {name: s[name] for name in ("options", "rounds", "database", "tracking")}
        self.run = coordinate(
            self.scenario,
            seats,
            **led,
            **told,
            audit=ExactEvaluator(self.scenario, seats),
        )
        self.roles = {**seats, **led}
        self.chats = {name: self._form(seat) for name, seat in people.items()}
        forms: list[ChatForm | RoleForm] = list(self.chats.values())
        if HUMAN in chosen.values():
            forms.append(leading := RoleForm(MEETINGS))
            self._listen(questions, leading.ask)
        self.forms.children = tuple(form.view for form in forms)

    def _form(self, seat: HumanSeat) -> ChatForm:
        given = self.scenario
        form = ChatForm(
            given.company.by_name[seat.me], given.private[seat.me], given.meeting
        )
        self._listen(seat.questions, form.ask)
        return form

    def record(self) -> Coordination:
        """The run so far."""
        return record(
            self.scenario, self.roles, self.finished, seed=self.settings["seed"]
        )

    def _show(self) -> None:
        for form in self.chats.values():
            form.rest(
                "This round is over; press Next round."
                if len(self.finished) < self.rounds.value
                else ""
            )
        super()._show()

    def _said(self, rounds: list[CoordinationRound]) -> str:
        shown = replace(self.record(), rounds=tuple(rounds))
        return meeting_to_html(shown, title="Newest round first", only=self.chats)

    def draw(self) -> Figure:
        """The newest scores, and what the run came to round by round."""
        frame = rounds_of([({}, self.record())]) if self.finished else pd.DataFrame()
        newest = self.finished[-1] if self.finished else None
        return draw_coordination(frame, newest, self.rounds.value)

    def _result(self) -> str:
        outcome = self.record().outcome
        return f"{outcome.id} is the candidate" if outcome else "there is no candidate"


def _meetings(members: int) -> list[tuple[str, str]]:
    """Subject and date of every meeting with so many members, and its id."""
    return [
        (f"{m.subject} ({m.date})", m.id)
        for m in load_company().meetings
        if len(m.members) == members
    ]
