"""The run viewer without a browser: what is listed, what is shown, what a refresh sees."""

import pytest

from support.labs.runs import BLANK, RunViewer
from support.models.calls import Call, Fault
from support.models.request import Request
from support.roundtable.records import Transcript
from support.runs.sweep import Sweep

RECORD = Transcript({}, "a", {}, ())


async def study(rng, rule, size=1, weights=None, note="x", prompts=None):
    return RECORD


def sweep(repetitions=2, **grid):
    grid = grid or {"rule": ["a", "b"], "size": [1, 2], "note": ["<i>"]}
    return Sweep("s", study, grid, repetitions, 7)


def call(text="Which?", **more):
    request = Request("m", "e", (("user", text),), None, 0.0, None, 10, 0)
    words = {"question": request.to_json(), "reply": "yes"}
    return Call(request.key, "m", "e", prompt_tokens=1_000, usd=0.5, **words, **more)


@pytest.fixture
def played(store):
    """Of eight units five are done, one failed, two are missing.

    Of those done one met a fault, and was asked again for its form.
    """
    units = list(sweep().units())
    for number in (0, 1, 4, 5):
        store.add(units[number], RECORD, 4.0, [call(f"Number {number} <b>?")])
    busy = call("Number 2", faults=(Fault("429", "slow down", 1.0),))
    store.add(units[2], RECORD, 4.0, [busy, call("Number 2", repair=1)])
    store.add(units[3], ValueError("<script>"), 1.0, [])
    return store


@pytest.fixture
def viewer(played):
    return RunViewer(sweep(), played)


def numbers(viewer):
    return [number for _, number in viewer.list.options]


def cells(viewer, number):
    lines = {at: line for line, at in viewer.list.options}
    return " ".join(lines[number].replace(BLANK, " ").split())


def test_every_unit_is_a_line_with_its_settings_status_and_what_it_took(viewer):
    assert numbers(viewer) == list(range(8))
    assert cells(viewer, 0) == "a 1 0 done 1 0 0 0 1000 0.5 4"
    assert cells(viewer, 2) == "a 2 0 done 2 0 1 1 2000 1 4"
    assert cells(viewer, 6) == "b 2 0 missing 0 0 0 0 0 – –"
    assert len({len(line) for line, _ in viewer.list.options}) == 1, "columns align"
    for said in ("5 done", "2 missing", "1 failed", "$3.00 in all"):
        assert said in viewer.told.value


def test_the_chosen_unit_is_shown_with_its_calls_and_all_text_is_escaped(
    viewer, played
):
    assert "mathjax_ignore" in viewer.unit.value, "$5 or $6 is no formula"
    assert "Number 0 &lt;b&gt;?" in viewer.unit.value
    assert "$0.50" in viewer.unit.value and "<b>&lt;i&gt;</b>" in viewer.unit.value
    viewer.list.value = 2
    assert "met: 429" in viewer.unit.value and "repair 1" in viewer.unit.value
    viewer.list.value = 3
    assert "ValueError: &lt;script&gt;" in viewer.unit.value
    viewer.list.value = 7
    assert "it has not ended yet" in viewer.unit.value
    played.add(list(sweep().units())[7], RECORD, 4.0, [call("late")])
    viewer.refresh()
    assert viewer.list.value == 7 and "late" in viewer.unit.value
    assert "6 done" in viewer.told.value


@pytest.mark.parametrize(
    ("status", "listed"),
    [
        ("done", [0, 1, 2, 4, 5]),
        ("failed", [3]),
        ("missing", [6, 7]),
        ("met faults", [2]),
        ("off the form", [2]),
    ],
)
def test_units_are_filtered_by_their_status(viewer, status, listed):
    viewer.status.value = status
    assert numbers(viewer) == listed and viewer.list.value == listed[0]


def test_units_are_filtered_by_settings_and_one_that_passes_stays_chosen(viewer):
    assert set(viewer.settings) == {"rule", "size"}, "note does not vary"
    viewer.list.value = 6
    viewer.settings["rule"].value = "b"
    viewer.settings["size"].value = "2"
    assert numbers(viewer) == [6, 7] and viewer.list.value == 6
    viewer.status.value = "done"
    assert numbers(viewer) == [] and viewer.unit.value == ""


def test_hundreds_of_units_come_in_pages(store):
    viewer = RunViewer(sweep(1, rule=["a", "b"], size=list(range(300))), store)
    assert numbers(viewer) == list(range(100)) and viewer.page.max == 6
    viewer.page.value = 2
    viewer.list.value = 105
    viewer.refresh()
    assert numbers(viewer)[0] == 100 and viewer.list.value == 105
    viewer.page.value = 6
    viewer.settings["rule"].value = "b"
    assert viewer.page.value == viewer.page.max == 3
    assert numbers(viewer)[-1] == 599
