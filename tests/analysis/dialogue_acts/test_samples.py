"""Samples with known acts."""

import asyncio

import pytest

from support.analysis.dialogue_acts.samples import MEETINGS, ROUNDS, RUNS, TURNS, held_out, small_tests
from support.analysis.dialogue_acts.train import labelled_ami
from support.english import wordings
from support.errors import InvalidInput
from support.simulations import available


def test_agents_speak_only_sentences_kept_apart():
    messages = asyncio.run(held_out(2, seed=3, rounds=3))
    studied = {
        t.split("{")[0]
        for texts in wordings("roundtable/negotiators").values()
        for t in texts
        if len(t.split("{")[0]) > 12
    }
    assert len(messages) == 2 * 3 * 3
    assert not [text for text in messages["text"] if any(beginning in text for beginning in studied)]


def test_raters_speak_their_own_sentences_kept_apart():
    if missing := available()["movielens"]:
        pytest.skip(missing)
    messages = asyncio.run(held_out(1, seed=3, rounds=2, environment="movielens"))
    assert set(messages["sender"]) == {"BasicInfo", "MovieHistory", "UserHistory"}
    assert (messages["environment"] == "movielens").all() and messages["acts"].map(len).min() > 0


def test_another_environment_is_refused():
    with pytest.raises(InvalidInput, match="'opera' given; expected one of exchange_economy, movielens"):
        asyncio.run(held_out(1, seed=3, environment="opera"))


def test_the_small_samples_are_small_known_and_unseen():
    agents, people = asyncio.run(small_tests())
    assert len(agents.messages) == len(agents.truth) == RUNS * ROUNDS * 3
    assert len(people.messages) == len(people.truth) == MEETINGS * TURNS
    seen, _ = labelled_ami()
    assert not set(people.messages["run"]) & set(seen["meeting"])
    assert people.messages.groupby("run")["round"].apply(lambda r: (r.diff().dropna() == 1).all()).all()
