"""Meeting coordination in numbers (Papachristou, Yang and Hsu 2023, sections 5.3 to 6.4, appendix C).

rounds    records in, one row for each run and round out
change    percentage changes from round 1, their means and intervals (Figures 4 to 6); the way from chance to the best
designs   the rounds beside the two baselines and the paraphrases (Tables 1 and 2), tests, the paper's standard errors
audit     the evaluator in the loop against what was said and against the truth: weighted kappa
"""

from support.analysis.coordination.audit import audit, confusion, kappa, on_theta
from support.analysis.coordination.change import changes, gap_closed, mean_changes
from support.analysis.coordination.designs import (
    compare_designs,
    in_a_sentence,
    other_options,
    table_1,
    table_2,
    with_standard_errors,
)
from support.analysis.coordination.rounds import METRICS, final, name_settings, rounds_of
from support.meetings.study import DESIGNS

__all__ = [
    "DESIGNS",
    "METRICS",
    "audit",
    "changes",
    "compare_designs",
    "confusion",
    "final",
    "gap_closed",
    "in_a_sentence",
    "kappa",
    "mean_changes",
    "name_settings",
    "on_theta",
    "other_options",
    "rounds_of",
    "table_1",
    "table_2",
    "with_standard_errors",
]
