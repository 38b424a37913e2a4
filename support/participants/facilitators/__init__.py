"""Interviewers, coordinators and evaluators: rule-based, language model, exact."""
