"""Who sits at the round table: what a model is told and may answer, a person, rules and objects of one's own."""

import asyncio
import json
from types import SimpleNamespace

import numpy as np
import pytest

from support.choice import RULES
from support.errors import InvalidInput
from support.models.profiles import Limits
from support.models.stand_ins import scripted
from support.roundtable.economy import ExchangeEconomy
from support.roundtable.mechanism import Talk, Vote
from support.roundtable.movielens import ABOUT, AGENTS, MovieLens
from support.roundtable.records import Ballot, Candidate, Message, Proposal, View
from support.roundtable.seats import ballot_form, message_form, negotiator, seat_all
from support.roundtable.study import roundtable_exchange, roundtable_movielens
from support.roundtable.table import play
from support.seats import Shown

ECONOMY = ExchangeEconomy(((0.71, 0.16, 0.13), (0.22, 0.47, 0.31), (0.09, 0.38, 0.53)))
EVEN = ECONOMY.even_split
IDS = ("P1", "P2", "P3")
LISTED = tuple(Candidate(i, EVEN, ("Ben",)) for i in IDS)
SHARES = {"Ana": [80, 10, 10], "Ben": [10, 80, 10], "Cleo": [10, 10, 80]}


def view(rule="plurality", candidates=(), me="Ana", agents=ECONOMY.agents, **known):
    form = RULES[rule].form if rule in RULES else "ranking"
    told = RULES[rule].explanation if rule in RULES else ""
    phase = known.pop("phase", Vote())
    return View(
        me, agents, rule, form, told, 2, 10, candidates=candidates, phase=phase, **known
    )


def seated(*replies, environment=ECONOMY, me="Ana"):
    """A seat whose model gives these replies, and the chats that the model was given."""
    heard, lines = [], iter(replies)
    model = scripted(lambda messages: heard.append(messages) or next(lines))
    return seat_all(environment, "model", np.random.default_rng(0), model=model)[
        me
    ], heard


# ---- a model ---------------------------------------------------------------------------------------------------------


def test_a_model_is_told_its_own_weights_the_rule_and_the_record_and_nobody_elses_weights_or_reasons():
    asked = []

    def chatterbox(messages):
        prompt = messages[-1]["content"]
        me = messages[0]["content"].split("You are ")[1].split(".")[0]
        asked.append((me, messages))
        if '"message"' in prompt:
            return {
                "target": [a for a in ECONOMY.agents if a != me][:1],
                "message": f"public words of {me}",
            }
        if '"proposal"' in prompt:
            return {"reason": f"SECRET-{me}-plan", "proposal": SHARES}
        return {"reason": f"SECRET-{me}-vote", "vote": "P1"}

    people = seat_all(
        ECONOMY, "model", np.random.default_rng(0), model=scripted(chatterbox)
    )
    record = asyncio.run(play(ECONOMY, people, "majority", rounds=2))
    assert record.rounds[0].ballots[1].reason == "SECRET-Ben-vote" and len(asked) == 18
    for me, messages in asked:
        told, text = messages[0]["content"], json.dumps(messages)
        own = ECONOMY.weights[ECONOMY.agents.index(me)]
        others = {f"{w:.2f}" for row in ECONOMY.weights if row != own for w in row} - {
            f"{w:.2f}" for w in own
        }
        assert (
            all(f"{good} ^ {w}" in told for good, w in zip("ABC", own, strict=True))
            and "SECRET" not in text
        )
        assert (
            not any(weight in text for weight in others)
            and f"majority: {RULES['majority'].explanation}" in told
        )
    first, told = record.rounds[0], asked[-1][1][0]["content"]
    assert (
        f"The standing decision: P1, accepted in round 1: {ECONOMY.describe(first.decision.value)}"
        in told
    )
    assert all(
        f"Round 1, {m.sender} to {m.recipients[0]}: {m.text}" in told
        for m in first.messages
    )
    assert first.why in told and "- Ben: P1" in told


def numbers(*of):
    return dict(zip(IDS, of, strict=True))


@pytest.mark.parametrize(
    ("phase", "rule", "field", "values", "found"),
    [
        ("propose", "majority", "proposal", [None], None),
        (
            "propose",
            "majority",
            "proposal",
            [{a: [90] * 3 for a in SHARES}, SHARES],
            ECONOMY.validate(SHARES),
        ),
        ("vote", "majority", "vote", ["P9", "P2"], "P2"),
        ("vote", "majority", "vote", [None], None),
        (
            "vote",
            "rated",
            "ratings",
            [numbers(6, 5, 3), numbers(1, 5, 3)],
            tuple(numbers(1, 5, 3).items()),
        ),
        (
            "vote",
            "ranked",
            "ranking",
            [["P1", "P2", "P2"], ["P3", "P1", "P2"]],
            ("P3", "P1", "P2"),
        ),
        (
            "vote",
            "cumulative",
            "points",
            [numbers(0, 1, 3), numbers(0, 0, 3)],
            tuple(numbers(0, 0, 3).items()),
        ),
        (
            "vote",
            "cumulative",
            "points",
            [numbers(-1, 2, 2), numbers(0, 0, 3)],
            tuple(numbers(0, 0, 3).items()),
        ),
    ],
)
def test_replies_become_what_the_table_takes_and_a_misfit_goes_back_with_the_reason(
    phase, rule, field, values, found
):
    seat, heard = seated(*({"reason": "", field: value} for value in values))
    made = asyncio.run(getattr(seat, phase)(view(rule, LISTED)))
    assert (
        made.value if phase == "propose" else made.choice
    ) == found and seat.replies == 1
    assert len(heard) == len(values)
    complaints = (
        "sum to 270",
        "sum to the number of candidates",
        "vote: Input should be",
        "less than or equal",
        "greater than",
        "each once",
    )
    assert len(heard) == 1 or any(why in heard[1][-1]["content"] for why in complaints)


