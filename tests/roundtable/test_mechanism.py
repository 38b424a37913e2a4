"""Mechanisms: who acts, who sees what, what is told, and what a round decides; for all of them, with models, too."""

import asyncio
from dataclasses import replace

import numpy as np
import pytest

from support.choice import RULES
from support.errors import InvalidInput
from support.models.stand_ins import scripted
from support.roundtable.economy import exchange_economy
from support.roundtable.mechanism import (
    MECHANISMS,
    ROUNDTABLE,
    Choose,
    Mechanism,
    Propose,
    Talk,
    Vote,
    first,
    gather,
    stages_of,
)
from support.roundtable.records import Message, Proposal
from support.roundtable.seats import seat_all
from support.roundtable.table import play

ECONOMY = exchange_economy()
AGENTS = ECONOMY.agents
MINE = {"Ana": [80, 10, 10], "Ben": [10, 80, 10], "Cleo": [10, 10, 80]}


class Listener:
    """Writes to the next one, proposes, votes for the last of the list, and keeps what it was shown."""

    kind = "listener"

    def __init__(self, me, rng):
        self.me, self.views = me, []

    def _see(self, view):
        self.views.append(view)
        return view

    async def message(self, view):
        seen = self._see(view)
        after = AGENTS[(AGENTS.index(self.me) + 1) % len(AGENTS)]
        return Message(self.me, (after,), f"{self.me} in {seen.phase.title}")

    async def propose(self, view):
        self._see(view)
        turned = [MINE[AGENTS[(i + AGENTS.index(self.me)) % 3]] for i in range(3)]
        return Proposal(self.me, turned, "private")

    async def vote(self, view):
        from support.roundtable.records import Ballot

        return Ballot(self.me, self._see(view).candidates[-1].id)


def played(mechanism, rule="plurality", rounds=2, seats=Listener, **options):
    people = seat_all(ECONOMY, seats, np.random.default_rng(0))
    return asyncio.run(
        play(ECONOMY, people, rule, mechanism=mechanism, rounds=rounds, **options)
    ), people


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("rule", RULES)
def test_every_mechanism_runs_under_every_rule_with_rule_based_agents_and_models(
    mechanism, rule
):
    def reply(messages):
        asked = messages[-1]["content"]
        ids = [line[2:4] for line in asked.splitlines() if line.startswith("- P")]
        if '"message"' in asked:
            return {"target": ["all"], "message": "hello", "claim": {"A": 0.8}}
        if '"proposal"' in asked:
            return {"reason": "", "proposal": MINE}
        numbers = dict.fromkeys(ids, 1)
        return {
            "reason": "",
            "vote": ids[0],
            "ranking": ids,
            "ratings": numbers,
            "points": numbers,
        }

    people = seat_all(
        ECONOMY,
        ["model", "linear", "model"],
        np.random.default_rng(0),
        model=scripted(reply),
    )
    record = asyncio.run(play(ECONOMY, people, rule, mechanism=mechanism, rounds=2))
    assert (
        not any(r.format_errors for r in record.rounds) and record.rounds[1].candidates
    )
    assert [s.mechanism.name for s in stages_of(record)] == [mechanism]


def test_a_whisper_is_read_by_those_it_is_written_to_alone_and_the_record_says_that_it_was_one():
    record, people = played("private talks")
    whispers = [m for r in record.rounds for m in r.messages if m.private]
    assert len(whispers) == 6 and {m.phase for m in whispers} == {"private talks"}
    for agent, seat in people.items():
        last = seat.views[-1]
        seen = [m for r in last.history for m in r.messages] + [*last.messages]
        for m in whispers:
            assert (m in seen) == (agent in (m.sender, *m.recipients))
    seen = []
    played("private talks", stop=lambda rounds: seen.extend(rounds))
    assert seen and not any(m.private for r in seen for m in r.messages)


def test_in_turn_each_hears_those_before_and_at_once_nobody_does():
    for mechanism, heard in (("in turn", [0, 1, 2]), ("roundtable", [0, 0, 0])):
        _, people = played(mechanism, rounds=1)
        assert [len(seat.views[0].messages) for seat in people.values()] == heard


def test_a_chair_proposes_alone_and_each_of_the_others_has_a_veto():
    record, people = played("chair", "unanimous")
    for entry in record.rounds:
        assert [p.agent for p in entry.proposals] == ["Ana"]
        assert [b.agent for b in entry.ballots] == ["Ben", "Cleo"]
        assert dict(entry.asked) == {"message": 3, "propose": 1, "vote": 2}
    assert record.outcome is not None

    async def refuse(view):
        return None

    people["Cleo"].vote = refuse
    again = asyncio.run(play(ECONOMY, people, "unanimous", mechanism="chair", rounds=2))
    assert again.outcome is None


