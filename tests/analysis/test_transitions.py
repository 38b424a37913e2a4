"""Transition probabilities: what they count, that they stay probabilities, how sure they are, what they say."""

import asyncio
import json
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.analysis.conversation import messages_of
from support.analysis.dialogue_acts.acts import LABELS, code
from support.analysis.transitions import count_plainly, most_probable, transitions
from support.analysis.transitions_claims import CENTRE, check_statements
from support.analysis.transitions_inference import bootstrap, compare_levels, permutation_test
from support.errors import InvalidInput
from support.roundtable.records import Message, Round, Transcript
from support.runs.study import Store, Unit
from support.simulations import simulations


def frame(*runs, **columns):
    """Messages from texts: for each run a list of rounds, "Ana: inform request; Ben: propose"."""
    rows = []
    for run, rounds in enumerate(runs):
        for number, spoken in enumerate(rounds, start=1):
            for said in filter(None, spoken.split("; ")):
                sender, _, acts = said.partition(": ")
                own = {name: values[run] for name, values in columns.items()}
                rows.append({"run": run, **own, "round": number, "sender": sender, "acts": tuple(acts.split())})
    return pd.DataFrame(rows)


def counts(*runs, count="exists", **columns):
    return transitions(code(frame(*runs, **columns)), count)


TWO_ROUNDS = ["Ana: inform; Ben: inform request; Cleo: request", "Ana: propose; Ben: propose; Cleo: accept"]


def at_random(rng, runs, rounds=10, acts=4, silence=0.1):
    """Discussions of random acts, some of which stop early, and some silences."""
    rows = []
    for run in range(runs):
        for number in range(1, int(rng.integers(1, rounds + 1)) + 1):
            for sender in ("Ana", "Ben", "Cleo"):
                if rng.random() > silence or number == 1:
                    chosen = tuple(rng.choice(LABELS[:acts], size=int(rng.integers(1, 3)), replace=False))
                    rows.append({"run": run, "rule": "majority", "round": number, "sender": sender, "acts": chosen})
    return pd.DataFrame(rows)


def test_probabilities_of_a_discussion_counted_by_hand():
    """inform is performed by Ana and Ben, request by Ben and Cleo; Cleo's request is answered by no accept but her own,
    and each act of the last round is followed by the end."""
    p = counts(TWO_ROUNDS).probability
    assert p.loc["start", ["inform", "request"]].tolist() == [1, 1]
    assert p.loc["inform", ["propose", "accept"]].tolist() == [1, 1]
    assert p.loc["request", ["propose", "accept", "end"]].tolist() == [1, 0.5, 0]
    assert p.loc["propose", "end"] == 1
    assert p.loc["accept", "end"] == 1
    assert p.loc["confirm"].isna().all()
    assert p.loc["end"].isna().all()


def test_the_printed_count_takes_pairs_of_speakers_and_never_reaches_the_end():
    t = counts(TWO_ROUNDS, count="printed")
    assert t.probability.loc["inform", "propose"] == 1  # Ana → Ben, Ben → Ana: two pairs of two occurrences
    assert t.probability.loc["request", "propose"] == 1.5  # Ben → Ana, Cleo → Ana and Cleo → Ben
    assert t.probability.loc["start", "inform"] == pytest.approx(4 / 3)
    assert t.probability["end"].fillna(0).eq(0).all()
    assert t.probability.loc["accept"].eq(0).all()  # the second round is within the sum, and nothing follows it


def test_the_printed_sum_ends_at_round_ten():
    eleven = ["Ana: inform; Ben: inform"] * 10 + ["Ana: accept; Ben: accept"]
    t = counts(eleven, count="printed")
    assert t.denominator[0, t.labels.index("inform")] == 18  # rounds 1 to 9
    assert np.isnan(t.probability.loc["accept", "end"])
    assert counts(eleven).probability.loc["inform", "accept"] == pytest.approx(1 / 10)


def test_an_agent_that_says_nothing_performs_nothing_and_answers_nothing():
    p = counts(["Ana: inform; Ben: inform", "Ben: propose"]).probability
    assert p.loc["inform", "propose"] == 0.5  # Ana's is answered by Ben, his own is not


def test_one_s_own_answer_is_no_answer():
    p = counts(["Ana: request; Ben: inform", "Ana: propose; Ben: decline"]).probability
    assert p.loc["request", "propose"] == 0
    assert p.loc["request", "decline"] == 1


def test_a_round_in_which_everybody_is_silent_separates_what_was_said_from_the_end():
    messages = frame(["Ana: inform; Ben: inform"])
    assert transitions(code(messages)).probability.loc["inform", "end"] == 1
    assert transitions(code(messages, played={0: 2})).probability.loc["inform", "end"] == 0


