"""What "Investigating Language Models for Supporting Complex Group Decisions" (003) states, as checks of our results.

`results` makes one table out of runs, and the checks read it. Where language models coordinate, each has a table of its
own and is tested by itself; statements that name models of 2025 are tested once models of those names sat there.
Statements on feedback, solver and rounds are tested on every coordinator, and hold only when they hold for each;
`judged` has them one by one. "MCTS < LLM" speaks of divergence, where lower is better.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from math import sqrt
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
    Check,
    check_claims,
    combined,
    either,
    evidence,
    moves,
    untested,
)
from support.analysis.frames import need_columns
from support.errors import InvalidInput
from support.models.profiles import MODEL, is_model, profile

FACTORS: Mapping[str, Any] = {
    "coordinator": None,
    "feedback": None,
    "participants": 3,
    "preferences": "scores",
    "objective": "divergence",
    "solver": False,
    "rounds": 5,
    "prompt": "full",
}
"""What a row's name says of its runs, and what goes without saying."""

PAIRS: Mapping[str, Sequence[tuple[Any, Any]]] = {
    "coordinator": (
        *product(("mcts",), ("model", "random", "local")),
        *product(("exact",), ("model", "mcts", "random", "local")),
        ("model", "random"),
    ),
    "feedback": (("score", "words"), ("score", "comparison"), ("comparison", "words"), ("words", "score"),
                 ("complete", "words")),
    "solver": ((True, False),),
    "rounds": ((5, 3), (7, 5), (9, 7)),
    "prompt": (("full", "no example"), ("full", "no objective"), ("no example", "no objective")),
}  # fmt: skip
"""Which two levels of a factor are compared."""

COUNTED = ("evaluations", "replies", "tokens", "seconds", "changed", "away", "undone", "left")
SMALLER, LARGER = "smaller n", "larger n"
REASONS = "reasons"


def reasons(model: str, reasoning: Any = None) -> bool:
    """Whether a model thinks before it answers: as it was asked to, else as its entry of models.toml says."""
    known = profile(model)
    return reasoning != "off" if isinstance(reasoning, str) else bool(known.thinking or known.reasoning_effort)


def results(frame: pd.DataFrame) -> pd.DataFrame:
    """The results of runs as the checks read them: row, column, value, se, n (runs or pairs).

    Two kinds of rows. "model, words": the runs of a coordinator under a kind of feedback, with whatever else is not as
    in the paper's main setting behind it ("mcts, score, welfare"). Columns: `quality` (divergence, or welfare), what
    was kept of `COUNTED`, and where the runs have references `beats random` (how much better than a random plan),
    the same as a share of it, `beats best of k`, `optimal` (the share of runs at the optimum, where it is proven),
    `caught` (of the others, the share at a local optimum) and for welfare `share of the optimum`. "mcts: score -
    words": how much better, on the same instances, the first of two is than the second, everything else equal; the
    column is `gain`, in points of the objective. Every column is there again for each number of decisions ("gain at n =
    5"), and for the smaller and the larger half of these numbers; `slope of gain` is its change with each decision.

    Where language models coordinate, each has a table of its own, with everybody who is none: the column `participant`
    names it, the row "model" with the column `reasons` tells whether it thinks, and "…: reasoning - no reasoning" and
    "…: a - b" hold the models against each other on the same instances.

    Parameters
    ----------
    frame : as `runs_of` gives it, one run of each instance in each cell
    """
    need_columns(frame, ["coordinator", "feedback", "decisions", "instance", "divergence", "welfare"], "runs")
    runs = _named(frame)
    names = [name for name in runs["who"].unique() if name]
    if not names:
        return _table(runs)
    between = pd.DataFrame([row for one in _models(runs[runs["who"] != ""]) for row in one])
    parts = []
    for name in names:
        thinks = runs.loc[runs["who"] == name, "thinks"].iloc[0]
        known = pd.DataFrame([{"row": MODEL, "column": REASONS, "value": float(thinks), "se": 0.0, "n": 1}])
        table = pd.concat([_table(runs[runs["who"].isin(["", name])]), known, between], ignore_index=True)
        parts.append(table.assign(participant=f"{MODEL}:{name}"))
    return pd.concat(parts, ignore_index=True)


def _table(runs: pd.DataFrame) -> pd.DataFrame:
    twice = runs[runs.duplicated(["cell", "instance"])]
    if not twice.empty:
        raise InvalidInput(
            f"runs: {twice['cell'].iloc[0]!r} has two runs of the instance {twice['instance'].iloc[0]}; choose one "
            "estimator, noise and participant, or name them in the coordinator"
        )
    rows = [row for name, part in runs.groupby("cell", sort=False) for row in _cell(str(name), part)]
    rows += [row for factor in PAIRS for row in _contrasts(runs, factor)]
    return pd.DataFrame(rows, columns=["row", "column", "value", "se", "n"])


