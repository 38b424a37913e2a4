"""Labs in a real browser: people bargain, look into a run and answer a survey, by mouse and by keyboard."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from support.errors import CallFailed
from support.fair_decisions.records import Feedback
from support.labs import plans, roundtable
from support.models.replies import Cache
from support.models.stand_ins import scripted
from support.roundtable.records import Transcript
from support.runs.study import Store
from support.runs.sweep import Sweep
from support.survey.answers import AnswerBook

TABLE = """from support.labs.roundtable import RoundTableLab
from support.runs.study import Store
lab = RoundTableLab(Store({path!r}), rounds=2)
lab.view"""
SAYING = "I am <b>a person</b> & I need good A"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_person_plays_a_whole_decision_and_it_is_found_in_the_store(
    browse, tmp_path, screenshot, button, dropdown, theme
):
    page = browse(TABLE.format(path=str(tmp_path / "study.sqlite")), theme)
    button(page, "Next round").wait_for()
    dropdown(page, "Ana").select_option("human")
    button(page, "Play to the end").click()
    said = page.get_by_label("message")
    said.wait_for()
    page.get_by_text("What you know", exact=True).wait_for()
    screenshot(page, f"roundtable_{theme}_1_message")
    said.fill(SAYING)
    said.press("Control+Enter")
    amounts = page.get_by_placeholder("0 to 100")
    amounts.first.wait_for()
    page.wait_for_function("document.activeElement.closest('.convene-person')")
    for number in range(9):
        amounts.nth(number).fill("130" if number == 0 else "33.33")
    amounts.nth(8).press("Enter")
    refused = page.get_by_text("Input should be less than or equal to 100")
    refused.wait_for()
    screenshot(page, f"roundtable_{theme}_2_refused")
    assert amounts.first.input_value() == "130", "what was typed is kept"
    amounts.first.fill("33.34")
    button(page, "Send").click()
    page.get_by_label("P1", exact=True).wait_for()
    screenshot(page, f"roundtable_{theme}_3_vote")
    page.get_by_label("P1", exact=True).press("Space")
    button(page, "Send").press("Enter")
    for question in ("messages", "proposals", "votes"):
        page.get_by_text(f"Round 2, {question}.").wait_for()
        if question == "proposals":
            page.get_by_label("proposal", exact=True).uncheck()
        if question == "votes":
            page.get_by_label("nothing", exact=True).check()
        button(page, "Send").click()
    page.get_by_text("Stored in study.sqlite").wait_for()
    assert page.get_by_text(SAYING).count(), (
        "what a person says is shown as text, not as markup"
    )
    [(_, transcript)] = Store(tmp_path / "study.sqlite").records(roundtable.SWEEP)
    assert transcript.seats["Ana"] == "human"
    assert [m.text for m in transcript.rounds[0].messages if m.sender == "Ana"] == [
        SAYING
    ]
    first, second = (
        next(b for b in r.ballots if b.agent == "Ana").choice for r in transcript.rounds
    )
    assert [p.value[0] for p in transcript.rounds[0].proposals if p.agent == "Ana"] == [
        (33.34, 33.333333, 33.333333)
    ]
    assert first == transcript.rounds[0].candidates[0].id and second is None
    assert not [p for p in transcript.rounds[1].proposals if p.agent == "Ana"]


@pytest.fixture
def play(browse, button, tmp_path):
    """A function from a lab's cell, filled in, to its page, once a person is asked."""

    def begin(cell, **given):
        page = browse(cell.format(path=str(tmp_path / "study.sqlite"), **given))
        button(page, "Play to the end").click()
        page.locator(".convene-field").first.wait_for()
        return page

    return begin


def stored(page, path, sweep):
    """The only record of a play, once it is said to be stored."""
    page.get_by_text("Stored in study.sqlite").wait_for()
    [(_, record)] = Store(path / "study.sqlite").records(sweep)
    return record


PLANS = """from support.labs.plans import PlanningLab
from support.runs.study import Store
lab = PlanningLab(Store({path!r}), decisions=2, options=3, participants=2, rounds=1,
                  feedback={feedback!r}, coordinator={coordinator!r}, seats={seats!r})
lab.view"""
ANSWERS = {
    "words": {"levels": ((0.9, None),), "rather": (None, 1)},
    "score": {"score": 7},
    "comparison": {"prefers": 1},
}


@pytest.mark.parametrize("feedback", ANSWERS)
def test_people_answer_in_the_form_of_the_data(
    play, button, screenshot, tmp_path, feedback
):
    page = play(PLANS, feedback=feedback, coordinator="local", seats="human")
    forms = page.locator(".convene-person")
    forms.nth(1).locator(".convene-field").first.wait_for()
    for form in forms.all():
        match feedback:
            case "words":
                form.get_by_label("love", exact=True).first.check()
                form.get_by_label("salted almonds", exact=True).press("Space")
            case "score":
                form.get_by_label("score").fill("1000")
                form.get_by_label("score").press("Enter")
                form.get_by_text("score: Input should be less than").wait_for()
                assert form.get_by_label("score").input_value() == "1000"
                form.get_by_label("score").fill("7")
            case "comparison":
                form.get_by_label("second", exact=True).press("Space")
        screenshot(page, f"plans_{feedback}")
        button(form, "Send").press("Enter")
    [only] = stored(page, tmp_path, plans.SWEEP).rounds
    for answer in only.feedback:
        assert replace(answer, text="") == Feedback(
            answer.participant, **ANSWERS[feedback]
        )
        assert bool(answer.text) == (feedback == "words")


