"""Seats: a model, a person, a rule or an object of one's own in one role, and what is refused."""

import asyncio

import numpy as np
import pytest

from support import seats
from support.errors import InvalidInput, MalformedReply, PromptError, UnknownParticipant
from support.models.cache import Cache
from support.models.fakes import scripted
from support.models.model import ChatModel, Completion, Transport
from support.seats import Act, Ask, Role, Spoken, form, text


class Silent:
    """Says nothing."""

    kind = "silent"

    def __init__(self, name, rng, own):
        self.me, self.draw, self.own = name, rng.random(), own

    async def message(self, view):
        return None


def said(seat, answer, view):
    if not str(answer).strip():
        raise InvalidInput("message: no words given")
    return str(answer).strip()


TALKER = Role(
    "talker",
    acts={
        "message": Act(
            "roundtable/message",
            lambda seat, view: form("Said", text=text(20)),
            lambda seat, view: {"me": seat.me, "round": view, "others": ["Ben"], "words": 0},
            lambda seat, reply, view: reply.text,
        )
    },
    asks={"message": Ask(said)},
    kinds={"silent": Silent},
    mixture=("silent",),
)


def rng():
    return np.random.default_rng(1)


def sit(model, **spoken):
    return TALKER.seat("model", rng(), spoken=Spoken(model, **spoken), me="Ana")


async def answered():
    questions = asyncio.Queue()
    with seats.people(questions):
        table = TALKER.fill(["Ana", "Ben"], {"Ana": "human", "Ben": "silent"}, rng())
    asking = asyncio.ensure_future(table["Ana"].message(3))
    question = await questions.get()
    assert (question.phase, question.view) == ("message", 3)
    with pytest.raises(InvalidInput, match="no words"):
        question.answer(" ")
    question.answer(" yes ")
    said = await asking
    with pytest.raises(InvalidInput, match="answered already"):
        question.answer("again")
    return said


def test_a_person_answers_in_any_role_and_an_answer_that_does_not_fit_leaves_the_question_open():
    assert asyncio.run(answered()) == "yes"


def test_who_sits_beside_changes_nobodys_draws():
    alone = TALKER.fill(["Ana", "Ben"], "silent", rng())["Ben"].draw
    beside = TALKER.fill(["Ana", "Ben"], ["mixed", "silent"], rng())["Ben"].draw
    assert alone == beside


def test_what_one_knows_is_given_to_nobody_else():
    table = TALKER.fill(["Ana", "Ben"], [Silent, "silent"], rng(), own=lambda name: f"{name}'s secret")
    assert {name: seat.own for name, seat in table.items()} == {"Ana": "Ana's secret", "Ben": "Ben's secret"}


def test_a_template_of_ones_own_goes_before_ours(tmp_path):
    (tmp_path / "roundtable").mkdir()
    (tmp_path / "roundtable" / "message.md.j2").write_text("Speak up, {{ me }}!")
    read = []
    model = scripted(lambda messages: read.append(messages) or {"text": "well"})
    asyncio.run(sit(model, prompts=tmp_path).message(1))
    assert read[0][-1]["content"].startswith("Speak up, Ana!")


@pytest.mark.parametrize(
    ("source", "name", "complaint"),
    [
        ("Speak up, {{ who }}!", "message", "no value for who; it may use me, others, round, words"),
        ("Speak up!", "mesage", "mesage.md.j2 in .* is none of ours; did you mean roundtable/message.md.j2"),
    ],
)
def test_a_template_that_cannot_be_filled_in_is_told(tmp_path, source, name, complaint):
    (tmp_path / "roundtable").mkdir()
    (tmp_path / "roundtable" / f"{name}.md.j2").write_text(source)
    with pytest.raises(PromptError, match=complaint):
        asyncio.run(sit(scripted([]), prompts=tmp_path).message(1))


@pytest.mark.parametrize(
    ("kinds", "complaint"),
    [
        ({"Cem": "silent"}, "seats: .'Cem'. given; expected a kind for each of .'Ana'."),
        (["loud"], "talker: 'loud' given for Ana; expected one of silent, mixed, human, model \\(or model:NAME\\)"),
        (["model"], "name one \\(model:gpt-4o-mini\\)"),
        (["human"], "nobody is here to answer"),
        ([object()], "async def message"),
        ([lambda name: None], "is called with the name of the seat and its random generator"),
        ([TALKER.person("Ben")], "made for Ben given for Ana"),
    ],
)
def test_a_seat_that_cannot_be_taken_is_told(kinds, complaint):
    kind = UnknownParticipant if kinds == ["loud"] else InvalidInput  # the first stops a sweep at once
    with pytest.raises(kind, match=complaint):
        TALKER.fill(["Ana"], kinds, rng())


class Counted(Transport):
    """Says the same, for 100 tokens of prompt and 7 of reply."""

    model, endpoint = "counted", "here"

    def __init__(self, said='{"text": "yes"}'):
        self.said = said

    async def complete(self, request):
        return Completion(self.said, prompt_tokens=100, completion_tokens=7)


def test_tokens_count_whether_they_were_called_for_or_cached_and_those_of_a_reply_that_never_fits_too(tmp_path):
    for _ in range(2):
        seat = sit(ChatModel(Counted(), cache=Cache(tmp_path / "study.sqlite")))
        assert asyncio.run(seat.message(1)) == "yes" and (seat.tokens, seat.replies) == (107, 1)
    seat = sit(ChatModel(Counted("not a form")))
    with pytest.raises(MalformedReply):
        asyncio.run(seat.message(1))
    assert (seat.tokens, seat.replies) == (3 * 107, 1)


@pytest.mark.parametrize(("setting", "values"), [("repetition", (0, 1, 0)), ("reasoning", ("off", "high", "off"))])
def test_repetitions_and_ways_of_reasoning_are_told_apart_in_the_cache(tmp_path, setting, values):
    model = scripted([{"text": "one"}, {"text": "two"}], cache=Cache(tmp_path / "study.sqlite"))
    said = [asyncio.run(sit(model, **{setting: value}).message(1)) for value in values]
    assert said == ["one", "two", "one"]