def _named(frame: pd.DataFrame) -> pd.DataFrame:
    # Studies that are put together say nothing of what they did not vary.
    usual = {name: usual for name, usual in FACTORS.items() if usual is not None}
    runs = frame.assign(**{name: value for name, value in usual.items() if name not in frame})
    runs = runs.assign(**{name: runs[name].where(runs[name].notna(), value) for name, value in usual.items()})
    runs["solver"] = [kind if str(kind).startswith("mcts") else kind not in (False, "none") for kind in runs["solver"]]
    fair = runs["objective"] == "divergence"
    runs["quality"] = runs["divergence"].where(fair, runs["welfare"])
    runs["better"] = np.where(fair, -1.0, 1.0) * runs["quality"]
    led, asked = runs["coordinator"].astype(str), runs.get("reasoning", pd.Series(None, index=runs.index))
    effort = [f", reasoning {e}" if isinstance(e, str) else "" for e in asked]
    # Statements speak of "the model"; which one it is stands beside it.
    sits = [is_model(name) and name != MODEL for name in led]
    models = [name.partition(":")[2] for name in led]
    runs["who"] = [name + e if here else "" for name, e, here in zip(models, effort, sits, strict=True)]
    runs["thinks"] = [here and reasons(name, e) for name, e, here in zip(models, asked, sits, strict=True)]
    runs["coordinator"] = [MODEL if here else name for name, here in zip(led, sits, strict=True)]
    cells = runs[list(FACTORS)].to_dict("records")
    return runs.assign(cell=[_name({str(k): v for k, v in row.items()}, FACTORS) for row in cells])


def _name(row: Mapping[str, Any], factors: Sequence[str] | Mapping[str, Any]) -> str:
    said = [str(row[name]) for name in ("coordinator", "feedback") if name in factors]
    usual = {name: FACTORS[name] for name in factors if FACTORS[name] is not None}
    return ", ".join([*said, *(_level(name, row[name]) for name in usual if row[name] != usual[name])])


def _cell(name: str, part: pd.DataFrame) -> list[dict[str, Any]]:
    measured = {"quality": part["quality"]} | {cost: part[cost] for cost in COUNTED if cost in part}
    if "random" in part:
        sign = np.where(part["objective"] == "divergence", -1.0, 1.0)
        measured["beats random"] = part["better"] - sign * part["random"]
        measured["beats random, share"] = measured["beats random"] / part["random"]
        measured["beats best of k"] = part["better"] - sign * part["random_best"]
        measured["optimal"] = (part["regret"] == 0).astype(float).where(part["proven"].astype(bool))
        measured["off the optimum"] = 1 - measured["optimal"]
        if "local" in part:
            measured["caught"] = part["local"].where(part["regret"] > 0)
        if (sign > 0).all():
            measured["share of the optimum"] = part["quality"] / part["optimum"]
    return [row for column, values in measured.items() for row in _rows(name, column, values, part["decisions"])]


def _contrasts(runs: pd.DataFrame, factor: str) -> Iterator[dict[str, Any]]:
    others = [name for name in FACTORS if name != factor]
    n = runs.drop_duplicates("instance").set_index("instance")["decisions"]
    for levels, part in runs.groupby(others, sort=False, dropna=False):
        where = _name(dict(zip(others, levels, strict=True)), others)
        wide = part.pivot(index="instance", columns=factor, values="better")
        left = part.pivot(index="instance", columns=factor, values="left") if "left" in part else None
        for a, b in PAIRS[factor]:
            if {a, b} <= set(wide.columns):
                named = f"{where}: {_level(factor, a)} - {_level(factor, b)}"
                gaps = wide[a] - wide[b]
                yield from _rows(named, "gain", gaps, n[gaps.index])
                if left is not None:
                    yield from _rows(named, "gain of left", left[a] - left[b], n[gaps.index])


def _models(runs: pd.DataFrame) -> Iterator[Iterator[dict[str, Any]]]:
    """Language models held against each other: those that think against the others, and each against each."""
    n = runs.drop_duplicates("instance").set_index("instance")["decisions"]
    for cell, part in runs.groupby("cell", sort=False):
        kinds = part.pivot_table(index="instance", columns="thinks", values="better")
        if {True, False} <= set(kinds.columns):
            gaps = kinds[True] - kinds[False]
            yield _rows(f"{cell}: reasoning - no reasoning", "gain", gaps, n[gaps.index])
            spread = {kind: kinds[kind].dropna() for kind in (True, False)}
            if min(map(len, spread.values())) > 2 and all(v.std() > 0 for v in spread.values()):
                ratio = float(np.log(spread[False].std() / spread[True].std()))
                error = sqrt(sum(1 / (2 * (len(v) - 1)) for v in spread.values()))
                row = {"row": f"{cell}: reasoning - no reasoning", "column": "steadier", "value": ratio, "se": error}
                yield iter([row | {"n": len(gaps)}])
        each = part.pivot_table(index="instance", columns="who", values="better")
        for a, b in product(each.columns, repeat=2):
            if a != b:
                gaps = each[a] - each[b]
                yield _rows(f"{cell}: {a} - {b}", "gain", gaps, n[gaps.index])
                if "random" in part:
                    share = gaps / part.drop_duplicates("instance").set_index("instance")["random"][gaps.index]
                    yield _rows(f"{cell}: {a} - {b}", "gain, share", share, n[gaps.index])


