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
    """A negotiator with a script: proposals and votes by round, None where the script ends; keeps its views."""

    kind = "stub"

    def __init__(self, me, proposals=(), votes=(), delay=0.0):
        self.me, self.proposals, self.votes, self.delay = me, proposals, votes, delay
        self.seen = {"message": [], "propose": [], "vote": []}

    async def _turn(self, phase, view):
        self.seen[phase].append(view)
        await asyncio.sleep(self.delay)

    async def message(self, view):
        await self._turn("message", view)
        return Message(
            view.me,
            tuple(a for a in view.agents if a != view.me),
            f"{view.me} speaks in {view.round}",
        )

    async def propose(self, view):
        await self._turn("propose", view)
        return self._line(
            self.proposals,
            view,
            lambda value: Proposal(view.me, value, f"why {view.me} proposes"),
        )

    async def vote(self, view):
        await self._turn("vote", view)
        return self._line(
            self.votes,
            view,
            lambda choice: Ballot(view.me, choice, f"why {view.me} votes"),
        )

    def _line(self, script, view, make):
        line = script[view.round - 1] if view.round <= len(script) else None
        if isinstance(line, Exception):
            raise line
        return None if line is None else make(line)


def table(proposals=None, votes=None, delays=None):
    proposals, votes, delays = proposals or {}, votes or {}, delays or {}
    return {
        a: Stub(a, proposals.get(a, ()), votes.get(a, ()), delays.get(a, 0.0))
        for a in ABC
    }


def played(seats, rule="plurality", rounds=1, **options):
    return asyncio.run(play(Menu(), seats, rule, rounds=rounds, **options)).rounds


def test_a_value_keeps_its_id_for_the_whole_discussion():
    seats = table({"Ana": ["soup", "stew", "soup"], "Ben": ["rice", None, "cake"]})
    listed = [
        [(c.id, c.value) for c in entry.candidates] for entry in played(seats, rounds=3)
    ]
    assert listed == [
        [("P1", "soup"), ("P2", "rice")],
        [("P2", "rice"), ("P3", "stew")],
        [("P1", "soup"), ("P4", "cake")],
    ]


# -- what does not fit ----------------------------------------------------------------------------------------------


def test_a_proposal_that_the_environment_refuses_is_a_format_error_and_no_proposal():
    first, second = played(table({"Ana": ["soup", 130]}), rounds=2)
    (error,) = second.format_errors
    assert (error.agent, error.phase, error.detail) == (
        "Ana",
        "propose",
        "dish: 130 given; expected a name",
    )
    assert (first.format_errors, second.proposals) == ((), ())
    assert [(c.value, c.proposers, c.standing) for c in second.candidates] == [
        ("soup", ("Ana",), False)
    ]


@pytest.mark.parametrize(
    ("rule", "ballot"), [("plurality", "P9"), ("cumulative", (("P1", 3),))]
)
def test_a_ballot_that_breaks_its_form_is_a_format_error_and_an_abstention(
    rule, ballot
):
    (only,) = played(table({"Ana": ["soup"], "Ben": ["rice"]}, {"Ben": [ballot]}), rule)
    (error,) = only.format_errors
    assert (error.agent, error.phase) == (
        "Ben",
        "vote",
    ) and "ballot of Ben" in error.detail
    assert [b.choice for b in only.ballots] == [None, None, None]


def test_a_reply_that_never_took_its_form_is_a_format_error_in_every_phase_and_any_other_failure_is_raised():
    lost = MalformedReply("no JSON")
    seats = {
        **table({"Ben": ["rice"]}, {"Ben": ["P1"]}),
        "Ana": Stub("Ana", [lost], [lost]),
    }
    seats["Ana"].message = AsyncMock(side_effect=lost)
    (only,) = played(seats)
    assert [(e.agent, e.phase) for e in only.format_errors] == [
        ("Ana", p) for p in ("message", "propose", "vote")
    ]
    assert [m.sender for m in only.messages] == ["Ben", "Cleo"]
    assert (only.ballots[0].choice, only.winner) == (None, "P1")
    with pytest.raises(CallFailed, match="endpoint"):
        played(table({"Ana": [CallFailed("the endpoint is down")]}))


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
    seats["Ana"].message = AsyncMock(
        return_value=Message("somebody else", given_to, "hello")
    )
    (only,) = played(seats)
    assert (only.messages[0].sender, only.messages[0].recipients) == ("Ana", recorded)


# -- who sees what, when --------------------------------------------------------------------------------------------


