"""A discussion that goes on from round r: what is kept, who is asked, what a treatment changes."""

import asyncio
from dataclasses import replace

import numpy as np
import pytest

from support.errors import InvalidInput
from support.models.calls import collected
from support.models.stand_ins import stand_in
from support.roundtable.fork import Start, starting
from support.roundtable.study import roundtable_exchange, roundtable_movielens

ALL = ("Ana", "Ben", "Cleo")


TREATED = ("after", "again", "without", "silent", "seats")


def discussion(
    rule="majority", seats="linear", seed=0, study=roundtable_exchange, **settings
):
    """One, and what plays it again."""
    made = {"rule": rule, "seats": seats, "rounds": 4, **settings}
    again = lambda seed, **more: asyncio.run(
        study(np.random.default_rng(seed), **made | more)
    )
    return replace(again(seed), made={"again": again})


def forked(record, at, seed=0, **changed):
    """The same study, from a round on under something else."""
    treated = {name: changed.pop(name) for name in TREATED if name in changed}
    with starting(Start(record, at, **treated)):
        return record.made["again"](seed, **changed)


def differ(number, record, other):
    """Those who propose something else in a round of two discussions."""
    before = record.rounds[number - 1].proposals
    after = other.rounds[number - 1].proposals
    return [one.agent for one in after if one not in before]


@pytest.mark.parametrize(
    ("played", "rule"),
    [
        (roundtable_exchange, "unanimous"),
        (roundtable_exchange, "rated"),
        (roundtable_exchange, "cumulative"),
        (roundtable_movielens, "ranked"),
    ],
)
def test_nothing_changed_nothing_changes_from_any_round(played, rule, real):
    for seed in (0, 1):
        record = discussion(rule, "mixed", seed, played, tie_break="lottery")
        for at in (1, 2, 3, 4):
            assert forked(record, at, seed).rounds == record.rounds
        within = forked(record, 2, seed, after="Proposals")
        assert within.rounds == record.rounds


def test_another_rule_holds_from_the_fork_on_and_keeps_what_was_before():
    record = discussion("unanimous")
    other = forked(record, 3, rule="ranked")
    assert other.rounds[:2] == record.rounds[:2]
    assert record.rounds[2].winner is None
    assert other.outcome.round == 4
    assert other.rule == "unanimous, then ranked"
    assert other.settings["stages"] == [
        [1, "roundtable", "unanimous"],
        [3, "roundtable", "ranked"],
    ]
    announced = discussion({1: "unanimous", 3: "ranked"})
    assert announced.settings["stages"] == other.settings["stages"]
    assert announced.rounds == other.rounds  # these read no calendar of rules


def test_futures_share_draws_between_rules_and_differ_from_each_other():
    record = discussion()
    futures = [forked(record, 3, again=number) for number in range(4)]
    ranked = forked(record, 3, again=0, rule="ranked")
    assert futures[0].rounds[2].messages == ranked.rounds[2].messages
    assert futures[0] == forked(record, 3, again=0)
    texts = {one.rounds[2].messages for one in (record, *futures)}
    assert len(texts) == 5


def test_left_out_is_one_message_and_silent_is_all_from_then_on():
    record = discussion()
    left_out = forked(record, 1, after="Messages", without=("Ana",))
    silent = forked(record, 2, silent=("Ana",))
    for other, spoken in ((left_out, [2, 3, 4]), (silent, [1])):
        for entry in other.rounds:
            heard = ALL if entry.number in spoken else ALL[1:]
            assert tuple(m.sender for m in entry.messages) == heard
            assert tuple(b.agent for b in entry.ballots) == ALL
    assert differ(2, record, left_out) == ["Ben", "Cleo"]  # who did not hear her
    assert silent.settings["fork"]["silent"] == ["Ana"]


def test_a_newcomer_takes_the_seat_at_the_fork_and_the_others_stay():
    record = discussion()
    other = forked(record, 3, seats={"Ben": "conceder"})
    assert other.seats == {"Ana": "linear", "Ben": "conceder", "Cleo": "linear"}
    assert other.rounds[:2] == record.rounds[:2]
    assert differ(3, record, other) == ["Ben"]


def asked_of_models(record, **changed):
    """A fork of a discussion of models, and what they were asked for it."""
    with collected() as calls:
        made = forked(record, 3, **changed)
    return made.rounds, [call for call in calls if not call.repair]


def test_a_model_is_asked_from_the_fork_on_alone_and_each_future_is_a_draw_of_its_own():
    record = discussion(seats="model", model=stand_in(), repetition=7)
    same, calls = asked_of_models(record)
    assert same == record.rounds
    assert len(calls) == sum(entry.replies for entry in record.rounds[2:])
    known = {call.key for call in calls}
    for again in (0, 1):
        rounds, calls = asked_of_models(record, again=again)
        drawn = {call.key for call in calls} | {call.draw for call in calls}
        assert rounds[:2] == record.rounds[:2]
        assert not drawn & known
        known |= drawn
    _, quiet = asked_of_models(record, silent=ALL)
    assert "message" not in {call.phase for call in quiet}


@pytest.mark.parametrize(
    ("at", "changed", "said"),
    [
        (0, {}, "after: -1 given; expected a round from 0 to 4"),
        (2, {"after": "Whispers"}, "expected one of Messages, Proposals, Votes"),
        (2, {"without": ("Ana",)}, "expects `after`"),
        (2, {"seats": {"Dan": "linear"}}, "expected a kind for each"),
        (3, {"seed": 5}, "otherwise in round 1 .* than is stored"),
        (3, {"noise": 0.9}, "otherwise in round 1 .* than is stored"),
    ],
)
def test_bad_input_and_a_seat_that_drifts_from_what_is_stored_are_refused(
    at, changed, said
):
    with pytest.raises(InvalidInput, match=said):
        forked(discussion(), at, **changed)
