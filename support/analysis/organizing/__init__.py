"""The organiser's agent in numbers ("DoubleAgents", 002, section 4), and rehearsals in bulk.

judging     selectors and detectors put to the test: one row for each answer
evaluating  policy selection and edge-case detection: scores, over runs, by policy and by case
repeating   tests between two techniques: t over runs as the paper has it, McNemar's, a bootstrap over cases
simulating  how often each of these tests finds a difference, there or not there
outcomes    records in, one row for each rehearsal or day out; two policy sets on the same seeds; how replies were read
summaries   all of that as tables for the page
timeline    one rehearsal as events of days and people
"""

from support.analysis.organizing.evaluating import (
    by_policy,
    confusion_by_case,
    detection_runs,
    over_runs,
    results,
    score,
    selection_runs,
    selection_scores,
    with_right,
)
from support.analysis.organizing.judging import (
    judged,
    literal_selections,
    model_selections,
    model_verdicts,
    one_voice,
    verdicts,
)
from support.analysis.organizing.outcomes import compare_sets, days_of, reading_audit, runs_of
from support.analysis.organizing.repeating import (
    bootstrap_difference,
    bootstrap_mean,
    mcnemar_test,
    printed_test,
    runs_test,
)
from support.analysis.organizing.simulating import three_runs
from support.analysis.organizing.summaries import detection_table, pairs_table, selection_table
from support.analysis.organizing.timeline import timeline

__all__ = [
    "bootstrap_difference",
    "bootstrap_mean",
    "by_policy",
    "compare_sets",
    "confusion_by_case",
    "days_of",
    "detection_runs",
    "detection_table",
    "judged",
    "literal_selections",
    "mcnemar_test",
    "model_selections",
    "model_verdicts",
    "one_voice",
    "over_runs",
    "pairs_table",
    "printed_test",
    "reading_audit",
    "results",
    "runs_of",
    "runs_test",
    "score",
    "selection_runs",
    "selection_scores",
    "selection_table",
    "three_runs",
    "timeline",
    "verdicts",
    "with_right",
]
