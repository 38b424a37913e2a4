"""Instruments: ours follow the papers, a damaged file is refused by field, an answer by what was expected."""

import math
import shutil

import pytest

from support import data, published
from support.errors import DamagedFile, InvalidInput
from support.survey.instruments import cells_of, load, read

SURVEY, INTERVIEW = load("meeting_survey"), load("administrator_interview")


@pytest.fixture
def changed(tmp_path):
    """Read a copy of ours in which the first of a piece is another, in an instrument or in the scenario."""

    def change(old="", new=""):
        folder = shutil.copytree(data.inputs("survey"), tmp_path, dirs_exist_ok=True)
        files = [
            folder / f"{name}.toml"
            for name in ("meeting_survey", "scenario", "administrator_interview")
        ]
        file = next(file for file in files if old in file.read_text())
        file.write_text(file.read_text().replace(old, new, 1))
        return read(files[2] if file == files[2] else files[0])

    return change


def test_the_items_of_table_3_and_of_both_appendices_are_there():
    items = published.load("000_cf17db17b5f2de1a", "Table 3")["row"].unique()
    assert [
        item.id for item in SURVEY.items.values() if item.kind == "likert5"
    ] == list(items)
    papers = {item.paper for item in SURVEY.items.values()}
    parts = {f"D.4 ({part})({letter})" for part, letters in zip("123", ("abc", "abc", "abcd"), strict=True)
             for letter in letters}  # fmt: skip
    assert (
        parts <= papers
        and {"D.1", "D.2"} <= papers
        and sum(p.startswith("D.3") for p in papers) == 6
    )
    assert {f"E ({number})" for number in range(1, 17)} <= {
        item.paper for item in INTERVIEW.items.values()
    }


def test_the_sum_changes_with_a_word_of_the_instrument_or_of_its_scenario(changed):
    assert (
        len(
            {
                changed().sum,
                changed("About two", "Two").sum,
                changed("Ilse Brandt", "Ilse").sum,
            }
        )
        == 3
    )


@pytest.mark.parametrize(("old", "new", "message"), [
    ('kind = "likert5"', 'kind = "likert7"', "survey.toml: sections, 'part_1', .*'preferences_considered', kind is 'l"),
    ('id = "uses"', 'id = "experience"', "item 'experience' is there twice"),
    ("high = 100", "high = 0", "'hours_per_week'.* the lower one first"),
    ('scale = "quality"', 'scale = "stairs"', "scale 'stairs' has 0 labels; expected five"),
    ("passes = 1", "", "item 'adult': `passes` belongs to eligibility and consent"),
    ("shows = []", 'shows = ["everything"]', "'intake', shows, 0 is 'everything'"),
    ('scenario = "scenario.toml"', 'scenario = "x.toml"', "x.toml is not there"),
    ('version = "1"', 'version = "1"\nlanguage = "en"', "language is 'en'; Unexpected"),
    ("fit = { A = ", "fit = { A = 1", "scenario.toml: options, 0, fit, A is 1.* less than or equal to 1"),
])  # fmt: skip
def test_a_damaged_instrument_is_refused_by_file_field_and_value(
    changed, old, new, message
):
    with pytest.raises(DamagedFile, match=message):
        changed(old, new)


def test_an_answer_that_does_not_fit_is_refused_with_what_was_expected():
    for item, value, message in (
        (
            "confidence",
            6,
            r"confidence: 6 given; expected one of 1 \(Not at all confident\)",
        ),
        ("confidence", 3.0, "3.0 given"),
        ("uses", [1, 1], "each once"),
        (
            "feedback",
            "x" * 2001,
            "2001 characters given; expected a text of at most 2000",
        ),
        (
            "feedback",
            "ask jo@example.org",
            "'jo@example.org' looks like an e-mail address",
        ),
        ("hours_per_week", math.nan, "nan given"),
    ):
        with pytest.raises(InvalidInput, match=message):
            list(cells_of((SURVEY.items | INTERVIEW.items)[item], value))