def _level(factor: str, level: Any) -> str:
    """A level as the name of a comparison has it.

    >>> _level("solver", False), _level("rounds", 5), _level("feedback", "score")
    ('no solver', '5 rounds', 'score')
    """
    if factor == "solver":
        return {True: "solver", False: "no solver"}.get(level, f"{level} as solver")
    return f"{level:g} {factor}" if factor in ("participants", "rounds") else str(level)


def _rows(name: str, column: str, values: pd.Series[float], n: pd.Series[int]) -> Iterator[dict[str, Any]]:
    """Mean and standard error over all n, at each, over either half; the slope; nothing of fewer than two values."""
    there = values.notna().to_numpy()
    found, sizes = values.to_numpy(dtype=float)[there], n.to_numpy(dtype=float)[there]
    several = np.unique(sizes)
    parts = {column: sizes > 0} | {f"{column} at n = {k:g}": sizes == k for k in several}
    if len(several) > 1:
        middle = np.median(several)
        parts |= {f"{column} at {SMALLER}": sizes < middle, f"{column} at {LARGER}": sizes > middle}
    for what, part in parts.items():
        if (count := int(part.sum())) > 1:
            error = found[part].std(ddof=1) / sqrt(count)
            yield {"row": name, "column": what, "value": found[part].mean(), "se": error, "n": count}
    if len(several) > 1 and len(found) > 2:
        line = stats.linregress(sizes, found)
        yield {"row": name, "column": f"slope of {column}", "value": line.slope, "se": line.stderr, "n": len(found)}


# -- checks ----------------------------------------------------------------------------------------------------------

MOST = 0.5  # our reading of "most", as a share
MARGINAL = 0.5  # our reading of a marginal gain: less than this share of the gain from 3 to 5 rounds
NEARLY_ALL = 0.9  # our reading of "by far the most cases", as a share of runs
NEAR = 0.1  # our reading of "close to random": within a tenth of what a random plan has
PROPORTION = (0.8, 1.25)  # our reading of "nearly in proportion": the cost of 9 rounds over 3 times that of 3
FEW = 2.0  # "one or two decisions at a time"
LATER = ("7 rounds - 5 rounds", "9 rounds - 7 rounds")
BESIDE_THE_USUAL = ("rankings", "counts", "welfare", "solver", "no example", "no objective")


def matching(
    ours: pd.DataFrame, comparison: str, column: str, who: Sequence[str] = (), more: Sequence[str] = ()
) -> list[str]:
    """The rows that `compared` reads: of a comparison, all of `who` in their name, and of what is rare only `more`."""
    found = []
    for row in ours.loc[ours["column"] == column, "row"].unique():
        where, _, what = row.rpartition(": ") if ": " in row else (row, "", "")
        said = where.split(", ")
        rare = {name for name in said if name in BESIDE_THE_USUAL or name.endswith((" rounds", " participants"))}
        if what == comparison and rare == set(more) and set(who) <= set(said):
            found.append(row)
    return found


def compared(
    comparison: str, column: str = "gain", *, who: Sequence[str] = (), more: Sequence[str] = (), sign: int = 1
) -> Check:
    """The claim that a comparison comes out above 0 (`sign` 1) or below (-1), for everybody that it was made for.

    Parameters
    ----------
    comparison : the end of the row's name, such as "score - words"; or "" for rows of runs, as "model, words"
    who : names that the row must have, such as a coordinator or a kind of feedback
    more : what the row names besides coordinator and feedback, such as "welfare"; by default nothing
    """

    def check(ours: pd.DataFrame) -> str:
        rows = matching(ours, comparison, column, who, more)
        return moves(sign, rows, column)(ours) if rows else _missing(comparison or column, who, more)

    return check


def _missing(what: str, who: Sequence[str], more: Sequence[str] = ()) -> Answer:
    named = f" of {', '.join([*who, *more])}" if [*who, *more] else ""
    return Answer(UNTESTED, f"nobody played {what!r}{named}")


def _cells(ours: pd.DataFrame, comparison: str, who: Sequence[str] = ()) -> pd.DataFrame:
    """The gains of a comparison at each n, for everybody that it was made for."""
    rows = matching(ours, comparison, "gain", who)
    return ours[ours["row"].isin(rows) & ours["column"].str.startswith("gain at n = ")]


def at_every_n(comparison: str, who: Sequence[str] = ()) -> Check:
    """`compared`, at each number of decisions by itself."""

    def check(ours: pd.DataFrame) -> str:
        columns = _cells(ours, comparison, who)["column"].unique()
        each = combined(*(compared(comparison, column, who=who) for column in columns))
        return each(ours) if len(columns) else _missing(comparison, who)

    return check


