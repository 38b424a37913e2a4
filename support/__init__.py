"""Convene: a notebook laboratory for group decisions supported by language models.

Rooms, in the order in which they may import each other: errors, records, data, downloads, corpora, pronunciations,
published, instruments, database, choice, solvers, llm, prompts; environments; participants; mechanisms; studies; store,
sweep, export, answers; simulations; analysis; tables, figures, plots, transcripts, conversations, diaries; widgets;
recorded; notebooks, recordings, full_runs. Import what you need from its room; nothing heavy is loaded here.
"""

__version__ = "0.1.0"
