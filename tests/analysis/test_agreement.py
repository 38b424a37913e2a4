"""Agreement equals what well-kept libraries say, its intervals resample groups; what annotators are tested on."""

import asyncio
import sqlite3
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.metrics.agreement import AnnotationTask
from sklearn.metrics import cohen_kappa_score, f1_score, precision_score, recall_score

from support.analysis import agreement as ag
from support.analysis.agreement import (
    LabelFile,
    coder_agreement,
    evaluate,
    load_labels,
    settled,
)
from support.analysis.annotators import UNMARKED, EmbeddingAnnotator, MajorityAnnotator
from support.analysis.dialogue_acts import MEAN, labelled_ami
from support.english import wordings
from support.errors import InvalidInput, MissingData
from support.simulations import available

PAIRS = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=2, max_size=40)


@given(PAIRS)
def test_measures_equal_those_of_scikit_learn_and_nltk(pairs):
    real, guess = zip(*pairs, strict=True)
    columns = (np.array(column)[:, None] for column in (real, guess))
    ours = {
        k: v[0]
        for k, v in ag.measures(
            ag.counts(*columns, np.zeros(len(pairs), dtype=int))[0]
        ).items()
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = {"kappa": cohen_kappa_score(real, guess)}
        for name, score in {
            "precision": precision_score,
            "recall": recall_score,
            "f1": f1_score,
        }.items():
            theirs[name] = score(real, guess, zero_division=np.nan)
    for name, value in theirs.items():
        assert ours[name] == pytest.approx(value, nan_ok=True), name
    task = AnnotationTask(
        [
            (c, i, v)
            for i, pair in enumerate(pairs)
            for c, v in zip("ab", pair, strict=True)
        ]
    )
    if len({v for pair in pairs for v in pair}) == 1:
        assert np.isnan(ours["alpha"]), (
            "nobody can agree beyond chance where nothing varies"
        )
    else:
        assert ours["alpha"] == pytest.approx(task.alpha())


def labels(n=200, seed=5):
    rng = np.random.default_rng(seed)
    truth = [
        tuple(a for a in ("inform", "request", "propose") if rng.random() < 0.4)
        or ("others",)
        for _ in range(n)
    ]
    guess = [t if rng.random() < 0.7 else ("inform",) for t in truth]
    return truth, guess, [i % 8 for i in range(n)]


def value(frame, act, measure, column="value"):
    return frame.loc[
        (frame["act"] == act) & (frame["measure"] == measure), column
    ].item()


def test_several_acts_per_message_are_judged_one_by_one_and_unlabelled_ones_are_left_out():
    truth, guess, groups = labels()
    frame = evaluate(truth, guess, groups, np.random.default_rng(1))
    expected = cohen_kappa_score(
        ["request" in t for t in truth], ["request" in g for g in guess]
    )
    assert value(frame, "request", "kappa") == pytest.approx(expected)
    counted = [
        value(frame, "request", "kappa", column) for column in ("truth", "predicted")
    ]
    assert counted == [sum("request" in t for t in told) for told in (truth, guess)]
    assert np.isnan(value(frame, "defend", "kappa")), (
        "an act that nobody performs and nobody gives"
    )
    known = [
        value(frame, a, "kappa") for a in ("inform", "request", "propose", "others")
    ]
    assert value(frame, MEAN, "kappa") == pytest.approx(np.mean(known))
    part = evaluate(truth, [(), (), *guess[2:]], groups, np.random.default_rng(1))
    rest = evaluate(truth[2:], guess[2:], groups[2:], np.random.default_rng(1))
    assert part["n"].eq(198).all()
    pd.testing.assert_series_equal(part["value"], rest["value"])


def test_intervals_are_those_of_a_bootstrap_that_recounts_the_messages_of_whole_groups():
    truth, guess, groups = labels()
    assert (
        evaluate(truth, guess, [0] * 200, np.random.default_rng(1))["low"].isna().all()
    ), "one group has no spread"
    frame = evaluate(truth, guess, groups, np.random.default_rng(4), draws=50)
    slow = []
    for draw in np.random.default_rng(4).multinomial(8, np.full(8, 1 / 8), size=50):
        kept = [i for i, g in enumerate(groups) for _ in range(draw[g])]
        slow.append(
            f1_score(
                ["inform" in truth[i] for i in kept],
                ["inform" in guess[i] for i in kept],
            )
        )
    assert value(frame, "inform", "f1", "low") == pytest.approx(
        np.percentile(slow, 2.5)
    )


SEGMENTS = pd.DataFrame(
    [("m1", "A", "um", ("others",)), ("m1", "A", "I like it .", ("evaluate",)), ("m1", "B", "why ?", ("request",)),
     ("m2", "B", "it is red .", ("inform",)), ("m2", "B", "and round .", ("inform",))],
    columns=["meeting", "speaker", "text", "acts"],
)  # fmt: skip


def test_a_turn_is_what_one_speaker_says_without_a_break():
    test = ag.ami_turns(SEGMENTS)
    assert test.messages["text"].tolist() == [
        "um I like it .",
        "why ?",
        "it is red . and round .",
    ]
    assert test.truth == [("evaluate",), ("request",), ("inform",)]
    assert test.messages[["run", "round"]].values.tolist() == [
        ["m1", 1],
        ["m1", 2],
        ["m2", 1],
    ]
    assert ag.without_marks(test).messages["text"].tolist() == [
        "um I like it .",
        "why",
        "it is red . and round .",
    ]


@pytest.mark.parametrize("environment", ["exchange_economy", "movielens"])
def test_agents_speak_only_sentences_kept_apart_and_know_their_acts(environment):
    if missing := available()[environment]:
        pytest.skip(missing)
    messages = asyncio.run(ag.held_out(2, seed=3, rounds=3, environment=environment))
    room = (
        "roundtable/negotiators"
        if environment == "exchange_economy"
        else "roundtable/raters"
    )
    texts = [t for kept in wordings(room).values() for t in kept]
    studied = [
        t.split("{")[0]
        for t in texts
        if isinstance(t, str) and len(t.split("{")[0]) > 12
    ]
    assert len(studied) > 5 and len(messages) == 2 * 3 * 3
    assert not [
        text
        for text in messages["text"]
        if any(beginning in text for beginning in studied)
    ]
    spoken = ag.spoken_sentences(messages)
    assert spoken["acts"].map(len).eq(1).all() and len(spoken) > len(messages) / 2
    with pytest.raises(InvalidInput, match="rule-based agents only"):
        ag.true_acts(messages.assign(acts=[()] * len(messages)))


def test_the_committed_annotators_on_people_whom_they_never_saw(have, encoder):
    """Both beat the majority label; without question marks only the unmarked one still finds requests."""
    seen, unseen = have(labelled_ami)
    annotators = [
        EmbeddingAnnotator.load(encoder),
        EmbeddingAnnotator.load(encoder, UNMARKED),
        MajorityAnnotator(seen),
    ]
    test = ag.ami_segments(unseen.sample(150, random_state=1))
    tests = [test, ag.without_marks(test)]
    frame = asyncio.run(ag.scores(annotators, tests, np.random.default_rng(1)))
    mean = frame[(frame["act"] == MEAN) & (frame["measure"] == "kappa")].set_index(
        ["test", "annotator"]
    )
    assert (
        mean.loc[(test.name, "embedding"), "low"]
        > 0.35
        > mean.loc[(test.name, "majority label"), "high"]
    )
    recall = frame[
        (frame["act"] == "request") & (frame["measure"] == "recall")
    ].set_index(["test", "annotator"])
    found = recall["value"][tests[1].name]
    assert found["embedding"] < 0.1 < 0.3 < found["embedding, unmarked"]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "labels.sqlite"


def message(i):
    return {
        "run": i // 3,
        "round": 1,
        "sender": "Ana",
        "text": f"what do you need ? {i}",
    }


def give(path, coder, given_labels):
    file = LabelFile(path)
    for i, acts in given_labels.items():
        file.add(message(i), coder, acts)
    file.close()


def test_any_text_is_kept_and_the_latest_label_counts_while_none_is_erased(path):
    for i, text in enumerate(
        ["", "我同意", "🙂", "x" * 20_000, "<b>&'\"; DROP TABLE labels"]
    ):
        LabelFile(path).add({**message(i), "text": text}, "Kim", ["others"])
        LabelFile(path).add({**message(i), "text": text}, "Kim", ["request", "inform"])
        kept = load_labels(path)
        assert (len(kept), kept["text"].iloc[-1], kept["acts"].iloc[-1]) == (
            i + 1,
            text,
            ("inform", "request"),
        )
    assert sqlite3.connect(path).execute("SELECT count(*) FROM labels").fetchone() == (
        10,
    )


def test_two_coders_are_compared_on_what_both_labelled_and_what_they_share_is_settled(
    path, words
):
    give(path, "Kim", {i: ["inform"] if i % 2 else ["request"] for i in range(24)})
    give(
        path,
        "Lee",
        {i: ["inform"] if i % 2 else ["request", "propose"] for i in range(1, 10)},
    )
    give(path, "Lee", {10: ["decline"]})
    kept = load_labels(path)
    frame = coder_agreement(kept, np.random.default_rng(1), ("Kim", "Lee"), draws=50)
    assert frame["n"].eq(10).all()
    assert (
        value(frame, "inform", "kappa")
        == value(frame, "inform", "alpha")
        == 1
        > value(frame, "request", "kappa")
    )
    made = settled(kept)
    assert len(made) == 23 and set(made["acts"]) == {("inform",), ("request",)}, (
        "none where they share no act"
    )
    assert EmbeddingAnnotator.fit(made, words).heads.acts == ("inform", "request")


def table(path, *lines):
    made = path.with_suffix(".csv")
    made.write_text("\n".join(["coder,run,round,sender,text,acts", *lines]))
    return made


RNG = np.random.default_rng(1)
WRONG = [
    (load_labels, "LabellingDesk first"),
    (lambda p: LabelFile(p).add(message(0), "Kim", []), "tick at least one"),
    (lambda p: LabelFile(p).add(message(0), "Kim", ["others", "inform"]), "no other fits"),
    (lambda p: LabelFile(p).add(message(0), " ", ["inform"]), "expected a name"),
    (lambda p: load_labels(table(p, "Kim,1,1,Ana,hello,inform", "Kim,1,1,Ana,you,agree")), "line 3.*agree"),
    (lambda p: evaluate([("inform",)], [()], [1], RNG), "none of 1 messages was labelled"),
    (lambda p: give(p, "Kim", {0: ["inform"]}) or coder_agreement(load_labels(p), RNG, ("Kim", "Lee")), "only Kim has"),
]  # fmt: skip


@pytest.mark.parametrize(("act", "said"), WRONG, ids=[said for _, said in WRONG])
def test_what_users_get_wrong(path, act, said):
    with pytest.raises((InvalidInput, MissingData), match=said):
        act(path)
