"""What "Investigating Language Models for Supporting Complex Group Decisions" (003) states, as checks of our results.

`results` makes one table out of runs, in which each coordinator has its part, and each statement is tested on each of
them: what is said of language models once they sat there. "MCTS < LLM" speaks of divergence, where lower is better.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import permutations, product
from math import hypot, inf
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from support.analysis.claims import (
    CLOSE,
    NO,
    UNTESTED,
    YES,
    Answer,
    Cells,
    Check,
    Gap,
    check_claims,
    combined,
    either,
    every,
    flat,
    most,
    moves,
    read,
    untested,
)
from support.errors import InvalidInput
from support.models.profiles import MODEL, is_model, reasons

USUAL: Mapping[str, Any] = {
    "participants": 3, "preferences": "scores", "objective": "divergence", "solver": False, "rounds": 5,
    "prompt": "full",
}  # fmt: skip
"""What goes without saying of a cell; its name has the feedback, and what is not so."""

PAIRS: Mapping[str, Sequence[tuple[Any, Any]]] = {
    "feedback": (("score", "words"), ("score", "comparison"), ("comparison", "words"), ("words", "score"),
                 ("complete", "words")),
    "solver": ((True, False),),
    "rounds": ((5, 3), (7, 5), (9, 7)),
    "prompt": (("full", "no example"), ("full", "no objective"), ("no example", "no objective")),
}  # fmt: skip
"""Which two levels of a factor are compared."""

SERVED_AS = {"deepseek-r1": "deepseek-reasoner", "deepseek-v3": "deepseek-chat"}
"""What models are called at their maker's, where it is not what the paper calls them."""

AGAINST = {"mcts": ("random", "local"), "exact": ("mcts", "random", "local")}
COSTS = ("evaluations", "replies", "tokens", "seconds")
APPENDIX_D = (
    "away",
    "returned",
    "best 2",
    "best 3",
    "rises",
    "one",
    "few",
    "many",
    "weakest",
    "promises",
)
COUNTED = (*COSTS, "changed", "misled", "undone", *APPENDIX_D)
SMALLER, LARGER = "smaller n", "larger n"


def thinks(name: str) -> bool | None:
    """Whether a coordinator thinks before it answers; None where nobody knows.

    >>> thinks("model:a (reasoning high)"), thinks("model:a (reasoning off)")
    (True, False)
    """
    model, _, effort = name.partition(" (reasoning ")
    return reasons(model, effort.removesuffix(")") or None)


def results(frame: pd.DataFrame) -> pd.DataFrame:
    """The results of runs (as `runs_of` gives them, one of each instance in each cell) as the checks read them:
    participant (who coordinated), row, column, value, se, n.

    A model counts as one that reasons by its name; where nothing says so, by tokens of
    thinking in its replies, if the runs have a column `thinking_tokens`.

    Rows are of three kinds. "words, rankings": the runs under a feedback, with what is not as usual behind it; columns
    are `quality` (divergence, or welfare), those of `COUNTED` that are there, and with references those of `_cell`.
    "welfare: words - score": how much better the first is than the second on the same instances, all else equal
    (`gain`, in points). "score: mcts - model": the same of two coordinators, in the part of the model that is one of
    them, else of the first. Comparisons of models ("complete: reasoning - no reasoning") are in each model's part.

    Each column is there again at each number of decisions ("gain at 5"; where only options vary, of options), and for
    the smaller and the larger half of these numbers; `slope of gain` is its change with each of them.
    """
    runs = _named(frame)
    if len(twice := runs[runs.duplicated(["coordinator", "cell", "instance"])]):
        name, cell, instance = twice.iloc[0][["coordinator", "cell", "instance"]]
        raise InvalidInput(
            f"runs: '{name}, {cell}' has two runs of the instance {instance}; choose one estimator, noise and "
            "participant, or name them in the coordinator"
        )
    between = list(_models(runs[runs["coordinator"].map(is_model)]))
    parts = []
    for name, own in runs.groupby("coordinator", sort=False):
        rows = [
            row
            for cell, part in own.groupby("cell", sort=False)
            for row in _cell(str(cell), part)
        ]
        rows += [row for factor in PAIRS for row in _contrasts(own, factor)]
        rows += _coordinators(runs, str(name)) + (between if is_model(name) else [])
        parts.append(
            pd.DataFrame(rows, columns=["row", "column", "value", "se", "n"]).assign(
                participant=name
            )
        )
    return pd.concat(parts, ignore_index=True)


