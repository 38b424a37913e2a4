"""Two people at the labelling desk, in a real browser, by keyboard."""

import pandas as pd
import pytest

from support.analysis.agreement import load_labels

SOURCE = """
import pandas as pd
from support.labs.labelling import LabellingDesk
rows = [(1, 1, "Ana", "I value good A <b>most</b>."), (1, 1, "Ben", "What would you give up?")]
desk = LabellingDesk(pd.DataFrame(rows, columns=["run", "round", "sender", "text"]), {path!r}, ("Kim", "Lee"))
desk.view
"""


@pytest.fixture
def page(browse, tmp_path):
    """The page with the desk drawn."""
    opened = browse(SOURCE.format(path=str(tmp_path / "labels.sqlite")))
    opened.get_by_text("message 1 of 2").wait_for()
    return opened


@pytest.fixture
def label(page, button):
    """A function that ticks and saves by keyboard alone: Space on each act, and Enter on the button."""

    def tick_and_save(*acts):
        for act in acts:
            page.get_by_label(act, exact=True).press("Space")
        button(page, "Save and next").press("Enter")

    return tick_and_save


def test_two_people_label_two_messages_and_their_agreement_is_shown(page, tmp_path, screenshot, label, keeps):
    assert page.get_by_text("<b>most</b>").count() == 1, "a message is shown as text, not as markup"
    label()
    page.get_by_text("tick at least one").wait_for()
    label("inform", "evaluate")
    page.get_by_text("message 2 of 2 (not labelled yet); 1 of 2 labelled by Kim").wait_for()
    label("request")
    page.get_by_text("2 of 2 labelled by Kim").wait_for()
    page.get_by_text("Only Kim has labelled").wait_for()
    screenshot(page, "labelling_1_one_coder")

    page.locator(".widget-dropdown select").select_option("Lee")
    page.get_by_text("0 of 2 labelled by Lee").wait_for()
    label("inform")
    page.get_by_text("message 2 of 2 (not labelled yet); 1 of 2 labelled by Lee").wait_for()
    label("request")
    page.get_by_text("Agreement on 2 messages").wait_for()
    said = [(1, 1, "Ana", "I value good A <b>most</b>."), (1, 1, "Ben", "What would you give up?")]
    code = keeps(page, messages=pd.DataFrame(said, columns=["run", "round", "sender", "text"]))
    assert "coders=('Kim', 'Lee')" in code
    screenshot(page, "labelling_2_agreement")

    labels = load_labels(tmp_path / "labels.sqlite")
    assert labels[["coder", "acts"]].values.tolist() == [
        ["Kim", ("inform", "evaluate")], ["Kim", ("request",)], ["Lee", ("inform",)], ["Lee", ("request",)],
    ]  # fmt: skip