def test_a_person_leads_by_names_and_two_plans_alike_are_refused(
    play, button, screenshot, tmp_path
):
    page = play(PLANS, feedback="comparison", coordinator="human", seats="plain")
    for option in ("cheese omelette", "apple slices"):
        for radio in page.get_by_label(option, exact=True).all():
            radio.check()
    button(page, "Send").click()
    page.get_by_text("two different plans").last.wait_for()
    screenshot(page, "plans_lead")
    page.get_by_label("carrot sticks", exact=True).last.press("Space")
    button(page, "Send").press("Enter")
    [only] = stored(page, tmp_path, plans.SWEEP).rounds
    assert only.plans == ((1, 0), (1, 2))


RUNS = """
import sys
sys.path.insert(0, {tests!r})
from test_browser import sweep
from support.runs.study import Store
from support.labs.runs import RunViewer
viewer = RunViewer(sweep(), Store({path!r}))
viewer.view
"""


async def ask(rng, rule, model=None):
    """A study of one question, which one rule cannot answer."""
    reply = await model.reply(f"By {rule}: <b>which</b>? It costs $5 or $6.")
    return Transcript({"text": reply.text}, rule, {}, ())


def sweep(*rules):
    return Sweep(
        "votes", ask, {"rule": list(rules or ("majority", "borda", "rated"))}, 2, 7
    )


def answer(messages):
    return (
        CallFailed("no such rule")
        if "borda" in messages[-1]["content"]
        else "P1 <i>it is</i>"
    )


def apart(what):
    """Run something in another thread: Playwright keeps a loop in this one."""
    with ThreadPoolExecutor(1) as other:
        return other.submit(asyncio.run, what).result()


def test_a_unit_is_chosen_its_prompt_is_read_and_a_refresh_shows_new_ones(
    browse, button, dropdown, screenshot, tmp_path
):
    store = Store(study := tmp_path / "study.sqlite")
    apart(
        sweep("majority", "borda").run(
            store, model=scripted(answer, "m", cache=Cache(study)), progress=False
        )
    )
    page = browse(RUNS.format(tests=str(__file__).rpartition("/")[0], path=str(study)))
    page.get_by_text("2 done, 2 failed, 2 missing").wait_for()
    units = page.locator(".widget-select select")
    units.select_option(index=1)
    # What was said is shown as it is, neither as markup nor as a formula.
    asked = page.get_by_text("By majority: <b>which</b>? It costs $5 or $6.")
    asked.wait_for()
    page.get_by_text("P1 <i>it is</i>", exact=True).wait_for()
    screenshot(page, "runs")
    units.press("ArrowDown")
    page.get_by_text("CallFailed: no such rule").first.wait_for()
    dropdown(page, "status").select_option("missing")
    page.get_by_text("it has not ended yet").wait_for()
    for unit in list(sweep().units())[4:]:
        store.add(unit, Transcript({}, "rated", {}, ()))
    button(page, "Refresh").press("Enter")
    page.get_by_text("4 done, 2 failed").wait_for()


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
    page.get_by_text("page 1 of 6").wait_for()
    page.get_by_label("In a word or two").fill("teaching")
    button(page, "Next").press("Enter")
    page.get_by_text("Field required").wait_for()
    told = page.get_by_role("alert").inner_text()
    assert told.count("?") == 3 == page.locator(".convene-amiss").count()
    screenshot(page, "survey_1_refused")
    assert page.get_by_label("In a word or two").input_value() == "teaching"
    for number, choices in enumerate(PAGES, start=1):
        page.get_by_text(f"page {number} of 6").wait_for()
        page.locator(
            ".convene-field", has_text=choices[0]
        ).wait_for()  # the page is drawn after its number
        if number == 2:
            page.wait_for_function(
                "document.activeElement.innerText == 'Back'"
            )  # the top of the page, not its foot
        for question, choice in zip(choices[::2], choices[1::2], strict=True):
            page.locator(".convene-field", has_text=question).get_by_label(
                choice, exact=True
            ).press("Space")
        if number == 4:
            page.get_by_label("Which reasons helped").fill("Noon <b>counts</b>.")
            screenshot(page, "survey_2_part")
        button(page, "Send" if number == 6 else "Next").press("Enter")
    page.get_by_text("Your answers are stored under the code").wait_for()
    screenshot(page, "survey_3_stored")
    code, book = (
        page.locator("[role=status] b").inner_text(),
        AnswerBook(tmp_path / "answers.sqlite"),
    )
    kept = book.frame().set_index("item")
    assert set(kept["respondent"] + kept["group"] + kept["source"]) == {
        f"{code}Bpeople"
    }
    assert (
        kept.loc["role", "text"] == "teaching"
        and kept.loc["reasons_why", "text"] == "Noon <b>counts</b>."
    )
    rated = kept[kept["kind"] == "likert5"]["answer"].to_dict()
    assert rated == {
        "preferences_considered": 3,
        "reasons_acceptable": 4,
        "preferences_considered_all": 3,
        "reasons_acceptable_all": 2,
        "options_reflect_members": 4,
        "confidence": 3,
    }
