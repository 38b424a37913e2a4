"""Features of a conversation, its balance, and real groups in the frame of the agents."""

import asyncio
from math import isnan, log, sqrt

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t

from support.analysis.balance import balance, evenness, gini, shares
from support.analysis.conversation import by_round, differences, features, information_difference, messages_of
from support.analysis.people import messages_of_ami, messages_of_delidata
from support.corpora import ami, delidata
from support.data import VARIABLE
from support.errors import InvalidInput, MissingData
from support.published import load
from support.simulations import simulations
from support.tables import against_published

EAST, NORTH, DIAGONAL = [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]


class Compass:
    """Encodes a text by its first letter."""

    def encode(self, texts):
        return np.array([{"e": EAST, "n": NORTH}.get(text[:1], DIAGONAL) for text in texts])


def talk(*rows, rule="majority"):
    frame = pd.DataFrame(rows, columns=["run", "round", "sender", "text"])
    return frame.assign(environment="exchange_economy", rule=rule)


@pytest.fixture(scope="module")
def meetings():
    return messages_of_ami()


@pytest.fixture
def simulated(store):
    sweep = simulations("exchange_economy", 2, seed=3, rounds=4)
    asyncio.run(sweep.run(store, progress=False))
    return messages_of(sweep.records(store))


# -- information difference ------------------------------------------------------------------------------------------


def test_information_difference_by_hand():
    messages = talk((0, 1, "A", "e"), (0, 1, "B", "n"), (0, 2, "A", "e"), (0, 2, "B", "east"), (0, 3, "A", "n"))
    found = information_difference(messages, Compass().encode(messages["text"]))
    # Round 1's centre points north-east, 45 degrees from east; round 2's points east, 90 degrees from north.
    assert np.isnan(found[:2]).all()
    assert found[2:] == pytest.approx([1 - 1 / sqrt(2), 1 - 1 / sqrt(2), 1.0])


def test_runs_do_not_hear_each_other_and_order_of_rows_does_not_matter():
    messages = talk((0, 1, "A", "e"), (1, 1, "A", "n"), (1, 2, "A", "n"), (0, 2, "A", "n"))
    shuffled = messages.iloc[[3, 1, 0, 2]]
    found = differences(shuffled, Compass())
    assert found.loc[0, 2] == pytest.approx(1) and found.loc[1, 2] == pytest.approx(0)


def test_a_round_without_messages_leaves_no_difference_before_or_after():
    messages = talk((0, 1, "A", "e"), (0, 3, "A", "e"), (0, 4, "A", "n"))
    table = differences(messages, Compass())
    assert list(table.columns) == [1, 2, 3, 4]
    assert table.loc[0].isna().tolist() == [True, True, True, False]


def test_blank_texts_neither_have_a_difference_nor_move_a_centre():
    messages = talk((0, 1, "A", "e"), (0, 1, "B", " "), (0, 2, "A", "e"), (0, 2, "B", ""))
    found = information_difference(messages, Compass().encode(messages["text"]))
    assert found[2] == pytest.approx(0)
    assert np.isnan(found[[1, 3]]).all()


@given(
    st.integers(0, 2**32 - 1),
    st.lists(st.tuples(st.integers(0, 2), st.integers(1, 4)), min_size=1, max_size=15),
)
def test_property_the_vectorised_difference_is_that_of_a_loop(seed, places):
    frame = talk(*((run, number, "A", "x") for run, number in places))
    vectors = np.random.default_rng(seed).normal(size=(len(frame), 3))
    expected = []
    for (run, number), own in zip(places, vectors, strict=True):
        before = [v / np.linalg.norm(v) for v, at in zip(vectors, places, strict=True) if at == (run, number - 1)]
        centre = np.mean(before, axis=0) if before else np.full(3, np.nan)
        expected.append(1 - own @ centre / np.linalg.norm(own) / np.linalg.norm(centre))
    assert information_difference(frame, vectors) == pytest.approx(np.array(expected), nan_ok=True)


def test_vectors_of_another_number_are_refused():
    with pytest.raises(InvalidInput, match=r"shape \(2, 2\) given; expected \(1, dimensions\)"):
        information_difference(talk((0, 1, "A", "x")), np.ones((2, 2)))


# -- features of messages --------------------------------------------------------------------------------------------


def test_features_stand_beside_the_messages_that_they_measure(simulated):
    measured = features(simulated, Compass())
    assert measured[simulated.columns].equals(simulated)
    assert (measured["words"] > 3).all() and measured["grade"].notna().all()
    assert measured["difference"].isna().equals(measured["round"] == 1)


