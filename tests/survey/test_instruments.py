"""Instruments: ours follow the papers, a damaged file is refused by field, and a form fits or is refused."""

import math
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support import data, published
from support.errors import DamagedFile, InvalidInput
from support.survey.instruments import INSTRUMENTS, cells_of, check_form, load, missing, read, refusal

SURVEY, INTERVIEW = load("meeting_survey"), load("administrator_interview")
ITEMS = {**SURVEY.items, **INTERVIEW.items}
KINDS = sorted({item.kind for item in ITEMS.values()})


@pytest.fixture
def changed(tmp_path):
    """Read a copy of ours in which the first of a piece is another, in an instrument or in the scenario."""

    def change(old="", new=""):
        folder = shutil.copytree(data.inputs("survey"), tmp_path, dirs_exist_ok=True)
        files = [folder / f"{name}.toml" for name in ("meeting_survey", "scenario", "administrator_interview")]
        file = next(file for file in files if old in file.read_text())
        file.write_text(file.read_text().replace(old, new, 1))
        return read(files[2] if file == files[2] else files[0])

    return change


def good(instrument):
    """A form that fits, with every optional item left blank."""
    answers = {}
    for item in instrument.items.values():
        first = item.passes if item.passes is not None else item.choices[0].value if item.choices else None
        by_kind = {"text": "Something.", "number": item.low, "multiple": [first]}
        answers[item.id] = by_kind.get(item.kind, first) if item.required else None
    return answers


def test_the_items_of_table_3_and_of_both_appendices_are_there():
    items = published.load("000_cf17db17b5f2de1a", "Table 3")["row"].unique()
    assert [item.id for item in SURVEY.items.values() if item.kind == "likert5"] == list(items)
    papers = {item.paper for item in SURVEY.items.values()}
    parts = {f"D.4 ({part})({letter})" for part, letters in zip("123", ("abc", "abc", "abcd"), strict=True)
             for letter in letters}  # fmt: skip
    assert parts <= papers and {"D.1", "D.2"} <= papers and sum(p.startswith("D.3") for p in papers) == 6
    assert {f"E ({number})" for number in range(1, 17)} <= {item.paper for item in INTERVIEW.items.values()}


@pytest.mark.parametrize("group", SURVEY.groups)
def test_each_group_takes_the_part_of_another_member(group):
    texts = [section.text for section in SURVEY.sections] + [item.text for item in SURVEY.items.values()]
    worded = " ".join(SURVEY.wording(text, group) for text in texts)
    named = [member.group for member in SURVEY.scenario.members if member.name in worded]
    assert named == [group] and "{member}" not in worded


@pytest.mark.skipif(not Path(data.ROOT.parent / "shared/seeds").is_dir(), reason="the papers are not on this machine")
def test_no_question_of_ours_is_copied_from_the_paper():
    paper = (data.ROOT.parent / "shared/seeds/000_cf17db17b5f2de1a.txt").read_text(encoding="utf-8").lower()
    words = " ".join(paper.split())
    for instrument in (SURVEY, INTERVIEW):
        for text in [s.text for s in instrument.sections] + [item.text for item in instrument.items.values()]:
            pieces = text.lower().split()
            assert not [i for i in range(len(pieces) - 7) if " ".join(pieces[i : i + 8]) in words], text


def test_the_sum_changes_with_a_word_of_the_instrument_or_of_its_scenario(changed):
    assert len({changed().sum, changed("About two", "Two").sum, changed("Ilse Brandt", "Ilse").sum}) == 3