def _named(frame: pd.DataFrame) -> pd.DataFrame:
    # Studies that are put together say nothing of what they did not vary.
    runs = frame.assign(
        **{name: usual for name, usual in USUAL.items() if name not in frame}
    )
    runs = runs.assign(
        **{
            name: runs[name].where(runs[name].notna(), usual)
            for name, usual in USUAL.items()
        }
    )
    runs["solver"] = [
        kind if str(kind).startswith("mcts") else kind not in (False, "none")
        for kind in runs["solver"]
    ]
    if "thinking_tokens" in runs:
        runs["coordinator"] = runs["coordinator"].replace(_seen_to_think(runs))
    fair = runs["objective"] == "divergence"
    runs["quality"] = runs["divergence"].where(fair, runs["welfare"])
    runs["sign"] = np.where(fair, -1.0, 1.0)
    runs["size"] = runs["options"].where(
        runs["preferences"] == "rankings", runs["decisions"]
    )
    cells = [_name(row, ["feedback", *USUAL]) for row in runs.to_dict("records")]
    return runs.assign(better=runs["sign"] * runs["quality"], cell=cells)


def _seen_to_think(runs: pd.DataFrame) -> dict[str, str]:
    """New names of those whose replies show that they think, where nothing else does."""
    seen = runs.loc[runs["thinking_tokens"] > 0, "coordinator"].unique()
    unknown = [name for name in seen if "(reasoning " not in name and not thinks(name)]
    return {name: f"{name} (reasoning seen)" for name in unknown}


def _name(row: Mapping[Any, Any], factors: Sequence[str]) -> str:
    said = [str(row["feedback"])] if "feedback" in factors else []
    return ", ".join(
        said + [_level(f, row[f]) for f in factors if f in USUAL and row[f] != USUAL[f]]
    )


def _level(factor: str, level: Any) -> str:
    if factor == "solver":
        return {True: "solver", False: "no solver"}.get(level, f"{level} as solver")
    return f"{level:g} {factor}" if factor in ("participants", "rounds") else str(level)


def _cell(name: str, part: pd.DataFrame) -> Iterator[dict[str, Any]]:
    measured = {"quality": part["quality"]} | {
        column: part[column] for column in COUNTED if column in part
    }
    if "random" in part:
        measured["beats random"] = part["better"] - part["sign"] * part["random"]
        measured["beats random, share"] = measured["beats random"] / part["random"]
        measured["beats best of k"] = (
            part["better"] - part["sign"] * part["random_best"]
        )
        measured["optimal"] = (
            (part["regret"] == 0).astype(float).where(part["proven"].astype(bool))
        )
        measured["off"] = 1 - measured["optimal"]
        if "local" in part:
            measured["caught"] = part["local"].where(part["regret"] > 0)
        if (part["sign"] > 0).all():
            measured["share of the optimum"] = part["quality"] / part["optimum"]
    for column, values in measured.items():
        yield from _rows(name, column, values, part["size"])


def _contrasts(own: pd.DataFrame, factor: str) -> Iterator[dict[str, Any]]:
    others = [name for name in ("feedback", *USUAL) if name != factor]
    for levels, part in own.groupby(others, sort=False, dropna=False):
        where = _name(dict(zip(others, levels, strict=True)), others)
        for a, b in PAIRS[factor]:
            if {a, b} <= set(part[factor]):
                name = (
                    f"{where}: " * bool(where)
                    + f"{_level(factor, a)} - {_level(factor, b)}"
                )
                yield from _gaps(part, factor, a, b, name)


