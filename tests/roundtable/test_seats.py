"""Who sits at the round table: what a model is told and may answer, a person, rules and objects of one's own."""

import asyncio
import json
from types import SimpleNamespace

import numpy as np
import pytest

from support.choice import RULES
from support.errors import InvalidInput
from support.models.profiles import TIGHT, Limits
from support.models.stand_ins import scripted
from support.roundtable.economy import ExchangeEconomy
from support.roundtable.mechanism import Choose, Propose, Talk, Vote
from support.roundtable.movielens import ABOUT, AGENTS, MovieLens
from support.roundtable.records import Candidate, Message, View
from support.roundtable.seats import ACTS, ASKS, BY_FORM, ballot_form, seat_all
from support.roundtable.study import roundtable_exchange, roundtable_movielens
from support.roundtable.table import play
from support.seats import HumanSeat, ModelSeat, Shown, Spoken

ECONOMY = ExchangeEconomy(((0.71, 0.16, 0.13), (0.22, 0.47, 0.31), (0.09, 0.38, 0.53)))
IDS = ("P1", "P2", "P3")
LISTED = tuple(Candidate(i, ECONOMY.even_split, ("Ben",)) for i in IDS)
SHARES = {"Ana": [80, 10, 10], "Ben": [10, 80, 10], "Cleo": [10, 10, 80]}
SHARED = ECONOMY.validate(SHARES)
ACT = {"target": Talk(), "message": Talk(), "proposal": Propose()}
ACT |= {"choice": Choose(reply=int)}


def view(field, me="Ana", agents=ECONOMY.agents):
    """What is seen in the phase that asks for a field; the rule is one of the user's own."""
    phase, rule = ACT.get(field, Vote()), BY_FORM.get(field, RULES["majority"])
    listed = {"candidates": LISTED} if phase == Vote() else {}
    about = "my own", rule.form, rule.explanation
    return View(me, agents, *about, 2, 10, phase=phase, **listed)


def seated(*replies, environment=ECONOMY, me="Ana"):
    """A seat whose model gives these replies, and the chats that the model was given."""
    heard, lines = [], iter(replies)
    model = scripted(lambda messages: heard.append(messages) or next(lines))
    seats = seat_all(environment, "model", np.random.default_rng(0), model=model)
    return seats[me], heard


# ---- a model ---------------------------------------------------------------------------------------------------------


def test_a_model_is_told_its_own_weights_and_what_is_public_and_nobodys_secrets():
    asked = []

    def chatterbox(messages):
        prompt, brief = messages[-1]["content"], messages[0]["content"]
        me = brief.split("You are ")[1].split(".")[0]
        asked.append((me, messages))
        if '"message"' in prompt:
            return {"target": "all", "message": f"public words of {me}"}
        if '"proposal"' in prompt:
            return {"reason": "SECRET plan", "proposal": SHARES}
        return {"reason": "SECRET vote", "vote": "P1"}

    rng, model = np.random.default_rng(0), scripted(chatterbox)
    people = seat_all(ECONOMY, "model", rng, model=model)
    first, _ = asyncio.run(play(ECONOMY, people, "majority", rounds=2)).rounds
    assert first.ballots[1].reason == "SECRET vote" and len(asked) == 18
    weights = {f"^ {w}" for row in ECONOMY.weights for w in row}
    for me, messages in asked:
        text = json.dumps(messages)
        own = {f"^ {w}" for w in ECONOMY.background(me).weights}
        assert {w for w in weights if w in text} == own and "SECRET" not in text
        assert f"majority: {RULES['majority'].explanation}" in text
    told = asked[-1][1][0]["content"]
    stands = f"P1, accepted in round 1: {ECONOMY.describe(first.decision.value)}"
    assert stands in told and first.why in told and "- Ben: P1" in told
    assert "Round 1, Ana to Ben and Cleo: public words of Ana" in told


def numbers(*of):
    return dict(zip(IDS, of, strict=True))


def taken(field, *values):
    """What a model's replies become at the table, and the chats that it was given."""
    usual = {"target": [], "message": "hello", "reason": "x" * 1601, "vote": "P1"}
    seat, heard = seated(*(usual | {field: value} for value in values))
    seen = view(field)
    known = {"agents": seen.agents, "environment": ECONOMY, "candidates": LISTED}
    table = SimpleNamespace(**known, rule=BY_FORM[seen.form])
    answer = asyncio.run(getattr(seat, seen.phase.act)(seen))
    return seen.phase.take(table, "Ana", answer), heard


