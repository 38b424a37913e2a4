"""Labels of people as our acts, and what annotators make of messages that nobody expected."""

import asyncio
import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.analysis import dialogue_acts as da
from support.analysis.agreement import evaluate
from support.analysis.annotators import (
    COEFFICIENTS,
    FOREIGN,
    LONGEST,
    UNMARKED,
    EmbeddingAnnotator,
    LanguageModelAnnotator,
    WordAnnotator,
    pieces,
)
from support.analysis.embeddings import Encoder
from support.corpora import AMI_LABELS, delidata
from support.errors import ContextOverflow, InvalidInput, ModelUnavailable
from support.models.stand_ins import scripted

SAID = {
    "inform": [
        "good A is worth sixty to me",
        "my weight on B is twenty",
        "the rest is worth little",
    ],
    "request": [
        "what do you need ?",
        "which good is yours ?",
        "how much do you want ?",
    ],
    "others": ["hello", "well", "um"],
}
TAUGHT = pd.DataFrame(
    [
        (text, (act,), f"run {i % 4}")
        for i in range(12)
        for act, texts in SAID.items()
        for text in texts
    ],
    columns=["text", "acts", "run"],
)


def label(annotator, *texts):
    return asyncio.run(annotator.label(pd.DataFrame({"text": texts})))


def test_every_label_of_people_is_mapped_with_a_reason_and_every_act_is_learnt_or_excused():
    assert set(da.AMI_TO_ACTS) == set(AMI_LABELS)
    assert all(
        act in da.LABELS and len(why) > 10 for act, why in da.AMI_TO_ACTS.values()
    )
    assert (
        sorted([*da.AMI_ACTS, *da.UNCOVERED])
        == sorted(da.LABELS)
        == sorted(da.MEANINGS)
    )
    assert set(da.DELIDATA_ACTS) == {
        act for act, _ in da.DELIDATA_TO_ACTS.values() if act
    } | {"summarize"}


def test_all_of_delidata_is_mapped_and_a_message_may_sum_up_and_propose_at_once(have):
    assert da.acts_of_delidata(have(delidata))
    rows = [("Solution", "solution_summary,x"), ("Reasoning", "")]
    both = pd.DataFrame(rows, columns=["target", "additional"]).assign(
        kind="Non-probing-deliberation"
    )
    assert da.acts_of_delidata(both) == [("summarize", "propose"), ()]


def test_no_team_is_on_both_sides_of_the_split_and_the_coefficients_were_made_from_it(
    have,
):
    seen, unseen = have(da.labelled_ami)
    assert not set(seen["run"]) & set(unseen["run"])
    assert {name[:2] for name in unseen["run"]} == {"ES", "IS", "TS"}, (
        "people of every site are tested on"
    )
    made_of = {"mapping": {name: act for name, (act, _) in da.AMI_TO_ACTS.items()}, "segments": len(seen),
               "training_meetings": sorted(seen["meeting"].unique()), "licence": "CC BY 4.0",
               "unseen_meetings": sorted(unseen["meeting"].unique())}  # fmt: skip
    for path in (COEFFICIENTS, UNMARKED):
        assert made_of.items() <= json.loads(path.read_text()).items()


@given(st.text(alphabet="ab .?!\n", max_size=3000))
def test_property_no_letter_is_lost_between_sentences_and_none_is_too_long(text):
    assert "".join(c for s in pieces(text) for c in s if c in "ab") == "".join(
        c for c in text if c in "ab"
    )
    assert max(map(len, pieces(text)), default=0) <= LONGEST
    assert pieces("My weight on A is 33.34 % and on B 1,000.") == pieces(
        "My weight on A is 7 % and on B 2."
    )


