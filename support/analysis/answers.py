"""What respondents answered: means, distributions, choices, tests between groups, themes; and how many to ask next.

`data` is tidy: respondent (a code), group, item, answer (whole on the scale, NaN where left blank), source ("people",
or "simulated: " and what answers). Sources are never pooled: every table has rows for each, and names it. All tests of
one source in a table are one family, which `correction` names. Where a test does not exist its numbers are NaN, and
`note` says why.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from math import ceil, nan
from typing import Any, Protocol

import numpy as np
import pandas as pd
from scipy import stats
from scipy.optimize import linprog

from support.analysis.claims import Check, above, combined, moves
from support.analysis.frames import need_columns, need_keys, numbers
from support.analysis.printed import FIVE, RECONSTRUCTED, TOTAL, Reconstructed, Scale
from support.analysis.stats import describe, with_holm
from support.errors import InvalidInput

PEOPLE, SIMULATED = "people", "simulated: "
CHOICES = ("experience", "meeting_size", "meetings_per_day", "uses", "options_wanted_3", "options_wanted_5")
RATINGS = ("preferences_considered", "reasons_acceptable", "preferences_considered_all", "reasons_acceptable_all",
           "options_reflect_members")  # fmt: skip


def need_answers(data: pd.DataFrame, scale: Scale = FIVE) -> pd.DataFrame:
    """The answers as floats, checked; the door of every analysis of answers."""
    if isinstance(data, Reconstructed) or ("source" in data and (data["source"] == RECONSTRUCTED).any()):
        raise InvalidInput(
            "reconstructed samples given where answers are expected: nobody gave them. Use "
            "support.analysis.printed.conclusions, which asks all of them and says whether they agree."
        )
    keys = ["respondent", "group", "item", "source"]
    need_columns(data, [*keys, "answer"], "the answers")
    need_keys(data, keys, "the answers")
    for source in data["source"].unique():
        if source != PEOPLE and not (source.startswith(SIMULATED) and source.removeprefix(SIMULATED).strip()):
            raise InvalidInput(f"source is {source!r}; expected {PEOPLE!r}, or {SIMULATED!r} and what answers.")
    values = numbers(data, "answer")
    wrong = values.notna() & ~values.isin(range(scale.low, scale.high + 1))
    if wrong.any():
        row = data[wrong].iloc[0]
        raise InvalidInput(f"answer {row['answer']} of respondent {row['respondent']!r} to item {row['item']!r}: "
                           f"expected a whole number from {scale.low} to {scale.high}, or nothing.")  # fmt: skip
    twice = data.duplicated(["source", "respondent", "item"])
    if twice.any():
        who, item = data.loc[twice, ["respondent", "item"]].iloc[0]
        raise InvalidInput(f"respondent {who!r} answers item {item!r} twice; keep one answer, the last or the first.")
    return data.assign(answer=values).reset_index(drop=True)


def means(data: pd.DataFrame, scale: Scale = FIVE) -> pd.DataFrame:
    """The mean of each item with its 95 % t interval, over all ("all", first) and in each group, as in Table 3.

    Returns source, item, group, n, missing, mean, sd (divisor n - 1), se, low, high.
    """
    checked = need_answers(data, scale)
    if (checked["group"] == TOTAL).any():
        raise InvalidInput(f"group {TOTAL!r} is what the table calls everyone; give that group another name.")
    groups = checked.sort_values("group", key=lambda names: names.astype(str), kind="stable")
    both = pd.concat([checked.assign(group=TOTAL), groups])
    table = describe(both, "answer", by=["source", "item", "group"])
    return table.sort_values(["source", "item"], key=lambda names: pd.factorize(names)[0], ignore_index=True)


def distribution(data: pd.DataFrame, scale: Scale = FIVE) -> pd.DataFrame:
    """How often each answer was given to each item in each group.

    Returns source, item, group, answer (every one of the scale), count, n (who answered), share (0 to 1).
    """
    keys = ["source", "item", "group"]
    given = need_answers(data, scale).dropna(subset=["answer"])
    counts = given.groupby([*keys, "answer"], sort=False).size().unstack(fill_value=0)
    wide = counts.reindex(columns=range(scale.low, scale.high + 1), fill_value=0)
    table = wide.reset_index().melt(keys, var_name="answer", value_name="count")
    table = table.sort_values([*keys, "answer"], key=lambda names: pd.factorize(names)[0], ignore_index=True)
    table["n"] = table.groupby(keys)["count"].transform("sum")
    return table.assign(share=table["count"] / table["n"])


def choices(data: pd.DataFrame, items: Sequence[str]) -> pd.DataFrame:
    """How many chose each of the choices (`text`) of some items, with Wilson's 95 % interval (1927).

    `data` as `AnswerBook.frame` gives it. Returns source, item, choice, count, n (who answered the item; one may tick
    several choices), share, low, high (0 to 1).
    """
    from statsmodels.stats.proportion import proportion_confint

    need_columns(data, ["respondent", "item", "text", "source"], "the answers")
    chosen = data[data["item"].isin(items)].dropna(subset=["text"]).sort_values("answer", kind="stable")
    keys = ["source", "item"]
    table = chosen.groupby([*keys, "text"], sort=False).size().reset_index(name="count")
    asked = chosen.groupby(keys)["respondent"].nunique().rename("n").reset_index()
    table = table.rename(columns={"text": "choice"}).merge(asked, on=keys)
    table = table.sort_values("item", key=lambda names: names.map(list(items).index), kind="stable", ignore_index=True)
    low, high = proportion_confint(table["count"], table["n"], method="wilson")
    return table.assign(share=table["count"] / table["n"], low=low, high=high)


# ---- Do groups answer differently? Tests that use the order of the answers only


def kruskal_wallis(data: pd.DataFrame, scale: Scale = FIVE) -> pd.DataFrame:
    """Kruskal and Wallis's test (1952) of each item between all groups, corrected for ties.

    Returns source, item, groups, n, h, df, p (chi-squared approximation), p_holm, correction, epsilon_squared
    (H / (n - 1), 0 to 1: Tomczak and Tomczak 2014), note.
    """
    rows = []
    for names, samples in _samples(need_answers(data, scale)):
        there = [sample for sample in samples.values() if len(sample)]
        n, note = sum(map(len, there)), _why_not(there)
        rows.append(names | {"groups": len(there), "n": n, "note": note})
        if not note:
            h, p = stats.kruskal(*there)
            rows[-1] |= {"h": h, "df": len(there) - 1, "p": p, "epsilon_squared": h / (n - 1)}
    columns = ["source", "item", "groups", "n", "h", "df", "p", "epsilon_squared", "note"]
    return with_holm(pd.DataFrame(rows, columns=columns))


def mann_whitney(data: pd.DataFrame, scale: Scale = FIVE) -> pd.DataFrame:
    """Mann and Whitney's test (1947) of each item between all pairs of groups.

    The p-value is the normal approximation with corrections for ties and continuity, at every size: answers on a scale
    are tied, which the exact tables do not know.

    Returns source, item, a, b, n_a, n_b, u, p, p_holm, correction, rank_biserial (2U / (n_a n_b) - 1, equal to Cliff's
    delta: above 0 where a answers higher), note.
    """
    rows = []
    for names, samples in _samples(need_answers(data, scale)):
        for a, b in combinations(samples, 2):
            x, y = samples[a], samples[b]
            note = _why_not([sample for sample in (x, y) if len(sample)])
            rows.append(names | {"a": a, "b": b, "n_a": len(x), "n_b": len(y), "note": note})
            if not note:
                u, p = stats.mannwhitneyu(x, y, method="asymptotic")
                rows[-1] |= {"u": u, "p": p, "rank_biserial": 2 * u / (len(x) * len(y)) - 1}
    columns = ["source", "item", "a", "b", "n_a", "n_b", "u", "p", "rank_biserial", "note"]
    return with_holm(pd.DataFrame(rows, columns=columns))


def _samples(checked: pd.DataFrame) -> Iterator[tuple[dict[str, Any], dict[Any, np.ndarray]]]:
    """source and item; and from each group, in alphabetical order, to its answers."""
    for source, answers in checked.groupby("source", sort=False):
        groups = sorted(answers["group"].unique(), key=str)
        if len(groups) < 2:
            raise InvalidInput(f"source {source!r} has one group, {groups[0]!r}; a comparison needs two or more.")
        for item, part in answers.groupby("item", sort=False):
            given = part.dropna(subset=["answer"])
            samples = {group: given.loc[given["group"] == group, "answer"].to_numpy() for group in groups}
            yield {"source": source, "item": item}, samples


def _why_not(samples: Sequence[np.ndarray]) -> str:
    if len(samples) < 2:
        return "no test: fewer than two groups answered"
    if len(np.unique(np.concatenate(samples))) < 2:
        return "no test: all answers are the same"
    return ""


def ordinal_regression(data: pd.DataFrame, item: str, scale: Scale = FIVE) -> pd.DataFrame:
    """How much more likely is a higher answer in a group than in the first? Proportional odds (McCullagh 1980).

    Returns source, item, term, n, left_out (blank), log_odds, se, odds_ratio (above 1: higher answers; the same at
    every step of the scale), its 95 % interval low, high (Wald), z, p, note (separation, or no convergence).
    """
    checked = need_answers(data, scale)
    if item not in set(checked["item"]):
        raise InvalidInput(f"item {item!r} is none of the survey's, which are: {', '.join(checked['item'].unique())}.")
    rows = []
    for source, asked in checked[checked["item"] == item].groupby("source", sort=False):
        used = asked.dropna(subset=["answer"])
        first, *levels = sorted(used["group"].unique(), key=str)
        if not levels:
            raise InvalidInput(f"source {source!r} has one group, {first!r}: nothing to regress on.")
        terms = pd.DataFrame({f"group {x} (vs {first})": (used["group"] == x).astype(float) for x in levels})
        told = {"source": source, "item": item, "n": len(used), "left_out": len(asked) - len(used)}
        codes = pd.Categorical(used["answer"], ordered=True).codes.astype(int)
        note = "no estimate: all answers are in one category" if codes.max() == 0 else _separation(terms, codes)
        fitted = ([nan] * len(levels),) * 2 if note else _proportional_odds(terms, codes)
        if not note and not np.isfinite(fitted).all():
            note = "no estimate: the fit did not converge"
        rows += [
            told | {"term": t, "log_odds": b, "se": s, "note": note} for t, b, s in zip(terms, *fitted, strict=True)
        ]
    table = pd.DataFrame(rows)
    beta, se, margin = table["log_odds"], table["se"], stats.norm.ppf(0.975)
    table = table.assign(odds_ratio=np.exp(beta), low=np.exp(beta - margin * se), high=np.exp(beta + margin * se))
    table = table.assign(z=beta / se, p=2 * stats.norm.sf(abs(beta / se)))
    order = "source item term n left_out log_odds se odds_ratio low high z p note"
    return table[order.split()]


def _separation(terms: pd.DataFrame, codes: np.ndarray) -> str:
    """A note where some terms order the answers without overlap, so that the likelihood has no maximum, or "".

    A direction of coefficients and thresholds that lowers no respondent's likelihood and raises some is looked for by
    a linear program, as Konis (2007) does for two categories.
    """
    scaled = terms.to_numpy()
    thresholds = np.eye(codes.max())
    above, below = codes < codes.max(), codes > 0  # a threshold above the answer; one below it
    slacks = np.vstack(
        [
            np.column_stack([-scaled[above], thresholds[codes[above]]]),
            np.column_stack([scaled[below], -thresholds[codes[below] - 1]]),
        ]
    )
    found = linprog(-slacks.sum(axis=0), A_ub=-slacks, b_ub=np.zeros(len(slacks)), bounds=(-1, 1))
    if found.x is None or (slacks @ found.x).sum() < 1e-7:
        return ""
    apart = [str(name) for name, beta in zip(terms, found.x, strict=False) if abs(beta) > 1e-7]
    return f"no estimate: separation by {', '.join(apart)}; compare the groups by mann_whitney instead"


def _proportional_odds(terms: pd.DataFrame, codes: np.ndarray) -> tuple[list[float], list[float]]:
    """Log odds and standard errors of the terms; NaN where the fit did not converge."""
    from statsmodels.miscmodels.ordinal_model import OrderedModel

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # convergence is read from the result
        result = OrderedModel(codes, terms.to_numpy(), distr="logit").fit(method="bfgs", maxiter=500, disp=0)
    reached = 1.0 if result.mle_retvals["converged"] else nan
    return tuple((np.asarray(x)[: terms.shape[1]] * reached).tolist() for x in (result.params, result.bse))


def cronbach_alpha(data: pd.DataFrame, items: Sequence[str], scale: Scale = FIVE) -> pd.DataFrame:
    """Do items measure one thing? Cronbach's alpha (1951) with Feldt's 95 % interval (1965).

    Feldt takes (1 - population alpha) / (1 - alpha) as F-distributed, which holds for normal answers with equal
    variances and covariances: on a scale of five it is a guide.

    Returns source, alpha (NaN where every respondent has the same sum), low, high, respondents (who answered all
    items), items, left_out.
    """
    checked = need_answers(data, scale)
    if unknown := sorted(set(items) - set(checked["item"])):
        there = ", ".join(map(str, checked["item"].unique()))
        raise InvalidInput(f"items: {unknown[0]!r} is none of the survey's, which are: {there}.")
    rows = []
    for source, part in checked.groupby("source", sort=False):
        wide = part.pivot(index="respondent", columns="item", values="answer").reindex(columns=list(items))
        values = wide.dropna().to_numpy()
        n, k = values.shape
        if k < 2 or n < 2:
            raise InvalidInput(f"{k} items and {n} respondents who answered them all; alpha needs two or more of each.")
        total = values.sum(axis=1).var(ddof=1)
        alpha = k / (k - 1) * (1 - values.var(axis=0, ddof=1).sum() / total) if total else nan
        low, high = (1 - (1 - alpha) * float(stats.f.ppf(x, n - 1, (n - 1) * (k - 1))) for x in (0.975, 0.025))
        rows.append((source, alpha, low, high, n, k, len(wide) - n))
    return pd.DataFrame(rows, columns=["source", "alpha", "low", "high", "respondents", "items", "left_out"])


# ---- Free text, grouped by meaning. It orders the reading, it does not replace it


class Encodes(Protocol):
    """Texts in, unit vectors out: `support.analysis.embeddings.Encoder`, or a fake one."""

    def encode(self, texts: list[str]) -> np.ndarray:
        """Vectors of shape (texts, dimensions)."""
        ...


def themes(texts: pd.DataFrame, encoder: Encodes, k: int) -> pd.DataFrame:
    """At most `k` groups of one meaning among the texts of each item and source, by average linkage on cosines.

    A text without a letter or digit has no meaning to group: it is left out and counted.

    Returns source, item, theme (from 1, the largest first), size, rank (1 is the most central), respondent, text,
    closeness (cosine to the theme's mean), left_out (texts of this item).
    """
    from sklearn.cluster import AgglomerativeClustering

    need_columns(texts, ["respondent", "item", "text", "source"], "the texts")
    clean = texts.assign(text=texts["text"].fillna("").astype(str).str.strip())
    written = clean["text"].str.contains(r"\w", regex=True)
    if k < 1 or not written.any():
        raise InvalidInput(f"k is {k!r}, and {written.sum()} of {len(texts)} texts are not empty; expected 1 or more.")
    parts = []
    for names, part in clean[written].groupby(["source", "item"], sort=False):
        vectors = np.asarray(encoder.encode(list(part["text"])), dtype=float)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        most = min(k, len(np.unique(vectors.round(6), axis=0)))
        linked = AgglomerativeClustering(most, metric="cosine", linkage="average")
        labels = linked.fit_predict(vectors) if most > 1 else np.zeros(len(part), dtype=int)
        centres = np.stack([vectors[labels == label].mean(axis=0) for label in labels])
        closeness = (vectors * centres).sum(axis=1) / np.linalg.norm(centres, axis=1)
        rows = part.assign(label=labels, closeness=closeness)
        rows = rows.sort_values(["closeness", "respondent"], ascending=[False, True])
        grouped = rows.groupby("label")["text"]
        rows = rows.assign(size=grouped.transform("size"), lead=grouped.transform("first"))
        rows = rows.sort_values(["size", "lead", "label"], ascending=[False, True, True], kind="stable")
        rows["theme"] = pd.factorize(rows["label"])[0] + 1
        empty = (~written & (clean["source"] == names[0]) & (clean["item"] == names[1])).sum()
        parts.append(rows.assign(rank=rows.groupby("theme").cumcount() + 1, left_out=empty))
    order = "source item theme size rank respondent text closeness left_out"
    return pd.concat(parts, ignore_index=True)[order.split()]


# ---- How many to ask next time


def superiority(shares_a: Sequence[float], shares_b: Sequence[float]) -> float:
    """The chance that an answer of a exceeds one of b, ties counted half; from the shares of ascending answers.

    >>> superiority([0, 0, 1], [0.5, 0, 0.5])
    0.75
    """
    a, b = np.asarray(shares_a, dtype=float), np.asarray(shares_b, dtype=float)
    if len(a) != len(b) or not np.allclose([a.sum(), b.sum()], 1):
        raise InvalidInput(f"shares are {list(a)} and {list(b)}; expected one scale, and shares that add up to 1.")
    return float(a @ (np.cumsum(b) - b / 2))


def sample_size_noether(superior: float, power: float = 0.8) -> int:
    """People in each of two groups for the Mann-Whitney test at 0.05, by Noether's formula (1987, equation 8).

    It ignores ties, which a scale has many of: `power_mann_whitney` checks it.

    >>> sample_size_noether(0.7)
    33
    """
    if not 0 <= superior <= 1 or superior == 0.5:
        raise InvalidInput(f"superior is {superior!r}; expected a chance from 0 to 1 that is not one half.")
    return ceil(np.sum(stats.norm.ppf([0.975, power])) ** 2 / (6 * (superior - 0.5) ** 2) - 1e-9)


def power_mann_whitney(
    shares_a: Sequence[float], shares_b: Sequence[float], n_a: int, n_b: int, rng: np.random.Generator, draws: int
) -> float:
    """Power at 0.05 of the Mann-Whitney test for these shares of the answers, by simulation of `draws` surveys."""
    a, b = (rng.choice(len(s), (draws, n), p=np.asarray(s)) for s, n in ((shares_a, n_a), (shares_b, n_b)))
    varied = np.ptp(np.column_stack([a, b]), axis=1) > 0  # where all answers are the same there is nothing to see
    p = stats.mannwhitneyu(a[varied], b[varied], axis=1, method="asymptotic").pvalue
    return float((np.asarray(p) < 0.05).sum() / draws)


# ---- What sections 2 and 7 of the paper state of its survey


def results(data: pd.DataFrame, ratings: pd.DataFrame) -> pd.DataFrame:
    """What `SURVEY` speaks of, from all answers and the ratings among them: row, column, value, se, n, participant.

    Means of the ratings by item and group; the share of each choice in percent, by item and choice; and by experience
    the mean answer to "meetings_per_day" (1: none, to 4: 6 or more). The participant is the source.
    """
    asked = data[data["item"].isin(["experience", "meetings_per_day"])]
    wide = asked.pivot_table(index=["source", "respondent"], columns="item", values="answer").dropna().reset_index()
    told = asked[asked["item"] == "experience"].drop_duplicates("answer").set_index("answer")["text"]
    busy = describe(wide.assign(item=wide["experience"].map(told)), "meetings_per_day", ["source", "item"])
    shares = choices(data, CHOICES).rename(columns={"choice": "group"})
    error = 100 * np.sqrt(shares["share"] * (1 - shares["share"]) / shares["n"])
    parts = [means(ratings), shares.assign(mean=100 * shares["share"], se=error), busy.assign(group="meetings per day")]
    names = {"item": "row", "group": "column", "mean": "value", "source": "participant"}
    return pd.concat(parts)[[*names, "se", "n"]].rename(columns=names).dropna(subset=["value"]).reset_index(drop=True)


def _beside(limit: float, sign: int, rows: Sequence[str], column: str) -> Check:
    """The claim that a cell lies above (`sign` 1) or below (-1) a limit in every one of `rows`."""
    return lambda ours: moves(sign, rows, column)(ours.assign(value=ours["value"] - limit))


# Experience other than mid-senior, as we read the word.
SENIOR = ("less than 1 year", "1 or 2 years", "3 to 5 years", "10 years or more")
SURVEY: Mapping[str, Check] = {
    "mid-senior employees: most meetings": above(["6 to 9 years"], SENIOR, "meetings per day"),
    "few: meeting size above 10": _beside(25, -1, ["meeting_size"], "more than 10"),  # few: our reading
    "all groups: ratings above the middle": _beside(3, 1, RATINGS, "all"),
    "all groups: confidence above the middle": combined(*(_beside(3, 1, ["confidence"], g) for g in "ABC")),
    "K = 3 preferred for n = 3 and n = 5": _beside(50, 1, ["options_wanted_3", "options_wanted_5"], "three"),
}
"""A check for every statement of sections 2 and 7 in `data/inputs/published/000_cf17db17b5f2de1a.csv`."""
