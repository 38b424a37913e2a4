"""What respondents answered: means, distributions, tests between groups, reliability, themes; and how many to ask next.

`data` is tidy: respondent (a code), group, item, answer (whole on the scale, NaN where left blank), source ("people",
or "simulated: " and what answers); further columns are covariates. Sources are never pooled: every table has rows for
each, and names it. All tests of one source in a table are one family, which `correction` names. Where a test does not
exist its numbers are NaN, and `note` says why.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations
from math import ceil, nan
from typing import Any, Protocol

import numpy as np
import pandas as pd
from scipy import stats
from scipy.optimize import linprog

from support.analysis.frames import need_columns, need_keys, numbers
from support.analysis.printed import FIVE, RECONSTRUCTED, Convention, Reconstructed, Scale, check_n
from support.analysis.stats import describe, with_holm
from support.errors import InvalidInput

PEOPLE, SIMULATED, PLANNED = "people", "simulated: ", "planned"
ALL = "all"
"""The group that stands for everyone, as Table 3 names it."""
LEAST = 0.05
"""The mean silhouette from which a division into themes counts as one. A dozen short comments reached 0.23."""
MOST = 8
"""Themes that are looked for."""


def need_answers(data: pd.DataFrame, scale: Scale = FIVE) -> pd.DataFrame:
    """The answers as floats, checked; the door of every analysis of answers.

    InvalidInput for reconstructions, an unknown source, an answer off the scale, or one given twice.
    """
    if isinstance(data, Reconstructed) or ("source" in data and (data["source"] == RECONSTRUCTED).any()):
        raise InvalidInput(
            "reconstructed samples given where answers are expected: they fit a published mean and spread, but nobody "
            "gave them. Use support.analysis.printed.conclusions, which asks all of them and says whether they agree."
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


def one_source(data: pd.DataFrame) -> str:
    """The source of a frame, where an analysis has room for one only."""
    sources = [str(name) for name in data["source"].unique()]
    if len(sources) > 1:
        raise InvalidInput(f"source: {', '.join(sources)} given together; they are never pooled: pass one at a time.")
    return sources[0]


def means(data: pd.DataFrame, scale: Scale = FIVE) -> pd.DataFrame:
    """The mean of each item with its 95 % t interval, over all ("all", first) and in each group, as in Table 3.

    Returns source, item, group, n, missing, mean, sd (divisor n - 1), se, low, high, level, method, note, sentence.
    """
    checked = need_answers(data, scale)
    if (checked["group"] == ALL).any():
        raise InvalidInput(f"group {ALL!r} is what the table calls everyone; give that group another name.")
    groups = checked.sort_values("group", key=lambda names: names.astype(str), kind="stable")
    both = pd.concat([checked.assign(group=ALL), groups])
    table = describe(both, "answer", by=["source", "item", "group"])
    return table.sort_values(["source", "item"], key=lambda names: pd.factorize(names)[0], ignore_index=True)


def distribution(data: pd.DataFrame, groups: bool = False, scale: Scale = FIVE) -> pd.DataFrame:
    """How often each answer was given to each item, in all or in each group.

    Returns source, item, group ("all" unless `groups`), answer (every one of the scale), count, share (of those who
    answered, 0 to 1; NaN where nobody did), n (who answered), missing.
    """
    checked = need_answers(data, scale)
    keys = ["source", "item", "group"]
    parts = (checked if groups else checked.assign(group=ALL)).groupby(keys, sort=False, observed=True)["answer"]
    rows = [
        (*names, answer, int((given == answer).sum()), given.count(), given.isna().sum())
        for names, given in parts
        for answer in range(scale.low, scale.high + 1)
    ]
    table = pd.DataFrame(rows, columns=[*keys, "answer", "count", "n", "missing"])
    table.insert(5, "share", table["count"] / table["n"].where(table["n"] > 0))
    return table


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


def ordinal_regression(
    data: pd.DataFrame, item: str, covariates: Sequence[str] = (), scale: Scale = FIVE
) -> pd.DataFrame:
    """How much more likely is a higher answer in a group than in the first? Proportional odds (McCullagh 1980).

    One odds ratio a term, the same at every step of the scale. Numeric covariates enter as they are, others as one
    term a level.

    Returns source, item, term, n, left_out (a blank answer or covariate), log_odds, se, odds_ratio (above 1: higher
    answers), its 95 % interval low, high (Wald), z, p, note (one answer only, separation, or no convergence).
    """
    checked = need_answers(data, scale)
    need_columns(checked, covariates, "the answers")
    if item not in set(checked["item"]):
        there = ", ".join(map(str, checked["item"].unique()))
        raise InvalidInput(f"item {item!r} is none of the survey's, which are: {there}.")
    rows = []
    for source, asked in checked[checked["item"] == item].groupby("source", sort=False):
        used = asked.dropna(subset=["answer", *covariates])
        told = {"source": source, "item": item, "n": len(used), "left_out": len(asked) - len(used)}
        terms = _terms(used, covariates)
        codes = pd.Categorical(used["answer"], ordered=True).codes.astype(int)
        note = "no estimate: all answers are in one category" if codes.max() == 0 else _separation(terms, codes)
        fitted = ([nan] * terms.shape[1],) * 2 if note else _proportional_odds(terms, codes)
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


def _terms(used: pd.DataFrame, covariates: Sequence[str]) -> pd.DataFrame:
    """The terms of the regression, a column each: one for each level after the first."""
    terms = {}
    for name in ("group", *covariates):
        if name != "group" and pd.api.types.is_numeric_dtype(used[name]):
            terms[name] = used[name].astype(float)
            continue
        levels = sorted(used[name].unique(), key=str)
        terms |= {f"{name} {x} (vs {levels[0]})": (used[name] == x).astype(float) for x in levels[1:]}
    if not terms:
        raise InvalidInput("group has one level and there are no covariates: nothing to regress on.")
    frame = pd.DataFrame(terms)
    if np.linalg.matrix_rank(frame.assign(constant=1.0)) < frame.shape[1] + 1:
        raise InvalidInput(f"the terms {', '.join(terms)} determine each other, or one does not vary; leave one out.")
    return frame


def _separation(terms: pd.DataFrame, codes: np.ndarray) -> str:
    """A note where some terms order the answers without overlap, so that the likelihood has no maximum, or "".

    A direction of coefficients and thresholds that lowers no respondent's likelihood and raises some is looked for by
    a linear program, as Konis (2007) does for two categories.
    """
    scaled = (terms / terms.abs().max().clip(lower=1e-12)).to_numpy()
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

    size = terms.std(ddof=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # convergence is read from the result
        model = OrderedModel(codes, ((terms - terms.mean()) / size).to_numpy(), distr="logit")  # terms of one size
        result = model.fit(method="bfgs", maxiter=500, disp=0)
    reached = size if result.mle_retvals["converged"] else size * nan
    return tuple((np.asarray(x)[: len(size)] / reached).tolist() for x in (result.params, result.bse))


def cronbach_alpha(data: pd.DataFrame, items: Sequence[str] = (), scale: Scale = FIVE) -> pd.DataFrame:
    """Do items (all, unless named) measure one thing? Cronbach's alpha (1951) with Feldt's 95 % interval (1965).

    Feldt takes (1 - population alpha) / (1 - alpha) as F-distributed, which holds for normal answers with equal
    variances and covariances: on a scale of five it is a guide.

    Returns source, alpha, low, high, respondents (who answered all items), items, left_out, note.
    """
    checked = need_answers(data, scale)
    wanted = list(items) or list(checked["item"].unique())
    if unknown := sorted(set(wanted) - set(checked["item"]), key=str):
        there = ", ".join(map(str, checked["item"].unique()))
        raise InvalidInput(f"items: {unknown[0]!r} is none of the survey's, which are: {there}.")
    rows = []
    for source, part in checked.groupby("source", sort=False):
        wide = part.pivot(index="respondent", columns="item", values="answer").reindex(columns=wanted)
        values = wide.dropna().to_numpy()
        n, k = values.shape
        if k < 2 or n < 2:
            raise InvalidInput(
                f"{k} items and {n} respondents who answered them all; alpha needs two of each, or more."
            )
        row = {"source": source, "respondents": n, "items": k, "left_out": len(wide) - n}
        if (total := values.sum(axis=1).var(ddof=1)) == 0:
            row["note"] = "no alpha: every respondent has the same sum, so that the scale tells nobody from another"
        else:
            alpha = k / (k - 1) * (1 - values.var(axis=0, ddof=1).sum() / total)
            low, high = 1 - (1 - alpha) * stats.f.ppf([0.975, 0.025], n - 1, (n - 1) * (k - 1))
            row |= {"alpha": alpha, "low": low, "high": high, "note": ""}
        rows.append(row)
    columns = ["source", "alpha", "low", "high", "respondents", "items", "left_out", "note"]
    return pd.DataFrame(rows, columns=columns)


# ---- Free text, grouped by meaning. It orders the reading, it does not replace it


class Encodes(Protocol):
    """Texts in, unit vectors out: `support.analysis.embeddings.Encoder`, or a fake one."""

    def encode(self, texts: list[str]) -> np.ndarray:
        """Vectors of shape (texts, dimensions)."""
        ...


def themes(texts: pd.DataFrame, encoder: Encodes, k: int | None = None) -> pd.DataFrame:
    """Group the free text of each item and source by meaning; a theme has no name but its central quote, of rank 1.

    Average-linkage clustering on cosine distances. The number of themes is at most `k`; or that with the largest mean
    silhouette (Rousseeuw 1987) from 2 to `MOST`, or one theme where none reaches `LEAST`. A text without a letter or
    digit has no meaning to group: it is left out and counted.

    Returns source, item, theme (from 1, the largest first), size, silhouette (of the division; NaN where there is one
    theme), rank (1 is the most central), respondent, text, closeness (cosine to the theme's mean), left_out (texts of
    this item).
    """
    need_columns(texts, ["respondent", "item", "text", "source"], "the texts")
    need_keys(texts, ["respondent", "item", "source"], "the texts")
    if k is not None and k < 1:
        raise InvalidInput(f"k is {k!r}; expected 1 or more.")
    clean = texts.assign(text=texts["text"].fillna("").astype(str).str.strip())
    written = clean["text"].str.contains(r"\w", regex=True)
    if not written.any():
        raise InvalidInput(f"all {len(texts)} texts are empty; there is nothing to group.")
    left: Any = (~written).groupby([clean["source"], clean["item"]]).sum().to_dict()
    parts = [
        _grouped(part, encoder, k).assign(left_out=left[names])
        for names, part in clean[written].groupby(["source", "item"], sort=False)
    ]
    order = "source item theme size silhouette rank respondent text closeness left_out"
    return pd.concat(parts, ignore_index=True)[order.split()]


def _grouped(part: pd.DataFrame, encoder: Encodes, k: int | None) -> pd.DataFrame:
    vectors = np.asarray(encoder.encode(list(part["text"])), dtype=float)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    labels, silhouette = _labels(vectors, k)
    centres = np.stack([vectors[labels == label].mean(axis=0) for label in labels])
    closeness = (vectors * centres).sum(axis=1) / np.linalg.norm(centres, axis=1)
    rows = part.assign(label=labels, closeness=closeness, silhouette=silhouette)
    rows = rows.sort_values(["closeness", "respondent"], ascending=[False, True])
    themes = rows.groupby("label")
    rows = rows.assign(size=themes["text"].transform("size"), lead=themes["text"].transform("first"))
    rows = rows.sort_values(["size", "lead", "label"], ascending=[False, True, True], kind="stable")
    rows["theme"] = pd.factorize(rows["label"])[0] + 1
    return rows.assign(rank=rows.groupby("theme").cumcount() + 1)


def _labels(vectors: np.ndarray, k: int | None) -> tuple[np.ndarray, float]:
    """The theme of each text, and the silhouette of the division."""
    from sklearn.cluster import AgglomerativeClustering
    from sklearn.metrics import silhouette_score

    distances = np.clip(1 - vectors @ vectors.T, 0, 2)
    np.fill_diagonal(distances, 0)
    different = len(np.unique(np.round(distances, 6), axis=0))
    counts = range(2, min(MOST, different, len(vectors) - 1) + 1) if k is None else [min(k, different)]
    best, chosen = nan, np.zeros(len(vectors), dtype=int)
    for count in counts:
        if count == 1:
            break
        labels = AgglomerativeClustering(count, metric="precomputed", linkage="average").fit_predict(distances)
        score = silhouette_score(distances, labels, metric="precomputed") if count < len(vectors) else nan
        if k is not None or score > max(LEAST, np.nan_to_num(best, nan=-1)):
            best, chosen = float(score), labels
    return chosen, best


# ---- How many to ask next time


def power_t(difference: float, sd: float, n: int) -> float:
    """Power at 0.05 of a two-sided t test between two groups of n, for `difference` points.

    >>> round(power_t(0.5, 1.0, 64), 3)
    0.801
    """
    from statsmodels.stats.power import TTestIndPower

    if not (np.isfinite(sd) and sd > 0 and np.isfinite(difference)):
        raise InvalidInput(f"difference is {difference!r} and sd {sd!r}; expected points of the scale, sd above 0.")
    return float(TTestIndPower().power(difference / sd, check_n(n, least=2), 0.05))


def power_curve(ns: Iterable[int], differences: Iterable[float], sd: float) -> pd.DataFrame:
    """Power of the t test over sizes of a group: difference, n (in each group), power, sd, test, source."""
    sizes = list(ns)
    rows = [(d, n, power_t(d, sd, n)) for d in differences for n in sizes]
    table = pd.DataFrame(rows, columns=["difference", "n", "power"])
    return table.assign(sd=sd, test="t, two-sided, two equal groups, 0.05", source=PLANNED)


def sample_size_t(difference: float, sd: float, power: float = 0.8) -> int:
    """People in each of two groups, so that a t test at 0.05 sees `difference` points with `power` (Cohen 1988).

    >>> sample_size_t(0.5, 1.0), sample_size_t(0.8, 1.0)
    (64, 26)
    """
    _check_seen(difference, power)
    return _smallest(lambda n: power_t(difference, sd, n) >= power)


def sample_size_half_width(half: float, sd: float) -> int:
    """The smallest n whose 95 % t interval, at this standard deviation, is at most `half` points to each side.

    >>> sample_size_half_width(0.35, 1.13), sample_size_half_width(0.25, 1.13)
    (43, 81)
    """
    if not (half > 0 and sd > 0):
        raise InvalidInput(f"half is {half!r} and sd {sd!r}; expected both above 0, in points of the scale.")
    return _smallest(lambda n: sd * Convention("", {ALL: n}).factor(ALL) <= half)


def superiority(shares_a: Sequence[float], shares_b: Sequence[float]) -> float:
    """The chance that an answer of a exceeds one of b, ties counted half; from the shares of ascending answers.

    >>> superiority([0, 0, 1], [0.5, 0, 0.5])
    0.75
    """
    a, b = _shares(shares_a), _shares(shares_b)
    if len(a) != len(b):
        raise InvalidInput(f"shares of {len(a)} and of {len(b)} answers; expected the same scale.")
    return float(a @ (np.cumsum(b) - b / 2))


def sample_size_noether(superior: float, power: float = 0.8) -> int:
    """People in each of two groups for the Mann-Whitney test at 0.05, by Noether's formula (1987, equation 8).

    It ignores ties, which a scale has many of: `power_mann_whitney` checks it.

    >>> sample_size_noether(0.7)
    33
    """
    _check_seen(superior - 0.5, power)
    if not 0 <= superior <= 1:
        raise InvalidInput(f"superior is {superior!r}; expected a chance from 0 to 1.")
    return ceil(np.sum(stats.norm.ppf([0.975, power])) ** 2 / (6 * (superior - 0.5) ** 2) - 1e-9)


def power_mann_whitney(
    shares_a: Sequence[float], shares_b: Sequence[float], n_a: int, n_b: int, rng: np.random.Generator, draws: int
) -> float:
    """Power at 0.05 of the Mann-Whitney test for these shares of the answers, by simulation of `draws` surveys.

    The standard error of the estimate is at most 0.5 / sqrt(draws).
    """
    superiority(shares_a, shares_b)
    a, b = (rng.choice(len(s), (draws, check_n(n)), p=_shares(s)) for s, n in ((shares_a, n_a), (shares_b, n_b)))
    varied = np.ptp(np.column_stack([a, b]), axis=1) > 0  # where all answers are the same there is nothing to see
    p = stats.mannwhitneyu(a[varied], b[varied], axis=1, method="asymptotic").pvalue
    return float((np.asarray(p) < 0.05).sum() / draws)


def _check_seen(difference: float, power: float) -> None:
    if difference == 0 or not np.isfinite(difference):
        raise InvalidInput("the difference is 0 or no number: no survey sees it; name the least that matters.")
    if not 0.05 < power < 1:
        raise InvalidInput(f"power is {power!r}; expected more than 0.05 and less than 1, such as 0.8.")


def _shares(shares: Sequence[float]) -> np.ndarray:
    values = np.asarray(shares, dtype=float)
    if not len(values) or not (values >= 0).all() or abs(values.sum() - 1) > 1e-6:
        raise InvalidInput(f"shares are {list(shares)}; expected numbers from 0 that add up to 1.")
    return values / values.sum()


def _smallest(suffices: Callable[[int], bool]) -> int:
    """The smallest n from 2 that suffices, where every larger one does."""
    high = 2
    while not suffices(high):
        high *= 2
        if high > 2**30:
            raise InvalidInput("no survey of a billion people suffices; the effect or the half-width is too small.")
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if suffices(middle) else (middle, high)
    return high
