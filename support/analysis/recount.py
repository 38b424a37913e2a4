"""Recorded ballots counted again under every rule and tie-break.

What it can show: how much of a group's decision lies in the counting alone, the ballots being what they are.
What it cannot show: what the group would have decided under the other rule. Agents knew their rule when they spoke,
proposed and voted; under another they would have voted otherwise, and after another decision all later rounds would
have gone otherwise. Such a count is off-policy: each round is counted on its own, with the candidates and the
standing decision that were there. Compare with a sweep that was run under the other rule before believing it.

A ballot says less or more than another rule asks. Derived are: one vote from ratings, points or a ranking, when one
candidate is alone at its top; a ranking from ratings or points, when no two candidates are equal. A ballot that is
silent on this counts as an abstention, and `unclear` counts such ballots: where they are many the outcome means
little. Ratings and points cannot be derived from any other form.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

import pandas as pd

from support.choice import RULES, Rule, TieBreak, as_rule, check_tie_break, tally
from support.errors import InvalidInput
from support.roundtable.records import Round, Transcript
from support.roundtable.table import as_choice
from support.runs.study import flat

if TYPE_CHECKING:
    import numpy as np

    from support.runs.study import Unit

TIE_BREAKS: tuple[TieBreak, ...] = ("defer", "status_quo")
DERIVABLE: Mapping[str, tuple[str, ...]] = {
    "ratings": ("vote", "ranking"),
    "points": ("vote", "ranking"),
    "ranking": ("vote",),
}
"""Which forms can be read from a form."""
_OWN = ("tie_break", "rule", "repetition")


def recount(
    records: Iterable[tuple[Unit, Transcript]],
    rules: Sequence[str | Rule] = tuple(RULES),
    tie_breaks: Sequence[TieBreak] = TIE_BREAKS,
    rng: np.random.Generator | None = None,
) -> pd.DataFrame:
    """Count every recorded vote again, under every combination of rules and tie-breaks; "lottery" draws from `rng`.

    `records` is what `Sweep.records` gives.

    Returns
    -------
    DataFrame
        One row per vote, rule and tie-break: the sweep's settings, repetition, run, round, voted_under and voted_ties
        (the recorded rule and tie-break), rule, tie_break, off_policy (False only for the recorded rule and tie-break),
        derivable (whether the ballots can be read under the rule), unclear (ballots read as abstentions for that
        reason), recorded (the winner then), winner (both missing where deferred, and winner where not derivable) and
        differs (missing where not derivable).
    """
    counted = [as_rule(rule) for rule in rules]
    for tie_break in tie_breaks:
        check_tie_break(tie_break, rng)
    known = dict(RULES) | {rule.name: rule for rule in counted}
    rows: list[dict[str, Any]] = []
    for run, (unit, transcript) in enumerate(records):
        if transcript.rule not in known:
            raise InvalidInput(
                f"rules: the votes were cast under {transcript.rule!r}, which is unknown; pass that rule too"
            )
        voted, ties = known[transcript.rule], str(transcript.settings.get("tie_break", "defer"))
        settings = {k: v for k, v in flat(unit.settings).items() if k not in _OWN}
        head = settings | {"repetition": unit.repetition, "run": run, "voted_under": voted.name, "voted_ties": ties}
        standing = [None, *(entry.decision.candidate if entry.decision else None for entry in transcript.rounds)]
        for (entry, before), rule in product(zip(transcript.rounds, standing, strict=False), counted):
            read, unclear = _read(entry, voted, rule)
            for tie_break in tie_breaks:
                same = rule.name == voted.name and tie_break == ties
                found = {"round": entry.number, "rule": rule.name, "tie_break": tie_break, "off_policy": not same}
                rows.append(head | found | _counted(entry, rule, read, unclear, tie_break, before, rng))
    return pd.DataFrame(rows).astype({"differs": "boolean"}) if rows else pd.DataFrame()


def shares(recounted: pd.DataFrame) -> pd.DataFrame:
    """How often the winner differs, in percent of derivable votes: one row per recorded rule, rule and tie-break.

    Returns
    -------
    DataFrame
        voted_under, rule, tie_break, off_policy, derivable (percent of votes), unclear (ballots per derivable vote),
        differs (percent), votes.
    """
    keys = ["voted_under", "rule", "tie_break", "off_policy"]
    groups = recounted.assign(unclear=recounted["unclear"].where(recounted["derivable"])).groupby(keys, sort=False)
    table = groups.agg(derivable=("derivable", "mean"), unclear=("unclear", "mean"), differs=("differs", "mean"),
                       votes=("round", "size")).reset_index()  # fmt: skip
    percent = {name: 100 * table[name].astype("Float64").astype(float) for name in ("derivable", "differs")}
    return table.assign(**percent)


def _counted(
    entry: Round,
    rule: Rule,
    ballots: Mapping[str, Any] | None,
    unclear: int,
    tie_break: TieBreak,
    standing: str | None,
    rng: np.random.Generator | None,
) -> dict[str, Any]:
    if ballots is None:
        return {"derivable": False, "unclear": 0, "recorded": entry.winner, "winner": None, "differs": None}
    listed = [c.id for c in entry.candidates]
    winner = tally(rule, ballots, listed, tie_break=tie_break, standing=standing, rng=rng).winner
    differs = winner != entry.winner
    return {"derivable": True, "unclear": unclear, "recorded": entry.winner, "winner": winner, "differs": differs}


def _read(entry: Round, voted: Rule, rule: Rule) -> tuple[dict[str, Any] | None, int]:
    """The ballots in the form of `rule`, None when there is no way to read them so; and how many are unclear."""
    if rule.form not in (voted.form, *DERIVABLE.get(voted.form, ())):
        return None, 0
    cast = {b.agent: as_choice(b) for b in entry.ballots}
    if rule.form == voted.form:
        return cast, 0
    ids = [c.id for c in entry.candidates]
    read = {agent: None if choice is None else derive(choice, rule.form, ids) for agent, choice in cast.items()}
    return read, sum(cast[agent] is not None and read[agent] is None for agent in cast)


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