@pytest.mark.parametrize("kind", ["embedding", "unmarked", "words"])
def test_a_message_performs_the_acts_of_its_sentences(kind, words):
    taught = {"embedding": lambda: EmbeddingAnnotator.fit(TAUGHT, words), "words": lambda: WordAnnotator.fit(TAUGHT),
              "unmarked": lambda: EmbeddingAnnotator.fit(TAUGHT, words, marked=False)}[kind]()  # fmt: skip
    assert taught.covered == ("inform", "request", "others")
    assert label(taught, "my weight on B is twenty. what do you need ?", "which good is yours ?", "hello") == [
        ("inform", "request"), ("request",), ("others",),
    ]  # fmt: skip
    assert "request" in label(taught, "well um " * 2490 + ". what do you need ?")[0], (
        "the end of a long one counts"
    )
    if kind == "unmarked":
        assert (
            label(taught, "what do you need ?")
            == label(taught, "what do you need")
            == [("request",)]
        )


def test_nothing_to_read_is_others_and_another_script_stays_unlabelled(words):
    annotator = EmbeddingAnnotator.fit(TAUGHT, words)
    assert (
        label(annotator, "", "  \n ", "🙂🎉👍", "?!", "déjà vu", "3 & 4 🙂 寿司 hello")
        == [("others",)] * 6
    )
    assert label(annotator, "我同意", "hello", "Я за") == [(), ("others",), ()]
    assert annotator.problems == dict.fromkeys((0, 2), FOREIGN)


def test_what_was_learnt_survives_its_file_which_names_its_encoder(words, tmp_path):
    annotator = EmbeddingAnnotator.fit(TAUGHT, words, marked=False)
    annotator.save(tmp_path / "heads.json", {"source": "a test"})
    again = EmbeddingAnnotator.load(words, tmp_path / "heads.json")
    assert (
        label(again, *TAUGHT["text"])
        == label(annotator, *TAUGHT["text"])
        == TAUGHT["acts"].tolist()
    )
    assert (
        np.allclose(again.heads.weights, annotator.heads.weights, atol=5e-5)
        and not again.marked
    )
    with pytest.raises(InvalidInput, match="were fitted on words"):
        EmbeddingAnnotator.load(Encoder(), tmp_path / "heads.json")


MESSAGES = pd.DataFrame(
    [(1, 1, "Ana", "I value A."), (1, 1, "Ben", "And what is yours?"), (1, 2, "Ana", "So we split A?"),
     (2, 2, "Eve", "Another discussion.")],
    columns=["run", "round", "sender", "text"],
)  # fmt: skip


def asked_of(script, messages=MESSAGES):
    asked = []

    def reply(chat):
        asked.append(chat)
        return script(chat) if callable(script) else script

    annotator = LanguageModelAnnotator(scripted(reply))
    return asyncio.run(annotator.label(messages)), annotator, asked


def test_a_model_is_told_every_meaning_the_message_and_the_round_before_it_only():
    given_, _, asked = asked_of({"acts": ["request", "inform", "others"]})
    assert given_ == [("inform", "request")] * 4, (
        "in the order of the labels, and others only alone"
    )
    system, user = (turn["content"] for turn in asked[2])
    assert all(
        act in system and meaning in system for act, meaning in da.MEANINGS.items()
    )
    assert all(
        said in user
        for said in ("Ana: I value A.", "Ben: And what is yours?", "So we split A?")
    )
    assert "nothing was said before" in asked[0][1]["content"]
    assert "nothing was said before" in asked[3][1]["content"], (
        "round 1 of another discussion is no context"
    )


def test_a_reply_that_does_not_fit_and_a_message_too_long_leave_it_unlabelled_and_a_broken_model_is_raised():
    given_, annotator, asked = asked_of(
        lambda chat: (
            {"acts": ["agree"]}
            if "So we" in chat[1]["content"]
            else '{"acts": ["inform"]}'
        )
    )
    assert given_ == [("inform",), ("inform",), (), ("inform",)]
    assert (
        "did not give a ActsReply in 3 attempts" in annotator.problems[2]
        and len(asked) == 3 + 3
    )
    given_, annotator, _ = asked_of(ContextOverflow("too long"), MESSAGES.head(1))
    assert given_ == [()] and annotator.problems == {0: "too long"}
    with pytest.raises(ModelUnavailable):
        asked_of(ModelUnavailable("no such model"))
    given_, _, asked = asked_of(
        {"acts": ["inform"]}, MESSAGES.assign(text=["", " ", "🙂", "x" * 20_000])
    )
    assert (
        given_ == [("others",), ("others",), ("inform",), ("inform",)]
        and len(asked) == 2
    ), "no blank ones"


