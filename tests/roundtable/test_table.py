"""The round table under any mechanism: who acts, who sees what when, what is told, voted on, and stands at the end."""

import asyncio
import re
from collections import defaultdict
from types import MappingProxyType, SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.choice import RULES
from support.errors import CallFailed, InvalidInput, MalformedReply
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
from support.roundtable.records import Ballot, Decision, Message, Proposal
from support.roundtable.seats import seat_all
from support.roundtable.table import play

ECONOMY = exchange_economy()
ABC = ECONOMY.agents
ACTS = ("message", "propose", "vote")


def all_to(one):
    """The allocation in which one agent has everything."""
    shares = dict.fromkeys(ABC, [0] * 3)
    return ECONOMY.validate(shares | {one: [100] * 3})


class Stub:
    """Writes to one, wants all and votes for the last of the list, but where its script has another line for a round."""

    kind, script = "stub", {}

    def __init__(self, me, rng):
        self.me, self.views = me, defaultdict(list)

    async def line(self, act, view, usual):
        self.views[act].append(view)
        await asyncio.sleep(self.script.get("delay", 0))
        said = self.script.get(act, {}).get(view.round, usual)
        if isinstance(said, Exception):
            raise said
        return said

    async def message(self, view):
        usual = Message(self.me, view.others[:1], f"{self.me} in {view.round}")
        return await self.line("message", view, usual)

    async def propose(self, view):
        value = await self.line("propose", view, all_to(self.me))
        return Proposal(self.me, value, f"why {self.me}")

    async def vote(self, view):
        choice = await self.line("vote", view, view.candidates[-1].id)
        return Ballot(self.me, choice, f"why {self.me}")


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
        "proposal": dict.fromkeys(ABC, [0] * 3) | {"Ben": [100] * 3},
        "vote": ids[0] if ids else None,
        "ranking": ids,
        "ratings": numbers,
        "points": numbers,
        "choice": 10,
    }


def played(
    mechanism="roundtable",
    rule="plurality",
    seats=Stub,
    environment=ECONOMY,
    rounds=2,
    scripts=MappingProxyType({}),
    **options,
):
    """The record, its first round, the people who sat there, and what models heard."""
    heard = []

    def reply(messages):
        heard.append(messages)
        return agreeable(messages)

    rng = np.random.default_rng(0)
    people = seat_all(environment, seats, rng, model=scripted(reply))
    for agent, script in scripts.items():
        people[agent].script = script
    options |= {"mechanism": mechanism, "rounds": rounds}
    record = asyncio.run(play(environment, people, rule, **options))
    first = record.rounds[0]
    return SimpleNamespace(record=record, first=first, people=people, heard=heard)


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("rule", RULES)
def test_every_mechanism_runs_under_every_rule_with_rule_based_agents_and_models(
    mechanism, rule
):
    record = played(mechanism, rule, ["model", "linear", "model"]).record
    assert not any(entry.format_errors for entry in record.rounds)
    assert record.rounds[1].candidates
    assert record.rounds[0].messages[0].claim == (("A", 0.9),)
    [stage] = stages_of(record)
    assert stage.mechanism.name == mechanism


def test_a_value_keeps_its_id_for_the_whole_discussion():
    soup, rice, stew = map(all_to, ABC)
    cake = ECONOMY.validate(ECONOMY.even_split)
    quiet = {"propose": dict.fromkeys((1, 2, 3)), "vote": dict.fromkeys((1, 2, 3))}
    scripts = dict.fromkeys(ABC, quiet)
    scripts["Ana"] = quiet | {"propose": {1: soup, 2: stew, 3: soup}}
    scripts["Ben"] = quiet | {"propose": {1: rice, 2: None, 3: cake}}
    found = []
    for entry in played(rounds=3, scripts=scripts).record.rounds:
        found.append({c.id: c.value for c in entry.candidates})
    assert found == [
        {"P1": soup, "P2": rice},
        {"P2": rice, "P3": stew},
        {"P1": soup, "P4": cake},
    ]


# -- what does not fit -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("act", "title", "line", "said"),
    [
        ("propose", "Proposals", 130, "proposal: 130 given; expected an amount"),
        ("vote", "Votes", "P9", "ballot of Ben: got 'P9'"),
    ],
)
def test_a_misfit_of_who_reads_words_is_recorded_and_one_of_a_coded_player_is_raised(
    act, title, line, said, monkeypatch
):
    scripts = {"Ben": {act: {1: line}}}
    with pytest.raises(InvalidInput, match=f"Ben .stub. in round 1, {title}: {said}"):
        played(scripts=scripts)
    monkeypatch.setattr(Stub, "acts", {}, raising=False)  # as of a person
    only = played(scripts=scripts).first
    [error] = only.format_errors
    assert (error.agent, error.phase) == ("Ben", act)
    assert said in error.detail
    voters = [ballot for ballot in only.ballots if ballot.choice]
    taken = {"propose": only.proposals, "vote": voters}
    assert [one.agent for one in taken[act]] == ["Ana", "Cleo"]


