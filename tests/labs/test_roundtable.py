"""The round table's lab without a browser: a stop, the talk of one round, and clicks that become a cell."""

import asyncio

from support.labs.roundtable import RoundTableLab


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


def test_what_was_played_becomes_a_cell(store, repeats):
    lab = RoundTableLab(store, rule="ranked", agents=4, rounds=2, seats={"Dev": "linear"})
    asyncio.run(lab.advance())
    code = repeats(lab, store=store)
    lab.save_button.click()
    assert "Saved as roundtable_exchange/lab_" in lab.made.value
    assert "rule='ranked'" in code and "'Dev': 'linear'" in code and "advance(rounds=1)" in code