def bounded(node):
    """Whether every string and list in a JSON schema has a maximum length or an enumeration."""
    if not isinstance(node, dict):
        return not isinstance(node, list) or all(map(bounded, node))
    own = node.get("type") != "string" or {"maxLength", "enum", "const"} & set(node)
    return (
        own
        and (node.get("type") != "array" or "maxItems" in node)
        and all(map(bounded, node.values()))
    )


def test_every_string_and_list_of_a_tight_models_form_is_bounded(table):
    forms = [
        message_form(("Ben", "Cleo"), 240),
        ECONOMY.schema(160),
        table().schema(160),
    ]
    forms += [
        ballot_form(kind, IDS, 160) for kind in ("vote", "ratings", "ranking", "points")
    ]
    assert all(bounded(form.model_json_schema()) for form in forms)


FAVOURITES = {"Ana": {"A": 100}, "Ben": {"B": 100}, "Cleo": {"C": 100}}
NAMED = {a: dict(zip("ABC", row, strict=True)) for a, row in SHARES.items()}


@pytest.mark.parametrize(
    ("phase", "reply", "made"),
    [
        ("message", {"target": ["all"], "message": "hello"}, ("Ben", "Cleo")),
        ("message", {"target": "everyone", "message": "hello"}, ("Ben", "Cleo")),
        ("message", {"target": ["Cleo"], "message": "hello"}, ("Cleo",)),
        ("message", {"target": "cleo", "message": "hello"}, ("Cleo",)),
        ("message", {"target": [], "message": "hello"}, ("Ben", "Cleo")),
        ("message", {"target": ["Ben"], "message": ""}, None),
        ("message", {"target": [], "message": None}, None),
        ("propose", {"reason": "x" * 1601, "proposal": NAMED}, ECONOMY.validate(SHARES)),
        ("propose", {"proposal": FAVOURITES}, ECONOMY.validate(100 * np.eye(3))),
        ("propose", {"reason": None, "proposal": "none"}, None),
        ("vote", {"reason": "", "ranking": ["P2", "P3"]}, ("P2", "P3", "P1")),
        ("vote", {"reason": None, "ranking": ["p2", "p3"]}, ("P2", "P3", "P1")),
        ("vote", {"ranking": "abstain"}, None),
    ],
)  # fmt: skip
def test_sensible_replies_are_taken_at_once(phase, reply, made):
    seat, _ = seated(reply)
    known = {"phase": Talk()} if phase == "message" else {}
    answer = asyncio.run(getattr(seat, phase)(view("ranked", LISTED, **known)))
    if phase == "message":
        taken = Talk().take(SimpleNamespace(agents=ECONOMY.agents), "Ana", answer)
        found = taken and taken.recipients
    else:
        found = answer.value if phase == "propose" else answer.choice
        assert len(answer.reason) <= 1600
    assert found == made and seat.repairs == 0


def test_proposals_that_get_no_points_may_be_left_out():
    seat, heard = seated({"points": {"P2": 2}}, {"points": {"p2": 3}})
    ballot = asyncio.run(seat.vote(view("cumulative", LISTED)))
    assert ballot.plain == {"P1": 0, "P2": 3, "P3": 0} and len(heard) == 2


def test_a_model_that_never_finds_the_form_abstains_and_is_counted():
    model = scripted(lambda messages: "I would rather talk about the weather.")
    people = seat_all(
        ECONOMY,
        ["model", "truthful", "truthful"],
        np.random.default_rng(0),
        model=model,
    )
    (entry,) = asyncio.run(play(ECONOMY, people, "rated", rounds=1)).rounds
    assert [(e.agent, e.phase) for e in entry.format_errors] == [
        ("Ana", p) for p in ("message", "propose", "vote")
    ]
    assert "did not give a BallotReply in 3 attempts" in entry.format_errors[2].detail
    assert (entry.ballots[0].choice, entry.replies) == (None, 3)


# ---- a model that predicts a rating ----------------------------------------------------------------------------------