def test_a_sample_is_labelled_beside_the_round_before_it_when_the_whole_talk_is_given():
    asked = []
    annotator = LanguageModelAnnotator(
        scripted(lambda chat: asked.append(chat) or {"acts": ["inform"]}), talk=MESSAGES
    )
    sample = MESSAGES.iloc[[2]].astype({"run": str})  # as a file of labels has it
    asyncio.run(annotator.label(sample))
    assert "Ben: And what is yours?" in asked[0][1]["content"] and len(asked) == 1
    asyncio.run(annotator.label(sample.assign(text="Of another study.")))
    assert "nothing was said before" in asked[1][1]["content"], (
        "a run of the same number is another discussion"
    )


def judged(right, covered=("inform", "request")):
    rng, acts = np.random.default_rng(1), ("inform", "request")
    truth = [(acts[i % 2],) for i in range(200)]
    guess = [
        t if rng.random() < right else (acts[(i + 1) % 2],) for i, t in enumerate(truth)
    ]
    return evaluate(
        truth, guess, range(200), rng, acts=acts, covered=covered, draws=200
    )


@pytest.mark.parametrize(
    ("right", "word"), [(0.5, "near chance"), (0.75, "moderate"), (0.95, "")]
)
def test_a_poor_annotator_is_called_what_it_is_and_a_good_one_needs_no_warning(
    right, word
):
    line = da.warning(judged(right), "tiny model", "true acts")
    assert line.startswith("tiny model: mean kappa ") == bool(word)
    assert line.endswith(f"against true acts: {word}" if word else "")
    assert (
        da.warning(judged(0.95, ("inform",)), "good", "true acts")
        == "good cannot see: request"
    )


def test_labels_carry_what_is_known_of_their_annotator_on_talk_of_their_kind(words):
    annotator = EmbeddingAnnotator.fit(TAUGHT, words)
    talk = pd.DataFrame({"text": ["hello", "well", "um"], "environment": ["a", "b", "c"],
                         "acts": [("inform",), (), ()]}, index=[5, 9, 7])  # fmt: skip
    measured = judged(0.5).assign(annotator="embedding", test="their own talk")
    measured = pd.concat([measured.assign(kind="a"), measured.assign(kind="b")])
    made = asyncio.run(da.annotate(talk, [annotator], measured))
    assert made.index.tolist() == [5, 9, 7] and "embedding" not in talk

    def told(environment):
        return da.trust_in(
            made[made["environment"] == environment].assign(round=1), "embedding"
        )

    assert "against their own talk: near chance" in told("b")
    unmeasured = "embedding was never measured on a, rule-based agents; embedding cannot see: confirm, summarize"
    assert told("a").startswith(unmeasured), (
        "a test on people of the same environment says nothing"
    )
    assert "knows questions by their mark, and no message has one" in told("c")
    assert da.trust_in(made, "acts") == "", "true by construction"
    with pytest.raises(InvalidInput, match="'embedding' is there twice"):
        asyncio.run(da.annotate(made, [annotator]))


def test_what_users_get_wrong(words):
    with pytest.raises(
        InvalidInput, match=r"'inquire' given; expected some of inform, request"
    ):
        da.checked_acts(["inform", "inquire"])
    with pytest.raises(InvalidInput, match="label more messages of two runs at least"):
        EmbeddingAnnotator.fit(TAUGHT.assign(run="one"), words)
    with pytest.raises(InvalidInput, match="0 learnable acts in 4 groups"):
        WordAnnotator.fit(TAUGHT.assign(acts=[("others",)] * len(TAUGHT)))