def in_most(*comparisons: str, who: Sequence[str] = ()) -> Check:
    """The claim that the mean gain is above 0 in most settings: numbers of decisions, and coordinators."""

    def check(ours: pd.DataFrame) -> str:
        cells = pd.concat([_cells(ours, comparison, who) for comparison in comparisons])
        if cells.empty:
            return _missing(comparisons[0], who)
        share = (cells["value"] > 0).mean()
        return Answer(YES if share > MOST else NO, f"above 0 in {share:.0%} of {len(cells)} settings, by their means")

    return check


def no_difference(comparison: str, column: str, *, who: Sequence[str] = (), more: Sequence[str] = ()) -> Check:
    """The claim that nobody's interval excludes 0."""

    def check(ours: pd.DataFrame) -> str:
        rows = matching(ours, comparison, column, who, more)
        answers = [moves(sign, [row], column)(ours) for row in rows for sign in (1, -1)]
        clear = [answer for answer in answers if answer == YES]
        if not rows:
            return _missing(comparison or column, who, more)
        return Answer(NO, evidence(clear[0])) if clear else Answer(YES, "no interval excludes 0")

    return check


def share_above(column: str, above: float, *who: str, more: Sequence[str] = ()) -> Check:
    """The claim that every mean of a column is above a number, in the rows of runs that `compared` would read."""

    def check(ours: pd.DataFrame) -> str:
        rows = matching(ours, "", column, who, more)
        values = ours[ours["row"].isin(rows) & (ours["column"] == column)].set_index("row")["value"]
        if values.empty:
            return _missing(column, who, more)
        told = ", ".join(f"{row}: {value:.2f}" for row, value in values.items())
        return Answer(YES if (values > above).all() else NO, f"{column} above {above:g}? {told}")

    return check


def marginal(*later: str) -> Check:
    """The gains by later rounds are less than `MARGINAL` of that from 3 to 5, which has to be clear."""

    def check(ours: pd.DataFrame) -> str:
        first = {row.rpartition(": ")[0]: row for row in matching(ours, "5 rounds - 3 rounds", "gain")}
        gains = ours[ours["column"] == "gain"].set_index("row")["value"]
        pairs = [(gains[row], gains.get(f"{who}: {name}")) for who, row in first.items() for name in later]
        if not pairs or any(gain is None for _, gain in pairs):
            return _missing(later[0], ())
        if compared("5 rounds - 3 rounds")(ours) != YES:
            return Answer(CLOSE, "the gain from 3 to 5 rounds is not clear itself")
        told = ", ".join(f"{gain:.1f} after {before:.1f}" for before, gain in pairs)
        return Answer(YES if all(gain < MARGINAL * before for before, gain in pairs) else NO, f"points gained: {told}")

    return check


def cost_of_nine_rounds(column: str, test: Callable[[float], bool]) -> Check:
    """Cost of 9 rounds over that of 3, for every coordinator that had both, and for whom it was above 0."""

    def check(ours: pd.DataFrame) -> str:
        means = ours[ours["column"] == column].set_index("row")["value"]
        ends = ", 9 rounds"
        several = [row.removesuffix(ends) for row in means.index if row.endswith(ends)]
        ratios = [means[row + ends] / first for row in several if (first := means.get(row + ", 3 rounds", 0)) > 0]
        ratios = [ratio for ratio in ratios if np.isfinite(ratio)]
        if not ratios:
            return Answer(UNTESTED, f"nobody's {column} were counted at 3 and at 9 rounds")
        told = ", ".join(f"{ratio:.2f}" for ratio in ratios)
        return Answer(YES if all(test(ratio) for ratio in ratios) else NO, f"{column}, 9 rounds over 3: {told}")

    return check


def if_it_reasons(wanted: bool, check: Check) -> Check:
    """A claim on models that think before they answer, or on those that do not."""

    def asked(ours: pd.DataFrame) -> str:
        known = ours.loc[(ours["row"] == MODEL) & (ours["column"] == REASONS), "value"]
        if known.empty:
            return Answer(UNTESTED, "no language model coordinated")
        if bool(known.iloc[0]) != wanted:
            return Answer(
                UNTESTED, f"this model {'does not reason' if wanted else 'reasons'}, by its setting or models.toml"
            )
        return check(ours)

    return asked


def near_random(who: Sequence[str] = (MODEL, "complete"), more: Sequence[str] = ()) -> Check:
    """The claim that a model's plans are worth what random ones are, within a tenth of that."""

    def check(ours: pd.DataFrame) -> str:
        rows = matching(ours, "", "beats random, share", who, more)
        return _near(ours, rows, "beats random, share") if rows else _missing("beats random", who, more)

    return check


