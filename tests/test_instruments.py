"""Instruments: those we ship are whole, a damaged file is refused by field, and a form fits or is refused."""

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support import data, published
from support.errors import DamagedFile, InvalidInput
from support.instruments import INSTRUMENTS, cells_of, check_form, load, missing, refusal
from support.instruments.loading import read
from support.instruments.records import KINDS

SURVEY, INTERVIEW = load("meeting_survey"), load("administrator_interview")
SCENARIO = """
organiser = "O"
invitation = "Come."
[[members]]
group = "A"
name = "Ann"
wishes = ["early"]
[[options]]
decision = "at nine"
satisfies = ["A"]
fit = { A = 1.0 }
[[options.reasons]]
text = "It is early."
about = "A"
sound = true
"""
SMALL = """
name = "small"
version = "1"
title = "T"
source = "S"
groups = ["A"]
scenario = "scenario.toml"
[scales]
steps = ["a", "b", "c", "d", "e"]
[[sections]]
id = "one"
kind = "part"
title = "One"
text = "You are {member}."
shows = ["options"]
[[sections.items]]
id = "liked"
kind = "likert5"
scale = "steps"
text = "Good?"
construct = "c"
paper = "D"
required = true
[[sections.items]]
id = "many"
kind = "multiple"
text = "Which?"
construct = "c"
paper = "D"
required = false
choices = [{ value = 1, label = "x" }, { value = 2, label = "y" }]
[[sections.items]]
id = "hours"
kind = "number"
text = "How long?"
construct = "c"
paper = "D"
required = false
low = 0
high = 10
unit = "hours"
[[sections]]
id = "agree"
kind = "consent"
title = "Agree?"
text = ""
shows = []
[[sections.items]]
id = "yes"
kind = "choice"
text = "Yes?"
construct = "consent"
paper = "D"
required = true
choices = [{ value = 1, label = "yes" }, { value = 0, label = "no" }]
passes = 1
"""


@pytest.fixture
def written(tmp_path):
    """Write the small instrument with a piece of it changed, and read it."""

    def write(old="", new="", *, scenario=SCENARIO):
        assert old in SMALL
        (tmp_path / "scenario.toml").write_text(scenario)
        (tmp_path / "small.toml").write_text(SMALL.replace(old, new, 1) if old else SMALL)
        return read(tmp_path / "small.toml")

    return write


def good(instrument):
    """A form that fits, with every optional item left blank."""
    answers = {}
    for item in instrument.items.values():
        first = item.passes if item.passes is not None else item.choices[0].value if item.choices else None
        by_kind = {"text": "Something.", "number": item.low if item.low > -math.inf else 0, "multiple": [first]}
        answers[item.id] = by_kind.get(item.kind, first) if item.required else None
    return answers


def test_every_instrument_file_is_loaded_and_none_is_left_out():
    files = {path.stem for path in data.inputs("survey").glob("*.toml")} - {"scenario"}
    assert files == set(INSTRUMENTS) and [load(name).name for name in INSTRUMENTS] == list(INSTRUMENTS)


def test_the_items_of_table_3_are_5_point_items_of_the_same_names():
    items = published.load("000_cf17db17b5f2de1a", "Table 3")["row"].unique()
    assert [item.id for item in SURVEY.items.values() if item.kind == "likert5"] == list(items)


def test_the_survey_follows_every_item_of_appendix_d_and_the_interview_of_appendix_e():
    papers = {item.paper for item in SURVEY.items.values()}
    parts = {
        f"D.4 ({part})({letter})" for part, letters in (("1", "abc"), ("2", "abc"), ("3", "abcd")) for letter in letters
    }
    assert parts <= papers and {"D.1", "D.2"} <= papers and sum(p.startswith("D.3") for p in papers) == 6
    assert {f"E ({number})" for number in range(1, 17)} <= {item.paper for item in INTERVIEW.items.values()}


def test_confidence_is_a_rating_and_a_text():
    assert SURVEY.items["confidence"].kind == "likert5" and SURVEY.items["confidence_why"].kind == "text"
    assert SURVEY.items["confidence"].paper == SURVEY.items["confidence_why"].paper == "D.4 (3)(c)"


