"""Meetings of a synthetic company: who is invited, what each prefers, which slots come into question."""
