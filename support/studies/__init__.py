"""Study functions: one unit of a study, from its settings to its record, for `support.runs.sweep`."""

from support.studies.meetings import meeting_coordination
from support.studies.seminar import seminar

__all__ = ["meeting_coordination", "seminar"]
