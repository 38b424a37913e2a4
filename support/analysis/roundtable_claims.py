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

import pandas as pd

from support.analysis.claims import CLOSE, NO, UNTESTED, YES, Answer, Check, above, alike, combined, holds
from support.analysis.transitions import Bootstrap, Transitions
from support.models.profiles import is_model
from support.roundtable.economy import exchange_economy

ONE_VOTE, SCORE = ("unanimous", "majority", "plurality"), ("rated", "ranked", "cumulative")
UTILITIES, AREAS = ("utility@3", "utility@5", "utility@10"), ("auc@3", "auc@5", "auc@10")
HIGH_UTILITY, LOW_RATIONALITY = 75.0, 50.0  # our readings of "high" and "low", in percent


def _more_spread_early(ours: pd.DataFrame) -> str:
    spread = ours[ours["column"] == "utility@3"].set_index("row")["se"]
    if not {*ONE_VOTE, *SCORE} <= set(spread.index):
        return UNTESTED
    return YES if spread[list(ONE_VOTE)].min() > spread[list(SCORE)].max() else NO


def _even_split_is_near_best(preferences: str) -> Check:
    economy = exchange_economy(preferences, 3)
    share = float(economy.utilities(economy.even_split).sum()) / economy.maximum
    return lambda _: YES if share > 0.99 else NO


def size_of(model: str) -> float:
    """Billions of parameters by a model's name; NaN where it names none.

    >>> size_of("model:llama3-1-70b"), size_of("model:gpt-4o")
    (70.0, nan)
    """
    found = re.search(r"(?<![a-z0-9.])(\d+(?:\.\d+)?)b(?![a-z0-9])", model.lower())
    return float(found[1]) if found else nan


def family(model: str) -> str:
    """A model's name without its size: two models of one family differ in that alone.

    >>> family("model:llama3-1-70b") == family("model:llama3-1-8b"), family("gpt-4o-mini") == family("gpt-4o")
    (True, True)
    """
    return re.sub(r"(?<![a-z0-9.])\d+(?:\.\d+)?b(?![a-z0-9])|-mini\b", "", model.lower()).strip("-")


def _pairs_by_size(ours: pd.DataFrame) -> list[tuple[str, str]]:
    """Rows of models of one family, the larger one first: by the sizes in their names, a "mini" is the smaller one."""
    rows = [row for row in ours["row"].unique() if is_model(row)]
    kin = [(a, b) for a in rows for b in rows if a != b and family(a) == family(b)]
    return [(a, b) for a, b in kin if size_of(a) > size_of(b) or b.lower() == f"{a.lower()}-mini"]


def larger(*columns: str) -> Check:
    """The claim that the larger model of a family lies above the smaller one, in each family and column."""

    def check(ours: pd.DataFrame) -> str:
        pairs = _pairs_by_size(ours)
        lacking = Answer(UNTESTED, "two models of one family and different size would tell (MODELS in notebook 20)")
        return combined(*(above([a], [b], *columns) for a, b in pairs))(ours) if pairs else lacking

    return check


def _all_models_high(ours: pd.DataFrame) -> str:
    rows = [row for row in ours["row"].unique() if is_model(row)]
    lacking = Answer(UNTESTED, "no language model sat at the table")
    return holds(lambda m: bool(m["utility@10"].min() > HIGH_UTILITY), *rows)(ours) if rows else lacking


