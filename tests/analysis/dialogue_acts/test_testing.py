"""What annotators are tested on: unseen people, another corpus, and sentences kept apart."""

import asyncio

import numpy as np
import pandas as pd
import pytest

from support.analysis.dialogue_acts import testing
from support.analysis.dialogue_acts.annotators import TrueActs
from support.analysis.dialogue_acts.classifiers import COEFFICIENTS, EmbeddingAnnotator, MajorityAnnotator
from support.analysis.dialogue_acts.mapping import AMI_ACTS
from support.analysis.dialogue_acts.train import labelled_ami
from support.analysis.embeddings import Encoder
from support.english import wordings
from support.errors import InvalidInput
from support.roundtable.economy import exchange_economy
from support.roundtable.seats import seat_all

SEGMENTS = pd.DataFrame(
    [("m1", "A", "um", ("others",)), ("m1", "A", "I like it .", ("evaluate",)), ("m1", "B", "why ?", ("request",)),
     ("m2", "B", "it is red .", ("inform",)), ("m2", "B", "and round .", ("inform",))],
    columns=["meeting", "speaker", "text", "acts"],
)  # fmt: skip


@pytest.fixture(scope="module")
def held_out():
    economy = exchange_economy()
    tables = lambda rng: (economy, seat_all(economy, "mixed", rng))  # noqa: E731
    return asyncio.run(testing.held_out_talk(tables, np.random.default_rng(3), n=3, rounds=4))


def test_a_turn_is_what_one_speaker_says_without_a_break():
    test = testing.ami_turns(SEGMENTS)
    assert test.messages["text"].tolist() == ["um I like it .", "why ?", "it is red . and round ."]
    assert test.truth == [("evaluate",), ("request",), ("inform",)]
    assert test.messages["round"].tolist() == [1, 2, 1]
    assert test.messages["cluster"].tolist() == ["m1", "m1", "m2"]


def test_segments_keep_their_own_acts():
    test = testing.ami_segments(SEGMENTS)
    assert test.truth == SEGMENTS["acts"].tolist()
    assert test.acts == AMI_ACTS


def test_sentences_kept_apart_share_no_template_with_those_that_agents_say(held_out):
    openings = {
        t.split("{")[0] for act in wordings("roundtable/negotiators").values() for t in act if len(t.split("{")[0]) > 12
    }
    assert len(held_out) == 3 * 4 * 3
    assert not any(text.startswith(tuple(openings)) for text in held_out["text"])
    spoken = testing.spoken_sentences(held_out)
    assert spoken["acts"].map(len).eq(1).all()
    assert len(spoken) > len(held_out)


def test_the_true_acts_of_agents_agree_with_themselves(held_out):
    test = testing.true_acts(held_out)
    frame = asyncio.run(testing.scores([TrueActs()], [test], np.random.default_rng(1), draws=20))
    kappas = frame.loc[frame["measure"] == "kappa", "value"]
    assert kappas.eq(1).all()
    assert "others" not in test.acts


def test_agents_without_sentences_kept_apart_are_refused():
    economy = exchange_economy()
    seats = dict.fromkeys(economy.agents, TrueActs())
    with pytest.raises(InvalidInput, match="TrueActs given for Ana"):
        asyncio.run(testing.held_out_talk(lambda _: (economy, seats), np.random.default_rng(1), n=1))


def test_messages_whose_senders_do_not_know_their_acts_are_no_test(held_out):
    with pytest.raises(InvalidInput, match="rule-based agents only"):
        testing.true_acts(held_out.assign(acts=[()] * len(held_out)))


def test_nobody_to_test_is_refused():
    with pytest.raises(InvalidInput, match="expected one of each at least"):
        asyncio.run(testing.scores([], [], np.random.default_rng(1)))


def test_the_committed_annotator_beats_the_majority_label_on_people_whom_it_never_saw(have):
    seen, unseen = have(labelled_ami)
    chosen = unseen.sample(400, random_state=1)
    annotators = [EmbeddingAnnotator.load(Encoder()), MajorityAnnotator.fit(seen)]
    test = testing.ami_segments(chosen)
    frame = asyncio.run(testing.scores(annotators, [test], np.random.default_rng(1), draws=200))
    mean = frame[(frame["act"] == "mean of acts") & (frame["measure"] == "kappa")].set_index("annotator")
    assert mean.loc["embedding", "low"] > 0.35 > mean.loc["majority label", "high"]


def test_the_committed_coefficients_were_made_from_the_split_and_the_mapping_that_the_code_states(have):
    import json

    from support.analysis.dialogue_acts.mapping import AMI_TO_ACTS

    about = json.loads(COEFFICIENTS.read_text())
    assert about["mapping"] == {label: act for label, (act, _) in AMI_TO_ACTS.items()}
    assert about["licence"] == "CC BY 4.0"
    seen, unseen = have(labelled_ami)
    assert about["training_meetings"] == sorted(seen["meeting"].unique())
    assert about["unseen_meetings"] == sorted(unseen["meeting"].unique())
    assert about["segments"] == len(seen)