def test_only_who_may_propose_in_a_round_is_on_its_list():
    record, _ = played({1: "roundtable", 2: "chair"}, "majority")
    assert [c.proposers for c in record.rounds[1].candidates] == [("Ana",)]


def test_a_sealed_proposal_is_seen_by_nobody_before_the_vote():
    sealed = Mechanism("sealed", (Propose(private=True), Talk(), Vote()))
    _, people = played(sealed, rounds=1)
    talking, voting = people["Ben"].views[1:]
    assert [a for a, _ in talking.latest] == ["Ben"] and len(talking.proposals) == 1
    assert {a for a, _ in voting.latest} == set(AGENTS) and len(voting.candidates) == 3


class Pot:
    """Everybody gives from 0 to 20 in private; what is given counts double and is shared."""

    agents, maximum = AGENTS, 60.0

    def validate(self, given):
        return tuple(float(given.get(agent, 0)) for agent in self.agents)

    def utilities(self, value):
        return 20 - np.array(value) + 2 * sum(value) / 3

    def describe(self, value):
        return f"The pot holds {sum(value):g}."

    def spec(self):
        return {"name": "pot"}

    def task(self):
        return "You each have 20."

    def goal(self, me, shown):
        return "Keep much."


GIVE = Mechanism(
    "gifts",
    (
        Choose(
            "Gifts", asks="how much you give, from 0 to 20", reply=float, private=True
        ),
    ),
    gather,
    aim="Each of you decides for itself.",
    end="Every round begins anew.",
    lasting=False,
)


class Giver:
    kind = "giver"

    def __init__(self, me, rng):
        self.me, self.views = me, []

    async def choose(self, view):
        self.views.append(view)
        return {"Ana": 5.0}.get(self.me)


def test_an_act_of_ones_own_is_asked_of_models_and_rules_stays_private_and_is_checked_by_its_type():
    heard = []

    def reply(messages):
        heard.append(messages)
        return {"reason": "I think", "choice": 10}

    rng = np.random.default_rng(0)
    people = seat_all(Pot(), [Giver, "model", Giver], rng, model=scripted(reply))
    record = asyncio.run(play(Pot(), people, "majority", mechanism=GIVE, rounds=2))
    first_round = record.rounds[0]
    assert {c.agent: c.value for c in first_round.chosen} == {"Ana": 5.0, "Ben": 10.0}
    assert first_round.decision.value == (5.0, 10.0, 0.0)
    assert dict(first_round.asked) == {"choose": 3}
    briefing, question = (m["content"] for m in heard[1])
    assert "You choose how much you give, from 0 to 20." in question
    assert "Nobody else sees what you do here." in briefing and "Ben: 10.0" in briefing
    assert "The pot holds 15." in briefing and "Ana: 5" not in briefing
    assert "decision stands" not in briefing and "propos" not in briefing
    assert [c.agent for c in people["Ana"].views[1].history[0].chosen] == ["Ana"]


def briefing_of(mechanism, rule="majority", rounds=4, at=0, **options):
    """What a model reads before its question number `at`."""
    heard = []

    def reply(messages):
        heard.append(messages[0]["content"])
        return {
            "target": [],
            "message": None,
            "proposal": None,
            "reason": "",
            "vote": None,
        }

    people = seat_all(
        ECONOMY,
        ["linear", "model", "linear"],
        np.random.default_rng(0),
        model=scripted(reply),
    )
    asyncio.run(
        play(ECONOMY, people, rule, mechanism=mechanism, rounds=rounds, **options)
    )
    return heard[at]


def test_what_is_told_is_what_is_played():
    usual = briefing_of("roundtable")
    assert (
        "There are 4 rounds. Every round has three phases. In each, all of you act at the same time"
        in usual
    )
    assert "There is one round. Round 1 has three phases." in briefing_of(
        "roundtable", rounds=1
    )
    chair = briefing_of("chair", "unanimous")
    assert "at the same time and see what the others did" not in chair
    assert (
        "Ana alone may put a solution on the list" in chair
        and "Only Ben and Cleo may vote" in chair
    )
    assert "the decision that stands" not in chair.split("Nothing is decided")[0]
    private = briefing_of("private talks")
    assert (
        "Only those it is written to can read it." in private
        and "four phases" in private
    )
    assert "In turn, in the order Ana, Ben and Cleo" in briefing_of("in turn")
    turning = Propose(who=lambda agents, number: (agents[number - 1],))
    second = briefing_of(
        Mechanism("turning", (Talk(), turning, Vote())), rounds=2, at=3
    )
    assert "changes from round to round; it is so in round 2:" in second
    assert "Ben alone may" in second and "latest proposal of Ben and" in second


