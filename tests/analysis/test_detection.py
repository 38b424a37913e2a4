"""Selection and detection: scores by hand and by scikit-learn, tests by scipy."""

import asyncio
import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import f1_score
from statsmodels.stats.contingency_tables import mcnemar

from support import published
from support.analysis import detection as det
from support.errors import InvalidInput, MalformedReply
from support.models.stand_ins import scripted
from support.seminar.rules import load_policies
from support.seminar.suite import JudgedReply, edge_cases, held_out_states

RNG, SEED = np.random.default_rng, "002_0d724da09908f95e"
POLICIES = load_policies("seed")


def chosen(technique, *runs, truth=(("begin",), ("vague", "ask_more"), ())):
    """Selections: for each run a selection for each state."""
    return pd.DataFrame(
        {
            "technique": technique,
            "run": r,
            "item": k,
            "selected": s,
            "applies": truth[k],
            "problem": "",
        }
        for r, states in enumerate(runs)
        for k, s in enumerate(states)
    )


def verdicts(technique, *runs, cases=2, voices=2):
    """Verdicts as texts of 0 and 1, a letter a reply; the first half of the cases are to be flagged."""
    return pd.DataFrame(
        {"technique": technique, "run": r, "item": f"{k // voices}-{k % voices}", "case": f"case {k // voices}",
         "flag": k // voices < cases // 2, "flagged": letter == "1", "problem": ""}
        for r, said in enumerate(runs)
        for k, letter in enumerate(said)
    )  # fmt: skip


# -- scores ----------------------------------------------------------------------------------------------------------

IDS = st.sets(st.sampled_from(["begin", "vague", "follow_up", "give_up"]))


@given(st.lists(st.tuples(IDS, IDS), min_size=1, max_size=8))
@settings(max_examples=20)
def test_property_scores_are_those_of_scikit_learn_with_empty_sets_counted_as_1(pairs):
    names = ["begin", "vague", "follow_up", "give_up"]
    said, true = (
        np.array([[name in pair[k] for name in names] for pair in pairs], dtype=int)
        for k in (0, 1)
    )
    ours = det.selection_runs(
        chosen("t", [s for s, _ in pairs], truth=[a for _, a in pairs])
    ).iloc[0]
    assert ours["f1"] == pytest.approx(
        f1_score(true, said, average="samples", zero_division=1.0)
    )
    assert ours["micro_f1"] == pytest.approx(
        f1_score(true, said, average="micro", zero_division=1.0)
    )
    assert ours["right"] == np.mean([s == a for s, a in pairs]) and ours["n"] == len(
        pairs
    )
    assert ours["none_apply"] == sum(not a for _, a in pairs)


# -- answers ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("listed", [True, False])
def test_each_context_state_and_run_has_one_row_with_the_list_or_without(listed):
    states, texts = held_out_states()[:2], []

    def answer(messages):
        texts.append(" ".join(message["content"] for message in messages))
        return {"policies": [1]}

    frame = asyncio.run(
        det.model_selections(scripted(answer), states, POLICIES, listed, runs=2)
    )
    assert len(frame) == 4 * 2 * 2 == len(texts) and set(frame["selected"]) == {
        ("begin",)
    }
    assert (
        sum(POLICIES["begin"].text in text for text in texts)
        == 16 * listed
        == frame["listed"].sum()
    )
    assert frame["technique"].nunique() == 4
    assert dict(zip(frame["item"], frame["applies"], strict=True)) == {
        one.id: one.applies for one in states
    }


def said_by(say):
    class Detector:
        kind = "own"

        async def check(self, reply, policies, context=""):
            assert (reply, context) == ("Who pays?", "")  # the text, and nothing else
            return say()

    return asyncio.run(
        det.verdicts(
            "mine", Detector(), [JudgedReply("a", "Who pays?", True, "a")], POLICIES
        )
    )


def test_answers_off_their_form_select_nothing_and_flag_nothing_and_say_why():
    def breaks():
        raise MalformedReply("no verdict")

    model = scripted(["no numbers"] * 12)
    frame = asyncio.run(
        det.model_selections(model, held_out_states()[:1], POLICIES, True, runs=1)
    )
    assert (
        set(frame["selected"]) == {()}
        and frame["problem"].str.contains("3 attempts").all()
    )
    assert said_by(breaks)[["technique", "flagged", "problem"]].to_numpy().tolist() == [
        ["mine", False, "no verdict"]
    ]


def test_the_literal_reading_agrees_with_the_author_and_the_floor_selects_all():
    table = det.selection_runs(
        det.literal_selections(held_out_states(), POLICIES)
    ).set_index("technique")
    assert table["f1"].round(2).to_dict() == {"literal": 1.0, "every policy": 0.41}


def test_a_model_judges_one_voice_of_every_case_in_every_run_anew(tmp_path):
    replies = det.one_voice(edge_cases())
    voices = [reply.voice for reply in replies]
    assert len({reply.case for reply in replies}) == 20 and {
        voices.count(voice) for voice in voices
    } == {4}
    model = scripted(
        [json.dumps({"verdict": "clear"})] * 6, cache=tmp_path / "cache.sqlite"
    )
    frame = asyncio.run(
        det.model_verdicts(model, replies[:2], POLICIES, "zero", runs=3)
    )
    assert frame["run"].tolist() == [1, 1, 2, 2, 3, 3] and set(frame["technique"]) == {
        "zero"
    }
    assert len(model.cache) == 6  # with one seed and one repetition it would be two


# -- tests between two techniques ------------------------------------------------------------------------------------


def test_t_over_runs_is_scipys_and_the_papers_stars_follow_from_what_it_prints():
    one, other = [0.91, 0.93, 0.95], [0.80, 0.88, 0.85]
    found = det.both_t(*((np.mean(x), np.std(x, ddof=1), 3) for x in (one, other)))
    for equal, name in ((True, "p"), (False, "welch_p")):
        assert found[name] == pytest.approx(
            stats.ttest_ind(one, other, equal_var=equal).pvalue
        )
    assert np.isnan(det.both_t((0.88, 0.0, 3), (0.3, 1e-17, 3))["p"])
    for name in ("speaker", "slot", "both"):
        found = det.printed_test(published.load(SEED, "Table 1"), "summary", name)
        assert found["p"] < 0.001 and found["welch_p"] < 0.001, name
    table = published.load(SEED, "Table 2")
    found = det.printed_test(table, "few with policies", "few")
    assert [found[k] for k in ("p", "welch_p")] == pytest.approx(
        [0.0045, 0.0287], abs=5e-5
    )
    assert (
        det.printed_test(table, "few", "zero")["p"]
        < 0.01
        < det.printed_test(table, "few", "zero")["welch_p"]
    )


@given(st.text("01", min_size=4, max_size=12), st.randoms())
@settings(max_examples=20)
def test_property_mcnemar_is_statsmodels_whoever_comes_first(said, random):
    other = "".join(random.sample(said, len(said)))
    both = pd.concat(
        [
            det.with_right(verdicts("a", said, voices=1)),
            det.with_right(verdicts("b", other, voices=1)),
        ]
    )
    found, reverse = det.mcnemar_test(both, "a", "b"), det.mcnemar_test(both, "b", "a")
    assert found["p"] == pytest.approx(
        mcnemar([[0, found["only_a"]], [found["only_b"], 0]], exact=True).pvalue
    )
    assert (
        found["p"] == reverse["p"]
        and found["only_a"] == reverse["only_b"]
        and found["n"] == len(said)
    )


def test_an_item_of_several_runs_is_one_pair_by_the_most_of_them():
    both = det.with_right(
        pd.concat([verdicts("a", "1100", "1000", "1000"), verdicts("b", "1100")])
    )
    assert det.mcnemar_test(both, "a", "b") == {
        "n": 4,
        "only_a": 0,
        "only_b": 1,
        "p": 1.0,
    }


def test_intervals_draw_whole_cases_as_many_of_either_label():
    # All five voices of a case fare alike: ten cases, not fifty replies, stand behind the interval.
    frame = verdicts("a", "11111" * 8 + "00000" * 2 + "0" * 50, cases=20, voices=5)
    row = det.intervals(frame, RNG(1)).iloc[0]
    assert (
        row["mean"] == 0.9
        and row["clusters"] == 20
        and row["se"] == pytest.approx(np.sqrt(0.16 / 10) / 2, rel=0.06)
    )
    nothing = verdicts(
        "none", "0" * 100, cases=20, voices=5
    )  # half right by design, whatever is drawn
    gap = det.difference(pd.concat([frame, nothing]), "a", "none", RNG(1))
    assert (
        gap["mean"] == pytest.approx(0.4)
        and 0.2 < gap["low"] < gap["high"] < 0.5 + 1e-9
    )
    assert det.intervals(nothing, RNG(1))[["low", "high"]].to_numpy().tolist() == [
        [0.5, 0.5]
    ]


def test_tables_say_what_the_single_analyses_say():
    frame = pd.concat(
        [verdicts("few", "1100", "1000"), verdicts("zero", "0000", "0000")]
    )
    (row,) = det.pairs_table(
        frame, [("few", "zero")], RNG(1), published.load(SEED, "Table 2"), 50
    ).to_dict("records")
    assert row["published_difference"] == pytest.approx(0.09) and row[
        "difference"
    ] == pytest.approx(0.375)
    assert (
        row["runs_p"] == pytest.approx(stats.ttest_ind([1, 0.75], [0.5, 0.5]).pvalue)
        and row["mcnemar_p"] == 1.0
    )
    ours = det.results(RNG(1), frame).set_index("row")["value"]
    assert ours.to_dict() == pytest.approx(
        {"few": 0.875, "zero": 0.5, "few - zero": 0.375, "zero - few": -0.375}
    )
    table = det.detection_table(frame, RNG(1)).set_index("technique")
    assert table.loc["few", ["accuracy", "sd"]].tolist() == pytest.approx(
        [0.875, np.std([1, 0.75], ddof=1)]
    )
    assert table.loc[
        ["few", "zero"], ["sensitivity", "specificity"]
    ].to_numpy().tolist() == [[0.75, 1], [0, 1]]
    beside = det.spreads(frame, published.load(SEED, "Table 2")).set_index(
        ["technique", "source"]
    )
    assert beside.loc[("few", "published: SD of 3 runs"), "high"] == pytest.approx(0.88)
    assert beside.loc[("few", "here: SD of 2 runs"), "low"] == pytest.approx(
        0.875 - np.std([1, 0.75], ddof=1)
    )
    some = chosen("slot", [("begin",), (), ()], [("begin",), ("vague",), ()])
    row = det.selection_table(some).iloc[0]
    assert row[["selected", "none", "right"]].tolist() == pytest.approx(
        [0.5, 0.5, 2 / 3]
    )


FRAME = verdicts("m", "1100")
UNLIKE = verdicts("n", "11").assign(item=["x", "y"])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: det.selection_runs(pd.concat([chosen("m", [(), ()])] * 2)),
            "item 0 is twice in run 0 of 'm'",
        ),
        (
            lambda: det.with_right(FRAME.assign(flagged="Clear")),
            "flagged: 'Clear' given for item 0-0 by 'm'",
        ),
        (
            lambda: det.with_right(FRAME.assign(case=None)),
            "column 'case' .* empty in 4 rows",
        ),
        (
            lambda: det.difference(pd.concat([FRAME, UNLIKE]), "m", "n", RNG(1)),
            "no item in common",
        ),
        (lambda: said_by(lambda: "Clear"), "check: 'Clear' given by 'mine'"),
    ],
)
def test_what_users_get_wrong_is_named(call, words):
    with pytest.raises(InvalidInput, match=words):
        call()
