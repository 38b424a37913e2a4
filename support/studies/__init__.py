"""Study functions: one unit of a study, from its settings to its record, for `support.runs.sweep`."""

from support.studies.planning import fair_decisions
from support.studies.roundtable import roundtable_exchange, roundtable_movielens
from support.studies.seminar import seminar

__all__ = ["fair_decisions", "roundtable_exchange", "roundtable_movielens", "seminar"]
