"""Each widget in a real browser, by mouse and by keyboard."""

import json

from support.runs.study import Store
from support.survey.answers import AnswerBook

TABLE = """
import matplotlib.pyplot as plt
from support.analysis.metrics import total_utility
from support.labs.lab import Lab
from support.roundtable.study import roundtable_exchange
from support.runs.pages import to_html
from support.runs.study import Store

def show(record):
    fig, ax = plt.subplots(figsize=(6, 2))
    ax.plot(total_utility(record))
    return fig

store = Store({path!r})
ranges = {{"rule": ["majority", "ranked"],
          "seats": dict.fromkeys(("Ana", "Ben", "Cleo"), ["conceder", "human"])}}
first = {{"seats": "conceder", "rounds": 2}}
Lab(roundtable_exchange, show, store, ranges, told=to_html, **first).view
"""
SAYING = "I am <b>a person</b> & I need good A"


def test_a_person_plays_a_decision_and_the_figure_is_saved_with_its_cell(
    browse, tmp_path, screenshot, button, dropdown
):
    page = browse(TABLE.format(path=str(tmp_path / "study.sqlite")), "dark")
    dropdown(page, "Ana").select_option("human")
    button(page, "To the end").click()
    said = page.get_by_label("message")
    said.fill(SAYING)
    said.press("Control+Enter")
    amounts = page.get_by_placeholder("0 to 100")
    amounts.first.wait_for()
    page.wait_for_function("document.activeElement.closest('.convene-person')")
    for number in range(9):
        amounts.nth(number).fill("130" if number == 0 else "33.33")
    amounts.nth(8).press("Enter")
    page.get_by_text("Input should be less than or equal to 100").wait_for()
    screenshot(page, "lab_1_refused")
    assert amounts.first.input_value() == "130", "what was typed is kept"
    amounts.first.fill("33.34")
    button(page, "Send").click()
    page.get_by_label("P1", exact=True).press("Space")
    button(page, "Send").press("Enter")
    for question in ("messages", "proposals", "votes"):
        page.get_by_text(f"Round 2, {question}.").wait_for()
        if question == "proposals":
            page.get_by_label("proposal", exact=True).uncheck()
        if question == "votes":
            page.get_by_label("nothing", exact=True).check()
        button(page, "Send").click()
    page.get_by_text("Finished after 2 rounds").wait_for()
    page.get_by_role("slider").first.press("Home")
    page.get_by_text(SAYING).wait_for()  # as text, not as markup
    button(page, "Save figure").click()
    page.get_by_text("Saved as roundtable_exchange/lab_").wait_for()
    page.get_by_text("The code of this figure").click()
    button(page, "Copy").click()
    button(page, "Copied").wait_for()
    screenshot(page, "lab_2_saved")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert "record = store.record(" in copied and "path = save(" in copied
    [(_, record)] = Store(tmp_path / "study.sqlite").records("lab, roundtable_exchange")
    assert record.seats["Ana"] == "human"
    [message] = [m.text for m in record.rounds[0].messages if m.sender == "Ana"]
    assert message == SAYING


EVERYTHING = """
import json
from typing import Annotated, Literal
import ipywidgets as w
from pydantic import BaseModel, Field
from support.person import Press, Sheet

ID = Literal["P1", "P2", "P3"]

class Wish(BaseModel):
    text: Annotated[str, Field(max_length=40)]
    strength: Annotated[int, Field(ge=1, le=3)]

class Everything(BaseModel):
    name: Annotated[str, Field(max_length=40)]
    hours: Annotated[float, Field(ge=0, le=24)]
    vote: ID | None
    ranking: Annotated[list[ID], Field(min_length=3, max_length=3)]
    to: list[ID]
    notes: list[str]
    amounts: Annotated[list[float], Field(min_length=2, max_length=2)]
    sure: bool
    wishes: list[Wish]
    last: Wish | None
    other: dict[str, int]
    remark: str = ""

sheet, said, error = Sheet(Everything), w.Label(), w.HTML()
press, send = Press(sheet.read, error), w.Button(description="Send")
press.button(send, lambda: setattr(said, "value", sheet.reply().model_dump_json()))
w.VBox([sheet.view, send, error, said])
"""
GIVEN = {
    "name": "Ana <b>", "hours": 7.5, "vote": None, "ranking": ["P3", "P1", "P2"], "to": ["P2"],
    "notes": ["one", "two"], "amounts": [60, 40], "sure": False, "last": None, "other": {"a": 1},
    "wishes": [{"text": "tea", "strength": 3}, {"text": "beer", "strength": 3}], "remark": "",
}  # fmt: skip


