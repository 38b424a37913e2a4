"""Transition probabilities: what they count, that they stay probabilities, how sure they are, what they say."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.analysis.dialogue_acts import LABELS
from support.analysis.transitions import (
    NAMES,
    bootstrap,
    code,
    compare_levels,
    count_plainly,
    excess_within_rounds,
    most_probable,
    permutation_test,
    transitions,
)
from support.errors import InvalidInput


def frame(*runs, **columns):
    """Messages from texts: for each run a list of rounds, "Ana: inform request; Ben: propose"."""
    rows, columns = [], {"repetition": range(len(runs))} | columns
    for run, rounds in enumerate(runs):
        for number, spoken in enumerate(rounds, start=1):
            for said in filter(None, spoken.split("; ")):
                sender, _, acts = said.partition(": ")
                own = {name: values[run] for name, values in columns.items()}
                rows.append(
                    {
                        "run": run,
                        **own,
                        "round": number,
                        "sender": sender,
                        "acts": tuple(acts.split()),
                    }
                )
    return pd.DataFrame(rows)


def counts(*runs, count="exists", **columns):
    return transitions(code(frame(*runs, **columns)), count)


NAMED = ("Ana", "Ben", "Cleo")
TWO_ROUNDS = [
    "Ana: inform; Ben: inform request; Cleo: request",
    "Ana: propose; Ben: propose; Cleo: accept",
]


def at_random(rng, runs, rounds=10, acts=4, silence=0.1):
    """Discussions of random acts, some of which stop early, and some silences."""
    rows = []
    for run in range(runs):
        for number in range(1, int(rng.integers(1, rounds + 1)) + 1):
            for sender in NAMED:
                if rng.random() > silence or number == 1:
                    chosen = tuple(
                        rng.choice(
                            LABELS[:acts], size=int(rng.integers(1, 3)), replace=False
                        )
                    )
                    rows.append(
                        {
                            "run": run,
                            "rule": "majority",
                            "round": number,
                            "sender": sender,
                            "acts": chosen,
                        }
                    )
    return pd.DataFrame(rows)


def test_probabilities_of_a_discussion_counted_by_hand():
    """inform is performed by Ana and Ben, request by Ben and Cleo; Cleo's request is answered by no accept but her own,
    and each act of the last round is followed by the end."""
    t = counts(TWO_ROUNDS)
    p, (found, occurs) = t.probability, count_plainly(frame(TWO_ROUNDS))
    assert p.loc["start", ["inform", "request"]].tolist() == [1, 1]
    assert p.loc["inform", ["propose", "accept"]].tolist() == [1, 1]
    assert p.loc["request", ["propose", "accept", "end"]].tolist() == [1, 0.5, 0]
    assert p.loc[["propose", "accept"], "end"].tolist() == [1, 1]
    assert p.loc[["confirm", "end"]].isna().all(axis=None)
    assert (
        t.frequency[["inform", "accept"]].tolist() == pytest.approx([2 / 7, 1 / 7])
        and t.frequency.sum() == 1
    )
    assert (
        found["request", "accept"],
        occurs["request"],
        found["propose", "end"],
        occurs["end"],
    ) == (1, 2, 2, 0)


def test_the_printed_count_takes_pairs_of_speakers_ends_at_round_ten_and_never_reaches_the_end():
    p = counts(TWO_ROUNDS, count="printed").probability
    assert (
        p.loc["inform", "propose"] == 1
    )  # Ana → Ben, Ben → Ana: two pairs of two occurrences
    assert p.loc["request", "propose"] == 1.5  # Ben → Ana, Cleo → Ana and Cleo → Ben
    assert p.loc["start", "inform"] == pytest.approx(4 / 3)
    assert p["end"].fillna(0).eq(0).all()
    eleven = ["Ana: inform; Ben: inform"] * 10 + ["Ana: accept; Ben: accept"]
    t = counts(eleven, count="printed")
    assert t.denominator[0, NAMES.index("inform")] == 18  # rounds 1 to 9
    assert np.isnan(t.probability.loc["accept", "end"])
    assert counts(eleven).probability.loc["inform", "accept"] == pytest.approx(1 / 10)


def test_silence_answers_nothing_and_one_s_own_answer_is_none():
    messages = frame(
        ["Ana: inform; Ben: inform", "Ben: propose", "Ana: "], rule=["majority"]
    )
    coded = code(messages)
    p = transitions(coded).probability
    assert p.loc["inform", "propose"] == 0.5, "Ana's is answered by Ben, his own is not"
    assert p.loc["propose", "end"] == 0, (
        "a round whose only message could not be labelled lies between"
    )
    assert coded.played.tolist() == [3] and coded.runs["rule"].tolist() == ["majority"]


@settings(max_examples=20)
@given(
    st.integers(0, 2**32),
    st.integers(1, 12),
    st.floats(0, 0.9),
    st.permutations(range(4)),
    st.permutations(NAMED),
)
def test_property_counts_depend_neither_on_the_order_of_runs_nor_on_names_and_no_probability_exceeds_one(
    seed, rounds, silence, order, names
):
    messages = at_random(
        np.random.default_rng(seed), runs=4, rounds=rounds, silence=silence
    )
    other = messages.assign(
        sender=messages["sender"].map(dict(zip(NAMED, names, strict=True)))
    )
    other = pd.concat([other[other["run"] == run] for run in order])
    t, again = transitions(code(messages)), transitions(code(other))
    assert np.array_equal(
        t.numerator[list(order)], again.numerator
    ) and t.probability.equals(again.probability)
    assert (t.numerator <= t.denominator[:, :, None]).all() and t.probability.loc[
        "start", "end"
    ] == 0


def test_within_rounds_the_clock_adds_nothing_and_an_answer_does():
    """In the first round all inform, in the second all accept or decline: only over all rounds does inform lead."""
    clock = [["Ana: inform; Ben: inform", f"Ana: {act}; Ben: {act}", "Ana: defend; Ben: defend"]
             for act in ("accept", "decline")]  # fmt: skip
    coded = code(frame(*clock))
    assert transitions(coded).excess.loc[
        "inform", ["accept", "defend"]
    ].tolist() == pytest.approx([1 / 3, -1 / 3])
    assert excess_within_rounds(coded).loc["inform"].tolist() == pytest.approx(
        [0] * len(NAMES), abs=1e-6
    )
    request = ["Ana: request; Ben: request", "Ana: accept; Ben: accept"]
    within = excess_within_rounds(
        code(frame(request, ["Ana: inform; Ben: inform", "Ana: defend; Ben: defend"]))
    )
    assert within.loc["request", ["accept", "defend"]].tolist() == pytest.approx(
        [0.5, -0.5]
    )
    assert np.isnan(within.loc["start", "inform"])


def test_the_graph_shows_the_most_probable_edges_without_loops_equals_in_the_order_of_the_labels():
    run = [
        "Ana: inform; Ben: inform",
        "Ana: inform; Ben: inform",
        "Ana: propose; Ben: propose",
    ]
    edges = [
        ("start", "inform", 1, 2),
        ("inform", "propose", 0.5, 2),
        ("propose", "end", 1, 2),
    ]
    assert list(most_probable(counts(run)).itertuples(index=False, name=None)) == edges
    tie = counts(
        ["Ana: inform; Ben: inform", "Ana: decline request; Ben: request decline"]
    )
    assert most_probable(tie, edges=2)["target"].tolist()[1:3] == ["request", "decline"]
    t = counts(["Ana: inform; Ben: request", "Ana: propose; Ben: accept"] * 2)
    assert (
        most_probable(t, 5)["probability"].min()
        < 0.6
        <= most_probable(t, 5, 0.6)["probability"].min()
    )
    sure = counts(*many(np.random.default_rng(1), 300, "accept"))
    assert most_probable(sure, drawn=bootstrap(sure, np.random.default_rng(2)))[
        "leads"
    ].tolist() == [1, 1, 1, 1]


def test_a_part_of_the_runs_is_counted_alone_and_what_is_known_of_its_labels_stays():
    messages = frame(
        TWO_ROUNDS,
        ["Ana: defend; Ben: defend"],
        environment=["e", "e"],
        rule=["majority", "rated"],
    )
    messages.attrs["trust"] = {"acts": {"e": "weak", "f": "of another environment"}}
    t = transitions(code(messages)).where(rule="rated")
    assert len(t.runs) == t.probability.loc["defend", "end"] == 1
    assert (
        t.trust
        == most_probable(t).attrs["trust"]
        == t.excess.drop(index="start").attrs["trust"]
        == "weak"
    )


def many(rng, runs, answer):
    """Runs in which an inform is answered by `answer` with probability 0.7, else by propose."""
    said = [answer if rng.random() < 0.7 else "propose" for _ in range(runs)]
    return [["Ana: inform; Ben: inform", f"Ana: {act}; Ben: {act}"] for act in said]


def test_a_bootstrap_draw_is_the_count_of_the_groups_drawn_each_with_all_of_its_runs():
    t = counts(
        *many(np.random.default_rng(4), 10, "accept"), repetition=[*range(5)] * 2
    )
    weights = np.random.default_rng(9).multinomial(5, np.full(5, 0.2), size=1)[0]
    again = t.take(np.repeat(np.arange(10), [*weights, *weights]))
    np.testing.assert_array_equal(
        bootstrap(t, np.random.default_rng(9), 1)[0], again.probability.to_numpy()
    )


def test_p_is_small_no_more_often_than_it_says_where_nothing_differs():
    pool, found = counts(*many(np.random.default_rng(0), 400, "accept")), []
    for seed in range(100):
        rng = np.random.default_rng(seed)
        drawn, groups = (
            rng.choice(400, 30, replace=False),
            pd.DataFrame({"repetition": range(15)}),
        )
        a, b = (
            replace(pool.take(part), runs=groups) for part in (drawn[:15], drawn[15:])
        )
        found.append(permutation_test(a, b, rng, draws=99)[1])
    assert (
        0.1 < np.mean(np.array(found) <= 0.5) < 0.64
    )  # ties make it less than a half; 3 standard errors above
    assert np.mean(np.array(found) <= 0.05) < 0.11


def test_pairs_are_compared_within_in_any_order_and_runs_without_a_partner_are_left_out():
    """Half of the groups accept and half decline under both rules: within pairs nothing differs at all."""
    runs = [
        ["Ana: inform; Ben: inform", f"Ana: {act}; Ben: {act}"]
        for act in ["accept", "decline"] * 10
    ]
    a, b = counts(*runs), counts(*runs[::-1], repetition=range(19, -1, -1))
    assert permutation_test(a, b, np.random.default_rng(1), draws=200) == (0, 1)
    assert permutation_test(
        a, counts(*runs[:10], repetition=range(2, 12)), np.random.default_rng(1), 50
    ) == (0, 1)


def test_all_pairs_of_levels_are_compared_and_those_that_differ_are_told_apart():
    rng = np.random.default_rng(1)
    runs = [
        *many(rng, 30, "accept"),
        *many(rng, 30, "accept"),
        *many(rng, 30, "decline"),
    ]
    t = counts(
        *runs, rule=["x"] * 30 + ["y"] * 30 + ["z"] * 30, repetition=[*range(30)] * 3
    )
    table = compare_levels(t, "rule", rng, draws=400).set_index(["a", "b"])
    assert (
        table.loc[("x", "z"), "p_adjusted"] < 0.05 < table.loc[("x", "y"), "p_adjusted"]
    )
    assert (
        table.loc[("x", "z"), "p"] == 1 / 401
        and (table["p_adjusted"] >= table["p"]).all()
    )  # never 0


ONE = counts(TWO_ROUNDS)
RNG = np.random.default_rng(1)


@pytest.mark.parametrize(
    ("ask", "said"),
    [(lambda: code(frame(TWO_ROUNDS), "embedding"), "'embedding'"),
     (lambda: code(frame(["Ana: chat; Ben: inform"])), "'chat' given"),
     (lambda: counts(["Ana: inform"]), "from one speaker to another"),
     (lambda: bootstrap(ONE, RNG), "at least 2"),
     (lambda: permutation_test(ONE, ONE, RNG, 50), "at least 2")],
)  # fmt: skip
def test_what_users_get_wrong(ask, said):
    with pytest.raises(InvalidInput, match=said):
        ask()