def _near(ours: pd.DataFrame, rows: Sequence[str], column: str) -> Answer:
    """Two one-sided tests that shares of what a random plan has lie within `NEAR` of none."""
    cells = ours[ours["row"].isin(rows) & (ours["column"] == column)]
    z = float(stats.norm.isf(0.05))
    low, high = (cells["value"] - z * cells["se"]).min(), (cells["value"] + z * cells["se"]).max()
    told = f"{low:+.0%} to {high:+.0%} of a random plan's (90 % interval), margin {NEAR:.0%}"
    if low > -NEAR and high < NEAR:
        return Answer(YES, told)
    clear = (low > 0 or high < 0) and cells["value"].abs().max() > NEAR
    return Answer(NO if clear else CLOSE, told)


def named(better: Sequence[str], worse: Sequence[str], more: Sequence[str] = (), some: bool = False) -> Check:
    """The claim that some models, by their names, have lower divergence than others; `some`: at one n at least.

    A name counts for every model that contains it; "x, thinking" and "x, no thinking" for one model's two ways.
    """

    def check(ours: pd.DataFrame) -> str:
        answers = []
        for row in ours.loc[ours["column"] == "gain", "row"].unique():
            where, _, what = row.rpartition(": ")
            first, _, second = what.partition(" - ")
            hit = any(_is(first, name) for name in better) and any(_is(second, name) for name in worse)
            if hit and set(more) == {name for name in where.split(", ") if name in BESIDE_THE_USUAL}:
                columns = ours.loc[(ours["row"] == row) & ours["column"].str.startswith("gain at n"), "column"]
                each = [moves(1, [row], column) for column in columns] if some else [moves(1, [row], "gain")]
                answers.append((either if some else combined)(*each))
        lacking = f"runs of {' and '.join([*better, *worse])} on the same instances would tell"
        return combined(*answers)(ours) if answers else Answer(UNTESTED, lacking)

    return check


def _is(model: str, name: str) -> bool:
    base, _, way = name.partition(", ")
    off = "reasoning off" in model
    return base in model and (not way or (off if way == "no thinking" else not off))


def level_with(one: str, other: str) -> Check:
    """The claim that two models, by their names, do alike, within a tenth of what a random plan has."""

    def check(ours: pd.DataFrame) -> str:
        rows = ours.loc[ours["column"] == "gain, share", "row"].unique()
        pairs = {row: row.rpartition(": ")[2].partition(" - ") for row in rows}
        hits = [row for row, (first, _, second) in pairs.items() if _is(first, one) and _is(second, other)]
        lacking = Answer(UNTESTED, f"runs of {one} and {other} on the same instances would tell")
        return _near(ours, hits, "gain, share") if hits else lacking

    return check


def only(names: Sequence[str], check: Check) -> Check:
    """A claim on one model, by its name."""

    def asked(ours: pd.DataFrame) -> str:
        who = str(ours["participant"].iloc[0]) if "participant" in ours else ""
        return check(ours) if any(_is(who, name) for name in names) else Answer(UNTESTED, f"of {names[0]} alone")

    return asked


def rises_without_solver(ours: pd.DataFrame) -> str:
    """Divergence rises with n for whoever has a counterpart with a solver, under complete information."""
    rows = [r.rpartition(": ")[0] for r in matching(ours, "solver - no solver", "gain", ["complete"])]
    return moves(1, rows, "slope of quality")(ours) if rows else _missing("solver - no solver", ["complete"])


def closer_to_random(ours: pd.DataFrame) -> str:
    """For each coordinator, words are nearer than scores to what a random plan has; by means, without intervals."""
    means = ours[ours["column"] == "beats random"].set_index("row")["value"].abs()
    pairs = [(row, row.replace(", words", ", score")) for row in matching(ours, "", "beats random", ["words"])]
    there = [means[words] < means[score] for words, score in pairs if score in means]
    if not there:
        return _missing("words and scores", ())
    return Answer(YES if all(there) else NO, f"so for {sum(there)} of {len(there)} coordinators, by their means")


def needs_every_gain(ours: pd.DataFrame) -> str:
    """No: where a solver on estimated gains improves somebody's plans."""
    pairs = [(what, [kind]) for what in ("solver - no solver", "exact - random") for kind in ("score", "words",
             "comparison")]  # fmt: skip
    answers = [compared(what, who=kind)(ours) for what, kind in pairs]
    there = [answer for answer in answers if answer != UNTESTED]
    helped = [answer for answer in there if answer == YES]
    if not there:
        return _missing("a solver on estimated gains", ())
    return Answer(NO, f"on estimated gains: {evidence(helped[0])}") if helped else Answer(CLOSE)


def _few_changed(kind: str, few: bool) -> Check:
    """The mean number of decisions that the language model changes, looking for welfare, is at most two, or more."""

    def check(ours: pd.DataFrame) -> str:
        rows = ours[(ours["row"] == f"model, {kind}, welfare") & (ours["column"] == "changed")]["value"]
        if rows.empty:
            return _missing("changed", [MODEL, kind], ["welfare"])
        return Answer(YES if ((rows <= FEW) == few).all() else NO, f"{rows.iloc[0]:.2f} decisions from plan to plan")

    return check


