"""The book of answers: whole forms under codes, nothing lost or overwritten, people and simulated apart."""

import sqlite3
import threading

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.answers import COLUMNS, AnswerBook, check_code, draw_code
from support.errors import DamagedFile, InvalidInput
from support.instruments import load

SURVEY, INTERVIEW = load("meeting_survey"), load("administrator_interview")
FORM = {
    "role": "teaching", "experience": 3, "meeting_size": 2, "meetings_per_day": 3, "uses": [1, 3], "uses_other": "",
    "adult": 1, "uses_tools": 1, "may_take_part": 1, "consent": 1,
    "preferences_considered": 4, "reasons_acceptable": 5, "reasons_why": "Clear & short.",
    "preferences_considered_all": 3, "reasons_acceptable_all": 2, "options_reflect_members": 1,
    "options_wanted_3": 2, "options_wanted_5": 4, "confidence": 3, "confidence_why": "", "feedback": "Très “fine”.",
}  # fmt: skip
PLACES = {"respondent": "K7Q2M9", "group": "B", "source": "people"}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "answers.sqlite"


def count(path, table):
    with sqlite3.connect(path) as db:
        return db.execute(f"SELECT count(*) FROM {table}").fetchone()[0]


def test_a_form_comes_back_tidy_with_code_group_and_source(book):
    assert book.submit(SURVEY, "B", FORM, code="K7Q2M9") == "K7Q2M9"
    frame = book.frame()
    assert list(frame.columns) == list(COLUMNS) and (frame[list(PLACES)] == pd.Series(PLACES)).all(axis=None)
    answers = frame[frame["item"] != "uses"].set_index("item")
    assert answers.loc["confidence", "answer"] == 3 and answers.loc["confidence", "text"] == "Somewhat confident"
    assert answers.loc["feedback", "text"] == FORM["feedback"] and np.isnan(answers.loc["feedback", "answer"])
    assert frame.loc[frame["item"] == "uses", "text"].tolist() == ["meeting scheduling", "brainstorming"]
    assert answers.loc["confidence", "construct"] == "confidence in the coordinator"


def test_blank_items_and_those_of_eligibility_and_consent_have_no_row(book):
    book.submit(SURVEY, "A", FORM, code="K7Q2M9")
    assert not set(book.frame()["item"]) & {"uses_other", "confidence_why", "adult", "consent", "may_take_part"}


def test_ratings_come_back_whole_and_alone(book):
    book.submit(SURVEY, "A", FORM, code="K7Q2M9")
    ratings = book.likert()
    assert ratings["answer"].dtype == np.int64 and list(ratings.columns) == list(COLUMNS)
    assert dict(zip(ratings["item"], ratings["answer"], strict=True)) == {
        item.id: FORM[item.id] for item in SURVEY.items.values() if item.kind == "likert5"
    }


def test_the_analysis_of_surveys_takes_the_ratings_as_they_are(book):
    sources = pytest.importorskip("support.analysis.surveys.sources")
    book.submit(SURVEY, "A", FORM, code="K7Q2M9")
    assert sources.people_only(book.likert()).source == "people"


def test_a_form_carries_version_and_sum_of_its_instrument(book):
    book.submit(SURVEY, "A", FORM, code="K7Q2M9")
    row = book.forms().iloc[0]
    assert row[["instrument", "version", "sum"]].tolist() == [SURVEY.name, SURVEY.version, SURVEY.sum]


def test_people_and_simulated_are_kept_apart_and_people_are_the_default(book):
    for code, source in (("K7Q2M9", "people"), ("L8R3N4", "simulated: rule-based"), ("M9S4P5", "simulated: tiny")):
        book.submit(SURVEY, "A", FORM, code=code, source=source)
    assert set(book.frame()["respondent"]) == {"K7Q2M9"} == set(book.likert()["respondent"])
    assert set(book.frame("simulated")["respondent"]) == {"L8R3N4", "M9S4P5"}
    assert set(book.frame("simulated: tiny")["respondent"]) == {"M9S4P5"}
    assert book.frame(None)["source"].nunique() == 3


@pytest.mark.parametrize("source", ["", "robots", "simulated", "simulated: ", "reconstructed", None, 3])
def test_a_source_that_does_not_say_who_answered_is_refused(book, source):
    with pytest.raises(InvalidInput, match="expected 'people', or 'simulated: ' and what answered"):
        book.submit(SURVEY, "A", FORM, code="K7Q2M9", source=source)
    assert book.forms().empty


