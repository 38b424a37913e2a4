"""Reads what a participant says of a plan: which decisions it names, and how satisfied it sounds with each.

A text is cut into sentences, these at contrasts ("but", "although") into regions, and those at commas and "and" into
segments. A segment's words of satisfaction go to the decisions that it names; one that only names goes with the
segment before it ("I love Meal 1, Meal 2") or after it ("Meal 1, Meal 2 and Meal 3 are fine"). Negation turns a level
but does not mirror it, strengthening words scale its distance from the middle (as in Taboada et al. 2011, Computational
Linguistics 37).

No participant's wordings were known when this was written; after the blind test of `analysis.listening` some
rules were mended on the rule-based participants ("nothing beats", "could be worse"): there it is not blind any more.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from support.fair_decisions.lexicon import Entry, lexicon, section, tokens
from support.fair_decisions.problem import Table
from support.fair_decisions.records import Plan
from support.fair_decisions.targets import (
    OPTION,
    PRONOUN,
    REST,
    WHOLE,
    Pair,
    Target,
    names_of,
    resolved,
)

Item = str | Target | Entry
Places = list[tuple[int, Target]]
ENDS = frozenset(".!?;\n")
SOFT = frozenset((",", "and", "plus", "&", "(", ")", "\u2013", "\u2014", "-", "or"))
OUTDO = frozenset(("beats", "outshines"))  # words that compare and need no "than"
FILLERS = frozenset(section("pointing")["fillers"])
"""Words that a sentence may hold and still say nothing of its own: "and the same goes for Meal 3", "Meal 2 is not"."""


@dataclass(frozen=True)
class Reading:
    """Levels from 0 to 1 that a text says of (decision, option), and of the plan as a whole."""

    levels: Mapping[Pair, float] = field(default_factory=dict)
    whole: float | None = None


@lru_cache(maxsize=4096)
def read(text: str, plan: Plan, table: Table) -> Reading:
    """What a text says of each decision of a plan.

    >>> table = Table(("Ana",), ("Meal 1", "Meal 2", "Meal 3"), (("A", "B"),) * 3, "scores", 100)
    >>> dict(read("Meal 1 is great, the rest rather dull.", (0, 0, 1), table).levels)
    {(0, 0): 0.9, (1, 0): 0.33, (2, 1): 0.33}
    """
    found: defaultdict[Pair, list[float]] = defaultdict(list)
    whole, rest = list[float](), list[float]()
    for clause in clauses(scan(text, table)):
        level = mean(clause.said)
        decisions, others, unclear = resolved(clause.targets, plan)
        scopes = {target.scope for target in clause.targets}
        low, high = min(level, 1 - level), max(level, 1 - level)
        beside = {
            d for d, _ in others
        }  # another option than the plan's takes it alone, unless the two are weighed
        for d in decisions:
            if d not in beside or clause.weighs:
                found[d, plan[d]].append(low if d in beside else level)
        for d, k in others:
            found[d, k].append(high if d in decisions and clause.weighs else level)
        if REST in scopes:
            rest.append(level)
        elif not (decisions or others or unclear) and scopes <= {WHOLE, PRONOUN}:
            whole.append(level)
    named = {d for d, k in found if plan[d] == k}
    for d in (d for d in range(len(plan)) if rest and d not in named):
        found[d, plan[d]] = rest
    return Reading(
        {pair: round(mean(v), 4) for pair, v in found.items()},
        round(mean(whole), 4) if whole else None,
    )


TWO = Table(("",), ("First plan", "Second plan"), (("",), ("",)), "scores", 100)
NAMING = re.compile(
    r"\b(?:(?:in|with|on|of|about|under|for) )?(?:the )?(first|second) (?:plan|one|menu)\b[,:]?",
    re.I,
)
COMPARES = re.compile(
    r"\b(?:prefer\w*|better|worse|favou?r\w*|choose|alike|both)\b", re.IGNORECASE
)


def compared(
    text: str, first: Plan, second: Plan, table: Table
) -> tuple[float, float, tuple[Mapping[Pair, float], ...]]:
    """What a text that compares two plans says of each as a whole, and of the decisions of each.

    As a whole: a level from 0 to 1, both equal and not `MIDDLE` where both are liked alike, both `MIDDLE` where nothing
    is said. A sentence that names one plan and speaks of its decisions begins what is said of that plan. Where a
    sentence compares, it decides: who prefers the less bad of two plans may call both of them bad.
    """
    said, here = ["", ""], None
    compares, tells = dict[int, list[float]](), dict[int, list[float]]()
    for sentence in re.split(r"(?<=[.!?;])\s+|\n", text):
        named = {name.lower() for name in NAMING.findall(sentence)}
        rest = NAMING.sub("", sentence)
        if len(named) == 1:
            here = int("second" in named)
        if here is not None and len(named) < 2 and read(rest, first, table).levels:
            said[here] += f"{rest} "
        elif named or "both" in sentence.lower():
            verdict, whole = (
                read(sentence, (0, 0), TWO),
                compares if COMPARES.search(sentence) else tells,
            )
            for (plan, _), level in verdict.levels.items():
                whole.setdefault(plan, []).append(level)
            if (
                not verdict.levels and verdict.whole is not None
            ):  # "First plan: this will do.", "I like both alike."
                for plan in (int("second" in named),) if len(named) == 1 else (0, 1):
                    whole.setdefault(plan, []).append(verdict.whole)
    means = {plan: mean(found) for plan, found in (compares or tells).items()}
    one = means.get(0, 1 - means.get(1, MIDDLE))
    readings = tuple(
        read(part, plan, table).levels
        for part, plan in zip(said, (first, second), strict=True)
    )
    return round(one, 4), round(means.get(1, 1 - one), 4), readings


# ---- the text as targets, entries of the lexicon, and whatever else there is -----------------------------------------


def scan(text: str, table: Table) -> list[Item]:
    """Names come first, then phrases, then what names nothing by itself."""
    words, names, known = tokens(text), names_of(table), lexicon()
    items, place = list[Item](), 0
    while place < len(words):
        entry = _fraction(words, place) or known.at(words, place)
        target = names.at(words, place) or (
            None if entry and entry[0] > 1 else names.general(words, place)
        )
        length, item = target or entry or (1, words[place])
        items.append(Entry("level", NO) if _refused(words, place, items) else item)
        items += ["than"] if words[place] in OUTDO and not target else []
        place += length
        if role(item) == "negators" and words[place - 1] in (
            "nothing",
            "none",
            "nobody",
        ):
            items.insert(-1, Target(WHOLE))
    return items


def _refused(words: list[str], place: int, items: list[Item]) -> bool:
    """ "Meal 1: no", "Meal 1, no.": an answer, which denies no word after it."""
    ends = place + 1 == len(words) or words[place + 1] in ENDS | SOFT
    named = [item for item in items[-2:] if item not in (":", ",", "-")][-1:]
    return (
        words[place] == "no"
        and ends
        and isinstance(named[0] if named else None, Target)
    )


def _fraction(words: list[str], place: int) -> tuple[int, Entry] | None:
    """ "8 out of 10", "8/10", "80%"."""
    for length, marks in ((4, ["out", "of"]), (3, ["/"]), (2, ["%"])):
        part = words[place : place + length]
        top, bottom = part[0], part[-1] if length > 2 else "100"
        fits = part[1 : 1 + len(marks)] == marks and top.isdigit() and bottom.isdigit()
        if fits and 0 <= int(top) <= int(bottom) > 0:
            return length, Entry("level", int(top) / int(bottom))
    return None


# ---- sentences, regions, segments ------------------------------------------------------------------------------------


@dataclass
class Clause:
    """Targets and the levels that belong to them."""

    targets: list[Target]
    said: list[float]
    leads: bool = False  # the words of satisfaction came first
    apart: bool = False  # no other segment adds to it
    weighs: bool = False  # something is preferred or wished instead


def clauses(items: Iterable[Item]) -> Iterator[Clause]:
    """Every clause in which something is said of something, in order."""
    last, before, open_ = None, list[Target](), False
    for sentence in _split(items, ENDS):
        here = open_  # a pronoun may mean what the sentence before named; silence may where that one said nothing
        for region in _regions(sentence):
            for clause in _joined(region, last):
                pointing = all(t.scope == PRONOUN for t in clause.targets) and (
                    here or bool(clause.targets)
                )
                clause = (
                    replace(clause, targets=before) if pointing and before else clause
                )
                before, here = clause.targets or before, here or bool(clause.targets)
                open_ = bool(clause.targets) and not clause.said
                if clause.said:
                    yield clause
                    last = clause


def _split(items: Iterable[Item], ends: Collection[str]) -> Iterator[list[Item]]:
    part: list[Item] = []
    for item in items:
        if isinstance(item, str) and item in ends:
            yield part
            part = []
        else:
            part.append(item)
    yield part


def _regions(sentence: list[Item]) -> Iterator[list[Item]]:
    """Cut where something is contrasted or excepted; an exception keeps its word, to be read by it."""
    region: list[Item] = []
    for item in sentence:
        what, before = role(item), role(region[-1]) if region else ""
        if what == "contrasts" and before in (
            "unreal",
            "negators",
        ):  # "might still be", "not yet"
            continue
        if what in ("contrasts", "exceptions"):
            yield region
            region = [item] if what == "exceptions" else []
        else:
            region.append(item)
    yield region


def _joined(region: list[Item], last: Clause | None) -> list[Clause]:
    """The clauses of a region; segments that only name, or only value, find their counterpart."""
    made, waiting = list[Clause](), list[Target]()
    for segment in _split(region, SOFT):
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
    return made + (
        [_left_over(region, waiting, made[-1] if made else last)] if waiting else []
    )


def _left_over(
    region: list[Item], waiting: list[Target], last: Clause | None
) -> Clause:
    """Named without a word on it: the same as before ("Meal 3 too"), or its reverse ("but not Meal 2", "except")."""
    roles = _roles(region)
    own_words = any(
        word.isalpha() and word not in FILLERS
        for word in region
        if isinstance(word, str)
    )
    if last is None or own_words:  # which could say something unknown of what is named
        return Clause(waiting, [])
    level = mean(last.said)
    if "exceptions" in roles:
        return Clause(
            waiting, [min(turned(level), 1 - level) if level >= MIDDLE else 1 - level]
        )
    if "negators" in roles or "less" in roles:
        return Clause(waiting, [turned(level)])
    return Clause(waiting, [level] if roles & {"likewise", "modifier"} else [])


def _roles(items: list[Item]) -> set[str]:
    return {role(item) for item in items} - {""}


# ---- what a segment says of what it names ----------------------------------------------------------------------------


def paired(segment: Sequence[Item]) -> list[Clause]:
    """A segment's targets with its levels: all with all, but across a "than", and where they take turns."""
    said = levels(segment)
    targets = [
        (place, item) for place, item in enumerate(segment) if isinstance(item, Target)
    ]
    if any(item.scope not in (PRONOUN, WHOLE) for _, item in targets):
        targets = [
            (p, t)
            for p, t in targets
            if t.scope != PRONOUN and (t.scope != WHOLE or said)
        ]
    if found := _compared(segment, targets, said) or _turns(targets, said):
        return found
    if not (said or targets):
        return []
    said = said or denied_wish(segment)
    leads = bool(said and targets) and said[0].place < targets[0][0]
    weighs = any(s.comparative for s in said)
    return [
        Clause([t for _, t in targets], [s.level for s in said], leads, weighs=weighs)
    ]


