"""Convene: a notebook laboratory for group decisions supported by language models.

Start with a study: groups that decide under several conditions, kept in a file, compared.

    from support import Study
    study = Study("first", "exchange_economy", groups=20, rule=["majority", "ranked"], seats="mixed")
    await study.run()                       # asyncio.run(…) outside of a notebook
    study.table                             # one row a group and condition
    study.compare("utility@10", by="rule")  # paired: difference, interval, Holm's p

Who sits is a name: a rule-based kind ("mixed", "linear", "conceder", "boulware"), "human",
or a model ("model:gpt-4o-mini", "model:qwen3:8b@http://127.0.0.1:11434/v1").

What has a name here:

- `Study`: groups under conditions; `fork` asks what would have been, `register` keeps a plan.
- `Notebook`: a study's file, its paper, figures and ledger, as the notebooks use them.
- `Sweep`, `Store`: a grid of settings over seeds, and the file that keeps it.
- `RULES`, `Rule`: the six voting rules, and the class to derive one's own from.
- `exchange_economy`: the goods that groups share out; `ENVIRONMENTS`: what else they decide on.
- `Mechanism`: the phases of a round (`Talk`, `Propose`, `Vote`); `MECHANISMS`: those with a name.
- `draw`, `tables`, `published`: figures, tables, and what the four papers print.

All else is imported from its room: roundtable, meetings, fair_decisions, seminar and survey
are the studies, analysis what is counted of them, models who is asked, labs and desk what
has buttons. Nothing heavy is loaded here before it is used.
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"
ENTRIES = {
    "Study": "support.study",
    "Notebook": "support.notebook",
    "Sweep": "support.runs.sweep",
    "Store": "support.runs.study",
    "RULES": "support.choice",
    "Rule": "support.choice",
    "exchange_economy": "support.roundtable.economy",
    "ENVIRONMENTS": "support.roundtable.records",
    "Mechanism": "support.roundtable.mechanism",
    "MECHANISMS": "support.roundtable.mechanism",
    "Talk": "support.roundtable.mechanism",
    "Propose": "support.roundtable.mechanism",
    "Vote": "support.roundtable.mechanism",
}
"""Each name that can be imported from here, and where it stands."""
__all__ = [*ENTRIES, "draw", "published", "tables"]


def __getattr__(name: str) -> Any:
    """An entry, when it is asked for."""
    if name not in ENTRIES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(ENTRIES[name]), name)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
