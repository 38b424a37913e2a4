"""Exact and numerical solvers; they know nothing of agents, rules or models."""
