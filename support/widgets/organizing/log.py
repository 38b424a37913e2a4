"""Questions about the mails of a rehearsal in plain language, answered with the mails that the answer rests on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from html import escape
from typing import TYPE_CHECKING, Any

import ipywidgets as w
import numpy as np

from support.errors import InvalidInput
from support.models.profiles import MODEL
from support.runs.pages import diary_style, mails_to_html
from support.seats import Spoken
from support.seminar.answering import Told
from support.seminar.seats import ANSWERER
from support.seminar.views import Desk
from support.widgets.organizing.fields import Press, row, wide

if TYPE_CHECKING:
    from support.models.model import ChatModel


class LogPanel:
    """A field, and an answer below it.

    Parameters
    ----------
    desk : callable
        Gives the newest desk; None before the first day.
    model : ChatModel or str, optional
        Answers when it is there; otherwise the mails nearest in meaning are looked up.
    """

    def __init__(self, desk: Callable[[], Desk | None], model: ChatModel | str | None = None) -> None:
        self.desk, self.model = desk, model
        self.answerer: Any = None
        self.field = w.Text(
            description="your question",
            placeholder="What did Professor Tarrant say last?",
            style={"description_width": "7rem"},
            layout=w.Layout(width="46rem", max_width="100%"),
        )
        self.button = wide("Ask", button_style="primary")
        self.answer, self.error = w.HTML(), w.HTML()
        said = f"the model {getattr(model, 'model', model)}" if model else "looking up the mails nearest in meaning"
        head = w.HTML(f"Ask about the mails so far. Answered by {escape(said)}.")
        self.view = w.VBox([head, row(self.field, self.button), self.error, self.answer])
        press = Press(lambda: self.field.value, self.error)
        press.button(self.button, self.ask)
        press.enter(self.field, self.ask)

    def clear(self) -> None:
        """Forget the answer: it was about another rehearsal."""
        self.answer.value = self.error.value = ""

    async def ask(self) -> None:
        """Answer what stands in the field.

        Raises
        ------
        InvalidInput
            On an empty question, or before the first day.
        MissingData
            When the encoder is needed and its weights are not there.
        """
        desk = self.desk()
        if desk is None:
            raise InvalidInput("question: there are no mails yet; play a day first")
        self.answer.value = "<i>Reading the mails …</i>"
        await asyncio.sleep(0)
        try:
            if self.answerer is None:
                self.answerer = await asyncio.to_thread(self._seated)  # weights take seconds to read
            answerer = self.answerer
            told = await answerer.answer(self.field.value, desk)
        except BaseException:
            self.answer.value = ""
            raise
        self.answer.value = _shown(told, desk, answerer.kind)

    def _seated(self) -> Any:
        """The model's, or one by retrieval, whose encoder reads its weights when it is first needed."""
        if self.model:
            return ANSWERER.seat(MODEL, np.random.default_rng(0), None, Spoken(self.model))
        from support.analysis.embeddings import Encoder
        from support.seminar.answering import RetrievalAnswerer

        encoder = Encoder()
        encoder.encode(["the weights are read at the first text"])
        return RetrievalAnswerer(encoder)


def _shown(told: Told, desk: Desk, kind: str) -> str:
    mails = [mail for mail in desk.mails if mail.id in told.mails]
    rests = f"<h4>The mails that it rests on</h4>{mails_to_html(mails, unfolded=True)}" if mails else ""
    said = f'<div class="text">{escape(told.text)}</div>'
    return f'{diary_style()}<div class="convene-diary"><h4>Answer ({escape(kind)})</h4>{said}{rests}</div>'