@pytest.mark.parametrize("seed", [1, 2])
def test_the_arrays_count_what_the_loops_count_on_600_simulations(seed):
    messages = at_random(np.random.default_rng(seed), runs=600, acts=11)
    assert same_as_loops(messages)


def test_the_arrays_count_what_the_loops_count_on_real_simulations(tmp_path):
    sweep, store = simulations("exchange_economy", 2, seed=5, rounds=4), Store(tmp_path / "s.sqlite")
    asyncio.run(sweep.run(store, concurrency=1, progress=False))
    assert same_as_loops(messages_of(sweep.records(store)))


def same_as_loops(messages):
    t = transitions(code(messages))
    found, occurs = count_plainly(messages)
    cells = pd.DataFrame(t.numerator.sum(axis=0), t.labels, t.labels).stack()
    assert Counter({pair: n for pair, n in cells.items() if n}) == found
    assert Counter({a: n for a, n in zip(t.labels, t.denominator.sum(axis=0), strict=True) if n}) == occurs
    return len(found) > 0


def test_the_loops_themselves_count_the_hand_computed_example():
    found, occurs = count_plainly(frame(TWO_ROUNDS))
    assert Fraction(found["request", "accept"], occurs["request"]) == Fraction(1, 2)
    assert (occurs["start"], found["start", "inform"], found["propose", "end"], occurs["end"]) == (3, 3, 2, 0)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 12), st.floats(0, 0.9))
def test_no_probability_exceeds_one_also_for_runs_that_stopped_early(seed, rounds, silence):
    t = transitions(code(at_random(np.random.default_rng(seed), runs=4, rounds=rounds, silence=silence)))
    p = t.probability.to_numpy()
    assert np.nanmin(p) >= 0
    assert np.nanmax(p) <= 1
    assert (t.numerator <= t.denominator[:, :, None]).all()
    assert t.probability.loc["start", "end"] == 0


@settings(max_examples=20, deadline=None)
@given(st.permutations(range(4)), st.permutations(["Ana", "Ben", "Cleo"]))
def test_counts_depend_neither_on_the_order_of_runs_nor_on_names(order, names):
    messages = at_random(np.random.default_rng(3), runs=4)
    other = messages.assign(sender=messages["sender"].map(dict(zip(["Ana", "Ben", "Cleo"], names, strict=True))))
    other = pd.concat([other[other["run"] == run] for run in order])
    once, again = transitions(code(messages)), transitions(code(other))
    assert np.array_equal(once.numerator[list(order)], again.numerator)
    assert once.probability.equals(again.probability)


def test_frequency_is_the_share_of_all_acts():
    shares = counts(TWO_ROUNDS).frequency
    assert shares[["inform", "request", "propose", "accept"]].tolist() == pytest.approx([2 / 7, 2 / 7, 2 / 7, 1 / 7])
    assert shares.sum() == pytest.approx(1)


def test_excess_is_zero_where_what_follows_does_not_depend_on_what_was_said():
    t = counts(["Ana: inform; Ben: request", "Ana: accept; Ben: accept"])
    assert t.excess.loc[["inform", "request"], "decline"].tolist() == [0, 0]
    assert t.excess.loc["inform", "accept"] == pytest.approx(1 - 2 / 4)


def test_a_part_of_the_runs_is_counted_alone():
    t = counts(TWO_ROUNDS, ["Ana: defend; Ben: defend"], rule=["majority", "rated"])
    assert t.where(rule="rated").probability.loc["defend", "end"] == 1
    assert len(t.where(rule="majority").runs) == 1
    with pytest.raises(InvalidInput, match="rule 'ranked'"):
        t.where(rule="ranked")
    with pytest.raises(InvalidInput, match="colour"):
        t.where(colour="red")


def test_one_speaker_makes_no_transition_and_an_unknown_count_is_refused():
    with pytest.raises(InvalidInput, match="from one speaker to another"):
        counts(["Ana: inform"])
    with pytest.raises(InvalidInput, match="'twice' given; expected 'exists' or 'printed'"):
        counts(TWO_ROUNDS, count="twice")


def test_the_graph_shows_the_most_probable_edge_of_each_act_without_loops():
    run = ["Ana: inform; Ben: inform", "Ana: inform; Ben: inform", "Ana: propose; Ben: propose"]
    edges = most_probable(counts(run))
    assert edges[["source", "target"]].to_numpy().tolist() == [
        ["start", "inform"],
        ["inform", "propose"],
        ["propose", "end"],
    ]
    assert edges["probability"].tolist() == [1, 0.5, 1]
    assert edges["count"].tolist() == [2, 2, 2]


