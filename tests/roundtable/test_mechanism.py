"""Mechanisms: who acts, who sees what, what is told, and what a round decides; for all of them, with models, too."""

import asyncio
import re
from types import SimpleNamespace

import numpy as np
import pytest

from support.choice import RULES
from support.errors import InvalidInput
from support.models.stand_ins import scripted
from support.roundtable.economy import exchange_economy
from support.roundtable.mechanism import (
    MECHANISMS,
    Choose,
    Mechanism,
    Propose,
    Talk,
    Vote,
    gather,
    stages_of,
)
from support.roundtable.records import Ballot, Message, Proposal
from support.roundtable.seats import seat_all
from support.roundtable.table import play

ECONOMY = exchange_economy()
AGENTS = ECONOMY.agents


def all_to(one):
    """The allocation in which one agent has everything."""
    shares = {agent: [0] * 3 for agent in AGENTS}
    return shares | {one: [100] * 3}


class Listener:
    """Writes to one, wants all, votes for the last of the list, and keeps what it was shown."""

    kind = "listener"

    def __init__(self, me, rng):
        self.me, self.views = me, []

    async def message(self, view):
        self.views.append(view)
        text = f"{self.me} in {view.round}"
        return Message(self.me, view.others[:1], text)

    async def propose(self, view):
        self.views.append(view)
        return Proposal(self.me, all_to(self.me))

    async def vote(self, view):
        self.views.append(view)
        return Ballot(self.me, view.candidates[-1].id)


def agreeable(messages):
    """What a model replies that fits every phase and every rule."""
    lines = messages[-1]["content"].splitlines()
    ids = [line[2:4] for line in lines if line.startswith("- P")]
    numbers = dict.fromkeys(ids, 1)
    return {
        "target": ["all"],
        "message": "I like A.",
        "claim": {"A": 0.9},
        "reason": "I think",
        "proposal": all_to("Ben"),
        "vote": ids[0] if ids else None,
        "ranking": ids,
        "ratings": numbers,
        "points": numbers,
        "choice": 10,
    }


def played(
    mechanism="roundtable",
    rule="majority",
    seats=Listener,
    replies=None,
    environment=ECONOMY,
    rounds=2,
    **options,
):
    """The record, the people who sat there, and what models heard."""
    heard = []

    def reply(messages):
        heard.append(messages)
        return agreeable(messages)

    model = scripted(replies or reply)
    rng = np.random.default_rng(0)
    people = seat_all(environment, seats, rng, model=model)
    options |= {"mechanism": mechanism, "rounds": rounds}
    record = asyncio.run(play(environment, people, rule, **options))
    return SimpleNamespace(record=record, people=people, heard=heard)


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("rule", RULES)
def test_every_mechanism_runs_under_every_rule_with_rule_based_agents_and_models(
    mechanism, rule
):
    record = played(mechanism, rule, ["model", "linear", "model"]).record
    assert not any(entry.format_errors for entry in record.rounds)
    assert record.rounds[1].candidates
    message = record.rounds[0].messages[0]
    assert message.claim == (("A", 0.9),)
    [stage] = stages_of(record)
    assert stage.mechanism.name == mechanism


# ---- who acts, who sees ----------------------------------------------------------------------------------------------


def test_a_whisper_is_read_by_those_concerned_alone_and_the_record_says_that_it_was_one():
    public = []
    table = played("private talks", stop=public.extend)
    whispers = [m for m in table.record.rounds[0].messages if m.private]
    assert [m.phase for m in whispers] == ["private talks"] * 3
    for agent, seat in table.people.items():
        seen = seat.views[-1].history[0].messages
        concerned = [m for m in whispers if agent in (m.sender, *m.recipients)]
        assert [m for m in seen if m.private] == concerned
    assert [m.private for m in public[0].messages] == [False] * 3


def test_in_turn_each_hears_those_before_and_at_once_nobody_does():
    heard = {"in turn": [0, 1, 2], "roundtable": [0, 0, 0]}
    for mechanism, numbers in heard.items():
        people = played(mechanism).people.values()
        assert [len(seat.views[0].messages) for seat in people] == numbers


class Refusing(Listener):
    async def vote(self, view):
        return None


def test_a_chair_proposes_alone_and_each_of_the_others_has_a_veto():
    record = played("chair", "unanimous").record
    entry = record.rounds[0]
    assert [p.agent for p in entry.proposals] == ["Ana"]
    assert [b.agent for b in entry.ballots] == ["Ben", "Cleo"]
    assert dict(entry.asked) == {"message": 3, "propose": 1, "vote": 2}
    seats = [Listener, Listener, Refusing]
    refused = played("chair", "unanimous", seats).record
    assert record.outcome
    assert not refused.outcome


def test_only_who_may_propose_in_a_round_is_on_its_list():
    first, second = played({1: "roundtable", 2: "chair"}).record.rounds
    assert first.decision.value == ECONOMY.validate(all_to("Cleo"))
    assert [c.proposers for c in second.candidates] == [("Ana",)]


def test_a_sealed_proposal_is_seen_by_nobody_before_the_vote():
    sealed = Mechanism("sealed", (Propose(private=True), Talk(), Vote()))
    people = played(sealed, rounds=1).people
    talking, voting = people["Ben"].views[1:]
    assert [agent for agent, _ in talking.latest] == ["Ben"]
    assert [p.agent for p in talking.proposals] == ["Ben"]
    assert dict(voting.latest).keys() == set(AGENTS)
    assert len(voting.candidates) == 3