def content(record):
    """Whom a message is to, or what is proposed, voted or chosen."""
    names = ("recipients", "plain", "value")
    return next((getattr(record, x) for x in names if hasattr(record, x)), None)


NAMED = {a: dict(zip("ABC", row, strict=True)) for a, row in SHARES.items()}
FAVOURITES = {"Ana": {"A": 100}, "Ben": {"B": 100}, "Cleo": {"C": 100}}


@pytest.mark.parametrize(
    ("field", "value", "found"),
    [
        ("target", ["all"], ("Ben", "Cleo")),
        ("target", "everyone", ("Ben", "Cleo")),
        ("target", "CLEO", ("Cleo",)),
        ("target", None, ("Ben", "Cleo")),
        ("message", "", None),
        ("message", None, None),
        ("proposal", NAMED, SHARED),
        ("proposal", FAVOURITES, ECONOMY.validate(100 * np.eye(3))),
        ("proposal", "none", None),
        ("reason", None, "P1"),
        ("vote", "p2", "P2"),
        ("vote", None, None),
        ("ranking", ["P2", "p3"], ("P2", "P3", "P1")),
        ("ranking", "Abstain", None),
        ("points", {"p2": 3}, numbers(0, 3, 0)),
        ("choice", None, None),
    ],
)
def test_sensible_replies_are_taken_at_once(field, value, found):
    record, heard = taken(field, value)
    assert content(record) == found and len(heard) == 1
    assert len(getattr(record, "reason", "")) <= 1600


GREEDY = dict.fromkeys(SHARES, [90] * 3)
CAST = ["P3", "P1", "P2"]


@pytest.mark.parametrize(
    ("field", "wrong", "right", "said"),
    [
        ("target", 7, ["Ben"], "target.0: Input should be"),
        ("proposal", GREEDY, SHARES, "sum to 270"),
        ("vote", "P9", "P2", "vote: Input should be"),
        ("ratings", numbers(6, 5, 3), numbers(1, 5, 3), "less than"),
        ("ranking", ["P1", "P2", "P2"], CAST, "each once"),
        ("ranking", ["P1"], CAST, "each once"),
        ("points", {"P2": 2}, numbers(0, 0, 3), "sum to the number"),
        ("points", numbers(-1, 2, 2), numbers(0, 0, 3), "greater than"),
        ("choice", "a lot", 3, "valid integer"),
    ],
)
def test_a_misfit_goes_back_with_the_reason(field, wrong, right, said):
    record, heard = taken(field, wrong, right)
    fits = SHARED if right == SHARES else right
    assert content(record) == (tuple(fits) if isinstance(fits, list) else fits)
    assert len(heard) == 2 and said in heard[1][-1]["content"]


def bounded(node):
    """Whether every string and list in a JSON schema has a maximum length or an enumeration."""
    if not isinstance(node, dict):
        return not isinstance(node, list) or all(map(bounded, node))
    bounds = {"string": {"maxLength", "enum", "const"}, "array": {"maxItems"}}
    needed = bounds.get(str(node.get("type")))
    fits = not needed or needed & set(node)
    return fits and all(map(bounded, node.values()))


def test_every_string_and_list_of_a_tight_models_form_is_bounded(table):
    forms = [ballot_form(rule.form, IDS, TIGHT) for rule in RULES.values()]
    for environment in (ECONOMY, table()):
        seat = ModelSeat(scripted([]), ACTS, environment)
        seat.limits = TIGHT
        forms += [
            ACTS["message"].form(seat, view("target")),
            ACTS["propose"].form(seat, view("proposal")),
        ]
    assert all(bounded(form.model_json_schema()) for form in forms)


def test_a_model_that_never_finds_the_form_abstains_and_is_counted():
    model = scripted(lambda messages: "I would rather talk about the weather.")
    rng, kinds = np.random.default_rng(0), ["model", "truthful", "truthful"]
    people = seat_all(ECONOMY, kinds, rng, model=model)
    (entry,) = asyncio.run(play(ECONOMY, people, "rated", rounds=1)).rounds
    errors = [(e.agent, e.phase) for e in entry.format_errors]
    assert errors == [("Ana", act) for act in ("message", "propose", "vote")]
    assert "did not give a BallotReply in 3 attempts" in entry.format_errors[2].detail
    assert (entry.ballots[0].choice, entry.replies) == (None, 3)


# ---- a model that predicts a rating ----------------------------------------------------------------------------------


