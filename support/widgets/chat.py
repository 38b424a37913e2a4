"""The private conversation of one person with the coordinating system: what was said, options as buttons, a field."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import datetime
from html import escape
from typing import Any
from zoneinfo import ZoneInfo

import ipywidgets as w

from support.errors import InvalidInput
from support.meetings.data import Meeting, Private, Profile, in_words
from support.meetings.records import ASSISTANT, Option
from support.meetings.scenario import Chat
from support.seats import Question

SETTLE = 0.15
"""Seconds for the last typed letters to arrive: browsers send them behind the Enter that follows them."""

STYLE = """<style>
.convene-chat { font: 14px/1.45 system-ui, sans-serif; color: #1b1b1b; background: #fff; max-width: 46rem; }
.convene-chat .me { border-left: 4px solid #0072B2; padding: .1rem .7rem; background: #f3f8fc; }
.convene-chat .invitation { margin: .4rem 0; padding: .3rem .7rem; border: 1px solid #ccc; border-radius: .3rem;
  white-space: pre-wrap; overflow-wrap: anywhere; }
.convene-chat .turn { width: fit-content; max-width: 85%; margin: .3rem 0; padding: .25rem .6rem; border-radius: .5rem;
  background: #f0f0f0; white-space: pre-wrap; overflow-wrap: anywhere; }
.convene-chat .turn.own { margin-left: auto; background: #dcebf6; }
.convene-chat .round { color: #555; font-size: .85em; border-bottom: 1px solid #ddd; margin-top: .5rem; }
.convene-chat .waiting { color: #555; font-style: italic; }
</style>"""


class ChatForm:
    """The seat of one member who is a person: shows the conversation, takes the answers, keeps what was typed.

    Enter sends, and so does the button; a button beside each option agrees to it. An answer that is refused stays in
    the field, with the reason below it.

    Parameters
    ----------
    profile, private
        Who the person plays, and what only this member knows. The person may say it, or something else.
    meeting : Meeting
    """

    def __init__(self, profile: Profile, private: Private, meeting: Meeting) -> None:
        self.profile, self.private, self.meeting = profile, private, meeting
        self.question: Question | None = None
        self._sending: asyncio.Task[None] | None = None
        self.said: list[str] = []
        self.round, self.mark = 0, 0
        self.field = w.Text(placeholder="your answer", layout=w.Layout(width="36rem"))
        self.send_button = w.Button(description="Send", button_style="primary", disabled=True)
        self.talk, self.error = w.HTML(), w.HTML()
        self.error.add_class("convene-error")
        self.options = w.HBox(layout=w.Layout(flex_flow="row wrap"))
        row = w.HBox([self.field, self.send_button])
        self.view = w.VBox([w.HTML(self._about()), self.talk, self.options, row, self.error])
        self.field.on_msg(self._message)
        self.send_button.on_click(lambda _: self._start())
        self._draw(waiting=True)

    def ask(self, question: Question) -> None:
        """Show the conversation with the newest thing asked, and take the next answer for it."""
        chat: Any = question.view
        self._turn_page(chat)
        self.question, self.send_button.disabled, self.error.value = question, False, ""
        self.said[self.mark :] = [_bubble(turn.text, own=turn.speaker != ASSISTANT) for turn in chat.turns]
        self.options.children = tuple(self._choice(option) for option in chat.options)
        self._draw()

    async def submit(self) -> None:
        """Give what stands in the field as the answer, once the last letters are there."""
        before: str | None = None
        while before != self.field.value:
            before = self.field.value
            await asyncio.sleep(SETTLE)
        if self._answer(self.field.value):
            self.field.value = ""

    def agree(self, option: Option) -> None:
        """Answer that an option suits; what stands in the field stays there."""
        self._answer(f"Option {option.id} suits me: {self._when(option)}.")

    def rest(self, note: str = "") -> None:
        """Nothing is asked any more in this round: say so."""
        self.question, self.send_button.disabled, self.options.children = None, True, ()
        self._draw(waiting=True, note=note)

    def _answer(self, text: str) -> bool:
        if self.question is None:
            self._tell("Nothing is asked at the moment; what you typed stays here until the next question.")
            return False
        try:
            self.question.answer(text)
        except InvalidInput as error:
            self._tell(str(error))
            return False
        self.error.value = ""
        self.said.append(_bubble(text.strip(), own=True))
        self.rest()
        return True

    def _message(self, _: Any, content: dict[str, Any], __: Any) -> None:
        if content.get("event") == "submit":
            self._start()

    def _start(self) -> None:
        """Send in the background; a second Enter, while the first is at work, sends nothing more."""
        if self._sending is None or self._sending.done():
            self._sending = asyncio.ensure_future(self.submit())

    def _turn_page(self, chat: Chat) -> None:
        """A new round begins below what was said before; a new question of the same round replaces its turns."""
        if chat.round != self.round:
            self.round = chat.round
            self.said.append(f'<div class="round">Round {chat.round}</div>')
            self.mark = len(self.said)

    def _choice(self, option: Option) -> w.Button:
        button = w.Button(
            description=f"{option.id} suits me",
            tooltip=self._when(option),
            layout=w.Layout(width="auto"),
        )
        button.on_click(self._agreeing(option))
        return button

    def _agreeing(self, option: Option) -> Callable[[Any], None]:
        return lambda _: self.agree(option)

    def _when(self, option: Option) -> str:
        return in_words(datetime.fromisoformat(option.start).astimezone(ZoneInfo(self.profile.zone)))

    def _about(self) -> str:
        p, m = self.profile, self.meeting
        manager = f", and report to {escape(p.manager)}" if p.manager else ""
        return (
            f'{STYLE}<div class="convene-chat"><div class="me"><b>You are {escape(p.name)}.</b> You are '
            f"{escape(p.role)}{manager}. Your clock is that of {escape(p.zone)}.<br>"
            f"What only you know: {escape(self.private.texts[0])}</div>"
            f'<div class="invitation"><b>{escape(m.organiser)} invites you: {escape(m.subject)}</b> '
            f"({m.duration} minutes)\n{escape(m.invitation)}</div></div>"
        )

    def _draw(self, *, waiting: bool = False, note: str = "") -> None:
        last = f'<div class="waiting">{escape(note or "The others are at work.")}</div>' if waiting else ""
        self.talk.value = f'<div class="convene-chat">{"".join(self.said)}{last}</div>'

    def _tell(self, text: str) -> None:
        self.error.value = f'<span role="alert" style="color:#8a3b00">{escape(text)}</span>'


def _bubble(text: str, *, own: bool) -> str:
    return f'<div class="turn{" own" if own else ""}">{escape(text)}</div>'