def test_equally_probable_edges_come_in_the_order_of_the_labels_and_say_that_they_are():
    run = ["Ana: inform; Ben: inform", "Ana: decline request; Ben: request decline"]
    first = most_probable(counts(run))
    assert first.loc[1, ["source", "target", "tied"]].tolist() == ["inform", "request", 1]
    assert most_probable(counts(run), edges=2)["target"].tolist()[1:3] == ["request", "decline"]


def test_an_edge_below_the_threshold_is_not_shown():
    t = counts(["Ana: inform; Ben: request", "Ana: propose; Ben: accept"] * 2)
    assert most_probable(t, edges=5, threshold=0.6)["probability"].min() >= 0.6
    assert most_probable(t, edges=5)["probability"].min() < 0.6
    with pytest.raises(InvalidInput, match="edges 0"):
        most_probable(t, edges=0)


def many(rng, runs, answer):
    """Runs in which an inform is answered by `answer` with probability 0.7, else by propose, of groups 0, 1, …"""
    said = [answer if rng.random() < 0.7 else "propose" for _ in range(runs)]
    return [["Ana: inform; Ben: inform", f"Ana: {act}; Ben: {act}"] for act in said]


def test_bootstrap_intervals_hold_the_probability_and_narrow_with_more_runs():
    widths = []
    for runs in (20, 320):
        t = counts(*many(np.random.default_rng(1), runs, "accept"))
        boot = bootstrap(t, np.random.default_rng(2))
        bounds, place = boot.bounds(), (t.labels.index("inform"), t.labels.index("accept"))
        assert bounds["low"][place] < t.probability.loc["inform", "accept"] < bounds["high"][place]
        widths.append(bounds["high"][place] - bounds["low"][place])
    expected = 2 * 1.96 * np.sqrt(0.7 * 0.3 / 320)
    assert widths[1] == pytest.approx(expected, rel=0.2)
    assert widths[0] > 2.5 * widths[1]


def test_a_bootstrap_draw_is_the_count_of_the_runs_drawn():
    t = counts(*many(np.random.default_rng(4), 5, "accept"))
    boot = bootstrap(t, np.random.default_rng(9), draws=1)
    weights = np.random.default_rng(9).multinomial(5, np.full(5, 0.2), size=1)[0]
    again = t.numerator[np.repeat(np.arange(5), weights)].sum(axis=0)
    below = t.denominator[np.repeat(np.arange(5), weights)].sum(axis=0)
    assert boot.draws[0, 1].tolist() == (again[1] / below[1]).tolist()


def test_runs_of_one_group_are_drawn_together():
    """Six copies of each run are no more evidence than the run itself."""
    runs = many(np.random.default_rng(1), 40, "accept")
    once = counts(*runs, group=range(40))
    copied = counts(*runs * 6, group=[*range(40)] * 6)
    place = (once.labels.index("inform"), once.labels.index("accept"))

    def width(t, **how):
        bounds = bootstrap(t, np.random.default_rng(3), **how).bounds()
        return bounds["high"][place] - bounds["low"][place]

    assert width(copied, cluster="group") == pytest.approx(width(once), rel=0.05)
    assert width(copied) < 0.6 * width(once)


def test_leading_edges_and_the_centre_are_counted_over_the_draws():
    t = counts(*many(np.random.default_rng(1), 300, "accept"))
    boot = bootstrap(t, np.random.default_rng(2), draws=500)
    assert boot.leads.loc["inform", "accept"] == 1
    assert boot.leads.loc["start", "inform"] == 1
    assert boot.leads.loc["end"].sum() == 0
    assert boot.centres["end"] == 1  # accept and propose lead there, one act to each of the others
    assert most_probable(t, **boot.bounds())["leads"].tolist() == [1, 1, 1, 1]


def test_intervals_need_two_runs():
    with pytest.raises(InvalidInput, match="at least 2 runs"):
        bootstrap(counts(TWO_ROUNDS), np.random.default_rng(1))


def test_different_conditions_are_told_apart_and_the_edge_is_named():
    a = counts(*many(np.random.default_rng(1), 60, "accept"))
    b = counts(*many(np.random.default_rng(2), 60, "decline"))
    test = permutation_test(a, b, np.random.default_rng(3), draws=2000)
    assert test.p == 1 / 2001  # never 0
    assert set(test.edges["target"].head(2)) == {"accept", "decline"}
    assert (test.edges["p_adjusted"] >= test.edges["p"]).all()
    assert test.edges["p_adjusted"].head(2).max() < 0.05
    assert test.runs == (60, 60)


