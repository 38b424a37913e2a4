"""Which policies apply, and what should be asked about: selectors and detectors put to the test (002, section 4).

Whoever is tested sees what a role sees, and never the truth, which is set beside the answer afterwards. Two tidy frames
hold the answers, a row each: selections (technique, run, item, selected, applies: ids of policies, the second the
truth; problem) and verdicts (technique, run, item, case, flag: the truth, flagged; problem). Runs that repeat the same
items differ by a model's temperature alone: tests over runs, items and whole cases drawn anew stand side by side.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import stats

from support.analysis.frames import need_columns, need_keys
from support.analysis.stats import cluster_bootstrap
from support.errors import InvalidInput, MalformedReply
from support.models.profiles import MODEL
from support.seats import Spoken
from support.seminar.audit import applies
from support.seminar.rules import PolicySet
from support.seminar.seats import TEMPERATURE as DETECTING
from support.seminar.seats import seat_detector
from support.seminar.selecting import (
    CONTEXTS,
    SUMMARY,
    TEMPERATURE,
    contexts,
    select_with,
)
from support.seminar.suite import JudgedReply, JudgedState
from support.seminar.views import Verdict

if TYPE_CHECKING:
    from support.models.model import ChatModel

RUNS = 3
"""Of every condition in the paper."""
LITERAL, EVERY = "literal", "every policy"

# -- answers ---------------------------------------------------------------------------------------------------------


def technique(context: str, listed: bool) -> str:
    """The context's name where it is put as in the paper's prompts, and with what is changed elsewhere.

    >>> technique("slot", False), technique("slot", True), technique("summary", False)
    ('slot', 'slot, listed', 'summary, not listed')
    """
    return (
        context
        if listed == (context == SUMMARY)
        else context + (", listed" if listed else ", not listed")
    )


async def model_selections(
    model: ChatModel | str,
    states: Sequence[JudgedState],
    policies: PolicySet,
    listed: bool,
    runs: int = RUNS,
    temperature: float = TEMPERATURE,
) -> pd.DataFrame:
    """What a model selects in each state under each context, in each run, shown the list of policies or not.

    An answer that did not fit its form counts as none selected, and `problem` says why ("" otherwise).
    """

    async def one(context: str, run: int, judged: JudgedState) -> dict[str, Any]:
        """One answer."""
        problem = ""
        try:
            found = await select_with(
                model, context, policies, contexts(judged.state, judged.summary),
                listed=listed, temperature=temperature, repetition=run - 1,
            )  # fmt: skip
        except MalformedReply as error:
            found, problem = (), str(error)
        named = {"technique": technique(context, listed), "listed": listed, "run": run}
        return named | {
            "item": judged.id,
            "selected": found,
            "applies": judged.applies,
            "problem": problem,
        }

    asked = [
        one(context, run, judged)
        for context in CONTEXTS
        for run in range(1, runs + 1)
        for judged in states
    ]
    return pd.DataFrame(await asyncio.gather(*asked))


def literal_selections(
    states: Sequence[JudgedState], policies: PolicySet
) -> pd.DataFrame:
    """What the literal reading of the policies selects, and the floor that selects every one: one run of each."""
    every = tuple(policy.id for policy in policies)
    rows = [
        {
            "technique": name,
            "run": 1,
            "item": one.id,
            "selected": chosen,
            "applies": one.applies,
            "problem": "",
        }
        for name in (LITERAL, EVERY)
        for one in states
        for chosen in [every if name == EVERY else tuple(applies(one.state, policies))]
    ]
    return pd.DataFrame(rows)


async def verdicts(
    name: str,
    detector: Any,
    replies: Sequence[JudgedReply],
    policies: PolicySet,
    run: int = 1,
) -> pd.DataFrame:
    """What a detector, anything with `async check(reply, policies, context)`, says of each reply's text; `name` it.

    An answer that did not fit its form counts as clear: nobody would have been asked; `problem` says why.
    """
    seated = seat_detector(detector)

    async def one(reply: JudgedReply) -> tuple[bool, str]:
        """Whether it is flagged, and what went wrong."""
        try:
            said = await seated.check(reply.text, policies)
        except MalformedReply as error:
            return False, str(error)
        if not isinstance(said, Verdict):
            raise InvalidInput(
                f"check: {said!r} given by {name!r}; expected a Verdict of support.seminar.views"
            )
        return said.flag, ""

    found = await asyncio.gather(*(one(reply) for reply in replies))
    return judged(name, [flag for flag, _ in found], replies, run).assign(
        problem=[problem for _, problem in found]
    )


async def model_verdicts(
    model: ChatModel | str,
    replies: Sequence[JudgedReply],
    policies: PolicySet,
    shots: str,
    runs: int = RUNS,
    temperature: float = DETECTING,
) -> pd.DataFrame:
    """A language model's `verdicts` in one of the paper's settings (`SHOTS`), in each run; the setting names it."""
    asked = [
        verdicts(
            shots,
            seat_detector(MODEL, shots, Spoken(model, temperature, run - 1)),
            replies,
            policies,
            run,
        )
        for run in range(1, runs + 1)
    ]
    return pd.concat(await asyncio.gather(*asked), ignore_index=True)


def judged(
    name: str, flagged: Sequence[bool], replies: Sequence[JudgedReply], run: int = 1
) -> pd.DataFrame:
    """Verdicts that are there already, such as those of a cross-validation, as `verdicts` gives them."""
    return pd.DataFrame([
        {"technique": name, "run": run, "item": one.id, "case": one.case, "voice": one.voice, "flag": one.flag,
         "flagged": bool(said), "problem": ""}
        for one, said in zip(replies, flagged, strict=True)
    ])  # fmt: skip


def one_voice(replies: Sequence[JudgedReply]) -> list[JudgedReply]:
    """One reply of each case, its voices in turn: a subset that holds every case.

    >>> from support.seminar.suite import edge_cases
    >>> [reply.voice for reply in one_voice(edge_cases())[:3]]
    ['renowned', 'junior', 'finishing']
    """
    by_case: dict[str, list[JudgedReply]] = {}
    for reply in replies:
        by_case.setdefault(reply.case, []).append(reply)
    return [voices[k % len(voices)] for k, voices in enumerate(by_case.values())]


# -- scores ----------------------------------------------------------------------------------------------------------


def _f1(counts: pd.DataFrame) -> pd.Series[float]:
    """F1 of each row's hits, chosen and true: 1 where both sides are empty, 0 where one is."""
    both = counts["chosen"] + counts["true"]
    return (2 * counts["hits"] / both.where(both > 0)).fillna(1.0)