def test_without_an_encoder_there_is_no_difference_and_asking_for_one_says_so():
    messages = talk((0, 1, "A", "I agree with you."))
    assert "difference" not in features(messages)
    with pytest.raises(InvalidInput, match="give an encoder"):
        differences(messages)


@pytest.mark.parametrize(
    ("text", "number"), [("", 0), ("👍👍", 0), ("我同意安娜的建议", 1), ("Я согласен с ней", 4), ("ok", 1)]
)
def test_messages_without_an_english_sentence_have_words_and_no_grade(text, number):
    measured = features(talk((0, 1, "A", text))).iloc[0]
    assert measured["words"] == number and isnan(measured["grade"])


def test_a_message_of_20_000_characters_is_measured_whole():
    measured = features(talk((0, 1, "A", "no, I will not. " * 1250))).iloc[0]
    assert measured["words"] == 5000
    assert measured["grade"] == pytest.approx(0.39 * 4 + 11.8 - 15.59)


@pytest.mark.parametrize("wrong", [None, 3, float("nan")])
def test_a_text_that_is_none_is_refused(wrong):
    with pytest.raises(InvalidInput, match="among the messages; expected strings only"):
        features(talk((0, 1, "A", wrong)))


def test_a_frame_without_rounds_or_rows_is_refused():
    with pytest.raises(InvalidInput, match="the messages has no column 'round'"):
        features(pd.DataFrame({"run": [1], "text": ["x"]}))
    with pytest.raises(InvalidInput, match="no rows"):
        features(talk())


# -- Table 8 ---------------------------------------------------------------------------------------------------------


def test_a_cell_is_the_mean_over_runs_of_their_means_with_a_t_interval():
    rows = [(0, 1, "A", "one"), (0, 1, "B", "one two three"), (1, 1, "A", "one two three four five six")]
    cell = by_round(talk(*rows, (1, 2, "A", "one"))).set_index("column").loc["words@1"]
    assert (cell["value"], cell["n"]) == (4, 2)  # runs' means are 2 and 6: messages would give 10 / 3
    assert cell["se"] == pytest.approx(2)
    assert cell["high"] - cell["value"] == pytest.approx(2 * t.ppf(0.975, 1)) == cell["value"] - cell["low"]


def test_a_transcript_with_one_round_has_no_difference_and_no_interval():
    cells = by_round(talk((0, 1, "A", "I agree with you.")), Compass())
    assert set(cells["column"]) == {"words@1", "grade@1"}
    assert cells[["se", "low", "high"]].isna().all(axis=None) and (cells["n"] == 1).all()


def test_rules_and_environments_are_kept_apart_and_rounds_in_order(simulated):
    cells = by_round(pd.concat([simulated, simulated.assign(environment="other", run=simulated["run"] + 100)]))
    assert list(cells.groupby(["environment", "rule"]).size().unique()) == [8]
    assert (cells["n"] == 2).all()
    words = cells[(cells["feature"] == "words") & (cells["row"] == "rated") & (cells["environment"] == "other")]
    assert words["column"].tolist() == [f"words@{r}" for r in (1, 2, 3, 4)]


def test_measured_messages_are_not_measured_again():
    measured = features(talk((0, 1, "A", "one two three"))).assign(words=7)
    assert by_round(measured).set_index("column").loc["words@1", "value"] == 7


def test_a_wide_level_widens_the_intervals_and_a_wrong_one_is_refused(simulated):
    narrow, wide = (by_round(simulated, level=level) for level in (0.5, 0.99))
    assert ((wide["high"] - wide["low"]) >= (narrow["high"] - narrow["low"])).all()
    with pytest.raises(InvalidInput, match="level is 95"):
        by_round(simulated, level=95)


def test_the_cells_can_be_set_beside_published_ones(simulated):
    cells = by_round(simulated)
    published = load("001_5dc2ef75221ed897").head(1).assign(row="rated", column="words@1", value=42.0)
    table = against_published(cells, published, participant="rule-based")
    assert table["ours"].iloc[0] == cells.set_index(["row", "column"]).loc[("rated", "words@1"), "value"]


# -- balance ---------------------------------------------------------------------------------------------------------


