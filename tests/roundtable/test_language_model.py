"""The language-model seat: what it is told, what it may answer, and what becomes of an answer that does not fit."""

import asyncio
import json
from types import SimpleNamespace

import numpy as np
import pytest
from pydantic import ValidationError

from support.choice import RULES
from support.models.fakes import scripted
from support.models.profiles import TIGHT
from support.roundtable.economy import ExchangeEconomy, exchange_economy
from support.roundtable.records import Candidate, Decision, Round, View
from support.roundtable.seats import ACTS, ballot_form, message_form, seat_all
from support.roundtable.table import play
from support.seats import ModelSeat, Spoken

ECONOMY = ExchangeEconomy(((0.71, 0.16, 0.13), (0.22, 0.47, 0.31), (0.09, 0.38, 0.53)))
OTHERS_WEIGHTS = ("0.22", "0.47", "0.31", "0.09", "0.38", "0.53")
EVEN = ECONOMY.even_split
IDS = ("P1", "P2", "P3")


def allocation(rows=((80, 10, 10), (10, 80, 10), (10, 10, 80))):
    return {a: list(row) for a, row in zip(ECONOMY.agents, rows, strict=True)}


def view(rule="plurality", candidates=(), **known):
    return View(
        "Ana", ECONOMY.agents, rule, RULES[rule].form, RULES[rule].explanation, 2, 10, candidates=candidates, **known
    )


def sit(model, environment=ECONOMY, me="Ana", **spoken):
    return ModelSeat(model, ACTS, environment, me=me, spoken=Spoken(**spoken))


def briefed(seat, seen):
    """What a seat's model is told before each question."""
    return seat.messages("message", seen)[0]["content"]


@pytest.fixture
def seat(overheard):
    """A function to a seat whose model gives these replies, and the prompts that the model was given."""

    def take(replies):
        model, prompts = overheard(*replies)
        return sit(model), prompts

    return take


LISTED = tuple(Candidate(i, EVEN, ("Ben",)) for i in IDS)


# -- what it is told ------------------------------------------------------------------------------------------------


def test_the_briefing_holds_the_own_weights_and_nobody_elses(seat):
    text = briefed(seat([])[0], view())
    assert all(weight in text for weight in ("A ^ 0.71", "B ^ 0.16", "C ^ 0.13"))
    assert not any(weight in text for weight in OTHERS_WEIGHTS)


def test_the_briefing_tells_the_matter_the_rule_and_the_rounds(seat):
    text = briefed(seat([])[0], view("ranked"))
    assert "You are Ana. You sit at a round table with Ben and Cleo." in text
    assert "100 units of each" in text
    assert f"ranked: {RULES['ranked'].explanation}" in text
    assert "There are 10 rounds" in text
    assert "Nothing yet." in text


@pytest.mark.parametrize("rule", list(RULES))
def test_after_a_round_the_briefing_tells_what_was_said_listed_voted_and_decided(rule):
    rng = np.random.default_rng(0)
    economy = exchange_economy()
    rounds = asyncio.run(play(economy, seat_all(economy, "truthful", rng), rule, rounds=2)).rounds
    seen = View("Ana", economy.agents, rule, RULES[rule].form, RULES[rule].explanation, 3, 10, history=rounds)
    told = briefed(sit(scripted([]), economy), seen)
    for entry in rounds:
        assert all(f"Round {entry.number}, {m.sender} to" in told and m.text in told for m in entry.messages)
    assert all(economy.describe(c.value) in told for c in rounds[-1].candidates)
    assert all(f"- {b.agent}: " in told for b in rounds[-1].ballots)
    assert rounds[-1].why in told
    assert ("The standing decision: " in told) == (rounds[-1].decision is not None)
    assert ("No decision stands yet." in told) == (rounds[-1].decision is None)


def test_a_standing_decision_is_told_with_its_round(seat):
    entry = Round(1, (), (), (), (), "P1", (), "P1 wins.", Decision("P1", EVEN, 1))
    text = briefed(seat([])[0], view(history=(entry,)))
    assert f"The standing decision: P1, accepted in round 1: {ECONOMY.describe(EVEN)}" in text


