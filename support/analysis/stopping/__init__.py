"""Learned early stopping (section 4.5, appendices C.7 and D.5).

study          discussions as arrays, with their folds
building       transcripts and messages in, studies out
rules          @10, First and Consecutive Agreements, Validation Checkpoint, Information Difference, Oracle
pairs          pairs of dialogue acts as features
least_squares  the regression of appendix C.7
dialogue_act   the Dialogue Act rule and its grid search
ensemble       our Ensemble
learner        a regularised learner on the same features
evaluation     cross-validation, Tables 2, 10 and 11, tests, the frontier
live           a fitted rule at the table
people         the same rules on DeliData's groups
"""

from support.analysis.stopping.building import studies_of, study_of
from support.analysis.stopping.dialogue_act import DialogueAct
from support.analysis.stopping.ensemble import Ensemble
from support.analysis.stopping.evaluation import (
    compare_rules,
    cross_validate,
    frontier,
    paper_rules,
    performance_table,
    statistics_table,
)
from support.analysis.stopping.learner import Ridge
from support.analysis.stopping.least_squares import fast_ols
from support.analysis.stopping.live import live
from support.analysis.stopping.people import people_rules, people_study
from support.analysis.stopping.rules import (
    AllRounds,
    ConsecutiveAgreements,
    FirstAgreement,
    InformationDifference,
    Oracle,
    ValidationCheckpoint,
)
from support.analysis.stopping.study import Study, folds_of

__all__ = [
    "AllRounds",
    "ConsecutiveAgreements",
    "DialogueAct",
    "Ensemble",
    "FirstAgreement",
    "InformationDifference",
    "Oracle",
    "Ridge",
    "Study",
    "ValidationCheckpoint",
    "compare_rules",
    "cross_validate",
    "fast_ols",
    "folds_of",
    "frontier",
    "live",
    "paper_rules",
    "people_rules",
    "people_study",
    "performance_table",
    "statistics_table",
    "studies_of",
    "study_of",
]
