"""The round table: who sees what when, what is voted on, and what stands at the end."""

import asyncio
from unittest.mock import AsyncMock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.choice import RULES
from support.errors import CallFailed, InvalidInput, InvalidProposal, MalformedReply
from support.roundtable.economy import exchange_economy
from support.roundtable.records import Ballot, Message, Proposal
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
    """A participant with a script: proposals and votes by round, None where the script ends; keeps its views."""

    kind = "stub"

    def __init__(self, me, proposals=(), votes=(), delay=0.0):
        self.me, self.script, self.delay = (
            me,
            {"propose": proposals, "vote": votes},
            delay,
        )
        self.seen = {phase: [] for phase in PHASES}

    async def message(self, view):
        self.seen["message"].append(view)
        await asyncio.sleep(self.delay)
        return Message(view.me, view.others, f"{view.me} speaks in {view.round}")

    async def propose(self, view):
        return await self._line("propose", view, Proposal)

    async def vote(self, view):
        return await self._line("vote", view, Ballot)

    async def _line(self, phase, view, record):
        self.seen[phase].append(view)
        await asyncio.sleep(self.delay)
        script = self.script[phase]
        line = script[view.round - 1] if view.round <= len(script) else None
        if isinstance(line, Exception):
            raise line
        return None if line is None else record(view.me, line, f"why {view.me}")


def table(proposals=None, votes=None, delays=None):
    given = (proposals or {}, votes or {})
    delays = delays or {}
    return {a: Stub(a, *(of.get(a, ()) for of in given), delays.get(a, 0)) for a in ABC}


def everywhere():
    """Each proposes a dish of its own, and votes for the first."""
    return table({a: [f"dish of {a}"] * 2 for a in ABC}, {a: ["P1"] * 2 for a in ABC})


def played(seats, rule="plurality", rounds=1, **options):
    return asyncio.run(play(Menu(), seats, rule, rounds=rounds, **options)).rounds


def test_a_value_keeps_its_id_for_the_whole_discussion():
    seats = table({"Ana": ["soup", "stew", "soup"], "Ben": ["rice", None, "cake"]})
    rounds = played(seats, rounds=3)
    assert [{c.id: c.value for c in entry.candidates} for entry in rounds] == [
        {"P1": "soup", "P2": "rice"},
        {"P2": "rice", "P3": "stew"},
        {"P1": "soup", "P4": "cake"},
    ]


# -- what does not fit ----------------------------------------------------------------------------------------------

MISFITS = [
    ("propose", "plurality", 130, "dish: 130 given; expected a name"),
    ("vote", "plurality", "P9", "ballot of Ben: got 'P9'"),
    ("vote", "cumulative", (("P1", 3),), "ballot of Ben"),
]


@pytest.mark.parametrize(("phase", "rule", "line", "said"), MISFITS)
def test_a_misfit_of_who_reads_words_is_recorded_and_one_of_a_coded_player_is_raised(
    phase, rule, line, said
):
    seats = table({"Ana": ["soup"], "Cleo": ["rice"]})
    seats["Ben"].script[phase] = [line]
    title = {"propose": "Proposals", "vote": "Votes"}[phase]
    with pytest.raises(InvalidInput, match=f"Ben .stub. in round 1, {title}: {said}"):
        played(seats, rule)
    seats["Ben"].asks = {}  # a person
    (only,) = played(seats, rule)
    (error,) = only.format_errors
    assert (error.agent, error.phase) == ("Ben", phase) and said in error.detail
    assert [p.agent for p in only.proposals] == ["Ana", "Cleo"]
    assert [b.choice for b in only.ballots] == [None, None, None]


def test_a_reply_that_never_took_its_form_is_a_format_error_in_every_phase_and_any_other_failure_is_raised():
    lost = MalformedReply("no JSON")
    seats = table({"Ana": [lost], "Ben": ["rice"]}, {"Ana": [lost], "Ben": ["P1"]})
    seats["Ana"].message = AsyncMock(side_effect=lost)
    (only,) = played(seats)
    assert [(e.agent, e.phase) for e in only.format_errors] == [
        ("Ana", phase) for phase in PHASES
    ]
    assert [m.sender for m in only.messages] == ["Ben", "Cleo"]
    assert (only.ballots[0].choice, only.winner) == (None, "P1")
    with pytest.raises(CallFailed, match="endpoint"):
        played(table({"Ana": [CallFailed("the endpoint is down")]}))


def test_with_nothing_on_the_list_nobody_is_asked_to_vote_and_all_abstain():
    seats = table()
    (only,) = played(seats)
    assert [(b.agent, b.choice) for b in only.ballots] == [(a, None) for a in ABC]
    assert not any(seat.seen["vote"] for seat in seats.values())


