"""A respondent of group B fills in the survey in a real browser, by keyboard; the record is found in SQLite."""

import pytest

from support.survey.answers import AnswerBook

SOURCE = """
import numpy as np
from support.survey.answers import AnswerBook
from support.survey.instruments import load
from support.labs.survey import SurveyForm
form = SurveyForm(load({name!r}), AnswerBook({path!r}), group={group!r}, rng=np.random.default_rng(4))
form.view
"""


@pytest.fixture
def opened(browse, tmp_path):
    """A function from the name of an instrument and a group to the page of its form."""

    def open_form(name, group):
        page = browse(SOURCE.format(name=name, group=group, path=str(tmp_path / "answers.sqlite")), height=1400)
        page.get_by_text("page 1 of").wait_for()
        return page

    return open_form


def choose(page, question, choice):
    """Tick a radio button by keyboard: focus it and press Space."""
    page.locator(".convene-item", has_text=question).get_by_label(choice, exact=True).press("Space")


def write(page, question, answer):
    page.locator(".convene-item", has_text=question).get_by_role("textbox").fill(answer)


def test_group_b_fills_in_the_survey_and_the_record_is_in_the_file(opened, tmp_path, screenshot, button):
    page = opened("meeting_survey", "B")
    choose(page, "For how many years", "3 to 5 years")
    page.get_by_label("In a word or two").fill("teaching")
    button(page, "Next").press("Enter")
    page.get_by_text("Please answer, so that you can go on").wait_for()
    assert page.get_by_role("alert").inner_text().count("?") == 2
    screenshot(page, "survey_1_refused")
    assert page.get_by_label("In a word or two").input_value() == "teaching"
    choose(page, "How many people", "3 to 5")
    choose(page, "How many meetings", "6 or more")
    page.get_by_label("brainstorming", exact=True).press("Space")
    button(page, "Next").press("Enter")

    page.get_by_text("page 2 of 6").wait_for()
    page.wait_for_function("document.activeElement.innerText == 'Back'")  # the top of the page, not its foot
    for question, choice in (("18 years", "yes"), ("tool", "yes"), ("any rule", "no, I may take part")):
        choose(page, question, choice)
    button(page, "Next").press("Enter")
    page.get_by_text("page 3 of 6").wait_for()
    screenshot(page, "survey_2_consent")
    choose(page, "under these terms", "Yes, I agree")
    button(page, "Next").press("Enter")

    page.get_by_text("page 4 of 6").wait_for()
    page.get_by_text("Imagine that you are Pavel Lindqvist").wait_for()
    assert page.get_by_text("Wednesdays from three").count() == 0, "part 1 shows no wishes of the others"
    choose(page, "As Pavel Lindqvist", "3  Moderately")
    choose(page, "Given what you asked for", "4  Agree")
    page.get_by_label("Which reasons helped").fill("Noon <b>counts</b>.")
    screenshot(page, "survey_3_part")
    button(page, "Next").press("Enter")
    page.get_by_text("page 5 of 6").wait_for()
    page.get_by_text("Wednesdays from three").wait_for()  # the page is drawn after its number
    choose(page, "Knowing what everybody asked for: how well", "3  Moderately")
    choose(page, "Knowing what everybody asked for, the reasons", "2  Disagree")
    choose(page, "Taken together", "4  Agree")
    screenshot(page, "survey_4_part_two")
    button(page, "Next").press("Enter")
    page.get_by_text("page 6 of 6").wait_for()
    choose(page, "group of three", "three")
    choose(page, "five people", "four or more")
    choose(page, "How confident", "3  Somewhat confident")
    button(page, "Send").press("Enter")
    page.get_by_text("Your answers are stored under the code").wait_for()
    screenshot(page, "survey_5_stored")
    code = page.locator("[role=status] b").inner_text()

    book = AnswerBook(tmp_path / "answers.sqlite")
    assert book.forms()[["respondent", "instrument", "group", "source"]].values.tolist() == [
        [code, "meeting_survey", "B", "people"]
    ]
    kept = book.frame().set_index("item")
    assert kept.loc["role", "text"] == "teaching" and kept.loc["uses", "text"] == "brainstorming"
    assert kept.loc["reasons_why", "text"] == "Noon <b>counts</b>."
    assert book.likert().set_index("item")["answer"].to_dict() == {
        "preferences_considered": 3, "reasons_acceptable": 4, "preferences_considered_all": 3,
        "reasons_acceptable_all": 2, "options_reflect_members": 4, "confidence": 3,
    }  # fmt: skip


def test_an_administrator_answers_the_interview(opened, tmp_path, screenshot, button):
    page = opened("administrator_interview", "administrators")
    choose(page, "Is it part of your work", "yes")
    button(page, "Next").press("Enter")
    page.get_by_text("page 2 of 5").wait_for()
    choose(page, "under these terms", "Yes, I agree")
    button(page, "Next").press("Enter")
    page.get_by_text("page 3 of 5").wait_for()
    page.get_by_label("Which kinds of events").fill("Team days, most of all.")
    for question, number in (("hours of a week", "12.5"), ("share of your", "30"), ("how many events", "4"),
                             ("how many people", "8"), ("of a hundred of them", "many")):  # fmt: skip
        write(page, question, number)
    button(page, "Next").press("Enter")
    page.get_by_text("another organisation? 'many' given; expected a number").wait_for()
    screenshot(page, "survey_6_interview")
    write(page, "of a hundred of them", "10")
    button(page, "Next").press("Enter")
    page.get_by_text("page 4 of 5").wait_for()
    for question in ("Which tools", "keep in mind"):
        page.get_by_label(question).fill("A calendar.")
    write(page, "how many options", "3")
    button(page, "Next").press("Enter")
    page.get_by_text("page 5 of 5").wait_for()
    for question, number in (("new options", "2"), ("leave somebody out", "25"), ("come or agree", "90")):
        write(page, question, number)
    choose(page, "everybody's wishes count", "4  Confident")
    button(page, "Send").press("Enter")
    page.get_by_text("Your answers are stored under the code").wait_for()
    kept = AnswerBook(tmp_path / "answers.sqlite").frame(instrument="administrator_interview").set_index("item")
    assert kept.loc["hours_per_week", "answer"] == 12.5 and kept.loc["attendance", "answer"] == 90