def test_a_rater_reads_the_film_all_schemas_its_own_table_and_never_the_truth(table):
    environment = table(film=[(3, 3.0, 0.5)], user=[(2, "")])
    object.__setattr__(environment, "rating", 1.23)
    replies = [{"reason": "", "proposal": 9}, {"reason": "", "proposal": 3.649}]
    seat, chats = seated(*replies, environment=environment, me="UserHistory")
    assert asyncio.run(seat.propose(view(me="UserHistory", agents=AGENTS))).value == 3.6
    told = chats[0][0]["content"]
    assert '"Film 7"' in told and all(about in told for about in ABOUT.values())
    assert (
        "7 | Film 0 |  | 1990 | 2 | 1998" in told
        and "artist" not in told
        and "1.23" not in str(chats)
    )


def test_a_long_table_is_cut_and_says_so_and_only_who_may_consult_reads_the_recommender(
    table,
):
    shown, generous = Shown(), Shown(Limits())
    told = table().goal("UserHistory", shown)
    assert "(These are the first 25 of 30 rows.)" in told and "Film 25 |" not in told
    assert (shown.taken(), shown.taken()) == ("25 of 30 rows of a table", "")
    assert "Film 29 |" in table().goal("UserHistory", generous) and not generous.taken()
    assert "There are no such data" in table(user=()).goal("UserHistory", shown)
    consulted = table(consult="BasicInfo")
    assert "predicts 4.9 stars, with an error of about 0.1" in consulted.goal(
        "BasicInfo", shown
    )
    assert "recommender" not in consulted.goal("UserHistory", shown) + table().goal(
        "BasicInfo", shown
    )


# ---- a person --------------------------------------------------------------------------------------------------------


def checked(phase, answer, rule="plurality"):
    """What a person's answer in a phase becomes."""
    seat = negotiator().person("Ana", ECONOMY)
    return seat.asks[phase].check(seat, answer, view(rule, LISTED))


HELLO, RATED, CAST = (
    Message("Ana", ("Ben",), "hello"),
    {"P1": 5, "P2": 1, "P3": 1},
    ("P2", "P1", "P3"),
)


@pytest.mark.parametrize(
    ("phase", "rule", "wrong", "right", "said", "found"),
    [
        (
            "message",
            "plurality",
            (("Zoe",), "hello"),
            (["Ben"], " hello "),
            r"one or more of \['Ben', 'Cleo'\]",
            HELLO,
        ),
        (
            "message",
            "plurality",
            ((), "hello"),
            (["Ben"], " "),
            "expected one or more of",
            None,
        ),
        (
            "propose",
            "plurality",
            [[130, 0, 0]] * 3,
            EVEN,
            "390",
            Proposal("Ana", ECONOMY.validate(EVEN)),
        ),
        ("propose", "plurality", "even", None, "expected an amount", None),
        ("vote", "plurality", "P9", "P1", "ballot of Ana", Ballot("Ana", "P1")),
        (
            "vote",
            "rated",
            {**RATED, "P1": 6},
            RATED,
            "ballot of Ana",
            Ballot("Ana", tuple(RATED.items())),
        ),
        (
            "vote",
            "ranked",
            ["P1", "P1", "P2"],
            [*CAST],
            "ballot of Ana",
            Ballot("Ana", CAST),
        ),
        (
            "vote",
            "cumulative",
            {"P1": 2},
            {"P1": 3},
            "ballot of Ana",
            Ballot("Ana", (("P1", 3),)),
        ),
        ("vote", "my own", ["P1"], None, "the best first", Ballot("Ana", None)),
    ],
)
def test_what_a_person_answers_fits_the_phase_and_the_rule_or_is_refused(
    phase, rule, wrong, right, said, found
):
    with pytest.raises(InvalidInput, match=said):
        checked(phase, wrong, rule)
    assert checked(phase, right, rule) == found


# ---- temperature and repetition --------------------------------------------------------------------------------------


def test_above_temperature_0_each_seat_draws_a_seed_of_its_own():
    def seeds(stream, temperature):
        rng = np.random.default_rng(stream)
        seats = seat_all(
            ECONOMY, "model", rng, model=scripted([]), temperature=temperature
        )
        return [seat.settings["seed"] for seat in seats.values()]

    assert len({*seeds(1, 0.7), *seeds(2, 0.7)}) == 6 and seeds(1, 0.0) == [0, 0, 0]


@pytest.mark.parametrize("study", [roundtable_exchange, roundtable_movielens])
def test_temperature_reasoning_and_repetition_of_a_study_reach_its_models(
    study, monkeypatch
):
    reached = []

    def taken(environment, seats, rng, *, noise, spoken):
        reached.append(spoken)
        raise InterruptedError

    monkeypatch.setattr("support.roundtable.study.seat_all", taken)
    monkeypatch.setattr(
        "support.roundtable.study._cases", lambda seed: (MovieLens(1, 6, 5.0),) * 3
    )
    with pytest.raises(InterruptedError):
        asyncio.run(
            study(
                np.random.default_rng(0),
                "majority",
                temperature=0.7,
                reasoning="off",
                repetition=2,
            )
        )
    assert (reached[0].temperature, reached[0].reasoning, reached[0].repetition) == (
        0.7,
        "off",
        2,
    )
