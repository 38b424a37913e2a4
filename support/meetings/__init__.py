"""Coordination of meetings, after Papachristou, Yang and Hsu (2023): private talks, options, scores, a candidate."""
