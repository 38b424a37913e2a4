"""The metrics of RoundTable on transcripts whose numbers can be worked out by hand."""

import asyncio
import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.analysis.metrics import (
    METRICS,
    curves_of,
    first_decision,
    format_errors,
    gains,
    rationality,
    rigidity,
    run_metrics,
    runs_of,
    standing_utilities,
    summary,
    total_utility,
)
from support.errors import InvalidInput
from support.play import FormatError
from support.roundtable.economy import ExchangeEconomy, exchange_economy
from support.roundtable.records import Decision, Proposal, Round, Transcript
from support.roundtable.seats import seat_all
from support.roundtable.table import play
from support.runs.study import Unit

# Two agents, two goods, each wants one good only: utility is the amount of the favourite, U_max is 200.
ECONOMY = ExchangeEconomy(((1.0, 0.0), (0.0, 1.0)))
WORST = ((0.0, 100.0), (100.0, 0.0))  # 0 + 0
LOW = ((40.0, 80.0), (60.0, 20.0))  # 40 + 20: 30 %
HALF = ((50.0, 50.0), (50.0, 50.0))  # 50 + 50: 50 %
SKEW = ((100.0, 80.0), (0.0, 20.0))  # 100 + 20: 60 %
BEST = ((100.0, 0.0), (0.0, 100.0))  # 100 + 100: 100 %
HELPFUL = ((0.0, 0.0), (100.0, 100.0))  # 0 + 100


def transcript(*standing, proposals=None, economy=ECONOMY):
    """A discussion given by what stood after each round (None: nothing yet) and {round: {agent: value}}."""
    proposals, rounds, since = proposals or {}, [], None
    for number, value in enumerate(standing, start=1):
        if value is not None and (since is None or since.value != value):
            since = Decision(f"P{number}", value, number)
        made = tuple(Proposal(a, v) for a, v in proposals.get(number, {}).items())
        rounds.append(Round(number, (), made, (), (), None, (), "", since))
    return Transcript(economy.spec(), "majority", dict.fromkeys(economy.agents, "stub"), tuple(rounds))


def unit(repetition=0, settings='{"rule": "a"}'):
    return Unit("s", settings, repetition)


NEVER = transcript(*[None] * 10)
ONCE = transcript(*[None] * 3, *[HALF] * 7)
RISING = transcript(None, LOW, LOW, HALF, HALF, SKEW, BEST, BEST, BEST, SKEW)


# -- utility and its mean over rounds --------------------------------------------------------------------------------


def test_the_total_is_a_share_of_the_maximum_and_zero_before_the_first_decision():
    assert ECONOMY.maximum == pytest.approx(200.0)
    assert total_utility(RISING) == pytest.approx([0, 30, 30, 50, 50, 60, 100, 100, 100, 60])
    assert standing_utilities(RISING)[[0, 1, 9]].tolist() == [[0, 0], [40, 20], [100, 20]]


def test_utility_at_n_is_what_stands_after_round_n():
    found = run_metrics(RISING)
    assert [found[f"utility@{n}"] for n in (3, 5, 10)] == pytest.approx([30, 50, 60])


def test_the_auc_is_the_mean_over_rounds_and_is_divided_by_the_maximum_once():
    found = run_metrics(RISING)
    assert [found[f"auc@{n}"] for n in (3, 5, 10)] == pytest.approx([60 / 3, 160 / 5, 580 / 10])


def test_an_undecided_discussion_counts_as_zero_in_utility_and_auc():
    found = run_metrics(NEVER)
    assert [found[f"{name}@{n}"] for name in ("utility", "auc") for n in (3, 5, 10)] == [0.0] * 6


def test_a_discussion_that_was_stopped_early_keeps_its_outcome():
    found = run_metrics(transcript(None, HALF))
    assert [found[f"utility@{n}"] for n in (3, 5, 10)] == pytest.approx([50, 50, 50])
    assert [found[f"auc@{n}"] for n in (3, 5, 10)] == pytest.approx([100 / 3, 200 / 5, 450 / 10])
    assert len(total_utility(transcript(None, HALF))) == 2


