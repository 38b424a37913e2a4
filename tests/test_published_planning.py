"""The published numbers of the planning paper: whole, as printed, and in agreement with what their notes say."""

import itertools
import re

import numpy as np
import pandas as pd
import pytest

from support import data, published
from support.fair_decisions.measures import divergence

SEED = "003_1a2bb55b71c6f802"
TEXT = data.ROOT.parent / "shared" / "seeds" / f"{SEED}.txt"
NEEDS_TEXT = pytest.mark.skipif(not TEXT.is_file(), reason="the paper's text is not on this machine")
WORDS = {"2": "two", "3": "three", "5": "five", "7": "seven", "9": "nine"}
UNITS = {"instances", "participants", "rounds", "points", "decisions", "options", "option", "words"}
UNITS |= {"share", "actions", "cases", "parts", "prompts"}
PLAYERS = ["p1", "p2", "p3"]
MEALS = [f"meal {k}" for k in range(1, 5)]
METRICS = ("divergence", "welfare")


@pytest.fixture(scope="module")
def frame():
    return published.load(SEED)


@pytest.fixture(scope="module")
def said(frame):
    """Every statement's note, by table and statement."""
    return published.statements(frame).set_index(["table", "statement"])["note"]


@pytest.fixture(scope="module")
def raw():
    return pd.read_csv(data.inputs("published", f"{SEED}.csv"), dtype=str, keep_default_na=False)


@pytest.fixture(scope="module")
def lines():
    return TEXT.read_text(encoding="utf-8").splitlines()


def wide(table):
    return published.load(SEED, table).pivot(index="row", columns="column", values="value")


def spread(table):
    """The divergence of each round, by our measure."""
    return divergence(wide(table)[PLAYERS].to_numpy()).astype(int).tolist()


def changed(plans):
    """How many meals differ between each plan and the one before it."""
    return [sum(a != b for a, b in zip(one, other, strict=True)) for one, other in itertools.pairwise(plans)]


def dishes(frame):
    """The plans of Table 3, which its notes hold."""
    notes = frame[(frame["table"] == "Table 3") & (frame["column"] == "p1")]["note"]
    return [re.match(r"Plan: ([^.]+)\.", note)[1].split(", ") for note in notes]


def test_numbers_have_units_and_no_spread(frame):
    numbers = frame[frame["value"].notna()]
    bare = numbers[numbers["unit"] == ""]
    assert set(numbers["unit"]) - {""} == UNITS
    assert set(bare["column"]) == {"exploration constant", "concentration of the root noise", "temperature"}
    assert frame["spread"].isna().all()


def test_figures_hold_designs_and_statements_only(frame):
    figures = frame[frame["table"].str.startswith("Figure")]
    assert set(figures.loc[figures["value"].notna(), "row"]) == {"design"}


def test_designs_in_sections_are_those_of_the_captions():
    for section, caption in (("text 5.5", "Figure 6"), ("text 5.3", "Figure 4")):
        one, other = wide(section).loc["design"], wide(caption).loc["design"]
        shared = one.index.intersection(other.index)
        assert len(shared) >= 3 and one[shared].equals(other[shared])
    rankings = wide("text 5.1").loc["design: rankings"].dropna()
    assert rankings.equals(wide("Figure 3").loc["design", rankings.index].rename("design: rankings"))


def test_options_of_the_example_share_100_points_and_one_is_chosen():
    table = wide("Table 1")
    assert (table[["option 1", "option 2", "option 3"]].sum(axis=1) == 100).all()
    worth = [table.loc[meal, f"option {int(chosen)}"] for meal, chosen in table["chosen"].items()]
    assert worth == [80, 30, 30]


def test_rounds_of_tables_2_and_3_are_five_with_totals_that_gains_can_give():
    for table in ("Table 2", "Table 3"):
        totals = wide(table)[PLAYERS]
        assert list(totals.index) == [f"round {k}" for k in range(1, 6)]
        assert totals.stack().between(0, 400).all()