@pytest.mark.parametrize("group", SURVEY.groups)
def test_each_group_takes_the_part_of_another_member(group):
    texts = [section.text for section in SURVEY.sections] + [item.text for item in SURVEY.items.values()]
    worded = " ".join(SURVEY.wording(text, group) for text in texts)
    others = [member.name for member in SURVEY.scenario.members if member.group != group]
    assert SURVEY.scenario.member(group).name in worded and "{member}" not in worded
    assert not any(name in worded for name in others)


@pytest.mark.skipif(not Path(data.ROOT.parent / "shared/seeds").is_dir(), reason="the papers are not on this machine")
def test_no_question_of_ours_is_copied_from_the_paper():
    paper = (data.ROOT.parent / "shared/seeds/000_cf17db17b5f2de1a.txt").read_text(encoding="utf-8").lower()
    words = " ".join(paper.split())
    for instrument in (SURVEY, INTERVIEW):
        for text in [s.text for s in instrument.sections] + [item.text for item in instrument.items.values()]:
            pieces = text.lower().split()
            for i in range(len(pieces) - 7):
                assert " ".join(pieces[i : i + 8]) not in words, text


def test_one_reason_of_the_scenario_is_unsound_and_every_fit_is_a_share():
    reasons = [reason for option in SURVEY.scenario.options for reason in option.reasons]
    assert [reason.sound for reason in reasons].count(False) == 1
    assert all(0 <= share <= 1 for option in SURVEY.scenario.options for share in option.fit.values())


def test_the_sum_changes_with_a_word_of_the_instrument_or_of_its_scenario(written):
    sums = {written().sum, written("Good?", "Fine?").sum, written(scenario=SCENARIO.replace("Come.", "Go.")).sum}
    assert len(sums) == 3 and written().sum in sums


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            'kind = "likert5"',
            'kind = "likert7"',
            r"small.toml: item 'liked', kind is 'likert7'; expected one of likert5",
        ),
        ('id = "many"', 'id = "liked"', "item, id is 'liked'; expected one item or more, each id once"),
        ('id = "agree"', 'id = "one"', "section, id is 'one'"),
        ('id = "many"', 'id = "m-any"', "item 'm-any', id is 'm-any'; expected letters"),
        ('choices = [{ value = 1, label = "x" }, { value = 2, label = "y" }]', "", "item 'many', choices is None"),
        ("value = 2", "value = 1", "item 'many', choices is .* each with a value of its own"),
        ("required = true", 'required = "yes"', "item 'liked', required is 'yes'; expected the type bool"),
        ('scale = "steps"', 'scale = "stairs"', "item 'liked', scale is 'stairs'; expected one of steps"),
        ('"d", "e"]', '"d"]', "scales, steps is .* expected five labels"),
        ('text = "Good?"', 'text = " "', "item 'liked', text is ' '; expected a question"),
        ("high = 10", "high = 0", "item 'hours', low is 0; expected less than high"),
        ("passes = 1", "passes = 7", "item 'yes', passes is 7"),
        ("passes = 1", "", "item 'yes', passes is None"),
        ('shows = ["options"]', 'shows = ["everything"]', "section 'one', shows is 'everything'"),
        ('groups = ["A"]', 'groups = ["A", "A"]', "groups is .* each of them once"),
        ('groups = ["A"]', 'groups = ["B"]', r"scenario.toml: members, group is \['A'\]; expected the instrument's"),
        ('scenario = "scenario.toml"', 'scenario = ""', "small.toml: scenario is ''; expected a file"),
        ('scenario = "scenario.toml"', 'scenario = "x.toml"', "x.toml is not there"),
        ('version = "1"', "version = 1", "the instrument, version is 1; expected the type str"),
        ('version = "1"', 'version = "1"\nlanguage = "en"', r"the instrument is \['language'\]; expected only"),
        ('name = "small"', "name = small", "small.toml is no TOML"),
    ],
)
def test_a_damaged_instrument_is_refused_by_file_field_and_value(written, old, new, message):
    with pytest.raises(DamagedFile, match=message):
        written(old, new)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("fit = { A = 1.0 }", "fit = { A = 1.5 }", "option 'at nine', fit is .* a share from 0 to 1"),
        ("fit = { A = 1.0 }", "fit = {}", "option .* a share from 0 to 1 for each group"),
        ('about = "A"', 'about = "Z"', "option 'at nine', a group is 'Z'"),
        ('wishes = ["early"]', "wishes = []", r"wishes is \[\]"),
        ("sound = true", "", "a reason, sound is None"),
    ],
)
def test_a_damaged_scenario_is_refused_by_file_field_and_value(written, old, new, message):
    with pytest.raises(DamagedFile, match=rf"scenario.toml: {message}"):
        written(scenario=SCENARIO.replace(old, new))


