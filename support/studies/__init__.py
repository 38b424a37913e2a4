"""Study functions: one unit of a study, from its settings to its record, for `support.runs.sweep`."""

from support.studies.meetings import meeting_coordination
from support.studies.planning import fair_decisions
from support.studies.roundtable import roundtable_exchange, roundtable_movielens

__all__ = ["fair_decisions", "meeting_coordination", "roundtable_exchange", "roundtable_movielens"]
