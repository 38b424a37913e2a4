"""The evaluator's audit: which scores are paired, weighted kappa and its interval, and where there is none."""

import asyncio
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from support.analysis.meetings import audit, confusion, kappa, weighted_kappa
from support.errors import InvalidInput
from support.meetings.data import Meeting
from support.meetings.evaluators import RuleBasedEvaluator
from support.meetings.records import Conversation, Coordination, CoordinationRound, Option, Score

MEETING = Meeting(
    "M1",
    "Ola",
    ("Ana", "Ben"),
    "Budget",
    "2026-02-16",
    30,
    "Let us meet.",
    "2026-02-13T09:00-05:00",
    "America/New_York",
)
OPTIONS = (Option("O1", "2026-02-16T10:00-05:00"), Option("O2", "2026-02-16T11:00-05:00"))
SCORES = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=40)


def record(scores, exact):
    """One round of two options and two members; scores in the order O1 Ana, O1 Ben, O2 Ana, O2 Ben."""
    keys = [(o.id, m) for o in OPTIONS for m in MEETING.members]
    made = [tuple(Score(*key, value) for key, value in zip(keys, given, strict=False)) for given in (scores, exact)]
    said = tuple(Conversation(m, (), ("Prefers mornings",), "O1" if m == "Ana" else None) for m in MEETING.members)
    entry = CoordinationRound(2, said, OPTIONS, made[0], "O1", made[1])
    return Coordination(MEETING.spec(), {"evaluator": "model tiny"}, (entry,))


def pairs(values, meetings=None, evaluator="rule-based"):
    frame = pd.DataFrame(values, columns=["score", "exact"])
    return frame.assign(meeting=meetings if meetings is not None else range(len(frame)), evaluator=evaluator)


def rng():
    return np.random.default_rng(1)


def test_there_is_a_pair_for_each_option_and_member_that_both_scored():
    frame = audit([({"n": 2}, record((3, 2, 1, 0), (3, 3, 0)))])
    assert frame[["option", "member", "score", "exact"]].to_numpy().tolist() == [
        ["O1", "Ana", 3, 3], ["O1", "Ben", 2, 3], ["O2", "Ana", 1, 0],
    ]  # fmt: skip
    assert set(frame["evaluator"]) == {"model tiny"}
    assert frame["rule"].isna().all()


def test_the_rule_sees_what_was_said_and_nothing_of_the_truth():
    seen = []

    def rule(meeting, options, intents, number):
        seen.append((meeting, options, dict(intents), number))
        return [Score(o.id, m, 1) for o in options for m in meeting.members]

    frame = audit([({}, record((3, 2, 1, 0), (3, 3, 0, 0)))], rule)
    ((meeting, options, intents, number),) = seen
    assert (meeting, options, number) == (MEETING, OPTIONS, 2)
    assert intents["Ana"].agreed == "O1"
    assert intents["Ben"].preferences == ("Prefers mornings",)
    assert (frame["rule"] == 1).all()


def test_with_tracking_the_rule_sees_earlier_rounds_but_not_their_exact_times():
    first = replace(record((3, 2, 1, 0), (3, 3, 0, 0)).rounds[0], number=1, conversations=(
        Conversation("Ana", (), ("Prefers meetings between 09:00 and 12:00", "Agrees to Monday 16 February at 10:00")),
        Conversation("Ben", (), ("Avoids Fridays",)),
    ))  # fmt: skip
    both = replace(record((), ()), rounds=(first, record((3, 2, 1, 0), (3, 3, 0, 0)).rounds[0]))
    seen = []

    def rule(meeting, options, intents, number):
        seen.append({m: i.preferences for m, i in intents.items()})
        return []

    audit([({"tracking": True}, both), ({"tracking": False}, both)], rule)
    assert seen[1]["Ana"] == ("Prefers meetings between 09:00 and 12:00", "Prefers mornings")
    assert seen[3]["Ana"] == ("Prefers mornings",)


def test_the_rule_on_what_was_said_is_the_rule_based_evaluator():
    said = record((3, 2, 1, 0), (3, 3, 0, 0))
    zones = {"Ana": "America/New_York", "Ben": "Europe/Berlin"}

    def rule(*given):
        return asyncio.run(RuleBasedEvaluator(zones).score(*given))

    made = audit([({}, said)], rule).set_index(["option", "member"])["rule"]
    talks = (Conversation("Ana", (), ("Prefers meetings between 09:00 and 10:45",)), said.rounds[0].conversations[1])
    narrow = replace(said, rounds=(replace(said.rounds[0], conversations=talks),))
    other = audit([({}, narrow)], rule).set_index(["option", "member"])["rule"]
    assert (other["O1", "Ana"], other["O2", "Ana"]) == (3, 0)
    assert (made["O1", "Ana"], other["O1", "Ben"]) == (3, 0)  # 16:00 in Berlin is no morning


