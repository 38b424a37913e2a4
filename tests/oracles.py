"""Our own algorithms beside independent ones, on many random cases: `python tests/oracles.py`, three minutes.

The suite holds a few of each; this counts disagreements over thousands. Every line has to end with 0.
"""

from __future__ import annotations

import math
import os
from fractions import Fraction
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.weightstats import CompareMeans, DescrStatsW, ttost_paired

from support.analysis.stats import adjusted, compare, equivalent, hedges_g
from support.choice import RULES, tally
from support.solvers.fair import meet

RNG = np.random.default_rng(20_261_123)


def fairest_plans(cases: int = 1000) -> int:
    """`meet` against every plan listed: 2 or 3 participants, 1 to 7 decisions, 2 to 4 options."""
    wrong = 0
    for _ in range(cases):
        p, n, m = RNG.integers(2, 4), RNG.integers(1, 8), RNG.integers(2, 5)
        gains = RNG.integers(0, RNG.choice([4, 40, 400]), size=(p, n, m))
        plans = np.indices((m,) * n).reshape(n, -1).T
        totals = gains[:, np.arange(n), plans].sum(axis=2)
        found = meet(gains)
        mine = gains[:, np.arange(n), list(found.plan)].sum(axis=1)
        wrong += not (found.proven and np.ptp(mine) == np.ptp(totals, axis=0).min())
    return wrong