def test_divergences_in_the_notes_are_those_of_the_totals(frame):
    for table, expected in (("Table 2", [64, 26, 51, 74, 166]), ("Table 3", [177, 220, 82, 94, 177])):
        notes = frame[(frame["table"] == table) & (frame["column"] == "p1")]["note"]
        assert [int(re.search(r"Divergence (\d+)\.", note)[1]) for note in notes] == expected == spread(table)


def test_the_non_reasoning_model_had_the_fairest_plan_in_round_2(said):
    found = spread("Table 2")
    assert found.index(min(found)) == 1 and found[2] < found[3] < found[4]
    assert "26" in said["text D.1", "Table 2: lowest divergence in round 2"]
    assert (
        f"{found[2]}, {found[3]}, {found[4]}" in said["text D.1", "Table 2: divergence rises from round 3 to round 5"]
    )


def test_no_mix_of_its_five_plans_would_have_been_fairer(said):
    totals = wide("Table 2")[PLAYERS].to_numpy()
    # Plans 2 to 5 each take option 2 in one meal, and gains add up: the five rows give the totals of all 16 plans.
    mixes = [totals[0] + np.array(taken) @ (totals[1:] - totals[0]) for taken in itertools.product((0, 1), repeat=4)]
    assert len(mixes) == 16 and min(divergence(np.array(mixes))) == 26
    assert "16 plans" in said["text D.1", "Table 2: lowest divergence in round 2"]


def test_the_non_reasoning_model_changed_one_meal_of_its_first_plan():
    plans = wide("Table 2")[MEALS].to_numpy().tolist()
    assert [changed([plans[0], plan]) for plan in plans[1:]] == [[1]] * 4 and changed(plans) == [1, 2, 2, 2]
    assert [row[k] for k, row in enumerate(plans[1:])] == [2, 2, 2, 2]


def test_what_the_notes_say_of_its_reasons_is_in_its_totals():
    totals = wide("Table 2")[PLAYERS]
    gain = totals - totals.loc["round 1"]
    assert gain.loc["round 2", "p3"] == 14 and gain.loc["round 5", "p3"] == -61
    assert gain.loc["round 3", "p1"] == -36 and gain["p3"].idxmax() == "round 3"
    assert totals.loc["round 3"].idxmin() == "p1" and spread("Table 2")[3] == max(spread("Table 2")[:4])


def test_the_reasoning_model_had_the_fairest_plan_in_round_3_and_ended_with_its_first(frame, said):
    found, plans = spread("Table 3"), dishes(frame)
    assert found.index(min(found)) == 2 and found[0] == found[4] and plans[0] == plans[4]
    assert "82, against 94" in said["text D.2", "Table 3: lowest divergence in round 3"]
    assert changed(plans) == [1, 2, 4, 4] and "1, 2, 4 and 4" in said["text D.2", "Table 3: changes too small"]


def test_the_reasoning_model_lowered_the_player_it_meant_to_raise():
    totals = wide("Table 3")[PLAYERS]
    assert totals["p2"].diff()[["round 2", "round 3"]].tolist() == [-33, -53]
    assert totals.loc["round 1"].idxmin() == "p1"


def test_the_worked_example_adds_31_where_the_score_is_35(frame):
    table = wide("text A").filter(like="example", axis=0)
    rows = [f"example plan {plan}, player {player}" for plan in (1, 2) for player in (1, 2, 3)]
    gaps = table["total"] - table[["decision 1", "decision 2", "decision 3"]].sum(axis=1)
    assert {row: gap for row, gap in gaps[rows].items() if gap} == {"example plan 1, player 3": -4}
    assert table.loc["example plan 1, player 3", "decision 1 as added"] == 31
    for plan in (1, 2):
        totals = table.loc[rows[3 * plan - 3 : 3 * plan], "total"].to_numpy()
        assert divergence(totals) == table.loc[f"example plan {plan}", "divergence"]
    notes = frame.set_index(["row", "column"])["note"]
    assert "81" in notes["example plan 1, player 3", "total"] and "129" in notes["example plan 1", "divergence"]
    assert divergence(np.array([83, 210, 35 + 1 + 45])) == 129


def test_search_has_the_settings_of_appendix_b3():
    assert wide("text B.3").loc["PUCT"].to_dict() == {
        "exploration constant": 1.5,
        "root noise": 0.25,
        "concentration of the root noise": 0.3,
        "temperature": 1.0,
        "top K": 2.0,
    }


