"""A person's seat: it waits, and what does not fit can be answered again."""

import asyncio

import numpy as np
import pytest

from support.choice import RULES
from support.choice.rules import Ranked
from support.errors import InvalidInput, InvalidProposal
from support.roundtable.economy import exchange_economy
from support.roundtable.records import Candidate, View
from support.roundtable.seats import negotiator, seat_all
from support.roundtable.table import play

ECONOMY = exchange_economy()
EVEN = [[100 / 3] * 3] * 3
CANDIDATES = tuple(Candidate(f"P{i}", i, ("Ben",)) for i in (1, 2, 3))


def view(rule="plurality"):
    form = RULES[rule].form if rule in RULES else "ranking"
    return View("Ana", ECONOMY.agents, rule, form, "", 2, 10, candidates=CANDIDATES)


def asked(phase, *answers, rule="plurality"):
    """What the seat does in a phase when it is given these answers in turn, and what the refused ones said."""

    async def sit():
        seat, refused = negotiator().person("Ana", ECONOMY), []
        acting = asyncio.create_task(getattr(seat, phase)(view(rule)))
        question = await seat.questions.get()
        assert (question.phase, question.view.round) == (phase, 2)
        for answer in answers:
            try:
                question.answer(answer)
            except InvalidInput as error:
                refused.append(error)
        return await asyncio.wait_for(acting, 5), refused

    return asyncio.run(sit())


def test_a_seat_waits_until_its_question_is_answered():
    async def sit():
        seat = negotiator().person("Ana", ECONOMY)
        acting = asyncio.create_task(seat.message(view()))
        question = await seat.questions.get()
        await asyncio.sleep(0.01)
        waited = not acting.done()
        question.answer((("Ben",), " hello "))
        return waited, await acting

    waited, message = asyncio.run(sit())
    assert waited
    assert (message.sender, message.recipients, message.text) == ("Ana", ("Ben",), "hello")


@pytest.mark.parametrize("silence", [None, (("Ben",), "  ")])
def test_a_person_may_say_nothing(silence):
    assert asked("message", silence) == (None, [])


@pytest.mark.parametrize("recipients", [(), ("Zoe",), ("Ana",), "Ben"])
def test_a_message_to_nobody_at_the_table_is_refused_and_can_be_sent_again(recipients):
    message, (refusal,) = asked("message", (recipients, "hello"), (["Ben"], "hello"))
    assert "expected one or more of ['Ben', 'Cleo']" in str(refusal)
    assert message.recipients == ("Ben",)


def test_a_proposal_that_is_no_allocation_is_refused_and_can_be_made_again():
    proposal, (refusal,) = asked("propose", [[130, 0, 0]] * 3, EVEN)
    assert isinstance(refusal, InvalidProposal)
    assert "390" in str(refusal)
    assert proposal.value == ECONOMY.validate(EVEN)


def test_a_person_may_let_the_latest_proposal_stand():
    assert asked("propose", None) == (None, [])


@pytest.mark.parametrize(
    ("rule", "wrong", "right", "recorded"),
    [
        ("plurality", "P9", "P1", "P1"),
        ("rated", {"P1": 6, "P2": 1, "P3": 1}, {"P1": 5, "P2": 1, "P3": 1}, (("P1", 5), ("P2", 1), ("P3", 1))),
        ("ranked", ["P1", "P1", "P2"], ["P2", "P1", "P3"], ("P2", "P1", "P3")),
        ("cumulative", {"P1": 2}, {"P1": 3}, (("P1", 3),)),
    ],
)
def test_a_ballot_that_breaks_the_form_is_refused_and_can_be_cast_again(rule, wrong, right, recorded):
    ballot, (refusal,) = asked("vote", wrong, right, rule=rule)
    assert "ballot of Ana" in str(refusal)
    assert ballot.choice == recorded


def test_a_ballot_of_a_rule_of_ones_own_is_checked_by_its_form():
    ballot, (refusal,) = asked("vote", ["P1"], ["P3", "P2", "P1"], rule="my own")
    assert "ranking" in str(refusal)
    assert ballot.choice == ("P3", "P2", "P1")


@pytest.mark.parametrize("rule", list(RULES))
def test_a_person_may_abstain(rule):
    assert asked("vote", None, rule=rule)[0].choice is None


def test_a_question_is_answered_once():
    proposal, (refusal,) = asked("propose", EVEN, [[100] * 3, [0] * 3, [0] * 3])
    assert "round 2 was answered already" in str(refusal)
    assert proposal.value == ECONOMY.validate(EVEN)


@pytest.mark.parametrize("rule", ["plurality", Ranked()])
def test_a_person_and_rules_decide_together(rule):
    answers = {"message": (("Ben", "Cleo"), "even?"), "propose": EVEN}

    async def discussion():
        seats = seat_all(ECONOMY, "linear", np.random.default_rng(0))
        seats["Ana"] = negotiator().person("Ana", ECONOMY)
        playing = asyncio.create_task(play(ECONOMY, seats, rule, rounds=2))
        for _ in range(6):
            question = await asyncio.wait_for(seats["Ana"].questions.get(), 5)
            ids = [c.id for c in question.view.candidates]
            ballot = ids if question.view.form == "ranking" else ids[:1] and ids[0]
            question.answer(answers.get(question.phase, ballot))
        return await playing

    record = asyncio.run(discussion())
    assert record.seats["Ana"] == "human"
    assert [m.text for r in record.rounds for m in r.messages if m.sender == "Ana"] == ["even?"] * 2
    assert ECONOMY.validate(EVEN) in {c.value for c in record.rounds[0].candidates}
    assert not any(r.format_errors for r in record.rounds)


def test_an_answer_from_another_thread_wakes_whoever_asked():
    async def go():
        seat = negotiator().person("Ana", ECONOMY)
        acting = asyncio.create_task(seat.propose(view(None)))
        question = await seat.questions.get()
        await asyncio.to_thread(question.answer, None)
        with pytest.raises(InvalidInput, match="already"):
            question.answer(None)
        assert await asyncio.wait_for(acting, 30) is None

    asyncio.run(go())
