"""Acts as arrays: what transitions and stopping rules compute on."""

import pandas as pd
import pytest

from support.analysis.dialogue_acts.acts import ACTS, LABELS, MEANINGS, checked_acts, code
from support.errors import InvalidInput

ROWS = [
    (7, 1, "Ana", ("inform", "request")),
    (7, 1, "Ben", ()),
    (7, 3, "Ana", ("accept",)),
    (9, 1, "Ben", ("propose",)),
]


def frame(rows=ROWS):
    made = pd.DataFrame(rows, columns=["run", "round", "sender", "acts"])
    return made.assign(rule="majority", text="…")


def test_every_label_has_a_meaning_and_others_is_no_act():
    assert set(MEANINGS) == set(LABELS)
    assert len(ACTS) == 10
    assert "others" not in ACTS


def test_a_message_without_an_act_performs_others():
    assert checked_acts([]) == ("others",)


def test_an_unknown_label_is_named_with_those_that_are_known():
    with pytest.raises(InvalidInput, match=r"'inquire' given; expected some of inform, request"):
        checked_acts(["inform", "inquire"])


def test_messages_become_cells_of_run_round_agent_and_label():
    coded = code(frame())
    assert coded.values.shape == (2, 3, 2, 11)
    assert coded.agents == ("Ana", "Ben")
    assert [LABELS[i] for i in coded.values[0, 0, 0].nonzero()[0]] == ["inform", "request"]
    assert not coded.values[0, 0, 1].any()  # could not be labelled
    assert coded.values.sum() == 4


def test_rounds_played_are_those_with_messages_or_those_that_are_given():
    assert code(frame()).played.tolist() == [3, 1]
    assert code(frame(), played={9: 4}).played.tolist() == [3, 4]


def test_what_is_constant_in_a_run_is_kept_once():
    runs = code(frame()).runs
    assert runs.to_dict("records") == [{"run": 7, "rule": "majority"}, {"run": 9, "rule": "majority"}]


def test_no_messages_and_no_column_are_refused():
    with pytest.raises(InvalidInput):
        code(frame([]))
    with pytest.raises(InvalidInput, match="embedding"):
        code(frame(), "embedding")