def test_every_section_with_findings_has_statements_in_words(frame, said):
    sections = {*(f"text 5.{k}" for k in range(1, 7)), "text 6", "text D.1", "text D.2", "text E.1", "text E.2"}
    figures = {f"Figure {k}" for k in (2, 3, 4, 5, 6, 7, 10, 11)}
    assert set(said.index.get_level_values("table")) == sections | figures
    assert said.str.len().gt(10).all() and said.str.endswith(".").all() and len(said) == 78


def test_statements_that_compare_name_the_metric(said):
    for _, statement in said.index:
        if " < " in statement or " > " in statement:
            assert statement.endswith(tuple(f": {metric}" for metric in METRICS)), statement


def test_the_four_findings_are_there_with_their_halves(said):
    findings = said["text 6"].str.extract(r"Finding \((i+v?|iv)\)")[0]
    assert findings.value_counts().to_dict() == {"i": 2, "ii": 2, "iii": 2, "iv": 2}


def test_what_the_text_contradicts_itself_in_is_noted(said):
    assert "n = 3" in said["Figure 4", "every n, verbal feedback: MCTS < LLM: divergence"]
    assert "5.6 has the reverse" in said["text 6", "score feedback < verbal feedback: divergence"]
    assert "most reasoning" in said["text 5.1", "reasoning models < non-reasoning models: divergence"]


@NEEDS_TEXT
def test_every_number_stands_in_its_place_in_the_papers_text(raw, lines):
    for _, row in raw[raw["value"] != ""].iterrows():
        place, printed = "\n".join(section(lines, row["table"])), row["value"]
        found = re.search(rf"(?<![\d.]){re.escape(printed)}(?!\.?\d)", place)
        in_words = WORDS.get(printed, "\0") in place.lower()
        assert found or in_words, f"{row['table']}, {row['row']}, {row['column']}: {printed}"


@NEEDS_TEXT
def test_a_note_says_so_where_a_number_is_written_as_a_word(raw, lines):
    for _, row in raw[raw["note"].str.contains("Written as a word")].iterrows():
        assert WORDS[row["value"]] in " ".join(section(lines, row["table"])).lower(), row["table"]


@NEEDS_TEXT
def test_rows_of_tables_2_and_3_stand_in_the_papers_text(frame, lines):
    plans = {
        "Table 2": [[f"option{int(k)}" for k in row] for row in wide("Table 2")[MEALS].to_numpy()],
        "Table 3": dishes(frame),
    }
    for table, rows in plans.items():
        place = section(lines, table)
        for number, (plan, totals) in enumerate(zip(rows, wide(table)[PLAYERS].to_numpy(), strict=True), 1):
            scores = ", ".join(str(int(total)) for total in totals)
            assert any(line.startswith(f"{number} [{', '.join(plan)}]\t({scores})") for line in place)


@NEEDS_TEXT
def test_scores_of_the_worked_example_stand_in_the_papers_text_in_order(lines):
    table, place = wide("text A"), "\n".join(section(lines, "text A"))
    for player in (1, 2, 3):
        for plan in (1, 2):
            row = table.loc[f"example plan {plan}, player {player}", ["decision 1", "decision 2", "decision 3"]]
            assert f"- player{player}: {', '.join(str(int(v)) for v in row)}\n" in place


def section(lines, table):
    """The lines of the text in which a table of ours is printed: a section up to the next, a caption, a table."""
    if table.startswith("text "):
        first = heading(lines, re.escape(table.removeprefix("text ")))
        return lines[first : first + 1 + heading(lines[first + 1 :], r"[A-E1-9](\.\d)?")]
    at = next(i for i, line in enumerate(lines) if line.startswith(f"{table}: "))
    if table.startswith("Figure "):
        return lines[at : at + 1]
    # The caption of Table 1 stands above it, those of Tables 2 and 3 below.
    return lines[at : at + 8] if table == "Table 1" else lines[at - 7 : at]


def heading(lines, number):
    ends = (i for i, line in enumerate(lines) if re.match(rf"#+ {number} [A-Z]", line))
    return next(ends, len(lines) - 1)