def _compared(
    segment: Sequence[Item], targets: Places, said: list[Said]
) -> list[Clause]:
    """ "Meal 1 is better than Meal 2", "I prefer Meal 1 to Meal 2", "Meal 2 is as good as Meal 1"."""
    if outdone := _outdone(segment, targets, said):
        return [outdone]
    first, last = (targets[0][0], targets[-1][0]) if targets else (0, 0)
    between = [
        p for p in range(first + 1, last) if segment[p] in ("than", "over", "to", "as")
    ]
    at = max(between, default=0)
    if (
        not at
        or not said
        or (segment[at] in ("to", "over") and not any(s.comparative for s in said))
    ):
        return []
    if segment[at] == "as" and not any(item == "as" for item in segment[:at]):
        return []
    level = mean(s.level for s in said)
    alike = segment[at] == "as" and not any(s.negated for s in said)
    left, right = (
        [t for p, t in targets if (p > at) is after] for after in (False, True)
    )
    return [
        Clause(left, [level]),
        Clause(right, [level if alike else 1 - level], leads=True, apart=True),
    ]


def _outdone(
    segment: Sequence[Item], targets: Places, said: list[Said]
) -> Clause | None:
    """ "I know better than Meal 2", "nothing beats Meal 2": what is compared with it is no decision."""
    at = max((place for place, item in enumerate(segment) if item == "than"), default=0)
    right = [t for p, t in targets if p > at]
    before = [
        s
        for s in said
        if s.comparative and s.place < at and role(segment[s.place]) != "change"
    ]
    if (
        not at
        or not right
        or not before
        or any(t.scope not in (PRONOUN, WHOLE) for p, t in targets if p < at)
    ):
        return None
    return Clause(right, [1 - mean(s.level for s in before)], leads=True, apart=True)


