"""Notice and gaps: preferences that an amount of time, or a word for it, stands for."""

from __future__ import annotations

import math
import re

from support.environments.meetings.preferences import Gap, Notice, Preference
from support.environments.meetings.reading.clauses import Clause
from support.environments.meetings.reading.marked import Marked
from support.environments.meetings.reading.phrases import has
from support.environments.meetings.reading.vocabulary import GAP_MINUTES, NOTICE_HOURS

LONGEST_GAP = 180
"""Minutes; a longer amount between meetings is no gap."""


def notice(clause: Clause, found: Marked) -> list[Preference]:
    """ "A day in advance", "no last-minute invitations", "appreciates notice"."""
    text, amounts = clause.text, _amounts(clause.text, found)
    early = has(text, "notice") if amounts and amounts[-1] >= 60 else has(text, "some_notice")
    if amounts and early and not has(text, "gap"):
        least = re.search(r"without|less than|under @u|shorter than|with @u", text)
        waived = clause.refuses and has(text, "waived") and not least
        return [] if waived else [Notice(clause.priority, max(1, math.ceil(amounts[-1] / 60)))]
    short = clause.refuses and has(text, "short_notice")
    some = has(text, "some_notice") and has(text, "notice_wanted") and not (clause.refuses or has(text, "short_notice"))
    before = re.search(r"(?:the|a) day before", text) and has(text, "arranged")
    return [Notice(clause.priority, NOTICE_HOURS)] if short or some or before else []


def gap(clause: Clause, found: Marked) -> list[Preference]:
    """ "No back-to-back meetings", "ten minutes between calls", "some room between meetings"."""
    text, amounts = clause.text, _amounts(clause.text, found)
    if not has(text, "gap") or re.search(r"@w\d+ and @w|between @", text) or (has(text, "waived") and not amounts):
        return []
    if has(text, "chained"):
        wanted = clause.refuses or amounts or has(text, "not_chained")
    elif amounts:
        wanted = amounts[-1] <= LONGEST_GAP and not has(text, "waived")
    else:
        wanted = has(text, "some_gap") and has(text, "gap_wanted")
    return [Gap(clause.priority, amounts[-1] if amounts else GAP_MINUTES)] if wanted else []


def _amounts(text: str, found: Marked) -> list[int]:
    return [found.amounts[m] for m in re.findall(r"@u\d+", text)]
