"""Repeated answers whose truth is known: tests are those of scipy and statsmodels; printed means fit few numbers."""

import asyncio
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from support import published
from support.analysis import user_study as study
from support.analysis.printed import Scale, grim
from support.analysis.user_study import POINTS
from support.errors import InvalidInput
from support.survey.respondents import sample

BEFORE, AFTER = POINTS[0], POINTS[2]
TEXT = published.load("002_0d724da09908f95e", "text 5.3")
MEANS = study.study_means(TEXT)
TRIED = study.which_n(MEANS, range(1, 21))


def rng(seed=1):
    return np.random.default_rng(seed)


def rising(n=12, seed=1, source="people"):
    """The answers of n people to two items at three points: one rises by one at each point, the other does not."""
    drawn = rng(seed)
    own = drawn.normal(0, 0.5, n)
    rows = [
        (
            f"P{who}",
            point,
            item,
            np.clip(np.rint(3.2 + own[who] + step * gain + drawn.normal(0, 0.6)), 1, 7),
        )
        for who in range(n)
        for step, point in enumerate(POINTS)
        for item, gain in (("up", 1.0), ("flat", 0.0))
    ]
    return pd.DataFrame(rows, columns=["respondent", "point", "item", "answer"]).assign(
        construct="c", source=source
    )


def linked():
    """Twelve people at two points; `follows` goes with reliance, `apart` does not."""
    drawn, rows = rng(3), []
    for who in range(12):
        for point in POINTS[1:]:
            base = int(drawn.integers(1, 8))
            told = {
                "reliance": base,
                "follows": np.clip(base + drawn.integers(-1, 2), 1, 7),
            }
            told["apart"] = drawn.integers(1, 8)
            rows += [
                (f"P{who}", point, item, float(value), "people")
                for item, value in told.items()
            ]
    return pd.DataFrame(
        rows, columns=["respondent", "point", "item", "answer", "source"]
    )


# ---- the forms


def test_all_forms_of_a_person_lie_under_one_name_or_code(book):
    plan = [(form, form.groups[0]) for form in study.questionnaires()]
    found = asyncio.run(sample([plan] * 3, rng()))
    comfort = study.collected(found.answers, "ai_comfort")
    assert comfort.groupby("respondent")["point"].nunique().tolist() == [3, 3, 3]
    assert len(study.collected(found.answers, "system_perception")) == 3 * 2 * 25
    for form, _ in plan:
        part = found.answers[found.answers["instrument"] == form.name]
        part = part[part["respondent"] == "respondent 1"]
        given = dict(zip(part["item"], part["answer"].fillna(""), strict=True))
        book.submit(form, form.groups[0], given | {"consent": 1}, code="P01A")
    assert len(study.collected(book.frame(), "ai_comfort")) == len(comfort) / 3
    assert book.withdraw("P01A") == 5 and book.frame().empty


# ---- two points, three points, many studies


def test_a_paired_test_is_scipy_s_with_both_corrections():
    frame = rising()
    table = study.paired_tests(frame, BEFORE, AFTER)
    row = table.set_index("item").loc["up"]
    wide = frame[frame["item"] == "up"].pivot(
        index="respondent", columns="point", values="answer"
    )
    found, moved = (
        stats.ttest_rel(wide[AFTER], wide[BEFORE]),
        wide[AFTER] - wide[BEFORE],
    )
    assert (row["t"], row["p"], row["difference"]) == pytest.approx(
        (found.statistic, found.pvalue, moved.mean())
    )
    assert row["after"] > row["before"]
    assert table["p_holm"].min() == pytest.approx(min(1, 2 * table["p"].min()))
    assert table["p_fdr"].tolist() == pytest.approx(
        stats.false_discovery_control(table["p"])
    )


def test_with_all_answers_the_mixed_model_is_the_repeated_measures_anova():
    from statsmodels.stats.anova import AnovaRM

    frame = rising(12, seed=5)
    table = study.mixed_model(frame).query("item == 'up'").set_index("term")
    anova = (
        AnovaRM(frame[frame["item"] == "up"], "answer", "respondent", ["point"])
        .fit()
        .anova_table
    )
    joint, means = (
        table.loc["all points"],
        frame[frame["item"] == "up"].groupby("point")["answer"].mean(),
    )
    assert joint[["t", "df"]].tolist() == pytest.approx(
        [anova["F Value"].iloc[0], anova["Den DF"].iloc[0]], rel=1e-3
    )
    assert (
        joint["p"] == pytest.approx(anova["Pr > F"].iloc[0], rel=1e-2)
        and joint["sd_respondents"] > 0
    )
    row = table.loc[f"{AFTER} - {BEFORE}"]
    assert row["estimate"] == pytest.approx(means[AFTER] - means[BEFORE])
    assert row["high"] - row["low"] == pytest.approx(
        2 * stats.t.ppf(0.975, row["df"]) * row["se"]
    )


