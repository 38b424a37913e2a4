"""Convene: a notebook laboratory for group decisions supported by language models.

Rooms, in the order in which they may import each other: errors, presence, data, downloads, corpora, pronunciations,
published, database, mail, choice, solvers, prompts, models; seats (who sits where), forms and
room (what people are asked, and where), play, english; a folder a study:
roundtable, meetings, fair_decisions, seminar, survey; runs, seminars; simulations; analysis; study, tables, figures, plots,
runs.pages; labs, desk, recorded; runs.notebooks, full_runs, app. Import what you need from its room;
nothing heavy is loaded here. `Study` is the front door.
"""

from typing import Any

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """`Study`, when it is asked for."""
    if name == "Study":
        from support.study import Study

        return Study
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