def test_an_unknown_instrument_names_the_known_ones():
    with pytest.raises(InvalidInput, match="'nothing' given; there are the instruments meeting_survey, admin"):
        load("nothing")


@pytest.mark.parametrize("name", INSTRUMENTS)
def test_a_form_with_only_what_is_required_fits_and_keeps_no_eligibility_or_consent(name):
    instrument = load(name)
    kept = {cell.item.id for cell in check_form(instrument, good(instrument))}
    asked = {item.id for section in instrument.asked for item in section.items if item.required}
    assert kept == asked and "consent" not in kept


def test_all_missing_items_of_a_page_are_named():
    form = {**good(SURVEY), "experience": None, "meeting_size": None}
    with pytest.raises(InvalidInput, match="intake: no answer to experience, meeting_size; please"):
        check_form(SURVEY, form)
    assert [item.id for item in missing(SURVEY.sections[0], form)] == ["experience", "meeting_size"]


@pytest.mark.parametrize(("item", "why"), [("adult", "not eligible"), ("consent", "no consent")])
def test_a_form_that_eligibility_or_consent_stops_is_refused_with_the_reason(item, why):
    form = {**good(SURVEY), item: 0}
    assert [r for r in (refusal(section, form) for section in SURVEY.sections) if r] == [why]
    with pytest.raises(InvalidInput, match=f"{why}; nothing of such a form is kept"):
        check_form(SURVEY, form)


@pytest.mark.parametrize(
    ("item", "value", "message"),
    [
        ("confidence", 6, r"confidence: 6 given; expected one of 1 \(Not at all confident\)"),
        ("confidence", True, "True given"),
        ("confidence", 3.0, "3.0 given"),
        ("uses", 1, "uses: 1 given; expected a list of choices, each once"),
        ("uses", [1, 1], "each once"),
        ("uses", [1, 9], "9 given"),
        ("feedback", "x" * 2001, "2001 characters given; expected a text of at most 2000"),
        ("feedback", "ask jo@example.org", "'jo@example.org' looks like an e-mail address"),
        ("hours_per_week", "a lot", "'a lot' given; expected a number from 0 to 100 hours"),
        ("hours_per_week", -1, "-1 given"),
        ("hours_per_week", math.nan, "nan given"),
        ("hours_per_week", True, "True given"),
    ],
)
def test_an_answer_that_does_not_fit_is_refused_with_what_was_expected(item, value, message):
    found = {**SURVEY.items, **INTERVIEW.items}[item]
    with pytest.raises(InvalidInput, match=message):
        list(cells_of(found, value))


def test_an_unknown_item_is_refused():
    with pytest.raises(InvalidInput, match="meeting_survey has no item 'shoe_size'"):
        check_form(SURVEY, {**good(SURVEY), "shoe_size": 44})


@given(st.sampled_from(KINDS), st.one_of(st.none(), st.text(), st.integers(), st.floats(), st.lists(st.integers())))
def test_any_answer_makes_cells_or_a_refusal(kind, value):
    item = next(i for i in {**SURVEY.items, **INTERVIEW.items}.values() if i.kind == kind)
    try:
        cells = list(cells_of(item, value))
    except InvalidInput:
        return
    assert all(cell.item is item and (cell.number is not None or cell.text) for cell in cells)
    if kind == "number" and cells:
        assert item.low <= cells[0].number <= item.high


def test_a_decimal_comma_is_a_number():
    (cell,) = cells_of(INTERVIEW.items["hours_per_week"], "12,5")
    assert cell.number == 12.5
