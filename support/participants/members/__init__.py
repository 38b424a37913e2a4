"""Members of a meeting: rule-based, language model, human."""
