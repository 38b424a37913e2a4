"""What sections 5.2, 5.3.1 and 5.4 of RoundTable claim, as checks on tidy results (row, column, value, se).

Three mappings, one for each notebook, with the rows and columns that their checks read:

- `MOVIELENS`: rows are social choice rules and "recommender"; columns "mae@1" … "mae@10".
- `CONVERSATION`: rows are environments; columns "words@r", "grade@r", "difference@r" and "<act>@r".
- `STOPPING`: rows are "<environment>: <stopping rule>"; columns are social choice rules, values the performance
  (a share of the largest utility, or an error).

Section 5.3.2 speaks of graphs, which `support.analysis.transitions_claims` tests.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pandas as pd

from support.analysis.claims import NO, ONE_VOTE, RULES_OF_PAPER, SCORE, UNTESTED, YES, Check, above, holds

ENVIRONMENTS = ("exchange_economy", "movielens")
RARE, LOW, HIGH = 0.2, 0.15, 0.5  # our readings of a "rare" act, "low" Others, a "consistently high" act
SLACK = 0.005  # errors are printed to two decimals: half of the last one is no change
RARE_ACTS = ("compromise", "defend", "accept", "decline")
OTHER_RULES = ("first agreement", "consecutive agreements", "validation checkpoint")
LANGUAGE_RULES = ("information difference", "dialogue act")


def _series(name: str, means: pd.DataFrame) -> pd.DataFrame:
    """The columns "name@1", "name@2", … as rounds; rounds without a value are left out."""
    chosen = means[[c for c in means.columns if c.rpartition("@")[0] == name]]
    rounds = chosen.rename(columns=lambda c: int(c.rpartition("@")[2])).sort_index(axis=1)
    return rounds.dropna(axis=1)


def _v_shaped(means: pd.DataFrame) -> bool:
    """At least two rules have their least error strictly inside, and end above it."""
    mae = _series("mae", means)
    inside = mae.iloc[:, 1:-1].min(axis=1)
    return bool(((inside < mae.iloc[:, 0] - SLACK) & (inside < mae.iloc[:, -1] - SLACK)).sum() >= 2)


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
    return YES if (gains > 0).to_numpy().mean() > 0.75 else NO


def _language_leads(ours: pd.DataFrame) -> str:
    language, others = _gains(ours, LANGUAGE_RULES), _gains(ours, OTHER_RULES)
    if language.empty or others.empty:
        return UNTESTED
    return YES if language.mean(axis=1).min() > others.mean(axis=1).max() else NO


def _best_is_before_the_end(ours: pd.DataFrame) -> str:
    gains = _gains(ours, ("oracle",))
    return UNTESTED if gains.empty else YES if (gains > SLACK).to_numpy().mean() > 0.5 else NO


def _near_the_recommender(ours: pd.DataFrame) -> str:
    """No rule's error lies above the recommender's beyond the margin of their difference."""
    answers = [above([rule], ["recommender"], "mae@10")(ours) for rule in RULES_OF_PAPER]
    return UNTESTED if UNTESTED in answers else NO if YES in answers else YES


MOVIELENS: Mapping[str, Check] = {
    "some rules: mae falls, then rises": holds(_v_shaped, *RULES_OF_PAPER),
    "one-vote rules: mae worsens or stays": holds(lambda m: bool((m["mae@10"] >= m["mae@3"] - SLACK).all()), *ONE_VOTE),
    "score rules: mae falls over the rounds": holds(lambda m: bool((m["mae@10"] < m["mae@1"] - SLACK).all()), *SCORE),
    "group near the best recommender: mae@10": _near_the_recommender,
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
