"""What sections 5 and 6 and the appendices of RoundTable claim, as checks on tidy results (row, column, value, se).

Four mappings, one for each notebook, with the rows and columns that their checks read:

- `ROUNDTABLE`: rows are social choice rules, "K = 3" … and models; columns the metrics of `support.analysis.metrics`.
- `MOVIELENS`: rows are social choice rules and "recommender"; columns "mae@1" … "mae@10".
- `CONVERSATION`: rows are environments; columns "words@r", "grade@r", "difference@r" and "<act>@r".
- `STOPPING`: rows are "<environment>: <stopping rule>"; columns are social choice rules, values the performance
  (a share of the largest utility, or an error).

Section 5.3.2 speaks of transition graphs: `check_statements`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from math import nan
from typing import Any

import numpy as np
import pandas as pd

from support.analysis.claims import CLOSE, NO, UNTESTED, YES, Answer, Check, above, alike, combined, holds
from support.analysis.transitions import Bootstrap, Transitions
from support.models.profiles import is_model
from support.roundtable.economy import exchange_economy

ECONOMY = "exchange_economy"
ENVIRONMENTS = (ECONOMY, "movielens")
ONE_VOTE, SCORE = ("unanimous", "majority", "plurality"), ("rated", "ranked", "cumulative")
RULES_OF_PAPER = (*ONE_VOTE, *SCORE)
UTILITIES, AREAS = ("utility@3", "utility@5", "utility@10"), ("auc@3", "auc@5", "auc@10")
HIGH_UTILITY, LOW_RATIONALITY = 75.0, 50.0  # our readings of "high" and "low", in percent
RARE, LOW, HIGH = 0.2, 0.15, 0.5  # our readings of a "rare" act, "low" Others, a "consistently high" act
NEAR_STARS = 0.1  # our reading of "near" in stars
SLACK = 0.005  # errors are printed to two decimals: half of the last one is no change


# -- section 5.1 -------------------------------------------------------------------------------------------------------


def _more_spread_early(ours: pd.DataFrame) -> str:
    spread = ours[ours["column"] == "utility@3"].set_index("row")["se"]
    if not set(RULES_OF_PAPER) <= set(spread.index):
        return UNTESTED
    return YES if spread[list(ONE_VOTE)].min() > spread[list(SCORE)].max() else NO


def _even_split_is_near_best(preferences: str) -> Check:
    economy = exchange_economy(preferences, 3)
    share = float(economy.utilities(economy.even_split).sum()) / economy.maximum
    return lambda _: YES if share > 0.99 else NO


SIZE = r"(?<![a-z0-9.])(\d+(?:\.\d+)?)b(?![a-z0-9])"


def size_of(model: str) -> float:
    """Billions of parameters by a model's name; NaN where it names none.

    >>> size_of("model:llama3-1-70b"), size_of("model:gpt-4o")
    (70.0, nan)
    """
    found = re.search(SIZE, model.lower())
    return float(found[1]) if found else nan


def family(model: str) -> str:
    """A model's name without its size: two models of one family differ in that alone.

    >>> family("model:llama3-1-70b") == family("model:llama3-1-8b"), family("gpt-4o-mini") == family("gpt-4o")
    (True, True)
    """
    return re.sub(SIZE + r"|-mini\b", "", model.lower()).strip("-")


def larger(*columns: str) -> Check:
    """The claim that the larger model of a family lies above the smaller one, in each family and column.

    Sizes are those in their names, and a "mini" is the smaller one.
    """

    def check(ours: pd.DataFrame) -> str:
        rows = [row for row in ours["row"].unique() if is_model(row)]
        pairs = [
            (a, b) for a in rows for b in rows
            if a != b and family(a) == family(b) and (size_of(a) > size_of(b) or b.lower() == f"{a.lower()}-mini")
        ]  # fmt: skip
        lacking = Answer(UNTESTED, "two models of one family and different size would tell (MODELS in notebook 20)")
        return combined(*(above([a], [b], *columns) for a, b in pairs))(ours) if pairs else lacking

    return check


def _all_models_high(ours: pd.DataFrame) -> str:
    rows = [row for row in ours["row"].unique() if is_model(row)]
    lacking = Answer(UNTESTED, "no language model sat at the table")
    return holds(lambda m: bool(m["utility@10"].min() > HIGH_UTILITY), *rows)(ours) if rows else lacking


ROUNDTABLE: Mapping[str, Check] = {
    "score rules > one-vote rules: utility early": above(SCORE, ONE_VOTE, "auc@3"),
    "one-vote rules > score rules: spread of early utility": _more_spread_early,
    "all rules: high utility@10": holds(lambda m: m["utility@10"].min() > HIGH_UTILITY, *RULES_OF_PAPER),
    "most rules: utility peaks in middle rounds": holds(
        lambda m: (m["utility@5"] > m["utility@10"]).sum() > 3, *RULES_OF_PAPER
    ),
    "unanimous lowest of one-vote rules: utility": above(ONE_VOTE[1:], ONE_VOTE[:1], *UTILITIES),
    "majority > plurality: utility": above(["majority"], ["plurality"], *UTILITIES),
    "unanimous > majority > plurality: min_max": holds(lambda m: m["min_max"].is_monotonic_decreasing, *ONE_VOTE),
    "one-vote rules > score rules: rigidity": above(ONE_VOTE, SCORE, "rigidity"),
    "unanimous highest: rigidity": above(["unanimous"], RULES_OF_PAPER[1:], "rigidity"),
    "all rules: low rationality": holds(lambda m: m["rationality"].max() < LOW_RATIONALITY, *RULES_OF_PAPER),
    "unanimous highest: min_max": above(["unanimous"], RULES_OF_PAPER[1:], "min_max"),
    "unanimous non-decreasing: utility": holds(
        lambda m: m[list(UTILITIES)].iloc[0].is_monotonic_increasing, "unanimous"
    ),
    "all models: high utility": _all_models_high,
    "larger model > smaller model: utility@10": larger("utility@10"),
    "larger model > smaller model: efficiency": larger("auc@3", "auc@5"),
    "K = 3 > K = 4, K = 5: utility, auc": above(["K = 3"], ["K = 4", "K = 5"], *UTILITIES, *AREAS),
    "K = 5 > K = 4: utility": above(["K = 5"], ["K = 4"], *UTILITIES),
    "symmetric: even split nearly optimal": _even_split_is_near_best("symmetric"),
    "uniform: even split nearly optimal": _even_split_is_near_best("uniform"),
}
"""A check for every statement of `data/inputs/published/001_5dc2ef75221ed897.csv`."""


# -- sections 5.2 and 5.3: curves over the rounds ----------------------------------------------------------------------


def _series(name: str, means: pd.DataFrame) -> pd.DataFrame:
    """The columns "name@1", "name@2", … as rounds; those in which not every row has a value are left out.

    Raises KeyError, which leaves a claim untested, where no round is left.
    """
    chosen = means[[c for c in means.columns if c.rpartition("@")[0] == name]]
    rounds = chosen.rename(columns=lambda c: int(c.rpartition("@")[2])).sort_index(axis=1).dropna(axis=1)
    if rounds.empty:
        raise KeyError(name)
    return rounds


def _curve(name: str, test: Callable[[pd.DataFrame], Any], *rows: str) -> Check:
    """The claim that the curves of every one of `rows` pass a test."""
    return holds(lambda means: bool(np.all(test(_series(name, means)))), *rows)


def _rises(curves: pd.DataFrame) -> pd.Series:
    return curves.iloc[:, -1] > curves.iloc[:, 0]


def _ratings_exceed(curves: pd.DataFrame) -> Any:
    return curves.loc["movielens"] > curves.loc[ECONOMY]


def _v_shaped(ours: pd.DataFrame) -> str:
    """At least two rules have their least error strictly inside, and end above it; one that never decides has none."""
    means = ours[ours["row"].isin(RULES_OF_PAPER)].pivot(index="row", columns="column", values="value")
    curves = [_series("mae", means.loc[[row]]).iloc[0] for row in means.index if means.loc[row].any()]
    curves = [curve for curve in curves if len(curve) > 2]
    inside = sum(c.iloc[1:-1].min() + SLACK < min(c.iloc[0], c.iloc[-1]) for c in curves)
    return UNTESTED if len(curves) < 2 else YES if inside >= 2 else NO


def _dips(curves: pd.DataFrame) -> bool:
    """Lowest in round 1, a peak before the middle, a later low below that peak, and a rise from there to the end."""
    grade = curves.to_numpy()[0]
    if len(grade) < 3:
        raise KeyError("grade")
    peak = int(grade[: len(grade) // 2].argmax())
    low = grade[peak + 1 :].min()
    return bool(grade.argmin() == 0 and low < grade[peak] and grade[-1] > low)


def _peaks_earlier(curves: pd.DataFrame) -> bool:
    return bool(curves.loc[ECONOMY].to_numpy().argmax() < curves.loc["movielens"].to_numpy().argmax())


def _acts(means: pd.DataFrame) -> pd.DataFrame:
    """Mean share of each act over the rounds: environments by acts."""
    names = {c.rpartition("@")[0] for c in means.columns if "@" in c} - {"words", "grade", "difference", "mae", "rmse"}
    if not names:
        raise KeyError("acts")
    return pd.DataFrame({name: _series(name, means).mean(axis=1) for name in sorted(names)})


def _two_lead(means: pd.DataFrame) -> bool:
    return all(set(row.nlargest(2).index) == {"inform", "request"} for _, row in _acts(means).iterrows())


RARE_ACTS = ["compromise", "defend", "accept", "decline"]
MOVIELENS: Mapping[str, Check] = {
    "some rules: mae falls, then rises": _v_shaped,
    "one-vote rules: mae worsens or stays": _curve("mae", lambda mae: mae[10] >= mae[3] - SLACK, *ONE_VOTE),
    "score rules: mae falls over the rounds": _curve("mae", lambda mae: mae[10] < mae[1] - SLACK, *SCORE),
    "group near the best recommender: mae@10": alike(RULES_OF_PAPER, ["recommender"], NEAR_STARS, "mae@10"),
}
CONVERSATION: Mapping[str, Check] = {
    "both environments: words rise over the rounds": _curve("words", _rises, *ENVIRONMENTS),
    "movielens > exchange_economy: words": _curve("words", _ratings_exceed, *ENVIRONMENTS),
    "movielens > exchange_economy: grade": _curve("grade", _ratings_exceed, *ENVIRONMENTS),
    "movielens: grade rises over the rounds": _curve("grade", _rises, "movielens"),
    "exchange_economy: grade starts low, peaks early, dips, rises": _curve("grade", _dips, ECONOMY),
    "both environments: difference falls over the rounds": _curve(
        "difference", lambda c: c.iloc[:, -1] < c.iloc[:, 0], *ENVIRONMENTS
    ),
    "both environments: inform and request lead": holds(_two_lead, *ENVIRONMENTS),
    "movielens: confirm rises after round 3": _curve(
        "confirm", lambda c: c.loc[:, 4:].mean(axis=1) > c[3], "movielens"
    ),
    "both environments: summarize rises slightly": _curve("summarize", _rises, *ENVIRONMENTS),
    "both environments: evaluate stays high": _curve(
        "evaluate", lambda c: c.loc[:, 2:].min(axis=1) > HIGH, *ENVIRONMENTS
    ),
    "propose peaks earlier in exchange_economy than in movielens": _curve("propose", _peaks_earlier, *ENVIRONMENTS),
    "both environments: compromise, defend, accept, decline rare": holds(
        lambda m: bool((_acts(m)[RARE_ACTS] < RARE).all(axis=None)), *ENVIRONMENTS
    ),
    "both environments: others low": holds(lambda m: bool((_acts(m)["others"] < LOW).all()), *ENVIRONMENTS),
}


# -- section 5.3.2: transitions ----------------------------------------------------------------------------------------

STATEMENTS: Mapping[str, tuple[str, tuple[tuple[str, str], ...]]] = {
    f"{ECONOMY}: request and propose form a loop": (ECONOMY, (("request", "propose"), ("propose", "request"))),
    f"{ECONOMY}: inform leads to request": (ECONOMY, (("inform", "request"),)),
    f"{ECONOMY}: confirm leads to request": (ECONOMY, (("confirm", "request"),)),
    f"{ECONOMY}: compromise leads to propose": (ECONOMY, (("compromise", "propose"),)),
    f"{ECONOMY}: accept leads to the end": (ECONOMY, (("accept", "end"),)),
}
"""What section 5.3.2 says of Figure 4(a): edges that are the most probable ones of their sources."""
CENTRE = "movielens: most acts lead to request"


def check_statements(graphs: Mapping[str, tuple[Transitions, Bootstrap]]) -> pd.DataFrame:
    """Whether the statements of section 5.3.2 hold in our graphs, one for each environment.

    A statement holds when its edges lead in more than 95 % of the bootstrap draws, and does not when one of them leads
    in less than 5 %; between the two it is too close to call. Columns environment, statement, `holds here`, and `here`:
    the probabilities, and the edge that leads instead.
    """
    rows = []
    for statement, (environment, edges) in STATEMENTS.items():
        if environment not in graphs:
            continue
        graph, boot = graphs[environment]
        p, leads = graph.probability.stack().to_dict(), boot.leads.stack().to_dict()
        if all(edge in p and p[edge] == p[edge] for edge in edges):
            shown = "; ".join(_in_words(p, *edge) for edge in edges)
            rows.append((environment, statement, _answer([leads[edge] for edge in edges]), shown))
        else:
            rows.append((environment, statement, UNTESTED, "the act does not occur"))
    if "movielens" in graphs:
        centres = graphs["movielens"][1].centres
        share, first = float(centres["request"]), f"{centres.idxmax()} in {centres.max():.0%}"
        shown = f"request is the centre in {share:.0%} of the draws, {first}"
        rows.append(("movielens", CENTRE, _answer([share]), shown))
    return pd.DataFrame(rows, columns=["environment", "statement", "holds here", "here"])


def _answer(shares: list[float]) -> str:
    return NO if min(shares) < 0.05 else YES if min(shares) > 0.95 else CLOSE


def _in_words(p: Mapping[Any, float], source: str, target: str) -> str:
    others = {b: value for (a, b), value in p.items() if a == source != b}
    first = max(others, key=others.__getitem__)
    instead = "" if first == target else f", behind {first} with {others[first]:.2f}"
    return f"{source} → {target} {others[target]:.2f}{instead}"


# -- section 5.4: stopping ---------------------------------------------------------------------------------------------

OTHER_RULES = ("first agreement", "consecutive agreements", "validation checkpoint")
LANGUAGE_RULES = ("information difference", "dialogue act")


def _gains(ours: pd.DataFrame, rules: tuple[str, ...]) -> pd.DataFrame:
    """How much better each stopping rule is than @10, positive for better: rows (environment: rule) by social rules."""
    means = ours.pivot(index="row", columns="column", values="value")
    parts = {}
    for environment, sign in zip(ENVIRONMENTS, (1, -1), strict=True):
        for row in (f"{environment}: {rule}" for rule in rules):
            if {row, f"{environment}: @10"} <= set(means.index):
                parts[row] = sign * (means.loc[row] - means.loc[f"{environment}: @10"])
    return pd.DataFrame(parts).T


def _most_gain(share: float, least: float, *rules: str) -> Check:
    """The claim that in more than a share of the cells the rules gain more than the least."""

    def check(ours: pd.DataFrame) -> str:
        gains = _gains(ours, rules)
        return UNTESTED if gains.empty else YES if (gains.stack() > least).mean() > share else NO

    return check


def _language_leads(ours: pd.DataFrame) -> str:
    language, others = _gains(ours, LANGUAGE_RULES), _gains(ours, OTHER_RULES)
    if language.empty or others.empty:
        return UNTESTED
    return YES if language.mean(axis=1).min() > others.mean(axis=1).max() else NO


STOPPING: Mapping[str, Check] = {
    "most rules: best outcome before the last round": _most_gain(0.5, SLACK, "oracle"),
    "almost all stopping rules better than @10": _most_gain(0.75, 0.0, *OTHER_RULES, *LANGUAGE_RULES),
    "information difference and dialogue act better than the other stopping rules": _language_leads,
}