def test_rounds_after_the_tenth_do_not_enter_what_is_at_ten():
    long = transcript(*[HALF] * 10, BEST, BEST)
    assert run_metrics(long)["utility@10"] == pytest.approx(50)
    assert len(total_utility(long)) == 12
    assert len(total_utility(long, 3)) == 3


def test_a_transcript_without_rounds_has_no_metrics():
    with pytest.raises(InvalidInput, match="it has no rounds"):
        run_metrics(transcript())


# -- min/max ---------------------------------------------------------------------------------------------------------


def test_min_max_compares_the_smallest_and_the_largest_utility_at_the_end():
    assert run_metrics(RISING)["min_max"] == pytest.approx(20.0)
    assert run_metrics(transcript(BEST, LOW))["min_max"] == pytest.approx(50.0)
    assert run_metrics(transcript(HELPFUL))["min_max"] == 0.0


@pytest.mark.parametrize("record", [NEVER, transcript(WORST)], ids=["undecided", "nothing for anybody"])
def test_min_max_is_undefined_without_a_utility(record):
    assert math.isnan(run_metrics(record)["min_max"])


# -- rationality -----------------------------------------------------------------------------------------------------


def test_before_the_first_decision_whatever_brings_something_is_rational():
    record = transcript(*[None] * 10, proposals={1: {"Ana": HALF, "Ben": WORST}, 2: {"Ben": LOW}})
    assert rationality(record) == pytest.approx(100 * 2 / 20)


def test_later_a_proposal_is_rational_when_it_beats_what_stood_when_it_was_made():
    record = transcript(
        HALF,  # accepted in this very round: it does not yet stand when round 1 is proposed
        SKEW,
        *[SKEW] * 8,
        proposals={1: {"Ana": HALF}, 2: {"Ana": SKEW}, 3: {"Ana": BEST, "Ben": HALF}},
    )
    # Round 1: Ana 50 > 0. Round 2: Ana 100 > 50. Round 3: Ana 100 = 100 no; Ben 50 > 20.
    assert rationality(record) == pytest.approx(100 * 3 / 20)


def test_rationality_is_over_all_chances_so_that_silence_lowers_it():
    everybody = {r: {"Ana": HALF, "Ben": HALF} for r in range(1, 11)}
    assert rationality(transcript(*[None] * 10, proposals=everybody)) == 100.0
    assert rationality(transcript(*[None] * 10, proposals={1: everybody[1]})) == 10.0
    assert rationality(NEVER) == 0.0


def test_an_empty_proposal_in_a_record_is_no_proposal():
    assert rationality(transcript(None, proposals={1: {"Ana": None, "Ben": HALF}})) == 50.0


def test_the_chances_of_a_discussion_that_was_stopped_early_are_its_own_rounds():
    assert rationality(transcript(None, HALF, proposals={1: {"Ana": HALF}})) == 25.0


# -- rigidity and the first decision ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        (NEVER, 100.0),
        (ONCE, 90.0),
        (transcript(*[HALF] * 10), 90.0),
        (RISING, 50.0),
        (transcript(HALF, BEST), 0.0),
        (transcript(WORST, WORST), 100.0),
    ],
    ids=["never", "once", "at once", "five changes", "two rounds", "worth nothing"],
)
def test_rigidity_is_the_share_of_rounds_that_change_nothing(record, expected):
    assert run_metrics(record)["rigidity"] == pytest.approx(expected)


def test_another_decision_of_the_same_total_is_no_change():
    swapped = ((20.0, 60.0), (80.0, 40.0))  # 20 + 40, as LOW in total
    assert rigidity(total_utility(transcript(LOW, swapped))) == 50.0


def test_the_first_decision_is_a_round_or_undefined():
    assert first_decision(ONCE) == 4.0
    assert math.isnan(first_decision(NEVER))


# -- frames ----------------------------------------------------------------------------------------------------------


def test_the_share_undecided_falls_with_the_first_decisions():
    curves = curves_of([(unit(0), NEVER), (unit(1), ONCE), (unit(2), RISING), (unit(3), transcript(BEST))])
    share = curves.groupby("round")["undecided"].mean()
    assert share.tolist() == [0.75, 0.5, 0.5, *[0.25] * 7]
    assert len(curves) == 40


