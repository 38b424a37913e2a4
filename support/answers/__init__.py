"""Answers to an instrument in one SQLite file: under codes, without names, never overwritten, deleted on request."""

from support.answers.book import COLUMNS, AnswerBook
from support.answers.codes import PEOPLE, SIMULATED, check_code, check_source, draw_code

__all__ = ["COLUMNS", "PEOPLE", "SIMULATED", "AnswerBook", "check_code", "check_source", "draw_code"]
