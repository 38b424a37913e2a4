"""What "Investigating Language Models for Supporting Complex Group Decisions" (003) states, as checks of our results.

The checks read the table that `support.analysis.fairness.results` makes out of runs. The paper's statements are on
language models of 2025. Statements that name the language model as coordinator take rows of the coordinator "model"
alone: give a model that is not to count for that another name before. Statements on feedback, solver and rounds are
tested on every coordinator in the table, and hold only when they hold for each; `judged` has them one by one.
"""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from support.analysis.claims import CLOSE, NO, UNTESTED, YES, Check, check_claims
from support.analysis.claims_coordination import moves
from support.analysis.fairness.checks import (
    at_every_n,
    closer_to_random,
    combined,
    compared,
    cost_of_nine_rounds,
    either,
    in_most,
    marginal,
    matching,
    needs_every_gain,
    no_difference,
    rises_without_solver,
    share_above,
    untested,
)
from support.analysis.fairness.contrasts import LARGER, SMALLER
from support.analysis.frames import need_columns

VERDICTS: Mapping[str, str] = {YES: "reproduced", NO: "reversed", CLOSE: "undecided", UNTESTED: UNTESTED}
"""How a finding fares for each answer of a check."""

NEARLY_ALL = 0.9  # our reading of "by far the most cases", as a share of runs
PROPORTION = (0.8, 1.25)  # our reading of "nearly in proportion": the cost of 9 rounds over 3 times that of 3
FEW = 2.0  # "one or two decisions at a time"
LATER = ("7 rounds - 5 rounds", "9 rounds - 7 rounds")


def _few_changed(kind: str, few: bool) -> Check:
    """The mean number of decisions that the language model changes, looking for welfare, is at most two, or more."""

    def check(ours: pd.DataFrame) -> str:
        rows = ours[(ours["row"] == f"model, {kind}, welfare") & (ours["column"] == "changed")]["value"]
        return UNTESTED if rows.empty else YES if ((rows <= FEW) == few).all() else NO

    return check


def _in_proportion(column: str) -> Check:
    return cost_of_nine_rounds(column, lambda ratio: PROPORTION[0] <= ratio / 3 <= PROPORTION[1])


_GAIN_BY_LATER_ROUNDS = combined(*(compared(later, "slope of gain", sign=-1) for later in LATER))
_FULL = in_most("full - no example", "full - no objective", who=["model"])
_OBJECTIVE = compared("no example - no objective", who=["model"])
_MCTS_SCORE, _MCTS_WORDS = (compared("mcts - model", who=[kind]) for kind in ("score", "words"))

PLANNING: Mapping[str, Check] = {
    # 5.1 and Figures 2 and 3: reasoning
    "reasoning models < non-reasoning models: divergence": untested,
    "o3-mini, Gemini-2.5-Flash < DeepSeek-R1: divergence": untested,
    "non-reasoning models close to random: divergence": untested,
    "Gemini-2.5-Flash with thinking < without thinking: divergence": untested,
    "Gemini-2.5-Flash with thinking close to o3-mini: divergence": untested,
    "Gemini-2.5-Flash without thinking close to random: divergence": untested,
    "CPLEX < every model: divergence": compared("exact - model", who=["complete"]),
    "CPLEX: optimum in nearly every instance": share_above("optimal", NEARLY_ALL, "exact", "complete"),
    "rankings: o3-mini, DeepSeek-R1 < other models: divergence": untested,
    "rankings: non-reasoning models close to random: divergence": untested,
    "rankings: DeepSeek-V3 < Gemini-2.5-Flash without thinking in some settings: divergence": untested,
    "rankings: reasoning models < random in every setting: divergence": untested,
    "rankings: non-reasoning models less stable than reasoning models: divergence": untested,
    "most reasoning models < random: divergence": untested,
    "all non-reasoning models close to random: divergence": untested,
    "every reasoning model < random: divergence": untested,
    "rankings: reasoning models < non-reasoning models: divergence": untested,
    # 5.2 and Figure 4: tree search
    "LLM alone: caught in local optima": untested,
    "score feedback: MCTS < LLM in most settings: divergence": in_most("mcts - model", who=["score"]),
    "verbal feedback: MCTS < LLM in most settings: divergence": in_most("mcts - model", who=["words"]),
    "verbal feedback, n = 3: MCTS > average: divergence": compared(
        "", "beats random at n = 3", who=["mcts", "words"], sign=-1
    ),
    "verbal feedback: errors of estimated gains mislead MCTS": untested,
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
    "numbers from words are the bottleneck": untested,
    "every n: score feedback < comparison: divergence": at_every_n("score - comparison"),
    "larger n: comparison < verbal feedback: divergence": compared("comparison - words", f"gain at {LARGER}"),
    "comparison more direct than verbal feedback": untested,
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
    "score feedback: changes that lower the welfare are undone": untested,
    "verbal feedback: several decisions changed at once": _few_changed("words", False),
    "verbal feedback leaves local optima more often than score feedback": untested,
    "verbal feedback keeps up as n grows: welfare": no_difference(
        "", "slope of share of the optimum", who=["words"], more=["welfare"]
    ),
    "score feedback falls back as n grows: welfare": compared(
        "", "slope of share of the optimum", who=["score"], more=["welfare"], sign=-1
    ),
    # Appendix D is on two single runs: the notes say what Tables 2 and 3 answer
    "Table 2: lowest divergence in round 2": untested,
    "Table 2: divergence rises from round 3 to round 5": untested,
    "Table 2: one meal changed at a time": untested,
    "Table 2: only the weakest participant is looked after": untested,
    "Table 2: reasons promise a smaller difference": untested,
    "non-reasoning model moves away from its best plan": untested,
    "Table 3: lowest divergence in round 3": untested,
    "Table 3: later rounds return to worse plans": untested,
    "Table 3: changes too small": untested,
    "Table 3: changes too large now and then": untested,
    # E.1 and Figure 10: rounds
    "more rounds: lower divergence": combined(*(compared(name) for name in ("5 rounds - 3 rounds", *LATER))),
    "3 rounds: often an unsatisfactory plan": untested,
    "5 rounds < 3 rounds: divergence": compared("5 rounds - 3 rounds"),
    "7, 9 rounds close to 5 rounds: divergence": marginal(*LATER),
    "larger n: smaller gain by 7 and 9 rounds: divergence": _GAIN_BY_LATER_ROUNDS,
    "more rounds: more tokens, nearly in proportion": _in_proportion("tokens"),
    "more rounds: more seconds, nearly in proportion": _in_proportion("seconds"),
    "5 rounds: best balance of quality and cost": untested,
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

    The verdict is a value of `VERDICTS`. `of whom` has the answer for each of those whose runs were compared; unless
    it is the same for all of them, the finding is undecided.
    """
    rows = []
    for finding, parts in FINDINGS.items():
        for statement, (comparison, who, more) in parts.items():
            answer = PLANNING[statement](ours)
            read = matching(ours, comparison, "gain", who, more) if answer != UNTESTED else []
            of_each = {row.rpartition(": ")[0]: PLANNING[statement](ours[ours["row"] == row]) for row in read}
            if len(set(of_each.values())) > 1:
                answer = CLOSE
            of_whom = "; ".join(f"{name}: {each}" for name, each in of_each.items())
            said = {"finding": finding, "statement": statement, "verdict": VERDICTS[answer]}
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
