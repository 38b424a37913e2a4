"""Questions about the log are answered out of the log, and say which mails the answer rests on."""

import asyncio

import numpy as np
import pytest

from support.seats import ModelSeat
from support.seminar.answering import RetrievalAnswerer, people_in
from support.seminar.data import scenario
from support.seminar.ledger import State
from support.seminar.records import INVITATION, ORGANISER, REPLY, Mail
from support.seminar.seats import ANSWERER
from support.seminar.views import Desk

SERIES = scenario("series")
NGOZI, DEEPA = "Ngozi Tarrant", "Deepa Raghunandan"
TRUONGS = [person.name for person in SERIES.people if person.name.endswith("Truong")]


LOG = tuple(
    Mail(number, day, INVITATION if sender == ORGANISER else REPLY, sender, to, "dates", body)
    for number, day, sender, to, body in (
        (1, 1, ORGANISER, NGOZI, "Which dates suit you?"),
        (2, 1, ORGANISER, DEEPA, "Which dates suit you?"),
        (3, 2, NGOZI, ORGANISER, "Any Tuesday in October."),
        (4, 3, DEEPA, ORGANISER, "Who pays for the train?"),
        (5, 4, NGOZI, ORGANISER, "Sorry, not the 5th after all."),
    )
)


def desk(mails=LOG):
    return Desk(SERIES, State(SERIES.start, dict.fromkeys(SERIES.slots, ()), {}), 5, mails)


class Letters:
    """Vectors of how often each letter stands in a text: alike texts are near."""

    def encode(self, texts):
        counts = np.array([[t.lower().count(c) for c in "abcdefghijklmnopqrstuvwxyz"] for t in texts], dtype=float)
        return counts / np.linalg.norm(counts, axis=1, keepdims=True).clip(1e-9)


def ask(question, mails=LOG):
    return asyncio.run(RetrievalAnswerer(Letters()).answer(question, desk(mails)))


@pytest.mark.parametrize(
    ("question", "mails"),
    [
        ("What did Prof. Tarrant say last?", (5,)),
        ("What did Ngozi first reply?", (3,)),
        ("What did we write to Deepa last?", (2,)),
        ("What was the latest mail of all?", (5,)),
    ],
)
def test_people_sides_and_order_choose_the_mail(question, mails):
    told = ask(question)
    assert told.mails == mails
    assert all(next(m.body for m in LOG if m.id == number) in told.text for number in mails)


def test_otherwise_the_nearest_in_meaning_are_quoted_and_no_other_people():
    assert ask("Who pays for the train?").mails[0] == 4
    assert set(ask("Tarrant and Tuesday in October").mails) <= {1, 3, 5}


def test_a_log_without_such_a_mail_says_so_and_a_last_name_that_two_share_names_nobody():
    told = ask(f"What did {TRUONGS[0]} say?")
    assert told.mails == () and TRUONGS[0] in told.text and ask("What did anybody say?", ()).mails == ()
    assert len(TRUONGS) == 2 and people_in("What did Truong say?", desk()) == ()
    assert people_in(f"What did {TRUONGS[0]} say?", desk()) == (TRUONGS[0],)


def test_a_model_answers_with_mails_of_the_log_only(overheard):
    model, heard = overheard({"answer": "Any Tuesday.", "mails": [99]}, {"answer": "Any Tuesday.", "mails": [3, 3]})
    told = asyncio.run(ModelSeat(model, ANSWERER.acts).answer("When can Ngozi come?", desk()))
    assert (told.text, told.mails) == ("Any Tuesday.", (3,))
    assert "> Any Tuesday in October." in str(heard[0]) and "99 given" in str(heard[1])