def _in_proportion(column: str) -> Check:
    return cost_of_nine_rounds(column, lambda ratio: PROPORTION[0] <= ratio / 3 <= PROPORTION[1])


_ONE_RUN = untested("of one printed run; the note says what its numbers say")
_REASONING = compared("reasoning - no reasoning", who=[MODEL, "complete"])
_RANKED_REASONING = compared("reasoning - no reasoning", who=[MODEL], more=["rankings"])
_REASONS_AND_WINS = if_it_reasons(True, compared("", "beats random", who=[MODEL, "complete"]))
_PLAIN_IS_RANDOM = if_it_reasons(False, near_random())
_GAIN_BY_LATER_ROUNDS = combined(*(compared(later, "slope of gain", sign=-1) for later in LATER))
_FULL = in_most("full - no example", "full - no objective", who=[MODEL])
_OBJECTIVE = compared("no example - no objective", who=[MODEL])
_MCTS_SCORE, _MCTS_WORDS = (compared("mcts - model", who=[kind]) for kind in ("score", "words"))
_FLASH, _PLAIN_FLASH = ["gemini-2.5-flash, thinking"], ["gemini-2.5-flash, no thinking"]

PLANNING: Mapping[str, Check] = {
    # 5.1 and Figures 2 and 3: reasoning
    "reasoning models < non-reasoning models: divergence": _REASONING,
    "o3-mini, Gemini-2.5-Flash < DeepSeek-R1: divergence": named(["o3-mini", *_FLASH], ["deepseek-r1"]),
    "non-reasoning models close to random: divergence": _PLAIN_IS_RANDOM,
    "Gemini-2.5-Flash with thinking < without thinking: divergence": named(_FLASH, _PLAIN_FLASH),
    "Gemini-2.5-Flash with thinking close to o3-mini: divergence": level_with(_FLASH[0], "o3-mini"),
    "Gemini-2.5-Flash without thinking close to random: divergence": only(_PLAIN_FLASH, near_random()),
    "CPLEX < every model: divergence": compared("exact - model", who=["complete"]),
    "CPLEX: optimum in nearly every instance": share_above("optimal", NEARLY_ALL, "exact", "complete"),
    "rankings: o3-mini, DeepSeek-R1 < other models: divergence": named(
        ["o3-mini", "deepseek-r1"], ["gemini-2.5-flash", "deepseek-v3"], more=["rankings"]
    ),
    "rankings: non-reasoning models close to random: divergence": if_it_reasons(
        False, near_random([MODEL], ["rankings"])
    ),
    "rankings: DeepSeek-V3 < Gemini-2.5-Flash without thinking in some settings: divergence": named(
        ["deepseek-v3"], _PLAIN_FLASH, some=True, more=["rankings"]
    ),
    "rankings: reasoning models < random in every setting: divergence": if_it_reasons(
        True, compared("", "beats random", who=[MODEL], more=["rankings"])
    ),
    "rankings: non-reasoning models less stable than reasoning models: divergence": compared(
        "reasoning - no reasoning", "steadier", who=[MODEL], more=["rankings"]
    ),
    "most reasoning models < random: divergence": _REASONS_AND_WINS,
    "all non-reasoning models close to random: divergence": _PLAIN_IS_RANDOM,
    "every reasoning model < random: divergence": if_it_reasons(
        True, compared("", "beats random", who=[MODEL], more=["rankings"])
    ),
    "rankings: reasoning models < non-reasoning models: divergence": _RANKED_REASONING,
    # 5.2 and Figure 4: tree search
    "LLM alone: caught in local optima": share_above("caught", MOST, MODEL),
    "score feedback: MCTS < LLM in most settings: divergence": in_most("mcts - model", who=["score"]),
    "verbal feedback: MCTS < LLM in most settings: divergence": in_most("mcts - model", who=["words"]),
    "verbal feedback, n = 3: MCTS > average: divergence": compared(
        "", "beats random at n = 3", who=["mcts", "words"], sign=-1
    ),
    "verbal feedback: errors of estimated gains mislead MCTS": compared("score - words", who=["mcts"]),
    "every n, score feedback: MCTS < LLM: divergence": at_every_n("mcts - model", ["score"]),
    "every n, verbal feedback: MCTS < LLM: divergence": at_every_n("mcts - model", ["words"]),
    "score feedback: MCTS < LLM: divergence": _MCTS_SCORE,
    "verbal feedback: MCTS < LLM: divergence": _MCTS_WORDS,
    # 5.3, 5.4 and Figure 5: feedback
    "score feedback < verbal feedback: divergence": compared("score - words"),
    "verbal feedback closer to random than score feedback: divergence": closer_to_random,
    "n = 7, n = 8: verbal feedback > random: divergence": either(
        *(compared("", f"beats random at n = {n}", who=["words"], sign=-1) for n in (7, 8))
    ),
    "numbers from words are the bottleneck": compared("complete - words", who=["exact"]),
    "every n: score feedback < comparison: divergence": at_every_n("score - comparison"),
    "larger n: comparison < verbal feedback: divergence": compared("comparison - words", f"gain at {LARGER}"),
    "comparison more direct than verbal feedback": untested("a reason for trying it, on which no run bears"),
    "comparison < verbal feedback: divergence": compared("comparison - words"),
    "every n: score feedback < verbal feedback: divergence": at_every_n("score - words"),
    "score feedback < comparison: divergence": compared("score - comparison"),
    # 5.5 and Figure 6: a solver
    "without CPLEX: divergence rises with n": rises_without_solver,
    "with CPLEX: optimum in most instances": share_above("optimal", 0.5, "complete", more=["solver"]),
    "CPLEX needs every gain": needs_every_gain,
    "every n: with CPLEX < without CPLEX: divergence": at_every_n("solver - no solver", ["complete"]),
    "with solver < without solver: divergence": compared("solver - no solver", who=["complete"]),
    "larger n: larger gain by the solver: divergence": compared(
        "solver - no solver", "slope of gain", who=["complete"]
    ),
    # 5.6 and Figure 7: welfare
    "smaller n: score feedback and verbal feedback alike: welfare": no_difference(
        "words - score", f"gain at {SMALLER}", more=["welfare"]
    ),
    "larger n: verbal feedback > score feedback: welfare": compared(
        "words - score", f"gain at {LARGER}", more=["welfare"]
    ),
    "score feedback: one or two decisions changed at a time": _few_changed("score", True),
    "score feedback: changes that lower the welfare are undone": share_above(
        "undone", MOST, MODEL, "score", more=["welfare"]
    ),
    "verbal feedback: several decisions changed at once": _few_changed("words", False),
    "verbal feedback leaves local optima more often than score feedback": compared(
        "words - score", "gain of left", who=[MODEL], more=["welfare"]
    ),
    "verbal feedback keeps up as n grows: welfare": no_difference(
        "", "slope of share of the optimum", who=["words"], more=["welfare"]
    ),
    "score feedback falls back as n grows: welfare": compared(
        "", "slope of share of the optimum", who=["score"], more=["welfare"], sign=-1
    ),
    # Appendix D is on two single runs: the notes say what Tables 2 and 3 answer
    "Table 2: lowest divergence in round 2": _ONE_RUN,
    "Table 2: divergence rises from round 3 to round 5": _ONE_RUN,
    "Table 2: one meal changed at a time": _ONE_RUN,
    "Table 2: only the weakest participant is looked after": _ONE_RUN,
    "Table 2: reasons promise a smaller difference": _ONE_RUN,
    "non-reasoning model moves away from its best plan": if_it_reasons(False, share_above("away", MOST, MODEL)),
    "Table 3: lowest divergence in round 3": _ONE_RUN,
    "Table 3: later rounds return to worse plans": _ONE_RUN,
    "Table 3: changes too small": _ONE_RUN,
    "Table 3: changes too large now and then": _ONE_RUN,
    # E.1 and Figure 10: rounds
    "more rounds: lower divergence": combined(*(compared(name) for name in ("5 rounds - 3 rounds", *LATER))),
    "3 rounds: often an unsatisfactory plan": share_above("off the optimum", MOST, more=["3 rounds"]),
    "5 rounds < 3 rounds: divergence": compared("5 rounds - 3 rounds"),
    "7, 9 rounds close to 5 rounds: divergence": marginal(*LATER),
    "larger n: smaller gain by 7 and 9 rounds: divergence": _GAIN_BY_LATER_ROUNDS,
    "more rounds: more tokens, nearly in proportion": _in_proportion("tokens"),
    "more rounds: more seconds, nearly in proportion": _in_proportion("seconds"),
    "5 rounds: best balance of quality and cost": combined(compared("5 rounds - 3 rounds"), marginal(*LATER)),
    "more rounds beyond some number: little gain": marginal(LATER[-1]),
    "more rounds: more tokens and seconds": combined(
        *(cost_of_nine_rounds(cost, lambda ratio: ratio > 1) for cost in ("tokens", "seconds"))
    ),
    # E.2 and Figure 11: the prompt
    "full prompt best in most settings: divergence": _FULL,
    "no objective: largest loss: divergence": combined(_OBJECTIVE, compared("full - no objective", who=["model"])),
    "no example: smaller loss: divergence": combined(_OBJECTIVE, compared("full - no example", who=["model"])),
    "context counts for most: divergence": _OBJECTIVE,
}
"""A check for every statement of `data/inputs/published/003_1a2bb55b71c6f802.csv`."""

