"""Convene: a notebook laboratory for group decisions supported by language models.

Rooms, in the order in which they may import each other: errors, presence, data, downloads, corpora, pronunciations,
published, database, mail, choice, solvers, prompts, models; seats (who sits where), play, english; a folder a study:
roundtable, meetings, fair_decisions, seminar, survey; runs, seminars; simulations; analysis; tables, figures, plots,
runs.pages; labs, desk, recorded; runs.notebooks, full_runs, app. Import what you need from its room;
nothing heavy is loaded here.
"""

__version__ = "0.1.0"
