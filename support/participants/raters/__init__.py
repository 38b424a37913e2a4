"""Raters: each reads one table about a user or a film, and together they predict one rating."""
