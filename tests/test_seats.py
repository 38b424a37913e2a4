"""Seats: a model, a person, a rule or an object of one's own in one role, and what is refused."""

import asyncio

import numpy as np
import pytest

from support import errors, seats
from support.errors import (
    InvalidInput,
    MalformedReply,
    PromptError,
    UnknownParticipant,
)
from support.models import serving
from support.models.model import ChatModel
from support.models.replies import Cache
from support.models.request import Completion, Transport
from support.models.stand_ins import scripted
from support.roundtable.mechanism import Talk
from support.roundtable.records import View
from support.seats import Act, Repeated, Role, Spoken, form, text


class Silent:
    """Says nothing."""

    kind = "silent"

    def __init__(self, name, rng, own):
        self.me, self.draw, self.own = name, rng.random(), own

    async def message(self, view):
        return None


def said(seat, reply, view):
    if not reply.text.strip():
        raise InvalidInput("message: no words given")
    return reply.text


TALKER = Role(
    "talker",
    acts={
        "message": Act(
            "roundtable/message",
            lambda seat, view: form("Said", text=text(20)),
            lambda seat, view: {
                "seat": seat,
                "view": View("Ana", ("Ana", "Ben"), "", "", "", view, 9, phase=Talk()),
            },
            said,
        )
    },
    kinds={"silent": Silent},
    mixture=("silent",),
)


class Drawing(Silent):
    """Draws more than others do."""

    def __init__(self, name, rng, own):
        rng.random(9)
        super().__init__(name, rng, own)


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
    assert (question.phase, question.me, question.view) == ("message", "Ana", (3,))
    assert question.text.startswith("Round 3, messages. You are Ana.")
    assert "JSON" not in question.text
    with pytest.raises(InvalidInput, match="text: String should have at most 20"):
        question.answer({"text": 21 * "x"})
    with pytest.raises(InvalidInput, match="no words"):
        question.answer({"text": " "})
    question.answer({"text": "yes"})
    assert await asking == "yes"
    with pytest.raises(InvalidInput, match="answered already"):
        question.answer({"text": "again"})
    asking = asyncio.ensure_future(table["Ana"].message(4))
    (await questions.get()).pass_over(errors.Silent("silent for a minute"))
    with pytest.raises(MalformedReply, match="silent for a minute"):
        await asking


def test_a_person_answers_in_any_role_and_an_answer_that_does_not_fit_leaves_the_question_open():
    asyncio.run(answered())


def test_who_sits_beside_changes_nobodys_draws_and_what_one_knows_is_given_to_nobody_else():
    alone, beside = (
        TALKER.fill(["Ana", "Ben"], kinds, rng(), own=lambda name: f"{name}'s secret")
        for kinds in ("silent", [Drawing, Silent])
    )
    assert alone["Ben"].draw == beside["Ben"].draw != alone["Ana"].draw
    assert [seat.own for seat in beside.values()] == ["Ana's secret", "Ben's secret"]


def test_a_template_of_ones_own_goes_before_ours_and_one_that_cannot_be_filled_in_is_told(
    tmp_path, overheard
):
    def folder(name, text):
        (made := tmp_path / f"{len(text)}" / "roundtable").mkdir(parents=True)
        (made / f"{name}.md.j2").write_text(text)
        return made.parent

    model, heard = overheard({"text": "well"})
    asyncio.run(
        sit(model, prompts=folder("message", "Speak up, {{ seat.me }}!")).message(1)
    )
    assert heard[0][-1]["content"].startswith("Speak up, Ana!")
    with pytest.raises(PromptError, match="'who' is undefined; it may use seat, view"):
        asyncio.run(
            sit(model, prompts=folder("message", "Speak up, {{ who }}!")).message(1)
        )
    with pytest.raises(
        PromptError,
        match=r"mesage.md.j2 in .* is none of ours; did you mean roundtable/message.md.j2",
    ):
        sit(model, prompts=folder("mesage", "Speak up!"))


