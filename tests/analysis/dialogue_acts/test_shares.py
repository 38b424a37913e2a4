"""Table 9: shares of messages, within runs first."""

import numpy as np
import pandas as pd
import pytest

from support.analysis.dialogue_acts.acts import LABELS
from support.analysis.dialogue_acts.shares import act_shares
from support.errors import InvalidInput
from support.published import COLUMNS
from support.tables import against_published

ROWS = [
    (0, 1, ("inform", "request")), (0, 1, ("inform",)), (1, 1, ("inform",)), (1, 1, ("inform",)), (1, 1, ("request",)),
    (1, 1, ()), (0, 2, ("accept",)),
]  # fmt: skip


def messages(rows=ROWS):
    frame = pd.DataFrame(rows, columns=["run", "round", "acts"])
    return frame.assign(environment="exchange_economy", rule="majority")


def share(frame, act, number, column="value"):
    return frame.loc[(frame["row"] == act) & (frame["round"] == number), column].item()


def test_shares_are_of_messages_and_each_run_weighs_the_same():
    frame = act_shares(messages())
    assert share(frame, "inform", 1) == pytest.approx((2 / 2 + 2 / 3) / 2)
    assert share(frame, "request", 1) == pytest.approx((1 / 2 + 1 / 3) / 2)
    assert share(frame, "inform", 1, "se") == pytest.approx(np.std([1, 2 / 3], ddof=1) / np.sqrt(2))
    assert share(frame, "inform", 1, "n") == 2
    assert list(frame["row"].unique()) == list(LABELS)


def test_a_run_that_stopped_early_and_messages_without_a_label_are_counted():
    frame = act_shares(messages())
    assert share(frame, "accept", 2, "n") == 1
    assert np.isnan(share(frame, "accept", 2, "low")), "one run has no spread"
    assert share(frame, "inform", 1, "left_out") == 1
    assert share(frame, "inform", 2, "left_out") == 0


def test_it_can_be_set_beside_the_published_table():
    printed = pd.DataFrame([["Table 9", "inform", "1", 1.0, np.nan, "", ""]], columns=list(COLUMNS))
    compared = against_published(act_shares(messages()), printed, participant="rule-based")
    assert compared.iloc[0][["row", "column", "published"]].tolist() == ["inform", "1", 1.0]
    assert compared.iloc[0]["ours"] == pytest.approx(5 / 6)


def test_several_conditions_stay_apart():
    frame = act_shares(pd.concat([messages(), messages().assign(rule="ranked", acts=[("defend",)] * 7)]))
    ranked = frame[(frame["rule"] == "ranked") & (frame["round"] == 1)].set_index("row")["value"]
    assert ranked["defend"] == 1
    assert ranked["inform"] == 0


def test_unlabelled_messages_alone_are_refused():
    with pytest.raises(InvalidInput, match="ask an annotator first"):
        act_shares(messages([(0, 1, ())]))
    with pytest.raises(InvalidInput, match="'chat' given"):
        act_shares(messages([(0, 1, ("chat",))]))
