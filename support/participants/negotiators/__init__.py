"""Negotiators: they talk, propose and vote at a round table."""