def _coordinators(runs: pd.DataFrame, name: str) -> list[dict[str, Any]]:
    pairs = [
        (name, other) for other in ("random", *AGAINST.get(name, ())) if other != name
    ]
    pairs = (
        [("mcts", name), ("exact", name), (name, "random")]
        if is_model(name)
        else pairs
        if name in AGAINST
        else []
    )
    base = name.partition(" (")[0]
    off = f"{base} (reasoning off)"
    rows = list[dict[str, Any]]()
    for cell, part in runs.groupby("cell", sort=False):
        for a, b in dict.fromkeys(pairs):
            called = " - ".join(MODEL if is_model(one) else one for one in (a, b))
            rows += _gaps(part, "coordinator", a, b, f"{cell}: {called}")
        if is_model(base) and off != name:
            rows += _gaps(
                part, "coordinator", name, off, f"{cell}: thinking - no thinking"
            )
    return rows


def _models(runs: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """Models against each other: those that reason against the others, and each against each."""
    known = {name: thinks(name) for name in runs["coordinator"].unique()}
    runs = runs.assign(
        kind=runs["coordinator"]
        .map(known)
        .map({True: "reasoning", False: "no reasoning"})
    )
    for cell, part in runs.groupby("cell", sort=False):
        mean = part.groupby(["instance", "kind"], as_index=False)[
            ["better", "size"]
        ].mean()
        yield from _gaps(
            mean,
            "kind",
            "reasoning",
            "no reasoning",
            f"{cell}: reasoning - no reasoning",
        )
        for a, b in permutations(part["coordinator"].unique(), 2):
            yield from _gaps(part, "coordinator", a, b, f"{cell}: {a} - {b}")
        spread = {kind: one["better"].sub(one.groupby("size")["better"].transform("mean")).abs()
                  for kind, one in part.groupby("kind")}  # fmt: skip
        if len(spread) == 2 and min(map(len, spread.values())) > 1:
            (a, b), n = (
                (spread[kind] for kind in ("no reasoning", "reasoning")),
                min(map(len, spread.values())),
            )
            told = {
                "value": a.mean() - b.mean(),
                "se": hypot(float(stats.sem(a)), float(stats.sem(b))),
                "n": n,
            }
            yield {
                "row": f"{cell}: reasoning - no reasoning",
                "column": "steadier",
                **told,
            }


def _gaps(
    part: pd.DataFrame, by: str, a: Any, b: Any, name: str
) -> Iterator[dict[str, Any]]:
    """How much better `a` is than `b` on the same instances, in points and as a share of what a random plan has."""
    if not {a, b} <= set(part[by]):
        return
    one, other = (part[part[by] == level].set_index("instance") for level in (a, b))
    both = one.index.intersection(other.index)
    gaps = one.loc[both, "better"] - other.loc[both, "better"]
    yield from _rows(name, "gain", gaps, one.loc[both, "size"])
    if "random" in part:
        yield from _rows(
            name, "gain, share", gaps / one.loc[both, "random"], one.loc[both, "size"]
        )


def _rows(
    name: str, column: str, values: pd.Series[float], n: pd.Series[int]
) -> Iterator[dict[str, Any]]:
    """Mean and standard error over all n, at each, over either half; the slope; nothing of fewer than two values."""
    there = values.notna().to_numpy()
    found, sizes = values.to_numpy(dtype=float)[there], n.to_numpy(dtype=float)[there]
    several = np.unique(sizes)
    parts = {column: sizes > 0} | {f"{column} at {k:g}": sizes == k for k in several}
    if len(several) > 1:
        middle = np.median(several)
        parts |= {
            f"{column} at {SMALLER}": sizes < middle,
            f"{column} at {LARGER}": sizes > middle,
        }
    for what, part in parts.items():
        if (count := int(part.sum())) > 1:
            error = (
                float(found[part].std(ddof=1)) / count**0.5
            )  # `stats.sem`, without all that is wrapped around it
            yield {
                "row": name,
                "column": what,
                "value": found[part].mean(),
                "se": error,
                "n": count,
            }
    if len(several) > 1 and len(found) > 2:
        line = stats.linregress(sizes, found)
        yield {
            "row": name,
            "column": f"slope of {column}",
            "value": line.slope,
            "se": line.stderr,
            "n": len(found),
        }


# -- checks ----------------------------------------------------------------------------------------------------------

NEARLY_ALL = 0.9  # our reading of "by far the most cases", as a share of runs
MARGINAL = 0.5  # our reading of a marginal gain: less than this share of the gain from 3 to 5 rounds
NEAR = (
    0.1  # our reading of "close" and "alike": within a tenth of what a random plan has
)
LEVEL = 0.01  # our reading of "keeps up": a hundredth of the optimum with each further decision
PROPORTION = (
    0.8,
    1.25,
)  # our reading of "nearly in proportion": the cost of 9 rounds over 3 times that of 3
FEW = 2.0  # "one or two decisions at a time"
FIRST, LATER = (
    "score: 5 rounds - 3 rounds",
    ("score: 7 rounds - 5 rounds", "score: 9 rounds - 7 rounds"),
)


def better(*rows: str, column: str = "gain") -> Check:
    """The claim that the first of two is better than the second, in each of these comparisons."""
    return moves(1, rows, column)


def _sizes(cells: Cells, row: str, column: str = "gain") -> list[Gap]:
    """A column of a row at each number of decisions, or options."""
    at = [
        c
        for c in cells.shared(row)
        if re.fullmatch(rf"{re.escape(column)} at [\d.]+", c)
    ]
    if not at:
        raise KeyError(row)
    return [cells.gap(f"{row}, {c}", [(row, c)]) for c in at]


def _there(row: str) -> Check:
    """That a comparison was made at all."""
    return read(
        lambda cells: [cells.gap(row, [(row, "gain")])],
        lambda gaps: Answer(YES, f"{row} was played"),
    )


def _share(row: str, column: str, bound: float = 0.5) -> Check:
    """The claim that a share of runs lies above a bound, by Wilson's interval."""

    def judge(gaps: list[Gap]) -> Answer:
        from statsmodels.stats.proportion import proportion_confint

        (gap,) = gaps
        n = gap.n or 0
        low, high = proportion_confint(gap.value * n, n, method="wilson")
        told = f"{gap.name}: {gap.value:.2f} ({low:.2f} to {high:.2f}), n = {n:.0f}, bound {bound:g}"
        return Answer(YES if low > bound else NO if high < bound else CLOSE, told)

    return read(lambda cells: [cells.gap(f"{row}, {column}", [(row, column)])], judge)


def everywhere(row: str, column: str = "gain") -> Check:
    """The claim that a column is above 0 at each number of decisions (or options) by itself."""
    return every(lambda cells: _sizes(cells, row, column))


def _somewhere(row: str) -> Check:
    def judge(gaps: list[Gap]) -> Answer:
        best = max(gaps, key=Gap.times)
        return Answer(best.verdict(), f"{best.name}: {best.interval()}")

    return read(lambda cells: _sizes(cells, row), judge)


def in_most(*rows: str) -> Check:
    """The claim that the gain is above 0 in most settings, the numbers of decisions."""
    return most(lambda cells: [gap for row in rows for gap in _sizes(cells, row)])


def marginal(*later: str) -> Check:
    """The gains by later rounds are less than `MARGINAL` of that from 3 to 5, which has to be clear."""

    def judge(gaps: list[Gap]) -> Answer:
        first, *more = gaps
        if first.side() != 1:
            return Answer(CLOSE, "the gain from 3 to 5 rounds is not clear itself")
        left = [gap._replace(value=MARGINAL * first.value - gap.value, se=hypot(MARGINAL * first.se, gap.se))
                for gap in more]  # fmt: skip
        least = min(left, key=Gap.times)
        told = f"{', '.join(f'{gap.value:.1f}' for gap in more)} points after {first.value:.1f}"
        return Answer(least.verdict(), told)

    return read(
        lambda cells: [cells.gap(row, [(row, "gain")]) for row in (FIRST, *later)],
        judge,
    )


def cost(column: str, low: float, high: float = inf) -> Check:
    """The cost of 9 rounds over that of 3 lies between two bounds, by the means."""

    def judge(gaps: list[Gap]) -> Answer:
        three, nine = (gap.value for gap in gaps)
        if not three > 0:
            return Answer(UNTESTED, f"no run has {column}")
        told = f"{column}, 9 rounds over 3: {nine / three:.2f}, by the means"
        return Answer(YES if low < nine / three < high else NO, told)

    return read(
        lambda cells: [cells.gap("", [(f"score, {k} rounds", column)]) for k in (3, 9)],
        judge,
    )


def of(name: str, check: Check) -> Check:
    """A claim on one of our coordinators, or on a model by what its name contains; "MODEL": on any model.

    "x, thinking" and "x, no thinking" are one model's two ways.
    """
    return _on(
        lambda who: (
            (is_model(who) and (name == MODEL or _is(who, name))) or who == name
        ),
        check,
    )


def of_reasoning(wanted: bool, check: Check) -> Check:
    """A claim on models that think before they answer, or on those that do not."""
    return _on(lambda who: is_model(who) and thinks(who) == wanted, check)


def _on(whom: Callable[[str], bool], check: Check) -> Check:
    return lambda ours: (
        check(ours) if whom(str(ours["participant"].iloc[0])) else Answer(UNTESTED)
    )


def _is(model: str, name: str) -> bool:
    base, _, way = name.partition(", ")
    if not any(one in model.lower() for one in (base, SERVED_AS.get(base, base))):
        return False
    return not way or thinks(model) == (way == "thinking")


def named(
    first: Sequence[str],
    second: Sequence[str],
    where: str,
    test: Callable[[str], Check] = better,
) -> Check:
    """A claim on two kinds of models, by their names, on the same instances; of all pairs of them that sat there."""

    def check(ours: pd.DataFrame) -> Answer:
        rows = [
            row for row in ours["row"].unique() if row.startswith(f"{where}: {MODEL}:")
        ]
        pairs = {row: row.removeprefix(f"{where}: ").split(" - ") for row in rows}
        hits = [
            r
            for r, (a, b) in pairs.items()
            if any(_is(a, x) for x in first) and any(_is(b, y) for y in second)
        ]
        lacking = untested(
            f"runs of {', '.join(first)} and {', '.join(second)} on the same instances would tell"
        )
        return combined(*map(test, hits))(ours) if hits else lacking(ours)

    return of(MODEL, check)


def _closer(gaps: list[Gap]) -> Answer:
    """Words are nearer than scores to what a random plan has; by means, without intervals."""
    words, score = (gap.value for gap in gaps)
    return Answer(
        YES if abs(words) < abs(score) else NO,
        f"{words:+.1f} points against {score:+.1f}, by the means",
    )


def needs_every_gain(ours: pd.DataFrame) -> Answer:
    """No: where a solver on estimated gains improves the plans."""
    pairs = product(
        ("score", "words", "comparison"), ("solver - no solver", "exact - random")
    )
    there = [
        answer
        for row in map(": ".join, pairs)
        if (answer := better(row)(ours)) != UNTESTED
    ]
    if not there:
        return Answer(UNTESTED, "no run has a solver on estimated gains")
    helped = [answer.evidence for answer in there if answer == YES]
    return (
        Answer(NO, f"on estimated gains: {helped[0]}")
        if helped
        else Answer(CLOSE, there[0].evidence)
    )


_REASONING = of(MODEL, better("complete: reasoning - no reasoning"))
_RANKED = "words, rankings"
_PLAIN_IS_RANDOM = of_reasoning(False, flat(["complete"], "beats random, share", NEAR))
_MCTS_SCORE, _MCTS_WORDS = better("score: mcts - model"), better("words: mcts - model")
_FULL = in_most("score: full - no example", "score: full - no objective")
_OBJECTIVE = better("score: no example - no objective")
_FLASH, _PLAIN_FLASH = "gemini-2.5-flash, thinking", "gemini-2.5-flash, no thinking"
_R1, _V3, _O3 = "deepseek-r1", "deepseek-v3", "o3-mini"


def _one_run(wanted: bool, column: str) -> Check:
    """Of one printed run of a model that reasons, or does not: are most runs of such a model, told all, like it?"""

    def check(ours: pd.DataFrame) -> Answer:
        answer = _share("complete", column)(ours)
        return answer if answer != UNTESTED else _share("score", column)(ours)

    return of_reasoning(wanted, check)


_table_2, _table_3 = partial(_one_run, False), partial(_one_run, True)

PLANNING: Mapping[str, Check] = {
    # 5.1 and Figures 2 and 3: reasoning
    "reasoning models < non-reasoning models: divergence": _REASONING,
    "o3-mini, Gemini-2.5-Flash < DeepSeek-R1: divergence": named([_O3, _FLASH], [_R1], "complete"),
    "non-reasoning models close to random: divergence": _PLAIN_IS_RANDOM,
    "Gemini-2.5-Flash with thinking < without thinking: divergence":
        of(MODEL, better("complete: thinking - no thinking")),
    "Gemini-2.5-Flash with thinking close to o3-mini: divergence":
        named([_FLASH], [_O3], "complete", lambda row: flat([row], "gain, share", NEAR)),
    "Gemini-2.5-Flash without thinking close to random: divergence":
        of(_PLAIN_FLASH, flat(["complete"], "beats random, share", NEAR)),
    "CPLEX < every model: divergence": better("complete: exact - model"),
    "CPLEX: optimum in nearly every instance": of("exact", _share("complete", "optimal", bound=NEARLY_ALL)),
    "rankings: o3-mini, DeepSeek-R1 < other models: divergence": named([_O3, _R1], ["gemini-2.5-flash", _V3], _RANKED),
    "rankings: non-reasoning models close to random: divergence":
        of_reasoning(False, flat([_RANKED], "beats random, share", NEAR)),
    "rankings: DeepSeek-V3 < Gemini-2.5-Flash without thinking in some settings: divergence":
        named([_V3], [_PLAIN_FLASH], _RANKED, _somewhere),
    "rankings: reasoning models < random in every setting: divergence":
        of_reasoning(True, everywhere(_RANKED, "beats random")),
    "rankings: non-reasoning models less stable than reasoning models: divergence":
        of(MODEL, better(f"{_RANKED}: reasoning - no reasoning", column="steadier")),
    "most reasoning models < random: divergence": of_reasoning(True, better("complete", column="beats random")),
    "all non-reasoning models close to random: divergence": _PLAIN_IS_RANDOM,
    "every reasoning model < random: divergence": of_reasoning(True, better(_RANKED, column="beats random")),
    "rankings: reasoning models < non-reasoning models: divergence":
        of(MODEL, better(f"{_RANKED}: reasoning - no reasoning")),
    # 5.2 and Figure 4: tree search
    "LLM alone: caught in local optima": of(MODEL, _share("complete", "caught")),
    "score feedback: MCTS < LLM in most settings: divergence": in_most("score: mcts - model"),
    "verbal feedback: MCTS < LLM in most settings: divergence": in_most("words: mcts - model"),
    "verbal feedback, n = 3: MCTS > average: divergence": of("mcts", moves(-1, ["words"], "beats random at 3")),
    "verbal feedback: errors of estimated gains mislead MCTS": of("mcts", better("words", column="misled")),
    "every n, score feedback: MCTS < LLM: divergence": everywhere("score: mcts - model"),
    "every n, verbal feedback: MCTS < LLM: divergence": everywhere("words: mcts - model"),
    "score feedback: MCTS < LLM: divergence": _MCTS_SCORE,
    "verbal feedback: MCTS < LLM: divergence": _MCTS_WORDS,
    # 5.3, 5.4 and Figure 5: feedback
    "score feedback < verbal feedback: divergence": better("score - words"),
    "verbal feedback closer to random than score feedback: divergence":
        read(lambda cells: [cells.gap("", [(kind, "beats random")]) for kind in ("words", "score")], _closer),
    "n = 7, n = 8: verbal feedback > random: divergence":
        either(*(moves(-1, ["words"], f"beats random at {n}") for n in (7, 8))),
    "numbers from words are the bottleneck": better("complete - words"),
    "every n: score feedback < comparison: divergence": everywhere("score - comparison"),
    "larger n: comparison < verbal feedback: divergence": better("comparison - words", column=f"gain at {LARGER}"),
    "comparison more direct than verbal feedback": untested("how a question feels to people: no plan tells"),
    "comparison < verbal feedback: divergence": better("comparison - words"),
    "every n: score feedback < verbal feedback: divergence": everywhere("score - words"),
    "score feedback < comparison: divergence": better("score - comparison"),
    # 5.5 and Figure 6: a solver
    "without CPLEX: divergence rises with n":
        combined(better("complete", column="slope of quality"), _there("complete: solver - no solver")),
    "with CPLEX: optimum in most instances": _share("complete, solver", "optimal"),
    "CPLEX needs every gain": needs_every_gain,
    "every n: with CPLEX < without CPLEX: divergence": everywhere("complete: solver - no solver"),
    "with solver < without solver: divergence": better("complete: solver - no solver"),
    "larger n: larger gain by the solver: divergence": better("complete: solver - no solver", column="slope of gain"),
    # 5.6 and Figure 7: welfare
    "smaller n: score feedback and verbal feedback alike: welfare":
        flat(["welfare: words - score"], f"gain, share at {SMALLER}", NEAR),
    "larger n: verbal feedback > score feedback: welfare": better("welfare: words - score", column=f"gain at {LARGER}"),
    "score feedback: one or two decisions changed at a time":
        of(MODEL, moves(-1, ["score, welfare"], "changed", FEW)),
    "score feedback: changes that lower the welfare are undone": of(MODEL, _share("score, welfare", "undone")),
    "verbal feedback: several decisions changed at once": of(MODEL, moves(1, ["words, welfare"], "changed", FEW)),
    "verbal feedback leaves local optima more often than score feedback": untested(
        "welfare is a sum over decisions: no plan but the best is one that no single change improves"
    ),
    "verbal feedback keeps up as n grows: welfare": flat(["words, welfare"], "slope of share of the optimum", LEVEL),
    "score feedback falls back as n grows: welfare": moves(-1, ["score, welfare"], "slope of share of the optimum"),
    # Appendix D shows one run of a plain model (Table 2) and one of a reasoning one (Table 3): are most runs like them?
    "Table 2: lowest divergence in round 2": _table_2("best 2"),
    "Table 2: divergence rises from round 3 to round 5": _table_2("rises"),
    "Table 2: one meal changed at a time": _table_2("one"),
    "Table 2: only the weakest participant is looked after": _table_2("weakest"),
    "Table 2: reasons promise a smaller difference": _table_2("promises"),
    "non-reasoning model moves away from its best plan": _table_2("away"),
    "Table 3: lowest divergence in round 3": _table_3("best 3"),
    "Table 3: later rounds return to worse plans": _table_3("returned"),
    "Table 3: changes too small": _table_3("few"),
    "Table 3: changes too large now and then": _table_3("many"),
    # E.1 and Figure 10: rounds
    "more rounds: lower divergence": better(FIRST, *LATER),
    "3 rounds: often an unsatisfactory plan": _share("score, 3 rounds", "off"),
    "5 rounds < 3 rounds: divergence": better(FIRST),
    "7, 9 rounds close to 5 rounds: divergence": marginal(*LATER),
    "larger n: smaller gain by 7 and 9 rounds: divergence": moves(-1, LATER, "slope of gain"),
    "more rounds: more tokens, nearly in proportion": cost("tokens", *(3 * bound for bound in PROPORTION)),
    "more rounds: more seconds, nearly in proportion": cost("seconds", *(3 * bound for bound in PROPORTION)),
    "5 rounds: best balance of quality and cost":
        untested("it takes a price of a point, which the paper does not give"),
    "more rounds beyond some number: little gain": marginal(LATER[-1]),
    "more rounds: more tokens and seconds": combined(cost("tokens", 1.0), cost("seconds", 1.0)),
    # E.2 and Figure 11: the prompt
    "full prompt best in most settings: divergence": _FULL,
    "no objective: largest loss: divergence": combined(_OBJECTIVE, better("score: full - no objective")),
    "no example: smaller loss: divergence": combined(_OBJECTIVE, better("score: full - no example")),
    "context counts for most: divergence": _OBJECTIVE,
}  # fmt: skip
"""A check for every statement of `data/inputs/published/003_1a2bb55b71c6f802.csv`."""

ESTIMATED = "with a solver on estimated gains < without (not in the paper): divergence"
FINDINGS: Mapping[str, Sequence[str]] = {
    "(i) reasoning models are better": ["reasoning models < non-reasoning models: divergence",
                                        "rankings: reasoning models < non-reasoning models: divergence"],
    "(ii) tree search is better than a language model alone": ["score feedback: MCTS < LLM: divergence",
                                                               "verbal feedback: MCTS < LLM: divergence"],
    "(iii) scores are better than words and comparison": ["score feedback < verbal feedback: divergence",
                                                          "score feedback < comparison: divergence"],
    "(iv) a solver improves, the more so the larger n": ["with solver < without solver: divergence",
                                                         "larger n: larger gain by the solver: divergence", ESTIMATED],
    "welfare: words are better than scores as n grows": [
        "smaller n: score feedback and verbal feedback alike: welfare",
        "larger n: verbal feedback > score feedback: welfare"],
}  # fmt: skip
"""The four findings of section 6 and the result of 5.6, with their statements."""

GIVEN = {
    "with solver < without solver: divergence",
    "larger n: larger gain by the solver: divergence",
}
"""Where the solver is handed every gain, and is held against those who are not."""


def findings(ours: pd.DataFrame) -> pd.DataFrame:
    """What becomes of the paper's findings here: finding, statement, here, of whom (each coordinator's answer).

    `here` is reproduced, reversed, undecided, "depends on the coordinator" where it is yes for one and no for another,
    or not testable here; where the solver is handed every gain it is said that this is why.
    """
    rows = [
        (finding, statement, "")
        for finding, parts in FINDINGS.items()
        for statement in parts
    ]
    solved = combined(
        *(better(f"{kind}: solver - no solver") for kind in ("score", "words"))
    )
    stated = pd.DataFrame(rows, columns=["table", "statement", "note"])
    names, found = list(ours["participant"].unique()), []
    for row in check_claims(ours, stated, {**PLANNING, ESTIMATED: solved}).to_dict(
        "records"
    ):
        each = {name: row[name] for name in names if row[name] != UNTESTED}
        kinds = set(each.values())
        here = (
            "depends on the coordinator"
            if {YES, NO} <= kinds
            else "undecided"
            if kinds
            else UNTESTED
        )
        if len(kinds) == 1:
            here = {YES: "reproduced", NO: "reversed", CLOSE: "undecided"}[kinds.pop()]
        if row["statement"] in GIVEN and here == "reproduced":
            here += ", by a solver that is handed every gain"
        of_whom = "; ".join(f"{name}: {answer}" for name, answer in each.items())
        found.append(
            {
                "finding": row["where"],
                "statement": row["statement"],
                "here": here,
                "of whom": of_whom,
            }
        )
    return pd.DataFrame(found)
