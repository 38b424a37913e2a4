"""The labelling desk without a browser: what is saved, what is shown, what is refused."""

import pandas as pd
import pytest

from support.analysis.agreement import LabelFile
from support.errors import InvalidInput
from support.labs.labelling import LabellingDesk

ROWS = [
    (1, 1, "Ana", "I value <b>A</b> & B."),
    (1, 1, "Ben", "What do you need?"),
    (1, 2, "Ana", "I propose an even split."),
    (1, 2, "Ben", ""),
]
MESSAGES = pd.DataFrame(ROWS, columns=["run", "round", "sender", "text"])


@pytest.fixture
def desk(tmp_path):
    return LabellingDesk(MESSAGES, tmp_path / "labels.sqlite")


def tick(desk, *labels):
    for label, box in desk.boxes.items():
        box.value = label in labels
    desk.keep_button.click()


def ticked(desk):
    return [label for label, box in desk.boxes.items() if box.value]


def test_a_label_is_in_the_file_at_once_the_next_message_follows_and_a_correction_counts(
    desk,
):
    tick(desk, "inform", "request")
    file = LabelFile(desk.file.path)
    assert file.read()["acts"].tolist() == [("inform", "request")]
    assert "What do you need?" in desk.message.value and not ticked(desk)
    again = LabellingDesk(MESSAGES, desk.file.path)
    assert again.at == 1 and again.keys == desk.keys, "it goes on where it was"
    desk.back_button.click()
    assert ticked(desk) == ["inform", "request"]
    tick(desk, "evaluate")
    assert file.read()["acts"].tolist() == [("evaluate",)]


def test_nothing_ticked_and_others_beside_an_act_are_refused_and_nothing_moves(desk):
    tick(desk)
    assert "tick at least one" in desk.error.value
    tick(desk, "others", "inform")
    assert ticked(desk) == ["inform", "others"], "what was ticked is kept"
    assert desk.at == 0 and desk.file.read().empty


def test_the_round_before_is_shown_and_none_later(desk):
    assert "&lt;b&gt;A&lt;/b&gt; &amp; B." in desk.message.value
    desk.go(2)
    said = desk.message.value
    assert "&lt;b&gt;A&lt;/b&gt;" in said and "What do you need?" in said
    desk.go(1)
    assert "(an empty message)" in desk.message.value
    assert "even split" not in desk.message.value


@pytest.mark.parametrize("coders", [("Kim",), ("Kim", "Kim"), "Kim", ("Kim", " ")])
def test_two_names_are_needed(tmp_path, coders):
    with pytest.raises(InvalidInput, match="expected two different names"):
        LabellingDesk(MESSAGES, tmp_path / "labels.sqlite", coders)


def test_two_coders_see_on_how_many_messages_they_agree(desk):
    for coder in desk.coder.options:
        desk.coder.value = coder
        for act in ("inform", "request", "propose"):
            tick(desk, act)
    assert "Agreement on 3 messages" in desk.agreement.value
