"""Runs: a study's file, sweeps over it, how far they are, what they asked and spent, and how they are shown."""
