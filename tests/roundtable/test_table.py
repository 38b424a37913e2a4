"""The round table: who sees what when, what is voted on, and what stands at the end."""

import asyncio

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.choice import RULES
from support.errors import CallFailed, InvalidInput, InvalidProposal, MalformedReply
from support.roundtable.economy import exchange_economy
from support.roundtable.records import Ballot, Decision, Message, Proposal
from support.roundtable.seats import seat_all
from support.roundtable.table import play

ABC = ("Ana", "Ben", "Cleo")
PHASES = ("message", "propose", "vote")


class Menu:
    """An environment whose states are dishes."""

    agents = ABC

    def validate(self, proposal):
        if not isinstance(proposal, str):
            raise InvalidProposal(f"dish: {proposal!r} given; expected a name")
        return proposal

    def spec(self):
        return {"name": "menu"}


class Stub:
    """A participant whose script has a line a round in each phase; it keeps its views."""

    kind, delay = "stub", 0.0

    def __init__(self, me, **script):
        self.me, self.script = me, script
        self.seen = {phase: [] for phase in PHASES}

    async def message(self, view):
        usual = Message(view.me, view.others, f"{view.me} speaks in {view.round}")
        return await self._line("message", view) or usual

    async def propose(self, view):
        value = await self._line("propose", view)
        return Proposal(view.me, value, f"why {view.me}")

    async def vote(self, view):
        choice = await self._line("vote", view)
        return Ballot(view.me, choice, f"why {view.me}")

    async def _line(self, phase, view):
        self.seen[phase].append(view)
        await asyncio.sleep(self.delay)
        lines = dict(enumerate(self.script.get(phase, ()), 1))
        line = lines.get(view.round)
        if isinstance(line, Exception):
            raise line
        return line


def silent():
    """Nobody proposes anything."""
    return {agent: Stub(agent) for agent in ABC}


def everywhere():
    """Each proposes a dish of its own, and votes for the first."""
    seats = silent()
    for agent, seat in seats.items():
        seat.script = {"propose": [f"dish of {agent}"] * 2, "vote": ["P1"] * 2}
    return seats


def played(seats, rule="plurality", rounds=1, **options):
    return asyncio.run(play(Menu(), seats, rule, rounds=rounds, **options)).rounds


def test_a_value_keeps_its_id_for_the_whole_discussion():
    seats = silent()
    seats["Ana"].script["propose"] = ["soup", "stew", "soup"]
    seats["Ben"].script["propose"] = ["rice", None, "cake"]
    found = []
    for entry in played(seats, rounds=3):
        found.append({c.id: c.value for c in entry.candidates})
    assert found == [
        {"P1": "soup", "P2": "rice"},
        {"P2": "rice", "P3": "stew"},
        {"P1": "soup", "P4": "cake"},
    ]


# -- what does not fit ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("phase", "title", "line", "said"),
    [
        ("propose", "Proposals", 130, "dish: 130 given; expected a name"),
        ("vote", "Votes", "P9", "ballot of Ben: got 'P9'"),
    ],
)
def test_a_misfit_of_who_reads_words_is_recorded_and_one_of_a_coded_player_is_raised(
    phase, title, line, said
):
    seats = everywhere()
    seats["Ben"].script[phase] = [line]
    with pytest.raises(InvalidInput, match=f"Ben .stub. in round 1, {title}: {said}"):
        played(seats)
    seats["Ben"].acts = {}  # as of a person
    [only] = played(seats)
    [error] = only.format_errors
    assert error.agent == "Ben"
    assert error.phase == phase
    assert said in error.detail
    voters = [ballot for ballot in only.ballots if ballot.choice]
    taken = {"propose": only.proposals, "vote": voters}
    assert [one.agent for one in taken[phase]] == ["Ana", "Cleo"]


def test_a_reply_that_never_took_its_form_is_a_format_error_and_any_other_failure_is_raised():
    seats = everywhere()
    lost = [MalformedReply("no JSON")]
    seats["Ana"].script = dict.fromkeys(PHASES, lost)
    [only] = played(seats)
    errors = [(error.agent, error.phase) for error in only.format_errors]
    assert errors == [("Ana", phase) for phase in PHASES]
    assert [m.sender for m in only.messages] == ["Ben", "Cleo"]
    assert only.ballots[0].choice is None
    assert only.winner == "P1"
    seats["Ana"].script["propose"] = [CallFailed("the endpoint is down")]
    with pytest.raises(CallFailed, match="endpoint"):
        played(seats)