@pytest.mark.parametrize(
    "code",
    ["MARIA", "Maria1", "maria7", "a@b.org", "K7Q", "K7Q2M9K7Q2M9X", "K7 Q2", "K7-Q2", "É7Q2", "", 1234, "K7Q2\n"],
)
def test_a_code_that_may_be_a_name_or_an_address_is_refused(book, code):
    with pytest.raises(InvalidInput, match="expected 4 to 12 capital letters and digits"):
        book.submit(SURVEY, "A", FORM, code=code)
    assert book.frame().empty


@given(st.integers(0, 2**32))
def test_a_drawn_code_is_a_code_and_not_one_in_use(seed):
    code = draw_code(np.random.default_rng(seed), lambda _: False)
    check_code(code)
    assert draw_code(np.random.default_rng(seed), {code}.__contains__) != code


def test_codes_are_drawn_from_the_generator_and_never_twice(book):
    codes = [book.submit(SURVEY, "A", FORM, rng=np.random.default_rng(5)) for _ in range(4)]
    assert len(set(codes)) == 4 and codes[0] == draw_code(np.random.default_rng(5), lambda _: False)


def test_when_all_codes_are_in_use_the_way_out_is_told():
    with pytest.raises(InvalidInput, match="all in use; give codes of your own"):
        draw_code(np.random.default_rng(1), lambda _: True)


def test_without_code_and_generator_nothing_is_stored(book):
    with pytest.raises(InvalidInput, match="code: none given, and no rng"):
        book.submit(SURVEY, "A", FORM)
    assert book.forms().empty


def test_a_second_form_under_a_code_is_refused_and_the_first_stays(book):
    book.submit(SURVEY, "A", FORM, code="K7Q2M9")
    before = book.frame()
    with pytest.raises(InvalidInput, match="'K7Q2M9' is in use for meeting_survey; nothing is overwritten"):
        book.submit(SURVEY, "B", {**FORM, "confidence": 5}, code="K7Q2M9")
    pd.testing.assert_frame_equal(book.frame(), before)


@pytest.mark.parametrize("change", [{"confidence": 9}, {"experience": None}, {"consent": 0}, {"other": 1}])
def test_a_form_that_does_not_fit_stores_nothing_and_loses_nothing(book, path, change):
    book.submit(SURVEY, "A", FORM, code="K7Q2M9")
    cells = count(path, "answers")
    with pytest.raises(InvalidInput):
        book.submit(SURVEY, "A", {**FORM, **change}, code="L8R3N4")
    assert len(book.forms()) == 1 and count(path, "answers") == cells


def test_an_unknown_group_is_refused(book):
    with pytest.raises(InvalidInput, match="'D' given; meeting_survey has A, B, C"):
        book.submit(SURVEY, "D", FORM, code="K7Q2M9")


def test_a_failure_in_the_middle_of_a_form_leaves_none_of_it(book, path):
    with sqlite3.connect(path) as db:
        db.execute("CREATE TRIGGER full BEFORE INSERT ON answers WHEN new.item = 'feedback' "
                   "BEGIN SELECT RAISE(FAIL, 'disk full'); END")  # fmt: skip
    with pytest.raises(DamagedFile, match="disk full"):
        book.submit(SURVEY, "A", FORM, code="K7Q2M9")
    assert count(path, "forms") == count(path, "answers") == 0


def test_of_whoever_may_not_or_will_not_take_part_only_the_fact_is_kept(book, path):
    for reason in ("not eligible", "no consent", "no consent"):
        book.refuse(SURVEY, reason)
    assert book.refusals()[["reason", "source", "count"]].values.tolist() == [
        ["no consent", "people", 2], ["not eligible", "people", 1],
    ]  # fmt: skip
    assert count(path, "forms") == count(path, "answers") == 0
    with pytest.raises(InvalidInput, match="expected one of not eligible, no consent"):
        book.refuse(SURVEY, "bored")


def test_a_withdrawal_deletes_by_code_and_no_trace_is_left_in_the_file(book, path):
    secret = "a sentence that nobody shall find again"
    book.submit(SURVEY, "A", {**FORM, "feedback": secret}, code="K7Q2M9")
    book.submit(SURVEY, "A", FORM, code="L8R3N4")
    assert book.withdraw("K7Q2M9") == 1
    assert set(book.frame()["respondent"]) == {"L8R3N4"}
    stored = b"".join(file.read_bytes() for file in path.parent.glob("answers.sqlite*"))
    assert b"K7Q2M9" not in stored and secret.encode() not in stored and b"L8R3N4" in stored