def test_private_reasons_and_weights_never_reach_another_agents_prompt():
    asked = []

    def chatterbox(messages):
        prompt = messages[-1]["content"]
        me = messages[0]["content"].split("You are ")[1].split(".")[0]
        asked.append((me, json.dumps(messages)))
        if '"message"' in prompt:
            return {"target": [a for a in ECONOMY.agents if a != me][:1], "message": f"public words of {me}"}
        if '"proposal"' in prompt:
            return {"reason": f"SECRET-{me}-plan", "proposal": allocation()}
        return {"reason": f"SECRET-{me}-vote", "vote": "P1"}

    model = scripted(chatterbox)
    seats = {a: sit(model, me=a) for a in ECONOMY.agents}
    record = asyncio.run(play(ECONOMY, seats, "majority", rounds=2))
    assert record.outcome.value == ECONOMY.validate(allocation())
    assert record.rounds[0].ballots[1].reason == "SECRET-Ben-vote"
    assert record.rounds[0].proposals[2].reason == "SECRET-Cleo-plan"
    assert len(asked) == 18
    assert not any("SECRET" in text for _, text in asked)
    for me, text in asked:
        others = {f"{w:.2f}" for a, row in zip(ECONOMY.agents, ECONOMY.weights, strict=True) if a != me for w in row}
        assert not any(weight in text for weight in others)
    assert all("public words of Cleo" in text for _, text in asked[-3:])


# -- what it may answer ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("form", "good"),
    [
        ("vote", "P2"),
        ("ratings", {"P1": 1, "P2": 5, "P3": 3}),
        ("ranking", ["P3", "P1", "P2"]),
        ("points", {"P1": 0, "P2": 3, "P3": 0}),
    ],
)
def test_a_good_ballot_is_recorded_and_null_abstains(form, good):
    schema = ballot_form(form, IDS, TIGHT.reason)
    recorded = tuple(good.items()) if isinstance(good, dict) else tuple(good) if isinstance(good, list) else good
    for cast, choice in ((good, recorded), (None, None)):
        reply = schema.model_validate_json(json.dumps({"reason": "so", form: cast}))
        ballot = ACTS["vote"].made(sit(scripted([])), reply, SimpleNamespace(form=form))
        assert (ballot.choice, ballot.reason) == (choice, "so")


@pytest.mark.parametrize(
    ("form", "bad"),
    [
        ("vote", "P9"),
        ("vote", ["P1"]),
        ("ratings", {"P1": 0, "P2": 5, "P3": 3}),
        ("ratings", {"P1": 6, "P2": 5, "P3": 3}),
        ("ratings", {"P1": 2.5, "P2": 5, "P3": 3}),
        ("ratings", {"P1": 1, "P2": 5}),
        ("ranking", ["P1", "P2"]),
        ("ranking", ["P1", "P2", "P2"]),
        ("ranking", ["P1", "P2", "P3", "P1"]),
        ("ranking", ["P1", "P2", "P9"]),
        ("points", {"P1": 1, "P2": 1, "P3": 2}),
        ("points", {"P1": -1, "P2": 2, "P3": 2}),
        ("points", {"P1": 1, "P2": 1}),
    ],
)
def test_a_ballot_that_breaks_its_form_is_refused(form, bad):
    with pytest.raises(ValidationError):
        ballot_form(form, IDS, TIGHT.reason).model_validate_json(json.dumps({"reason": "so", form: bad}))


def test_a_schema_is_not_to_be_answered_without_its_ballot_or_its_reason():
    for reply in ({"reason": "so"}, {"vote": "P1"}):
        with pytest.raises(ValidationError):
            ballot_form("vote", IDS, TIGHT.reason).model_validate(reply)


def bounded(node):
    """Whether every string and list in a JSON schema has a maximum length or an enumeration."""
    if isinstance(node, list):
        return all(bounded(n) for n in node)
    if not isinstance(node, dict):
        return True
    own = (node.get("type") != "string" or "maxLength" in node or "enum" in node or "const" in node) and (
        node.get("type") != "array" or "maxItems" in node
    )
    return own and all(bounded(n) for n in node.values())


@pytest.mark.parametrize(
    "schema",
    [message_form(("Ben", "Cleo"), TIGHT.message), ECONOMY.schema(TIGHT.reason)]
    + [ballot_form(form, IDS, TIGHT.reason) for form in ("vote", "ratings", "ranking", "points")],
    ids=lambda s: s.__name__,
)
def test_every_string_and_list_of_a_schema_is_bounded(schema):
    assert bounded(schema.model_json_schema())


@pytest.mark.parametrize(
    "bad",
    [
        {"target": ["Ana"], "message": "hi"},
        {"target": [], "message": "hi"},
        {"target": ["Ben"], "message": ""},
        {"target": ["Ben"], "message": "x" * (TIGHT.message + 1)},
        {"target": "Ben", "message": "hi"},
    ],
)
def test_a_message_needs_others_to_address_and_a_bounded_text(bad):
    with pytest.raises(ValidationError):
        message_form(("Ben", "Cleo"), TIGHT.message).model_validate(bad)


def test_reasons_are_bounded():
    with pytest.raises(ValidationError):
        ECONOMY.schema(TIGHT.reason).model_validate({"reason": "x" * (TIGHT.reason + 1), "proposal": None})


# -- what becomes of it ---------------------------------------------------------------------------------------------


