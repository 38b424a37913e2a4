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


def test_a_saved_label_is_in_the_file_at_once_the_next_message_follows_and_a_correction_counts(
    desk,
):
    tick(desk, "inform", "request")
    labels = LabelFile(desk.file.path).read()
    assert labels[["coder", "text", "acts"]].values.tolist() == [
        ["coder 1", ROWS[0][3], ("inform", "request")]
    ]
    assert "What do you need?" in desk.message.value and not any(
        box.value for box in desk.boxes.values()
    )
    assert (
        "message 2 of 4 (not labelled yet); 1 of 4 labelled by coder 1"
        in desk.progress.value
    )
    again = LabellingDesk(MESSAGES, desk.file.path)
    assert again.at == 1 and again.keys == desk.keys, (
        "opened again, it goes on where its coder stopped"
    )
    desk.back_button.click()
    assert desk.boxes["inform"].value and "(saved)" in desk.progress.value
    tick(desk, "evaluate")
    assert LabelFile(desk.file.path).read()["acts"].tolist() == [("evaluate",)]


def test_nothing_ticked_and_others_beside_an_act_are_refused_and_nothing_moves(desk):
    tick(desk)
    assert "tick at least one" in desk.error.value
    tick(desk, "others", "inform")
    assert "no other fits" in desk.error.value and desk.boxes["inform"].value, (
        "what was ticked is kept"
    )
    assert desk.at == 0 and desk.file.read().empty


def test_text_is_escaped_and_the_round_before_is_context(desk):
    assert "&lt;b&gt;A&lt;/b&gt; &amp; B." in desk.message.value
    assert "Nothing was said in the round before" in desk.context.value
    desk.go(2)
    assert (
        "&lt;b&gt;A&lt;/b&gt;" in desk.context.value
        and "What do you need?" in desk.context.value
    )
    assert "even split" not in desk.context.value
    desk.go(1)
    assert "(an empty message)" in desk.message.value


def test_two_coders_are_compared_once_both_have_labelled_and_the_figure_becomes_a_cell(
    desk, repeats
):
    assert "Nobody has labelled yet" in desk.agreement.value
    tick(desk, "inform")
    tick(desk, "request")
    assert (
        "Coder 1: 2 labels, coder 2: 0; agreement needs two people"
        in desk.agreement.value
    )
    repeats(desk, messages=MESSAGES)
    desk.coder.value = "coder 2"
    assert desk.at == 0 and not any(box.value for box in desk.boxes.values()), (
        "nobody sees the other's labels"
    )
    tick(desk, "inform")
    tick(desk, "request")
    assert "Agreement on 2 messages" in desk.agreement.value
    assert (
        "<td>inform</td><td>1</td><td>1</td><td>1.00</td><td>1.00</td>"
        in desk.agreement.value
    )
    assert "decline" not in desk.agreement.value, "acts that nobody gave have no line"
    repeats(desk, "coders=('coder 1', 'coder 2')", messages=MESSAGES)


@pytest.mark.parametrize("coders", [("Kim",), ("Kim", "Kim"), "Kim", ("Kim", " ")])
def test_two_names_are_needed(tmp_path, coders):
    with pytest.raises(InvalidInput, match="expected two different names"):
        LabellingDesk(MESSAGES, tmp_path / "labels.sqlite", coders)


def test_both_coders_get_the_same_sample(tmp_path):
    one, other = (
        LabellingDesk(MESSAGES, tmp_path / f"{i}.sqlite", n=2, seed=4) for i in range(2)
    )
    assert one.keys == other.keys and len(one.keys) == 2
