"""A discussion that goes on from round r: what is kept, who is asked, what a treatment changes."""

import asyncio
from dataclasses import replace

import numpy as np
import pytest

from support.errors import InvalidInput
from support.models.calls import collected
from support.models.stand_ins import stand_in
from support.roundtable.fork import fork
from support.roundtable.study import roundtable_exchange, roundtable_movielens
from support.seats import Spoken

STUDIES = {"exchange": roundtable_exchange, "movielens": roundtable_movielens}


def rng(seed=0):
    return np.random.default_rng(seed)


def discussion(rule="majority", seats="mixed", seed=0, study="exchange", **settings):
    """One as a store gives it: it says what made it."""
    given = {"seats": seats, "rounds": 4, **settings}
    record = asyncio.run(STUDIES[study](rng(seed), rule, **given))
    return replace(record, made={"settings": {"seats": seats, "rounds": 4}})


def forked(record, at, seed=0, **changed):
    return asyncio.run(fork(record, at, rng=rng(seed), **changed))


@pytest.mark.parametrize("rule", ["unanimous", "rated", "ranked", "cumulative"])
@pytest.mark.parametrize("study", STUDIES)
def test_nothing_changed_nothing_changes_from_any_round(study, rule, have):
    if study == "movielens":
        from support.roundtable.ratings import load

        have(load)
    for seed in (0, 1):
        record = discussion(rule, "mixed", seed, study, tie_break="lottery")
        for at in range(1, 5):
            again = forked(record, at, seed)
            assert (again.rounds, again.rule) == (record.rounds, record.rule)
        within = forked(record, 2, seed, after="Proposals")
        assert within.rounds == record.rounds


@pytest.mark.parametrize("changed", [{"seed": 5}, {"noise": 0.9}])
def test_a_seat_that_drifts_from_what_is_stored_is_refused(changed):
    with pytest.raises(InvalidInput, match="than is stored"):
        forked(discussion(), 3, **changed)


def test_another_rule_holds_from_the_fork_on_and_keeps_what_was_before():
    record = discussion("unanimous", "linear")
    other = forked(record, 3, rule="ranked")
    assert other.rounds[:2] == record.rounds[:2]
    assert (record.rounds[2].winner is None, other.outcome.round) == (True, 4)
    assert other.rule == "unanimous, then ranked"
    stages = other.settings["stages"]
    assert [[n, rule] for n, _, rule in stages] == [[1, "unanimous"], [3, "ranked"]]
    announced = discussion({1: "unanimous", 3: "ranked"}, "linear")
    assert announced.rounds == other.rounds  # these read no calendar of rules


def test_futures_share_draws_between_rules_and_differ_from_each_other():
    record = discussion("majority", "linear")
    one, other = (forked(record, 3, again=0, rule=r) for r in ("majority", "ranked"))
    assert one.rounds[2].messages == other.rounds[2].messages
    assert one == forked(record, 3, again=0, rule="majority")
    texts = {forked(record, 3, again=k).rounds[2].messages for k in range(4)}
    assert len(texts) == 4 and record.rounds[2].messages not in texts


def test_left_out_is_one_message_and_silent_is_all_from_then_on():
    record = discussion("majority", "linear")
    left_out = forked(record, 2, after="Messages", without=("Ana",))
    silent = forked(record, 2, silent=("Ana",))
    for other, spoken in ((left_out, [1, 3, 4]), (silent, [1])):
        senders = [{m.sender for m in entry.messages} for entry in other.rounds]
        assert [n for n, who in enumerate(senders, 1) if "Ana" in who] == spoken
        assert all({"Ben", "Cleo"} <= who for who in senders)
        assert all("Ana" in {b.agent for b in entry.ballots} for entry in other.rounds)
    assert silent.settings["fork"]["silent"] == ["Ana"]


def test_an_unheard_claim_changes_what_the_others_propose():
    record = discussion("majority", "linear")
    other = forked(record, 1, after="Messages", without=("Ana",))
    mine, theirs = (
        {p.agent: p.value for p in one.rounds[1].proposals} for one in (record, other)
    )
    assert [a for a in mine if mine[a] != theirs[a]] == ["Ben", "Cleo"]


def test_a_newcomer_takes_the_seat_at_the_fork_and_the_others_stay():
    record = discussion("majority", "linear")
    other = forked(record, 3, seats={"Ben": "conceder"})
    assert other.seats == {"Ana": "linear", "Ben": "conceder", "Cleo": "linear"}
    assert other.rounds[:2] == record.rounds[:2]
    early, late = (
        {p.agent: p.value for p in one.rounds[2].proposals} for one in (record, other)
    )
    assert [a for a in early if early[a] != late[a]] == ["Ben"]


def test_a_model_is_asked_from_the_fork_on_alone_and_each_future_is_a_draw_of_its_own():
    record = discussion(seats="model", model=stand_in(), repetition=7)

    def asked(**changed):
        with collected() as calls:
            spoken = Spoken(stand_in(), repetition=7)
            made = forked(record, 3, spoken=spoken, **changed)
        return made, [call for call in calls if not call.repair]

    same, calls = asked()
    assert same.rounds == record.rounds
    assert len(calls) == sum(entry.replies for entry in record.rounds[2:])
    keys = {call.key for call in calls}
    _, quiet = asked(silent=("Ana", "Ben", "Cleo"))
    assert "message" not in {call.phase for call in quiet}
    for again in (0, 1):
        made, calls = asked(again=again)
        new = {call.key for call in calls} | {call.draw for call in calls}
        assert made.rounds[:2] == record.rounds[:2] and not new & keys
        keys |= new


@pytest.mark.parametrize(
    ("at", "changed", "said"),
    [
        (0, {}, "expected a round from 1 to 5"),
        (6, {}, "expected a round from 1 to 5"),
        (2, {"after": "Whispers"}, "expected one of Messages, Proposals, Votes"),
        (2, {"without": ("Ana",)}, "expects `after`"),
        (2, {"rule": {2: "ranked"}}, "from round 1 on"),
        (2, {"mechanism": "market"}, "expected one of"),
        (2, {"seats": {"Dan": "linear"}}, "expected a kind for each"),
    ],
)
def test_bad_input_says_what_is_expected(at, changed, said):
    with pytest.raises(InvalidInput, match=said):
        forked(discussion(seats="linear"), at, **changed)
