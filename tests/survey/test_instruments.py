"""Instruments: ours follow the papers, and a damaged file is refused by its field."""

import shutil

import pytest

from support import data, published
from support.errors import DamagedFile
from support.survey.instruments import load, read

SURVEY, INTERVIEW = load("meeting_survey"), load("administrator_interview")


@pytest.fixture
def changed(tmp_path):
    """Read a copy of ours in which the first of a piece is another."""

    def change(old="", new="", name="meeting_survey"):
        folder = shutil.copytree(data.inputs("survey"), tmp_path, dirs_exist_ok=True)
        for file in folder.glob("*.toml"):
            file.write_text(file.read_text().replace(old, new, 1))
        return read(folder / f"{name}.toml")

    return change


def test_the_items_of_table_3_and_of_both_appendices_are_there():
    items = published.load("000", "Table 3")["row"].unique()
    rated = [item.id for item in SURVEY.items.values() if item.kind == "likert5"]
    assert rated == list(items)
    ours, other = ({i.paper for i in s.items.values()} for s in (SURVEY, INTERVIEW))
    assert ours >= {f"D.4 (1)({letter})" for letter in "abc"}
    assert other >= {f"E ({number})" for number in range(1, 17)}


def test_the_sum_changes_with_a_word_of_the_instrument_or_of_its_scenario(changed):
    ours, other = changed(), changed("About two", "Two")
    assert len({ours.sum, other.sum, changed("Ilse Brandt", "Ilse").sum}) == 3
    moved = ours.about(ours.scenario, "again")
    assert moved.sum != ours.sum and moved.name == "meeting_survey, again"


DAMAGED = [
    (
        'kind = "likert5"',
        'kind = "likert7"',
        "sections 3 items 0 kind: Input should be",
    ),
    ('id = "uses"', 'id = "experience"', "expected each once"),
    ("passes = 1", "", "'adult': expected the choice that `passes`"),
    ('scenario = "scenario.toml"', 'scenario = "x.toml"', "x.toml cannot be read"),
    ('group = "B"', 'group = "D"', "expected a member for each of"),
    ("fit = { A = 1.0", "fit = { A = 11.0", "scenario.toml: options 0 fit A"),
]


@pytest.mark.parametrize(("old", "new", "message"), DAMAGED)
def test_a_damaged_instrument_is_refused_by_file_and_field(changed, old, new, message):
    with pytest.raises(DamagedFile, match=message):
        changed(old, new)