def test_who_missed_a_point_is_left_out_of_pairs_and_stays_in_the_model():
    frame = rising(10)
    gone = frame["respondent"].isin(["P0", "P1"]) & (frame["point"] == AFTER)
    assert study.paired_tests(frame[~gone], BEFORE, AFTER).iloc[0][
        ["n", "left_out"]
    ].tolist() == [8, 2]
    assert study.mixed_model(frame[~gone]).iloc[0][
        ["n", "respondents", "df"]
    ].tolist() == [28, 10, 16]


def test_where_there_is_no_fit_the_note_says_why():
    frame = rising(6)
    alike = frame.assign(
        answer=frame["point"].map({p: i + 2.0 for i, p in enumerate(POINTS)})
    )
    for part, said in (
        (frame[frame["respondent"] == "P0"], "too few"),
        (alike, "moved alike"),
    ):
        table = study.mixed_model(part)
        assert table["p"].isna().all() and table["note"].str.contains(said).all()


def test_error_rates_count_what_paired_tests_find():
    frame = rising(60, seed=4)
    more = [frame.assign(item=frame["item"] + mark, answer=frame["answer"].sample(frac=1, random_state=k).to_numpy())
            for k, mark in enumerate("ab")]  # fmt: skip
    frame = pd.concat([frame, *more], ignore_index=True)
    row = (
        study.error_rates(frame, BEFORE, AFTER, 5, ["up"])
        .set_index("correction")
        .loc["none"]
    )
    wide = frame.pivot(index="respondent", columns=["point", "item"], values="answer")
    moved = wide[AFTER] - wide[BEFORE]
    p = stats.ttest_1samp(
        moved.drop(columns="up").to_numpy().reshape(12, 5, -1), 0, axis=1
    ).pvalue
    assert row["false"] == pytest.approx((p < 0.05).mean()) and row[
        "rise"
    ] == pytest.approx(moved["up"].mean())
    assert (
        row["any_false"] == pytest.approx((p < 0.05).any(axis=1).mean())
        and row["studies"] == 12
    )
    many = study.error_rates(rising(4000), BEFORE, AFTER, 10, ["up"]).set_index(
        "correction"
    )
    assert (
        many.loc["none", "false"] == pytest.approx(0.05, abs=0.025)
        and many.loc["none", "found"] > 0.95
    )
    assert many.loc["Holm", "any_false"] <= many.loc["Benjamini-Hochberg", "any_false"]


# ---- what goes with reliance


def test_a_correlation_is_scipy_s_and_its_interval_draws_people():
    data = linked()
    table = study.spearman(data, rng()).set_index(["forms", "item"])
    wide = data.pivot(index=["respondent", "point"], columns="item", values="answer")
    change = wide.xs(POINTS[2], level="point") - wide.xs(POINTS[1], level="point")
    for forms, part in (("pooled", wide), ("change", change)):
        for item in ("follows", "apart"):
            found, row = (
                stats.spearmanr(part["reliance"], part[item]),
                table.loc[(forms, item)],
            )
            assert row[["rho", "p", "n"]].tolist() == pytest.approx(
                [found.statistic, found.pvalue, len(part)]
            )
            assert row["low"] < row["rho"] < row["high"]
    assert (
        table.loc[("pooled", "follows"), "p_fdr"] < 0.001
        and table.loc[("pooled", "apart"), "p_fdr"] > 0.05
    )
    first = data[data["point"] == POINTS[1]]
    twin = pd.concat(
        [first.assign(point=point) for point in POINTS[1:]]
    )  # two equal forms tell no more than one
    one, two = (
        study.spearman(part, rng()).set_index("item").loc[["apart"]].iloc[0]
        for part in (first, twin)
    )
    assert one[["low", "high"]].tolist() == pytest.approx(two[["low", "high"]].tolist())


@given(
    st.lists(
        st.tuples(st.integers(1, 7), st.integers(1, 7), st.integers(0, 3)),
        min_size=4,
        max_size=12,
    )
)
def test_property_a_weighted_rank_correlation_is_that_of_the_repeated_rows(rows):
    a, b, times = np.array(rows).T
    assume(times.sum() > 0)
    x, y = np.repeat(a, times), np.repeat(b, times)
    found = study._weighted(np.column_stack([a, b]), times[None].astype(float))[0]
    if len(set(x)) > 1 and len(set(y)) > 1:
        assert found == pytest.approx(stats.spearmanr(x, y).statistic)