def test_with_nothing_on_the_list_nobody_is_asked_to_vote_and_all_abstain():
    seats = silent()
    [only] = played(seats)
    assert [ballot.choice for ballot in only.ballots] == [None] * 3
    assert not any(seat.seen["vote"] for seat in seats.values())


@pytest.mark.parametrize(
    ("named", "recorded"),
    [(("Cleo", "Ana", "Zoe", "Cleo"), ("Cleo",)), ((), ("Ben", "Cleo"))],
)
def test_a_message_goes_to_known_others_or_to_everybody(named, recorded):
    seats = silent()
    seats["Ana"].script["message"] = [Message("somebody else", named, "hello")]
    message = played(seats)[0].messages[0]
    assert message.sender == "Ana"
    assert message.recipients == recorded


# -- who sees what, when --------------------------------------------------------------------------------------------


def test_phases_are_simultaneous_and_shared_when_they_end_but_for_what_was_thought():
    seats = everywhere()
    first, second = played(seats, rounds=2)
    assert first.proposals[1].reason == first.ballots[1].reason == "why Ben"
    for agent, seat in seats.items():
        speaking, proposing, voting = (views[1] for views in seat.seen.values())
        assert speaking.me == agent
        assert speaking.decision == first.decision
        assert speaking.messages == ()
        assert proposing.messages == second.messages
        assert proposing.proposals == ()
        assert proposing.candidates == ()
        assert voting.candidates == second.candidates
        assert len(voting.proposals) == len(voting.history[0].ballots) == 3
        assert "why " not in repr(seat.seen)


@given(st.permutations(range(3)))
def test_property_who_answers_first_does_not_matter(order):
    slow, quick = everywhere(), everywhere()
    for seat, place in zip(slow.values(), order, strict=True):
        seat.delay = 0.001 * place
    assert played(slow, rounds=2) == played(quick, rounds=2)


# -- how it is consumed ---------------------------------------------------------------------------------------------


def test_a_stopping_rule_reads_the_public_record_may_end_it_and_is_named_in_it():
    asked = []

    def third(rounds):
        asked.append(rounds)
        return len(rounds) == 3

    for stop, length, expected in (
        (None, 4, {}),
        (third, 3, {"stop": "third", "stopped": "third"}),
        (lambda rounds: False, 4, {"stop": "<lambda>", "stopped": None}),
    ):
        talk = play(Menu(), everywhere(), "plurality", rounds=4, stop=stop)
        record = asyncio.run(talk)
        assert len(record.rounds) == length
        assert record.settings == {"tie_break": "defer", **expected}
    assert [len(rounds) for rounds in asked] == [1, 2, 3]
    assert "why " not in repr(asked)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"rule": "shouting"}, "rule: .*'shouting'.*unanimous, majority"),
        ({"rounds": 0}, "rounds: 0 given; expected a whole number"),
        ({"tie_break": "coin"}, "tie_break: .*'coin'.*defer, status_quo, lottery"),
        ({"seats": {"Ana": Stub("Ana")}}, r"\['Ana'\] given; expected one for each of"),
        ({"stop": "never"}, "stop: 'never' given; expected a name of `STOPS`"),
    ],
)
def test_wrong_settings_are_refused_before_anybody_is_asked(wrong, said):
    given = {"seats": silent(), **wrong}
    with pytest.raises(InvalidInput, match=said):
        played(**given)
    assert not any(seat.seen["message"] for seat in given["seats"].values())


@settings(max_examples=25)
@given(st.sampled_from(list(RULES)), st.integers(0, 1000))
def test_property_a_discussion_is_consistent_with_itself(rule, seed):
    economy, rng = exchange_economy(), np.random.default_rng(seed)
    people = seat_all(economy, "zero-intelligence", rng)
    record = asyncio.run(play(economy, people, rule, rounds=5, rng=rng))
    standing, latest = None, {}
    for entry in record.rounds:
        latest |= {p.agent: p.value for p in entry.proposals}
        listed = {c.id: c.value for c in entry.candidates}
        stands = {standing.value} if standing else set()
        assert sorted(listed.values()) == sorted({*latest.values()} | stands)
        if winner := entry.winner:
            standing = Decision(winner, listed[winner], entry.number)
        assert entry.decision == standing