def _turns(targets: Places, said: list[Said]) -> list[Clause]:
    """ "Meal 1 great Meal 2 awful": targets and levels in turn, without a mark between them."""
    marks = sorted(
        [(p, "t") for p, t in targets if t.scope != OPTION]
        + [(s.place, "s") for s in said]
    )
    order = "".join(mark for _, mark in marks)
    if (
        len(targets) < 2
        or len(said) < 2
        or order not in ("ts" * len(said), "st" * len(said))
    ):
        return []
    starts = [place for place, mark in marks if mark == order[0]]
    return [
        Clause(
            [t for p, t in targets if a <= p < b],
            [s.level for s in said if a <= s.place < b],
            apart=True,
        )
        for a, b in zip(starts, [*starts[1:], 10**6], strict=True)
    ]


# ---- how satisfied a few words sound: levels from 0 to 1, turned and scaled by the words around them -----------------

MIDDLE = 0.5
WINDOW = 5  # how many words before a word of satisfaction may turn or scale it
UNREAL = (
    0.3  # what "could be better" and "I wish it were good" say of the thing as it is
)
NO = 0.2  # what a bare "no" says, and who does not want something: as "no thanks" in the lexicon
VALUES = ("level", "comparative", "change", "preferring")


@dataclass(frozen=True, slots=True)
class Said:
    """A word of satisfaction: its place in the segment, its level, whether it weighs two things and is denied."""

    place: int
    level: float
    comparative: bool = False
    negated: bool = False