VERDICTS: Mapping[str, str] = {YES: "reproduced", NO: "reversed", CLOSE: "undecided", UNTESTED: UNTESTED}
"""How a finding fares for each answer of a check."""

FINDINGS: Mapping[str, Mapping[str, tuple[str, tuple[str, ...], tuple[str, ...]]]] = {
    "(i) reasoning models are better": {
        "reasoning models < non-reasoning models: divergence": ("", (), ()),
        "rankings: reasoning models < non-reasoning models: divergence": ("", (), ("rankings",)),
    },
    "(ii) tree search is better than a language model alone": {
        "score feedback: MCTS < LLM: divergence": ("mcts - model", ("score",), ()),
        "verbal feedback: MCTS < LLM: divergence": ("mcts - model", ("words",), ()),
    },
    "(iii) scores are better than words and comparison": {
        "score feedback < verbal feedback: divergence": ("score - words", (), ()),
        "score feedback < comparison: divergence": ("score - comparison", (), ()),
    },
    "(iv) a solver improves, the more so the larger n": {
        "with solver < without solver: divergence": ("solver - no solver", ("complete",), ()),
        "larger n: larger gain by the solver: divergence": ("solver - no solver", ("complete",), ()),
    },
    "welfare: words are better than scores as n grows": {
        "smaller n: score feedback and verbal feedback alike: welfare": ("words - score", (), ("welfare",)),
        "larger n: verbal feedback > score feedback: welfare": ("words - score", (), ("welfare",)),
    },
}
"""The four findings of section 6 and the result of 5.6: their statements, and the comparison behind each.

A comparison, what its row must name, and what it names besides coordinator and feedback: as `compared` takes them.
"""