def test_p_is_small_no_more_often_than_it_says_where_nothing_differs(monkeypatch):
    monkeypatch.setattr("gc.collect", lambda: 0)  # which statsmodels calls at each correction
    pool, found = counts(*many(np.random.default_rng(0), 400, "accept")), []
    for seed in range(120):
        rng = np.random.default_rng(seed)
        drawn = rng.choice(400, 30, replace=False)
        a, b = (
            replace(pool, numerator=pool.numerator[rows], denominator=pool.denominator[rows], runs=pool.runs.iloc[rows])
            for rows in (drawn[:15], drawn[15:])
        )
        found.append(permutation_test(a, b, rng, draws=99).p)
    assert 0.1 < np.mean(np.array(found) <= 0.5) < 0.64  # ties make it less than a half; 3 standard errors above
    assert np.mean(np.array(found) <= 0.05) < 0.11


def test_pairs_are_compared_within_and_the_order_of_rows_does_not_matter():
    """Half of the groups accept and half decline under both rules: within pairs nothing differs at all."""
    runs = [["Ana: inform; Ben: inform", f"Ana: {act}; Ben: {act}"] for act in ["accept", "decline"] * 10]
    a, b = counts(*runs, group=range(20)), counts(*runs[::-1], group=range(19, -1, -1))
    test = permutation_test(a, b, np.random.default_rng(1), draws=200, paired_by="group")
    assert test.statistic == 0
    assert test.p == 1


def test_runs_without_a_partner_are_left_out_and_a_group_that_is_there_twice_is_refused():
    runs = many(np.random.default_rng(1), 6, "accept")
    a, b = counts(*runs, group=range(6)), counts(*runs, group=range(2, 8))
    assert permutation_test(a, b, np.random.default_rng(1), 50, paired_by="group").runs == (4, 4)
    with pytest.raises(InvalidInput, match="occurs twice"):
        permutation_test(a, counts(*runs, group=[1, 1, 2, 3, 4, 5]), np.random.default_rng(1), 50, paired_by="group")
    with pytest.raises(InvalidInput, match="have to agree"):
        permutation_test(a, counts(*runs, count="printed"), np.random.default_rng(1))
    with pytest.raises(InvalidInput, match="at least 2 of each"):
        permutation_test(a, counts(runs[0]), np.random.default_rng(1))


def test_all_pairs_of_levels_are_compared():
    rng = np.random.default_rng(1)
    runs = [*many(rng, 30, "accept"), *many(rng, 30, "accept"), *many(rng, 30, "decline")]
    t = counts(*runs, rule=["x"] * 30 + ["y"] * 30 + ["z"] * 30, group=[*range(30)] * 3)
    table = compare_levels(t, "rule", rng, draws=400, paired_by="group").set_index(["a", "b"])
    assert table.loc[("x", "z"), "p_adjusted"] < 0.05 < table.loc[("x", "y"), "p_adjusted"]
    assert (table["p_adjusted"] >= table["p"]).all()
    with pytest.raises(InvalidInput, match="one level"):
        compare_levels(t.where(rule="x"), "rule", rng)


def graph_of(*runs):
    t = counts(*runs)
    return t, bootstrap(t, np.random.default_rng(1), draws=200)


def test_statements_of_the_paper_are_held_against_the_graph():
    steps = ["confirm", "request", "propose", "request", "propose", "accept"]
    loop = [f"Ana: {act}; Ben: {act}" for act in steps]
    checked = check_statements({"exchange_economy": graph_of(loop, loop), "movielens": graph_of(loop, loop)})
    answers = checked.set_index("statement")["holds here"]
    assert (
        answers["exchange_economy: request and propose form a loop"] == "yes"
    )  # propose → request 0.5 ties with accept, and is first
    assert answers["exchange_economy: accept leads to the end"] == "yes"
    assert answers["exchange_economy: inform leads to request"] == "not testable here"
    assert answers[CENTRE] == "yes"


def test_a_statement_that_does_not_hold_says_what_leads_instead():
    run = ["Ana: inform; Ben: inform", "Ana: decline; Ben: decline"]
    checked = check_statements({"exchange_economy": graph_of(run, run)}).set_index("statement")
    assert checked.loc["exchange_economy: inform leads to request", "holds here"] == "no"
    assert "behind decline with 1.00" in checked.loc["exchange_economy: inform leads to request", "here"]
    assert CENTRE not in checked.index


def test_a_transcript_with_one_round_has_transitions_from_start_and_to_the_end():
    messages = (Message("Ana", ("Ben",), "🙂", ("inform",)), Message("Ben", ("Ana",), "你好", ("accept",)))
    only = Round(1, messages, (), (), (), None, (), "", None)
    transcript = Transcript({"name": "exchange_economy"}, "majority", {"Ana": "model", "Ben": "model"}, (only,))
    records = [(Unit("s", json.dumps({"rule": "majority"}), 0), transcript)]
    p = transitions(code(messages_of(records))).probability
    assert p.loc["start", ["inform", "accept"]].tolist() == [0.5, 0.5]
    assert p.loc["accept", "end"] == 1