def test_a_reply_that_never_took_its_form_is_a_format_error_and_any_other_failure_is_raised():
    lost = {act: {1: MalformedReply("no JSON")} for act in ACTS}
    only = played(scripts={"Ana": lost}).first
    errors = [(error.agent, error.phase) for error in only.format_errors]
    assert errors == [("Ana", act) for act in ACTS]
    assert [m.sender for m in only.messages] == ["Ben", "Cleo"]
    assert only.ballots[0].choice is None
    down = {"propose": {1: CallFailed("the endpoint is down")}}
    with pytest.raises(CallFailed, match="endpoint"):
        played(scripts={"Ana": down})


# -- who acts, who sees what, when -------------------------------------------------------------------------------------


def test_phases_are_simultaneous_and_shared_when_they_end_but_for_what_was_thought():
    table = played()
    first, second = table.record.rounds
    assert first.proposals[1].reason == first.ballots[1].reason == "why Ben"
    for seat in table.people.values():
        speaking, proposing, voting = (seat.views[act][1] for act in ACTS)
        assert speaking.decision == first.decision
        assert speaking.messages == proposing.proposals == proposing.candidates == ()
        assert proposing.messages == second.messages
        assert voting.candidates == second.candidates
        assert len(voting.proposals) == len(voting.history[0].ballots) == 3
        assert "why " not in repr(seat.views)


@given(st.permutations(range(3)))
def test_property_who_answers_first_does_not_matter(places):
    scripts = {a: {"delay": n / 1000} for a, n in zip(ABC, places, strict=True)}
    assert played(scripts=scripts).record == played().record


def test_a_whisper_is_read_by_those_concerned_alone_and_the_record_says_that_it_was_one():
    public = []
    table = played("private talks", stop=public.extend)
    whispers = [m for m in table.first.messages if m.private]
    assert [m.phase for m in whispers] == ["private talks"] * 3
    for agent, seat in table.people.items():
        seen = seat.views["vote"][-1].history[0].messages
        concerned = [m for m in whispers if agent in (m.sender, *m.recipients)]
        assert [m for m in seen if m.private] == concerned
    assert [m.private for m in public[0].messages] == [False] * 3


def test_in_turn_each_hears_those_before_and_at_once_nobody_does():
    heard = {"in turn": [0, 1, 2], "roundtable": [0, 0, 0]}
    for mechanism, numbers in heard.items():
        people = played(mechanism).people.values()
        assert [len(seat.views["message"][0].messages) for seat in people] == numbers


def test_a_chair_alone_proposes_and_what_others_proposed_before_is_off_the_list():
    first, second = played({1: "roundtable", 2: "chair"}).record.rounds
    assert first.decision.value == all_to("Cleo")
    assert [p.agent for p in second.proposals] == ["Ana"]
    assert [c.proposers for c in second.candidates] == [("Ana",)]
    assert [b.agent for b in second.ballots] == ["Ben", "Cleo"]


def test_a_sealed_proposal_is_seen_by_nobody_before_the_vote():
    sealed = Mechanism("sealed", (Propose(private=True), Talk(), Vote()))
    views = played(sealed, rounds=1).people["Ben"].views
    [talking], [voting] = views["message"], views["vote"]
    assert [agent for agent, _ in talking.latest] == ["Ben"]
    assert [p.agent for p in talking.proposals] == ["Ben"]
    assert dict(voting.latest).keys() == set(ABC)
    assert len(voting.candidates) == 3


def test_a_stopping_rule_reads_the_public_record_may_end_it_and_is_named_in_it():
    asked = []

    def third(rounds):
        asked.append(rounds)
        return len(rounds) == 3

    for stop, length, stopped in ((third, 3, "third"), (lambda rounds: False, 4, None)):
        record = played(rounds=4, stop=stop).record
        assert len(record.rounds) == length
        assert record.settings["stop"] == stop.__name__
        assert record.settings["stopped"] == stopped
    assert [len(rounds) for rounds in asked] == [1, 2, 3]
    assert "why " not in repr(asked)


# -- an act of one's own -----------------------------------------------------------------------------------------------