def test_shares_of_the_words_by_hand():
    messages = talk((0, 1, "A", "one two three"), (0, 2, "B", "one"), (1, 1, "A", "x"))
    table = shares(messages).set_index(["run", "agent"])
    assert table["share"].to_dict() == {(0, "A"): 0.75, (0, "B"): 0.25, (1, "A"): 1.0}


def test_balance_by_hand():
    messages = talk((0, 1, "A", "one two three"), (0, 2, "B", "one"))
    found = balance(messages).iloc[0]
    assert (found["agents"], found["words"]) == (2, 4)
    assert found["evenness"] == pytest.approx(-(0.75 * log(0.75) + 0.25 * log(0.25)) / log(2))
    assert found["gini"] == pytest.approx(0.25)


def test_one_who_is_only_spoken_to_counts_with_nothing():
    messages = talk((0, 1, "A", "one two")).assign(recipients=[("B", "C")])
    table = shares(messages).set_index("agent")["share"]
    assert table.to_dict() == {"A": 1, "B": 0, "C": 0}
    assert balance(messages).iloc[0][["evenness", "gini"]].tolist() == pytest.approx([0, 2 / 3])


def test_a_run_without_words_has_no_balance():
    found = balance(talk((0, 1, "A", "👍"), (0, 1, "B", ""))).iloc[0]
    assert found["agents"] == 2 and isnan(found["evenness"]) and isnan(found["gini"])


def test_one_agent_alone_has_no_evenness():
    assert isnan(evenness([1.0])) and gini([1.0]) == 0


@given(st.lists(st.integers(0, 50), min_size=2, max_size=6).filter(any), st.randoms())
def test_property_balance_does_not_depend_on_the_order_of_agents_and_stays_in_its_bounds(counts, random):
    share = np.array(counts) / sum(counts)
    mixed = random.sample(list(share), len(share))
    assert evenness(share) == pytest.approx(evenness(mixed)) and gini(share) == pytest.approx(gini(mixed))
    assert 0 <= evenness(share) <= 1 + 1e-12 and -1e-12 <= gini(share) <= 1 - 1 / len(share) + 1e-12
    assert (evenness(share) == pytest.approx(1)) == (gini(share) == pytest.approx(0, abs=1e-5))


# -- people ----------------------------------------------------------------------------------------------------------


def test_chats_are_messages_in_rounds_of_as_many_as_there_are_people():
    people, chats = messages_of_delidata(first_run=600), delidata()
    assert people["text"].tolist() == chats["text"].tolist()
    assert people["run"].min() == 600 and people["run"].nunique() == 250
    for _, run in list(people.groupby("run"))[:20]:
        sizes = run.groupby("round").size()
        assert (sizes.iloc[:-1] == run["sender"].nunique()).all() and sizes.index.tolist() == list(
            range(1, len(sizes) + 1)
        )
    first = people.iloc[0]
    assert first["sender"] not in first["recipients"] and first["acts"] == ()


def test_meetings_are_turns_of_one_speaker_at_a_time(meetings):
    people = meetings
    together = people["run"].eq(people["run"].shift()) & people["sender"].eq(people["sender"].shift())
    assert not together.any()
    assert people["labels"].map(len).sum() == (ami()["label"] != "bck").sum()
    assert people.groupby("run")["start"].is_monotonic_increasing.all()


def test_backchannels_end_turns_only_on_request(meetings):
    kept = messages_of_ami(backchannels=True)
    assert kept["labels"].map(len).sum() == len(ami())
    assert len(kept) > len(meetings)


def test_the_size_of_a_round_can_be_chosen():
    people = messages_of_delidata(per_round=5)
    assert people.groupby(["run", "round"]).size().max() == 5


@pytest.mark.parametrize("wrong", [0, -1, 2.5, "3", True])
def test_a_round_of_no_whole_number_of_messages_is_refused(wrong):
    with pytest.raises(InvalidInput, match=r"per_round: .* expected a whole number of at least 1, or None"):
        messages_of_delidata(per_round=wrong)


def test_people_and_agents_share_a_frame(simulated):
    both = pd.concat([simulated, messages_of_delidata(first_run=1000)])
    cells = by_round(both)
    assert set(cells["row"]) == {*simulated["rule"], "people"}
    assert set(balance(both)["environment"]) == {"exchange_economy", "delidata"}


@pytest.mark.parametrize("reader", [messages_of_ami, messages_of_delidata])
def test_missing_data_says_how_to_get_it(reader, tmp_path, monkeypatch):
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    with pytest.raises(MissingData, match=f"(?s)Put .* into the folder .*{VARIABLE}"):
        reader()
