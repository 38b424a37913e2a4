"""A survey or an interview, for a person: section by section, in the form of any question."""

from __future__ import annotations

import asyncio

import ipywidgets as w
import numpy as np

from support.errors import InvalidInput
from support.labs.base import fill
from support.person import Forms, warning, words
from support.seats import HUMAN
from support.survey.answers import AnswerBook, check_code
from support.survey.instruments import Instrument, refusal
from support.survey.respondents import RESPONDENT, filled_in

THANKS = {
    "not eligible": "You cannot take part in this study.",
    "no consent": "You chose not to take part, and that is fine.",
}


class SurveyForm:
    """The form of one respondent. Display `view`.

    It goes into `book` when the last section is sent, and nothing before that. Of who is
    not eligible or does not consent only that fact is kept. `group` is the respondent's,
    `code` the participant code, drawn when it is not given.
    """

    def __init__(
        self,
        instrument: Instrument,
        book: AnswerBook,
        *,
        group: str,
        code: str | None = None,
    ) -> None:
        instrument.check_group(group)
        if code is not None:
            forms = book.forms()
            here = forms["instrument"] == instrument.name
            if check_code(code) in set(forms[here]["code"]):
                raise InvalidInput(f"code: {code!r} is in use; take another")
        self.instrument = instrument
        self.book = book
        self.group = group
        self.code = code
        self.forms = Forms()
        self.end = w.HTML()
        self.view = w.VBox([self.forms.view, self.end])
        self.task = asyncio.ensure_future(self._ask())

    async def _ask(self) -> None:
        try:
            with self.forms.asked():
                rng = np.random.default_rng()
                seat = RESPONDENT.seat(HUMAN, rng, me=self.instrument.title)
                answers = await filled_in(seat, self.instrument, self.group)
            self.end.value = self._kept(answers)
        except Exception as error:  # nobody awaits this task: it is told here
            self.end.value = warning(words(error))

    def _kept(self, answers: dict[str, object]) -> str:
        """What is said at the end."""
        for section in self.instrument.sections:
            if why := refusal(section, answers):
                self.book.refuse(self.instrument, why)
                return fill("refused", THANKS[why])
        code = self.book.submit(self.instrument, self.group, answers, self.code)
        return fill("thanks", code)
