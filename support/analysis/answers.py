"""What respondents answered: means, distributions, tests between groups, reliability; and how many to ask next.

`data` is tidy: respondent (a code), group, item, answer (whole on the scale, NaN where left blank), source ("people",
or "simulated: " and what answers). Sources are never pooled: every table has rows for each. All tests of one source in
a table are one family. Where a test does not exist its numbers are NaN, and `note` says why.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, nan

import numpy as np
import pandas as pd
from scipy import stats
from scipy.optimize import linprog

from support.analysis.frames import need_columns, need_keys, numbers
from support.analysis.printed import FIVE, RECONSTRUCTED, TOTAL, Reconstructed, Scale
from support.analysis.stats import describe, with_holm
from support.errors import InvalidInput
from support.survey.answers import check_source

CHOICES = (
    "experience",
    "meeting_size",
    "meetings_per_day",
    "uses",
    "options_wanted_3",
    "options_wanted_5",
)
RATINGS = ("preferences_considered", "reasons_acceptable", "preferences_considered_all", "reasons_acceptable_all",
           "options_reflect_members")  # fmt: skip


def need_answers(data: pd.DataFrame, scale: Scale = FIVE) -> pd.DataFrame:
    """The answers as floats, checked; the door of every analysis of answers."""
    if isinstance(data, Reconstructed) or (
        "source" in data and (data["source"] == RECONSTRUCTED).any()
    ):
        raise InvalidInput(
            "reconstructed samples given where answers are expected: nobody gave them. Use "
            "support.analysis.printed.conclusions, which asks all of them."
        )
    keys = ["respondent", "group", "item", "source"]
    need_columns(data, [*keys, "answer"], "the answers")
    need_keys(data, keys, "the answers")
    for source in data["source"].unique():
        check_source(source)
    values = numbers(data, "answer")
    wrong = values.notna() & ~values.isin(range(scale.low, scale.high + 1))
    if wrong.any():
        row = data[wrong].iloc[0]
        raise InvalidInput(f"answer {row['answer']} of respondent {row['respondent']!r} to item {row['item']!r}: "
                           f"expected a whole number from {scale.low} to {scale.high}, or nothing.")  # fmt: skip
    twice = data.duplicated(["source", "respondent", "item"])
    if twice.any():
        who, item = data.loc[twice, ["respondent", "item"]].iloc[0]
        raise InvalidInput(
            f"respondent {who!r} answers item {item!r} twice; keep one answer, the last or the first."
        )
    return data.assign(answer=values).reset_index(drop=True)


def means(data: pd.DataFrame, scale: Scale = FIVE) -> pd.DataFrame:
    """The mean of each item with its 95 % t interval, over all ("all", first) and in each group, as in Table 3.

    Returns source, item, group, n, missing, mean, sd (divisor n - 1), se, low, high.
    """
    checked = need_answers(data, scale)
    if (checked["group"] == TOTAL).any():
        raise InvalidInput(
            f"group {TOTAL!r} is what the table calls everyone; give that group another name."
        )
    groups = checked.sort_values(
        "group", key=lambda names: names.astype(str), kind="stable"
    )
    both = pd.concat([checked.assign(group=TOTAL), groups])
    table = describe(both, "answer", by=["source", "item", "group"])
    return table.sort_values(
        ["source", "item"], key=lambda names: pd.factorize(names)[0], ignore_index=True
    )


def distribution(data: pd.DataFrame, scale: Scale = FIVE) -> pd.DataFrame:
    """How often each answer was given to each item in each group.

    Returns source, item, group, answer (every one of the scale), count, n (who answered), share (0 to 1).
    """
    keys = ["source", "item", "group"]
    given = need_answers(data, scale).dropna(subset=["answer"])
    counts = given.groupby([*keys, "answer"], sort=False).size().unstack(fill_value=0)
    wide = counts.reindex(columns=range(scale.low, scale.high + 1), fill_value=0)
    table = wide.reset_index().melt(keys, var_name="answer", value_name="count")
    table = table.sort_values(
        [*keys, "answer"], key=lambda names: pd.factorize(names)[0], ignore_index=True
    )
    table["n"] = table.groupby(keys)["count"].transform("sum")
    return table.assign(share=table["count"] / table["n"])


# ---- Do groups answer differently, and do items measure one thing?


def kruskal_wallis(data: pd.DataFrame) -> pd.DataFrame:
    """Kruskal and Wallis's test (1952) of each item between all groups, corrected for ties.

    Returns source, item, groups, n, h, df, p (chi-squared approximation), p_holm, correction, epsilon_squared
    (H / (n - 1), 0 to 1: Tomczak and Tomczak 2014), note.
    """
    rows = []
    for (source, item), part in (
        need_answers(data)
        .dropna(subset=["answer"])
        .groupby(["source", "item"], sort=False)
    ):
        samples, n = (
            [group["answer"].to_numpy() for _, group in part.groupby("group")],
            len(part),
        )
        h, df, p, note = nan, nan, nan, ""
        if len(samples) < 2:
            note = "no test: fewer than two groups answered"
        elif part["answer"].nunique() < 2:
            note = "no test: all answers are the same"
        else:
            (h, p), df = stats.kruskal(*samples), len(samples) - 1
        rows.append((source, item, len(samples), n, h, df, p, h / (n - 1), note))
    columns = [
        "source",
        "item",
        "groups",
        "n",
        "h",
        "df",
        "p",
        "epsilon_squared",
        "note",
    ]
    return with_holm(pd.DataFrame(rows, columns=columns))


def ordinal_regression(data: pd.DataFrame, item: str) -> pd.DataFrame:
    """How much more likely is a higher answer in a group than in the first? Proportional odds (McCullagh 1980).

    Returns source, item, term, n, odds_ratio (above 1: higher answers; the same at every step of the scale), its 95 %
    interval low, high and p (Wald), note.
    """
    from statsmodels.miscmodels.ordinal_model import OrderedModel

    parts = []
    for source, used in (
        need_answers(data)
        .query("item == @item")
        .dropna(subset=["answer"])
        .groupby("source", sort=False)
    ):
        first, *levels = sorted(used["group"].unique(), key=str)
        terms = np.column_stack([used["group"] == level for level in levels]).astype(
            float
        )
        codes = pd.Categorical(used["answer"], ordered=True).codes.astype(int)
        beta, se, note = np.full(len(levels), nan), np.full(len(levels), nan), ""
        if codes.max() == 0:
            note = "no estimate: all answers are in one category"
        elif _separated(terms, codes):
            note = "no estimate: a group's answers do not overlap with the others'"
        else:
            fit = OrderedModel(codes, terms, distr="logit").fit(
                method="bfgs", maxiter=500, disp=0
            )
            beta, se = (
                np.asarray(numbers)[: len(levels)] for numbers in (fit.params, fit.bse)
            )
        named = [f"group {level} (vs {first})" for level in levels]
        table = pd.DataFrame(
            {"source": source, "item": item, "term": named, "n": len(used)}
        )
        low, high = (
            np.exp(beta + sign * stats.norm.ppf(0.975) * se) for sign in (-1, 1)
        )
        p = 2 * stats.norm.sf(abs(beta / se))
        parts.append(
            table.assign(odds_ratio=np.exp(beta), low=low, high=high, p=p, note=note)
        )
    return pd.concat(parts, ignore_index=True)


def _separated(terms: np.ndarray, codes: np.ndarray) -> bool:
    """Whether some terms order the answers without overlap, so that the likelihood has no maximum.

    A linear program looks for coefficients and thresholds that lower no respondent's likelihood and raise some's, as
    Konis (2007) does for two categories.
    """
    thresholds = np.eye(codes.max())
    above, below = (
        codes < codes.max(),
        codes > 0,
    )  # a threshold above the answer; one below it
    ups = np.column_stack([-terms[above], thresholds[codes[above]]])
    slacks = np.vstack(
        [ups, np.column_stack([terms[below], -thresholds[codes[below] - 1]])]
    )
    found = linprog(
        -slacks.sum(axis=0), A_ub=-slacks, b_ub=np.zeros(len(slacks)), bounds=(-1, 1)
    )
    return found.x is not None and bool((slacks @ found.x).sum() >= 1e-7)


def cronbach_alpha(data: pd.DataFrame, items: Sequence[str]) -> pd.DataFrame:
    """Do items measure one thing? Cronbach's alpha (1951) with Feldt's 95 % interval (1965).

    The interval holds for normal answers with equal variances and covariances: on a scale of five it is a guide.
    Returns source, alpha (NaN where all have the same sum), low, high, respondents (who answered all), items, left_out.
    """
    rows = []
    for source, part in need_answers(data).groupby("source", sort=False):
        wide = part.pivot(index="respondent", columns="item", values="answer")[
            list(items)
        ]
        values = wide.dropna().to_numpy()
        n, k = values.shape
        total = values.sum(axis=1).var(ddof=1)
        alpha = (
            k / (k - 1) * (1 - values.var(axis=0, ddof=1).sum() / total)
            if total
            else nan
        )
        low, high = (
            1 - (1 - alpha) * float(stats.f.ppf(x, n - 1, (n - 1) * (k - 1)))
            for x in (0.975, 0.025)
        )
        rows.append((source, alpha, low, high, n, k, len(wide) - n))
    return pd.DataFrame(
        rows,
        columns=["source", "alpha", "low", "high", "respondents", "items", "left_out"],
    )


# ---- How many to ask next time


def superiority(shares_a: Sequence[float], shares_b: Sequence[float]) -> float:
    """The chance that an answer of a exceeds one of b, ties half; from the shares of ascending answers.

    >>> superiority([0, 0, 1], [0.5, 0, 0.5])
    0.75
    """
    a, b = np.asarray(shares_a, dtype=float), np.asarray(shares_b, dtype=float)
    return float(a @ (np.cumsum(b) - b / 2))


def sample_size_noether(superior: float) -> int:
    """People in each of two groups for a Mann-Whitney test at 0.05 with a power of 0.8 (Noether 1987, equation 8).

    It ignores ties, which a scale has many of: `power_mann_whitney` checks it.

    >>> sample_size_noether(0.7)
    33
    """
    return ceil(
        np.sum(stats.norm.ppf([0.975, 0.8])) ** 2 / (6 * (superior - 0.5) ** 2) - 1e-9
    )


def power_mann_whitney(
    shares_a: Sequence[float],
    shares_b: Sequence[float],
    n_a: int,
    n_b: int,
    rng: np.random.Generator,
    draws: int,
) -> float:
    """Power at 0.05 of the Mann-Whitney test for these shares of the answers, by simulation of `draws` surveys."""
    a, b = (
        rng.choice(len(s), (draws, n), p=np.asarray(s))
        for s, n in ((shares_a, n_a), (shares_b, n_b))
    )
    varied = (
        np.ptp(np.column_stack([a, b]), axis=1) > 0
    )  # where all answers are the same there is nothing to see
    p = stats.mannwhitneyu(a[varied], b[varied], axis=1, method="asymptotic").pvalue
    return float((np.asarray(p) < 0.05).sum() / draws)


# ---- What sections 2 and 7 of the paper state of its survey


def results(data: pd.DataFrame, ratings: pd.DataFrame) -> pd.DataFrame:
    """What statements speak of, from all answers and the ratings among them: row, column, value, se, n, participant.

    Means of the ratings by item and group; the share of each choice in percent of those who answered, by item and
    choice; by experience the mean answer to "meetings_per_day" (1: none, to 4: 6 or more). Participant: the source.
    """
    chosen = (
        data[data["item"].isin(CHOICES)]
        .dropna(subset=["text"])
        .sort_values("answer", kind="stable")
    )
    keys = ["source", "item"]
    shares = (
        chosen.groupby([*keys, "text"], sort=False).size().rename("count").reset_index()
    )
    shares = shares.merge(
        chosen.groupby(keys)["respondent"].nunique().rename("n").reset_index(), on=keys
    )
    shares = shares.sort_values(
        "item", key=lambda names: names.map(CHOICES.index), kind="stable"
    )
    share = shares["count"] / shares["n"]
    shares = shares.assign(
        group=shares["text"],
        mean=100 * share,
        se=100 * np.sqrt(share * (1 - share) / shares["n"]),
    )

    asked = data[data["item"].isin(["experience", "meetings_per_day"])]
    wide = (
        asked.pivot_table(
            index=["source", "respondent"], columns="item", values="answer"
        )
        .dropna()
        .reset_index()
    )
    told = (
        asked[asked["item"] == "experience"]
        .drop_duplicates("answer")
        .set_index("answer")["text"]
    )
    busy = describe(
        wide.assign(item=wide["experience"].map(told)),
        "meetings_per_day",
        ["source", "item"],
    )

    parts = [means(ratings), shares, busy.assign(group="meetings per day")]
    names = {"item": "row", "group": "column", "mean": "value", "source": "participant"}
    return (
        pd.concat(parts)[[*names, "se", "n"]]
        .rename(columns=names)
        .dropna(subset=["value"])
        .reset_index(drop=True)
    )