def selection_scores(frame: pd.DataFrame) -> pd.DataFrame:
    """The selections with chosen, true, hits (counts), right (1.0: the very set), f1."""
    _check(frame, "selected", "applies")
    sets = [
        (set(s), set(a))
        for s, a in zip(frame["selected"], frame["applies"], strict=True)
    ]
    counted = [(len(s), len(a), len(s & a), float(s == a)) for s, a in sets]
    scored = frame.join(
        pd.DataFrame(counted, frame.index, ["chosen", "true", "hits", "right"])
    )
    return scored.assign(f1=_f1(scored))


def selection_runs(frame: pd.DataFrame) -> pd.DataFrame:
    """A row for each technique and run: n (states), f1 (mean over states), micro_f1 (of all policies of all states
    thrown together; the paper does not say which it prints), right (share of states with the very set), none_apply."""
    scored = selection_scores(frame)
    runs = scored.assign(none_apply=scored["true"] == 0).groupby(
        ["technique", "run"], sort=False
    )
    sums, means = (
        runs[["hits", "chosen", "true", "none_apply"]].sum(),
        runs[["f1", "right"]].mean(),
    )
    return means.join(sums).assign(n=runs.size(), micro_f1=_f1(sums)).reset_index()


def with_right(frame: pd.DataFrame) -> pd.DataFrame:
    """The verdicts with `right`: 1.0 where what was said is the truth. InvalidInput on what is no verdict ("Clear")."""
    _check(frame, "case", "flag", "flagged")
    need_keys(frame, ["case"], "the frame of answers")
    for name in ("flag", "flagged"):
        strange = frame[
            ~frame[name].map(lambda said: isinstance(said, bool | np.bool_))
        ]
        if not strange.empty:
            first = strange.iloc[0]
            raise InvalidInput(
                f"{name}: {first[name]!r} given for item {first['item']} by {first['technique']!r}; expected True or "
                "False: say what a reply without a verdict stands for, or drop its row"
            )
    told = frame.astype({"flag": bool, "flagged": bool})
    return told.assign(right=(told["flag"] == told["flagged"]).astype(float))


def detection_runs(frame: pd.DataFrame) -> pd.DataFrame:
    """A row for each technique and run of verdicts: accuracy, sensitivity, specificity; a share of none is NaN."""
    told = with_right(frame)
    right = told["right"]
    told = told.assign(
        accuracy=right,
        sensitivity=right.where(told["flag"]),
        specificity=right.where(~told["flag"]),
    )
    runs = told.groupby(["technique", "run"], sort=False)
    return runs[["accuracy", "sensitivity", "specificity"]].mean().reset_index()


def _check(frame: pd.DataFrame, *columns: str) -> None:
    keys = ["technique", "run", "item"]
    need_columns(frame, [*keys, *columns], "the frame of answers")
    need_keys(frame, keys, "the frame of answers")
    twice = frame[frame.duplicated(keys)]
    if not twice.empty:
        first = twice.iloc[0]
        raise InvalidInput(
            f"answers: item {first['item']} is twice in run {first['run']} of {first['technique']!r}; expected once"
        )


