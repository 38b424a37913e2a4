"""The one lab: what is played, stopped, forked, drawn, and made again by its cell."""

import asyncio
import math
import textwrap

import pytest
from matplotlib.figure import Figure

from support.analysis.metrics import total_utility
from support.errors import InvalidInput
from support.labs import lab as labs
from support.labs.lab import Lab
from support.roundtable.study import roundtable_exchange

NAMES = ("Ana", "Ben", "Cleo")
KINDS = ["conceder", "linear", "human", "nobody"]
RANGES = {
    "rule": ["majority", "ranked"],
    "preferences": ["asymmetric", "symmetric"],
    "seats": dict.fromkeys(NAMES, KINDS),
}
FIRST = {"seats": "conceder", "rounds": 6}


def show(record):
    figure = Figure(figsize=(4, 2))
    figure.subplots().plot(total_utility(record))
    return figure


def sit(store, play, **more):
    """Make a lab, and have a coroutine play it."""

    async def run():
        lab = Lab(roundtable_exchange, show, store, RANGES, **{**FIRST, **more})
        await play(lab)
        if lab.task:
            lab.task.cancel()
        return lab

    return asyncio.run(asyncio.wait_for(run(), 60))


def choose(lab, **values):
    for name, value in values.items():
        control = lab.controls["seats"][name] if name in NAMES else lab.controls[name]
        control.value = value


async def whole(lab):
    await lab.play()


async def forked(lab):
    await lab.play()
    before = lab.record
    lab.round.value = 2
    lab.fork()
    assert lab.controls["preferences"].disabled, "the group is what it was"
    choose(lab, rule="ranked", Ben="linear")
    await lab.play(2)
    assert lab.record.rounds[:2] == before.rounds[:2]
    assert lab.record.seats["Ben"] == "linear" and len(lab.record.rounds) == 4


async def sat(lab):
    choose(lab, Ana="human")
    lab.start(1)
    while lab.played < 1:
        await asyncio.sleep(0)
        for form in lab.forms.persons.values():
            for question in form.waiting:
                question.answer({"message": None, "proposal": None, "vote": None})
            form.waiting.clear()


@pytest.mark.parametrize("play", [whole, forked, sat])
def test_the_cell_makes_the_figure_and_its_files_again_byte_for_byte(store, play):
    saved = {}

    async def keep(lab):
        await play(lab)
        path = lab.save()
        for suffix in (".png", ".svg", ".pdf"):
            file = path.with_suffix(suffix)
            saved[file] = file.read_bytes()
            file.unlink()
        given = {"show": show, "store": store}
        cell = textwrap.indent(lab.code, "    ")
        exec(f"async def cell():\n{cell}", given)
        await given["cell"]()

    sit(store, keep)
    for file, content in saved.items():
        assert file.read_bytes() == content, file


def test_nothing_that_was_not_played_is_saved(store):
    async def save(lab):
        with pytest.raises(InvalidInput, match="nothing was played"):
            lab.save()
        assert lab.save_button.disabled

    sit(store, save)


def test_a_stop_ends_after_the_round_at_hand_and_the_rest_is_played_later(store):
    async def stop(lab):
        lab.start(math.inf)
        while not lab.played:
            await asyncio.sleep(0)
        lab.stop_button.click()
        await lab.rest.wait()
        assert lab.played < 6
        await lab.play()

    lab = sit(store, stop)
    [(_, record)] = store.records(lab.name)
    assert lab.over and record == lab.record and len(record.rounds) == 6


def test_it_draws_twice_a_second_at_most_and_what_came_last(store, monkeypatch):
    drawn = []
    monkeypatch.setattr(labs, "png", lambda figure: drawn.append(figure) or b"")

    async def play(lab):
        await lab.play()
        await asyncio.sleep(labs.PACE + 0.1)

    lab = sit(store, play, rounds=20)
    curve = drawn[-1].axes[0].lines[0].get_ydata()
    assert len(drawn) < 20 and len(curve) == lab.played == 20


def test_another_setting_begins_anew_and_an_error_is_told_without_an_end(store):
    async def play(lab):
        await lab.play(2)
        choose(lab, Ana="nobody")
        assert lab.record is None
        await lab.play(1)
        assert "nobody" in lab.status.value and not lab.over
        choose(lab, Ana="linear")
        await lab.play(1)
        assert lab.played == 1

    sit(store, play)


def test_who_sits_there_reads_what_the_others_said_at_the_end_only(store):
    async def play(lab):
        await sat(lab)
        await asyncio.sleep(labs.PACE + 0.1)
        assert "a secret" not in lab.words.value

    sit(store, play, told=lambda record: "a secret")


def test_a_misspelt_setting_is_refused(store):
    with pytest.raises(InvalidInput, match="ruel given; roundtable_exchange takes"):
        sit(store, whole, ruel="ranked")