def counted(
    rule: str, ballots: list[Any], candidates: list[str], agents: int
) -> str | None:
    """The winner by a plain loop, None where the rule defers."""
    points: dict[str, Fraction] = dict.fromkeys(candidates, Fraction(0))
    for ballot in ballots:
        if rule in ("unanimous", "majority", "plurality"):
            points[ballot] += 1
        elif rule == "ranked":
            for place, candidate in enumerate(ballot, start=1):
                points[candidate] += Fraction(1, place)
        else:
            for candidate, given in ballot.items():
                points[candidate] += Fraction(given)
    most = max(points.values())
    first = [candidate for candidate in candidates if points[candidate] == most]
    needed = {"unanimous": agents, "majority": agents // 2 + 1}.get(rule, 0)
    return first[0] if ballots and len(first) == 1 and most >= needed else None


def votes(cases: int = 10_000) -> tuple[int, int, int]:
    """Six rules: against plain loops, against pref_voting where it has the rule, and how many of those there were."""
    from pref_voting.grade_methods import score_voting
    from pref_voting.grade_profiles import GradeProfile
    from pref_voting.profiles import Profile
    from pref_voting.scoring_methods import plurality, scoring_rule

    loops = theirs = compared = 0
    for case in range(cases):
        rule, c = list(RULES)[case % 6], int(RNG.integers(1, 5))
        names, agents = list("ABCD"[:c]), int(RNG.integers(1, 7))
        ballots: dict[int, Any] = {}
        for agent in range(agents):
            if rule in ("unanimous", "majority", "plurality"):
                ballots[agent] = str(RNG.choice(names))
            elif rule == "ranked":
                ballots[agent] = RNG.permutation(names).tolist()
            elif rule == "rated":
                ballots[agent] = {name: int(RNG.integers(1, 6)) for name in names}
            else:
                cuts = np.sort(RNG.integers(0, 2 * c + 1, size=c - 1))
                ballots[agent] = dict(
                    zip(names, (np.diff([0, *cuts, 2 * c]) / 2).tolist(), strict=True)
                )
            if RNG.random() < 0.1:
                ballots[agent] = None
        cast = [ballot for ballot in ballots.values() if ballot is not None]
        winner = tally(rule, ballots, names).winner
        loops += winner != counted(rule, cast, names, agents)
        number = {name: i for i, name in enumerate(names)}
        if not cast or rule not in ("plurality", "ranked", "rated"):
            continue
        if rule == "rated":
            grades = [{number[k]: v for k, v in ballot.items()} for ballot in cast]
            found = score_voting(
                GradeProfile(grades, [*range(1, 6)], candidates=list(number.values()))
            )
        elif rule == "ranked":
            whole = math.lcm(*range(1, c + 1))  # in float thirds it may lose a tie
            profile = Profile([[number[name] for name in ballot] for ballot in cast])
            found = scoring_rule(profile, score=lambda _, place, w=whole: w // place)
        else:
            found = plurality(
                Profile(
                    [
                        [number[b], *(i for i in range(c) if i != number[b])]
                        for b in cast
                    ]
                )
            )
        compared += 1
        theirs += winner != (names[found[0]] if len(found) == 1 else None)
    return loops, theirs, compared


def real_elections() -> tuple[int, int]:
    """Ranked and plurality on PrefLib's elections against pref_voting: disagreements, elections."""
    from pref_voting.profiles import Profile
    from pref_voting.scoring_methods import plurality, scoring_rule
    from preflibtools.instances import OrdinalInstance

    paths = sorted(
        Path(os.environ.get("CONVENE_DATA", "../shared/data")).glob("preflib/*.soc")
    )
    wrong = 0
    for path in paths:
        election = OrdinalInstance(str(path))
        number = {name: index for index, name in enumerate(election.alternatives_name)}
        orders = [
            [[number[c] for (c,) in order]] * times
            for order, times in election.multiplicity.items()
        ]
        rankings = list(chain.from_iterable(orders))
        profile, whole = Profile(rankings), math.lcm(*range(1, len(number) + 1))
        for rule, ballots, found in (
            (
                "ranked",
                rankings,
                scoring_rule(profile, score=lambda _, place, w=whole: w // place),
            ),
            ("plurality", [ranking[0] for ranking in rankings], plurality(profile)),
        ):
            winner = tally(rule, dict(enumerate(ballots)), range(len(number))).winner
            wrong += winner != (found[0] if len(found) == 1 else None)
    return wrong, 2 * len(paths)


def inference(cases: int = 300) -> int:
    """t tests, Holm, equivalence and g against scipy and statsmodels."""
    wrong = 0
    for _ in range(cases):
        n = int(RNG.integers(4, 12))
        a, b = RNG.normal(0, 1, n), RNG.normal(0.3, 1, n)
        frame = pd.DataFrame(
            {"g": np.repeat(["a", "b"], n), "k": [*range(n)] * 2, "u": np.r_[a, b]}
        )
        paired = compare(frame, "u", "g", paired_by="k")["p"][0]
        welch, theirs = (
            compare(frame, "u", "g").iloc[0],
            CompareMeans(DescrStatsW(a), DescrStatsW(b)),
        )
        told = (
            *theirs.ttest_ind(usevar="unequal"),
            *theirs.tconfint_diff(usevar="unequal"),
        )
        ps = RNG.uniform(size=6)
        pooled = math.sqrt((a.var(ddof=1) + b.var(ddof=1)) / 2)
        g = (
            (a.mean() - b.mean())
            / pooled
            * math.exp(math.lgamma(n - 1) - math.lgamma(n - 1.5))
            / math.sqrt(n - 1)
        )
        se = (a - b).std(ddof=1) / math.sqrt(n)
        pairs = (
            (paired, stats.ttest_rel(a, b).pvalue), (hedges_g(a, b)[0], g),
            (equivalent((a - b).mean(), se, 1.0, n - 1), ttost_paired(a, b, -1.0, 1.0)[0]),
        )  # fmt: skip
        wrong += any(abs(x - y) > 1e-8 for x, y in pairs)
        wrong += not np.allclose(
            welch[["t", "p", "df", "low", "high"]].astype(float), told
        )
        wrong += not np.allclose(adjusted(ps), multipletests(ps, method="holm")[1])
    return wrong


if __name__ == "__main__":
    print(f"fairest plans, 1000 problems against every plan: {fairest_plans()}")
    loops, theirs, compared = votes()
    print(f"six rules, 10000 votes against plain loops: {loops}")
    print(f"three rules, {compared} of these against pref_voting: {theirs}")
    wrong, elections = real_elections()
    print(
        f"ranked and plurality, {elections} counts of PrefLib elections against pref_voting: {wrong}"
    )
    print(f"tests, 300 samples against scipy and statsmodels: {inference()}")