def test_a_message_is_recorded_with_the_recipients_that_the_model_chose(seat):
    speaker, prompts = seat([{"target": ["Cleo"], "message": "more C for me?"}])
    said = asyncio.run(speaker.message(view()))
    assert (said.sender, said.recipients, said.text, said.acts) == ("Ana", ("Cleo",), "more C for me?", ())
    assert [m["role"] for m in prompts[0]] == ["system", "user"]
    assert speaker.replies == 1


def test_a_proposal_of_130_percent_goes_back_to_the_model_with_the_reason(seat):
    wrong = allocation(((80, 50, 10), (10, 50, 10), (10, 30, 80)))
    proposer, prompts = seat([{"reason": "all", "proposal": wrong}, {"reason": "fine", "proposal": allocation()}])
    proposal = asyncio.run(proposer.propose(view()))
    assert proposal.value == ECONOMY.validate(allocation())
    assert proposal.reason == "fine"
    assert len(prompts) == 2
    assert "good B" in prompts[1][-1]["content"]
    assert "130%" in prompts[1][-1]["content"]


def test_a_model_may_let_its_latest_proposal_stand_and_is_reminded_of_it(seat):
    proposer, prompts = seat([{"reason": "", "proposal": None}])
    proposal = asyncio.run(proposer.propose(view(latest=(("Ana", EVEN),))))
    assert proposal.value is None
    assert ECONOMY.describe(EVEN) in prompts[0][-1]["content"]


@pytest.mark.parametrize(
    ("rule", "reply", "choice"),
    [
        ("majority", {"vote": "P2"}, "P2"),
        ("rated", {"ratings": {"P1": 1, "P2": 5, "P3": 3}}, (("P1", 1), ("P2", 5), ("P3", 3))),
        ("ranked", {"ranking": ["P3", "P1", "P2"]}, ("P3", "P1", "P2")),
        ("cumulative", {"points": {"P1": 0, "P2": 3, "P3": 0}}, (("P1", 0), ("P2", 3), ("P3", 0))),
    ],
)
def test_a_ballot_has_the_form_that_the_rule_counts(rule, reply, choice, seat):
    voter, prompts = seat([{"reason": "so", **reply}])
    ballot = asyncio.run(voter.vote(view(rule, candidates=LISTED)))
    assert (ballot.choice, ballot.reason) == (choice, "so")
    assert all(f"{i} (from Ben)" in prompts[0][-1]["content"] for i in IDS)
    assert RULES[rule].explanation in prompts[0][-1]["content"]


def test_points_that_do_not_add_up_go_back_to_the_model_with_the_sum(seat):
    answers = [{"reason": "", "points": {"P1": 1, "P2": 1, "P3": n}} for n in (2, 1)]
    voter, prompts = seat(answers)
    assert asyncio.run(voter.vote(view("cumulative", candidates=LISTED))).choice[2] == ("P3", 1)
    assert "sum to 4" in prompts[1][-1]["content"]


def test_with_nothing_to_vote_on_no_model_is_asked(seat):
    voter, prompts = seat([])
    assert asyncio.run(voter.vote(view())).choice is None
    assert (prompts, voter.replies) == ([], 0)


def test_a_model_that_never_finds_the_form_abstains_and_is_counted():
    model = scripted(lambda messages: "I would rather talk about the weather.")
    seats = {**seat_all(ECONOMY, "truthful", np.random.default_rng(0)), "Ana": sit(model)}
    record = asyncio.run(play(ECONOMY, seats, "rated", rounds=1))
    (entry,) = record.rounds
    assert [(e.agent, e.phase) for e in entry.format_errors] == [("Ana", p) for p in ("message", "propose", "vote")]
    assert "did not give a BallotReply in 3 attempts" in entry.format_errors[2].detail
    assert entry.ballots[0].choice is None
    assert {p.agent for p in entry.proposals} == {"Ben", "Cleo"}
    assert entry.replies == 3
    assert record.seats["Ana"] == "model scripted"


def test_a_script_that_is_too_short_is_raised_and_no_format_error_of_the_model():
    speaker = sit(scripted([]))
    seats = {**seat_all(ECONOMY, "truthful", np.random.default_rng(0)), "Ana": speaker}
    with pytest.raises(ValueError, match="given 0 replies, and is asked for one more"):
        asyncio.run(play(ECONOMY, seats, "rated", rounds=1))


def test_the_repetition_reaches_the_model_so_that_the_cache_tells_discussions_apart(tmp_path):
    def replies(repetition):
        model = scripted([{"target": ["Ben"], "message": f"take {repetition}"}], cache=tmp_path / "c.sqlite")
        speaker = sit(model, repetition=repetition)
        return asyncio.run(speaker.message(view())).text, model.live_calls

    assert [replies(0), replies(1), replies(0)] == [("take 0", 1), ("take 1", 1), ("take 0", 0)]
