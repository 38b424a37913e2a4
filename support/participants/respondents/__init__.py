"""Respondents that are no people: rule-based personas and language models fill in an instrument, and say so."""

from support.participants.respondents.language_model import ModelRespondent
from support.participants.respondents.personas import Persona, draw_persona
from support.participants.respondents.protocol import Book, Respondent
from support.participants.respondents.rule_based import RuleBasedRespondent
from support.participants.respondents.simulate import simulate

__all__ = ["Book", "ModelRespondent", "Persona", "Respondent", "RuleBasedRespondent", "draw_persona", "simulate"]