def test_frames_hold_settings_and_metrics_and_come_from_the_store(store):
    settings = '{"rule": "a", "seats": ["x", "y"]}'
    for repetition, record in enumerate([NEVER, RISING]):
        store.add(unit(repetition, settings), record)
    runs, curves = runs_of(store.records("s")), curves_of(store.records("s", rule="a"), rounds=5)
    assert list(runs.columns) == ["rule", "seats", "repetition", *METRICS, "first_decision"]
    assert runs["seats"].tolist() == ['["x", "y"]'] * 2
    assert runs.loc[1, "auc@10"] == pytest.approx(58.0)
    assert curves["round"].tolist() == [1, 2, 3, 4, 5] * 2
    with pytest.raises(InvalidInput, match="no setting"):
        runs_of(store.records("s", colour="red"))


def test_in_the_summary_undecided_runs_count_in_utility_and_not_in_min_max():
    runs = runs_of([(unit(0), NEVER), (unit(1), RISING), (unit(2), ONCE)])
    tidy = summary(runs, "rule").set_index("column")
    assert list(tidy.columns) == ["row", "value", "se", "n"]
    assert list(tidy.index) == list(METRICS)
    assert tidy.loc["utility@10"].tolist() == [
        "a",
        pytest.approx(110 / 3),
        pytest.approx(np.std([0, 60, 50], ddof=1) / 3**0.5),
        3,
    ]
    assert tidy.loc["min_max"].tolist() == ["a", pytest.approx(60.0), pytest.approx(40.0), 2]


def test_gains_between_rounds_are_paired_by_discussion():
    runs = runs_of([(unit(0), NEVER), (unit(1), RISING), (unit(2), ONCE)])
    row = gains(runs, "rule").set_index("column").loc["utility@10 - utility@3"]
    pairs = runs["utility@10"] - runs["utility@3"]
    assert (row["value"], row["se"], row["n"]) == (pytest.approx(pairs.mean()), pytest.approx(pairs.sem()), 3)


def test_a_summary_keeps_the_order_of_its_rows_and_takes_several_columns():
    runs = pd.concat([runs_of([(unit(0), NEVER)]).assign(rule=rule, agents=3) for rule in ("z", "a")])
    assert summary(runs, "rule")["row"].unique().tolist() == ["z", "a"]
    assert summary(runs, ["rule"])["row"].unique().tolist() == ["z", "a"]
    both = summary(runs, ["rule", "agents"])
    assert list(both.columns) == ["rule", "agents", "column", "value", "se", "n"]
    assert both.loc[both["column"] == "min_max", "n"].tolist() == [0, 0]


# -- laws ------------------------------------------------------------------------------------------------------------


@settings(max_examples=25, deadline=None)
@given(
    st.sampled_from(["majority", "rated", "unanimous"]),
    st.sampled_from(["zero-intelligence", "mixed", "truthful"]),
    st.sampled_from(["sum_to_one", "printed"]),
    st.integers(1, 4),
    st.integers(0, 999),
)
def test_property_every_metric_lies_between_0_and_100(rule, seats, exponents, rounds, seed):
    economy, rng = exchange_economy(exponents=exponents), np.random.default_rng(seed)
    record = asyncio.run(play(economy, seat_all(economy, seats, rng), rule, rounds=rounds))
    found = run_metrics(record)
    assert set(found) == {*METRICS, "first_decision"}
    for name in METRICS:
        assert math.isnan(found[name]) == (name == "min_max" and record.outcome is None)
        assert math.isnan(found[name]) or -1e-9 <= found[name] <= 100 + 1e-6


@given(st.lists(st.sampled_from([0.0, 25.0, 50.0, 100.0]), min_size=1, max_size=10))
def test_property_rigidity_counts_the_rounds_without_a_change(curve):
    changes = sum(a != b for a, b in zip([0.0, *curve], curve, strict=False))
    assert rigidity(curve) == pytest.approx(100 * (1 - changes / len(curve)))


def test_format_errors_are_counted_by_phase_of_the_replies_that_were_asked():
    quiet = replace(NEVER.rounds[0], candidates=(), format_errors=(FormatError("Ana", "propose", "no table"),))
    some = replace(NEVER, rounds=(quiet,), seats={"Ana": "model", "Ben": "model"})
    assert format_errors(some) == {"message": "0 of 2", "propose": "1 of 2", "vote": "0 of 0"}
