"""The run viewer without a browser: what is listed, what is shown, what a refresh sees."""

import re

import pytest

from support.labs.runs import BLANK, RunViewer
from support.models.calls import Call, Fault
from support.models.request import Request
from support.roundtable.records import Transcript
from support.runs.sweep import Sweep

RECORD = Transcript({}, "a", {}, ())


async def study(rng, rule, size=1, weights=None, note="x"):
    return RECORD


def sweep(repetitions=2, **grid):
    return Sweep(
        "s",
        study,
        grid or {"rule": ["a", "b"], "size": [1, 2], "note": ["<i>"]},
        repetitions,
        7,
    )


def call(text="Which?", **more):
    request = Request("m", "e", (("user", text),), None, 0.0, None, 10, 0)
    return Call(
        request.key,
        "m",
        "e",
        prompt_tokens=1_000,
        usd=0.5,
        question=request.to_json(),
        reply="yes",
        **more,
    )


@pytest.fixture
def played(store):
    """Of eight units five are done, of them one with a retry and one with a repair; one failed, two are missing."""
    units = list(sweep().units())
    for number in (0, 1, 4, 5):
        store.add(units[number], RECORD, 4.0, [call(f"Number {number} <b>?")])
    faults = (Fault("429", "slow down", 1.0),)
    store.add(
        units[2],
        RECORD,
        4.0,
        [call("Number 2", faults=faults), call("Number 2", repair=1)],
    )
    store.fail(units[3], ValueError("<script>"), 1.0, [])
    return store


@pytest.fixture
def viewer(played):
    return RunViewer(sweep(), played)


def listed(viewer):
    return [label.replace(BLANK, " ") for label, _ in viewer.list.options]


def choose(viewer, **labels):
    for name, label in labels.items():
        viewer.controls[name].value = dict(viewer.controls[name].options)[label]
    return [number for _, number in viewer.list.options]


def test_every_unit_is_listed_with_its_status_and_what_it_took_below_the_totals(viewer):
    lines = listed(viewer)
    assert len(lines) == 8 and lines[0].startswith("rule a, size 1 #0 ✓ done")
    assert lines[0].split()[-7:] == ["1", "0", "0", "0", "1,000", "$0.50", "4.0"]
    assert (
        "✗ failed" in lines[3]
        and "· missing" in lines[6]
        and lines[6].split()[-1] == "–"
    )
    assert viewer.place.value == "1 to 8 of 8 units" and "note" not in lines[0], (
        "what does not vary is not repeated"
    )
    assert len({len(line) for line in lines}) == 1, "columns stand below one another"
    text = re.sub(r"<[^>]*>", " ", viewer.totals.value)
    assert "$3.00" in text and "429" in text and "cached replies cost nothing" in text


def test_the_chosen_unit_is_shown_and_its_text_is_escaped(viewer):
    assert (
        viewer.unit == next(sweep().units())
        and "Number 0 &lt;b&gt;?" in viewer.calls.value
    )
    viewer.list.value = 3
    assert (
        "ValueError: &lt;script&gt;" in viewer.calls.value
        and "<script" not in viewer.calls.value
    )
    viewer.list.value = 7
    assert "not done yet" in viewer.calls.value


@pytest.mark.parametrize(
    ("status", "numbers"),
    [
        ("done", [0, 1, 2, 4, 5]),
        ("failed", [3]),
        ("missing", [6, 7]),
        ("met faults", [2]),
        ("off the form", [2]),
    ],
)
def test_units_are_filtered_by_their_status(viewer, status, numbers):
    assert choose(viewer, units=status) == numbers and viewer.unit is not None
    assert (
        viewer.place.value
        == f"1 to {len(numbers)} of {len(numbers)} units, chosen from 8"
    )


def test_units_are_filtered_by_settings_as_well_and_one_stays_chosen_when_it_passes(
    viewer,
):
    assert set(viewer.settings) == {"units", "rule", "size"}
    viewer.list.value = 6
    assert choose(viewer, rule="b", size="2") == [6, 7] and viewer.list.value == 6
    assert (
        choose(viewer, units="done") == []
        and viewer.unit is None
        and viewer.calls.value == ""
    )
    assert viewer.place.value == "None of the 8 units is like that."
    assert (
        choose(viewer, size="all", units="failed", rule="all")
        == [3]
        == [viewer.list.value]
    )


def test_lists_as_values_are_told_apart(store):
    viewer = RunViewer(sweep(1, rule=["a"], weights=[[1, 2], [2, 1]]), store)
    assert listed(viewer)[0].startswith("weights [1, 2] #0") and choose(
        viewer, weights="[2, 1]"
    ) == [1]


def test_many_units_come_in_pages_that_say_where_one_is(store):
    viewer = RunViewer(
        Sweep("s", study, {"rule": ["a", "b"], "size": list(range(300))}, 1, 7), store
    )
    assert (
        len(viewer.list.options) == 100
        and viewer.place.value == "1 to 100 of 600 units"
    )
    assert viewer.back_button.disabled and not viewer.on_button.disabled
    viewer.on_button.click()
    assert viewer.place.value == "101 to 200 of 600 units" and viewer.list.value == 100
    viewer.list.value = 105
    viewer.refresh()
    assert (
        viewer.place.value == "101 to 200 of 600 units" and viewer.list.value == 105
    ), "a refresh keeps the choice"
    viewer.back_button.click()
    assert viewer.back_button.disabled
    choose(viewer, rule="b")
    assert (
        viewer.place.value == "1 to 100 of 300 units, chosen from 600"
        and "size 0 " in listed(viewer)[0]
    )
    assert set(viewer.settings) == {"units", "rule"}, (
        "nobody chooses from a list of thousands"
    )