BAD = [
    ({"Cem": "silent"}, "seats: .'Cem'. given; expected a kind for each of .'Ana'."),
    (
        ["loud"],
        r"talker: 'loud' given for Ana; expected one of silent, mixed, human, model \(or model:NAME\)",
    ),
    (["model"], r"name one \(model:gpt-4o-mini\)"),
    (["human"], "nobody is here to answer"),
    ([object()], "async def message"),
    (
        [lambda name: None],
        "is called with the name of the seat and its random generator",
    ),
    ([TALKER.person("Ben")], "made for Ben given for Ana"),
]


@pytest.mark.parametrize(("kinds", "complaint"), BAD)
def test_a_seat_that_cannot_be_taken_is_told(kinds, complaint):
    kind = (
        UnknownParticipant if kinds == ["loud"] else InvalidInput
    )  # the first stops a sweep at once
    with pytest.raises(kind, match=complaint):
        TALKER.fill(["Ana"], kinds, rng())


class Counted(Transport):
    """Says the same, for 100 tokens of prompt and 7 of reply."""

    model, endpoint = "counted", "here"

    def __init__(self, said='{"text": "yes"}'):
        self.said = said

    async def complete(self, request):
        return Completion(self.said, prompt_tokens=100, completion_tokens=7)


def test_tokens_count_whether_they_were_called_for_or_cached_and_those_of_a_reply_that_never_fits_too(
    tmp_path,
):
    for _ in range(2):
        seat = sit(ChatModel(Counted(), cache=Cache(tmp_path / "study.sqlite")))
        assert asyncio.run(seat.message(1)) == "yes" and (
            seat.tokens,
            seat.replies,
        ) == (107, 1)
    seat = sit(ChatModel(Counted("not a form")))
    with pytest.raises(MalformedReply):
        asyncio.run(seat.message(1))
    assert (seat.tokens, seat.replies) == (3 * 107, 1)


@pytest.mark.parametrize(
    ("setting", "values"),
    [("repetition", (0, 1, 0)), ("reasoning", ("off", "high", "off"))],
)
def test_repetitions_and_ways_of_reasoning_are_told_apart_in_the_cache(
    tmp_path, setting, values
):
    model = scripted(
        [{"text": "one"}, {"text": "two"}], cache=Cache(tmp_path / "study.sqlite")
    )
    said = [asyncio.run(sit(model, **{setting: value}).message(1)) for value in values]
    assert said == ["one", "two", "one"]


class Heard(ChatModel):
    """Keeps what each of its replies is asked for."""

    def __init__(self, transport):
        super().__init__(transport)
        self.asked = []

    async def reply(self, messages, schema=None, **told):
        self.asked.append(told)
        return await super().reply(messages, schema, **told)


ALONE = Role("judge", TALKER.acts, speaker=Repeated)


def seeds(role, temperature):
    """What a seat sends in two repetitions, each with a stream of its own."""
    model = Heard(Counted())
    for repetition in (0, 1):
        spoken = Spoken(model, temperature, repetition)
        seat = role.seat("model", np.random.default_rng(repetition), spoken=spoken)
        asyncio.run(seat.message(1))
    return [told["seed"] for told in model.asked]


@pytest.mark.parametrize("role", [TALKER, ALONE], ids=["in a group", "alone"])
def test_a_repetition_has_a_seed_of_its_own_above_temperature_0_and_at_0_asks_the_same(
    role,
):
    first, second = seeds(role, 0.7)
    assert first != second
    assert seeds(role, 0) == [0, 0]
    assert Spoken().temperature == 0.7


def test_a_model_is_called_what_it_was_given_as_and_its_calls_say_who_was_asked_what():
    model = Heard(Counted())
    with serving(make=lambda name: model):
        kinds = {"Ana": "model:chat-b@http://h/v1", "Ben": "model"}
        table = TALKER.fill(["Ana", "Ben"], kinds, rng(), spoken=Spoken(model))
    called = {name: seat.kind for name, seat in table.items()}
    assert called == {"Ana": kinds["Ana"], "Ben": "model:counted"}
    asyncio.run(table["Ben"].message(1))
    [told] = model.asked
    assert (told["by"], told["phase"]) == ("Ben", "message")