def turned(level: float) -> float:
    """A level under negation, never its mirror: what is not bad is not therefore good."""
    return 0.1 + 0.5 * (level - MIDDLE) if level >= MIDDLE else 0.5 + 0.3 * level


def scaled(level: float, factor: float) -> float:
    """A level further from the middle, or nearer to it, and never beyond 0 and 1."""
    return min(max(MIDDLE + (level - MIDDLE) * factor, 0.0), 1.0)


def levels(segment: Sequence[Item]) -> list[Said]:
    """The levels of a segment's words of satisfaction, in order.

    Where a change is asked for, words that compare say no more than that; nor do words of satisfaction with it, as in
    "I would be glad of something else".
    """
    places = [place for place, item in enumerate(segment) if role(item) in VALUES]
    changes = [place for place in places if role(segment[place]) == "change"]
    wished = any(
        role(item) in ("unreal", "wishes")
        for item in segment[: max(changes, default=0)]
    )
    other = {"comparative", "preferring"} | ({"level"} if wished else set())
    return [
        _said(segment, place)
        for place in places
        if not changes or role(segment[place]) not in other
    ]


def denied_wish(segment: Sequence[Item]) -> list[Said]:
    """ "I do not want Meal 2", "please not Meal 2": refused, though no word of satisfaction is there."""
    roles = [role(item) for item in segment]
    refused = (
        "unreal" in roles
        and roles.count("negators") == 1
        and not any(item == "to" for item in segment)
    )
    return [Said(roles.index("negators"), NO, negated=True)] if refused else []


def _said(segment: Sequence[Item], place: int) -> Said:
    entry, before = segment[place], _before(segment, place)
    assert isinstance(entry, Entry)
    roles, earlier = (
        [role(item) for item in before],
        {role(item) for item in segment[:place]},
    )
    comparative = entry.role != "level" or "more" in roles
    missed = {"wishes"} | (
        {"unreal"} if comparative and entry.role in ("level", "comparative") else set()
    )
    if entry.number > MIDDLE and missed & earlier:
        return Said(place, UNREAL, comparative=True)
    if entry.role == "comparative" and entry.number < MIDDLE and "unreal" in earlier:
        return Said(place, MIDDLE)  # what could be worse is not bad yet
    level, negated = entry.number, False
    for item in before:
        level, negated = _under(item, level, negated)
    return Said(place, round(level, 4), comparative or "less" in roles, negated)


def _under(item: Item, level: float, negated: bool) -> tuple[float, bool]:
    what, factor = role(item), getattr(item, "number", 1.0)
    if what == "modifier":
        return scaled(level, factor), negated
    if what == "negators" and not negated:
        return turned(level), True
    if what in ("less", "least"):
        return scaled(1 - level, 0.8 if what == "less" else 1.5), negated
    return level, negated


def _before(segment: Sequence[Item], place: int) -> list[Item]:
    """What stands before a word, the nearest first, as far as the one before it; names do not count."""
    found: list[Item] = []
    for item in reversed(segment[:place]):
        if role(item) in VALUES or len(found) == WINDOW:
            break
        found += [] if isinstance(item, Target) else [item]
    return found


def mean(numbers: Iterable[float]) -> float:
    """Of at least one number."""
    values = list(numbers)
    return sum(values) / len(values)


def role(item: Item) -> str:
    """The role of an entry of the lexicon, "" for anything else."""
    return item.role if isinstance(item, Entry) else ""