def test_who_had_to_be_asked_again_is_recorded_by_phase():
    fits = agreeable([{"content": ""}])
    replies = [fits, "what?", fits, fits]
    seats = ["model", "linear", "linear"]
    record = played(seats=seats, replies=replies, rounds=1).record
    entry = record.rounds[0]
    assert entry.repairs == (("Ana", "propose", 1),)
    assert not entry.format_errors


# ---- an act of one's own ---------------------------------------------------------------------------------------------


class Pot:
    """Everybody gives from 0 to 20 in private; what is given counts double and is shared."""

    agents = AGENTS

    def validate(self, given):
        return tuple(given.get(agent, 0.0) for agent in AGENTS)

    def describe(self, value):
        return f"The pot holds {sum(value):g}."

    def spec(self):
        return {"name": "pot"}

    def task(self):
        return "You each have 20."

    def goal(self, me, shown):
        return "Keep much."


ASKS = "how much you give, from 0 to 20"
GIVE = Mechanism(
    "gifts",
    (Choose("Gifts", asks=ASKS, reply=float, private=True),),
    gather,
    aim="Each of you decides for itself.",
    end="Every round begins anew.",
    lasting=False,
)


class Giver(Listener):
    async def choose(self, view):
        self.views.append(view)
        return {"Ana": "5"}.get(self.me)


def test_an_act_of_ones_own_is_asked_of_models_and_rules_stays_private_and_takes_its_type():
    table = played(GIVE, seats=[Giver, "model", Giver], environment=Pot())
    entry = table.record.rounds[0]
    chosen = {one.agent: one.value for one in entry.chosen}
    assert chosen == {"Ana": 5.0, "Ben": 10.0}
    assert entry.decision.value == (5.0, 10.0, 0.0)
    assert dict(entry.asked) == {"choose": 3}
    briefing, question = (message["content"] for message in table.heard[1])
    assert f"You choose {ASKS}." in question
    assert "Nobody else sees what you do here." in briefing
    assert "Ben: 10.0" in briefing
    assert "The pot holds 15" in briefing
    for unsaid in ("Ana: 5", "decision stands", "propos"):
        assert unsaid not in briefing
    before = table.people["Ana"].views[1].history[0]
    assert [one.agent for one in before.chosen] == ["Ana"]


# ---- what is told ----------------------------------------------------------------------------------------------------

AT_ONCE = "In each, all of you act at the same time"
TURNING = Propose(who=lambda agents, number: (agents[number % 3],))


def briefings(**how):
    """What the model in the second of three seats reads before each question."""
    seats = ["linear", "model", "linear"]
    heard = played(seats=seats, rounds=4, **how).heard
    return [messages[0]["content"] for messages in heard]


@pytest.mark.parametrize(
    ("mechanism", "told", "untold"),
    [
        ("roundtable", f"are 4 rounds.*{AT_ONCE}", "alone"),
        ("chair", "Ana alone may put a solution on the list", AT_ONCE),
        ("chair", "Only Ben and Cleo may vote", "and the decision that stands"),
        ("private talks", "Only those it is written to can read it", AT_ONCE),
        ("in turn", "In turn, in the order Ana, Ben and Cleo", AT_ONCE),
        (
            {1: "roundtable", 4: "chair"},
            "Rounds 1 to 3 have three phases.*From round 4 on.*Ana alone may",
            "Every round",
        ),
        (
            Mechanism("turning", (Talk(), TURNING, Vote())),
            "so in round 1:.*Ben alone may.*latest proposal of Ben and",
            AT_ONCE,
        ),
    ],
)
def test_what_is_told_is_what_is_played(mechanism, told, untold):
    briefing = briefings(mechanism=mechanism)[0]
    assert re.search(told, briefing, re.DOTALL)
    assert untold not in briefing


def test_no_list_and_no_votes_are_told_of_a_round_in_which_nobody_proposed():
    heard = []

    def silent(messages):
        heard.append(messages[0]["content"])
        return agreeable(messages) | {"proposal": None}

    played(seats="model", replies=silent)
    told = heard[-1]
    assert "Round 1: " in told
    assert "voted on" not in told and "votes of round" not in told


def test_a_change_of_rule_is_announced_from_the_first_round_on():
    first, *_, last = briefings(rule={1: "unanimous", 3: "ranked"})
    assert "From round 3 on the rule is ranked" in first
    assert "Until round 2 the rule was unanimous" in last
    assert "From round" not in last


# ---- what makes no sense ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: played("debate"), "'debate' given; expected one of roundtable"),
        (lambda: played(rule={3: "rated"}), "expected what holds from round 1 on"),
        (lambda: played(GIVE), "seats: that of Ana has no `async def choose"),
        (lambda: Mechanism("m", (Vote(), Vote())), "'vote' twice"),
        (lambda: Mechanism("m", GIVE.phases * 2, gather, end=""), "'choose' twice"),
        (lambda: Mechanism("m", ()), "mechanism 'm': none given"),
        (lambda: Mechanism("m", (Vote(), Propose())), "a vote before the proposals"),
        (lambda: Mechanism("m", (Talk(),), gather), "of your own and no `end`"),
        (lambda: Propose(who="Ana"), "who: 'Ana' given; expected a function"),
    ],
)
def test_what_makes_no_sense_is_refused_before_anybody_is_asked(make, said):
    with pytest.raises(InvalidInput, match=said):
        make()