OWN: Mapping[str, Check] = {
    f"{kind} feedback: {one} < {other}: divergence": compared(f"{one} - {other}", who=[kind])
    for kind in ("score", "words", "comparison", "complete")
    for one, other in (("mcts", "random"), ("mcts", "local"), ("exact", "mcts"), ("exact", "random"))
}
"""Where there is no language model: the tree search and the solver beside random and local search."""


def findings(ours: pd.DataFrame) -> pd.DataFrame:
    """What becomes of the paper's findings here: finding, statement, verdict, of whom.

    The verdict is a value of `VERDICTS`, or "depends on the coordinator" where it is yes for one and no for another.
    `of whom` has the answer for each of those whose runs were compared.
    """
    if "participant" in ours:
        return _each(findings, ours)
    rows = []
    for finding, parts in FINDINGS.items():
        for statement, (comparison, who, more) in parts.items():
            answer = PLANNING[statement](ours)
            read = matching(ours, comparison, "gain", who, more) if answer != UNTESTED else []
            of_each = {row.rpartition(": ")[0]: PLANNING[statement](ours[ours["row"] == row]) for row in read}
            verdict = VERDICTS[answer]
            if {YES, NO} <= set(of_each.values()):
                verdict = "depends on the coordinator"
            elif len(set(of_each.values())) > 1:
                verdict = VERDICTS[CLOSE]
            of_whom = "; ".join(f"{name}: {each}" for name, each in of_each.items())
            said = {"finding": finding, "statement": statement, "verdict": verdict}
            rows.append(said | {"of whom": of_whom})
    return pd.DataFrame(rows)


def check_own(ours: pd.DataFrame) -> pd.DataFrame:
    """The checks of `OWN` that can be made, as `check_claims` gives them."""
    said = pd.DataFrame({"table": "ours", "statement": list(OWN), "note": ""})
    answers = check_claims(ours, said, OWN)
    return answers[answers["holds here"] != UNTESTED].reset_index(drop=True)


def judged(ours: pd.DataFrame) -> pd.DataFrame:
    """Every comparison with its verdict, coordinator by coordinator: the table behind the statements.

    Returns
    -------
    DataFrame
        who (coordinator or feedback, and what else was not as usual), comparison, gain (points, positive where the
        first is better), se, n (pairs), slope (change of the gain with each decision), better (whether the first is:
        yes, no, too close to call).
    """
    need_columns(ours, ["row", "column", "value", "se", "n"], "our results")
    if "participant" in ours:
        return _each(judged, ours)
    wide = ours[ours["column"] == "gain"]
    slopes = ours[ours["column"] == "slope of gain"].set_index("row")["value"]
    parts = [row.rpartition(": ") for row in wide["row"]]
    return pd.DataFrame(
        {
            "who": [who for who, _, _ in parts],
            "comparison": [comparison for _, _, comparison in parts],
            "gain": wide["value"],
            "se": wide["se"],
            "n": wide["n"],
            "slope": wide["row"].map(slopes),
            "better": [moves(1, [row], "gain")(ours) for row in wide["row"]],
        }
    ).reset_index(drop=True)


def _each(table: Callable[[pd.DataFrame], pd.DataFrame], ours: pd.DataFrame) -> pd.DataFrame:
    """A table for each participant, with its name in front; rows that are the same for all stand once."""
    parts = ours.groupby("participant", sort=False)
    made = pd.concat([table(part.drop(columns="participant")).assign(participant=name) for name, part in parts])
    shown = made.drop_duplicates([column for column in made if column != "participant"]).reset_index(drop=True)
    return shown[["participant", *(column for column in shown if column != "participant")]]
