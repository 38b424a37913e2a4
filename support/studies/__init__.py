"""The study function of the seminar, for `support.runs.sweep`."""

from support.studies.seminar import seminar

__all__ = ["seminar"]