def test_a_change_that_is_announced_is_told_from_the_first_round_and_recorded():
    schedule = {1: "unanimous", 3: "ranked"}
    chair = briefing_of({1: "roundtable", 4: "chair"}, "majority")
    assert "Rounds 1 to 3 have three phases" in chair
    assert "Ana alone may put a solution" in chair.split("From round 4 on")[1]
    first = briefing_of("roundtable", schedule)
    assert "Rounds 1 and 2" in first and "From round 3 on the rule is ranked" in first
    third = briefing_of("roundtable", schedule, at=6)
    assert "From round" not in third and "Until round 2 the rule was unan" in third
    record, _ = played("roundtable", schedule, rounds=4)
    assert record.rule == "unanimous, then ranked"
    kept = [(stage.first, stage.rule.name) for stage in stages_of(record)]
    assert kept == [(1, "unanimous"), (3, "ranked")]
    assert all(isinstance(b.choice, str) for b in record.rounds[1].ballots)


def test_rule_based_agents_hear_what_a_model_claims_in_numbers_beside_its_words():
    def reply(messages):
        asked = messages[-1]["content"]
        if '"message"' in asked:
            return {
                "target": ["all"],
                "message": "I like A.",
                "claim": {"A": 0.9, "B": 0.1},
            }
        return {"reason": "", "proposal": None, "vote": None}

    people = seat_all(
        ECONOMY,
        ["model", "linear", "linear"],
        np.random.default_rng(0),
        model=scripted(reply),
    )
    record = asyncio.run(play(ECONOMY, people, "majority", rounds=1))
    assert record.rounds[0].messages[0].claim == (("A", 0.9), ("B", 0.1))
    silent = briefing_of("roundtable")
    assert "claim" not in silent


def test_who_had_to_be_asked_again_is_recorded_by_phase():
    replies = iter(
        [{"target": [], "message": None}, "what?", {"reason": "", "proposal": None}]
    )
    people = seat_all(
        ECONOMY,
        ["model", "linear", "linear"],
        np.random.default_rng(0),
        model=scripted(lambda m: next(replies)),
    )
    people["Ana"].vote = people["Ben"].vote
    entry = asyncio.run(play(ECONOMY, people, "majority", rounds=1)).rounds[0]
    assert entry.repairs == (("Ana", "propose", 1),) and not entry.format_errors


@pytest.mark.parametrize(
    ("mechanism", "rule", "seats", "complaint"),
    [
        (
            "debate",
            "majority",
            "linear",
            "mechanism: 'debate' given; expected one of roundtable",
        ),
        ({2: "chair"}, "majority", "linear", "expected what holds from round 1 on"),
        ("roundtable", {3: "ranked"}, "linear", "expected what holds from round 1 on"),
        (GIVE, "majority", "linear", "seats: that of Ana has no `async def choose"),
    ],
)
def test_what_cannot_be_played_is_told_before_anybody_is_asked(
    mechanism, rule, seats, complaint
):
    with pytest.raises(InvalidInput, match=complaint):
        played(mechanism, rule, seats=seats)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"phases": (Propose(who=first), Vote(), Vote())}, "'vote' twice"),
        ({"phases": GIVE.phases * 2, "decide": gather, "end": ""}, "'choose' twice"),
        ({"phases": ()}, "none given"),
        ({"phases": (Vote(), Propose())}, "a vote before the proposals"),
        ({"decide": gather}, "`decide` of your own and no `end`"),
    ],
)
def test_a_mechanism_that_makes_no_sense_is_refused_when_it_is_made(changed, said):
    with pytest.raises(InvalidInput, match=f"mechanism 'roundtable': {said}"):
        replace(ROUNDTABLE, **changed)
    with pytest.raises(InvalidInput, match="who: 'Ana' given; expected a function"):
        Propose(who="Ana")


def test_the_mechanism_of_the_paper_is_registered():
    assert ROUNDTABLE.name in MECHANISMS