class Pot:
    """Everybody gives from 0 to 20 in private; what is given counts double and is shared."""

    agents = ABC

    def validate(self, given):
        return tuple(given.get(agent, 0.0) for agent in ABC)

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


class Giver(Stub):
    async def choose(self, view):
        return await self.line("choose", view, {"Ana": "5"}.get(self.me))


def test_an_act_of_ones_own_is_asked_of_models_and_rules_stays_private_and_takes_its_type():
    table = played(GIVE, seats=[Giver, "model", Giver], environment=Pot())
    chosen = {one.agent: one.value for one in table.first.chosen}
    assert chosen == {"Ana": 5.0, "Ben": 10.0}
    assert table.first.decision.value == (5.0, 10.0, 0.0)
    briefing, question = (message["content"] for message in table.heard[1])
    assert f"You choose {ASKS}." in question
    for told in ("Nobody else sees what you do", "Ben: 10.0", "The pot holds 15"):
        assert told in briefing
    for unsaid in ("Ana: 5", "decision stands", "propos"):
        assert unsaid not in briefing
    before = table.people["Ana"].views["choose"][1].history[0]
    assert [one.agent for one in before.chosen] == ["Ana"]


# -- what is told ------------------------------------------------------------------------------------------------------

AT_ONCE = "In each, all of you act at the same time"
TURNING = Propose(who=lambda agents, number: (agents[number % 3],))


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
    heard = played(mechanism, seats=["linear", "model", "linear"], rounds=4).heard
    briefing = heard[0][0]["content"]
    assert re.search(told, briefing, re.DOTALL)
    assert untold not in briefing


def test_a_change_of_rule_is_announced_from_the_first_round_on():
    heard = played(rule={1: "unanimous", 3: "ranked"}, seats="model", rounds=4).heard
    first, last = (messages[0]["content"] for messages in (heard[0], heard[-1]))
    assert "From round 3 on the rule is ranked" in first
    assert "Until round 2 the rule was unanimous" in last


# -- what makes no sense -----------------------------------------------------------------------------------------------

NOBODY = (Talk(who=lambda agents, number: "Zoe"),)
WRONG = [
    (lambda: played("debate"), "'debate' given; expected one of roundtable"),
    (lambda: played(rule="shouting"), "rule: .*'shouting'.*unanimous, majority"),
    (lambda: played(rule={3: "rated"}), "expected what holds from round 1 on"),
    (lambda: played(rounds=0), "rounds: 0 given; expected a whole number"),
    (lambda: played(tie_break="coin"), "tie_break: .*'coin'.*defer, status_quo"),
    (lambda: played(stop="never"), "stop: 'never' given; expected a name of `STOPS`"),
    (lambda: played(GIVE), "seats: that of Ana has no `async def choose"),
    (lambda: Mechanism("m", (Vote(), Vote())), "'vote' twice"),
    (lambda: Mechanism("m", ()), "mechanism 'm': none given"),
    (lambda: Mechanism("m", (Vote(), Propose())), "a vote before the proposals"),
    (lambda: Mechanism("m", (Talk(),), gather), "of your own and no `end`"),
    (lambda: Propose(who="Ana"), "who: 'Ana' given; expected a function"),
    (lambda: Mechanism("m", Talk()), "'m': Talk.* given; expected a tuple of phases"),
    (lambda: Mechanism("m", (Talk, Vote)), "expected a tuple of phases, such as"),
    (lambda: played(Mechanism("m", NOBODY)), "Messages: `who` names 'Zoe'; expected"),
]


@pytest.mark.parametrize(("make", "said"), WRONG)
def test_what_makes_no_sense_is_refused_before_anybody_is_asked(make, said):
    with pytest.raises(InvalidInput, match=said):
        make()


@settings(max_examples=12)
@given(st.sampled_from(list(RULES)), st.integers(0, 1000))
def test_property_a_discussion_is_consistent_with_itself(rule, seed):
    rng = np.random.default_rng(seed)
    people = seat_all(ECONOMY, "zero-intelligence", rng)
    record = asyncio.run(play(ECONOMY, people, rule, rounds=5, rng=rng))
    standing, latest = None, {}
    for entry in record.rounds:
        latest |= {p.agent: p.value for p in entry.proposals}
        listed = {c.id: c.value for c in entry.candidates}
        stands = {standing.value} if standing else set()
        assert sorted(listed.values()) == sorted({*latest.values()} | stands)
        if winner := entry.winner:
            standing = Decision(winner, listed[winner], entry.number)
        assert entry.decision == standing
