"""Selection and detection: scores by hand and by scikit-learn, intervals over whole cases."""

import asyncio
import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import f1_score

from support.analysis import detection as det
from support.errors import InvalidInput, MalformedReply
from support.models.stand_ins import scripted
from support.seminar.policies import load_policies
from support.seminar.records import Verdict

RNG = np.random.default_rng
POLICIES = load_policies("seed")


def chosen(technique, *runs, truth=(("begin",), ("vague", "ask_more"), ())):
    """Selections: for each run a selection for each state."""
    rows = [
        (technique, run, item, some, truth[item], "")
        for run, states in enumerate(runs)
        for item, some in enumerate(states)
    ]
    columns = ["technique", "run", "item", "selected", "applies", "problem"]
    return pd.DataFrame(rows, columns=columns)


def verdicts(technique, *runs, cases=2, voices=2):
    """Verdicts as texts of 0 and 1, a letter a reply; the first half of the cases are to
    be flagged."""
    rows = [
        (technique, run, k, f"case {k // voices}", k // voices < cases // 2, one == "1")
        for run, said in enumerate(runs)
        for k, one in enumerate(said)
    ]
    columns = ["technique", "run", "item", "case", "flag", "flagged"]
    return pd.DataFrame(rows, columns=columns).assign(problem="")


def said_by(say):
    """The verdicts of a detector of one's own on one reply."""

    class Detector:
        kind = "own"

        async def check(self, mail, desk):
            assert (mail.body, mail.says) == ("Who pays?", None)
            assert desk.policies == POLICIES
            return say()

    replies = [det.JudgedReply("a", "Who pays?", True, "a")]
    return asyncio.run(det.verdicts("mine", Detector(), replies, POLICIES))


# ---- scores ----------------------------------------------------------------------------

IDS = st.sets(st.sampled_from(["begin", "vague", "follow_up", "give_up"]))


@given(st.lists(st.tuples(IDS, IDS), min_size=1, max_size=8))
@settings(max_examples=20)
def test_property_scores_are_those_of_scikit_learn_with_empty_sets_counted_as_1(pairs):
    names = ["begin", "vague", "follow_up", "give_up"]
    said, true = (
        np.array([[name in pair[k] for name in names] for pair in pairs], dtype=int)
        for k in (0, 1)
    )
    selected, applies = zip(*pairs, strict=True)
    ours = det.selection_runs(chosen("t", selected, truth=applies)).iloc[0]
    for name, average in (("f1", "samples"), ("micro_f1", "micro")):
        theirs = f1_score(true, said, average=average, zero_division=1.0)
        assert ours[name] == pytest.approx(theirs)
    assert ours["right"] == np.mean([one == other for one, other in pairs])


def test_accuracy_sensitivity_and_specificity_are_shares_of_a_run():
    runs = det.detection_runs(verdicts("t", "1000", "1111"))
    columns = ["accuracy", "sensitivity", "specificity"]
    assert runs[columns].to_numpy().tolist() == [[0.75, 0.5, 1], [0.5, 1, 0]]


# ---- answers ---------------------------------------------------------------------------


def test_the_literal_reading_agrees_with_the_author_and_the_floor_selects_all():
    literal = det.literal_selections(det.held_out_states(), POLICIES)
    table = det.selection_runs(literal).set_index("technique")
    assert table["f1"].round(2).to_dict() == {"literal": 1.0, "every policy": 0.41}


@pytest.mark.parametrize("listed", [True, False])
def test_each_context_state_and_run_has_one_row_with_the_list_or_without(listed):
    states, texts = det.held_out_states()[:2], []

    def answer(messages):
        texts.append(" ".join(message["content"] for message in messages))
        return {"policies": [1]}

    made = det.model_selections(scripted(answer), states, POLICIES, listed)
    frame = asyncio.run(made)
    assert len(frame) == 4 * 2 * det.RUNS == len(texts)
    assert set(frame["selected"]) == {("begin",)}
    shown = [POLICIES["begin"].text in text for text in texts]
    assert sum(shown) == len(texts) * listed
    assert frame["technique"].nunique() == 4
    summaries = [any(one.summary[:40] in text for one in states) for text in texts]
    assert sum(summaries) == len(texts) // 4


def test_answers_off_their_form_select_nothing_and_flag_nothing_and_say_why():
    def breaks():
        raise MalformedReply("no verdict")

    [state] = det.held_out_states()[:1]

    def answer(messages):
        told = " ".join(message["content"] for message in messages)
        return "no numbers" if state.summary[:40] in told else {"policies": []}

    model = scripted(answer)
    frame = asyncio.run(det.model_selections(model, [state], POLICIES, True))
    off = frame["technique"] == "summary"
    assert set(frame["selected"]) == {()}
    assert frame["problem"].str.contains("3 attempts").tolist() == off.tolist()
    row = said_by(breaks).iloc[0]
    assert (row["flagged"], row["problem"]) == (False, "no verdict")
    assert said_by(lambda: Verdict(True, "Who?")).iloc[0]["flagged"]


def test_a_model_judges_one_voice_of_every_case_in_every_run_anew(tmp_path):
    replies = det.one_voice(det.edge_cases())
    voices = [reply.voice for reply in replies]
    assert len({reply.case for reply in replies}) == 20
    assert {voices.count(voice) for voice in voices} == {4}
    clear = json.dumps({"verdict": "clear"})
    model = scripted([clear] * 6, cache=tmp_path / "cache.sqlite")
    frame = asyncio.run(det.model_verdicts(model, replies[:2], POLICIES, "zero"))
    assert frame["run"].tolist() == [1, 1, 2, 2, 3, 3]
    assert len(model.cache) == 6  # with one seed and one repetition it would be two


# ---- between two techniques ------------------------------------------------------------


def test_intervals_draw_whole_cases_as_many_of_either_label():
    """All five voices of a case fare alike: twenty cases, not a hundred replies, stand
    behind the interval."""
    frame = verdicts("a", "1" * 40 + "0" * 60, cases=20, voices=5)
    row = det.intervals(frame, RNG(1)).iloc[0]
    assert (row["mean"], row["clusters"]) == (0.9, 20)
    assert row["se"] == pytest.approx(np.sqrt(0.16 / 10) / 2, rel=0.06)
    nothing = verdicts("none", "0" * 100, cases=20, voices=5)
    gap = det.difference(pd.concat([frame, nothing]), "a", "none", RNG(1))
    assert gap["mean"] == pytest.approx(0.4)
    assert 0.2 < gap["low"] < gap["high"] < 0.5 + 1e-9
    around = det.intervals(nothing, RNG(1))[["low", "high"]].to_numpy().tolist()
    assert around == [[0.5, 0.5]]  # half right by design, whatever is drawn


def test_results_hold_every_mean_and_every_difference_of_two():
    frame = pd.concat(
        [verdicts("few", "1100", "1000"), verdicts("zero", "0000", "0000")]
    )
    ours = det.results(RNG(1), frame).set_index("row")["value"]
    assert ours.to_dict() == pytest.approx(
        {"few": 0.875, "zero": 0.5, "few - zero": 0.375, "zero - few": -0.375}
    )


FRAME = verdicts("m", "1100")
TWICE = pd.concat([chosen("m", [(), ()])] * 2)
UNLIKE = pd.concat([FRAME, verdicts("n", "11").assign(item=["x", "y"])])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: det.selection_runs(TWICE), "'item': 0} given twice"),
        (lambda: det.with_right(FRAME.assign(flagged="Clear")), r"\['Clear'\] given"),
        (lambda: det.difference(UNLIKE, "m", "n", RNG(1)), "no two answers to an item"),
    ],
)
def test_what_users_get_wrong_is_named(call, words):
    with pytest.raises(InvalidInput, match=words):
        call()