@given(
    st.lists(st.floats(0.4, 0.6), min_size=1, max_size=8),
    st.integers(12, 25),
    st.integers(0, 10),
)
def test_in_the_largest_family_all_pass_and_in_the_next_one_they_do_not(rhos, n, more):
    family, kept = study.largest_family(rhos, n, more), len(rhos) + more
    for size, passes in ((family, True), (family + 1, False)):
        if size >= kept:
            p = [study.p_of(min(rhos) + 0.005, n)] * kept + [1.0] * (size - kept)
            assert (
                stats.false_discovery_control(p)[:kept] <= 0.05 + 1e-9
            ).all() == passes


# ---- what the text prints


@given(st.integers(1, 30), st.data())
def test_property_a_mean_that_is_computed_and_rounded_fits_its_rule_and_grim(n, data):
    total = data.draw(st.integers(n, 7 * n))
    for rule, how in zip(
        study.ROUNDINGS, (ROUND_HALF_UP, ROUND_HALF_EVEN), strict=True
    ):
        shown = str((Decimal(total) / n).quantize(Decimal("0.01"), how))
        assert study.rounds_to(shown, n, rule) and grim(shown, n, Scale(1, 7))


def test_ten_answers_stand_behind_the_first_points_and_eight_behind_all_but_one_mean_of_the_last():
    counts = study.counted(TRIED).set_index(["group", "n"])
    for point in POINTS[:2]:
        assert counts.loc[point].query("all_fit").index.tolist() == [10, 20]
    eight = TRIED[(TRIED["group"] == AFTER) & (TRIED["n"] == 8)].set_index("item")
    assert list(eight.index[~eight["fits"]]) == ["draft and send: clarification"]
    assert list(eight.index[eight["half_even"] & ~eight["half_up"]]) == ["overall"]
    assert list(eight.index[eight["half_up"] & ~eight["half_even"]]) == [
        "mental demand",
        "physical demand",
    ]
    assert set(MEANS.loc[MEANS["about"], "item"]) == {
        "draft only",
        "draft and send: invitation",
    }
    assert not set(TRIED["item"]) & {
        "draft only",
        "draft and send: invitation",
    }  # approximations are not judged


def test_the_printed_correlations_pass_in_small_families_only():
    rhos = TEXT[TEXT["column"] == "r"]["value"]
    assert [study.largest_family(rhos, n) for n in (10, 18, 20)] == [0, 6, 8]


@given(
    st.lists(st.integers(1, 7), min_size=10, max_size=10),
    st.lists(st.integers(1, 7), min_size=8, max_size=8),
)
def test_property_bounds_hold_whoever_stays_away(first, second):
    before, after = (
        str((Decimal(sum(x)) / len(x)).quantize(Decimal("0.01")))
        for x in (first, second)
    )
    low, high = study.difference_bounds(before, 10, after, 8)
    assert low - 1e-9 <= (sum(second) - sum(first[:8])) / 8 <= high + 1e-9


def test_the_sign_of_most_changes_is_open():
    assert study.difference_bounds("1.20", 10, "2.00", 8) == (
        0.75,
        1.0,
    )  # ten answers sum to 12: eight have 8 to 10
    table = study.bounds_table(MEANS, POINTS[1], AFTER, 10, 8)
    assert list(table.loc[table["sign_known"], "item"]) == ["effort"]
    assert "draft and send: clarification" not in set(table["item"])
    table = study.bounds_table(MEANS, BEFORE, AFTER, 10, 8).set_index("item")
    assert (
        table.loc["explanations before acting", "low"] == 0
        and table["sign_known"].sum() == 4
    )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda f: study.questionnaire("tlx", BEFORE), "ai_comfort, system_perception"),
        (
            lambda f: study.need_repeated(
                pd.concat([f, rising(3, source="simulated: tiny")])
            ),
            "never pooled",
        ),
        (lambda f: study.paired_tests(f, BEFORE, "next year"), "next year"),
        (lambda f: study.error_rates(f, BEFORE, AFTER, 4, []), "expected 2 to 3"),
        (lambda f: study.difference_bounds("4.90", 8, "5.75", 10), "as many after"),
    ],
)
def test_what_cannot_be_analysed_is_refused(call, message):
    with pytest.raises(InvalidInput, match=message):
        call(rising(3))
