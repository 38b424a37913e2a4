"""What sections 5 and 6 and the appendices of RoundTable claim, as checks on tidy results (row, column, value, se).

The rows and columns that the checks read:

- `ROUNDTABLE`: rows are social choice rules, "K = 3" … and models; columns the metrics of `support.analysis.metrics`.
- `MOVIELENS`: rows are social choice rules and "recommender"; columns "mae@1" … "mae@10".
- `CONVERSATION`: rows are environments; columns "words@r", "grade@r", "difference@r" and "<act>@r".
- `STOPPING`: rows are "<environment>: <stopping rule>"; columns are social choice rules, values the performance
  (a share of the largest utility, or an error).

Section 5.3.2 speaks of transition graphs: `check_statements`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise, permutations, product
from typing import Any

import numpy as np
import pandas as pd

from support.analysis.claims import (
    CLOSE,
    NO,
    UNTESTED,
    YES,
    Answer,
    Cells,
    Check,
    Gap,
    above,
    alike,
    combined,
    every,
    most,
    moves,
    rises,
    untested,
)
from support.analysis.dialogue_acts import LABELS
from support.analysis.transitions import Transitions, centres, leads
from support.models.profiles import is_model
from support.roundtable.economy import exchange_economy

ONE_VOTE, SCORE = (
    ("unanimous", "majority", "plurality"),
    ("rated", "ranked", "cumulative"),
)
UTILITIES, AREAS = (
    ("utility@3", "utility@5", "utility@10"),
    ("auc@3", "auc@5", "auc@10"),
)
HIGH_UTILITY, LOW_RATIONALITY = (
    75.0,
    50.0,
)  # our readings of "high" and "low", in percent


def _more_spread_early(ours: pd.DataFrame) -> Answer:
    spread = ours[ours["column"] == "utility@3"].set_index("row")["se"]
    if not {*ONE_VOTE, *SCORE} <= set(spread.index):
        return Answer(UNTESTED)
    least, most_ = spread[list(ONE_VOTE)].min(), spread[list(SCORE)].max()
    told = f"standard errors: of one-vote rules at least {least:.2f}, of score rules at most {most_:.2f}"
    return Answer(YES if least > most_ else NO, told)


def _even_split_is_near_best(preferences: str) -> Check:
    economy = exchange_economy(preferences, 3)
    share = float(economy.utilities(economy.even_split).sum()) / economy.maximum
    return lambda _: Answer(
        YES if share > 0.99 else NO, f"{share:.1%} of the optimum, computed"
    )


SIZE = r"(?<![a-z0-9.])(\d+(?:\.\d+)?)b(?![a-z0-9])"  # billions of parameters, in a model's name


def _pairs_by_size(ours: pd.DataFrame) -> list[tuple[str, str]]:
    """Models whose names differ in their size alone, the larger one first; a "mini" is the smaller one."""
    rows = pd.Series(
        [row for row in ours["row"].unique() if is_model(row)], dtype=object
    )
    names = rows.str.lower()
    family = names.str.replace(rf"{SIZE}|-mini\b", "", regex=True).str.strip("-")
    sizes = names.str.extract(SIZE)[0].astype(float)
    return [(rows[i], rows[k]) for i, k in permutations(rows.index, 2)
            if family[i] == family[k] and (sizes[i] > sizes[k] or names[k] == f"{names[i]}-mini")]  # fmt: skip


def larger(*columns: str) -> Check:
    """The claim that the larger model of a family lies above the smaller one, in each family and column."""

    def check(ours: pd.DataFrame) -> Answer:
        pairs = _pairs_by_size(ours)
        lacking = "two models of one family and different size would tell (PARTICIPANTS of notebook 20)"
        checks = [above([a], [b], *columns) for a, b in pairs] or [untested(lacking)]
        return combined(*checks)(ours)

    return check


def _all_models_high(ours: pd.DataFrame) -> Answer:
    rows = [row for row in ours["row"].unique() if is_model(row)]
    lacking = untested("no language model sat at the table")
    return (moves(1, rows, "utility@10", HIGH_UTILITY) if rows else lacking)(ours)


RULES_OF_PAPER = (*ONE_VOTE, *SCORE)
ROUNDTABLE: Mapping[str, Check] = {
    "score rules > one-vote rules: utility early": above(SCORE, ONE_VOTE, "auc@3"),
    "one-vote rules > score rules: spread of early utility": _more_spread_early,
    "all rules: high utility@10": moves(1, RULES_OF_PAPER, "utility@10", HIGH_UTILITY),
    "most rules: utility peaks in middle rounds": most(
        lambda cells: [
            cells.within(rule, "utility@5", "utility@10") for rule in RULES_OF_PAPER
        ]
    ),
    "unanimous lowest of one-vote rules: utility": above(
        ONE_VOTE[1:], ONE_VOTE[:1], *UTILITIES
    ),
    "majority > plurality: utility": above(["majority"], ["plurality"], *UTILITIES),
    "unanimous > majority > plurality: min_max": combined(
        above(["unanimous"], ["majority"], "min_max"),
        above(["majority"], ["plurality"], "min_max"),
    ),
    "one-vote rules > score rules: rigidity": above(ONE_VOTE, SCORE, "rigidity"),
    "unanimous highest: rigidity": above(["unanimous"], RULES_OF_PAPER[1:], "rigidity"),
    "all rules: low rationality": moves(
        -1, RULES_OF_PAPER, "rationality", LOW_RATIONALITY
    ),
    "unanimous highest: min_max": above(["unanimous"], RULES_OF_PAPER[1:], "min_max"),
    "unanimous non-decreasing: utility": every(
        lambda cells: [
            cells.within("unanimous", late, early)
            for early, late in pairwise(UTILITIES)
        ]
    ),
    "all models: high utility": _all_models_high,
    "larger model > smaller model: utility@10": larger("utility@10"),
    "larger model > smaller model: efficiency": larger("auc@3", "auc@5"),
    "K = 3 > K = 4, K = 5: utility, auc": above(
        ["K = 3"], ["K = 4", "K = 5"], *UTILITIES, *AREAS
    ),
    "K = 5 > K = 4: utility": above(["K = 5"], ["K = 4"], *UTILITIES),
    "symmetric: even split nearly optimal": _even_split_is_near_best("symmetric"),
    "uniform: even split nearly optimal": _even_split_is_near_best("uniform"),
}
"""A check for every statement of `data/inputs/published/001_5dc2ef75221ed897.csv`."""

ENVIRONMENTS = ECONOMY, FILMS = ("exchange_economy", "movielens")
RARE, LOW, HIGH = (
    0.2,
    0.15,
    0.5,
)  # our readings of a "rare" act, "low" Others, a "consistently high" act
NEAR_STARS = 0.1  # our reading of "near" in stars
SLACK = 0.005  # errors are printed to two decimals: half of the last one is no change
SAME_STARS = 0.05  # our reading of an error that "stays", in stars
RARE_ACTS = ("compromise", "defend", "accept", "decline")
OTHER_RULES = ("first agreement", "consecutive agreements", "validation checkpoint")
LANGUAGE_RULES = ("information difference", "dialogue act")


def _v_shaped(ours: pd.DataFrame) -> Answer:
    """At least two rules have their least error strictly inside, below both ends; one that never decides has none."""
    cells, curves, inside = Cells(ours), 0, list[tuple[str, bool]]()
    for rule in (rule for rule in RULES_OF_PAPER if "mae" in cells.names(rule)):
        columns = [f"mae@{r}" for r in cells.rounds("mae", rule)]
        if len(columns) > 2:
            curves += 1
            least = min(
                columns[1:-1], key=lambda column: cells.gap("", [(rule, column)]).value
            )
            ends = [cells.within(rule, columns[end], least) for end in (0, -1)]
            if all(gap.value > SLACK for gap in ends):
                inside.append(
                    (f"{rule} at {least}", all(gap.side() == 1 for gap in ends))
                )
    clear = sum(told for _, told in inside)
    verdict = (
        UNTESTED
        if curves < 2
        else YES
        if clear > 1
        else CLOSE
        if len(inside) > 1
        else NO
    )
    return Answer(
        verdict,
        f"least inside: {', '.join(name for name, _ in inside) or 'no rule'}; clearly so: {clear}",
    )


def _worsens_or_stays(cells: Cells) -> list[Gap]:
    """From round 3 to the last, no clear fall beyond a margin."""
    found = [
        cells.within(rule, f"mae@{cells.rounds('mae', *ONE_VOTE)[-1]}", "mae@3")
        for rule in ONE_VOTE
    ]
    return [
        gap._replace(name=f"{gap.name} + {SAME_STARS}", value=gap.value + SAME_STARS)
        for gap in found
    ]


def _means(name: str, *rows: str, bound: float) -> Callable[[Cells], list[Gap]]:
    """The mean share "name@r" over the rounds, beyond a bound, in each row: of n runs alike its error is 1 / n."""

    def gaps(cells: Cells) -> list[Gap]:
        found = [
            cells.gap(
                f"{row}, mean {name} - {bound:g}", _at(cells, name, row), bound=bound
            )
            for row in rows
        ]
        return [
            gap._replace(se=max(gap.se, 1 / gap.n), df=gap.n - 1) if gap.n else gap
            for gap in found
        ]

    return gaps


def _at(cells: Cells, name: str, *rows: str, first: int = 1) -> list[tuple[str, str]]:
    return [
        (row, f"{name}@{r}")
        for row in rows
        for r in cells.rounds(name, row)
        if r >= first
    ]


def _every_round(name: str, higher: str, lower: str) -> Check:
    return every(lambda cells: [cells.between(higher, lower, f"{name}@{r}")
                                for r in cells.rounds(name, higher, lower)])  # fmt: skip


def _two_lead(cells: Cells) -> list[Gap]:
    leads = ("inform", "request")
    return [cells.gap(f"{row}, mean {lead} - {act}", _at(cells, lead, row), _at(cells, act, row))
            for row in ENVIRONMENTS for lead in leads for act in LABELS
            if act not in leads and act in cells.names(row)]  # fmt: skip


def _confirm_rises(cells: Cells) -> list[Gap]:
    after = _at(cells, "confirm", FILMS, first=4)
    return [
        cells.gap(
            f"{FILMS}, mean confirm after round 3 - in it",
            after,
            [(FILMS, "confirm@3")],
        )
    ]


def _peak(act: str) -> Check:
    """By the means: when an act peaks in either environment."""

    def check(ours: pd.DataFrame) -> Answer:
        cells = Cells(ours)
        try:
            at = [
                max(_at(cells, act, row), key=lambda key: cells.gap("", [key]).value)
                for row in ENVIRONMENTS
            ]
        except KeyError as missing:
            return Answer(UNTESTED, f"no run has {missing.args[0]}")
        first, second = (int(column.rpartition("@")[2]) for _, column in at)
        told = f"by its means {act} peaks in rounds {first} and {second}"
        return Answer(YES if first < second else NO, told)

    return check


def _dip(cells: Cells) -> list[Gap]:
    """Lowest in round 1, a peak before the middle, a later low below that peak, and a rise from there to the end."""
    row = "exchange_economy"
    rounds = cells.rounds("grade", row)
    if len(rounds) < 4:
        raise KeyError("four rounds of grade")
    value = {r: cells.gap("", [(row, f"grade@{r}")]).value for r in rounds}
    peak = max(rounds[: len(rounds) // 2], key=value.__getitem__)
    low = min((r for r in rounds[:-1] if r > peak), key=value.__getitem__)
    steps = [*((r, rounds[0]) for r in rounds[1:]), (peak, low), (rounds[-1], low)]
    return [cells.within(row, f"grade@{a}", f"grade@{b}") for a, b in steps]


BETTER = {
    "exchange_economy": 1,
    "movielens": -1,
}  # a share of the largest utility, and an error


def _gains(
    *rules: str, environments: Iterable[str] = BETTER
) -> Callable[[Cells], list[Gap]]:
    """How much better each stopping rule is than @10, positive for better, under each social choice rule."""

    def gaps(cells: Cells) -> list[Gap]:
        found = []
        for environment, rule in product(environments, rules):
            row, base = f"{environment}: {rule}", f"{environment}: @10"
            paired = f"{row} - @10"  # discussion by discussion, where they are known
            known = cells.shared(paired)
            for column in known or cells.shared(row, base):
                gap = (
                    cells.gap(paired, [(paired, column)])
                    if known
                    else cells.between(row, base, column)
                )
                found.append(gap._replace(value=BETTER[environment] * gap.value))
        return found

    return gaps


def _language_leads(ours: pd.DataFrame) -> Answer:
    """In each environment every language rule gains more than all others, by the means over social choice rules."""
    cells, told, leads = Cells(ours), [], []
    for environment in BETTER:
        means = {rule: np.mean([gap.value for gap in found]) for rule in (*LANGUAGE_RULES, *OTHER_RULES)
                 if (found := _gains(rule, environments=[environment])(cells))}  # fmt: skip
        if {*LANGUAGE_RULES} <= {*means} and {*OTHER_RULES} & {*means}:
            least = min(LANGUAGE_RULES, key=lambda rule: means[rule])
            best = max(
                (rule for rule in OTHER_RULES if rule in means),
                key=lambda rule: means[rule],
            )
            leads.append(means[least] > means[best])
            told.append(
                f"{environment}: {least} {means[least]:+.3f}, {best} {means[best]:+.3f}"
            )
    if not told:
        return Answer(UNTESTED, "no run has both kinds of stopping rules")
    return Answer(
        YES if all(leads) else NO,
        f"mean gain over @10, by the means; {'; '.join(told)}",
    )


MOVIELENS: Mapping[str, Check] = {
    "some rules: mae falls, then rises": _v_shaped,
    "one-vote rules: mae worsens or stays": every(_worsens_or_stays),
    "score rules: mae falls over the rounds": rises("mae", *SCORE, sign=-1),
    "group near the best recommender: mae@10": alike(
        RULES_OF_PAPER, ["recommender"], NEAR_STARS, "mae@10"
    ),
}
CONVERSATION: Mapping[str, Check] = {
    "both environments: words rise over the rounds": rises("words", *ENVIRONMENTS),
    "movielens > exchange_economy: words": _every_round(
        "words", "movielens", "exchange_economy"
    ),
    "movielens > exchange_economy: grade": _every_round(
        "grade", "movielens", "exchange_economy"
    ),
    "movielens: grade rises over the rounds": rises("grade", "movielens"),
    "exchange_economy: grade starts low, peaks early, dips, rises": every(_dip),
    "both environments: difference falls over the rounds": rises(
        "difference", *ENVIRONMENTS, sign=-1
    ),
    "both environments: inform and request lead": every(_two_lead),
    "movielens: confirm rises after round 3": every(_confirm_rises),
    "both environments: summarize rises slightly": rises("summarize", *ENVIRONMENTS),
    "both environments: evaluate stays high": every(
        lambda cells: [
            cells.gap(f"{row}, {column} - {HIGH:g}", [(row, column)], bound=HIGH)
            for row, column in _at(cells, "evaluate", *ENVIRONMENTS, first=2)
        ]
    ),
    "propose peaks earlier in exchange_economy than in movielens": _peak("propose"),
    "both environments: compromise, defend, accept, decline rare": combined(
        *(every(_means(act, *ENVIRONMENTS, bound=RARE), -1) for act in RARE_ACTS)
    ),
    "both environments: others low": every(
        _means("others", *ENVIRONMENTS, bound=LOW), -1
    ),
}
STOPPING: Mapping[str, Check] = {
    "most rules: best outcome before the last round": most(_gains("oracle")),
    "almost all stopping rules better than @10": most(
        _gains(*OTHER_RULES, *LANGUAGE_RULES), 0.75
    ),
    "information difference and dialogue act better than the other stopping rules": _language_leads,
}

TRANSITIONS: Mapping[str, Sequence[tuple[str, str]]] = {
    "exchange_economy: request and propose form a loop": [
        ("request", "propose"),
        ("propose", "request"),
    ],
    "exchange_economy: inform leads to request": [("inform", "request")],
    "exchange_economy: confirm leads to request": [("confirm", "request")],
    "exchange_economy: compromise leads to propose": [("compromise", "propose")],
    "exchange_economy: accept leads to the end": [("accept", "end")],
}
"""What section 5.3.2 says of Figure 4(a): edges that are the most probable ones of their sources, named as in the table
of `data/inputs/published`."""

CENTRE = "movielens: most acts lead to request"


def check_statements(
    graphs: Mapping[str, tuple[Transitions, np.ndarray]],
) -> pd.DataFrame:
    """Whether the statements of section 5.3.2 hold in our graphs and their bootstrap draws, one for each environment.

    A statement holds when its edges lead in more than 95 % of the draws, and does not when one of them leads in less
    than 5 %. Columns environment, statement, `holds here`, `here` (probabilities, and the edge that leads instead).
    """
    rows = []
    if ECONOMY in graphs:
        t, drawn = graphs[ECONOMY]
        p, shares = t.probability.to_dict("index"), leads(drawn).stack().to_dict()
        for statement, edges in TRANSITIONS.items():
            answer, told = UNTESTED, "the act does not occur"
            if not any(np.isnan(p[source][target]) for source, target in edges):
                answer = _answer(min(shares[edge] for edge in edges))
                told = "; ".join(
                    _in_words(p[source], source, target) for source, target in edges
                )
            rows.append((ECONOMY, statement, answer, told))
    if FILMS in graphs:
        found = centres(graphs[FILMS][1])
        told = f"request is the centre in {found['request']:.0%} of the draws, {found.idxmax()} in {found.max():.0%}"
        rows.append((FILMS, CENTRE, _answer(found["request"]), told))
    return pd.DataFrame(
        rows, columns=["environment", "statement", "holds here", "here"]
    )


def _answer(share: float) -> str:
    return NO if share < 0.05 else YES if share > 0.95 else CLOSE


def _in_words(p: Mapping[Any, float], source: str, target: str) -> str:
    first = max((act for act in p if act != source), key=lambda act: p[act])
    instead = "" if first == target else f", behind {first} with {p[first]:.2f}"
    return f"{source} → {target} {p[target]:.2f}{instead}"
