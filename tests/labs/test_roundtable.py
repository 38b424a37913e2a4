"""The round table's lab: a person plays a whole decision; its figure is saved, and its code gives the same one."""

import asyncio

from support.labs.roundtable import SWEEP, RoundTableLab
from support.runs.study import Store

SAYING = "I am <b>a person</b> & I need good A"
SOURCE = """from support.labs.roundtable import RoundTableLab
from support.runs.study import Store
lab = RoundTableLab(Store({path!r}), rounds=2)
lab.view"""


def test_a_stop_ends_after_the_round_at_hand_and_the_rest_is_played_later(store):
    async def run():
        lab = RoundTableLab(store, rounds=9)
        lab.start(to_the_end=True)
        while not lab.finished:
            await asyncio.sleep(0)
        lab.stop_button.click()
        await lab.task
        stopped = len(lab.finished)
        await lab.advance(to_the_end=True)
        return stopped, lab

    stopped, lab = asyncio.run(run())
    assert 1 <= stopped < 9 == len(lab.finished) == lab.progress.value
    lab.shown.value = "4"
    assert "Round 4" in lab.talk.value and "Round 5" not in lab.talk.value


def test_a_person_plays_a_whole_decision_and_it_is_found_in_the_store(browse, tmp_path, screenshot, button, dropdown):
    path = tmp_path / "study.sqlite"
    page = browse(SOURCE.format(path=str(path)), height=1500)
    button(page, "Next round").wait_for()
    before = page.locator("img").first.get_attribute("src")
    dropdown(page, "Ana").select_option("human")
    button(page, "Play to the end").click()

    page.get_by_placeholder("what you want to say").fill(SAYING)
    button(page, "Send").click()

    amount = page.locator("input[type=number]:visible").nth(1)  # the first is the seed
    button(page, "Propose").wait_for()
    amount.fill("130")
    amount.press("Tab")
    button(page, "Propose").click()
    page.get_by_text("share out exactly 100 of every good").wait_for()
    screenshot(page, "roundtable_1_refused")
    assert amount.input_value() == "130", "what was typed is kept after an error"
    amount.fill("33.34")
    amount.press("Tab")
    button(page, "Propose").click()

    button(page, "Vote").wait_for()
    page.locator("input[type=radio]").first.check()
    button(page, "Vote").click()
    button(page, "Say nothing").click()
    button(page, "No new proposal").click()
    button(page, "Abstain").click()
    page.get_by_text("Stored in study.sqlite").wait_for()
    screenshot(page, "roundtable_2_finished")
    assert page.locator("img").first.get_attribute("src") != before, "the figure follows the discussion"
    assert page.get_by_text(SAYING).count(), "what a person says is shown as text, not as markup"

    [(_, transcript)] = Store(path).records(SWEEP)
    assert transcript.seats["Ana"] == "human"
    assert [m.text for m in transcript.rounds[0].messages if m.sender == "Ana"] == [SAYING]
    first, second = (next(b for b in r.ballots if b.agent == "Ana").choice for r in transcript.rounds)
    assert [p.value[0] for p in transcript.rounds[0].proposals if p.agent == "Ana"] == [(33.34, 33.333333, 33.333333)]
    assert first == transcript.rounds[0].candidates[0].id
    assert second is None


def test_clicks_become_a_cell(browse, tmp_path, store, screenshot, button, dropdown, keeps):
    page = browse(SOURCE.format(path=str(tmp_path / "other.sqlite")), height=1500)
    dropdown(page, "rule").select_option("ranked")
    page.locator(".widget-slider .noUi-handle").first.focus()
    page.keyboard.press("ArrowRight")
    dropdown(page, "Dev").select_option("linear")
    button(page, "Next round").click()
    page.get_by_text("Round 1 of 2:").wait_for()
    code = keeps(page, store=store)
    screenshot(page, "roundtable_3_code")
    assert "rule='ranked'" in code and "'Dev': 'linear'" in code and "advance(rounds=1)" in code
