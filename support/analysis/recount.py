"""Recorded ballots counted again under every rule; ties defer.

What it can show: how much of a group's decision lies in the counting alone. What it cannot show: what the group would
have decided under the other rule, which its agents would have known. Each round is counted on its own, off-policy:
compare with a sweep that was run under the other rule before believing it.

Derived are: one vote from ratings, points or a ranking, when one candidate is alone at its top; a ranking from ratings
or points, when no two candidates are equal. A ballot that is silent on this counts as an abstention.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from support.choice import RULES, tally
from support.roundtable.records import Transcript
from support.runs.study import Unit

DERIVABLE: Mapping[str, tuple[str, ...]] = {
    "ratings": ("ratings", "vote", "ranking"), "points": ("points", "vote", "ranking"),
    "ranking": ("ranking", "vote"), "vote": ("vote",),
}  # fmt: skip
"""Which forms can be read from a form."""


def recount(records: Iterable[tuple[Unit, Transcript]]) -> pd.DataFrame:
    """Every recorded vote counted under every rule that its ballots can be read for: run (the place of the record),
    round, voted_under, rule, recorded (the winner then), winner (both None where deferred), differs."""
    rows = []
    for run, (_, transcript) in enumerate(records):
        form = RULES[transcript.rule].form
        for entry in transcript.rounds:
            listed, cast = (
                [c.id for c in entry.candidates],
                {b.agent: b.plain for b in entry.ballots},
            )
            for rule in RULES.values():
                if rule.form in DERIVABLE[form]:
                    read = {
                        agent: choice
                        if choice is None or rule.form == form
                        else derive(choice, rule.form, listed)
                        for agent, choice in cast.items()
                    }
                    winner = tally(rule, read, listed).winner
                    about = (run, entry.number, transcript.rule, rule.name)
                    rows.append((*about, entry.winner, winner, winner != entry.winner))
    columns = ["run", "round", "voted_under", "rule", "recorded", "winner", "differs"]
    return pd.DataFrame(rows, columns=columns)


def derive(choice: Any, form: str, candidates: Sequence[str]) -> Any:
    """A ballot read as another form, None where it is unclear: equal numbers order nobody.

    >>> derive({"P1": 5, "P2": 3, "P3": 3}, "vote", ["P1", "P2", "P3"])
    'P1'
    >>> derive({"P1": 5, "P2": 3, "P3": 3}, "ranking", ["P1", "P2", "P3"]) is None
    True
    """
    if not isinstance(choice, Mapping):
        return choice[0]
    amounts = {candidate: choice.get(candidate, 0) for candidate in candidates}
    order = sorted(candidates, key=lambda candidate: -amounts[candidate])
    if form == "vote":
        alone = len(order) == 1 or amounts[order[0]] > amounts[order[1]]
        return order[0] if alone else None
    return tuple(order) if len(set(amounts.values())) == len(order) else None
