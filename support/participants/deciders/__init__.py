"""Participants of a group decision: rule-based, language model, human."""
