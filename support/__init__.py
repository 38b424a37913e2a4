"""Convene: a notebook laboratory for group decisions supported by language models.

Rooms, in the order in which they may import each other: errors, calls, money, presence, records, data, downloads,
corpora, pronunciations, published, instruments, database, mail, choice, solvers, llm, prompts; environments;
participants; mechanisms; studies; store, claims, progress, running, sweep, export, answers, estimates, spending,
seminars; simulations; analysis; tables, figures, plots, transcripts, conversations, diaries, boards, run_pages;
widgets; recorded; notebooks, recordings, full_runs, app. Import what you need from its room; nothing heavy is loaded
here.
"""

__version__ = "0.1.0"