@pytest.mark.parametrize(
    ("given_to", "recorded"),
    [
        (("Cleo", "Cleo", "Ben"), ("Cleo", "Ben")),
        (("Ana", "Zoe", "Ben"), ("Ben",)),
        ((), ("Ben", "Cleo")),
    ],
)
def test_a_message_goes_to_known_others_or_to_everybody(given_to, recorded):
    seats = table()
    message = Message("somebody else", given_to, "hello")
    seats["Ana"].message = AsyncMock(return_value=message)
    (only,) = played(seats)
    assert (only.messages[0].sender, only.messages[0].recipients) == ("Ana", recorded)


# -- who sees what, when --------------------------------------------------------------------------------------------


def test_phases_are_simultaneous_and_shared_when_they_end():
    seats = everywhere()
    first, second = played(seats, rounds=2)
    for seat in seats.values():
        speaking, proposing, voting = (seat.seen[phase][1] for phase in PHASES)
        assert (speaking.messages, speaking.proposals) == ((), ())
        assert (proposing.messages, proposing.proposals) == (second.messages, ())
        assert not speaking.candidates and not proposing.candidates
        assert voting.candidates == second.candidates and len(voting.proposals) == 3
        assert [entry.number for entry in speaking.history] == [1]
        assert speaking.decision == first.decision
        assert {view.me for views in seat.seen.values() for view in views} == {seat.me}


def test_nobody_sees_what_was_thought_in_private_but_the_record_keeps_it():
    seats = everywhere()
    first, _ = played(seats, rounds=2)
    assert first.proposals[1].reason == first.ballots[1].reason == "why Ben"
    seen = repr([seat.seen for seat in seats.values()])
    assert "dish of Ben" in seen and "why " not in seen


@given(st.permutations(range(3)))
def test_property_who_answers_first_does_not_matter(order):
    proposals = {"Ana": ["soup", "rice"], "Ben": ["rice", "soup"], "Cleo": ["cake"]}
    votes = {"Ana": ["P1", "P2"], "Ben": ["P2"], "Cleo": ["P2", "P1"]}
    delays = {a: 0.001 * place for a, place in zip(ABC, order, strict=True)}
    slow, quick = table(proposals, votes, delays), table(proposals, votes)
    assert played(slow, rounds=2) == played(quick, rounds=2)


# -- how it is consumed ---------------------------------------------------------------------------------------------


def test_a_stopping_rule_is_asked_after_each_round_with_the_public_record_and_may_end_it():
    asked = []

    def listening(rounds):
        asked.append(rounds)
        return len(rounds) == 3

    whole, stopped = (
        played(everywhere(), rounds=5),
        played(everywhere(), rounds=5, stop=listening),
    )
    assert [len(rounds) for rounds in asked] == [1, 2, 3] and "why " not in repr(asked)
    assert stopped == whole[:3]


def test_the_record_says_which_rule_listened_and_which_one_stopped():
    def agreed(rounds):
        return rounds[-1].decision is not None

    seats = table({"Ana": ["soup"]}, {a: [None, "P1"] for a in ABC})
    for stop, expected in (
        (None, {}),
        (agreed, {"stop": "agreed", "stopped": "agreed"}),
        (lambda rounds: False, {"stop": "<lambda>", "stopped": None}),
    ):
        record = asyncio.run(play(Menu(), seats, "majority", rounds=4, stop=stop))
        assert record.settings == {"tie_break": "defer", **expected}


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"rule": "shouting"}, "rule: .*'shouting'.*unanimous, majority"),
        ({"rounds": 0}, "rounds: 0 given; expected a whole number of at least 1"),
        ({"tie_break": "coin"}, "tie_break: .*'coin'.*defer, status_quo, lottery"),
        ({"seats": {"Ana": Stub("Ana")}}, r"\['Ana'\] given; expected one for each of"),
        ({"stop": "never"}, "stop: 'never' given; expected a name of `STOPS`"),
    ],
)
def test_wrong_settings_are_refused_before_anybody_is_asked(wrong, said):
    given = {"seats": table(), **wrong}
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
        listed = {c.value for c in entry.candidates}
        assert listed == {*latest.values(), *([standing.value] if standing else [])}
        assert len({c.id for c in entry.candidates}) == len(listed)
        made_now = (entry.winner, entry.number) if entry.winner else None
        if made_now is None:
            assert entry.decision == standing
        else:
            assert (entry.decision.candidate, entry.decision.round) == made_now
        standing = entry.decision