def test_a_rater_reads_the_film_all_schemas_its_own_table_and_never_the_truth(table):
    environment = table(film=[(3, 3.0, 0.5)], user=[(2, "")])
    object.__setattr__(environment, "rating", 1.23)
    replies = [{"proposal": 9}, {"proposal": 3.649}]
    seat, chats = seated(*replies, environment=environment, me="UserHistory")
    seen = view("proposal", me="UserHistory", agents=AGENTS)
    assert asyncio.run(seat.propose(seen)).value == 3.649 and len(chats) == 2
    told = chats[0][0]["content"]
    assert '"Film 7"' in told and all(about in told for about in ABOUT.values())
    assert "7 | Film 0 |  | 1990 | 2 | 1998" in told
    assert "artist" not in told and "1.23" not in str(chats)


def test_a_long_table_is_cut_and_says_so_and_who_may_consult_reads_the_recommender(
    table,
):
    shown, generous = Shown(), Shown(Limits())
    told = table().goal("UserHistory", shown)
    assert "(These are the first 25 of 30 rows.)" in told and "Film 25 |" not in told
    assert (shown.taken(), shown.taken()) == ("25 of 30 rows of a table", "")
    assert "Film 29 |" in table().goal("UserHistory", generous) and not generous.taken()
    assert "There are no such data" in table(user=()).goal("UserHistory", shown)
    consults = table(consult="BasicInfo")
    told = {agent: consults.goal(agent, shown) for agent in AGENTS}
    assert "predicts 4.9 stars, with an error of about 0.1" in told["BasicInfo"]
    assert [who for who in AGENTS if "recommender" in told[who]] == ["BasicInfo"]


# ---- a person --------------------------------------------------------------------------------------------------------

RATED = numbers(5, 1, 1)


@pytest.mark.parametrize(
    ("field", "wrong", "right", "said", "found"),
    [
        ("target", (("Zoe",), "hello"), (["Ben"], "hello"), "one or more of", ("Ben",)),
        ("target", ((), "hello"), (["Ben"], " "), "one or more of", None),
        ("proposal", [[130, 0, 0]] * 3, SHARED, "390", SHARED),
        ("proposal", "even", None, "expected an amount", None),
        ("vote", "P9", "P1", "ballot of Ana", "P1"),
        ("ratings", {**RATED, "P1": 6}, RATED, "ballot of Ana", RATED),
        ("ranking", ["P1", "P1", "P2"], CAST, "ballot of Ana", tuple(CAST)),
        ("ranking", ["P1"], None, "the best first", None),
        ("points", {"P1": 2}, {"P1": 3}, "ballot of Ana", {"P1": 3}),
        ("choice", "a lot", 3, "valid integer", 3),
    ],
)
def test_what_a_person_answers_fits_the_phase_and_the_rule_or_is_refused(
    field, wrong, right, said, found
):
    seat, seen = HumanSeat(ASKS, ECONOMY, me="Ana"), view(field)
    ask = ASKS[seen.phase.act]
    with pytest.raises(InvalidInput, match=said):
        ask.check(seat, wrong, seen)
    assert content(ask.check(seat, right, seen)) == found


def test_a_person_may_state_numbers_beside_the_words():
    seat = HumanSeat(ASKS, ECONOMY, me="Ana")
    answer = ["Ben"], " hello ", {"A": 0.0, "B": None}
    said = ASKS["message"].check(seat, answer, view("target"))
    assert said == Message("Ana", ("Ben",), "hello", claim=(("A", 0.0),))


# ---- temperature and repetition --------------------------------------------------------------------------------------


def test_above_temperature_0_each_seat_draws_a_seed_of_its_own():
    def seeds(stream, temperature):
        how = {"model": scripted([]), "temperature": temperature}
        seats = seat_all(ECONOMY, "model", np.random.default_rng(stream), **how)
        return [seat.settings["seed"] for seat in seats.values()]

    assert len({*seeds(1, 0.7), *seeds(2, 0.7)}) == 6 and seeds(1, 0.0) == [0, 0, 0]


@pytest.mark.parametrize("study", [roundtable_exchange, roundtable_movielens])
def test_temperature_reasoning_and_repetition_of_a_study_reach_its_models(
    study, monkeypatch
):
    def reached(environment, seats, rng, *, noise, spoken):
        raise InterruptedError(spoken)

    module = "support.roundtable.study"
    monkeypatch.setattr(f"{module}.seat_all", reached)
    monkeypatch.setattr(f"{module}._cases", lambda seed: (MovieLens(1, 6, 5.0),) * 3)
    how = {"temperature": 0.7, "reasoning": "off", "repetition": 2}
    with pytest.raises(InterruptedError) as caught:
        asyncio.run(study(np.random.default_rng(0), "majority", **how))
    assert caught.value.args == (Spoken(**how),)