# -- tests between two techniques ------------------------------------------------------------------------------------


class Measured(NamedTuple):
    """What a comparison looks at: scored answers, a row for each run, their measure, and what is drawn anew."""

    scored: pd.DataFrame
    runs: pd.DataFrame
    column: str
    per_run: str
    cluster: str
    within: str


def measured(frame: pd.DataFrame) -> Measured:
    """F1 over states of selections; accuracy over cases of verdicts, as many of either label as there are."""
    if "flagged" in frame:
        return Measured(
            with_right(frame),
            detection_runs(frame),
            "right",
            "accuracy",
            "case",
            "flag",
        )
    return Measured(
        selection_scores(frame), selection_runs(frame), "f1", "f1", "item", ""
    )


def intervals(
    frame: pd.DataFrame, rng: np.random.Generator, draws: int = 2000
) -> pd.DataFrame:
    """Each technique's mean with a 95 % interval over states or whole cases: technique, mean, se, low, high, … ."""
    of = measured(frame)
    rows = [
        {
            "technique": name,
            **cluster_bootstrap(part, of.column, of.cluster, rng, of.within, draws),
        }
        for name, part in of.scored.groupby("technique", sort=False)
    ]
    return pd.DataFrame(rows)


def spreads(frame: pd.DataFrame, published: pd.DataFrame | None = None) -> pd.DataFrame:
    """Mean ± SD over runs, ours beside the printed ones: technique, source, mean, low, high; no interval over items."""
    of = measured(frame)
    found = (
        of.runs.groupby("technique", sort=False)[of.per_run]
        .agg(["mean", "std", "count"])
        .reset_index()
    )
    parts = [found.assign(source="here: SD of " + found["count"].astype(str) + " runs")]
    if published is not None:
        printed = published.dropna(subset=["spread"]).rename(
            columns={"row": "technique", "value": "mean"}
        )
        parts.append(
            printed.assign(
                std=printed["spread"], source=f"published: SD of {RUNS} runs"
            )
        )
    both = pd.concat(parts, ignore_index=True)
    both = both.assign(low=both["mean"] - both["std"], high=both["mean"] + both["std"])
    return both[["technique", "source", "mean", "low", "high"]]


def both_t(
    one: tuple[float, float, int], other: tuple[float, float, int]
) -> dict[str, float]:
    """Of two samples (mean, SD, n) the p of Student's t, as the paper tests its runs, and of Welch's (`welch_p`).

    Where no side has any spread there is no test: both are NaN.
    """
    if (
        max(one[1], other[1]) < 1e-12
    ):  # three runs of the same accuracy have, in floats, an SD of 1e-17 now and then
        return {"p": np.nan, "welch_p": np.nan}
    tests = (
        stats.ttest_ind_from_stats(*one, *other, equal_var=equal)
        for equal in (True, False)
    )
    return dict(
        zip(("p", "welch_p"), (float(test.pvalue) for test in tests), strict=True)
    )


def printed_test(published: pd.DataFrame, a: str, b: str) -> dict[str, float]:
    """`both_t` of the printed means and SDs of three runs (Tables 1 and 2), with the `difference`."""
    table = published.dropna(subset=["spread"]).set_index("row")
    one, other = (
        (float(table["value"][name]), float(table["spread"][name]), RUNS)
        for name in (a, b)
    )
    return {"difference": one[0] - other[0], **both_t(one, other)}


def _pairs(scored: pd.DataFrame, column: str, a: str, b: str) -> pd.DataFrame:
    """The items that both techniques judged, each with its means over runs (a, b), `gap`, case and flag."""
    chosen = scored[scored["technique"].isin([a, b])]
    wide = (
        chosen.pivot_table(index="item", columns="technique", values=column)
        .reindex(columns=[a, b])
        .dropna()
    )
    if a == b or wide.empty:
        raise InvalidInput(
            f"{a!r} and {b!r}: no item in common, or one technique twice; nothing to pair"
        )
    about = chosen.drop_duplicates("item").set_index("item")[
        [c for c in ("case", "flag") if c in chosen]
    ]
    return wide.assign(gap=wide[a] - wide[b]).join(about).reset_index()


def difference(
    frame: pd.DataFrame, a: str, b: str, rng: np.random.Generator, draws: int = 2000
) -> dict[str, float]:
    """The paired difference a - b on the same items, as `cluster_bootstrap` has it: whole states or cases drawn."""
    of = measured(frame)
    return cluster_bootstrap(
        _pairs(of.scored, of.column, a, b), "gap", of.cluster, rng, of.within, draws
    )