def test_each_kind_of_field_gives_its_part_and_what_does_not_fit_is_marked_and_stays(
    browse, screenshot, button
):
    page = browse(EVERYTHING, "dark")
    page.get_by_label("name").fill("Ana <b>")
    page.get_by_label("hours").fill("25")
    page.get_by_label("nothing").check()
    for place, name in enumerate(("P3", "P1", "P2"), start=1):
        page.get_by_label(f"{place}.").select_option(name)
    page.get_by_label("P2", exact=True).last.check()
    page.get_by_label("notes").fill("one\n\ntwo")
    page.get_by_label("other").fill('{"a": 1}')
    page.get_by_label("1", exact=True).first.fill("60")
    page.get_by_label("2", exact=True).first.fill("40")
    page.get_by_label("no", exact=True).check()
    page.get_by_label("last", exact=True).uncheck()
    for text in ("tea", "milk", "beer"):
        button(page, "Add").click()
        row = page.locator(".items .item").last
        row.get_by_label("text").fill(text)
        row.get_by_label("3").check()
    button(page, "Remove").nth(1).click()
    button(page, "Send").click()
    page.get_by_text("hours: Input should be less than or equal to 24").wait_for()
    edge = "node => getComputedStyle(node.closest('.field')).borderLeftWidth"
    assert page.get_by_label("hours").evaluate(edge) == "4px"
    assert page.get_by_label("name").evaluate(edge) == "0px"
    screenshot(page, "form")
    page.get_by_label("hours").fill("7.5")
    button(page, "Send").click()
    told = page.get_by_text('{"name"').inner_text()
    assert json.loads(told) == GIVEN


SURVEY = """
from support.survey.answers import AnswerBook
from support.survey.instruments import load
from support.labs.survey import SurveyForm
form = SurveyForm(load("meeting_survey"), AnswerBook({path!r}), group="B")
form.view
"""
PAGES = (
    ("For how many years", "3 to 5 years", "How many people", "3 to 5", "How many meetings", "6 or more"),
    ("18 years", "yes", "tool", "yes", "any rule", "no, I may take part"),
    ("under these terms", "Yes, I agree"),
    ("As Pavel Lindqvist", "Moderately", "Given what you asked for", "Agree"),
    ("Knowing what everybody asked for: how well", "Moderately", "Taken together", "Agree",
     "Knowing what everybody asked for, the reasons", "Disagree"),
    ("group of three", "three", "five people", "four or more", "How confident", "Somewhat confident"),
)  # fmt: skip


def test_group_b_fills_in_the_survey_by_keyboard_and_the_record_is_in_the_file(
    browse, tmp_path, screenshot, button
):
    page = browse(SURVEY.format(path=str(tmp_path / "answers.sqlite")))
    page.get_by_label("In a word or two").fill("teaching")
    button(page, "Send").press("Enter")
    page.get_by_text("Field required").wait_for()
    screenshot(page, "survey_1_refused")
    assert page.get_by_label("In a word or two").input_value() == "teaching"
    for choices in PAGES:
        fields = page.locator(".field .field")
        fields.filter(has_text=choices[0]).wait_for()
        for question, choice in zip(choices[::2], choices[1::2], strict=True):
            asked = fields.filter(has_text=question)
            asked.get_by_label(choice, exact=True).press("Space")
        if choices[0].startswith("As Pavel"):
            reasons = page.get_by_label("Which reasons helped")
            reasons.fill("Noon <b>counts</b>.")
            page.wait_for_timeout(400)  # the focus would have moved by then
            assert reasons.evaluate("field => field == document.activeElement")
            screenshot(page, "survey_2_part")
        button(page, "Send").press("Enter")
    page.get_by_text("Your answers are stored under the code").wait_for()
    code = page.locator("[role=status] b").nth(1).inner_text()
    kept = AnswerBook(tmp_path / "answers.sqlite").frame().set_index("item")
    who = set(kept["respondent"] + kept["group"] + kept["source"])
    assert who == {f"{code}Bpeople"}
    assert kept.loc["role", "text"] == "teaching"
    assert kept.loc["reasons_why", "text"] == "Noon <b>counts</b>."
    assert kept.loc["preferences_considered", "answer"] == 3