def test_a_withdrawal_of_an_unknown_code_says_so(book):
    with pytest.raises(InvalidInput, match="nothing is kept under 'K7Q2M9'"):
        book.withdraw("K7Q2M9")


def test_one_respondent_may_answer_two_instruments_under_one_code(book):
    interview = {item.id: item.passes if item.passes is not None else 2 if item.choices else item.low
                 for item in INTERVIEW.items.values() if item.kind != "text"}  # fmt: skip
    texts = {item.id: "Words." for item in INTERVIEW.items.values() if item.kind == "text"}
    book.submit(INTERVIEW, "administrators", interview | texts, code="K7Q2M9")
    book.submit(SURVEY, "A", FORM, code="K7Q2M9")
    assert set(book.frame(instrument="administrator_interview")["group"]) == {"administrators"}
    assert set(book.likert(instrument="meeting_survey")["group"]) == {"A"}
    assert book.withdraw("K7Q2M9") == 2 and book.frame(None).empty


@pytest.mark.parametrize(("format", "read"), [("csv", pd.read_csv), ("parquet", pd.read_parquet)])
def test_the_export_holds_everything_and_overwrites_nothing(book, tmp_path, format, read):
    book.submit(SURVEY, "A", FORM, code="K7Q2M9")
    book.submit(SURVEY, "B", FORM, code="L8R3N4", source="simulated: rule-based")
    book.refuse(SURVEY, "no consent")
    answers, refusals = book.export(tmp_path / "out", format=format)
    assert read(answers)["source"].value_counts().nunique() == 1 and len(read(answers)) == len(book.frame(None))
    assert read(answers)["text"].tolist() == book.frame(None)["text"].tolist() and read(refusals)["count"].sum() == 1
    with pytest.raises(InvalidInput, match="exists; nothing is overwritten"):
        book.export(tmp_path / "out", format=format)


def test_another_format_is_refused(book, tmp_path):
    with pytest.raises(InvalidInput, match="'xlsx' given; expected 'csv' or 'parquet'"):
        book.export(tmp_path, format="xlsx")


def test_an_empty_book_has_empty_frames_of_the_same_columns(book):
    assert list(book.frame().columns) == list(COLUMNS) == list(book.likert().columns) and book.frame().empty
    assert book.forms().empty and book.refusals().empty


def test_what_is_stored_is_there_when_the_file_is_opened_again(path):
    first = AnswerBook(path)
    first.submit(SURVEY, "A", FORM, code="K7Q2M9")
    first.close()
    assert len(AnswerBook(path).forms()) == 1


def damaged(path, how):
    if how == "text":
        path.write_text("respondent,answer\nK7Q2M9,3\n")
    elif how == "foreign":
        with sqlite3.connect(path) as db:
            db.execute("CREATE TABLE units (a)")
    elif how == "another shape":
        with sqlite3.connect(path) as db:
            db.execute("CREATE TABLE forms (a)")
    else:
        path.write_bytes(b"SQLite format 3\x00" + b"\x07" * 5000)


@pytest.mark.parametrize("how", ["text", "foreign", "another shape", "broken"])
def test_a_file_that_is_no_book_is_refused_and_left_as_it_is(path, how):
    damaged(path, how)
    before = path.read_bytes()
    with pytest.raises(DamagedFile, match=r"no file of answers .* left as it is"):
        AnswerBook(path)
    assert path.read_bytes() == before and [p.name for p in path.parent.iterdir()] == [path.name]


def test_damage_that_shows_later_is_reported_as_such(path):
    book = AnswerBook(path)
    for seed in range(30):
        book.submit(SURVEY, "A", FORM, rng=np.random.default_rng(seed))
    book.close()
    content = bytearray(path.read_bytes())
    content[4096 * 6 :] = b"\x99" * len(content[4096 * 6 :])
    path.write_bytes(bytes(content))
    with pytest.raises(DamagedFile, match="left as it is"):
        AnswerBook(path).frame(None)


def test_many_books_on_one_file_store_every_form_once(path):
    def fill(seed):
        mine = AnswerBook(path)
        for i in range(5):
            mine.submit(SURVEY, "A", FORM, code=f"T{seed}X{i}")
        mine.close()

    threads = [threading.Thread(target=fill, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert AnswerBook(path).forms()["respondent"].nunique() == 20
