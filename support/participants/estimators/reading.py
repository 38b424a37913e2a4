"""Reads what a participant says of a plan: which decisions it names, and how satisfied it sounds with each.

A text is cut into sentences, these at contrasts ("but", "although") into regions, and those at commas and "and" into
segments. A segment's words of satisfaction go to the decisions that it names; one that only names goes with the
segment before it ("I love Meal 1, Meal 2") or after it ("Meal 1, Meal 2 and Meal 3 are fine"). Negation turns a level
but does not mirror it, strengthening words scale its distance from the middle (as in Taboada et al. 2011, Computational
Linguistics 37).

No participant's wordings were known when this was written, and the lexicon holds none for their sake. After the blind
test of `analysis.fairness.reading` some rules were mended where they had misread the rule-based participants ("nothing
beats", "could be worse", a bare "no"), so that on these the reader is not blind any more.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from types import MappingProxyType

from support.environments.fair_decisions.views import Table
from support.participants.estimators.clauses import Clause, Item, mean, paired
from support.participants.estimators.levels import MIDDLE, NO, role, turned
from support.participants.estimators.lexicon import Entry, lexicon, section, tokens
from support.participants.estimators.targets import PRONOUN, REST, WHOLE, Pair, Target, names_of, resolved
from support.records.planning import Plan

ENDS = frozenset(".!?;\n")
OUTDO = frozenset(("beats", "outshines"))
"""Words that compare and need no "than"."""

SOFT = frozenset((",", "and", "plus", "&", "(", ")", "\u2013", "\u2014", "-", "or"))
FILLERS = frozenset(section("pointing")["fillers"])
"""Words that a sentence may hold and still say nothing of its own: "and the same goes for Meal 3", "Meal 2 is not"."""


@dataclass(frozen=True)
class Reading:
    """What a text says of a plan.

    Attributes
    ----------
    levels : mapping of (decision, option) to a level from 0 to 1
    whole : the level of the plan as a whole, None where nothing was said of it
    """

    levels: Mapping[Pair, float] = field(default_factory=dict)
    whole: float | None = None


@lru_cache(maxsize=4096)
def read(text: str, plan: Plan, table: Table) -> Reading:
    """What a text says of each decision of a plan.

    Examples
    --------
    >>> table = Table(("Ana",), ("Meal 1", "Meal 2", "Meal 3"), (("A", "B"),) * 3, "scores", 100)
    >>> dict(read("Meal 1 is great, the rest rather dull.", (0, 0, 1), table).levels)
    {(0, 0): 0.9, (1, 0): 0.33, (2, 1): 0.33}
    """
    found: defaultdict[Pair, list[float]] = defaultdict(list)
    whole: list[float] = []
    rest: list[float] = []
    for clause in clauses(scan(text, table)):
        level = sum(clause.said) / len(clause.said)
        decisions, others, unclear = resolved(clause.targets, plan)
        scopes = {target.scope for target in clause.targets}
        for pair, said in _placed(level, clause, decisions, others, plan):
            found[pair].append(said)
        if REST in scopes:
            rest.append(level)
        elif not (decisions or others or unclear) and scopes <= {WHOLE, PRONOUN}:
            whole.append(level)
    named = {d for d, k in found if plan[d] == k}
    for d in (d for d in range(len(plan)) if rest and d not in named):
        found[d, plan[d]] = rest
    levels_ = {pair: round(mean(v), 4) for pair, v in found.items()}
    return Reading(MappingProxyType(levels_), round(mean(whole), 4) if whole else None)


def _placed(
    level: float, clause: Clause, decisions: list[int], others: list[Pair], plan: Plan
) -> Iterator[tuple[Pair, float]]:
    """A clause's level at its options. Another option than the plan's takes it alone, unless the two are weighed."""
    beside = {d for d, _ in others}
    low, high = min(level, 1 - level), max(level, 1 - level)
    for d in decisions:
        if d not in beside or clause.weighs:
            yield (d, plan[d]), low if d in beside else level
    for d, k in others:
        yield (d, k), high if d in decisions and clause.weighs else level


def scan(text: str, table: Table) -> list[Item]:
    """The text as targets, entries of the lexicon, and whatever else there is.

    Names come first, then phrases, then what names nothing by itself.
    """
    words, names, known = tokens(text), names_of(table), lexicon()
    items: list[Item] = []
    place = 0
    while place < len(words):
        entry = _fraction(words, place) or known.at(words, place)
        target = names.at(words, place) or (None if entry and entry[0] > 1 else names.general(words, place))
        length, item = target or entry or (1, words[place])
        items.append(Entry("level", NO) if _refused(words, place, items) else item)
        items += ["than"] if words[place] in OUTDO and not target else []
        place += length
        if isinstance(item, Entry) and item.role == "negators" and words[place - 1] in ("nothing", "none", "nobody"):
            items.insert(-1, Target(WHOLE))
    return items


def _refused(words: list[str], place: int, items: list[Item]) -> bool:
    """ "Meal 1: no", "Meal 1, no.": an answer, which denies no word after it."""
    ends = place + 1 == len(words) or words[place + 1] in ENDS | SOFT
    named = [item for item in items[-2:] if item not in (":", ",", "-")][-1:]
    return words[place] == "no" and ends and isinstance(named[0] if named else None, Target)


def _fraction(words: list[str], place: int) -> tuple[int, Entry] | None:
    """ "8 out of 10", "8/10", "80%"."""
    for length, marks in ((4, ["out", "of"]), (3, ["/"]), (2, ["%"])):
        part = words[place : place + length]
        top, bottom = part[0], part[-1] if length > 2 else "100"
        if (
            part[1 : 1 + len(marks)] == marks
            and top.isdigit()
            and bottom.isdigit()
            and 0 <= int(top) <= int(bottom) > 0
        ):
            return length, Entry("level", int(top) / int(bottom))
    return None


def clauses(items: Iterable[Item]) -> Iterator[Clause]:
    """Every clause in which something is said of something, in order."""
    last: Clause | None = None
    before: list[Target] = []
    open_ = False
    for sentence in _split(items, lambda item: item in ENDS):
        here = open_  # a pronoun may mean what the sentence before named; silence may where that one said nothing
        for region in _regions(sentence):
            for clause in _joined(region, last):
                pointing = all(t.scope == PRONOUN for t in clause.targets) and (here or bool(clause.targets))
                clause = replace(clause, targets=before) if pointing and before else clause
                before, here = clause.targets or before, here or bool(clause.targets)
                open_ = bool(clause.targets) and not clause.said
                if clause.said:
                    yield clause
                    last = clause


def _regions(sentence: list[Item]) -> Iterator[list[Item]]:
    """Cut where something is contrasted or excepted; an exception keeps its word, to be read by it."""
    region: list[Item] = []
    for item in sentence:
        what, before = role(item), role(region[-1]) if region else ""
        if what == "contrasts" and before in ("unreal", "negators"):  # "might still be", "not yet"
            continue
        if what in ("contrasts", "exceptions"):
            yield region
            region = [item] if what == "exceptions" else []
        else:
            region.append(item)
    yield region


def _joined(region: list[Item], last: Clause | None) -> list[Clause]:
    """The clauses of a region; segments that only name, or only value, find their counterpart."""
    made: list[Clause] = []
    waiting: list[Target] = []
    for segment in _split(region, lambda item: item in SOFT):
        for clause in paired(segment):
            if clause.said and (clause.targets or waiting or not made or clause.apart):
                made.append(replace(clause, targets=waiting + clause.targets))
                waiting = []
            elif clause.said:
                made[-1].said += clause.said
            elif made and made[-1].leads and not waiting:
                turns = _roles(segment) & {"negators", "less"}
                made += [_left_over(segment, clause.targets, made[-1])] if turns else []
                made[-1].targets += [] if turns else clause.targets
            else:
                waiting += clause.targets
    return made + ([_left_over(region, waiting, made[-1] if made else last)] if waiting else [])


def _left_over(region: list[Item], waiting: list[Target], last: Clause | None) -> Clause:
    """Named without a word on it: the same as before ("Meal 3 too"), or its reverse ("but not Meal 2", "except")."""
    roles = _roles(region)
    if last is None or not _elliptical(region):
        return Clause(waiting, [])
    level = mean(last.said)
    if "exceptions" in roles:
        return Clause(waiting, [min(turned(level), 1 - level) if level >= MIDDLE else 1 - level])
    if "negators" in roles or "less" in roles:
        return Clause(waiting, [turned(level)])
    alike = "likewise" in roles or any(isinstance(item, Entry) and item.role == "modifier" for item in region)
    return Clause(waiting, [level] if alike else [])


def _elliptical(region: list[Item]) -> bool:
    """Whether it has no words of its own that could say something unknown of what it names."""
    return all(word in FILLERS or not word.isalpha() for word in region if isinstance(word, str))


def _roles(items: list[Item]) -> set[str]:
    return {role(item) for item in items} - {""}


def _split(items: Iterable[Item], ends: object) -> Iterator[list[Item]]:
    part: list[Item] = []
    for item in items:
        if isinstance(item, str) and ends(item):  # type: ignore[operator]
            yield part
            part = []
        else:
            part.append(item)
    yield part