RULES_OF_PAPER = (*ONE_VOTE, *SCORE)
ROUNDTABLE: Mapping[str, Check] = {
    "score rules > one-vote rules: utility early": above(SCORE, ONE_VOTE, "auc@3"),
    "one-vote rules > score rules: spread of early utility": _more_spread_early,
    "all rules: high utility@10": holds(lambda m: m["utility@10"].min() > HIGH_UTILITY, *RULES_OF_PAPER),
    "most rules: utility peaks in middle rounds": holds(
        lambda m: (m["utility@5"] > m["utility@10"]).sum() > 3, *RULES_OF_PAPER
    ),
    "unanimous lowest of one-vote rules: utility": above(ONE_VOTE[1:], ONE_VOTE[:1], *UTILITIES),
    "majority > plurality: utility": above(["majority"], ["plurality"], *UTILITIES),
    "unanimous > majority > plurality: min_max": holds(
        lambda m: m["min_max"].is_monotonic_decreasing, "unanimous", "majority", "plurality"
    ),
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

ENVIRONMENTS = ("exchange_economy", "movielens")
RARE, LOW, HIGH = 0.2, 0.15, 0.5  # our readings of a "rare" act, "low" Others, a "consistently high" act
NEAR_STARS = 0.1  # our reading of "near" in stars
SLACK = 0.005  # errors are printed to two decimals: half of the last one is no change
RARE_ACTS = ("compromise", "defend", "accept", "decline")
OTHER_RULES = ("first agreement", "consecutive agreements", "validation checkpoint")
LANGUAGE_RULES = ("information difference", "dialogue act")


def _series(name: str, means: pd.DataFrame) -> pd.DataFrame:
    """The columns "name@1", "name@2", … as rounds; those in which not every row has a value are left out.

    Raises KeyError, which leaves a claim untested, where no round is left.
    """
    chosen = means[[c for c in means.columns if c.rpartition("@")[0] == name]]
    rounds = chosen.rename(columns=lambda c: int(c.rpartition("@")[2])).sort_index(axis=1).dropna(axis=1)
    if rounds.empty:
        raise KeyError(name)
    return rounds


def _v_shaped(ours: pd.DataFrame) -> str:
    """At least two rules have their least error strictly inside, and end above it; one that never decides has none."""
    means = ours[ours["row"].isin(RULES_OF_PAPER)].pivot(index="row", columns="column", values="value")
    curves = [
        c for c in (_series("mae", row.to_frame().T).iloc[0] for _, row in means.iterrows() if row.any()) if len(c) > 2
    ]
    inside = sum(c.iloc[1:-1].min() + SLACK < min(c.iloc[0], c.iloc[-1]) for c in curves)
    return UNTESTED if len(curves) < 2 else YES if inside >= 2 else NO


def _change(test: Callable[[pd.DataFrame], pd.Series]) -> Callable[[pd.DataFrame], bool]:
    """Whether the errors of every rule pass a test, on the rounds in which all had decided."""
    return lambda means: bool(test(_series("mae", means)).all())


def _rises(name: str) -> Callable[[pd.DataFrame], bool]:
    return lambda m: bool((_series(name, m).iloc[:, -1] > _series(name, m).iloc[:, 0]).all())


def _every_round(name: str, higher: str, lower: str) -> Callable[[pd.DataFrame], bool]:
    return lambda m: bool((_series(name, m).loc[higher] > _series(name, m).loc[lower]).all())


def _acts(means: pd.DataFrame) -> pd.DataFrame:
    """Mean share of each act over the rounds: environments by acts."""
    names = {c.rpartition("@")[0] for c in means.columns if "@" in c} - {"words", "grade", "difference", "mae", "rmse"}
    return pd.DataFrame({name: _series(name, means).mean(axis=1) for name in sorted(names)})


def _with(column: str, check: Check) -> Check:
    """The check where `column` was measured, "not testable here" otherwise."""
    return lambda ours: check(ours) if (ours["column"] == column).any() else UNTESTED


def _two_lead(means: pd.DataFrame) -> bool:
    return all(set(row.nlargest(2).index) == {"inform", "request"} for _, row in _acts(means).iterrows())


def _peak(act: str) -> Callable[[pd.DataFrame], bool]:
    def test(means: pd.DataFrame) -> bool:
        exchange, movies = (int(_series(act, means).loc[name].to_numpy().argmax()) for name in ENVIRONMENTS)
        return exchange < movies

    return test


def _dip(means: pd.DataFrame) -> bool:
    """Lowest in round 1, a peak before the middle, a later low below that peak, and a rise from there to the end."""
    grade = _series("grade", means).to_numpy()[0]
    if len(grade) < 3:
        raise KeyError("grade")
    peak = int(grade[: len(grade) // 2].argmax())
    low = grade[peak + 1 :].min()
    return bool(grade.argmin() == 0 and low < grade[peak] and grade[-1] > low)


def _gains(ours: pd.DataFrame, rules: tuple[str, ...]) -> pd.DataFrame:
    """How much better each stopping rule is than @10, positive for better: rows (environment: rule) by social rules."""
    means = ours.pivot(index="row", columns="column", values="value")
    parts = {}
    for environment, sign in (("exchange_economy", 1), ("movielens", -1)):
        for rule in rules:
            if f"{environment}: {rule}" in means.index and f"{environment}: @10" in means.index:
                parts[f"{environment}: {rule}"] = sign * (means.loc[f"{environment}: {rule}"]
                                                          - means.loc[f"{environment}: @10"])  # fmt: skip
    return pd.DataFrame(parts).T


def _almost_all_better(ours: pd.DataFrame) -> str:
    gains = _gains(ours, (*OTHER_RULES, *LANGUAGE_RULES))
    if gains.empty:
        return UNTESTED
    return YES if (gains.stack() > 0).mean() > 0.75 else NO


def _language_leads(ours: pd.DataFrame) -> str:
    language, others = _gains(ours, LANGUAGE_RULES), _gains(ours, OTHER_RULES)
    if language.empty or others.empty:
        return UNTESTED
    return YES if language.mean(axis=1).min() > others.mean(axis=1).max() else NO


def _best_is_before_the_end(ours: pd.DataFrame) -> str:
    gains = _gains(ours, ("oracle",))
    return UNTESTED if gains.empty else YES if (gains.stack() > SLACK).mean() > 0.5 else NO


MOVIELENS: Mapping[str, Check] = {
    "some rules: mae falls, then rises": _v_shaped,
    "one-vote rules: mae worsens or stays": holds(_change(lambda mae: mae[10] >= mae[3] - SLACK), *ONE_VOTE),
    "score rules: mae falls over the rounds": holds(_change(lambda mae: mae[10] < mae[1] - SLACK), *SCORE),
    "group near the best recommender: mae@10": alike(RULES_OF_PAPER, ["recommender"], NEAR_STARS, "mae@10"),
}
CONVERSATION: Mapping[str, Check] = {
    "both environments: words rise over the rounds": holds(_rises("words"), *ENVIRONMENTS),
    "movielens > exchange_economy: words": holds(
        _every_round("words", "movielens", "exchange_economy"), *ENVIRONMENTS
    ),
    "movielens > exchange_economy: grade": holds(
        _every_round("grade", "movielens", "exchange_economy"), *ENVIRONMENTS
    ),
    "movielens: grade rises over the rounds": holds(_rises("grade"), "movielens"),
    "exchange_economy: grade starts low, peaks early, dips, rises": holds(_dip, "exchange_economy"),
    "both environments: difference falls over the rounds": holds(
        lambda m: bool((_series("difference", m).iloc[:, -1] < _series("difference", m).iloc[:, 0]).all()),
        *ENVIRONMENTS,
    ),
    "both environments: inform and request lead": _with("inform@1", holds(_two_lead, *ENVIRONMENTS)),
    "movielens: confirm rises after round 3": _with(
        "confirm@3", holds(lambda m: bool((_series("confirm", m).loc[:, 4:].mean(axis=1) > m["confirm@3"]).all()),
                           "movielens")
    ),
    "both environments: summarize rises slightly": _with("summarize@1", holds(_rises("summarize"), *ENVIRONMENTS)),
    "both environments: evaluate stays high": _with(
        "evaluate@2", holds(lambda m: bool((_series("evaluate", m).loc[:, 2:].min(axis=1) > HIGH).all()), *ENVIRONMENTS)
    ),
    "propose peaks earlier in exchange_economy than in movielens": _with(
        "propose@1", holds(_peak("propose"), *ENVIRONMENTS)
    ),
    "both environments: compromise, defend, accept, decline rare": _with(
        "compromise@1", holds(lambda m: bool((_acts(m)[list(RARE_ACTS)] < RARE).all(axis=None)), *ENVIRONMENTS)
    ),
    "both environments: others low": _with(
        "others@1", holds(lambda m: bool((_acts(m)["others"] < LOW).all()), *ENVIRONMENTS)
    ),
}  # fmt: skip
STOPPING: Mapping[str, Check] = {
    "most rules: best outcome before the last round": _best_is_before_the_end,
    "almost all stopping rules better than @10": _almost_all_better,
    "information difference and dialogue act better than the other stopping rules": _language_leads,
}

ECONOMY = "exchange_economy"
STATEMENTS: Mapping[str, tuple[str, tuple[tuple[str, str], ...]]] = {
    f"{ECONOMY}: request and propose form a loop": (ECONOMY, (("request", "propose"), ("propose", "request"))),
    f"{ECONOMY}: inform leads to request": (ECONOMY, (("inform", "request"),)),
    f"{ECONOMY}: confirm leads to request": (ECONOMY, (("confirm", "request"),)),
    f"{ECONOMY}: compromise leads to propose": (ECONOMY, (("compromise", "propose"),)),
    f"{ECONOMY}: accept leads to the end": (ECONOMY, (("accept", "end"),)),
}
"""What section 5.3.2 says of Figure 4(a): edges that are the most probable ones of their sources.

The names are those of `data/inputs/published`."""

CENTRE = "movielens: most acts lead to request"


def check_statements(graphs: Mapping[str, tuple[Transitions, Bootstrap]]) -> pd.DataFrame:
    """Whether the statements of section 5.3.2 hold in our graphs, one for each environment.

    A statement holds when its edges lead in more than 95 % of the bootstrap draws, and does not when one of them leads
    in less than 5 %; between the two it is too close to call. Columns environment, statement, `holds here`, and `here`:
    the probabilities, and the edge that leads instead.
    """
    rows = []
    for statement, (environment, edges) in STATEMENTS.items():
        if environment in graphs:
            rows.append(_tested(statement, environment, edges, *graphs[environment]))
    if "movielens" in graphs:
        _, boot = graphs["movielens"]
        share = float(boot.centres["request"])
        first = f"{boot.centres.idxmax()} in {boot.centres.max():.0%}"
        shown = f"request is the centre in {share:.0%} of the draws, {first}"
        rows.append(("movielens", CENTRE, _answer([share]), shown))
    return pd.DataFrame(rows, columns=["environment", "statement", "holds here", "here"])


def _tested(
    statement: str, environment: str, edges: tuple[tuple[str, str], ...], t: Transitions, boot: Bootstrap
) -> tuple[str, str, str, str]:
    p, leads = (frame.stack().to_dict() for frame in (t.probability, boot.leads))
    if not all(edge in p and p[edge] == p[edge] for edge in edges):
        return environment, statement, UNTESTED, "the act does not occur"
    answer = _answer([leads[edge] for edge in edges])
    return environment, statement, answer, "; ".join(_in_words(p, *edge) for edge in edges)


def _answer(shares: list[float]) -> str:
    return NO if min(shares) < 0.05 else YES if min(shares) > 0.95 else CLOSE


def _in_words(p: Mapping[Any, float], source: str, target: str) -> str:
    others = {b: value for (a, b), value in p.items() if a == source != b}
    first = max(others, key=others.__getitem__)
    instead = "" if first == target else f", behind {first} with {others[first]:.2f}"
    return f"{source} → {target} {others[target]:.2f}{instead}"
