"""Parsers: a language model turns a request in words into the data that a solver takes; it never picks the time."""

from support.participants.parsers.natural_plan import model_parses, parse

__all__ = ["model_parses", "parse"]