def test_phases_are_simultaneous_and_shared_when_they_end():
    seats = table(
        {a: [f"dish of {a}"] * 2 for a in ABC}, {a: ["P1", "P2"] for a in ABC}
    )
    first, second = played(seats, rounds=2)
    for seat in seats.values():
        speaking, proposing, voting = (
            seat.seen[phase][1] for phase in ("message", "propose", "vote")
        )
        assert (speaking.messages, speaking.proposals, speaking.candidates) == (
            (),
            (),
            (),
        )
        assert (proposing.messages, proposing.proposals, proposing.candidates) == (
            second.messages,
            (),
            (),
        )
        assert (voting.messages, voting.candidates) == (
            second.messages,
            second.candidates,
        )
        assert [p.value for p in voting.proposals] == [
            p.value for p in second.proposals
        ]
        assert [r.number for r in speaking.history] == [1]
        assert speaking.decision == first.decision
        assert {view.me for views in seat.seen.values() for view in views} == {seat.me}


def test_nobody_sees_what_was_thought_in_private_but_the_record_keeps_it():
    seats = table({a: [f"dish of {a}"] for a in ABC}, {a: ["P1"] for a in ABC})
    first, _ = played(seats, rounds=2)
    assert (first.proposals[1].reason, first.ballots[1].reason) == (
        "why Ben proposes",
        "why Ben votes",
    )
    assert "dish of Ben" in repr([seat.seen for seat in seats.values()])
    assert "why " not in repr([seat.seen for seat in seats.values()])


@given(st.permutations(range(3)))
def test_property_who_answers_first_does_not_matter(order):
    proposals = {"Ana": ["soup", 1], "Ben": ["rice", "soup"], "Cleo": ["cake", 2]}
    votes = {"Ana": ["P1", "P9"], "Ben": ["P2", "P9"], "Cleo": ["P2", "P1"]}
    delays = {a: 0.001 * place for a, place in zip(ABC, order, strict=True)}
    assert played(table(proposals, votes, delays), rounds=2) == played(
        table(proposals, votes), rounds=2
    )


# -- how it is consumed ---------------------------------------------------------------------------------------------


def agreed(rounds):
    """Stops at the first decision."""
    return rounds[-1].decision is not None


def test_a_stopping_rule_is_asked_after_each_round_with_the_public_record_and_may_end_it():
    asked = []

    def listening(rounds):
        asked.append(rounds)
        return len(rounds) == 3

    seats = table({a: [f"dish of {a}"] for a in ABC}, {a: ["P1"] for a in ABC})
    whole, stopped = played(seats, rounds=5), played(seats, rounds=5, stop=listening)
    assert [len(rounds) for rounds in asked] == [1, 2, 3] and "why " not in repr(asked)
    assert stopped == whole[:3]


def test_the_record_says_which_rule_listened_and_which_one_stopped():
    seats = table({"Ana": ["soup"]}, {a: [None, "P1"] for a in ABC})

    def settings_with(**options):
        return asyncio.run(
            play(Menu(), seats, "majority", rounds=4, **options)
        ).settings

    assert settings_with() == {"tie_break": "defer"}
    assert settings_with(stop=agreed) == {
        "tie_break": "defer",
        "stop": "agreed",
        "stopped": "agreed",
    }
    assert settings_with(stop=lambda rounds: False)["stopped"] is None


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"rule": "shouting"}, "rule: .*'shouting'.*unanimous, majority"),
        ({"rounds": 0}, "rounds: 0 given; expected a whole number of at least 1"),
        ({"tie_break": "coin"}, "tie_break: .*'coin'.*defer, status_quo, lottery"),
        (
            {"seats": {"Ana": Stub("Ana")}},
            r"seats: \['Ana'\] given; expected one for each of",
        ),
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
    record = asyncio.run(
        play(
            economy,
            seat_all(economy, "zero-intelligence", rng),
            rule,
            rounds=5,
            rng=rng,
        )
    )
    standing, latest = None, {}
    for entry in record.rounds:
        latest |= {p.agent: p.value for p in entry.proposals}
        listed = {c.value for c in entry.candidates}
        assert listed == {*latest.values(), *([standing.value] if standing else [])}
        assert (
            len({c.id for c in entry.candidates}) == len(listed)
            and not entry.format_errors
        )
        if entry.winner is None:
            assert entry.decision == standing
        else:
            assert (entry.decision.candidate, entry.decision.round) == (
                entry.winner,
                entry.number,
            )
        standing = entry.decision