@pytest.mark.parametrize(("old", "new", "message"), [
    ('kind = "likert5"', 'kind = "likert7"', "survey.toml: sections, 'part_1', .*'preferences_considered', kind is 'l"),
    ('id = "uses"', 'id = "experience"', "item 'experience' is there twice"),
    ('id = "part_1"', 'id = "intake"', "section 'intake' is there twice"),
    ('id = "role"', 'id = "ro-le"', "'ro-le', id is 'ro-le'"),
    ("choices = [{ value = 1,", "choices = [{ value = 0,", "'adult'.* each with a value of its own"),
    ("required = false", 'required = "no"', "'role', required is 'no'; .* valid boolean"),
    ('scale = "quality"', 'scale = "stairs"', "scale 'stairs' has 0 labels; expected five"),
    ('text = "For how', 'text = " "\nx = "', "'experience', text is ' '"),
    ("high = 100", "high = 0", "'hours_per_week'.* the lower one first"),
    ("high = 100", "", "'hours_per_week'.* expected two bounds"),
    ("passes = 1", "passes = 7", "'adult'.* passes 7: expected the value of one of its choices"),
    ("passes = 1", "", "item 'adult': `passes` belongs to eligibility and consent"),
    ("shows = []", 'shows = ["everything"]', "'intake', shows, 0 is 'everything'"),
    ('groups = ["A", "B", "C"]', 'groups = ["A", "A"]', "group 'A' is there twice"),
    ('groups = ["A", "B", "C"]', 'groups = ["B"]', "expected one member for each group, in the order B"),
    ('scenario = "scenario.toml"', 'scenario = ""', "scenario '': expected a file"),
    ('scenario = "scenario.toml"', 'scenario = "x.toml"', "x.toml is not there"),
    ('version = "1"', 'version = "1"\nlanguage = "en"', "language is 'en'; Unexpected"),
    ('version = "1"', "version = one", "meeting_survey.toml is no TOML"),
    ("fit = { A = ", "fit = { A = 1", "scenario.toml: options, 0, fit, A is 1.* less than or equal to 1"),
    ("fit = { A", "fit = { D", "option '.*': expected a share"),
    ("sound = true", "", "reasons, 0, sound; Field required"),
])  # fmt: skip
def test_a_damaged_instrument_is_refused_by_file_field_and_value(changed, old, new, message):
    with pytest.raises(DamagedFile, match=message):
        changed(old, new)


@pytest.mark.parametrize("name", INSTRUMENTS)
def test_a_form_with_only_what_is_required_fits_and_keeps_no_eligibility_or_consent(name):
    instrument = load(name)
    kept = {cell.item.id for cell in check_form(instrument, good(instrument))}
    assert kept == {item.id for section in instrument.asked for item in section.items if item.required}


@pytest.mark.parametrize(("change", "message"), [
    ({"experience": None, "meeting_size": None}, "intake: no answer to experience, meeting_size; please"),
    ({"adult": 0}, "not eligible; nothing of such a form is kept"),
    ({"consent": 0}, "no consent; nothing of such a form is kept"),
    ({"shoe_size": 44}, "meeting_survey has no item 'shoe_size'"),
])  # fmt: skip
def test_a_form_that_does_not_fit_is_refused_with_the_reason(change, message):
    form = {**good(SURVEY), **change}
    with pytest.raises(InvalidInput, match=message):
        check_form(SURVEY, form)
    found = [refusal(section, form) or missing(section, form) for section in SURVEY.sections]
    assert sum(bool(one) for one in found) == ("shoe_size" not in change)


@pytest.mark.parametrize(("item", "value", "message"), [
    ("confidence", 6, r"confidence: 6 given; expected one of 1 \(Not at all confident\)"),
    ("confidence", True, "True given"),
    ("confidence", 3.0, "3.0 given"),
    ("uses", 1, "uses: 1 given; expected a list of choices, each once"),
    ("uses", [1, 1], "each once"),
    ("uses", [1, 9], "9 given"),
    ("feedback", "x" * 2001, "2001 characters given; expected a text of at most 2000"),
    ("feedback", "ask jo@example.org", "'jo@example.org' looks like an e-mail address"),
    ("hours_per_week", "a lot", "'a lot' given; expected a number from 0 to 100 hours"),
    ("hours_per_week", math.nan, "nan given"),
    ("hours_per_week", True, "True given"),
])  # fmt: skip
def test_an_answer_that_does_not_fit_is_refused_with_what_was_expected(item, value, message):
    with pytest.raises(InvalidInput, match=message):
        list(cells_of(ITEMS[item], value))


@given(st.sampled_from(KINDS), st.one_of(st.none(), st.text(), st.integers(), st.floats(), st.lists(st.integers())))
def test_any_answer_makes_cells_or_a_refusal(kind, value):
    item = next(i for i in ITEMS.values() if i.kind == kind)
    try:
        cells = list(cells_of(item, value))
    except InvalidInput:
        return
    assert all(cell.item is item and (cell.number is not None or cell.text) for cell in cells)
    if kind == "number" and cells:
        assert item.low <= cells[0].number <= item.high