@settings(max_examples=60, deadline=None)
@given(SCORES)
def test_property_kappa_is_scikit_learn_s(values):
    frame = pairs(values)
    found = kappa(frame, rng(), draws=20).set_index("weights")
    for weights in ("quadratic", "linear"):
        if found.loc[weights, "note"]:
            assert 1 in (frame["score"].nunique(), frame["exact"].nunique())
        else:
            expected = cohen_kappa_score(frame["score"], frame["exact"], labels=range(4), weights=weights)
            assert found.loc[weights, "kappa"] == pytest.approx(expected)


def test_equal_scores_are_a_kappa_of_one_and_reversed_scores_a_negative_one():
    same = pairs([(k % 4, k % 4) for k in range(40)])
    other = pairs([(k % 4, 3 - k % 4) for k in range(40)])
    assert (kappa(same, rng())["kappa"] == 1).all()
    assert kappa(other, rng()).set_index("weights").loc["quadratic", "high"] < 0


def test_the_interval_draws_meetings_not_pairs():
    draw = np.random.default_rng(3)
    truth = draw.integers(0, 4, 40)
    seen = np.where(draw.random(40) < 0.5, truth, draw.integers(0, 4, 40))
    alone = pairs(list(zip(seen, truth, strict=True)))
    repeated = pd.concat([alone] * 25)  # the same meetings, each pair 25 times
    one, many = (kappa(f, rng()).set_index("weights").loc["quadratic"] for f in (alone, repeated))
    assert many["kappa"] == pytest.approx(one["kappa"])
    assert many["high"] - many["low"] == pytest.approx(one["high"] - one["low"], rel=0.1)
    assert (many["n"], many["meetings"]) == (1000, 40)


def test_the_same_seed_gives_the_same_interval():
    frame = pairs([(k % 4, (k * k) % 4) for k in range(30)])
    pd.testing.assert_frame_equal(kappa(frame, rng()), kappa(frame, rng()))


@pytest.mark.parametrize(
    ("frame", "note"),
    [
        (pairs([(3, 3)]), "fewer than two pairs"),
        (pairs([(3, 1), (3, 2)]), "score never varies: agreement is not defined"),
        (pairs([(2, 2), (2, 2)]), "score and exact never vary: agreement is not defined"),
        (pairs([(2, np.nan), (1, np.nan)]), "fewer than two pairs"),
    ],
)
def test_where_there_is_no_kappa_it_is_empty_and_says_why(frame, note):
    found = kappa(frame, rng())
    assert found["kappa"].isna().all()
    assert set(found["note"]) == {note}


def test_one_meeting_has_a_kappa_and_no_interval():
    found = kappa(pairs([(3, 3), (1, 2), (0, 0)], meetings="M1"), rng())
    assert found["kappa"].notna().all()
    assert found["low"].isna().all()
    assert set(found["note"]) == {"one meeting: no interval"}


def test_evaluators_are_told_apart():
    frame = pd.concat(
        [pairs([(k % 4, k % 4) for k in range(8)]), pairs([(3, k % 4) for k in range(8)], evaluator="ones")]
    )
    assert kappa(frame, rng()).groupby("evaluator")["kappa"].first().isna().to_dict() == {
        "rule-based": False,
        "ones": True,
    }


def test_confusion_counts_every_pair_and_keeps_scores_that_never_occur():
    table = confusion(pairs([(3, 2), (3, 2), (0, 0)]))
    assert table.shape == (4, 4)
    assert (table.loc[3, 2], table.loc[0, 0], table.to_numpy().sum()) == (2, 1, 3)
    with pytest.raises(InvalidInput, match="expected whole numbers from 0 to 3"):
        confusion(pairs([(4, 2)]))


def test_tables_of_counts_are_handled_at_once():
    counts = np.array([[[5, 1], [2, 4]], [[3, 0], [0, 3]]])
    assert weighted_kappa(counts, 2).tolist() == [weighted_kappa(c, 2).item() for c in counts]
