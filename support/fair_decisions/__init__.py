"""Fair decisions: a group looks for a fair plan while nobody shows a preference (paper 003)."""