def mcnemar_test(scored: pd.DataFrame, a: str, b: str) -> dict[str, float]:
    """McNemar's exact test on `right`: n (pairs), only_a, only_b, p.

    An item is right where more than half of its runs are. Voices of one case are not independent, which it cannot know.
    """
    pairs = _pairs(scored, "right", a, b)
    one, other = pairs[a] > 0.5, pairs[b] > 0.5
    only_a, only_b = int((one & ~other).sum()), int((~one & other).sum())
    p = (
        float(stats.binomtest(only_a, only_a + only_b).pvalue)
        if only_a + only_b
        else 1.0
    )
    return {"n": len(pairs), "only_a": only_a, "only_b": only_b, "p": p}


# -- tables for the page ---------------------------------------------------------------------------------------------


def selection_table(frame: pd.DataFrame) -> pd.DataFrame:
    """What each technique selected: technique, f1, f1_sd (between runs), micro_f1, right (share of states with the
    very set), selected (policies a state), none (share of states with none), misfits (answers off their form)."""
    runs, scored = (
        selection_runs(frame).groupby("technique", sort=False),
        selection_scores(frame),
    )
    each = scored.assign(
        none=scored["chosen"] == 0, misfits=scored["problem"] != ""
    ).groupby("technique", sort=False)
    table = runs[["f1", "micro_f1", "right"]].mean()
    table.insert(1, "f1_sd", runs["f1"].std())
    told = each.agg({"chosen": "mean", "none": "mean", "misfits": "sum"}).rename(
        columns={"chosen": "selected"}
    )
    return table.join(told).reset_index()


def detection_table(
    frame: pd.DataFrame, rng: np.random.Generator, draws: int = 2000
) -> pd.DataFrame:
    """What each technique said: technique, accuracy, sd (between runs), low, high (95 % over whole cases),
    sensitivity, specificity, misfits (answers off their form)."""
    runs = detection_runs(frame).groupby("technique", sort=False)
    means = (
        runs[["accuracy", "sensitivity", "specificity"]]
        .mean()
        .assign(sd=runs["accuracy"].std())
    )
    around = intervals(frame, rng, draws).set_index("technique")[["low", "high"]]
    misfits = (
        (frame["problem"] != "").groupby(frame["technique"]).sum().rename("misfits")
    )
    table = means.join(around).join(misfits).reset_index()
    return table[
        [
            "technique",
            "accuracy",
            "sd",
            "low",
            "high",
            "sensitivity",
            "specificity",
            "misfits",
        ]
    ]


def pairs_table(
    frame: pd.DataFrame,
    pairs: Sequence[tuple[str, str]],
    rng: np.random.Generator,
    published: pd.DataFrame,
    draws: int,
) -> pd.DataFrame:
    """Each pair of techniques by every test: the paper's t over runs, on its numbers and ours; McNemar's; a bootstrap.

    Columns: a, b, published_difference, student_p, welch_p (of what is printed), difference (a - b, paired by item),
    runs_p (Student's t over our runs), mcnemar_p (over items), low, high (95 % over cases).
    """
    of, printed = measured(frame), set(published.dropna(subset=["spread"])["row"])
    summary = of.runs.groupby("technique")[of.per_run].agg(["mean", "std", "count"])
    rows = []
    for a, b in pairs:
        told: Mapping[str, float] = (
            printed_test(published, a, b) if {a, b} <= printed else {}
        )
        one, other = (tuple(summary.loc[name]) for name in (a, b))
        drawn = difference(frame, a, b, rng, draws)
        rows.append({
            "a": a, "b": b, "published_difference": told.get("difference", np.nan),
            "student_p": told.get("p", np.nan), "welch_p": told.get("welch_p", np.nan), "difference": drawn["mean"],
            "runs_p": both_t(one, other)["p"], "mcnemar_p": mcnemar_test(of.scored, a, b)["p"],
            "low": drawn["low"], "high": drawn["high"],
        })  # fmt: skip
    return pd.DataFrame(rows)


def results(
    rng: np.random.Generator, *frames: pd.DataFrame, draws: int = 2000
) -> pd.DataFrame:
    """Selections and verdicts as the statements' checks read them: row, column ("F1", "accuracy"), value, se, n.

    A row "summary - slot" is the paired difference of two techniques; errors are over states or cases, not over runs.
    """
    rows = []
    for frame in frames:
        column, names = (
            ("accuracy" if "flagged" in frame else "F1"),
            list(frame["technique"].unique()),
        )
        said: dict[str, Any] = {
            row["technique"]: row
            for row in intervals(frame, rng, draws).to_dict("records")
        }
        said |= {
            f"{a} - {b}": difference(frame, a, b, rng, draws)
            for a in names
            for b in names
            if a != b
        }
        rows += [
            {
                "row": name,
                "column": column,
                "value": one["mean"],
                "se": one["se"],
                "n": one["clusters"],
            }
            for name, one in said.items()
        ]
    return pd.DataFrame(rows)
